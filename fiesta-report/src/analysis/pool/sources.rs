//! Answers to the items of a pool from a study or from a file, with texts and groups of items.

use super::{
    ItemFacts, MissingAnswers, PoolAnswer, PoolAnswers, PoolReport, TEXT_KEYS, shortened_text,
};
use crate::{
    analysis::{AnalysisError, ArmScores, PoolOrigin, ScoresOfArms, study::StudyFacts},
    words::{count, one_or_more},
};
use fiesta_core::{Design, Target};
use fiesta_posterior::POOL;
use fiesta_records::{Evaluations, check_groups, excerpt};
use std::collections::{BTreeMap, HashMap, HashSet};

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
                turn: evaluation.turn,
            });
        }
        let answers = PoolAnswers {
            arms: self.names().into_iter().map(str::to_owned).collect(),
            retired: self.arms.iter().map(|arm| arm.retired).collect(),
            items: count,
            origin: PoolOrigin::Study,
            missing: None,
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

    /// Returns how much answers vary when asked again, in words without a full stop. `None` if
    /// answers are not asked again, or there is none yet.
    pub fn variation(&self) -> Option<String> {
        let answers = self
            .pool_answers()
            .filter(|_| self.repeats && self.is_known())?;
        let report = PoolReport::new(&answers, 0.0).ok()?;
        Some(report.varying?.sentence())
    }
}

impl ScoresOfArms<'_> {
    /// Returns the answers to the items of a pool that are compared. They vary if an arm has
    /// several to one item. `None` unless the scores are of a pool with known bounds.
    ///
    /// # Errors
    /// [`AnalysisError`] if no study chose the answers, and two arms have no item in common.
    pub fn pool_answers(&self) -> Result<Option<PoolAnswers>, AnalysisError> {
        self.all_pool_answers()
            .map(PoolAnswers::compared)
            .transpose()
    }

    /// Returns the answers of all arms, by the items' numbers in the file.
    pub(crate) fn all_pool_answers(&self) -> Option<PoolAnswers> {
        let pool = self.pool.filter(|_| self.default_posterior() == POOL)?;
        let answers = self.answers_in(pool.items, pool.origin, pool.bounds?);
        let are_chosen = pool.origin == PoolOrigin::Study && pool.target == Target::TheseItems;
        Some(PoolAnswers {
            target: pool.target,
            are_chosen,
            ..answers
        })
    }

    /// Returns the answers of all arms in a pool of `items` items with these bounds.
    pub(crate) fn answers_in(
        &self,
        items: u64,
        origin: PoolOrigin,
        bounds: (f64, f64),
    ) -> PoolAnswers {
        let of_arm = |scores: &ArmScores<'_>| {
            let answers = scores.iter().filter_map(|record| {
                Some(PoolAnswer {
                    item: record.split?,
                    score: record.score,
                    evaluation: None,
                    turn: record.turn,
                })
            });
            answers.collect()
        };
        let answers = PoolAnswers {
            arms: self.arms.names().to_vec(),
            retired: vec![false; self.arms.len()],
            items,
            origin,
            missing: None,
            bounds,
            direction: self.direction,
            answers: self.scores.iter().map(of_arm).collect(),
            every: None,
            facts: self.items.clone(),
            target: Target::TheseItems,
            are_chosen: false,
            clusters: None,
        };
        if self.repeats_answers() {
            answers.varying()
        } else {
            answers
        }
    }

    /// Returns the scores on the items that all arms have answered, and what is missing, to compare
    /// means. Scores without items, or of items that a study chose, are returned unchanged.
    ///
    /// # Errors
    /// [`AnalysisError`] if all arms have no item in common.
    pub(crate) fn on_common_items(
        mut self,
    ) -> Result<(Self, Option<MissingAnswers>), AnalysisError> {
        let Some(pool) = self.pool.filter(|pool| pool.origin != PoolOrigin::Study) else {
            return Ok((self, None));
        };
        let answers = self.answers_in(pool.items, PoolOrigin::Sample, (0.0, 1.0));
        let Some(missing) = answers.compared()?.missing else {
            return Ok((self, None));
        };
        let mut arms_of: HashMap<u64, usize> = HashMap::new();
        for scores in &self.scores {
            let items: HashSet<u64> = scores.iter().filter_map(|score| score.split).collect();
            for item in items {
                *arms_of.entry(item).or_default() += 1;
            }
        }
        let arms = self.scores.len();
        for scores in &mut self.scores {
            *scores = scores.on_splits(|item| arms_of.get(&item) == Some(&arms));
        }
        Ok((self, Some(missing)))
    }

    /// Returns notes on answers to items that may be copies of others, a sentence each: several
    /// rows of an arm and an item, and arms that answer alike.
    pub(crate) fn copies(&self) -> Vec<String> {
        /// Least number of answers at which arms that are alike are told: fewer are alike by
        /// chance.
        const LEAST: usize = 20;
        if self.pool.is_none() {
            return Vec::new();
        }
        let (mut rows, mut differ) = (0_u64, 0_u64);
        let mut arms_with: BTreeMap<Vec<(u64, u64)>, Vec<&str>> = BTreeMap::new();
        for (name, scores) in self.arms.names().iter().zip(&self.scores) {
            let mut first: HashMap<u64, f64> = HashMap::with_capacity(scores.len());
            for score in scores.iter() {
                let Some(item) = score.split else { continue };
                if let Some(known) = first.get(&item) {
                    rows += 1;
                    differ += u64::from(known.to_bits() != score.score.to_bits());
                } else {
                    first.insert(item, score.score);
                }
            }
            let vary = { first.values() }.any(|&score| Some(&score) != first.values().next());
            if vary && first.len() >= LEAST {
                let mut answers: Vec<(u64, u64)> = first
                    .into_iter()
                    .map(|(item, score)| (item, score.to_bits()))
                    .collect();
                answers.sort_unstable();
                arms_with.entry(answers).or_default().push(name);
            }
        }
        let repeats = (rows > 0).then(|| {
            let (rows, repeat) = (count(rows, "row"), one_or_more(rows, "repeats", "repeat"));
            let same = if differ == 0 {
                "; no answer differs from the first to its item: if these are copies, keep one of each"
            } else {
                ""
            };
            format!("{rows} {repeat} an item of the same arm, and count as further answers, which vary{same}")
        });
        let alike = arms_with.into_iter().filter(|(_, arms)| arms.len() > 1);
        let alike = alike.map(|(answers, arms)| {
            format!(
                "{} have the same answer to each of their {} items: is this one system under several names? Then keep one of them",
                arms.join(", "),
                answers.len()
            )
        });
        repeats.into_iter().chain(alike).collect()
    }
}

/// Returns what records say of their items: the text of the first column among [`TEXT_KEYS`], and
/// the group of a column `group` that has one value for each item.
pub(crate) fn items_of(records: &Evaluations) -> Vec<ItemFacts> {
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

/// Why a column does not have exactly one value for each item.
pub(crate) enum ItemProblem<'r> {
    /// An item has two values in the column of groups; the second one is on this line.
    Two {
        item: &'r str,
        values: [&'r str; 2],
        line: u64,
    },
    /// An item has no value in the column of groups.
    Lacking { item: &'r str },
}

/// Returns the value of each item in a column of the records, by the items' numbers.
///
/// # Errors
/// [`ItemProblem`] if an item has none or two of them.
pub(crate) fn of_items(records: &Evaluations, column: usize) -> Result<Vec<&str>, ItemProblem<'_>> {
    let items = records.items();
    let mut found: Vec<Option<&str>> = vec![None; items.len()];
    for row in records.rows() {
        let place = row.split.and_then(|item| usize::try_from(item).ok());
        let Some(place) = place.filter(|&place| place < items.len()) else {
            continue;
        };
        match (found[place], row.cell(column)) {
            (Some(known), Some(other)) if known != other => {
                return Err(ItemProblem::Two {
                    item: &items[place],
                    values: [known, other],
                    line: row.line,
                });
            }
            (None, value) => found[place] = value,
            _ => {}
        }
    }
    let named = items.iter().zip(found);
    named
        .map(|(item, value)| value.ok_or(ItemProblem::Lacking { item }))
        .collect()
}

/// Gives items the groups of this column.
///
/// # Errors
/// [`AnalysisError`] if there is no such column or no item, an item has none or two of its values,
/// or these are [no groups](fiesta_records::check_groups).
pub(crate) fn group_items(
    items: &mut [ItemFacts],
    records: &Evaluations,
    name: &str,
) -> Result<(), AnalysisError> {
    let Some(column) = records.column(name) else {
        return Err(AnalysisError::no_column(name, "groups", records));
    };
    let groups = of_items(records, column).map_err(|problem| {
        AnalysisError::Refused(match problem {
            ItemProblem::Two {
                item,
                values: [known, other],
                ..
            } => format!(
                "the item `{}` is in two groups of `{name}`, `{}` and `{}`: an item has one",
                excerpt(item),
                excerpt(known),
                excerpt(other)
            ),
            ItemProblem::Lacking { item } => format!(
                "the item `{}` has no `{name}`, and groups need one for every item",
                excerpt(item)
            ),
        })
    })?;
    check_groups(groups.iter().copied(), name).map_err(AnalysisError::Refused)?;
    for (item, group) in items.iter_mut().zip(groups) {
        item.group = Some(group.to_owned());
    }
    Ok(())
}

fn of_row(items: &mut [ItemFacts], split: Option<u64>) -> Option<&mut ItemFacts> {
    items.get_mut(usize::try_from(split?).ok()?)
}
