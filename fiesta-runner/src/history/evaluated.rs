//! Facts in a ledger that limit how its study may change: scores, open runs and costs.

use crate::{
    ledger::Entry,
    run::{End, RunDirectory},
    study::{Evaluated, OfArm, Paid, Study},
};
use fiesta_core::{ArmId, Evaluation, EvaluationId, Outcome};
use std::collections::BTreeMap;

/// Relative difference below which a cost counts as equal to a measured time.
const CLOSE: f64 = 1e-9;

/// Summary of a ledger's entries: scores, open evaluations and costs.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Evaluations of each arm with a score that counts.
    scores: BTreeMap<ArmId, u64>,
    arms: BTreeMap<EvaluationId, ArmId>,
    /// Evaluations that have not ended, with the number of the latest attempt.
    open: BTreeMap<EvaluationId, (Evaluation, u32)>,
    paid: Paid,
}

impl Tally {
    pub(crate) fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Recorded {
                evaluation,
                outcome,
                ..
            } => {
                if matches!(outcome, Outcome::Observed(_)) {
                    *self.scores.entry(evaluation.arm).or_default() += 1;
                }
            }
            Entry::Decided { evaluation, .. } => {
                self.arms.insert(evaluation.id, evaluation.arm);
                self.open.insert(evaluation.id, (*evaluation, 0));
            }
            Entry::Retried {
                evaluation,
                attempt,
                cost,
                seconds,
                ..
            } => {
                self.pay(*cost, *seconds);
                if let Some(open) = self.open.get_mut(evaluation) {
                    open.1 = *attempt;
                }
            }
            Entry::Ended {
                evaluation,
                outcome,
                cost,
                seconds,
                ..
            } => {
                self.pay(*cost, *seconds);
                self.open.remove(evaluation);
                if let (Outcome::Observed(_), Some(arm)) = (outcome, self.arms.get(evaluation)) {
                    *self.scores.entry(*arm).or_default() += 1;
                }
            }
            Entry::SetAside { arms } => {
                for aside in arms {
                    self.scores.remove(&aside.arm);
                }
            }
            _ => {}
        }
    }

    /// Notes the cost of an ended evaluation, and whether it was measured. It was measured if it is
    /// its seconds times a number of GPUs, or a share of one.
    fn pay(&mut self, cost: f64, seconds: f64) {
        if cost <= 0.0 {
            return;
        }
        let times = cost / seconds;
        let is_whole = |ratio: f64| ratio >= 0.5 && (ratio - ratio.round()).abs() <= CLOSE * ratio;
        let is_measured = is_whole(times) || is_whole(1.0 / times);
        self.paid = self.paid.max(if is_measured {
            Paid::Measured
        } else {
            Paid::Stated
        });
    }

    /// Returns what a study evaluated: its scores, its costs and its started jobs.
    pub(crate) fn evaluated(&self, study: &Study) -> Evaluated {
        let is_started = |(evaluation, attempt): &(Evaluation, u32)| {
            let run = study.run_id(evaluation, *attempt);
            let path = study.run_directory(&run);
            let directory = RunDirectory::new(&path);
            // A worker takes a case up or does not, and a command is started in its directory.
            let sign = match study.worker() {
                Some(_) => directory.meta(),
                None => path,
            };
            let ended = directory.read_end().ok().flatten();
            let is_unmade = ended.is_some_and(|ended| {
                matches!(ended.end, End::NotStarted { .. } | End::Short { .. })
            });
            // One that cannot be looked at may be there.
            sign.try_exists().unwrap_or(true) && !is_unmade
        };
        // Arms may be gone from the study file.
        let places = self.arms.values().chain(self.scores.keys());
        let count = places.map(|arm| arm.index() + 1).max().unwrap_or(0);
        let mut arms = vec![OfArm::default(); count];
        for (arm, scores) in &self.scores {
            arms[arm.index()].scores = *scores;
        }
        for (evaluation, _) in self.open.values().filter(|open| is_started(open)) {
            arms[evaluation.arm.index()].started += 1;
        }
        Evaluated {
            arms,
            paid: self.paid,
        }
    }
}
