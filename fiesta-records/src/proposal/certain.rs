//! Certainty of a proposal of columns: doubts that the rest of the file raises.
//!
//! Certain means that every column is accounted for. Names count by all of their words, so that
//! `dataset_name` is no column of arms and `neg_loss` no loss; contents count of all rows.

use super::{
    Certainty, Proposal,
    column::{Column, Sample, number},
    words::{self, LOSSES, SCORES, is_one_of},
};
use crate::{Format, ReadOptions, excerpt, rows};
use std::collections::{HashMap, HashSet};

/// The longest file of which all rows are looked at.
const MOST_ROWS: usize = 100_000;

/// Words of the long form's own columns that are read whatever else there is.
const OWN: [&str; 3] = ["cost", "duration", "status"];

/// Words of the names of columns that say which run a row is of, and nothing of what it was made on.
const OF_RUNS: [&str; 20] = [
    "run", "job", "trial", "id", "uuid", "index", "row", "path", "file", "filename", "log", "url",
    "hash", "commit", "host", "note", "notes", "comment", "message", "output",
];

/// Names of rows that summarise others.
const SUMMARIES: [&str; 9] = [
    "all", "mean", "avg", "average", "total", "overall", "median", "std", "sum",
];

/// Whether a proposal that was tried is certain.
pub(super) fn certainty(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
    options: &ReadOptions,
    proposal: &Proposal,
) -> Certainty {
    if is_otherwise_named(options, proposal) || proposal.columns.arm.is_none() {
        return Certainty::Proposed;
    }
    let Some((names, cells)) = rows::sample(bytes, format, file, MOST_ROWS + 1) else {
        return Certainty::Proposed;
    };
    let doubt = doubt(&Sample { names, cells }, options, proposal);
    doubt.map_or(Certainty::Certain, Certainty::Doubtful)
}

/// Whether something was named that is not there.
fn is_otherwise_named(options: &ReadOptions, proposal: &Proposal) -> bool {
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

/// What speaks against a proposal, in words.
fn doubt(table: &Sample, options: &ReadOptions, proposal: &Proposal) -> Option<String> {
    let columns = table.columns();
    let find = |name: &Option<String>| {
        let name = name.as_deref()?.trim();
        columns.iter().find(|column| column.name == name)
    };
    let asked = options.metric.clone();
    let score = proposal.metric.clone().or(asked);
    let score = find(&Some(score.unwrap_or_else(|| "score".to_owned())))?;
    let arm = find(&proposal.columns.arm)?;
    if proposal.failures {
        return Some("some evaluations have no score".to_owned());
    }
    let (given, found) = (&options.columns, &proposal.columns);
    let keys: Vec<&Column<'_>> = [&found.split, &found.seed, &found.item]
        .into_iter()
        .filter_map(find)
        .collect();
    // The gravest one first: the command that is proposed reads all rows.
    if let Some(doubt) = doubt_of_rows(arm, &keys, table.cells.len()) {
        return Some(doubt);
    }
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
        (&found.split, &given.split, &words::SPLITS[..]),
        (&found.seed, &given.seed, &words::SEEDS[..]),
        (&found.item, &given.item, &words::ITEMS[..]),
    ];
    for (found, given, known) in cases {
        let column = find(found).filter(|_| given.is_none());
        if let Some(column) = column
            && (!known.contains(&&*column.plain) || words::UNSURE.contains(&&*column.plain))
        {
            return Some(unexplained(column.name));
        }
    }
    if let Some(doubt) = doubt_of_scores(score, arm) {
        return Some(doubt);
    }
    let used = [&found.arm, &found.split, &found.seed, &found.item];
    let is_used = |name: &str| {
        name == score.name
            || used
                .iter()
                .any(|used| used.as_deref().map(str::trim) == Some(name))
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
        let counts = |cell: &String| {
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
    let unknown = others.find(|column| !is_harmless(column, arm, table.cells.len()))?;
    Some(unexplained(unknown.name))
}

fn unexplained(name: &str) -> String {
    format!(
        "nothing says what `{}` is: it may tell results apart that do not belong together",
        excerpt(name)
    )
}

/// What speaks against the rows: some that summarise others, or several of one arm's same case.
fn doubt_of_rows(arm: &Column<'_>, keys: &[&Column<'_>], rows: usize) -> Option<String> {
    let all = || [arm].into_iter().chain(keys.iter().copied());
    let is_summary = |value: &&&str| SUMMARIES.contains(&&*value.trim().to_lowercase());
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
    let mut seen = HashSet::new();
    let is_new = |row: usize| {
        let case: Vec<&str> = keys.iter().map(|column| column.values[row]).collect();
        seen.insert((arm.values[row], case))
    };
    let is_repeated = !keys.is_empty() && !(0..rows).all(is_new);
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

/// What speaks against the scores: losses below zero, whole numbers, two scales.
fn doubt_of_scores(score: &Column<'_>, arm: &Column<'_>) -> Option<String> {
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
    if words::is_loss(&score.plain) || arm.values.len() != numbers.len() {
        return None;
    }
    let mut highest: HashMap<&str, f64> = HashMap::new();
    for (arm, &number) in arm.values.iter().zip(&numbers) {
        let highest = highest.entry(arm).or_insert(number);
        *highest = highest.max(number);
    }
    let is_share = |&&highest: &&f64| highest > 0.0 && highest <= 1.0;
    let shares = highest.values().filter(is_share).count();
    let percentages = highest
        .values()
        .filter(|&&highest| highest > 2.0 && highest <= 100.0);
    (shares > 0 && percentages.count() > 0)
        .then(|| format!("`{name}` may be shares of some arms and percentages of others"))
}

/// Whether each number of a column stands in rows of all arms, as the steps of a training do.
fn is_of_all_arms(table: &Sample, place: usize, arm: &Column<'_>) -> bool {
    let cells = table.cells.iter().filter_map(|row| row.get(place));
    let cells: Vec<&String> = cells.filter(|cell| !cell.is_empty()).collect();
    let mut arms_of: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (cell, arm) in cells.iter().zip(&arm.values) {
        arms_of.entry(cell).or_default().insert(arm);
    }
    let arms: HashSet<&&str> = arm.values.iter().collect();
    let is_of_all = |of: &HashSet<&str>| of.len() == arms.len();
    arms.len() > 1 && arms_of.len() > 1 && arms_of.values().all(is_of_all)
}

/// Whether a name is that of a score, each word of it, and says which scores are better.
fn has_direction(column: &Column<'_>) -> bool {
    words::are_of_score(&column.plain)
}

/// Whether a name is that of arms, each word of it, and the values repeat.
fn is_named_arm(column: &Column<'_>) -> bool {
    words::are_of_arms(&column.plain) && column.repeats()
}

/// Whether results are not mixed where this column is passed over: it is constant, or something of
/// each row alone, or what was spent, or a setting that each arm has one value of.
fn is_harmless(column: &Column<'_>, arm: &Column<'_>, rows: usize) -> bool {
    let distinct = column.distinct();
    let is_full = column.values.len() == rows;
    let is_score = column.rank(&SCORES).is_some() || column.rank(&LOSSES).is_some();
    if OWN.contains(&column.name) || words::are_of_spending(&column.plain) {
        // Times that come again and again may be steps of a training.
        return !column.repeats() || column.is_number() && !column.is_whole();
    }
    if distinct == 0 || distinct == 1 && is_full {
        return true;
    }
    if is_full && distinct == rows && !is_score {
        return column.words().all(|word| OF_RUNS.contains(&word));
    }
    let is_setting = column.words().all(|word| is_one_of(&words::SETTINGS, word));
    is_setting && column.is_number() && is_full && is_constant_in_each(column, arm)
}

/// Whether a column has one value for each arm.
fn is_constant_in_each(column: &Column<'_>, arm: &Column<'_>) -> bool {
    let mut of_arm: HashMap<&str, &str> = HashMap::new();
    arm.values.len() == column.values.len()
        && arm
            .values
            .iter()
            .zip(&column.values)
            .all(|(arm, value)| *of_arm.entry(arm).or_insert(value) == *value)
}
