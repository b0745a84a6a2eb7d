//! State of the modelled study: its lock, its ledger, the directories of runs, and the processes.

use crate::action::Action;

/// A run: an attempt at an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    pub(crate) evaluation: usize,
    pub(crate) attempt: usize,
}

/// State of the study and of every process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct State {
    /// Controller that holds the study's lock.
    pub(crate) lock: Option<usize>,
    pub(crate) ledger: [Record; 2],
    /// Directories of each evaluation's attempts.
    pub(crate) directories: [Vec<Directory>; 2],
    pub(crate) controllers: [Option<Controller>; 2],
    pub(crate) supervisors: Vec<Supervisor>,
    pub(crate) kills: usize,
}

/// An evaluation's entries in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Record {
    pub(crate) is_decided: bool,
    pub(crate) attempt: usize,
    pub(crate) counted: usize,
}

/// A directory with a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Directory {
    pub(crate) slot: usize,
    pub(crate) claim: Option<Claimant>,
    /// Published end: whether it has a score.
    pub(crate) end: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Claimant {
    /// A controller that took the run back.
    Controller,
    Supervisor(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Controller {
    pub(crate) at: At,
    pub(crate) jobs: [Job; 2],
}

/// The step at which a controller stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// The controller waits for the study's lock.
    Lock,
    Loop,
    /// The controller has found one half of what becomes of an evaluation's run.
    Found(usize, Half),
    /// The controller takes back an evaluation's run.
    Unclaimed(usize),
    /// The controller stops what is left of an evaluation's run.
    Left(usize),
    /// The controller has made the directory of an evaluation's run.
    Prepared(usize),
}

/// One half of what a controller reads of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Half {
    Seat(Seat),
    End(Option<bool>),
}

/// Who attends to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Seat {
    Unclaimed,
    TakenBack,
    Alive(usize),
    Gone,
}

/// An evaluation as a controller knows it. Its decision, loss or end is not in the ledger yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Job {
    Undecided,
    Decided,
    /// An earlier controller decided it.
    Pending,
    Queued,
    Running(usize),
    Lost,
    Ended,
    Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Supervisor {
    pub(crate) is_alive: bool,
    /// Controller at the other end of the supervisor's line, as long as it lives.
    pub(crate) controller: Option<usize>,
    pub(crate) run: Run,
    pub(crate) step: Step,
    pub(crate) command: Command,
}

/// How far a supervisor has come with its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Ordered,
    Received,
    /// The claim is seen, and not locked.
    Unlocked,
    Claimed,
    Attending,
    /// The claim is given back before the end is published.
    Released,
    Published,
    Done,
}

/// State of a supervisor's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Command {
    None,
    /// The process is started, has the supervisor's locks, and is not the command yet.
    Forked,
    Running,
    /// The command has ended: whether with a score.
    Ended(bool),
}

impl State {
    /// Returns the steps that may be possible, without kills.
    pub(crate) fn steps(&self) -> Vec<Action> {
        let mut steps = Vec::new();
        for (c, controller) in self.controllers.iter().enumerate() {
            let Some(controller) = controller else {
                steps.push(Action::Run(c));
                continue;
            };
            match controller.at {
                At::Lock => steps.push(Action::Take(c)),
                At::Found(..) => steps.push(Action::Published(c)),
                At::Unclaimed(_) => steps.push(Action::Revoke(c)),
                At::Left(_) => steps.push(Action::Sweep(c)),
                At::Prepared(_) => steps.push(Action::Ordered(c)),
                At::Loop => steps.extend([
                    Action::Find(c, 0),
                    Action::Find(c, 1),
                    Action::Start(c),
                    Action::Record(c),
                    Action::Prepare(c),
                    Action::Finished(c),
                ]),
            }
        }
        for (s, supervisor) in self.supervisors.iter().enumerate() {
            match supervisor.command {
                Command::Forked => steps.push(Action::Exec(s)),
                Command::Running => steps.push(Action::Exit(s)),
                Command::None | Command::Ended(_) => {}
            }
            if supervisor.is_alive {
                match supervisor.step {
                    Step::Ordered => steps.push(Action::Receive(s)),
                    Step::Received => steps.push(Action::Claim(s)),
                    Step::Unlocked => steps.push(Action::TryLock(s)),
                    Step::Claimed => steps.push(Action::Spawn(s)),
                    Step::Attending => steps.extend([Action::Publish(s), Action::Send(s)]),
                    Step::Released => steps.push(Action::Publish(s)),
                    Step::Published => steps.push(Action::Send(s)),
                    Step::Done => steps.push(Action::OneAfterAnother(s)),
                }
            }
        }
        steps
    }

    pub(crate) fn possible_kills(&self) -> Vec<Action> {
        let mut kills = Vec::new();
        for (c, controller) in self.controllers.iter().enumerate() {
            kills.extend(controller.is_some().then_some(Action::KillController(c)));
        }
        for (s, supervisor) in self.supervisors.iter().enumerate() {
            kills.extend(supervisor.is_alive.then_some(Action::KillSupervisor(s)));
            let runs = supervisor.command == Command::Running;
            kills.extend(runs.then_some(Action::KillJob(s)));
        }
        kills
    }

    pub(crate) fn directory(&mut self, run: Run) -> Option<&mut Directory> {
        self.directories[run.evaluation].get_mut(run.attempt)
    }

    /// Returns the latest attempt at an evaluation that the ledger knows.
    pub(crate) fn latest(&self, evaluation: usize) -> Run {
        let attempt = self.ledger[evaluation].attempt;
        Run {
            evaluation,
            attempt,
        }
    }

    /// Whether the claim of a supervisor on a run is locked: by it, or by the process that it
    /// starts.
    pub(crate) fn is_held(&self, s: usize, run: Run) -> bool {
        let supervisor = &self.supervisors[s];
        let holds = matches!(
            supervisor.step,
            Step::Claimed | Step::Attending | Step::Published
        );
        let has = supervisor.is_alive && holds || supervisor.command == Command::Forked;
        supervisor.run == run && has
    }

    /// Returns who attends to the latest run of an evaluation.
    pub(crate) fn seat(&self, evaluation: usize) -> Seat {
        let run = self.latest(evaluation);
        let directory = self.directories[evaluation].get(run.attempt);
        match directory.and_then(|directory| directory.claim) {
            None => Seat::Unclaimed,
            Some(Claimant::Controller) => Seat::TakenBack,
            Some(Claimant::Supervisor(s)) => {
                if self.supervisors[s].is_alive && self.is_held(s, run) {
                    Seat::Alive(s)
                } else {
                    Seat::Gone
                }
            }
        }
    }

    /// Returns the published end of the latest run of an evaluation.
    pub(crate) fn end(&self, evaluation: usize) -> Option<bool> {
        let attempt = self.ledger[evaluation].attempt;
        self.directories[evaluation].get(attempt)?.end
    }

    /// Returns the slots of the commands that run.
    pub(crate) fn slots_in_use(&self) -> Vec<usize> {
        let running = self.supervisors.iter();
        let running = running.filter(|supervisor| supervisor.command == Command::Running);
        let slot = |of: &Supervisor| self.directories[of.run.evaluation][of.run.attempt].slot;
        running.map(slot).collect()
    }
}
