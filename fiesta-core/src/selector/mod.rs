//! Selector of evaluations: posterior, policy and stopping rule behind ask and tell.

mod builder;
mod ending;
mod error;
mod initialization;
mod record;

pub use builder::SelectorBuilder;
pub use error::SelectorError;

use crate::{
    ArmId, Arms, Belief, Case, Conclusion, Evaluation, EvaluationId, Event, Interrupt, Limits,
    Next, Observe, Outcome, Policy, Posterior, Reason, StoppingRule, View,
    arm_statistics::ArmStatistics,
    cases::{Cases, Pending},
    limits::LimitState,
};
use initialization::{Initialization, substitute};
use std::cell::OnceCell;

/// The answer to [`Selector::ask`].
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Make this evaluation and tell its outcome.
    Evaluate(Evaluation),
    /// Nothing to start before a pending evaluation has ended.
    Wait,
    /// The selection has ended.
    Finished(Conclusion),
}

/// Whether a replayed decision is the one recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Agreement {
    /// The selector would have decided as recorded.
    Same,
    /// The selector would have given this answer instead. The record stands: the selector follows
    /// it.
    Differs(Ask),
}

/// Joins a posterior, a policy and a stopping rule, and is driven by [`ask`](Self::ask) and
/// [`tell`](Self::tell): ask any number of times, tell in any order.
///
/// What it decides is a function of its seed and of the sequence of asks and tells. [`Ask::Wait`]
/// changes nothing: whether and how often a waiting selector is asked has no influence. A reading
/// of the clock is an event like any other, so that a study that was recorded can be replayed
/// exactly.
///
/// A policy that needs a posterior is not asked before every candidate has the evaluations that the
/// posterior requires. While some of these are running, it chooses among the candidates that have
/// theirs, so that one evaluation that hangs leaves no slot idle; the selector waits once the
/// stopping rule would end a study of these candidates alone, or they have spent their even share
/// of the limits. It ends only when all are known.
///
/// Where the stopping rule would stop while evaluations of candidates run, nothing more is started
/// but what was [asked again](Event::AskedAgain). The rule is asked again after every end, and the
/// selection ends when it would stop with nothing running. What ends early may be better than what
/// still runs: with eight evaluations at once whose good scores end early, a rule that did not wait
/// named a false arm in 23 % of studies, and one that waits in 2 %.
///
/// An evaluation that is told [`Outcome::Withdrawn`] was never made: its case comes again at the
/// arm's next turn. What it cost all the same is spent, as is what an attempt cost that was lost
/// ([`Event::Lost`]). An arm that keeps failing is retired
/// ([`FailureLimits`](crate::FailureLimits)), until it is
/// [reinstated](Event::Reinstated).
///
/// The items of a pool ([`Design::Items`](crate::Design::Items)) come to an end, unless they are
/// [asked again](SelectorBuilder::repeats), and so may splits ([`SelectorBuilder::splits`]). Where
/// a policy chooses an arm that was evaluated on all of them, the selector evaluates instead the
/// candidate with one left that is most probably best, so that policies need know nothing of it.
/// Nor need they know how many evaluations the stopping rule waits for: where it would stop but for
/// these, the selector makes them instead of the policy's choice ([`StoppingRule::lacking`]).
/// When none has any left that is worth an evaluation ([`SelectorBuilder::negligible`]), and nothing
/// is running, the selection ends ([`Reason::Exhausted`]). What failed by then can be asked again
/// ([`Event::AskedAgain`]).
pub struct Selector<O = f64> {
    arms: Arms,
    beliefs: Box<dyn Observe<O>>,
    policy: Box<dyn Policy>,
    stopping: Box<dyn StoppingRule<O>>,
    limits: Limits,
    /// P(best) below which an arm is not worth an evaluation once the best two have no case left.
    negligible: f64,
    /// Number of the best arms that are to be named.
    top: usize,
    statistics: ArmStatistics,
    cases: Cases,
    /// Belief about all candidates. `None` while it cannot be computed.
    belief: OnceCell<Option<Belief>>,
    /// Belief about those candidates that have the observations that the posterior requires, while
    /// others wait for theirs.
    belief_of_known: OnceCell<Option<Belief>>,
    conclusion: Option<Conclusion>,
    /// Whether finer beliefs have to confirm a belief that ends the selection.
    confirms: bool,
}

impl<O: Clone> Selector<O> {
    /// Returns the arms of the study.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// Returns the posterior by which the selector decides.
    pub fn posterior(&self) -> &dyn Posterior {
        &*self.beliefs
    }

    /// Returns what is known now, as policies and stopping rules see it.
    pub fn view(&self) -> View<'_> {
        View {
            statistics: &self.statistics,
            candidates: &self.statistics.candidates,
            beliefs: &*self.beliefs,
            belief: &self.belief,
            cases: &self.cases,
            evidence: &self.stopping,
            top: self.top,
        }
    }

    /// Evaluations that were asked for and whose outcome was not told yet, in order.
    pub fn pending(&self) -> impl Iterator<Item = Evaluation> + '_ {
        self.cases.pending.iter().map(|(&id, pending)| Evaluation {
            id,
            arm: pending.arm,
            case: pending.case,
        })
    }

    /// Evaluations that failed and are not made again, in order.
    pub fn failed(&self) -> impl Iterator<Item = EvaluationId> + '_ {
        self.statistics.failures.keys().copied()
    }

    /// Returns how the selection ended. `None` before it has.
    pub fn conclusion(&self) -> Option<&Conclusion> {
        self.conclusion.as_ref()
    }

    /// Whether a limit leaves no room for another evaluation, whatever the reason of the conclusion.
    pub fn is_at_limit(&self) -> bool {
        matches!(self.limits.room(&self.view()), LimitState::Spent(_))
    }

    /// Whether an arm that was retired for failing can be [reinstated](Event::Reinstated): not in a
    /// schedule that has gone on without it.
    pub fn readmits(&self, arm: ArmId) -> bool {
        self.policy.readmits(arm)
    }

    /// Returns what to do next.
    ///
    /// # Errors
    /// [`SelectorError`] if no arm is left, or the policy waits for nothing or chooses no
    /// candidate.
    pub fn ask(&mut self) -> Result<Ask, SelectorError> {
        // Simulated studies go on for minutes, and do nothing without asking.
        Interrupt::check();
        let ask = self.decide()?;
        self.follow(&ask);
        Ok(ask)
    }

    /// Ends the selection if a limit is reached, without asking for more: with the stopping rule's
    /// conclusion if it stops, else with the limit's. Returns the conclusion if the selection has
    /// ended.
    ///
    /// # Errors
    /// [`SelectorError::NoArmLeft`] if the policy recommends no arm.
    pub fn expire(&mut self) -> Result<Option<Conclusion>, SelectorError> {
        if self.conclusion.is_none() && !self.statistics.candidates.is_empty() {
            let view = self.view();
            if let LimitState::Spent(limit) = self.limits.room(&view) {
                self.conclusion = Some(self.stop_at(limit)?);
            }
        }
        Ok(self.conclusion.clone())
    }

    /// Takes an event into account. Outcomes may come in any order, also after the selection has
    /// ended: what is known then grows, and the conclusion stays unless an arm is reinstated.
    ///
    /// # Errors
    /// [`SelectorError`] if the evaluation is not pending, or its cost or observation cannot be
    /// one; the selector is then unchanged.
    pub fn tell(&mut self, event: Event<O>) -> Result<(), SelectorError> {
        let (id, outcome, cost) = match event {
            Event::Clock(seconds) => {
                self.statistics.clock = self.statistics.clock.max(seconds);
                return Ok(());
            }
            Event::Measured { id, measure, value } => {
                self.stopping.measured(id, measure, value);
                return Ok(());
            }
            Event::Lost { id, cost } => {
                let arm = self.charged(id, cost)?.arm;
                self.statistics.arms[arm.index()].lost.push(cost);
                return Ok(());
            }
            Event::Reinstated(arm) => {
                for failure in self.statistics.reinstate(arm) {
                    self.make_again(failure);
                }
                self.candidates_changed();
                self.conclusion = None;
                return Ok(());
            }
            Event::AskedAgain(id) => {
                let failure = self.statistics.ask_again(id);
                let failure = failure.ok_or(SelectorError::NotFailed(id.0))?;
                self.make_again(failure);
                self.candidates_changed();
                self.conclusion = None;
                return Ok(());
            }
            Event::Ended { id, outcome, cost } => (id, outcome, cost),
        };
        let pending = self.charged(id, cost)?;
        if let Outcome::Observed(observation) = &outcome {
            self.beliefs
                .observe(pending.arm, pending.case, observation.clone())?;
            self.forget_beliefs();
        }
        if matches!(outcome, Outcome::Withdrawn) {
            self.cases.take_back(pending.case.split);
        } else {
            let Pending { arm, case, .. } = pending;
            let evaluation = Evaluation { id, arm, case };
            self.stopping.ended(&evaluation, pending.turn, &outcome);
        }
        self.cases.pending.remove(&id);
        if self.statistics.end(id, pending, &outcome, cost) {
            self.candidates_changed();
        }
        Ok(())
    }

    /// Makes the turn of a failure that was forgiven free.
    fn make_again(&mut self, failure: Pending) {
        self.cases.take_back(failure.case.split);
        self.stopping.taken_back(failure.arm, failure.turn);
    }

    /// Follows a change of the candidates.
    fn candidates_changed(&mut self) {
        self.stopping
            .candidates_changed(&self.statistics.candidates);
        self.forget_beliefs();
    }

    /// Returns the pending evaluation with this number, after a check that its cost is finite and not negative.
    fn charged(&self, id: EvaluationId, cost: f64) -> Result<Pending, SelectorError> {
        let pending = self.cases.pending.get(&id);
        let pending = *pending.ok_or(SelectorError::NotPending(id.0))?;
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(SelectorError::Cost { id: id.0, cost });
        }
        Ok(pending)
    }

    /// Takes a recorded decision instead of an own one, and says whether it is the same. The record
    /// is authoritative: a selector whose code has changed since follows it all the same.
    ///
    /// # Errors
    /// [`SelectorError`] as [`ask`](Self::ask).
    pub fn replay(&mut self, recorded: &Ask) -> Result<Agreement, SelectorError> {
        let own = self.decide();
        let agreement = match own {
            Ok(own) if own == *recorded => Agreement::Same,
            Ok(own) => Agreement::Differs(own),
            // The record went on where this selector could not.
            Err(_) => Agreement::Differs(Ask::Wait),
        };
        self.follow(recorded);
        Ok(agreement)
    }

    /// Takes a recorded decision without making it again. What is known then is what the record
    /// says, which is enough to look at; the policy has not seen its own decisions and should not
    /// be asked for more.
    pub fn accept(&mut self, recorded: &Ask) {
        self.follow(recorded);
    }

    /// Returns the answer to the next ask, as limits, stopping rule and policy decide it, and changes nothing in the selection.
    fn decide(&mut self) -> Result<Ask, SelectorError> {
        if let Some(conclusion) = &self.conclusion {
            return Ok(Ask::Finished(conclusion.clone()));
        }
        if self.statistics.candidates.is_empty() {
            return if self.cases.pending.is_empty() {
                Err(SelectorError::NoArmLeft)
            } else {
                Ok(Ask::Wait)
            };
        }
        // Not `self.view()`, which would borrow the policy as well.
        let mut view = View {
            statistics: &self.statistics,
            candidates: &self.statistics.candidates,
            beliefs: &*self.beliefs,
            belief: &self.belief,
            cases: &self.cases,
            evidence: &self.stopping,
            top: self.top,
        };
        match self.limits.room(&view) {
            LimitState::Free => {}
            LimitState::Later => return Ok(Ask::Wait),
            LimitState::Spent(limit) => return self.stop_at(limit).map(Ask::Finished),
        }
        let candidates = view.candidates();
        if candidates.len() <= self.top
            && let Some(first) = view.empirical_best()
            && candidates.iter().all(|&arm| view.observed(arm) > 0)
            && !self.policy.goes_on_alone()
        {
            // They won by default, which is no evidence that they are better than those that failed.
            return Ok(Ask::Finished(Conclusion {
                arm: first,
                reason: Reason::OnlyCandidate,
                probability: None,
                evaluations: view.total_ended(),
            }));
        }
        if view.with_case_left().next().is_none() {
            return self.without_cases();
        }
        let initialization = self.initialization(&view);
        let mut rng = self.cases.streams.decision(self.cases.issued);
        let next = match &initialization {
            Initialization::Lacking(arm) => Next::Evaluate(*arm),
            Initialization::Awaited(known) => {
                let share = known.len() as f64 / view.candidates().len() as f64;
                view = View {
                    candidates: known,
                    belief: &self.belief_of_known,
                    ..view
                };
                let could_gain = known.len() > 1
                    && view.with_case_left().next().is_some()
                    && self.limits.share(share).room(&view) == LimitState::Free;
                if !could_gain || self.stop(&view).is_some() {
                    Next::Wait
                } else {
                    match self.policy.next(&view, &mut rng) {
                        Next::Finished(_) => Next::Wait,
                        next => next,
                    }
                }
            }
            Initialization::Impossible | Initialization::Made => {
                if let Some(conclusion) = self.stop(&view) {
                    return Ok(match view.due_again() {
                        Some((arm, case)) => self.evaluate(arm, case),
                        None if view.awaits_outcomes() => Ask::Wait,
                        None => Ask::Finished(conclusion),
                    });
                }
                let least = self.least_probability(&view);
                if !view
                    .with_case_left()
                    .any(|arm| view.may_be_best(arm, least))
                {
                    return self.without_cases();
                }
                if initialization == Initialization::Impossible {
                    substitute(&view).map_or(Next::Wait, Next::Evaluate)
                } else {
                    let next = self.policy.next(&view, &mut rng);
                    self.unless_lacking(&view, next)
                }
            }
        };
        self.answer(&view, next)
    }

    /// Returns the policy's choice or, in place of an evaluation that it chose, the only evaluation
    /// that the stopping rule still lacks, if the policy gives way.
    fn unless_lacking(&self, view: &View<'_>, next: Next) -> Next {
        let (Next::Evaluate(chosen) | Next::EvaluateOn(chosen, _)) = next else {
            return next;
        };
        if !self.policy.gives_way() || !view.candidates().contains(&chosen) {
            return next;
        }
        let lacking = self.stopping.lacking(view, chosen);
        lacking.map_or(next, Next::Evaluate)
    }

    /// Turns a policy's choice into the selector's answer: an evaluation, waiting, the end, or an error.
    fn answer(&self, view: &View<'_>, next: Next) -> Result<Ask, SelectorError> {
        if let Next::Evaluate(arm) | Next::EvaluateOn(arm, _) = next
            && view.candidates().contains(&arm)
            && let Some(case) = view.due_repeat(arm)
        {
            return Ok(self.evaluate(arm, case));
        }
        let least = self.least_probability(view);
        let next = match next {
            Next::EvaluateOn(arm, _) if !view.may_be_best(arm, least) => Next::Evaluate(arm),
            next => next,
        };
        match next {
            Next::Wait if self.cases.pending.is_empty() => Err(SelectorError::Stalled),
            Next::Wait => Ok(Ask::Wait),
            Next::Finished(arm) | Next::Evaluate(arm) | Next::EvaluateOn(arm, _)
                if !view.candidates().contains(&arm) =>
            {
                Err(SelectorError::NoCandidate(arm.index()))
            }
            Next::Finished(arm) => Ok(Ask::Finished(self.conclude(view, arm, Reason::Schedule))),
            Next::EvaluateOn(arm, item) => {
                let case = view.case_of(arm, item);
                let case = case.ok_or(SelectorError::NoItem {
                    arm: arm.index(),
                    item,
                })?;
                Ok(self.evaluate(arm, case))
            }
            Next::Evaluate(chosen) => {
                let can = |&arm: &ArmId| view.has_case_left(arm) && view.may_be_best(arm, least);
                let possible = Some(chosen).filter(can);
                let asked = possible
                    .or_else(|| substitute(view))
                    .and_then(|arm| Some(self.evaluate(arm, view.next_case(arm)?)));
                Ok(asked.unwrap_or(Ask::Wait))
            }
        }
    }

    /// Returns the answer to evaluate this arm on this case, under the next evaluation's number.
    fn evaluate(&self, arm: ArmId, case: Case) -> Ask {
        let id = EvaluationId(self.cases.issued);
        Ask::Evaluate(Evaluation { id, arm, case })
    }

    /// Returns the P(best) from which an arm is worth an evaluation: any, unless the candidates that
    /// are most probably best have no case left, one more than are to be named.
    fn least_probability(&self, view: &View<'_>) -> f64 {
        let is_through = |arm: &ArmId| !view.has_case_left(*arm);
        let through = view.candidates().iter().filter(|arm| is_through(arm));
        let nearest = self.top + 1;
        if self.negligible <= 0.0 || through.count() < nearest {
            return 0.0;
        }
        let Some(belief) = view.belief() else {
            return 0.0;
        };
        let mut arms = view.candidates().to_vec();
        arms.sort_by(|&a, &b| belief.of(b).total_cmp(&belief.of(a)));
        if arms.iter().take(nearest).all(is_through) {
            self.negligible
        } else {
            0.0
        }
    }

    /// Lets an answer of the selector take effect.
    fn follow(&mut self, ask: &Ask) {
        match ask {
            Ask::Wait => {}
            Ask::Finished(conclusion) => self.conclusion = Some(conclusion.clone()),
            Ask::Evaluate(evaluation) => {
                let place = self.cases.place_of(evaluation.case.split);
                let turn = place.map(|place| self.turn_at(evaluation, place));
                let statistics = &mut self.statistics.arms[evaluation.arm.index()];
                let turn = match turn {
                    Some(turn) => {
                        statistics.take(turn);
                        turn
                    }
                    None => statistics.take_turn(),
                };
                self.cases.issued = self.cases.issued.max(evaluation.id.0 + 1);
                self.cases.give(evaluation.case.split);
                self.cases.pending.insert(
                    evaluation.id,
                    Pending {
                        arm: evaluation.arm,
                        turn,
                        case: evaluation.case,
                    },
                );
            }
        }
    }

    /// Returns the turn of an arm's evaluation on the item at this place. With repeats it is the
    /// turn whose seed the evaluation has, or else the first that the arm can take.
    fn turn_at(&self, evaluation: &Evaluation, place: u64) -> u64 {
        let (arm, case) = (evaluation.arm, evaluation.case);
        let statistics = &self.statistics.arms[arm.index()];
        if !self.cases.repeats() {
            return place;
        }
        // There are no more repeats of an item than evaluations of the arm.
        let rounds = usize::try_from(statistics.attempts() + 1).unwrap_or(usize::MAX);
        let turns = self.cases.turns_at(place).take(rounds);
        let mut free = turns.filter(|&turn| statistics.can_take(turn));
        let first = free.clone().next().unwrap_or(place);
        free.find(|&turn| self.cases.case(arm, turn) == Some(case))
            .unwrap_or(first)
    }

    fn forget_beliefs(&mut self) {
        self.belief = OnceCell::new();
        self.belief_of_known = OnceCell::new();
    }
}
