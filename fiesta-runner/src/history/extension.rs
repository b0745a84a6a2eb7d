//! Extensions of studies: the events that one selector was told are replayed to another, with a new
//! goal, new limits or new arms.

use super::{Check, History, HistoryError};
use crate::{
    ledger::{Aside, Assertion},
    study::{Study, Terms},
};
use fiesta_core::{ArmId, Ask, Conclusion, Evaluation, Event, Observation, Outcome, Selector};
use std::collections::BTreeSet;

/// A change of a study's goal, limits or arms, while it was under way or after its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Number of evaluations that had ended when the study was extended.
    pub evaluations: u64,
    /// The arms that were added.
    pub arms: Vec<ArmId>,
    /// The arms whose failures were forgiven, as their cause was mended.
    pub reinstated: Vec<ArmId>,
    /// The arms that were asked anew, each with how many of its evaluations were set aside.
    pub set_aside: Vec<(ArmId, u64)>,
    /// Statements of the user that scores from before a change are still valid.
    pub asserted: Vec<Assertion>,
    /// Conclusion of the study before the extension. `None` if it had not ended.
    pub conclusion: Option<Conclusion>,
}

impl Extension {
    /// Makes an extension without any change, after the events that `selector` was told.
    pub(super) fn after(selector: &Selector<Observation>) -> Self {
        Self {
            evaluations: selector.view().total_ended(),
            arms: Vec::new(),
            reinstated: Vec::new(),
            set_aside: Vec::new(),
            asserted: Vec::new(),
            conclusion: selector.conclusion().cloned(),
        }
    }
}

/// Step in the life of a selector: an event that it was told, or a decision that it made.
/// Conclusions are left out, as other terms may not lead to them.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Recorded(Evaluation, Option<Observation>),
    Asked(Evaluation),
    Told(Event<Observation>),
}

impl History {
    /// Whether the study file differs from the latest session's in goal, limits or arms.
    pub fn is_extended_by(&self, study: &Study) -> bool {
        self.terms != study.terms
    }

    /// Applies the goal, limits and arms of the study file to this history, as a session that
    /// resumes the study does.
    ///
    /// # Errors
    /// [`HistoryError`] if what was recorded does not fit the study.
    pub fn extend(&mut self, study: &Study, check: Check) -> Result<(), HistoryError> {
        self.go_over(study, study.terms.clone(), check)
    }

    /// Replays all events to a selector with new terms (goal, limits, arms), if these differ from
    /// the present ones.
    ///
    /// A policy begins anew where there are other arms, and else sees its decisions again: a
    /// schedule goes on where it was.
    pub(super) fn go_over(
        &mut self,
        study: &Study,
        terms: Terms,
        check: Check,
    ) -> Result<(), HistoryError> {
        if terms == self.terms {
            return Ok(());
        }
        if let Some(count) = terms.splits
            && let Some(split) = self.greatest_split().filter(|&split| split >= count)
        {
            return Err(HistoryError::Splits { split, count });
        }
        let follows = terms.arms == self.terms.arms && check == Check::Decisions;
        let selector = self.told(study, &terms, follows)?;
        if !self.steps.is_empty() {
            let known = self.terms.arms.min(terms.arms);
            self.extensions.push(Extension {
                arms: ArmId::all(terms.arms).skip(known).collect(),
                ..Extension::after(&self.selector)
            });
        }
        self.selector = selector;
        self.terms = terms;
        Ok(())
    }

    /// Returns a selector with these terms that was told all events so far. A policy that `follows`
    /// makes its decisions again.
    fn told(
        &self,
        study: &Study,
        terms: &Terms,
        follows: bool,
    ) -> Result<Selector<Observation>, HistoryError> {
        let mut selector = study.selector_under(terms)?;
        for step in &self.steps {
            match step {
                Step::Recorded(evaluation, observation) => {
                    selector.record(*evaluation, *observation)?;
                }
                Step::Asked(evaluation) if follows => {
                    selector.replay(&Ask::Evaluate(*evaluation))?;
                }
                Step::Asked(evaluation) => selector.accept(&Ask::Evaluate(*evaluation)),
                Step::Told(event) => selector.tell(*event)?,
            }
        }
        Ok(selector)
    }

    /// Sets the evaluations of arms aside, none of which may be pending. Their cost remains spent,
    /// and their cases are evaluated again.
    pub(super) fn set_aside(&mut self, study: &Study, arms: &[Aside]) -> Result<(), HistoryError> {
        let mut extension = Extension::after(&self.selector);
        let is_meant = |arm: ArmId| arms.iter().any(|aside| aside.arm == arm);
        extension.set_aside = arms.iter().map(|aside| (aside.arm, 0)).collect();
        let mut withdrawn = BTreeSet::new();
        let own = self.records.values_mut();
        for record in own.filter(|own| own.origin.is_none() && is_meant(own.evaluation.arm)) {
            let Some(ending) = &mut record.ending else {
                continue;
            };
            if ending.outcome == Outcome::Withdrawn {
                continue;
            }
            let arm = record.evaluation.arm;
            let counts = extension.set_aside.iter_mut();
            for (_, count) in counts.filter(|(own, _)| *own == arm) {
                *count += 1;
            }
            record.set_aside = Some(ending.outcome);
            ending.outcome = Outcome::Withdrawn;
            withdrawn.insert(record.evaluation.id);
        }
        for step in &mut self.steps {
            if let Step::Told(Event::Ended { id, outcome, .. }) = step
                && withdrawn.contains(id)
            {
                *outcome = Outcome::Withdrawn;
            }
        }
        // What does not count is not made again either.
        self.steps.retain(
            |step| !matches!(step, Step::Told(Event::AskedAgain(id)) if withdrawn.contains(id)),
        );
        for aside in arms {
            self.at_first.forgive(aside.arm);
            match aside.answers_since {
                Some(at) => self.answers_since.insert(aside.arm, at),
                None => self.answers_since.remove(&aside.arm),
            };
        }
        self.selector = self.told(study, &self.terms, false)?;
        self.extensions.push(extension);
        Ok(())
    }

    fn greatest_split(&self) -> Option<u64> {
        let cases = self.records.values().map(|record| record.evaluation.case);
        cases.map(|case| case.split).max()
    }

    /// Frees the memory that only a change of terms needs, as no such change will come.
    pub(crate) fn release(&mut self) {
        self.steps = Vec::new();
    }
}
