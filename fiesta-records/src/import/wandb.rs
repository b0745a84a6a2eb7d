//! Weights & Biases' table of runs as CSV: a row per run.
//!
//! The page's file begins with `Name, State, Notes, User, Tags, Created, Runtime, Sweep`, of which
//! those are missing that the table does not show; `Runtime` is in seconds. Settings and summaries
//! follow, without anything that tells them apart.

use super::{
    ImportError, Imported, ReadOptions, Tool, choose,
    table::{Table, has_name},
    trials::{Duration, Shape},
};

/// The columns that are neither settings nor summaries.
const OWN: [&str; 14] = [
    "Name", "Agent", "ID", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep",
    "Group", "Job Type", "End Time", "Commit",
];

/// Returns whether this is the header of W&B's CSV file.
pub(super) fn is(header: &str) -> bool {
    let has = |name: &str| has_name(header, name);
    !has("arm") && has("Name") && has("State") && (has("Created") || has("Runtime"))
}

pub(super) fn read(
    table: &Table,
    options: &ReadOptions,
    file: &str,
) -> Result<Imported, ImportError> {
    let expected = "download the table of runs as CSV from the project's page";
    choose::needed(table, "Name", Tool::Wandb, expected, file)?;
    let candidates = choose::numeric(table, &OWN, ToOwned::to_owned);
    let metric = choose::metric_of_table(table, options, &[], &candidates, file)?;
    let everywhere = |&column: &usize| table.rows().iter().all(|row| row.cell(column).is_some());
    let sweep = table.column("Sweep").filter(everywhere);
    let arm = choose::arm(table, options, &[], sweep, file)?;
    let runtime = table.column("Runtime");
    let mut shape = Shape {
        state: table.column("State"),
        duration: runtime.map_or(Duration::Unknown, Duration::In),
        ..Shape::new(Tool::Wandb, file, metric, arm)
    };
    if shape.state.is_none() {
        let unknown = "there is no column `State`, so that every run counts as ended";
        shape.notices.push(unknown.to_owned());
    }
    shape.records(table, options)
}
