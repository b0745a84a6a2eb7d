//! Rows of scores in the long form, and the collection of all scores of a file.

use crate::{
    BareScores, Failed, Folds, Format, HeaderProblem, ReadOptions, Record, Records, RecordsError,
    RowProblem,
    names::{OWN, one_line},
    number::{check_finite, expense, is_missing, score, whole},
    proposal,
    rows::{self, Cell, Cursor, Problems, Row, Schema, Sheet},
    wide::{self, ArmColumns},
    words::excerpt,
};
use fiesta_core::{Direction, Metric};
use std::borrow::Cow;

/// Columns that reveal a file of counts where scores are sought.
const COUNTS: [&str; 3] = ["tp", "fp", "fn"];

/// Words for an evaluation that succeeded.
const OK: [&str; 6] = [
    "ok",
    "complete",
    "completed",
    "finished",
    "success",
    "succeeded",
];

/// Words for an evaluation that failed.
const FAILED: [&str; 7] = [
    "failed", "fail", "failure", "crashed", "killed", "error", "timeout",
];

/// Reads the bytes of a file of scores.
pub(crate) fn read(
    bytes: &[u8],
    format: Option<Format>,
    options: &ReadOptions,
    file: &str,
) -> Result<Records, RecordsError> {
    attempt(bytes, format, options, file)
        .map_err(|error| proposal::explained(error, bytes, format, options, file))
}

/// Reads the bytes of a file of scores; an error proposes no columns that may be meant. Where a
/// number has a comma for its decimal point, the file is read once more if that is certain of all.
pub(crate) fn attempt(
    bytes: &[u8],
    format: Option<Format>,
    options: &ReadOptions,
    file: &str,
) -> Result<Records, RecordsError> {
    let new = || {
        let scores = Scores::new(options)?;
        Ok::<_, RecordsError>(Scores {
            source: Some((bytes, format, file)),
            ..scores
        })
    };
    let mut scores = new()?;
    let read = rows::read(bytes, format, &mut scores, file, Vec::new());
    if !scores.problems.has_commas() {
        read?;
        return scores.finish(file);
    }
    let commas = rows::decimal_commas(bytes, format, file, |name| scores.is_number(name))?;
    if !commas.contains(&true) {
        read?;
        return scores.finish(file);
    }
    let mut scores = new()?;
    rows::read(bytes, format, &mut scores, file, commas)?;
    scores.finish(file)
}

/// Records of the scores of each arm, as they stand in memory: the wide form without a file.
/// `source` names them in messages, and a score's line is its place among those of its arm, from 1.
///
/// # Errors
/// As [`BareScores::new`].
///
/// # Example
/// ```
/// use fiesta_records::{ReadOptions, of_arms};
/// let arms = [("lstm", &[0.71, 0.73][..]), ("gru", &[0.69])];
/// let records = of_arms(arms, &ReadOptions::default(), "scores")?;
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
/// let error = of_arms([("gru", &[f64::NAN][..])], &ReadOptions::default(), "scores").unwrap_err();
/// assert!(error.to_string().contains("scores:1: in the column `gru`, the score `NaN` is not finite"));
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
pub fn of_arms<'a>(
    arms: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    options: &ReadOptions,
    source: &str,
) -> Result<Records, RecordsError> {
    Ok(BareScores::new(arms, options, source)?.to_records())
}

/// Collects the scores of a file while it is read.
pub(crate) struct Scores<'o> {
    pub(crate) records: Records,
    metric: Metric,
    pub(crate) options: &'o ReadOptions,
    pub(crate) problems: Problems,
    /// The text that is read. A table with a column for each arm is checked before its rows.
    source: Option<(&'o [u8], Option<Format>, &'o str)>,
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
        let item = self.options.columns.item.as_deref();
        item.is_some_and(|item| item.contains('+'))
    }

    fn takes_wide_objects(&self) -> bool {
        true
    }

    fn row(&mut self, row: &Row<'_, 8>) -> Result<(), RowProblem> {
        let [arm, scored, item, split, seed, cost, duration, status] = row.cells;
        let status = status.map_or(Ok("".into()), |cell| cell.string(RowProblem::StatusNotText))?;
        // A missing key is told of before a value that cannot be.
        if arm.is_some() && scored.is_none() && !is_failed(&status)? {
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
            // A text in JSON may have several lines, and a name stands on one.
            Some(cell @ Cell::Json(_)) => Some(Cow::Owned(one_line(&cell.name("item")?))),
            cell => cell.map(|cell| cell.name("item")).transpose()?,
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
        let failed = is_failed(&status)?;
        if failed {
            let status = excerpt(status.trim());
            if !self.options.keep_failures {
                return Err(RowProblem::Failed(status));
            }
        }
        let failed = failed || (self.options.keep_missing && is_missing(scored));
        let score = if failed { None } else { Some(score(scored)?) };
        let split = whole("split", split)?;
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
        if let Some((role, column)) = named.missing(&sheet.names) {
            let (column, columns) = (excerpt(column), sheet.names.clone());
            return Err(sheet.refused(HeaderProblem::NoNamed {
                role,
                column,
                columns,
            }));
        }
        let items = named.joined_items(&sheet.names);
        for name in &mut sheet.names {
            let long = named.of_long_form(name);
            if long != name.as_str() {
                *name = long.to_owned();
            }
        }
        if let Some(columns) = items {
            sheet.join("item", columns);
        }
        // pandas writes the numbers of rows into a first column without a name.
        if let Some(first) = sheet.names.first_mut()
            && first == "Unnamed: 0"
        {
            first.clear();
        }
        let paired_rows = self.options.paired_rows;
        let check = |names: &[String]| {
            let has = |column: &str| names.iter().any(|name| name == column);
            match (has("split"), has("item"), paired_rows) {
                (true, true, _) => Err(HeaderProblem::SplitAndItem),
                (true, false, true) => Err(HeaderProblem::Stated("split")),
                (false, true, true) => Err(HeaderProblem::Stated("item")),
                _ => Ok(()),
            }
        };
        let mut names = sheet.names.clone();
        let arms = check(&names).and_then(|()| self.arms(&mut names));
        let arms = arms.and_then(|arms| check(&names).map(|()| arms));
        let arms = arms.map_err(|problem| sheet.refused(problem))?;
        sheet.names = names;
        let names = &sheet.names;
        if let Some(arms) = arms {
            return wide::read(&mut sheet, arms, self);
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
    pub(crate) fn new(options: &'o ReadOptions) -> Result<Self, RecordsError> {
        let checked = options.columns.check(options.metric.as_deref());
        checked.map_err(RecordsError::Names)?;
        let metric = options.metric.as_deref().unwrap_or("score").trim();
        // Scores are held as they are: which way is better does not matter to their reader.
        let metric = Metric::new(metric, Direction::Maximize, options.bounds)?;
        Ok(Self {
            records: Records::new(metric.name())?,
            metric,
            options,
            problems: Problems::default(),
            source: None,
        })
    }
}

impl Scores<'_> {
    /// The columns of the wide form, if the header is not one of the long form. The column that
    /// names or numbers the rows gets its name of the long form.
    fn arms(&self, names: &mut [String]) -> Result<Option<ArmColumns>, HeaderProblem> {
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let metric = self.metric.name().to_owned();
        // As the file calls them.
        let columns = || {
            let of_file = |name: &String| self.options.columns.of_file(name).to_owned();
            names.iter().map(of_file).collect()
        };
        match (has("arm"), has(&metric)) {
            (true, true) => Ok(None),
            (_, false) if COUNTS.into_iter().all(has) => Err(HeaderProblem::Counts { metric }),
            (true, false) => Err(HeaderProblem::NoMetric {
                metric,
                columns: columns(),
            }),
            (false, true) => Err(HeaderProblem::NoArm { columns: columns() }),
            (false, false) => self.arm_columns(names).map(Some),
        }
    }

    /// The columns of a table with a column for each arm, as far as that is certain or said.
    fn arm_columns(&self, names: &mut [String]) -> Result<ArmColumns, HeaderProblem> {
        let (bytes, format, file) = self.source.unwrap_or_default();
        let cells = proposal::rows_of(bytes, format, file);
        // What is wrong with a header alone is told as such.
        let is_sound = !cells.is_empty() && names.iter().skip(1).all(|name| !name.is_empty());
        let sample = proposal::Sample {
            names: names.to_vec(),
            cells,
        };
        let (table, arms) = (
            sample.arms_table(self.options.paired_rows),
            &self.options.arms,
        );
        let is_asked = is_sound && arms.is_empty();
        if let Some(doubt) = table.doubt.filter(|_| is_asked) {
            let own = |name: &&String| matches!(name.as_str(), "cost" | "duration" | "status");
            if let Some(own) = names.iter().find(own) {
                return Err(HeaderProblem::NotOfArm(own.clone()));
            }
            let columns = names.iter().filter(|name| !name.is_empty());
            return Err(HeaderProblem::Asked {
                doubt,
                columns: columns.cloned().collect(),
            });
        }
        if let Some((place, long)) = table.key {
            long.clone_into(&mut names[place]);
        }
        ArmColumns::of(names.to_vec(), arms)
    }

    /// Whether the column of this name in a file is read as a number: in the wide form, that of
    /// each arm is.
    fn is_number(&self, name: &str) -> bool {
        let name = self.of_long_form(name);
        match name {
            "cost" | "duration" => true,
            "" | "arm" | "item" | "split" | "seed" | "status" | "document" => false,
            _ => self.records.wide || name == self.metric.name(),
        }
    }

    /// Adds an evaluation with its score, or one that failed if it has none, and what the user's own
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

    /// Returns all records, or the error about the bad ones.
    fn finish(mut self, file: &str) -> Result<Records, RecordsError> {
        self.refuse_duplicates();
        let empty = self.records.records().is_empty() && self.records.failures().is_empty();
        self.problems.finish(file, empty, Self::HELD)?;
        self.check_named(file)?;
        if self.options.paired_rows && !self.records.rows_are_splits {
            self.records.pair_rows(file)?;
        }
        let split = self.options.columns.split.as_deref();
        self.records.folds = split.and_then(Folds::of_column);
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
            Some((role, name)) => Err(RecordsError::Header {
                file: file.to_owned(),
                line: 1,
                problem: HeaderProblem::NothingNamed {
                    role,
                    column: name.to_owned(),
                },
            }),
        }
    }

    /// Counts the rows whose evaluation was on an earlier row and did not fail there: one that
    /// failed may have been made again when its cause was mended. On an item, evaluations are told
    /// apart only by seeds that both have.
    ///
    /// Sorting arm by arm needs less memory than a set, and next to no time where the file is in
    /// order, be it that of the arms or that of the cases.
    fn refuse_duplicates(&mut self) {
        let of_items = !self.records.items().is_empty();
        let mut cases = vec![Vec::new(); self.records.arms().len()];
        let of_records = self.records.records().iter();
        let of_records = of_records.map(|r| (r.arm, r.split, r.seed, r.line, false));
        let of_failures = self.records.failures().iter();
        let of_failures = of_failures.map(|f| (f.arm, f.split, f.seed, f.line, true));
        for (arm, split, seed, line, failed) in of_records.chain(of_failures) {
            if let Some(split) = split
                && (of_items || seed.is_some())
            {
                cases[arm.index()].push((split, seed, line, failed));
            }
        }
        for (arm, mut cases) in cases.into_iter().enumerate() {
            cases.sort_unstable();
            for pair in cases.windows(2) {
                let (&(split, seed, first, failed), &(next_split, next_seed, line, next_failed)) =
                    (&pair[0], &pair[1]);
                let same = split == next_split && seed == next_seed && !failed;
                // The one without a seed is sorted before all others.
                let unclear = split == next_split && seed.is_none() && !failed && !next_failed;
                if same || unclear {
                    let (first, line) = (first.min(line), first.max(line));
                    let problem = self.duplicate(arm, split, seed, first);
                    self.problems.add(line, problem);
                }
            }
        }
    }

    fn duplicate(&self, arm: usize, split: u64, seed: Option<u64>, first: u64) -> RowProblem {
        let arm = excerpt(&self.records.arms()[arm]);
        let item = usize::try_from(split);
        match item.ok().and_then(|item| self.records.items().get(item)) {
            Some(item) => RowProblem::DuplicateItem {
                arm,
                item: excerpt(item),
                seed,
                first,
            },
            None => RowProblem::Duplicate {
                arm,
                split,
                seed: seed.unwrap_or_default(),
                first,
            },
        }
    }
}

/// Whether a row with this status says that its evaluation failed. Capital letters do not matter;
/// no status says that it did not.
pub(crate) fn is_failed(text: &str) -> Result<bool, RowProblem> {
    let word = text.trim();
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    match word {
        "" => Ok(false),
        _ if is(&OK) => Ok(false),
        _ if is(&FAILED) || tells_of_failure(word) => Ok(true),
        _ => Err(RowProblem::UnknownStatus(excerpt(word))),
    }
}

/// Returns whether a longer word means a failed evaluation: `runtime_error`, `timed out`, `OOM`.
fn tells_of_failure(word: &str) -> bool {
    const PARTS: [&str; 10] = [
        "error",
        "fail",
        "crash",
        "timeout",
        "timed",
        "exception",
        "abort",
        "killed",
        "oom",
        "diverged",
    ];
    let word = word.to_lowercase();
    PARTS.iter().any(|part| word.contains(part))
}
