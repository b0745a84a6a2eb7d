//! The jobs of the simulated world.

use fiesta_runner::run::{End, Ended, RunId};

/// A job of the simulated world.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) began: f64,
    /// When it ends, in seconds of the world.
    pub(super) ends: f64,
    /// When controllers can see the end.
    pub(super) seen: f64,
    pub(super) ended: Ended,
    /// Whether what attended to the job died: no end is published.
    pub(super) has_vanished: bool,
}

impl Job {
    /// Ends the job at this time, in this way, without a result.
    pub(super) fn cut(&mut self, now: f64, end: End) {
        (self.ends, self.seen) = (now, now);
        self.ended = Ended {
            seconds: now - self.began,
            started_at: self.began,
            ..Ended::unmeasured(self.ended.id.clone(), end)
        };
    }
}

/// Returns the number of a run's evaluation, and the one of the attempt.
pub(super) fn evaluation_of(id: &RunId) -> (u64, u32) {
    let mut parts = id.as_str().rsplit('-');
    let attempt = parts
        .next()
        .and_then(|text| text.strip_prefix('a')?.parse().ok());
    let evaluation = parts.next().and_then(|text| text.parse().ok());
    (evaluation.unwrap_or_default(), attempt.unwrap_or_default())
}
