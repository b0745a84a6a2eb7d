//! The names that are most likely meant, and those to fall back on.

use super::{
    Certainty, Proposal,
    column::{Column, Sample, arm_rank, score_rank},
    words::{ITEMS, SEEDS, SPLITS, is_loss},
};
use crate::{ColumnNames, ReadOptions};
use fiesta_core::Direction;

impl Sample {
    /// What the columns could be, the fullest proposal first.
    pub(super) fn proposals(&self, options: &ReadOptions) -> Vec<Proposal> {
        let columns = self.columns();
        let mut names = named(&columns, options);
        let is = |wanted: Option<&String>, column: &Column<'_>| {
            wanted.is_some_and(|name| name == column.name)
        };
        let is_used = |column: &Column<'_>, names: &ColumnNames| {
            [&names.arm, &names.item, &names.split, &names.seed]
                .into_iter()
                .any(|used| is(used.as_ref(), column))
        };
        let asked = options.metric.as_deref().unwrap_or("score").trim();
        let of_asked = columns
            .iter()
            .find(|column| column.name == asked && column.is_number());
        let mut scores: Vec<(usize, &Column<'_>)> = columns
            .iter()
            .filter(|column| !is_used(column, &names) && column.is_number())
            .filter_map(|column| Some((score_rank(column)?, column)))
            .collect();
        scores.sort_by_key(|(rank, _)| *rank);
        let Some(score) = of_asked.or(scores.first().map(|(_, column)| *column)) else {
            return Vec::new();
        };
        if names.arm.is_none() {
            let mut arms: Vec<(usize, &Column<'_>)> = columns
                .iter()
                .filter(|column| !is_used(column, &names) && column.name != score.name)
                .filter_map(|column| Some((arm_rank(column)?, column)))
                .collect();
            arms.sort_by_key(|(rank, _)| *rank);
            names.arm = arms.first().map(|(_, column)| column.name.to_owned());
        }
        let is_wide = names.arm.is_none() && (names.split.is_some() || names.seed.is_some());
        let direction = if is_loss(&score.plain) {
            Direction::Minimize
        } else {
            Direction::Maximize
        };
        let others = scores.iter().map(|(_, other)| other.name);
        // What was asked for by its name is the score, whatever else could be.
        let is_asked = of_asked.is_some() && options.metric.is_some();
        let others = others.filter(|name| *name != score.name && !is_asked);
        let full = Proposal {
            metric: (score.name != asked && !is_wide).then(|| score.name.to_owned()),
            others: others.take(4).map(ToOwned::to_owned).collect(),
            direction,
            columns: names,
            failures: false,
            certainty: Certainty::Proposed,
        };
        if is_wide {
            let others = Vec::new();
            let direction = Direction::Maximize;
            return vec![Proposal {
                others,
                direction,
                ..full
            }];
        }
        if full.columns.arm.is_none() {
            return Vec::new();
        }
        let without = |drop: &dyn Fn(&mut ColumnNames)| {
            let mut less = full.clone();
            drop(&mut less.columns);
            less
        };
        vec![
            full.clone(),
            without(&|names| names.seed = None),
            without(&|names| names.split = None),
            without(&|names| names.item = None),
            without(&|names| {
                *names = ColumnNames {
                    arm: names.arm.clone(),
                    ..ColumnNames::default()
                };
            }),
        ]
    }
}

/// The names that are given or meant of the columns beside the score and the arm.
fn named(columns: &[Column<'_>], options: &ReadOptions) -> ColumnNames {
    let is_there = |name: &str| columns.iter().any(|column| column.name == name);
    let kept = |given: &Option<String>, long: &str| {
        let given = given.clone().filter(|given| is_there(given.trim()));
        given.or_else(|| is_there(long).then(|| long.to_owned()))
    };
    let mut names = ColumnNames {
        arm: kept(&options.columns.arm, "arm"),
        item: kept(&options.columns.item, "item"),
        split: kept(&options.columns.split, "split"),
        seed: kept(&options.columns.seed, "seed"),
    };
    let find = |words: &[&str]| {
        let mut found = columns
            .iter()
            .filter(|column| words.contains(&&*column.plain));
        found
            .find(|column| column.is_whole())
            .map(|c| c.name.to_owned())
    };
    let item = |column: &&Column<'_>| ITEMS.contains(&&*column.plain) && column.repeats();
    names.split = names.split.or_else(|| find(&SPLITS));
    names.seed = names.seed.or_else(|| find(&SEEDS));
    if names.item.is_none() && names.split.is_none() {
        names.item = columns
            .iter()
            .find(item)
            .map(|column| column.name.to_owned());
    }
    names
}
