//! The selector: posterior, policy and stopping rule behind ask and tell.

mod record;

use crate::{
    ArmId, Arms, Belief, Conclusion, Design, Evaluation, EvaluationId, Event, FailureLimits, Limit,
    Limits, Next, Observe, ObserveError, Outcome, Policy, Reason, StoppingRule, Streams, Verdict,
    View,
    arm_statistics::ArmStatistics,
    cases::{Cases, Pending},
    limits::LimitState,
};
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
    /// The same decision.
    Same,
    /// The selector would have answered this instead. The record stands: the selector follows it.
    Differs(Ask),
}

/// Why a selector cannot go on. Evaluations are numbered from 1 in these messages, as wherever people read them, and from 0 in the fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// Every arm was retired for failing.
    #[error("no arm is left: every one of them failed for good")]
    NoArmLeft,
    /// The policy waits although nothing is running.
    #[error("the policy waits while nothing is running; it would wait for ever")]
    Stalled,
    /// The policy chose an arm that is no candidate.
    #[error("the policy chose arm number {0}, which is no candidate")]
    NoCandidate(usize),
    /// An outcome was told for an evaluation that is not pending.
    #[error(
        "evaluation {} is not pending: it was never asked for, or its outcome was told before",
        .0 + 1
    )]
    NotPending(u64),
    /// A cost is negative or not a number.
    #[error("the cost {cost} of evaluation {} is not a number from zero upwards", .id + 1)]
    Cost {
        /// The evaluation.
        id: u64,
        /// Its refused cost.
        cost: f64,
    },
    /// An evaluation that was made before the study was recorded after its first decision, or out of order.
    #[error(
        "evaluation {} was made before the study, and can only be recorded before it begins, in order",
        .0 + 1
    )]
    RecordedLate(u64),
    /// An evaluation that was made before the study is on no case of it.
    #[error(
        "evaluation {} was made before the study on {split}, which is no split or document of it",
        .id + 1
    )]
    RecordedElsewhere {
        /// The evaluation.
        id: u64,
        /// Its split, or its document's number.
        split: u64,
    },
    /// An arm has two recorded evaluations of the same document.
    #[error("evaluation {} repeats a document that its arm was evaluated on before", .0 + 1)]
    RecordedTwice(u64),
    /// The posterior refuses the observation.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The posterior was made for another number of arms.
    #[error("the posterior has {posterior} arms, the study {study}")]
    Arms {
        /// Arms of the posterior.
        posterior: usize,
        /// Arms of the study.
        study: usize,
    },
}

/// Joins a posterior, a policy and a stopping rule, and is driven by [`ask`](Self::ask) and
/// [`tell`](Self::tell): ask any number of times, tell in any order.
///
/// What it decides is a function of its seed and of the sequence of asks and tells. [`Ask::Wait`] changes
/// nothing: whether and how often a waiting selector is asked has no influence. A reading of the clock is
/// an event like any other, so that a study that was recorded can be replayed exactly.
///
/// A policy that needs a posterior is not asked before every candidate has the evaluations that the
/// posterior requires. While some of these are running, it chooses among the candidates that have
/// theirs, so that one evaluation that hangs leaves no slot idle; the selector waits once the
/// stopping rule would end a study of these candidates alone, or they have spent their even share of
/// the limits. It ends only when all are known.
///
/// An evaluation that is told [`Outcome::Withdrawn`] was never made: its case comes again at the
/// arm's next turn. What it cost all the same is spent, as is what an attempt cost that was lost
/// ([`Event::Lost`]). An arm that keeps failing is retired ([`FailureLimits`]), until it is
/// [reinstated](Event::Reinstated).
///
/// Documents ([`Design::Documents`]) come to an end, and so may splits
/// ([`SelectorBuilder::splits`]). Where a policy chooses an arm that was evaluated on all of them,
/// the selector evaluates instead the candidate with one left that is most probably best, so that
/// policies need know nothing of it. When none has any left and nothing is running, the selection
/// ends ([`Reason::Exhausted`]).
pub struct Selector<O = f64> {
    arms: Arms,
    beliefs: Box<dyn Observe<O>>,
    policy: Box<dyn Policy>,
    stopping: Box<dyn StoppingRule<O>>,
    limits: Limits,
    statistics: ArmStatistics,
    cases: Cases,
    /// What is believed of all candidates.
    belief: OnceCell<Option<Belief>>,
    /// What is believed of those candidates that have the observations that the posterior requires, while others wait for theirs.
    belief_of_known: OnceCell<Option<Belief>>,
    conclusion: Option<Conclusion>,
}

/// Builds a [`Selector`]; by default with shared splits, seed 0 and the default [`FailureLimits`].
pub struct SelectorBuilder<O = f64> {
    arms: Arms,
    beliefs: Box<dyn Observe<O>>,
    policy: Box<dyn Policy>,
    stopping: Box<dyn StoppingRule<O>>,
    design: Design,
    splits: Option<u64>,
    limits: Limits,
    seed: u64,
    failure_limits: FailureLimits,
    costs: Vec<Option<f64>>,
}

impl<O> SelectorBuilder<O> {
    /// What may be spent; without limits by default.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Which case each evaluation gets.
    pub fn design(mut self, design: Design) -> Self {
        self.design = design;
        self
    }

    /// How many splits there are, numbered from 0; any number by default. With [`Design::Shared`]
    /// every arm can be evaluated on each of them, with [`Design::Independent`] each is for one
    /// evaluation of any arm. Nothing to the other designs.
    pub fn splits(mut self, splits: Option<u64>) -> Self {
        self.splits = splits;
        self
    }

    /// The seed of every random choice.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many failures in a row retire an arm.
    pub fn failure_limits(mut self, failure_limits: FailureLimits) -> Self {
        self.failure_limits = failure_limits;
        self
    }

    /// What an evaluation of each arm is expected to cost before one has ended, where that is known: a limit of cost then holds from the
    /// first evaluation on.
    pub fn expected_costs(mut self, costs: impl IntoIterator<Item = Option<f64>>) -> Self {
        self.costs = costs.into_iter().collect();
        self
    }

    /// The selector.
    ///
    /// # Errors
    /// [`SelectorError::Arms`] if the posterior was made for another number of arms.
    pub fn build(self) -> Result<Selector<O>, SelectorError> {
        if self.beliefs.arms() != self.arms.len() {
            return Err(SelectorError::Arms {
                posterior: self.beliefs.arms(),
                study: self.arms.len(),
            });
        }
        let mut statistics = ArmStatistics::new(self.arms.len(), self.failure_limits);
        for (arm, cost) in statistics.arms.iter_mut().zip(self.costs) {
            arm.declared_cost = cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
        }
        Ok(Selector {
            statistics,
            arms: self.arms,
            beliefs: self.beliefs,
            policy: self.policy,
            stopping: self.stopping,
            limits: self.limits,
            cases: Cases::new(self.design, self.splits, Streams::new(self.seed)),
            belief: OnceCell::new(),
            belief_of_known: OnceCell::new(),
            conclusion: None,
        })
    }
}

impl<O: Clone> Selector<O> {
    /// Starts building a selector over `arms`.
    pub fn builder(
        arms: Arms,
        posterior: impl Observe<O> + 'static,
        policy: impl Policy + 'static,
        stopping: impl StoppingRule<O> + 'static,
    ) -> SelectorBuilder<O> {
        SelectorBuilder {
            arms,
            beliefs: Box::new(posterior),
            policy: Box::new(policy),
            stopping: Box::new(stopping),
            design: Design::default(),
            splits: None,
            limits: Limits::default(),
            seed: 0,
            failure_limits: FailureLimits::default(),
            costs: Vec::new(),
        }
    }

    /// The arms.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// What is known now, as policies and stopping rules see it.
    pub fn view(&self) -> View<'_> {
        View {
            statistics: &self.statistics,
            candidates: &self.statistics.candidates,
            beliefs: &*self.beliefs,
            belief: &self.belief,
            cases: &self.cases,
            evidence: &self.stopping,
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

    /// How the selection ended; none before it has.
    pub fn conclusion(&self) -> Option<&Conclusion> {
        self.conclusion.as_ref()
    }

    /// Whether an arm that was retired for failing can be [reinstated](Event::Reinstated): not in a
    /// schedule that has gone on without it.
    pub fn readmits(&self, arm: ArmId) -> bool {
        self.policy.readmits(arm)
    }

    /// What to do next.
    ///
    /// # Errors
    /// [`SelectorError`] if no arm is left, or the policy waits for nothing or chooses no candidate.
    pub fn ask(&mut self) -> Result<Ask, SelectorError> {
        let ask = self.decide()?;
        self.follow(&ask);
        Ok(ask)
    }

    /// Ends the selection if a limit is reached, without asking for more; the conclusion, if it has ended.
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

    /// Takes an event into account. Outcomes may come in any order, also after the selection has ended:
    /// what is known then grows, and the conclusion stays unless an arm is reinstated.
    ///
    /// # Errors
    /// [`SelectorError`] if the evaluation is not pending, or its cost or observation cannot be one; the
    /// selector is then unchanged.
    pub fn tell(&mut self, event: Event<O>) -> Result<(), SelectorError> {
        let (id, outcome, cost) = match event {
            Event::Clock(seconds) => {
                self.statistics.clock = self.statistics.clock.max(seconds);
                return Ok(());
            }
            Event::Lost { id, cost } => {
                let arm = self.charged(id, cost)?.arm;
                self.statistics.arms[arm.index()].lost.push(cost);
                return Ok(());
            }
            Event::Reinstated(arm) => {
                for failure in self.statistics.reinstate(arm) {
                    self.cases.take_back(failure.case.split);
                }
                self.forget_beliefs();
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
        if self.statistics.end(pending, &outcome, cost) {
            self.forget_beliefs();
        }
        Ok(())
    }

    /// The pending evaluation that such a cost can be of.
    fn charged(&self, id: EvaluationId, cost: f64) -> Result<Pending, SelectorError> {
        let pending = self.cases.pending.get(&id);
        let pending = *pending.ok_or(SelectorError::NotPending(id.0))?;
        if !(cost.is_finite() && cost >= 0.0) {
            return Err(SelectorError::Cost { id: id.0, cost });
        }
        Ok(pending)
    }

    /// Takes a recorded decision instead of an own one, and says whether it is the same. The record is
    /// authoritative: a selector whose code has changed since follows it all the same.
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

    /// Takes a recorded decision without making it again. What is known then is what the record says, which is
    /// enough to look at; the policy has not seen its own decisions and should not be asked for more.
    pub fn accept(&mut self, recorded: &Ask) {
        self.follow(recorded);
    }

    /// What the policy and the stopping rule say now, before it takes effect.
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
        };
        match self.limits.room(&view) {
            LimitState::Free => {}
            LimitState::Later => return Ok(Ask::Wait),
            LimitState::Spent(limit) => return self.stop_at(limit).map(Ask::Finished),
        }
        if let [only] = *view.candidates()
            && view.observed(only) > 0
            && !self.policy.goes_on_alone()
        {
            // It won by default, which is no evidence that it is better than those that failed.
            return Ok(Ask::Finished(Conclusion {
                arm: only,
                reason: Reason::OnlyCandidate,
                probability: None,
                evaluations: view.total_ended(),
            }));
        }
        if view.with_case_left().next().is_none() {
            return self.without_cases();
        }
        let acquaintance = if self.policy.needs_posterior() {
            acquaint(&view)
        } else {
            Initialization::Made
        };
        let mut rng = self.cases.streams.decision(self.cases.issued);
        let next = match &acquaintance {
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
                    return Ok(Ask::Finished(conclusion));
                }
                if acquaintance == Initialization::Impossible {
                    substitute(&view).map_or(Next::Wait, Next::Evaluate)
                } else {
                    self.policy.next(&view, &mut rng)
                }
            }
        };
        match next {
            Next::Wait if self.cases.pending.is_empty() => Err(SelectorError::Stalled),
            Next::Wait => Ok(Ask::Wait),
            Next::Finished(arm) | Next::Evaluate(arm) if !view.candidates().contains(&arm) => {
                Err(SelectorError::NoCandidate(arm.index()))
            }
            Next::Finished(arm) => Ok(Ask::Finished(conclude(&view, arm, Reason::Schedule))),
            Next::Evaluate(chosen) => {
                let possible = Some(chosen).filter(|&arm| view.has_case_left(arm));
                let evaluation = possible.or_else(|| substitute(&view)).and_then(|arm| {
                    Some(Evaluation {
                        id: EvaluationId(self.cases.issued),
                        arm,
                        case: view.next_case(arm)?,
                    })
                });
                Ok(evaluation.map_or(Ask::Wait, Ask::Evaluate))
            }
        }
    }

    /// What remains to be said when no candidate has a case left: nothing before everything running has ended. Then the stopping
    /// rule has its last look, whatever round the policy may be in, since no round will be completed any more.
    fn without_cases(&self) -> Result<Ask, SelectorError> {
        if !self.cases.pending.is_empty() {
            return Ok(Ask::Wait);
        }
        let view = self.view();
        if let Verdict::Stop(arm, reason) = self.stopping.check(&view) {
            return Ok(Ask::Finished(conclude(&view, arm, reason)));
        }
        let best = self.policy.recommend(&view);
        let best = best.ok_or(SelectorError::NoArmLeft)?;
        let reason = if self.policy.is_complete(&view) {
            Reason::Schedule
        } else {
            Reason::Exhausted
        };
        Ok(Ask::Finished(conclude(&view, best, reason)))
    }

    fn stop_at(&self, limit: Limit) -> Result<Conclusion, SelectorError> {
        let view = self.view();
        let best = self
            .policy
            .recommend(&view)
            .ok_or(SelectorError::NoArmLeft)?;
        Ok(conclude(&view, best, Reason::Limit(limit)))
    }

    /// Lets an answer take effect.
    fn follow(&mut self, ask: &Ask) {
        match ask {
            Ask::Wait => {}
            Ask::Finished(conclusion) => self.conclusion = Some(conclusion.clone()),
            Ask::Evaluate(evaluation) => {
                let turn = self.statistics.arms[evaluation.arm.index()].take_turn();
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

    /// The conclusion of the stopping rule, if it may look now and stops.
    fn stop(&self, view: &View<'_>) -> Option<Conclusion> {
        if !self.policy.round_complete(view) {
            return None;
        }
        match self.stopping.check(view) {
            Verdict::Stop(arm, reason) => Some(conclude(view, arm, reason)),
            Verdict::Continue => None,
        }
    }

    fn forget_beliefs(&mut self) {
        self.belief = OnceCell::new();
        self.belief_of_known = OnceCell::new();
    }
}

/// Whether every candidate has the observations that the posterior requires.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Initialization {
    /// Not yet: this arm is evaluated next.
    Lacking(ArmId),
    /// What is lacking is running. These candidates have theirs.
    Awaited(Vec<ArmId>),
    /// Some candidate never will: it was evaluated on every split or document, and failed on too many. A policy that needs a posterior cannot be
    /// asked then, and the others are evaluated as [`substitute`] says.
    Impossible,
    /// All have them.
    Made,
}

/// How far the candidates are known. Of several that lack evaluations the one with the fewest of them is evaluated first, of equals
/// the one that was forgiven the fewest failures, as it is the likeliest to succeed.
fn acquaint(view: &View<'_>) -> Initialization {
    let (mut awaited, mut hopeless) = (false, false);
    let mut fewest: Option<((u64, u64), ArmId)> = None;
    let mut known = Vec::new();
    for &arm in view.candidates() {
        let required = view.required(arm);
        let expected = view.observed(arm) + view.pending(arm);
        if view.observed(arm) >= required {
            known.push(arm);
        } else if expected >= required {
            awaited = true;
        } else if !view.has_case_left(arm) {
            hopeless = true;
        } else {
            let key = (expected, view.statistics.arms[arm.index()].forgiven);
            if fewest.is_none_or(|(least, _)| key < least) {
                fewest = Some((key, arm));
            }
        }
    }
    match fewest {
        Some((_, arm)) => Initialization::Lacking(arm),
        None if awaited => Initialization::Awaited(known),
        None if hopeless => Initialization::Impossible,
        None => Initialization::Made,
    }
}

/// The arm that is evaluated where the policy's choice has no case left, or the policy cannot be asked: of the candidates with a
/// case left the one that is most probably best, or while there is no belief the one with the fewest attempts; the first of equals.
/// None if none has a case left.
fn substitute(view: &View<'_>) -> Option<ArmId> {
    let left = view.with_case_left();
    match view.belief() {
        // `max_by` would take the last of equals.
        Some(belief) => left.reduce(|best, arm| {
            if belief.of(arm) > belief.of(best) {
                arm
            } else {
                best
            }
        }),
        None => left.min_by_key(|&arm| view.attempts(arm)),
    }
}

fn conclude(view: &View<'_>, arm: ArmId, reason: Reason) -> Conclusion {
    Conclusion {
        arm,
        reason,
        probability: view.belief().map(|belief| belief.of(arm)),
        evaluations: view.total_ended(),
    }
}
