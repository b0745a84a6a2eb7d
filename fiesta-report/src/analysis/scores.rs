//! Scores of the arms that an analysis compares.

use super::AnalysisError;
use fiesta_core::{Arms, Direction, Moments};
use fiesta_records::{Record, Records, SplitSource};

/// Scores of some arms, in the order in which they were asked for.
#[derive(Debug, Clone)]
pub struct ScoresOfArms {
    /// The score's name.
    pub metric: String,
    /// Which scores are better.
    pub direction: Direction,
    /// The arms.
    pub arms: Arms,
    /// The records of each arm.
    pub records: Vec<Vec<Record>>,
    /// What says which scores were made on the same split.
    pub splits: SplitSource,
    /// A note on scores that are not paired though their rows may be splits.
    pub unpaired: Option<String>,
    /// The file's name in messages.
    pub source: String,
}

/// The note on scores that are not paired, if their rows may be splits.
pub fn unpaired_note(records: &Records) -> Option<String> {
    records.rows_may_be_splits().then(|| {
        "nothing says which scores were made on the same split, so pairing is not used: arms are compared as on different splits. If the rows \
         of this file (in JSON and in the long form, the k-th scores of all arms) are splits, say so with --paired-rows"
            .to_owned()
    })
}

impl ScoresOfArms {
    /// The scores of the arms with these names; of all arms without names. `source` names the file
    /// in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if a name is not that of an arm, or stands twice.
    pub fn new(
        records: &Records,
        names: &[String],
        direction: Direction,
        source: impl Into<String>,
    ) -> Result<Self, AnalysisError> {
        let names = if names.is_empty() {
            records.arms()
        } else {
            names
        };
        let places = names.iter().map(|name| {
            let found = records.find(name);
            found.ok_or_else(|| unknown_arm(name, records.arms()))
        });
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let arms = Arms::new(names.iter().cloned())?;
        let mut by_arm = vec![Vec::new(); records.arms().len()];
        for record in records.records() {
            by_arm[record.arm.index()].push(*record);
        }
        let taken = places
            .into_iter()
            .map(|arm| std::mem::take(&mut by_arm[arm.index()]));
        Ok(Self {
            metric: records.metric().to_owned(),
            direction,
            arms,
            records: taken.collect(),
            splits: records.split_source(),
            unpaired: unpaired_note(records),
            source: source.into(),
        })
    }

    /// Mean and standard deviation of each arm's scores.
    pub fn moments(&self) -> Vec<Moments> {
        let of_arm = |records: &Vec<Record>| records.iter().map(|record| record.score).collect();
        self.records.iter().map(of_arm).collect()
    }
}

/// The refusal of an arm that was asked for and is not among those of the file.
pub fn unknown_arm(name: &str, arms: &[String]) -> AnalysisError {
    AnalysisError::Refused(format!(
        "there is no arm `{name}` in the file: it has {}",
        arms.join(", ")
    ))
}
