//! Steps of controllers.

use crate::{
    model::{Change, Protocol},
    state::{
        At, Claimant, Command, Controller, Directory, Half, Job, Run, Seat, State, Step, Supervisor,
    },
};

impl Controller {
    /// Whether all runs of earlier controllers were found.
    fn has_resumed(&self) -> bool {
        !self.jobs.contains(&Job::Pending)
    }

    /// Whether there is something to be written to the ledger.
    fn has_turn(&self) -> bool {
        let new = |job: &Job| matches!(job, Job::Decided | Job::Lost | Job::Ended);
        self.jobs.iter().any(new)
    }

    fn first(&self, job: Job) -> Option<usize> {
        self.jobs.iter().position(|&other| other == job)
    }
}

impl State {
    /// Returns a controller that is at this place.
    fn controller(&mut self, c: usize, is_there: impl Fn(At) -> bool) -> Option<&mut Controller> {
        self.controllers[c].as_mut().filter(|of| is_there(of.at))
    }

    /// Returns a controller in its loop, once it has found the runs of earlier ones.
    fn in_loop(&mut self, c: usize) -> Option<&mut Controller> {
        let controller = self.controller(c, |at| at == At::Loop)?;
        controller.has_resumed().then_some(controller)
    }

    pub(crate) fn run(&mut self, c: usize) -> Option<()> {
        if self.ledger.iter().all(|record| record.counted > 0) {
            return None;
        }
        let (at, jobs) = (At::Lock, [Job::Undecided; 2]);
        self.controllers[c] = Some(Controller { at, jobs });
        Some(())
    }

    pub(crate) fn revoke(&mut self, c: usize) -> Option<()> {
        let At::Unclaimed(e) = self.controllers[c].as_ref()?.at else {
            return None;
        };
        let directory = self.directory(self.latest(e))?;
        let is_first = directory.claim.is_none();
        directory.claim = directory.claim.or(Some(Claimant::Controller));
        let controller = self.controllers[c].as_mut()?;
        controller.at = At::Loop;
        if is_first {
            controller.jobs[e] = Job::Lost;
        }
        Some(())
    }

    pub(crate) fn record(&mut self, c: usize) -> Option<()> {
        let controller = self.in_loop(c)?;
        if !controller.has_turn() {
            return None;
        }
        let jobs = controller.jobs;
        for (e, job) in jobs.into_iter().enumerate() {
            let record = &mut self.ledger[e];
            let recorded = match job {
                Job::Decided => Job::Queued,
                Job::Lost => {
                    record.attempt += 1;
                    Job::Queued
                }
                Job::Ended => {
                    record.counted += 1;
                    Job::Counted
                }
                other => other,
            };
            record.is_decided |= job == Job::Decided;
            self.controllers[c].as_mut()?.jobs[e] = recorded;
        }
        Some(())
    }

    pub(crate) fn ordered(&mut self, c: usize) -> Option<()> {
        let At::Prepared(e) = self.controllers[c].as_ref()?.at else {
            return None;
        };
        let supervisor = Supervisor {
            is_alive: true,
            controller: Some(c),
            run: self.latest(e),
            step: Step::Ordered,
            command: Command::None,
        };
        let jobs = self.controllers[c].as_ref()?.jobs;
        // One that is done with its run takes the next.
        let is_idle = |(s, of): (usize, &Supervisor)| {
            let is_ready = of.is_alive && of.step == Step::Done && of.controller == Some(c);
            is_ready && !jobs.contains(&Job::Running(s))
        };
        let idle = self.supervisors.iter().enumerate().position(is_idle);
        let s = idle.unwrap_or(self.supervisors.len());
        if idle.is_some() {
            self.supervisors[s] = supervisor;
        } else {
            self.supervisors.push(supervisor);
        }
        let controller = self.controllers[c].as_mut()?;
        controller.at = At::Loop;
        controller.jobs[e] = Job::Running(s);
        Some(())
    }

    pub(crate) fn finished(&mut self, c: usize) -> Option<()> {
        let controller = self.in_loop(c)?;
        let is_over = controller.jobs.iter().all(|&job| job == Job::Counted);
        is_over.then(|| self.close(c))
    }
}

impl Protocol {
    pub(crate) fn take(&self, state: &mut State, c: usize) -> Option<()> {
        if state.lock.is_some() && !self.has(Change::NoLock) {
            return None;
        }
        state.lock = Some(c);
        let jobs = state.ledger.map(|record| match record {
            _ if record.counted > 0 => Job::Counted,
            _ if record.is_decided => Job::Pending,
            _ => Job::Undecided,
        });
        let at = At::Loop;
        state.controllers[c] = Some(Controller { at, jobs });
        Some(())
    }

    /// Whether a controller looks what became of an evaluation's run.
    fn has_news(&self, state: &State, c: usize, e: usize) -> bool {
        let Some(controller) = &state.controllers[c] else {
            return false;
        };
        match controller.jobs[e] {
            Job::Pending => controller.first(Job::Pending) == Some(e),
            Job::Running(s) => {
                let supervisor = &state.supervisors[s];
                let is_over = if supervisor.controller == Some(c) {
                    supervisor.step == Step::Done
                } else {
                    state.end(e).is_some()
                };
                let is_gone = !supervisor.is_alive && !self.has(Change::NoWatch);
                controller.has_resumed() && (is_over && supervisor.is_alive || is_gone)
            }
            _ => false,
        }
    }

    pub(crate) fn find(&self, state: &mut State, c: usize, e: usize) -> Option<()> {
        if !self.has_news(state, c, e) {
            return None;
        }
        let half = if self.has(Change::EndBeforeSeat) {
            Half::End(state.end(e))
        } else {
            Half::Seat(state.seat(e))
        };
        state.controller(c, |at| at == At::Loop)?.at = At::Found(e, half);
        Some(())
    }

    pub(crate) fn published(&self, state: &mut State, c: usize) -> Option<()> {
        let At::Found(e, half) = state.controllers[c].as_ref()?.at else {
            return None;
        };
        let (seat, end) = match half {
            Half::Seat(seat) => (seat, state.end(e)),
            Half::End(end) => (state.seat(e), end),
        };
        let Run { attempt, .. } = state.latest(e);
        let is_submitted = state.directories[e].len() > attempt;
        let controller = state.controllers[c].as_mut()?;
        controller.at = At::Loop;
        let is_new = controller.jobs[e] == Job::Pending;
        controller.jobs[e] = match (end, seat) {
            (Some(true), _) => Job::Ended,
            (None, Seat::Alive(s)) => Job::Running(s),
            (None, Seat::Unclaimed) if is_new && !is_submitted => Job::Queued,
            (None, Seat::Unclaimed) if is_new && !self.has(Change::NoClaimToTakeBack) => {
                controller.at = At::Unclaimed(e);
                Job::Pending
            }
            (Some(false), _) | (None, Seat::TakenBack | Seat::Unclaimed) => Job::Lost,
            (None, Seat::Gone) => {
                controller.at = At::Left(e);
                controller.jobs[e]
            }
        };
        Some(())
    }

    pub(crate) fn sweep(&self, state: &mut State, c: usize) -> Option<()> {
        let At::Left(e) = state.controllers[c].as_ref()?.at else {
            return None;
        };
        let run = state.latest(e);
        let Some(Claimant::Supervisor(s)) = state.directory(run)?.claim else {
            return None;
        };
        if state.is_held(s, run) && !self.has(Change::SweepAtOnce) {
            return None;
        }
        let supervisor = &mut state.supervisors[s];
        let is_its = supervisor.run == run && !supervisor.is_alive;
        if is_its && supervisor.command == Command::Running {
            supervisor.command = Command::None;
        }
        let controller = state.controllers[c].as_mut()?;
        controller.at = At::Loop;
        controller.jobs[e] = Job::Lost;
        Some(())
    }

    pub(crate) fn start(&self, state: &mut State, c: usize) -> Option<()> {
        let slots = self.slots;
        let controller = state.in_loop(c)?;
        let free = |job: &&Job| matches!(job, Job::Undecided | Job::Ended | Job::Counted);
        let busy = controller.jobs.len() - controller.jobs.iter().filter(free).count();
        let e = controller.first(Job::Undecided).filter(|_| busy < slots)?;
        controller.jobs[e] = Job::Decided;
        Some(())
    }

    pub(crate) fn prepare(&self, state: &mut State, c: usize) -> Option<()> {
        let controller = state.in_loop(c)?;
        let e = controller
            .first(Job::Queued)
            .filter(|_| !controller.has_turn())?;
        let running = controller.jobs.iter().enumerate();
        let running = running.filter(|(_, job)| matches!(job, Job::Running(_)));
        let running: Vec<usize> = running.map(|(e, _)| e).collect();
        let of = |e: usize| state.directories[e][state.ledger[e].attempt].slot;
        let taken: Vec<usize> = running.into_iter().map(of).collect();
        let slot = (0..self.slots).find(|slot| !taken.contains(slot))?;
        let attempt = state.ledger[e].attempt;
        let attempts = &mut state.directories[e];
        if attempts.len() == attempt {
            let (claim, end) = (None, None);
            attempts.push(Directory { slot, claim, end });
        }
        state.controllers[c].as_mut()?.at = At::Prepared(e);
        Some(())
    }
}
