//! Studies: selection problems as TOML files state them.

mod apart;
mod arms;
mod baseline;
mod benchmarks;
mod budget;
mod cases;
pub(crate) mod changes;
mod command;
mod constraints;
mod cost_unit;
mod design;
mod document;
mod engine;
mod environment;
mod error;
mod faults;
pub(crate) mod file;
mod functions;
mod goal;
mod identity;
mod inputs;
mod items;
mod job;
pub(crate) mod keys;
mod measure;
mod measures;
mod own;
mod parse;
pub(crate) mod placeholder;
mod posterior;
mod price;
mod recorded;
pub(crate) mod request;
mod run;
mod script;
mod search;
mod search_winner;
mod selector;
mod shapes;
mod stopping;
mod tables;
mod unnamed;
mod worker;

pub use baseline::{BaselineError, KeptBaseline};
#[doc(hidden)]
pub use budget::time_of;
#[doc(hidden)]
pub use changes::{Change, Evaluated, changes};
pub(crate) use changes::{Effect, OfArm, Paid};
pub(crate) use command::{Command as CommandTemplate, fill_placeholders};
pub use constraints::StudyConstraint;
pub(crate) use engine::ExecutorKind;
pub(crate) use error::FILL_IN;
pub(crate) use error::Place;
pub use error::StudyError;
pub(crate) use goal::Terms;
pub(crate) use identity::{AnswerKey, arm_digest, arms_digest, edited};
pub(crate) use items::PoolKey;
pub use items::{Items, ItemsError};
pub use measures::FurtherMeasure;
pub use own::{Part, PartsError};
pub(crate) use price::TokenPrices;
pub(crate) use script::setting_in_a_script;
pub use search::Search;
pub(crate) use search_winner::SearchWinner;
pub use selector::OwnParts;
#[doc(hidden)]
pub use unnamed::Unnamed;
pub(crate) use worker::Worker;

use crate::{
    executor::EngineKind,
    file_error::FileError,
    gpu::GpusPerJob,
    ledger::{Entry, Ledger},
    ordinary,
    policy::Trouble,
    run::RunId,
};
use fiesta_core::{ArmId, Arms, Case, CostUnit, Design, Evaluation, Foreign, Limits, Target};
use fiesta_policies::{Parameters, random_search::Setting, stopping::Distance};
use file::StudyFile;
use inputs::Input;
use job::Job;
use measure::{Lenience, Measure};
use own::{MakeParts, Method};
use posterior::PosteriorKind;
use price::Price;
use serde::{Serialize, Serializer};
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// A checked study: its arms, their jobs, its goal, and the methods that decide.
#[derive(Debug)]
pub struct Study {
    /// Content of the study file, with its defaults filled in.
    file: StudyFile,
    /// The path of the study file.
    pub path: PathBuf,
    /// The directory of the study file, in which the study's commands start.
    pub directory: PathBuf,
    measure: Measure,
    /// The measures of the study file, and after them the built-in ones that it does not list.
    measures: Vec<FurtherMeasure>,
    constraints: Vec<StudyConstraint>,
    lenience: Lenience,
    /// Design by which evaluations are assigned splits or items.
    pub design: Design,
    items: Option<Items>,
    /// Reason why no evaluation can be made, though the ledger can still be shown.
    items_gone: Option<Box<StudyError>>,
    arms: Arms,
    jobs: Vec<Job>,
    /// Files that make each arm what it is, by arm.
    inputs: Vec<Vec<Input>>,
    worker: Option<Worker>,
    search: Option<Search>,
    search_winner: Option<SearchWinner>,
    /// Terms of the study: the number of its arms and splits, how sure it is to become, and what it
    /// may spend.
    pub(crate) terms: Terms,
    posterior: PosteriorKind,
    /// The name of the posterior.
    posterior_name: String,
    policy_name: String,
    parameters: Parameters,
    /// The error of a policy that is a command.
    pub(crate) policy_trouble: Trouble,
    /// Maker of the program's own policy, posterior or stopping rule. `None` without any.
    make_parts: Option<MakeParts>,
    /// Number of jobs that may run at once.
    pub parallel: usize,
    timeout: Option<Duration>,
    /// Longest time for which a job may print nothing.
    pub(crate) silence: Option<Duration>,
    /// Time between the polite signal to a job and the signal that kills it.
    pub(crate) grace: Duration,
    /// The GPUs to use, if the file names them.
    pub(crate) gpus: Option<Vec<String>>,
    executor: ExecutorKind,
    /// Evaluations that exist already, to be counted before any other. None where the ledger has
    /// them.
    pub(crate) recorded: Vec<Entry>,
    /// Kept baseline with which the gate began. `None` without one.
    baseline: Option<KeptBaseline>,
    /// The study as recorded in its ledger, to notice changes.
    pub fingerprint: serde_json::Value,
}

/// Writes a study in the form in which its ledger records it.
impl Serialize for Study {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.file.serialize(to)
    }
}

impl Study {
    /// Reads and checks a study file. Its arms are numbered as in its ledger, if it has one: arms
    /// that were added since come last. Its jobs run on this machine, or are functions.
    ///
    /// # Errors
    /// [`StudyError`] with the file, the line and what to do, if it cannot be read or something in
    /// it is wrong.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        Self::read_with(path, &[])
    }

    /// Reads and checks a study file as [`read`](Self::read) does, whose jobs may also be carried
    /// out by an engine of these kinds.
    ///
    /// # Errors
    /// [`StudyError`] with the file, the line and what to do, if it cannot be read or something in
    /// it is wrong.
    pub fn read_with(path: &Path, kinds: &[EngineKind]) -> Result<Self, StudyError> {
        let text = ordinary::read_to_string(path).map_err(unreadable(path))?;
        let absolute = fs::canonicalize(path).map_err(unreadable(path))?;
        Self::of_file(&text, path, &absolute, kinds)
    }

    /// Makes the study of a file with this text.
    fn of_file(
        text: &str,
        path: &Path,
        absolute: &Path,
        kinds: &[EngineKind],
    ) -> Result<Self, StudyError> {
        if absolute.to_str().is_none() {
            return Err(StudyError::Wrong {
                place: Place {
                    path: path.to_owned(),
                    line: None,
                },
                message: format!(
                    "the path {} is not UTF-8, and jobs could not be told of theirs: give its directories other names",
                    absolute.display()
                ),
            });
        }
        let begun = Ledger::latest_study_at(&state_directory(absolute));
        parse::parse(text, Some(path), absolute, begun.as_ref(), kinds)
    }

    /// Returns the study's name, with which the name of every run begins.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Returns the directory that holds the ledger and the runs: beside `study.toml`,
    /// `study.fiesta`.
    pub fn state_directory(&self) -> PathBuf {
        state_directory(&self.path)
    }

    /// Checks that evaluations can be made. The ledger can be shown in any case.
    ///
    /// # Errors
    /// [`ItemsError`] with the words of the study file's mistake, if the file of the items cannot be
    /// read any more.
    pub(crate) fn can_be_run(&self) -> Result<(), ItemsError> {
        match &self.items_gone {
            Some(error) => Err(ItemsError::Unusable(error.to_string())),
            None => Ok(()),
        }
    }

    /// Writes the identities of the items to the study's state, in case their file is lost.
    pub(crate) fn keep_items(&self) {
        let is_of_file = !matches!(self.file.design.items, Some(file::ItemsEntry::List(_)));
        if let Some(items) = self.items.as_ref().filter(|_| is_of_file) {
            // Nothing but that depends on it.
            let _ = items.keep(&self.state_directory());
        }
    }

    /// Whether a result counts if the command ended with this exit code.
    pub fn accepts_exit(&self, code: i32) -> bool {
        self.lenience.exit_codes.contains(&code)
    }

    /// Returns how far below the best the named arm may be, in the unit of the scores. 0 if the
    /// study file states it in standard deviations.
    pub fn tolerance(&self) -> f64 {
        match self.terms.tolerance {
            Distance::Score(tolerance) => tolerance,
            Distance::Sd(_) => 0.0,
        }
    }

    /// Returns the limits of what the study may spend.
    pub fn limits(&self) -> Limits {
        self.terms.limits
    }

    /// Whether the limit of evaluations is the default and not the user's.
    pub fn capped_by_default(&self) -> bool {
        let is_endless = self.items.is_none() || self.repeats();
        budget::is_capped_by_default(&self.file.goal, !is_endless)
    }

    /// Whether answers to items vary, so that items are asked again.
    pub fn repeats(&self) -> bool {
        self.file.design.repeats() && self.items.is_some()
    }

    /// Whether all splits are used again, with other seeds, once all were used. What is compared is
    /// then the means over these splits.
    pub fn uses_splits_again(&self) -> bool {
        self.file.design.repeats() && self.items.is_none()
    }

    /// Returns the split of a case. In a study that uses splits again, the split is the remainder
    /// by their number. The first split of a study of splits may be another one than 0.
    pub fn split(&self, case: &Case) -> u64 {
        let split = match self.splits() {
            Some(count) if self.uses_splits_again() => case.split % count.max(1),
            _ => case.split,
        };
        split.saturating_add(self.first_split())
    }

    /// Returns the number of the first split, which is 0 unless the file says otherwise.
    pub(crate) fn first_split(&self) -> u64 {
        let splits = self.file.design.splits.as_ref();
        splits.map_or(0, |splits| splits["first"].as_u64().unwrap_or(0))
    }

    /// Returns the target of the verdict: the items of the pool, or items like these.
    pub fn target(&self) -> Target {
        self.file.goal.target.unwrap_or_default()
    }

    /// Returns the number of splits, which are numbered from the first one. `None` if there are any number, or
    /// items.
    pub fn splits(&self) -> Option<u64> {
        // `Cases::record` has put `splits` into one form: a table with `kind` and `count`, or only
        // a name. A name has no count.
        self.file.design.splits.as_ref()?["count"].as_u64()
    }

    /// Returns the stopping rule's name. Empty for a random search, which has none.
    pub fn stopping(&self) -> &str {
        self.file.design.stopping.as_ref().map_or("", Method::name)
    }

    /// Returns the policy's name: never `auto`, but what that stands for. A policy that is a
    /// command has its words as its name.
    pub fn policy(&self) -> &str {
        &self.policy_name
    }

    /// Returns the seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.file.design.seed
    }

    /// Returns how often a run that the infrastructure lost is tried again.
    pub fn retries(&self) -> u32 {
        self.file.resources.retries.unwrap_or(1)
    }

    /// Whether GPUs are looked at before they are used: not while somebody else uses them, nor
    /// before the last run's memory is free again.
    pub fn watch_gpus(&self) -> bool {
        self.file.executor.watch_gpus.unwrap_or(true)
    }

    /// Returns the name of the posterior that this program uses: the study's, or a stand-in if that
    /// belongs to another program.
    pub fn posterior(&self) -> &str {
        match &self.file.design.posterior {
            Some(Method::Own(own)) if self.make_parts.is_some() => &own.own,
            _ => &self.posterior_name,
        }
    }

    /// Whether the study compares arms by the mean of their documents' F-measures, instead of the
    /// F-measure of the summed counts.
    pub fn is_of_mean_f(&self) -> bool {
        self.measure.counts.is_some() && self.posterior.is_of_means()
    }

    /// Returns the pool of items. `None` in a study of splits.
    pub fn items(&self) -> Option<&Items> {
        self.items.as_ref()
    }

    /// Returns the identity of a case's item. `None` in a study of splits.
    pub fn item(&self, case: &Case) -> Option<&str> {
        Some(self.items.as_ref()?.id(case.split))
    }

    /// Describes a case by its split or its item.
    pub fn words(&self, case: &Case) -> String {
        match &self.items {
            Some(items) => {
                let id = Foreign::new(items.id(case.split));
                format!("{} {id}", items.key().noun())
            }
            None if self.uses_splits_again() => {
                format!("split {}, seed {}", self.split(case), case.seed)
            }
            None => format!("split {}", self.split(case)),
        }
    }

    /// The random search, if the study is one.
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// Returns the hyperparameters with which an evaluation is made. Empty unless the study is a
    /// random search.
    pub fn setting(&self, evaluation: &Evaluation) -> Setting {
        let space = self
            .search
            .as_ref()
            .map(|search| search.space(evaluation.arm));
        space.map_or_else(Setting::default, |space| {
            space.setting(evaluation.case.seed)
        })
    }

    /// What an evaluation is made on, and with, in words: its split or document, and in a random
    /// search its setting.
    pub fn describe(&self, evaluation: &Evaluation) -> String {
        let words = self.words(&evaluation.case);
        match self.setting(evaluation) {
            setting if setting.is_empty() => words,
            setting if self.design == Design::Fixed => setting.to_string(),
            setting => format!("{words}, {setting}"),
        }
    }

    /// Returns the number of evaluations with which every arm has had every split or item: arms
    /// times splits or items, or as many as splits where each evaluation has a split of its own.
    /// `None` if splits have no limit, or they are asked again.
    pub fn all_cases(&self) -> Option<u64> {
        let arms = self.arms.len() as u64;
        match (&self.items, self.terms.splits) {
            (Some(_), _) if self.repeats() => None,
            (Some(items), _) => Some(arms.saturating_mul(items.len() as u64)),
            (None, Some(splits)) if self.design == Design::Independent => Some(splits),
            (None, splits) => splits.map(|splits| splits.saturating_mul(arms)),
        }
    }

    /// The most evaluations that the study can make: its limit, or every split, document or trial
    /// for every arm.
    pub fn most_evaluations(&self) -> Option<u64> {
        let every_trial = self.search.as_ref().map(|search| {
            let arms = self.arms.len() as u64;
            search.trials().saturating_mul(arms)
        });
        let all = [self.terms.limits.evaluations, self.all_cases(), every_trial];
        all.into_iter().flatten().min()
    }

    /// Returns the candidates of the study.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }

    /// Returns a short digest of the study as its ledger records it.
    pub fn digest(&self) -> String {
        items::Digest::of(self.fingerprint.to_string().as_bytes()).to_string()
    }

    /// Returns the directory that holds the runs' directories.
    pub fn runs_directory(&self) -> PathBuf {
        self.state_directory().join("runs")
    }

    /// The directory of a run.
    pub fn run_directory(&self, run: &RunId) -> PathBuf {
        self.runs_directory().join(run.as_str())
    }

    /// Returns the directory that holds the directories of the study's workers, if it has workers.
    pub(crate) fn workers_directory(&self) -> PathBuf {
        self.state_directory().join("workers")
    }

    /// The long-lived workers that answer the study's cases, if it has any.
    pub fn worker(&self) -> Option<&Worker> {
        self.worker.as_ref()
    }

    /// Returns the value of a variable that the study file sets for an arm.
    pub(crate) fn own_variable(&self, arm: ArmId, name: &str) -> Option<OsString> {
        let variables = environment::texts(&self.jobs[arm.index()].environment);
        let own = variables.filter(|(key, _)| key == name).last();
        let of_caller = || {
            let variables = self.caller_variables(arm);
            let (_, name) = variables.into_iter().find(|(key, _)| key == name)?;
            env::var_os(name)
        };
        own.map(|(_, value)| value.into()).or_else(of_caller)
    }

    /// Returns the variables of an arm's jobs whose values come from the user's environment, each
    /// with its name there.
    pub(crate) fn caller_variables(&self, arm: ArmId) -> Vec<(String, String)> {
        environment::of_caller(&self.jobs[arm.index()].environment)
    }

    /// Returns the GPUs of each job of an arm. `None` if the study does not say, or has workers,
    /// which keep their GPUs over many jobs.
    pub fn gpus_per_job(&self, arm: ArmId) -> Option<GpusPerJob> {
        self.jobs[arm.index()]
            .gpus
            .filter(|_| self.worker.is_none())
    }

    /// Returns the GPUs of each worker of an arm. `None` if no number is given, or without workers.
    pub fn gpus_per_worker(&self, arm: ArmId) -> Option<GpusPerJob> {
        self.jobs[arm.index()]
            .gpus
            .filter(|_| self.worker.is_some())
    }

    /// Returns the unit of costs that follows from the study file: its name there, or seconds or
    /// GPU-seconds if costs are measured. `None` if costs are stated without a unit. If results
    /// report costs, [`status::facts`](crate::status::facts) knows their unit.
    pub fn cost_unit(&self) -> Option<CostUnit> {
        cost_unit::of(&self.fingerprint)
    }

    /// Whether the study file names the unit of costs, so that measured times are not costs.
    pub(crate) fn names_cost_unit(&self) -> bool {
        self.file.resources.cost_unit.is_some()
    }

    /// Returns the cost of an evaluation of this arm. `None` if the study file does not state it.
    pub fn cost(&self, arm: ArmId) -> Option<f64> {
        match self.jobs[arm.index()].price {
            Some(Price::Evaluation(cost)) => Some(cost),
            _ => None,
        }
    }

    /// Returns the prices of this arm's tokens, if the arm is paid by tokens.
    pub fn prices(&self, arm: ArmId) -> Option<&TokenPrices> {
        match &self.jobs[arm.index()].price {
            Some(Price::Tokens(prices)) => Some(prices),
            _ => None,
        }
    }

    /// Returns the word for the study's jobs: calls, where arms are functions of the program.
    pub(crate) fn jobs_are_called(&self) -> &'static str {
        if self.is_of_functions() {
            "calls"
        } else {
            "jobs"
        }
    }

    /// Returns what people call the engine that carries out the study's jobs. `None` if that is this
    /// machine, or a program that calls functions.
    pub fn engine_name(&self) -> Option<&'static str> {
        match &self.executor {
            ExecutorKind::Engine(kind, _) => Some(kind.name),
            ExecutorKind::Local | ExecutorKind::Functions => None,
        }
    }

    /// Whether the study's jobs use GPUs of this machine.
    pub(crate) fn takes_gpus_here(&self) -> bool {
        let counts = |job: &Job| job.gpus.is_some_and(|gpus| gpus != GpusPerJob::None);
        matches!(self.executor, ExecutorKind::Local) && self.jobs.iter().any(counts)
    }

    /// Returns the program that evaluates an arm. `None` if it differs between evaluations.
    pub fn program(&self, arm: ArmId) -> Option<&str> {
        self.jobs[arm.index()].command.program()
    }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError + use<> {
    FileError::of("read the study file", path)
}

/// Returns the directory that holds the ledger and the runs of a study file.
fn state_directory(study: &Path) -> PathBuf {
    study.with_extension("fiesta")
}
