//! Instance of a problem: means and variances, guessed or estimated from pilot scores.

use super::{HalvingBound, PowerError, TTest};
use fiesta_core::{Arms, ArmsError, Design, Moments, highest};
use std::collections::BTreeMap;

/// Arms with supposed means and standard deviations.
///
/// On shared splits a score is y = μ_a + β_split + e, where the split's effect β ~ N(0, τ²) is
/// common to all arms and e ~ N(0, v_a) is not. Scores then have the variance τ² + v_a, but
/// differences of arms only v_a + v_j: the v_a are *residual*. On independent splits a score's
/// whole variance is residual.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    means: Vec<f64>,
    sds: Vec<f64>,
    residual_sds: Vec<f64>,
    split_sd: f64,
    /// Standard deviation of the best arm's score minus each arm's; 0 for the best arm.
    difference_sds: Vec<f64>,
    best: usize,
    design: Design,
}

/// The reason why no arms can be supposed for a plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// Fewer than two arms are supposed.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// The two best arms have the same mean.
    #[error("the two best arms have the same mean: no number of evaluations tells which is better")]
    Tie,
    /// The mean or standard deviation of an arm is out of range.
    #[error(
        "arm {arm} has mean {mean} and standard deviation {sd}: both must be finite, the latter above 0"
    )]
    Moments {
        /// The number of the arm, from 1.
        arm: usize,
        /// The refused mean of the arm.
        mean: f64,
        /// The refused standard deviation of the arm.
        sd: f64,
    },
    /// The standard deviation between splits is below 0, or not below that of the scores.
    #[error(
        "the standard deviation {split_sd} between splits must be at least 0 and below that of the scores, {sd}"
    )]
    SplitSd {
        /// The refused standard deviation between splits.
        split_sd: f64,
        /// The least standard deviation of a score.
        sd: f64,
    },
    /// An arm has too few scores to estimate a standard deviation.
    #[error("arm {arm} has {scores} scores: estimating a standard deviation takes at least 2")]
    TooFew {
        /// The number of the arm, from 1.
        arm: usize,
        /// Number of scores of the arm.
        scores: usize,
    },
    /// The arms share too few splits to separate splits from arms.
    #[error(
        "the arms do not share enough splits to tell what the splits do: give more scores on common splits, or plan with independent splits"
    )]
    Apart,
}

impl Instance {
    /// Returns arms with these means and standard deviations of a score, of which `split_sd` is
    /// between splits. On independent splits the latter makes no difference.
    ///
    /// # Errors
    /// [`InstanceError`] for fewer than two arms, equal best arms, or standard deviations that are
    /// out of range.
    pub fn new(
        moments: &[(f64, f64)],
        split_sd: f64,
        design: Design,
    ) -> Result<Self, InstanceError> {
        Arms::new((1..=moments.len()).map(|arm| arm.to_string()))?;
        let least = moments
            .iter()
            .map(|&(_, sd)| sd)
            .fold(f64::INFINITY, f64::min);
        if !(split_sd >= 0.0 && (split_sd < least || split_sd == 0.0)) {
            return Err(InstanceError::SplitSd {
                split_sd,
                sd: least,
            });
        }
        let (means, sds): (Vec<f64>, Vec<f64>) = moments.iter().copied().unzip();
        let common = if design == Design::Independent {
            0.0
        } else {
            split_sd
        };
        let residual = |sd: &f64| (sd * sd - common * common).sqrt();
        let residual_sds = sds.iter().map(residual).collect();
        Self::checked(means, sds, residual_sds, common, design)
    }

    /// Returns the estimates from independent scores of each arm: sample means and standard
    /// deviations.
    ///
    /// # Errors
    /// [`InstanceError`] for fewer than two arms, an arm with fewer than two scores or without
    /// spread, or equal best arms.
    pub fn of_scores(scores: &[Vec<f64>]) -> Result<Self, InstanceError> {
        let moments = moments(scores)?;
        Self::new(&moments, 0.0, Design::Independent)
    }

    /// Returns the estimates from scores on shared splits, each with its split: the least-squares
    /// fit of arms and splits.
    ///
    /// With N scores of K arms on S splits, v_a = (Σ r²/n_a)·N/(N − K − S + 1) from the residuals r
    /// of arm a, and τ² is what the v_a lack to the arms' sample variances, on average. The
    /// standard deviation of the difference between the best arm and a rival is that of their
    /// scores' differences, in order, on the splits that both have seen.
    ///
    /// # Errors
    /// [`InstanceError`] for fewer than two arms, an arm with fewer than two scores or without
    /// spread, equal best arms, or too few common splits.
    pub fn of_shared_scores(scores: &[Vec<(u64, f64)>]) -> Result<Self, InstanceError> {
        let bare: Vec<Vec<f64>> = scores
            .iter()
            .map(|scores| scores.iter().map(|&(_, score)| score).collect())
            .collect();
        let sample = moments(&bare)?;
        let (means, splits) = fit(scores)?;
        let total: usize = scores.iter().map(Vec::len).sum();
        let lost = scores.len() + splits.len() - 1;
        if total <= lost {
            return Err(InstanceError::Apart);
        }
        let factor = total as f64 / (total - lost) as f64;
        let residual_variance = |(arm, scores): (usize, &Vec<(u64, f64)>)| {
            let squares: f64 = scores
                .iter()
                .map(|(split, score)| (score - means[arm] - splits[split]).powi(2))
                .sum();
            squares / scores.len() as f64 * factor
        };
        let variances: Vec<f64> = scores.iter().enumerate().map(residual_variance).collect();
        let excess = |((_, sd), variance): (&(f64, f64), &f64)| sd * sd - variance;
        let between = sample.iter().zip(&variances).map(excess).sum::<f64>() / scores.len() as f64;
        let sds = sample.iter().map(|&(_, sd)| sd).collect();
        let residual_sds = variances.iter().map(|variance| variance.sqrt()).collect();
        let mut instance = Self::checked(
            means,
            sds,
            residual_sds,
            between.max(0.0).sqrt(),
            Design::Shared,
        )?;
        for arm in 0..scores.len() {
            let differences = paired_differences(&scores[instance.best], &scores[arm]);
            if let Some(sd) = differences.standard_deviation()
                && arm != instance.best
                && sd > 0.0
            {
                instance.difference_sds[arm] = sd;
            }
        }
        Ok(instance)
    }

    fn checked(
        means: Vec<f64>,
        sds: Vec<f64>,
        residual_sds: Vec<f64>,
        split_sd: f64,
        design: Design,
    ) -> Result<Self, InstanceError> {
        for (arm, (&mean, &sd)) in means.iter().zip(&residual_sds).enumerate() {
            if !(mean.is_finite() && sd.is_finite() && sd > 0.0) {
                return Err(InstanceError::Moments {
                    arm: arm + 1,
                    mean,
                    sd,
                });
            }
        }
        let best = highest(means.iter().copied());
        if (0..means.len()).any(|arm| arm != best && means[arm] >= means[best]) {
            return Err(InstanceError::Tie);
        }
        let difference = |arm: usize| {
            if arm == best {
                0.0
            } else {
                residual_sds[arm].hypot(residual_sds[best])
            }
        };
        let difference_sds = (0..means.len()).map(difference).collect();
        Ok(Self {
            means,
            sds,
            residual_sds,
            split_sd,
            difference_sds,
            best,
            design,
        })
    }

    /// Returns the mean of each arm.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Returns the standard deviations of a score.
    pub fn sds(&self) -> &[f64] {
        &self.sds
    }

    /// Returns the standard deviations of a score given its split.
    pub fn residual_sds(&self) -> &[f64] {
        &self.residual_sds
    }

    /// Returns the standard deviation τ of the effect that a split has on all arms.
    pub fn split_sd(&self) -> f64 {
        self.split_sd
    }

    /// Returns the best arm's place.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Returns the place of the arm with the second highest mean.
    pub fn second(&self) -> usize {
        let rivals = (0..self.means.len()).filter(|&arm| arm != self.best);
        rivals
            .max_by(|&a, &b| self.means[a].total_cmp(&self.means[b]))
            .unwrap_or(self.best)
    }

    /// Returns how much lower an arm's mean is than that of the best.
    pub fn gap(&self, arm: usize) -> f64 {
        self.means[self.best] - self.means[arm]
    }

    /// Returns the standard deviation of the difference between a score of the best arm and one of
    /// another, on the same split where splits are shared.
    pub fn difference_sd(&self, arm: usize) -> f64 {
        self.difference_sds[arm]
    }

    /// Returns the kind of t-test that compares the arms: a paired one where splits are shared.
    pub fn comparison(&self) -> TTest {
        if self.design == Design::Independent {
            TTest::Unpaired
        } else {
            TTest::Paired
        }
    }

    /// Returns how many evaluations of each arm a one-sided t-test of the best arm against another
    /// takes at level `alpha` and this power.
    ///
    /// # Errors
    /// [`PowerError`] for levels and powers out of range, or if no study is large enough.
    pub fn t_test(&self, arm: usize, alpha: f64, power: f64) -> Result<f64, PowerError> {
        let comparison = self.comparison();
        let of_effect = match comparison {
            TTest::Paired => 1.0,
            // Two samples with unequal variances: the standard deviation of a score that stands for
            // both.
            TTest::Unpaired => std::f64::consts::FRAC_1_SQRT_2,
        };
        comparison.required(
            self.gap(arm) / (self.difference_sd(arm) * of_effect),
            alpha,
            power,
        )
    }

    /// Returns the evaluations of each arm that t-tests of the best arm against all K − 1 others
    /// take, each at level `alpha`/(K − 1). The hardest test decides.
    ///
    /// # Errors
    /// [`PowerError`] for levels and powers out of range, or if no study is large enough.
    pub fn t_tests(&self, alpha: f64, power: f64) -> Result<f64, PowerError> {
        let level = alpha / (self.means.len() - 1) as f64;
        let rivals = (0..self.means.len()).filter(|&arm| arm != self.best);
        rivals
            .map(|arm| self.t_test(arm, level, power))
            .try_fold(0.0, |most: f64, n| Ok(most.max(n?)))
    }

    /// Returns the bound on the errors of sequential halving. `None` if a gap is not positive.
    pub fn halving(&self) -> Option<HalvingBound> {
        let rivals = (0..self.means.len()).filter(|&arm| arm != self.best);
        HalvingBound::new(rivals.map(|arm| (self.gap(arm), self.difference_sd(arm))))
    }
}

/// Returns the sample mean and standard deviation of each arm.
fn moments(scores: &[Vec<f64>]) -> Result<Vec<(f64, f64)>, InstanceError> {
    let of_arm = |(arm, scores): (usize, &Vec<f64>)| {
        let moments: Moments = scores.iter().copied().collect();
        let sd = moments.standard_deviation().filter(|_| scores.len() > 1);
        let too_few = InstanceError::TooFew {
            arm: arm + 1,
            scores: scores.len(),
        };
        Ok((moments.mean(), sd.ok_or(too_few)?))
    };
    scores.iter().enumerate().map(of_arm).collect()
}

/// Returns the arms' means and the splits' effects by least squares, the effects summing to 0 over
/// all scores: by turns, which converges from the plain means (at once if every arm has as many
/// scores on each split).
fn fit(scores: &[Vec<(u64, f64)>]) -> Result<(Vec<f64>, BTreeMap<u64, f64>), InstanceError> {
    connected(scores)?;
    let mut splits: BTreeMap<u64, f64> = scores
        .iter()
        .flatten()
        .map(|&(split, _)| (split, 0.0))
        .collect();
    let mut means = vec![0.0; scores.len()];
    for _ in 0..2000 {
        let mut moved: f64 = 0.0;
        for (mean, scores) in means.iter_mut().zip(scores) {
            let fitted = scores
                .iter()
                .map(|(split, score)| score - splits[split])
                .sum::<f64>()
                / scores.len() as f64;
            moved = moved.max((fitted - *mean).abs());
            *mean = fitted;
        }
        let mut residuals: BTreeMap<u64, Moments> = BTreeMap::new();
        for (mean, scores) in means.iter().zip(scores) {
            for &(split, score) in scores {
                residuals.entry(split).or_default().push(score - mean);
            }
        }
        let all: Moments = residuals.values().map(Moments::mean).collect();
        for (split, effect) in &mut splits {
            *effect = residuals[split].mean() - all.mean();
        }
        let size = means
            .iter()
            .fold(0.0, |most: f64, mean| most.max(mean.abs()));
        if moved <= 1e-12 * size {
            break;
        }
    }
    Ok((means, splits))
}

/// Checks that every arm can be compared with every other one through common splits, directly or through third arms.
fn connected(scores: &[Vec<(u64, f64)>]) -> Result<(), InstanceError> {
    let mut reached: Vec<bool> = (0..scores.len()).map(|arm| arm == 0).collect();
    loop {
        let splits: std::collections::BTreeSet<u64> = scores
            .iter()
            .zip(&reached)
            .filter(|(_, reached)| **reached)
            .flat_map(|(scores, _)| scores.iter().map(|s| s.0))
            .collect();
        let before = reached.iter().filter(|&&reached| reached).count();
        for (reached, scores) in reached.iter_mut().zip(scores) {
            *reached = *reached || scores.iter().any(|(split, _)| splits.contains(split));
        }
        match reached.iter().filter(|&&reached| reached).count() {
            all if all == scores.len() => return Ok(()),
            same if same == before => return Err(InstanceError::Apart),
            _ => {}
        }
    }
}

/// Returns the differences of two arms' scores on common splits; several on a split are paired in
/// order.
fn paired_differences(of: &[(u64, f64)], from: &[(u64, f64)]) -> Moments {
    let by_split = |scores: &[(u64, f64)]| {
        let mut by_split: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for &(split, score) in scores {
            by_split.entry(split).or_default().push(score);
        }
        by_split
    };
    let (of, from) = (by_split(of), by_split(from));
    of.iter()
        .filter_map(|(split, of)| Some(of.iter().zip(from.get(split)?)))
        .flatten()
        .map(|(of, from)| of - from)
        .collect()
}

#[cfg(test)]
mod tests;
