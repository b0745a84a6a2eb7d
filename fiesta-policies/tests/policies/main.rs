//! Tests of policies: how often they choose which arm, against independent facts and the belief.

use fiesta_core::{
    ArmId, Arms, Ask, Belief, Case, Event, Marginal, Observe, ObserveError, Outcome, Policy,
    Posterior, Selector, StoppingRule, Verdict, View,
};
use fiesta_policies::stopping::Never;
use fiesta_posterior::best_arm::{TOLERANCE, independent_draw, quadrature};
use rand::Rng;
use std::sync::{Arc, Mutex};

fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

fn arms(count: usize) -> Arms {
    Arms::new((0..count).map(|index| format!("arm{index}"))).unwrap()
}

fn tell(selector: &mut Selector, id: fiesta_core::EvaluationId, outcome: Outcome) {
    selector
        .tell(Event::Ended {
            id,
            outcome,
            cost: 1.0,
        })
        .unwrap();
}

/// A posterior that no observation changes and that needs none.
struct Fixed(Vec<Marginal>);

impl Fixed {
    /// Returns arms of these locations and scales, each with four degrees of freedom.
    fn new(arms: &[(f64, f64)]) -> Self {
        let marginal = |&(location, scale): &(f64, f64)| Marginal {
            location,
            scale,
            degrees_of_freedom: 4.0,
        };
        Self(arms.iter().map(marginal).collect())
    }

    /// Returns P(best) of each arm.
    fn probability(&self) -> Vec<f64> {
        quadrature(&self.0, TOLERANCE).unwrap().probability
    }
}

impl Posterior for Fixed {
    fn arms(&self) -> usize {
        self.0.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        0
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        Some(self.0[arm.index()].location)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        Some(self.0[arm.index()])
    }
    fn difference(&self, _a: ArmId, _b: ArmId) -> Option<Marginal> {
        None
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        independent_draw(&self.0, rng, means);
    }
    fn within(&self, arm: ArmId, _margin: f64, candidates: &[ArmId]) -> f64 {
        self.belief(candidates).of(arm)
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        belief_of(&self.0, candidates)
    }
}

/// Returns P(best) of the candidates by quadrature.
fn belief_of(marginals: &[Marginal], candidates: &[ArmId]) -> Belief {
    let known: Vec<Marginal> = candidates
        .iter()
        .map(|arm| marginals[arm.index()])
        .collect();
    let mut belief = quadrature(&known, TOLERANCE).unwrap();
    let mut probability = vec![0.0; marginals.len()];
    for (arm, p) in candidates.iter().zip(&belief.probability) {
        probability[arm.index()] = *p;
    }
    belief.probability = probability;
    belief
}

impl Observe<f64> for Fixed {
    fn observe(&mut self, _arm: ArmId, _case: Case, _score: f64) -> Result<(), ObserveError> {
        Ok(())
    }
}

/// Posterior of independent arms of known mean and standard deviation σ: n observations leave a
/// variance of σ²/n, whatever they show.
struct Known {
    arms: Vec<(f64, f64)>,
    counts: Vec<u64>,
}

impl Known {
    fn new(arms: &[(f64, f64)]) -> Self {
        Self::after(arms, &vec![0; arms.len()])
    }

    /// Arms after `counts` observations of each that the selection does not know of.
    fn after(arms: &[(f64, f64)], counts: &[u64]) -> Self {
        let (arms, counts) = (arms.to_vec(), counts.to_vec());
        Self { arms, counts }
    }

    fn variance(&self, arm: ArmId, more: usize) -> f64 {
        let (_, sd) = self.arms[arm.index()];
        sd * sd / (self.counts[arm.index()] as f64 + more as f64)
    }
}

impl Posterior for Known {
    fn arms(&self) -> usize {
        self.arms.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        u64::from(self.counts.contains(&0))
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        (self.counts[arm.index()] > 0).then_some(self.arms[arm.index()].0)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        Some(Marginal {
            location: self.mean(arm)?,
            scale: self.variance(arm, 0).sqrt(),
            degrees_of_freedom: f64::INFINITY,
        })
    }
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        Some(Marginal {
            location: self.mean(a)? - self.mean(b)?,
            scale: (self.variance(a, 0) + self.variance(b, 0)).sqrt(),
            degrees_of_freedom: f64::INFINITY,
        })
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        let marginals: Vec<Marginal> = ArmId::all(self.arms())
            .map(|arm| self.marginal(arm).unwrap())
            .collect();
        independent_draw(&marginals, rng, means);
    }
    fn within(&self, arm: ArmId, _margin: f64, candidates: &[ArmId]) -> f64 {
        self.belief(candidates).of(arm)
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let marginals: Vec<Marginal> = ArmId::all(self.arms())
            .map(|arm| self.marginal(arm).unwrap())
            .collect();
        belief_of(&marginals, candidates)
    }
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        if self.counts.contains(&0) {
            return None;
        }
        let of = |arm| {
            let more = extra.iter().filter(|(other, _)| *other == arm).count();
            self.variance(arm, more)
        };
        let mut sums: Vec<f64> = ArmId::all(self.arms())
            .map(|arm| of(arm) + of(from))
            .collect();
        sums[from.index()] = 0.0;
        Some(sums)
    }
}

impl Observe<f64> for Known {
    fn observe(&mut self, arm: ArmId, _case: Case, _score: f64) -> Result<(), ObserveError> {
        self.counts[arm.index()] += 1;
        Ok(())
    }
}

/// Policy that evaluates the first arm and no other.
struct OnlyFirst;

impl Policy for OnlyFirst {
    fn next(&mut self, _: &View<'_>, _: &mut dyn Rng) -> fiesta_core::Next {
        fiesta_core::Next::Evaluate(arm(0))
    }
}

/// Returns a selection without any evaluation of its own.
fn idle(posterior: impl Observe<f64> + 'static) -> Selector {
    let count = posterior.arms();
    Selector::builder(arms(count), posterior, fiesta_policies::Uniform, Never)
        .build()
        .unwrap()
}

/// Means and scales of three arms, each of which has another chance of being best.
const THREE: [(f64, f64); 3] = [(0.0, 1.0), (1.0, 0.4), (-0.2, 2.0)];

/// Returns how often each arm is chosen in `decisions` decisions on the same knowledge: no outcome
/// is ever told.
fn choices(posterior: Fixed, policy: impl Policy + 'static, decisions: u32, seed: u64) -> Vec<f64> {
    let count = posterior.0.len();
    let mut selector = Selector::builder(arms(count), posterior, policy, Never)
        .seed(seed)
        .build()
        .unwrap();
    let mut chosen = vec![0.0; count];
    for _ in 0..decisions {
        let Ask::Evaluate(evaluation) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        chosen[evaluation.arm.index()] += 1.0;
    }
    chosen
}

/// Asserts that each frequency is within 4.5 standard errors of its probability: fails falsely once
/// in 147,000 comparisons.
fn agree(observed: &[f64], probability: &[f64]) {
    let n: f64 = observed.iter().sum();
    for (count, p) in observed.iter().zip(probability) {
        let error = (p * (1.0 - p) / n).sqrt();
        assert!(
            (count / n - p).abs() <= 4.5 * error,
            "{observed:?} of {n} for {probability:?}"
        );
    }
}

/// Stopping rule that never stops, and notes how many evaluations had ended at each look.
#[derive(Clone, Default)]
struct Looks(Arc<Mutex<Vec<u64>>>);

impl StoppingRule for Looks {
    fn check(&self, view: &View<'_>) -> Verdict {
        let mut looks = self.0.lock().unwrap();
        // Looks on the same knowledge are one look.
        if looks.last() != Some(&view.total_ended()) {
            looks.push(view.total_ended());
        }
        Verdict::Continue
    }
}

mod batched;
mod challenger;
mod cheapest;
mod documents;
mod every_policy;
mod f_measure;
mod leader;
mod opening;
mod repeats;
mod retired;
mod runs;
mod sequential_halving;
mod successive_rejects;
mod thompson;
mod tie_break;
mod top_two;
mod tracking;
mod ucb_e;
mod uniform;
