//! Summaries of the scores of one arm: mean, spread, quartiles and the interval of the mean.

use super::{Sample, SummaryError, error, exact, quantile, quantile::sorted};
use fiesta_core::{Marginal, Moments};
use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// Interval of numbers, from its lower to its upper end.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

impl Interval {
    /// Returns whether the interval has two finite ends. The interval of a single score is the whole line, and says nothing.
    pub fn is_finite(&self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// Returns the central interval of a posterior distribution that contains its variable with
    /// this probability: c ± t·s with the quantile t of Student's t, location c and scale s.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Marginal;
    /// use fiesta_report::summary::Interval;
    /// let mean = Marginal { location: 0.9, scale: 0.1, degrees_of_freedom: f64::INFINITY };
    /// let interval = Interval::of_posterior(&mean, 0.95).inside(0.0, 1.0);
    /// assert!((interval.lower - 0.704).abs() < 1e-4);
    /// assert_eq!(interval.upper, 1.0);
    /// ```
    pub fn of_posterior(marginal: &Marginal, confidence: f64) -> Self {
        let t = student_quantile(f64::midpoint(1.0, confidence), marginal.degrees_of_freedom);
        Self {
            lower: marginal.location - t * marginal.scale,
            upper: marginal.location + t * marginal.scale,
        }
    }

    /// Returns the part of the interval between two bounds, or the nearer bound if no part lies between them.
    #[must_use]
    pub fn inside(self, low: f64, high: f64) -> Self {
        Self {
            lower: self.lower.clamp(low, high),
            upper: self.upper.clamp(low, high),
        }
    }
}

/// Summary of the scores of one arm: number, mean, spread, quartiles and the interval of the mean.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScoreSummary {
    /// How many scores there are, n.
    pub count: usize,
    /// Mean m of the scores.
    pub mean: f64,
    /// Sample standard deviation of the scores, √(Σ(x − m)²/(n − 1)). `None` of a single score.
    pub standard_deviation: Option<f64>,
    /// The standard error of the mean: sd/√n of independent scores; with several scores in a group,
    /// that between groups, √(G/(G − 1) Σ_g (n_g (m_g − m))²)/n over G groups, which for equal n_g
    /// is the sd of the groups' means over √G. None where nothing can be said.
    pub standard_error: Option<f64>,
    /// Degrees of freedom of the standard error: n − 1, or G − 1; 0 where there is none.
    pub degrees_of_freedom: f64,
    /// Number of independent units on which the standard error rests: scores, or groups.
    pub units: usize,
    /// Least of the arm's scores.
    pub minimum: f64,
    /// First quartile of the arm's scores (see `quantile`).
    pub lower_quartile: f64,
    /// Median of the arm's scores.
    pub median: f64,
    /// Third quartile of the arm's scores (see `quantile`).
    pub upper_quartile: f64,
    /// Greatest of the arm's scores.
    pub maximum: f64,
    /// The mean of the middle half: ⌊n/4⌋ of the least and as many of the greatest scores are left
    /// out (rliable's convention; Agarwal et al. 2021).
    pub interquartile_mean: f64,
    /// The interval of the mean, m ± t·se with Student's t at the confidence asked for; of scores
    /// that are only 0 and 1 the exact binomial one. None for fewer than two units, and where these
    /// are all equal and not 0 or 1: that tells nothing of the noise.
    pub interval: Option<Interval>,
}

impl ScoreSummary {
    /// Summarises scores, the interval of the mean being at this confidence.
    ///
    /// # Errors
    /// [`SummaryError`] if it is not between 0 and 1.
    pub fn new(sample: &Sample, confidence: f64) -> Result<Self, SummaryError> {
        let confidence = error::confidence(confidence)?;
        let sorted = sorted(sample.scores());
        let moments: Moments = sample.scores().iter().copied().collect();
        let error = StandardError::new(sample);
        Ok(Self {
            count: sample.len(),
            mean: moments.mean(),
            standard_deviation: moments.standard_deviation(),
            standard_error: error.value,
            degrees_of_freedom: error.degrees_of_freedom,
            units: error.units,
            minimum: sorted[0],
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
            maximum: sorted[sorted.len() - 1],
            interquartile_mean: interquartile_mean(&sorted),
            interval: interval(sample, moments.mean(), &error, confidence),
        })
    }

    /// Returns the mean with its interval alone, for which scores need not be sorted.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn mean_interval(
        sample: &Sample<'_>,
        confidence: f64,
    ) -> Result<(f64, Option<Interval>), SummaryError> {
        let confidence = error::confidence(confidence)?;
        let mean = sample.mean();
        let interval = interval(sample, mean, &StandardError::new(sample), confidence);
        Ok((mean, interval))
    }
}

/// Returns the interval of the mean of a sample.
fn interval(
    sample: &Sample<'_>,
    mean: f64,
    error: &StandardError,
    confidence: f64,
) -> Option<Interval> {
    if sample.is_binary() && error.units > 1 {
        Some(exact::of_share(mean, error.units, confidence))
    } else {
        error.interval(mean, confidence)
    }
}

/// Standard error of a mean: how far it may be from what it estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StandardError {
    pub(super) value: Option<f64>,
    pub(super) degrees_of_freedom: f64,
    pub(super) units: usize,
}

impl StandardError {
    pub(super) fn new(sample: &Sample) -> Self {
        if sample.is_of_rows() {
            return Self::of_independent(sample.scores());
        }
        let groups = sample.by_group().unwrap_or_default();
        if groups.len() < 2 || groups.len() == sample.len() {
            return Self::of_independent(sample.scores());
        }
        let (mean, units) = (sample.mean(), groups.len());
        let deviation = |scores: &Vec<f64>| {
            let of_group: f64 = scores.iter().map(|score| score - mean).sum();
            of_group * of_group
        };
        let between: f64 = groups.values().map(deviation).sum();
        let correction = units as f64 / (units - 1) as f64;
        Self {
            value: Some((correction * between).sqrt() / sample.len() as f64),
            degrees_of_freedom: (units - 1) as f64,
            units,
        }
    }

    pub(super) fn of_independent(values: &[f64]) -> Self {
        let moments: Moments = values.iter().copied().collect();
        Self {
            value: moments.standard_error(),
            degrees_of_freedom: (values.len() - 1) as f64,
            units: values.len(),
        }
    }

    /// Returns the standard error of the mean over these very groups, whose own means may differ:
    /// by the pooled variance within them.
    pub(super) fn within_groups(sample: &Sample) -> Self {
        let groups = sample.by_group().unwrap_or_default();
        let squares = |scores: &Vec<f64>| scores.iter().copied().collect::<Moments>().squares();
        let within: f64 = groups.values().map(squares).sum();
        let (count, degrees) = (sample.len(), sample.len() - groups.len());
        let variance = within / degrees as f64 / count as f64;
        Self {
            value: (degrees > 0).then(|| variance.sqrt()),
            degrees_of_freedom: degrees as f64,
            units: count,
        }
    }

    /// Returns the interval around an estimate by Student's t; none where nothing is known of the noise.
    pub(super) fn interval(&self, estimate: f64, confidence: f64) -> Option<Interval> {
        let error = self.value.filter(|&error| error > 0.0)?;
        let half =
            error * student_quantile(f64::midpoint(1.0, confidence), self.degrees_of_freedom);
        Some(Interval {
            lower: estimate - half,
            upper: estimate + half,
        })
    }
}

/// Returns the mean without the ⌊n/4⌋ least and as many greatest of ascending values.
fn interquartile_mean(ascending: &[f64]) -> f64 {
    let cut = ascending.len() / 4;
    super::sample::mean(&ascending[cut..ascending.len() - cut])
}

/// Degrees of freedom from which on the expansion about the normal quantile is exact to 1e-11, and
/// the inverse of the beta function not to 1e-6.
const MANY: f64 = 300.0;

/// Returns the quantile of Student's t, for p above ½. (Of many degrees of freedom by Abramowitz
/// and Stegun 26.7.5.)
pub(super) fn student_quantile(p: f64, degrees_of_freedom: f64) -> f64 {
    if degrees_of_freedom < MANY {
        let student = student(degrees_of_freedom);
        let first = student.inverse_cdf(p);
        // One step of Newton's for the digits that are missing.
        return first + (student.sf(first) - (1.0 - p)) / student.pdf(first);
    }
    let z = Normal::standard().inverse_cdf(p);
    let square = z * z;
    let terms = [
        (square + 1.0) / 4.0,
        ((5.0 * square + 16.0) * square + 3.0) / 96.0,
        (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0,
        ((((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square - 945.0)
            / 92160.0,
    ];
    let corrections = terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| (sum + term) / degrees_of_freedom);
    z * (1.0 + corrections)
}

/// Returns P(T > t) of Student's t distribution.
pub(super) fn student_tail(t: f64, degrees_of_freedom: f64) -> f64 {
    student(degrees_of_freedom).sf(t)
}

fn student(degrees_of_freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees_of_freedom).expect("degrees of freedom are positive")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [f64; 9] = [0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70];

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// Tests summaries against NumPy and SciPy 1.17: mean, std(ddof=1), sem, quantile, trim_mean(.25), t.interval(.95).
    #[test]
    fn agrees_with_scipy() {
        let summary = ScoreSummary::new(&Sample::new(SCORES).unwrap(), 0.95).unwrap();
        close(summary.mean, 0.633_333_333_333_333_3);
        close(
            summary.standard_deviation.unwrap(),
            0.033_911_649_915_626_35,
        );
        close(summary.standard_error.unwrap(), 0.011_303_883_305_208_783);
        close(summary.lower_quartile, 0.61);
        close(summary.median, 0.63);
        close(summary.upper_quartile, 0.65);
        close(summary.interquartile_mean, 0.63);
        let interval = summary.interval.unwrap();
        close(interval.lower, 0.607_266_531_687_656_5);
        close(interval.upper, 0.659_400_134_979_010_1);
        close(summary.minimum, 0.59);
        close(summary.maximum, 0.70);
    }

    /// Tests quantiles of Student's t against scipy.stats.t.ppf at .975 and .9995.
    #[test]
    fn quantiles_of_students_t() {
        for (df, first, second) in [
            (1.0, 12.706_204_736_174_694, 636.619_248_768_789_7),
            (2.0, 4.302_652_729_749_462, 31.599_054_576_445_365),
            (3.0, 3.182_446_305_283_707_8, 12.923_978_636_687_961),
            (7.5, 2.333_039_626_864_974, 5.207_725_655_800_64),
            (30.0, 2.042_272_456_301_237_8, 3.645_958_635_042_062_7),
            (299.0, 1.967_929_669_065_669_8, 3.323_361_948_116_146_7),
            (300.0, 1.967_903_011_261_086_5, 3.323_251_512_974_219_5),
            (1e3, 1.962_339_080_826_408_3, 3.300_282_648_423_944),
            (1e6, 1.959_966_356_814_107, 3.290_536_461_248_722),
        ] {
            for (p, expected) in [(0.975, first), (0.9995, second)] {
                let found = student_quantile(p, df);
                assert!(
                    (found / expected - 1.0).abs() < 1e-10,
                    "{p} {df}: {found} is not {expected}"
                );
            }
        }
    }

    /// Tests that the interval of equal groups is that of their means; taking 12 scores as
    /// independent would make it narrower.
    #[test]
    fn scores_of_one_split_are_not_independent() {
        let means = [0.60, 0.64, 0.70, 0.61];
        let scores = means
            .iter()
            .zip(0..)
            .flat_map(|(mean, split)| [-0.01, 0.0, 0.01].map(|e| (split, mean + e)));
        let grouped = ScoreSummary::new(&Sample::grouped(scores.clone()).unwrap(), 0.95).unwrap();
        let of_means = ScoreSummary::new(&Sample::new(means).unwrap(), 0.95).unwrap();
        close(
            grouped.standard_error.unwrap(),
            of_means.standard_error.unwrap(),
        );
        assert_eq!((grouped.units, grouped.count), (4, 12));
        close(
            grouped.interval.unwrap().lower,
            of_means.interval.unwrap().lower,
        );
        let naive = Sample::new(scores.map(|(_, score)| score)).unwrap();
        let naive = ScoreSummary::new(&naive, 0.95).unwrap();
        assert!(naive.standard_error.unwrap() < 0.6 * grouped.standard_error.unwrap());
    }

    #[test]
    fn nothing_is_claimed_of_too_little() {
        let one = ScoreSummary::new(&Sample::new([0.7]).unwrap(), 0.95).unwrap();
        assert_eq!((one.standard_deviation, one.interval), (None, None));
        close(one.interquartile_mean, 0.7);
        let equal = ScoreSummary::new(&Sample::new([0.1; 7]).unwrap(), 0.95).unwrap();
        assert_eq!(equal.standard_deviation, Some(0.0));
        assert_eq!(equal.interval, None);
        // One split, three seeds: independent, for that split.
        let fixed = Sample::grouped([(0, 0.1), (0, 0.2), (0, 0.3)]).unwrap();
        let fixed = ScoreSummary::new(&fixed, 0.95).unwrap();
        assert_eq!((fixed.units, fixed.interval.is_some()), (3, true));
        for bad in [0.0, 1.0, f64::NAN, 95.0] {
            assert!(ScoreSummary::new(&Sample::new([0.7]).unwrap(), bad).is_err());
        }
    }
}
