//! Pools whose answers vary when asked again: some are replaced by fair coins.

use super::OfArm;
use fiesta_core::{ArmId, Arms, Case, Design, Streams, bisect};
use fiesta_policies::simulate::{Observations, Problem, RecordedItems};

/// Recorded answers, each replaced by 0 or 1, equally likely, with a probability ω: an item's
/// expected answer is (1 − ω)·y + ω/2, so that the best arm stays the best.
pub(crate) struct Varying<'a> {
    recorded: &'a RecordedItems,
    probability: f64,
}

impl<'a> Varying<'a> {
    /// Returns answers that vary, with an ω such that `share` of the variance of all answers of
    /// `arms`, on average, is within items.
    pub(crate) fn new(recorded: &'a RecordedItems, arms: &[OfArm], share: f64) -> Self {
        let (enough, _) = bisect(0.0, 1.0, |omega| noise_share(arms, omega) < share);
        let probability = if share > 0.0 { enough } else { 0.0 };
        Self {
            recorded,
            probability,
        }
    }

    /// Returns the ratio between a difference of two expected means and the same difference of
    /// recorded means.
    pub(crate) fn scale(&self) -> f64 {
        1.0 - self.probability
    }
}

/// Returns the share of the variance within items, in the mean over arms.
fn noise_share(arms: &[OfArm], omega: f64) -> f64 {
    let of_arm = |(_, answers): &OfArm| {
        let (mut within, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (_, answer) in answers {
            let expected = (1.0 - omega) * answer + omega / 2.0;
            let square = (1.0 - omega) * answer * answer + omega / 2.0;
            within += square - expected * expected;
            sum += expected;
            squares += square;
        }
        let count = answers.len() as f64;
        let total = squares / count - (sum / count).powi(2);
        if total > 0.0 {
            within / count / total
        } else {
            1.0
        }
    };
    arms.iter().map(of_arm).sum::<f64>() / arms.len() as f64
}

impl Problem<f64> for Varying<'_> {
    fn arms(&self) -> &Arms {
        self.recorded.arms()
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        self.scale() * self.recorded.shortfall(arm)
    }

    fn mean_duration(&self, arm: ArmId) -> f64 {
        self.recorded.mean_duration(arm)
    }

    fn standardised(&self, arm: ArmId, answer: f64) -> f64 {
        self.recorded.standardised(arm, answer)
    }

    fn observations(
        &self,
        design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations<f64> + '_> {
        Box::new(Drawn {
            inner: self.recorded.observations(design, streams, number),
            probability: self.probability,
        })
    }
}

struct Drawn<'a> {
    inner: Box<dyn Observations<f64> + 'a>,
    probability: f64,
}

/// Bound below which the seeds of cases lie.
const SEEDS: f64 = (1_u64 << 31) as f64;

impl Observations<f64> for Drawn<'_> {
    fn observe(&mut self, arm: ArmId, case: Case) -> f64 {
        // The seed is uniform, of this arm, item and repeat alone.
        let u = case.seed as f64 / SEEDS;
        if u >= self.probability {
            return self.inner.observe(arm, case);
        }
        f64::from(u8::from(u < 0.5 * self.probability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests answers that are right on 60 of 100 items: with ω = .2 expected .58, of which .9·.1
    /// vary within items.
    #[test]
    fn the_share_of_noise() {
        let answers = (0..100).map(|item| (item.to_string(), f64::from(u8::from(item < 60))));
        let arms = [("a".to_owned(), answers.collect())];
        assert!((noise_share(&arms, 0.2) - 0.09 / (0.58 * 0.42)).abs() < 1e-12);
        assert!(noise_share(&arms, 0.0).abs() < 1e-12);
        assert!((noise_share(&arms, 1.0) - 1.0).abs() < 1e-12);
    }
}
