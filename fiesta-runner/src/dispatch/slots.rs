//! The GPUs of a running study: which are given to jobs, and which are not just now, and why.
//!
//! Where the GPUs' driver can be asked, a GPU is looked at before a job gets it and after its job ended. One that still
//! holds an ended job's memory is waited for, then put into quarantine; one that somebody else uses is skipped. Either is
//! looked at again every so often; nothing here waits.

mod gather;

pub(super) use gather::of_workers;

use super::RunError;
use crate::{
    executor::{Ended, RunId},
    gpu::{Context, GpuPool, GpusPerJob, Known, Lease, Monitor, Verdict, judge, owner},
    process::Identity,
    slots::{Board, Mark, SlotState},
    wrapper::RunDirectory,
};
use std::{
    cell::LazyCell,
    collections::BTreeMap,
    fmt::Write,
    mem,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How long memory may take to become free after a job ended, before that counts as trouble.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a stranger must be there to be one: a job of ours that just ends may be listed a moment longer than it can be recognised.
const PASSING: Duration = Duration::from_millis(300);
/// How soon such a GPU is looked at again at first, and how often in the end.
const SOON: Duration = Duration::from_millis(10);
const OFTEN: Duration = Duration::from_millis(500);
/// How often a GPU is looked at that is in trouble.
const NOW_AND_THEN: Duration = Duration::from_secs(2);

/// The GPUs of a study.
#[derive(Debug)]
pub(super) struct Slots {
    pool: GpuPool,
    /// Who is asked about them; none if nobody can be, or is to be.
    monitor: Option<Box<dyn Monitor>>,
    /// In the pool's order.
    places: Vec<Place>,
    /// Where each run is that has GPUs.
    runs: BTreeMap<String, Vec<usize>>,
    directory: PathBuf,
    board: Option<Board>,
    notices: Vec<String>,
    has_complained: bool,
}

/// One GPU.
#[derive(Debug)]
struct Place {
    id: String,
    known: Option<Known>,
    state: State,
    /// The memory that no process had when it was last seen free.
    unclaimed: Option<u64>,
    /// When it is looked at again, unless it is free.
    due: Instant,
    pause: Duration,
}

/// Why a GPU is not given away.
#[derive(Debug, Clone, PartialEq)]
enum State {
    /// It is, as far as there is room on it.
    Free,
    /// A job ended, and its memory is not free yet.
    Waiting { since: Instant },
    /// The memory did not become free, or the driver does not answer.
    Quarantined { reason: String },
    /// Somebody else seems to use it.
    Doubtful { since: Instant },
    /// Somebody else uses it.
    Foreign { reason: String },
    /// Processes of a job that could not be killed may hold it; there is no driver to ask.
    Survived {
        processes: Vec<Identity>,
        reason: String,
    },
}

impl Slots {
    fn new(
        pool: GpuPool,
        known: Vec<Option<Known>>,
        monitor: Option<Box<dyn Monitor>>,
        directory: PathBuf,
    ) -> Self {
        let places = pool.ids().zip(known).map(|(id, known)| Place {
            id: id.to_owned(),
            known,
            state: State::Free,
            unclaimed: None,
            due: Instant::now(),
            pause: SOON,
        });
        Self {
            places: places.collect(),
            pool,
            monitor,
            runs: BTreeMap::new(),
            directory,
            board: None,
            notices: Vec::new(),
            has_complained: false,
        }
    }

    fn with_notices(self, notices: Vec<String>) -> Self {
        Self { notices, ..self }
    }

    /// The same, with the runs in another directory than the study's own.
    pub(super) fn with_runs_in(self, directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self { directory, ..self }
    }

    /// The same, which tell other processes in this directory how they are. What an earlier controller told is no longer so.
    pub(super) fn on_board(mut self, directory: &Path) -> Self {
        Board::remove(directory);
        if !self.places.is_empty() {
            self.board = Some(Board::new(directory));
            self.publish();
        }
        self
    }

    /// How many of these jobs can run at a time, by their GPUs.
    pub(super) fn capacity(&self, per_job: GpusPerJob) -> Option<usize> {
        self.pool.capacity(per_job)
    }

    /// The same, without the GPUs that are in trouble.
    pub(super) fn capacity_now(&self, per_job: GpusPerJob) -> Option<usize> {
        self.pool.capacity_now(per_job)
    }

    /// GPUs for a run; none as long as too few are free.
    pub(super) fn take(&mut self, per_job: GpusPerJob, run: &RunId) -> Option<Lease> {
        loop {
            let lease = self.pool.take(per_job)?;
            let now = Instant::now();
            let mut all_free = true;
            for &place in lease.slots() {
                self.look_at(place, now);
                all_free &= self.places[place].state == State::Free;
            }
            if all_free {
                self.has_complained = false;
                self.enter(run, &lease);
                return Some(lease);
            }
            // What is not free is set aside now, so that the next try is another one.
            self.pool.give_back(lease);
        }
    }

    /// The GPUs that a run of an earlier controller has, if they are ours to give.
    pub(super) fn retake(
        &mut self,
        per_job: GpusPerJob,
        run: &RunId,
        ids: &[String],
    ) -> Option<Lease> {
        let lease = self.pool.retake(per_job, ids)?;
        self.enter(run, &lease);
        Some(lease)
    }

    fn enter(&mut self, run: &RunId, lease: &Lease) {
        if !lease.slots().is_empty() {
            self.runs.insert(run.to_string(), lease.slots().to_vec());
        }
    }

    /// Takes back what a run had that ended. Whether it can be used again, its driver decides.
    pub(super) fn give_back(&mut self, lease: Lease, ended: &Ended) {
        let now = Instant::now();
        self.runs.remove(ended.id.as_str());
        let places = lease.slots().to_vec();
        self.pool.give_back(lease);
        for place in places {
            let watched = self.is_watched(place);
            let state = &self.places[place].state;
            match state {
                State::Free | State::Waiting { .. } | State::Doubtful { .. } if watched => {
                    if let Some(state) = self.judge(place, &State::Waiting { since: now }, now) {
                        self.settle(place, state, now);
                    }
                }
                State::Free | State::Survived { .. } if !ended.survivors.is_empty() => {
                    let state = state.survived_by(ended);
                    self.settle(place, state, now);
                }
                _ => {}
            }
        }
    }

    /// Takes back the GPUs of a run that was not started after all.
    pub(super) fn give_back_unused(&mut self, lease: Lease, run: &RunId) {
        self.runs.remove(run.as_str());
        self.pool.give_back(lease);
    }

    /// Looks again at what is in trouble, if it is time.
    pub(super) fn look(&mut self) {
        let now = Instant::now();
        for place in 0..self.places.len() {
            if self.places[place].state != State::Free && self.places[place].due <= now {
                self.look_at(place, now);
            }
        }
    }

    /// How long until something is to be looked at again.
    pub(super) fn patience(&self) -> Option<Duration> {
        let now = Instant::now();
        let troubled = self
            .places
            .iter()
            .filter(|place| place.state != State::Free);
        troubled
            .map(|place| place.due.saturating_duration_since(now))
            .min()
    }

    /// What the user should know since this was last asked.
    pub(super) fn notices(&mut self) -> Vec<String> {
        mem::take(&mut self.notices)
    }

    /// Nothing runs, and no GPU is free for what should.
    ///
    /// # Errors
    /// [`RunError::NoGpuLeft`] if none will ever be.
    pub(super) fn stalled(&mut self) -> Result<(), RunError> {
        let any = |is: fn(&State) -> bool| self.places.iter().any(|place| is(&place.state));
        if any(|state| matches!(state, State::Waiting { .. } | State::Doubtful { .. })) {
            return Ok(());
        }
        if !any(|state| matches!(state, State::Quarantined { .. } | State::Foreign { .. })) {
            return Err(RunError::NoGpuLeft);
        }
        if !mem::replace(&mut self.has_complained, true) {
            self.notices.push(
                "no GPU is free for the next job: waiting for one; to use GPUs whoever else does, set [executor] watch_gpus = false"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Why GPUs are not used that will not be free in a moment.
    pub(super) fn troubles(&self) -> Vec<String> {
        let troubled = self.places.iter().filter_map(|place| match &place.state {
            State::Free | State::Waiting { .. } | State::Doubtful { .. } => None,
            State::Quarantined { reason }
            | State::Foreign { reason }
            | State::Survived { reason, .. } => Some(format!("{}: {reason}", label(place))),
        });
        troubled.collect()
    }

    fn is_watched(&self, place: usize) -> bool {
        self.monitor.is_some() && self.places[place].known.is_some()
    }

    fn look_at(&mut self, place: usize, now: Instant) {
        let before = self.places[place].state.clone();
        if let Some(state) = self.judge(place, &before, now) {
            self.settle(place, state, now);
        }
    }

    /// The state of a GPU that was in another before; none if nobody can tell.
    fn judge(&mut self, place: usize, before: &State, now: Instant) -> Option<State> {
        if let State::Survived { processes, .. } = before {
            let left = processes.iter().any(Identity::is_alive);
            return Some(if left { before.clone() } else { State::Free });
        }
        let known = self.places[place].known.as_ref()?;
        let usage = match self.monitor.as_mut()?.usage(&known.uuid) {
            Ok(usage) => usage,
            Err(error) => {
                let reason = error.to_string();
                return Some(State::Quarantined { reason });
            }
        };
        let runs = &self.runs;
        let is_here = |places: &Vec<usize>| places.contains(&place);
        let wrappers = LazyCell::new(|| wrappers(runs.keys(), &self.directory));
        let watched = |pid| {
            let (_, run) = wrappers.iter().find(|(wrapper, _)| wrapper.pid == pid)?;
            Some(run.clone())
        };
        let verdict = judge(
            &usage,
            &Context {
                is_here: &|run| runs.get(run).is_some_and(is_here),
                goes_on: &|run| runs.contains_key(run),
                in_use: runs.values().any(is_here),
                after_run: matches!(before, State::Waiting { .. } | State::Quarantined { .. }),
                unclaimed: self.places[place].unclaimed,
                owner: &|pid| owner(pid, &self.directory, watched),
            },
        );
        Some(match verdict {
            Verdict::Free { unclaimed } => {
                self.places[place].unclaimed = unclaimed.or(self.places[place].unclaimed);
                State::Free
            }
            Verdict::Held(who) => held(before, who, now),
            Verdict::Foreign(who) => foreign(before, who, now),
        })
    }

    /// Puts a GPU into a state, says so, and says when to look again.
    fn settle(&mut self, place: usize, state: State, now: Instant) {
        let at = &mut self.places[place];
        let changed = mem::discriminant(&at.state) != mem::discriminant(&state);
        at.pause = match &state {
            State::Waiting { .. } | State::Doubtful { .. } if changed => SOON,
            State::Waiting { .. } | State::Doubtful { .. } => (at.pause * 2).min(OFTEN),
            _ => NOW_AND_THEN,
        };
        at.due = now + at.pause;
        let before = mem::replace(&mut at.state, state);
        self.pool
            .set_aside(place, self.places[place].state != State::Free);
        let at = &self.places[place];
        let again = format!("it is looked at again every {} s", NOW_AND_THEN.as_secs());
        let gpu = label(at);
        if changed {
            match &at.state {
                State::Free
                    if !matches!(before, State::Waiting { .. } | State::Doubtful { .. }) =>
                {
                    self.notices.push(format!("{gpu} is free again"));
                }
                State::Free | State::Waiting { .. } | State::Doubtful { .. } => {}
                State::Quarantined { reason } => self
                    .notices
                    .push(format!("{gpu} is put aside: {reason}; {again}")),
                State::Foreign { reason } => self
                    .notices
                    .push(format!("{gpu} is skipped: {reason}; {again}")),
                State::Survived { reason, .. } => self.notices.push(format!(
                    "{gpu} is put aside: {reason}, and there is no driver to ask what they hold"
                )),
            }
        }
        if self.places[place].state != before {
            self.publish();
        }
    }

    /// Tells other processes.
    fn publish(&mut self) {
        if let Some(board) = &self.board {
            board.write(self.places.iter().map(Place::mark).collect());
        }
    }
}

impl State {
    /// What a GPU is in that processes of another ended run may hold as well.
    fn survived_by(&self, ended: &Ended) -> Self {
        let (mut processes, mut reason) = match self {
            Self::Survived { processes, reason } => (processes.clone(), format!("{reason}; ")),
            _ => (Vec::new(), String::new()),
        };
        let survivors = ended.survivors.iter();
        processes.extend(survivors.filter_map(|&pid| Identity::of(pid).ok()));
        let _ = write!(
            reason,
            "processes {:?} of {} could not be killed",
            ended.survivors, ended.id
        );
        Self::Survived { processes, reason }
    }
}

impl Place {
    fn mark(&self) -> Mark {
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
        Mark {
            gpu: self.id.clone(),
            index: self.known.as_ref().map(|known| known.index),
            name: self.known.as_ref().map(|known| known.name.clone()),
            state,
            reason,
        }
    }
}

/// The wrappers of some runs that live.
fn wrappers<'r>(
    runs: impl Iterator<Item = &'r String>,
    directory: &Path,
) -> Vec<(Identity, String)> {
    let wrapper = |run: &String| {
        let meta = RunDirectory::new(directory.join(run)).read_meta().ok()??;
        let lives = meta.wrapper.is_alive();
        lives.then(|| (meta.wrapper, run.clone()))
    };
    runs.filter_map(wrapper).collect()
}

/// What a GPU is in whose memory an ended run still is.
fn held(before: &State, who: String, now: Instant) -> State {
    match before {
        State::Waiting { since } if now.saturating_duration_since(*since) >= PATIENCE => {
            State::Quarantined {
                reason: format!("{who}, {} s after the last run ended", PATIENCE.as_secs()),
            }
        }
        State::Waiting { since } => State::Waiting { since: *since },
        State::Quarantined { .. } => State::Quarantined { reason: who },
        State::Free | State::Doubtful { .. } | State::Foreign { .. } | State::Survived { .. } => {
            State::Waiting { since: now }
        }
    }
}

/// What a GPU is in that a stranger uses.
fn foreign(before: &State, who: String, now: Instant) -> State {
    match before {
        State::Doubtful { since } if now.saturating_duration_since(*since) < PASSING => {
            State::Doubtful { since: *since }
        }
        State::Doubtful { .. } | State::Foreign { .. } => State::Foreign { reason: who },
        _ => State::Doubtful { since: now },
    }
}

/// A GPU in words.
fn label(place: &Place) -> String {
    match &place.known {
        Some(known) if place.id == known.index.to_string() => {
            format!("GPU {} ({})", place.id, known.name)
        }
        Some(known) => format!("GPU {} ({}, {})", known.index, known.name, place.id),
        None => format!("GPU {}", place.id),
    }
}

#[cfg(test)]
mod tests;
