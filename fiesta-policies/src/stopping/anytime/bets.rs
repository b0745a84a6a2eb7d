//! Wealth of a gambler on bounded differences.

/// The shares of the wealth that are staked, one gambler each.
///
/// Halves of halves: of any share between 1/64 and 1, the nearest is off by a factor of at most √2.
pub(super) const SHARES: [f64; 7] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.031_25, 0.015_625];

/// Evidence that a mean is positive, from values y between −1 and 1: the mean wealth of gamblers
/// who began with 1 and stake the shares λ of [`SHARES`], M = Σ_λ w·Π(1 + λy) with equal weights w.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bets {
    /// ln of each gambler's wealth.
    wealth: [f64; SHARES.len()],
}

impl Bets {
    /// Takes one more value into account; ln M.
    pub(super) fn push(&mut self, value: f64) -> f64 {
        // Rounding could take a difference of the bounds themselves a little further.
        let value = value.clamp(-1.0, 1.0);
        for (wealth, share) in self.wealth.iter_mut().zip(SHARES) {
            *wealth += (share * value).ln_1p();
        }
        let most = self
            .wealth
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.wealth.iter().map(|one| (one - most).exp()).sum();
        most + (sum / SHARES.len() as f64).ln()
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

    /// What is lost to the best single share after many equal values is the weight, at most.
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
        let least = best - (SHARES.len() as f64).ln();
        assert!(last > least - 0.5 && last < best + 1e-9, "{last}, {best}");
    }
}
