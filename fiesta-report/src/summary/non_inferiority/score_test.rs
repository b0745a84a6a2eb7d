//! Exact unconditional test of a difference of paired shares, with Tango's score statistic.

use super::DIFFERING;
use crate::summary::exact::of_share;
use fiesta_core::upper_tail;
use statrs::{
    distribution::{Binomial, Discrete},
    function::beta::beta_reg,
};

/// Probability that the share of differing items lies beyond those that are looked at.
const BEYOND: f64 = 1e-5;
/// Number of shares of differing items at which the exact test looks.
const SHARES: u32 = 32;
/// Differing items beyond which the statistic is taken for normal, with a correction for continuity.
const MANY: u64 = 1000;
/// Standard deviations from its mean beyond which a binomial number is taken never to lie.
const NEVER: f64 = 6.0;

/// Items on which one of two arms alone is right, of all that both answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Discordant {
    pub(super) items: u64,
    /// Items on which the first arm alone is right.
    pub(super) above: u64,
    /// Items on which the second arm alone is right.
    pub(super) below: u64,
}

impl Discordant {
    pub(super) fn reversed(self) -> Self {
        Self {
            above: self.below,
            below: self.above,
            ..self
        }
    }

    /// Returns the p-value of Δ ≤ threshold against Δ > threshold.
    pub(super) fn p_above(self, threshold: f64) -> f64 {
        let differing = self.above + self.below;
        if differing < DIFFERING as u64 {
            return 1.0;
        }
        if differing > MANY {
            let corrected = statistic(self.items, self.above, self.below, threshold, 1.0);
            return upper_tail(corrected, f64::INFINITY);
        }
        let seen = statistic(self.items, self.above, self.below, threshold, 0.0);
        let items = self.items as f64;
        let shares = of_share(
            differing as f64 / items,
            differing_units(self.items),
            1.0 - BEYOND,
        );
        // Items differ at least as often as the means do.
        let low = shares.lower.max(threshold.abs());
        let high = shares.upper.max(low).min(1.0 - 1e-12);
        let wide = |share: f64| NEVER * (items * share * (1.0 - share)).sqrt() + NEVER;
        let first = fiesta_core::whole_u64((items * low - wide(low)).max(DIFFERING as f64));
        let last = fiesta_core::whole_u64((items * high + wide(high)).min(items));
        let least: Vec<(u64, u64)> = (first..=last)
            .map(|differing| (differing, least(self.items, differing, threshold, seen)))
            .collect();
        let probability = |share: f64| -> f64 {
            let of_items = Binomial::new(share, self.items).expect("a probability");
            let right = (0.5 * (1.0 + threshold / share)).clamp(0.0, 1.0);
            let of_each = least.iter().filter(|(differing, least)| least <= differing);
            of_each
                .map(|&(differing, least)| {
                    of_items.pmf(differing) * at_least(least, differing, right)
                })
                .sum()
        };
        let step = (high - low) / f64::from(SHARES - 1);
        let of_shares = (0..SHARES).map(|at| probability(low + f64::from(at) * step));
        (of_shares.fold(0.0, f64::max) + BEYOND).min(1.0)
    }
}

fn differing_units(items: u64) -> usize {
    usize::try_from(items).unwrap_or(usize::MAX)
}

/// Returns P(X ≥ least) of X ~ Binomial(n, p).
fn at_least(least: u64, n: u64, p: f64) -> f64 {
    if least == 0 {
        return 1.0;
    }
    beta_reg(least as f64, (n - least) as f64 + 1.0, p)
}

/// Returns for how many of the differing items the first arm has to be right, so that the statistic
/// is at least as large as seen; one more than there are if none suffices.
fn least(items: u64, differing: u64, threshold: f64, seen: f64) -> u64 {
    let suffices =
        |above: u64| statistic(items, above, differing - above, threshold, 0.0) >= seen - 1e-9;
    let (mut from, mut to) = (0, differing + 1);
    while from < to {
        let middle = u64::midpoint(from, to);
        if middle > differing || suffices(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    to
}

/// Returns Tango's statistic (b − c − nδ)/√(n(2q + δ(1 − δ))), with the most probable share q of
/// items of the second arm alone where Δ = δ.
fn statistic(items: u64, above: u64, below: u64, delta: f64, continuity: f64) -> f64 {
    let (n, b, c) = (items as f64, above as f64, below as f64);
    let half = (2.0 * n - b + c) * delta - b - c;
    let product = c * delta * (1.0 - delta);
    let q = ((half * half + 8.0 * n * product).max(0.0).sqrt() - half) / (4.0 * n);
    let variance = n * (2.0 * q + delta * (1.0 - delta));
    if variance <= 1e-12 {
        return 0.0;
    }
    (b - c - n * delta - continuity) / variance.sqrt()
}

#[cfg(test)]
pub(super) fn z(items: u64, above: u64, below: u64, delta: f64) -> f64 {
    statistic(items, above, below, delta, 0.0)
}
