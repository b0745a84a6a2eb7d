//! Belief about arms: the probability of each arm to be the best, and its expected shortfall.

use crate::{ArmId, Interrupt, highest};

/// P(arm is best) and the expected shortfall of every arm of a study.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Belief {
    /// The probability of each arm to have the highest mean, length K; 0 for arms that are no
    /// candidates.
    pub probability: Vec<f64>,
    /// The posterior mean of what choosing each arm now would lose, E[max_j μ_j − μ_a], in the unit
    /// of the scores, length K; ∞ where it does not exist (Student's t with ν ≤ 1), and for arms
    /// that are no candidates.
    pub shortfall: Vec<f64>,
    /// A bound on (quadrature), or the largest standard error of (Monte Carlo), any of the
    /// probabilities.
    pub absolute_error: f64,
    /// How the probabilities were computed.
    pub method: Method,
}

/// How a belief was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Method {
    /// Numerical integration over the marginal distributions.
    Quadrature,
    /// The frequency of each arm among joint draws.
    MonteCarlo,
}

impl Belief {
    /// Returns P(arm is best); 0 for an arm that there is not.
    pub fn of(&self, arm: ArmId) -> f64 {
        self.probability.get(arm.index()).copied().unwrap_or(0.0)
    }

    /// Returns a belief that claims nothing: no arm is best, and choosing any may lose anything.
    pub fn nothing(arms: usize, method: Method) -> Self {
        Self {
            probability: vec![0.0; arms],
            shortfall: vec![f64::INFINITY; arms],
            absolute_error: 1.0,
            method,
        }
    }

    /// Returns P(best) of each candidate as the frequency with which it has the highest mean among
    /// `draws` joint draws; 0 counts as 1. `draw` fills a slice with one draw of the means of all
    /// `arms` arms. Candidates that are none of these arms are left out.
    ///
    /// The [absolute error](Self::absolute_error) is the largest standard error √(p(1 − p)/draws)
    /// of any arm, with p no closer to 0 or 1 than half a draw: frequencies claim no certainty.
    pub fn by_draws(
        arms: usize,
        candidates: &[ArmId],
        draws: u64,
        mut draw: impl FnMut(&mut [f64]),
    ) -> Self {
        let mut means = vec![0.0; arms];
        let mut belief = Self::nothing(arms, Method::MonteCarlo);
        let among = |arm: &ArmId| arm.index() < arms;
        let candidates: Vec<ArmId> = candidates.iter().copied().filter(among).collect();
        for arm in &candidates {
            belief.shortfall[arm.index()] = 0.0;
        }
        let draws = draws.max(1);
        for _ in 0..draws {
            Interrupt::check();
            draw(&mut means);
            // The first of equals.
            let mean = |arm: ArmId| means[arm.index()];
            let better = |best, arm| if mean(arm) > mean(best) { arm } else { best };
            if let Some(best) = candidates.iter().copied().reduce(better) {
                belief.probability[best.index()] += 1.0;
                for &arm in &candidates {
                    belief.shortfall[arm.index()] += mean(best) - mean(arm);
                }
            }
        }
        let total = draws as f64;
        let error = |wins: &f64| {
            let p = wins.clamp(0.5, total - 0.5) / total;
            (p * (1.0 - p) / total).sqrt()
        };
        belief.absolute_error = belief.probability.iter().map(error).fold(0.0, f64::max);
        for sum in belief.probability.iter_mut().chain(&mut belief.shortfall) {
            *sum /= total;
        }
        belief
    }

    /// Returns the expected shortfall of an arm: what choosing it now is expected to lose; ∞ for an
    /// arm that there is not.
    pub fn shortfall_of(&self, arm: ArmId) -> f64 {
        let shortfall = self.shortfall.get(arm.index());
        shortfall.copied().unwrap_or(f64::INFINITY)
    }

    /// Returns the one of `arms` whose choice is expected to lose the least, the more probable one
    /// of equals. Among a leader's rivals, it is the one that matters. An arm that was hardly
    /// evaluated may be more probably best than the true runner-up, and still be a bad choice.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Belief, Method};
    /// let belief = Belief {
    ///     probability: vec![0.993, 0.003, 0.004],
    ///     shortfall: vec![0.0, 0.02, 0.3],
    ///     absolute_error: 1e-9,
    ///     method: Method::Quadrature,
    /// };
    /// assert_eq!(belief.closest(ArmId::all(3).skip(1)), Some(ArmId::new(1)));
    /// ```
    pub fn closest(&self, arms: impl IntoIterator<Item = ArmId>) -> Option<ArmId> {
        arms.into_iter().min_by(|&a, &b| {
            let by_shortfall = self.shortfall_of(a).total_cmp(&self.shortfall_of(b));
            by_shortfall.then(self.of(b).total_cmp(&self.of(a)))
        })
    }

    /// Returns the arm most probably best, and its probability; the first of equals.
    ///
    /// # Panics
    /// If the belief is about no arm at all.
    pub fn leader(&self) -> (ArmId, f64) {
        let best = highest(self.probability.iter().copied());
        (ArmId::new(best), self.probability[best])
    }
}

/// Claim about the best arm for someone who looks again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The arm that can be named; several if they are known to be equal and the first is one of them.
    pub arms: Vec<ArmId>,
    /// A bound on the probability that another arm is better, for whoever names it as soon as this is
    /// small enough.
    pub error: f64,
}
