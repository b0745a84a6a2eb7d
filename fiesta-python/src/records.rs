//! Records of evaluations from Python's values: scores of each arm, rows as JSON, files.

use crate::{
    error::{refused, refused_columns},
    interruptible::interruptible,
    keywords::in_python,
    reading::{GivenTable, ReadingKeywords},
    scores::{Scores, Seen},
};
use fiesta_core::{ArmId, Direction};
use fiesta_import::{
    ImportError, Imported, TextPlaces, Tool, by_arm_or_file, read_benchmarks, read_own,
    read_results, read_versions,
};
use fiesta_records::{
    self as records, BareScores, Format, Reading, RecordsError, Summaries, Undirected, excerpt,
    named_direction,
};
use fiesta_report::{
    analysis::{ScoresOfArms, count_failures, unknown_arm, without_unscored},
    tuning_curve::Failed,
};
use pyo3::{exceptions::PyUserWarning, prelude::*};
use std::{borrow::Cow, ffi::CString, path::PathBuf};

/// Evaluations of one metric, with their source for messages.
#[pyclass(frozen, module = "fiesta_select._native")]
pub(crate) struct Records {
    held: Held,
    pub(crate) source: String,
    /// Direction in which scores are better, if the file says.
    pub(crate) direction: Option<Direction>,
    /// Lines on how the scores were read, for the notes of a result.
    #[pyo3(get)]
    notices: Vec<String>,
    /// Warnings about what may make a comparison of the arms misleading.
    cautions: Vec<String>,
    /// Treatment of failures that the user asked for. `None` if the user named none.
    failed: Option<Failed>,
    bounds: Option<(f64, f64)>,
    /// Places of texts in logs of answers.
    pub(crate) texts: TextPlaces,
    is_foreign: bool,
    /// Whether the file is a log of answers. Larger scores of answers are better.
    logs_answers: bool,
}

/// Evaluations, by the form in which they are kept.
enum Held {
    Read(Box<records::Evaluations>),
    /// Scores in arrays and lists, one for each arm, which every analysis reads anew.
    Bare {
        arms: Vec<String>,
        scores: Vec<Scores>,
        options: Box<Reading>,
    },
    /// Means with their spread: the table in the error that they are no evaluations, and the
    /// options of reading.
    Means(Box<(RecordsError, Reading)>),
}

/// Selection of the scores that an analysis asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    /// Names of the arms to analyse; empty for all.
    pub(crate) arms: &'a [String],
    /// Direction in which scores are better, unless the file or the name of the score says it.
    pub(crate) direction: Option<&'a str>,
    /// Number of items of the pool, where the records have a part of it.
    pub(crate) pool_size: Option<u64>,
    /// Least and greatest possible answer to an item.
    pub(crate) bounds: Option<(f64, f64)>,
}

#[pymethods]
impl Records {
    /// Returns records of the scores of each arm.
    #[staticmethod]
    fn of_arms(
        py: Python<'_>,
        names: Vec<String>,
        scores: Vec<Bound<'_, PyAny>>,
        reading: ReadingKeywords,
        source: String,
    ) -> PyResult<Self> {
        let values = names.iter().zip(&scores);
        let values = values.map(|(name, value)| Scores::new(name, value));
        let held = Held::Bare {
            scores: values.collect::<PyResult<_>>()?,
            arms: names,
            options: Box::new(reading.options()),
        };
        let records = Self::new(held, source, &reading)?;
        records.bare(py, |_| Ok(()))?;
        Ok(records)
    }

    /// Reads evaluations from JSON: an object a line, a list of objects, or an object of lists.
    #[staticmethod]
    fn of_json(
        py: Python<'_>,
        json: &str,
        reading: ReadingKeywords,
        source: String,
    ) -> PyResult<Self> {
        let (options, format) = (reading.options(), Some(Format::JsonLines));
        let found = py.detach(|| read_own(json.as_bytes(), format, &options, &source));
        Self::found(found, options, source, &reading)
    }

    /// Returns whether JSON columns with these names can be read as a column of scores for each arm.
    #[staticmethod]
    fn are_arms(py: Python<'_>, json: &str, reading: ReadingKeywords) -> bool {
        let (options, format) = (reading.options(), Some(Format::JsonLines));
        py.detach(|| records::read_from(json.as_bytes(), format, &options, "row").is_ok())
    }

    /// Reads tables of versions of an arm as one table, by the columns that all have. The versions have
    /// these names unless the tables name different arms.
    #[staticmethod]
    fn of_versions(
        py: Python<'_>,
        names: Vec<String>,
        tables: Vec<GivenTable>,
        reading: ReadingKeywords,
    ) -> PyResult<Self> {
        let options = reading.options();
        let named = names.iter().map(String::as_str);
        let versions: Vec<_> = named
            .zip(tables.iter().map(GivenTable::of_version))
            .collect();
        let found = py.detach(|| read_versions(&versions, &options));
        Self::found(found, options, names.join(", "), &reading)
    }

    /// Reads evaluations from a file of scores, or from files of another tool. `versions` says that
    /// files of one arm are versions of it.
    #[staticmethod]
    #[pyo3(signature = (paths, reading, tool = None, versions = false))]
    fn of_files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        reading: ReadingKeywords,
        tool: Option<&str>,
        versions: bool,
    ) -> PyResult<Self> {
        let tool: Option<Tool> = tool.map(str::parse).transpose().map_err(refused)?;
        let failed = reading.failed()?;
        let [first, ..] = &paths[..] else {
            return Err(refused("there is no file to read"));
        };
        let source = first.display().to_string();
        let options = Reading {
            tool: tool.map(|tool| tool.name().to_owned()),
            missing_are_failures: failed.is_some(),
            ..reading.options()
        };
        let is_named = !versions || options.columns.arm.is_some();
        let found = py.detach(|| {
            let arms = |found: &Imported| found.records.arms().len();
            by_arm_or_file(is_named, arms, |arm| {
                let mut options = options.clone();
                options.columns.arm = arm.map(str::to_owned).or(options.columns.arm);
                read_results(&paths, &options)
            })
        });
        Self::found(found, options, source, &reading)
    }

    /// Reads the evaluations of each benchmark in files, with its name: of the column of this name in tables, of the
    /// tasks in logs of answers. Without a column, files that have one task are one benchmark without a name.
    #[staticmethod]
    fn of_benchmarks(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        reading: ReadingKeywords,
        column: Option<&str>,
    ) -> PyResult<Vec<(String, Self)>> {
        let options = Reading {
            missing_are_failures: reading.failed()?.is_some(),
            ..reading.options()
        };
        let source = paths.first().map(|path| path.display().to_string());
        let source = source.unwrap_or_default();
        let named = |(name, found)| {
            let read = Self::found(Ok(found), options.clone(), source.clone(), &reading)?;
            Ok((name, read))
        };
        match py.detach(|| read_benchmarks(&paths, &options, column)) {
            Ok(found) => found.into_iter().map(named).collect(),
            Err(error) => {
                let read = Self::found(Err(error), options.clone(), source.clone(), &reading)?;
                Ok(vec![(String::new(), read)])
            }
        }
    }

    /// Returns the names of the arms.
    #[getter]
    fn arms(&self) -> Vec<String> {
        match &self.held {
            Held::Read(read) => read.arms().to_vec(),
            Held::Bare { arms, .. } => arms.iter().map(|name| name.trim().to_owned()).collect(),
            Held::Means(_) => Vec::new(),
        }
    }

    /// Returns how many evaluations there are, without those that failed.
    fn __len__(&self, py: Python<'_>) -> usize {
        match &self.held {
            Held::Read(read) => read.records().len(),
            Held::Bare { scores, .. } => scores.iter().map(|scores| scores.len(py)).sum(),
            Held::Means(_) => 0,
        }
    }
}

impl Records {
    /// Returns records of the evaluations that were read, or of a table of means.
    fn found(
        found: Result<Imported, ImportError>,
        options: Reading,
        source: String,
        reading: &ReadingKeywords,
    ) -> PyResult<Self> {
        if let Err(ImportError::Records(error @ RecordsError::Means { .. })) = found {
            return Self::new(Held::Means(Box::new((error, options))), source, reading);
        }
        let found = found.map_err(|error| {
            let proposal = match &error {
                ImportError::Records(error) => error.proposal(),
                _ => None,
            };
            refused_columns(&error, proposal)
        })?;
        let notices = found.notices.into_iter().chain(found.records.cautions());
        let cautions = found.records.cautions_of_arms(&found.roles).into_iter();
        Ok(Self {
            direction: found.direction,
            notices: notices.map(|notice| in_python(&notice)).collect(),
            cautions: cautions.map(|caution| in_python(&caution)).collect(),
            texts: found.texts,
            is_foreign: found.tool.is_some(),
            logs_answers: found.tool.is_some_and(Tool::logs_answers),
            ..Self::new(Held::Read(Box::new(found.records)), source, reading)?
        })
    }

    fn new(held: Held, source: String, reading: &ReadingKeywords) -> PyResult<Self> {
        Ok(Self {
            held,
            source,
            direction: None,
            notices: Vec::new(),
            cautions: Vec::new(),
            failed: reading.failed()?,
            bounds: reading.bounds,
            texts: TextPlaces::default(),
            is_foreign: false,
            logs_answers: false,
        })
    }

    /// Returns what is told of how the scores were read, and of what may mislead.
    pub(crate) fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.notices.iter().chain(&self.cautions).cloned()
    }

    /// Returns what failures count as. `None` if the user did not say it.
    pub(crate) fn asked_failed(&self) -> Option<Failed> {
        self.failed
    }

    /// Returns what the failures that were read count as; by default an error, or nothing if
    /// another tool wrote them.
    pub(crate) fn failed(&self) -> Failed {
        self.failed.unwrap_or(if self.is_foreign {
            Failed::Drop
        } else {
            Failed::Error
        })
    }

    /// Calls `make` with the scores of arrays and lists, without the interpreter's lock; nothing
    /// may write to the arrays meanwhile. `None` if the records are from files.
    fn bare<T: Send>(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&BareScores<'_>) -> PyResult<T> + Send,
    ) -> PyResult<Option<T>> {
        let Held::Bare {
            arms,
            scores,
            options,
        } = &self.held
        else {
            return Ok(None);
        };
        let seen = scores.iter().map(|scores| scores.seen(py));
        let seen = seen.collect::<PyResult<Vec<Seen<'_>>>>()?;
        let slices = seen.iter().map(Seen::as_slice);
        let slices = slices.collect::<PyResult<Vec<&[f64]>>>()?;
        let named = arms.iter().map(String::as_str).zip(slices);
        let named: Vec<(&str, &[f64])> = named.collect();
        interruptible(py, || {
            make(&BareScores::new(named, options, &self.source).map_err(refused)?)
        })
        .map(Some)
    }

    /// Returns means with their spread, and their direction. `None` if the records are single evaluations.
    pub(crate) fn means(
        &self,
        py: Python<'_>,
        arms: &[String],
        direction: Option<&str>,
        spread: Option<&str>,
        n: Option<String>,
    ) -> PyResult<Option<(Summaries, Direction)>> {
        let spread = spread.map(str::parse).transpose().map_err(refused)?;
        let Held::Means(means) = &self.held else {
            return match (spread, &n) {
                (None, None) => Ok(None),
                _ => Err(refused(
                    "--spread and --n are about files of means with their spread, and this is none: leave them out",
                )),
            };
        };
        let (RecordsError::Means { table, .. }, options) = &**means else {
            return Ok(None);
        };
        let options = Reading {
            arms: arms.to_vec(),
            spread,
            n,
            ..options.clone()
        };
        let means = Summaries::read(table, &options, &self.source).map_err(refused)?;
        let direction = self.direction_of(py, &means.metric, direction, || means.direction())?;
        Ok(Some((means, direction)))
    }

    /// Returns every evaluation as a record.
    pub(crate) fn all(&self, py: Python<'_>) -> PyResult<Cow<'_, records::Evaluations>> {
        match &self.held {
            Held::Read(read) => Ok(Cow::Borrowed(read)),
            Held::Means(means) => Err(refused(&means.0)),
            Held::Bare { .. } => {
                let made = self.bare(py, |bare| Ok(bare.to_records()))?;
                made.map(Cow::Owned)
                    .ok_or_else(|| refused("there are no scores"))
            }
        }
    }

    /// Calls `make` with the scores of the arms that are asked for, without the interpreter's lock.
    /// Arrays of NumPy are not copied. `direction` counts unless the file states one.
    pub(crate) fn with_scores<T: Send>(
        &self,
        py: Python<'_>,
        asked: &Asked<'_>,
        make: impl FnOnce(ScoresOfArms<'_>, Vec<String>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let direction = self.direction(py, asked.direction)?;
        let source = self.source.clone();
        if let Held::Read(read) = &self.held {
            return interruptible(py, || {
                let (counted, said) = self.counted(read, asked, direction)?;
                let scores = ScoresOfArms::new(&counted, asked.arms, direction, source);
                let scores = scores.and_then(|s| s.in_pool(asked.bounds, asked.pool_size));
                make(scores.map_err(refused)?, said)
            });
        }
        let made = self.bare(py, |bare| {
            let scores = ScoresOfArms::bare(bare, asked.arms, direction, source);
            let scores = scores.and_then(|scores| scores.in_pool(asked.bounds, asked.pool_size));
            make(scores.map_err(refused)?, Vec::new())
        })?;
        made.ok_or_else(|| refused("there are no scores"))
    }

    /// Returns the evaluations of the arms that are asked for, with failures as what they count as; the direction in
    /// which scores are better; and what is told of them.
    pub(crate) fn scored(
        &self,
        py: Python<'_>,
        asked: &Asked<'_>,
    ) -> PyResult<(records::Evaluations, Direction, Vec<String>)> {
        let direction = self.direction(py, asked.direction)?;
        let all = self.all(py)?;
        let (counted, said) = self.counted(&all, asked, direction)?;
        let found = asked.arms.iter().map(|name| {
            let found = counted.find(name.trim());
            found.ok_or_else(|| refused(unknown_arm(name, counted.arms())))
        });
        let found: Vec<ArmId> = found.collect::<PyResult<_>>()?;
        let scored = match &found[..] {
            [] => counted.into_owned(),
            some => counted.select(some),
        };
        Ok((scored, direction, said))
    }

    /// Returns evaluations with failures as what they count as, and what is told of them.
    fn counted<'r>(
        &self,
        read: &'r records::Evaluations,
        asked: &Asked<'_>,
        direction: Direction,
    ) -> PyResult<(Cow<'r, records::Evaluations>, Vec<String>)> {
        let failed = self.failed();
        let counted = count_failures(read, failed, direction, self.bounds, &self.source);
        let (counted, said) = counted.map_err(refused)?;
        let (counted, left_out) = match self.failed {
            Some(Failed::Drop) if asked.arms.is_empty() => without_unscored(counted),
            _ => (counted, None),
        };
        Ok((counted, self.told().chain(said).chain(left_out).collect()))
    }

    /// Returns whether larger or smaller scores are better: as the file says, else as asked for,
    /// else as the score's name says. A warning tells if the name makes smaller ones better.
    pub(crate) fn direction(&self, py: Python<'_>, asked: Option<&str>) -> PyResult<Direction> {
        match &self.held {
            Held::Read(read) => {
                self.direction_of(py, read.metric(), asked, || read.direction(&self.source))
            }
            Held::Bare { options, .. } => {
                let metric = options.metric.as_deref().unwrap_or("score");
                let named = || {
                    let named = named_direction(metric);
                    named.ok_or_else(|| Undirected::Name(excerpt(metric)))
                };
                self.direction_of(py, metric, asked, named)
            }
            Held::Means(means) => Err(refused(&means.0)),
        }
    }

    /// Returns whether larger or smaller scores of this name are better: as the file says, else as
    /// asked for, else as the `results` say.
    fn direction_of(
        &self,
        py: Python<'_>,
        metric: &str,
        asked: Option<&str>,
        results: impl FnOnce() -> Result<Direction, Undirected>,
    ) -> PyResult<Direction> {
        let asked = asked.map(|asked| asked.parse().map_err(refused));
        if let Some(direction) = self.direction.or(asked.transpose()?) {
            return Ok(direction);
        }
        match results() {
            Ok(Direction::Maximize) => Ok(Direction::Maximize),
            Ok(Direction::Minimize) => {
                let said = format!(
                    "smaller `{metric}` is taken to be better: direction=\"minimize\" says the same without this warning, direction=\"maximize\" that larger is"
                );
                let said = CString::new(said.replace('\0', " "))?;
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &said, 2)?;
                Ok(Direction::Minimize)
            }
            Err(unsaid) if unsaid.is_unsaid() && self.logs_answers => Ok(Direction::Maximize),
            Err(undirected) => {
                let both = "direction=\"maximize\" or direction=\"minimize\"";
                Err(refused(undirected.to_string().replace("--direction", both)))
            }
        }
    }
}
