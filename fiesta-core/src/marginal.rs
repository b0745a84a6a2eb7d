//! Distribution of a mean: Student's t, shifted and scaled.

use crate::bisect;
use statrs::function::{beta::beta_reg, erf::erfc};
use std::f64::consts::FRAC_1_SQRT_2;

/// The distribution of one arm's mean, or of a difference of two: Student's t, shifted and scaled.
///
/// Density f(x) = t_ν((x − c)/s)/s with location c, scale s and ν degrees of freedom; ν = ∞ is the
/// normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Marginal {
    /// The location c, also the median.
    pub location: f64,
    /// The scale s, greater than zero. Of a mean of n scores it is already of the order σ/√n.
    pub scale: f64,
    /// The degrees of freedom ν, greater than zero.
    pub degrees_of_freedom: f64,
}

impl Marginal {
    /// Returns the normal distribution with this mean and standard deviation.
    pub fn normal(location: f64, scale: f64) -> Self {
        Self {
            location,
            scale,
            degrees_of_freedom: f64::INFINITY,
        }
    }

    /// Returns the distribution shifted up by `by`: its location is larger, its scale the same.
    #[must_use]
    pub fn shifted(self, by: f64) -> Self {
        Self {
            location: self.location + by,
            ..self
        }
    }

    /// The difference of two independent means, by Welch and Satterthwaite: with scales s and
    /// degrees of freedom ν, scale² = s_a² + s_b² and ν = (s_a² + s_b²)²/(s_a⁴/ν_a + s_b⁴/ν_b).
    ///
    /// Source: Welch, The generalization of "Student's" problem, Biometrika 34 (1947).
    pub fn minus(&self, other: &Self) -> Self {
        let (u, v) = (self.scale * self.scale, other.scale * other.scale);
        Self {
            location: self.location - other.location,
            scale: (u + v).sqrt(),
            degrees_of_freedom: (u + v) * (u + v)
                / (u * u / self.degrees_of_freedom + v * v / other.degrees_of_freedom),
        }
    }

    /// Returns P(X ≤ x). NaN if the scale or the degrees of freedom are not above zero.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Marginal;
    /// let mean = Marginal { location: 0.64, scale: 0.01, degrees_of_freedom: 8.0 };
    /// assert_eq!(mean.cdf(0.64), 0.5);
    /// let (low, high) = mean.interval(0.95);
    /// assert!((high - 0.64 - 0.023_060).abs() < 1e-6);
    /// assert!((mean.cdf(high) - mean.cdf(low) - 0.95).abs() < 1e-12);
    /// assert!((mean.quantile(0.975) - high).abs() < 1e-15);
    /// assert!((mean.sd() - 0.01 * (8.0_f64 / 6.0).sqrt()).abs() < 1e-15);
    /// ```
    pub fn cdf(&self, x: f64) -> f64 {
        if self.scale > 0.0 {
            upper_tail((self.location - x) / self.scale, self.degrees_of_freedom)
        } else {
            f64::NAN
        }
    }

    /// Returns the x with P(X ≤ x) = `p`: −∞ for 0, ∞ for 1. NaN if `p` is no probability, or where
    /// [`cdf`](Self::cdf) is NaN.
    pub fn quantile(&self, p: f64) -> f64 {
        if self.cdf(self.location).is_nan() || !(0.0..=1.0).contains(&p) {
            return f64::NAN;
        }
        let distance = match p.min(1.0 - p) {
            0.0 => f64::INFINITY,
            tail => tail_begins(tail, self.degrees_of_freedom),
        };
        self.location + self.scale * if p < 0.5 { -distance } else { distance }
    }

    /// Returns the ends of the central interval that has the probability `level`, such as .95: as
    /// much lies below it as above it. NaN if `level` is no probability, or where
    /// [`quantile`](Self::quantile) is.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let outside = (1.0 - level) / 2.0;
        if !(0.0..=0.5).contains(&outside) {
            return (f64::NAN, f64::NAN);
        }
        (self.quantile(outside), self.quantile(1.0 - outside))
    }

    /// Returns the standard deviation, s·√(ν/(ν − 2)); ∞ for two degrees of freedom or fewer.
    pub fn sd(&self) -> f64 {
        let freedom = self.degrees_of_freedom;
        if freedom <= 2.0 {
            f64::INFINITY
        } else if freedom == f64::INFINITY {
            self.scale
        } else {
            self.scale * (freedom / (freedom - 2.0)).sqrt()
        }
    }
}

/// Degrees of freedom above which Student's t is the normal distribution to 1e-12.
const NORMAL_FROM: f64 = 1e12;

/// Returns P(T > x) for Student's t with `degrees_of_freedom`, to machine precision; with ν = ∞ of
/// the normal distribution. NaN if either is NaN, or the degrees of freedom are not above zero.
///
/// # Example
/// ```
/// use fiesta_core::upper_tail;
/// assert!((upper_tail(1.0, 1.0) - 0.25).abs() < 1e-15);
/// assert!(upper_tail(f64::NAN, 1.0).is_nan());
/// ```
pub fn upper_tail(x: f64, degrees_of_freedom: f64) -> f64 {
    let (shape, half) = (degrees_of_freedom / 2.0, 0.5);
    if x.is_nan() || shape.is_nan() || shape <= 0.0 {
        return f64::NAN;
    }
    if degrees_of_freedom >= NORMAL_FROM {
        return 0.5 * erfc(x * FRAC_1_SQRT_2);
    }
    let square = x * x;
    // Of the two complementary forms, the one without cancellation.
    let tail = if square < degrees_of_freedom {
        0.5 - 0.5 * beta_reg(half, shape, square / (degrees_of_freedom + square))
    } else {
        let ratio = degrees_of_freedom / (degrees_of_freedom + square);
        0.5 * beta_reg(shape, half, ratio)
    };
    if x >= 0.0 { tail } else { 1.0 - tail }
}

/// Returns the x ≥ 0 with P(T > x) = `tail` ≤ ½, by bisection; for a tail of 0 the x from which on
/// [`upper_tail`] is 0. NaN if `tail` is below zero, or where [`upper_tail`] is NaN.
pub fn tail_begins(tail: f64, degrees_of_freedom: f64) -> f64 {
    if !(tail >= 0.0 && degrees_of_freedom / 2.0 > 0.0) {
        return f64::NAN;
    }
    let is_below = |x: f64| upper_tail(x, degrees_of_freedom) > tail;
    let (mut low, mut high) = (0.0, 1.0);
    while is_below(high) {
        (low, high) = (high, 2.0 * high);
    }
    bisect(low, high, is_below).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_invert_the_distribution() {
        for degrees_of_freedom in [0.7, 1.0, 3.0, 8.5, 1e6, f64::INFINITY] {
            let mean = Marginal {
                location: -3.0,
                scale: 0.2,
                degrees_of_freedom,
            };
            for p in [1e-6, 0.025, 0.4, 0.5, 0.9, 0.999] {
                let x = mean.quantile(p);
                assert!(
                    (mean.cdf(x) / p - 1.0).abs() < 1e-8,
                    "{degrees_of_freedom} {p}: {x}"
                );
                let (low, high) = mean.interval(p);
                assert!((mean.cdf(high) - mean.cdf(low) - p).abs() < 1e-12);
            }
            let ends = [mean.quantile(0.0), mean.quantile(1.0)];
            assert!(ends[0] < 0.0 && ends[1] > 0.0 && ends.iter().all(|end| end.is_infinite()));
        }
        assert!((Marginal::normal(1.0, 2.0).quantile(0.975) - 4.919_927_969).abs() < 1e-8);
    }

    #[test]
    fn what_is_no_distribution_has_no_number() {
        for (scale, degrees_of_freedom) in [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (1.0, f64::NAN)] {
            let none = Marginal {
                location: 0.0,
                scale,
                degrees_of_freedom,
            };
            assert!(none.cdf(0.0).is_nan() && none.quantile(0.3).is_nan());
        }
        let normal = Marginal::normal(0.0, 1.0);
        for p in [-0.1, 1.1, f64::NAN] {
            assert!(normal.quantile(p).is_nan() && normal.interval(p).0.is_nan());
        }
        assert!(normal.cdf(f64::NAN).is_nan());
        assert!((normal.sd() - 1.0).abs() < 1e-15);
        let cauchy = Marginal {
            degrees_of_freedom: 1.0,
            ..normal
        };
        assert!(cauchy.sd().is_infinite());
    }
}
