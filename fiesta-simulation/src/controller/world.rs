//! The simulated world: jobs, time, and the faults that strike a controller and its jobs.

use super::{
    files::Files,
    job::{Job, evaluation_of},
    others::Others,
    plan::Plan,
};
use fiesta_core::Streams;
use fiesta_runner::{
    clock,
    executor::{Found, Handle},
    run::{Carried, End, Ended, RunId, RunSpec},
    signal::Stopper,
};
use rand::{Rng, RngExt};
use rustix::io::Errno;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    panic::resume_unwind,
    path::Path,
    time::Duration,
};

/// Payload of the panic by which a controller is killed.
pub(super) struct Killed;

/// The simulated world: what outlives a controller.
pub(super) struct World {
    seed: u64,
    pub(super) now: f64,
    chance: Box<dyn Rng>,
    rate: f64,
    most_faults: usize,
    slots: usize,
    failing: Vec<f64>,
    lost: f64,
    without: BTreeSet<usize>,
    steps: usize,
    jobs: BTreeMap<RunId, Job>,
    /// Evaluations whose score was published, each with the run that did so.
    scored: BTreeMap<u64, RunId>,
    /// Asks the controller to stop.
    pub(super) stopper: Option<Stopper>,
    /// Whether the controller was asked to stop.
    is_asked_to_stop: bool,
    /// The files that controllers write.
    pub(super) files: Files,
    /// Faults that others cause.
    pub(super) others: Others,
    pub(super) faults: usize,
    /// Number of faults of each kind.
    pub(super) kinds: BTreeMap<String, usize>,
    drawn: usize,
    pub(super) story: Vec<String>,
    pub(super) broken: Option<String>,
}

/// Fault that may strike at a step, which is a call of the executor or the observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The controller is killed.
    Kill,
    /// The controller is killed when the step was done.
    KillAfter,
    /// The system refuses what is asked, for want of something that comes back.
    Lack,
    /// The system refuses what is asked, for a damaged device.
    Broken,
    /// What attends to a job dies.
    AttendantDies,
    /// A job loses its place.
    Preempted,
    /// The end of a job is seen late.
    Hidden,
    /// Somebody asks to stop.
    Stop,
}

use Fault::{AttendantDies, Hidden, Kill, Lack, Preempted, Stop};

/// Reason why a run has no end.
const DIED: &str = "its attendant died";

/// Steps of a study after which no promise is kept any more: it goes on for ever.
const MOST_STEPS: usize = 200_000;

impl World {
    pub(super) fn new(seed: u64, plan: &Plan, without: BTreeSet<usize>, place: &Path) -> Self {
        clock::begin_simulation();
        Self {
            seed,
            now: 0.0,
            chance: Box::new(Streams::new(seed).run(1)),
            rate: plan.rate,
            most_faults: plan.faults,
            slots: plan.slots,
            failing: plan.failing.clone(),
            lost: plan.lost,
            without,
            steps: 0,
            jobs: BTreeMap::new(),
            scored: BTreeMap::new(),
            stopper: None,
            is_asked_to_stop: false,
            files: Files::new(seed, plan, place),
            others: Others::new(seed, plan, place),
            faults: 0,
            kinds: BTreeMap::new(),
            drawn: 0,
            story: Vec::new(),
            broken: None,
        }
    }

    /// Adds a line to the story.
    pub(super) fn tell(&mut self, line: impl FnOnce() -> String) {
        let line = format!("{:8.2} {}", self.now, line());
        self.story.push(line);
    }

    /// Notes that a promise is broken. The first counts.
    pub(super) fn break_promise(&mut self, why: String) {
        self.tell(|| format!("BROKEN: {why}"));
        self.broken.get_or_insert(why);
    }

    /// Begins the life of a controller.
    pub(super) fn begin_life(&mut self, life: usize) {
        self.is_asked_to_stop = false;
        self.files.begin(self.now);
        self.tell(|| format!("controller {life} begins"));
    }

    /// Returns the number of faults at steps so far, and of refused file calls.
    pub(super) fn trouble(&self) -> (usize, usize) {
        (
            self.faults - self.files.faults - self.others.faults,
            self.files.refused,
        )
    }

    /// Kills the controller.
    pub(super) fn kill(&mut self) -> ! {
        self.files.kill();
        resume_unwind(Box::new(Killed));
    }

    /// Does not return if the controller was killed at a file call.
    pub(super) fn lives(&mut self) {
        if self.files.is_killed() {
            self.kill();
        }
    }

    /// Lets time pass without a controller. Jobs go on; some of those that attend to them die, now and then all.
    pub(super) fn rest(&mut self) {
        let (time, kind) = (
            self.chance.random_range(0.0..20.0),
            self.chance.random_range(0..10),
        );
        self.pass(time);
        if kind == 0 && self.drawn_at_steps() < self.most_faults {
            self.tell(|| "the machine starts anew".to_owned());
            for job in self.jobs.values_mut().filter(|job| job.ends > self.now) {
                job.has_vanished = true;
                job.ends = self.now;
            }
        }
    }

    /// Lets some seconds pass.
    pub(super) fn pass(&mut self, seconds: f64) {
        self.now += seconds;
        clock::pass(Duration::from_secs_f64(seconds));
    }

    /// Draws whether one of the faults strikes at this step.
    fn fault(&mut self, what: &str, faults: &[Fault]) -> Option<Fault> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.break_promise("the study goes on for ever".to_owned());
            self.kill();
        }
        let (strikes, which) = (
            self.chance.random::<f64>(),
            self.chance.random_range(0..faults.len()),
        );
        if strikes >= self.rate || self.drawn_at_steps() >= self.most_faults {
            return None;
        }
        let fault = faults[which];
        self.strikes(what, &format!("{fault:?}")).then_some(fault)
    }

    fn drawn_at_steps(&self) -> usize {
        self.drawn - self.files.drawn - self.others.drawn
    }

    /// Notes that a fault of this kind was drawn. Returns whether it strikes, which it does unless it is left out.
    pub(super) fn strikes(&mut self, what: &str, kind: &str) -> bool {
        let number = self.drawn;
        self.drawn += 1;
        let strikes = !self.without.contains(&number);
        if strikes {
            self.faults += 1;
            *self.kinds.entry(kind.to_owned()).or_default() += 1;
            self.tell(|| format!("fault {number} at {what}: {kind}"));
        }
        strikes
    }

    /// Draws whether one of the faults strikes at this step. Does not return if the controller is killed.
    pub(super) fn step(&mut self, what: &str, faults: &[Fault]) -> Option<Fault> {
        self.lives();
        let fault = self.fault(what, faults);
        if fault == Some(Kill) {
            self.kill();
        }
        if fault == Some(Stop)
            && let Some(stopper) = &self.stopper
        {
            stopper.stop();
            self.is_asked_to_stop = true;
        }
        fault
    }

    fn alive(&self) -> impl Iterator<Item = &RunId> {
        let now = self.now;
        let alive = self.jobs.iter().filter(move |(_, job)| job.ends > now);
        alive.map(|(id, _)| id)
    }

    /// Returns the names of the jobs that still run.
    pub(super) fn left(&self) -> Vec<String> {
        self.alive().map(ToString::to_string).collect()
    }

    /// Returns the score that a run published. `None` if it published none.
    pub(super) fn score(&self, id: &RunId) -> Option<f64> {
        let job = self.jobs.get(id).filter(|job| !job.has_vanished)?;
        let carried = job.ended.carried.as_ref()?.result.as_ref()?;
        let result: serde_json::Value = serde_json::from_str(carried).ok()?;
        let score = result["accuracy"].as_f64();
        score.filter(|score| (0.0..=1.0).contains(score) && job.ended.end == End::Exited(0))
    }

    /// Notes the evaluations whose score is published by now.
    fn publish(&mut self) {
        for (id, job) in &self.jobs {
            if job.seen <= self.now && self.score(id).is_some() {
                let evaluation = evaluation_of(id).0;
                self.scored.entry(evaluation).or_insert_with(|| id.clone());
            }
        }
    }

    /// Starts a job.
    pub(super) fn begin(&mut self, spec: &RunSpec) {
        let id = &spec.id;
        self.publish();
        if let Some(before) = self.scored.get(&evaluation_of(id).0).cloned() {
            self.break_promise(format!("{id} makes again what {before} has published"));
        }
        if let Some(before) = self.jobs.get(id)
            && !matches!(before.ended.end, End::Short { .. })
        {
            self.break_promise(format!("{id} is started twice"));
        }
        if let Some(expected) = self.others.expected.clone()
            && !expected.lets_start(self.now)
        {
            self.break_promise(format!(
                "{id} is started, where a controller should say \"{}\"",
                expected.words
            ));
        }
        if self.is_asked_to_stop {
            self.break_promise(format!("{id} is started after a request to stop"));
        }
        let running = self.alive().count();
        if running >= self.slots {
            self.break_promise(format!(
                "{id} is job {} of {} at a time",
                running + 1,
                self.slots
            ));
        }
        let (evaluation, attempt) = evaluation_of(id);
        let number = (evaluation << 16) | u64::from(attempt);
        let mut luck = Streams::new(self.seed).durations(number);
        let (arm, seed) = (&spec.command[1], &spec.command[3]);
        let arm: usize = arm.parse().unwrap_or_default();
        let seconds = luck.random_range(0.5..20.0);
        let noise: f64 = Streams::new(seed.parse().unwrap_or_default())
            .run(0)
            .random();
        let score = 0.5 + 0.05 * arm as f64 + 0.3 * (noise - 0.5);
        let (end, carried) = if luck.random_bool(self.lost) {
            (End::Signaled(9), None)
        } else if luck.random_bool(self.failing.get(arm).copied().unwrap_or_default()) {
            (End::Exited(1), None)
        } else {
            let carried = Carried {
                result: Some(format!("{{\"accuracy\": {score}}}")),
                ..Carried::default()
            };
            (End::Exited(0), Some(carried))
        };
        let ended = Ended {
            seconds,
            started_at: self.now,
            carried,
            ..Ended::unmeasured(id.clone(), end)
        };
        let ends = self.now + seconds;
        let job = Job {
            began: self.now,
            ends,
            seen: ends,
            ended,
            has_vanished: false,
        };
        self.tell(|| format!("{id} starts"));
        self.jobs.insert(id.clone(), job);
    }

    /// Returns the error of the system for a fault.
    pub(super) fn refusal(&mut self, fault: Fault) -> io::Error {
        let lacks = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
        match fault {
            Lack => lacks[self.chance.random_range(0..lacks.len())].into(),
            _ => Errno::IO.into(),
        }
    }

    /// Returns the end of a run, if controllers can see it by now.
    pub(super) fn end_of(&self, id: &RunId) -> Option<Ended> {
        let job = self.jobs.get(id).filter(|job| job.seen <= self.now)?;
        if !job.has_vanished {
            return Some(job.ended.clone());
        }
        let seconds = job.ends - job.began;
        Some(Ended::lost(
            id.clone(),
            DIED.to_owned(),
            seconds,
            Vec::new(),
        ))
    }

    /// Returns the time until controllers can see the end of a run.
    pub(super) fn until_end_of(&self, id: &RunId) -> f64 {
        self.jobs.get(id).map_or(f64::INFINITY, |job| job.seen) - self.now
    }

    /// Returns what a controller finds of a run.
    pub(super) fn found(&self, id: &RunId) -> Found {
        match (self.jobs.get(id), self.end_of(id)) {
            (None, _) => Found::Absent,
            (_, None) => Found::Alive(Handle::Queued),
            (Some(job), Some(_)) if job.has_vanished => Found::Vanished {
                reason: DIED.to_owned(),
                seconds: job.ends - job.began,
                survivors: Vec::new(),
            },
            (_, Some(ended)) => Found::Ended(ended),
        }
    }

    /// Stops a run, if it has not ended.
    pub(super) fn cancel(&mut self, id: &RunId) {
        let now = self.now;
        if let Some(job) = self.jobs.get_mut(id).filter(|job| job.ends > now) {
            job.cut(now, End::Cancelled);
        }
    }

    /// Strikes one of the jobs that run, by a number that chance chose.
    pub(super) fn strike_one(&mut self, number: usize, strike: impl FnOnce(&mut Job, f64)) {
        let running: Vec<RunId> = self.alive().cloned().collect();
        if let Some(id) = running.get(number % running.len().max(1)) {
            self.tell(|| format!("it strikes {id}"));
            if let Some(job) = self.jobs.get_mut(id) {
                strike(job, self.now);
                let end = job.ended.clone();
                self.tell(|| format!("it will be {:?} {:?}", end.end, end.carried));
            }
        }
    }

    /// Strikes one of the jobs that run.
    pub(super) fn strike(&mut self, fault: Fault) {
        let running: Vec<RunId> = self.alive().cloned().collect();
        if running.is_empty() {
            return;
        }
        let id = running[self.chance.random_range(0..running.len())].clone();
        let late = self.chance.random_range(0.5..30.0);
        self.tell(|| format!("it strikes {id}"));
        let now = self.now;
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        match fault {
            AttendantDies => {
                job.has_vanished = true;
                (job.ends, job.seen) = (now, now);
            }
            Preempted => {
                let reason = "another job needs its place".to_owned();
                job.cut(now, End::Preempted { reason });
            }
            Hidden => job.seen = job.ends + late,
            _ => {}
        }
    }
}
