//! Types and traits of best-arm selection.
//!
//! Several noisy candidates (**arms**) compete; one **evaluation** of an arm on a **case** costs
//! time or money and yields an **outcome**. A **posterior** turns outcomes into a **belief**, the
//! probability of each arm to be the best; a **policy** chooses the next arm; a **stopping rule**
//! decides when to stop. The [`Selector`] joins the three and is driven by ask and tell. This crate
//! knows no model of scores, no policy and no process: see `fiesta-posterior`, `fiesta-policies` and
//! `fiesta-runner` for those.
//!
//! ```text
//!     ask() ──► Policy ◄── StoppingRule ◄── Belief ◄── Posterior ◄── tell(outcome)
//! ```
//!
//! The one loop around a selector is [`Selector::drive`]: a runner of external jobs, a simulation
//! and a pool of closures each implement [`Workers`] and differ in nothing else.
//!
//! Generators of random numbers are those of rand 0.10, which is re-exported as [`rand`].
//!
//! Features: `serde` derives (de)serialisation of the value types.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod arm;
mod arm_statistics;
mod belief;
mod case;
mod cases;
mod cost_unit;
mod counts;
mod drive;
mod evaluation;
mod foreign;
mod interrupt;
mod limits;
mod marginal;
mod metric;
mod moments;
mod names;
mod numbers;
mod numeric;
mod observation;
mod parallel;
mod policy;
mod posterior;
mod selector;
mod stopping;
mod stream;
mod target;
mod view;

pub use arm::{ArmId, Arms, ArmsError, one_spelling};
pub use arm_statistics::FailureLimits;
pub use belief::{Belief, Claim, DistanceClaim, Method};
pub use case::{Case, Design, UnknownDesign};
pub use cost_unit::CostUnit;
pub use counts::{Counts, FBeta, FBetaError};
pub use drive::Workers;
pub use evaluation::{Evaluation, EvaluationId, Event, Outcome};
pub use foreign::{Foreign, harmless, is_hidden, shell_word};
pub use interrupt::{Interrupt, Interrupted};
pub use limits::{Limit, Limits};
pub use marginal::{Marginal, tail_begins, upper_tail};
pub use metric::{Direction, LARGEST_SCORE, Metric, MetricError, ScoreError, UnknownDirection};
pub use moments::{Moments, unseen};
pub use numeric::{bisect, greatest, highest, in_digits, whole, whole_u64};
pub use observation::Observation;
pub use parallel::in_parallel;
pub use policy::{Next, Policy};
pub use posterior::{Around, Askable, Observe, ObserveError, Posterior, belief_by_draws, finest};
pub use selector::{Agreement, Ask, Selector, SelectorBuilder, SelectorError};
pub use stopping::{Assumption, Conclusion, Demand, Reason, StoppingRule, Verdict};
pub use stream::Streams;
pub use target::{Target, UnknownTarget};
pub use view::{REPEATS, View};

pub use rand;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
