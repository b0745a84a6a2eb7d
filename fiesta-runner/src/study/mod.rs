//! Studies: one selection problem, from its TOML file.

mod command;
mod error;
mod file;
mod fingerprint;

pub use error::{Place, StudyError};
pub use fingerprint::{Change, changes};

use crate::{
    executor::{RunId, RunSpec},
    gpu::{GpusPerJob, Lease, VISIBLE_DEVICES},
};
use command::{Command, PLACEHOLDERS};
use error::{Source, nearest};
use fiesta_core::{
    ArmId, Arms, Design, Evaluation, Limits, Metric, Selector, SelectorError, StoppingRule,
};
use fiesta_policies::{Parameters, by_name as policy_by_name, stopping};
use file::{Amount, ArmTable, BudgetTable, GpuName, StudyFile};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use toml::Spanned;

/// Evaluations per arm after which a study without a budget of evaluations ends.
const CAP_PER_ARM: u64 = 100;
/// How long a job has between the polite signal and the other one.
const GRACE: Duration = Duration::from_secs(10);

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
    /// The policy's name.
    pub policy: String,
    /// The posterior's name.
    pub posterior: String,
    parameters: Parameters,
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
        Self::parse(&text, path, &absolute)
    }

    fn parse(text: &str, shown: &Path, absolute: &Path) -> Result<Self, StudyError> {
        let source = Source { path: shown, text };
        let file: StudyFile = toml::from_str(text).map_err(|error| source.not_toml(&error))?;
        let fingerprint = serde_json::to_value(&file)
            .map_err(|error| source.wrong(None, format!("cannot be written down: {error}")))?;
        check_name(&source, &file.name)?;
        let metric = metric(&source, &file)?;
        let arms = arms(&source, &file.arm)?;
        let jobs = jobs(&source, &file)?;
        let (limits, capped_by_default) = limits(&source, file.goal.budget.as_ref(), arms.len())?;
        let confidence = match (&file.goal.confidence, &file.goal.budget) {
            (Some(confidence), _) => {
                let span = Some(confidence.span());
                stopping::PosteriorThreshold::new(*confidence.get_ref())
                    .map_err(|error| source.wrong(span, format!("confidence: {error}")))?;
                Some(*confidence.get_ref())
            }
            (None, None) => Some(0.95),
            (None, Some(_)) => None,
        };
        let design = &file.design;
        let (policy, policy_span) = named(design.policy.as_ref(), "auto");
        let (posterior, posterior_span) = named(design.posterior.as_ref(), "pooled");
        let (rule, rule_span) = named(design.stopping.as_ref(), "posterior");
        if rule != "posterior" {
            let message = format!("there is no stopping rule `{rule}`: use posterior");
            return Err(source.wrong(rule_span, message));
        }
        let parallel = match &design.parallel {
            None => 1,
            Some(parallel) if *parallel.get_ref() == 0 => {
                return Err(source.wrong(Some(parallel.span()), "parallel must be at least 1"));
            }
            Some(parallel) => *parallel.get_ref(),
        };
        let parameters = Parameters {
            arms: arms.len(),
            budget: (!capped_by_default).then_some(limits.evaluations).flatten(),
            #[allow(clippy::cast_possible_truncation, reason = "no machine runs so many jobs")]
            batch: design.batch.unwrap_or(parallel as u32),
            extended: design.extended,
            beta: design.beta,
        };
        policy_by_name(&policy, &parameters).map_err(|error| source.wrong(policy_span, error))?;
        fiesta_posterior::by_name(&posterior, arms.len())
            .map_err(|error| source.wrong(posterior_span, error))?;
        let (kind, kind_span) = named(file.executor.kind.as_ref(), "local");
        if kind != "local" {
            let message = format!("there is no executor `{kind}`: use local");
            return Err(source.wrong(kind_span, message));
        }
        let resources = &file.resources;
        let duration = |text: &Spanned<String>, key| duration(&source, text, key);
        Ok(Self {
            timeout: resources.timeout.as_ref().map(|t| duration(t, "timeout")).transpose()?,
            grace: resources.grace.as_ref().map_or(Ok(GRACE), |t| duration(t, "grace"))?,
            retries: resources.retries.unwrap_or(1),
            gpus: file.executor.gpus.as_ref().map(|gpus| gpu_names(gpus.get_ref())),
            name: file.name.get_ref().clone(),
            path: absolute.to_owned(),
            directory: absolute.parent().unwrap_or(Path::new("/")).to_owned(),
            metric,
            arms,
            jobs,
            confidence,
            limits,
            capped_by_default,
            design: design.splits,
            policy,
            posterior,
            parameters,
            parallel,
            seed: design.seed,
            fingerprint,
        })
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
        let stopping: Box<dyn StoppingRule> = match self.confidence {
            Some(level) => Box::new(
                stopping::PosteriorThreshold::new(level).expect("the confidence was checked"),
            ),
            None => Box::new(stopping::Never),
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
            *program = self.directory.join(&*program).to_string_lossy().into_owned();
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
        self.jobs[evaluation.arm.index()].command.fill(self.arms.name(evaluation.arm), evaluation)
    }

    /// The environment of an evaluation's command, beside what it inherits.
    pub fn environment(&self, evaluation: &Evaluation) -> Vec<(String, String)> {
        let own = self.jobs[evaluation.arm.index()].environment.clone();
        let ours = [
            ("FIESTA_ARM", self.arms.name(evaluation.arm).to_owned()),
            ("FIESTA_SPLIT", evaluation.case.split.to_string()),
            ("FIESTA_SEED", evaluation.case.seed.to_string()),
        ];
        own.into_iter().chain(ours.map(|(key, value)| (key.to_owned(), value))).collect()
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

fn named<'a>(
    name: Option<&'a Spanned<String>>,
    default: &'a str,
) -> (String, Option<std::ops::Range<usize>>) {
    match name {
        Some(name) => (name.get_ref().clone(), Some(name.span())),
        None => (default.to_owned(), None),
    }
}

fn check_name(source: &Source<'_>, name: &Spanned<String>) -> Result<(), StudyError> {
    RunId::new(name.get_ref(), u64::MAX, u32::MAX).map(drop).map_err(|_| {
        let message = format!(
            "the study's name `{}` begins the names of its runs: use letters, digits, `.`, `_` and `-`, at most 150",
            name.get_ref()
        );
        source.wrong(Some(name.span()), message)
    })
}

fn metric(source: &Source<'_>, file: &StudyFile) -> Result<Metric, StudyError> {
    let bounds = file.metric.bounds.as_ref();
    let pair = bounds.map(|bounds| (bounds.get_ref()[0], bounds.get_ref()[1]));
    Metric::new(file.metric.name.clone(), file.metric.direction, pair)
        .map_err(|error| source.wrong(bounds.map(Spanned::span), error))
}

fn arms(source: &Source<'_>, tables: &[ArmTable]) -> Result<Arms, StudyError> {
    Arms::new(tables.iter().map(|arm| arm.name.get_ref().clone())).map_err(|error| {
        // The last arm of that name is the one that came too much.
        let named = |name: &String| {
            tables.iter().rev().find(|arm| arm.name.get_ref() == name).map(|arm| arm.name.span())
        };
        let (span, advice) = match &error {
            fiesta_core::ArmsError::None => (None, "; add [[arm]] tables with a name each"),
            fiesta_core::ArmsError::One(name) => (named(name), "; add another [[arm]] table"),
            fiesta_core::ArmsError::Duplicate(name) => (named(name), ""),
            fiesta_core::ArmsError::Empty(number) => (Some(tables[number - 1].name.span()), ""),
            _ => (None, ""),
        };
        source.wrong(span, format!("{error}{advice}"))
    })
}

fn jobs(source: &Source<'_>, file: &StudyFile) -> Result<Vec<Job>, StudyError> {
    file.arm.iter().map(|arm| job(source, file, arm)).collect()
}

fn job(source: &Source<'_>, file: &StudyFile, arm: &ArmTable) -> Result<Job, StudyError> {
    let name = arm.name.get_ref();
    let Some(command) = arm.command.as_ref().or(file.command.as_ref()) else {
        let message = format!(
            "the arm `{name}` has no command: give one in its table, or one for all arms at the top"
        );
        return Err(source.wrong(Some(arm.name.span()), message));
    };
    if command.get_ref().first().is_none_or(String::is_empty) {
        let message = "the command is empty: its first element is the program";
        return Err(source.wrong(Some(command.span()), message));
    }
    let gpus = arm.gpus_per_job.as_ref().or(file.resources.gpus_per_job.as_ref());
    let gpus = gpus
        .map(|gpus| {
            GpusPerJob::new(*gpus.get_ref()).map_err(|error| source.wrong(Some(gpus.span()), error))
        })
        .transpose()?;
    if let Some(cost) = &arm.cost
        && !(cost.get_ref().is_finite() && *cost.get_ref() >= 0.0)
    {
        return Err(source.wrong(Some(cost.span()), "the cost must be a number from zero upwards"));
    }
    let span = command.span();
    let command = Command::parse(command.get_ref()).map_err(|unknown| {
        let near = nearest(&unknown, &PLACEHOLDERS)
            .map_or_else(String::new, |near| format!(", did you mean {{{near}}}?"));
        let message = format!(
            "unknown placeholder {{{unknown}}} in the command{near} (known: {{arm}}, {{split}}, {{seed}}; write {{{{{unknown}}}}} for the braces themselves)"
        );
        source.wrong(Some(span), message)
    })?;
    Ok(Job {
        command,
        environment: arm.env.clone(),
        gpus,
        cost: arm.cost.as_ref().map(|cost| *cost.get_ref()),
    })
}

fn limits(
    source: &Source<'_>,
    budget: Option<&BudgetTable>,
    arms: usize,
) -> Result<(Limits, bool), StudyError> {
    let mut limits = Limits::default();
    if let Some(budget) = budget {
        if let Some(evaluations) = &budget.evaluations {
            if *evaluations.get_ref() < arms as u64 {
                let message = format!(
                    "a budget of {} evaluations does not even give each of the {arms} arms one",
                    evaluations.get_ref()
                );
                return Err(source.wrong(Some(evaluations.span()), message));
            }
            limits.evaluations = Some(*evaluations.get_ref());
        }
        limits.wall = budget
            .wall
            .as_ref()
            .map(|wall| duration(source, wall, "wall"))
            .transpose()?
            .map(|wall| wall.as_secs_f64());
        limits.cost = budget.cost.as_ref().map(|cost| amount(source, cost)).transpose()?;
    }
    let capped_by_default = limits.evaluations.is_none();
    limits.evaluations = limits.evaluations.or(Some(CAP_PER_ARM * arms as u64));
    Ok((limits, capped_by_default))
}

fn amount(source: &Source<'_>, amount: &Spanned<Amount>) -> Result<f64, StudyError> {
    let span = Some(amount.span());
    let value = match amount.get_ref() {
        Amount::Number(number) => *number,
        Amount::Duration(text) => humantime::parse_duration(text)
            .map_err(|error| source.wrong(span.clone(), format!("cost = \"{text}\": {error}")))?
            .as_secs_f64(),
    };
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(source.wrong(span, "a budget of cost must be a number above zero or a duration"))
    }
}

fn duration(
    source: &Source<'_>,
    text: &Spanned<String>,
    key: &str,
) -> Result<Duration, StudyError> {
    humantime::parse_duration(text.get_ref()).map_err(|error| {
        let message = format!(
            "{key} = \"{}\" is no duration ({error}): write for example \"90s\", \"15m\" or \"2h 30m\"",
            text.get_ref()
        );
        source.wrong(Some(text.span()), message)
    })
}

fn gpu_names(gpus: &[GpuName]) -> Vec<String> {
    gpus.iter()
        .map(|gpu| match gpu {
            GpuName::Index(index) => index.to_string(),
            GpuName::Id(id) => id.clone(),
        })
        .collect()
}
