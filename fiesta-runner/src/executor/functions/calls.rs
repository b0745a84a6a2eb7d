//! The queue of calls: filled by the executor, emptied by threads or by another language's program.

use super::{Call, running::Running};
use crate::clock::after;
use crate::run::{Carried, End, Ended, RunId, RunSpec};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{read, write};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The calls of a running study, for whoever makes them: any number of threads, each of which takes
/// one after the other.
///
/// ```no_run
/// # let calls: fiesta_runner::executor::Calls = unimplemented!();
/// while let Some(call) = calls.next() {
///     call.answer(|call| Ok(call.seed() as f64 / u64::MAX as f64));
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Calls {
    pub(super) shared: Arc<Shared>,
}

/// Reason why the queue returned no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCall {
    /// There is no call yet, and one may come later.
    Yet,
    /// There will be no call, as the executor is gone.
    Any,
}

impl Calls {
    /// Returns the next call, and waits for it. `None` once the executor is gone.
    pub fn next(&self) -> Option<Call> {
        self.take(None).ok()
    }

    /// Returns the next call. Waits for it at most for `timeout`.
    ///
    /// # Errors
    /// [`NoCall`] if there is none.
    pub fn next_within(&self, timeout: Duration) -> Result<Call, NoCall> {
        self.take(Some(timeout))
    }

    fn take(&self, timeout: Option<Duration>) -> Result<Call, NoCall> {
        let deadline = timeout.and_then(after);
        let mut state = self.shared.state();
        loop {
            while let Some(spec) = state.queue.pop_front() {
                if let Some(call) = self.shared.begin(&mut state, spec) {
                    return Ok(call);
                }
            }
            if state.is_closed {
                return Err(NoCall::Any);
            }
            state = match deadline {
                None => self.shared.changed.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(NoCall::Yet);
                    }
                    self.shared
                        .changed
                        .wait_timeout(state, left)
                        .map(|(state, _)| state)
                        .map_err(|error| PoisonError::new(error.into_inner().0))
                }
            }
            .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the call of a run from the queue, if nobody has taken it.
    pub(super) fn of(&self, id: &RunId) -> Option<Call> {
        let mut state = self.shared.state();
        let place = state.queue.iter().position(|spec| spec.id == *id)?;
        let spec = state.queue.remove(place)?;
        self.shared.begin(&mut state, spec)
    }
}

/// State that the executor shares with the threads that make its calls.
#[derive(Debug)]
pub(super) struct Shared {
    /// The key of the score in a result.
    pub(super) metric: String,
    state: Mutex<State>,
    changed: Condvar,
    /// Descriptor that is readable when a call has ended.
    bell: OwnedFd,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Runs that were submitted, and whose calls nobody has taken yet.
    pub(super) queue: VecDeque<RunSpec>,
    pub(super) running: BTreeMap<RunId, Arc<Running>>,
    /// Ends of calls that the executor has not taken yet.
    pub(super) ended: Vec<Ended>,
    pub(super) is_closed: bool,
}

impl Shared {
    pub(super) fn new(metric: &str) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            metric: metric.to_owned(),
            state: Mutex::default(),
            changed: Condvar::new(),
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        }))
    }

    /// Locks the state of the calls. No function is called while the lock is held.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Queues the call of a submitted run.
    pub(super) fn submit(&self, spec: RunSpec) {
        self.state().queue.push_back(spec);
        self.changed.notify_one();
    }

    /// Takes back a run whose call nobody has taken. Returns false if somebody has.
    pub(super) fn take_back(&self, id: &RunId) -> bool {
        let mut state = self.state();
        let before = state.queue.len();
        state.queue.retain(|spec| spec.id != *id);
        state.queue.len() < before
    }

    /// Returns the seconds for which the call of a run has gone on.
    pub(super) fn seconds(&self, id: &RunId) -> f64 {
        let state = self.state();
        state
            .running
            .get(id)
            .map_or(0.0, |running| running.seconds())
    }

    /// Closes the queue, so that no more calls are given out.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.queue.clear();
        self.changed.notify_all();
    }

    /// Claims a run for a call. `None` if the claim fails, which ends the run.
    fn begin(self: &Arc<Self>, state: &mut State, spec: RunSpec) -> Option<Call> {
        match Running::begin(&spec) {
            Ok(running) => {
                let running = Arc::new(running);
                state.running.insert(spec.id.clone(), Arc::clone(&running));
                Some(Call::new(spec, running, Arc::clone(self)))
            }
            Err(end) => {
                state.ended.push(Ended::unmeasured(spec.id, end));
                self.ring();
                None
            }
        }
    }

    /// Publishes the end of a call, and wakes the executor.
    pub(super) fn end(&self, running: &Running, end: End, carried: Option<Carried>) {
        let ended = running.ended(end, carried);
        running.publish(&ended);
        let mut state = self.state();
        state.running.remove(&running.id);
        state.ended.push(ended);
        self.ring();
    }

    /// Wakes the executor. The write fails only if the executor has many earlier wake-ups to read.
    fn ring(&self) {
        let _ = write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Takes the ends of calls that the executor has not taken yet.
    pub(super) fn hear(&self) -> Vec<Ended> {
        let _ = read(&self.bell, &mut [0_u8; 8]);
        std::mem::take(&mut self.state().ended)
    }
}
