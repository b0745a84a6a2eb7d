//! Scores on shared splits, of arms that may be equally noisy or not.

mod cells;
mod draws;
mod normal;
mod residual;
mod sampler;
mod wide;

use crate::best_arm::{draw_one, of_proper};
use cells::Cells;
use draws::{Differences, Draws};
use fiesta_core::{ArmId, Belief, Beliefs, Case, Marginal, Method, Observe, ObserveError};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::cell::OnceCell;
use wide::Wide;

/// The largest score whose square, summed over millions of scores and divided by variances, is finite.
const LARGEST: f64 = 1e100;

/// A posterior that knows that rivals evaluated on the same split share what the split does to all of them.
///
/// The score of arm m on split k with some seed is
///
/// y = μ_m + β_k + γ_mk + e, β_k ~ N(0, τ²), γ_mk ~ N(0, ρ·v_m), e ~ N(0, (1 − ρ)·v_m),
///
/// with an effect β of the split, an interaction γ that all seeds of an arm on that split share, and the variance v_m of one
/// evaluation of the arm given the split. Nothing of this is assumed known:
///
/// - p(μ) ∝ 1.
/// - v_m ~ InvGamma(d₀/2, d₀s₀²/2), p(s₀²) ∝ 1/s₀²: variances learn from each other, the more the more alike the arms
///   are. How alike is learned too: half of the prior probability says that all are equal (d₀ = 1000), the other half
///   is even over d₀ = ½, 1, 2, …, 64, so that one arm may be a hundred times as noisy as another.
/// - λ = τ²/s₀² with λ/(1 + λ) uniform on (0, 1): the correlation of two arms on a split may be anything, none included.
/// - ρ uniform on (0, 1); it plays a role only where an arm has several seeds on a split.
///
/// Any pattern of (arm, split) cells is welcome: arms need not have seen the same splits. Without shared splits this is a
/// hierarchical model of independent arms. If all evaluations were made on one split, the means are those on that
/// split, and the conclusion holds for it alone.
///
/// The posterior is sampled by collapsed Gibbs sweeps (160 after 40), afresh for each fit and with a stream of its own,
/// so that a belief is a function of the scores and of nothing else. P(best) is averaged over the draws in closed form
/// for one arm given the others; its standard error is stated. A fit never passes over past evaluations:
/// it works on means and cross-products, kept for each distinct set of arms that share a split. For more than
/// [`Paired::EXACT_UP_TO`] arms it is replaced by an approximation that ignores the correlation between
/// arms which fitted split effects induce; P(best) is then by quadrature.
///
/// A score is needed of every arm, and two more in all; as long as they leave no residual (all equal, or all explained by
/// splits), each arm is asked for one more: equal scores are no certainty.
///
/// # Example
/// On every split the second arm is better by .01, although its scores vary by ten times as much:
/// ```
/// use fiesta_core::{ArmId, Beliefs, Case, Observe};
/// use fiesta_posterior::Paired;
///
/// let splits = [0.62, 0.71, 0.55, 0.66, 0.59];
/// let noise = [0.001, -0.002, 0.0, 0.002, -0.001];
/// let mut posterior = Paired::new(2);
/// for (split, (&effect, &noise)) in splits.iter().zip(&noise).enumerate() {
///     let case = Case { split: split as u64, seed: 0 };
///     posterior.observe(ArmId::new(0), case, effect)?;
///     posterior.observe(ArmId::new(1), case, effect + 0.01 + noise)?;
/// }
/// let belief = posterior.belief(&[ArmId::new(0), ArmId::new(1)]);
/// assert!(belief.of(ArmId::new(1)) > 0.99);
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
///
/// Sources: Smyth, "Linear models and empirical Bayes methods" (2004), for variances that learn from each other; Gelfand and Smith,
/// "Sampling-based approaches to calculating marginal densities" (1990), for sampling and averaging.
#[derive(Debug)]
pub struct Paired {
    cells: Cells,
    fit: OnceCell<Fit>,
    differences: OnceCell<Option<Differences>>,
}

/// What a fit leaves.
#[derive(Debug)]
enum Fit {
    Draws(Draws),
    Wide(Wide),
    /// No residual to judge by.
    None,
}

impl Paired {
    /// Up to so many arms the model is exact (up to the sampling); above, [an approximation](Self).
    pub const EXACT_UP_TO: usize = 50;

    /// K arms.
    pub fn new(arms: usize) -> Self {
        Self {
            cells: Cells::new(arms, arms <= Self::EXACT_UP_TO),
            fit: OnceCell::new(),
            differences: OnceCell::new(),
        }
    }

    /// Scores of an arm that are needed at least.
    fn least(&self) -> u64 {
        if self.cells.arms.len() <= Self::EXACT_UP_TO {
            1
        } else {
            2
        }
    }

    /// Whether there are scores enough for a fit.
    fn fittable(&self) -> bool {
        let least = self.least();
        self.cells.arms.iter().all(|arm| arm.count >= least)
            && self.cells.total() >= self.cells.arms.len() as u64 + 2
    }

    fn fit(&self) -> &Fit {
        self.fit.get_or_init(|| {
            if !self.fittable() {
                return Fit::None;
            }
            if self.cells.arms.len() > Self::EXACT_UP_TO {
                return Wide::fit(&self.cells).map_or(Fit::None, Fit::Wide);
            }
            // The same stream for every fit: beliefs before and after an observation then differ by what it says.
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            sampler::sample(&self.cells, sampler::Length::USUAL, &mut rng)
                .map_or(Fit::None, Fit::Draws)
        })
    }

    fn differences(&self) -> Option<&Differences> {
        self.differences
            .get_or_init(|| match self.fit() {
                Fit::Draws(draws) => draws.differences(&self.cells),
                Fit::Wide(_) | Fit::None => None,
            })
            .as_ref()
    }

    /// P(best) if each mean were larger by its bonus.
    fn belief_with(&self, candidates: &[ArmId], bonus: impl Fn(ArmId) -> f64) -> Belief {
        let arms = self.cells.arms.len();
        match self.fit() {
            Fit::Draws(draws) => {
                let (probability, absolute_error) = draws.best(candidates, bonus);
                Belief {
                    probability,
                    absolute_error,
                    method: Method::MonteCarlo,
                }
            }
            Fit::Wide(wide) if !candidates.is_empty() => {
                let marginals: Vec<Marginal> = candidates
                    .iter()
                    .map(|&arm| {
                        let marginal = wide.marginals[arm.index()];
                        let location = marginal.location + bonus(arm);
                        Marginal {
                            location,
                            ..marginal
                        }
                    })
                    .collect();
                let belief = of_proper(&marginals);
                let mut probability = vec![0.0; arms];
                for (arm, p) in candidates.iter().zip(belief.probability) {
                    probability[arm.index()] = p;
                }
                Belief {
                    probability,
                    ..belief
                }
            }
            Fit::Wide(_) | Fit::None => Belief {
                probability: vec![0.0; arms],
                absolute_error: 1.0,
                method: Method::MonteCarlo,
            },
        }
    }
}

impl Beliefs for Paired {
    fn arms(&self) -> usize {
        self.cells.arms.len()
    }

    /// One of every arm and two more in all; one more than there are while they leave no residual.
    fn required(&self, arm: ArmId) -> u64 {
        let count = self.cells.arms[arm.index()].count;
        let least = self.least();
        if self.fittable() {
            match self.fit() {
                Fit::None => count + 1,
                Fit::Draws(_) | Fit::Wide(_) => least,
            }
        } else if self.cells.arms.iter().all(|arm| arm.count >= least) {
            // Two more of any arms.
            least + 2_u64.div_ceil(self.cells.arms.len() as u64)
        } else {
            least
        }
    }

    /// The posterior mean, and before a fit that of the scores.
    fn mean(&self, arm: ArmId) -> Option<f64> {
        let known = &self.cells.arms[arm.index()];
        if known.count == 0 {
            return None;
        }
        Some(match self.fit() {
            Fit::Draws(draws) => draws.location(arm),
            Fit::Wide(wide) => wide.marginals[arm.index()].location,
            Fit::None => known.mean(),
        })
    }

    /// Student's t with the posterior's moments.
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        if let Fit::Wide(wide) = self.fit() {
            return Some(wide.marginals[arm.index()]);
        }
        let marginal = self.differences()?.marginal(arm.index(), arm.index());
        Some(Marginal {
            location: marginal.location + self.cells.arms[arm.index()].origin,
            ..marginal
        })
    }

    /// Student's t with the posterior's moments.
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        if let Fit::Wide(wide) = self.fit() {
            return Some(crate::gaussian_arms::welch(
                &wide.marginals[a.index()],
                &wide.marginals[b.index()],
            ));
        }
        let marginal = self.differences()?.marginal(a.index(), b.index());
        let origin = |arm: ArmId| self.cells.arms[arm.index()].origin;
        Some(Marginal {
            location: marginal.location + origin(a) - origin(b),
            ..marginal
        })
    }

    /// One of the sampler's draws.
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        match self.fit() {
            Fit::Draws(draws) => {
                means.copy_from_slice(draws.draw(rng.random_range(0..draws.len())));
            }
            Fit::Wide(wide) => {
                for (mean, marginal) in means.iter_mut().zip(&wide.marginals) {
                    *mean = draw_one(marginal, rng);
                }
            }
            Fit::None => means.fill(f64::NEG_INFINITY),
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        self.belief_with(candidates, |_| 0.0)
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        let bonus = |candidate| if candidate == arm { margin } else { 0.0 };
        self.belief_with(candidates, bonus).of(arm)
    }

    /// With variances at their posterior means: an arm on a split that its rival has seen tells more.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        let single = self.cells.single_split();
        // On a single split every seed tells alike, as if it were a split of its own.
        let extra: Vec<(ArmId, u64)> = (0..)
            .zip(extra)
            .map(|(fresh, &(arm, case))| {
                (
                    arm,
                    if single {
                        self.cells.unused_split(fresh)
                    } else {
                        case.split
                    },
                )
            })
            .collect();
        match self.fit() {
            Fit::Draws(draws) => draws.look_ahead(&self.cells, from, &extra),
            Fit::Wide(wide) => Some(wide.look_ahead(&self.cells, from, &extra)),
            Fit::None => None,
        }
    }
}

impl Observe<f64> for Paired {
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        if !score.is_finite() {
            return Err(ObserveError::NotFinite(score));
        }
        if score.abs() > LARGEST {
            return Err(ObserveError::OutOfDomain {
                score,
                reason: format!(
                    "a variance cannot be computed from scores beyond {LARGEST:e}; take their logarithm"
                ),
            });
        }
        if arm.index() >= self.cells.arms.len() {
            return Err(ObserveError::NoSuchArm(arm.index()));
        }
        self.cells.add(arm.index(), case.split, score);
        self.fit = OnceCell::new();
        self.differences = OnceCell::new();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
