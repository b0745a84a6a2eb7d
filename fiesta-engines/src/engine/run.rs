//! State of a run on an engine: what is known of its task, and what follows from that.

use super::{EngineSettings, Needs};
use fiesta_runner::{
    executor::{
        Task, TaskEnd, TaskState,
        parts::{self, Life, has_begun},
    },
    run::{End, Ended, RunDirectory},
    supervisor::SIGN,
};
use std::time::{Duration, Instant};

/// Number of listings in a row without an accepted task after which the task is gone.
const LISTINGS: u32 = 2;
/// Time that a job may wait for resources which the cluster lacks, before that is an error. The
/// cluster may just be starting.
const HOPELESS: Duration = Duration::from_secs(30);

/// A run on an engine that has not ended, or whose end is not known yet.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) directory: RunDirectory,
    pub(super) needs: Needs,
    /// Task of the run. `None` before it is in a batch, or if another executor began it.
    pub(super) task: Option<Task>,
    pub(super) state: Known,
    /// Time when the run began to wait, or began on its node, in seconds since 1970.
    pub(super) since: f64,
    pub(super) cancelled: bool,
    pub(super) false_starts: u32,
    /// Reason why the run waits, and since when.
    pub(super) waits: Option<(String, Instant)>,
    pub(super) life: Life,
    /// Number of listings so far when the task of a run that had begun was first seen to wait. `None` if it does not wait.
    pub(super) queued_again: Option<u64>,
    /// Published failure that the engine may explain, the time when it was seen, and the number of listings then.
    pub(super) doubted: Option<(Ended, Instant, u64)>,
    /// Latest sign of life, in seconds after the run's claim, and the time when it was seen here.
    sign: Option<(f64, Instant)>,
}

/// Knowledge about a run's task.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    /// The run is in no batch yet, or the engine did not accept its batch.
    Unsubmitted,
    /// The engine may have accepted the run. The last `missed` listings in a row lacked its task.
    Submitted { missed: u32, since: Instant },
    /// The engine listed the task in this state.
    Listed(TaskState),
    /// The task is no longer listed, or the engine reported its end.
    Gone { since: Instant, end: TaskEnd },
}

/// Next step for a run whose end was not published: wait, submit it again, or give it up.
#[derive(Debug)]
pub(super) enum Verdict {
    GoesOn,
    /// The run did not begin, and has to be submitted again.
    Again,
    /// The run did not begin, and never will begin.
    Never(End),
    /// The engine started the task of the run, but no supervisor began.
    FalseStart(TaskEnd),
    /// The run waits for resources that the cluster lacks, by the engine's word.
    Hopeless(String),
    /// The run began, and the engine has queued its task again.
    Requeued,
    /// The run began, and its processes are gone without a published end.
    Lost(TaskEnd),
}

impl Run {
    pub(super) fn new(
        directory: RunDirectory,
        needs: Needs,
        life: Life,
        task: Option<Task>,
        state: Known,
    ) -> Self {
        Self {
            directory,
            needs,
            task,
            state,
            since: parts::now(),
            cancelled: false,
            false_starts: 0,
            waits: None,
            life,
            queued_again: None,
            doubted: None,
            sign: None,
        }
    }

    /// Returns whether the supervisor still attends to the run: its claim is held and has been
    /// renewed. A claim may stay held by a machine that is gone.
    fn is_attended(&mut self) -> bool {
        let seconds = self.directory.seconds_of_life();
        let since = match self.sign {
            Some((latest, since)) if seconds <= latest => since,
            _ => {
                let now = Instant::now();
                self.sign = Some((seconds, now));
                now
            }
        };
        self.directory.is_claim_held() == Some(true) && since.elapsed() < SIGN * 3
    }

    /// Records what a listing says of the run's task. `None` means that the listing lacks the task.
    pub(super) fn hear(&mut self, listed: Option<&TaskState>, now: Instant) {
        let has_run = self.is_running();
        self.state = match (listed, &self.state) {
            (Some(TaskState::Ended(end)), Known::Gone { since, .. }) => Known::Gone {
                since: *since,
                end: end.clone(),
            },
            (Some(TaskState::Ended(end)), _) => Known::Gone {
                since: now,
                end: end.clone(),
            },
            (Some(state), _) => Known::Listed(state.clone()),
            (None, Known::Submitted { missed, since }) => Known::Submitted {
                missed: missed + 1,
                since: *since,
            },
            (None, Known::Listed(_)) => Known::Gone {
                since: now,
                end: TaskEnd::Unlisted,
            },
            (None, known) => known.clone(),
        };
        if self.is_running() != has_run {
            self.since = parts::now();
        }
        self.waits = match &self.state {
            Known::Listed(TaskState::Queued { reason, .. }) => {
                let before = self.waits.take().filter(|(before, _)| before == reason);
                Some(before.unwrap_or_else(|| (reason.clone(), now)))
            }
            _ => None,
        };
    }

    fn is_running(&self) -> bool {
        matches!(&self.state, Known::Listed(TaskState::Running { .. }))
    }

    /// Returns whether the run had begun, and the engine has its task wait again or holds it.
    pub(super) fn waits_again(&self) -> bool {
        let waits = matches!(
            &self.state,
            Known::Listed(TaskState::Queued { .. } | TaskState::Held { .. })
        );
        waits && has_begun(&self.directory)
    }

    /// Returns the state of the run's task that the engine reported. `None` before any report.
    pub(super) fn told(&self) -> Option<TaskState> {
        match &self.state {
            Known::Listed(state) => Some(state.clone()),
            Known::Gone { end, .. } => Some(TaskState::Ended(end.clone())),
            Known::Unsubmitted | Known::Submitted { .. } => None,
        }
    }

    /// Returns what is to be done about a run without a published end, after `listings` listings of
    /// the engine.
    pub(super) fn verdict(&mut self, settings: &EngineSettings, listings: u64) -> Verdict {
        match self.verdict_by_engine(settings, listings) {
            Verdict::Lost(_) if self.is_attended() => Verdict::GoesOn,
            verdict => verdict,
        }
    }

    fn verdict_by_engine(&mut self, settings: &EngineSettings, listings: u64) -> Verdict {
        match &self.state {
            Known::Unsubmitted if self.cancelled => Verdict::Never(End::Cancelled),
            Known::Listed(_) if self.waits_again() => {
                // The listing may be older than the beginning.
                let first = *self.queued_again.get_or_insert(listings);
                if listings >= first + 2 {
                    Verdict::Requeued
                } else {
                    Verdict::GoesOn
                }
            }
            Known::Listed(TaskState::Held { .. }) if self.cancelled => Verdict::GoesOn,
            Known::Listed(TaskState::Held { .. }) => Verdict::Again,
            Known::Listed(TaskState::Queued {
                reason,
                hopeless: true,
            }) if !self.cancelled
                && self
                    .waits
                    .as_ref()
                    .is_some_and(|(_, since)| since.elapsed() >= HOPELESS) =>
            {
                Verdict::Hopeless(reason.clone())
            }
            Known::Unsubmitted | Known::Listed(_) => Verdict::GoesOn,
            Known::Submitted { missed, since } => {
                let is_due = *missed >= LISTINGS && since.elapsed() >= 2 * settings.interval;
                let has_begun = has_begun(&self.directory);
                match is_due && !has_begun {
                    true if self.cancelled => Verdict::Never(End::Cancelled),
                    true => Verdict::Again,
                    false if has_begun && *missed >= LISTINGS => Verdict::Lost(TaskEnd::Unlisted),
                    false => Verdict::GoesOn,
                }
            }
            Known::Gone { since, end } => {
                let has_begun = has_begun(&self.directory);
                let is_seen = since.elapsed() >= settings.visibility;
                match (has_begun, end) {
                    (false, _) if self.cancelled => Verdict::Never(End::Cancelled),
                    // The supervisor was still to write down that it began.
                    (_, TaskEnd::Completed | TaskEnd::Unlisted) if !is_seen => Verdict::GoesOn,
                    (true, _) if !is_seen && !is_left(&self.directory) => Verdict::GoesOn,
                    (true, end) => Verdict::Lost(end.clone()),
                    (false, end) => Verdict::FalseStart(end.clone()),
                }
            }
        }
    }
}

/// Returns whether a supervisor had begun the run, and none holds its claim any more.
fn is_left(directory: &RunDirectory) -> bool {
    directory.is_claim_held() == Some(false)
}
