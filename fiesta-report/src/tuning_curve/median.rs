//! The median of the best of n.

use super::trial_scores::TrialScores;

impl TrialScores {
    /// Returns the median of the best of n trials of the empirical distribution: the smallest score
    /// x with F(x)ⁿ ≥ ½, F(x_i) = i/B; none for n = 0. Where smaller is better, the largest score
    /// with as much above it.
    ///
    /// It is a score that was observed, and moves with every monotone change of scale as the scores
    /// do.
    ///
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_report::tuning_curve::TrialScores;
    ///
    /// let sample = TrialScores::new([0.1, 0.2, 0.4], Direction::Maximize)?;
    /// assert_eq!(sample.median_of(1), Some(0.2));
    /// assert_eq!(sample.median_of(2), Some(0.4)); // (2/3)² < 1/2
    /// # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
    /// ```
    pub fn median_of(&self, n: u64) -> Option<f64> {
        (n > 0).then(|| {
            let rank = (median_level(n) * self.count() as f64).ceil();
            let rank = fiesta_core::whole(rank).clamp(1, self.count());
            self.direction().orient(self.oriented()[rank - 1])
        })
    }

    /// Returns the median of the best of n = 1, …, `up_to` trials.
    pub fn median_curve(&self, up_to: usize) -> Vec<f64> {
        (1..=up_to as u64)
            .filter_map(|n| self.median_of(n))
            .collect()
    }
}

/// Returns (½)^{1/n}: the level of the distribution at which the median of the best of n stands.
pub(crate) fn median_level(n: u64) -> f64 {
    (-1.0 / n as f64).exp2()
}
