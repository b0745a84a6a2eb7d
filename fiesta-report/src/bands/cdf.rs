//! Simultaneous bands of the distribution of a score.

use super::{
    critical::{kolmogorov, ln_outside, uniform_width},
    intervals::{Intervals, equal_tailed, highest_density},
};
use crate::tuning_curve::CurveError;

/// A kind of simultaneous band of a distribution: see the [module](super).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Band {
    /// Equal tails of each order statistic, exact.
    #[default]
    EqualTailed,
    /// The shortest interval of each order statistic, exact.
    HighestDensity,
    /// A band of one width, by the inequality of Dvoretzky, Kiefer and Wolfowitz: covers more often
    /// than it says.
    Dkw,
    /// A band of one width, by Kolmogorov's statistic: exact.
    Ks,
}

fiesta_core::names! {
    Band {
        EqualTailed = "equal-tailed", HighestDensity = "highest-density", Dkw = "dkw",
        Ks = "ks"
    }
    /// A name that is not the name of any kind of band.
    #[error("`{0}` is no band: use equal-tailed, highest-density, dkw or ks")]
    UnknownBand
}

/// A band that holds the whole distribution function of a score with its confidence, whatever that
/// function is.
///
/// With F the distribution function and x_1 ≤ … ≤ x_B the scores, lower_i ≤ F(x_i) and F(x) ≤
/// upper_i for x < x_i, for all i at once.
///
/// # Example
/// ```
/// use fiesta_report::bands::{Band, CdfBand};
///
/// let band = CdfBand::new(Band::EqualTailed, 2, 0.95)?;
/// assert!((band.critical() - 0.973_466_845_373_263).abs() < 1e-12);
/// assert!((band.lower()[0] - 0.006_655_436_071_334).abs() < 1e-12);
/// assert!((band.upper()[1] - 0.993_344_563_928_666).abs() < 1e-12);
/// # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CdfBand {
    band: Band,
    confidence: f64,
    critical: f64,
    intervals: Intervals,
}

impl CdfBand {
    /// Greatest number of scores of an exact band, which takes two to four seconds at that number;
    /// time grows like B^{3/2}.
    pub const EXACT_UP_TO: usize = 100_000;

    /// Computes the band of `scores` scores. It does not depend on what they are.
    ///
    /// Confidences within 10⁻¹² of 0 or 1 are beyond what the probabilities are computed to.
    ///
    /// # Errors
    /// [`CurveError`] if there is no score, the confidence is not strictly between 0 and 1, or there
    /// are more than [`EXACT_UP_TO`](Self::EXACT_UP_TO) scores, for all but DKW.
    pub fn new(band: Band, scores: usize, confidence: f64) -> Result<Self, CurveError> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(CurveError::Refused(format!(
                "the confidence {confidence} is not between 0 and 1: give a number such as 0.95"
            )));
        }
        if scores == 0 {
            return Err(CurveError::Refused(
                "there is no score: a band needs at least one".to_owned(),
            ));
        }
        if band != Band::Dkw && scores > Self::EXACT_UP_TO {
            return Err(CurveError::TooMany { scores });
        }
        let dkw =
            || (-((-confidence).ln_1p() - std::f64::consts::LN_2) / (2.0 * scores as f64)).sqrt();
        let exact = |intervals: fn(usize, f64) -> Intervals| {
            let outside = ln_outside(scores, confidence, intervals);
            (-outside.exp_m1(), intervals(scores, outside))
        };
        let (critical, intervals) = match band {
            Band::EqualTailed => exact(equal_tailed),
            Band::HighestDensity => exact(highest_density),
            Band::Dkw => (dkw(), uniform_width(scores, dkw())),
            Band::Ks => {
                let epsilon = kolmogorov(scores, confidence, dkw());
                (epsilon, uniform_width(scores, epsilon))
            }
        };
        Ok(Self {
            band,
            confidence,
            critical,
            intervals,
        })
    }

    /// Returns the kind of the band.
    pub fn band(&self) -> Band {
        self.band
    }

    /// The probability with which the whole distribution function is within, or for DKW at least.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// The coverage of the interval of a single order statistic; of DKW and KS half the width, ε.
    pub fn critical(&self) -> f64 {
        self.critical
    }

    /// Returns the lower ends, lower_i at i − 1: F is no less from the i-th smallest score on.
    pub fn lower(&self) -> &[f64] {
        &self.intervals.lower
    }

    /// Returns the upper ends, upper_i at i − 1: F is no more before the i-th smallest score.
    pub fn upper(&self) -> &[f64] {
        &self.intervals.upper
    }
}
