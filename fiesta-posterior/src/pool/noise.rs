//! Variance of an arm's answers to the same item, from items that it was asked again.

/// Degrees of freedom that the prior of all arms' noise is worth, at which all that varies is
/// noise.
const PRIOR: f64 = 2.0;
/// Degrees of freedom that the noise of all arms is worth in the estimate of one arm's noise.
const POOLED: f64 = 8.0;

/// Noise of a pool's answers: how much they vary when asked again, for each arm and for all together.
///
/// A cell is an arm's answers to one item, r of them with the mean ȳ. The mean square within the
/// cells of an arm, SS_k/df_k with df_k = Σ(r − 1), estimates the mean variance of its answers to
/// an item whatever that variance is (one-way analysis of variance). Few cells that agree are no
/// proof that answers do not vary: the share of noise in the variance S²_k of the arm's answers is
/// estimated over all arms, with a prior of 2 degrees of freedom at which all is noise, and joins
/// an arm's own estimate with 8:
/// ```text
/// ρ = min(1, (Σ_k SS_k/S²_k + 2) / (Σ_k df_k + 2)),   σ²_k = (SS_k + 8·ρ·S²_k) / (df_k + 8)
/// ```
#[derive(Debug, Clone)]
pub(super) struct Noise {
    arms: usize,
    /// How many answers an arm gave to an item, at item·K + arm.
    asked: Vec<u32>,
    /// Half of the scale in which an arm's first answer to an item lies; it decides which rivals
    /// are asked the item.
    first: Vec<u8>,
    of_arm: Vec<OfArm>,
    /// Variance σ²_k of each arm, as of the latest answer.
    variance: Vec<f64>,
}

/// Sums of one arm over all of its answers, repeats included.
#[derive(Debug, Clone, Copy, Default)]
struct OfArm {
    answers: f64,
    sum: f64,
    squares: f64,
    cells: f64,
    /// Sum of 1/r over the cells.
    inverse: f64,
    within: f64,
    freedom: f64,
}

impl OfArm {
    /// Returns the variance S² of the arm's answers; a quarter is added so that a few equal answers
    /// do not make it 0.
    fn variance(&self) -> f64 {
        let around = self.squares - self.sum * self.sum / self.answers.max(1.0);
        (around.max(0.0) + 0.25) / (self.answers + 1.0)
    }
}

/// The noise of the difference between two arms' answers to an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OfPair {
    /// The variance of the difference between two arms' mean answers to an item.
    pub(super) variance: f64,
    /// Harmonic mean number of an arm's answers to an item.
    pub(super) rounds: f64,
}

impl OfPair {
    /// Noise of answers that do not vary.
    pub(super) const NONE: Self = Self {
        variance: 0.0,
        rounds: 1.0,
    };
}

/// The noise of one arm.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WithinItem {
    /// The standard deviation of an arm's answers to the same item, in the unit of the scores: the
    /// estimate that [`Pool`](super::Pool) uses, with its prior.
    pub sd: f64,
    /// Standard deviation from the repeats of this arm alone, √(SS/df). `None` before the first.
    pub observed_sd: Option<f64>,
    /// How many answers repeat an item, df.
    pub repeats: u64,
    /// The share of noise in the variance of all of the arm's answers, with the prior, σ²/S².
    pub share: f64,
}

impl Noise {
    pub(super) fn new(arms: usize, items: usize) -> Self {
        let cells = arms.saturating_mul(items);
        Self {
            arms,
            asked: vec![0; cells],
            first: vec![0; cells],
            of_arm: vec![OfArm::default(); arms],
            variance: vec![0.25; arms],
        }
    }

    /// Returns how many answers an arm gave to an item.
    pub(super) fn asked(&self, item: usize, arm: usize) -> u32 {
        let asked = self.asked.get(item * self.arms + arm);
        asked.copied().unwrap_or_default()
    }

    /// Returns the outcome of an arm's first answer to an item.
    pub(super) fn outcome(&self, item: usize, arm: usize) -> usize {
        usize::from(self.first[item * self.arms + arm])
    }

    /// Adds an answer to an item whose answers so far have this mean, and returns the new mean.
    pub(super) fn add(&mut self, item: usize, arm: usize, mean: f64, answer: f64) -> f64 {
        let place = item * self.arms + arm;
        let before = f64::from(self.asked[place]);
        self.asked[place] += 1;
        let count = f64::from(self.asked[place]);
        let own = &mut self.of_arm[arm];
        own.answers += 1.0;
        own.sum += answer;
        own.squares += answer * answer;
        own.inverse += 1.0 / count;
        let mean = if before > 0.5 {
            own.inverse -= 1.0 / before;
            own.freedom += 1.0;
            own.within += (answer - mean) * (answer - mean) * before / count;
            mean + (answer - mean) / count
        } else {
            own.cells += 1.0;
            self.first[place] = u8::from(super::pair::outcome(answer) == 1);
            answer
        };
        let share = self.share();
        for (variance, of_arm) in self.variance.iter_mut().zip(&self.of_arm) {
            let prior = POOLED * share * of_arm.variance();
            *variance = (of_arm.within + prior) / (of_arm.freedom + POOLED);
        }
        mean
    }

    /// Returns the share ρ of noise in the variance of all arms' answers.
    fn share(&self) -> f64 {
        let (mut within, mut freedom) = (PRIOR, PRIOR);
        for of_arm in &self.of_arm {
            within += of_arm.within / of_arm.variance();
            freedom += of_arm.freedom;
        }
        (within / freedom).min(1.0)
    }

    /// Returns the variance of the mean of an arm's answers to an item: σ²_k times the mean of 1/r.
    pub(super) fn of_cell(&self, arm: usize) -> f64 {
        self.variance[arm] * self.inverse(arm)
    }

    fn inverse(&self, arm: usize) -> f64 {
        let own = &self.of_arm[arm];
        if own.cells > 0.5 {
            own.inverse / own.cells
        } else {
            1.0
        }
    }

    pub(super) fn of_pair(&self, one: usize, other: usize) -> OfPair {
        OfPair {
            variance: self.of_cell(one) + self.of_cell(other),
            rounds: 2.0 / (self.inverse(one) + self.inverse(other)),
        }
    }

    /// Returns the noise of an arm's answers, on a scale of the length `range`.
    pub(super) fn within(&self, arm: usize, range: f64) -> WithinItem {
        let own = &self.of_arm[arm];
        let observed = (own.freedom > 0.5).then(|| (own.within / own.freedom).sqrt() * range);
        let repeats = fiesta_core::whole_u64(own.freedom);
        WithinItem {
            sd: self.variance[arm].sqrt() * range,
            observed_sd: observed,
            repeats,
            share: (self.variance[arm] / own.variance()).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the noise of two arms, the first of which gave these answers to these items.
    fn noise(cells: &[(usize, &[f64])]) -> Noise {
        let mut noise = Noise::new(2, 10);
        for &(item, answers) in cells {
            let mut mean = f64::NAN;
            for &answer in answers {
                mean = noise.add(item, 0, mean, answer);
            }
            let expected = answers.iter().sum::<f64>() / answers.len() as f64;
            assert!((mean - expected).abs() < 1e-12);
        }
        noise
    }

    /// Tests that the mean square within cells is as Python's `statistics` has it of the same
    /// cells: `sum(pvariance(y) * len(y) for y in cells) / sum(len(y) - 1 for y in cells)`, and S²
    /// as `(pvariance(y) * len(y) + .25) / (len(y) + 1)` of all answers y.
    #[test]
    fn the_mean_square_within_cells_is_that_of_an_analysis_of_variance() {
        let found = noise(&[(0, &[0.2, 0.5]), (3, &[0.9]), (7, &[0.1, 0.4, 0.7, 0.3])]);
        let within = found.within(0, 1.0);
        assert_eq!(within.repeats, 4);
        let mean_square = 0.058_125;
        assert!((within.observed_sd.unwrap().powi(2) - mean_square).abs() < 1e-12);
        let variance = 0.090_892_857_142_857_14;
        assert!((found.of_arm[0].variance() - variance).abs() < 1e-12);
        let share = (4.0 * mean_square / variance + 2.0) / 6.0;
        let expected = (4.0 * mean_square + 8.0 * share * variance) / 12.0;
        assert!((within.sd.powi(2) - expected).abs() < 1e-12);
        // Σ 1/r = 1/2 + 1 + 1/4, of three cells.
        assert!((found.of_cell(0) - expected * 1.75 / 3.0).abs() < 1e-12);
        assert!((found.within(0, 4.0).sd - 4.0 * within.sd).abs() < 1e-12);
    }

    /// Tests that few equal answers are no proof. Without a repeat all variance may be noise, a
    /// handful of equal pairs leaves some noise, and many leave nearly none.
    #[test]
    fn few_equal_answers_are_no_proof() {
        let halves = |pairs: usize| {
            let mut noise = Noise::new(1, 400);
            for item in 0..400 {
                let answer = f64::from(u8::from(item % 2 == 0));
                noise.add(item, 0, f64::NAN, answer);
                if item < pairs {
                    noise.add(item, 0, answer, answer);
                }
            }
            noise.within(0, 1.0)
        };
        assert!(halves(0).share > 0.999 && halves(0).observed_sd.is_none());
        assert!((0.4..0.7).contains(&halves(1).share), "{:?}", halves(1));
        assert!((0.1..0.25).contains(&halves(5).share), "{:?}", halves(5));
        let many = halves(100);
        assert!(many.share > 0.0 && many.share < 0.01, "{many:?}");
        assert_eq!((many.observed_sd, many.repeats), (Some(0.0), 100));
    }

    /// Tests answers that are all noise: half of the pairs of fair coins differ.
    #[test]
    fn all_noise() {
        let mut noise = Noise::new(1, 200);
        for item in 0..200 {
            let first = f64::from(u8::from(item % 2 == 0));
            let second = f64::from(u8::from(item % 4 < 2));
            noise.add(item, 0, f64::NAN, first);
            noise.add(item, 0, first, second);
        }
        let within = noise.within(0, 1.0);
        assert!(
            (within.sd - 0.5).abs() < 0.01 && within.share > 0.95,
            "{within:?}"
        );
        assert!((noise.of_pair(0, 0).rounds - 2.0).abs() < 1e-12);
        assert_eq!(noise.asked(3, 0), 2);
        assert_eq!(noise.outcome(2, 0), 1);
    }
}
