//! Power of the t-test: scores that it needs.
//!
//! This is what a study is planned with when nothing is adaptive: a number of evaluations per arm
//! fixed beforehand, such that a one-sided t-test of the best arm against a rival at level α
//! succeeds with the desired probability.
//!
//! The t statistic of n scores with effect d has a noncentral t distribution. With ν degrees of
//! freedom, noncentrality δ and the critical value c = t_{ν, 1−α}, the power is
//!
//! P(T > c) = ∫₀^∞ Φ(δ − c·s) f_ν(s) ds,
//!
//! f_ν being the density of χ_ν/√ν. No normal approximation is made.
//!
//! Source: Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 1988; the same numbers
//! as R's `power.t.test`.

use fiesta_core::bisect;
use statrs::{
    distribution::{ChiSquared, ContinuousCDF, StudentsT},
    function::{
        erf::{erfc, erfc_inv},
        gamma::ln_gamma,
    },
};
use std::f64::consts::SQRT_2;

/// How the two samples of a t-test belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TTest {
    /// Pairs, such as two arms on the same splits: the effect is the mean difference over the
    /// standard deviation of a difference. δ = d·√n, ν = n − 1.
    Paired,
    /// Two independent samples of n each: the effect is the difference of the means over the
    /// standard deviation of a score. δ = d·√(n/2), ν = 2n − 2.
    Unpaired,
}

/// The error for numbers for which no power can be calculated.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PowerError {
    /// The effect is not positive, or no number.
    #[error(
        "the effect {0} must be greater than 0: no sample shows a difference that is not there"
    )]
    Effect(f64),
    /// The level of the test is out of range.
    #[error("the level {0} of the test must lie strictly between 0 and 0.5")]
    Level(f64),
    /// The desired power is out of range.
    #[error("the power {0} must lie strictly between the level of the test and 1")]
    Power(f64),
    /// The samples are too small for a t-test.
    #[error("a t-test takes at least 2 scores, not {0}")]
    TooFew(f64),
    /// The effect is so small that the sample would be larger than any.
    #[error("the effect {0} is too small: a test would take more than 10^9 scores")]
    TooSmall(f64),
}

/// Most scores, or pairs of scores, in a sample.
const MOST: f64 = 1e9;
/// Degrees of freedom from which a t distribution is expanded around the normal one.
const NEARLY_NORMAL: f64 = 1e4;
/// Number of standard deviations beyond which a normal tail is no more than rounding.
const TAIL: f64 = 8.5;
/// Number of intervals of Simpson's rule; the integrand is smooth on a hundredth of its range.
const INTERVALS: u32 = 800;

impl TTest {
    /// Returns noncentrality δ and degrees of freedom ν of a t-test on n scores, or pairs.
    fn noncentrality(self, effect: f64, n: f64) -> (f64, f64) {
        match self {
            Self::Paired => (effect * n.sqrt(), n - 1.0),
            Self::Unpaired => (effect * (n / 2.0).sqrt(), 2.0 * n - 2.0),
        }
    }

    /// Returns the power of a one-sided t-test at level `alpha` with `n` pairs, or with `n` scores
    /// of each arm.
    ///
    /// `n` may be a fraction, as solutions of [`Self::required`] are.
    ///
    /// ```
    /// use fiesta_policies::plan::TTest;
    ///
    /// let power = TTest::Unpaired.power(1.0, 20.0, 0.05)?;
    /// assert!((power - 0.9279025).abs() < 1e-6); // power.t.test(n = 20, delta = 1, alternative = "one.sided")
    /// # Ok::<(), fiesta_policies::plan::PowerError>(())
    /// ```
    ///
    /// # Errors
    /// [`PowerError`] if the effect is not positive, α not within (0, ½) or n below 2.
    pub fn power(self, effect: f64, n: f64, alpha: f64) -> Result<f64, PowerError> {
        check(effect, alpha)?;
        if !(n >= 2.0 && n.is_finite()) {
            return Err(PowerError::TooFew(n));
        }
        let (delta, freedom) = self.noncentrality(effect, n);
        Ok(upper_tail(delta, freedom, alpha))
    }

    /// Returns the least n (pairs, or scores of each arm) with which a one-sided t-test at level
    /// `alpha` has this power, as a real number of at least 2.
    ///
    /// ```
    /// use fiesta_policies::plan::TTest;
    ///
    /// let n = TTest::Paired.required(0.5, 0.05, 0.8)?;
    /// assert!((n - 26.13753).abs() < 1e-4); // power.t.test(delta = .5, power = .8, type = "one.sample", alternative = "one.sided")
    /// # Ok::<(), fiesta_policies::plan::PowerError>(())
    /// ```
    ///
    /// # Errors
    /// [`PowerError`] if the effect is not positive or smaller than any study can show, α not
    /// within (0, ½), or the power not within (α, 1).
    pub fn required(self, effect: f64, alpha: f64, power: f64) -> Result<f64, PowerError> {
        check(effect, alpha)?;
        if !(power > alpha && power < 1.0) {
            return Err(PowerError::Power(power));
        }
        let reaches = |n: f64| {
            let (delta, freedom) = self.noncentrality(effect, n);
            upper_tail(delta, freedom, alpha) >= power
        };
        let (mut low, mut high) = (2.0, 2.0);
        while !reaches(high) {
            (low, high) = (high, high * 2.0);
            if high > MOST {
                return Err(PowerError::TooSmall(effect));
            }
        }
        while high - low > 1e-9 * high {
            let middle = f64::midpoint(low, high);
            if reaches(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(high)
    }
}

fn check(effect: f64, alpha: f64) -> Result<(), PowerError> {
    if !(effect > 0.0 && effect.is_finite()) {
        return Err(PowerError::Effect(effect));
    }
    if !(alpha > 0.0 && alpha < 0.5) {
        return Err(PowerError::Level(alpha));
    }
    Ok(())
}

/// Returns P(T > c) of a noncentral t variable, where c is the 1 − α quantile of the central one.
///
/// Where c·s lies more than [`TAIL`] below δ, the integrand is the density alone, whose integral is
/// known; where it lies as far above, nothing is left. Simpson's rule does what is between, cut to
/// where s has any probability. It so spans a few dozen standard deviations of the narrower of the
/// two factors.
fn upper_tail(delta: f64, freedom: f64, alpha: f64) -> f64 {
    let (Ok(student), Ok(square)) = (StudentsT::new(0.0, 1.0, freedom), ChiSquared::new(freedom))
    else {
        return f64::NAN; // unreachable: every caller has at least one degree of freedom
    };
    let critical = quantile(&student, alpha);
    let spread = 1.5 * TAIL / (2.0 * freedom).sqrt();
    let low = ((delta - TAIL) / critical).max(1.0 - spread).max(0.0);
    let high = ((delta + TAIL) / critical).min(1.0 + spread);
    let certain = square.cdf(freedom * low * low);
    if low >= high {
        return certain;
    }
    // ln f_ν(s) = ln 2 + (ν/2) ln(ν/2) − ln Γ(ν/2) + (ν−1) ln s − ν s²/2
    let half = freedom / 2.0;
    let constant = 2_f64.ln() + half * half.ln() - ln_gamma(half);
    let integrand = |s: f64| {
        let power_of_s = if freedom > 1.0 {
            (freedom - 1.0) * s.ln()
        } else {
            0.0
        };
        normal_cdf(delta - critical * s) * (constant + power_of_s - half * s * s).exp()
    };
    let step = (high - low) / f64::from(INTERVALS);
    let inner: f64 = (1..INTERVALS)
        .map(|i| integrand(low + step * f64::from(i)) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    (certain + step / 3.0 * (integrand(low) + inner + integrand(high))).clamp(0.0, 1.0)
}

/// Returns the point above which the upper tail of a t distribution is α < ½. Near the normal
/// distribution by the expansion in 1/ν of Cornish and Fisher, whose next term is below rounding;
/// else by bisection of the distribution function.
fn quantile(student: &StudentsT, alpha: f64) -> f64 {
    let freedom = student.freedom();
    if freedom >= NEARLY_NORMAL {
        let z = SQRT_2 * erfc_inv(2.0 * alpha);
        let w = z * z;
        let terms = [
            (w + 1.0) / 4.0,
            ((5.0 * w + 16.0) * w + 3.0) / 96.0,
            (((3.0 * w + 19.0) * w + 17.0) * w - 15.0) / 384.0,
        ];
        let correction = terms
            .iter()
            .rev()
            .fold(0.0, |sum, term| (sum + term) / freedom);
        return z * (1.0 + correction);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while student.sf(high) > alpha {
        (low, high) = (high, 4.0 * high);
    }
    let (low, high) = bisect(low, high, |x| student.sf(x) > alpha);
    f64::midpoint(low, high)
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::{TTest::*, *};

    /// Tests the power against SciPy's noncentral t distribution (`nct.sf(t.isf(alpha, nu), nu,
    /// delta)`, 1.17).
    #[test]
    fn power_by_reference() {
        for (comparison, effect, n, alpha, expected) in [
            (Paired, 0.5, 10.0, 0.05, 0.427_289_826_8),
            (Paired, 0.5, 2.0, 0.05, 0.105_822_890_6),
            (Paired, 2.0, 2.0, 0.05, 0.341_933_388_3),
            (Paired, 1.0, 3.0, 0.001, 0.007_939_379_2),
            (Paired, 0.1, 500.0, 0.05, 0.721_794_792_9),
            (Paired, 0.05, 3000.0, 0.05 / 7.0, 0.613_037_535_2),
            (Paired, 30.0, 2.0, 0.007, 0.649_144_000_4),
            (Paired, 0.5, 26.5, 0.4, 0.989_800_283_5),
            (Unpaired, 1.0, 20.0, 0.05, 0.927_902_473_4),
            (Unpaired, 0.5, 2.0, 0.2, 0.349_219_980_6),
            (Unpaired, 0.02, 40_000.0, 0.05, 0.881_704_296_0),
        ] {
            let power = comparison.power(effect, n, alpha).unwrap();
            assert!(
                (power - expected).abs() < 1e-8,
                "{comparison:?} {effect} {n} {alpha}: {power} for {expected}"
            );
        }
    }

    /// Tests sizes of samples: the first two are R's: `power.t.test(delta = .5, sd = 1, sig.level =
    /// .05, power = .8, alternative = "one.sided")`, with `type = "one.sample"` and without; the
    /// others SciPy's.
    #[test]
    fn samples_by_reference() {
        for (comparison, effect, alpha, power, expected) in [
            (Paired, 0.5, 0.05, 0.8, 26.137_504),
            (Unpaired, 0.5, 0.05, 0.8, 50.150_783),
            (Paired, 0.3, 0.05 / 7.0, 0.8, 123.401_610),
            (Unpaired, 0.1, 0.01, 0.9, 2_604.741_126),
            (Paired, 0.02, 0.1, 0.8, 11_270.478_109),
            (Paired, 1.5, 0.05, 0.8, 4.440_254),
        ] {
            let n = comparison.required(effect, alpha, power).unwrap();
            assert!(
                (n / expected - 1.0).abs() < 1e-6,
                "{comparison:?} {effect} {alpha} {power}: {n} for {expected}"
            );
        }
    }

    /// Tests that the two methods for a quantile of t agree where one takes over from the other.
    #[test]
    fn quantiles_where_they_meet() {
        for alpha in [0.4, 0.2, 0.05, 0.001] {
            let of = |freedom| quantile(&StudentsT::new(0.0, 1.0, freedom).unwrap(), alpha);
            let (below, above) = (of(NEARLY_NORMAL * (1.0 - 1e-9)), of(NEARLY_NORMAL));
            assert!((below - above).abs() < 1e-10, "{alpha}: {below} {above}");
        }
    }

    #[test]
    fn an_effect_that_two_scores_show() {
        let n = Unpaired.required(50.0, 0.05, 0.8).unwrap();
        assert!((n - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_power_is_refused() {
        assert_eq!(Paired.power(0.0, 10.0, 0.05), Err(PowerError::Effect(0.0)));
        assert!(Paired.power(f64::NAN, 10.0, 0.05).is_err());
        assert_eq!(Paired.power(1.0, 1.0, 0.05), Err(PowerError::TooFew(1.0)));
        assert_eq!(Paired.power(1.0, 10.0, 0.5), Err(PowerError::Level(0.5)));
        assert_eq!(
            Paired.required(1.0, 0.05, 0.05),
            Err(PowerError::Power(0.05))
        );
        assert_eq!(
            Paired.required(1e-9, 0.05, 0.8),
            Err(PowerError::TooSmall(1e-9))
        );
    }
}
