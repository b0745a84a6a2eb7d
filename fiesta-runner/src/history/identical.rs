//! Arms whose evaluations all have exactly the same score, on whatever splits and with whatever
//! seeds.

use super::History;
use crate::study::{Items, PoolKey, Study};
use fiesta_core::{ArmId, Evaluation, Observation, Outcome};
use std::collections::BTreeMap;

/// Number of equal scores of an arm from which the user is told of them. Fewer may be chance where
/// scores are coarse. More may be, too, so that a notice is the only consequence.
const MANY: u64 = 3;
/// Number of equal scores of single items from which they are pointed out. Items are often right or
/// wrong and nothing between.
const MANY_ITEMS: u64 = 20;

fn many(study: &Study) -> u64 {
    match study.items().map(Items::key) {
        Some(PoolKey::Items) => MANY_ITEMS,
        _ => MANY,
    }
}

/// Number of scores of each arm, and the common score of the arms whose scores are all equal.
///
/// Confusion counts are left out: those of short documents are often equal.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdenticalScores {
    /// Common score and number of scores, by arm. The score is `None` once two of them differ.
    arms: BTreeMap<ArmId, (Option<f64>, u64)>,
}

impl IdenticalScores {
    /// Counts the scores of a history.
    pub(crate) fn of(history: &History) -> Self {
        let mut found = Self::default();
        for record in history.records.values() {
            if let Some(ending) = &record.ending {
                found.count(&record.evaluation, &ending.outcome);
            }
        }
        found
    }

    /// Counts the outcome of an evaluation. Returns true if its arm has just reached the number of
    /// scores for a notice, and all of them are equal.
    pub(crate) fn add(
        &mut self,
        study: &Study,
        evaluation: &Evaluation,
        outcome: &Outcome<Observation>,
    ) -> bool {
        let counted = self.count(evaluation, outcome);
        counted.is_some_and(|(same, count)| same.is_some() && count == many(study))
    }

    fn count(
        &mut self,
        evaluation: &Evaluation,
        outcome: &Outcome<Observation>,
    ) -> Option<(Option<f64>, u64)> {
        let Outcome::Observed(Observation::Score(score)) = outcome else {
            return None;
        };
        let first = (Some(*score), 0);
        let (same, count) = self.arms.entry(evaluation.arm).or_insert(first);
        *same = same.filter(|same| same.to_bits() == score.to_bits());
        *count += 1;
        Some((*same, *count))
    }

    /// Returns the notice about an arm whose scores are all equal. `None` if they differ, or are
    /// few.
    pub(crate) fn notice(&self, study: &Study, arm: ArmId) -> Option<String> {
        let enough = |(_, count): &&(Option<f64>, u64)| *count >= many(study);
        let &(score, count) = self.arms.get(&arm).filter(enough)?;
        let score = score?;
        let varied = match (study.search(), study.worker()) {
            (Some(_), _) => "its hyperparameters and its seed",
            (None, Some(_)) if study.items().is_some() => "the item of each line",
            (None, Some(_)) => "the split and the seed of each line",
            (None, None) => match study.items().map(Items::key) {
                Some(PoolKey::Items) => "its item and its seed",
                Some(PoolKey::Documents) => "its document and its seed",
                None => "its split and its seed",
            },
        };
        let command = match study.worker() {
            Some(_) => "worker",
            None => "command",
        };
        let arm = study.arms().name(arm);
        let metric = study.metric().name();
        Some(format!(
            "all {count} evaluations of {arm} have exactly the same {metric}, {score}: its {command} may not use {varied} (if scores are coarse, or the arm ignores its data, this is as it should be)"
        ))
    }

    /// Returns the notices about all arms with equal scores, in the order of the arms.
    #[cfg(feature = "report")]
    pub(crate) fn notices(&self, study: &Study) -> Vec<String> {
        let arms = study.arms().ids();
        arms.filter_map(|arm| self.notice(study, arm)).collect()
    }
}
