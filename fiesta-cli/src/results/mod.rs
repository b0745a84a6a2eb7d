//! Results of any kind on the command line: a study, also while it runs, or evaluations that a file
//! holds.

mod foreign;
mod said;
mod scored;
#[cfg(target_os = "linux")]
pub(super) mod study;
mod ways;

use super::{
    exit::Failure,
    platform::{Recorded, read_study},
    say,
    scores::ScoresArguments,
};
use fiesta::{
    ArmId, Direction,
    import::{Imported, TextPlaces, Tool, read_results, read_results_from},
    records::{
        Evaluations, Reading, RecordsError, Spread, Undirected, excerpt, read_all, words::few,
    },
    report::analysis::{count_failures, unknown_arm},
};
pub(super) use foreign::ForeignArguments;
pub(super) use said::{Said, say_roles};
pub(super) use scored::Scored;
use std::{
    fs::{self, File},
    io, iter,
    path::{Path, PathBuf},
};
pub(super) use ways::{Way, with_ways};

/// The most arms that anybody compares.
pub(super) const MOST_ARMS: usize = 1000;

/// Arguments with the place of results, and how they are read.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ResultsArguments {
    /// A study file, a file of scores (CSV, TSV, JSON lines, JSON, Parquet, a Markdown table; also .gz or
    /// .zst), another tool's results, or a directory of logs of answers or of tables; - is the standard
    /// input
    pub(super) results: PathBuf,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
}

/// Arguments about how results are read.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ReadingArguments {
    #[command(flatten)]
    pub(super) foreign: ForeignArguments,
    #[command(flatten)]
    pub(super) scores: ScoresArguments,
    /// Which scores are better (default: what the results say)
    #[arg(long, value_name = "maximize|minimize", conflicts_with_all = ["minimize", "maximize"])]
    pub(super) direction: Option<Direction>,
    /// Also print which rule took which column, and which columns are left out
    #[arg(long)]
    explain: bool,
    /// Meaning of the spreads in a table of means, and the number of scores behind each mean or the column
    /// that holds it. `None` if not given.
    #[arg(skip)]
    pub(super) means: (Option<Spread>, Option<String>),
}

/// Results that were read, of the arms that were asked for, in that order.
pub(super) struct Results {
    /// The evaluations, with failures and all columns.
    pub(super) records: Evaluations,
    /// The name of the score for people. The records may name it otherwise.
    pub(super) metric: String,
    /// Whether larger or smaller scores are better.
    pub(super) direction: Direction,
    /// Reason why the direction of scores is not known. `None` if a flag or the results state it.
    pub(super) undirected: Option<Undirected>,
    /// Study that the results are of. `None` if they are from a file.
    pub(super) study: Option<Box<Recorded>>,
    /// Notices about the results, and the roles of columns.
    pub(super) said: Said,
    /// Places of texts in logs of answers.
    pub(super) texts: TextPlaces,
    /// Whether another tool wrote the results.
    pub(super) is_foreign: bool,
    /// Whether the results are certainly trials of another tool's search for hyperparameters.
    pub(super) of_search: bool,
}

impl Results {
    /// Returns whether all entries of the study's ledger could be read. True without a study.
    pub(super) fn is_whole(&self) -> bool {
        let study = self.study.as_ref();
        study.is_none_or(|study| study.is_whole())
    }

    /// Returns the results, or an error if their arms cannot be compared.
    ///
    /// # Errors
    /// [`Failure`] if nothing says which scores are better, or there are more arms than anybody
    /// compares: what is computed for each pair of them is bounded so.
    pub(super) fn compared(self) -> Result<Self, Failure> {
        if let Some(undirected) = self.undirected {
            return Err(undirected.into());
        }
        let arms = self.records.arms();
        if arms.len() <= MOST_ARMS {
            return Ok(self);
        }
        let scores = self.records.records().len() / arms.len();
        Err(Failure::Usage(format!(
            "{} arms with {scores} scores each on average, such as `{}`: this may be a column of names of runs; name the column of what is compared with --arm, \
             or up to {MOST_ARMS} of the arms with --arms",
            arms.len(),
            excerpt(&arms[0]),
        )))
    }
}

impl ResultsArguments {
    /// Reads the results that the arguments name.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read, a row is no evaluation, an arm is unknown, or a flag
    /// contradicts a study.
    pub(super) fn read(&self) -> Result<Results, Failure> {
        self.read_with(&[])
    }

    /// Reads the results as [`read_with`](Self::read_with). If they leave a choice, the error lists
    /// the ways to read them.
    ///
    /// # Errors
    /// As [`read_with`](Self::read_with).
    pub(super) fn read_or_tell(&self, more: &[PathBuf]) -> Result<Results, Failure> {
        let read = |reading: &ReadingArguments| {
            let results = self.results.clone();
            let reading = reading.clone();
            Self { results, reading }.read_with(more)
        };
        self.reading.or_tell(&self.results, read)
    }

    /// Reads the results together with further logs of answers.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`Failure`] if there are further files and these are no such
    /// logs, or not all of the same tool.
    pub(super) fn read_with(&self, more: &[PathBuf]) -> Result<Results, Failure> {
        if more.is_empty() && is_study(&self.results) {
            self.reading.foreign.refuse()?;
            self.reading
                .scores
                .refuse_columns("a study knows its evaluations")?;
            return self.reading.select(read_study(self)?);
        }
        self.reading.read(&self.results, more, true)
    }

    /// Returns the evaluations. Failures count as the user asked, which a line on standard error
    /// tells.
    ///
    /// # Errors
    /// [`Failure`] if a failure is to be an error, or the worst score is not known.
    pub(super) fn counted(&self, results: Results) -> Result<Evaluations, Failure> {
        let scores = &self.reading.scores;
        let Some(failed) = scores.failed else {
            return Ok(results.records);
        };
        let (direction, source) = (results.direction, source(&self.results));
        let (counted, said) =
            count_failures(&results.records, failed, direction, scores.bounds, &source)?;
        said.iter().for_each(say);
        Ok(counted.without_failures())
    }
}

impl ReadingArguments {
    /// Calls `read`. If the results leave a choice, the error gets the ways to read them.
    fn or_tell<T>(
        &self,
        path: &Path,
        read: impl Fn(&Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        read(self).map_err(|failure| {
            let reads = |reading: &Self| read(reading).map(|_| None);
            with_ways(failure, path, self, |reading| reading, &reads)
        })
    }

    /// Reads a file of scores, or files of another tool.
    fn read(&self, path: &Path, more: &[PathBuf], keep_failures: bool) -> Result<Results, Failure> {
        let options = self.options(keep_failures)?;
        if !more.is_empty() {
            let paths = paths(path, more);
            if paths.iter().any(|path| is_piped(path)) {
                return Err(Failure::Usage(
                    "the standard input, or another pipe, cannot be one of several files: name files alone"
                        .to_owned(),
                ));
            }
            return self.found(path, read_results(&paths, &options)?);
        }
        if !is_piped(path) {
            return self.found(path, read_results(&[path], &options)?);
        }
        let read = if path == Path::new("-") {
            read_all(io::stdin())
        } else {
            File::open(path).and_then(read_all)
        };
        let piped = read.map_err(|source| RecordsError::Io {
            file: self::source(path),
            source,
        })?;
        let found = read_results_from(&piped[..], &options, &source(path))?;
        self.found(path, found)
    }

    /// Returns the options of reading files.
    fn options(&self, keep_failures: bool) -> Result<Reading, Failure> {
        let reading = self.scores.reading(keep_failures)?;
        let (spread, n) = self.means.clone();
        let reading = Reading {
            spread,
            n,
            ..reading
        };
        Ok(self.foreign.options(reading, self.scores.failed))
    }

    /// Returns the direction that the flags state. `None` if they state none.
    pub(super) fn asked_direction(&self) -> Option<Direction> {
        let minimize = self.scores.minimize.then_some(Direction::Minimize);
        let maximize = self.scores.maximize.then_some(Direction::Maximize);
        self.direction.or(minimize).or(maximize)
    }

    /// Returns whether larger or smaller scores are better: as a flag or the tool says, else as the
    /// `results` say. A notice tells if smaller ones are better only by the words of the results.
    pub(super) fn directed(
        &self,
        metric: &str,
        stated: Option<Direction>,
        results: impl FnOnce() -> Result<Direction, Undirected>,
        notices: &mut Vec<String>,
    ) -> Result<Direction, Undirected> {
        if let Some(stated) = stated.or_else(|| self.asked_direction()) {
            return Ok(stated);
        }
        let direction = results()?;
        if direction == Direction::Minimize {
            notices.push(format!(
                "smaller `{metric}` is taken to be better: --direction maximize says that larger is"
            ));
        }
        Ok(direction)
    }

    fn found(&self, path: &Path, found: Imported) -> Result<Results, Failure> {
        let asked = self.asked_direction();
        if let (Some(says), Some(asked)) = (found.direction, asked)
            && says != asked
        {
            return Err(Failure::Usage(format!(
                "{} states the direction, {}: leave --direction and --minimize out",
                path.display(),
                says,
            )));
        }
        let mut notices = found.notices;
        notices.extend_from_slice(found.records.remarks());
        notices.extend(found.records.cautions());
        let metric = found.records.metric();
        // Graded answers may be losses, such as the share of what was made up.
        let logs_answers = found.tool.is_some_and(Tool::logs_answers);
        let are_answers = logs_answers && found.records.are_right_or_wrong();
        let said = || match found.records.direction(&source(path)) {
            Err(unsaid) if unsaid.is_unsaid() && are_answers => Ok(Direction::Maximize),
            said => said,
        };
        let directed = self.directed(metric, found.direction, said, &mut notices);
        let (direction, undirected) = match directed {
            Ok(direction) => (direction, None),
            Err(undirected) => (Direction::default(), Some(undirected)),
        };
        if found.records.is_wide() {
            let larger = match direction {
                Direction::Maximize => "larger scores are taken to be better",
                Direction::Minimize => "smaller scores are taken to be better",
            };
            let systems = few(found.records.arms().iter().map(|name| excerpt(name)));
            notices.push(format!("columns taken for systems: {systems}; {larger}"));
        }
        let mut results = self.select(Results {
            metric: metric.to_owned(),
            direction,
            records: found.records,
            study: None,
            texts: found.texts,
            undirected,
            said: Said {
                notices,
                roles: found.roles,
                is_explained: self.explain,
            },
            is_foreign: found.tool.is_some(),
            of_search: found.tool.is_some_and(Tool::searches),
        })?;
        if results.undirected.is_none() {
            let told = results.records.told_of_data_sets(results.direction);
            results.said.notices.extend(told);
        }
        Ok(results)
    }

    /// Leaves out the arms that were not asked for.
    fn select(&self, mut results: Results) -> Result<Results, Failure> {
        if self.scores.arms.is_empty() {
            return Ok(results);
        }
        let records = &results.records;
        let mut arms: Vec<ArmId> = Vec::new();
        for name in &self.scores.arms {
            match records.find(name.trim()) {
                Some(arm) if arms.contains(&arm) => {
                    return Err(Failure::Usage(format!("--arms names `{name}` twice")));
                }
                Some(arm) => arms.push(arm),
                None => return Err(unknown_arm(name, records.arms()).into()),
            }
        }
        results.records = records.select(&arms);
        Ok(results)
    }
}

/// Returns the paths of all files.
fn paths<'p>(path: &'p Path, more: &'p [PathBuf]) -> Vec<&'p Path> {
    let more = more.iter().map(PathBuf::as_path);
    iter::once(path).chain(more).collect()
}

/// Returns whether a path can be read only once: the standard input, or a pipe.
pub(super) fn is_piped(path: &Path) -> bool {
    let is_pipe = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    path == Path::new("-") || fs::metadata(path).is_ok_and(is_pipe)
}

/// Returns the name of a file for messages.
pub(super) fn source(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// Returns whether a path is that of a study file, by its extension.
pub(super) fn is_study(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}
