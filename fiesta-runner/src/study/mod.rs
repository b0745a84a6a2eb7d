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
mod recorded;
mod search;
mod terms;
mod worker;

pub use documents::{Documents, DocumentsError};
pub use error::{Place, StudyError};
pub use fingerprint::{Change, Effect, changes};
pub use recorded::Origin;
pub use search::Search;
pub(crate) use terms::Terms;
pub use worker::Worker;

use crate::{
    executor::{RunId, RunSpec},
    gpu::{GpusPerJob, Lease},
    ledger::{self, Entry},
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
use serde_json::{Map, Value};
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
    worker: Option<Worker>,
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
    /// Whether GPUs are looked at before they are used: not while somebody else uses them, nor before the last run's
    /// memory is free again.
    pub watch_gpus: bool,
    recorded: Vec<Entry>,
    fingerprint: serde_json::Value,
}

/// When the study stops because enough is known.
#[derive(Debug)]
struct Stopping {
    /// The rule's name.
    name: String,
    /// None in a random search.
    parameters: Option<stopping::Parameters>,
}

/// How an arm is evaluated.
#[derive(Debug)]
struct Job {
    command: Command,
    environment: BTreeMap<String, String>,
    gpus: Option<GpusPerJob>,
    cost: Option<f64>,
    /// Whether the command is of this arm alone, if it is that of a worker.
    is_of_arm: bool,
}

impl Study {
    /// Reads and checks a study file. Its arms are numbered as in its ledger, if it has one: arms that were added since come last.
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
        let begun = ledger::latest_study(&state_directory(&absolute));
        parse::parse(&text, path, &absolute, begun.as_ref())
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
        state_directory(&self.path)
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
        self.selector_under(&self.terms())
    }

    /// Among how many arms it is chosen, how sure the study is to become, and what it may spend.
    pub(crate) fn terms(&self) -> Terms {
        Terms::of(&self.fingerprint)
    }

    /// A selector for this study as it was under other terms, at its beginning.
    pub(crate) fn selector_under(
        &self,
        terms: &Terms,
    ) -> Result<Selector<Observation>, SelectorError> {
        let count = terms.arms.clamp(1, self.arms.len());
        let names = self.arms.names().iter().take(count);
        let arms = Arms::even_one(names).expect("they are arms of a checked study");
        let posterior = self.posterior.build(arms.len());
        let f_beta = self.measure.counts.unwrap_or_default();
        let stopping = self.stopping.rule(f_beta, terms, arms.len());
        let (policy, patience): (Box<dyn Policy>, _) = if let Some(trials) = terms.trials {
            (Box::new(Trials::new(trials)), search::PATIENCE)
        } else {
            let parameters = Parameters {
                arms: arms.len(),
                ..self.parameters.clone()
            };
            let policy = policy_by_name(&self.policy, &parameters);
            (policy.expect("the policy was checked"), Patience::default())
        };
        Selector::builder(arms, posterior, policy, stopping)
            .design(self.design)
            .patience(patience)
            .limits(terms.limits)
            .expected_costs(self.jobs.iter().map(|job| job.cost))
            .seed(self.seed)
            .build()
    }

    /// Evaluations that exist already, to be counted before any other. None where the ledger has them.
    pub(crate) fn recorded(&self) -> &[Entry] {
        &self.recorded
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
        let mut environment = match &self.worker {
            Some(_) => self.worker_environment(evaluation.arm),
            None => self.environment(evaluation, setting, &directory),
        };
        if let Some(lease) = lease {
            environment.extend(lease.environment());
        }
        let request = self.worker.as_ref();
        RunSpec {
            request: request.map(|_| self.request(evaluation, setting, &directory)),
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

    /// The environment of a worker, beside what it inherits: what differs from case to case is in the line of each case.
    fn worker_environment(&self, arm: ArmId) -> Vec<(String, String)> {
        let job = &self.jobs[arm.index()];
        let own = job.environment.clone().into_iter();
        let arm = ("FIESTA_ARM".to_owned(), self.arms.name(arm).to_owned());
        own.chain(job.is_of_arm.then_some(arm)).collect()
    }

    /// What a worker is asked for an evaluation whose run has this directory.
    fn request(
        &self,
        evaluation: &Evaluation,
        setting: &Setting,
        run: &Path,
    ) -> Map<String, Value> {
        let case = &evaluation.case;
        let mut request = Map::new();
        let mut tell = |key: &str, value: Value| request.insert(key.to_owned(), value);
        tell("arm", self.arms.name(evaluation.arm).into());
        match &self.documents {
            Some(documents) => {
                let path = documents.path(case.split, run);
                tell("document", path.to_string_lossy().into_owned().into());
                tell("document_id", documents.id(case.split).into());
            }
            None => {
                tell("split", case.split.into());
            }
        }
        tell("seed", case.seed.into());
        if !setting.is_empty() {
            tell("setting", serde_json::json!(setting));
        }
        request
    }

    /// The long-lived workers that answer the study's cases, if it has any.
    pub fn worker(&self) -> Option<&Worker> {
        self.worker.as_ref()
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

    /// The GPUs of each of an arm's jobs; none if the study does not say, or has workers, which keep theirs over many jobs.
    pub fn gpus_per_job(&self, arm: ArmId) -> Option<GpusPerJob> {
        self.jobs[arm.index()]
            .gpus
            .filter(|_| self.worker.is_none())
    }

    /// The GPUs of each of an arm's workers; none if the study does not say, or has no workers.
    pub fn gpus_per_worker(&self, arm: ArmId) -> Option<GpusPerJob> {
        self.jobs[arm.index()]
            .gpus
            .filter(|_| self.worker.is_some())
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

/// Where the ledger and the runs of a study file are.
fn state_directory(study: &Path) -> PathBuf {
    study.with_extension("fiesta")
}

impl Stopping {
    /// That of a study which ends by itself.
    fn none() -> Self {
        Self {
            name: search::NONE.to_owned(),
            parameters: None,
        }
    }

    /// The rule for so many arms under these terms; `f_beta` is the F-measure of counts, for rules on scores.
    fn rule(
        &self,
        f_beta: FBeta,
        terms: &Terms,
        arms: usize,
    ) -> Box<dyn StoppingRule<Observation>> {
        let (Some(parameters), Some(level)) = (&self.parameters, terms.confidence) else {
            return Box::new(stopping::Never);
        };
        let parameters = stopping::Parameters {
            level,
            tolerance: terms.tolerance,
            arms,
            ..*parameters
        };
        let Ok(rule) = stopping::by_name(&self.name, &parameters) else {
            // No checked study has such a level or tolerance; somebody has edited the ledger, and the decisions will differ.
            return Box::new(stopping::Never);
        };
        let rule = stopping::OfScores { rule, f_beta };
        match terms.min_documents {
            Some(evaluations) => Box::new(stopping::AtLeast { evaluations, rule }),
            None => Box::new(rule),
        }
    }
}
