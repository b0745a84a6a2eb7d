//! Studies: one selection problem, from its TOML file.

mod command;
mod error;
mod file;
mod fingerprint;
mod parse;

pub use error::{Place, StudyError};
pub use fingerprint::{Change, changes};

use crate::{
    executor::{RunId, RunSpec},
    gpu::{GpusPerJob, Lease, VISIBLE_DEVICES},
};
use command::Command;
use fiesta_core::{
    ArmId, Arms, Design, Evaluation, Limits, Metric, Selector, SelectorError, StoppingRule,
};
use fiesta_policies::{Parameters, by_name as policy_by_name, stopping};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// A checked study: what is compared, how, until when, and with what.
#[derive(Debug)]
pub struct Study {
    name: String,
    path: PathBuf,
    directory: PathBuf,
    metric: Metric,
    arms: Arms,
    jobs: Vec<Job>,
    /// How sure the study wants to be.
    pub confidence: Option<f64>,
    /// What it may spend.
    pub limits: Limits,
    /// Whether the limit of evaluations is the default and not the user's.
    pub capped_by_default: bool,
    /// Which splits evaluations get.
    pub design: Design,
    /// The policy's name; never `auto`, but what that stands for.
    pub policy: String,
    /// The posterior's name.
    pub posterior: String,
    parameters: Parameters,
    stopping: (String, Option<stopping::Parameters>),
    /// How many jobs run at once.
    pub parallel: usize,
    /// The seed of every random choice.
    pub seed: u64,
    /// How long a job may take.
    pub timeout: Option<Duration>,
    /// How long a job has between the polite signal and the other one.
    pub grace: Duration,
    /// How often a run that the infrastructure lost is tried again.
    pub retries: u32,
    /// The GPUs to use, if the file names them.
    pub gpus: Option<Vec<String>>,
    fingerprint: serde_json::Value,
}

/// How an arm is evaluated.
#[derive(Debug)]
struct Job {
    command: Command,
    environment: BTreeMap<String, String>,
    gpus: Option<GpusPerJob>,
    cost: Option<f64>,
}

impl Study {
    /// Reads and checks a study file.
    ///
    /// # Errors
    /// [`StudyError`] with the file, the line and what to do, if it cannot be read or something in it is
    /// wrong.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let unreadable = |source| StudyError::Read {
            path: path.to_owned(),
            source,
        };
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let absolute = fs::canonicalize(path).map_err(unreadable)?;
        parse::parse(&text, path, &absolute)
    }

    /// The study's name, also the beginning of every run's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The study file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the study's commands start: the directory of the study file.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the ledger and the runs are kept: beside `study.toml`, in `study.fiesta`.
    pub fn state_directory(&self) -> PathBuf {
        self.path.with_extension("fiesta")
    }

    /// What is measured.
    pub fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The candidates.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// The study as recorded in its ledger, to notice changes.
    pub fn fingerprint(&self) -> &serde_json::Value {
        &self.fingerprint
    }

    /// A selector for this study, at its beginning.
    ///
    /// # Errors
    /// [`SelectorError`] never for a checked study.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn selector(&self) -> Result<Selector, SelectorError> {
        let posterior = fiesta_posterior::by_name(&self.posterior, self.arms.len())
            .expect("the posterior's name was checked");
        let policy =
            policy_by_name(&self.policy, &self.parameters).expect("the policy was checked");
        let stopping: Box<dyn StoppingRule> = match &self.stopping {
            (name, Some(parameters)) => {
                stopping::by_name(name, parameters).expect("the stopping rule was checked")
            }
            (_, None) => Box::new(stopping::Never),
        };
        Selector::builder(self.arms.clone(), posterior, policy, stopping)
            .design(self.design)
            .limits(self.limits)
            .seed(self.seed)
            .build()
    }

    /// Where the runs' directories are.
    pub fn runs_directory(&self) -> PathBuf {
        self.state_directory().join("runs")
    }

    /// The name of an attempt at an evaluation.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn run_id(&self, evaluation: &Evaluation, attempt: u32) -> RunId {
        RunId::new(&self.name, evaluation.id.0, attempt).expect("the study's name was checked")
    }

    /// What to run for an evaluation, in a directory of its own below `runs`.
    ///
    /// Commands start in the directory of the study file, and programs with a path are sought from there.
    pub fn run_spec(
        &self,
        id: RunId,
        runs: &Path,
        evaluation: &Evaluation,
        lease: Option<&Lease>,
    ) -> RunSpec {
        let mut command = self.command(evaluation);
        if let Some(program) = command.first_mut()
            && program.contains('/')
        {
            *program = self
                .directory
                .join(&*program)
                .to_string_lossy()
                .into_owned();
        }
        let mut environment = self.environment(evaluation);
        if let Some(lease) = lease {
            environment.push((VISIBLE_DEVICES.to_owned(), lease.visible_devices()));
        }
        RunSpec {
            directory: runs.join(id.as_str()),
            id,
            command,
            environment,
            working_directory: self.directory.clone(),
            wall_limit: self.timeout,
            grace: self.grace,
        }
    }

    /// The argument vector that evaluates an arm on a case.
    pub fn command(&self, evaluation: &Evaluation) -> Vec<String> {
        self.jobs[evaluation.arm.index()]
            .command
            .fill(self.arms.name(evaluation.arm), evaluation)
    }

    /// The environment of an evaluation's command, beside what it inherits.
    pub fn environment(&self, evaluation: &Evaluation) -> Vec<(String, String)> {
        let own = self.jobs[evaluation.arm.index()].environment.clone();
        let ours = [
            ("FIESTA_ARM", self.arms.name(evaluation.arm).to_owned()),
            ("FIESTA_SPLIT", evaluation.case.split.to_string()),
            ("FIESTA_SEED", evaluation.case.seed.to_string()),
        ];
        own.into_iter()
            .chain(ours.map(|(key, value)| (key.to_owned(), value)))
            .collect()
    }

    /// The GPUs of each of an arm's jobs; none if the study does not say.
    pub fn gpus_per_job(&self, arm: ArmId) -> Option<GpusPerJob> {
        self.jobs[arm.index()].gpus
    }

    /// What an evaluation of this arm costs, if the study file says so.
    pub fn cost(&self, arm: ArmId) -> Option<f64> {
        self.jobs[arm.index()].cost
    }

    /// The program that evaluates an arm, if it is the same for every evaluation.
    pub fn program(&self, arm: ArmId) -> Option<&str> {
        self.jobs[arm.index()].command.program()
    }
}
