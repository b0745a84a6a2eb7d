//! A task on its way through a study's hosts, and what each sight of its run means.

use super::{
    host::Host,
    message::{Order, Sight},
    slots::Allotment,
};
use crate::{
    executor::engine::{TaskEnd, TaskState},
    run::{RunDirectory, inherited},
};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant, SystemTime},
};

/// So many supervisors of a host may vanish in a row before that is a failure of their runs: else a
/// machine that stops whatever it does not know would be given the same run for ever.
const VANISHED: u32 = 3;

/// A task that waits, runs, or is over.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) run: PathBuf,
    /// How many GPUs it needs.
    pub(super) gpus: usize,
    /// Where its supervisor complains.
    pub(super) log: PathBuf,
    /// Its place on a host, from when it has one.
    pub(super) place: Option<Allotment>,
    /// How it ended without one.
    pub(super) withdrawn: Option<TaskEnd>,
    pub(super) begun: Begun,
    /// Whether its supervisor is to be asked to stop.
    pub(super) stop: bool,
    /// Whether its host cannot tell what became of it.
    unseen: bool,
    /// The latest sign of life in its directory, and since when it is the latest.
    life: Option<(Option<SystemTime>, Instant)>,
}

/// Whether a task has been begun on its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    /// Its host has not heard of it.
    No,
    /// Its host may have been told to begin it.
    Perhaps,
    /// Its supervisor has been seen.
    Yes,
}

/// Where a task belongs in the next message to its host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Start,
    Look,
    Stop,
}

impl Entry {
    /// One that waits.
    pub(super) fn new(run: PathBuf, gpus: usize, log: PathBuf) -> Self {
        Self {
            run,
            gpus,
            log,
            place: None,
            withdrawn: None,
            begun: Begun::No,
            stop: false,
            unseen: false,
            life: None,
        }
    }

    /// One that an earlier controller gave a place.
    pub(super) fn placed(place: Allotment, log: PathBuf) -> Self {
        Self {
            place: Some(place.clone()),
            begun: Begun::Perhaps,
            ..Self::new(place.run, place.gpus.len(), log)
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.place.is_none() && self.withdrawn.is_none()
    }

    /// Whether it holds a place on a host.
    pub(super) fn holds(&self) -> bool {
        self.place.as_ref().is_some_and(|place| !place.free)
    }

    pub(super) fn is_on(&self, host: &Host) -> bool {
        let place = self.place.as_ref();
        place.is_some_and(|place| !place.free && place.host == host.name)
    }

    /// What its host is to do about it.
    pub(super) fn part(&self) -> Part {
        let has_ended = self.place.as_ref().is_some_and(|place| place.end.is_some());
        if self.stop {
            Part::Stop
        } else if self.begun == Begun::Yes || self.unseen || has_ended {
            Part::Look
        } else {
            Part::Start
        }
    }

    /// The order to begin it.
    pub(super) fn order(&self) -> Order {
        let mut environment = Vec::new();
        let spec = RunDirectory::new(&self.run).read_spec();
        // A value that is missing is missed by the supervisor, which says so.
        for (key, name) in spec.map(|spec| spec.of_caller).unwrap_or_default() {
            if let Ok(values) = inherited(&[(key, name.clone())])
                && let Some((_, value)) = values.into_iter().next()
            {
                environment.push((name, value.to_string_lossy().into_owned()));
            }
        }
        let gpus = self.place.as_ref().map(|place| &place.gpus);
        if let Some(gpus) = gpus.filter(|gpus| !gpus.is_empty()) {
            environment.push(("CUDA_VISIBLE_DEVICES".to_owned(), gpus.join(",")));
        }
        Order {
            run: self.run.clone(),
            log: self.log.clone(),
            environment,
        }
    }

    fn end(&mut self, end: TaskEnd, free: bool) {
        if let Some(place) = &mut self.place {
            place.end.get_or_insert(end);
            place.free = free;
        }
    }

    /// Takes in how its host sees it. Words if it could not be begun there.
    pub(super) fn note(&mut self, sight: &Sight, vanished: &mut u32) -> Option<String> {
        self.unseen = false;
        self.life = None;
        let has_ended = self.place.as_ref().is_some_and(|place| place.end.is_some());
        match sight {
            Sight::Alive => {
                self.begun = Begun::Yes;
                // It was given up when nobody saw it, and another one is in its stead.
                self.stop |= has_ended;
            }
            Sight::Absent if self.stop || has_ended => self.end(TaskEnd::Cancelled, true),
            Sight::Absent => self.begun = Begun::No,
            Sight::Ended { survivors } => {
                *vanished = 0;
                self.end(TaskEnd::Completed, survivors.is_empty());
            }
            Sight::Vanished {
                rebooted,
                survivors,
            } => {
                *vanished += u32::from(!rebooted && !has_ended);
                let end = if *vanished > VANISHED {
                    TaskEnd::Failed
                } else {
                    TaskEnd::NodeFailed
                };
                self.end(end, survivors.is_empty());
            }
            // It was counted and put away.
            Sight::Missing if !self.run.exists() => self.end(TaskEnd::Completed, true),
            Sight::Unseen => self.unseen = true,
            Sight::Missing if self.begun == Begun::Yes => self.unseen = true,
            Sight::Missing => {
                self.end(TaskEnd::Failed, true);
                let run = self.run.display();
                return Some(format!(
                    "the directory {run} is not seen there: all hosts must share the study's directory"
                ));
            }
            Sight::Failed { words } => {
                self.end(TaskEnd::Failed, true);
                return Some(words.clone());
            }
        }
        None
    }

    /// Gives its place back if its end is published, or was counted and put away. True if so.
    pub(super) fn look_here(&mut self) -> bool {
        let directory = RunDirectory::new(&self.run);
        let is_over = match directory.read_end() {
            Ok(Some(ended)) => ended.survivors.is_empty(),
            Ok(None) => !self.run.exists(),
            Err(_) => false,
        };
        if is_over {
            self.end(TaskEnd::Completed, true);
        }
        is_over
    }

    /// Gives it up if its host does not tell of it, and its directory has shown no sign of life for
    /// so long. True if so.
    pub(super) fn is_given_up(&mut self, is_ready: bool, after: Duration) -> bool {
        let has_ended = self.place.as_ref().is_none_or(|place| place.end.is_some());
        if has_ended || is_ready && !self.unseen {
            self.life = None;
            return false;
        }
        // Whatever the clocks say: that it changed is what counts.
        let sign = fs::metadata(RunDirectory::new(&self.run).meta());
        let sign = sign.and_then(|status| status.modified()).ok();
        match self.life {
            Some((before, since)) if before == sign => {
                let is_over = since.elapsed() >= after;
                if is_over {
                    // Its place stays taken until its host tells that nothing is left of it.
                    self.end(TaskEnd::NodeFailed, false);
                }
                is_over
            }
            _ => {
                self.life = Some((sign, Instant::now()));
                false
            }
        }
    }

    /// What is said of it; `trouble` is why its host takes no tasks, or why it waits, and
    /// `is_hopeless` whether that is so for all until somebody does something about it.
    pub(super) fn state(&self, trouble: Option<String>, is_hopeless: bool) -> TaskState {
        if let Some(end) = &self.withdrawn {
            return TaskState::Ended(end.clone());
        }
        let Some(place) = &self.place else {
            return TaskState::Queued {
                reason: trouble.unwrap_or_else(|| "all slots are taken".to_owned()),
                hopeless: is_hopeless,
            };
        };
        let host = &place.host;
        match (&place.end, trouble) {
            (Some(end), _) => TaskState::Ended(end.clone()),
            (None, Some(reason)) => TaskState::Unknown {
                reason,
                out_of_reach: Some(host.clone()),
            },
            (None, None) if self.unseen => TaskState::Unknown {
                reason: format!("{host} does not tell of it"),
                out_of_reach: None,
            },
            (None, None) if self.begun != Begun::Yes => TaskState::Unknown {
                reason: format!("{host} is starting it"),
                out_of_reach: None,
            },
            (None, None) => TaskState::Running { node: host.clone() },
        }
    }
}
