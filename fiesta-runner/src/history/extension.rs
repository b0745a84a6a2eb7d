//! Studies that are extended: what a selector was told, another one under other terms is told
//! again.

use super::{Check, History, HistoryError};
use crate::study::{Study, Terms};
use fiesta_core::{ArmId, Ask, Conclusion, Evaluation, Event, Observation};

/// A change of what a study was to reach, to spend or to choose among, while it was under way or
/// after its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// Evaluations that had ended by then.
    pub evaluations: u64,
    /// The arms that were added.
    pub arms: Vec<ArmId>,
    /// The arms whose failures were forgiven, as their cause was mended.
    pub reinstated: Vec<ArmId>,
    /// How the study had ended before, if it had.
    pub conclusion: Option<Conclusion>,
}

/// What a selector was told, or what it answered; but for its conclusions, which other terms may
/// not lead to.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Recorded(Evaluation, Option<Observation>),
    Asked(Evaluation),
    Told(Event<Observation>),
}

impl History {
    /// Whether the study file asks for something else than the latest session did.
    pub fn is_extended_by(&self, study: &Study) -> bool {
        self.terms != study.terms()
    }

    /// Goes over to what the study file asks for now, as a session that resumes it does. What is
    /// known stays.
    ///
    /// # Errors
    /// [`HistoryError`] if what was recorded does not fit the study.
    pub fn extend(&mut self, study: &Study, check: Check) -> Result<(), HistoryError> {
        self.go_over(study, study.terms(), check)
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
        let mut selector = study.selector_under(&terms)?;
        let same_arms = terms.arms == self.terms.arms;
        for step in &self.steps {
            match step {
                Step::Recorded(evaluation, observation) => {
                    selector.record(*evaluation, *observation)?;
                }
                Step::Asked(evaluation) if same_arms && check == Check::Decisions => {
                    selector.replay(&Ask::Evaluate(*evaluation))?;
                }
                Step::Asked(evaluation) => selector.accept(&Ask::Evaluate(*evaluation)),
                Step::Told(event) => selector.tell(*event)?,
            }
        }
        if !self.steps.is_empty() {
            let known = self.terms.arms.min(terms.arms);
            self.extensions.push(Extension {
                evaluations: selector.view().total_ended(),
                arms: ArmId::all(terms.arms).skip(known).collect(),
                reinstated: Vec::new(),
                conclusion: self.selector.conclusion().cloned(),
            });
        }
        self.selector = selector;
        self.terms = terms;
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
