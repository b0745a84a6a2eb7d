//! Runs as jobs of Ray, by the REST API of its dashboard: a task is a job, whose submission id is
//! the name of its batch with its number, and one listing tells of all of them.
//!
//! Source: Ray's documentation of the Jobs API, and the dashboard's modules of jobs in Ray 2.60.

mod address;
mod api;
mod cluster;
mod keys;
mod listing;

pub(crate) use keys::KIND;
#[cfg(feature = "schema")]
pub(crate) use keys::RayKeys;

use crate::engine::{Batch, Engine, SubmissionError, quoted_path};
use api::{Api, Failure};
use cluster::{Answer, NODES, Nodes, Resources};
use fiesta_runner::executor::{Task, TaskEnd, TaskState, parts};
use listing::{Job, NEEDS, Told, submission_id};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::{Duration, Instant},
};

/// Path of the API that lists jobs and takes new ones.
const JOBS: &str = "api/jobs/";
/// Largest number of jobs in a batch. Each one takes a call of its own, and other requests wait meanwhile.
const MOST_TASKS: usize = 100;
/// Time that a job waits before Ray is asked which resources the nodes have.
const WAITING: Duration = Duration::from_secs(5);
const NODES_EVERY: Duration = Duration::from_mins(1);
/// Time between two requests to stop a job. Ray tells a waiting job only when it has a node.
const TOLD: Duration = Duration::from_mins(1);
/// Time until an ended job is deleted. Ray's own watcher looks once a second, and would record a
/// job that was deleted before as failed.
const NOTICED: Duration = Duration::from_secs(10);
/// Time that Ray adds to a job's grace before it kills the job.
const MARGIN: Duration = Duration::from_secs(5);
/// Name of the environment variable for the time that Ray waits before it kills a stopped job.
const STOP_WAIT: &str = "RAY_JOB_STOP_WAIT_TIME_S";
const SCRIPT: &str = "script";

/// Settings of a study for its jobs on Ray.
#[derive(Debug, Clone, PartialEq)]
pub struct RaySettings {
    /// Address of the dashboard, such as `http://127.0.0.1:8265`. `None` for the one in Ray's variables.
    pub address: Option<String>,
    /// CPUs of each job.
    pub cpus: u64,
    /// Memory of each job, in bytes.
    pub memory: Option<u64>,
    /// Amounts of resources that the cluster defines, for each job.
    pub resources: BTreeMap<String, f64>,
    /// The runtime environment, as Ray takes it.
    pub runtime_env: Option<Value>,
    /// Lines of shell that run before the supervisor, such as an environment's activation.
    pub prologue: Vec<String>,
}

impl Default for RaySettings {
    /// Returns settings of one CPU per job. Ray would place all jobs that ask for nothing on its head.
    fn default() -> Self {
        Self {
            address: None,
            cpus: 1,
            memory: None,
            resources: BTreeMap::new(),
            runtime_env: None,
            prologue: Vec::new(),
        }
    }
}

/// Ray as an engine, through its REST API.
#[derive(Debug)]
pub struct Ray {
    settings: RaySettings,
    api: Api,
    /// Ended tasks by Ray's word, and when Ray first reported their end.
    ended: BTreeMap<Task, Instant>,
    discarded: BTreeSet<Task>,
    stopped: BTreeMap<Task, Instant>,
    /// Waiting tasks, and the time since when each has waited.
    waiting: BTreeMap<Task, Instant>,
    nodes: Option<(Instant, Nodes)>,
}

impl Ray {
    /// Returns Ray as an engine with these settings.
    ///
    /// # Errors
    /// What is wrong with the address, of the settings or of Ray's variables.
    pub fn new(settings: RaySettings) -> Result<Self, String> {
        let address = address::resolved(settings.address.as_deref())?;
        Ok(Self {
            settings,
            api: Api::new(address),
            ended: BTreeMap::new(),
            discarded: BTreeSet::new(),
            stopped: BTreeMap::new(),
            waiting: BTreeMap::new(),
            nodes: None,
        })
    }

    /// Checks that Ray answers and accepts this user.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn check(&self) -> Result<(), String> {
        let answer: Result<Vec<Value>, Failure> = self.api.get(JOBS);
        match answer {
            Ok(_) => Ok(()),
            Err(failure @ Failure::Unreached(_)) => Err(format!(
                "{}; start the cluster, or correct `address` under [executor]",
                failure.words()
            )),
            Err(failure) => Err(failure.words()),
        }
    }

    /// Returns the JSON with which a task's job is submitted.
    pub fn submission(&self, batch: &Batch, task: &Task, script: &Path) -> Value {
        let asked = Resources::asked(&self.settings, &batch.needs);
        let mut submission = json!({
            "submission_id": submission_id(task),
            "entrypoint": format!("exec sh {} {}", quoted_path(script), task.number),
            "entrypoint_num_cpus": self.settings.cpus,
            "metadata": { NEEDS: json!(asked).to_string() },
            "runtime_env": self.runtime_env(batch),
        });
        let gpus = batch.needs.gpus.filter(|&gpus| gpus > 0);
        for (key, value) in [
            ("entrypoint_num_gpus", gpus.map(Value::from)),
            ("entrypoint_memory", self.settings.memory.map(Value::from)),
            (
                "entrypoint_resources",
                Some(json!(self.settings.resources))
                    .filter(|_| !self.settings.resources.is_empty()),
            ),
        ] {
            if let Some(value) = value {
                submission[key] = value;
            }
        }
        submission
    }

    /// Returns the study's runtime environment, with the grace that Ray gives a job which is to stop.
    fn runtime_env(&self, batch: &Batch) -> Value {
        let mut environment = self.settings.runtime_env.clone().unwrap_or(json!({}));
        let wait = (batch.needs.grace + MARGIN).as_secs().to_string();
        let variables = &mut environment["env_vars"];
        if variables.is_null() {
            *variables = json!({});
        }
        if let Some(variables) = variables.as_object_mut() {
            variables.entry(STOP_WAIT).or_insert(wait.into());
        }
        environment
    }

    /// Returns why a task waits: Ray's words, or that no node has what the task asks for.
    fn why(&mut self, asked: Option<&Resources>, words: String) -> String {
        let is_due = self
            .nodes
            .as_ref()
            .is_none_or(|(asked_at, _)| asked_at.elapsed() >= NODES_EVERY);
        // Where the nodes are not told, Ray's own words remain.
        if is_due && let Ok(answer) = self.api.get::<Answer>(NODES) {
            self.nodes = Some((Instant::now(), answer.into()));
        }
        let nodes = self.nodes.as_ref().map(|(_, nodes)| nodes);
        let lack = nodes
            .zip(asked)
            .and_then(|(nodes, asked)| nodes.lack(asked));
        lack.map_or(words, |lack| {
            format!("{lack}; unless an autoscaler adds one, ask for less with cpus, memory and resources under [executor], and gpus_per_job")
        })
    }

    fn state(&mut self, job: &Job, task: &Task) -> TaskState {
        match job.told() {
            Told::State(state) => state,
            Told::Waits(words) => {
                let since = self.waiting.entry(task.clone());
                let since = *since.or_insert_with(Instant::now);
                let reason = if since.elapsed() >= WAITING {
                    self.why(job.needs().as_ref(), words)
                } else {
                    words
                };
                TaskState::Queued {
                    reason,
                    hopeless: false,
                }
            }
            Told::GivenUp => {
                let words = self.why(job.needs().as_ref(), String::new());
                TaskState::Ended(if words.is_empty() {
                    TaskEnd::Expired
                } else {
                    TaskEnd::Error { words }
                })
            }
        }
    }

    /// Returns, for people, the requests that would submit a batch.
    pub(crate) fn preview(&self, batch: &Batch) -> String {
        let script = batch.list.with_file_name(SCRIPT);
        let task = Task {
            batch: batch.name.clone(),
            number: 1,
        };
        let submission = self.submission(batch, &task, &script);
        let more = match batch.count - 1 {
            0 => String::new(),
            more => format!("\n… and {more} more, numbered on"),
        };
        format!(
            "POST {}/{JOBS} {submission:#}{more}\nwhere {} is\n{}",
            self.api.address,
            script.display(),
            batch.script_of_parent(&self.settings.prologue)
        )
    }
}

impl Engine for Ray {
    fn name(&self) -> &'static str {
        keys::NAME
    }

    fn most_tasks(&self) -> usize {
        MOST_TASKS
    }

    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError> {
        let script = batch.list.with_file_name(SCRIPT);
        parts::write(&script, batch.script_of_parent(&self.settings.prologue)).map_err(
            |error| SubmissionError::Busy(format!("cannot write {}: {error}", script.display())),
        )?;
        for number in 1..=batch.count {
            let task = Task {
                batch: batch.name.clone(),
                number,
            };
            let submission = self.submission(batch, &task, &script);
            match self.api.post(JOBS, Some(&submission)) {
                Ok(()) => {}
                // Ray has this job already: an earlier call submitted it, and its answer was lost.
                Err(failure) if failure.says("already exists") => {}
                // Of those before, Ray has taken some.
                Err(failure) if number > 1 => {
                    return Err(SubmissionError::Unclear(failure.words()));
                }
                Err(failure) => return Err(refusal(&failure)),
            }
        }
        Ok(())
    }

    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String> {
        let jobs: Vec<Job> = self.api.get(JOBS).map_err(|failure| failure.words())?;
        let mut found = BTreeMap::new();
        for job in &jobs {
            let Some(task) = job.task().filter(|task| batches.contains(&task.batch)) else {
                continue;
            };
            let state = self.state(job, &task);
            if matches!(state, TaskState::Ended(_)) {
                self.ended.entry(task.clone()).or_insert_with(Instant::now);
            }
            found.insert(task, state);
        }
        let is_queued = |task: &Task| matches!(found.get(task), Some(TaskState::Queued { .. }));
        self.waiting.retain(|task, _| is_queued(task));
        self.stopped.retain(|_, told| told.elapsed() < TOLD);
        self.ended.retain(|task, _| batches.contains(&task.batch));
        self.discarded.retain(|task| batches.contains(&task.batch));
        Ok(found)
    }

    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String> {
        for task in tasks {
            let is_told = self
                .stopped
                .get(task)
                .is_some_and(|told| told.elapsed() < TOLD);
            if is_told || self.ended.contains_key(task) || self.discarded.contains(task) {
                continue;
            }
            let stop = format!("{JOBS}{}/stop", submission_id(task));
            match self.api.post(&stop, None) {
                Ok(()) => {}
                Err(failure) if failure.says("does not exist") => {}
                Err(failure) => return Err(failure.words()),
            }
            self.stopped.insert(task.clone(), Instant::now());
        }
        Ok(())
    }

    /// Returns false: Ray lists every job since its head was started, until the job is deleted.
    fn forgets(&self) -> bool {
        false
    }

    fn discard(&mut self, tasks: &[Task]) {
        for task in tasks {
            let is_noticed = self
                .ended
                .get(task)
                .is_some_and(|since| since.elapsed() >= NOTICED);
            if !is_noticed || self.discarded.contains(task) {
                continue;
            }
            match self.api.delete(&format!("{JOBS}{}", submission_id(task))) {
                // It is tried again after the next listing.
                Err(failure) if !failure.says("does not exist") => return,
                _ => {
                    self.discarded.insert(task.clone());
                }
            }
        }
    }
}

/// Returns the error of a batch's submission, from the failure of its first job's submission.
fn refusal(failure: &Failure) -> SubmissionError {
    let words = failure.words();
    match failure {
        Failure::Unreached(_) => SubmissionError::Busy(words),
        Failure::Answered { status, .. } if status.as_u16() == 429 => SubmissionError::Busy(words),
        Failure::Answered { status, .. } if status.as_u16() < 500 => {
            SubmissionError::Refused(words)
        }
        Failure::Answered { .. } | Failure::Unclear(_) => SubmissionError::Unclear(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Needs;

    fn batch(gpus: Option<u64>) -> Batch {
        Batch {
            name: "fiesta-1-host-2-3".to_owned(),
            needs: Needs {
                gpus,
                time: None,
                grace: Duration::from_secs(10),
            },
            count: 7,
            list: "/shared/it's/runs".into(),
            log: "/shared/log".into(),
            program: "/shared/fiesta".into(),
        }
    }

    fn submission(settings: RaySettings, gpus: Option<u64>) -> Value {
        let address = Some("http://127.0.0.1:8265".to_owned());
        let ray = Ray::new(RaySettings {
            address,
            ..settings
        });
        let task = Task {
            batch: "fiesta-1-host-2-3".to_owned(),
            number: 4,
        };
        let script = Path::new("/shared/it's/script");
        ray.unwrap().submission(&batch(gpus), &task, script)
    }

    #[test]
    fn what_is_asked_for_is_in_the_submission() {
        let all = RaySettings {
            cpus: 4,
            memory: Some(1 << 30),
            resources: BTreeMap::from([("a100".to_owned(), 0.5)]),
            runtime_env: Some(json!({ "pip": ["x"], "env_vars": { "A": "b" } })),
            ..RaySettings::default()
        };
        let needs = json!({ "CPU": 4.0, "GPU": 2.0, "a100": 0.5, "memory": 1_073_741_824.0 });
        assert_eq!(
            submission(all, Some(2)),
            json!({
                "submission_id": "fiesta-1-host-2-3-4",
                "entrypoint": "exec sh '/shared/it'\\''s/script' 4",
                "entrypoint_num_cpus": 4,
                "entrypoint_num_gpus": 2,
                "entrypoint_memory": 1_073_741_824,
                "entrypoint_resources": { "a100": 0.5 },
                "metadata": { "fiesta_needs": needs.to_string() },
                "runtime_env": {
                    "pip": ["x"],
                    "env_vars": { "A": "b", "RAY_JOB_STOP_WAIT_TIME_S": "15" },
                },
            })
        );
        // A job that asks for nothing would be put on the head.
        let bare = submission(RaySettings::default(), None);
        assert_eq!(bare["entrypoint_num_cpus"], 1);
        assert!(bare.get("entrypoint_num_gpus").is_none());
    }

    #[test]
    fn errors_say_whether_the_job_may_be_there() {
        let answered = |status: u16| Failure::Answered {
            status: ureq::http::StatusCode::from_u16(status).unwrap(),
            words: "no".to_owned(),
        };
        let kind = |failure: &Failure| match refusal(failure) {
            SubmissionError::Refused(_) => "refused",
            SubmissionError::Busy(_) => "busy",
            SubmissionError::Unclear(_) => "unclear",
        };
        for (status, expected) in [
            (400, "refused"),
            (401, "refused"),
            (404, "refused"),
            (429, "busy"),
            (500, "unclear"),
            (503, "unclear"),
        ] {
            assert_eq!(kind(&answered(status)), expected, "{status}");
        }
        assert_eq!(kind(&Failure::Unreached(String::new())), "busy");
        assert_eq!(kind(&Failure::Unclear(String::new())), "unclear");
    }
}
