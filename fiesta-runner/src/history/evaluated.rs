//! Scores and open runs in the entries of a ledger, which decide how far its study may still change.

use crate::{
    ledger::Entry,
    study::{Evaluated, Study},
};
use fiesta_core::{Evaluation, EvaluationId, Outcome};
use std::collections::BTreeMap;

/// The entries of a ledger, as far as they tell whether there is a score.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    has_score: bool,
    /// What has not ended, with the number of its latest attempt.
    open: BTreeMap<EvaluationId, (Evaluation, u32)>,
}

impl Tally {
    pub(crate) fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Recorded { outcome, .. } | Entry::Ended { outcome, .. } => {
                self.has_score |= matches!(outcome, Outcome::Observed(_));
            }
            Entry::Decided { evaluation, .. } => {
                self.open.insert(evaluation.id, (*evaluation, 0));
            }
            Entry::Retried {
                evaluation,
                attempt,
                ..
            } => {
                if let Some(open) = self.open.get_mut(evaluation) {
                    open.1 = *attempt;
                }
            }
            _ => {}
        }
        if let Entry::Ended { evaluation, .. } = entry {
            self.open.remove(evaluation);
        }
    }

    /// What was evaluated. A run whose directory was not made was not started.
    pub(crate) fn evaluated(&self, study: &Study) -> Evaluated {
        let is_started = |(evaluation, attempt): &(Evaluation, u32)| {
            let run = study.run_id(evaluation, *attempt);
            let directory = study.runs_directory().join(run.as_str());
            // One that cannot be looked at may be there.
            directory.try_exists().unwrap_or(true)
        };
        if self.has_score {
            Evaluated::Scores
        } else if self.open.values().any(is_started) {
            Evaluated::Started
        } else {
            Evaluated::NoScores
        }
    }
}
