//! The health of workers of a kind: when to start another one, and when to give up.

use crate::clock::after;
use crate::supervisor::worker::{Cause, WorkerEnd};
use std::time::{Duration, Instant};

/// First pause after a worker that ended without reading a case. Each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The pause after a worker that could not be started because of a shortage. Each further pause is
/// twice as long, up to the longest.
const SHORT: Duration = Duration::from_millis(500);
const LONGEST_SHORT: Duration = Duration::from_secs(10);
/// Number of workers in a row that may end before they have read a case, if none of their kind ever
/// has.
const AT_FIRST: u32 = 3;
/// Number of workers in a row that may end before they have read a case, where others of their kind
/// did before, or the latest was killed from outside: together with the pauses, some minutes.
const PATIENCE: u32 = 12;

/// Health of the workers of a kind in this session: how many failed, and when to start another.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Whether any worker of the kind was ready or read a case.
    proven: bool,
    /// Number of workers in a row that neither were ready nor read a case.
    failures: u32,
    /// Number of workers in a row that could not be started because of a shortage.
    shortages: u32,
    pause_until: Option<Instant>,
}

impl Health {
    /// Notes that a worker was ready or read a case.
    pub(super) fn prove(&mut self) {
        *self = Self {
            proven: true,
            ..Self::default()
        };
    }

    /// Records a worker's end, `None` if its host was killed. Returns why no other is to start.
    ///
    /// If a worker died of a case that it had read, that case is lost with it, and an evaluation
    /// may be lost only a few times.
    pub(super) fn take_in(&mut self, end: Option<&WorkerEnd>) -> Option<String> {
        let mut is_killed = end.is_none();
        let reason = match end {
            Some(end) if end.proven => {
                self.prove();
                return None;
            }
            Some(end) => match end.cause {
                // A shortage says nothing of the worker.
                Cause::Stopped | Cause::Short => return None,
                Cause::NotStarted => return Some(end.reason.clone()),
                Cause::NotReady | Cause::Died | Cause::Retired | Cause::Killed => {
                    is_killed = end.cause == Cause::Killed;
                    end.reason.as_str()
                }
            },
            None => "its host was killed",
        };
        self.failures += 1;
        let pause = FIRST_PAUSE.saturating_mul(1 << (self.failures - 1).min(16));
        self.pause_until = after(pause.min(LONGEST_PAUSE));
        let most = if self.proven || is_killed {
            PATIENCE
        } else {
            AT_FIRST
        };
        (self.failures >= most).then(|| {
            format!(
                "the worker does not work: {} in a row ended before they had read a case; the last one: {reason}",
                self.failures
            )
        })
    }

    /// Delays the next start after a shortage, which says nothing of the workers.
    pub(super) fn wait_for_room(&mut self) {
        let pause = SHORT.saturating_mul(1 << self.shortages.min(16));
        self.pause_until = after(pause.min(LONGEST_SHORT));
        self.shortages += 1;
    }

    /// Returns the time until which no worker of this kind is started. `None` if one may start now.
    pub(super) fn pause(&self) -> Option<Instant> {
        self.pause_until.filter(|until| *until > Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(cause: Cause, proven: bool) -> WorkerEnd {
        WorkerEnd {
            cause,
            proven,
            reason: "because".to_owned(),
            survivors: Vec::new(),
        }
    }

    #[test]
    fn workers_that_never_read_are_given_up_soon_and_others_late() {
        let died = end(Cause::Died, false);
        let mut health = Health::default();
        assert_eq!(health.take_in(Some(&died)), None);
        assert!(health.pause().is_some());
        assert_eq!(health.take_in(None), None);
        assert_eq!(health.take_in(Some(&end(Cause::Killed, false))), None);
        assert!(health.take_in(Some(&died)).unwrap().contains("because"));

        let mut health = Health::default();
        for _ in 0..100 {
            assert_eq!(health.take_in(Some(&end(Cause::Died, true))), None);
            assert_eq!(health.pause(), None);
        }
        let tries = (1..100).find(|_| health.take_in(Some(&died)).is_some());
        assert_eq!(tries, Some(PATIENCE));
        let mut health = Health::default();
        assert_eq!(health.take_in(Some(&end(Cause::Stopped, false))), None);
        assert!(
            health
                .take_in(Some(&end(Cause::NotStarted, false)))
                .is_some()
        );
    }
}
