//! Tuning curves: the best score to be expected of n trials, as a function of n.
//!
//! A model was tried B times (other hyperparameters, splits or seeds each time) and scored x_1 ≤ …
//! ≤ x_B. Whoever tries it n times and keeps the best may expect E\[max of n\], which says more of
//! a model than its best score does: that grows with the budget behind it. With gaps g_i = x_{i+1}
//! − x_i and F the distribution of a score, E\[max of n\] = x_B − Σ F(x_i)ⁿ g_i wherever F is a
//! step function on the scores. The two estimators differ in what they put for F(x_i)ⁿ:
//!
//! | [`Estimator`] | weight of g_i | its curve is | n |
//! |---|---|---|---|
//! | [`PlugIn`](Estimator::PlugIn) | (i/B)ⁿ | that of the empirical distribution: n draws with replacement; too low by what was not seen | any |
//! | [`Unbiased`](Estimator::Unbiased) | C(i, n)/C(B, n) | the mean over all subsets of n scores: draws without replacement | ≤ B |
//!
//! The spread is that of the best of n itself: with D = x_B − max, E\[D²\] = Σ w_i g_i (2x_B − x_i
//! − x_{i+1}) and sd² = E\[D²\] − E\[D\]². All terms are positive, so that even what is 10⁻²⁶ comes
//! out right; terms whose share of both sums is below rounding are left out, which they stay for
//! all larger n.
//!
//! Where smaller is better, everything is computed on negated scores and turned back.
//!
//! Sources: Dodge, Gururangan, Card, Schwartz & Smith, "Show your work" (EMNLP 2019), equation 8
//! (the divisor of its equation 7 should read B); Tang, Lee, Xin, Liu, Yu & Lin, "Showing your work
//! doesn't always work" (ACL 2020) for the unbiased estimator; for the median curve Lourie, Cho &
//! He, "Show your work with confidence" (NAACL 2024).
//!
//! # Example
//! ```
//! use fiesta_core::Direction;
//! use fiesta_report::tuning_curve::{Estimator, TrialScores};
//!
//! let sample = TrialScores::new([0.1, 0.4, 0.2], Direction::Maximize)?;
//! let curve = sample.curve(Estimator::PlugIn, 10);
//! assert!((curve.mean()[1] - 0.3).abs() < 1e-15); // two trials
//! assert!((curve.sd()[1] - 0.115_470_053_837_925_16).abs() < 1e-12);
//!
//! let three = sample.best_of(Estimator::Unbiased, 3).unwrap();
//! assert_eq!((three.mean, three.sd), (0.4, 0.0)); // there is but one subset of three
//! assert_eq!(sample.best_of(Estimator::Unbiased, 4), None);
//! # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
//! ```

mod arm;
mod curve;
mod error;
mod median;
mod plug_in;
mod sums;
mod trial_scores;
mod trials;
mod unbiased;

pub use arm::{ArmCurve, Centre, Informative, Times};
pub use curve::{BestOf, Estimator, TuningCurve, UnknownEstimator};
pub use error::CurveError;
pub use trial_scores::TrialScores;
pub use trials::{ArmTrials, Failed, Trial, UnknownFailed, worst_score};

pub(crate) use curve::Steps;
pub(crate) use median::median_level;
pub(crate) use plug_in::Powers;
pub(crate) use sums::{all, one};
