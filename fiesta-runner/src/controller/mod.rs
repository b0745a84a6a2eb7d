//! Runs a study, from its file and its ledger to its conclusion.

mod again;
mod anew;
mod capacity;
mod checkpoints;
mod elsewhere;
mod executors;
mod gpus;
mod interpret;
pub(crate) use interpret::has_measured_cost;
#[cfg(feature = "report")]
pub(crate) use interpret::reports_cost;
mod jobs;
mod moved;
pub mod observer;
mod packing;
pub mod parallel;
mod preview;
mod programs;
mod reinstate;
mod tell;
mod trial;
mod waits;

use self::observer::Observer;
use crate::{
    answers::{Answers, AnswersError},
    executor::{Executor, ExecutorError, NoSupervisor, SubmitError},
    file_error::FileError,
    gpu::GpuError,
    history::{Check, History, HistoryError, Tally},
    ledger::{Assertion, Entry, Ledger, LedgerError, Session},
    machine,
    policy::sweep_left,
    process,
    signal::Signals,
    status::STATES,
    study::{Change, Items, ItemsError, Study, changes},
};
use fiesta_core::{Conclusion, SelectorError};
use gpus::Slots;
use jobs::Jobs;
use packing::Packing;
use std::{fmt, io, path::PathBuf};
use waits::Waking;

pub use anew::{NewGate, begin_anew};
pub use executors::{executor_for, trial_executor_for};
pub use preview::{PlannedRun, Preview, preview};
pub use trial::{Trial, check};

/// Options of a session beside the study file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether to accept changes of the study file that concern only how jobs are run, or extend
    /// the study.
    pub accept_changes: bool,
    /// Names of the arms that come back after they failed, as the cause was mended. `all` stands
    /// for every arm that has failed, unless an arm has this name.
    pub retry: Vec<String>,
    /// The arms that are asked anew, by their names: their evaluations are set aside.
    pub again: Vec<String>,
}

/// Result of running a study: its conclusion and its history.
#[derive(Debug)]
pub struct Finished {
    /// How the selection ended.
    pub conclusion: Conclusion,
    /// The study's history, with everything that is known.
    pub history: History,
    /// Whether the study had ended in an earlier session, so that nothing was run.
    pub before: bool,
}

/// The reason why a study stopped without a conclusion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Somebody asked to stop; the study can be resumed.
    #[error("stopped on request; the same command resumes the study")]
    Interrupted {
        /// Runs that go on without a controller, and are found again on resuming.
        left_running: usize,
    },
    /// The directory of the study's state is not where it was: somebody moved it, or removed it,
    /// while the study ran.
    #[error("the study's directory {} was moved while the study ran, {}", from.display(), moved::advice(to.as_deref(), *left_running))]
    Moved {
        /// Where the directory was.
        from: PathBuf,
        /// Where the directory is now, unless it was removed.
        to: Option<PathBuf>,
        /// Runs that go on without a controller, and are found again on resuming.
        left_running: usize,
    },
    /// The study file is not the one that the ledger was begun with.
    #[error("the study file has changed since its ledger was begun:{}", list(.0))]
    Changed(Vec<Change>),
    /// Every evaluation failed alike, before any succeeded. Contains the message for the user.
    #[error("{0}")]
    FailedAlike(String),
    /// The study cannot be run as it is, for the reason in words: an arm cannot come back or be
    /// asked anew; arms differ only in their names; a command cannot be started; an existing score
    /// is not valid in this study; no GPU can be had; the system refuses something.
    #[error("{0}")]
    Refused(String),
    /// A file of an arm was changed while the study ran.
    #[error(
        "{file}, a file of the arm `{arm}`, was changed while the study ran: nothing more is started, and what was evaluated counts; run the study again: it says how much that is, and goes on with --accept-changes if scores are the same, or with --again {arm} (a file that jobs write is no input: inputs = [\"!{file}\"])"
    )]
    Input {
        /// Name of the arm whose file was changed.
        arm: String,
        /// The changed file, as the study file names it.
        file: String,
    },
    /// The arms are functions of another program.
    #[error(
        "the arms of {} are functions of the program that wrote it (executor.kind = \"functions\"): run that program; `fiesta status`, `report`, `log` and `export` show what it has done", .0.display()
    )]
    Functions(PathBuf),
    /// A policy that is a command does not say what comes next.
    #[error("{0}; what was evaluated counts, and the same command resumes the study")]
    Policy(String),
    /// A run of an earlier controller is on another machine.
    #[error(
        "the run {run} was started on {host} and may still run there: resume the study on that machine"
    )]
    Elsewhere {
        /// Name of the run.
        run: String,
        /// The machine on which the run was started.
        host: String,
    },
    /// The selection cannot go on.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The ledger cannot be replayed.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The program cannot run jobs.
    #[error(transparent)]
    NoSupervisor(#[from] NoSupervisor),
    /// The GPUs do not suffice.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The cache of answers cannot be used.
    #[error(transparent)]
    Answers(#[from] AnswersError),
    /// A document cannot be handed to its job.
    #[error(transparent)]
    Document(#[from] ItemsError),
    /// A run cannot be started.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// Runs cannot be followed.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// A file or directory of the study's state cannot be made, moved or removed.
    #[error(transparent)]
    File(#[from] FileError),
}

impl RunError {
    /// Makes the error of an arm that cannot be evaluated; `reason` says what is wrong and what to
    /// do.
    fn of_arm(arm: &str, reason: impl fmt::Display) -> Self {
        Self::Refused(format!("the arm `{arm}` cannot be evaluated: {reason}"))
    }

    /// Makes the error of anything that the system refuses, but a file or directory.
    fn system(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Refused(format!("{action}: {source}"))
    }
}

fn list(changes: &[Change]) -> String {
    let remade = changes.iter().find_map(|change| change.remade().first());
    let advice = match remade {
        _ if !changes.iter().all(Change::is_acceptable) => {
            "\nundo them, or give the changed study a file of its own".to_owned()
        }
        Some(arm) => format!(
            "\nuse --accept-changes to go on and say that scores are the same as before, or --again {arm}, once for each arm that is another one now, to set its evaluations aside and ask anew; with both, those of the other arms are the same (a file that jobs write is no input: inputs = [\"!FILE\"])"
        ),
        None => "\nuse --accept-changes to go on with them".to_owned(),
    };
    let lines = changes.iter().map(|change| format!("\n  {change}"));
    lines.chain([advice]).collect()
}

/// The changes since the latest session read this study file.
///
/// # Errors
/// [`RunError::Changed`] if the options do not accept all of them.
fn accepted(
    study: &Study,
    ledger: &Ledger,
    before: Option<&serde_json::Value>,
    options: &Options,
) -> Result<Vec<Change>, RunError> {
    let Some(before) = before.filter(|&before| *before != study.fingerprint) else {
        return Ok(Vec::new());
    };
    let mut tally = Tally::default();
    ledger.visit(|entry| {
        tally.take(&entry);
        Ok::<(), LedgerError>(())
    })?;
    let changes = changes(before, &study.fingerprint, &tally.evaluated(study));
    let is_accepted = |change: &Change| {
        change.is_acceptable() && (options.accept_changes || again::covers(&options.again, change))
    };
    if changes.iter().all(is_accepted) {
        Ok(changes)
    } else {
        Err(RunError::Changed(changes))
    }
}

/// Ends the process of a policy that a killed session has left.
fn end_left_policy(study: &Study) -> Result<(), RunError> {
    if study.policy_command().is_none() {
        return Ok(());
    }
    let left = sweep_left(&study.state_directory());
    left.map_err(RunError::system("look for processes of the policy"))
}

/// Starts a study, or resumes it from its ledger, and runs it to its end.
///
/// # Errors
/// [`RunError`] if the study cannot be started or go on, or was asked to stop. Nothing that was
/// evaluated is lost.
pub fn run(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
    observer: &mut dyn Observer,
    options: &Options,
) -> Result<Finished, RunError> {
    study.can_be_run()?;
    study.has_parts().map_err(refused)?;
    let mut ledger = Ledger::open(&study.state_directory())?;
    end_left_policy(study)?;
    let before = ledger.latest_study()?;
    let changes = accepted(study, &ledger, before.as_ref(), options)?;
    let resumed = before.is_some();
    let mut history = History::begin(study)?;
    ledger.visit(|entry| history.take(study, entry, Check::Decisions))?;
    for difference in &history.differences {
        observer.notice(&format!(
            "a recorded decision would be another one now: {difference}"
        ));
    }
    let extended = history.is_extended_by(study);
    let again = again::arms(study, &history, &options.again, &changes)?;
    let reinstated = reinstate::arms(study, &history, &options.retry, &changes)?;
    if let Some(notice) = reinstate::notice(study, &reinstated, &options.retry) {
        observer.notice(&notice);
    }
    if let Some(conclusion) = history.selector.conclusion()
        && !extended
        && reinstated.is_empty()
        && again.is_empty()
        && history.pending().next().is_none()
    {
        let conclusion = conclusion.clone();
        if !changes.is_empty() {
            let opened = session(study, again::asserted(&options.again, &changes));
            history.take(study, Entry::Opened(opened.clone()), Check::Nothing)?;
            ledger.append(&[Entry::Opened(opened)], true)?;
        }
        // A session before may have been stopped at it.
        Packing::begin(study, &history).finish(&mut ledger, signals, observer);
        return Ok(Finished {
            conclusion,
            history,
            before: true,
        });
    }
    // Whatever can be known to be wrong, before the ledger holds the study to what its file says.
    trial::clear_trials(study)?;
    STATES.remove(&study.state_directory());
    let gpus = Slots::of(
        study,
        executor,
        &mut Waking::new(&study.state_directory(), signals, observer),
    )?;
    programs::check(study)?;
    let answers = Answers::of(study)?;
    let asserted = again::asserted(&options.again, &changes);
    let mut opening = vec![Entry::Opened(session(study, asserted))];
    if !resumed {
        opening.extend_from_slice(&study.recorded);
    }
    if !reinstated.is_empty() {
        opening.extend(reinstate::entries(study, &history, reinstated));
    }
    if !again.is_empty() {
        opening.extend(again::stopped(study, &history, &again, executor)?);
        opening.push(Entry::SetAside { arms: again });
    }
    open_session(study, &mut ledger, &mut history, &opening)?;
    history.release();
    study.keep_digests();
    study.keep_items();
    elsewhere::mark(study, ledger.state_id())?;
    say_how_it_begins(study, &history, resumed, extended, observer);
    let recorded = history.selector.conclusion().cloned();
    let mut jobs = Jobs::new(
        study,
        ledger,
        executor,
        signals,
        observer,
        gpus.on_board(&study.state_directory()),
        &history,
    )
    .with_answers(answers.map(|answers| answers.since(&history.answers_since)));
    for event in jobs.resume(&history).map_err(|error| jobs.explain(error))? {
        history.selector.tell(event)?;
    }
    let driven = match &recorded {
        Some(conclusion) => Ok(conclusion.clone()),
        None => jobs.drive(&mut history.selector),
    };
    jobs.tell_retired(&history.selector);
    let conclusion = match driven {
        Ok(conclusion) => conclusion,
        Err(error) => {
            let trouble = study.policy_trouble.take();
            let error = trouble.map_or(error, RunError::Policy);
            let error = jobs.explain(jobs.of_one_cause(error));
            jobs.leave(&error);
            return Err(error);
        }
    };
    jobs.conclude(&conclusion, recorded.is_some())
        .map_err(|error| jobs.explain(error))?;
    drop(jobs);
    // Two of them would be twice the memory.
    drop(history);
    finished(study, executor, observer, conclusion)
}

/// Closes the executor of a study that has its conclusion.
fn finished(
    study: &Study,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    conclusion: Conclusion,
) -> Result<Finished, RunError> {
    executor.close();
    for notice in executor.notices() {
        observer.notice(&notice);
    }
    Ok(Finished {
        conclusion,
        history: History::read(study, Check::Nothing)?,
        before: false,
    })
}

/// Evaluations that a controller takes over, with what came before the first decision: evaluations that
/// exist already, and the time that a killed controller did not record itself. The kept baseline of a
/// gate is copied first.
fn open_session(
    study: &Study,
    ledger: &mut Ledger,
    history: &mut History,
    opening: &[Entry],
) -> Result<(), RunError> {
    // What the posterior refuses must not become part of the ledger.
    for entry in opening.iter().cloned() {
        let place = entry
            .origin()
            .map(|origin| (origin.file.clone(), origin.line));
        let taken = history.take(study, entry, Check::Decisions);
        taken.map_err(|error| match (place, error) {
            (Some((file, line)), HistoryError::Selector(source)) => {
                RunError::Refused(format!("{file}:{line}: {source}"))
            }
            (_, error) => error.into(),
        })?;
    }
    study.copy_baseline()?;
    ledger.append(opening, true)?;
    // Told apart by the ledger's first entry, which there is only now.
    let kept = ledger.clock().kept();
    if let Some(seconds) = kept.filter(|&seconds| seconds > history.clock) {
        let entry = Entry::Clock { seconds };
        history.take(study, entry.clone(), Check::Decisions)?;
        ledger.append(&[entry], true)?;
    }
    Ok(())
}

fn say_how_it_begins(
    study: &Study,
    history: &History,
    resumed: bool,
    extended: bool,
    observer: &mut dyn Observer,
) {
    let alike = study.items().and_then(Items::look_alikes);
    if let Some(alike) = alike.filter(|_| !resumed) {
        observer.notice(&alike);
    }
    if let Some(fewest) = study.note_of_fewest_items().filter(|_| !resumed) {
        observer.notice(&fewest);
    }
    let ended = history.records.len() - history.pending().count();
    if let Some(extension) = history.extensions.last() {
        for (arm, count) in &extension.set_aside {
            let name = study.arms().name(*arm);
            let s = if *count == 1 { "" } else { "s" };
            observer.notice(&format!(
                "{count} evaluation{s} of {name} set aside: they stay paid, count no longer, and are made anew"
            ));
        }
        for asserted in &extension.asserted {
            observer.notice(&format!(
                "scores are taken to be the same as before, as --accept-changes says: {}",
                asserted.change
            ));
        }
    }
    if extended {
        observer.notice(&format!(
            "resuming after {ended} evaluations under other terms; all of them count"
        ));
    } else if resumed {
        observer.notice(&format!("resuming after {ended} evaluations"));
    } else if ended > 0 {
        observer.notice(&format!(
            "{ended} evaluations that exist already are counted first"
        ));
    }
}

fn refused(error: impl std::error::Error) -> RunError {
    RunError::Refused(error.to_string())
}

fn session(study: &Study, asserted: Vec<Assertion>) -> Session {
    Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: process::host().unwrap_or_default(),
        machine: Some(machine::describe(study.takes_gpus_here())),
        study: study.fingerprint.clone(),
        asserted,
    }
}
