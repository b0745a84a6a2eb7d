//! Results of any kind on the command line: a study, also while it runs, or evaluations that a file
//! holds.

mod foreign;

use super::{exit::Failure, scores::ScoresArguments};
use fiesta::{
    core::{ArmId, Direction},
    records::{
        self, ReadOptions, Records,
        import::{self, Tool},
    },
    report::analysis::unknown_arm,
    runner::{History, Study, status::current},
};
pub(super) use foreign::ForeignArguments;
use foreign::Input;
use std::path::{Path, PathBuf};

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

/// A study and what its ledger records.
pub(super) struct Recorded {
    pub(super) study: Study,
    pub(super) history: History,
}

impl ResultsArguments {
    /// Reads the results.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read, a row is no evaluation, an arm is unknown, or a flag
    /// contradicts a study.
    pub(super) fn read(&self) -> Result<Results, Failure> {
        let results = match (is_study(&self.results), self.foreign.tool()) {
            (true, None) => {
                self.foreign.refuse()?;
                self.of_study()?
            }
            (_, Some(tool)) => self.of_tool(tool, None)?,
            (false, None) => self.of_file()?,
        };
        self.select(results)
    }

    /// The direction that the flags ask for, if any.
    fn asked_direction(&self) -> Option<Direction> {
        let minimize = self.scores.minimize.then_some(Direction::Minimize);
        self.direction.or(minimize)
    }

    /// A file that says itself what it is.
    fn of_file(&self) -> Result<Results, Failure> {
        let input = Input::read(&self.results)?;
        if let Some(tool) = input.tool() {
            return self.of_tool(tool, Some(input));
        }
        self.foreign.refuse()?;
        self.of_scores(&input)
    }

    fn of_scores(&self, input: &Input) -> Result<Results, Failure> {
        let options = ReadOptions {
            metric: self.scores.metric.clone(),
            bounds: self.scores.bounds,
            keep_failures: true,
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
            _ if tool == Tool::Optuna && self.results != Path::new("-") => {
                import::read(&self.results, tool, &options)?
            }
            Some(input) => import::read_bytes(&input.bytes, tool, &options, &input.name)?,
            None => {
                let input = Input::read(&self.results)?;
                import::read_bytes(&input.bytes, tool, &options, &input.name)?
            }
        };
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

    fn of_study(&self) -> Result<Results, Failure> {
        let study = Study::read(&self.results)?;
        self.agrees_with(&study)?;
        let history = current(&study)?;
        let records = history.rows(&study)?;
        Ok(Results {
            records,
            metric: study.metric().name().to_owned(),
            direction: study.metric().direction(),
            notices: history.left_out(),
            study: Some(Box::new(Recorded { study, history })),
        })
    }

    /// Refuses flags that say something else than the study does.
    fn agrees_with(&self, study: &Study) -> Result<(), Failure> {
        let metric = study.metric();
        let given = self.scores.metric.as_deref().map(str::trim);
        if let Some(other) = given.filter(|other| *other != metric.name()) {
            return Err(Failure::Usage(format!(
                "the metric of this study is {}, not {other}: leave --metric out; for other keys of its results, `fiesta export` them to \
                 a file first",
                metric.name()
            )));
        }
        let direction = metric.direction();
        if self
            .asked_direction()
            .is_some_and(|asked| asked != direction)
        {
            return Err(Failure::Usage(format!(
                "this study is to {} {}: leave --direction and --minimize out",
                word(direction),
                metric.name()
            )));
        }
        self.scores
            .refuse_paired_rows("a study knows the split of every evaluation")?;
        if self.scores.bounds.is_some() {
            return Err(Failure::Usage(
                "bounds of a study's metric stand in its file: leave --bounds out".to_owned(),
            ));
        }
        Ok(())
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
