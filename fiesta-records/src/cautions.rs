//! Cautions about evaluations that were read: what may make a comparison of them a false one.

use crate::{
    ColumnRole, Evaluations, HeaderProblem, Record, Role,
    averages::summarises,
    names::Names,
    proposal::{is_case, is_setting, is_stage, names_whole, told_of_references},
    words::{agree, count, excerpt},
};
use fiesta_core::shell_word;
use std::collections::HashMap;

impl Evaluations {
    /// Returns a line on cells between scores that are empty, and on rows that seem to be stages of one
    /// training.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let options = Reading { keep_columns: true, ..Reading::default() };
    /// let csv = "arm,split,epoch,score\nlstm,0,1,0.5\nlstm,0,2,0.7\nlstm,1,1,0.6\n";
    /// let records = read_from(csv.as_bytes(), None, &options, "runs.csv")?;
    /// assert!(records.cautions()[0].starts_with("1 row differs from another one of the same arm"));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn cautions(&self) -> Vec<String> {
        let gaps = self.file.gaps.map(|(number, line)| {
            let cells = count(number as u64, "cell");
            let are = agree(number, "is", "are");
            format!(
                "{cells} {are} empty between scores of the same arm (the first on line {line}): taken for evaluations that were not made; write NaN where one failed"
            )
        });
        // Without a split, each row is a run: how long it was trained is a setting.
        let has_split = !self.and_split().is_empty();
        let is_stage = |name: &&String| is_stage(name) && (has_split || !is_setting(name));
        let mut stages = self.columns().iter().filter(is_stage);
        let stages = stages.find_map(|name| {
            let column = self.column(name)?;
            let (rows, _) = self.differing(column, |record| record.seed)?;
            let cells = (0..self.records().len()).filter_map(|row| self.cell(row, column));
            let mut cells = cells.map(|cell| cell.ends_with(|last: char| last.is_ascii_digit()));
            let (rows, differ) = (count(rows, "row"), agree(rows, "differs", "differ"));
            cells.all(|is_number| is_number).then(|| format!(
                "{rows} {differ} from another one of the same arm{} in `{name}`, and each counts as an evaluation of its own: if these are stages of one training, keep one row of each",
                self.and_split()
            ))
        });
        gaps.into_iter().chain(stages).collect()
    }

    /// Returns a line on what may make a comparison of the arms a false one: columns whose values differ
    /// between scores of an arm that count together, two scales, arms that are no candidates. `roles`
    /// are those of the file's columns.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let options = Reading { keep_columns: true, ..Reading::default() };
    /// let csv = "arm,lr,score\nlstm,.1,0.5\nlstm,.01,0.7\ngru,.1,0.6\n";
    /// let records = read_from(csv.as_bytes(), None, &options, "runs.csv")?;
    /// assert!(records.cautions_of_arms(&[])[0].ends_with("--arm arm+lr keeps them apart"));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn cautions_of_arms(&self, roles: &[ColumnRole]) -> Vec<String> {
        let named = |role: Role, long: &'static str| {
            let mut of_role = roles.iter().filter(|of| of.role == role);
            of_role
                .next()
                .map_or(long, |of| of.column.as_str())
                .to_owned()
        };
        let (arm, split) = (named(Role::Arm, "arm"), named(Role::Split, "split"));
        let cases = [split.clone(), named(Role::Item, "item")].into_iter();
        let stages = cases.filter(|name| is_stage(name) && !is_case(name)).map(|name| {
            format!(
                "the scores of an arm differ in `{name}`, and each counts as one of another split: if these are stages of one training, keep one row of each"
            )
        });
        let pooled = self.columns().iter().filter_map(|name| {
            let apart = match is_setting(name) {
                true => format!("--arm {}", shell_word(&format!("{arm}+{name}"))),
                false if !self.and_split().is_empty() && is_case(name) => {
                    let item = shell_word(&format!("{name}+{split}"));
                    format!("--item {item} in place of --split")
                }
                false => return None,
            };
            let (_, [one, other, of]) = self.differing(self.column(name)?, |_| None)?;
            Some(format!(
                "`{name}` differs between scores of the same arm{} (`{one}` and `{other}` of `{of}`), and these count together: {apart} keeps them apart",
                self.and_split()
            ))
        });
        let scales = self.told_of_scales();
        let references = told_of_references(self.arms());
        stages
            .chain(pooled)
            .chain(scales)
            .chain(references)
            .chain(self.cautions_of_cases())
            .collect()
    }

    /// Counts the records that differ in a column from the first one of the same arm, split and
    /// `key`. Also returns an arm and two of its cells that differ.
    fn differing(
        &self,
        column: usize,
        key: impl Fn(&Record) -> Option<u64>,
    ) -> Option<(u64, [String; 3])> {
        // An arm's answers on an item are refused, unless seeds tell them apart.
        if !self.items().is_empty() && self.records().iter().all(|record| record.seed.is_none()) {
            return None;
        }
        let mut first: HashMap<_, &str> = HashMap::new();
        let (mut differing, mut example) = (0, None);
        for (row, record) in self.records().iter().enumerate() {
            let Some(cell) = self.cell(row, column) else {
                continue;
            };
            let of = *first
                .entry((record.arm, record.split, key(&record)))
                .or_insert(cell);
            if of != cell {
                differing += 1;
                let arm = &self.arms()[record.arm.index()];
                example.get_or_insert([of, cell, arm].map(excerpt));
            }
        }
        Some((differing, example?))
    }

    /// Returns the words " and split" for messages about "the same arm", if any record has a split.
    fn and_split(&self) -> &'static str {
        let has_split = self.records().iter().any(|record| record.split.is_some());
        if has_split { " and split" } else { "" }
    }

    /// Refuses an item or a split that summarises the others: its name says so, and each arm's
    /// score is the mean or the sum of the arm's others. If only the name says so, it adds a
    /// notice. `splits` are the splits' names, if they have any.
    pub(crate) fn check_summaries(&mut self, splits: &Names) -> Result<(), HeaderProblem> {
        let names = if self.items().is_empty() {
            splits.all()
        } else {
            self.items()
        };
        let Some(place) = names.iter().position(|name| names_whole(name)) else {
            return Ok(());
        };
        let name = excerpt(&names[place]);
        let is_one = |arm: usize| {
            let of_arm = self
                .records()
                .iter()
                .filter(|record| record.arm.index() == arm);
            let (own, others): (Vec<Record>, Vec<Record>) =
                of_arm.partition(|record| record.split == Some(place as u64));
            let others: Vec<f64> = others.into_iter().map(|record| record.score).collect();
            others.len() > 1
                && own
                    .iter()
                    .all(|record| summarises(record.score, &record.score.to_string(), &others))
        };
        if (0..self.arms().len()).all(is_one) {
            return Err(HeaderProblem::Choose {
                problem: format!(
                    "`{name}` is by its name and its scores a row that summarises the others: leave its rows out"
                ),
                choices: Vec::new(),
            });
        }
        self.file.remarks.push(format!(
            "`{name}` counts as one more of what arms are evaluated on: if it summarises the others, leave its rows out"
        ));
        Ok(())
    }
}
