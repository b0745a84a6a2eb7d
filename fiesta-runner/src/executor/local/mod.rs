//! The executor of this machine: a supervisor process around every run, which takes on another one
//! afterwards.

mod supervisors;

use super::find::{complaint, find, prepare, published, revoke, write_cancellation};
use super::process::{LOOK, Life, NoSupervisor, this_program};
use super::stopped::Stopped;
use super::{Executor, ExecutorError, Found, Handle, SubmitError};
use crate::clock::{after, first_of, has_come, until};
use crate::gpu::{self, Monitor, MonitorError};
use crate::process::{is_readable, wait_readable};
use crate::run::{End, Ended, RunId, RunSpec};
use crate::{run::RunDirectory, supervisor};
use rustix::event::{PollFd, PollFlags};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervisors::{News, Supervisor};

/// Runs commands on this machine. Runs outlive it: dropping it stops none.
#[derive(Debug)]
pub struct Local {
    program: PathBuf,
    runs: BTreeMap<RunId, Run>,
    /// Supervisors of this controller that have nothing to do.
    idle: Vec<Supervisor>,
    stopped: Stopped,
    /// Notices about supervisors that are stopped.
    notices: Vec<String>,
}

/// A run that is followed.
#[derive(Debug)]
struct Run {
    directory: RunDirectory,
    supervisor: Supervisor,
    /// News of the supervisor that came once, and after which the run's end could not be read yet.
    heard: News,
    cancelled: bool,
    life: Life,
}

impl Local {
    /// An executor whose supervisor is this program itself.
    ///
    /// # Errors
    /// [`NoSupervisor`] if the program did not call [`take_over`](crate::supervisor::take_over):
    /// started as a supervisor it would begin its own work again, without end.
    pub fn new() -> Result<Self, NoSupervisor> {
        Ok(Self::with_supervisor(this_program()?))
    }

    /// An executor whose supervisor is another program, one that calls
    /// [`take_over`](crate::supervisor::take_over) at the top of its `main`, such as
    /// `fiesta-supervisor`.
    pub fn with_supervisor(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            runs: BTreeMap::new(),
            idle: Vec::new(),
            stopped: Stopped::default(),
            notices: Vec::new(),
        }
    }

    /// Returns the names of the runs that are followed.
    pub fn followed(&self) -> impl Iterator<Item = &RunId> {
        self.runs.keys()
    }

    /// Orders an idle or a new supervisor to carry out a run, and returns it.
    fn ordered(&mut self, directory: &Path) -> io::Result<Supervisor> {
        while let Some(mut supervisor) = self.idle.pop() {
            if supervisor.order(directory) {
                return Ok(supervisor);
            }
            supervisor.dismiss();
        }
        let mut supervisor = Supervisor::start(&self.program)?;
        // Should it be gone already, that is noticed as if it had gone a moment later.
        supervisor.order(directory);
        Ok(supervisor)
    }
}

/// Dismisses the supervisors without a run. The others finish their runs.
impl Drop for Local {
    fn drop(&mut self) {
        self.idle.drain(..).for_each(Supervisor::dismiss);
    }
}

impl Executor for Local {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.runs.contains_key(&spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        let directory = RunDirectory::new(&spec.directory);
        prepare(&directory, spec)?;
        let supervisor = self
            .ordered(directory.path())
            .map_err(SubmitError::supervisor(&self.program, &spec.id))?;
        let identity = supervisor.identity().clone();
        self.runs.insert(
            spec.id.clone(),
            Run {
                directory,
                supervisor,
                heard: News::None,
                cancelled: false,
                life: Life::starting(),
            },
        );
        Ok(Handle::Process(identity))
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let Handle::Process(identity) = handle else {
            return Err(ExecutorError::Foreign(id.clone()));
        };
        let supervisor = Supervisor::adopt(identity.clone())?;
        let directory = RunDirectory::new(directory);
        self.runs.entry(id.clone()).or_insert_with(|| Run {
            life: Life::adopted(&directory),
            directory,
            supervisor,
            heard: News::None,
            cancelled: false,
        });
        Ok(())
    }

    fn poll(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError> {
        let deadline = timeout.and_then(after);
        loop {
            let left = until(deadline);
            let any_adopted = self.runs.values().any(|run| run.supervisor.is_adopted());
            let look = any_adopted.then_some(LOOK);
            let of_stopped = (!self.runs.is_empty()).then(|| self.stopped.due_in());
            let timeout = first_of([left, look, of_stopped]);
            let (ready, woken) = self.wait(timeout, wake)?;
            let attendants = self.runs.values();
            let attendants = attendants.map(|run| run.supervisor.identity().clone());
            let notices = self.stopped.look(attendants);
            let is_told = !notices.is_empty();
            self.notices.extend(notices);
            let mut ended = Vec::new();
            for id in ready {
                match self.settle(&id) {
                    Ok(settled) => ended.extend(settled),
                    // What is known already must not be lost with it; the error will come again.
                    Err(_) if !ended.is_empty() => break,
                    Err(error) => return Err(error),
                }
            }
            let late = has_come(deadline);
            if woken || late || is_told || !ended.is_empty() {
                return Ok(ended);
            }
        }
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(());
        };
        write_cancellation(&run.directory, grace)?;
        run.cancelled = true;
        run.supervisor.stop()
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        let directory = RunDirectory::new(directory);
        match find(id, &directory)? {
            Found::Absent if directory.spec().exists() => revoke(id, &directory),
            found => Ok(found),
        }
    }

    fn gpus(&self) -> Result<Option<Box<dyn Monitor>>, MonitorError> {
        gpu::of_this_machine()
    }
}

impl Local {
    /// Waits for news of runs. Returns the runs of which there may be news, and whether `wake` is
    /// readable.
    fn wait(
        &self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<(Vec<RunId>, bool), ExecutorError> {
        let mut descriptors = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        // Where the descriptors of each run begin. One that has none has ended already.
        let mut places = Vec::with_capacity(self.runs.len());
        let mut timeout = timeout;
        for (id, run) in &self.runs {
            let place = descriptors.len();
            descriptors.extend(run.supervisor.watched());
            if descriptors.len() == place || run.heard != News::None {
                timeout = Some(Duration::ZERO);
            }
            places.push((id, place..descriptors.len()));
        }
        wait_readable(&mut descriptors, timeout)
            .map_err(ExecutorError::system("wait for the runs"))?;
        let is_ready = |id: &RunId, place: Range<usize>| {
            let run = &self.runs[id];
            let has_news = run.heard != News::None || run.supervisor.is_adopted();
            has_news || descriptors[place].iter().any(is_readable)
        };
        let ready = places
            .into_iter()
            .filter(|(id, place)| is_ready(id, place.clone()))
            .map(|(id, _)| id.clone())
            .collect();
        Ok((ready, is_readable(&descriptors[0])))
    }

    /// Returns the end of a run after news of its supervisor. `None` if the run goes on, perhaps
    /// under another supervisor, which is followed from now on.
    fn settle(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        if run.heard == News::None {
            let news = run.supervisor.news(run.directory.path());
            run.heard = news.map_err(ExecutorError::system("hear from a supervisor"))?;
        }
        let news = run.heard;
        let mut is_short = false;
        match news {
            News::None if run.supervisor.is_adopted() && run.directory.end().exists() => {}
            News::None => return Ok(None),
            News::Done => {}
            News::Gone => is_short = run.supervisor.reap() == Some(supervisor::SHORT),
        }
        // The usual case first: it ended during this boot, so what it published is all there is to
        // know.
        let found = match published(&run.directory)? {
            Some(ended) => Found::Ended(ended),
            None => find(id, &run.directory)?,
        };
        let ended = match found {
            Found::Ended(ended) => ended,
            Found::Alive(Handle::Process(identity)) => {
                let other = Supervisor::adopt(identity)?;
                let own = std::mem::replace(&mut run.supervisor, other);
                run.heard = News::None;
                self.keep(news, own);
                return Ok(None);
            }
            // The request came before the supervisor could hear it, hence before the command was
            // started.
            // What this machine has is a process.
            Found::Alive(_) => return Ok(None),
            Found::Absent if run.cancelled => Ended::unmeasured(id.clone(), End::Cancelled),
            Found::Absent if !run.directory.path().exists() => {
                let reason =
                    "its directory was removed while it ran, by its command or somebody else";
                Ended::lost(
                    id.clone(),
                    reason.to_owned(),
                    run.life.seconds(),
                    Vec::new(),
                )
            }
            Found::Absent => {
                let complaint = complaint(&run.directory);
                let reason = format!("the supervisor ended before it began{complaint}");
                let end = if is_short {
                    End::Short { reason }
                } else {
                    End::Lost { reason }
                };
                Ended::unmeasured(id.clone(), end)
            }
            Found::Elsewhere { host } => {
                let reason = format!("its supervisor on {host} is out of sight");
                Ended::lost(id.clone(), reason, run.life.seconds(), Vec::new())
            }
            // It was there until just now.
            Found::Vanished {
                reason, survivors, ..
            } => Ended::lost(id.clone(), reason, run.life.seconds(), survivors),
        };
        if let End::Short { .. } = ended.end {
            // Those that have nothing to do take up room as well.
            self.idle.drain(..).for_each(Supervisor::dismiss);
        }
        if let Some(run) = self.runs.remove(id) {
            self.keep(news, run.supervisor);
        }
        Ok(Some(ended))
    }

    /// Keeps a supervisor that is done with its run for the next one.
    fn keep(&mut self, news: News, supervisor: Supervisor) {
        if news == News::Done && supervisor.is_ready() {
            self.idle.push(supervisor);
        }
    }
}
