//! The jobs of a running study: what the selector drives.
//!
//! A turn of the loop is: results come in, the selector is told and asked, and then the whole turn (results
//! and decisions) is recorded at once, before any of its jobs is started.

use super::{
    RunError,
    interpret::{Meaning, failure, interpret},
};
use crate::{
    executor::{Ended, Executor, Found, RunId, RunSpec},
    gpu::{GpuPool, Lease, VISIBLE_DEVICES},
    history::{Ending, Record, orient},
    ledger::{self, DURABLE_FROM, Entry, Ledger},
    observer::{Observer, Progress},
    signal::Signals,
    study::Study,
    wrapper::RunDirectory,
};
use fiesta_core::{Conclusion, Evaluation, Event, Observation, Outcome, Selector, Workers};
use fiesta_policies::random_search::Setting;
use serde_json::Map;
use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

pub(super) struct Jobs<'a> {
    study: &'a Study,
    ledger: Ledger,
    executor: &'a mut dyn Executor,
    signals: &'a mut Signals,
    observer: &'a mut dyn Observer,
    gpus: GpuPool,
    /// How many jobs run at once: as the study says, and as there are GPUs for.
    slots: usize,
    /// Decided, and not started yet.
    queue: VecDeque<Attempt>,
    running: BTreeMap<RunId, Job>,
    /// Ends of runs that came while nobody followed them.
    arrived: Vec<(Attempt, Ended)>,
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
        gpus: GpuPool,
        clock: f64,
    ) -> Self {
        let capacity = |arm| {
            study
                .gpus_per_job(arm)
                .and_then(|per_job| gpus.capacity(per_job))
        };
        let by_gpus = study
            .arms()
            .ids()
            .map(|arm| capacity(arm).unwrap_or(usize::MAX))
            .max();
        Self {
            slots: study.parallel.min(by_gpus.unwrap_or(usize::MAX)),
            gpus,
            study,
            ledger,
            executor,
            signals,
            observer,
            queue: VecDeque::new(),
            running: BTreeMap::new(),
            arrived: Vec::new(),
            turn: Vec::new(),
            turn_is_durable: false,
            before: clock,
            since: Instant::now(),
            stopping: Stopping::No,
        }
    }

    /// Takes up what an earlier controller left: follows what still runs, collects what has ended, starts
    /// what never was.
    pub(super) fn resume<'r>(
        &mut self,
        pending: impl Iterator<Item = &'r Record>,
    ) -> Result<(), RunError> {
        for record in pending {
            let attempt = Attempt {
                evaluation: record.evaluation,
                setting: record.setting.clone(),
                number: record.attempt,
                losses: 0,
            };
            let id = self.study.run_id(&attempt.evaluation, attempt.number);
            let directory = self.directory(&id);
            self.move_stranger(&attempt)?;
            match self.executor.find(&id, &directory)? {
                Found::Absent => self.queue.push_back(attempt),
                Found::Alive(handle) => {
                    self.executor.adopt(&id, &directory, &handle)?;
                    let lease = self.lease_of(&attempt, &directory);
                    self.running.insert(id, Job { attempt, lease });
                }
                Found::Ended(ended) => self.arrived.push((attempt, ended)),
                // Whoever resumes wants it made; this is no loss that counts against the retries.
                Found::Vanished { reason } => self.again(attempt, reason),
                Found::Elsewhere { host } => {
                    let run = id.to_string();
                    return Err(RunError::Elsewhere { run, host });
                }
            }
        }
        Ok(())
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
        self.record()?;
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
        self.record()
    }

    /// Records what is known when the study stops without a conclusion, and says what goes on without it,
    /// unless that was asked for.
    pub(super) fn abandon(&mut self, on_request: bool) -> Result<(), RunError> {
        if !self.running.is_empty() && !on_request {
            self.observer.notice(&format!(
                "{} jobs go on by themselves; the same command finds them again",
                self.running.len()
            ));
        }
        let seconds = self.elapsed();
        self.turn.push(Entry::Clock { seconds });
        self.turn_is_durable = true;
        self.record()
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

    /// Writes down the turn, results and decisions together.
    fn record(&mut self) -> Result<(), RunError> {
        self.ledger.append(&self.turn, self.turn_is_durable)?;
        self.turn.clear();
        self.turn_is_durable = false;
        Ok(())
    }

    /// Starts what is queued, as far as there are GPUs.
    fn launch(&mut self) -> Result<(), RunError> {
        for _ in 0..self.queue.len() {
            if self.running.len() >= self.study.parallel {
                break;
            }
            let Some(attempt) = self.queue.pop_front() else {
                break;
            };
            let per_job = self.study.gpus_per_job(attempt.evaluation.arm);
            let lease = match per_job {
                None => None,
                Some(per_job) => {
                    let Some(lease) = self.gpus.take(per_job) else {
                        self.queue.push_back(attempt);
                        continue;
                    };
                    Some(lease)
                }
            };
            let spec = self.spec(&attempt, lease.as_ref());
            self.study
                .place_document(&attempt.evaluation.case, &spec.directory)?;
            self.executor.submit(&spec)?;
            self.observer
                .started(self.study, &spec.id, &attempt.evaluation);
            self.running.insert(spec.id, Job { attempt, lease });
        }
        let idle = self.running.is_empty() && self.arrived.is_empty();
        if idle && !self.queue.is_empty() {
            return Err(RunError::NoGpuLeft);
        }
        Ok(())
    }

    /// Moves a run out of the way that bears the name of this attempt and is another evaluation: a ledger
    /// was removed, or lost its last turn with the power.
    fn move_stranger(&mut self, attempt: &Attempt) -> Result<(), RunError> {
        let spec = self.spec(attempt, None);
        let there = RunDirectory::new(&spec.directory).read_spec();
        let Ok(there) = there else {
            return Ok(());
        };
        let of_evaluation = |spec: &RunSpec| {
            let mut environment = spec.environment.clone();
            environment.retain(|(key, _)| key != VISIBLE_DEVICES);
            (spec.command.clone(), environment)
        };
        if of_evaluation(&there) == of_evaluation(&spec) {
            return Ok(());
        }
        let mut aside = spec.directory.clone().into_os_string();
        aside.push(format!(".stranger-{:.0}", ledger::now()));
        let aside = PathBuf::from(aside);
        fs::rename(&spec.directory, &aside).map_err(|source| RunError::System {
            action: "move the run of another study out of the way",
            source,
        })?;
        self.observer.notice(&format!(
            "{} is not of this study's evaluations and was moved to {}",
            spec.directory.display(),
            aside.display()
        ));
        Ok(())
    }

    /// The GPUs that a run of an earlier controller was given.
    fn lease_of(&mut self, attempt: &Attempt, directory: &std::path::Path) -> Option<Lease> {
        let per_job = self.study.gpus_per_job(attempt.evaluation.arm)?;
        let spec = RunDirectory::new(directory).read_spec().ok()?;
        let (_, devices) = spec
            .environment
            .iter()
            .find(|(key, _)| key == VISIBLE_DEVICES)?;
        let ids: Vec<String> = devices.split(',').map(ToOwned::to_owned).collect();
        self.gpus.retake(per_job, &ids)
    }

    /// The runs that ended, waiting for the first of them at most so long.
    fn ends(&mut self, timeout: Option<Duration>) -> Result<Vec<(Attempt, Ended)>, RunError> {
        if !self.arrived.is_empty() {
            return Ok(std::mem::take(&mut self.arrived));
        }
        let ended = self.executor.poll(timeout, self.signals.wake())?;
        let mut ends = Vec::with_capacity(ended.len());
        for ended in ended {
            if let Some(job) = self.running.remove(&ended.id) {
                match job.lease {
                    Some(lease) if ended.survivors.is_empty() => self.gpus.give_back(lease),
                    // What cannot be removed holds its GPU; nobody else is sent there.
                    Some(lease) => self.observer.notice(&format!(
                        "GPU {} will not be used again: processes {:?} of {} could not be killed",
                        lease.visible_devices(),
                        ended.survivors,
                        ended.id
                    )),
                    None => {}
                }
                ends.push((job.attempt, ended));
            }
        }
        Ok(ends)
    }

    /// Takes in a run's end; the event, if its evaluation has ended with it.
    fn take_in(
        &mut self,
        attempt: Attempt,
        ended: &Ended,
    ) -> Result<Option<Event<Observation>>, RunError> {
        let directory = self.directory(&ended.id);
        match interpret(self.study, &attempt.evaluation, &directory, ended) {
            Meaning::Final(ending) => Ok(Some(self.end(&attempt, ending))),
            Meaning::Lost(reason) if attempt.losses >= self.study.retries => {
                // Not the words of a command that failed by itself.
                let reason = match attempt.losses {
                    0 => format!("lost: {reason}"),
                    losses => format!("lost {} times, now: {reason}", losses + 1),
                };
                let ending = failure(self.study, &attempt.evaluation, ended, reason);
                Ok(Some(self.end(&attempt, ending)))
            }
            Meaning::Lost(reason) => {
                let losses = attempt.losses + 1;
                self.again(Attempt { losses, ..attempt }, reason);
                Ok(None)
            }
            // Still to be made: by this controller, or by the one that resumes.
            Meaning::Cancelled if self.stopping == Stopping::Killing => Ok(None),
            Meaning::Cancelled => {
                self.again(attempt, "stopped from outside".to_owned());
                Ok(None)
            }
            Meaning::Impossible(reason) => {
                let arm = self.study.arms().name(attempt.evaluation.arm).to_owned();
                self.cancel_all(self.study.grace)?;
                Err(RunError::Command { arm, reason })
            }
        }
    }

    fn end(&mut self, attempt: &Attempt, ending: Ending) -> Event<Observation> {
        self.observer
            .ended(self.study, &attempt.evaluation, &ending);
        let event = Event::Ended {
            id: attempt.evaluation.id,
            outcome: orient(self.study, ending.outcome),
            cost: ending.cost,
        };
        self.turn_is_durable |= ending.seconds >= DURABLE_FROM.as_secs_f64();
        self.turn.push(Entry::Ended {
            evaluation: attempt.evaluation.id,
            attempt: attempt.number,
            outcome: ending.outcome,
            cost: ending.cost,
            seconds: ending.seconds,
            end: ending.end,
            message: ending.message,
            extras: ending.extras,
        });
        event
    }

    fn withdraw(&mut self, attempt: &Attempt) {
        self.turn.push(Entry::Ended {
            evaluation: attempt.evaluation.id,
            attempt: attempt.number,
            outcome: Outcome::Withdrawn,
            cost: 0.0,
            seconds: 0.0,
            end: None,
            message: None,
            extras: Map::new(),
        });
    }

    /// Queues another attempt at an evaluation.
    fn again(&mut self, attempt: Attempt, reason: String) {
        let number = attempt.number + 1;
        let arm = self.study.arms().name(attempt.evaluation.arm);
        self.observer.notice(&format!(
            "evaluation {} of `{arm}` is tried again: {reason}",
            attempt.evaluation.id.0 + 1
        ));
        self.turn.push(Entry::Retried {
            evaluation: attempt.evaluation.id,
            attempt: number,
            reason,
        });
        self.queue.push_back(Attempt { number, ..attempt });
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

    /// Does what was asked for by signals; an error if that is to leave.
    fn heed_signals(&mut self) -> Result<(), RunError> {
        let requests = self.signals.received();
        if requests.detach {
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
            if !self.running.is_empty() {
                self.observer.notice(&format!(
                    "waiting for {} running jobs; once more to stop them",
                    self.running.len()
                ));
            }
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

    /// How long to wait for the next end: until the display wants to move or the study's time is over.
    fn patience(&self) -> Option<Duration> {
        let over = self.study.limits.wall.map(|limit| {
            Duration::try_from_secs_f64((limit - self.elapsed()).max(0.0)).unwrap_or(Duration::MAX)
        });
        [over, self.observer.tick()].into_iter().flatten().min()
    }
}

impl Workers<Observation> for Jobs<'_> {
    type Error = RunError;

    fn vacancies(&self) -> usize {
        if self.stopping > Stopping::No {
            return 0;
        }
        let busy = self.running.len() + self.queue.len() + self.arrived.len();
        self.slots.saturating_sub(busy)
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
        };
        self.move_stranger(&attempt)?;
        self.queue.push_back(attempt);
        Ok(())
    }

    fn wait(
        &mut self,
        selector: &Selector<Observation>,
    ) -> Result<Vec<Event<Observation>>, RunError> {
        self.record()?;
        loop {
            self.heed_signals()?;
            if self.stopping == Stopping::No {
                self.launch()?;
            }
            self.show(selector);
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
            self.record()?;
        }
    }
}
