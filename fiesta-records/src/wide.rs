//! Scores by arm: tables with a column for each arm, and JSON objects with a list of scores for
//! each.

use crate::{
    Evaluations, HeaderProblem, Record, RecordsError, RowProblem,
    averages::Averages,
    formula::original,
    names::one_line,
    number::{is_missing, number, score, whole},
    proposal::{names_no_candidate, names_summary},
    rows::{Cell, Cursor, Schema, Sheet, check_width},
    scores::Scores,
    words::{excerpt, quoted},
};
use csv::StringRecord;
use std::iter;

/// Columns of the scores of each arm, counted from 0, and of the properties of a whole row.
#[derive(Debug, Default)]
pub(crate) struct ArmColumns {
    scores: Vec<(usize, String)>,
    item: Option<usize>,
    split: Option<usize>,
    seed: Option<usize>,
    document: Option<usize>,
    /// Column with the names of rows that are splits.
    label: Option<usize>,
    /// Rows and columns that are called means or sums of the others.
    averages: Averages,
    /// Names of columns that are no arms by their names, and are left out.
    left_out: Vec<String>,
    /// Whether the first column has no name, and holds the numbers of the rows.
    has_index: bool,
    /// The names of all columns.
    names: Vec<String>,
    /// Lines of the empty cells after the latest score, for each arm.
    empty: Vec<Vec<u64>>,
}

impl ArmColumns {
    /// Finds the roles of the columns with these names, of which one may be a `label` of the rows.
    /// If the caller names `arms`, columns of other names are left out.
    pub(crate) fn of(
        names: Vec<String>,
        arms: &[String],
        label: Option<usize>,
    ) -> Result<Self, HeaderProblem> {
        let is_named = |name: &String| arms.iter().any(|arm| arm.trim() == name);
        if let Some(missing) = arms
            .iter()
            .find(|arm| !names.contains(&arm.trim().to_owned()))
        {
            return Err(HeaderProblem::NoNamed {
                role: "arms",
                column: excerpt(missing),
                columns: names,
            });
        }
        let mut found = Self {
            names: names.clone(),
            label,
            ..Self::default()
        };
        for (column, name) in names.into_iter().enumerate() {
            match name.as_str() {
                _ if is_named(&name) => found.scores.push((column, name)),
                _ if label == Some(column) => {}
                "" if column == 0 => found.has_index = true,
                "" => return Err(HeaderProblem::Unnamed(column + 1)),
                "item" => found.item = Some(column),
                "split" => found.split = Some(column),
                "seed" => found.seed = Some(column),
                "document" => found.document = Some(column),
                _ if !arms.is_empty() => {}
                "cost" | "duration" | "status" => return Err(HeaderProblem::NotOfArm(name)),
                summary if names_summary(summary) => found.averages.columns.push(column),
                _ if names_no_candidate(&name, &found.names) => found.left_out.push(name),
                _ => found.scores.push((column, name)),
            }
        }
        if found.scores.is_empty() {
            return Err(HeaderProblem::NoArms);
        }
        found.empty = vec![Vec::new(); found.scores.len()];
        found.averages.scores = found.scores.iter().map(|(column, _)| *column).collect();
        Ok(found)
    }

    /// Adds the scores on one row, which may end early. `place` is the row's split if rows are splits.
    fn add(
        &mut self,
        row: &StringRecord,
        split: Option<u64>,
        place: u64,
        line: u64,
        scores: &mut Scores<'_>,
    ) -> Result<(), RowProblem> {
        if row.len() > self.names.len() {
            check_width(row, self.names.len())?;
        }
        let named = self.label.or(self.item).or(self.split);
        let name = named.and_then(|column| row.get(column));
        if let Some(name) = name.filter(|name| names_summary(name)) {
            let rows = &mut self.averages.rows;
            rows.push((line, name.trim().to_owned(), row.clone()));
            return Ok(());
        }
        if self.has_index {
            let first = row.get(0).unwrap_or_default().trim();
            let number: Option<u64> = first.parse().ok();
            if number != Some(place) && number != Some(place + 1) {
                return Err(RowProblem::refused(format!(
                    "the first column has no name, and `{}` is not the number of the row: name the column, or write the file without row names (in pandas, `index=False`)",
                    excerpt(first)
                )));
            }
        }
        let text = |column: Option<usize>| column.and_then(|column| row.get(column));
        let stated = scores.split(text(self.split).unwrap_or_default())?;
        let seed = whole("seed", text(self.seed).unwrap_or_default())?;
        let item = self.item.map(|column| {
            let name = one_line(original(row.get(column).unwrap_or_default().trim()));
            scores.records.item(&name)
        });
        let split = split.or(stated).or(item.transpose()?);
        let document = text(self.document).map(|text| ("document", original(text.trim())));
        for ((column, name), empty) in self.scores.iter().zip(&mut self.empty) {
            let text = row.get(*column).unwrap_or_default();
            let in_column = |problem| RowProblem::in_column(name, problem);
            // An empty cell is no evaluation; a word such as NaN is one without a score.
            if text.trim().is_empty() {
                empty.push(line);
                continue;
            }
            for line in empty.drain(..) {
                let (count, _) = scores.records.file.gaps.get_or_insert((0, line));
                *count += 1;
            }
            let is_failed = scores.options.keep_missing && is_missing(text);
            let score = if is_failed {
                Ok(None)
            } else {
                number("score", text)
            };
            let record = Record {
                split,
                seed,
                line,
                ..Record::failed(name.as_str())
            };
            let score = score.map_err(in_column)?;
            let added = scores.add(record, score, document.clone());
            added.map_err(in_column)?;
        }
        self.averages.check(row, &self.names)
    }
}

/// Reads the rows of a table with a column for each arm.
pub(crate) fn read(
    sheet: &mut Sheet<'_>,
    mut arms: ArmColumns,
    scores: &mut Scores<'_>,
) -> Result<(), RecordsError> {
    let rows_are_splits = scores.options.paired_rows;
    scores.records.file.wide = true;
    scores.records.file.rows_are_splits = rows_are_splits;
    for (_, name) in &arms.scores {
        let named = scores.records.number(name);
        named.map_err(|problem| sheet.broken(problem))?;
        scores.score_columns.push(name.clone());
    }
    if !arms.left_out.is_empty() {
        scores.records.file.remarks.push(format!(
            "left out, as by their names they are no systems: {}; --arms names the systems",
            quoted(&arms.left_out)
        ));
    }
    let averages = arms.names.iter().filter(|name| names_summary(name));
    scores.score_columns.extend(averages.cloned());
    if !scores.keeps_others() {
        arms.document = None;
    }
    let mut rows = 0;
    sheet.each(scores, |scores, line, row| {
        let place = rows;
        rows += 1;
        arms.add(row?, rows_are_splits.then_some(place), place, line, scores)
    })?;
    if !scores.problems().any() {
        let of_arm = |records: &Evaluations, arm: usize| records.by_arm().swap_remove(arm);
        arms.averages.finish(&arms.names, scores, of_arm);
    }
    if scores.problems().any() {
        return Ok(());
    }
    let mut without = scores.records.arms().iter().zip(scores.records.by_arm());
    let failed = |name: &String| {
        let arm = scores.records.find(name);
        scores.records.failures().iter().any(|f| Some(f.arm) == arm)
    };
    match without.find(|(name, of_arm)| of_arm.is_empty() && !failed(name)) {
        Some((arm, _)) => Err(sheet.refused(HeaderProblem::NoScore(excerpt(arm)))),
        None => Ok(()),
    }
}

/// Reads lists of scores by arm: `{"lstm": [0.71, 0.73], …}`. The error is a fault of the text
/// itself, after which nothing can be understood.
pub(crate) fn lists(cursor: &mut Cursor, scores: &mut Scores<'_>) -> Result<(), RowProblem> {
    let mut arms = 0;
    cursor.each(*b"{}", |cursor| {
        let line = cursor.line();
        let name = cursor.key()?;
        let name = name.trim();
        if name == "item" {
            let problem = "lists of scores cannot say their items: write a list of objects with the keys `arm`, `item` and the score's";
            scores.problems().add(line, RowProblem::refused(problem));
            return cursor.value().map(drop);
        }
        let known = match scores.records.number(name) {
            // A new name gets the number that is next; any other was here before.
            Ok(arm) if arm.index() == arms => {
                arms += 1;
                Ok(())
            }
            Ok(_) => Err(RowProblem::DuplicateKey(excerpt(name))),
            Err(problem) => Err(problem),
        };
        match known {
            Ok(()) if cursor.peek() == Some(b'[') => list(cursor, name, scores)?,
            Ok(()) => {
                let problem = RowProblem::refused(format!(
                    "the value of `{}`, {}, is not a list of scores: write {{\"arm\": [0.71, 0.69]}}; a file with one record per line should end in .jsonl",
                    excerpt(name),
                    excerpt(cursor.value()?)
                ));
                scores.problems().add(line, problem);
            }
            Err(problem) => {
                scores.problems().add(line, problem);
                cursor.value()?;
            }
        }
        Ok(())
    })
}

/// Reads the scores of one arm, such as `[0.71, 0.73]`.
fn list(cursor: &mut Cursor, name: &str, scores: &mut Scores<'_>) -> Result<(), RowProblem> {
    let first = cursor.line();
    let of = format!("`{}`, ", excerpt(name));
    let mut number = 0;
    cursor.each(*b"[]", |cursor| {
        let line = cursor.line();
        number += 1;
        let value = cursor.value();
        let value = value.map_err(|problem| problem.within(cursor.element(&of, number)))?;
        let value = Cell::Json(value).digits("score");
        let added = value.and_then(score).and_then(|score| {
            let record = Record {
                line,
                ..Record::failed(name)
            };
            scores.add(record, Some(score), iter::empty::<(&str, &str)>())
        });
        if let Err(problem) = added {
            let problem = problem.within(cursor.element(&of, number));
            scores.problems().add(line, problem);
        }
        Ok(())
    })?;
    if number == 0 {
        let problem = RowProblem::NoScore(excerpt(name));
        scores.problems().add(first, problem);
    }
    Ok(())
}
