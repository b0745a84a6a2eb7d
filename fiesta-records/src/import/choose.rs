//! Columns of another tool's table that are the score and the arm.

use super::{
    ImportError, ImportOptions, Tool,
    error::{choose_metric, no_column, no_metric, refused},
    table::Table,
};
use crate::{
    problem::{excerpt, quoted},
    proposal::sound_like_scores,
};

/// Where the names of the arms come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arm {
    /// A column.
    Column(usize),
    /// All trials are this one.
    One(String),
}

/// The column that was asked for by its name, be it without what the tool puts before the names of
/// all of its kind.
fn asked(
    table: &Table,
    name: &str,
    prefixes: &[&str],
    flag: &'static str,
    file: &str,
) -> Result<usize, ImportError> {
    let name = name.trim();
    let with = |prefix: &&str| table.column(&format!("{prefix}{name}"));
    let found = table
        .column(name)
        .or_else(|| prefixes.iter().find_map(with));
    found.ok_or_else(|| no_column(file, &excerpt(name), &columns(table), flag))
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

/// The column that was named for this role, be it without what tools put before the names of
/// settings.
pub(super) fn named(
    table: &Table,
    name: Option<&String>,
    role: &'static str,
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

/// The names of all columns that have one, for a message.
pub(super) fn columns(table: &Table) -> String {
    let names = table.columns().iter().map(String::as_str);
    quoted(names.filter(|name| !name.is_empty()))
}

/// The column of the score: the one that was asked for, or the only candidate.
pub(super) fn metric(
    table: &Table,
    options: &ImportOptions,
    prefixes: &[&str],
    candidates: &[usize],
    file: &str,
) -> Result<usize, ImportError> {
    if let Some(name) = &options.metric {
        return asked(table, name, prefixes, "metric", file);
    }
    match candidates {
        [only] => Ok(*only),
        [] => Err(no_metric(file, &columns(table))),
        _ => {
            let names = candidates.iter();
            let names: Vec<String> = names.map(|&one| table.columns()[one].clone()).collect();
            Err(choose_metric(
                file,
                &quoted(&names),
                sound_like_scores(&names),
            ))
        }
    }
}

/// The column of the arm: the one that was asked for, or the tool's own choice, or else all trials
/// are one arm with the name of the file; and what was chosen, in words, unless it was asked for.
pub(super) fn arm(
    table: &Table,
    options: &ImportOptions,
    prefixes: &[&str],
    usual: Option<usize>,
    file: &str,
) -> Result<(Arm, Option<String>), ImportError> {
    if let Some(name) = &options.arm {
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

/// The columns, but these, in which there are numbers and nothing else.
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
