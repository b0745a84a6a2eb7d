//! Shape of a table of scores, and the uses of its columns: as its header, its first rows and the
//! options say.

use crate::{
    ColumnNames, HeaderProblem, Reading, RowProblem,
    data_part::DataPart,
    formula::original,
    names::one_line,
    number::whole,
    proposal::{self, SystemsTable, is_word_of_items},
    proposal::{names_data_sets, names_summary},
    rows::{Schema, Use},
    scores::{COUNTS, Scores},
    wide::ArmColumns,
    words::excerpt,
};

/// Shape of a table of scores.
pub(crate) enum Shape {
    /// The table has a row for each evaluation.
    Long,
    /// The table has a column for each arm.
    Arms(ArmColumns),
    /// The table has a row for each arm, and a column for each data set.
    Systems(SystemsTable),
}

impl Scores<'_> {
    /// Returns the shape of a table with this header. The column that names or numbers the rows gets
    /// its name of the long form.
    pub(crate) fn shape(&mut self, names: &mut [String]) -> Result<Shape, HeaderProblem> {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let metric = self.metric.name().to_owned();
        // As the file calls them.
        let columns = || {
            let of_file = |name: &String| self.options.columns.of_file(name).to_owned();
            names.iter().map(of_file).collect()
        };
        match (has("arm"), has(&metric)) {
            (true, true) => Ok(Shape::Long),
            (_, false) if COUNTS.into_iter().all(has) => Err(HeaderProblem::Counts { metric }),
            (true, false) => {
                let table = self.sample(names).systems_table(true);
                let is_named = self.options.columns.arm.is_some() && self.options.metric.is_none();
                let table = table.filter(|table| is_named && names[table.system] == "arm");
                table
                    .map(Shape::Systems)
                    .ok_or_else(|| HeaderProblem::NoMetric {
                        metric,
                        columns: columns(),
                    })
            }
            (false, true) => Err(HeaderProblem::NoArm { columns: columns() }),
            (false, false) => self.of_columns(names),
        }
    }

    /// Returns the first rows of the file below this header.
    fn sample(&self, names: &[String]) -> proposal::Sample {
        let (bytes, format, file) = self.source.unwrap_or_default();
        proposal::Sample {
            names: names.to_vec(),
            cells: proposal::rows_of(bytes, format, file),
            joined: 0,
        }
    }

    /// Returns the shape of a table with a column for each arm or data set, as far as that is certain
    /// or said.
    fn of_columns(&mut self, names: &mut [String]) -> Result<Shape, HeaderProblem> {
        let sample = self.sample(names);
        // What is wrong with a header alone is told as such.
        let is_sound =
            !sample.cells.is_empty() && names.iter().skip(1).all(|name| !name.is_empty());
        let Reading {
            arms, paired_rows, ..
        } = self.options;
        let table = sample.arms_table(*paired_rows);
        // The arms that are named may stand in the rows.
        let is_row = |arm: &String| sample.known(sample.first()).any(|name| name == arm.trim());
        let are_rows = !arms.is_empty() && arms.iter().all(is_row);
        if are_rows && let Some(table) = sample.systems_table(true) {
            return Ok(Shape::Systems(table));
        }
        let is_asked = is_sound && arms.is_empty();
        if is_asked && let Some(table) = sample.check_turned(&table, self.options)? {
            return Ok(Shape::Systems(table));
        }
        if let Some(doubt) = table.doubt.clone().filter(|_| is_asked) {
            let is_unnamed = self.options.columns == ColumnNames::default() && !paired_rows;
            if let Some(table) = sample.systems_table(false).filter(|_| is_unnamed) {
                return Ok(Shape::Systems(table));
            }
            let own = |name: &&String| matches!(name.as_str(), "cost" | "duration" | "status");
            if let Some(own) = names.iter().find(own) {
                return Err(HeaderProblem::NotOfArm(own.clone()));
            }
            let asked = sample.one_known(table.key);
            if let Some(problem) = asked.or_else(|| sample.without_others()) {
                return Err(problem);
            }
            let columns = names.iter().filter(|name| !name.is_empty());
            return Err(HeaderProblem::Asked {
                doubt,
                columns: columns.cloned().collect(),
            });
        }
        // Rows that are splits may have names.
        let is_label = |place: usize| *paired_rows && !is_word_of_items(&names[place]);
        let mut label = None;
        // What stands beside the named arms names the rows, whatever it is called.
        let is_named = arms.iter().any(|arm| arm.trim() == names[0]);
        let is_beside = !arms.is_empty() && !is_named && sample.names_rows(0);
        let key = table.key.or(is_beside.then_some((0, "item")));
        self.records.file.on_data_sets = key
            .is_some_and(|(place, _)| names_data_sets(self.options.columns.of_file(&names[place])));
        match key {
            Some((place, "item")) if is_label(place) => label = Some(place),
            Some((place, long)) => {
                let name = std::mem::replace(&mut names[place], long.to_owned());
                self.split_column = (long == "split").then_some(name);
            }
            None => {}
        }
        ArmColumns::of(names.to_vec(), arms, label).map(Shape::Arms)
    }

    /// Returns what the column of this name in the file is read as.
    pub(crate) fn use_of(&self, name: &str) -> Use {
        if self.score_columns.iter().any(|column| column == name) {
            return Use::Score;
        }
        match self.of_long_form(name) {
            long if long == self.metric.name() => Use::Score,
            "cost" | "duration" => Use::Expense,
            "split" => Use::Split,
            _ if self.split_column.as_deref() == Some(name) => Use::Split,
            _ => Use::Text,
        }
    }

    /// Returns the number of the split in a cell. A new name gets the next number. `None` for an empty cell.
    pub(crate) fn split(&mut self, text: &str) -> Result<Option<u64>, RowProblem> {
        if !self.has_named_splits || text.trim().is_empty() {
            return whole("split", text);
        }
        let name = one_line(original(text.trim()));
        if let Some(known) = self.splits.find(&name) {
            return Ok(Some(known as u64));
        }
        let plain = proposal::plain(&name);
        let mut parts = plain.split('_').map(DataPart::of_word);
        let is_part = DataPart::of_word(&plain).is_some();
        let what = if names_summary(&name) {
            "a row that summarises others"
        } else if is_part || parts.any(|part| part == Some(DataPart::Training)) {
            "a part of the data, as `train` and `test` are"
        } else {
            let empty = RowProblem::Missing { field: "split" };
            let number = self.splits.number_apart(&name, empty)?;
            return Ok(Some(number as u64));
        };
        let name = excerpt(&name);
        Err(RowProblem::refused(format!(
            "the split `{name}` may be {what}: leave out what is no split, or name another column with --split"
        )))
    }
}
