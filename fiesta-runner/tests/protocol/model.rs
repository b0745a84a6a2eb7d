//! The modelled protocol: what may happen next, and what is promised.
//!
//! Not modelled: power cuts, several machines, limits of time, requests to stop, and packing. What
//! a
//! party does in one step here is one call that others see, such as a link or a lock.

use crate::{
    action::Action,
    state::{Command, Job, State, Supervisor},
};
use stateright::{Model, Property};

/// The protocol with its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protocol {
    pub(crate) slots: usize,
    pub(crate) kills: usize,
    pub(crate) change: Option<Change>,
}

/// A change of the protocol, by which a promise of it is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A controller does not take the study's lock.
    NoLock,
    /// A controller reads the end of a run before it looks whether its supervisor lives.
    EndBeforeSeat,
    /// A controller does not claim a run that it takes back.
    NoClaimToTakeBack,
    /// A controller does not wait for the lock that a starting command has of its dead supervisor.
    SweepAtOnce,
    /// A supervisor locks its claim after the claim is seen.
    LockAfterClaim,
    /// A supervisor gives its claim back before it publishes the end.
    ReleaseBeforeEnd,
    /// A controller does not watch for the end of a supervisor's process.
    NoWatch,
}

impl Protocol {
    /// Returns the protocol for this number of runs at a time, and of kills in all.
    pub(crate) fn new(slots: usize, kills: usize) -> Self {
        Self {
            slots,
            kills,
            change: None,
        }
    }

    /// Returns the protocol with a change.
    pub(crate) fn changed(self, change: Change) -> Self {
        Self {
            change: Some(change),
            ..self
        }
    }

    pub(crate) fn has(&self, change: Change) -> bool {
        self.change == Some(change)
    }

    fn next(&self, state: &mut State, action: Action) -> Option<()> {
        match action {
            Action::Run(c) => state.run(c),
            Action::Take(c) => self.take(state, c),
            Action::Find(c, e) => self.find(state, c, e),
            Action::Published(c) => self.published(state, c),
            Action::Revoke(c) => state.revoke(c),
            Action::Sweep(c) => self.sweep(state, c),
            Action::Start(c) => self.start(state, c),
            Action::Record(c) => state.record(c),
            Action::Prepare(c) => self.prepare(state, c),
            Action::Ordered(c) => state.ordered(c),
            Action::Finished(c) => state.finished(c),
            Action::Receive(s) => state.receive(s),
            Action::Claim(s) => self.claim(state, s),
            Action::TryLock(s) => state.try_lock(s),
            Action::Spawn(s) => state.spawn(s),
            Action::Exec(s) => {
                state.exec(s);
                Some(())
            }
            Action::Exit(s) => {
                state.exit(s);
                Some(())
            }
            Action::Publish(s) => self.publish(state, s),
            Action::Send(s) => self.send(state, s),
            Action::OneAfterAnother(s) => state.one_after_another(s),
            Action::KillController(c) => {
                state.kill_controller(c);
                Some(())
            }
            Action::KillSupervisor(s) => {
                state.kill_supervisor(s);
                Some(())
            }
            Action::KillJob(s) => {
                state.kill_job(s);
                Some(())
            }
        }
    }

    /// Whether nothing goes on any more unless somebody is killed.
    fn is_at_rest(&self, state: &State) -> bool {
        let mut steps = state.steps().into_iter();
        !steps.any(|step| self.next(&mut state.clone(), step).is_some())
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(state.steps());
        if state.kills < self.kills {
            actions.extend(state.possible_kills());
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        self.next(&mut state, action).map(|()| state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(COUNTED_ONCE, |_, state: &State| {
                state.ledger.iter().all(|record| record.counted <= 1)
            }),
            Property::always(NOTHING_LOST, |_, state: &State| {
                let records = state.ledger.iter().zip(&state.directories);
                records.into_iter().all(|(record, attempts)| {
                    let mut given_up = attempts.iter().take(record.attempt);
                    given_up.all(|directory| directory.end != Some(true))
                })
            }),
            Property::always(ONE_RUN_A_SLOT, |_, state: &State| {
                let mut slots = state.slots_in_use();
                slots.sort_unstable();
                slots.windows(2).all(|two| two[0] != two[1])
            }),
            Property::always(NOBODY_LEFT, |model: &Self, state: &State| {
                let nobody = |state: &State| {
                    let supervisors = &state.supervisors;
                    let gone = |s: &Supervisor| !s.is_alive && s.command != Command::Running;
                    supervisors.iter().all(gone) && state.controllers.iter().all(Option::is_none)
                };
                let is_whole = |state: &State| state.ledger.iter().all(|of| of.counted > 0);
                (is_whole(state) && nobody(state)) || !model.is_at_rest(state)
            }),
            Property::sometimes(
                "a study ends after every kill",
                |model: &Self, state: &State| {
                    state.kills == model.kills && state.ledger.iter().all(|of| of.counted == 1)
                },
            ),
            Property::sometimes("two runs go on at once", |model: &Self, state: &State| {
                state.slots_in_use().len() == model.slots.min(2)
            }),
            Property::sometimes(
                "a run is adopted or nobody was killed",
                |model: &Self, state: &State| {
                    let mut controllers = state.controllers.iter().enumerate();
                    let of_another = |c, job: &Job| match job {
                        Job::Running(s) => state.supervisors[*s].controller != Some(c),
                        _ => false,
                    };
                    model.kills == 0
                        || controllers.any(|(c, controller)| {
                            let jobs = controller.as_ref().map(|controller| &controller.jobs);
                            jobs.is_some_and(|jobs| jobs.iter().any(|job| of_another(c, job)))
                        })
                },
            ),
        ]
    }
}

/// No result is counted twice.
pub(crate) const COUNTED_ONCE: &str = "no result is counted twice";
/// An evaluation whose score is published is not made again.
pub(crate) const NOTHING_LOST: &str = "nothing that finished and was published is lost";
/// Two commands that run have two slots.
pub(crate) const ONE_RUN_A_SLOT: &str = "no slot is held by two live runs";
/// Where nothing goes on any more, every evaluation counts and every process has ended.
pub(crate) const NOBODY_LEFT: &str = "no run is left for ever";
