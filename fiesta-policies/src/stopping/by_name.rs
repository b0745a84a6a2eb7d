//! Stopping rules by the names that study files and the command line use.

use super::{AnytimeValid, Distance, PosteriorThreshold, TIE, Tolerance, ToleranceError};
use fiesta_core::{Design, StoppingRule};

/// The names that [`by_name`] knows, each with what it is.
pub const NAMES: [(&str, &str); 3] = [
    (
        "posterior",
        "the posterior probability reaches the confidence, with eight evaluations of leader and runner-up, or they are tied",
    ),
    (
        "posterior-at-once",
        "the posterior probability reaches the confidence, however few evaluations there are: the papers' rule",
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
    /// How far below the best the recommended arm may be.
    pub tolerance: Distance,
    /// How far below the best arms may be that `posterior` calls tied; 0 for never.
    pub tie: Distance,
    /// Whether `posterior` names an arm only at the probability 1 − δ².
    pub strict: bool,
    /// The number of arms, K.
    pub arms: usize,
    /// How cases are handed out.
    pub design: Design,
    /// What `anytime` counts a failed evaluation as, oriented so that larger is better.
    pub on_failure: Option<f64>,
}

impl StoppingParameters {
    /// Those of a level alone, the others as they are by default.
    pub fn new(level: f64, arms: usize, design: Design) -> Self {
        Self {
            level,
            tolerance: Distance::ZERO,
            tie: TIE,
            strict: false,
            arms,
            design,
            on_failure: None,
        }
    }
}

/// Why there is no such stopping rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoppingError {
    /// The name is none of [`NAMES`].
    #[error("there is no stopping rule `{0}`: use one of {list}", list = NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The rule looks for the one best arm.
    #[error("the stopping rule {0} takes no tolerance: leave it out, or use posterior")]
    NoTolerance(String),
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
        "posterior" if tolerance.is_zero() => {
            let rule = PosteriorThreshold::new(level).map_err(ToleranceError::from)?;
            let rule = rule.tied_within(parameters.tie)?;
            Box::new(if parameters.strict {
                rule.strict()
            } else {
                rule
            })
        }
        "posterior-at-once" if tolerance.is_zero() => {
            Box::new(PosteriorThreshold::at_once(level).map_err(ToleranceError::from)?)
        }
        "posterior-at-once" => return Err(StoppingError::NoTolerance(name.to_owned())),
        "posterior" => Box::new(Tolerance::new(level, tolerance)?),
        "anytime" => {
            let Distance::Score(tolerance) = tolerance else {
                return Err(ToleranceError::InSd(tolerance).into());
            };
            let rule = AnytimeValid::within(level, tolerance, parameters.arms, parameters.design)?;
            Box::new(rule.on_failure(parameters.on_failure))
        }
        other => return Err(StoppingError::Unknown(other.to_owned())),
    })
}
