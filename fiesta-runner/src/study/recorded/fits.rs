//! The checks that recorded scores fit the study.

use super::Row;
use crate::study::{file::StudyFile, measure::Measure, measures::FurtherMeasure};
use fiesta_core::{ArmId, Arms, Design};
use fiesta_policies::{has_schedule, stopping::assumption};
use fiesta_records::{excerpt, legible};
use std::{borrow::Cow, collections::HashMap, path::Path};

/// Properties of the study that recorded scores must fit.
pub(in crate::study) struct Fits<'a> {
    pub(in crate::study) file: &'a StudyFile,
    /// Directory of the study file, in which relative names begin.
    pub(in crate::study) directory: &'a Path,
    pub(in crate::study) design: Design,
    /// Number of splits of the study. `None` if there is no limit.
    pub(in crate::study) splits: Option<u64>,
    /// The numbers of the documents, in a study of documents.
    pub(in crate::study) documents: Option<HashMap<Cow<'a, str>, u64>>,
    pub(in crate::study) measure: &'a Measure,
    pub(in crate::study) measures: &'a [FurtherMeasure],
    pub(in crate::study) arms: &'a Arms,
    pub(in crate::study) policy: &'a str,
    pub(in crate::study) stopping: &'a str,
}

/// The greatest number of a split. Greater numbers are for evaluations that have no split.
pub(in crate::study) const LAST_SPLIT: u64 = u64::MAX >> 1;

impl Fits<'_> {
    /// Returns the reason why a study of this kind cannot have recorded scores. `None` if it can.
    pub(super) fn conflict(&self) -> Option<String> {
        if self.file.goal.trials.is_some() {
            let message = "a random search draws its settings itself, and cannot count trials that exist already: leave [[recorded]] out; `fiesta curve` and `fiesta report` read such files";
            return Some(message.to_owned());
        }
        let splits = self.file.design.splits.as_ref();
        if splits.is_some_and(|splits| !splits["first"].is_null()) {
            let message = "recorded scores name their splits, which begin with 0: leave [[recorded]] or first out";
            return Some(message.to_owned());
        }
        has_schedule(self.policy).then(|| {
                format!(
                    "the policy {} divides its budget evenly among the arms, and cannot count scores that exist already: leave [[recorded]] out, or choose another policy, such as auto",
                    self.policy
                )
            })
    }

    pub(super) fn arm(&self, name: &str) -> Result<ArmId, String> {
        // As a file has it, or as it is.
        let written = |&arm: &ArmId| legible(self.arms.name(arm)) == name;
        let found = self.arms.ids().find(written);
        found.or_else(|| self.arms.find(name)).ok_or_else(|| {
            format!(
                "the arm `{}` is none of this study's ({}): add it as an [[arm]], or take its rows out of the file",
                excerpt(name),
                self.arms.names().join(", ")
            )
        })
    }

    pub(super) fn document(&self, id: &str) -> Result<u64, String> {
        let documents = self.documents.as_ref();
        let number = documents.and_then(|numbers| numbers.get(id));
        number.copied().ok_or_else(|| {
            format!(
                "the document `{}` is not in the study's collection: take its rows out of the file, or add it to the collection",
                excerpt(id)
            )
        })
    }

    /// Checks the split of a row. A row needs no split if every evaluation has its own.
    pub(super) fn split(&self, split: Option<u64>) -> Result<Option<u64>, String> {
        match (self.design, split) {
            (Design::Shared, None) => Err(
                "the row names no split, and arms of this study are compared on the same splits: add a column `split`, or say splits = \"independent\" under [design]"
                    .to_owned(),
            ),
            (Design::Fixed, Some(split)) if split != 0 => Err(format!(
                "the row is on split {split}, and this study is on the one split 0: leave the column `split` out if it is that one, or say splits = \"shared\" under [design]"
            )),
            (Design::Independent, None) if self.splits.is_some() => Err(
                "the row names no split, and each of the study's splits is for one evaluation: add a column `split`, or say splits = \"independent\" under [design]"
                    .to_owned(),
            ),
            (_, Some(split)) if self.splits.is_some_and(|count| split >= count) => {
                let count = self.splits.unwrap_or_default();
                Err(format!(
                    "the row is on split {split}, and the study's {count} splits are 0 to {}: take the row out of the file, or raise the number of splits under [design]",
                    count - 1
                ))
            }
            (_, Some(split)) if split > LAST_SPLIT => {
                Err(format!("the split {split} is too large: the largest is {LAST_SPLIT}"))
            }
            (_, split) => Ok(split),
        }
    }

    /// Checks that evaluations are as independent as an anytime-valid rule requires.
    pub(super) fn independent(&self, rows: &[Row]) -> Result<(), String> {
        if self.design != Design::Independent || assumption(self.stopping).is_none() {
            return Ok(());
        }
        let mut seen: HashMap<u64, &Row> = HashMap::new();
        for row in rows {
            let Some(split) = row.origin.split else {
                continue;
            };
            if let Some(first) = seen.insert(split, row) {
                let (a, b) = (&first.origin, &row.origin);
                return Err(format!(
                    "{}:{}: split {split} is also that of {}:{}, and the rule {} takes independent splits for what they are called: say splits = \"shared\" under [design], or choose stopping = \"posterior\"",
                    b.file, b.line, a.file, a.line, self.stopping
                ));
            }
        }
        Ok(())
    }
}
