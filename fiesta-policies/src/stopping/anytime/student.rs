//! The logarithm of Student's distribution function, far into its lower tail.

use statrs::function::beta::ln_beta;
use std::f64::consts::LN_2;

/// Student's t with a fixed number of degrees of freedom, at least 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Student {
    degrees: f64,
    ln_beta: f64,
}

impl Student {
    pub(super) fn new(degrees: f64) -> Self {
        Self {
            degrees,
            ln_beta: ln_beta(degrees / 2.0, 0.5),
        }
    }

    /// Returns ln P(T ≤ t), finite for every finite t.
    ///
    /// With x = ν/(ν + t²) the tail beyond |t| is ½ I_x(ν/2, ½). Its logarithm comes from the
    /// continued fraction of the incomplete beta function, so that a tail too small for a float has
    /// one too.
    pub(super) fn ln_below(self, t: f64) -> f64 {
        let square = t * t;
        if square == 0.0 {
            return -LN_2;
        }
        let (shape, half) = (self.degrees / 2.0, 0.5);
        // Not from x, which may be as small as floats are, or close to 1.
        let ln_rest = -(self.degrees / square).ln_1p();
        let ln_x = -(square / self.degrees).ln_1p();
        let ln_front = shape * ln_x + half * ln_rest - self.ln_beta;
        let x = self.degrees / (self.degrees + square);
        if x > (shape + 1.0) / (shape + half + 2.0) {
            // Here I_{1 − x}(½, ν/2) converges, and nothing cancels in 1 minus it.
            let rest = square / (self.degrees + square);
            let middle = 0.5 * ln_front.exp() / (half * continued_fraction(half, shape, rest));
            return if t < 0.0 {
                (0.5 - middle).ln()
            } else {
                (0.5 + middle).ln()
            };
        }
        let ln_tail = ln_front - LN_2 - (shape * continued_fraction(shape, half, x)).ln();
        if t < 0.0 {
            ln_tail
        } else {
            (-ln_tail.exp()).ln_1p()
        }
    }
}

/// Returns the continued fraction of I_x(a, b), by Lentz's method; fast where x < (a + 1)/(a + b +
/// 2). I_x is x^a (1 − x)^b / (a B(a, b)) divided by it.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..=300_u32 {
        let m = f64::from(step / 2);
        let numerator = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / kept(1.0 + numerator * d);
        c = kept(1.0 + numerator / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn agrees_with_closed_forms() {
        for t in [-1e9_f64, -300.0, -3.0, -1.7, -0.3, 0.0, 0.4, 1.8, 9.0] {
            // Written so that nothing cancels in the lower tail.
            let one = if t < 0.0 {
                (-1.0 / t).atan() / PI
            } else {
                0.5 + t.atan() / PI
            };
            let root = (2.0 + t * t).sqrt();
            let two = if t < 0.0 {
                1.0 / (root * (root - t))
            } else {
                0.5 + 0.5 * t / root
            };
            for (degrees, exact) in [(1.0, one), (2.0, two)] {
                let found = Student::new(degrees).ln_below(t);
                assert!((found - exact.ln()).abs() < 1e-11, "{t} {degrees} {found}");
            }
        }
    }

    /// Tests the tail where it underflows: P(T ≤ −t) → Γ((ν+1)/2) ν^{ν/2 − 1} / (√π Γ(ν/2)) t^{−ν}
    /// (1 + O(ν/t²)).
    #[test]
    fn has_tails_that_floats_have_not() {
        let (degrees, t) = (400.0_f64, 1e8_f64);
        let expected =
            -ln_beta(degrees / 2.0, 0.5) + (degrees / 2.0 - 1.0) * degrees.ln() - degrees * t.ln();
        assert!((Student::new(degrees).ln_below(-t) - expected).abs() < 1e-9);
        assert!(expected < -5000.0);
    }
}
