//! Synthetic scores: split effects, heavy tails, divergences, coarse scores, unequal durations.

use super::{Observations, Problem, standardise};
use fiesta_core::{ArmId, Arms, ArmsError, Case, Design, Streams, bisect, greatest};
use rand::{Rng, RngExt, rngs::ChaCha8Rng};
use rand_distr::{Binomial, Distribution, StandardNormal, StudentT};

/// One arm of a [`Synthetic`] problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyntheticArm {
    /// The mean score of the evaluations that do not diverge.
    pub mean: f64,
    /// The standard deviation of one evaluation given its split, unless it diverges.
    pub sd: f64,
    /// Share and score of the arm's evaluations that diverge; `None` by default.
    pub divergence: Option<Divergence>,
    /// The mean duration of an evaluation, which is its cost; 1 by default.
    pub duration: f64,
}

/// Divergence of evaluations: with this probability an evaluation yields this score, whatever its
/// split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Divergence {
    /// Probability that an evaluation diverges.
    pub probability: f64,
    /// Score of an evaluation that diverges.
    pub score: f64,
}

/// Noise of the scores of all arms: split effects, seeds' noise and resolution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Noise {
    /// The standard deviation τ of the effect that a split has on all arms alike.
    pub split: f64,
    /// The standard deviation of the effect that a split has on one arm alone, the same for all
    /// seeds.
    pub interaction: f64,
    /// The distribution of the noise that the seed adds to a score.
    pub shape: Shape,
    /// Resolution of the scores: as drawn, or rounded.
    pub resolution: Resolution,
}

/// A distribution of mean 0, scaled to an arm's standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// The noise is normally distributed.
    #[default]
    Normal,
    /// Student's t with 3 degrees of freedom, divided by its standard deviation √3: one score in
    /// 100 is more than 3.4 standard deviations off.
    StudentT3,
}

/// Resolution of synthetic scores: as drawn, or rounded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Resolution {
    /// Scores are as drawn.
    #[default]
    Exact,
    /// Scores are rounded to multiples of this step. It should not exceed two standard deviations:
    /// the shift of means by rounding is then below .003 of a step, and neglected.
    Step(f64),
    /// Scores are shares of this many items that are answered correctly, each with the drawn score
    /// (cut to [0, 1]) as its probability. The cut should be rare: its shift of means is neglected.
    Items(u32),
}

impl SyntheticArm {
    /// Returns an arm with this mean and standard deviation.
    pub fn new(mean: f64, sd: f64) -> Self {
        Self {
            mean,
            sd,
            divergence: None,
            duration: 1.0,
        }
    }

    /// Returns the arm with this share of evaluations that diverge, and yield this score instead.
    pub fn diverging(self, probability: f64, score: f64) -> Self {
        Self {
            divergence: Some(Divergence { probability, score }),
            ..self
        }
    }

    /// Returns the arm with this mean duration.
    pub fn lasting(self, duration: f64) -> Self {
        Self { duration, ..self }
    }

    /// Returns the true mean of the arm's scores: with divergences the mean of the mixture, (1 −
    /// p)·mean + p·score.
    pub fn true_mean(&self) -> f64 {
        self.divergence.map_or(self.mean, |d| {
            (1.0 - d.probability) * self.mean + d.probability * d.score
        })
    }

    /// Returns the standard deviation of the arm's scores over all splits, given everything else
    /// that is random.
    pub fn total_sd(&self, noise: &Noise) -> f64 {
        self.variance(noise).sqrt()
    }

    /// Returns the standard deviation of the arm's scores around the part that shared splits have
    /// in common with other arms.
    pub fn residual_sd(&self, noise: &Noise) -> f64 {
        let common = (self.converging() * noise.split).powi(2);
        (self.variance(noise) - common).max(0.0).sqrt()
    }

    /// Returns the standard deviation of the difference between a score of this arm and one of
    /// another arm: on the same split under every design but the independent one.
    pub fn paired_sd(&self, other: &Self, noise: &Noise, design: Design) -> f64 {
        let covariance = match design {
            Design::Independent => 0.0,
            Design::Shared | Design::Fixed | Design::Items { .. } => {
                self.converging() * other.converging() * noise.split.powi(2)
            }
        };
        (self.variance(noise) + other.variance(noise) - 2.0 * covariance)
            .max(0.0)
            .sqrt()
    }

    /// Returns the arm with the mean at which it is `gap` standard deviations of a paired difference
    /// below `best`: (μ_best − μ)/[`paired_sd`](Self::paired_sd) = `gap`. With a gap of 0 it has
    /// the mean of `best`. Means are sought from 0 to 1.
    ///
    /// ```
    /// use fiesta_core::Design;
    /// use fiesta_policies::simulate::{Noise, SyntheticArm};
    /// let (best, noise) = (SyntheticArm::new(0.65, 0.03), Noise::default());
    /// let rival = SyntheticArm::new(0.0, 0.04).behind(&best, 0.2, &noise, Design::Shared);
    /// assert!((rival.mean - (0.65 - 0.2 * 0.05)).abs() < 1e-9);
    /// ```
    pub fn behind(self, best: &Self, gap: f64, noise: &Noise, design: Design) -> Self {
        if gap <= 0.0 {
            let mean = best.mean;
            return Self { mean, ..self };
        }
        // The distance falls as the mean rises, also where the standard deviation depends on the
        // mean.
        let at = |mean| Self { mean, ..self };
        let is_farther = |mean| {
            let distance = best.true_mean() - at(mean).true_mean();
            distance > gap * best.paired_sd(&at(mean), noise, design)
        };
        at(bisect(0.0, 1.0, is_farther).0)
    }

    fn converging(&self) -> f64 {
        1.0 - self.divergence.map_or(0.0, |d| d.probability)
    }

    fn variance(&self, noise: &Noise) -> f64 {
        let drawn = self.sd.powi(2) + noise.split.powi(2) + noise.interaction.powi(2);
        let converged = match noise.resolution {
            Resolution::Exact => drawn,
            Resolution::Step(step) => drawn + step * step / 12.0,
            Resolution::Items(items) => {
                drawn + (self.mean * (1.0 - self.mean) - drawn) / f64::from(items)
            }
        };
        let apart = self.divergence.map_or(0.0, |d| {
            d.probability * (1.0 - d.probability) * (self.mean - d.score).powi(2)
        });
        self.converging() * converged + apart
    }
}

/// Arms with made-up scores: mean + effect of the split on all arms + its effect on the one + noise
/// of the seed.
///
/// A score is a function of the run, the arm and the [`Case`]: neither the order nor the number of
/// the other evaluations matters, and policies that are compared in one run meet the same scores.
/// The best arm is the one with the highest [true mean](SyntheticArm::true_mean).
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Case, Design, Streams};
/// use fiesta_policies::simulate::{Noise, Problem, Synthetic, SyntheticArm};
///
/// let noise = Noise { split: 0.5, ..Noise::default() };
/// let arms = [SyntheticArm::new(0.65, 0.0), SyntheticArm::new(0.60, 0.0)];
/// let problem = Synthetic::new(arms, noise)?;
/// let mut scores = problem.observations(Design::Shared, &Streams::new(1), 0);
/// let mut of = |arm, split| scores.observe(ArmId::new(arm), Case { split, seed: 7 });
/// // What a split does to both cancels.
/// assert!((of(0, 3) - of(1, 3) - 0.05).abs() < 1e-12);
/// assert_ne!(of(0, 3), of(0, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Synthetic {
    arms: Arms,
    members: Vec<SyntheticArm>,
    noise: Noise,
    best: f64,
}

/// The error for numbers that make no problem to simulate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// Fewer than two arms are given.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// A number of an arm is out of range.
    #[error(
        "arm {0} is out of range: mean and score must be finite, the standard deviation at least 0, the probability of a divergence from 0 to 1, the duration above 0"
    )]
    Arm(usize),
    /// A number of the noise is out of range.
    #[error(
        "the noise is out of range: standard deviations must be finite and at least 0, a step above 0, items at least 1"
    )]
    Noise,
}

impl Synthetic {
    /// Returns a problem of these arms, with this noise.
    ///
    /// # Errors
    /// [`SyntheticError`] for fewer than two arms, or numbers out of range.
    pub fn new(
        arms: impl IntoIterator<Item = SyntheticArm>,
        noise: Noise,
    ) -> Result<Self, SyntheticError> {
        let members: Vec<SyntheticArm> = arms.into_iter().collect();
        let arms = Arms::new((1..=members.len()).map(|i| format!("arm{i}")))?;
        let spread = |sd: f64| sd.is_finite() && sd >= 0.0;
        for (index, arm) in members.iter().enumerate() {
            let divergence = arm
                .divergence
                .is_none_or(|d| (0.0..=1.0).contains(&d.probability) && d.score.is_finite());
            let duration = arm.duration.is_finite() && arm.duration > 0.0;
            if !(arm.mean.is_finite() && spread(arm.sd) && divergence && duration) {
                return Err(SyntheticError::Arm(index + 1));
            }
        }
        let resolution = match noise.resolution {
            Resolution::Exact => true,
            Resolution::Step(step) => step.is_finite() && step > 0.0,
            Resolution::Items(items) => items > 0,
        };
        if !(spread(noise.split) && spread(noise.interaction) && resolution) {
            return Err(SyntheticError::Noise);
        }
        let best = greatest(members.iter().map(SyntheticArm::true_mean));
        Ok(Self {
            arms,
            members,
            noise,
            best,
        })
    }

    /// Returns the arms, in order.
    pub fn members(&self) -> &[SyntheticArm] {
        &self.members
    }

    /// Returns the noise that all arms share.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }
}

impl Problem for Synthetic {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        self.best - self.members[arm.index()].true_mean()
    }

    fn mean_duration(&self, arm: ArmId) -> f64 {
        self.members[arm.index()].duration
    }

    fn standardised(&self, arm: ArmId, score: f64) -> f64 {
        let arm = &self.members[arm.index()];
        standardise(score, arm.true_mean(), arm.total_sd(&self.noise))
    }

    fn observations(
        &self,
        _design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations + '_> {
        Box::new(SyntheticScores {
            problem: self,
            // A family of streams of the run's own: one for each split, cell and case.
            streams: Streams::new(streams.run(number).next_u64()),
        })
    }
}

struct SyntheticScores<'a> {
    problem: &'a Synthetic,
    streams: Streams,
}

impl SyntheticScores<'_> {
    /// Returns the random stream of one evaluation. Cases differ in their seeds (below 2³¹), or
    /// else in their splits, which are kept apart by more words than a score takes.
    fn seed(&self, arm: ArmId, case: Case) -> ChaCha8Rng {
        let mut rng = self.streams.run(((arm.index() as u64) << 32) ^ case.seed);
        rng.set_word_pos(u128::from(case.split) << 8);
        rng
    }
}

/// Returns a normal draw of this standard deviation.
fn normal(sd: f64, rng: &mut ChaCha8Rng) -> f64 {
    let z: f64 = StandardNormal.sample(rng);
    sd * z
}

impl Observations for SyntheticScores<'_> {
    fn observe(&mut self, arm: ArmId, case: Case) -> f64 {
        let (own, noise) = (&self.problem.members[arm.index()], &self.problem.noise);
        let mut rng = self.seed(arm, case);
        if let Some(Divergence { probability, score }) = own.divergence
            && rng.random::<f64>() < probability
        {
            return score;
        }
        let mut score = own.mean;
        if noise.split > 0.0 {
            score += normal(noise.split, &mut self.streams.splits(case.split));
        }
        if noise.interaction > 0.0 {
            score += normal(noise.interaction, &mut self.streams.case(arm, case.split));
        }
        score += match noise.shape {
            Shape::Normal => normal(own.sd, &mut rng),
            Shape::StudentT3 => {
                let t = StudentT::new(3.0).expect("3 degrees of freedom are some");
                own.sd * t.sample(&mut rng) / f64::sqrt(3.0)
            }
        };
        match noise.resolution {
            Resolution::Exact => score,
            Resolution::Step(step) => (score / step).round() * step,
            Resolution::Items(items) => {
                let right = Binomial::new(u64::from(items), score.clamp(0.0, 1.0))
                    .map_or(0, |right| right.sample(&mut rng));
                right as f64 / f64::from(items)
            }
        }
    }
}
