//! Moments and pauses: limits of time, the time left of them, and pauses that grow from try to try.

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

thread_local! {
    /// Present moment in the simulation that this thread makes, and the time since that began. `None`
    /// in every other thread.
    static SIMULATED: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// Time on the wall at which every simulation begins, after 1970.
const SIMULATED_FROM: Duration = Duration::from_secs(2_000_000_000);

/// Returns the present moment: the system's, or the one of this thread's simulation.
pub(crate) fn now() -> Instant {
    SIMULATED
        .get()
        .map_or_else(Instant::now, |simulated| simulated.0)
}

/// Returns the time on the wall: the system's, or the one of this thread's simulation.
pub(crate) fn on_the_wall() -> SystemTime {
    match SIMULATED.get() {
        Some((_, passed)) => UNIX_EPOCH + SIMULATED_FROM.saturating_add(passed),
        None => SystemTime::now(),
    }
}

/// Returns the time since `moment`.
pub(crate) fn since(moment: Instant) -> Duration {
    now().saturating_duration_since(moment)
}

/// Begins a simulation in this thread, at the same time on the wall each time. From now on the thread's clock moves by
/// [`pass`] and by its own waits alone, and no wait takes any time.
pub fn begin_simulation() {
    SIMULATED.set(Some((now(), Duration::ZERO)));
}

/// Lets `time` pass in the simulation that this thread makes.
pub fn pass(time: Duration) {
    let simulated = SIMULATED.get();
    SIMULATED.set(simulated.map(|(moment, passed)| {
        let later = moment.checked_add(time).unwrap_or(moment);
        (later, passed.saturating_add(time))
    }));
}

/// Returns how long to wait for what may take `timeout`: 0 in a simulation, where that time has
/// passed then.
pub(crate) fn to_wait(timeout: Option<Duration>) -> Option<Duration> {
    if SIMULATED.get().is_none() {
        return timeout;
    }
    pass(timeout.unwrap_or_default());
    Some(Duration::ZERO)
}

/// Waits for `time`.
pub(crate) fn sleep(time: Duration) {
    thread::sleep(to_wait(Some(time)).unwrap_or(time));
}

/// Returns the moment when this much time is over. `None` if the clock cannot tell a moment so late.
pub(crate) fn after(time: Duration) -> Option<Instant> {
    now().checked_add(time)
}

/// Returns the time until `moment`, 0 once it has come. `None` if no moment is given.
pub(crate) fn until(moment: Option<Instant>) -> Option<Duration> {
    moment.map(|moment| moment.saturating_duration_since(now()))
}

/// Returns whether `moment` has come. False without a moment.
pub(crate) fn has_come(moment: Option<Instant>) -> bool {
    moment.is_some_and(|moment| now() >= moment)
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
        sleep(self.take());
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
