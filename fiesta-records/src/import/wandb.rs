//! Weights & Biases' table of runs as CSV: a row per run.
//!
//! The page's file begins with `Name, State, Notes, User, Tags, Created, Runtime, Sweep`, of which
//! those are missing that the table does not show; `Runtime` is in seconds. Settings and summaries
//! follow, without anything that tells them apart.

use super::{
    ImportError, ImportOptions, Imported, Tool, choose,
    table::Table,
    trials::{Duration, Shape, line},
};

/// The columns that are neither settings nor summaries.
const OWN: [&str; 14] = [
    "Name", "Agent", "ID", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep",
    "Group", "Job Type", "End Time", "Commit",
];

/// Whether this is the header of that file.
pub(super) fn is(header: &str) -> bool {
    let names: Vec<&str> = header
        .split(',')
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| names.contains(&name);
    !has("arm") && has("Name") && has("State") && (has("Created") || has("Runtime"))
}

pub(super) fn read(
    table: &Table,
    options: &ImportOptions,
    file: &str,
) -> Result<Imported, ImportError> {
    let expected = "download the table of runs as CSV from the project's page";
    choose::needed(table, "Name", Tool::Wandb, expected, file)?;
    let candidates = choose::numeric(table, &OWN, ToOwned::to_owned);
    let metric = choose::metric_of_table(table, options, &[], &candidates, file)?;
    let everywhere = |&column: &usize| table.rows().iter().all(|row| row.cell(column).is_some());
    let sweep = table.column("Sweep").filter(everywhere);
    let (arm, notice) = choose::arm(table, options, &[], sweep, file)?;
    let state = table.column("State");
    let unknown = "there is no column `State`, so that every run counts as ended".to_owned();
    let notices = notice.into_iter().chain(state.is_none().then_some(unknown));
    let shape = Shape {
        tool: Tool::Wandb,
        file,
        arm,
        metric,
        state,
        duration: table
            .column("Runtime")
            .map_or(Duration::Unknown, Duration::In),
        is_inert: false,
        place: line,
        direction: None,
        notices: notices.collect(),
    };
    shape.records(table, options)
}
