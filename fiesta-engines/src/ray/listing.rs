//! Ray's listing of jobs, read for the tasks of batches.

use super::cluster::Resources;
use fiesta_runner::executor::{Task, TaskEnd, TaskState};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Key of a job's metadata for the resources that it asks of its node.
pub(super) const NEEDS: &str = "fiesta_needs";

/// A job of the listing, which may be somebody else's.
#[derive(Debug, Deserialize)]
pub(super) struct Job {
    submission_id: Option<String>,
    status: String,
    message: Option<String>,
    /// Kind of the job's error, which Ray tells since version 2.44.
    error_type: Option<String>,
    driver_node_id: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
}

/// State of a job, as far as Ray's listing tells it.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    /// The job has a state that its task can have.
    State(TaskState),
    /// The job waits, for a reason in Ray's words.
    Waits(String),
    /// Ray gave up the job, which had waited too long for a node.
    GivenUp,
}

/// Returns the submission id of a task's job.
pub(super) fn submission_id(task: &Task) -> String {
    format!("{}-{}", task.batch, task.number)
}

impl Job {
    /// Returns the task that this job is. `None` if it is somebody else's.
    pub(super) fn task(&self) -> Option<Task> {
        let (batch, number) = self.submission_id.as_deref()?.rsplit_once('-')?;
        Some(Task {
            batch: batch.to_owned(),
            number: number.parse().ok()?,
        })
    }

    /// Returns what the job asks of its node. `None` if it does not say so.
    pub(super) fn needs(&self) -> Option<Resources> {
        serde_json::from_str(self.metadata.as_ref()?.get(NEEDS)?).ok()
    }

    /// Returns the state of the job.
    pub(super) fn told(&self) -> Told {
        let message = self.message.as_deref().unwrap_or_default();
        Told::State(match self.status.as_str() {
            "PENDING" => return Told::Waits(message.to_owned()),
            "SUCCEEDED" => TaskState::Ended(TaskEnd::Completed),
            "STOPPED" => TaskState::Ended(TaskEnd::Cancelled),
            "FAILED" => match failure(self.error_type.as_deref(), message) {
                Some(end) => TaskState::Ended(end),
                None => return Told::GivenUp,
            },
            _ => TaskState::Running {
                node: self.driver_node_id.clone().unwrap_or_default(),
            },
        })
    }
}

/// Returns why a job failed. `None` if Ray gave it up because it waited too long.
fn failure(kind: Option<&str>, message: &str) -> Option<TaskEnd> {
    // The beginnings of messages are older than the types.
    let is = |name: &str, beginning: &str| {
        kind.map_or_else(|| message.starts_with(beginning), |kind| kind == name)
    };
    let error = |advice: &str| TaskEnd::Error {
        words: format!("{}{advice}", end_of(message)),
    };
    Some(
        if is(
            "JOB_SUPERVISOR_ACTOR_START_TIMEOUT",
            "Job supervisor actor failed to start within",
        ) {
            return None;
        } else if is("RUNTIME_ENV_SETUP_FAILURE", "runtime_env setup failed") {
            error("; correct runtime_env under [executor]")
        } else if message.contains("low on memory") || message.contains("OutOfMemory") {
            TaskEnd::OutOfMemory
        } else if is("JOB_SUPERVISOR_ACTOR_DIED", "Job supervisor actor died")
            || is(
                "JOB_SUPERVISOR_ACTOR_UNKNOWN_FAILURE",
                "Unexpected error occurred",
            )
            // After a head that came back with its jobs but without the processes of their drivers.
            || message.contains("failed to get job supervisor")
        {
            TaskEnd::NodeFailed
        } else {
            error("")
        },
    )
}

/// Returns the last lines of Ray's message, which contains a traceback or the job's output.
fn end_of(message: &str) -> String {
    const LINES: usize = 6;
    const LONG: usize = 1500;
    let said = message.lines().map(str::trim_end);
    let said = said.filter(|line| !line.trim().is_empty());
    // What Ray itself writes into each log.
    let is_ray_s = |line: &&str| {
        line.starts_with("Running entrypoint for job") || line.contains("Runtime env is setting up")
    };
    let lines: Vec<&str> = said.filter(|line| !is_ray_s(line)).collect();
    let first = lines.first().copied().unwrap_or("no reason");
    let rest = lines.get(1..).unwrap_or_default();
    let last = &rest[rest.len().saturating_sub(LINES)..];
    let kept = std::iter::once(first).chain(last.iter().copied());
    let text = kept.collect::<Vec<_>>().join("\n");
    let skip = text.chars().count().saturating_sub(LONG);
    text.chars().skip(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(rest: &str) -> Job {
        let text = format!(
            r#"{{"type": "SUBMISSION", "job_id": null, "submission_id": "fiesta-1-h-2-3-7", "entrypoint": "x", {rest}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn failed(kind: &str, message: &str) -> Told {
        let kind = serde_json::to_string(&Some(kind).filter(|kind| !kind.is_empty())).unwrap();
        let message = serde_json::to_string(message).unwrap();
        job(&format!(
            r#""status": "FAILED", "error_type": {kind}, "message": {message}"#
        ))
        .told()
    }

    #[test]
    fn states_of_jobs() {
        let runs = job(r#""status": "RUNNING", "driver_node_id": "a1", "metadata": null"#);
        let task = runs.task().unwrap();
        assert_eq!(
            (task.batch.as_str(), task.number),
            ("fiesta-1-h-2-3", 7),
            "its batch has dashes as well"
        );
        assert_eq!(submission_id(&task), "fiesta-1-h-2-3-7");
        let node = "a1".to_owned();
        assert_eq!(runs.told(), Told::State(TaskState::Running { node }));
        let waits = job(
            r#""status": "PENDING", "message": "not yet", "metadata": {"fiesta_needs": "{\"CPU\":1.0}"}"#,
        );
        assert_eq!(waits.told(), Told::Waits("not yet".to_owned()));
        assert!(waits.needs().is_some());
        let stopped = job(r#""status": "STOPPED""#).told();
        assert_eq!(stopped, Told::State(TaskState::Ended(TaskEnd::Cancelled)));
        // A driver that nobody submitted.
        let text = r#"{"type": "DRIVER", "job_id": "01", "submission_id": null, "status": "RUNNING", "driver_info": {"id": "01"}}"#;
        assert_eq!(serde_json::from_str::<Job>(text).unwrap().task(), None);
    }

    #[test]
    fn failures_of_jobs() {
        let ended = |end| Told::State(TaskState::Ended(end));
        let waited = "Job supervisor actor failed to start within 900.0 seconds. This";
        assert_eq!(
            failed("JOB_SUPERVISOR_ACTOR_START_TIMEOUT", waited),
            Told::GivenUp
        );
        assert_eq!(failed("", waited), Told::GivenUp);
        let died = "Job supervisor actor died: The actor died because its node has died.";
        assert_eq!(
            failed("JOB_SUPERVISOR_ACTOR_DIED", died),
            ended(TaskEnd::NodeFailed)
        );
        assert_eq!(failed("", died), ended(TaskEnd::NodeFailed));
        let memory =
            "Job supervisor actor died: Task was killed due to the node running low on memory.";
        assert_eq!(
            failed("JOB_SUPERVISOR_ACTOR_DIED", memory),
            ended(TaskEnd::OutOfMemory)
        );
        for (kind, message, expected) in [
            (
                "RUNTIME_ENV_SETUP_FAILURE",
                "runtime_env setup failed: no such package",
                "runtime_env setup failed: no such package; correct runtime_env under [executor]",
            ),
            (
                "JOB_ENTRYPOINT_COMMAND_ERROR",
                "Job entrypoint command failed with exit code 2, last available logs (truncated to 20,000 chars):\nRunning entrypoint for job a: sh x\nsh: 0: cannot open /there/script\n",
                "Job entrypoint command failed with exit code 2, last available logs (truncated to 20,000 chars):\nsh: 0: cannot open /there/script",
            ),
        ] {
            let words = expected.to_owned();
            assert_eq!(failed(kind, message), ended(TaskEnd::Error { words }));
        }
    }
}
