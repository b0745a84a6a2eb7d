//! Failed requests of a pool that are made again at the end of a study, in rounds.

use super::{Jobs, RunError};
use crate::{
    clock::{after, first_of, until},
    history::{Ending, History},
    ledger::Entry,
    study::Study,
};
use fiesta_core::{
    ArmId, Conclusion, Evaluation, EvaluationId, Event, Observation, Reason, Selector,
    SelectorError,
};
use std::{collections::BTreeMap, time::Duration};

/// Largest number of rounds in which a study makes failed requests again by itself.
const ROUNDS: u32 = 3;
/// Wait before the first round if no service said how long to wait. Each further round waits twice
/// as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Longest wait before failed requests are made again, even if the service asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Failed requests of a pool of items that are made again before the study would end without them.
#[derive(Debug)]
pub(super) struct Again {
    is_of_pool: bool,
    /// Number of rounds in which failed requests were made again.
    rounds: u32,
    /// Requests that failed for a reason that passes, with their arm and how long the service asked
    /// to wait.
    failed: BTreeMap<EvaluationId, (ArmId, Duration)>,
    /// Message about the round that is waited for. `None` while no round is.
    told: Option<String>,
}

impl Again {
    pub(super) fn of(study: &Study, history: &History) -> Self {
        let mut again = Self {
            is_of_pool: study.items().is_some(),
            rounds: history.rounds,
            failed: BTreeMap::new(),
            told: None,
        };
        for record in history.records.values() {
            if let Some(ending) = record.ending.as_ref().filter(|_| record.origin.is_none()) {
                again.note(&record.evaluation, ending);
            }
        }
        again
    }

    /// Notes a failed request, if it can be made again.
    pub(super) fn note(&mut self, evaluation: &Evaluation, ending: &Ending) {
        if let Some(wait) = ending.wait_before_again().filter(|_| self.is_of_pool) {
            self.failed.insert(evaluation.id, (evaluation.arm, wait));
        }
    }

    /// Returns the message that says which round is waited for.
    pub(super) fn waits(&self) -> Option<&str> {
        self.told.as_deref()
    }

    /// Returns the next round's requests, and the wait before it. Empty after the last round. If
    /// the study can end without them, only requests for which an arm was retired.
    fn next_round(
        &self,
        selector: &Selector<Observation>,
        lacks_answers: bool,
    ) -> (Vec<EvaluationId>, Duration) {
        if self.rounds >= ROUNDS {
            return (Vec::new(), Duration::ZERO);
        }
        let view = selector.view();
        let is_wanted = |id: &EvaluationId| {
            self.failed.get(id).is_some_and(|&(arm, _)| {
                let is_retired = view.is_retired(arm);
                (lacks_answers || is_retired) && (!is_retired || selector.readmits(arm))
            })
        };
        let failed: Vec<EvaluationId> = selector.failed().filter(is_wanted).collect();
        let asked = failed.iter().filter_map(|id| self.failed.get(id));
        let asked = asked.map(|(_, wait)| *wait).max().unwrap_or_default();
        let least = FIRST_WAIT * 2_u32.pow(self.rounds);
        let wait = if asked.is_zero() { least } else { asked };
        (failed, wait.min(LONGEST_WAIT))
    }
}

impl Jobs<'_> {
    /// Drives the selection to its end. Where it would end for want of answers, or without an arm
    /// that was retired for them, the requests that failed for a reason that passes are made again
    /// first.
    pub(in crate::controller) fn drive(
        &mut self,
        selector: &mut Selector<Observation>,
    ) -> Result<Conclusion, RunError> {
        loop {
            let ended = selector.drive(self);
            let lacks_answers = match &ended {
                Ok(conclusion) => match conclusion.reason {
                    Reason::Exhausted | Reason::OnlyCandidate => true,
                    // A gate counts failures against what ships, and so for what is blocked.
                    Reason::Gate { baseline, .. } => {
                        let view = selector.view();
                        let is_blocked = |arm| view.evidence(baseline, arm) == Some(f64::INFINITY);
                        self.study.arms().ids().any(is_blocked)
                    }
                    _ => false,
                },
                Err(RunError::Selector(SelectorError::NoArmLeft)) => true,
                Err(_) => return ended,
            };
            let is_at_limit = ended.is_ok() && selector.is_at_limit();
            let (again, wait) = self.again.next_round(selector, lacks_answers);
            if again.is_empty() || is_at_limit {
                return ended.and_then(|conclusion| self.check_scales().map(|()| conclusion));
            }
            let told = format!(
                "{} failed for a reason that passes (a status 408, 409, 425, 429 or 5xx, or a time-out); asked again in {}, round {} of {ROUNDS}",
                match again.len() {
                    1 => "1 request".to_owned(),
                    count => format!("{count} requests"),
                },
                humantime::format_duration(Duration::from_millis(
                    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
                )),
                self.again.rounds + 1
            );
            self.observer.notice(&told);
            self.again.told = Some(told);
            self.pause(selector, wait)?;
            self.again.told = None;
            let seconds = self.elapsed.seconds();
            self.turn.push(Entry::Clock { seconds });
            selector.tell(Event::Clock(seconds))?;
            for &id in &again {
                selector.tell(Event::AskedAgain(id))?;
            }
            self.again.rounds += 1;
            self.turn.push(Entry::AskedAgain {
                evaluations: again,
                round: self.again.rounds,
            });
        }
    }

    /// Waits for `wait` while no job runs, unless somebody asks to stop or the study's time is
    /// over.
    fn pause(&mut self, selector: &Selector<Observation>, wait: Duration) -> Result<(), RunError> {
        self.record_in_time()?;
        let end = after(wait);
        loop {
            self.heed_signals()?;
            self.tell();
            self.show(selector);
            let left = until(end).unwrap_or(Duration::MAX);
            let over = self.study.limits().wall;
            if left.is_zero() || over.is_some_and(|limit| self.elapsed.seconds() >= limit) {
                return Ok(());
            }
            let ends = self.polled(first_of([self.timeout(), Some(left)]))?;
            self.arrived.extend(ends);
        }
    }
}
