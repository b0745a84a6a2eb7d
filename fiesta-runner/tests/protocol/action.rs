//! Steps of the parties, each with the function of the runner that takes it.

/// A step of a controller (by its number), of a supervisor, or of the command of a supervisor.
///
/// Files are those below `fiesta-runner/src`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Somebody starts a controller: `run` in `controller/mod.rs`.
    Run(usize),
    /// The controller locks the study, and reads the ledger: `take` in `ledger/lock.rs`.
    Take(usize),
    /// The controller looks who attends to the run of an evaluation: `find_left_by` in
    /// `executor/find.rs`.
    Find(usize, usize),
    /// The controller reads how the run ended, and draws its conclusion: `published` in
    /// `executor/find.rs`.
    Published(usize),
    /// The controller claims a run that nobody claimed: `revoke_from` in `executor/find.rs`.
    Revoke(usize),
    /// The controller stops what a dead supervisor left: `sweep` in `executor/find.rs`.
    Sweep(usize),
    /// The controller decides on an evaluation: `start` in `controller/jobs/mod.rs`.
    Start(usize),
    /// The controller writes the turn to the ledger: `record` in `controller/jobs/turn.rs`.
    Record(usize),
    /// The controller makes the directory of a run: `prepare` in `executor/find.rs`.
    Prepare(usize),
    /// The controller orders a supervisor to carry the run out: `ordered` in
    /// `executor/local/mod.rs`.
    Ordered(usize),
    /// The controller ends, as everything counts: `finished` in `controller/mod.rs`.
    Finished(usize),
    /// A supervisor hears of a run: `receive` in `supervisor/channel.rs`.
    Receive(usize),
    /// The supervisor claims the run: `claim` in `run/directory.rs`.
    Claim(usize),
    /// The supervisor locks its claim, with
    /// [`Change::LockAfterClaim`](super::model::Change::LockAfterClaim) alone:
    /// `claim` in `run/directory.rs`.
    TryLock(usize),
    /// The supervisor starts the command, which has its locks at first: `start` in
    /// `supervisor/lifecycle.rs`.
    Spawn(usize),
    /// The started process becomes the command: `start` in `supervisor/lifecycle.rs`.
    Exec(usize),
    /// The command ends with a score: `reap` in `supervisor/tree.rs`.
    Exit(usize),
    /// The supervisor publishes the end: `publish` in `supervisor/publish.rs`.
    Publish(usize),
    /// The supervisor gives its claim back and says that it is done: `send` in
    /// `supervisor/channel.rs`.
    Send(usize),
    /// The supervisor goes, as its controller has gone: `one_after_another` in
    /// `supervisor/lifecycle.rs`.
    OneAfterAnother(usize),
    /// Somebody kills a controller.
    KillController(usize),
    /// Somebody kills a supervisor, whose command goes on.
    KillSupervisor(usize),
    /// Somebody kills a command.
    KillJob(usize),
}
