//! The i-th smallest of n uniform variables, Beta(i, n + 1 − i): its distribution at one point with
//! all derivatives that a fast root finder needs.
//!
//! Places are logits, θ = ln(u/(1−u)), so that both ends of \[0, 1\] keep their precision. With a =
//! i and b = n + 1 − i, F(u) = uᵃ(1−u)ᵇ/B(a, b) / c, where c is a continued fraction (DiDonato &
//! Morris, "Significant digit computation of the incomplete beta function ratios", 1992), and c is
//! also d ln F/dθ. The numerator is a binomial probability, from Loader's "Fast and accurate
//! computation of binomial probabilities" (2000), whose relative error does not grow with n.

use crate::binomial::{deviance, stirling_error};

/// Number in \[0, 1\] by its logit, with its complement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) logit: f64,
}

impl Place {
    pub(super) fn value(self) -> f64 {
        1.0 / (1.0 + (-self.logit).exp())
    }

    pub(super) fn complement(self) -> f64 {
        1.0 / (1.0 + self.logit.exp())
    }
}

/// Values of the distribution at a place below its middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Below {
    /// Logarithm of the distribution function, ln F.
    pub(super) ln_probability: f64,
    /// Slope of ln F: d ln F/dθ.
    pub(super) slope: f64,
    /// Logarithm of the density in θ, f(u)·u·(1−u).
    pub(super) ln_density: f64,
    /// Slope of the logarithm of the density.
    pub(super) ln_density_slope: f64,
    /// Curvature of the logarithm of the density, with the sign changed.
    pub(super) curvature: f64,
}

/// Order statistic: the i-th of n scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderStatistic {
    rank: f64,
    count: f64,
    /// Logarithm of the factors of the binomial probability that do not depend on the place.
    constant: f64,
}

impl OrderStatistic {
    pub(super) fn new(rank: usize, count: usize) -> Self {
        let (a, n) = (rank as f64, count as f64);
        // a·C(n, a) without its powers; at a = n the rest is none.
        let constant = if rank == count {
            n.ln()
        } else {
            stirling_error(count as u64)
                - stirling_error(rank as u64)
                - stirling_error((count - rank) as u64)
                + 0.5 * (a * n / (std::f64::consts::TAU * (n - a))).ln()
        };
        Self {
            rank: a,
            count: n,
            constant,
        }
    }

    /// Returns the distribution at a place that should be below its mean: above, the computation is
    /// slow.
    pub(super) fn below(&self, place: Place) -> Below {
        let (u, v) = (place.value(), place.complement());
        let (a, b) = (self.rank, self.count + 1.0 - self.rank);
        let numerator = self.ln_density(u, v);
        let fraction = continued_fraction(a, b, u, v);
        Below {
            ln_probability: numerator - fraction.ln(),
            slope: fraction,
            ln_density: numerator,
            ln_density_slope: a * v - b * u,
            curvature: (a + b) * u * v,
        }
    }

    /// Returns ln uᵃvᵇ/B(a, b) = ln a·v·P(Binomial(n, u) = a).
    fn ln_density(&self, u: f64, v: f64) -> f64 {
        let (a, n) = (self.rank, self.count);
        let powers = if a < n {
            deviance(a, n * u) + deviance(n - a, n * v)
        } else if u < 0.5 {
            -n * u.ln()
        } else {
            -n * (-v).ln_1p()
        };
        self.constant - powers + v.ln()
    }

    /// The place where ln F is `ln_probability`, at most ln ½, looked for from another.
    pub(super) fn quantile(&self, ln_probability: f64, from: Place) -> Place {
        let mut place = from;
        // Newton's method on ln F, which is concave, converges from anywhere; 100 steps are many
        // more than it takes.
        for _ in 0..100 {
            let at = self.below(place);
            let excess = at.ln_probability - ln_probability;
            let close = excess.abs() < 0.3;
            let step = if close {
                series(&at, excess)
            } else {
                -excess / at.slope
            };
            place.logit += step;
            // The series is one of three terms: what it neglects is below rounding.
            if close && excess.abs() < 2e-4 {
                break;
            }
        }
        place
    }
}

/// The step δ with excess + F'δ + F''δ²/2 + F'''δ³/6 = 0, where F stands for ln F.
fn series(at: &Below, excess: f64) -> f64 {
    let rest = at.ln_density_slope - at.slope;
    let second = at.slope * rest;
    let third = second * rest - at.slope * (at.curvature + second);
    let mut step = -excess / at.slope;
    for _ in 0..5 {
        step = -excess / (at.slope + step * (second / 2.0 + step * third / 6.0));
    }
    step
}

/// The continued fraction c by the modified method of Lentz.
fn continued_fraction(a: f64, b: f64, u: f64, v: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let beginning = a * v - b * u + 1.0;
    let term = |m: f64| {
        let place = a + 2.0 * m;
        m + m * (b - m) * u / (place - 1.0) + (a + m) * (beginning + m * (1.0 + v)) / (place + 1.0)
    };
    let mut value = a * beginning / (a + 1.0);
    if value == 0.0 {
        value = TINY;
    }
    let (mut above, mut below) = (value, 0.0);
    let mut m = 1.0;
    // It takes some √n terms.
    while m < 1e6 {
        let place = a + 2.0 * m - 1.0;
        let factor = m * (a + m - 1.0) / place * ((a + b + m - 1.0) / place) * (b - m) * u * u;
        let next = term(m);
        below = next + factor * below;
        below = 1.0 / if below == 0.0 { TINY } else { below };
        above = next + factor / above;
        if above == 0.0 {
            above = TINY;
        }
        let change = above * below;
        value *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
        m += 1.0;
    }
    value
}
