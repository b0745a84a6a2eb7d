//! Results on several benchmarks, each read by itself: the tasks of logs of answers, or the data
//! sets that a column of tables names.

use crate::{
    ImportError, Imported, Result, Tool,
    directory::{Found, files_of},
    error::refused,
    logs::{Logs, logs_of, records_of},
    open::{check_own, check_tool, common_tool, of_files, read_results, stated},
    pool::{self, TASK},
    store::tool_of_directory,
    tasks, together,
};
use fiesta_records::{
    ColumnRole, Reading, Role, Rule,
    words::{excerpt, quoted},
};
use std::path::Path;

/// The most benchmarks that are read.
const MOST: usize = 500;

/// Reads results as [`read_results`], each benchmark by itself, with its name. `column` names the
/// column of the benchmarks in tables; logs of answers have their tasks. Without a column, results
/// that are no logs of several tasks are one benchmark with an empty name.
///
/// # Errors
/// As [`read_results`], about each benchmark; and [`ImportError`] if there is no such column, a row
/// has no benchmark, or results have none.
///
/// # Example
/// ```no_run
/// use fiesta_import::read_benchmarks;
/// use fiesta_records::Reading;
/// for (name, found) in read_benchmarks(&["runs.csv"], &Reading::default(), Some("dataset"))? {
///     println!("{name}: {} evaluations", found.records.records().len());
/// }
/// # Ok::<(), fiesta_import::ImportError>(())
/// ```
pub fn read_benchmarks(
    paths: &[impl AsRef<Path>],
    options: &Reading,
    column: Option<&str>,
) -> Result<Vec<(String, Imported)>> {
    let named: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let tool = stated(options)?;
    let is_of_runs = |path: &Path| path.is_dir() && tool_of_directory(path, tool).is_some();
    let is_one = match named[..] {
        [path] => !path.is_dir() || is_of_runs(path),
        _ => false,
    };
    if column.is_none() && is_one {
        return Ok(one(read_results(paths, options)?));
    }
    if let [path] = named[..]
        && is_of_runs(path)
    {
        return Err(without_benchmarks(&path.display().to_string()));
    }
    let (files, notices) = files_of(&named, tool)?;
    let tool = match tool {
        Some(tool) => Some(tool),
        None => common_tool(&files)?,
    };
    let mut found = match (tool, column) {
        (Some(tool), _) if tool.logs_answers() => {
            check_tool(options)?;
            if let Some(column) = column.filter(|column| *column != TASK) {
                return Err(refused(format!(
                    "the benchmarks of {tool}'s logs are their tasks: write --benchmark {TASK} for `{}`, or leave it out",
                    excerpt(column)
                )));
            }
            of_tasks(&files, tool, options)?
        }
        (Some(tool), Some(_)) => return Err(without_benchmarks(tool.name())),
        (None, Some(column)) => {
            check_own(options)?;
            of_column(&files, column, options)?
        }
        (_, None) => one(of_files(&files, options)?),
    };
    if let Some((_, first)) = found.first_mut() {
        first.notices.splice(0..0, notices);
    }
    Ok(found)
}

fn one(found: Imported) -> Vec<(String, Imported)> {
    vec![(String::new(), found)]
}

fn without_benchmarks(what: &str) -> ImportError {
    refused(format!(
        "benchmarks are the tasks of logs of answers, or the values of a column of a table, and {what} has neither: leave --benchmark and --weights out"
    ))
}

/// Reads each task of logs by itself; all of them as one benchmark if there is one task, or if arms
/// are called by their tasks.
fn of_tasks(files: &[Found], tool: Tool, options: &Reading) -> Result<Vec<(String, Imported)>> {
    let read = logs_of(files, tool, options)?;
    let mut names: Vec<String> = Vec::new();
    for log in &read.all {
        let task = log.task.clone().unwrap_or_default();
        if !names.contains(&task) {
            names.push(task);
        }
    }
    let is_apart = names.len() > 1 && names.iter().all(|task| !task.is_empty());
    if !is_apart || pool::are_called_by_task(&read.all, tool, options) {
        return Ok(one(records_of(read, tool, options)?));
    }
    names.sort();
    // What is said of all logs is said once.
    let mut said = read.left_out;
    let of_logs = read.all.iter().map(|log| log.task.as_deref());
    let of_logs: Vec<_> = read.read.into_iter().zip(of_logs).collect();
    said.extend(tasks::alone(&of_logs));
    let (mut rest, mut found) = (read.all, Vec::new());
    for task in names {
        let (logs, others) = { rest.into_iter() }.partition(|log| log.task.as_ref() == Some(&task));
        rest = others;
        let of_task = Logs {
            all: logs,
            read: Vec::new(),
            left_out: std::mem::take(&mut said),
        };
        found.push((task, records_of(of_task, tool, options)?));
    }
    Ok(found)
}

/// Reads the rows of each value of a column by themselves.
fn of_column(files: &[Found], column: &str, options: &Reading) -> Result<Vec<(String, Imported)>> {
    if options.gold.is_some() {
        return Err(refused(
            "--gold is about one table of predictions, and --benchmark about several data sets: leave one of the two out",
        ));
    }
    let parts = together::tables(files)?;
    let mut names: Vec<String> = Vec::new();
    for part in &parts {
        let Some(place) = part.place(column) else {
            return Err(refused(format!(
                "there is no column `{}` (--benchmark), only {}",
                excerpt(column),
                quoted(part.columns())
            )));
        };
        for row in part.table.rows() {
            let Some(name) = row.cell(place) else {
                return Err(refused(format!(
                    "{}:{}: the benchmark in `{}` is empty: name it in every row, or leave the row out",
                    part.file,
                    row.line,
                    excerpt(column)
                )));
            };
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            if names.len() > MOST {
                return Err(refused(format!(
                    "the column `{}` (--benchmark) names more than {MOST} benchmarks: name the column of data sets; if it names items, give --item instead",
                    excerpt(column)
                )));
            }
        }
    }
    let role = ColumnRole::new(column, Role::Benchmark, Rule::Named);
    let read = names.into_iter().map(|name| {
        let of_name: Vec<_> = { parts.iter() }
            .filter_map(|part| part.only(column, &name))
            .collect();
        let mut found = together::of_parts(&of_name, options).map_err(|error| match error {
            ImportError::Records(records) => ImportError::Records(records),
            other => refused(format!("{}: {other}", excerpt(&name))),
        })?;
        if !found.roles.is_empty() {
            found.roles.insert(0, role.clone());
        }
        Ok((name, found))
    });
    read.collect()
}
