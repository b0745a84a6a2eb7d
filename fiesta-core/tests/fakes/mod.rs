//! A posterior, policies and rules of plain behaviour, for tests of the selector alone.
#![allow(dead_code, reason = "each test binary uses its own part")]

use fiesta_core::{
    ArmId, Arms, Ask, Belief, Case, Conclusion, Evaluation, EvaluationId, Event, Marginal, Method,
    Moments, Next, Observe, ObserveError, Outcome, Policy, Posterior, Selector, SelectorBuilder,
    StoppingRule, Verdict, View,
};
use rand::{Rng, RngExt};
use std::sync::{Arc, Mutex};

/// All observations that a posterior was given, in order.
pub(crate) type Observations = Arc<Mutex<Vec<(ArmId, Case, f64)>>>;

/// Means of the scores; P(best) is proportional to exp(mean).
pub(crate) struct Means {
    pub(crate) required: u64,
    pub(crate) observations: Observations,
    scores: Vec<Moments>,
}

impl Means {
    pub(crate) fn new(arms: usize, required: u64) -> Self {
        Self {
            required,
            observations: Observations::default(),
            scores: vec![Moments::default(); arms],
        }
    }
}

impl Posterior for Means {
    fn arms(&self) -> usize {
        self.scores.len()
    }

    fn required(&self, _arm: ArmId) -> u64 {
        self.required
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        let scores = &self.scores[arm.index()];
        (scores.count() > 0).then(|| scores.mean())
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let scores = &self.scores[arm.index()];
        (scores.count() >= self.required).then(|| Marginal {
            location: scores.mean(),
            scale: 1.0,
            degrees_of_freedom: f64::INFINITY,
        })
    }

    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        let (a, b) = (self.marginal(a)?, self.marginal(b)?);
        Some(Marginal {
            location: a.location - b.location,
            ..a
        })
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        for (mean, scores) in means.iter_mut().zip(&self.scores) {
            *mean = scores.mean() + rng.random::<f64>();
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let mut probability = vec![0.0; self.scores.len()];
        for arm in candidates {
            probability[arm.index()] = self.scores[arm.index()].mean().exp();
        }
        let total: f64 = probability.iter().sum();
        for p in &mut probability {
            *p /= total;
        }
        Belief {
            probability,
            absolute_error: 0.0,
            ..Belief::nothing(self.scores.len(), Method::Quadrature)
        }
    }

    fn within(&self, arm: ArmId, _margin: f64, candidates: &[ArmId]) -> f64 {
        self.belief(candidates).of(arm)
    }
}

impl Observe<f64> for Means {
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        if !score.is_finite() {
            return Err(ObserveError::NotFinite(score));
        }
        self.scores[arm.index()].push(score);
        self.observations.lock().unwrap().push((arm, case, score));
        Ok(())
    }
}

/// A policy that is a closure; it needs no posterior unless told so.
pub(crate) struct Choose<F> {
    pub(crate) choose: F,
    pub(crate) needs_posterior: bool,
}

pub(crate) fn choose<F: FnMut(&View<'_>, &mut dyn Rng) -> Next + Send>(choose: F) -> Choose<F> {
    Choose {
        choose,
        needs_posterior: false,
    }
}

impl<F: FnMut(&View<'_>, &mut dyn Rng) -> Next + Send> Policy for Choose<F> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        (self.choose)(view, rng)
    }

    fn needs_posterior(&self) -> bool {
        self.needs_posterior
    }
}

/// Policy that chooses a candidate at random by a joint draw, with at most `width` evaluations in flight. It
/// draws before it decides to wait, and remembers its choices: both would show if waiting left a trace.
#[derive(Default)]
pub(crate) struct Random {
    pub(crate) width: u64,
    chosen: u64,
    means: Vec<f64>,
}

impl Random {
    pub(crate) fn new(width: u64) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }
}

impl Policy for Random {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        self.means.resize(view.arms(), 0.0);
        view.draw(rng, &mut self.means);
        if view.total_pending() >= self.width {
            return Next::Wait;
        }
        self.chosen += 1;
        if self.chosen.is_multiple_of(5) {
            let place = rng.random_range(0..view.candidates().len());
            return Next::Evaluate(view.candidates()[place]);
        }
        let drawn = |arm: &ArmId| self.means[arm.index()];
        let best = view
            .candidates()
            .iter()
            .copied()
            .max_by(|a, b| drawn(a).total_cmp(&drawn(b)));
        best.map_or(Next::Wait, Next::Evaluate)
    }
}

/// A stopping rule that is a closure.
pub(crate) struct Rule<F>(pub(crate) F);

impl<F: Fn(&View<'_>) -> Verdict + Send> StoppingRule for Rule<F> {
    fn check(&self, view: &View<'_>) -> Verdict {
        (self.0)(view)
    }
}

/// A stopping rule that never stops.
pub(crate) fn never() -> Rule<fn(&View<'_>) -> Verdict> {
    Rule(|_| Verdict::Continue)
}

/// Returns a policy that chooses the candidate with the fewest attempts, the first of equals.
pub(crate) fn in_turn() -> impl Policy {
    choose(|view, _| {
        let fewest = view
            .candidates()
            .iter()
            .copied()
            .min_by_key(|&arm| view.attempts(arm));
        fewest.map_or(Next::Wait, Next::Evaluate)
    })
}

pub(crate) fn arms(count: usize) -> Arms {
    Arms::new((0..count).map(|index| format!("arm{index}"))).unwrap()
}

/// A selector of `count` arms, of which the posterior requires two observations each.
pub(crate) fn builder(
    count: usize,
    policy: impl Policy + 'static,
    rule: impl StoppingRule + 'static,
) -> SelectorBuilder {
    Selector::builder(arms(count), Means::new(count, 2), policy, rule)
}

pub(crate) fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

pub(crate) fn ended(id: EvaluationId, outcome: Outcome, cost: f64) -> Event {
    Event::Ended { id, outcome, cost }
}

pub(crate) fn observed(id: EvaluationId, score: f64) -> Event {
    ended(id, Outcome::Observed(score), 1.0)
}

pub(crate) fn failed(id: EvaluationId) -> Event {
    ended(id, Outcome::Failed, 1.0)
}

pub(crate) fn withdrawn(id: EvaluationId) -> Event {
    ended(id, Outcome::Withdrawn, 0.0)
}

/// Asks a selector, and expects an evaluation.
pub(crate) fn evaluation(selector: &mut Selector) -> Evaluation {
    match selector.ask() {
        Ok(Ask::Evaluate(evaluation)) => evaluation,
        other => panic!("an evaluation was expected, not {other:?}"),
    }
}

/// Asks a selector, and expects the end.
pub(crate) fn conclusion(selector: &mut Selector) -> Conclusion {
    match selector.ask() {
        Ok(Ask::Finished(conclusion)) => conclusion,
        other => panic!("the end was expected, not {other:?}"),
    }
}

/// State of a selector, as far as it can be seen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) arms: Vec<SeenArm>,
    pub(crate) candidates: Vec<ArmId>,
    pub(crate) clock: f64,
    pub(crate) belief: Option<Belief>,
    pub(crate) pending: Vec<Evaluation>,
    pub(crate) conclusion: Option<Conclusion>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenArm {
    pub(crate) observed: u64,
    pub(crate) failed: u64,
    pub(crate) pending: u64,
    pub(crate) costs: Moments,
    pub(crate) mean: Option<f64>,
}

pub(crate) fn see(selector: &Selector) -> Seen {
    let view = selector.view();
    let arms = selector.arms().ids();
    Seen {
        arms: arms
            .map(|arm| SeenArm {
                observed: view.observed(arm),
                failed: view.failed(arm),
                pending: view.pending(arm),
                costs: *view.costs(arm),
                mean: view.mean(arm),
            })
            .collect(),
        candidates: view.candidates().to_vec(),
        clock: view.clock(),
        belief: view.belief().cloned(),
        pending: selector.pending().collect(),
        conclusion: selector.conclusion().cloned(),
    }
}
