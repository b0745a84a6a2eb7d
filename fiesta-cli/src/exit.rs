//! Exit codes, and what leads to each.

use fiesta::{
    core::{ArmsError, SelectorError},
    policies::{PolicyError, simulate::RecordedError},
    posterior::UnknownPosterior,
    records::{RecordsError, import::ImportError},
    report::{analysis::AnalysisError, summary::SummaryError},
    runner::{
        RunError,
        executor::{NoSupervisor, SubmitError},
        history::{HistoryError, RowsError},
        ledger::{LedgerError, LockError},
        status::log::LogError,
        study::{DocumentsError, StudyError},
    },
};
use std::{io, process::ExitCode};

/// How the program ends. The numbers are part of its interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// Done, and the goal was reached.
    Done = 0,
    /// An error of the program itself: it cannot happen.
    Internal = 1,
    /// Wrong usage, bad input, or a machine that does not let the program do what was asked for:
    /// see what it says.
    Usage = 2,
    /// Stopped before the goal; the result carries the confidence reached.
    Short = 3,
    /// Interrupted; the study can be resumed.
    Interrupted = 4,
    /// An arm failed for good.
    ArmFailed = 5,
    /// The study is held by another process: try again when that is done.
    Locked = 6,
    /// The study file changed since the ledger was written.
    Changed = 7,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Whatever ends a verb early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
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
    Selector(#[from] SelectorError),
    #[error(transparent)]
    Records(#[from] RecordsError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Arms(#[from] ArmsError),
    #[error(transparent)]
    Posterior(#[from] UnknownPosterior),
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error(transparent)]
    NoSupervisor(#[from] NoSupervisor),
    #[error("no arm is left: every one of them failed for good\n{reasons}\n{advice}")]
    AllFailed {
        /// A line or more for each cause.
        reasons: String,
        /// What lets the study go on.
        advice: String,
    },
    #[error("{0}")]
    Usage(String),
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried, and with what.
        action: String,
        /// Why not.
        source: io::Error,
    },
    #[error("the result cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Failure {
    #[allow(
        clippy::match_same_arms,
        reason = "what is left of an error comes after its special cases"
    )]
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Study(_)
            | Self::Records(_)
            | Self::Rows(_)
            | Self::Import(_)
            | Self::Arms(_)
            | Self::Posterior(_)
            | Self::Policy(_)
            | Self::Recorded(_)
            | Self::Summary(_)
            | Self::System { .. }
            | Self::Usage(_) => Code::Usage,
            Self::AllFailed { .. } => Code::ArmFailed,
            Self::Run(error) => of_run(error),
            Self::History(HistoryError::Splits { .. }) => Code::Changed,
            Self::Ledger(error)
            | Self::Log(LogError::Ledger(error))
            | Self::History(HistoryError::Ledger(error)) => of_ledger(error),
            Self::Log(_) => Code::Usage,
            Self::Selector(error)
            | Self::Analysis(AnalysisError::Selector(error))
            | Self::History(HistoryError::Selector(error)) => of_selector(error),
            Self::Analysis(_) => Code::Usage,
            Self::History(_) | Self::NoSupervisor(_) | Self::Json(_) => Code::Internal,
        }
    }
}

fn of_run(error: &RunError) -> Code {
    match error {
        RunError::Interrupted { .. } | RunError::Moved { .. } => Code::Interrupted,
        RunError::Changed(_)
        | RunError::Document(DocumentsError::Changed { .. })
        | RunError::History(HistoryError::Splits { .. }) => Code::Changed,
        // It may end there; then the study goes on here.
        RunError::Elsewhere { .. } => Code::Locked,
        // As when they had all failed for good, but sooner.
        RunError::FailedAlike(_) => Code::ArmFailed,
        RunError::Submit(SubmitError::Twice(_)) => Code::Internal,
        RunError::Command { .. }
        | RunError::Recorded { .. }
        | RunError::Retry(_)
        | RunError::Gpu(_)
        | RunError::NoGpuLeft
        | RunError::NoGpuFree(_)
        | RunError::Document(_)
        | RunError::Submit(_)
        | RunError::Executor(_)
        | RunError::File { .. }
        | RunError::System { .. } => Code::Usage,
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

fn of_selector(error: &SelectorError) -> Code {
    match error {
        SelectorError::NoArmLeft => Code::ArmFailed,
        SelectorError::Observe(_)
        | SelectorError::RecordedLate(_)
        | SelectorError::RecordedElsewhere { .. }
        | SelectorError::RecordedTwice(_) => Code::Usage,
        _ => Code::Internal,
    }
}
