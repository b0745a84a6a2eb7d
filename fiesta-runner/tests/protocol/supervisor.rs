//! Steps of supervisors and of their commands, and kills.

use crate::{
    model::{Change, Protocol},
    state::{Claimant, Command, State, Step, Supervisor},
};

impl State {
    /// Returns a living supervisor that has come to this step.
    fn supervisor(&mut self, s: usize, step: Step) -> Option<&mut Supervisor> {
        let supervisor = &mut self.supervisors[s];
        (supervisor.is_alive && supervisor.step == step).then_some(supervisor)
    }

    fn advance(&mut self, s: usize, from: Step, to: Step) -> Option<()> {
        self.supervisor(s, from)?.step = to;
        Some(())
    }

    pub(crate) fn receive(&mut self, s: usize) -> Option<()> {
        self.advance(s, Step::Ordered, Step::Received)
    }

    pub(crate) fn try_lock(&mut self, s: usize) -> Option<()> {
        self.advance(s, Step::Unlocked, Step::Claimed)
    }

    pub(crate) fn spawn(&mut self, s: usize) -> Option<()> {
        self.advance(s, Step::Claimed, Step::Attending)?;
        self.supervisors[s].command = Command::Forked;
        Some(())
    }

    pub(crate) fn exec(&mut self, s: usize) {
        self.supervisors[s].command = Command::Running;
    }

    pub(crate) fn exit(&mut self, s: usize) {
        self.supervisors[s].command = Command::Ended(true);
    }

    pub(crate) fn one_after_another(&mut self, s: usize) -> Option<()> {
        let supervisor = self.supervisor(s, Step::Done)?;
        supervisor.is_alive = supervisor.controller.is_some();
        (!supervisor.is_alive).then_some(())
    }

    pub(crate) fn kill_controller(&mut self, c: usize) {
        self.kills += 1;
        self.close(c);
    }

    pub(crate) fn kill_supervisor(&mut self, s: usize) {
        self.kills += 1;
        self.supervisors[s].is_alive = false;
    }

    pub(crate) fn kill_job(&mut self, s: usize) {
        self.kills += 1;
        self.supervisors[s].command = Command::Ended(false);
    }

    /// Ends a controller: what the kernel does with its lock and its lines.
    pub(crate) fn close(&mut self, c: usize) {
        self.controllers[c] = None;
        self.lock = self.lock.filter(|&holder| holder != c);
        for supervisor in &mut self.supervisors {
            supervisor.controller = supervisor.controller.filter(|&of| of != c);
        }
    }
}

impl Protocol {
    pub(crate) fn claim(&self, state: &mut State, s: usize) -> Option<()> {
        let run = state.supervisor(s, Step::Received)?.run;
        let directory = state.directory(run)?;
        let is_first = directory.claim.is_none();
        directory.claim = directory.claim.or(Some(Claimant::Supervisor(s)));
        state.supervisors[s].step = match self.change {
            _ if !is_first => Step::Done,
            Some(Change::LockAfterClaim) => Step::Unlocked,
            _ => Step::Claimed,
        };
        Some(())
    }

    pub(crate) fn publish(&self, state: &mut State, s: usize) -> Option<()> {
        let (before, after) = if self.has(Change::ReleaseBeforeEnd) {
            (Step::Released, Step::Done)
        } else {
            (Step::Attending, Step::Published)
        };
        let supervisor = state.supervisor(s, before)?;
        let Command::Ended(has_score) = supervisor.command else {
            return None;
        };
        (supervisor.step, supervisor.command) = (after, Command::None);
        let run = supervisor.run;
        state.directory(run)?.end.get_or_insert(has_score);
        Some(())
    }

    pub(crate) fn send(&self, state: &mut State, s: usize) -> Option<()> {
        if !self.has(Change::ReleaseBeforeEnd) {
            return state.advance(s, Step::Published, Step::Done);
        }
        let has_ended = matches!(state.supervisors[s].command, Command::Ended(_));
        has_ended.then(|| state.advance(s, Step::Attending, Step::Released))?
    }
}
