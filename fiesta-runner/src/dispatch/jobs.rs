//! The jobs of a running study: what the selector drives.
//!
//! A turn of the loop is: results come in, the selector is told and asked, and then the whole turn (results
//! and decisions) is recorded at once, before any of its jobs is started.

mod ends;
mod start;
mod stop;
mod turn;

use super::{RunError, room::Room, slots::Slots};
use crate::{
    executor::{Ended, Executor, RunId, RunSpec},
    gpu::{GpusPerJob, Lease},
    ledger::{Entry, Ledger},
    observer::{Observer, Progress},
    signal::{Signals, Stop},
    study::Study,
};
use fiesta_core::{Evaluation, Event, Observation, Selector, Workers};
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
    stopping: Option<Stop>,
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
    /// How often it was stopped from outside in this session.
    stops: u32,
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
            stopping: None,
        }
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

    fn show(&mut self, selector: &Selector<Observation>) {
        self.observer.progress(&Progress {
            study: self.study,
            selector,
            running: self.running.len(),
            slots: self.slots,
            draining: self.stopping.is_some(),
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
        if self.stopping.is_some() {
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
            stops: 0,
            met_full_disk: false,
        };
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
            if is_recorded && self.stopping.is_none() {
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
