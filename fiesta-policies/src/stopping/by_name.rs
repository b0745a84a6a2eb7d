//! Stopping rules by the names that study files and the command line use.

use super::{AnytimeValid, PosteriorThreshold, Tolerance, ToleranceError};
use fiesta_core::{Design, StoppingRule};

/// The names that [`by_name`] knows, each with what it is.
pub const NAMES: [(&str, &str); 2] = [
    (
        "posterior",
        "the posterior probability reaches the confidence",
    ),
    (
        "anytime",
        "errs in at most 1 − confidence of all studies with Gaussian scores, however often it looks",
    ),
];

/// What the construction of a stopping rule may need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingParameters {
    /// The confidence, 1 − δ.
    pub level: f64,
    /// How far below the best the recommended arm may be, in the unit of the scores.
    pub tolerance: f64,
    /// The number of arms, K.
    pub arms: usize,
    /// How cases are handed out.
    pub design: Design,
    /// What `anytime` counts a failed evaluation as, oriented so that larger is better.
    pub on_failure: Option<f64>,
}

/// Why there is no such stopping rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoppingError {
    /// The name is none of [`NAMES`].
    #[error("there is no stopping rule `{0}`: use one of {list}", list = NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The level or the tolerance is out of range.
    #[error(transparent)]
    Parameter(#[from] ToleranceError),
}

/// The stopping rule with this name.
///
/// # Errors
/// [`StoppingError`] if the name is none of [`NAMES`], or the level or the tolerance is out of
/// range.
pub fn by_name(
    name: &str,
    parameters: &StoppingParameters,
) -> Result<Box<dyn StoppingRule>, StoppingError> {
    let &StoppingParameters {
        level, tolerance, ..
    } = parameters;
    Ok(match name {
        "posterior" if tolerance == 0.0 => {
            Box::new(PosteriorThreshold::new(level).map_err(ToleranceError::from)?)
        }
        "posterior" => Box::new(Tolerance::new(level, tolerance)?),
        "anytime" => {
            let rule = AnytimeValid::within(level, tolerance, parameters.arms, parameters.design)?;
            Box::new(rule.on_failure(parameters.on_failure))
        }
        other => return Err(StoppingError::Unknown(other.to_owned())),
    })
}
