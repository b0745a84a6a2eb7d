//! Rows of scores in the long form, and the collection of all scores of a file.

use crate::{
    BareScores, Evaluations, Failed, Folds, Format, HeaderProblem, Reading, Record, RecordsError,
    RowProblem, gold, metrics,
    mixed::{mixes_parts, parts},
    names::{Names, OWN, one_line},
    number::{check_finite, expense, is_missing, score, whole},
    proposal,
    rows::{self, Cell, Cursor, Notation, Problems, Row, Schema, Sheet},
    shape::Shape,
    status::{is_failed, is_without_score},
    systems, wide,
    words::{agree, count, excerpt},
};
use fiesta_core::{Direction, Metric};

/// Columns that reveal a file of counts where scores are sought.
pub(crate) const COUNTS: [&str; 3] = ["tp", "fp", "fn"];

/// Reads the bytes of a file of scores. If an error proposes columns that read a score of each
/// evaluation, `tried` holds these.
pub(crate) fn read(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
    tried: &mut Option<Evaluations>,
) -> Result<Evaluations, RecordsError> {
    if options.gold.is_some() {
        return Ok(gold::scores(bytes, format, options, file)?.0);
    }
    if let Some(one) = metrics::rows_of_one(bytes, format, options, file)? {
        let (tsv, format) = (one.tsv.as_bytes(), Some(Format::Tsv));
        let mut records = read(tsv, format, &one.options, file, tried)?;
        records.file.remarks.push(one.remark);
        return Ok(records);
    }
    attempt(bytes, format, options, file)
        .map_err(|error| proposal::explained(error, bytes, format, options, file, tried))
}

/// Reads the bytes of a file of scores; an error proposes no columns that may be meant. Where a cell is
/// no plain number, the file is read once more if the notation of all is certain.
pub(crate) fn attempt(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
) -> Result<Evaluations, RecordsError> {
    let new = |notations: Vec<Notation>, is_first: bool| {
        let mut scores = Scores {
            source: Some((bytes, format, file)),
            has_named_splits: notations.contains(&Notation::Names),
            ..Scores::new(options)?
        };
        scores.problems.end_at_notations = is_first;
        let read = rows::read(bytes, format, &mut scores, file, notations);
        Ok::<_, RecordsError>((scores, read))
    };
    let (mut scores, mut read) = new(Vec::new(), true)?;
    if scores.problems.has_notations() {
        let uses = |name: &str| scores.use_of(name);
        let (notations, remarks) = rows::notations(bytes, format, file, &scores, uses)?;
        (scores, read) = new(notations, false)?;
        scores.records.file.remarks.extend(remarks);
    }
    read?;
    scores.finish(file)
}

/// Returns evaluations from the scores of each arm, as they stand in memory: the wide form without
/// a file. `source` names them in messages, and a score's line is its place among those of its arm,
/// from 1.
///
/// # Errors
/// As [`BareScores::new`].
///
/// # Example
/// ```
/// use fiesta_records::{Reading, of_arms};
/// let arms = [("lstm", &[0.71, 0.73][..]), ("gru", &[0.69])];
/// let records = of_arms(arms, &Reading::default(), "scores")?;
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
/// let error = of_arms([("gru", &[f64::NAN][..])], &Reading::default(), "scores").unwrap_err();
/// assert!(error.to_string().contains("scores:1: in the column `gru`, the score `NaN` is not finite"));
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
pub fn of_arms<'a>(
    arms: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    options: &Reading,
    source: &str,
) -> Result<Evaluations, RecordsError> {
    Ok(BareScores::new(arms, options, source)?.to_records())
}

/// Name that pandas gives to a first column without one.
pub(crate) const UNNAMED: &str = "Unnamed: 0";

/// Collects the scores of a file while it is read.
pub(crate) struct Scores<'o> {
    pub(crate) records: Evaluations,
    pub(crate) metric: Metric,
    pub(crate) options: &'o Reading,
    pub(crate) problems: Problems,
    /// Bytes, format and name of the file: a table with a column for each arm is checked before its rows are read.
    pub(crate) source: Option<(&'o [u8], Option<Format>, &'o str)>,
    /// The columns of scores in a table with one for each arm or data set, as the file calls them.
    pub(crate) score_columns: Vec<String>,
    /// Column of the splits, in a table with a column for each arm or data set.
    pub(crate) split_column: Option<String>,
    /// Whether splits have names, and no numbers.
    pub(crate) has_named_splits: bool,
    /// Names of the splits, if splits have names.
    pub(crate) splits: Names,
}

impl Schema<8> for Scores<'_> {
    const HELD: &'static str = "scores";
    const EXAMPLE: &'static str = r#"{"arm": "lstm", "score": 0.71}"#;
    const DOCUMENT: &'static str = "expected `{` or `[`";

    fn columns(&self) -> [&str; 8] {
        // The metric may be called `cost` or `duration`.
        [
            "arm",
            self.metric.name(),
            "item",
            "split",
            "seed",
            "cost",
            "duration",
            "status",
        ]
    }

    fn keeps_others(&self) -> bool {
        self.options.keep_columns
    }

    fn of_long_form<'n>(&self, name: &'n str) -> &'n str {
        self.options.columns.of_long_form(name)
    }

    fn joins_columns(&self) -> bool {
        self.options.columns.joins()
    }

    fn takes_wide_objects(&self) -> bool {
        true
    }

    fn row(&mut self, row: &Row<'_, 8>) -> Result<(), RowProblem> {
        let [arm, scored, item, split, seed, cost, duration, status] = row.cells;
        let status = status.map_or(Ok("".into()), |cell| cell.string(RowProblem::StatusNotText))?;
        let failed = match scored {
            // Without a score, it depends on the status alone whether there was to be one.
            Some(Cell::Field(text) | Cell::Json(text)) if !is_missing(text) => is_failed(&status)?,
            _ => is_without_score(&status)?,
        };
        // A missing key is told of before a value that cannot be.
        if arm.is_some() && scored.is_none() && !failed {
            return Err(RowProblem::NoMetricKey {
                metric: self.metric.name().to_owned(),
                keys: row.shown_keys(),
                counts: COUNTS.iter().all(|key| row.has(key)),
            });
        }
        let names = &self.options.columns;
        let arm = match arm {
            // Where the column was named, its values are names, whatever they are in JSON.
            Some(arm) if names.arm.is_some() => arm.name("arm")?,
            arm => row.arm(arm).map_err(|problem| match problem {
                RowProblem::NoArmKey { keys, .. } => RowProblem::NoArmKey {
                    key: names.of_file("arm").to_owned(),
                    keys,
                },
                other => other,
            })?,
        };
        let item = match item {
            Some(cell) => Some(one_line(cell.name("item")?)),
            None => None,
        };
        let mut digits = [""; 5];
        for ((digits, field), cell) in digits
            .iter_mut()
            .zip(["score", "split", "seed", "cost", "duration"])
            .zip([scored, split, seed, cost, duration])
        {
            *digits = cell.map_or(Ok(""), |cell| cell.digits(field))?;
        }
        let [scored, split, seed, cost, duration] = digits;
        let others = row.others.iter();
        let others = others
            .map(|(name, cell)| Ok((name, cell.text()?)))
            .collect::<Result<Vec<_>, RowProblem>>()?;
        if arm.trim().is_empty() {
            return Err(RowProblem::EmptyArm);
        }
        if failed {
            let status = excerpt(status.trim());
            if !self.options.keep_failures {
                return Err(RowProblem::Failed(status));
            }
        }
        let failed = failed || (self.options.keep_missing && is_missing(scored));
        let score = if failed { None } else { Some(score(scored)?) };
        let split = self.split(split)?;
        let split = match item {
            Some(_) if split.is_some() => return Err(RowProblem::SplitAndItem),
            Some(item) => Some(self.records.item(&item)?),
            None if self.records.items().is_empty() => split,
            None => return Err(RowProblem::ItemOfSome),
        };
        let record = Record {
            split,
            seed: whole("seed", seed)?,
            cost: expense("cost", cost)?,
            duration: expense("duration", duration)?,
            line: row.line,
            ..Record::failed(&*arm)
        };
        self.add(record, score, others)
    }

    fn table(&mut self, mut sheet: Sheet<'_>) -> Result<(), RecordsError> {
        sheet.restore_names();
        sheet.check_names()?;
        let named = &self.options.columns;
        // pandas writes the numbers or names of rows into a first column without a name, and reads it
        // under one of its own.
        if let Some(first) = sheet.names.first_mut().filter(|first| first.is_empty()) {
            UNNAMED.clone_into(first);
        }
        if let Some((role, column)) = named.missing(&sheet.names) {
            let (column, columns) = (excerpt(column), sheet.names.clone());
            return Err(sheet.refused(HeaderProblem::NoNamed {
                role,
                column,
                columns,
            }));
        }
        if named.split.as_deref().is_some_and(|split| split != "split")
            && let Some(place) = sheet.names.iter().position(|name| name == "split")
        {
            // This column is not read, as the splits are in another one.
            let (bytes, format, file) = self.source.unwrap_or_default();
            let rows = proposal::rows_of(bytes, format, file);
            let cells = rows.iter().filter_map(|row| row.get(place));
            if mixes_parts("split", cells) {
                let problem = parts("split");
                let choices = Vec::new();
                return Err(sheet.refused(HeaderProblem::Choose { problem, choices }));
            }
        }
        let joined = named.joined(&sheet.names);
        for name in &mut sheet.names {
            let long = named.of_long_form(name);
            if long != name.as_str() {
                *name = long.to_owned();
            }
        }
        for (role, columns) in joined {
            sheet.join(role, columns);
        }
        self.records.file.said_above = sheet.comments.direction;
        let comments = sheet.comments.count;
        if comments > 0 {
            let lines = count(comments, "line");
            let is = agree(comments, "is a comment", "are comments");
            let remark = format!("{lines} before the header {is} (`#`) or a title, and left out");
            self.records.file.remarks.push(remark);
        }
        if let Some(first) = sheet.names.first_mut()
            && first == UNNAMED
        {
            first.clear();
        }
        let paired_rows = self.options.paired_rows;
        let stated = |name: &str| {
            Err(HeaderProblem::refused(format!(
                "the column `{name}` says already which scores were made on the same {name}: leave --paired-rows out"
            )))
        };
        let check = |names: &[String]| {
            let has = |column: &str| names.iter().any(|name| name == column);
            match (has("split"), has("item"), paired_rows) {
                (true, true, _) => Err(HeaderProblem::refused(
                    "there is a column `split` and a column `item`, and either says which scores belong together: leave one of the two out",
                )),
                (true, false, true) => stated("split"),
                (false, true, true) => stated("item"),
                _ => Ok(()),
            }
        };
        let mut names = sheet.names.clone();
        let shape = check(&names).and_then(|()| self.shape(&mut names));
        let shape = shape.and_then(|shape| check(&names).map(|()| shape));
        let shape = shape.map_err(|problem| sheet.refused(problem))?;
        sheet.names = names;
        let names = &sheet.names;
        match shape {
            Shape::Long => {}
            Shape::Arms(arms) => return wide::read(&mut sheet, arms, self),
            Shape::Systems(table) => return systems::read(&mut sheet, &table, self),
        }
        if self.options.keep_columns {
            let own = |name: &&String| **name == self.metric.name() || OWN.contains(&name.as_str());
            let others = names.iter().filter(|name| !name.is_empty() && !own(name));
            for name in others {
                let added = self.records.add_column(name);
                added.map_err(|problem| sheet.broken(problem))?;
            }
        }
        sheet.rows(self)
    }

    fn document(&mut self, cursor: &mut Cursor) -> Result<(), RowProblem> {
        match cursor.peek() {
            None => Ok(()),
            Some(b'{') => wide::lists(cursor, self),
            Some(b'[') => rows::list(cursor, self),
            Some(_) => Err(cursor.problem(Self::DOCUMENT)),
        }
    }

    fn problems(&mut self) -> &mut Problems {
        &mut self.problems
    }
}

impl<'o> Scores<'o> {
    pub(crate) fn new(options: &'o Reading) -> Result<Self, RecordsError> {
        let checked = options.columns.check(options.metric.as_deref());
        checked.map_err(RecordsError::Names)?;
        let metric = options.metric.as_deref().unwrap_or("score").trim();
        // Scores are held as they are: which way is better does not matter to their reader.
        let metric = Metric::new(metric, Direction::Maximize, options.bounds)?;
        Ok(Self {
            records: Evaluations::new(metric.name())?,
            metric,
            options,
            problems: Problems::default(),
            source: None,
            score_columns: Vec::new(),
            split_column: None,
            has_named_splits: false,
            splits: Names::default(),
        })
    }
}

impl Scores<'_> {
    /// Adds an evaluation with its score, or as failed if it has none, with what the user's own
    /// columns say of it.
    pub(crate) fn add<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Failed<&str>,
        score: Option<f64>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        if let Some(score) = score {
            self.check(score)?;
        }
        self.records.push_scored(record, score, others)
    }

    /// Refuses a score that is not finite, too large or out of bounds.
    pub(crate) fn check(&self, score: f64) -> Result<(), RowProblem> {
        check_finite("score", score)?;
        let checked = self.metric.check(score);
        checked.map(drop).map_err(RowProblem::OutOfBounds)
    }

    /// Returns all records, or the error about the bad rows.
    fn finish(mut self, file: &str) -> Result<Evaluations, RecordsError> {
        self.refuse_duplicates();
        let empty = self.records.records().is_empty() && self.records.failures().is_empty();
        self.problems.finish(file, empty, Self::HELD)?;
        self.check_named(file)?;
        if self.options.paired_rows && !self.records.file.rows_are_splits {
            self.records.pair_rows(file)?;
        }
        let split = self.options.columns.split.as_deref();
        self.records.file.folds = split.and_then(Folds::of_column);
        let checked = self.records.check_summaries(&self.splits);
        let checked = checked.and_then(|()| self.records.check_scales(self.options));
        let names = if self.records.file.rows_are_systems {
            &self.score_columns
        } else {
            self.splits.all()
        };
        let checked = checked.and_then(|()| self.records.check_mixed(names, self.options));
        checked.map_err(|problem| problem.at(file, 1))?;
        Ok(self.records)
    }

    /// Refuses names of keys that no object has.
    fn check_named(&self, file: &str) -> Result<(), RecordsError> {
        let any = |has: fn(&crate::Row<'_>) -> bool| self.records.rows().any(|row| has(&row));
        let is_there = |role: &str| match role {
            "item" => !self.records.items().is_empty(),
            "split" => any(|row| row.split.is_some()),
            "seed" => any(|row| row.seed.is_some()),
            _ => true,
        };
        let named = self.options.columns.named().into_iter();
        let mut named = named.filter_map(|(role, name)| Some((role, name?)));
        match named.find(|(role, _)| !is_there(role)) {
            None => Ok(()),
            Some((role, name)) => Err(HeaderProblem::refused(format!(
                "no row has a value of `{name}` (--{role}): name another one, or leave --{role} out"
            ))
            .at(file, 1)),
        }
    }
}
