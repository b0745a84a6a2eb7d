//! Posteriors over the mean performance of noisy candidates, and the probability of each to be the
//! best.
//!
//! - [`NormalInverseGamma`] and [`Pooled`]: how scores of one arm, or of all arms, tell of a mean;
//!   [`KnownVariance`] where their spread is known.
//! - [`GaussianArms`]: arms under such a model; implements [`fiesta_core::Observe`], so that every
//!   policy and stopping rule works on it.
//! - [`Paired`]: arms whose evaluations share splits, exactly; the default.
//! - [`Pool`]: arms that answer the items of a finite pool, compared item by item.
//! - [`Benchmarks`]: the weighted mean over several pools, or data sets.
//! - [`best_arm`]: P(arm is best) by quadrature to any accuracy, and by Monte Carlo for any joint
//!   posterior.
//! - [`best_of_n`]: which arm has the highest expected best of n trials, for every n; [`Best`]:
//!   what a random search keeps.
//! - [`Logit`]: the same models on the logit scale.
//!
//! # What is exact, and what is drawn
//! | posterior | how P(best) is computed | its error |
//! |---|---|---|
//! | [`GaussianArms`]: independent arms | quadrature | 1e-9 |
//! | [`Pool`]: items of a pool | quadrature | 1e-9, of the normal totals that it is computed from |
//! | [`Paired`]: shared splits | 160 draws | a standard error of about .011 |
//! | [`Paired::draws`] with 20,000 | 20,000 draws | .0012 |
//! | `FMeasureArms`: counts of documents | 2000 draws of each arm | at most √(p(1 − p)/2000) = .011 |
//!
//! [`Belief::absolute_error`] says which error a belief has. [`Posterior::finer`] leads to more draws:
//! what ends a study is computed with a standard error of at most .0003 where that is affordable.
//!
//! Words and traits are those of [`fiesta_core`], which is re-exported with all that the signatures
//! here name. Generators are those of rand 0.10, re-exported as [`rand`].
//!
//! # Example
//! Which of three models is best, given a few scores of each?
//! ```
//! use fiesta_core::{ArmId, Posterior, Case, Observe};
//! use fiesta_posterior::GaussianArms;
//!
//! let scores = [[0.62, 0.60, 0.63], [0.66, 0.67, 0.64], [0.61, 0.65, 0.62]];
//! let mut posterior = GaussianArms::pooled(3);
//! for (arm, scores) in ArmId::all(3).zip(&scores) {
//!     for (split, &score) in (0..).zip(scores) {
//!         posterior.observe(arm, Case { split, seed: 0 }, score)?;
//!     }
//! }
//! let arms: Vec<ArmId> = ArmId::all(3).collect();
//! let belief = posterior.belief(&arms);
//! assert_eq!(belief.leader().0, ArmId::new(1));
//! assert!(belief.absolute_error < 1e-9);
//! # Ok::<(), fiesta_core::ObserveError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod benchmarks;
mod best;
pub mod best_arm;
pub mod best_of_n;
mod by_name;
#[cfg(feature = "f-measure")]
pub mod f_measure;
mod gaussian;
mod lead;
mod numeric;
mod observations;
mod paired;
mod pool;
mod score;

pub use benchmarks::{Benchmarks, BenchmarksOfStudy};
pub use best::Best;
pub use by_name::{
    ABOUT, BENCHMARKS, DEFAULT, PAIRED, POOL, POSTERIORS, UnknownPosterior, posterior_by_name,
};
#[cfg(feature = "f-measure")]
pub use f_measure::FMeasureArms;
pub use gaussian::{
    AtTheBounds, GaussianArms, KnownVariance, Logit, MeanModel, NormalInverseGamma, Pooled,
    PriorError,
};
pub use lead::{Lead, lead, leads};
pub use numeric::student;
pub use observations::{AsScores, OfCounts};
pub use paired::{Paired, PairedModel};
#[cfg(feature = "f-measure")]
pub use pool::FOfItems;
pub use pool::{AnswerBoundsError, Completion, Differences, Pool, PoolOfCounts, WithinItem};

pub use fiesta_core::{
    self, ArmId, Around, Askable, Belief, Case, Claim, Counts, Direction, FBeta, Marginal, Method,
    Moments, Observation, Observe, ObserveError, Posterior, Target, rand,
};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
