//! Choices that another tool's results leave open: the column of the score, the column of the arm,
//! and whether an evaluation without a score is a failure or left out.

use crate::{
    ImportError, Result, Tool,
    error::{refused, undecided},
    pool::stem,
};
use fiesta_records::table::Table;
use fiesta_records::{
    Choice, RowProblem, is_missing, role_of_column, sound_like_scores,
    words::{count, excerpt, quoted},
};
use fiesta_records::{Missing, Reading};

/// Source of the names of the arms.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arm {
    /// The column of this place names the arm of each trial.
    Column(usize),
    /// All trials are of the arm with this name.
    One(String),
}

/// Returns the place of the column with this name, or with one of the tool's prefixes before it.
fn column(table: &Table, name: &str, prefixes: &[&str]) -> Option<usize> {
    let with = |prefix: &&str| table.column(&format!("{prefix}{name}"));
    let found = table.column(name);
    found.or_else(|| prefixes.iter().find_map(with))
}

/// Returns the column that was asked for with this flag.
fn asked(table: &Table, name: &str, prefixes: &[&str], flag: &str, file: &str) -> Result<usize> {
    let found = column(table, name.trim(), prefixes);
    found.ok_or_else(|| no_column(name, &columns(table), flag, file))
}

/// Returns the error about a flag that names a column which the file lacks.
fn no_column(name: &str, known: &str, flag: &str, file: &str) -> ImportError {
    refused(format!(
        "{file}: there is no column `{}`, only {known}: name another with --{flag}",
        excerpt(name.trim())
    ))
}

/// Returns the column that all of the tool's files have. `expected` says what a file with this
/// column is, and where it comes from.
pub(crate) fn needed(
    table: &Table,
    column: &str,
    tool: Tool,
    expected: &str,
    file: &str,
) -> Result<usize> {
    table
        .column(column)
        .ok_or_else(|| not_of_tool(column, tool, expected, file))
}

/// Refuses a table without a column that all of the tool's files have.
pub(crate) fn not_of_tool(column: &str, tool: Tool, expected: &str, file: &str) -> ImportError {
    refused(format!(
        "{file}: there is no column `{column}`, so this is not what {tool} writes: {expected}"
    ))
}

/// Returns the place of the column that the user named for this role, with or without a prefix of
/// the tool.
pub(crate) fn named(
    table: &Table,
    name: Option<&String>,
    role: &str,
    file: &str,
) -> Result<Option<usize>> {
    const PREFIXES: [&str; 6] = [
        "params.",
        "params_",
        "tags.",
        "config.",
        "user_attrs_",
        "metrics.",
    ];
    let column = name.map(|name| asked(table, name, &PREFIXES, role, file));
    column.transpose()
}

/// Returns the names of all named columns, for a message.
pub(crate) fn columns(table: &Table) -> String {
    let names = table.columns().iter().map(String::as_str);
    quoted(names.filter(|name| !name.is_empty()))
}

/// Columns or values that may be the score, of which one is chosen.
pub(crate) struct Candidates<T> {
    /// Name and place of each candidate for the score.
    named: Vec<(String, T)>,
    /// Whether the tool says that all candidates are scores. Otherwise they are only known as numbers.
    are_scores: bool,
    /// The names of all values in the file, in quotes, for messages.
    known: String,
}

impl<T> Candidates<T> {
    /// Returns candidates all of which the tool calls scores.
    pub(crate) fn scores(named: impl Iterator<Item = (String, T)>, known: String) -> Self {
        Self {
            named: named.collect(),
            are_scores: true,
            known,
        }
    }

    /// Returns candidates that are known to be numbers, of which some may be counts or times.
    pub(crate) fn numbers(named: impl Iterator<Item = (String, T)>, known: String) -> Self {
        Self {
            are_scores: false,
            ..Self::scores(named, known)
        }
    }
}

/// Returns the score that was asked for, which `find` knows by its name, or else the only one. Of
/// several names with commas between them, the first that is known is taken: tasks have scores of
/// their own.
pub(crate) fn metric<T>(
    asked: Option<&str>,
    find: impl Fn(&str) -> Option<T>,
    candidates: Candidates<T>,
    file: &str,
) -> Result<T> {
    let (mut named, known) = (candidates.named, candidates.known);
    if let Some(asked) = asked {
        let one_of = || asked.split(',').find_map(|name| find(name.trim()));
        let found = find(asked.trim()).or_else(one_of);
        return found.ok_or_else(|| no_column(asked, &known, "metric", file));
    }
    match named.len() {
        0 => Err(refused(format!(
            "{file}: no column holds numbers that could be the score: there are {known}"
        ))),
        1 => Ok(named.remove(0).1),
        _ => {
            let names: Vec<String> = named.into_iter().map(|(name, _)| name).collect();
            let message = format!(
                "{file}: several columns could be the score: name one of {} with --metric",
                quoted(&names)
            );
            let proposed = if candidates.are_scores {
                names
            } else {
                sound_like_scores(&names)
            };
            Err(undecided(message, Choice::among("metric", proposed)))
        }
    }
}

/// Returns the column of the score, chosen from these columns of numbers in a table.
pub(crate) fn metric_of_table(
    table: &Table,
    options: &Reading,
    prefixes: &[&str],
    candidates: &[usize],
    file: &str,
) -> Result<usize> {
    let cases = [
        &options.columns.arm,
        &options.columns.item,
        &options.columns.split,
        &options.columns.seed,
    ];
    let cases: Vec<usize> = cases
        .into_iter()
        .filter_map(|name| column(table, name.as_deref()?.trim(), prefixes))
        .collect();
    let is_case = |&place: &usize| {
        cases.contains(&place)
            || matches!(
                role_of_column(&table.columns()[place]),
                Some("seed" | "split")
            )
    };
    let scores: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|place| !is_case(place))
        .collect();
    let candidates = Candidates {
        are_scores: false,
        ..candidates_of_table(table, &scores)
    };
    let find = |name: &str| column(table, name, prefixes);
    metric(options.metric.as_deref(), find, candidates, file)
}

/// Returns the column of the score, chosen from those that the tool calls scores in a table.
pub(crate) fn score_of_table(
    table: &Table,
    options: &Reading,
    prefixes: &[&str],
    scores: &[usize],
    file: &str,
) -> Result<usize> {
    let find = |name: &str| column(table, name, prefixes);
    let scores = candidates_of_table(table, scores);
    metric(options.metric.as_deref(), find, scores, file)
}

fn candidates_of_table(table: &Table, scores: &[usize]) -> Candidates<usize> {
    let named = |&one: &usize| (table.columns()[one].clone(), one);
    Candidates::scores(scores.iter().map(named), columns(table))
}

/// Returns the score in a cell. `None` if the cell is empty, or its number is not finite.
pub(crate) fn score(text: &str) -> Result<Option<f64>, RowProblem> {
    if is_missing(text) {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(score) => Ok(Some(score).filter(|score| score.is_finite())),
        Err(_) => Err(RowProblem::NotANumber {
            field: "score",
            found: excerpt(text),
        }),
    }
}

/// Evaluations of one kind: how many there are, and where the first is.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) first: String,
}

impl Tally {
    /// Counts a further evaluation, and keeps the place of the first one for messages.
    pub(crate) fn add(&mut self, place: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = place();
        }
        self.count += 1;
    }

    /// Returns a notice on how these evaluations count. `None` if there are none.
    pub(crate) fn notice(&self, what: &str, fate: &str) -> Option<String> {
        let (all, first) = (count(self.count, what), &self.first);
        (self.count > 0).then(|| format!("{all} {fate} (the first is {first})"))
    }
}

/// Returns how evaluations without a finite score are counted, in words. Refuses results that
/// contain such evaluations if no option says how.
pub(crate) fn missing(found: &Tally, metric: &str, options: &Reading) -> Result<&'static str> {
    let (trials, first) = (count(found.count, "trial"), &found.first);
    match options.missing_as() {
        None if found.count > 0 => Err(undecided(
            format!(
                "{trials} ended without a finite `{metric}` (the first is {first}): say what they count as with --failed (drop or worst)"
            ),
            Choice::among("failed", Choice::FAILED),
        )),
        Some(Missing::Fail) => Ok("counted as failures"),
        _ => Ok("left out"),
    }
}

/// The column of the arm, with a sentence if the user did not name it: the column that was asked
/// for, or the tool's own choice, or else all trials are one arm with the name of the file.
pub(crate) fn arm(
    table: &Table,
    options: &Reading,
    prefixes: &[&str],
    usual: Option<usize>,
    file: &str,
) -> Result<(Arm, Option<String>)> {
    if let Some(name) = &options.columns.arm {
        let column = asked(table, name, prefixes, "arm", file)?;
        return Ok((Arm::Column(column), None));
    }
    if let Some(column) = usual {
        let name = excerpt(&table.columns()[column]);
        let notice = format!("the arms are those of the column `{name}`");
        return Ok((Arm::Column(column), Some(notice)));
    }
    let name = stem(file);
    let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
    let name = if name.is_empty() {
        "trials".to_owned()
    } else {
        name
    };
    let notice = format!(
        "all trials are one arm, `{}`: a column of arms is chosen with --arm",
        excerpt(&name)
    );
    Ok((Arm::One(name), Some(notice)))
}

/// Returns the places of the columns that contain only numbers, without the columns in `but`.
pub(crate) fn numeric(table: &Table, but: &[&str], text: impl Fn(&str) -> String) -> Vec<usize> {
    let is_number = |cell: &str| text(cell).parse::<f64>().is_ok();
    let holds_numbers = |column: usize| {
        let mut cells = table
            .rows()
            .iter()
            .filter_map(|row| row.cell(column))
            .peekable();
        cells.peek().is_some() && cells.all(is_number)
    };
    let named = table.columns().iter().enumerate();
    named
        .filter(|(_, name)| !name.is_empty() && !but.contains(&name.as_str()))
        .map(|(column, _)| column)
        .filter(|&column| holds_numbers(column))
        .collect()
}

/// Returns whether the header of a CSV file has a column of this name.
pub(crate) fn has_name(header: &str, name: &str) -> bool {
    let mut names = header.split(',');
    names.any(|other| other.trim().trim_matches('"') == name)
}
