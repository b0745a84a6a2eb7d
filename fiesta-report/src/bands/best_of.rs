//! Bands of the best of n, from a band of the distribution.

use super::cdf::CdfBand;
use crate::tuning_curve::{CurveError, Powers, TrialScores, all, median_level, one};

/// The smallest and the largest score that the metric can give, where there are such.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    lower: Option<f64>,
    upper: Option<f64>,
}

impl Bounds {
    /// A metric without bounds.
    pub const NONE: Self = Self {
        lower: None,
        upper: None,
    };

    /// Returns bounds on both sides, on one, or on none.
    ///
    /// # Errors
    /// [`CurveError`] if one is not finite or the first not below the second.
    pub fn new(lower: Option<f64>, upper: Option<f64>) -> Result<Self, CurveError> {
        let (low, high) = (lower.unwrap_or(f64::MIN), upper.unwrap_or(f64::MAX));
        if low.is_finite() && high.is_finite() && low < high {
            Ok(Self { lower, upper })
        } else {
            Err(CurveError::Refused(format!(
                "the bounds {low} and {high} are no interval: give finite numbers, the smaller first"
            )))
        }
    }

    /// Returns the smallest possible score.
    pub fn lower(&self) -> Option<f64> {
        self.lower
    }

    /// Returns the largest possible score.
    pub fn upper(&self) -> Option<f64> {
        self.upper
    }
}

/// Interval of a value; an end that is `None` is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandLimits {
    /// Lower end: the value is no less, if there is one.
    pub lower: Option<f64>,
    /// Upper end: the value is no more, if there is one.
    pub upper: Option<f64>,
}

impl BandLimits {
    /// Interval that is open on both sides, and so says nothing.
    pub(crate) const OPEN: Self = Self {
        lower: None,
        upper: None,
    };

    /// Returns whether all of this interval is below all of another.
    pub(crate) fn is_below(&self, other: &Self) -> bool {
        matches!((self.upper, other.lower), (Some(upper), Some(lower)) if upper < lower)
    }

    fn negated(self) -> Self {
        Self {
            lower: self.upper.map(|end| -end),
            upper: self.lower.map(|end| -end),
        }
    }
}

/// The band of the best of n: for all n at once, the curve of the true distribution is within, as
/// often as the band of the distribution says.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::{bands::{Band, Bounds, CdfBand, CurveBand}, tuning_curve::TrialScores};
///
/// let sample = TrialScores::new((1..=50).map(|i| f64::from(i) / 100.0), Direction::Maximize)?;
/// let cdf = CdfBand::new(Band::EqualTailed, 50, 0.95)?;
///
/// // Nothing says how good the best of n may be, on average, where a score may be anything …
/// let open = CurveBand::new(&cdf, &sample, Bounds::NONE)?;
/// assert_eq!(open.mean(3).unwrap().upper, None);
/// // … but its median is within the scores for some n.
/// assert!(open.median(3).unwrap().upper.unwrap() <= 0.5);
/// assert_eq!(open.reliable().best_up_to, Some(5));
/// assert_eq!(open.median(6).unwrap().upper, None);
///
/// let closed = CurveBand::new(&cdf, &sample, Bounds::new(Some(0.0), Some(1.0))?)?;
/// let mean = closed.mean(3).unwrap();
/// assert!(mean.lower.unwrap() > 0.2 && mean.upper.unwrap() < 0.7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CurveBand<'a> {
    cdf: &'a CdfBand,
    sample: &'a TrialScores,
    /// The worst and the best possible score, where larger is better.
    floor: Option<f64>,
    ceiling: Option<f64>,
}

/// Numbers of trials n for which a band rests on scores, and not on the bounds of the metric or on
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reliable {
    /// Greatest n up to which the end on the side of better scores rests on scores, `None` for
    /// none.
    pub best_up_to: Option<u64>,
    /// Least n from which on the end on the side of worse scores rests on scores, `None` for never.
    pub worst_from: Option<u64>,
}

impl<'a> CurveBand<'a> {
    /// Bounds the best of n of these scores, of which `cdf` is the band of the distribution.
    ///
    /// # Errors
    /// [`CurveError`] if a score is outside the bounds, or the band is of another number of
    /// scores.
    pub fn new(
        cdf: &'a CdfBand,
        sample: &'a TrialScores,
        bounds: Bounds,
    ) -> Result<Self, CurveError> {
        if cdf.lower().len() != sample.count() {
            return Err(CurveError::Refused(format!(
                "a band of {} scores is not one of {} scores",
                cdf.lower().len(),
                sample.count()
            )));
        }
        let (smallest, largest) = sample.range();
        for (score, fits) in [
            (smallest, bounds.lower.is_none_or(|bound| bound <= smallest)),
            (largest, bounds.upper.is_none_or(|bound| bound >= largest)),
        ] {
            if !fits {
                return Err(CurveError::Refused(format!(
                    "the score {score} is outside the bounds of the metric"
                )));
            }
        }
        let turn = |bound: Option<f64>| bound.map(|bound| sample.direction().orient(bound));
        let (floor, ceiling) = match sample.direction() {
            fiesta_core::Direction::Maximize => (bounds.lower, bounds.upper),
            fiesta_core::Direction::Minimize => (turn(bounds.upper), turn(bounds.lower)),
        };
        Ok(Self {
            cdf,
            sample,
            floor,
            ceiling,
        })
    }

    /// Returns where the mean of the best of n is. `None` for n = 0.
    ///
    /// With F between lower and upper, E\[max\] ≥ x_B − Σ (x_i − x_{i−1}) upper_iⁿ where x_0 is the
    /// smallest possible score, and E\[max\] ≤ x_{B+1} − Σ (x_{i+1} − x_i) lower_iⁿ where x_{B+1}
    /// is the largest. Without such a score, that end is open for all n.
    pub fn mean(&self, n: u64) -> Option<BandLimits> {
        (n > 0).then(|| {
            let end = |side: Option<Side>| {
                side.map(|side| side.from - one(&side.powers, &side.gaps, &side.heights, n).0)
            };
            self.turn(BandLimits {
                lower: end(self.worst()),
                upper: end(self.best()),
            })
        })
    }

    /// Returns where the mean of the best of n is, for n = 1, …, `up_to` in one go.
    pub fn mean_curve(&self, up_to: usize) -> Vec<BandLimits> {
        let ends = |side: Option<Side>| match side {
            None => vec![None; up_to],
            Some(side) => {
                let mut ends = Vec::with_capacity(up_to);
                let each = |short, _| ends.push(Some(side.from - short));
                all(&side.powers, &side.gaps, &side.heights, up_to, each);
                ends
            }
        };
        let (lower, upper) = (ends(self.worst()), ends(self.best()));
        let intervals = lower.into_iter().zip(upper);
        intervals
            .map(|(lower, upper)| self.turn(BandLimits { lower, upper }))
            .collect()
    }

    /// Returns where the median of the best of n is: between the ½^{1/n}-quantiles of upper and of
    /// lower. `None` for n = 0.
    ///
    /// Needs no bounds while that level is within the band: see [`reliable`](Self::reliable).
    pub fn median(&self, n: u64) -> Option<BandLimits> {
        (n > 0).then(|| {
            let level = median_level(n);
            let scores = self.sample.oriented();
            // Before the first score of all, F ≤ upper_1.
            let below = self.cdf.upper().partition_point(|&end| end < level);
            let lower = if below == 0 {
                self.floor
            } else {
                Some(scores[below - 1])
            };
            let above = self.cdf.lower().partition_point(|&end| end < level);
            let upper = scores.get(above).copied().or(self.ceiling);
            self.turn(BandLimits { lower, upper })
        })
    }

    /// Returns where the median of the best of n is, for n = 1, …, `up_to`.
    pub fn median_curve(&self, up_to: usize) -> Vec<BandLimits> {
        (1..=up_to as u64).filter_map(|n| self.median(n)).collect()
    }

    /// Tells for which n the band says more than the bounds do.
    ///
    /// On the side of better scores up to the largest n with lower_Bⁿ ≥ ½: beyond, it cannot be
    /// excluded that more often than not the best of n is better than every score there was; the
    /// median is then open or at the bound, and the mean mostly due to it. On the other side from
    /// the smallest n with upper_1ⁿ < ½ on.
    pub fn reliable(&self) -> Reliable {
        let last = self.cdf.lower()[self.cdf.lower().len() - 1];
        let first = self.cdf.upper()[0];
        let half = 0.5_f64.ln();
        let largest = |level: f64| {
            // As the median itself decides, so that rounding makes no difference.
            let mut n = (half / level.ln()).floor() + 1.0;
            while n >= 1.0 && median_level(fiesta_core::whole_u64(n)) > level {
                n -= 1.0;
            }
            fiesta_core::whole_u64(n)
        };
        Reliable {
            best_up_to: Some(largest(last)).filter(|&n| n > 0),
            worst_from: (first < 1.0).then(|| largest(first).saturating_add(1)),
        }
    }

    fn turn(&self, interval: BandLimits) -> BandLimits {
        match self.sample.direction() {
            fiesta_core::Direction::Maximize => interval,
            fiesta_core::Direction::Minimize => interval.negated(),
        }
    }

    /// Returns the end on the side of worse scores.
    fn worst(&self) -> Option<Side> {
        let scores = self.sample.oriented();
        let floor = self.floor?;
        let before = std::iter::once(floor).chain(scores.iter().copied());
        let gaps = scores
            .iter()
            .zip(before)
            .map(|(score, before)| score - before);
        Some(Side::new(self.sample.top(), self.cdf.upper(), gaps))
    }

    /// Returns the end on the side of better scores.
    fn best(&self) -> Option<Side> {
        let scores = self.sample.oriented();
        let ceiling = self.ceiling?;
        let after = scores.iter().copied().skip(1).chain([ceiling]);
        let gaps = scores.iter().zip(after).map(|(score, after)| after - score);
        Some(Side::new(ceiling, self.cdf.lower(), gaps))
    }
}

/// Side of a band, `from` − Σ levelⁿ·gap.
struct Side {
    from: f64,
    powers: Powers,
    gaps: Vec<f64>,
    heights: Vec<f64>,
}

impl Side {
    fn new(from: f64, levels: &[f64], gaps: impl Iterator<Item = f64>) -> Self {
        let (levels, gaps): (Vec<f64>, Vec<f64>) = levels
            .iter()
            .zip(gaps)
            .filter(|&(&level, gap)| level > 0.0 && gap > 0.0)
            .unzip();
        Self {
            from,
            powers: Powers::new(levels.iter().map(|&level| (level, 1.0 - level))),
            heights: vec![0.0; gaps.len()],
            gaps,
        }
    }
}
