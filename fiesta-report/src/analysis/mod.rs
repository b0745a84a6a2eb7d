//! Analyses of recorded evaluations as typed results: P(best), tuning curves, the best of n
//! trials, simulations, plans, studies, reports.
//!
//! Each analysis is a function from records to a value that is serialised as the program's JSON,
//! and whose `text` is what the program prints: text, JSON, pages and other languages state the
//! same numbers.

mod arm_scores;
pub mod belief;
pub mod best_of_n;
pub mod compare;
mod counts;
pub mod curve;
mod decisive;
mod disjoint;
mod error;
mod failures;
mod figures;
mod folds;
pub mod gate;
#[cfg(feature = "html")]
pub mod live;
pub mod plan;
pub mod pool;
#[cfg(feature = "html")]
pub mod report;
mod scores;
#[cfg(feature = "html")]
mod shares;
pub mod simulation;
mod splits_outlook;
pub mod study;

pub use arm_scores::{ArmScores, Score};
pub use counts::{CountsOfArms, CountsTarget};
pub use error::AnalysisError;
pub use failures::{count_failures, without_unscored};
pub use scores::{PoolOrigin, ScoresOfArms, of_scores_alone, unknown_arm, unpaired_note};
pub use splits_outlook::{FurtherEvaluations, SplitsOutlook};

use crate::summary::Interval;
use fiesta_core::{Direction, Marginal};

/// Returns the posterior mean of a mean or of a difference as reported, and its interval.
pub(crate) fn as_reported(
    known: &Marginal,
    direction: Direction,
    confidence: f64,
) -> (f64, Interval) {
    let location = direction.orient(known.location);
    let reported = Marginal { location, ..*known };
    (location, Interval::of_posterior(&reported, confidence))
}

/// Tells of arms that have no score; nothing if there are none.
pub(crate) fn not_compared<T: AsRef<str>>(arms: &[T]) -> Option<String> {
    let names: Vec<&str> = arms.iter().map(AsRef::as_ref).collect();
    (!names.is_empty()).then(|| format!("Not compared, for want of a score: {}.", names.join(", ")))
}
