//! A table of predictions: which columns are arms, and what stands on each row.

use crate::{
    ColumnRole, Format, HeaderProblem, OWN, Reading, RecordsError, Role, RowProblem, Rule,
    names_items, role_of_column,
    table::Table,
    words::{count, excerpt, quoted},
};
use std::collections::{BTreeSet, HashMap};

/// A table of predictions.
pub(super) struct Predictions<'a> {
    table: Table,
    file: &'a str,
    pub(super) gold: usize,
    arms: Vec<usize>,
    /// The column of the items' names. Without one, they are called by their numbers.
    item: Option<usize>,
    /// Columns that hold none of the labels, and therefore are no arms.
    without: Vec<usize>,
}

impl<'a> Predictions<'a> {
    pub(super) fn read(
        bytes: &[u8],
        format: Option<Format>,
        options: &Reading,
        file: &'a str,
    ) -> Result<Self, RecordsError> {
        let mut found = Self {
            table: Table::read(bytes, format, file)?,
            file,
            gold: 0,
            arms: Vec::new(),
            item: None,
            without: Vec::new(),
        };
        let names = &options.columns;
        let beside = [
            ("arm", &names.arm),
            ("split", &names.split),
            ("seed", &names.seed),
        ];
        let named = beside.into_iter().find(|(_, name)| name.is_some());
        let rows = options.paired_rows.then_some("paired-rows");
        if let Some(flag) = named.map(|(flag, _)| flag).or(rows) {
            return Err(found.refused(HeaderProblem::refused(format!(
                "--{flag} is about rows with one score each, and with --gold every row is an item with a prediction of each arm: leave it out"
            ))));
        }
        found.gold = found.named("gold", options.gold.as_deref().unwrap_or_default())?;
        let asked = options.arms.iter().map(|arm| found.named("arms", arm));
        let asked = asked.collect::<Result<Vec<usize>, _>>()?;
        let columns: Vec<String> = found.table.columns().to_vec();
        let free = |column: &usize| *column != found.gold && !asked.contains(column);
        let mut free = (0..columns.len()).filter(free);
        let tells_apart = |column: &usize| {
            names_items(&columns[*column])
                && found.column(*column).len() == found.table.rows().len()
        };
        found.item = match &options.columns.item {
            Some(item) => Some(found.named("item", item)?),
            None => free.find(tells_apart),
        };
        let labels: BTreeSet<String> = found
            .column(found.gold)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect();
        if asked.is_empty() {
            found.check_case(&labels)?;
        }
        if labels.len() == 1 {
            return Err(found.refused(HeaderProblem::refused(format!(
                "the right answer (--gold) is {} on every row, so that nothing is told apart: name another column",
                quoted(labels)
            ))));
        }
        found.arms = asked;
        for (column, name) in columns
            .iter()
            .enumerate()
            .filter(|_| options.arms.is_empty())
        {
            let is_case =
                names_items(name) || role_of_column(name).is_some() || OWN.contains(&name.as_str());
            if name.is_empty() || column == found.gold || Some(column) == found.item || is_case {
                continue;
            }
            let holds_label = found
                .column(column)
                .iter()
                .any(|cell| labels.contains(*cell));
            let of = if holds_label {
                &mut found.arms
            } else {
                &mut found.without
            };
            of.push(column);
        }
        if found.arms.is_empty() {
            return Err(found.refused(HeaderProblem::refused(format!(
                "no other column holds any of the right answers (--gold), among {}: name the columns of the predictions with --arms",
                quoted(columns)
            ))));
        }
        Ok(found)
    }

    /// Refuses texts that differ from right answers in capital letters alone, which would all be wrong.
    fn check_case(&self, labels: &BTreeSet<String>) -> Result<(), RecordsError> {
        let small: HashMap<String, &String> = labels
            .iter()
            .map(|label| (label.to_lowercase(), label))
            .collect();
        // Labels that differ in nothing else are different ones.
        if small.len() < labels.len() {
            return Ok(());
        }
        let names = self.table.columns().iter().enumerate();
        for (column, name) in names.filter(|(column, _)| Some(*column) != self.item) {
            for cell in self.column(column) {
                let label = small.get(&cell.to_lowercase());
                if let Some(label) = label.filter(|label| label.as_str() != cell) {
                    return Err(self.refused(HeaderProblem::Choose {
                        problem: format!(
                            "`{}` holds `{}` where the right answers (--gold) hold `{}`: write both alike, for example all in small letters (tr A-Z a-z <FILE), or name the predictions with --arms if capital letters count",
                            excerpt(name),
                            excerpt(cell),
                            excerpt(label)
                        ),
                        choices: Vec::new(),
                    }));
                }
            }
        }
        Ok(())
    }

    /// Finds the column that a flag names. `role` is the flag.
    fn named(&self, role: &'static str, name: &str) -> Result<usize, RecordsError> {
        self.table.column(name.trim()).ok_or_else(|| {
            self.refused(HeaderProblem::NoNamed {
                role,
                column: excerpt(name.trim()),
                columns: self.table.columns().to_vec(),
            })
        })
    }

    /// Returns all texts of a column.
    pub(super) fn column(&self, column: usize) -> BTreeSet<&str> {
        let rows = self.table.rows().iter();
        rows.filter_map(|row| row.cell(column)).collect()
    }

    /// Calls `take` with each arm and item, the right answer, the prediction and its line.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(&str, &str, &str, Option<&str>, u64) -> Result<(), RowProblem>,
    ) -> Result<(), RecordsError> {
        let mut lines = HashMap::new();
        for (number, row) in self.table.rows().iter().enumerate() {
            let wrong = |problem: RowProblem| problem.at(self.file, row.line);
            let gold = row.cell(self.gold);
            let gold = gold
                .ok_or(RowProblem::Missing {
                    field: "right answer",
                })
                .map_err(wrong)?;
            let number = (number + 1).to_string();
            let item = self.item.map(|column| row.cell(column).unwrap_or_default());
            if let Some(item) = item
                && let Some(first) = lines.insert(item, row.line)
            {
                return Err(wrong(RowProblem::refused(format!(
                    "the item `{}` is on line {first} already: keep one of the two, or name another column with --item",
                    excerpt(item)
                ))));
            }
            for &arm in &self.arms {
                let name = &self.table.columns()[arm];
                let taken = take(name, item.unwrap_or(&number), gold, row.cell(arm), row.line);
                taken.map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// Returns notices about the columns, and about labels that occur in predictions alone.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let names = self.table.columns();
        if !self.without.is_empty() {
            let without = quoted(self.without.iter().map(|&column| &names[column]));
            notices.push(format!(
                "no arms, as they hold none of the right answers: {without}; --arms names the arms"
            ));
        }
        let labels = self.column(self.gold);
        let cells = self.arms.iter().flat_map(|&arm| self.column(arm));
        let only: BTreeSet<&str> = cells.filter(|cell| !labels.contains(cell)).collect();
        if !only.is_empty() {
            let (texts, gold) = (count(only.len() as u64, "text"), excerpt(&names[self.gold]));
            notices.push(format!(
                "{texts} that arms predict and `{gold}` never holds, which count as wrong: {}",
                quoted(only)
            ));
        }
        notices
    }

    /// Returns the role of each column, and the rule that gave it.
    pub(super) fn roles(&self, options: &Reading) -> Vec<ColumnRole> {
        let columns = self.table.columns().iter().enumerate();
        let of = |(column, name): (usize, &String)| {
            let (role, rule) = match name.as_str() {
                _ if column == self.gold => (Role::Gold, Rule::Named),
                _ if Some(column) == self.item && options.columns.item.is_some() => {
                    (Role::Item, Rule::Named)
                }
                _ if Some(column) == self.item => (Role::Item, Rule::Word),
                _ if self.arms.contains(&column) && options.arms.is_empty() => {
                    (Role::Predictions, Rule::Labels)
                }
                _ if self.arms.contains(&column) => (Role::Predictions, Rule::Named),
                "" => (Role::Nothing, Rule::Nameless),
                _ if self.without.contains(&column) => (Role::Nothing, Rule::NoLabel),
                _ if options.arms.is_empty() => (Role::Nothing, Rule::Known("a case")),
                _ => (Role::Nothing, Rule::Known("none of --arms")),
            };
            ColumnRole::new(name.as_str(), role, rule)
        };
        columns.map(of).collect()
    }

    pub(super) fn refused(&self, problem: HeaderProblem) -> RecordsError {
        problem.at(self.file, 1)
    }
}
