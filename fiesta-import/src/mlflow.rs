//! MLflow's runs as CSV: what the page of an experiment's runs downloads, or
//! `mlflow.search_runs(…).to_csv(…)`.
//!
//! The page's file begins with
//! `Start Time, Duration, Run ID, Name, Source Type, Source Name, User, Status`; then come
//! parameters, metrics and tags, without anything that tells them apart. Newer versions put
//! everything in quotes, and an apostrophe before all that begins like a formula, negative numbers
//! among it. `search_runs` writes `run_id, experiment_id, status, …, start_time, end_time`, and
//! `metrics.`, `params.` and `tags.` before the rest.
//!
//! A run that others with a score name as their parent (`mlflow.parentRunId`) summarises them, and is left out.

use crate::{
    Imported, Result, Tool,
    choose::{self, has_name},
    trials::{Duration, Shape},
};
use fiesta_records::Reading;
use fiesta_records::original;
use fiesta_records::table::Table;
use std::collections::HashSet;

/// First columns of the file that MLflow's page downloads.
const PAGE: [&str; 8] = [
    "Start Time",
    "Duration",
    "Run ID",
    "Name",
    "Source Type",
    "Source Name",
    "User",
    "Status",
];

/// Prefix of the names of metrics.
pub(crate) const METRICS: &str = "metrics.";

/// Returns whether this is the header of one of MLflow's two kinds of table.
pub(crate) fn is(header: &str) -> bool {
    let has = |name: &str| has_name(header, name);
    let of_search = ["run_id", "experiment_id", "status"].into_iter().all(has);
    !has("arm") && (of_search || ["Start Time", "Run ID", "Source Type"].into_iter().all(has))
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
    let shape = if table.column("run_id").is_some() {
        of_search(table, options, file)
    } else {
        of_page(table, options, file)
    };
    shape?.records(table, options)
}

/// Returns the meaning of the columns of a table that `search_runs` wrote, or that was made of a store.
pub(crate) fn of_search<'a>(table: &Table, options: &Reading, file: &'a str) -> Result<Shape<'a>> {
    let columns = table.columns().iter().enumerate();
    let metrics = columns.filter(|(_, name)| name.starts_with(METRICS));
    let candidates: Vec<usize> = metrics.map(|(column, _)| column).collect();
    let prefixes = ["params.", "tags."];
    let metric = choose::metric_of_table(table, options, &[METRICS], &candidates, file)?;
    let experiment = table.column("experiment");
    let experiment = experiment.or_else(|| table.column("experiment_id"));
    let arm = choose::arm(table, options, &prefixes, experiment, file)?;
    let times = (table.column("start_time"), table.column("end_time"));
    Ok(Shape {
        state: Some(needed(table, "status", file)?),
        summaries: parents(table, "run_id", metric),
        duration: match times {
            (Some(start), Some(end)) => Duration::Between(start, end),
            _ => Duration::Unknown,
        },
        ..Shape::new(Tool::Mlflow, file, metric, arm)
    })
}

fn of_page<'a>(table: &Table, options: &Reading, file: &'a str) -> Result<Shape<'a>> {
    let state = needed(table, "Status", file)?;
    needed(table, "Run ID", file)?;
    let candidates = choose::numeric(table, &PAGE, |cell| original(cell).into_owned());
    let metric = choose::metric_of_table(table, options, &[], &candidates, file)?;
    let arm = choose::arm(table, options, &[], None, file)?;
    let duration = table.column("Duration");
    Ok(Shape {
        state: Some(state),
        summaries: parents(table, "Run ID", metric),
        duration: duration.map_or(Duration::Unknown, Duration::In),
        is_inert: true,
        ..Shape::new(Tool::Mlflow, file, metric, arm)
    })
}

/// Returns the column of the runs' ids, and the ids that runs with a score name as their parents. `None` if runs
/// name no parents.
fn parents(table: &Table, id: &str, metric: usize) -> Option<(usize, HashSet<String>)> {
    const PARENT: [&str; 2] = ["tags.mlflow.parentRunId", "mlflow.parentRunId"];
    let parent = PARENT.iter().find_map(|name| table.column(name))?;
    let scored = table.rows().iter().filter(|row| row.cell(metric).is_some());
    let parents = scored.filter_map(|row| row.cell(parent).map(str::to_owned));
    Some((table.column(id)?, parents.collect()))
}

fn needed(table: &Table, column: &str, file: &str) -> Result<usize> {
    let expected = "download the runs as CSV from the experiment's page, or write mlflow.search_runs(…).to_csv(…)";
    choose::needed(table, column, Tool::Mlflow, expected, file)
}
