//! Summaries of the scores of each arm, and comparisons of two arms.
//!
//! | question | answer |
//! |---|---|
//! | how good is an arm, and how sure is that? | [`ScoreSummary`]: mean, sd, quartiles, interquartile mean, t interval |
//! | how much better is one arm than another? | [`ArmComparison`]: on the splits that both have seen, or Welch's |
//! | of answers that are right or wrong, how surprising is the difference? | [`McNemar`], exact |
//! | is an arm worse than another by less than a margin? | [`PairedDifference`] |
//!
//! Scores come as a [`Sample`], which knows which of them share a split or a task; NaN is refused
//! there. Everything is in the metric's own units and direction.
//!
//! # Example
//! ```
//! use fiesta_report::summary::{ArmComparison, Sample, ScoreSummary};
//!
//! let gru = Sample::grouped([(0, 0.71), (1, 0.64), (2, 0.69), (3, 0.66)])?;
//! let cnn = Sample::grouped([(0, 0.69), (1, 0.61), (2, 0.68), (3, 0.64)])?;
//! assert!((ScoreSummary::new(&gru, 0.95)?.mean - 0.675).abs() < 1e-12);
//!
//! // The arms differ by .02 on every split, though splits differ by more.
//! let difference = ArmComparison::new(&gru, &cnn, 0.95)?;
//! assert!(difference.interval.is_some_and(|interval| interval.lower > 0.0));
//! # Ok::<(), fiesta_report::summary::SummaryError>(())
//! ```

mod bootstrap;
mod comparison;
mod describe;
mod error;
mod exact;
#[cfg(feature = "analysis")]
mod holm;
mod improvement;
mod mcnemar;
mod mean_error;
mod non_inferiority;
#[cfg(feature = "analysis")]
mod places;
mod possibly_best;
mod profile;
mod quantile;
mod ranks;
mod resample;
mod sample;
mod studentised_range;
mod tie;
mod wilson;

pub(crate) use bootstrap::Bootstrap;
pub use comparison::{ArmComparison, Pairing};
pub use describe::{Interval, ScoreSummary};
pub use error::SummaryError;
#[cfg(feature = "analysis")]
use holm::holm;
pub(crate) use improvement::Improvement;
pub use mcnemar::McNemar;
pub(crate) use mean_error::MeanError;
pub use non_inferiority::PairedDifference;
#[cfg(feature = "analysis")]
pub use places::Place;
#[cfg(feature = "analysis")]
pub(crate) use places::{PairTests, test_of_means};
pub(crate) use possibly_best::{credible_set, possibly_best};
pub(crate) use profile::Profile;
pub(crate) use quantile::quantile;
#[cfg(feature = "figures")]
pub(crate) use quantile::sorted;
pub(crate) use ranks::Ranks;
#[cfg(feature = "figures")]
pub(crate) use ranks::cliques;
pub(crate) use resample::Resampling;
pub use sample::Sample;
pub(crate) use studentised_range::studentised_range_quantile;
pub(crate) use tie::Tie;
pub(crate) use wilson::wilson;

#[cfg(test)]
mod tests {
    use super::{Bootstrap, Improvement, Sample, SummaryError};
    use fiesta_core::Direction;

    #[test]
    fn one_arm_is_better_on_every_split() -> Result<(), SummaryError> {
        let gru = Sample::grouped([(0, 0.71), (1, 0.64), (2, 0.69), (3, 0.66)])?;
        let cnn = Sample::grouped([(0, 0.69), (1, 0.61), (2, 0.68), (3, 0.64)])?;
        let better = Improvement::new(&gru, &cnn, Direction::Maximize);
        assert!((better.probability - 1.0).abs() < 1e-15);
        // Four scores are too few for an interval of their interquartile mean.
        let intervals = Bootstrap::new(0.95, 2_000, 1)?.intervals(&gru);
        assert!(intervals.mean.is_some() && intervals.interquartile_mean.is_none());
        Ok(())
    }
}
