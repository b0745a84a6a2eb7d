//! Scores in CSV, with commas or tabs.

use super::{
    HeaderProblem, Record, RecordsError, RowProblem,
    collect::Collector,
    header::{ArmColumns, Columns, Layout, layout},
    number::{expense, number, score, whole},
    problem::excerpt,
    sheet::{Sheet, fields, full},
};
use csv::StringRecord;

/// Reads a table in the long or the wide form.
pub(super) fn read(
    text: &str,
    delimiter: u8,
    collector: &mut Collector,
    file: &str,
) -> Result<(), RecordsError> {
    let Some(mut sheet) = Sheet::open(text, delimiter, file)? else {
        return Ok(()); // the collector is empty, and will say so
    };
    let names = sheet.names();
    let width = names.len();
    let layout = layout(&names, collector.metric(), delimiter).map_err(|p| sheet.refused(p))?;
    if let Layout::Wide(arms) = &layout {
        for (_, name) in &arms.scores {
            collector.name(name).map_err(|p| sheet.broken(p))?;
        }
    }
    sheet.each("scores", |line, row| match (row, &layout) {
        (Ok(row), Layout::Long(columns)) => {
            collector.take(line, columns.record(row, width, line));
        }
        (Ok(row), Layout::Wide(arms)) => {
            if let Err(problem) = arms.add(row, width, line, collector) {
                collector.refuse(line, problem);
            }
        }
        (Err(problem), _) => collector.refuse(line, problem),
    })?;
    if let Layout::Wide(_) = layout
        && !collector.has_problems()
        && let Some(arm) = collector.without_score()
    {
        return Err(sheet.refused(HeaderProblem::NoScore(excerpt(arm))));
    }
    Ok(())
}

impl Columns {
    fn record<'r>(
        &self,
        row: &'r StringRecord,
        width: usize,
        line: u64,
    ) -> Result<Record<&'r str>, RowProblem> {
        full(row, width)?;
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
            return Err(fields(row, width));
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
