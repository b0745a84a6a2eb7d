//! Whether workers of a kind start: when to try again, and when to give up.

use crate::wrapper::worker::{Cause, WorkerEnd};
use std::time::{Duration, Instant};

/// The first pause after a worker that answered nothing; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How many workers in a row may answer nothing where others of their kind did before: together with the pauses, some minutes.
const PATIENCE: u32 = 12;

/// What is known of the workers of a kind in this session.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Whether any was ready or answered.
    proven: bool,
    /// How many in a row did not.
    failures: u32,
    pause_until: Option<Instant>,
}

impl Health {
    /// Notes that one was ready or answered.
    pub(super) fn prove(&mut self) {
        *self = Self {
            proven: true,
            ..Self::default()
        };
    }

    /// Takes in a worker's end, none if its host was killed; why no other is to be started, if so. `most` workers may answer nothing
    /// before anybody knows that they can.
    pub(super) fn take_in(&mut self, end: Option<&WorkerEnd>, most: u32) -> Option<String> {
        let reason = match end {
            Some(end) if end.proven => {
                self.prove();
                return None;
            }
            Some(end) => match end.cause {
                Cause::Stopped => return None,
                Cause::NotStarted => return Some(end.reason.clone()),
                Cause::NotReady | Cause::Died | Cause::Retired => end.reason.as_str(),
            },
            None => "its host was killed",
        };
        self.failures += 1;
        let pause = FIRST_PAUSE.saturating_mul(1 << (self.failures - 1).min(16));
        self.pause_until = Instant::now().checked_add(pause.min(LONGEST_PAUSE));
        let most = if self.proven { PATIENCE } else { most };
        (self.failures >= most).then(|| {
            format!(
                "the worker does not work: {} in a row ended before they answered anything; the last one: {reason}",
                self.failures
            )
        })
    }

    /// Until when no worker of this kind is started.
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
    fn workers_that_never_answer_are_given_up_soon_and_others_late() {
        let died = end(Cause::Died, false);
        let mut health = Health::default();
        assert_eq!(health.take_in(Some(&died), 3), None);
        assert!(health.pause().is_some());
        assert_eq!(health.take_in(None, 3), None);
        assert!(health.take_in(Some(&died), 3).unwrap().contains("because"));

        let mut health = Health::default();
        for _ in 0..100 {
            assert_eq!(health.take_in(Some(&end(Cause::Died, true)), 3), None);
            assert_eq!(health.pause(), None);
        }
        let tries = (1..).find(|_| health.take_in(Some(&died), 3).is_some());
        assert_eq!(tries, Some(PATIENCE));
        assert_eq!(
            Health::default().take_in(Some(&end(Cause::Stopped, false)), 1),
            None
        );
        assert!(
            Health::default()
                .take_in(Some(&end(Cause::NotStarted, false)), 3)
                .is_some()
        );
    }
}
