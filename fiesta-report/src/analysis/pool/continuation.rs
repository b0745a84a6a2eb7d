//! Continuations of a study of a pool: what is known, and then answers that were drawn, asked for one
//! at a time by the policy `pool` until the rule `posterior` names an arm.

use super::OutlookOptions;
use crate::analysis::AnalysisError;
use fiesta_core::{
    ArmId, Arms, Ask, Case, Design, Evaluation, EvaluationId, Event, Outcome, Selector,
    SelectorError, StoppingRule, Streams, in_parallel,
};
use fiesta_policies as policies;
use fiesta_policies::stopping::{Distance, StoppingParameters, by_name};
use fiesta_posterior::{Completion, Pool};
use rand::rngs::ChaCha8Rng;
use std::{num::NonZero, thread};

/// The stopping rule of the continuations.
pub(super) const STOPPING: &str = "posterior";

/// All answers of a pool, oriented so that larger is better.
pub(crate) trait Truth {
    /// Returns the answer of an arm to an item.
    fn answer(&self, arm: ArmId, item: u64) -> Option<f64>;
    /// Returns whether no other arm's mean is higher by more than the margin.
    fn is_best(&self, arm: ArmId, margin: f64) -> bool;
}

impl Truth for Completion {
    fn answer(&self, arm: ArmId, item: u64) -> Option<f64> {
        Completion::answer(self, arm, item)
    }

    fn is_best(&self, arm: ArmId, margin: f64) -> bool {
        Completion::is_best(self, arm, margin)
    }
}

/// Result of one continuation.
pub(crate) struct Continuation {
    /// Further answers until an arm was named.
    pub(crate) answers: u64,
    pub(crate) right: bool,
    /// Whether an arm was named, and whether the leader is the best, at each budget.
    pub(crate) at: Vec<(bool, bool)>,
}

/// Returns all known answers, in the order of the items.
pub(super) fn known(arms: &Arms, pool: &Pool, items: u64) -> Vec<(ArmId, u64, f64)> {
    let cells = (0..items).flat_map(|item| arms.ids().map(move |arm| (arm, item)));
    let known = cells.filter_map(|(arm, item)| Some((arm, item, pool.observed_answer(arm, item)?)));
    known.collect()
}

pub(super) fn rule(
    arms: &Arms,
    options: &OutlookOptions,
) -> Result<Box<dyn StoppingRule>, AnalysisError> {
    let parameters = StoppingParameters {
        tolerance: Distance::Score(options.tolerance),
        tie: Distance::ZERO,
        ..StoppingParameters::new(options.confidence, arms.len())
    };
    Ok(by_name(STOPPING, &parameters)?)
}

/// Data that all continuations share.
pub(crate) struct Plan<'a> {
    pub(crate) arms: &'a Arms,
    pub(crate) known: &'a [(ArmId, u64, f64)],
    pub(crate) items: u64,
    /// The least and the greatest answer.
    pub(crate) bounds: (f64, f64),
    pub(crate) budgets: &'a [u64],
    pub(crate) options: &'a OutlookOptions,
}

impl Plan<'_> {
    /// Simulates `draws` continuations of the study.
    pub(crate) fn draw<S: Clone + Send, T: Truth>(
        &self,
        source: &S,
        draw: impl Fn(&S, &mut ChaCha8Rng) -> T + Sync,
        draws: u32,
    ) -> Result<Vec<Continuation>, AnalysisError> {
        drawn_in_parallel(self.options.seed, draws, source, |source, mut rng, seed| {
            self.one(&draw(source, &mut rng), seed)
        })
    }

    fn one(&self, truth: &dyn Truth, seed: u64) -> Result<Continuation, AnalysisError> {
        let mut selector = self.selector(seed)?;
        let tolerance = self.options.tolerance;
        let is_best = |arm: ArmId| truth.is_best(arm, tolerance);
        let mut at = Vec::with_capacity(self.budgets.len());
        let mut answers = 0;
        let named = loop {
            let ask = selector.ask()?;
            let asked = match ask {
                Ask::Evaluate(asked) => asked,
                Ask::Finished(conclusion) => break conclusion.arm,
                // Nothing is pending when the next is asked for.
                Ask::Wait => return Err(SelectorError::Stalled.into()),
            };
            if self.budgets.get(at.len()) == Some(&answers) {
                let view = selector.view();
                let claimed = view
                    .claim(tolerance)
                    .and_then(|claim| claim.arms.first().copied());
                let leader = claimed.or_else(|| view.empirical_best());
                at.push((false, leader.is_some_and(is_best)));
            }
            tell(&mut selector, truth, asked)?;
            answers += 1;
        };
        let right = is_best(named);
        at.resize(self.budgets.len(), (true, right));
        Ok(Continuation { answers, right, at })
    }

    /// Starts the study of a continuation, with the answers that are known already.
    pub(super) fn selector(&self, seed: u64) -> Result<Selector, AnalysisError> {
        let rule = rule(self.arms, self.options)?;
        let (low, high) = self.bounds;
        let posterior = Pool::new(self.arms.len(), self.items).bounded(low, high)?;
        let policy = policies::PoolPolicy::default();
        let mut selector = Selector::builder(self.arms.clone(), posterior, policy, rule)
            .design(Design::Items { count: self.items })
            .seed(seed)
            .build()?;
        for (id, &(arm, item, answer)) in (0..).zip(self.known) {
            let case = Case {
                split: item,
                seed: 0,
            };
            let id = EvaluationId(id);
            selector.record(Evaluation { id, arm, case }, Some(answer))?;
        }
        Ok(selector)
    }
}

fn tell(
    selector: &mut Selector,
    truth: &dyn Truth,
    asked: Evaluation,
) -> Result<(), AnalysisError> {
    let answer = truth.answer(asked.arm, asked.case.split);
    let outcome = answer.map_or(Outcome::Failed, Outcome::Observed);
    let id = asked.id;
    selector.tell(Event::Ended {
        id,
        outcome,
        cost: 1.0,
    })?;
    Ok(())
}

/// Makes `draws` continuations in threads, each with a random stream and a seed of its own, so that the
/// number of threads makes no difference. Each thread has a copy of `source`.
pub(crate) fn drawn_in_parallel<S: Clone + Send, R: Send>(
    seed: u64,
    draws: u32,
    source: &S,
    one: impl Fn(&S, ChaCha8Rng, u64) -> Result<R, AnalysisError> + Sync,
) -> Result<Vec<R>, AnalysisError> {
    let streams = Streams::new(seed);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let of = |source: &S, number| one(source, streams.draws(number), streams.run_seed(number));
    in_parallel(u64::from(draws), threads, || source.clone(), of)
}
