//! The executor and the observer of a simulated controller, at whose calls faults strike.

use super::others::look_on;
use super::world::{
    Fault::{AttendantDies, Broken, Hidden, Kill, KillAfter, Lack, Preempted, Stop},
    World,
};
use fiesta_core::Evaluation;
use fiesta_runner::{
    Study,
    executor::{Executor, ExecutorError, Found, Handle, SubmitError},
    history::Ending,
    observer::{Observer, Progress},
    run::{Ended, RunId, RunSpec},
};
use std::{
    cell::RefCell, collections::BTreeSet, os::fd::BorrowedFd, path::Path, rc::Rc, time::Duration,
};

/// Executor that serves one simulated controller from its start to its end. Faults strike at its calls.
pub(super) struct Simulated {
    world: Rc<RefCell<World>>,
    followed: BTreeSet<RunId>,
}

impl Simulated {
    pub(super) fn new(world: Rc<RefCell<World>>) -> Self {
        Self {
            world,
            followed: BTreeSet::new(),
        }
    }

    /// Returns the ends that can be seen by now, and stops following their runs.
    fn seen(&mut self, world: &World) -> Vec<Ended> {
        let ended = self.followed.iter().filter_map(|id| world.end_of(id));
        let ended: Vec<Ended> = ended.collect();
        for one in &ended {
            self.followed.remove(&one.id);
        }
        ended
    }
}

impl Executor for Simulated {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        let mut world = self.world.borrow_mut();
        let fault = world.step("submit", &[Kill, KillAfter, Lack, Broken]);
        if let Some(fault @ (Lack | Broken)) = fault {
            return Err(SubmitError::Start {
                what: format!("the supervisor of the run {}", spec.id),
                source: world.refusal(fault),
            });
        }
        if !world.files.is_durable() {
            let id = &spec.id;
            world.break_promise(format!(
                "{id} starts, and what ended before is not on the disk"
            ));
        }
        world.begin(spec);
        if fault == Some(KillAfter) {
            world.kill();
        }
        self.followed.insert(spec.id.clone());
        Ok(Handle::Queued)
    }

    fn adopt(&mut self, id: &RunId, _: &Path, _: &Handle) -> Result<(), ExecutorError> {
        let mut world = self.world.borrow_mut();
        if let Some(fault) = world.step("adopt", &[Kill, Broken]) {
            return Err(ExecutorError::system("follow a run")(world.refusal(fault)));
        }
        self.followed.insert(id.clone());
        Ok(())
    }

    fn poll(
        &mut self,
        timeout: Option<Duration>,
        _: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError> {
        let shared = Rc::clone(&self.world);
        let mut world = shared.borrow_mut();
        let faults = [
            Kill,
            KillAfter,
            Lack,
            AttendantDies,
            Preempted,
            Hidden,
            Stop,
        ];
        let fault = world.step("poll", &faults);
        let now = world.now;
        if !world.files.is_synced_by(now) {
            world.break_promise("what was written is not on the disk after a second".to_owned());
        }
        match fault {
            Some(fault @ Lack) => {
                return Err(ExecutorError::system("wait for the runs")(
                    world.refusal(fault),
                ));
            }
            Some(fault @ (AttendantDies | Preempted | Hidden)) => world.strike(fault),
            _ => {}
        }
        world.disturb();
        let mut ended = self.seen(&world);
        if ended.is_empty() && fault != Some(Stop) {
            let next = self.followed.iter().map(|id| world.until_end_of(id));
            let next = next.fold(f64::INFINITY, f64::min);
            let limit = timeout.map_or(f64::INFINITY, |timeout| timeout.as_secs_f64());
            // No call takes no time at all: what is left of a limit may be less than a clock can tell.
            let time = next.min(limit).max(1e-9);
            if time == f64::INFINITY {
                world.break_promise("the controller waits for nothing, for ever".to_owned());
                world.kill();
            }
            world.pass(time);
            ended = self.seen(&world);
        }
        for one in &ended {
            world.tell(|| format!("{} ended: {:?}", one.id, one.end));
        }
        if fault == Some(KillAfter) {
            world.kill();
        }
        Ok(ended)
    }

    fn cancel(&mut self, id: &RunId, _: Duration) -> Result<(), ExecutorError> {
        let mut world = self.world.borrow_mut();
        if let Some(fault) = world.step("cancel", &[Kill, Broken]) {
            return Err(ExecutorError::system("stop a run")(world.refusal(fault)));
        }
        if self.followed.contains(id) {
            world.cancel(id);
        }
        Ok(())
    }

    fn find(&mut self, id: &RunId, _: &Path) -> Result<Found, ExecutorError> {
        let mut world = self.world.borrow_mut();
        if let Some(fault) = world.step("find", &[Kill, Broken]) {
            return Err(ExecutorError::system("find a run")(world.refusal(fault)));
        }
        Ok(world.found(id))
    }
}

/// Observer at whose calls the controller may be killed.
pub(super) struct Watcher {
    world: Rc<RefCell<World>>,
}

impl Watcher {
    pub(super) fn new(world: Rc<RefCell<World>>) -> Self {
        Self { world }
    }
}

impl Observer for Watcher {
    fn progress(&mut self, _: &Progress<'_>) {
        self.world.borrow_mut().step("progress", &[Kill, Stop]);
        look_on(&self.world);
    }

    fn started(&mut self, _: &Study, _: &RunId, _: &Evaluation) {
        self.world.borrow_mut().step("a start", &[Kill]);
    }

    fn ended(&mut self, _: &Study, _: &Evaluation, ending: &Ending) {
        let mut world = self.world.borrow_mut();
        world.step("an end", &[Kill, Stop]);
        world.files.note_end(ending.seconds);
    }

    fn notice(&mut self, message: &str) {
        let mut world = self.world.borrow_mut();
        world.lives();
        world.tell(|| format!("notice: {message}"));
        if message.starts_with("a recorded decision would be another one now") {
            world.break_promise(message.to_owned());
        }
        world.step("a notice", &[Kill]);
    }
}
