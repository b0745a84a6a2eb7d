//! Choices that another tool's results leave open: the column of the score, the column of the arm,
//! and whether an evaluation without a score is a failure or left out.

use super::{
    ImportError, Missing, ReadOptions, Tool,
    error::{refused, undecided},
    table::Table,
};
use crate::{
    Choice, RowProblem,
    number::is_missing,
    proposal::sound_like_scores,
    words::{count, excerpt, quoted},
};

/// Source of the names of the arms.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arm {
    /// A column.
    Column(usize),
    /// All trials are of the arm with this name.
    One(String),
}

/// Returns the column of this name, be it without what the tool puts before the names of all of its
/// kind.
fn column(table: &Table, name: &str, prefixes: &[&str]) -> Option<usize> {
    let with = |prefix: &&str| table.column(&format!("{prefix}{name}"));
    let found = table.column(name);
    found.or_else(|| prefixes.iter().find_map(with))
}

/// Returns the column that was asked for with this flag.
fn asked(
    table: &Table,
    name: &str,
    prefixes: &[&str],
    flag: &str,
    file: &str,
) -> Result<usize, ImportError> {
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

/// Returns the column that all of the tool's files have. `expected` says what such a file is and
/// where it comes from.
pub(super) fn needed(
    table: &Table,
    column: &str,
    tool: Tool,
    expected: &str,
    file: &str,
) -> Result<usize, ImportError> {
    table
        .column(column)
        .ok_or_else(|| not_of_tool(column, tool, expected, file))
}

/// Refuses a table without a column that all of the tool's files have.
pub(super) fn not_of_tool(column: &str, tool: Tool, expected: &str, file: &str) -> ImportError {
    refused(format!(
        "{file}: there is no column `{column}`, so this is not what {tool} writes: {expected}"
    ))
}

/// Returns the column that the user named for this role, be it without the prefix that tools put
/// before names of settings.
pub(super) fn named(
    table: &Table,
    name: Option<&String>,
    role: &str,
    file: &str,
) -> Result<Option<usize>, ImportError> {
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
pub(super) fn columns(table: &Table) -> String {
    let names = table.columns().iter().map(String::as_str);
    quoted(names.filter(|name| !name.is_empty()))
}

/// Scores from which one is chosen.
pub(super) struct Candidates<T> {
    /// Name and place of each candidate for the score.
    named: Vec<(String, T)>,
    /// Whether the tool says that all these are scores. Otherwise they are only known as numbers.
    are_scores: bool,
    /// The names of all values in the file, in quotes, for messages.
    known: String,
}

impl<T> Candidates<T> {
    /// Returns candidates all of which the tool calls scores.
    pub(super) fn scores(named: impl Iterator<Item = (String, T)>, known: String) -> Self {
        Self {
            named: named.collect(),
            are_scores: true,
            known,
        }
    }
}

/// Returns the score: the one that was asked for, which `find` knows by its name, or else the only
/// one.
pub(super) fn metric<T>(
    asked: Option<&str>,
    find: impl FnOnce(&str) -> Option<T>,
    candidates: Candidates<T>,
    file: &str,
) -> Result<T, ImportError> {
    let (mut named, known) = (candidates.named, candidates.known);
    if let Some(asked) = asked {
        return find(asked.trim()).ok_or_else(|| no_column(asked, &known, "metric", file));
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

/// Returns the column of the score, chosen from these candidates in a table.
pub(super) fn metric_of_table(
    table: &Table,
    options: &ReadOptions,
    prefixes: &[&str],
    candidates: &[usize],
    file: &str,
) -> Result<usize, ImportError> {
    let named = candidates
        .iter()
        .map(|&one| (table.columns()[one].clone(), one));
    let candidates = Candidates {
        named: named.collect(),
        are_scores: false,
        known: columns(table),
    };
    let find = |name: &str| column(table, name, prefixes);
    metric(options.metric.as_deref(), find, candidates, file)
}

/// Returns the score in a cell. `None` if there is none, or it is not finite.
pub(super) fn score(text: &str) -> Result<Option<f64>, RowProblem> {
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
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first: String,
}

impl Tally {
    /// Counts a further evaluation, at this place.
    pub(super) fn add(&mut self, place: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = place();
        }
        self.count += 1;
    }

    /// Returns what became of them in words. `None` if there are none.
    pub(super) fn notice(&self, what: &str, fate: &str) -> Option<String> {
        let (all, first) = (count(self.count, what), &self.first);
        (self.count > 0).then(|| format!("{all} {fate} (the first is {first})"))
    }
}

/// Returns how evaluations without a finite score are counted, in words. Refuses results that
/// contain such evaluations if no option says how.
pub(super) fn missing(
    found: &Tally,
    metric: &str,
    options: &ReadOptions,
) -> Result<&'static str, ImportError> {
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

/// The column of the arm: the one that was asked for, or the tool's own choice, or else all trials
/// are one arm with the name of the file; and what was chosen, in words, unless it was asked for.
pub(super) fn arm(
    table: &Table,
    options: &ReadOptions,
    prefixes: &[&str],
    usual: Option<usize>,
    file: &str,
) -> Result<(Arm, Option<String>), ImportError> {
    if let Some(name) = &options.columns.arm {
        let column = asked(table, name, prefixes, "arm", file)?;
        return Ok((Arm::Column(column), None));
    }
    if let Some(column) = usual {
        let name = excerpt(&table.columns()[column]);
        let notice = format!("the arms are those of the column `{name}`");
        return Ok((Arm::Column(column), Some(notice)));
    }
    let name = std::path::Path::new(file).file_stem();
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().trim().to_owned());
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
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

/// Returns the columns that contain numbers and nothing else, other than those in `but`.
pub(super) fn numeric(table: &Table, but: &[&str], text: impl Fn(&str) -> String) -> Vec<usize> {
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
