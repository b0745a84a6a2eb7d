//! The states of tasks, as engines tell them.

use serde::{Deserialize, Serialize};

/// Why an engine did not say that it accepted a batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// The engine did not accept the batch, and never will: something in the request is wrong.
    #[error("{0}")]
    Refused(String),
    /// The engine did not accept the batch, and may later.
    #[error("{0}")]
    Busy(String),
    /// Nobody knows whether the engine accepted the batch.
    #[error("{0}")]
    Unclear(String),
}

/// What an engine says of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// The task waits.
    Queued {
        /// Why it waits, in the engine's words.
        reason: String,
        /// Whether the task waits for what will not come: what it asks for is nowhere.
        hopeless: bool,
    },
    /// The task will not start by itself.
    Held {
        /// Why it is held, in the engine's words.
        reason: String,
    },
    /// The task runs.
    Running {
        /// Name of its node.
        node: String,
    },
    /// The task is over.
    Ended(TaskEnd),
}

/// How a task ended, as far as an engine knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskEnd {
    /// The task ended by itself.
    Completed,
    /// The task ended by itself, with an error.
    Failed,
    /// The task ended with an error that the engine tells, before it began or after.
    Error {
        /// The error in the engine's words.
        words: String,
    },
    /// The task waited for its place until the engine gave it up.
    Expired,
    /// Somebody cancelled the task.
    Cancelled,
    /// The engine needed the task's place for another job.
    Preempted,
    /// The task's node failed.
    NodeFailed,
    /// The engine's own limit of time was reached.
    TimeLimit,
    /// The task needed more memory than it had asked for.
    OutOfMemory,
    /// The engine no longer knows the task.
    Unlisted,
    /// The engine, which forgets no task by itself, no longer knows the task.
    Forgotten,
}

impl TaskEnd {
    /// Tells whether neither the run nor its arm has anything to do with the end.
    pub(super) fn is_no_fault(&self) -> bool {
        matches!(
            self,
            Self::Cancelled | Self::Preempted | Self::NodeFailed | Self::Expired | Self::Forgotten
        )
    }

    /// Tells whether this end is why the run ended as it did: a command that fails as its time is
    /// over has not failed by itself.
    pub(super) fn is_reason(&self) -> bool {
        self.is_no_fault() || matches!(self, Self::TimeLimit | Self::OutOfMemory)
    }

    /// Returns a sentence about the end.
    pub(super) fn words(&self, engine: &str) -> String {
        match self {
            Self::Completed => {
                format!("{engine} says that the job completed, and no end was published")
            }
            Self::Failed => format!("{engine} says that the job failed"),
            Self::Error { words } => format!("{engine} says: {words}"),
            Self::Expired => format!("{engine} gave the job up as it had waited too long"),
            Self::Cancelled => format!("somebody cancelled the job in {engine}"),
            Self::Preempted => format!("{engine} preempted the job"),
            Self::NodeFailed => format!("{engine} says that the job's node failed"),
            Self::TimeLimit => format!(
                "{engine} ended the job at its own limit of time: ask for more with `time` under [executor]"
            ),
            Self::OutOfMemory => format!(
                "{engine} ended the job as it needed more memory than it had: ask for more with `memory` under [executor]"
            ),
            Self::Unlisted => format!("{engine} no longer knows the job, and no end was published"),
            Self::Forgotten => {
                format!("{engine} has lost its memory of the job, and no end was published")
            }
        }
    }
}
