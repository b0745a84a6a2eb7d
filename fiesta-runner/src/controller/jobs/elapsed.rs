//! The time that a study has run, over all sessions.

use crate::{clock, ledger::Clock};
use std::time::{Duration, Instant};

/// Least time between two writes of the clock. What a controller that is killed has not written is
/// not counted.
const KEPT_EVERY: Duration = Duration::from_millis(250);
/// Least pause after a write, in multiples of the time that the write took. On a slow disk, less
/// than 1/20 of the time goes into writing.
const SHARE: u32 = 20;

/// The time that a study has run.
pub(super) struct Elapsed {
    before: f64,
    since: Instant,
    clock: Clock,
    keep_at: Instant,
}

impl Elapsed {
    /// Starts the clock of a study now, after `before` seconds in earlier sessions.
    pub(super) fn since(before: f64, clock: Clock) -> Self {
        let now = clock::now();
        Self {
            before,
            since: now,
            clock,
            keep_at: now,
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.before + clock::since(self.since).as_secs_f64()
    }

    /// Returns the time until the study's time is to be written again.
    pub(super) fn until_kept(&self) -> Duration {
        self.keep_at.saturating_duration_since(clock::now())
    }

    /// Writes the time of the study to its file, if that is due.
    pub(super) fn keep(&mut self) {
        let began = clock::now();
        if began < self.keep_at {
            return;
        }
        self.clock.keep(self.seconds());
        let pause = KEPT_EVERY.max(clock::since(began) * SHARE);
        self.keep_at = clock::now() + pause;
    }
}
