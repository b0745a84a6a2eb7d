//! Weights & Biases' table of runs as CSV: a row per run.
//!
//! The page's file begins with `Name, State, Notes, User, Tags, Created, Runtime, Sweep`, of which
//! those are missing that the table does not show; `Runtime` is in seconds. Settings and summaries
//! follow, without anything that tells them apart. Seeds that all arms share become the splits.

use crate::{
    Imported, Result, Tool,
    choose::{self, Arm, has_name},
    trials::{Duration, Shape},
};
use fiesta_records::Reading;
use fiesta_records::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Names of columns that W&B adds itself, and that are neither settings nor summaries.
const OWN: [&str; 14] = [
    "Name", "Agent", "ID", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep",
    "Group", "Job Type", "End Time", "Commit",
];

/// Returns whether this is the header of W&B's CSV file.
pub(crate) fn is(header: &str) -> bool {
    let has = |name: &str| has_name(header, name);
    !has("arm") && has("Name") && has("State") && (has("Created") || has("Runtime"))
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
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
    let mut options = options.clone();
    if let Some((name, seeds)) = paired_seeds(table, &shape.arm, &options) {
        shape.notices.push(format!(
            "every arm has a run with each of the same {seeds} seeds (`{name}`), so that these are the splits, and arms are compared on the same ones: `--seed {name}` takes them for repeats",
        ));
        options.columns.split = Some(name);
    }
    shape.records(table, &options)
}

/// Names of settings that hold a run's seed.
const SEEDS: [&str; 4] = ["seed", "config.seed", "random_seed", "config.random_seed"];

/// Returns the column of the seeds and their number, if every arm has exactly the same seeds, each
/// once, and the user named no cases.
fn paired_seeds(table: &Table, arm: &Arm, options: &Reading) -> Option<(String, usize)> {
    let Arm::Column(arm) = *arm else {
        return None;
    };
    let cases = &options.columns;
    if cases.split.is_some() || cases.seed.is_some() || cases.item.is_some() {
        return None;
    }
    let column = SEEDS.iter().find_map(|name| table.column(name))?;
    let mut of_arms: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for row in table.rows() {
        let seed = row.cell(column)?.parse().ok()?;
        let seeds = of_arms.entry(row.cell(arm)?).or_default();
        if !seeds.insert(seed) {
            return None;
        }
    }
    let mut seeds = of_arms.into_values();
    let first = seeds.next()?;
    let is_paired = first.len() > 1 && seeds.len() > 0 && seeds.all(|other| other == first);
    is_paired.then(|| (table.columns()[column].clone(), first.len()))
}
