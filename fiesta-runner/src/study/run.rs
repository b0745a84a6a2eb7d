//! The run of an evaluation: its command, its environment, and the request to a worker.

use super::{
    ExecutorKind, ItemsError, Study,
    command::Command,
    environment,
    items::PoolKey,
    placeholder::Placeholder::{self, Arm, Document, DocumentId, Item, ItemFile, Run, Seed, Split},
};
use crate::{
    digest::Digest,
    gpu::{GpusPerJob, Lease},
    run::{HYPERPARAMETER, JobVariable, RunId, RunSpec},
};
use fiesta_core::{ArmId, Case, Evaluation};
use fiesta_policies::random_search::Setting;
use std::path::{Path, PathBuf};

impl Study {
    /// Returns the name of an attempt at an evaluation.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn run_id(&self, evaluation: &Evaluation, attempt: u32) -> RunId {
        RunId::new(self.name(), evaluation.id.0, attempt).expect("the study's name was checked")
    }

    /// Makes the specification of an evaluation's run, in its own directory below `runs`.
    ///
    /// Commands start in the directory of the study file, and programs with a path are sought from
    /// there.
    ///
    /// # Errors
    /// [`ItemsError`] if the item is no longer what it was.
    pub fn run_spec(
        &self,
        id: RunId,
        runs: &Path,
        evaluation: &Evaluation,
        setting: &Setting,
        lease: Option<&Lease>,
    ) -> Result<RunSpec, ItemsError> {
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
            None if self.is_of_functions() => Vec::new(),
            None => self.environment(evaluation, setting, &directory),
        };
        if let Some(lease) = lease {
            environment.extend(lease.environment());
        }
        let is_asked = self.worker.is_some() || self.is_of_functions();
        let request = is_asked.then(|| self.request(evaluation, setting, &directory));
        Ok(RunSpec {
            evaluation: Some(self.identity(evaluation, setting)),
            request: request.transpose()?,
            item: match self.items.as_ref().filter(|_| is_asked) {
                Some(items) if items.key() == PoolKey::Items => {
                    items.digits(evaluation.case.split)?
                }
                _ => None,
            },
            gpus: match self.gpus_per_job(evaluation.arm) {
                Some(GpusPerJob::Whole(count))
                    if !matches!(self.executor(), ExecutorKind::Local) =>
                {
                    Some(count as u64)
                }
                _ => None,
            },
            carries_output: false,
            pattern: self.pattern().map(|pattern| pattern.as_str().to_owned()),
            directory,
            id,
            command,
            environment,
            of_caller: self.caller_variables(evaluation.arm),
            working_directory: self.directory.clone(),
            wall_limit: self.timeout,
            silence: self.silence,
            grace: self.grace,
        })
    }

    /// Returns a digest of the study file's description of an evaluation, without absolute paths:
    /// moving the study does not change it.
    fn identity(&self, evaluation: &Evaluation, setting: &Setting) -> String {
        let job = &self.jobs[evaluation.arm.index()];
        let case = &evaluation.case;
        // No argument holds a zero byte.
        let template = job.command.fill(|word| format!("\0{word}\0"));
        let said = serde_json::json!({
            "arm": self.arms.name(evaluation.arm),
            "split": case.split,
            "document": self.item(case),
            "seed": case.seed,
            "setting": setting,
            "command": template,
            "environment": job.environment,
            "worker": self.worker.is_some(),
        });
        Digest::of(said.to_string().as_bytes()).to_string()
    }

    /// Returns the command that evaluates an arm on a case. `run` is the run's directory.
    pub fn command(&self, evaluation: &Evaluation, setting: &Setting, run: &Path) -> Vec<String> {
        self.filled(
            &self.jobs[evaluation.arm.index()].command,
            evaluation,
            setting,
            run,
        )
    }

    fn filled(
        &self,
        command: &Command,
        evaluation: &Evaluation,
        setting: &Setting,
        run: &Path,
    ) -> Vec<String> {
        let arm = self.arms.name(evaluation.arm);
        let values = self.values(&evaluation.case, run);
        let of_case = |word: &str| values.iter().find(|(name, _)| name.name() == word);
        let value = |word: &str| match (word, of_case(word)) {
            ("arm", _) => arm.to_owned(),
            (_, Some((_, value))) => value.clone(),
            (word, None) => setting
                .get(word)
                .map_or_else(String::new, ToString::to_string),
        };
        command.fill(value)
    }

    /// Returns the file to which a run in this directory writes its score, and the key of the score
    /// in that file. `None` if scores are printed.
    pub(crate) fn score_file(
        &self,
        evaluation: &Evaluation,
        run: &Path,
    ) -> Option<(PathBuf, &str)> {
        let (name, key) = self.measure.file.as_ref()?;
        let name = self.filled(name, evaluation, &Setting::default(), run);
        Some((self.directory.join(name.concat()), key))
    }

    /// Returns the placeholders of a case with their values.
    fn values(&self, case: &Case, run: &Path) -> Vec<(Placeholder, String)> {
        let mut values = match &self.items {
            Some(items) => {
                let path = items.path(case.split, run).to_string_lossy().into_owned();
                let id = items.id(case.split).to_owned();
                match items.key() {
                    PoolKey::Items => vec![(Item, id), (ItemFile, path)],
                    PoolKey::Documents => vec![(Document, path), (DocumentId, id)],
                }
            }
            None => vec![(Split, self.split(case).to_string())],
        };
        values.push((Seed, case.seed.to_string()));
        let name = run.file_name().unwrap_or_default();
        values.push((Run, name.to_string_lossy().into_owned()));
        values
    }

    /// Returns the environment variables that an evaluation's command gets beside those that it
    /// inherits. `run` is the run's directory.
    ///
    /// A hyperparameter `lr` is `FIESTA_HP_lr`, and the whole setting is `FIESTA_SETTING`, as a
    /// JSON object. A placeholder `split` is `FIESTA_SPLIT`; but `FIESTA_ITEM` is the path of a
    /// file with the item, and `FIESTA_ITEM_ID` its id.
    pub fn environment(
        &self,
        evaluation: &Evaluation,
        setting: &Setting,
        run: &Path,
    ) -> Vec<(String, String)> {
        let own = environment::texts(&self.jobs[evaluation.arm.index()].environment);
        let arm = (Arm, self.arms.name(evaluation.arm).to_owned());
        let values = self.values(&evaluation.case, run).into_iter();
        // Whoever starts the run marks its processes with its name.
        let values = values.filter(|(placeholder, _)| *placeholder != Run);
        let ours = [arm].into_iter().chain(values);
        let drawn = setting
            .iter()
            .map(|(name, value)| (format!("{HYPERPARAMETER}{name}"), value.to_string()));
        let whole = (!setting.is_empty()).then(|| {
            let object = serde_json::json!(setting).to_string();
            (JobVariable::Setting.name().to_owned(), object)
        });
        own.chain(ours.map(|(placeholder, value)| (placeholder.variable().to_owned(), value)))
            .chain(drawn)
            .chain(whole)
            .collect()
    }

    /// Returns the environment variables of a worker beside those that it inherits. Values that
    /// differ between cases are in the line of each case.
    fn worker_environment(&self, arm: ArmId) -> Vec<(String, String)> {
        let job = &self.jobs[arm.index()];
        let own = environment::texts(&job.environment);
        let arm = (Arm.variable().to_owned(), self.arms.name(arm).to_owned());
        own.chain(job.is_of_arm.then_some(arm)).collect()
    }

    /// Checks that the item of a case is unchanged since the study file was read.
    pub(crate) fn check_item(&self, case: &Case) -> Result<(), ItemsError> {
        let items = self.items.as_ref();
        items.map_or(Ok(()), |items| items.check(case.split))
    }

    /// Writes the item of a case to the directory of its run. Does nothing if items are files, or
    /// the study has none.
    pub(crate) fn place_item(&self, case: &Case, run: &Path) -> Result<(), ItemsError> {
        match &self.items {
            Some(items) => items.place(case.split, run),
            None => Ok(()),
        }
    }
}
