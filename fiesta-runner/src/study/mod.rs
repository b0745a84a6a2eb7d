//! Studies: one selection problem, from its TOML file.

mod cases;
mod command;
mod documents;
mod error;
mod file;
mod fingerprint;
mod lenience;
mod measure;
mod parse;
mod posterior;
mod search;

pub use documents::{Documents, DocumentsError};
pub use error::{Place, StudyError};
pub use fingerprint::{Change, changes};
pub use search::Search;

use crate::{
    executor::{RunId, RunSpec},
    gpu::{GpusPerJob, Lease, VISIBLE_DEVICES},
    score::Wanted,
};
use command::Command;
use fiesta_core::{
    ArmId, Arms, Case, Design, Evaluation, FBeta, Limits, Metric, Observation, Patience, Policy,
    Selector, SelectorError, StoppingRule,
};
use fiesta_policies::{
    Parameters, by_name as policy_by_name,
    random_search::{Setting, Trials},
    stopping,
};
use lenience::Lenience;
use measure::Measure;
use posterior::Posterior;
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
    measure: Measure,
    lenience: Lenience,
    documents: Option<Documents>,
    arms: Arms,
    jobs: Vec<Job>,
    search: Option<Search>,
    /// How sure the study wants to be.
    pub confidence: Option<f64>,
    /// What it may spend.
    pub limits: Limits,
    /// Whether the limit of evaluations is the default and not the user's.
    pub capped_by_default: bool,
    /// Which splits or documents evaluations get.
    pub design: Design,
    /// The policy's name; never `auto`, but what that stands for.
    pub policy: String,
    posterior: Posterior,
    parameters: Parameters,
    stopping: Stopping,
    /// How many jobs run at once.
    pub parallel: usize,
    /// The seed of every random choice.
    pub seed: u64,
    /// How long a job may take.
    pub timeout: Option<Duration>,
    /// How long a job may go on without printing anything.
    pub silence: Option<Duration>,
    /// How long a job has between the polite signal and the other one.
    pub grace: Duration,
    /// How often a run that the infrastructure lost is tried again.
    pub retries: u32,
    /// The GPUs to use, if the file names them.
    pub gpus: Option<Vec<String>>,
    fingerprint: serde_json::Value,
}

/// When the study stops because enough is known.
#[derive(Debug)]
struct Stopping {
    /// The rule's name.
    name: String,
    /// None if the study ends by its budget alone.
    parameters: Option<stopping::Parameters>,
    /// How many documents the two best arms must have before.
    at_least: Option<u64>,
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
        &self.measure.metric
    }

    /// The F-measure of a study whose evaluations report confusion counts.
    pub fn f_beta(&self) -> Option<FBeta> {
        self.measure.counts
    }

    /// What its evaluations are to report.
    pub fn wanted(&self) -> Wanted<'_> {
        match self.measure.counts {
            Some(_) => Wanted::Counts,
            None => match self.lenience.not_finite {
                Some(score) => Wanted::ScoreOr(&self.measure.metric, score),
                None => Wanted::Score(&self.measure.metric),
            },
        }
    }

    /// Whether the result of a command that ended with this code counts.
    pub fn accepts_exit(&self, code: i32) -> bool {
        self.lenience.exit_codes.contains(&code)
    }

    /// The posterior's name.
    pub fn posterior(&self) -> &str {
        &self.posterior.name
    }

    /// Whether arms are compared by the mean of their documents' F-measures, and not by the F-measure of all documents' counts, though
    /// counts are reported.
    pub fn is_of_mean_f(&self) -> bool {
        self.measure.counts.is_some() && self.posterior.is_of_means()
    }

    /// The documents of a study of documents.
    pub fn documents(&self) -> Option<&Documents> {
        self.documents.as_ref()
    }

    /// The identity of the document that is a case, in a study of documents.
    pub fn document(&self, case: &Case) -> Option<&str> {
        Some(self.documents.as_ref()?.id(case.split))
    }

    /// A case in words: its split or its document.
    pub fn words(&self, case: &Case) -> String {
        match self.document(case) {
            Some(id) => format!("document {id}"),
            None => format!("split {}", case.split),
        }
    }

    /// The random search, if the study is one.
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// The setting of hyperparameters with which an evaluation is made; empty unless the study is a random search.
    pub fn setting(&self, evaluation: &Evaluation) -> Setting {
        let space = self
            .search
            .as_ref()
            .map(|search| search.space(evaluation.arm));
        space.map_or_else(Setting::default, |space| {
            space.setting(evaluation.case.seed)
        })
    }

    /// What an evaluation is made on, and with, in words: its split or document, and in a random search its setting.
    pub fn describe(&self, evaluation: &Evaluation) -> String {
        let words = self.words(&evaluation.case);
        match self.setting(evaluation) {
            setting if setting.is_empty() => words,
            setting if self.design == Design::Fixed => setting.to_string(),
            setting => format!("{words}, {setting}"),
        }
    }

    /// The most evaluations that the study can make: its limit, every document or every trial for every arm.
    pub fn most_evaluations(&self) -> Option<u64> {
        let every_document = self.documents.as_ref().map(|documents| {
            let (documents, arms) = (documents.len() as u64, self.arms.len() as u64);
            documents.saturating_mul(arms)
        });
        let every_trial = self.search.as_ref().map(|search| {
            let arms = self.arms.len() as u64;
            search.trials().saturating_mul(arms)
        });
        let all = [self.limits.evaluations, every_document, every_trial];
        all.into_iter().flatten().min()
    }

    /// The candidates.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// The study as recorded in its ledger, to notice changes.
    pub fn fingerprint(&self) -> &serde_json::Value {
        &self.fingerprint
    }

    /// A short number that stands for the study as recorded in its ledger: another one for another study.
    pub fn digest(&self) -> String {
        documents::Digest::of(self.fingerprint.to_string().as_bytes()).to_string()
    }

    /// A selector for this study, at its beginning.
    ///
    /// # Errors
    /// [`SelectorError`] never for a checked study.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn selector(&self) -> Result<Selector<Observation>, SelectorError> {
        let posterior = self.posterior.build(self.arms.len());
        let stopping = self.stopping.rule(self.measure.counts.unwrap_or_default());
        let (policy, patience): (Box<dyn Policy>, _) = if let Some(search) = &self.search {
            (Box::new(Trials::new(search.trials())), search::PATIENCE)
        } else {
            let policy = policy_by_name(&self.policy, &self.parameters);
            (policy.expect("the policy was checked"), Patience::default())
        };
        Selector::builder(self.arms.clone(), posterior, policy, stopping)
            .design(self.design)
            .patience(patience)
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
        setting: &Setting,
        lease: Option<&Lease>,
    ) -> RunSpec {
        let directory = runs.join(id.as_str());
        let mut command = self.command(evaluation, setting, &directory);
        if let Some(program) = command.first_mut()
            && program.contains('/')
        {
            *program = self
                .directory
                .join(&*program)
                .to_string_lossy()
                .into_owned();
        }
        let mut environment = self.environment(evaluation, setting, &directory);
        if let Some(lease) = lease {
            environment.push((VISIBLE_DEVICES.to_owned(), lease.visible_devices()));
        }
        RunSpec {
            directory,
            id,
            command,
            environment,
            working_directory: self.directory.clone(),
            wall_limit: self.timeout,
            silence: self.silence,
            grace: self.grace,
        }
    }

    /// The argument vector that evaluates an arm on a case, for a run that has this directory.
    pub fn command(&self, evaluation: &Evaluation, setting: &Setting, run: &Path) -> Vec<String> {
        let arm = self.arms.name(evaluation.arm);
        let values = self.values(&evaluation.case, run);
        let of_case = |word: &str| values.iter().find(|(name, _)| *name == word);
        let value = |word: &str| match (word, of_case(word)) {
            ("arm", _) => arm.to_owned(),
            (_, Some((_, value))) => value.clone(),
            (word, None) => setting
                .get(word)
                .map_or_else(String::new, ToString::to_string),
        };
        self.jobs[evaluation.arm.index()].command.fill(value)
    }

    /// What a command may know of its case, by the names of the placeholders.
    fn values(&self, case: &Case, run: &Path) -> Vec<(&'static str, String)> {
        let mut values = match &self.documents {
            Some(documents) => {
                let path = documents.path(case.split, run);
                vec![
                    ("document", path.to_string_lossy().into_owned()),
                    ("document_id", documents.id(case.split).to_owned()),
                ]
            }
            None => vec![("split", case.split.to_string())],
        };
        values.push(("seed", case.seed.to_string()));
        values
    }

    /// The environment of an evaluation's command, beside what it inherits, for a run that has this directory.
    ///
    /// A hyperparameter `lr` is `FIESTA_HP_lr`, and the whole setting is `FIESTA_SETTING`, as a JSON object.
    pub fn environment(
        &self,
        evaluation: &Evaluation,
        setting: &Setting,
        run: &Path,
    ) -> Vec<(String, String)> {
        let own = self.jobs[evaluation.arm.index()].environment.clone();
        let arm = ("arm", self.arms.name(evaluation.arm).to_owned());
        let ours = [arm].into_iter().chain(self.values(&evaluation.case, run));
        let drawn = setting
            .iter()
            .map(|(name, value)| (format!("FIESTA_HP_{name}"), value.to_string()));
        let whole = (!setting.is_empty()).then(|| {
            let object = serde_json::json!(setting).to_string();
            ("FIESTA_SETTING".to_owned(), object)
        });
        own.into_iter()
            .chain(ours.map(|(word, value)| (format!("FIESTA_{}", word.to_uppercase()), value)))
            .chain(drawn)
            .chain(whole)
            .collect()
    }

    /// A variable that an arm's own table sets.
    pub(crate) fn own_variable(&self, arm: ArmId, name: &str) -> Option<&str> {
        let environment = &self.jobs[arm.index()].environment;
        environment.get(name).map(String::as_str)
    }

    /// Puts the document of a case where a run that has this directory expects it; nothing to do where documents have files of their
    /// own, or there are none.
    pub(crate) fn place_document(&self, case: &Case, run: &Path) -> Result<(), DocumentsError> {
        match &self.documents {
            Some(documents) => documents.place(case.split, run),
            None => Ok(()),
        }
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

impl Stopping {
    /// That of a study which ends by itself.
    fn none() -> Self {
        Self {
            name: search::NONE.to_owned(),
            parameters: None,
            at_least: None,
        }
    }

    /// The rule; `f_beta` is the F-measure of counts, for rules on scores.
    fn rule(&self, f_beta: FBeta) -> Box<dyn StoppingRule<Observation>> {
        let Some(parameters) = &self.parameters else {
            return Box::new(stopping::Never);
        };
        let rule = stopping::by_name(&self.name, parameters);
        let rule = stopping::OfScores {
            rule: rule.expect("the stopping rule was checked"),
            f_beta,
        };
        match self.at_least {
            Some(evaluations) => Box::new(stopping::AtLeast { evaluations, rule }),
            None => Box::new(rule),
        }
    }
}
