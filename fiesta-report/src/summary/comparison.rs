//! The difference between the means of two arms, on the splits that both have seen or by Welch.

use super::{
    Interval, Sample, SummaryError,
    describe::{StandardError, student_tail},
    error,
    sample::mean,
};

/// Whether two arms were compared on the same splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pairing {
    /// The arms were compared by the differences of their means on each split that both have seen.
    Paired {
        /// Number of splits that both arms have seen.
        splits: usize,
        /// Number of scores of the two arms on other splits, which do not count in the difference.
        left_out: usize,
    },
    /// The arms were compared as two independent samples (Welch 1947).
    Unpaired,
}

/// The difference of the means of two arms, a − b.
///
/// Where both have seen the same splits, it is the mean over these splits of d_k = mean of a on k −
/// mean of b on k, with standard error sd(d)/√G and G − 1 degrees of freedom: what a split does to
/// both cancels. They are paired if they have at least two splits in common and these are at least
/// half of the splits of the arm that has fewer; otherwise √(se_a² + se_b²) with the degrees of
/// freedom of Welch and Satterthwaite, (se_a² + se_b²)²/(se_a⁴/ν_a + se_b⁴/ν_b).
#[derive(Debug, Clone, PartialEq)]
pub struct ArmComparison {
    /// Mean of arm a less the mean of arm b, in the metric's units.
    pub difference: f64,
    /// Standard error of the difference. `None` where nothing can be said of it.
    pub standard_error: Option<f64>,
    /// Degrees of freedom of the standard error; 0 where there is none.
    pub degrees_of_freedom: f64,
    /// Interval of the difference, by Student's t at the confidence asked for; none where nothing
    /// is known of the noise (a single score, or all equal).
    pub interval: Option<Interval>,
    /// How the two arms were compared: on shared splits, or as independent samples.
    pub pairing: Pairing,
    /// Probability, if the arms are equal, that every difference points to arm a.
    permuted: f64,
}

impl ArmComparison {
    /// Compares two arms, with an interval at this confidence.
    ///
    /// # Errors
    /// [`SummaryError`] if it is not between 0 and 1.
    ///
    /// # Example
    /// ```
    /// use fiesta_report::summary::{ArmComparison, Pairing, Sample};
    /// let a = Sample::grouped([(0, 0.71), (1, 0.64), (2, 0.70)])?;
    /// let b = Sample::grouped([(0, 0.69), (1, 0.61), (2, 0.68)])?;
    /// let comparison = ArmComparison::new(&a, &b, 0.95)?;
    /// assert_eq!(comparison.pairing, Pairing::Paired { splits: 3, left_out: 0 });
    /// assert!((comparison.difference - 0.07 / 3.0).abs() < 1e-12);
    /// # Ok::<(), fiesta_report::summary::SummaryError>(())
    /// ```
    pub fn new(a: &Sample, b: &Sample, confidence: f64) -> Result<Self, SummaryError> {
        let confidence = error::confidence(confidence)?;
        let (difference, error, pairing, permuted) = match a.in_common(b) {
            Some(common) => paired(a, b, &common),
            None => unpaired(a, b),
        };
        Ok(Self {
            difference,
            standard_error: error.value,
            degrees_of_freedom: error.degrees_of_freedom,
            interval: error.interval(difference, confidence),
            pairing,
            permuted,
        })
    }

    /// Returns the one-sided p-value that arm a is higher: how surprising so large a difference
    /// would be between equal arms. None where a single score tells nothing of the noise.
    ///
    /// Where scores differ it is P(T ≥ difference/se) under Student's t. Where no noise was seen at
    /// all, it is exact and assumes no distribution: of equal arms, every one of G differences has
    /// the same sign with probability 2^−G, and of n + m scores those of a are the n highest with
    /// probability 1/(n + m choose n). Arms without any difference have the p-value 1.
    pub fn tail(&self) -> Option<f64> {
        let error = self.standard_error?;
        if error > 0.0 {
            let t = self.difference / error;
            return Some(student_tail(t, self.degrees_of_freedom));
        }
        Some(if self.difference > 0.0 {
            self.permuted
        } else {
            1.0
        })
    }

    /// Returns the two-sided p-value of the difference: how surprising so large a difference would
    /// be either way. None where a single score tells nothing of the noise.
    ///
    /// Where scores differ it is P(|T| ≥ |difference|/se); where no noise was seen at all, twice
    /// the smaller of the two one-sided ones, at most 1.
    pub(crate) fn two_sided(&self) -> Option<f64> {
        let error = self.standard_error?;
        if error > 0.0 {
            let t = self.difference.abs() / error;
            return Some((2.0 * student_tail(t, self.degrees_of_freedom)).min(1.0));
        }
        Some(if self.difference == 0.0 {
            1.0
        } else {
            (2.0 * self.permuted).min(1.0)
        })
    }
}

/// Returns the binomial coefficient (n + m choose n), ∞ where it is too large for a number.
fn choices(n: usize, m: usize) -> f64 {
    let steps = (1..=n.min(m)).map(|k| (n.max(m) + k) as f64 / k as f64);
    steps.product()
}

fn paired(
    a: &Sample,
    b: &Sample,
    common: &[(Vec<f64>, Vec<f64>)],
) -> (f64, StandardError, Pairing, f64) {
    let means = common.iter().map(|(a, b)| (mean(a), mean(b)));
    let differences: Vec<f64> = means.map(|(a, b)| difference(a, b)).collect();
    let used: usize = common.iter().map(|(a, b)| a.len() + b.len()).sum();
    let pairing = Pairing::Paired {
        splits: common.len(),
        left_out: a.len() + b.len() - used,
    };
    let mut error = StandardError::of_independent(&differences);
    let largest = common.iter().flat_map(|(a, b)| a.iter().chain(b));
    let largest = largest.fold(0.0_f64, |most, score| most.max(score.abs()));
    if error.value.is_some_and(|value| value <= ROUNDING * largest) {
        error.value = Some(0.0);
    }
    let permuted = 0.5_f64.powf(differences.len() as f64);
    (mean(&differences), error, pairing, permuted)
}

/// Largest difference of two scores that counts as rounding of binary fractions, in parts of the
/// larger score.
const ROUNDING: f64 = 1e-14;

/// Returns the difference of two scores or means, 0 where only rounding makes one.
pub(super) fn difference(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() <= ROUNDING * a.abs().max(b.abs()) {
        0.0
    } else {
        difference
    }
}

fn unpaired(a: &Sample, b: &Sample) -> (f64, StandardError, Pairing, f64) {
    let of = |sample| {
        let error = StandardError::new(sample);
        let variance = error.value.map(|error| error * error);
        (variance, error.degrees_of_freedom, error.units)
    };
    let ((va, na, units_a), (vb, nb, units_b)) = (of(a), of(b));
    let variance = va.zip(vb);
    let degrees_of_freedom = variance.map_or(0.0, |(va, vb)| {
        let total = va + vb;
        // Both without any spread: there is no interval either.
        if total > 0.0 {
            // Shares, as squares of tiny variances are 0 in floats.
            let (a, b) = (va / total, vb / total);
            1.0 / (a * a / na + b * b / nb)
        } else {
            na + nb
        }
    });
    let error = StandardError {
        value: variance.map(|(va, vb)| (va + vb).sqrt()),
        degrees_of_freedom,
        units: units_a + units_b,
    };
    let permuted = 1.0 / choices(units_a, units_b);
    let difference = difference(a.mean(), b.mean());
    (difference, error, Pairing::Unpaired, permuted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 9] = [0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70];
    const Y: [f64; 7] = [0.60, 0.61, 0.60, 0.64, 0.62, 0.60, 0.58];

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-11, "{a} is not {b}");
    }

    /// Tests unpaired arms against SciPy 1.17: `ttest_ind(equal_var=False)` with its `confidence_interval(.95)`.
    #[test]
    fn unpaired_is_welch() {
        let (x, y) = (Sample::new(X).unwrap(), Sample::new(Y).unwrap());
        let found = ArmComparison::new(&x, &y, 0.95).unwrap();
        assert_eq!(found.pairing, Pairing::Unpaired);
        close(found.difference, 0.026_190_476_190_476_21);
        close(
            found.difference / found.standard_error.unwrap(),
            1.958_672_566_938_347_8,
        );
        close(found.degrees_of_freedom, 12.918_029_593_624_954);
        let interval = found.interval.unwrap();
        close(interval.lower, -0.002_715_632_514_585_349);
        close(interval.upper, 0.055_096_584_895_537_766);
        // Half of the two-sided p-value.
        assert!((found.tail().unwrap() - 0.036_07).abs() < 1e-4);
    }

    /// Tests scores so small or large that the squares of their variances are 0 or no number in floats.
    #[test]
    fn tiny_and_huge_scores_have_degrees_of_freedom() {
        for unit in [7.1e-154, 1e-100, 1.0, 1e100] {
            let of = |scores: [f64; 2]| Sample::new(scores.map(|score| score * unit)).unwrap();
            let found = ArmComparison::new(&of([0.0, 0.0]), &of([0.0, 1.0]), 0.95).unwrap();
            close(found.degrees_of_freedom, 1.0);
            // P(|T| ≥ 1) of one degree of freedom.
            close(found.two_sided().unwrap(), 0.5);
        }
    }

    /// Tests paired arms against SciPy 1.17: `ttest_rel` on the seven splits that both have; two
    /// more scores of x do not count.
    #[test]
    fn paired_is_by_differences() {
        let of = |scores: &[f64]| Sample::grouped((0..).zip(scores.iter().copied())).unwrap();
        let found = ArmComparison::new(&of(&X), &of(&Y), 0.95).unwrap();
        let pairing = Pairing::Paired {
            splits: 7,
            left_out: 2,
        };
        assert_eq!(found.pairing, pairing);
        close(found.difference, 0.015_714_285_714_285_73);
        let interval = found.interval.unwrap();
        close(interval.lower, -0.001_879_789_860_806_147_8);
        close(interval.upper, 0.033_308_361_289_377_61);
    }

    #[test]
    fn nothing_is_claimed_of_a_single_score() {
        let compare = |x: &[f64], y: &[f64]| {
            let of = |scores: &[f64]| Sample::new(scores.iter().copied()).unwrap();
            ArmComparison::new(&of(x), &of(y), 0.95).unwrap()
        };
        for found in [compare(&[0.9], &[0.1, 0.2]), compare(&[0.9], &[0.1])] {
            assert_eq!((found.interval, found.tail()), (None, None));
        }
        assert!(compare(&[0.9, 0.9], &[0.1, 0.2]).interval.is_some());
    }

    /// Tests that without any noise the p-value counts arrangements: SciPy 1.17,
    /// `binomtest(k, k, alternative="greater")` and `permutation_test`. An interval would be a point, and is none.
    #[test]
    fn differences_without_noise_are_tested_exactly() {
        let paired = |x: f64, y: f64, splits: u64| {
            // Splits differ; the difference is the same on each, but for binary fractions.
            let of = |base: f64| {
                let scores = (0..splits).map(|split| (split, base + 0.1 * split as f64));
                Sample::grouped(scores).unwrap()
            };
            let found = ArmComparison::new(&of(x), &of(y), 0.95).unwrap();
            assert_eq!(found.interval, None);
            found.tail().unwrap()
        };
        close(paired(0.3, 0.1, 4), 1.0 / 16.0);
        close(paired(0.1, 0.3, 4), 1.0);
        close(paired(0.3, 0.3, 4), 1.0);
        let unpaired = |x: &[f64], y: &[f64]| {
            let of = |scores: &[f64]| Sample::new(scores.iter().copied()).unwrap();
            let found = ArmComparison::new(&of(x), &of(y), 0.95).unwrap();
            assert_eq!(found.interval, None);
            found.tail().unwrap()
        };
        close(unpaired(&[0.9; 3], &[0.1; 4]), 1.0 / 35.0);
        close(unpaired(&[0.1; 3], &[0.9; 4]), 1.0);
        close(unpaired(&[0.5; 3], &[0.5; 2]), 1.0);
        assert!(unpaired(&[0.9; 600], &[0.1; 600]) < 1e-300);
    }
}
