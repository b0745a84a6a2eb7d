//! Summaries of the scores of each arm, and comparisons of two arms.
//!
//! | question | answer |
//! |---|---|
//! | how good is an arm, and how sure is that? | [`Summary`]: mean, sd, quartiles, interquartile mean, t interval |
//! | how sure are the mean, the median, the interquartile mean? | [`Bootstrap::intervals`] |
//! | how much better is one arm than another? | [`Comparison`]: on the splits that both have seen, or Welch's |
//! | how much better is it on the same items, if these come in clusters? | [`MeanError`] of the differences |
//! | of answers that are right or wrong, how surprising is the difference? | [`McNemar`], exact |
//! | how often does one beat the other? | [`Improvement`], with [`Bootstrap::improvement`]'s interval |
//! | which arms may still be the best? | [`possibly_best`], or from a belief [`credible_set`] |
//! | which arms has no evaluation told apart? | [`Tie`] |
//! | how do arms rank over the same splits? | [`Ranks`]: Friedman's test, Nemenyi's critical difference |
//! | how often does an arm exceed a score? | [`Bootstrap::profile`] |
//!
//! Scores come as a [`Sample`], which knows which of them share a split or a task; NaN is refused
//! there. Everything is in the metric's own units and direction.
//!
//! # Example
//! ```
//! use fiesta_core::Direction;
//! use fiesta_report::summary::{Bootstrap, Comparison, Improvement, Sample, Summary};
//!
//! let gru = Sample::grouped([(0, 0.71), (1, 0.64), (2, 0.69), (3, 0.66)])?;
//! let cnn = Sample::grouped([(0, 0.69), (1, 0.61), (2, 0.68), (3, 0.64)])?;
//! assert!((Summary::new(&gru, 0.95)?.mean - 0.675).abs() < 1e-12);
//!
//! // The arms differ by .02 on every split, though splits differ by more.
//! let difference = Comparison::new(&gru, &cnn, 0.95)?;
//! assert!(difference.interval.is_some_and(|interval| interval.lower > 0.0));
//! let better = Improvement::new(&gru, &cnn, Direction::Maximize);
//! assert_eq!(better.probability, 1.0);
//! // Four scores are too few for an interval of their interquartile mean.
//! let intervals = Bootstrap::new(0.95, 2_000, 1)?.intervals(&gru);
//! assert!(intervals.mean.is_some() && intervals.interquartile_mean.is_none());
//! # Ok::<(), fiesta_report::summary::SummaryError>(())
//! ```

mod bootstrap;
mod comparison;
mod describe;
mod error;
mod exact;
mod improvement;
mod mcnemar;
mod mean_error;
mod possibly_best;
mod profile;
mod quantile;
mod ranks;
mod resample;
mod sample;
mod studentised_range;
mod tie;
mod wilson;

pub use bootstrap::{Bootstrap, Intervals};
pub use comparison::{Comparison, Pairing};
pub use describe::{Interval, Summary};
pub use error::SummaryError;
pub use improvement::Improvement;
pub use mcnemar::McNemar;
pub use mean_error::MeanError;
pub use possibly_best::{PossiblyBest, credible_set, possibly_best};
pub use profile::Profile;
pub use quantile::quantile;
#[cfg(feature = "figures")]
pub(crate) use quantile::sorted;
#[cfg(feature = "figures")]
pub(crate) use ranks::cliques;
pub use ranks::{Friedman, Ranks};
pub use resample::Resampling;
pub use sample::Sample;
pub use studentised_range::studentised_range_quantile;
pub use tie::Tie;
pub use wilson::wilson;
