//! What trials count as, and how many of each kind there are.

use super::table::{Line, Table};
use super::{
    ImportError, ImportOptions, Missing, Pruned,
    choose::Arm,
    error::excerpt,
    shape::{Fate, Shape},
};
use crate::{Record, Records, RecordsError, RowProblem};
use fiesta_core::{Direction, Metric};

/// Trials on their way to records.
pub(super) struct Collector<'a> {
    shape: &'a Shape<'a>,
    table: &'a Table,
    options: &'a ImportOptions,
    metric: Metric,
    /// The columns that are kept, and their names.
    columns: Vec<(usize, String)>,
    records: Records,
    unfinished: ArmStatistics,
    pruned: ArmStatistics,
    missing: ArmStatistics,
    /// What is wrong with the first trial that is none.
    problem: Option<RowProblem>,
    bad: ArmStatistics,
}

/// Trials of one kind: how many, and where the first is.
#[derive(Default)]
struct ArmStatistics {
    count: usize,
    first: String,
}

impl ArmStatistics {
    fn add(&mut self, place: String) {
        if self.count == 0 {
            self.first = place;
        }
        self.count += 1;
    }

    /// What became of them in words; nothing if there are none.
    fn notice(&self, one: &str, many: &str, fate: &str) -> Option<String> {
        let Self { count, first } = self;
        let words = match count {
            0 => return None,
            1 => format!("trial {one} is"),
            _ => format!("trials {many} are"),
        };
        Some(format!("{count} {words} {fate} (the first is {first})"))
    }
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        shape: &'a Shape<'a>,
        table: &'a Table,
        options: &'a ImportOptions,
    ) -> Result<Self, ImportError> {
        let name = shape.name(&table.columns()[shape.metric]);
        let metric = Metric::new(&*name, Direction::Maximize, options.bounds);
        let metric = metric.map_err(RecordsError::from)?;
        let mut records = Records::new(metric.name())?;
        let columns = shape.columns(table);
        for (_, name) in &columns {
            let added = records.add_column(name);
            added.map_err(|problem| ImportError::Trial {
                place: shape.file.to_owned(),
                problem,
                further: 0,
            })?;
        }
        Ok(Self {
            shape,
            table,
            options,
            metric,
            columns,
            records,
            unfinished: ArmStatistics::default(),
            pruned: ArmStatistics::default(),
            missing: ArmStatistics::default(),
            problem: None,
            bad: ArmStatistics::default(),
        })
    }

    /// Adds a trial as what it counts as.
    pub(super) fn take(&mut self, row: &Line) -> Result<(), ImportError> {
        let place = || (self.shape.place)(self.table, row, self.shape.file);
        let fate = match self.shape.fate(row, &place)? {
            Fate::Unfinished => {
                self.unfinished.add(place());
                return Ok(());
            }
            Fate::Pruned => {
                self.pruned.add(place());
                match self.options.pruned {
                    Some(Pruned::Score) => Fate::Ended,
                    Some(Pruned::Fail) => Fate::Failed,
                    Some(Pruned::Drop) | None => return Ok(()),
                }
            }
            other => other,
        };
        let score = match fate {
            Fate::Ended => self.shape.score(row),
            _ => Ok(None),
        };
        if fate == Fate::Ended && score == Ok(None) {
            self.missing.add(place());
            if self.options.missing != Some(Missing::Fail) {
                return Ok(());
            }
        }
        let duration = self.shape.duration(self.table, row, &place)?;
        let duration = duration.filter(|_| self.metric.name() != "duration");
        if let Err(problem) = score.and_then(|score| self.add(row, score, duration)) {
            self.bad
                .add((self.shape.place)(self.table, row, self.shape.file));
            self.problem.get_or_insert(problem);
        }
        Ok(())
    }

    /// Adds a score, or a failure.
    fn add(
        &mut self,
        row: &Line,
        score: Option<f64>,
        duration: Option<f64>,
    ) -> Result<(), RowProblem> {
        let shape = self.shape;
        let arm = match &shape.arm {
            Arm::One(name) => name.as_str().into(),
            Arm::Column(column) => shape.text(row, *column),
        };
        let cells = self.columns.iter();
        let cells = cells.map(|(column, name)| (name, shape.text(row, *column)));
        let line = row.line;
        let Some(score) = score else {
            let failed = Record {
                duration,
                line,
                ..Record::failed(&*arm)
            };
            return self.records.push_failure_with(failed, cells);
        };
        let score = self.metric.check(score).map_err(RowProblem::OutOfBounds)?;
        let record = Record {
            duration,
            line,
            ..Record::new(&*arm, score)
        };
        self.records.push_with(record, cells)
    }

    /// All records, and what became of the trials that are not plainly among them.
    pub(super) fn finish(self) -> Result<(Records, Vec<String>), ImportError> {
        if let Some(problem) = self.problem {
            return Err(ImportError::Trial {
                place: self.bad.first,
                problem,
                further: self.bad.count - 1,
            });
        }
        let (count, first) = (self.pruned.count, self.pruned.first.clone());
        let pruned = match self.options.pruned {
            None if count > 0 => return Err(ImportError::Pruned { count, first }),
            Some(Pruned::Score) => "counted with their last score",
            Some(Pruned::Fail) => "counted as failures",
            _ => "left out",
        };
        let metric = excerpt(self.metric.name());
        let (count, first) = (self.missing.count, self.missing.first.clone());
        let missing = match self.options.missing {
            None if count > 0 => {
                return Err(ImportError::Missing {
                    count,
                    metric,
                    first,
                });
            }
            Some(Missing::Fail) => "counted as failures",
            _ => "left out",
        };
        if self.records.rows().next().is_none() {
            return Err(ImportError::NothingEnded {
                file: self.shape.file.to_owned(),
            });
        }
        let without = format!("without a finite `{metric}`");
        let (has, have) = ("that has not ended", "that have not ended");
        let notices = [
            self.unfinished.notice(has, have, "left out"),
            self.pruned
                .notice("that was pruned", "that were pruned", pruned),
            self.missing.notice(&without, &without, missing),
        ];
        Ok((self.records, notices.into_iter().flatten().collect()))
    }
}
