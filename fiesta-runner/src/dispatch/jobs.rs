//! The jobs of a running study: what the selector drives.
//!
//! A turn of the loop is: results come in, the selector is told and asked, and then the whole turn (results
//! and decisions) is recorded at once, before any of its jobs is started.

mod ends;
mod start;

use super::{
    RunError,
    interpret::{Meaning, interpret},
    room::Room,
    slots::Slots,
};
use crate::{
    executor::{Ended, Executor, RunId, RunSpec},
    gpu::{GpusPerJob, Lease},
    ledger::{Entry, Ledger},
    observer::{Observer, Progress},
    signal::Signals,
    study::Study,
};
use fiesta_core::{Conclusion, Evaluation, Event, Observation, Outcome, Selector, Workers};
use fiesta_policies::random_search::Setting;
use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    time::{Duration, Instant},
};

pub(super) struct Jobs<'a> {
    study: &'a Study,
    ledger: Ledger,
    executor: &'a mut dyn Executor,
    signals: &'a mut Signals,
    observer: &'a mut dyn Observer,
    gpus: Slots,
    /// How many jobs run at once: as the study says, and as there are GPUs for.
    slots: usize,
    /// Decided, and not started yet.
    queue: VecDeque<Attempt>,
    running: BTreeMap<RunId, Job>,
    /// Ends of runs that came while nobody followed them.
    arrived: Vec<(Attempt, Ended)>,
    room: Room,
    turn: Vec<Entry>,
    turn_is_durable: bool,
    before: f64,
    since: Instant,
    stopping: Stopping,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stopping {
    No,
    Draining,
    Killing,
}

/// One try at an evaluation.
#[derive(Debug, Clone)]
struct Attempt {
    evaluation: Evaluation,
    /// As the ledger has it.
    setting: Setting,
    number: u32,
    /// How often it was lost in this session.
    losses: u32,
    /// Whether it ended while the disk was full.
    met_full_disk: bool,
}

struct Job {
    attempt: Attempt,
    lease: Option<Lease>,
}

impl<'a> Jobs<'a> {
    pub(super) fn new(
        study: &'a Study,
        ledger: Ledger,
        executor: &'a mut dyn Executor,
        signals: &'a mut Signals,
        observer: &'a mut dyn Observer,
        gpus: Slots,
        clock: f64,
    ) -> Self {
        let by_gpus = most(study, |per_job| gpus.capacity(per_job));
        Self {
            slots: study.parallel.min(by_gpus),
            gpus,
            study,
            ledger,
            executor,
            signals,
            observer,
            queue: VecDeque::new(),
            running: BTreeMap::new(),
            arrived: Vec::new(),
            room: Room::new(study.state_directory()),
            turn: Vec::new(),
            turn_is_durable: false,
            before: clock,
            since: Instant::now(),
            stopping: Stopping::No,
        }
    }

    /// Records the conclusion, unless an earlier session did, then stops what still runs; a result that was published all the same
    /// counts as an evaluation.
    pub(super) fn conclude(
        &mut self,
        conclusion: &Conclusion,
        recorded: bool,
    ) -> Result<(), RunError> {
        if !recorded {
            let conclusion = conclusion.clone();
            self.turn.push(Entry::Concluded { conclusion });
        }
        self.record_in_time()?;
        self.give_up_queue();
        self.cancel_all(self.study.grace)?;
        while !self.running.is_empty() || !self.arrived.is_empty() {
            if self.signals.received().kill {
                self.cancel_all(Duration::ZERO)?;
            }
            for (attempt, ended) in self.ends(None)? {
                let directory = self.directory(&ended.id);
                match interpret(self.study, &attempt.evaluation, &directory, &ended) {
                    Meaning::Final(ending) if matches!(ending.outcome, Outcome::Observed(_)) => {
                        self.end(&attempt, ending);
                    }
                    _ => self.withdraw(&attempt),
                }
            }
        }
        self.turn_is_durable = true;
        self.record_in_time()
    }

    /// Records what is known when the study stops without a conclusion, and says what goes on without it,
    /// unless that was asked for.
    pub(super) fn abandon(&mut self, on_request: bool) {
        if !self.running.is_empty() && !on_request {
            self.observer.notice(&format!(
                "{} jobs go on by themselves; the same command finds them again",
                self.running.len()
            ));
        }
        let seconds = self.elapsed();
        self.turn.push(Entry::Clock { seconds });
        self.turn_is_durable = true;
        let left_out = match self.record() {
            Ok(true) => return,
            Ok(false) => String::new(),
            Err(error) => format!(" ({error})"),
        };
        self.observer.notice(&format!(
            "what happened last could not be written down{left_out}; it is found again in the directories of the runs"
        ));
    }

    fn spec(&self, attempt: &Attempt, lease: Option<&Lease>) -> RunSpec {
        let id = self.study.run_id(&attempt.evaluation, attempt.number);
        let runs = self.study.runs_directory();
        self.study
            .run_spec(id, &runs, &attempt.evaluation, &attempt.setting, lease)
    }

    fn directory(&self, id: &RunId) -> PathBuf {
        self.study.runs_directory().join(id.as_str())
    }

    fn elapsed(&self) -> f64 {
        self.before + self.since.elapsed().as_secs_f64()
    }

    /// Writes down the turn, results and decisions together; false if there is no room for it now, and it must be tried again.
    /// Nothing may be started before, nor decided.
    fn record(&mut self) -> Result<bool, RunError> {
        if self.turn.is_empty() {
            return Ok(true);
        }
        if !self.room.may_try() {
            return Ok(false);
        }
        let appended = self.ledger.append(&self.turn, self.turn_is_durable);
        if let Err(error) = appended {
            self.wait_for_room(error.into())?;
            return Ok(false);
        }
        self.turn.clear();
        self.turn_is_durable = false;
        self.has_room();
        Ok(true)
    }

    /// Writes down the turn, however long there is no room for it, unless somebody asks to stop.
    fn record_in_time(&mut self) -> Result<(), RunError> {
        while !self.record()? {
            let ends = self.polled(Some(self.room.pause()))?;
            self.arrived.extend(ends);
            let requests = self.signals.received();
            let drain = requests.drain && self.stopping == Stopping::No;
            if drain || requests.kill || requests.detach {
                let left_running = self.running.len();
                return Err(RunError::Interrupted { left_running });
            }
        }
        Ok(())
    }

    /// Something could not be written: an error, unless it will be possible again.
    fn wait_for_room(&mut self, error: RunError) -> Result<(), RunError> {
        if let Some(news) = self.room.refused(error)? {
            self.observer.notice(&news);
        }
        Ok(())
    }

    fn has_room(&mut self) {
        if let Some(news) = self.room.granted() {
            self.observer.notice(&news);
        }
    }

    fn give_up_queue(&mut self) {
        for attempt in std::mem::take(&mut self.queue) {
            self.withdraw(&attempt);
        }
    }

    fn cancel_all(&mut self, grace: Duration) -> Result<(), RunError> {
        let mut first_error = Ok(());
        for id in self.running.keys() {
            // One that cannot be reached is no reason to leave the others running.
            first_error = first_error.and(self.executor.cancel(id, grace));
        }
        Ok(first_error?)
    }

    /// Takes back what the executor has not started.
    fn let_go(&mut self) {
        for id in self.executor.let_go() {
            let job = self.running.remove(&id);
            self.queue.extend(job.map(|job| job.attempt));
        }
    }

    /// Does what was asked for by signals; an error if that is to leave.
    fn heed_signals(&mut self) -> Result<(), RunError> {
        let requests = self.signals.received();
        if requests.detach {
            self.let_go();
            return Err(RunError::Interrupted {
                left_running: self.running.len(),
            });
        }
        if requests.kill && self.stopping < Stopping::Killing {
            self.stopping = Stopping::Killing;
            self.observer.notice("stopping the running jobs");
            self.cancel_all(self.study.grace)?;
        } else if requests.drain && self.stopping < Stopping::Draining {
            self.stopping = Stopping::Draining;
            self.let_go();
            if !self.running.is_empty() {
                self.observer.notice(&format!(
                    "waiting for {} running jobs; once more to stop them",
                    self.running.len()
                ));
            }
        }
        // Nobody can be waited for who cannot write how it ended: that is found again.
        if self.stopping > Stopping::No && self.room.is_short() {
            let left_running = self.running.len();
            return Err(RunError::Interrupted { left_running });
        }
        if self.stopping > Stopping::No && self.running.is_empty() && self.arrived.is_empty() {
            return Err(RunError::Interrupted { left_running: 0 });
        }
        Ok(())
    }

    fn show(&mut self, selector: &Selector<Observation>) {
        self.observer.progress(&Progress {
            study: self.study,
            selector,
            running: self.running.len(),
            slots: self.slots,
            draining: self.stopping > Stopping::No,
            elapsed: self.elapsed(),
        });
    }

    /// How long to wait for the next end: until the display wants to move, a GPU is to be looked at again, the study's time is over, or
    /// there may be room again.
    fn patience(&self) -> Option<Duration> {
        let over = self.study.limits.wall.map(|limit| {
            Duration::try_from_secs_f64((limit - self.elapsed()).max(0.0)).unwrap_or(Duration::MAX)
        });
        // Nothing is decided before there is room, that the time is over neither.
        let over = over.filter(|_| self.turn.is_empty());
        let (gpu, room) = (self.gpus.patience(), Some(self.room.pause()));
        [over, self.observer.tick(), gpu, room]
            .into_iter()
            .flatten()
            .min()
    }
}

/// How many jobs of any arm can run at a time by a count for each number of GPUs per job.
fn most(study: &Study, capacity: impl Fn(GpusPerJob) -> Option<usize>) -> usize {
    let of = |arm| study.gpus_per_job(arm).and_then(&capacity);
    let arms = study.arms().ids();
    arms.map(|arm| of(arm).unwrap_or(usize::MAX))
        .max()
        .unwrap_or(usize::MAX)
}

impl Workers<Observation> for Jobs<'_> {
    type Error = RunError;

    fn vacancies(&self) -> usize {
        if self.stopping > Stopping::No {
            return 0;
        }
        let busy = self.running.len() + self.queue.len() + self.arrived.len();
        // Nobody is served by decisions that wait for a GPU in trouble, but those that find out when it is free.
        let usable = most(self.study, |per_job| self.gpus.capacity_now(per_job)).max(1);
        self.slots.min(usable).saturating_sub(busy)
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), RunError> {
        let setting = self.study.setting(&evaluation);
        self.turn.push(Entry::Decided {
            evaluation,
            setting: setting.clone(),
        });
        let attempt = Attempt {
            evaluation,
            setting,
            number: 0,
            losses: 0,
            met_full_disk: false,
        };
        self.move_stranger(&attempt)?;
        self.queue.push_back(attempt);
        Ok(())
    }

    fn wait(
        &mut self,
        selector: &Selector<Observation>,
    ) -> Result<Vec<Event<Observation>>, RunError> {
        loop {
            let is_recorded = self.record()?;
            if let Some(news) = self.room.look() {
                self.observer.notice(&news);
            }
            self.heed_signals()?;
            if is_recorded && self.stopping == Stopping::No {
                self.launch()?;
            }
            self.show(selector);
            if !is_recorded {
                let ends = self.polled(self.patience())?;
                self.arrived.extend(ends);
                continue;
            }
            let mut events = Vec::new();
            for (attempt, ended) in self.ends(self.patience())? {
                events.extend(self.take_in(attempt, &ended)?);
            }
            let elapsed = self.elapsed();
            if self.study.limits.wall.is_some_and(|limit| elapsed >= limit) || !events.is_empty() {
                self.turn.insert(0, Entry::Clock { seconds: elapsed });
                events.insert(0, Event::Clock(elapsed));
                return Ok(events);
            }
        }
    }
}
