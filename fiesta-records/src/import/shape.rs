//! From a tool's table to records, once it is known what the columns mean.

use super::table::{Line, Table};
use super::{
    ImportError, ImportOptions, Imported, Tool, choose::Arm, collect::Collector, error::excerpt,
    time,
};
use crate::{RowProblem, original};
use fiesta_core::Direction;
use std::borrow::Cow;

/// The columns that mean something in a file of scores, so that no column of one's own can be called so.
const TAKEN: [&str; 6] = ["arm", "split", "seed", "cost", "duration", "status"];

/// What the columns of a tool's table mean.
pub(super) struct Shape<'a> {
    pub(super) tool: Tool,
    pub(super) file: &'a str,
    pub(super) arm: Arm,
    pub(super) metric: usize,
    /// The column of the state; without, every trial has ended.
    pub(super) state: Option<usize>,
    pub(super) duration: Duration,
    /// Whether texts have an apostrophe before what a spreadsheet would take for a formula.
    pub(super) is_inert: bool,
    /// Where a trial is, in words.
    pub(super) place: fn(&Table, &Line, &str) -> String,
    pub(super) direction: Option<Direction>,
    pub(super) notices: Vec<String>,
}

/// Where it says how long a trial took.
#[derive(Debug, Clone, Copy)]
pub(super) enum Duration {
    Unknown,
    /// In a column.
    In(usize),
    /// Between the times in two columns.
    Between(usize, usize),
}

/// What became of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Ended,
    Failed,
    Pruned,
    Unfinished,
}

/// A file's line.
pub(super) fn line(_: &Table, row: &Line, file: &str) -> String {
    format!("{file}:{}", row.line)
}

impl Shape<'_> {
    /// Every trial as what it counts as.
    pub(super) fn records(
        self,
        table: &Table,
        options: &ImportOptions,
    ) -> Result<Imported, ImportError> {
        let mut collector = Collector::new(&self, table, options)?;
        for row in table.rows() {
            collector.take(row)?;
        }
        let (records, counted) = collector.finish()?;
        Ok(Imported {
            records,
            direction: self.direction,
            notices: self.notices.into_iter().chain(counted).collect(),
        })
    }

    /// The columns that are kept, and their names among records.
    pub(super) fn columns(&self, table: &Table) -> Vec<(usize, String)> {
        let kept = |&(column, name): &(usize, &String)| {
            !name.is_empty() && column != self.metric && self.arm != Arm::Column(column)
        };
        let named = table.columns().iter().enumerate().filter(kept);
        named
            .map(|(column, name)| {
                let name = self.name(name);
                let name = if TAKEN.contains(&&*name) {
                    format!("{}.{name}", self.tool)
                } else {
                    name.into_owned()
                };
                (column, name)
            })
            .collect()
    }

    pub(super) fn name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if self.is_inert {
            original(name)
        } else {
            name.into()
        }
    }

    /// The text in a column; empty if there is none.
    pub(super) fn text<'a>(&self, row: &'a Line, column: usize) -> Cow<'a, str> {
        self.name(row.cell(column).unwrap_or_default())
    }

    pub(super) fn fate(
        &self,
        row: &Line,
        place: &impl Fn() -> String,
    ) -> Result<Fate, ImportError> {
        let Some(column) = self.state else {
            return Ok(Fate::Ended);
        };
        let state = self.text(row, column);
        match state.to_ascii_lowercase().as_str() {
            "complete" | "finished" => Ok(Fate::Ended),
            "fail" | "failed" | "crashed" | "killed" => Ok(Fate::Failed),
            "pruned" => Ok(Fate::Pruned),
            "running" | "waiting" | "scheduled" | "pending" | "preempting" | "preempted" => {
                Ok(Fate::Unfinished)
            }
            _ => Err(ImportError::State {
                place: place(),
                state: excerpt(&state),
                tool: self.tool,
            }),
        }
    }

    /// The score; none if there is none or it is not finite.
    pub(super) fn score(&self, row: &Line) -> Result<Option<f64>, RowProblem> {
        let text = self.text(row, self.metric);
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(score) => Ok(Some(score).filter(|score| score.is_finite())),
            Err(_) => Err(RowProblem::NotANumber {
                field: "score",
                found: excerpt(&text),
            }),
        }
    }

    pub(super) fn duration(
        &self,
        table: &Table,
        row: &Line,
        place: &impl Fn() -> String,
    ) -> Result<Option<f64>, ImportError> {
        let wrong = |column: usize, what| ImportError::Time {
            place: place(),
            field: excerpt(&table.columns()[column]),
            found: excerpt(row.cell(column).unwrap_or_default()),
            what,
        };
        match self.duration {
            Duration::Unknown => Ok(None),
            Duration::In(column) => match row.cell(column) {
                None => Ok(None),
                Some(text) => time::duration(text)
                    .map(Some)
                    .ok_or_else(|| wrong(column, "duration")),
            },
            Duration::Between(start, end) => {
                let (Some(from), Some(to)) = (row.cell(start), row.cell(end)) else {
                    return Ok(None);
                };
                for (column, text) in [(start, from), (end, to)] {
                    if time::time(text).is_none() {
                        return Err(wrong(column, "date and time"));
                    }
                }
                let seconds = time::between(from, to).filter(|seconds| *seconds >= 0.0);
                seconds
                    .map(Some)
                    .ok_or_else(|| wrong(end, "time after the start"))
            }
        }
    }
}
