//! Reasons why scores have no tuning curve.

use crate::bands::CdfBand;

/// The reason why scores have no tuning curve, no band of one, or no budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// The scores, bounds or confidence allow no curve, band or budget: which of them, and what to do.
    #[error("{0}")]
    Refused(String),
    /// The band is exact and would take minutes, as there are too many scores.
    #[error(
        "an exact band of {scores} scores may take minutes: take the band `dkw`, which is wider, or at most {most} of the scores",
        most = CdfBand::EXACT_UP_TO
    )]
    TooMany {
        /// Number of scores.
        scores: usize,
    },
}
