//! CSV, with commas or tabs.

use super::{
    HeaderProblem, Record, RecordsError, RowProblem,
    collect::Collector,
    header::{ArmColumns, Columns, Layout, layout},
    number::{expense, number, score, whole},
    problem::excerpt,
    rows::{Next, Rows},
};
use csv::StringRecord;

/// Reads a table in the long or the wide form.
pub(super) fn read(
    text: &str,
    delimiter: u8,
    collector: &mut Collector,
    file: &str,
) -> Result<(), RecordsError> {
    let failed = |source| RecordsError::Io {
        file: file.to_owned(),
        source,
    };
    let mut rows = Rows::new(text, delimiter);
    let mut row = StringRecord::new();
    let bad_row = |line, problem| RecordsError::Row {
        file: file.to_owned(),
        line,
        problem,
        further: 0,
    };
    let line = match rows.next(&mut row).map_err(failed)? {
        Next::Row(line) => line,
        Next::Broken(line, problem) => return Err(bad_row(line, problem)),
        Next::End => return Ok(()), // the collector is empty, and will say so
    };
    let refused = |problem| RecordsError::Header {
        file: file.to_owned(),
        line,
        problem,
    };
    let names: Vec<&str> = row.iter().map(str::trim).collect();
    let width = names.len();
    let layout = layout(&names, collector.metric(), delimiter).map_err(refused)?;
    if let Layout::Wide(arms) = &layout {
        for (_, name) in &arms.scores {
            collector
                .name(name)
                .map_err(|problem| bad_row(line, problem))?;
        }
    }
    let mut any = false;
    loop {
        match rows.next(&mut row).map_err(failed)? {
            Next::Row(line) => match &layout {
                Layout::Long(columns) => collector.take(line, columns.record(&row, width, line)),
                Layout::Wide(arms) => {
                    if let Err(problem) = arms.add(&row, width, line, collector) {
                        collector.refuse(line, problem);
                    }
                }
            },
            Next::Broken(line, problem) => collector.refuse(line, problem),
            Next::End => break,
        }
        any = true;
    }
    if !any {
        return Err(RecordsError::NoRows {
            file: file.to_owned(),
        });
    }
    if let Layout::Wide(_) = layout
        && !collector.has_problems()
        && let Some(arm) = collector.without_score()
    {
        return Err(refused(HeaderProblem::NoScore(excerpt(arm))));
    }
    Ok(())
}

fn fields(found: usize, expected: usize) -> RowProblem {
    RowProblem::Fields { found, expected }
}

impl Columns {
    fn record<'r>(
        &self,
        row: &'r StringRecord,
        width: usize,
        line: u64,
    ) -> Result<Record<&'r str>, RowProblem> {
        if row.len() != width {
            return Err(fields(row.len(), width));
        }
        let text = |column: Option<usize>| column.map_or("", |column| &row[column]);
        let arm = row[self.arm].trim();
        if arm.is_empty() {
            return Err(RowProblem::EmptyArm);
        }
        Ok(Record {
            arm,
            score: score(&row[self.score])?,
            split: whole("split", text(self.split))?,
            seed: whole("seed", text(self.seed))?,
            cost: expense("cost", text(self.cost))?,
            duration: expense("duration", text(self.duration))?,
            line,
        })
    }
}

impl ArmColumns {
    /// Adds the scores on one row, which may end early.
    fn add(
        &self,
        row: &StringRecord,
        width: usize,
        line: u64,
        collector: &mut Collector,
    ) -> Result<(), RowProblem> {
        if row.len() > width {
            return Err(fields(row.len(), width));
        }
        let text = |column: Option<usize>| column.and_then(|column| row.get(column));
        let split = whole("split", text(self.split).unwrap_or_default())?;
        let seed = whole("seed", text(self.seed).unwrap_or_default())?;
        for (column, name) in &self.scores {
            let cell = number("score", row.get(*column).unwrap_or_default());
            let added = cell.and_then(|cell| match cell {
                None => Ok(()),
                Some(score) => collector.add(Record {
                    split,
                    seed,
                    line,
                    ..Record::new(name.as_str(), score)
                }),
            });
            added.map_err(|problem| RowProblem::Cell {
                column: excerpt(name),
                problem: Box::new(problem),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
