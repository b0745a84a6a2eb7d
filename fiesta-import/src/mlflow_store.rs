//! MLflow's runs where it keeps them: a directory `mlruns`, or its SQLite database.
//!
//! The table that this makes of them has the columns of `mlflow.search_runs`, with the name of the
//! experiment for its number. The value of a metric is its last one: that of the highest step, and
//! then of the latest time.

use crate::{
    Imported, Result,
    error::{nothing_ended, refused},
    mlflow,
    ragged::{self, Room},
};
use fiesta_records::{
    Reading,
    table::{Line, Table},
    words::{agree, count, excerpt},
};
use jiff::Timestamp;

/// Names of the columns that every run has.
const FIXED: [&str; 5] = ["run_id", "experiment", "status", "start_time", "end_time"];

pub(crate) type Run = ragged::Trial<{ FIXED.len() }>;

/// Runs that were read from MLflow's store.
pub(crate) struct Store {
    runs: Vec<Run>,
    room: Room,
    /// Number of runs that were deleted, or whose experiment was.
    deleted: u64,
}

impl Store {
    pub(crate) fn new() -> Self {
        Self {
            runs: Vec::new(),
            room: Room::new(),
            deleted: 0,
        }
    }

    /// Adds a run by its fixed cells, and returns its index. `None` if the run was deleted.
    pub(crate) fn add(
        &mut self,
        fixed: [Option<String>; FIXED.len()],
        is_deleted: bool,
    ) -> Result<Option<usize>, ragged::Full> {
        if is_deleted {
            self.deleted += 1;
            return Ok(None);
        }
        self.runs.push(Run::new(fixed, &mut self.room)?);
        Ok(Some(self.runs.len() - 1))
    }

    /// Sets a metric, a parameter or a tag of a run.
    pub(crate) fn set(
        &mut self,
        run: usize,
        name: String,
        text: String,
    ) -> Result<(), ragged::Full> {
        self.runs[run].set(name, text, &mut self.room)
    }

    pub(crate) fn records(mut self, options: &Reading, file: &str) -> Result<Imported> {
        if self.runs.is_empty() {
            return Err(match self.deleted {
                0 => nothing_ended(file),
                n => refused(format!(
                    "{file}: {} here {} deleted: restore what is to be read with `mlflow runs restore --run-id ID`",
                    count(n, "run"),
                    agree(n, "is", "are")
                )),
            });
        }
        // The oldest first, as in the table of trials of other tools.
        self.runs
            .sort_by(|a, b| (&a.fixed[3], &a.fixed[0]).cmp(&(&b.fixed[3], &b.fixed[0])));
        let prefixes = [mlflow::METRICS, "params.", "tags."];
        let fewer = "write a part of them as CSV by mlflow.search_runs(…).to_csv(…)";
        let table = ragged::table(FIXED, &prefixes, &self.runs, fewer, file)?;
        let mut shape = mlflow::of_search(&table, options, file)?;
        shape.place = place;
        if self.deleted > 0 {
            let (is, runs) = (
                agree(self.deleted, "is", "are"),
                count(self.deleted, "deleted run"),
            );
            shape.notices.push(format!("{runs} {is} left out"));
        }
        shape.records(&table, options)
    }
}

/// Returns a time, from milliseconds since 1970, as text.
pub(crate) fn time(milliseconds: i64) -> Option<String> {
    let time = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(time.to_string())
}

/// Returns a run's name and experiment for messages, as a run of a store has no line number.
fn place(_: &Table, row: &Line, file: &str) -> String {
    let cell = |column| excerpt(row.cell(column).unwrap_or("?"));
    format!("{file}: run `{}` of experiment `{}`", cell(0), cell(1))
}
