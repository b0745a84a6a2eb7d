//! Errors of analyses.

use crate::{summary::SummaryError, tuning_curve::CurveError};
use fiesta_core::{ArmsError, ObserveError, SelectorError};
use fiesta_policies::{
    PolicyError,
    plan::{ComplexityError, InstanceError, PowerError},
    simulate::{
        GaussianError, ItemResponseError, RecordedError, RecordedItemsError, SyntheticError,
    },
    stopping::{LevelError, StoppingError},
};
use fiesta_posterior::{
    AnswerBoundsError, UnknownPosterior, best_arm::BestArmError, best_of_n::BestOfNError,
    f_measure::FMeasureError,
};
use fiesta_records::{Choice, Evaluations};

/// The reason why an analysis has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// No posterior has the given name.
    #[error(transparent)]
    Posterior(#[from] UnknownPosterior),
    /// The policy cannot be made with the given parameters.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The stopping rule cannot be made with the given parameters.
    #[error(transparent)]
    Stopping(#[from] StoppingError),
    /// Recorded scores that cannot be drawn again.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// A plan on shared splits was asked for from scores without splits.
    #[error(
        "a plan on shared splits needs a `split` for every score; plan with independent splits otherwise"
    )]
    NoSharedSplits,
    /// A simulated study that cannot go on.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Evaluations failed, and the options do not say what these count as.
    #[error("{0}")]
    Uncounted(String),
    /// Scores that are too few for a posterior, or too alike: whose they are, and what to do.
    #[error("{0}")]
    TooFew(String),
    /// Data or options that do not allow the analysis: what, where, and what to do.
    #[error("{0}")]
    Refused(String),
}

/// Errors whose words say what, where, and what to do.
macro_rules! refused {
    ($($error:ty),+) => {
        $(impl From<$error> for AnalysisError {
            fn from(error: $error) -> Self {
                Self::Refused(error.to_string())
            }
        })+
    };
}

refused!(
    BestArmError,
    BestOfNError,
    FMeasureError,
    ArmsError,
    GaussianError
);
refused!(
    RecordedItemsError,
    SyntheticError,
    InstanceError,
    ComplexityError,
    PowerError,
    LevelError
);
refused!(
    SummaryError,
    CurveError,
    AnswerBoundsError,
    ItemResponseError,
    ObserveError
);

impl AnalysisError {
    /// Returns the flags that would settle the error, if the options leave open how to read the
    /// results. Empty for other errors.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Uncounted(_) => Choice::among("failed", Choice::FAILED),
            _ => Vec::new(),
        }
    }

    /// Returns the error that data or options do not allow the analysis, in words that say what to do.
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }

    /// Returns the error that a file lacks the column from which `of` was to be taken.
    pub(crate) fn no_column(name: &str, of: &str, records: &Evaluations) -> Self {
        let there = records.columns().join(", ");
        Self::Refused(format!(
            "there is no column `{name}` to take {of} from: the columns of your own are {}",
            if there.is_empty() { "none" } else { &there }
        ))
    }

    /// Returns the error that the analysis of one arm was refused.
    pub(crate) fn of_arm(name: &str, error: impl std::fmt::Display) -> Self {
        Self::Refused(format!("the arm `{name}`: {error}"))
    }
}
