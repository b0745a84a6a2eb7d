//! Running a study: from its file and its ledger to its conclusion.

mod check;
mod interpret;
mod jobs;
mod place;
mod programs;

use crate::{
    executor::{Executor, ExecutorError, NoWrapper, SubmitError},
    gpu::{GpuError, GpuPool, GpusPerJob},
    history::{Check, History, HistoryError},
    ledger::{Entry, Ledger, LedgerError, Session, recorded_study},
    observer::Observer,
    process,
    signal::Signals,
    study::{Change, DocumentsError, Study, changes},
};
use fiesta_core::{Conclusion, SelectorError};
use jobs::Jobs;
use programs::check_programs;
use std::io;

pub use check::{Trial, check};
pub use place::{executor_for, trial_executor_for};

/// How a study is run, beside what its file says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether changes of the study file that concern only how jobs are run are taken over.
    pub accept_changes: bool,
}

/// How far a study came.
#[derive(Debug)]
pub struct Finished {
    /// How the selection ended.
    pub conclusion: Conclusion,
    /// Everything that is known.
    pub history: History,
    /// Whether it had ended before: nothing was run.
    pub before: bool,
}

/// Why a study stopped without a conclusion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Somebody asked to stop; the study can be resumed.
    #[error("stopped on request; the same command resumes the study")]
    Interrupted {
        /// Runs that go on without a controller, and are found again on resuming.
        left_running: usize,
    },
    /// The study file is not the one that the ledger was begun with.
    #[error("the study file has changed since its ledger was begun:{}", list(.0))]
    Changed(Vec<Change>),
    /// A command cannot be started.
    #[error("the arm `{arm}` cannot be evaluated: {reason}")]
    Command {
        /// Whose command.
        arm: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A run of an earlier controller is on another machine.
    #[error(
        "the run {run} was started on {host} and may still run there: resume the study on that machine"
    )]
    Elsewhere {
        /// Which run.
        run: String,
        /// Where.
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
    NoWrapper(#[from] NoWrapper),
    /// The GPUs do not suffice.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Every GPU that a job could have is held by processes that could not be killed.
    #[error("no job can be started any more: too few GPUs are left that nothing else holds")]
    NoGpuLeft,
    /// A document cannot be handed to its job.
    #[error(transparent)]
    Document(#[from] DocumentsError),
    /// A run cannot be started.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// Runs cannot be followed.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// The system refuses.
    #[error("{action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// Why not.
        source: io::Error,
    },
}

fn list(changes: &[Change]) -> String {
    let line = |change: &Change| {
        let harmless = if change.is_harmless() {
            " (harmless)"
        } else {
            ""
        };
        format!("\n  {change}{harmless}")
    };
    let all_harmless = changes.iter().all(Change::is_harmless);
    let advice = if all_harmless {
        "\nuse --accept-changes to go on with them"
    } else {
        "\nundo them, or give the changed study a file of its own"
    };
    changes
        .iter()
        .map(line)
        .chain([advice.to_owned()])
        .collect()
}

/// Starts a study, or resumes it from its ledger, and runs it to its end.
///
/// # Errors
/// [`RunError`] if the study cannot be started or go on, or was asked to stop. Nothing that was evaluated
/// is lost.
pub fn run(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
    observer: &mut dyn Observer,
    options: Options,
) -> Result<Finished, RunError> {
    let mut ledger = Ledger::open(&study.state_directory())?;
    let entries = ledger.entries()?;
    if let Some(before) = recorded_study(&entries) {
        let changes = changes(before, study.fingerprint());
        let acceptable = options.accept_changes && changes.iter().all(Change::is_harmless);
        if !changes.is_empty() && !acceptable {
            return Err(RunError::Changed(changes));
        }
    }
    let resumed = !entries.is_empty();
    let mut history = History::replay(study, entries, Check::Decisions)?;
    for difference in &history.differences {
        observer.notice(&format!(
            "a recorded decision would be another one now: {difference}"
        ));
    }
    let recorded = history.selector.conclusion().cloned();
    if let Some(conclusion) = &recorded
        && history.pending().next().is_none()
    {
        return Ok(Finished {
            conclusion: conclusion.clone(),
            history,
            before: true,
        });
    }
    // Whatever can be known to be wrong, before the ledger holds the study to what its file says.
    let gpus = gpus(study)?;
    check_programs(study)?;
    ledger.append(&[Entry::Opened(session(study))], true)?;
    if resumed {
        let ended = history.records.len() - history.pending().count();
        observer.notice(&format!("resuming after {ended} evaluations"));
    }
    let mut jobs = Jobs::new(
        study,
        ledger,
        executor,
        signals,
        observer,
        gpus,
        history.clock,
    );
    jobs.resume(history.pending())?;
    let driven = match &recorded {
        Some(conclusion) => Ok(conclusion.clone()),
        None => history.selector.drive(&mut jobs),
    };
    let conclusion = match driven {
        Ok(conclusion) => conclusion,
        Err(error) => {
            jobs.abandon(matches!(error, RunError::Interrupted { .. }))?;
            return Err(error);
        }
    };
    jobs.conclude(&conclusion, recorded.is_some())?;
    drop(jobs);
    executor.close();
    let entries = Ledger::read(&study.state_directory())?;
    let history = History::replay(study, entries, Check::Nothing)?;
    Ok(Finished {
        conclusion,
        history,
        before: false,
    })
}

fn session(study: &Study) -> Session {
    Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: process::host().unwrap_or_default(),
        study: study.fingerprint().clone(),
    }
}

/// The study's GPUs: those it names, else those of the environment, else none.
fn gpus(study: &Study) -> Result<GpuPool, RunError> {
    let pool = match (&study.gpus, GpuPool::from_environment()?) {
        (Some(ids), _) => GpuPool::new(ids.iter().cloned())?,
        (None, Some(pool)) => pool,
        (None, None) => GpuPool::new([""; 0])?,
    };
    for arm in study.arms().ids() {
        let needed = study.gpus_per_job(arm).or(study.gpus_per_worker(arm));
        pool.check(needed.unwrap_or(GpusPerJob::None))?;
    }
    Ok(pool)
}
