//! Verbs that need the runner, and its studies and errors, as on Linux.

pub(crate) use crate::{
    confirm::{Arguments as ConfirmArguments, confirm},
    init::{Arguments as InitArguments, run as init},
    log::{Arguments as LogArguments, log},
    results::study::Recorded,
    run::{Arguments as RunArguments, gate as run_gate, run},
    slots::{Arguments as SlotsArguments, slots},
    status::{Arguments as StatusArguments, status},
    watch::{Arguments as WatchArguments, watch},
};
use crate::{
    exit::{Code, Failure, of_selector},
    results::{Results, ResultsArguments},
};
pub(crate) use fiesta::runner::on_a_full_stack;
use fiesta::runner::{
    self, RunError,
    executor::{NoSupervisor, SubmitError},
    history::{HistoryError, RowsError},
    init::InitError,
    ledger::{LedgerError, LockError},
    parallel::ParallelError,
    status::log::LogError,
    study::{BaselineError, ItemsError, StudyError},
};

/// Prepares this process. If it was started as the supervisor of a job, it does that work and ends.
pub(crate) fn prepare() {
    runner::keep_own_rights();
    runner::signal::ignore_alone();
    // Each job is watched over by another process of this program.
    runner::supervisor::take_over();
    runner::raise_open_files();
    // Without a handler the signal ends the program, and with it the write says so.
    let _ = runner::signal::survive_file_limit();
}

/// Reads a study and what its ledger records.
pub(crate) fn read_study(arguments: &ResultsArguments) -> Result<Results, Failure> {
    arguments.of_study()
}

/// Error that ends a verb of the runner early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunnerFailure {
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    NoSupervisor(#[from] NoSupervisor),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Parallel(#[from] ParallelError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

macro_rules! failures {
    ($($error:ty),+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Runner(error.into())
            }
        })+
    };
}

failures!(
    StudyError,
    RunError,
    LedgerError,
    HistoryError,
    RowsError,
    LogError,
    NoSupervisor,
    InitError,
    ParallelError,
    BaselineError
);

impl RunnerFailure {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Run(error) => of_run(error),
            Self::History(HistoryError::Splits { .. }) => Code::Changed,
            Self::Ledger(error)
            | Self::Log(LogError::Ledger(error))
            | Self::History(HistoryError::Ledger(error)) => of_ledger(error),
            Self::Baseline(_)
            | Self::Study(_)
            | Self::Init(_)
            | Self::Rows(_)
            | Self::Log(_)
            | Self::Parallel(_) => Code::Usage,
            Self::History(HistoryError::Selector(error)) => of_selector(error),
            Self::History(_) | Self::NoSupervisor(_) => Code::Internal,
        }
    }
}

fn of_run(error: &RunError) -> Code {
    match error {
        RunError::Interrupted { .. } | RunError::Moved { .. } => Code::Interrupted,
        RunError::Changed(_)
        | RunError::Input { .. }
        | RunError::Document(ItemsError::Changed { .. })
        | RunError::History(HistoryError::Splits { .. }) => Code::Changed,
        // It may end there; then the study goes on here.
        RunError::Elsewhere { .. } => Code::Locked,
        // As when they had all failed for good, but sooner.
        RunError::FailedAlike(_) => Code::ArmFailed,
        RunError::Submit(SubmitError::Twice(_)) => Code::Internal,
        RunError::Functions(_)
        | RunError::Answers(_)
        | RunError::Refused(_)
        | RunError::Policy(_)
        | RunError::Gpu(_)
        | RunError::Document(_)
        | RunError::Submit(_)
        | RunError::Executor(_)
        | RunError::File(_) => Code::Usage,
        RunError::Selector(error) | RunError::History(HistoryError::Selector(error)) => {
            of_selector(error)
        }
        RunError::Ledger(error) | RunError::History(HistoryError::Ledger(error)) => {
            of_ledger(error)
        }
        _ => Code::Internal,
    }
}

fn of_ledger(error: &LedgerError) -> Code {
    match error {
        LedgerError::Lock(LockError::Held { .. } | LockError::Taken { .. })
        | LedgerError::Busy { .. }
        | LedgerError::Starting { .. } => Code::Locked,
        _ => Code::Usage,
    }
}
