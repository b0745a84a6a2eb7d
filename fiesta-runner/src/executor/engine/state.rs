//! The states of tasks, as engines tell them.

use serde::{Deserialize, Serialize};

/// Why an engine did not say that it accepted a batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// It did not, and never will: something in the request is wrong.
    #[error("{0}")]
    Refused(String),
    /// It did not, and may later.
    #[error("{0}")]
    Busy(String),
    /// Nobody knows.
    #[error("{0}")]
    Unclear(String),
}

/// What an engine says of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// It waits, for this reason.
    Queued {
        /// In the engine's words.
        reason: String,
        /// Whether it waits for what will not come: what it asks for is nowhere.
        hopeless: bool,
    },
    /// It will not start by itself.
    Held {
        /// In the engine's words.
        reason: String,
    },
    /// It runs.
    Running {
        /// Where.
        node: String,
    },
    /// It is over.
    Ended(TaskEnd),
}

/// How a task ended, as far as an engine knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskEnd {
    /// By itself.
    Completed,
    /// By itself, with an error.
    Failed,
    /// With an error that the engine tells, before it began or after.
    Error {
        /// In the engine's words.
        words: String,
    },
    /// It waited for its place until the engine gave it up.
    Expired,
    /// Somebody cancelled it.
    Cancelled,
    /// The engine needed its place for another job.
    Preempted,
    /// Its node failed.
    NodeFailed,
    /// The engine's own limit of time was reached.
    TimeLimit,
    /// It needed more memory than it had asked for.
    OutOfMemory,
    /// The engine no longer knows it.
    Unlisted,
    /// The engine, which forgets no task by itself, no longer knows it.
    Forgotten,
}

impl TaskEnd {
    /// Whether neither the run nor its arm has anything to do with it.
    pub(super) fn is_no_fault(&self) -> bool {
        matches!(
            self,
            Self::Cancelled | Self::Preempted | Self::NodeFailed | Self::Expired | Self::Forgotten
        )
    }

    /// Whether it is why the run ended as it did: a command that fails as its time is over has not
    /// failed by itself.
    pub(super) fn is_reason(&self) -> bool {
        self.is_no_fault() || matches!(self, Self::TimeLimit | Self::OutOfMemory)
    }

    /// A sentence about it.
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
