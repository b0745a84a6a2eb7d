//! Wealth of a gambler on bounded differences.

use fiesta_core::greatest;

/// The share λ of its wealth that each gambler stakes, and the wealth with which it begins.
///
/// Large shares for differences that vary little beside the bounds, small ones for small effects.
/// Measured beside bets on the mean and variance so far (aGRAPA, at most .75): as many values or
/// fewer on zeros and ones and on narrow Gaussian differences.
const BETS: [(f64, f64); 5] = [(1.0, 0.4), (0.6, 0.2), (0.3, 0.2), (0.12, 0.1), (0.05, 0.1)];

/// Hypothesis that bets are made against: the mean of differences is at most `mean`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hypothesis {
    /// Greatest distance R of a difference below 0.
    pub(crate) range: f64,
    /// Number N of all differences, each of which comes once. `None` if the differences have no end.
    pub(crate) items: Option<u64>,
    /// The greatest mean under the hypothesis, of all N differences if there is an N.
    pub(crate) mean: f64,
}

impl Hypothesis {
    /// Returns c, the greatest mean of the differences that are left under the hypothesis, after
    /// `count` of them with this sum.
    pub(crate) fn centre(self, count: u64, sum: f64) -> f64 {
        let of_left = |items: u64| {
            let left = items.saturating_sub(count) as f64;
            (items as f64 * self.mean - sum) / left
        };
        self.items.map_or(self.mean, of_left)
    }

    /// Returns what a bet of the whole wealth on the next difference d gains, (d − c)/(R + c) ≥ −1:
    /// at most 0 in the mean under the hypothesis. It is ∞ if d shows that the hypothesis is
    /// impossible, and 0 if d is the only difference that it leaves.
    pub(crate) fn value(self, count: u64, sum: f64, difference: f64) -> f64 {
        let centre = self.centre(count, sum);
        let (room, over) = (self.range + centre, difference - centre);
        // Bound on the rounding error of the sum.
        let rounding = self.rounding(count + 1);
        if room > rounding {
            over / room
        } else if room < -rounding || over > rounding {
            f64::INFINITY
        } else {
            0.0
        }
    }

    /// Returns a bound on the rounding error of a sum of `count` differences.
    pub(crate) fn rounding(self, count: u64) -> f64 {
        1e-12 * self.range * count as f64
    }
}

/// Evidence that a mean is greater than supposed, from values y between −1 and 1: the wealth of
/// gamblers who began with w and stake the share λ each, M = Σ w·Π(1 + λy).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bets {
    /// Logarithm of each gambler's wealth, relative to the wealth with which it began.
    wealth: [f64; BETS.len()],
    /// Number of the differences so far, and their sum.
    count: u64,
    sum: f64,
}

impl Bets {
    /// Takes one more difference into account, and returns ln M. It is ∞ once the hypothesis is
    /// impossible, and −∞ once it is known to be true.
    ///
    /// Under the hypothesis the next difference is expected to be at most c = `mean`, and of N that
    /// come once each at most c = (N·mean − Σ so far)/(N − n). With y = min(1, (d − c)/(R + c)), M
    /// is a nonnegative supermartingale.
    pub(super) fn take(&mut self, difference: f64, hypothesis: Hypothesis) -> f64 {
        let value = hypothesis.value(self.count, self.sum, difference);
        self.count += 1;
        self.sum += difference;
        if let Some(items) = hypothesis.items
            && self.count >= items
        {
            let total = items as f64 * hypothesis.mean;
            return if self.sum > total + hypothesis.rounding(self.count) {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
        }
        if value == f64::INFINITY {
            value
        } else {
            self.push(value)
        }
    }

    /// Takes one more value into account, and returns ln M.
    fn push(&mut self, value: f64) -> f64 {
        // Rounding could take a difference of the bounds themselves a little further.
        let value = value.clamp(-1.0, 1.0);
        for (wealth, (share, _)) in self.wealth.iter_mut().zip(BETS) {
            *wealth += (share * value).ln_1p();
        }
        let most = greatest(self.wealth);
        let parts = self.wealth.iter().zip(BETS);
        let sum: f64 = parts
            .map(|(wealth, (_, weight))| weight * (wealth - most).exp())
            .sum();
        most + sum.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests all orders of ten differences whose total is 0, each as likely as the others: the mean
    /// wealth at every time is no more than what one began with, and no bet is lost at the end.
    #[test]
    fn differences_that_come_once_are_fair_bets() {
        let pool = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0];
        let hypothesis = Hypothesis {
            range: 1.0,
            items: Some(10),
            mean: 0.0,
        };
        // By swaps, every order of three kinds: 10!/(3! 4! 3!) = 4200 of them.
        let (mut total, mut orders) = ([0.0; 9], 0.0);
        for code in 0..3_u32.pow(10) {
            let mut counts = [0; 3];
            let mut rest = code;
            let kinds: Vec<usize> = (0..10)
                .map(|_| {
                    let kind = (rest % 3) as usize;
                    rest /= 3;
                    counts[kind] += 1;
                    kind
                })
                .collect();
            if counts != [3, 4, 3] {
                continue;
            }
            let mut bets = Bets::default();
            for (turn, kind) in kinds.into_iter().enumerate() {
                let ln = bets.take(kind as f64 - 1.0, hypothesis);
                if turn < 9 {
                    total[turn] += ln.exp();
                } else {
                    assert!(ln == f64::NEG_INFINITY);
                }
            }
            orders += 1.0;
        }
        assert!((orders - 4200.0_f64).abs() < 0.5 && pool.iter().sum::<f64>() == 0.0);
        for wealth in total {
            assert!(wealth / orders < 1.0 + 1e-9, "{}", wealth / orders);
        }
    }

    /// Tests that M of values in {−1, 1}, each equally likely, has mean 1 over all series of 10
    /// values, and is never below 0.
    #[test]
    fn the_mean_wealth_of_fair_bets_is_what_one_began_with() {
        let mut total = 0.0;
        for series in 0..1024_u32 {
            let mut bets = Bets::default();
            let ln = (0..10).fold(0.0, |_, turn| {
                bets.push(if series >> turn & 1 == 1 { 1.0 } else { -1.0 })
            });
            assert!(!ln.is_nan());
            total += ln.exp();
        }
        assert!((total / 1024.0 - 1.0).abs() < 1e-12, "{total}");
    }

    /// Tests that the gamblers lose to the best single share little more than ln of the least weight.
    #[test]
    fn the_best_share_is_nearly_reached() {
        let values = [0.5, -0.2, 0.3, 0.1, -0.1];
        let mut bets = Bets::default();
        let mut last = 0.0;
        for value in values.iter().cycle().take(200) {
            last = bets.push(*value);
        }
        let of = |share: f64| values.iter().map(|v| (share * v).ln_1p()).sum::<f64>() * 40.0;
        let best = (1..=100)
            .map(|step| of(f64::from(step) / 100.0))
            .fold(0.0, f64::max);
        assert!(
            last > best + 0.1_f64.ln() - 0.5 && last < best,
            "{last}, {best}"
        );
    }
}
