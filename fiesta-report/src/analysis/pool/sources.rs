//! Answers to the items of a pool from a study or from a file, with texts and groups of items.

use super::{ItemFacts, PoolAnswer, PoolAnswers, PoolReport, TEXT_KEYS, shortened_text};
use crate::analysis::{AnalysisError, ArmScores, ScoresOfArms, study::StudyFacts};
use fiesta_core::{Design, Target};
use fiesta_posterior::POOL;
use fiesta_records::{Records, check_groups, excerpt};

/// The column that is taken for the groups of items where none is named: that of an exported study.
const GROUP: &str = "group";

impl StudyFacts {
    /// The answers of a study of items under the posterior `pool`; none of another study.
    pub fn pool_answers(&self) -> Option<PoolAnswers> {
        let Design::Items { count } = self.design else {
            return None;
        };
        let bounds = self.metric.bounds().filter(|_| self.posterior == POOL)?;
        let mut answers = vec![Vec::new(); self.arms.len()];
        let f_beta = self.f_beta.unwrap_or_default();
        for (evaluation, observed) in self.observed() {
            answers[evaluation.arm.index()].push(PoolAnswer {
                item: evaluation.case.split,
                score: observed.score(f_beta),
                evaluation: Some(evaluation.number),
            });
        }
        let answers = PoolAnswers {
            arms: self.names().into_iter().map(str::to_owned).collect(),
            retired: self.arms.iter().map(|arm| arm.retired).collect(),
            items: count,
            bounds,
            direction: self.metric.direction(),
            answers,
            every: None,
            facts: self.items.clone(),
            target: self.items_target,
            are_chosen: self.items_target == Target::TheseItems,
            clusters: None,
        };
        Some(if self.repeats {
            answers.varying()
        } else {
            answers
        })
    }

    /// How much answers vary when asked again, in words without an end; none where they are taken not
    /// to, or there is none.
    pub fn variation(&self) -> Option<String> {
        let answers = self
            .pool_answers()
            .filter(|_| self.repeats && self.is_known())?;
        let report = PoolReport::new(&answers, 0.0).ok()?;
        Some(report.varying?.sentence())
    }
}

impl ScoresOfArms<'_> {
    /// The answers to the items of a pool whose bounds are known, which vary if an item has several
    /// of an arm; none of other scores.
    pub fn pool_answers(&self) -> Option<PoolAnswers> {
        let pool = self.pool.filter(|_| self.default_posterior() == POOL)?;
        let of_arm = |scores: &ArmScores<'_>| {
            let answers = scores.iter().filter_map(|record| {
                Some(PoolAnswer {
                    item: record.split?,
                    score: record.score,
                    evaluation: None,
                })
            });
            answers.collect()
        };
        let answers = PoolAnswers {
            arms: self.arms.names().to_vec(),
            retired: vec![false; self.arms.len()],
            items: pool.items,
            bounds: pool.bounds?,
            direction: self.direction,
            answers: self.scores.iter().map(of_arm).collect(),
            every: None,
            facts: self.items.clone(),
            target: pool.target,
            are_chosen: false,
            clusters: None,
        };
        Some(if self.repeats_answers() {
            answers.varying()
        } else {
            answers
        })
    }
}

/// What records say of their items: the text of the first column among [`TEXT_KEYS`], and the group
/// of a column `group` that has one value for each item.
pub(crate) fn items_of(records: &Records) -> Vec<ItemFacts> {
    let known = |name: &String| ItemFacts {
        id: name.clone(),
        ..ItemFacts::default()
    };
    let mut items: Vec<ItemFacts> = records.items().iter().map(known).collect();
    let column = TEXT_KEYS.iter().find_map(|key| records.column(key));
    if let (Some(column), false) = (column, items.is_empty()) {
        for row in records.rows() {
            if let (Some(item), Some(text)) = (of_row(&mut items, row.split), row.cell(column)) {
                item.text.get_or_insert_with(|| shortened_text(text));
            }
        }
    }
    if records.column(GROUP).is_some() {
        // What no group can be is another column of the same name.
        let _ = group_items(&mut items, records, GROUP);
    }
    items
}

/// Gives items the groups of this column.
///
/// # Errors
/// [`AnalysisError`] if there is no such column or no item, an item has none or two of its values,
/// or these are [no groups](fiesta_records::check_groups).
pub(crate) fn group_items(
    items: &mut [ItemFacts],
    records: &Records,
    name: &str,
) -> Result<(), AnalysisError> {
    let Some(column) = records.column(name) else {
        let there = records.columns().join(", ");
        return Err(AnalysisError::Refused(format!(
            "there is no column `{name}` to take groups from: the columns of your own are {}",
            if there.is_empty() { "none" } else { &there }
        )));
    };
    let mut groups: Vec<Option<&str>> = vec![None; items.len()];
    for row in records.rows() {
        let place = row.split.and_then(|item| usize::try_from(item).ok());
        let Some(place) = place.filter(|&place| place < items.len()) else {
            continue;
        };
        match (groups[place], row.cell(column)) {
            (Some(known), Some(other)) if known != other => {
                return Err(AnalysisError::Refused(format!(
                    "the item `{}` is in two groups of `{name}`, `{}` and `{}`: an item has one",
                    excerpt(&items[place].id),
                    excerpt(known),
                    excerpt(other)
                )));
            }
            (None, Some(group)) => groups[place] = Some(group),
            _ => {}
        }
    }
    if let Some(place) = groups.iter().position(Option::is_none) {
        return Err(AnalysisError::Refused(format!(
            "the item `{}` has no `{name}`, and groups need one for every item",
            excerpt(&items[place].id)
        )));
    }
    check_groups(groups.iter().flatten().copied(), name).map_err(AnalysisError::Refused)?;
    for (item, group) in items.iter_mut().zip(groups) {
        item.group = group.map(str::to_owned);
    }
    Ok(())
}

fn of_row(items: &mut [ItemFacts], split: Option<u64>) -> Option<&mut ItemFacts> {
    items.get_mut(usize::try_from(split?).ok()?)
}
