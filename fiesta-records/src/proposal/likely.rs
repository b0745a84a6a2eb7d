//! Proposal of columns whose names and cells look most like the long form, or like a column for each arm.

use super::{
    Proposal,
    column::{Column, Sample, arm_rank, find, score_rank},
    named_direction,
    sides::Side,
    words::{Kind, is, no_system},
};
use crate::{ColumnNames, Reading, columns::joined};
use std::collections::{HashMap, HashSet};

impl Sample {
    /// Returns the likely names of columns: those of the long form, or a column for each arm.
    pub(super) fn proposal(&self, options: &Reading) -> Option<Proposal> {
        self.of_long_form(options).or_else(|| self.of_arms(options))
    }

    /// Proposes columns of the file for the long form.
    fn of_long_form(&self, options: &Reading) -> Option<Proposal> {
        let columns = self.columns();
        let asked = options.metric.as_deref().unwrap_or("score").trim();
        let of_asked = columns
            .iter()
            .find(|column| column.name == asked && column.is_number());
        let mut names = named(&columns, options);
        let is_used = |column: &Column<'_>, names: &ColumnNames| {
            [&names.arm, &names.item, &names.split, &names.seed]
                .into_iter()
                .any(|used| {
                    used.as_deref()
                        .is_some_and(|used| joined(used).any(|name| name == column.name))
                })
        };
        let mut scores: Vec<(usize, &Column<'_>)> = columns
            .iter()
            .filter(|column| !is_used(column, &names) && column.is_number())
            .filter_map(|column| Some((score_rank(column)?, column)))
            .collect();
        scores.sort_by_key(|(rank, _)| *rank);
        let score = of_asked.or(scores.first().map(|(_, column)| *column))?;
        if names.arm.is_none() {
            let is_case = |column: &Column<'_>| {
                case(column).is_some() && !is(Kind::UnsureCase, &column.plain)
            };
            let mut arms: Vec<(usize, &Column<'_>)> = columns
                .iter()
                .filter(|column| {
                    !is_used(column, &names) && column.name != score.name && !is_case(column)
                })
                .filter_map(|column| Some((arm_rank(column)?, column)))
                .collect();
            arms.sort_by_key(|(rank, _)| *rank);
            names.arm = arms.first().map(|(_, column)| column.name.to_owned());
        }
        let arm = find(&columns, names.arm.as_ref())?;
        if names.item.is_none() {
            let others =
                |column: &&Column<'_>| !is_used(column, &names) && column.name != score.name;
            names.item = items(&columns, arm, &names, others);
            if names.item.is_some() && options.columns.split.is_none() {
                names.split = None;
            }
        }
        let others = scores.iter().map(|(_, other)| other.name);
        // What was asked for by its name is the score, whatever else could be.
        let is_asked = of_asked.is_some() && options.metric.is_some();
        let others = others.filter(|name| *name != score.name && !is_asked);
        Some(Proposal {
            metric: (score.name != asked).then(|| score.name.to_owned()),
            others: others.take(4).map(ToOwned::to_owned).collect(),
            direction: named_direction(score.name),
            columns: names,
            ..Proposal::default()
        })
    }

    /// Proposes to read the file as a table with a column for each arm.
    fn of_arms(&self, options: &Reading) -> Option<Proposal> {
        let table = self.arms_table(options.paired_rows);
        let name = |place: usize| self.names[place].clone();
        let mut columns = options.columns.clone();
        if let Some((place, long)) = table.key
            && !self.names[place].is_empty()
            && self.names[place] != long
        {
            let named = Some(name(place));
            match long {
                "item" => columns.item = columns.item.or(named),
                "split" => columns.split = columns.split.or(named),
                _ => columns.seed = columns.seed.or(named),
            }
        }
        let arms: Vec<String> = table.arms.iter().map(|&place| name(place)).collect();
        // Data sets are no arms. The flag's list is divided by commas.
        let are_rows = match table.key {
            Some((key, "item")) => {
                self.side(key) != Some(Side::Columns) && self.may_be_systems(key)
            }
            _ => self.side(self.first()) == Some(Side::Rows),
        };
        let is_sayable = !are_rows && arms.iter().all(|arm| !arm.contains(','));
        (table.is_likely && is_sayable).then(|| Proposal {
            columns,
            arms,
            ..Proposal::default()
        })
    }
}

/// Returns the part of a row's case that a column's whole name states. `None` if it states none.
fn case(column: &Column<'_>) -> Option<Kind> {
    [Kind::Split, Kind::Seed, Kind::Item, Kind::Dataset]
        .into_iter()
        .find(|&kind| is(kind, &column.plain))
}

/// Returns the names of columns, given or guessed, other than those of the score and the arm.
fn named(columns: &[Column<'_>], options: &Reading) -> ColumnNames {
    let is_there =
        |name: &str| joined(name).all(|part| columns.iter().any(|column| column.name == part));
    let kept = |given: &Option<String>, long: &str| {
        let given = given.clone().filter(|given| is_there(given.trim()));
        given.or_else(|| is_there(long).then(|| long.to_owned()))
    };
    let whole = |kind| {
        let mut found = columns.iter().filter(|column| is(kind, &column.plain));
        found
            .find(|column| column.is_whole())
            .map(|c| c.name.to_owned())
    };
    let item = kept(&options.columns.item, "item");
    let split = kept(&options.columns.split, "split");
    ColumnNames {
        arm: kept(&options.columns.arm, "arm"),
        split: split.or_else(|| item.is_none().then(|| whole(Kind::Split))?),
        item,
        seed: kept(&options.columns.seed, "seed").or_else(|| whole(Kind::Seed)),
    }
}

/// Finds the column, or several joined, that tells apart what the scores of an arm were made on,
/// where splits and seeds do not do so alone. `None` if there is none.
fn items<'c>(
    columns: &'c [Column<'c>],
    arm: &Column<'_>,
    names: &ColumnNames,
    is_free: impl Fn(&&Column<'_>) -> bool,
) -> Option<String> {
    let find = |name: &Option<String>| find(columns, name.as_ref());
    let (split, seed) = (find(&names.split), find(&names.seed));
    // A column that is called so is read as the splits, whatever else there is.
    if split.is_some_and(|split| split.name == "split") {
        return None;
    }
    let is_case = |column: &&Column<'_>| {
        matches!(case(column), Some(Kind::Split | Kind::Item | Kind::Dataset))
    };
    let full = |column: &&Column<'_>| column.values.len() == arm.values.len();
    let named: Vec<&Column<'_>> = columns
        .iter()
        .filter(&is_free)
        .filter(|column| is_case(column) && full(column) && column.distinct() > 1)
        .collect();
    let tells = |keys: &[&Column<'_>]| arm.is_told_apart(&[keys, seed.as_slice()].concat());
    if named.is_empty() {
        if split.is_some() || seed.is_some_and(|seed| arm.is_told_apart(&[seed])) {
            return None;
        }
        // By what it holds: every value once for each of several arms.
        let mut others = columns.iter().filter(&is_free).filter(full);
        return others
            .find(|column| {
                let known = no_system(&column.plain);
                matches!(known, None | Some("a run or a note" | "what is compared"))
                    && (column.is_whole() || !column.is_number())
                    && is_shared(arm, column)
                    && tells(&[column])
            })
            .map(|column| column.name.to_owned());
    }
    let is_told_by = |split: &&Column<'_>| named.iter().all(|column| split.determines(column));
    if split.is_some_and(|split| tells(&[split]) && is_told_by(&split)) {
        return None;
    }
    if let Some(alone) = named.iter().find(|column| tells(&[**column])) {
        return Some(alone.name.to_owned());
    }
    let all: Vec<&Column<'_>> = named.into_iter().chain(split).collect();
    let names: Vec<&str> = all.iter().map(|column| column.name).collect();
    Some(names.join("+"))
}

/// Whether most values of a column stand in rows of several arms.
fn is_shared(arm: &Column<'_>, column: &Column<'_>) -> bool {
    let mut arms: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (value, arm) in column.values.iter().zip(&arm.values) {
        arms.entry(value).or_default().insert(arm);
    }
    let shared = arms.values().filter(|arms| arms.len() > 1).count();
    arms.len() > 1 && 2 * shared > arms.len()
}
