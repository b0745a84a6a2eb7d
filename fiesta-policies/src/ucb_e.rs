//! Policy UCB-E: the arm with the highest upper confidence bound, of a width that a fixed budget
//! pays for.

use crate::{BudgetTooSmall, stage, successive_rejects::attempts_in};
use fiesta_core::{ArmId, Next, Policy, View, highest};
use rand::Rng;
use std::iter;

/// Policy UCB-E: each evaluation of a fixed budget n goes to the arm with the highest index B_k =
/// X̄_k + √(a/s_k), X̄_k the mean of its s_k scores; B_k = ∞ before the first.
///
/// The exploration a is in squared units of the score. The best is missed with probability at most
/// 2nK·exp(−2a/25) for scores between 0 and 1 if a ≤ (25/36)·(n − K)/H₁, H₁ = Σ_k Δ_k⁻² of the gaps
/// between the best mean and the others (that of the best arm is the least of these): the most that
/// the budget pays for, [`knowing`](Self::knowing) H₁. As nobody does, a is adaptive by default,
/// with the paper's constant c = 1: in phase k = 0, …, K − 1 it is n/Ĥ_k,
/// ```text
/// Ĥ₀ = K,   Ĥ_k = max_{K−k+1 ≤ i ≤ K} i·Δ̂⁻²_⟨i⟩,
/// ```
/// Δ̂_⟨i⟩ the i-th smallest of the gaps between the means at the beginning of phase k. That is after
/// t_k = n_1 + … + n_{k−1} + (K − k + 1)·n_k evaluations, n_k = ⌈(n − K)/(log̅K·(K + 1 − k))⌉ and
/// log̅K = ½ + Σ_{i=2}^K 1/i, as in [`SuccessiveRejects`](crate::SuccessiveRejects). Only Ĥ₀ takes
/// scores to lie between 0 and 1: on another scale the first phase explores too little or too much.
///
/// The arm with the highest mean is recommended. Of equal indices the earlier arm is taken.
/// Evaluations that are running count in s_k, so that several workers do not all evaluate one arm;
/// failed ones count in n alone, so that the budget holds. An arm that has had every item or
/// document is passed over.
///
/// Source: Audibert, Bubeck, Munos, "Best arm identification in multi-armed bandits" (COLT 2010).
///
/// # Example
/// ```
/// use fiesta_policies::{UcbE, simulate::{Gaussian, Simulation}};
/// use fiesta_posterior::GaussianArms;
///
/// let problem = Gaussian::new([(0.5, 0.1), (0.6, 0.1), (0.4, 0.1), (0.2, 0.1)])?;
/// let policy = UcbE::new(4, 100)?;
/// let simulation = Simulation::new(&problem, 200);
/// let summary = simulation.budget(GaussianArms::pooled, || policy.clone(), 100)?;
/// assert_eq!(summary.max, 100);
/// assert!(summary.correct > 0.95);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct UcbE {
    arms: usize,
    budget: u64,
    /// Number of evaluations t_k after which each phase k begins.
    begins: Vec<u64>,
    exploration: Exploration,
}

/// Source of the exploration a.
#[derive(Debug, Clone, Copy)]
enum Exploration {
    /// The exploration a was given by the caller.
    Given(f64),
    /// The exploration a is adaptive: n/Ĥ in the present phase.
    Adaptive { phase: usize, hardness: f64 },
}

/// The error for an exploration of UCB-E, or a sum H₁, that is not positive and finite.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{what} of UCB-E is {value}: it must be a finite number above 0")]
pub struct ExplorationError {
    what: &'static str,
    value: f64,
}

impl UcbE {
    /// Returns UCB-E of `arms` arms with a budget of n evaluations, with the adaptive exploration.
    ///
    /// # Errors
    /// [`BudgetTooSmall`] if n ≤ K: nothing would be left once each arm has one score.
    pub fn new(arms: usize, budget: u64) -> Result<Self, BudgetTooSmall> {
        BudgetTooSmall::check("ucb-e", arms, budget, arms as u64 + 1)?;
        let attempts = (1..arms as u64).map(|k| attempts_in(k, arms, budget));
        let mut before = 0;
        let later = (1..arms).zip(attempts).map(|(k, attempts)| {
            let begin = before + (arms - k + 1) as u64 * attempts;
            before += attempts;
            begin
        });
        Ok(Self {
            arms,
            budget,
            begins: iter::once(0).chain(later).collect(),
            exploration: Exploration::Adaptive {
                phase: 0,
                hardness: arms as f64,
            },
        })
    }

    /// Sets the exploration a, in squared units of the score.
    ///
    /// # Errors
    /// [`ExplorationError`] unless 0 < a < ∞.
    pub fn exploring(self, a: f64) -> Result<Self, ExplorationError> {
        self.with("the exploration a", a, a)
    }

    /// Sets the exploration a = (25/36)·(n − K)/H₁ of the paper's bound.
    ///
    /// # Errors
    /// [`ExplorationError`] unless 0 < H₁ < ∞.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::UcbE;
    /// // Gaps of .1 and .2, and .1 once more for the best arm: 100 + 25 + 100.
    /// assert!(UcbE::new(3, 600)?.knowing(225.0).is_ok());
    /// let error = UcbE::new(3, 600)?.knowing(0.0).unwrap_err();
    /// assert!(error.to_string().contains("above 0"));
    /// # Ok::<(), fiesta_policies::BudgetTooSmall>(())
    /// ```
    pub fn knowing(self, h1: f64) -> Result<Self, ExplorationError> {
        let left = (self.budget - self.arms as u64) as f64;
        self.with("the sum H1", h1, 25.0 / 36.0 * left / h1)
    }

    fn with(self, what: &'static str, value: f64, a: f64) -> Result<Self, ExplorationError> {
        if !(value > 0.0 && value.is_finite() && a.is_finite()) {
            return Err(ExplorationError { what, value });
        }
        let exploration = Exploration::Given(a);
        Ok(Self {
            exploration,
            ..self
        })
    }

    /// Returns the exploration after `spent` evaluations, with the phase that they have reached.
    fn now(&self, view: &View<'_>, spent: u64) -> Exploration {
        let Exploration::Adaptive { phase, hardness } = self.exploration else {
            return self.exploration;
        };
        let reached = self.begins.partition_point(|&begin| begin <= spent) - 1;
        let hardness = if reached == phase {
            hardness
        } else {
            self.hardness(view, reached)
        };
        Exploration::Adaptive {
            phase: reached,
            hardness,
        }
    }

    /// Returns the estimated hardness Ĥ_k of phase k ≥ 1, from the means that are known.
    fn hardness(&self, view: &View<'_>, phase: usize) -> f64 {
        let means = view.candidates().iter().filter_map(|&arm| view.mean(arm));
        let mut means: Vec<f64> = means.collect();
        means.sort_by(|a, b| b.total_cmp(a));
        let &[best, _, ..] = &means[..] else {
            return self.arms as f64;
        };
        // Of the best the gap is 0; where arms were retired, as many fewer are left.
        let from = (means.len() + 1).saturating_sub(phase).max(2);
        let ranked = (1..).zip(&means).skip(from - 1);
        ranked
            .map(|(i, mean)| f64::from(i) / (best - mean).powi(2))
            .fold(0.0, f64::max)
    }
}

impl Policy for UcbE {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let spent = stage::attempts(view);
        if spent >= self.budget {
            return match view.empirical_best() {
                Some(best) if view.total_pending() == 0 => Next::Finished(best),
                _ => Next::Wait,
            };
        }
        let exploration = self.now(view, spent);
        let a = match exploration {
            Exploration::Given(a) => a,
            Exploration::Adaptive { hardness, .. } => self.budget as f64 / hardness,
        };
        let arms: Vec<ArmId> = view.with_case_left().collect();
        let index = |&arm: &ArmId| {
            let scores = view.observed(arm) + view.pending(arm);
            match view.mean(arm) {
                _ if scores == 0 => f64::INFINITY,
                // Its first score is on its way.
                None => f64::NEG_INFINITY,
                Some(mean) => mean + (a / scores as f64).sqrt(),
            }
        };
        let indices: Vec<f64> = arms.iter().map(index).collect();
        let first = |wanted: f64| {
            let of_index = arms.iter().zip(&indices);
            let such = of_index.filter(|(_, index)| index.total_cmp(&wanted).is_eq());
            such.map(|(&arm, _)| arm)
                .min_by_key(|&arm| view.attempts(arm))
        };
        let chosen = if let Some(new) = first(f64::INFINITY) {
            // One that failed is tried again after those that were never tried.
            Some(new)
        } else if indices.iter().all(|index| *index == f64::NEG_INFINITY) {
            // Nothing is known: more workers than arms.
            first(f64::NEG_INFINITY)
        } else {
            arms.get(highest(indices)).copied()
        };
        let Some(arm) = chosen else {
            return Next::Wait;
        };
        self.exploration = exploration;
        Next::Evaluate(arm)
    }

    fn needs_posterior(&self) -> bool {
        false
    }
}
