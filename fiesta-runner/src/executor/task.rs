//! Tasks of engines: how an engine starts a run, and the states that it reports of it.

use serde::{Deserialize, Serialize};

/// A run among those that were submitted to an engine together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The batch's name, unique among all studies.
    pub batch: String,
    /// Line number of the task in the batch's list, from 1.
    pub number: u32,
}

/// What an engine says of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// The task waits in the engine's queue.
    Queued {
        /// Why the task waits, in the engine's words.
        reason: String,
        /// Whether the task can never start, as the engine has nothing of what it asks for.
        hopeless: bool,
    },
    /// The task will not start by itself.
    Held {
        /// Why the task is held, in the engine's words.
        reason: String,
    },
    /// The task runs on a machine of the engine.
    Running {
        /// Name of the task's node.
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
    /// The task ended with an error that the engine reports, before or after it began.
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
