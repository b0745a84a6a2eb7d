//! Policies and stopping rules of best-arm selection, and the simulations that measure them.
//!
//! Fixed budget: [`Uniform`], [`SequentialHalving`], [`SuccessiveRejects`] and [`UcbE`]. Fixed
//! confidence: [`Uniform`], [`Thompson`] sampling (in batches with [`Batched`], asynchronously by
//! itself) and the [`TopTwo`] family, stopped by a [`stopping::PosteriorThreshold`]. All of them
//! see pending evaluations and so serve any number of workers. What a study will need is in
//! [`plan`]; the random search of hyperparameters, in [`random_search`]; whether a new version may
//! replace an old one, in [`gate`].
//!
//! Words and traits are those of [`fiesta_core`], which is re-exported with all that the signatures
//! here name. Generators are those of rand 0.10, re-exported as [`rand`].
//!
//! # Example
//! ```
//! use fiesta_core::{Arms, Ask, Event, Evaluation, Outcome, Selector};
//! use fiesta_policies::{TopTwo, stopping::PosteriorThreshold};
//! use fiesta_posterior::Paired;
//!
//! let train = |e: Evaluation| {
//!     let (split, noise) = ((e.case.split as f64).sin(), (e.case.seed as f64).sin());
//!     0.6 + 0.02 * e.arm.index() as f64 + 0.01 * split + 0.005 * noise
//! };
//! let mut selector = Selector::builder(
//!     Arms::new(["lstm", "gru", "transformer"])?,
//!     Paired::new(3),
//!     TopTwo::ttps(),
//!     PosteriorThreshold::new(0.95)?,
//! )
//! .build()?;
//! let conclusion = loop {
//!     match selector.ask()? {
//!         Ask::Evaluate(e) => {
//!             let outcome = Outcome::Observed(train(e));
//!             selector.tell(Event::Ended { id: e.id, outcome, cost: 1.0 })?;
//!         }
//!         Ask::Wait => unreachable!("nothing is pending"),
//!         Ask::Finished(conclusion) => break conclusion,
//!     }
//! };
//! assert_eq!(selector.arms().name(conclusion.arm), "transformer");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod batched;
mod benchmarks;
mod budget;
mod by_name;
mod cheapest;
pub mod gate;
mod opening;
pub mod plan;
mod pool;
pub mod random_search;
mod sequential_halving;
pub mod simulate;
mod stage;
pub mod stopping;
mod successive_rejects;
mod thompson;
pub mod top_two;
mod tracking;
mod ucb_e;
mod uniform;

pub use batched::Batched;
pub use benchmarks::BenchmarkPolicy;
pub use budget::BudgetTooSmall;
pub use by_name::{
    POLICIES, Parameters, PolicyError, TieBreakName, UnknownTieBreak, has_schedule, parameters_of,
    policy_by_name, resolve,
};
pub use cheapest::Cheapest;
pub use opening::Opening;
pub use pool::PoolPolicy;
pub use sequential_halving::SequentialHalving;
pub use successive_rejects::SuccessiveRejects;
pub use thompson::Thompson;
pub use top_two::TopTwo;
pub use tracking::Tracking;
pub use ucb_e::{ExplorationError, UcbE};
pub use uniform::Uniform;

pub use fiesta_core::{
    self, ArmId, Arms, Assumption, Belief, Case, Counts, Design, Evaluation, Moments, Next,
    Observation, Observe, Outcome, Policy, Posterior, SelectorError, StoppingRule, Verdict, View,
    rand,
};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
