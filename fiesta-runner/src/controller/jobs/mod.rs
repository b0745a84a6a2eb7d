//! The jobs of a running study: what the selector drives.
//!
//! A turn of the loop is: results come in, the selector is told and asked, and then the whole turn
//! (results and decisions) is recorded at once, before any of its jobs is started.

mod again;
mod elapsed;
mod ends;
mod failing;
mod reuse;
mod start;
mod stop;
mod turn;

use super::observer::{Observer, Progress};
use super::{
    RunError, capacity::Capacity, checkpoints::Checkpoints, gpus::Slots, moved::Place,
    packing::Packing, parallel::Orders, waits::Waits,
};
use crate::{
    answers::Answers,
    clock::first_of,
    executor::Executor,
    gpu::{GpusPerJob, Lease},
    history::{Ending, FailuresAtFirst, History, IdenticalScores, Told},
    ledger::{Entry, Ledger},
    run::{Ended, RunId, RunSpec},
    signal::{Signals, Stop},
    study::{ItemsError, Study},
};
use again::Again;
use elapsed::Elapsed;
use fiesta_core::CostUnit;
use fiesta_core::{ArmId, Evaluation, Event, Observation, Selector, Workers};
use fiesta_policies::random_search::Setting;
pub(super) use reuse::keep;
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
    /// Number of jobs for which there are GPUs.
    by_gpus: usize,
    /// Number of jobs that may run at a time, as the study file or a later order says.
    parallel: Orders,
    /// Attempts that are decided, and not started yet.
    queue: VecDeque<Attempt>,
    /// Cache of answers. `None` if the study has none.
    answers: Option<Answers>,
    /// Attempts that answers paid for before have ended without a run.
    reused: Vec<(Attempt, Ending)>,
    /// Measures of evaluations that have just ended, which the selector is told before the ends.
    measured: Vec<Event<Observation>>,
    running: BTreeMap<RunId, Job>,
    /// Ends of runs that came during a wait, and are not handled yet.
    arrived: Vec<(Attempt, Ended)>,
    capacity: Capacity,
    place: Place,
    checkpoints: Checkpoints,
    /// Whether results of this study state their cost. The cost of an attempt without a result is
    /// then unknown.
    costs_are_reported: bool,
    packing: Packing,
    /// The scores so far, of which equal ones are pointed out.
    identical: IdenticalScores,
    turn: Vec<Entry>,
    turn_is_durable: bool,
    elapsed: Elapsed,
    stopping: Option<Stop>,
    /// Time at which the running jobs were first told to stop.
    told_to_stop: Option<Instant>,
    failures: FailuresAtFirst,
    /// Whether no job is started any more, as all evaluations failed alike.
    is_halted: bool,
    /// Arms that were candidates when the user was last told of retired arms.
    candidates: Vec<ArmId>,
    /// Reasons for lost attempts that were told to the user.
    told: Told,
    /// Requests that failed and may be made again.
    again: Again,
    /// Tells other processes what the controller waits for.
    waits: Waits,
}

/// An attempt at an evaluation.
#[derive(Debug, Clone)]
struct Attempt {
    evaluation: Evaluation,
    /// The hyperparameters of the evaluation, as the ledger has them.
    setting: Setting,
    number: u32,
    /// How often the attempt was lost in this session.
    losses: u32,
    /// How often the attempt was stopped from outside in this session.
    stops: u32,
    /// The resource that was short when the attempt ended, if its lack may be the reason.
    met: Option<Shortage>,
}

/// A resource of which a job may have had too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shortage {
    /// Disk space.
    Disk,
    /// Processes, memory or open files of the machine.
    Machine,
}

impl Attempt {
    fn new(evaluation: Evaluation, setting: Setting, number: u32) -> Self {
        Self {
            evaluation,
            setting,
            number,
            losses: 0,
            stops: 0,
            met: None,
        }
    }
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
        history: &History,
    ) -> Self {
        let elapsed = Elapsed::since(history.clock, ledger.clock());
        let by_gpus = most(study, |per_job| gpus.capacity(per_job));
        Self {
            by_gpus,
            parallel: Orders::begin(study),
            gpus,
            study,
            checkpoints: Checkpoints::of(study, ledger.state_id()),
            ledger,
            executor,
            signals,
            observer,
            queue: VecDeque::new(),
            answers: None,
            reused: Vec::new(),
            measured: Vec::new(),
            running: BTreeMap::new(),
            arrived: Vec::new(),
            capacity: Capacity::new(study.state_directory()),
            place: Place::hold(study.state_directory()),
            costs_are_reported: false,
            packing: Packing::begin(study, history),
            identical: IdenticalScores::of(history),
            turn: Vec::new(),
            turn_is_durable: false,
            elapsed,
            stopping: None,
            told_to_stop: None,
            failures: history.at_first.clone(),
            is_halted: history.at_first.speak_against_all(study),
            candidates: history.selector.view().candidates().to_vec(),
            told: Told::default(),
            again: Again::of(study, history),
            waits: Waits::begin(study.state_directory()),
        }
    }

    /// Sets the cache of answers. `None` if there is none.
    pub(super) fn with_answers(self, answers: Option<Answers>) -> Self {
        Self { answers, ..self }
    }

    fn spec(&self, attempt: &Attempt, lease: Option<&Lease>) -> Result<RunSpec, ItemsError> {
        let id = self.study.run_id(&attempt.evaluation, attempt.number);
        let runs = self.study.runs_directory();
        let (evaluation, setting) = (&attempt.evaluation, &attempt.setting);
        let spec = self.study.run_spec(id, &runs, evaluation, setting, lease)?;
        let saved_in = self.checkpoints.directory(evaluation.id);
        Ok(spec.saving_in(&saved_in, self.study))
    }

    fn directory(&self, id: &RunId) -> PathBuf {
        self.study.run_directory(id)
    }

    fn show(&mut self, selector: &Selector<Observation>) {
        // Results that report costs have another unit than time.
        let unit = self.study.cost_unit();
        let is_named = matches!(unit, Some(CostUnit::Named(_)));
        let unit = unit.filter(|_| is_named || !self.costs_are_reported);
        self.observer.progress(&Progress {
            cost_unit: unit.as_ref(),
            study: self.study,
            selector,
            running: self.running.len(),
            slots: self.slots(),
            draining: self.stopping.is_some(),
            elapsed: self.elapsed.seconds(),
        });
    }

    /// Returns how many jobs may run at a time.
    fn slots(&self) -> usize {
        self.parallel.now().min(self.by_gpus)
    }

    /// Returns how long to wait for the next end of a run: until the display is to be refreshed, a
    /// GPU is to be looked at again, the study's time is over, or there may be room again.
    fn timeout(&self) -> Option<Duration> {
        let over = self.study.limits().wall.map(|limit| {
            Duration::try_from_secs_f64((limit - self.elapsed.seconds()).max(0.0))
                .unwrap_or(Duration::MAX)
        });
        // Nothing is decided before there is room, that the time is over neither.
        let over = over.filter(|_| self.turn.is_empty());
        let (gpu, room) = (self.gpus.timeout(), Some(self.capacity.pause()));
        first_of([over, self.observer.tick(), gpu, room, self.patience()])
    }
}

/// Returns the largest number of jobs that can run at a time, over all arms. `capacity` is that
/// number for each number of GPUs per job.
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
        if self.stopping.is_some() || self.is_halted {
            return 0;
        }
        let busy = self.running.len() + self.queue.len() + self.arrived.len() + self.reused.len();
        // Nobody is served by decisions that wait for a GPU in trouble, but those that find out
        // when it is free.
        let usable = most(self.study, |per_job| self.gpus.capacity_now(per_job)).max(1);
        self.slots().min(usable).saturating_sub(busy)
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), RunError> {
        let setting = self.study.setting(&evaluation);
        self.turn.push(Entry::Decided {
            evaluation,
            setting: setting.clone(),
        });
        self.queue.push_back(Attempt::new(evaluation, setting, 0));
        Ok(())
    }

    fn wait(
        &mut self,
        selector: &Selector<Observation>,
    ) -> Result<Vec<Event<Observation>>, RunError> {
        if let Some(trouble) = self.study.policy_trouble.take() {
            return Err(RunError::Policy(trouble));
        }
        self.tell_retired(selector);
        loop {
            let is_recorded = self.record()?;
            if let Some(news) = self.capacity.look() {
                self.observer.notice(&news);
            }
            self.heed_signals()?;
            if is_recorded {
                self.stop_if_all_failed_alike()?;
                if self.stopping.is_none() && !self.is_halted {
                    self.launch()?;
                }
                // What room there is on a full disk is the study's.
                if !self.capacity.is_short()
                    && let Some(news) = self.packing.write(&mut self.ledger)
                {
                    self.observer.notice(&news);
                }
            }
            self.show(selector);
            if !is_recorded {
                self.tell();
                let ends = self.polled(self.timeout())?;
                self.arrived.extend(ends);
                continue;
            }
            let mut events = self.reuse();
            let timeout = if events.is_empty() {
                self.timeout()
            } else {
                Some(Duration::ZERO)
            };
            for (attempt, ended) in self.ends(timeout)? {
                events.extend(self.take_in(attempt, &ended)?);
            }
            // What was read where nothing is any more says nothing.
            self.is_in_place().inspect_err(|_| self.turn.clear())?;
            let has_more_slots = self.heed_orders();
            let elapsed = self.elapsed.seconds();
            if has_more_slots
                || self
                    .study
                    .limits()
                    .wall
                    .is_some_and(|limit| elapsed >= limit)
                || !events.is_empty()
            {
                self.turn.insert(0, Entry::Clock { seconds: elapsed });
                events.splice(0..0, self.measured.drain(..));
                events.insert(0, Event::Clock(elapsed));
                return Ok(events);
            }
        }
    }
}
