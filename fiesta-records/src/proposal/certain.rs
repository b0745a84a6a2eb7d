//! Certainty of a proposal of columns: doubts that the rest of the file raises.
//!
//! Certain means that every column is accounted for. Names count by all of their words, so that
//! `dataset_name` is no column of arms and `neg_loss` no loss; contents count of all rows.

use super::{
    Certainty, Proposal,
    candidates::names_whole,
    column::{Column, Sample, find, number},
    named_direction,
    words::{self, Kind},
};
use crate::{Format, Reading, columns::joined, excerpt, scales::two_scales};
use std::collections::{HashMap, HashSet};

/// The longest file of which all rows are looked at.
const MOST_ROWS: usize = 100_000;

/// Advice for a file that has one score of each arm.
const MORE: &str = "give a row for each split, seed or item, or in each row the mean of several scores with its spread (--spread) and their number (--n)";

/// Columns of the long form that are read by their names in every case.
const OWN: [&str; 3] = ["cost", "duration", "status"];

/// Judges how certain a proposal of columns is with which the file can be read.
pub(super) fn certainty(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
    options: &Reading,
    proposal: &Proposal,
) -> Certainty {
    if proposal.columns.arm.is_none() {
        return Certainty::Proposed;
    }
    let Some(table) = Sample::read(bytes, format, options, file, MOST_ROWS + 1) else {
        return Certainty::Proposed;
    };
    if let Some(why) = wrong(&table, options, proposal) {
        return Certainty::Withheld(why);
    }
    if is_otherwise_named(options, proposal) {
        return Certainty::Proposed;
    }
    let doubt = doubt(&table, options, proposal);
    doubt.map_or(Certainty::Certain, Certainty::Doubtful)
}

/// Finds the columns of a proposal: arms, score, and those of the cases.
fn parts<'c>(
    columns: &'c [Column<'c>],
    options: &Reading,
    proposal: &Proposal,
) -> Option<(&'c Column<'c>, &'c Column<'c>, Vec<&'c Column<'c>>)> {
    let find = |name: &str| columns.iter().find(|column| column.name == name.trim());
    let score = proposal.metric.as_deref().or(options.metric.as_deref());
    let found = &proposal.columns;
    let cases = [&found.split, &found.seed, &found.item]
        .into_iter()
        .flatten();
    let cases = cases.flat_map(|name| match find(name) {
        Some(_) => vec![name.as_str()],
        None => joined(name).collect(),
    });
    Some((
        find(found.arm.as_deref()?)?,
        find(score.unwrap_or("score"))?,
        cases.filter_map(find).collect(),
    ))
}

/// Returns why a proposal would misread a file. `None` if nothing shows that it would.
pub(super) fn wrong(table: &Sample, options: &Reading, proposal: &Proposal) -> Option<String> {
    let columns = table.columns();
    let (arm, score, keys) = parts(&columns, options, proposal)?;
    let rows = table.cells.len();
    let free = |column: &&Column<'_>| {
        column.name != arm.name
            && column.name != score.name
            && !keys.iter().any(|key| key.name == column.name)
    };
    // A column whose name says too little of what is compared, beside one that names each row.
    let is_sure = options.columns.arm.is_some() || words::is_sure_arm(&arm.plain);
    let names_rows = |column: &&Column<'_>| {
        let is_name = column.has(Kind::Run) || words::is_sure_arm(&column.plain);
        is_name && column.distinct() == rows
    };
    let named = columns.iter().filter(free).find(names_rows);
    if let Some(named) = named.filter(|_| !is_sure) {
        return Some(format!(
            "the rows are named by `{}`, one each, and `{}` may be a property of theirs: name what is compared with --arm",
            excerpt(named.name),
            excerpt(arm.name)
        ));
    }
    if let Some(doubt) = doubt_of_rows(arm, &keys, rows) {
        return Some(doubt);
    }
    if arm.distinct() == arm.values.len() {
        let name = excerpt(arm.name);
        return Some(format!(
            "each row has another `{name}`, and one score of each tells too little: {MORE}"
        ));
    }
    let mut steps = columns
        .iter()
        .filter(free)
        .filter(|column| column.has(Kind::Step) && column.is_whole() && column.distinct() > 1);
    let step = steps.find(|step| !arm.determines(step))?;
    Some(format!(
        "`{}` is by its name a step of a training, so that rows are no evaluations of their own: keep one row of each training",
        excerpt(step.name)
    ))
}

/// Returns whether the user named a column or a score that differs from the proposed one.
fn is_otherwise_named(options: &Reading, proposal: &Proposal) -> bool {
    let (given, found) = (&options.columns, &proposal.columns);
    let pairs = [
        (&given.arm, &found.arm),
        (&given.item, &found.item),
        (&given.split, &found.split),
        (&given.seed, &found.seed),
        (&options.metric, &proposal.metric),
    ];
    let differs = |(place, (given, found)): (usize, &(&Option<String>, &Option<String>))| {
        given.as_deref().map(str::trim).is_some_and(|given| {
            // A score that is there is not proposed anew.
            let is_kept = place == 4 && found.is_none();
            !is_kept && found.as_deref() != Some(given)
        })
    };
    pairs.iter().enumerate().any(differs)
}

/// Returns the reason to doubt a proposal, in words.
fn doubt(table: &Sample, options: &Reading, proposal: &Proposal) -> Option<String> {
    let columns = table.columns();
    let find = |name: &Option<String>| find(&columns, name.as_ref());
    let (arm, score, keys) = parts(&columns, options, proposal)?;
    if proposal.failures {
        return Some("some evaluations have no score".to_owned());
    }
    let (given, found) = (&options.columns, &proposal.columns);
    if let [other, ..] = &proposal.others[..] {
        return Some(format!("`{}` could be the score as well", excerpt(other)));
    }
    if table.cells.len() > MOST_ROWS {
        return Some(format!("it has more than {MOST_ROWS} rows"));
    }
    if options.metric.is_none() && !has_direction(score) {
        return Some(format!(
            "the name `{}` does not say for sure that it is the score, and which scores are better",
            excerpt(score.name)
        ));
    }
    let is_arm = options.columns.arm.is_some() || arm.name == "arm" || is_named_arm(arm);
    if !is_arm {
        return Some(format!(
            "the name `{}` does not say for sure that its values are what is compared",
            excerpt(arm.name)
        ));
    }
    let cases = [
        (&found.split, &given.split, &[Kind::Split][..]),
        (&found.seed, &given.seed, &[Kind::Seed]),
        (
            &found.item,
            &given.item,
            &[Kind::Item, Kind::Dataset, Kind::RowName],
        ),
    ];
    if let Some(item) = &found.item
        && given.item.is_none()
        && find(&found.item).is_none()
    {
        return Some(unexplained(item));
    }
    for (found, given, known) in cases {
        let column = find(found).filter(|_| given.is_none());
        if let Some(column) = column
            && (!(known.iter().any(|&kind| words::is(kind, &column.plain)) || column.is_text())
                || words::is(Kind::UnsureCase, &column.plain) && !is_sure_id(column)
                || found == &proposal.columns.item && !is_of_each_arm(arm, column))
        {
            return Some(unexplained(column.name));
        }
    }
    if let Some(doubt) = doubt_of_scores(score, arm, options) {
        return Some(doubt);
    }
    let is_used = |name: &str| {
        let mut parts = [arm, score].into_iter().chain(keys.iter().copied());
        parts.any(|part| part.name == name || joined(part.name).any(|part| part == name))
    };
    let nameless = table.names.iter().enumerate().filter(|(_, name)| {
        !columns
            .iter()
            .any(|column| std::ptr::eq(column.name, name.as_str()))
    });
    for (place, name) in nameless {
        let mut cells = table.cells.iter().filter_map(|row| row.get(place));
        // Numbers of rows, over all of them or anew in each file that was appended to the first.
        let mut last = None;
        let counts = |cell: &str| {
            let number = cell.parse::<u64>().ok();
            let follows =
                number == Some(0) || last.is_none() || number == last.map(|last| last + 1);
            last = number;
            number.is_some() && follows
        };
        let is_of_steps = keys.is_empty() && is_of_all_arms(table, place, arm);
        if is_of_steps || !cells.all(counts) {
            let name = if name.is_empty() {
                "without a name"
            } else {
                name
            };
            return Some(unexplained(name));
        }
    }
    let mut others = columns.iter().filter(|column| !is_used(column.name));
    let rows = Rows {
        arm,
        are_named: given.arm.is_some(),
        have_cases: !keys.is_empty(),
        number: table.cells.len(),
    };
    let unknown = others.find(|column| !rows.lose_nothing_with(column))?;
    Some(unexplained(unknown.name))
}

fn unexplained(name: &str) -> String {
    format!(
        "nothing says what `{}` is: it may tell results apart that do not belong together",
        excerpt(name)
    )
}

/// Returns a doubt about the rows: some summarise others, or repeat an arm's case.
fn doubt_of_rows(arm: &Column<'_>, keys: &[&Column<'_>], rows: usize) -> Option<String> {
    let all = || [arm].into_iter().chain(keys.iter().copied());
    let is_summary = |value: &&&str| {
        let value = value.trim();
        let is_one = |known: &str| value.eq_ignore_ascii_case(known);
        names_whole(value) || is_one("median") || is_one("std")
    };
    let values = || all().flat_map(|column| &column.values);
    if let Some(name) = values().find(is_summary) {
        return Some(format!(
            "`{}` may be a row that summarises others",
            excerpt(name)
        ));
    }
    if let Some(column) = all().find(|column| column.values.len() < rows) {
        return Some(format!("`{}` is empty in some rows", excerpt(column.name)));
    }
    let is_repeated = !keys.is_empty() && !arm.is_told_apart(keys);
    is_repeated.then(|| {
        let names: Vec<String> = keys
            .iter()
            .map(|key| format!("`{}`", excerpt(key.name)))
            .collect();
        format!(
            "an arm has several scores of the same {}",
            names.join(" and ")
        )
    })
}

/// Returns a doubt about the scores: losses below zero, whole numbers, or two scales.
fn doubt_of_scores(score: &Column<'_>, arm: &Column<'_>, options: &Reading) -> Option<String> {
    let numbers: Vec<f64> = score
        .values
        .iter()
        .filter_map(|value| number(value))
        .collect();
    let name = excerpt(score.name);
    if words::is_loss(&score.plain) && numbers.iter().any(|&number| number < 0.0) {
        return Some(format!(
            "`{name}` has values below 0, so that larger ones may be better"
        ));
    }
    if score.is_whole() && numbers.iter().any(|&number| number > 100.0) {
        return Some(format!("`{name}` has whole numbers above 100"));
    }
    let is_stated = options.bounds.is_some() || words::is_loss(&score.plain);
    if is_stated || arm.values.len() != numbers.len() {
        return None;
    }
    let of_arms = arm.values.iter().copied().zip(numbers);
    two_scales(of_arms, true)
        .map(|_| format!("`{name}` may be shares of some arms and percentages of others"))
}

/// Whether each number of a column stands in rows of all arms, as the steps of a training do.
fn is_of_all_arms(table: &Sample, place: usize, arm: &Column<'_>) -> bool {
    let cells = table.cells.iter().filter_map(|row| row.get(place));
    let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    let mut arms_of: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (cell, arm) in cells.iter().zip(&arm.values) {
        arms_of.entry(cell).or_default().insert(arm);
    }
    let arms: HashSet<&&str> = arm.values.iter().collect();
    let is_of_all = |of: &HashSet<&str>| of.len() == arms.len();
    arms.len() > 1 && arms_of.len() > 1 && arms_of.values().all(is_of_all)
}

/// Whether every arm has a row of each value of a column.
fn is_of_each_arm(arm: &Column<'_>, column: &Column<'_>) -> bool {
    let pairs: HashSet<(&str, &str)> = (arm.values.iter().copied())
        .zip(column.values.iter().copied())
        .collect();
    pairs.len() == arm.distinct() * column.distinct()
}

/// Returns whether a column of ids has at least ten different values, which columns of steps or prompts do not have.
fn is_sure_id(column: &Column<'_>) -> bool {
    const FEWEST: usize = 10;
    column.plain.ends_with("_id") && column.distinct() >= FEWEST
}

/// Returns whether every word of a column's name is one of scores, and the name says which scores are better.
fn has_direction(column: &Column<'_>) -> bool {
    words::are_of_score(&column.plain)
        && named_direction(column.name).is_some()
        && (!column.has(Kind::Verdict) || column.is_answers())
}

/// Returns whether every word of a column's name is one of arms, and its values repeat.
fn is_named_arm(column: &Column<'_>) -> bool {
    words::are_of_arms(&column.plain) && column.repeats()
}

/// Rows of a table, for the question which of its columns may be passed over.
struct Rows<'c> {
    arm: &'c Column<'c>,
    /// Whether the user named the column of the arms.
    are_named: bool,
    /// Whether each row of an arm is of another case.
    have_cases: bool,
    number: usize,
}

impl Rows<'_> {
    /// Returns whether no results are mixed where this column is passed over.
    ///
    /// | the column is | condition |
    /// |---|---|
    /// | `status` | |
    /// | constant, or empty | |
    /// | a time or a cost | rows have cases, or its values do not repeat: those may be steps |
    /// | a remark, or a count | rows have cases |
    /// | something of each row alone | its name is that of runs |
    /// | a setting | each arm has one value of it, or the user named the arms: settings vary within them |
    fn lose_nothing_with(&self, column: &Column<'_>) -> bool {
        let distinct = column.distinct();
        let is_full = column.values.len() == self.number;
        let every = |kinds: &[Kind]| {
            let mut words = column.words();
            words.all(|word| kinds.iter().any(|&kind| words::is(kind, word)))
        };
        if column.name == "status" || distinct == 0 || distinct == 1 && is_full {
            return true;
        }
        if OWN.contains(&column.name) || words::are_of_spending(&column.plain) {
            let is_measured = column.is_number() && !column.is_whole();
            return self.have_cases || !column.repeats() || is_measured;
        }
        if self.have_cases && (every(&[Kind::Remark]) || words::are_of_counts(&column.plain)) {
            return true;
        }
        let is_alone = is_full && distinct == self.number && !column.is_score();
        if is_alone && every(&[Kind::Run, Kind::RowName]) {
            return true;
        }
        every(&[Kind::Setting, Kind::OtherSetting])
            && column.is_number()
            && is_full
            && (self.are_named || self.arm.determines(column))
    }
}
