//! Confusion counts of the arms that an analysis compares.

use super::{AnalysisError, scores::chosen};
use fiesta_core::{ArmId, Arms, Counts, FBeta, Moments, Observation};
use fiesta_records::{CountRecord, CountRecords};

/// The quantity by which arms with confusion counts are compared.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CountsTarget {
    /// Arms are compared by the F-measure of all counts together.
    Pooled,
    /// The mean of the documents' F-measures, under the posterior of scores with this name.
    Mean(String),
}

/// Confusion counts of some arms, in the order in which they were asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CountsOfArms {
    /// The arms that have counts.
    pub arms: Arms,
    /// The names of all documents in the file.
    pub documents: Vec<String>,
    /// The records of each arm.
    pub records: Vec<Vec<CountRecord>>,
    /// Weight of recall: how many times as much as precision it counts.
    pub f_beta: FBeta,
    /// The file's name in messages.
    pub source: String,
}

impl CountsOfArms {
    /// Returns the counts of the arms with these names; of all arms without names.
    ///
    /// # Errors
    /// [`AnalysisError`] if a name is not that of an arm, or stands twice.
    pub fn new(
        records: &CountRecords,
        names: &[String],
        f_beta: FBeta,
        source: impl Into<String>,
    ) -> Result<Self, AnalysisError> {
        let (arms, numbers) = chosen(names, records.arms(), |name| records.find(name))?;
        let by_arm = records.by_arm();
        let of_arm = |arm: &ArmId| by_arm[arm.index()].clone();
        Ok(Self {
            records: numbers.iter().map(of_arm).collect(),
            arms,
            documents: records.documents().to_vec(),
            f_beta,
            source: source.into(),
        })
    }

    /// Returns the counts of every arm by its name, with the names of the documents.
    pub fn named(&self) -> impl Iterator<Item = (String, Vec<(String, Counts)>)> + '_ {
        let document = |record: &CountRecord| {
            let place = usize::try_from(record.document).unwrap_or(usize::MAX);
            (self.documents[place].clone(), record.counts)
        };
        let arms = self.arms.names().iter().zip(&self.records);
        arms.map(move |(name, records)| (name.clone(), records.iter().map(document).collect()))
    }

    /// Returns the F-measure's name, such as F1.
    pub fn measure(&self) -> String {
        self.f_beta.to_string()
    }

    /// Returns the target in words.
    pub fn words(&self, target: &CountsTarget) -> String {
        match target {
            CountsTarget::Pooled => format!("pooled {} of all counts", self.measure()),
            CountsTarget::Mean(_) => format!("mean of the documents' {}", self.measure()),
        }
    }

    /// Returns the sum of an arm's counts.
    pub fn sum(&self, arm: ArmId) -> Counts {
        let records = &self.records[arm.index()];
        records.iter().map(|record| record.counts).sum()
    }

    /// Returns the F-measure of one document; 1 where nothing was to be found and nothing was.
    pub fn score(&self, counts: Counts) -> f64 {
        Observation::Counts(counts).score(self.f_beta)
    }

    /// Mean and standard deviation of the F-measures of an arm's documents.
    pub fn scores(&self, arm: ArmId) -> Moments {
        let records = self.records[arm.index()].iter();
        records.map(|record| self.score(record.counts)).collect()
    }

    /// Returns the F-measure of the sum of an arm's counts; none without positives.
    pub fn value(&self, arm: ArmId) -> Option<f64> {
        self.f_beta.of_counts(&self.sum(arm))
    }

    /// Returns whether no evaluation has more than one count, and at least one has one: these are
    /// items answered rightly or wrongly, not documents.
    pub(crate) fn are_ones(&self) -> bool {
        let totals = || {
            self.records
                .iter()
                .flatten()
                .map(|record| record.counts.total())
        };
        totals().all(|total| total <= 1) && totals().any(|total| total == 1)
    }

    /// Returns notes on counts that say little of the target.
    pub fn notes(&self, target: &CountsTarget) -> Vec<String> {
        let all = || self.records.iter().flatten();
        let total = all().count();
        let mut notes = Vec::new();
        match target {
            CountsTarget::Pooled => {
                for arm in self.arms.ids().filter(|&arm| self.value(arm).is_none()) {
                    let name = self.arms.name(arm);
                    notes.push(format!(
                        "there are no positives anywhere in the counts of {name} (TP + FP + FN = 0): they say next to nothing of its F, which is mostly the prior's"
                    ));
                }
                let empty = all().filter(|record| record.counts.total() == 0).count();
                if empty > 0 {
                    notes.push(format!(
                        "{empty} of {total} evaluations have no counts at all: they tell nothing, and count as documents that were queried"
                    ));
                }
            }
            CountsTarget::Mean(_) => {
                let undefined =
                    |record: &&CountRecord| self.f_beta.of_counts(&record.counts).is_none();
                let undefined = all().filter(undefined).count();
                if undefined > 0 {
                    notes.push(format!(
                        "in {undefined} of {total} evaluations there was nothing to find and nothing was found: F counts as 1 there"
                    ));
                }
            }
        }
        notes
    }
}
