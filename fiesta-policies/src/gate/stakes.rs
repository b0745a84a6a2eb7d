//! The share of the wealth that is staked on the next difference.

use crate::stopping::anytime::bets::Hypothesis;

/// Prior of the stakes before the first answer: 2 of 40 items differ, by the whole range.
const PRIOR: (f64, f64) = (2.0, 40.0);
/// Supposed distance of the mean beyond the threshold, in units of the threshold.
const BEYOND: f64 = 1.6;
/// Evidence in nats that a stake aims at within the next n + [`AHEAD`] differences, after n of them.
const NATS: f64 = 1.5;
/// Number of differences that a stake looks ahead, beside the number of differences so far.
const AHEAD: f64 = 100.0;
/// The greatest share of the wealth that is staked, below 1 so that a lost bet leaves something to bet with.
const GREATEST: f64 = 0.98;

/// Differences so far, as far as a stake follows them: how often versions differ, and by how much.
///
/// With A = Σ|d| + 2R and Q = Σd² + 2R² over n differences the typical size is s = Q/A, and the share
/// of differences of this size is ρ = A²/(Q(n + 40)), so that ρs² is their mean square. Of zeros and
/// ones s = 1, and ρ is a shrunk share of the items that differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stakes {
    count: f64,
    sizes: f64,
    squares: f64,
}

impl Stakes {
    /// Returns the stakes before the first difference; differences can lie `range` away from 0.
    pub(super) fn new(range: f64) -> Self {
        Self {
            count: 0.0,
            sizes: PRIOR.0 * range,
            squares: PRIOR.0 * range * range,
        }
    }

    /// Takes one more difference into account.
    pub(super) fn push(&mut self, difference: f64) {
        self.count += 1.0;
        self.sizes += difference.abs();
        self.squares += difference * difference;
    }

    /// Returns the stake λ with the greatest expected growth E ln(1 + λy), y = (d − c)/(R + c), if
    /// the next difference d is −s, 0 or s, differs from 0 with probability ρ, and has the mean
    /// c + g.
    ///
    /// The gap g is the greater of 1.6·|threshold| and s√(1.5ρ/(n + 100)), times the ratio of all
    /// items to those that are left.
    pub(super) fn share(
        self,
        hypothesis: Hypothesis,
        centre: f64,
        threshold: f64,
        all_to_left: f64,
    ) -> f64 {
        let size = self.squares / self.sizes;
        let rate = (self.sizes / size / (self.count + PRIOR.1)).min(1.0);
        let detectable = size * (NATS * rate / (self.count + AHEAD)).sqrt();
        let gap = detectable.max(BEYOND * threshold.abs()) * all_to_left;
        let room = hypothesis.range + centre;
        let lean = ((centre + gap) / size).clamp(-rate, rate);
        let part = |probability: f64, difference: f64| (probability, (difference - centre) / room);
        growth_optimal([
            part(f64::midpoint(rate, lean), size),
            part(1.0 - rate, 0.0),
            part(f64::midpoint(rate, -lean), -size),
        ])
    }
}

/// Returns the λ that maximises Σ p·ln(1 + λv) over three outcomes (p, v), at most [`GREATEST`]: the
/// least root of the derivative's numerator, a square polynomial in λ.
fn growth_optimal(outcomes: [(f64, f64); 3]) -> f64 {
    let [(p, u), (q, v), (r, w)] = outcomes;
    let constant = p * u + q * v + r * w;
    if constant <= 0.0 {
        return 0.0;
    }
    let linear = p * u * (v + w) + q * v * (u + w) + r * w * (u + v);
    let square = u * v * w * (p + q + r);
    let root = (linear * linear - 4.0 * square * constant).sqrt();
    let share = 2.0 * constant / (root - linear);
    // Without a root the growth increases with the stake.
    if share >= 0.0 {
        share.min(GREATEST)
    } else {
        GREATEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that no other stake grows faster, and that a bet without a gain in the mean is not made.
    #[test]
    fn no_other_stake_grows_faster() {
        for outcomes in [
            [(0.04, 1.04), (0.94, 0.02), (0.02, -0.96)],
            [(0.3, 0.4), (0.5, -0.02), (0.2, -0.44)],
            [(0.0, 1.0), (0.99, 0.03), (0.01, -1.0)],
        ] {
            let share = growth_optimal(outcomes);
            let growth = |share: f64| {
                let parts = outcomes.iter().map(|(p, v)| p * (share * v).ln_1p());
                parts.sum::<f64>()
            };
            assert!(share > 0.01 && share < GREATEST, "{share}");
            for other in [share - 1e-3, share + 1e-3] {
                assert!(growth(other) < growth(share), "{outcomes:?} {other}");
            }
        }
        assert!(growth_optimal([(0.1, 1.0), (0.8, 0.0), (0.1, -1.0)]) == 0.0);
        assert!(growth_optimal([(0.1, 1.0), (0.9, 0.1), (0.0, -1.0)]) == GREATEST);
    }

    /// Tests that the stake is the smaller, the more often versions differ.
    #[test]
    fn stakes_follow_what_differed() {
        let hypothesis = Hypothesis {
            range: 1.0,
            items: None,
            mean: -0.02,
        };
        let share = |every: u32| {
            let mut stakes = Stakes::new(1.0);
            for item in 0..200 {
                let differs = item % every == 0;
                stakes.push(f64::from(u8::from(differs)) * if item % 2 == 0 { 1.0 } else { -1.0 });
            }
            stakes.share(hypothesis, -0.02, -0.02, 1.0)
        };
        let shares = [101, 21, 5, 1].map(share);
        assert!(
            shares.is_sorted_by(|a, b| a > b) && shares[3] < 0.1,
            "{shares:?}"
        );
    }
}
