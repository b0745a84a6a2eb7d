//! Wealth of a gambler on bounded differences.

/// The shares λ of the wealth that are staked, one gambler each, and what each begins with.
///
/// Large shares for differences that vary little beside the bounds, small ones for small effects.
/// Measured beside bets on the mean and variance so far (aGRAPA, at most .75): as many values or
/// fewer on zeros and ones and on narrow Gaussian differences.
const BETS: [(f64, f64); 5] = [(1.0, 0.4), (0.6, 0.2), (0.3, 0.2), (0.12, 0.1), (0.05, 0.1)];

/// Evidence that a mean is positive, from values y between −1 and 1: the wealth of gamblers
/// who began with w and stake the share λ each, M = Σ w·Π(1 + λy).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bets {
    /// ln of each gambler's wealth, in what it began with.
    wealth: [f64; BETS.len()],
}

impl Bets {
    /// Takes one more value into account; ln M.
    pub(super) fn push(&mut self, value: f64) -> f64 {
        // Rounding could take a difference of the bounds themselves a little further.
        let value = value.clamp(-1.0, 1.0);
        for (wealth, (share, _)) in self.wealth.iter_mut().zip(BETS) {
            *wealth += (share * value).ln_1p();
        }
        let most = self
            .wealth
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
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

    /// M of values in {−1, 1}, each equally likely, has mean 1: over all series of 10, and never
    /// less than 0.
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

    /// What is lost to the best single share is little more than ln of the least weight.
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
