//! The state of one GPU: given to jobs, or put aside, and the reason.

use crate::{
    gpu::Known,
    process::{Identity, numbers},
    run::Ended,
    status::{Slot, SlotState},
};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

/// Time that an ended job's memory may take to become free, before the GPU is quarantined.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Time for which an unknown process must use a GPU before it counts as a stranger: a job of ours
/// that just ends may be listed a moment longer than it can be recognised.
pub(super) const PASSING: Duration = Duration::from_millis(300);

/// A GPU of the study, with its state and when it is looked at again.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: String,
    pub(super) known: Option<Known>,
    pub(super) state: State,
    /// Memory, in bytes, that was in use by no process when the GPU was last seen free.
    pub(super) unclaimed: Option<u64>,
    /// When the GPU is looked at again, unless it is free.
    pub(super) due: Instant,
    pub(super) pause: Duration,
}

/// Whether a GPU is given to jobs, and why not.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum State {
    /// The GPU is given to jobs, as far as there is room on it.
    Free,
    /// The GPU waits: a job on it has ended, and the job's memory is not free yet.
    Waiting { since: Instant },
    /// The GPU is quarantined: its memory did not become free, or its driver does not answer.
    Quarantined { reason: String },
    /// Somebody else seems to use the GPU.
    Doubtful { since: Instant },
    /// Somebody else uses the GPU.
    Foreign { reason: String },
    /// Processes of a job that could not be killed may hold the GPU, and no driver can be asked.
    Survived {
        processes: Vec<Identity>,
        reason: String,
    },
}

impl State {
    /// Whether the GPU's state should be over in a moment.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Waiting { .. } | Self::Doubtful { .. })
    }

    /// Returns the state of a GPU that processes of another ended run may hold as well.
    pub(super) fn survived_by(&self, ended: &Ended) -> Self {
        let (mut processes, mut reason) = match self {
            Self::Survived { processes, reason } => (processes.clone(), format!("{reason}; ")),
            _ => (Vec::new(), String::new()),
        };
        processes.extend_from_slice(&ended.survivors);
        let _ = write!(
            reason,
            "processes {:?} of {} could not be killed",
            numbers(&ended.survivors),
            ended.id
        );
        Self::Survived { processes, reason }
    }

    /// Returns the next state of a GPU whose memory an ended run still holds.
    pub(super) fn held(&self, who: String, now: Instant) -> Self {
        match self {
            Self::Waiting { since } if now.saturating_duration_since(*since) >= PATIENCE => {
                Self::Quarantined {
                    reason: format!("{who}, {} s after the last run ended", PATIENCE.as_secs()),
                }
            }
            Self::Waiting { since } => Self::Waiting { since: *since },
            Self::Quarantined { .. } => Self::Quarantined { reason: who },
            Self::Free | Self::Doubtful { .. } | Self::Foreign { .. } | Self::Survived { .. } => {
                Self::Waiting { since: now }
            }
        }
    }

    /// Returns the next state of a GPU that a stranger uses.
    pub(super) fn foreign(&self, who: String, now: Instant) -> Self {
        match self {
            Self::Doubtful { since } if now.saturating_duration_since(*since) < PASSING => {
                Self::Doubtful { since: *since }
            }
            Self::Doubtful { .. } | Self::Foreign { .. } => Self::Foreign { reason: who },
            _ => Self::Doubtful { since: now },
        }
    }
}

impl Place {
    /// Returns the state of the GPU in the form that other processes read.
    pub(super) fn slot(&self) -> Slot {
        let (state, reason) = match &self.state {
            State::Free => (SlotState::Free, None),
            State::Waiting { .. } => (
                SlotState::Waiting,
                Some("the last run's memory is not free yet".to_owned()),
            ),
            State::Doubtful { .. } => (
                SlotState::Waiting,
                Some("somebody else's process was seen there".to_owned()),
            ),
            State::Quarantined { reason } | State::Survived { reason, .. } => {
                (SlotState::Quarantined, Some(reason.clone()))
            }
            State::Foreign { reason } => (SlotState::Foreign, Some(reason.clone())),
        };
        Slot {
            index: self.known.as_ref().map(|known| known.index),
            name: self.known.as_ref().map(|known| known.name.clone()),
            state,
            reason,
            ..Slot::free(Some(self.id.clone()))
        }
    }

    /// Returns the name of the GPU for messages: "GPU 0 (H100)".
    pub(super) fn label(&self) -> String {
        match &self.known {
            Some(known) if self.id == known.index.to_string() => {
                format!("GPU {} ({})", self.id, known.name)
            }
            Some(known) => format!("GPU {} ({}, {})", known.index, known.name, self.id),
            None => format!("GPU {}", self.id),
        }
    }
}
