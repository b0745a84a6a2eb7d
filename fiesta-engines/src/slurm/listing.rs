//! The lines of `squeue`: a task each, with its state.

use fiesta_runner::executor::{Task, TaskEnd, TaskState};

/// Arguments of `squeue` for a line per task: array, task, state, node, batch, and the reason why
/// it waits, which may contain any characters.
pub(super) const ARGUMENTS: [&str; 4] = [
    "--noheader",
    "--array",
    "--states=all",
    "--format=%F|%K|%T|%B|%j|%r",
];

/// Slurm's reasons of jobs that wait for ever, unless somebody changes the job or the cluster.
const HOPELESS: [&str; 8] = [
    "BadConstraints",
    "DependencyNeverSatisfied",
    "InvalidAccount",
    "InvalidQOS",
    "PartitionConfig",
    "PartitionInactive",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
];

/// A task as a line of the listing tells it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Number of the job array.
    pub(super) job: String,
    pub(super) task: Task,
    pub(super) state: TaskState,
}

/// Reads a line of a listing. `None` if the line is no task of an array.
pub(super) fn parse(line: &str) -> Option<Listed> {
    let mut fields = line.trim().splitn(6, '|').map(str::trim);
    let (job, number, state, node, batch) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    let reason = fields.next().unwrap_or_default().to_owned();
    let task = Task {
        batch: batch.to_owned(),
        number: number.parse().ok()?,
    };
    let queued = || {
        let reason = reason.clone();
        // The controller stopped as it was starting the job, which then waits for somebody.
        if reason.to_lowercase().contains("held") {
            TaskState::Held { reason }
        } else {
            let hopeless = HOPELESS.contains(&reason.as_str());
            TaskState::Queued { reason, hopeless }
        }
    };
    let state = match state {
        "PENDING" | "REQUEUED" | "CONFIGURING" => queued(),
        "REQUEUE_HOLD" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => TaskState::Held { reason },
        "COMPLETED" => TaskState::Ended(TaskEnd::Completed),
        "CANCELLED" | "REVOKED" => TaskState::Ended(TaskEnd::Cancelled),
        "PREEMPTED" => TaskState::Ended(TaskEnd::Preempted),
        "NODE_FAIL" | "BOOT_FAIL" => TaskState::Ended(TaskEnd::NodeFailed),
        "TIMEOUT" | "DEADLINE" => TaskState::Ended(TaskEnd::TimeLimit),
        "OUT_OF_MEMORY" => TaskState::Ended(TaskEnd::OutOfMemory),
        "FAILED" => TaskState::Ended(TaskEnd::Failed),
        // Those that run: RUNNING, COMPLETING, SUSPENDED, STOPPED, SIGNALING, STAGE_OUT, RESIZING.
        _ => TaskState::Running {
            node: node.to_owned(),
        },
    };
    Some(Listed {
        job: job.to_owned(),
        task,
        state,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue() {
        let state = |line: &str| parse(line).map(|listed| listed.state);
        let listed = parse("17|3|RUNNING|n2|fiesta-1-h-2-3|None").unwrap();
        assert_eq!((listed.job.as_str(), listed.task.number), ("17", 3));
        assert_eq!(listed.task.batch, "fiesta-1-h-2-3");
        assert_eq!(
            listed.state,
            TaskState::Running {
                node: "n2".to_owned()
            }
        );
        assert_eq!(
            state("17|4|PENDING|n/a|b|(ReqNodeNotAvail, UnavailableNodes:n1|n2)"),
            Some(TaskState::Queued {
                reason: "(ReqNodeNotAvail, UnavailableNodes:n1|n2)".to_owned(),
                hopeless: false,
            })
        );
        assert!(matches!(
            state("17|5|PENDING|n/a|b|launch failed requeued held"),
            Some(TaskState::Held { .. })
        ));
        assert_eq!(
            state("17|6|NODE_FAIL|n1|b|NonZeroExitCode"),
            Some(TaskState::Ended(TaskEnd::NodeFailed))
        );
        // Tasks that wait are one line without --array; and a job that is no array is none of ours.
        assert_eq!(state("17|[7-9]|PENDING|n/a|b|Resources"), None);
        assert_eq!(state("18|N/A|RUNNING|n1|somebody's|None"), None);
        assert_eq!(state(""), None);
    }
}
