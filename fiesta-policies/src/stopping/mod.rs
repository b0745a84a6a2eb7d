//! Stopping rules of a study. (Limits on spending belong to the selector: [`fiesta_core::Limits`].)

pub mod anytime;
mod at_least;
mod by_name;
mod distance;
mod of_scores;
pub(crate) mod posterior;
mod shortfall;
mod tolerance;

pub use crate::cheapest::{CheapestWithin, SAME_COST};
pub use anytime::AnytimeValid;
pub use at_least::AtLeast;
pub use by_name::{NAMES, StoppingError, StoppingParameters, assumption, by_name, is_gate};
pub use distance::{Distance, DistanceError};
pub use of_scores::OfScores;
pub use posterior::{LEAST_EVALUATIONS, LevelError, PosteriorThreshold, TIE};
pub use shortfall::Shortfall;
pub use tolerance::{Tolerance, ToleranceError};

use fiesta_core::{StoppingRule, Verdict, View};

/// The version of the rules, posteriors and constants that decide studies. It is one more than
/// before whenever the same evaluations may end a study at another moment. A study records it at
/// its end.
///
/// 2: claims on pools of items with several contenders.
/// 3: a study on shared splits ends only if beliefs with a small Monte Carlo error confirm it; arms
/// are called tied within a distance if they are within .9 of it.
/// 4: a study whose rule would stop ends once everything that runs has ended, if it would stop then.
/// 5: beliefs on shared splits are right where seeds hardly change a score, and where one arm alone has seen splits with
/// other scores.
/// 6: beliefs that confirm the end of a study on shared splits are of 2,500 sweeps or more.
pub const RULES: u32 = 6;

/// Rule that never stops: the study ends with its budget or with the policy's own schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl<O> StoppingRule<O> for Never {
    fn check(&self, _view: &View<'_>) -> Verdict {
        Verdict::Continue
    }
}
