//! The history of a study: its ledger's entries replayed to the selector's state and every
//! evaluation's record.

mod evaluated;
mod extension;
mod failures;
mod identical;
mod record;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use evaluated::Tally;
pub(crate) use extension::Extension;
pub(crate) use failures::FailuresAtFirst;
#[doc(hidden)]
pub use failures::{Cause, Told};
pub(crate) use identical::IdenticalScores;
pub(crate) use record::{Best, Lost, Spent};
pub use record::{Ending, Record};
#[doc(hidden)]
pub use rows::RowsError;
pub(crate) use rows::{OWN, is_taken as is_column};

use crate::{
    ledger::{Damage, Entry, Ledger, LedgerError, Left, Origin},
    study::{Study, Terms, arm_digest},
};
use extension::Step;
use fiesta_core::{
    Agreement, ArmId, Ask, Evaluation, EvaluationId, Event, Observation, Outcome, Selector,
    SelectorError,
};
use fiesta_policies::random_search::Setting;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt};

/// Extent of the checks during a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Every decision is made again and compared with the recorded one.
    Decisions,
    /// The recorded decisions are taken as they are. Enough to look, not to go on.
    Nothing,
}

/// State of a study after the entries of its ledger so far.
pub struct History {
    /// The selector, in the state that the ledger's entries lead to.
    pub selector: Selector<Observation>,
    /// Records of all evaluations, in order.
    pub records: BTreeMap<EvaluationId, Record>,
    /// Number of evaluations that have ended.
    turns: u64,
    /// Seconds that the study has run, over all sessions.
    pub clock: f64,
    /// Decisions that this program would have made otherwise. The recorded ones stand.
    pub differences: Vec<String>,
    /// Extensions of the study, earlier ends and reinstated arms, in order.
    pub extensions: Vec<Extension>,
    /// Failures of evaluations before any evaluation succeeded.
    pub(crate) at_first: FailuresAtFirst,
    /// Goal, limits and arms of the latest session.
    terms: Terms,
    /// All events and decisions of the selector, so that another selector can be told them under
    /// other terms.
    steps: Vec<Step>,
    /// Time from which on answers in a cache are those of an arm that was asked anew, in seconds
    /// since 1970.
    pub(crate) answers_since: BTreeMap<ArmId, f64>,
    /// Digest of what identifies each arm beside its name, as the latest session read the study
    /// file.
    arm_digests: Vec<String>,
    /// The version of the rules that decided the latest conclusion; `None` if it is not recorded.
    pub(crate) rules: Option<u32>,
    /// Damaged entries of the ledger, in a history that was made only for display.
    pub damage: Vec<Damage>,
    /// Rounds in which failed requests were made again, since the study last ended.
    pub(crate) rounds: u32,
}

/// The reason why a ledger cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The ledger's entries contradict each other or the study.
    #[error("the ledger does not fit the study: {0}")]
    Selector(#[from] SelectorError),
    /// The study file says that there are fewer splits than were used.
    #[error(
        "split {split} was used already, and the study file says that there are only {count}: let splits under [design] be at least {}",
        split + 1
    )]
    Splits {
        /// The greatest split that was used.
        split: u64,
        /// Number of splits that the study file states.
        count: u64,
    },
}

impl History {
    /// Replays a study's entries.
    ///
    /// # Errors
    /// [`HistoryError`] if the entries contradict each other or the study.
    pub fn replay(
        study: &Study,
        entries: impl IntoIterator<Item = Entry>,
        check: Check,
    ) -> Result<Self, HistoryError> {
        let mut history = Self::begin(study)?;
        for entry in entries {
            history.take(study, entry, check)?;
        }
        Ok(history)
    }

    /// Replays the ledger in a study's state directory, whoever holds it.
    ///
    /// # Errors
    /// [`HistoryError`] if it cannot be read, or its entries contradict each other or the study.
    pub fn read(study: &Study, check: Check) -> Result<Self, HistoryError> {
        let mut history = Self::begin(study)?;
        Ledger::visit_at(&study.state_directory(), |entry| {
            history.take(study, entry, check)
        })?;
        Ok(history)
    }

    /// Makes the history of a study before its first entry.
    ///
    /// # Errors
    /// [`HistoryError`] never for a checked study.
    pub fn begin(study: &Study) -> Result<Self, HistoryError> {
        Ok(Self {
            selector: study.selector()?,
            records: BTreeMap::new(),
            turns: 0,
            clock: 0.0,
            differences: Vec::new(),
            extensions: Vec::new(),
            at_first: FailuresAtFirst::default(),
            terms: study.terms.clone(),
            steps: Vec::new(),
            answers_since: BTreeMap::new(),
            arm_digests: Vec::new(),
            rules: None,
            damage: Vec::new(),
            rounds: 0,
        })
    }

    /// Replays the readable entries of a damaged ledger. Entries that depend on a damaged one are
    /// left out as well.
    ///
    /// # Errors
    /// [`HistoryError`] if a ledger that is whole contradicts itself or the study.
    pub fn of_what_is_left(study: &Study, left: Left) -> Result<Self, HistoryError> {
        let mut history = Self::begin(study)?;
        let mut damage = left.damage;
        let is_whole = damage.is_empty();
        for (sequence, entry) in left.entries {
            if is_whole {
                history.take(study, entry, Check::Nothing)?;
            } else if let Err(error) = history.take(study, entry.clone(), Check::Nothing) {
                damage.push(Damage::follows(sequence, &entry, &error.to_string()));
            }
        }
        damage.sort_by_key(|damage| damage.sequence);
        history.damage = damage;
        Ok(history)
    }

    fn tell(&mut self, event: Event<Observation>) -> Result<(), SelectorError> {
        self.selector.tell(event)?;
        self.steps.push(Step::Told(event));
        Ok(())
    }

    /// Tells the selector of the measures of an evaluation that is about to end.
    fn measured(
        &mut self,
        study: &Study,
        id: EvaluationId,
        ending: &Ending,
    ) -> Result<(), SelectorError> {
        let mut events = study.measured(id, ending);
        events.try_for_each(|event| self.tell(event))
    }

    /// Replays the next entry, for callers that want to see every state on the way.
    ///
    /// # Errors
    /// [`HistoryError`] if the entry contradicts those before or the study.
    pub fn take(&mut self, study: &Study, entry: Entry, check: Check) -> Result<(), HistoryError> {
        // A command is asked what the ledger does not answer, and each question says all.
        let check = match study.policy_command() {
            Some(_) => Check::Nothing,
            None => check,
        };
        match entry {
            Entry::Opened(session) => {
                let before = Extension::after(&self.selector);
                self.go_over(study, Terms::of(&session.study), check)?;
                let digest = |arm| arm_digest(&session.study, arm);
                self.arm_digests = study.arms().ids().map(digest).collect();
                if !session.asserted.is_empty() {
                    self.extensions.push(Extension {
                        asserted: session.asserted,
                        ..before
                    });
                }
            }
            Entry::Recorded {
                evaluation,
                outcome,
                origin,
                extras,
            } => self.recorded(study, evaluation, outcome, origin, extras)?,
            Entry::Decided {
                evaluation,
                setting,
            } => {
                self.decided(study, &Ask::Evaluate(evaluation), check)?;
                self.steps.push(Step::Asked(evaluation));
                let own = study.setting(&evaluation);
                if check == Check::Decisions && own != setting {
                    let difference = format!("{setting:#}; now it would be: {own:#}");
                    self.differences.push(difference);
                }
                self.records
                    .insert(evaluation.id, Record::new(evaluation, setting));
            }
            Entry::Retried {
                evaluation,
                attempt,
                cost,
                seconds,
                ..
            } => {
                let spent = Spent { cost, seconds };
                if let Some(event) = spent.event(evaluation) {
                    self.tell(event)?;
                }
                if let Some(record) = self.records.get_mut(&evaluation) {
                    record.attempt = attempt;
                    record.lost.add(spent);
                }
            }
            Entry::Ended {
                evaluation: id,
                attempt,
                outcome,
                cost,
                seconds,
                end,
                message,
                extras,
            } => {
                let ending = Ending {
                    outcome,
                    cost,
                    seconds,
                    end,
                    message,
                    extras,
                };
                self.measured(study, id, &ending)?;
                self.tell(Event::Ended {
                    id,
                    outcome: study.oriented(outcome),
                    cost,
                })?;
                if let Some(record) = self.records.get_mut(&id) {
                    record.attempt = attempt;
                    self.turns += 1;
                    record.turn = Some(self.turns);
                    let ending = record.ending.insert(ending);
                    self.at_first
                        .note(study, &record.evaluation, attempt, ending);
                }
            }
            Entry::Reinstated { arms } => self.reinstate(arms)?,
            Entry::AskedAgain { evaluations, round } => self.asked_again(evaluations, round)?,
            Entry::SetAside { arms } => self.set_aside(study, &arms)?,
            Entry::Clock { seconds } => {
                self.clock = self.clock.max(seconds);
                self.tell(Event::Clock(seconds))?;
            }
            Entry::Concluded { conclusion, rules } => {
                self.rules = rules;
                self.rounds = 0;
                self.decided(study, &Ask::Finished(conclusion), check)?;
            }
        }
        Ok(())
    }

    fn asked_again(
        &mut self,
        evaluations: Vec<EvaluationId>,
        round: u32,
    ) -> Result<(), SelectorError> {
        for id in evaluations {
            self.tell(Event::AskedAgain(id))?;
        }
        self.rounds = round;
        Ok(())
    }

    fn reinstate(&mut self, arms: Vec<ArmId>) -> Result<(), SelectorError> {
        let before = Extension::after(&self.selector);
        for &arm in &arms {
            self.tell(Event::Reinstated(arm))?;
            self.at_first.forgive(arm);
        }
        self.extensions.push(Extension {
            reinstated: arms,
            ..before
        });
        Ok(())
    }

    fn recorded(
        &mut self,
        study: &Study,
        evaluation: Evaluation,
        outcome: Outcome<Observation>,
        origin: Origin,
        extras: Map<String, Value>,
    ) -> Result<(), SelectorError> {
        let observation = match study.oriented(outcome) {
            Outcome::Observed(observation) => Some(observation),
            Outcome::Failed | Outcome::Withdrawn => None,
        };
        let ending = Ending {
            outcome,
            cost: origin.cost.unwrap_or(0.0),
            seconds: origin.seconds.unwrap_or(0.0),
            end: None,
            message: None,
            extras,
        };
        self.measured(study, evaluation.id, &ending)?;
        self.selector.record(evaluation, observation)?;
        self.steps.push(Step::Recorded(evaluation, observation));
        self.turns += 1;
        let record = Record {
            ending: Some(ending),
            turn: Some(self.turns),
            origin: Some(Box::new(origin)),
            ..Record::new(evaluation, Setting::default())
        };
        self.records.insert(evaluation.id, record);
        Ok(())
    }

    fn decided(
        &mut self,
        study: &Study,
        recorded: &Ask,
        check: Check,
    ) -> Result<(), SelectorError> {
        match check {
            Check::Nothing => self.selector.accept(recorded),
            Check::Decisions => {
                if let Agreement::Differs(own) = self.selector.replay(recorded)? {
                    let (recorded, own) = (words(study, recorded), words(study, &own));
                    self.differences
                        .push(format!("{recorded}; now it would be: {own}"));
                }
            }
        }
        Ok(())
    }

    /// The evaluation of an arm with the best score, the first of equals; none before there is a
    /// score.
    pub fn best(&self, study: &Study, arm: ArmId) -> Option<Best<'_>> {
        let direction = study.metric().direction();
        let of_arm = self.records.values().filter(|r| r.evaluation.arm == arm);
        let scored = of_arm.filter_map(|record| match record.ending.as_ref()?.outcome {
            Outcome::Observed(Observation::Score(score)) => Some(Best { record, score }),
            _ => None,
        });
        scored.reduce(|best, other| {
            if direction.orient(other.score) > direction.orient(best.score) {
                other
            } else {
                best
            }
        })
    }

    /// Whether the arm can be reinstated: it was retired for failing, or has failed and never
    /// succeeded.
    pub fn has_failed(&self, arm: ArmId) -> bool {
        let view = self.selector.view();
        let is_retired = !view.candidates().contains(&arm);
        is_retired || (view.observed(arm) == 0 && view.failures_in_a_row(arm) > 0)
    }

    /// Returns the failed evaluations of an arm that are not made again: the arm has no score for
    /// those. Empty in a random search, whose trials may fail, and of an arm that [failed for
    /// good](Self::has_failed) while there are always more splits.
    pub(crate) fn unanswered(&self, study: &Study, arm: ArmId) -> Vec<EvaluationId> {
        let comes_to_an_end = study.items().is_some() || study.splits().is_some();
        if study.search().is_some() || !comes_to_an_end && self.has_failed(arm) {
            return Vec::new();
        }
        let is_of_arm = |id: &EvaluationId| {
            let record = self.records.get(id);
            record.is_some_and(|record| record.evaluation.arm == arm)
        };
        self.selector.failed().filter(is_of_arm).collect()
    }

    /// Whether the study stopped because every evaluation failed alike. Whoever resumes it has
    /// mended the cause.
    pub fn failed_alike(&self, study: &Study) -> bool {
        let none_left = self.selector.view().candidates().is_empty();
        let at_first = &self.at_first;
        self.selector.conclusion().is_none()
            && self.pending().next().is_none()
            && (at_first.speak_against_all(study) || (none_left && at_first.are_alike()))
    }

    /// Returns the evaluations that were decided and have not ended, in order.
    pub fn pending(&self) -> impl Iterator<Item = &Record> {
        self.records
            .values()
            .filter(|record| record.ending.is_none())
    }
}

/// Describes a decision of the selector in words.
fn words(study: &Study, ask: &Ask) -> String {
    let name = |arm| study.arms().name(arm);
    match ask {
        Ask::Evaluate(e) => format!(
            "evaluation {} of {} on {}",
            e.id.0 + 1,
            name(e.arm),
            study.words(&e.case)
        ),
        Ask::Wait => "wait".to_owned(),
        Ask::Finished(conclusion) => format!("recommend {}", name(conclusion.arm)),
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History")
            .field("records", &self.records)
            .finish_non_exhaustive()
    }
}
