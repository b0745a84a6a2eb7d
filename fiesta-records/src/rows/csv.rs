//! Tables in files: rows below a header, of CSV and TSV texts or of JSON.

use super::{
    Cell, Row, Schema,
    comments::Comments,
    cursor::decoded,
    header,
    json::compact,
    layout::JsonTable,
    lines::{Next, Rows},
    notation::{Notation, Tally, Use, restore},
};
use crate::{
    HeaderProblem, RecordsError, RowProblem,
    formula::{inert, original},
    words::excerpt,
};
use csv::StringRecord;
use std::borrow::Cow;

/// A table whose header was read, and whose rows come next.
pub(crate) struct Sheet<'a> {
    source: Source<'a>,
    row: StringRecord,
    /// Notation of each column: how its cells are written.
    notations: Vec<Notation>,
    /// Lines before the header that are comments.
    pub(crate) comments: Comments,
    /// The names of the columns, without surrounding white space.
    pub(crate) names: Vec<String>,
    /// Columns added after the last one: the role of each, and the columns whose cells it joins.
    joined: Vec<(&'static str, Vec<usize>)>,
    /// The line of the header.
    line: u64,
    /// Whether all rows are on one line, as in most JSON documents.
    is_one_line: bool,
    file: &'a str,
}

/// Source of the rows of a table.
enum Source<'a> {
    Text(Rows<'a>),
    Json(std::vec::IntoIter<(u64, Vec<Option<&'a str>>)>),
}

impl<'a> Sheet<'a> {
    /// Returns a table of a JSON document.
    pub(super) fn of_json(table: JsonTable<'a>, file: &'a str) -> Self {
        let line = table.rows.first().map_or(1, |(line, _)| *line);
        Self {
            row: StringRecord::new(),
            notations: Vec::new(),
            comments: Comments::default(),
            names: table.names,
            joined: Vec::new(),
            is_one_line: table.rows.len() > 1 && table.rows.iter().all(|(of, _)| *of == line),
            source: Source::Json(table.rows.into_iter()),
            line,
            file,
        }
    }

    /// Reads the header of a table, below the line that states the separator if there is one.
    /// `None` if the text has no row.
    pub(super) fn open(
        text: &'a str,
        delimiter: u8,
        is_stated: bool,
        comments: &Comments,
        file: &'a str,
    ) -> Result<Option<Self>, RecordsError> {
        let mut sheet = Self {
            source: Source::Text(Rows::new(text, delimiter, 1 + comments.lines)),
            row: StringRecord::new(),
            notations: Vec::new(),
            comments: comments.clone(),
            names: Vec::new(),
            joined: Vec::new(),
            line: 1,
            is_one_line: false,
            file,
        };
        if is_stated {
            sheet.next()?;
        }
        match sheet.next()? {
            Next::End => Ok(None),
            Next::Row(line) => {
                sheet.line = line;
                let names = sheet.row.iter().map(|name| name.trim().to_owned());
                sheet.names = names.collect();
                sheet.join_header()?;
                Ok(Some(sheet))
            }
            Next::Broken(line, problem) => {
                sheet.line = line;
                Err(sheet.broken(problem))
            }
        }
    }

    /// Joins the lines of a header of several lines into one.
    fn join_header(&mut self) -> Result<(), RecordsError> {
        let Source::Text(rows) = &self.source else {
            return Ok(());
        };
        let Some((names, lines)) = header::of(&self.row, rows.rest()) else {
            return Ok(());
        };
        for _ in 1..lines {
            self.next_as_it_stands()?;
        }
        self.names = names;
        Ok(())
    }

    /// Removes the apostrophes that keep names of columns from being run as formulas.
    pub(crate) fn restore_names(&mut self) {
        for name in &mut self.names {
            if let Cow::Owned(restored) = original(name) {
                *name = restored;
            }
        }
    }

    /// Finds the notations of the columns in all rows that are left, and returns notes on these notations.
    ///
    /// # Errors
    /// [`RecordsError`] if they are not certain of columns that are read as numbers.
    pub(super) fn notations(
        mut self,
        of: impl Fn(&str) -> Use,
    ) -> Result<(Vec<Notation>, Vec<String>), RecordsError> {
        self.restore_names();
        let mut tally = Tally::default();
        loop {
            match self.next()? {
                Next::Row(line) => tally.add(line, &self.row),
                Next::Broken(..) => {}
                Next::End => break,
            }
        }
        let found = tally.columns(&self.names, of);
        let found = found.map_err(|(line, problem)| problem.at(self.file, line))?;
        if found.iter().all(|notation| *notation == Notation::Plain) {
            return Ok(Default::default());
        }
        let remarks = tally.remarks(&self.names, &found);
        Ok((found, remarks))
    }

    /// Reads the columns of the table in these notations.
    pub(super) fn with_notations(mut self, notations: Vec<Notation>) -> Self {
        self.notations = notations;
        self
    }

    /// Returns the header and the first rows as texts, with numbers in another notation as plain
    /// ones.
    pub(super) fn sample(mut self, most: usize) -> (Vec<String>, Vec<StringRecord>) {
        self.restore_names();
        let mut tally = Tally::default();
        let mut rows = Vec::new();
        while rows.len() < most {
            match self.next() {
                Ok(Next::Row(line)) => {
                    tally.add(line, &self.row);
                    rows.push(self.row.clone());
                }
                Ok(Next::Broken(..)) => {}
                Ok(Next::End) | Err(_) => break,
            }
        }
        let notations = tally.of_sample(&self.names);
        let is_plain = notations
            .iter()
            .all(|notation| *notation == Notation::Plain);
        for row in &mut rows {
            if !is_plain {
                *row = restore(row, &notations);
            }
            if row.iter().any(|cell| cell.trim() != cell) {
                row.trim();
            }
        }
        (self.names, rows)
    }

    /// Refuses names that occur twice, and columns that are separated by something else.
    pub(crate) fn check_names(&self) -> Result<(), RecordsError> {
        if let ([only], Source::Text(rows)) = (&self.names[..], &self.source) {
            separator(only, rows.delimiter).map_err(|problem| self.refused(problem))?;
        }
        let mut sorted: Vec<&String> = self.names.iter().filter(|n| !n.is_empty()).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.refused(HeaderProblem::refused(format!(
                "two columns are called `{}`: rename or remove one",
                excerpt(pair[0])
            )))),
            None => Ok(()),
        }
    }

    /// Adds a column of this name that joins the cells of these columns.
    pub(crate) fn join(&mut self, name: &'static str, columns: Vec<usize>) {
        self.names.push(name.to_owned());
        self.joined.push((name, columns));
    }

    /// Returns the error that the header does not say what the columns hold.
    pub(crate) fn refused(&self, problem: HeaderProblem) -> RecordsError {
        problem.at(self.file, self.line)
    }

    /// Returns the error that the header is bad as a row.
    pub(crate) fn broken(&self, problem: RowProblem) -> RecordsError {
        problem.at(self.file, self.line)
    }

    /// Passes all rows of the table to the schema of their columns.
    pub(crate) fn rows<const N: usize>(
        &mut self,
        schema: &mut impl Schema<N>,
    ) -> Result<(), RecordsError> {
        let names = self.names.clone();
        let mut columns = [None; N];
        let mut others = Vec::new();
        for (column, name) in names.iter().enumerate() {
            let place = schema.columns().iter().position(|wanted| wanted == name);
            match place {
                Some(place) => columns[place] = Some(column),
                None if name.is_empty() || !schema.keeps_others() => {}
                None => others.push(column),
            }
        }
        self.each(schema, |schema, line, row| {
            let row = row?;
            check_width(row, names.len())?;
            let cell = |column: usize| Cell::Field(row[column].trim());
            schema.row(&Row {
                line,
                cells: columns.map(|column| column.map(cell)),
                others: others
                    .iter()
                    .map(|&column| (Cow::Borrowed(&*names[column]), cell(column)))
                    .collect(),
                keys: Vec::new(),
            })
        })
    }

    /// Passes every row of the table on with its line, or with its fault.
    pub(crate) fn each<const N: usize, S: Schema<N>>(
        &mut self,
        schema: &mut S,
        mut take: impl FnMut(&mut S, u64, Result<&StringRecord, RowProblem>) -> Result<(), RowProblem>,
    ) -> Result<(), RecordsError> {
        let mut any = false;
        let mut number = 0_u64;
        loop {
            let (line, taken) = match self.next()? {
                Next::Row(line) => (line, take(schema, line, Ok(&self.row))),
                Next::Broken(line, problem) => (line, take(schema, line, Err(problem))),
                Next::End if any => return Ok(()),
                Next::End => {
                    return Err(RecordsError::Refused(format!(
                        "{}: there is a header, but no row of {} below it",
                        self.file,
                        S::HELD
                    )));
                }
            };
            any = true;
            number += 1;
            if let Err(problem) = taken {
                let place = self.is_one_line.then(|| format!("row {number}"));
                let problems = schema.problems();
                problems.add(line, problem.within(place));
                if problems.notations && problems.end_at_notations {
                    return Ok(());
                }
            }
        }
    }

    fn next(&mut self) -> Result<Next, RecordsError> {
        let next = self.next_as_it_stands()?;
        if self.row.len() + self.joined.len() != self.names.len() {
            return Ok(next);
        }
        for (role, columns) in &self.joined {
            let cells = columns.iter().map(|&column| self.row[column].trim());
            let name = joined_name(role, &cells.collect::<Vec<&str>>());
            self.row.push_field(&name);
        }
        Ok(next)
    }

    fn next_as_it_stands(&mut self) -> Result<Next, RecordsError> {
        let width = self.names.len() - self.joined.len();
        let next = match &mut self.source {
            Source::Text(rows) => {
                let next = rows.next(&mut self.row);
                next.map_err(RecordsError::unread(self.file))?
            }
            Source::Json(rows) => match rows.next() {
                Some((line, cells)) => match of_json(&mut self.row, &cells, width) {
                    Ok(()) => Next::Row(line),
                    Err(problem) => Next::Broken(line, problem),
                },
                None => Next::End,
            },
        };
        if !self.notations.is_empty() && matches!(next, Next::Row(_)) {
            self.row = restore(&self.row, &self.notations);
        }
        Ok(next)
    }
}

/// Returns the name of an arm or an item that several cells name together: empty without one of them.
pub(crate) fn joined_name(role: &str, parts: &[&str]) -> String {
    if parts.contains(&"") {
        return String::new();
    }
    parts.join(if role == "arm" { "+" } else { "/" })
}

/// Fills a row with JSON values, each written as a table would hold it.
fn of_json(row: &mut StringRecord, cells: &[Option<&str>], width: usize) -> Result<(), RowProblem> {
    row.clear();
    for place in 0..width {
        match cells.get(place).copied().flatten() {
            None | Some("null") => row.push_field(""),
            Some(text) if text.starts_with('"') => row.push_field(&inert(&decoded(text)?)),
            Some(other) => row.push_field(&compact(other)),
        }
    }
    Ok(())
}

/// Refuses a row that is longer or shorter than the header.
pub(crate) fn check_width(row: &StringRecord, expected: usize) -> Result<(), RowProblem> {
    match row.len() {
        found if found == expected => Ok(()),
        found => Err(RowProblem::refused(format!(
            "the row has {found} fields and the header {expected}: put fields that contain a separator in quotes, and write numbers with a decimal point"
        ))),
    }
}

/// Refuses a single column whose name contains what other files separate their columns by.
fn separator(name: &str, delimiter: u8) -> Result<(), HeaderProblem> {
    let expected = match delimiter {
        b'\t' => "tabs",
        _ => "commas, and write numbers with a decimal point",
    };
    let others = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];
    let found = others
        .into_iter()
        .find(|&(other, _)| other != delimiter && name.as_bytes().contains(&other));
    match found {
        Some((_, found)) => Err(HeaderProblem::refused(format!(
            "the columns are separated by {found}: separate them by {expected}"
        ))),
        None => Ok(()),
    }
}
