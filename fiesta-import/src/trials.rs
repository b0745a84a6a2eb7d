//! Trials of other tools as records: whether each has a score or failed, and its duration.

use crate::{
    Imported, Result, Tool,
    choose::{self, Arm, Tally},
    collected::Collected,
    error::{nothing_ended, refused, undecided},
    time,
};
use fiesta_core::Direction;
use fiesta_records::table::{Line, Table};
use fiesta_records::{
    Choice, ColumnRole, Evaluations, Folds, Record, Role, RowProblem, Rule, original, whole,
    words::{agree, count, excerpt},
};
use fiesta_records::{Missing, Pruned, Reading};
use std::{borrow::Cow, collections::HashSet};

/// Meaning of the columns of a tool's table.
pub(crate) struct Shape<'a> {
    pub(crate) tool: Tool,
    pub(crate) file: &'a str,
    pub(crate) arm: Arm,
    pub(crate) metric: usize,
    /// The column of the trials' state. Without it, every trial has ended.
    pub(crate) state: Option<usize>,
    /// The column of the trials' ids, and the ids of those that summarise other trials. They are left out.
    pub(crate) summaries: Option<(usize, HashSet<String>)>,
    pub(crate) duration: Duration,
    /// Whether the tool writes an apostrophe before texts that a spreadsheet would take for a formula.
    pub(crate) is_inert: bool,
    /// Returns the place of a trial for messages, such as its file and line.
    pub(crate) place: fn(&Table, &Line, &str) -> String,
    pub(crate) direction: Option<Direction>,
    pub(crate) notices: Vec<String>,
}

/// Source of the duration of a trial in a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Duration {
    Unknown,
    /// The column of this place states the duration.
    In(usize),
    /// The duration is the time between those in two columns.
    Between(usize, usize),
}

/// Ways in which a trial can have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Ended,
    Failed,
    Pruned,
    Unfinished,
}

/// Returns the file and the line of a row, as messages name it.
fn line(_: &Table, row: &Line, file: &str) -> String {
    format!("{file}:{}", row.line)
}

impl<'a> Shape<'a> {
    /// Returns the meaning of a table in which every trial has ended, and no column states its
    /// duration. `arm` comes with a notice if it was chosen unasked.
    pub(crate) fn new(
        tool: Tool,
        file: &'a str,
        metric: usize,
        (arm, notice): (Arm, Option<String>),
    ) -> Self {
        Self {
            tool,
            file,
            arm,
            metric,
            state: None,
            summaries: None,
            duration: Duration::Unknown,
            is_inert: false,
            place: line,
            direction: None,
            notices: notice.into_iter().collect(),
        }
    }

    /// Returns all trials as records.
    pub(crate) fn records(self, table: &Table, options: &Reading) -> Result<Imported> {
        let mut collector = Collector::new(&self, table, options)?;
        for row in table.rows() {
            collector.take(row)?;
        }
        let roles = self.roles(table, &collector.case, options);
        let (mut records, counted) = collector.finish()?;
        records.set_folds(options.columns.split.as_deref().and_then(Folds::of_column));
        Ok(Imported {
            texts: crate::TextPlaces::default(),
            records,
            tool: Some(self.tool),
            direction: self.direction,
            notices: self.notices.into_iter().chain(counted).collect(),
            roles,
        })
    }

    /// Returns the role of each column.
    fn roles(&self, table: &Table, case: &Case, options: &Reading) -> Vec<ColumnRole> {
        let is_timed = |column: usize| match self.duration {
            Duration::Unknown => false,
            Duration::In(of) => of == column,
            Duration::Between(start, end) => [start, end].contains(&column),
        };
        let by = |is_named: bool| if is_named { Rule::Named } else { Rule::Tool };
        let of = |(column, name): (usize, &String)| {
            let at = Some(column);
            let (role, rule) = match () {
                () if column == self.metric => (Role::Score, by(options.metric.is_some())),
                () if self.arm == Arm::Column(column) => {
                    (Role::Arm, by(options.columns.arm.is_some()))
                }
                () if case.item == at => (Role::Item, Rule::Named),
                () if case.split == at => (Role::Split, Rule::Named),
                () if case.seed == at => (Role::Seed, Rule::Named),
                () if self.state == at => (Role::Status, Rule::Tool),
                () if is_timed(column) => (Role::Duration, Rule::Tool),
                () if name.is_empty() => (Role::Nothing, Rule::Nameless),
                () => (Role::Kept, Rule::Tool),
            };
            ColumnRole::new(name.as_str(), role, rule)
        };
        table.columns().iter().enumerate().map(of).collect()
    }

    /// Returns the columns that are kept, and their names in the records.
    fn columns(&self, table: &Table, case: &Case) -> Vec<(usize, String)> {
        let of_case = [case.item, case.split, case.seed];
        let kept = |&(column, name): &(usize, &String)| {
            !name.is_empty()
                && column != self.metric
                && self.arm != Arm::Column(column)
                && !of_case.contains(&Some(column))
        };
        let named = table.columns().iter().enumerate().filter(kept);
        named
            .map(|(column, name)| (column, self.tool.column(&self.name(name))))
            .collect()
    }

    fn name<'t>(&self, name: &'t str) -> Cow<'t, str> {
        if self.is_inert {
            original(name)
        } else {
            name.into()
        }
    }

    /// Returns the text in a column. Empty if there is none.
    fn text<'t>(&self, row: &'t Line, column: usize) -> Cow<'t, str> {
        self.name(row.cell(column).unwrap_or_default())
    }

    fn fate(&self, row: &Line, place: &impl Fn() -> String) -> Result<Fate> {
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
            _ => Err(refused(format!(
                "{}: `{}` is no state of a trial that {} is known to have",
                place(),
                excerpt(&state),
                self.tool
            ))),
        }
    }

    /// Returns the score of a row. `None` if the cell is empty, or its number is not finite.
    fn score(&self, row: &Line) -> Result<Option<f64>, RowProblem> {
        choose::score(&self.text(row, self.metric))
    }

    fn duration(
        &self,
        table: &Table,
        row: &Line,
        place: &impl Fn() -> String,
    ) -> Result<Option<f64>> {
        let wrong = |column: usize, what| {
            refused(format!(
                "{}: the {} `{}` is no {what}: correct it, or remove the column",
                place(),
                excerpt(&table.columns()[column]),
                excerpt(row.cell(column).unwrap_or_default())
            ))
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

/// Columns that name the case of a trial: split, seed or item.
struct Case {
    item: Option<usize>,
    split: Option<usize>,
    seed: Option<usize>,
}

/// Collection of trials as records.
struct Collector<'a> {
    case: Case,
    shape: &'a Shape<'a>,
    table: &'a Table,
    options: &'a Reading,
    /// Places of the columns that are kept, and their names in the records.
    columns: Vec<(usize, String)>,
    collected: Collected,
    summaries: Tally,
    unfinished: Tally,
    pruned: Tally,
    missing: Tally,
    /// The fault of the first trial that is not a valid record.
    problem: Option<RowProblem>,
    bad: Tally,
}

impl<'a> Collector<'a> {
    fn new(shape: &'a Shape<'a>, table: &'a Table, options: &'a Reading) -> Result<Self> {
        let name = shape.name(&table.columns()[shape.metric]);
        let mut collected = Collected::new(&name, options)?;
        let named =
            |name: &Option<String>, role| choose::named(table, name.as_ref(), role, shape.file);
        let case = Case {
            item: named(&options.columns.item, "item")?,
            split: named(&options.columns.split, "split")?,
            seed: named(&options.columns.seed, "seed")?,
        };
        let columns = shape.columns(table, &case);
        for (_, name) in &columns {
            let added = collected.records.add_column(name);
            added.map_err(|problem| refused(format!("{}: {problem}", shape.file)))?;
        }
        Ok(Self {
            case,
            shape,
            table,
            options,
            columns,
            collected,
            summaries: Tally::default(),
            unfinished: Tally::default(),
            pruned: Tally::default(),
            missing: Tally::default(),
            problem: None,
            bad: Tally::default(),
        })
    }

    /// Adds a trial as a score or a failure, or counts it as left out.
    fn take(&mut self, row: &Line) -> Result<()> {
        let (shape, table) = (self.shape, self.table);
        let place = || (shape.place)(table, row, shape.file);
        let is_summary =
            |(id, ids): &(usize, HashSet<String>)| row.cell(*id).is_some_and(|id| ids.contains(id));
        if shape.summaries.as_ref().is_some_and(is_summary) {
            self.summaries.add(place);
            return Ok(());
        }
        let fate = match self.shape.fate(row, &place)? {
            Fate::Unfinished => {
                self.unfinished.add(place);
                return Ok(());
            }
            Fate::Pruned => {
                // One that never had a score is told of with the others without one.
                let is_counted =
                    self.options.pruned != Some(Pruned::Score) || self.shape.score(row) != Ok(None);
                if is_counted {
                    self.pruned.add(place);
                }
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
            self.missing.add(place);
            if self.options.missing_as() != Some(Missing::Fail) {
                return Ok(());
            }
        }
        let duration = self.shape.duration(self.table, row, &place)?;
        let duration = duration.filter(|_| self.collected.metric.name() != "duration");
        if let Err(problem) = score.and_then(|score| self.add(row, score, duration)) {
            self.bad.add(place);
            self.problem.get_or_insert(problem);
        }
        Ok(())
    }

    /// Adds a trial's score, or a failure if there is none.
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
        let of_case = |column: Option<usize>, role| match column {
            Some(column) => whole(role, &shape.text(row, column)),
            None => Ok(None),
        };
        let seed = of_case(self.case.seed, "seed")?;
        let split = of_case(self.case.split, "split")?;
        let split = match self.case.item {
            Some(_) if split.is_some() => return Err(RowProblem::SplitAndItem),
            Some(item) => Some(self.collected.records.item(&shape.text(row, item))?),
            None => split,
        };
        let record = Record {
            split,
            seed,
            duration,
            line: row.line,
            ..Record::failed(&*arm)
        };
        self.collected.push(record, score, cells)
    }

    /// Returns all records, and notices about trials that count otherwise than by their score.
    fn finish(self) -> Result<(Evaluations, Vec<String>)> {
        if let Some(problem) = self.problem {
            let others = match self.bad.count - 1 {
                0 => String::new(),
                n => format!(
                    " ({} {} a problem)",
                    count(n, "further trial"),
                    agree(n, "has", "have")
                ),
            };
            let place = self.bad.first;
            return Err(refused(format!("{place}: {problem}{others}")));
        }
        let pruned = match self.options.pruned {
            None if self.pruned.count > 0 => {
                let (trials, first) = (count(self.pruned.count, "trial"), &self.pruned.first);
                let were = agree(self.pruned.count, "was", "were");
                return Err(undecided(
                    format!(
                        "{trials} {were} pruned (the first is {first}): say with --pruned what they count as: `score` (their last one), `fail`, or `drop`"
                    ),
                    // Without those that were pruned, what remains is no random sample.
                    Choice::among("pruned", ["score", "fail"]),
                ));
            }
            Some(Pruned::Score) => "counted with their last score",
            Some(Pruned::Fail) => "counted as failures",
            _ => "left out",
        };
        let metric = excerpt(self.collected.metric.name());
        let missing = choose::missing(&self.missing, &metric, self.options)?;
        if self.collected.records.rows().next().is_none() {
            return Err(nothing_ended(self.shape.file));
        }
        let told = |of: &Tally, one: &str, many: &str, fate: &str| {
            of.notice("trial", &format!("{} {fate}", agree(of.count, one, many)))
        };
        let without = format!("without a finite `{metric}`");
        let (is, are) = (format!("{without} is"), format!("{without} are"));
        let (ends, end) = ("that has not ended is", "that have not ended are");
        let notices = [
            told(
                &self.summaries,
                "that others name as their parent is",
                "that others name as their parent are",
                "left out: a parent summarises its runs",
            ),
            told(&self.unfinished, ends, end, "left out"),
            told(
                &self.pruned,
                "that was pruned is",
                "that were pruned are",
                pruned,
            ),
            told(&self.missing, &is, &are, missing),
        ];
        let records = self.collected.finish(self.options, self.shape.file)?;
        Ok((records, notices.into_iter().flatten().collect()))
    }
}
