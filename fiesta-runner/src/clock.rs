//! Moments and pauses: limits of time, the time left of them, and pauses that grow from try to try.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Returns the moment when this much time is over. `None` if the clock cannot tell a moment so late.
pub(crate) fn after(time: Duration) -> Option<Instant> {
    Instant::now().checked_add(time)
}

/// Returns the time until `moment`, 0 once it has come. `None` if no moment is given.
pub(crate) fn until(moment: Option<Instant>) -> Option<Duration> {
    moment.map(|moment| moment.saturating_duration_since(Instant::now()))
}

/// Returns whether `moment` has come. False without a moment.
pub(crate) fn has_come(moment: Option<Instant>) -> bool {
    moment.is_some_and(|moment| Instant::now() >= moment)
}

/// Returns the earliest of some moments, or the shortest of some times. `None` if there are none.
pub(crate) fn first_of<T: Ord, const N: usize>(moments: [Option<T>; N]) -> Option<T> {
    moments.into_iter().flatten().min()
}

/// Pauses between tries, each twice as long as the one before.
#[derive(Debug, Clone)]
pub(crate) struct Pauses {
    next: Duration,
    longest: Duration,
}

impl Pauses {
    /// Makes pauses of which the first lasts `first`, and none more than `longest`.
    pub(crate) fn new(first: Duration, longest: Duration) -> Self {
        Self {
            next: first,
            longest,
        }
    }

    /// Returns the next pause.
    pub(crate) fn take(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    /// Sleeps through the next pause.
    pub(crate) fn sleep(&mut self) {
        thread::sleep(self.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_come_leaves_no_time() {
        let (now, hour) = (Instant::now(), Duration::from_hours(1));
        assert!(has_come(Some(now)) && !has_come(after(hour)) && !has_come(None));
        assert_eq!(until(Some(now)), Some(Duration::ZERO));
        assert!(until(after(hour)).is_some_and(|left| left > hour / 2));
        assert_eq!((until(None), after(Duration::MAX)), (None, None));
        assert_eq!(first_of([None, Some(3), Some(2)]), Some(2));
        assert_eq!(first_of([None::<Duration>; 2]), None);
    }

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let [first, longest] = [2, 7].map(Duration::from_millis);
        let mut pauses = Pauses::new(first, longest);
        let taken = [(); 4].map(|()| pauses.take().as_millis());
        assert_eq!(taken, [2, 4, 7, 7]);
    }
}
