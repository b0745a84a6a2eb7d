//! Proven budget of sequential halving.

/// The complexity H₂ of sequential halving, and the error that it bounds.
///
/// With the rivals ordered from the closest, i = 2, …, K, with gaps Δ_i to the best arm and
/// standard deviations s_i of the difference of one score of each:
///
/// H₂ = max_i i·s_i²/Δ_i², P(error at a budget of T) ≤ 3 L exp(−T/(8 H₂ L)), L = ⌈log₂ K⌉.
///
/// The proof rests on P(a rival's mean of n scores is higher) ≤ exp(−n Δ²/(2s²)), which holds for
/// scores within \[0, 1\] with s = 1 (the original) and for Gaussian scores with s_i² = σ_b² +
/// σ_i², or the variance of a paired difference. The bound is crude: the budget it asks for is
/// several times what the policy takes.
///
/// Sources: Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits" (ICML
/// 2013), theorem 4.1; FIESTA states its complexity this way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalvingBound {
    /// The complexity H₂, in evaluations.
    pub h2: f64,
    arms: usize,
}

impl HalvingBound {
    /// Returns the bound for these rivals of the best arm, each with its gap and the standard
    /// deviation of its difference. `None` without a rival, or with a gap that is not positive.
    ///
    /// ```
    /// use fiesta_policies::plan::HalvingBound;
    ///
    /// let bound = HalvingBound::new([(0.1, 0.1), (0.2, 0.1), (0.1, 0.1)]).unwrap();
    /// assert_eq!(bound.h2, 3.0); // 2/1, 3/1, 4/4
    /// assert!((bound.error(bound.budget(0.05)) - 0.05).abs() < 1e-12);
    /// ```
    pub fn new(rivals: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let mut ratios: Vec<f64> = rivals.into_iter().map(|(gap, sd)| gap / sd).collect();
        if ratios.is_empty() || !ratios.iter().all(|&ratio| ratio > 0.0) {
            return None;
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let h2 = ratios
            .iter()
            .zip(2_u32..)
            .map(|(ratio, i)| f64::from(i) / (ratio * ratio))
            .fold(0.0, f64::max);
        Some(Self {
            h2,
            arms: ratios.len() + 1,
        })
    }

    /// Returns L = ⌈log₂ K⌉, the number of rounds.
    pub fn rounds(&self) -> u32 {
        self.arms.next_power_of_two().ilog2()
    }

    /// Returns the bound on the probability of an error with a budget of `budget` evaluations, 1
    /// where it says nothing.
    pub fn error(&self, budget: f64) -> f64 {
        let rounds = f64::from(self.rounds());
        (3.0 * rounds * (-budget / (8.0 * self.h2 * rounds)).exp()).min(1.0)
    }

    /// Returns the least budget whose error is bounded by `delta`: 8 H₂ L ln(3L/δ), and no less
    /// than the K·L evaluations that the policy takes.
    pub fn budget(&self, delta: f64) -> f64 {
        let rounds = f64::from(self.rounds());
        (8.0 * self.h2 * rounds * (3.0 * rounds / delta).ln()).max(self.arms as f64 * rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hardest_rank_counts_and_not_the_order() {
        // Effects .5, 1, 1, 2: 2/.25, 3/1, 4/1, 5/4.
        let bound = HalvingBound::new([(2.0, 1.0), (0.5, 1.0), (1.0, 1.0), (3.0, 3.0)]).unwrap();
        assert!((bound.h2 - 8.0).abs() < 1e-12);
        assert_eq!(bound.rounds(), 3);
        for delta in [0.2, 0.05, 0.001] {
            let budget = bound.budget(delta);
            assert!((bound.error(budget) / delta - 1.0).abs() < 1e-9);
            assert!((budget - 8.0 * 8.0 * 3.0 * (9.0 / delta).ln()).abs() < 1e-9);
        }
        assert!((bound.error(10.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn easy_problems_still_take_a_score_of_each_arm_a_round() {
        let bound = HalvingBound::new([(1.0, 1e-6), (1.0, 1e-6)]).unwrap();
        assert!((bound.budget(0.05) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_gap_there_is_none() {
        assert_eq!(HalvingBound::new([]), None);
        assert_eq!(HalvingBound::new([(0.0, 1.0)]), None);
        assert_eq!(HalvingBound::new([(f64::NAN, 1.0)]), None);
    }
}
