//! Exit codes of the program, and the errors that lead to them.

use super::{platform::RunnerFailure, results::Way};
use fiesta::{
    SelectorError,
    import::ImportError,
    records::{Choice, Proposal, RecordsError, Undirected},
    report::analysis::AnalysisError,
};
use std::{io, process::ExitCode};

/// List of the exit codes at the end of `fiesta --help`: the numbers of [`Code`], and what each
/// means.
pub(super) const CODES: &str = "\
Exit codes:
  0  what was asked for is done; of a study, the goal was reached
  1  error of the program itself
  2  wrong usage, bad input, or a machine that lacks or refuses something
  3  the study stopped before its goal, or what failed may decide; the gate is undecided
  4  the study was interrupted; the same command resumes it
  5  an arm failed for good, or the first arms all failed alike
  6  another process holds the study; the message names it
  7  the study file, or a file of an arm, has changed
  8  the gate blocks a candidate";

/// Exit codes of the program. Their numbers are part of its interface.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "studies run on Linux alone")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// The verb has done its work, and a study has reached its goal.
    Done = 0,
    /// Error of the program itself, which should not occur.
    Internal = 1,
    /// Wrong usage, bad input, or a machine that cannot do what was asked; the message says which.
    Usage = 2,
    /// The study stopped before its goal, and its result has the confidence reached; or what failed may decide which arm is
    /// best; or a gate is undecided.
    Short = 3,
    /// Interrupted; the study can be resumed.
    Interrupted = 4,
    /// An arm failed for good.
    ArmFailed = 5,
    /// The study is held by another process: try again when that is done.
    Locked = 6,
    /// The study file changed since the ledger was written.
    Changed = 7,
    /// A candidate is blocked by the gate.
    Blocked = 8,
}

impl Code {
    /// Returns the exit code of a verb that reads a ledger: an error if the ledger is damaged, even
    /// though the rest was shown.
    pub(super) fn of_what_is_left(is_whole: bool) -> Self {
        if is_whole { Self::Done } else { Self::Usage }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Error that ends a verb early.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "studies run on Linux alone")
)]
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Runner(RunnerFailure),
    #[error(transparent)]
    Selector(#[from] SelectorError),
    #[error(transparent)]
    Records(#[from] RecordsError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Direction(#[from] Undirected),
    #[error("{failure}")]
    Choose {
        /// Error about results that can be read in several ways.
        failure: Box<Failure>,
        /// Ways to read the results.
        ways: Vec<Way>,
    },
    #[error("no arm is left: every one of them failed for good\n{reasons}\n{advice}")]
    AllFailed {
        /// Causes of the failures, a line or more for each.
        reasons: String,
        /// Advice on how to let the study go on.
        advice: String,
    },
    #[error("{0}")]
    Usage(String),
    #[error("cannot {action}: {source}")]
    System {
        /// The action that failed, and its object.
        action: String,
        /// Reason why the action failed.
        source: io::Error,
    },
    #[error("the result cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Failure {
    /// Returns the proposed columns with which the results could be read. `None` if there is no proposal.
    pub(super) fn proposal(&self) -> Option<&Proposal> {
        match self {
            Self::Records(error) | Self::Import(ImportError::Records(error)) => error.proposal(),
            _ => None,
        }
    }

    /// Returns the ways to read the results, where the results leave a choice.
    pub(super) fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Records(error) => error.choices(),
            Self::Import(error) => error.choices(),
            Self::Analysis(error) => error.choices(),
            Self::Direction(_) => Choice::among("direction", ["maximize", "minimize"]),
            _ => Vec::new(),
        }
    }

    #[allow(
        clippy::match_same_arms,
        reason = "what is left of an error comes after its special cases"
    )]
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Records(_)
            | Self::Import(_)
            | Self::System { .. }
            | Self::Direction(_)
            | Self::Usage(_) => Code::Usage,
            Self::AllFailed { .. } => Code::ArmFailed,
            Self::Choose { failure, .. } => failure.code(),
            Self::Runner(error) => error.code(),
            Self::Selector(error) | Self::Analysis(AnalysisError::Selector(error)) => {
                of_selector(error)
            }
            Self::Analysis(_) => Code::Usage,
            Self::Json(_) => Code::Internal,
        }
    }
}

/// Returns the exit code for an error of the selector.
pub(super) fn of_selector(error: &SelectorError) -> Code {
    match error {
        SelectorError::NoArmLeft => Code::ArmFailed,
        SelectorError::Observe(_)
        | SelectorError::RecordedLate(_)
        | SelectorError::RecordedElsewhere { .. }
        | SelectorError::RecordedTwice(_) => Code::Usage,
        _ => Code::Internal,
    }
}
