//! Results of any kind on the command line: a study, also while it runs, or evaluations that a file
//! holds.

mod foreign;
#[cfg(target_os = "linux")]
pub(super) mod study;

use super::{
    exit::Failure,
    platform::{Recorded, read_study},
    scores::ScoresArguments,
};
use fiesta::{
    core::{ArmId, Direction},
    records::{
        self, ReadOptions, Records,
        import::{self, Imported, Tool},
    },
    report::analysis::unknown_arm,
};
pub(super) use foreign::ForeignArguments;
use foreign::Input;
use std::{
    iter,
    path::{Path, PathBuf},
};

/// Where results are, and how they are read.
#[derive(Debug, clap::Args)]
pub(super) struct ResultsArguments {
    /// A study file, a file of scores (CSV, TSV, JSON lines, JSON), or another tool's results; - is
    /// the standard input
    pub(super) results: PathBuf,
    #[command(flatten)]
    pub(super) foreign: ForeignArguments,
    #[command(flatten)]
    pub(super) scores: ScoresArguments,
    /// Which scores are better (default: maximize)
    #[arg(long, value_name = "maximize|minimize", conflicts_with = "minimize")]
    pub(super) direction: Option<Direction>,
}

/// Results that were read: those of the arms that were asked for, in that order.
pub(super) struct Results {
    /// The evaluations, with failures and all columns.
    pub(super) records: Records,
    /// What the score is called, for people. The records may call it otherwise.
    pub(super) metric: String,
    /// Which scores are better.
    pub(super) direction: Direction,
    /// The study that they are of.
    pub(super) study: Option<Box<Recorded>>,
    /// What should be said of them beside what follows from them, a line each.
    pub(super) notices: Vec<String>,
}

impl ResultsArguments {
    /// Reads the results.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read, a row is no evaluation, an arm is unknown, or a flag
    /// contradicts a study.
    pub(super) fn read(&self) -> Result<Results, Failure> {
        self.read_with(&[])
    }

    /// Reads the results together with further logs of answers.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`Failure`] if there are further files and these are no such
    /// logs, or not all of the same tool.
    pub(super) fn read_with(&self, more: &[PathBuf]) -> Result<Results, Failure> {
        self.read_as(more, true)
    }

    /// The same of evaluations alone: a file of scores with failures is refused.
    ///
    /// # Errors
    /// As [`read_with`](Self::read_with), for a study, and for a failure in a file of scores.
    pub(super) fn read_scored(&self, more: &[PathBuf]) -> Result<Results, Failure> {
        if is_study(&self.results) {
            return Err(Failure::Usage(format!(
                "{} is a study, whose belief is its own: see `fiesta status` or `fiesta report`; for another posterior, `fiesta export` it to a file first",
                self.results.display()
            )));
        }
        self.read_as(more, false)
    }

    fn read_as(&self, more: &[PathBuf], keep_failures: bool) -> Result<Results, Failure> {
        let results = match (is_study(&self.results), self.foreign.tool()) {
            _ if !more.is_empty() => self.of_files(more)?,
            (true, None) => {
                self.foreign.refuse()?;
                read_study(self)?
            }
            (_, Some(tool)) => self.of_tool(tool, None)?,
            (false, None) => self.of_file(keep_failures)?,
        };
        self.select(results)
    }

    /// The direction that the flags ask for, if any.
    fn asked_direction(&self) -> Option<Direction> {
        let minimize = self.scores.minimize.then_some(Direction::Minimize);
        self.direction.or(minimize)
    }

    /// A file that says itself what it is.
    fn of_file(&self, keep_failures: bool) -> Result<Results, Failure> {
        let input = Input::read(&self.results)?;
        if let Some(tool) = input.tool() {
            return self.of_tool(tool, Some(input));
        }
        self.foreign.refuse()?;
        self.of_scores(&input, keep_failures)
    }

    /// Several logs of answers.
    fn of_files(&self, more: &[PathBuf]) -> Result<Results, Failure> {
        let paths: Vec<&Path> = iter::once(&self.results)
            .chain(more)
            .map(PathBuf::as_path)
            .collect();
        if paths.contains(&Path::new("-")) {
            return Err(Failure::Usage(
                "the standard input cannot be one of several files: name files alone".to_owned(),
            ));
        }
        let tool = match self.foreign.tool() {
            Some(tool) => tool,
            None => common_tool(&paths)?,
        };
        self.scores
            .refuse_paired_rows("the trials of other tools share none")?;
        let imported = import::read_files(&paths, tool, &self.foreign.options(&self.scores))?;
        self.of_import(imported)
    }

    fn of_scores(&self, input: &Input, keep_failures: bool) -> Result<Results, Failure> {
        let options = ReadOptions {
            metric: self.scores.metric.clone(),
            bounds: self.scores.bounds,
            keep_failures,
            keep_columns: true,
            paired_rows: self.scores.paired_rows,
        };
        let records = records::read_from(&input.bytes[..], input.format, &options, &input.name)?;
        Ok(Results {
            metric: records.metric().to_owned(),
            records,
            direction: self.asked_direction().unwrap_or_default(),
            study: None,
            notices: Vec::new(),
        })
    }

    /// Another tool's results, of which the bytes may be known.
    fn of_tool(&self, tool: Tool, input: Option<Input>) -> Result<Results, Failure> {
        self.scores
            .refuse_paired_rows("the trials of other tools share none")?;
        let options = self.foreign.options(&self.scores);
        let imported = match input {
            // A database is read where it is.
            // So are logs, whose folders have a say in the names of arms.
            _ if (tool == Tool::Optuna || tool.logs_answers())
                && self.results != Path::new("-") =>
            {
                import::read(&self.results, tool, &options)?
            }
            Some(input) => import::read_bytes(&input.bytes, tool, &options, &input.name)?,
            None => {
                let input = Input::read(&self.results)?;
                import::read_bytes(&input.bytes, tool, &options, &input.name)?
            }
        };
        self.of_import(imported)
    }

    fn of_import(&self, imported: Imported) -> Result<Results, Failure> {
        let asked = self.asked_direction();
        if let (Some(says), Some(asked)) = (imported.direction, asked)
            && says != asked
        {
            return Err(Failure::Usage(format!(
                "{} says that its studies are to {}: leave --direction and --minimize out",
                self.results.display(),
                word(says),
            )));
        }
        Ok(Results {
            metric: imported.records.metric().to_owned(),
            direction: imported.direction.or(asked).unwrap_or_default(),
            records: imported.records,
            study: None,
            notices: imported.notices,
        })
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

/// The tool that wrote all of several files.
fn common_tool(paths: &[&Path]) -> Result<Tool, Failure> {
    let mut first: Option<(Tool, &Path)> = None;
    for path in paths {
        let tool = Input::read(path)?.tool().ok_or_else(|| {
            Failure::Usage(format!(
                "{} is no other tool's log, and several files are read together only if all are: name the tool with --from",
                path.display()
            ))
        })?;
        match first {
            Some((known, of)) if known != tool => {
                return Err(Failure::Usage(format!(
                    "{} is of {known} and {} of {tool}: import the logs of each tool by themselves",
                    of.display(),
                    path.display()
                )));
            }
            _ => first = Some((tool, path)),
        }
    }
    first
        .map(|(tool, _)| tool)
        .ok_or_else(|| Failure::Usage("there is no file to read".to_owned()))
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Maximize => "maximize",
        Direction::Minimize => "minimize",
    }
}

/// Whether this is a study file, by its extension.
fn is_study(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}
