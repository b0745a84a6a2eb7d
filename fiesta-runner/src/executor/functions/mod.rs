//! The executor of studies of functions: runs are calls of functions of this process, each in a
//! thread, or wherever another program takes them from a queue.
//!
//! A call claims its run's directory and publishes its end there, as the supervisor of a command
//! does. What ends with the process is found vanished by the next controller and made again; what
//! was published counts.

mod call;
mod calls;
mod output;
mod running;

pub use call::Call;
pub use calls::{Calls, NoCall};
pub use output::Output;

use super::find::{Attendant, find_left_by, prepare, published, revoke_from};
use super::process::{LOOK, Life};
use super::{Executor, ExecutorError, Found, Handle, SubmitError};
use crate::clock::{after, first_of, has_come, until};
use crate::process::{Identity, is_readable, wait_readable};
use crate::run::{End, Ended, RunDirectory, RunId, RunSpec};
use crate::study::Study;
use calls::Shared;
use rustix::event::{PollFd, PollFlags};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Runs functions of this process. Dropping it ends no call that runs.
///
/// A function cannot be stopped from outside: one that is to stop sees that in
/// [`Call::is_cancelled`], and nobody waits for it once the study's `grace` is over. What it
/// returns later is published all the same, and counts if its evaluation is still to be made when
/// the study is resumed. With the process all its calls end; the next controller makes them again.
///
/// # Example
/// ```
/// use fiesta_runner::executor::{Functions, Output};
/// use fiesta_runner::{Options, Study, observer::Blind, run, signal::Signals};
/// # let place = tempfile::tempdir()?;
/// # let file = place.path().join("points.toml");
///
/// let text = r#"
///     name = "points"
///     metric.name = "accuracy"
///     goal.confidence = 0.9
///     executor.kind = "functions"
///     arm = [{ name = "few" }, { name = "many" }]
/// "#;
/// let study = Study::write(text, &file)?;
/// let mut functions = Functions::new(&study, |call| {
///     let noise = (call.seed() % 100) as f64 / 1000.0;
///     match call.arm() {
///         "few" => Ok(0.5 + noise),
///         "many" => Ok(0.7 + noise),
///         other => Err(format!("there is no {other}")),
///     }
/// })?;
/// let mut signals = Signals::new()?;
/// let finished = run(&study, &mut functions, &mut signals, &mut Blind, &Options::default())?;
/// assert_eq!(study.arms().name(finished.conclusion.arm), "many");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Functions {
    shared: Arc<Shared>,
    /// Calls the study's function. `None` if other threads take the calls from the queue.
    caller: Option<Caller>,
    followed: BTreeMap<RunId, Followed>,
    /// Time at which the running calls last left a sign of life.
    signed: Instant,
}

type Caller = Arc<dyn Fn(Call) + Send + Sync>;

/// A run that is followed.
#[derive(Debug)]
struct Followed {
    whose: Whose,
    /// Time until which a cancelled run is waited for.
    until: Option<Instant>,
}

#[derive(Debug)]
enum Whose {
    /// The run is a call of this executor.
    Own,
    /// The run is of another process, or of an earlier executor of this one, which publishes its
    /// end.
    Other { directory: RunDirectory, life: Life },
}

impl Functions {
    /// An executor that calls a function in a thread of its own for each evaluation of a study. A
    /// function that returns an error or panics is a failed evaluation, with the error or the
    /// panic's words; it is not called again for it.
    ///
    /// # Errors
    /// If the system refuses a descriptor.
    pub fn new<F, R>(study: &Study, function: F) -> io::Result<Self>
    where
        F: Fn(&Call) -> Result<R, String> + Send + Sync + 'static,
        R: Into<Output>,
    {
        let (mut functions, _) = Self::queued(study)?;
        functions.caller = Some(Arc::new(move |call: Call| call.answer(&function)));
        Ok(functions)
    }

    /// An executor whose calls others make, and the queue where they find them.
    ///
    /// # Errors
    /// If the system refuses a descriptor.
    pub fn queued(study: &Study) -> io::Result<(Self, Calls)> {
        let shared = Shared::new(study.metric().name())?;
        let calls = Calls {
            shared: Arc::clone(&shared),
        };
        let functions = Self {
            shared,
            caller: None,
            followed: BTreeMap::new(),
            signed: Instant::now(),
        };
        Ok((functions, calls))
    }

    /// Returns the names of the runs that are followed.
    pub fn followed(&self) -> impl Iterator<Item = &RunId> {
        self.followed.keys()
    }

    /// Makes the call of a run in a thread of its own.
    fn call(&self, caller: &Caller, id: &RunId) -> io::Result<()> {
        let calls = Calls {
            shared: Arc::clone(&self.shared),
        };
        let (caller, run) = (Arc::clone(caller), id.clone());
        thread::Builder::new()
            .name(id.to_string())
            .spawn(move || {
                if let Some(call) = calls.of(&run) {
                    caller(call);
                }
            })
            .map(drop)
    }

    /// Collects the ends of the runs that are followed.
    fn collect(&mut self) -> Result<Vec<Ended>, ExecutorError> {
        let mut ended = self.shared.hear();
        // Nobody waits for one any more that was given up.
        ended.retain(|ended| self.followed.remove(&ended.id).is_some());
        for (id, run) in &self.followed {
            let other = match &run.whose {
                Whose::Own => None,
                Whose::Other { directory, life } => settled(id, directory, life)?,
            };
            let given_up = has_come(run.until).then(|| {
                let seconds = match &run.whose {
                    Whose::Own => self.shared.seconds(id),
                    Whose::Other { life, .. } => life.seconds(),
                };
                Ended {
                    seconds,
                    ..Ended::unmeasured(id.clone(), End::Cancelled)
                }
            });
            ended.extend(other.or(given_up));
        }
        for ended in &ended {
            self.followed.remove(&ended.id);
        }
        Ok(ended)
    }

    /// Leaves a sign of life in the directory of each running call, once a second.
    fn keep_up(&mut self) {
        if self.signed.elapsed() >= KEPT_UP_EVERY {
            self.signed = Instant::now();
            let running: Vec<_> = self.shared.state().running.values().cloned().collect();
            for running in running {
                running.keep_up();
            }
        }
    }

    /// Returns the time until the next look at runs whose end wakes nobody.
    fn next_look(&self) -> Option<Duration> {
        let given_up = until(self.followed.values().filter_map(|run| run.until).min());
        let is_other = |run: &Followed| matches!(run.whose, Whose::Other { .. });
        let look = self.followed.values().any(is_other).then_some(LOOK);
        let keep_up = (!self.followed.is_empty()).then_some(KEPT_UP_EVERY);
        first_of([given_up, look, keep_up])
    }
}

/// How often signs of life are left, and room is reserved for the ends of calls that take long.
const KEPT_UP_EVERY: Duration = Duration::from_secs(1);

/// Returns how a run of another process or executor has ended. `None` if it goes on.
fn settled(
    id: &RunId,
    directory: &RunDirectory,
    life: &Life,
) -> Result<Option<Ended>, ExecutorError> {
    let found = match published(directory)? {
        Some(ended) => Found::Ended(ended),
        None => find_left_by(Attendant::Caller, id, directory)?,
    };
    Ok(match found {
        Found::Ended(ended) => Some(ended),
        Found::Alive(_) => None,
        Found::Absent => {
            let reason = "its directory was removed while it ran".to_owned();
            Some(Ended::lost(id.clone(), reason, life.seconds(), Vec::new()))
        }
        Found::Vanished { reason, .. } => {
            Some(Ended::lost(id.clone(), reason, life.seconds(), Vec::new()))
        }
        Found::Elsewhere { host } => {
            let reason = format!("its process on {host} is out of sight");
            Some(Ended::lost(id.clone(), reason, life.seconds(), Vec::new()))
        }
    })
}

impl Executor for Functions {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.followed.contains_key(&spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        prepare(&RunDirectory::new(&spec.directory), spec)?;
        let refused = |source| SubmitError::Start {
            what: format!("a thread for the run {}", spec.id),
            source,
        };
        let own = Identity::current().map_err(refused)?;
        self.shared.submit(spec.clone());
        if let Some(caller) = &self.caller
            && let Err(error) = self.call(caller, &spec.id)
        {
            self.shared.take_back(&spec.id);
            return Err(refused(error));
        }
        let followed = Followed {
            whose: Whose::Own,
            until: None,
        };
        self.followed.insert(spec.id.clone(), followed);
        Ok(Handle::Process(own))
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let Handle::Process(_) = handle else {
            return Err(ExecutorError::Foreign(id.clone()));
        };
        // One that was given up by an earlier controller of this process.
        let whose = if self.shared.state().running.contains_key(id) {
            Whose::Own
        } else {
            let directory = RunDirectory::new(directory);
            Whose::Other {
                life: Life::adopted(&directory),
                directory,
            }
        };
        let adopted = Followed { whose, until: None };
        self.followed.entry(id.clone()).or_insert(adopted);
        Ok(())
    }

    fn poll(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError> {
        let deadline = timeout.and_then(after);
        let mut is_woken = false;
        loop {
            self.keep_up();
            let ended = self.collect()?;
            let is_late = has_come(deadline);
            if !ended.is_empty() || is_late || is_woken {
                return Ok(ended);
            }
            let left = until(deadline);
            let timeout = first_of([left, self.next_look()]);
            let descriptors = [wake, self.shared.bell()];
            let mut polled =
                descriptors.map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
            wait_readable(&mut polled, timeout)
                .map_err(ExecutorError::system("wait for the calls"))?;
            is_woken = is_readable(&polled[0]);
        }
    }

    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError> {
        let Some(run) = self.followed.get_mut(id) else {
            return Ok(());
        };
        if self.shared.take_back(id) {
            // It never began.
            run.until = Some(Instant::now());
            return Ok(());
        }
        if let Some(running) = self.shared.state().running.get(id) {
            running.cancel();
        }
        run.until = first_of([run.until, after(grace)]);
        Ok(())
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        if self.followed.contains_key(id) {
            let own =
                Identity::current().map_err(ExecutorError::system("identify this process"))?;
            return Ok(Found::Alive(Handle::Process(own)));
        }
        let directory = RunDirectory::new(directory);
        match find_left_by(Attendant::Caller, id, &directory)? {
            Found::Absent if directory.spec().exists() => {
                revoke_from(Attendant::Caller, id, &directory)
            }
            found => Ok(found),
        }
    }

    fn let_go(&mut self) -> Vec<RunId> {
        let queued: Vec<RunId> = {
            let mut state = self.shared.state();
            state.queue.drain(..).map(|spec| spec.id).collect()
        };
        for id in &queued {
            self.followed.remove(id);
        }
        queued
    }
}

/// Tells threads that wait for calls that there are no more.
impl Drop for Functions {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions")
            .field("shared", &self.shared)
            .field("followed", &self.followed)
            .finish_non_exhaustive()
    }
}
