//! Simultaneous confidence bands: of the distribution of a score, and from it of the best of n for
//! all n at once.
//!
//! Of B scores of a continuous distribution F, sorted, F(x_1) ≤ … ≤ F(x_B) are distributed as B
//! uniform variables are, sorted: the i-th is Beta(i, B + 1 − i), whatever F is. An interval
//! \[lower_i, upper_i\] for each holds all of F with the probability that all are within their
//! intervals at once, and that probability is computed [exactly](joint_coverage), not simulated:
//! there is no seed, and the same scores have the same band everywhere.
//!
//! | [`Band`] | intervals | coverage |
//! |---|---|---|
//! | [`EqualTailed`](Band::EqualTailed) | (α/2, 1 − α/2)-quantiles of Beta(i, B + 1 − i), the same α for all i | exact |
//! | [`HighestDensity`](Band::HighestDensity) | the shortest ones that leave out α, the same for all i | exact |
//! | [`Ks`](Band::Ks) | i/B − ε … (i − 1)/B + ε with the quantile ε of Kolmogorov's statistic | exact |
//! | [`Dkw`](Band::Dkw) | the same with ε = √(ln(2/α)/2B) | at least |
//!
//! The first two are narrow where it matters for the best of n, at the upper end; the last two are
//! of one width. Of scores with ties all cover at least as often as they say.
//!
//! Wherever F is within its band, so is everything that grows with it: the mean and the median of
//! the best of n are between those of the band's ends ([`CurveBand`]), for all n at once and in
//! both directions. Beyond the best score there is nothing but the metric's bound: where there is
//! none, that end is *open*, and is not closed at the scores, which would destroy its coverage. Two
//! bands of 95 % hold both with 90 % at least.
//!
//! Sources: Learned-Miller & DeStefano, "A probabilistic upper bound on differential entropy" (IEEE
//! Transactions on Information Theory 2008) for intervals of equal coverage; Lourie, Cho & He,
//! "Show your work with confidence" (NAACL 2024) for bands of tuning curves; Massart, "The tight
//! constant in the Dvoretzky–Kiefer–Wolfowitz inequality" (1990).
//!
//! # Example
//! ```
//! use fiesta_report::bands::{Band, CdfBand};
//!
//! let band = |band| CdfBand::new(band, 100, 0.95).unwrap();
//! // At the best of 100 scores, F is surely no less than:
//! let ends = Band::ALL.map(|kind| band(kind).lower()[99]);
//! assert_eq!(ends.map(|end| (end * 1000.0).round() / 1000.0), [0.934, 0.942, 0.864, 0.866]);
//! ```

mod best_of;
mod cdf;
mod critical;
mod intervals;
mod joint_coverage;
mod order_statistic;

pub use best_of::{BandLimits, Bounds, CurveBand, Reliable};
pub use cdf::{Band, CdfBand, UnknownBand};
pub use joint_coverage::joint_coverage;
