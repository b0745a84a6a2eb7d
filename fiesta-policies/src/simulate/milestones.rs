//! Record of where several stopping rules stop along one simulated run.

use super::workers::Meter;
use fiesta_core::{ArmId, Evaluation, Outcome, Reason, StoppingRule, Verdict, View};
use std::sync::{Arc, Mutex, PoisonError};

/// The point at which a rule stopped: what it recommended, and what had been spent by then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Milestone {
    pub(super) arm: ArmId,
    pub(super) evaluations: u64,
    pub(super) cost: f64,
    pub(super) time: f64,
}

impl Milestone {
    /// Returns the point at which a rule stops now and recommends this arm, with what has been spent.
    pub(super) fn now(arm: ArmId, view: &View<'_>, meter: &Meter) -> Self {
        Self {
            arm,
            evaluations: view.total_ended(),
            cost: meter.read(),
            time: view.clock(),
        }
    }
}

/// Stopping rule that stops when each of its rules has stopped, and notes where each did so first.
///
/// While candidates or their outcomes are [awaited](View::awaits_outcomes) it waits only if every rule
/// that has not stopped yet would wait. A rule that would have waited alone is noted as disturbed by
/// the others: what it needs is known only from a run of its own.
pub(super) struct Milestones<R> {
    rules: Vec<R>,
    meter: Meter,
    record: Record,
}

/// Record of what [`Milestones`] noted, shared with whoever started the run.
#[derive(Clone)]
pub(super) struct Record(Arc<Mutex<Vec<Noted>>>);

/// Record of how one stopping rule fared in a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    /// The point at which the rule stopped.
    pub(super) reached: Option<Milestone>,
    /// Arms that the rule called equal when it stopped, and within which distance. `None` if it
    /// named one arm.
    pub(super) tie: Option<(f64, Vec<ArmId>)>,
    /// Whether the run went on for other rules where this rule alone would have waited.
    pub(super) disturbed: bool,
}

impl Noted {
    /// Whether the run goes on for this rule: it has not stopped, and no run of its own is due.
    fn waits(&self) -> bool {
        self.reached.is_none() && !self.disturbed
    }
}

impl<R> Milestones<R> {
    pub(super) fn new(rules: Vec<R>, meter: Meter) -> (Self, Record) {
        let record = Record(Arc::new(Mutex::new(vec![Noted::default(); rules.len()])));
        let rules = Self {
            rules,
            meter,
            record: record.clone(),
        };
        (rules, record)
    }
}

impl Record {
    pub(super) fn take(&self) -> Vec<Noted> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<O, R: StoppingRule<O>> StoppingRule<O> for Milestones<R> {
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        self.rules.ended(evaluation, turn, outcome);
    }

    /// Returns the arm for which all rules that have not stopped ask. Where they differ, the rules that
    /// ask for an arm are disturbed, and the policy's choice is made for the others. Where all rules
    /// ask, the first is followed.
    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        let mut record = self.record.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.rules.iter().zip(record.iter_mut());
        let waiting = rules.filter(|(_, noted)| noted.waits());
        let mut asks: Vec<_> = waiting
            .map(|(rule, noted)| (rule.lacking(view, chosen), noted))
            .collect();
        let followed = asks.iter().map(|(arm, _)| *arm).min().flatten();
        for (arm, noted) in &mut asks {
            noted.disturbed |= *arm != followed;
        }
        followed
    }

    /// Returns the evidence of the first rule that still waits: the rules before it have stopped.
    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let record = self.record.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.rules.iter().zip(record.iter());
        let mut waiting = rules.filter(|(_, noted)| noted.reached.is_none());
        waiting.find_map(|(rule, _)| rule.evidence(view, leader, arm))
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        let mut record = self.record.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = Verdict::Continue;
        let mut would_wait = Vec::new();
        for (place, (rule, noted)) in self.rules.iter().zip(record.iter_mut()).enumerate() {
            if noted.waits()
                && let Verdict::Stop(arm, reason) = rule.check(view)
            {
                if view.is_provisional() || view.awaits_outcomes() {
                    would_wait.push(place);
                } else {
                    noted.reached = Some(Milestone::now(arm, view, &self.meter));
                    noted.tie = match &reason {
                        Reason::Tied {
                            tolerance, arms, ..
                        } => Some((*tolerance, arms.clone())),
                        _ => None,
                    };
                }
                last = Verdict::Stop(arm, reason);
            }
        }
        let going_on = record.iter().filter(|noted| noted.waits());
        if going_on.count() == would_wait.len() {
            return last;
        }
        for place in would_wait {
            record[place].disturbed = true;
        }
        Verdict::Continue
    }
}
