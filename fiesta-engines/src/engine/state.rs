//! Answers of engines to a submission, and the meaning of the ends of tasks that they report.

use fiesta_runner::executor::TaskEnd;

/// The reason why an engine did not accept a batch, or did not say so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionError {
    /// The engine did not accept the batch, and never will: something in the request is wrong.
    #[error("{0}")]
    Refused(String),
    /// The engine did not accept the batch, and may accept it later.
    #[error("{0}")]
    Busy(String),
    /// Nobody knows whether the engine accepted the batch.
    #[error("{0}")]
    Unclear(String),
}

/// Tells whether a task ended through no fault of the run or its arm, such as a node's failure.
pub(super) fn is_no_fault(end: &TaskEnd) -> bool {
    matches!(
        end,
        TaskEnd::Cancelled
            | TaskEnd::Preempted
            | TaskEnd::NodeFailed
            | TaskEnd::Expired
            | TaskEnd::Forgotten
    )
}

/// Tells whether the task's end explains the end of its run. A command that fails at its time limit
/// has not failed by itself.
pub(super) fn is_reason(end: &TaskEnd) -> bool {
    is_no_fault(end) || matches!(end, TaskEnd::TimeLimit | TaskEnd::OutOfMemory)
}

/// Returns a sentence about the end of a task, for messages.
pub(super) fn words(end: &TaskEnd, engine: &str) -> String {
    match end {
        TaskEnd::Completed => {
            format!("{engine} says that the job completed, and no end was published")
        }
        TaskEnd::Failed => format!("{engine} says that the job failed"),
        TaskEnd::Error { words } => format!("{engine} says: {words}"),
        TaskEnd::Expired => format!("{engine} gave the job up as it had waited too long"),
        TaskEnd::Cancelled => format!("somebody cancelled the job in {engine}"),
        TaskEnd::Preempted => format!("{engine} preempted the job"),
        TaskEnd::NodeFailed => format!("{engine} says that the job's node failed"),
        TaskEnd::TimeLimit => format!(
            "{engine} ended the job at its own limit of time: ask for more with `time` under [executor]"
        ),
        TaskEnd::OutOfMemory => format!(
            "{engine} ended the job as it needed more memory than it had: ask for more with `memory` under [executor]"
        ),
        TaskEnd::Unlisted => format!("{engine} no longer knows the job, and no end was published"),
        TaskEnd::Forgotten => {
            format!("{engine} has lost its memory of the job, and no end was published")
        }
    }
}
