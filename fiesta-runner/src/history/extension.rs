//! Extensions of studies: what a selector was told is told again to another selector under other
//! terms.

use super::{Check, History, HistoryError};
use crate::{
    ledger::{Aside, Assertion},
    study::{Study, Terms},
};
use fiesta_core::{ArmId, Ask, Conclusion, Evaluation, Event, Observation, Outcome, Selector};
use std::collections::BTreeSet;

/// A change of what a study was to reach, to spend or to choose among, while it was under way or
/// after its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Number of evaluations that had ended at the extension.
    pub evaluations: u64,
    /// The arms that were added.
    pub arms: Vec<ArmId>,
    /// The arms whose failures were forgiven, as their cause was mended.
    pub reinstated: Vec<ArmId>,
    /// The arms that were asked anew, each with how many of its evaluations were set aside.
    pub set_aside: Vec<(ArmId, u64)>,
    /// What somebody said of scores of before a change.
    pub asserted: Vec<Assertion>,
    /// How the study had ended before, if it had.
    pub conclusion: Option<Conclusion>,
}

impl Extension {
    /// An extension of nothing yet, after what a selector was told.
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

/// Step in the life of a selector: what it was told, or what it answered; but for its conclusions,
/// which other terms may not lead to.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Recorded(Evaluation, Option<Observation>),
    Asked(Evaluation),
    Told(Event<Observation>),
}

impl History {
    /// Whether the study file asks for something else than the latest session did.
    pub fn is_extended_by(&self, study: &Study) -> bool {
        self.terms != study.terms
    }

    /// Goes over to what the study file asks for now, as a session that resumes it does. What is
    /// known stays.
    ///
    /// # Errors
    /// [`HistoryError`] if what was recorded does not fit the study.
    pub fn extend(&mut self, study: &Study, check: Check) -> Result<(), HistoryError> {
        self.go_over(study, study.terms.clone(), check)
    }

    /// Tells a selector under other terms all that the one before it was told, if they are other
    /// ones.
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

    /// A selector under these terms that was told all that this one was. A policy that `follows`
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

    /// Takes the evaluations of arms out of what is known, none of which may be pending. What they
    /// cost is spent, and their cases come again.
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

    /// Lets go of what only a change of terms needs; there will be none.
    pub(crate) fn release(&mut self) {
        self.steps = Vec::new();
    }
}
