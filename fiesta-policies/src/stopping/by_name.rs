//! Stopping rules by the names that study files and the command line use.

use super::{
    AnytimeValid, CheapestWithin, Distance, PosteriorThreshold, TIE, Tolerance, ToleranceError,
    anytime::{BoundsError, RateError},
};
use crate::gate::{Constraint, GateQuestion, GateRule, GateRuleError};
use fiesta_core::{Assumption, StoppingRule};

/// The names of stopping rules that [`by_name`] knows, each with a description.
pub const NAMES: [(&str, &str); 6] = [
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
    (
        "anytime-bounded",
        "errs in at most 1 − confidence of all studies with scores in known bounds, however often it looks",
    ),
    (
        "gate",
        "compares every arm with a baseline: the default with a baseline and scores in known bounds",
    ),
    (
        "gate-gaussian",
        "compares every arm with a baseline: the default with a baseline and scores without bounds",
    ),
];

/// Returns what the stopping rule with this name assumes of the scores, if it promises a rate of
/// errors however often one looks. `None` for the other rules.
///
/// # Example
/// ```
/// use fiesta_core::Assumption;
/// use fiesta_policies::stopping::assumption;
/// assert_eq!(assumption("anytime-bounded"), Some(Assumption::Bounded));
/// assert_eq!(assumption("posterior"), None);
/// ```
pub fn assumption(name: &str) -> Option<Assumption> {
    match name {
        "anytime" | "gate-gaussian" => Some(Assumption::Gaussian),
        "anytime-bounded" | "gate" => Some(Assumption::Bounded),
        _ => None,
    }
}

/// Parameters that the construction of a stopping rule may need.
#[derive(Debug, Clone, PartialEq)]
pub struct StoppingParameters {
    /// The confidence, 1 − δ.
    pub level: f64,
    /// Distance below the best arm at which the recommended arm may be.
    pub tolerance: Distance,
    /// Distance below the best arm at which the rule `posterior` may call arms tied; 0 for never.
    pub tie: Distance,
    /// Whether `posterior` names an arm only at the probability 1 − δ².
    pub strict: bool,
    /// The number of arms, K.
    pub arms: usize,
    /// Score that the anytime-valid rules count a failed evaluation as, oriented so that larger is
    /// better.
    pub on_failure: Option<f64>,
    /// The least and the greatest score, oriented likewise, which `anytime-bounded` needs.
    pub bounds: Option<(f64, f64)>,
    /// The rate of rare failures that `anytime` waits for.
    pub rare_failures: Option<f64>,
    /// Number of items, in a study of a pool of them.
    pub items: Option<u64>,
    /// Distance below the best at which the cheapest arm is sought, by `posterior`; `None` to seek the best.
    pub cheapest_within: Option<f64>,
    /// Question of a gate, which the rules of that name need and no other takes.
    pub gate: Option<GateQuestion>,
    /// Constraints that the versions of a gate must keep. Other rules have none.
    pub constraints: Vec<Constraint>,
}

impl StoppingParameters {
    /// Makes the parameters of this level and number of arms, the others as they are by default.
    pub fn new(level: f64, arms: usize) -> Self {
        Self {
            level,
            tolerance: Distance::ZERO,
            tie: TIE,
            strict: false,
            arms,
            on_failure: None,
            bounds: None,
            rare_failures: None,
            items: None,
            cheapest_within: None,
            gate: None,
            constraints: Vec::new(),
        }
    }
}

/// The reason why no stopping rule has the given name and numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoppingError {
    /// The name of the stopping rule is none of [`NAMES`].
    #[error("there is no stopping rule `{0}`: use one of {list}", list = NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The rule looks for the one best arm, and takes no tolerance.
    #[error("the stopping rule {0} takes no tolerance: leave it out, or use posterior")]
    NoTolerance(String),
    /// The level or the tolerance of the rule is out of range.
    #[error(transparent)]
    Parameter(#[from] ToleranceError),
    /// The rule `anytime-bounded` or `gate` was given no bounds.
    #[error(
        "the stopping rules anytime-bounded and gate need to know between which bounds all scores lie: give the metric bounds"
    )]
    NoBounds,
    /// The bounds of the scores are not finite or not in order.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// The rate of rare failures is out of range.
    #[error(transparent)]
    Rate(#[from] RateError),
    /// The rule was given a rate of rare failures, and does not wait for any.
    #[error(
        "a rate of rare failures belongs to the stopping rule anytime: leave it out beside {0}"
    )]
    ForeignRate(String),
    /// The rule is a gate without a baseline, or another rule has one.
    #[error(
        "a baseline belongs to the stopping rules gate and gate-gaussian, and they need one: leave the stopping rule out, or name a baseline"
    )]
    Baseline,
    /// The numbers of the gate are out of range.
    #[error(transparent)]
    Gate(#[from] GateRuleError),
}

/// Returns whether the stopping rule with this name compares arms with a baseline.
pub fn is_gate(name: &str) -> bool {
    matches!(name, "gate" | "gate-gaussian")
}

/// Returns the stopping rule with this name.
///
/// # Errors
/// [`StoppingError`] if the name is none of [`NAMES`], a parameter is out of range, the bounds of
/// `anytime-bounded` are missing, or there is a rate of rare failures beside another rule than
/// `anytime`.
pub fn by_name(
    name: &str,
    parameters: &StoppingParameters,
) -> Result<Box<dyn StoppingRule>, StoppingError> {
    let &StoppingParameters {
        level, tolerance, ..
    } = parameters;
    let anytime = || {
        let Distance::Score(tolerance) = tolerance else {
            return Err(ToleranceError::InSd(tolerance).into());
        };
        let rule = AnytimeValid::within(level, tolerance, parameters.arms)?;
        Ok::<_, StoppingError>(rule.on_failure(parameters.on_failure))
    };
    if name != "anytime" && parameters.rare_failures.is_some() {
        return Err(StoppingError::ForeignRate(name.to_owned()));
    }
    if is_gate(name) != parameters.gate.is_some() {
        return Err(StoppingError::Baseline);
    }
    if is_gate(name) && !tolerance.is_zero() {
        return Err(StoppingError::NoTolerance(name.to_owned()));
    }
    if let ("posterior", Some(within)) = (name, parameters.cheapest_within) {
        return Ok(Box::new(CheapestWithin::new(level, within)?));
    }
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
        "anytime" => Box::new(anytime()?.burn_in_for(parameters.rare_failures)?),
        "anytime-bounded" => {
            let bounds = parameters.bounds.ok_or(StoppingError::NoBounds)?;
            Box::new(anytime()?.bounded(bounds)?.of_pool(parameters.items))
        }
        "gate" | "gate-gaussian" => Box::new(gate(name, parameters)?),
        other => return Err(StoppingError::Unknown(other.to_owned())),
    })
}

fn gate(name: &str, parameters: &StoppingParameters) -> Result<GateRule, StoppingError> {
    let question = parameters.gate.ok_or(StoppingError::Baseline)?;
    let (arms, bounds, level) = (parameters.arms, parameters.bounds, parameters.level);
    let rule = if name == "gate" {
        let bounds = bounds.ok_or(StoppingError::NoBounds)?;
        GateRule::bounded(arms, question, bounds, parameters.items, level)?
    } else {
        GateRule::gaussian(arms, question, bounds, level)?
    };
    Ok(rule.with_constraints(&parameters.constraints)?)
}
