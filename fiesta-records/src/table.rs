//! Scores in CSV, with commas or tabs.

use super::{
    HeaderProblem, Record, RecordsError, RowProblem,
    cell::original,
    collect::{Collector, Texts},
    header::{ArmColumns, Columns, Layout, layout},
    number::{number, whole},
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
    let texts: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut layout = layout(&texts, collector.metric(), delimiter).map_err(|p| sheet.refused(p))?;
    let paired_rows = collector.paired_rows();
    if paired_rows && names.iter().any(|name| name == "split") {
        return Err(sheet.refused(HeaderProblem::SplitColumn));
    }
    match &mut layout {
        Layout::Wide(arms) => {
            collector.is_wide();
            for (_, name) in &arms.scores {
                collector.name(name).map_err(|p| sheet.broken(p))?;
            }
            if !collector.keeps_columns() {
                arms.document = None;
            }
        }
        Layout::Long(columns) if collector.keeps_columns() => {
            for &column in &columns.others {
                collector
                    .keep(&names[column])
                    .map_err(|p| sheet.broken(p))?;
            }
        }
        Layout::Long(columns) => columns.others.clear(),
    }
    let mut number = 0;
    sheet.each("scores", |line, row| {
        let split = paired_rows.then_some(number);
        number += 1;
        let added = row.and_then(|row| match &layout {
            Layout::Long(columns) => columns.add(row, &names, line, collector),
            Layout::Wide(arms) => arms.add(row, split, width, line, collector),
        });
        if let Err(problem) = added {
            collector.refuse(line, problem);
        }
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
    /// Adds a row: a score or a failure.
    fn add(
        &self,
        row: &StringRecord,
        names: &[String],
        line: u64,
        collector: &mut Collector,
    ) -> Result<(), RowProblem> {
        full(row, names.len())?;
        let text = |column: Option<usize>| column.map_or("", |column| &row[column]);
        let texts = Texts {
            arm: &original(row[self.arm].trim()),
            score: &row[self.score],
            split: text(self.split),
            seed: text(self.seed),
            cost: text(self.cost),
            duration: text(self.duration),
            status: text(self.status),
        };
        let other = |&column: &usize| (&names[column], original(row[column].trim()));
        collector.add_row(line, texts, self.others.iter().map(other))
    }
}

impl ArmColumns {
    /// Adds the scores on one row, which may end early; its split, where that is its number.
    fn add(
        &self,
        row: &StringRecord,
        split: Option<u64>,
        width: usize,
        line: u64,
        collector: &mut Collector,
    ) -> Result<(), RowProblem> {
        if row.len() > width {
            return Err(fields(row, width));
        }
        let text = |column: Option<usize>| column.and_then(|column| row.get(column));
        let stated = whole("split", text(self.split).unwrap_or_default())?;
        let seed = whole("seed", text(self.seed).unwrap_or_default())?;
        let document = text(self.document).map(|text| ("document", original(text.trim())));
        for (column, name) in &self.scores {
            let cell = number("score", row.get(*column).unwrap_or_default());
            let added = cell.and_then(|cell| match cell {
                None => Ok(()),
                Some(score) => {
                    let record = Record {
                        split: split.or(stated),
                        seed,
                        line,
                        ..Record::new(name.as_str(), score)
                    };
                    collector.add(record, document.clone())
                }
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
