//! Errors of analyses.

use crate::summary::SummaryError;
use fiesta_core::{ArmsError, SelectorError};
use fiesta_policies::{
    PolicyError,
    plan::{ComplexityError, InstanceError, PowerError},
    simulate::{GaussianError, RecordedError, RecordedItemsError, SyntheticError},
    stopping::{LevelError, StoppingError},
};
use fiesta_posterior::{
    UnknownPosterior, best_arm::BestArmError, best_of_n::BestOfNError, f_measure::FMeasureError,
};
use fiesta_records::Choice;
use std::{io, path::PathBuf};

/// The reason why an analysis has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A posterior's name that is none.
    #[error(transparent)]
    Posterior(#[from] UnknownPosterior),
    /// Probabilities that cannot be computed.
    #[error(transparent)]
    BestArm(#[from] BestArmError),
    /// Trials whose best of n cannot be compared.
    #[error(transparent)]
    BestOfN(#[from] BestOfNError),
    /// A posterior of counts that cannot be.
    #[error(transparent)]
    FMeasure(#[from] FMeasureError),
    /// Arms that cannot be compared.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// A policy that cannot be.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A stopping rule that cannot be.
    #[error(transparent)]
    Stopping(#[from] StoppingError),
    /// Gaussian arms that cannot be.
    #[error(transparent)]
    Gaussian(#[from] GaussianError),
    /// Recorded scores that cannot be drawn again.
    #[error(transparent)]
    Recorded(#[from] RecordedError),
    /// Recorded counts that cannot be queried again.
    #[error(transparent)]
    RecordedItems(#[from] RecordedItemsError),
    /// Synthetic arms that cannot be.
    #[error(transparent)]
    Synthetic(#[from] SyntheticError),
    /// Arms that no study could tell apart, or whose moments are none.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// Arms without a complexity.
    #[error(transparent)]
    Complexity(#[from] ComplexityError),
    /// A power or level that no test has.
    #[error(transparent)]
    Power(#[from] PowerError),
    /// A confidence that is none.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A plan on shared splits from scores without them.
    #[error(
        "a plan on shared splits needs a `split` for every score; plan with independent splits otherwise"
    )]
    NoSharedSplits,
    /// A simulated study that cannot go on.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// A summary or a comparison that cannot be.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// A file of a report that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Evaluations failed, and nothing says what they count as.
    #[error("{0}")]
    Uncounted(String),
    /// Scores that are too few for a posterior, or too alike: whose they are, and what to do.
    #[error("{0}")]
    TooFew(String),
    /// Data or options that do not allow the analysis: what, where, and what to do.
    #[error("{0}")]
    Refused(String),
}

impl AnalysisError {
    /// The ways to go on, where results leave a choice that the options did not make; none for any
    /// other error.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Uncounted(_) => Choice::among("failed", Choice::FAILED),
            _ => Vec::new(),
        }
    }

    /// The analysis of one arm was refused.
    pub(crate) fn of_arm(name: &str, error: impl std::fmt::Display) -> Self {
        Self::Refused(format!("the arm `{name}`: {error}"))
    }
}
