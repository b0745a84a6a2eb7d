//! Policies by the names that study files and the command line use.

use crate::{
    Batched, BudgetTooSmall, SequentialHalving, Thompson, TopTwo, Uniform,
    top_two::{Coin, CoinError},
};
use fiesta_core::Policy;

/// The names that [`by_name`] knows, each with what it is.
pub const NAMES: [(&str, &str); 6] = [
    ("auto", "the default: ttts"),
    ("uniform", "non-adaptive rounds over all arms"),
    (
        "sequential-halving",
        "drops the worse half of the arms in each round of a fixed budget",
    ),
    ("ts", "Thompson sampling; asynchronous with several workers"),
    ("ttts", "top-two Thompson sampling"),
    ("bts", "Thompson sampling in synchronous batches"),
];

/// What `auto` stands for.
const AUTO: &str = "ttts";

/// The policy's own name: what `auto` stands for, every other name itself.
pub fn resolve(name: &str) -> &str {
    if name == "auto" { AUTO } else { name }
}

/// The parameters that a policy takes, by the names that study files and the command line use.
pub fn parameters_of(name: &str) -> &'static [&'static str] {
    match resolve(name) {
        "sequential-halving" => &["extended"],
        "ttts" => &["beta"],
        "bts" => &["batch"],
        _ => &[],
    }
}

/// What the construction of a policy may need.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The number of arms, K.
    pub arms: usize,
    /// The budget of evaluations, if there is one.
    pub budget: Option<u64>,
    /// How many evaluations `bts` chooses at once.
    pub batch: u32,
    /// Whether sequential halving also spends what its divisions leave over.
    pub extended: bool,
    /// The share of the leader in top-two policies, ½ if not given.
    pub beta: Option<f64>,
}

/// Why there is no such policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The name is none of [`NAMES`].
    #[error("there is no policy `{0}`: use one of {list}", list = NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// Sequential halving divides a budget.
    #[error("the policy sequential-halving needs a budget of evaluations to divide")]
    NoBudget,
    /// The budget does not suffice.
    #[error(transparent)]
    BudgetTooSmall(#[from] BudgetTooSmall),
    /// β is no probability.
    #[error(transparent)]
    Beta(#[from] CoinError),
}

/// The policy with this name.
///
/// # Errors
/// [`PolicyError`] if the name is none of [`NAMES`], or a parameter that the policy needs is missing or wrong.
pub fn by_name(name: &str, parameters: &Parameters) -> Result<Box<dyn Policy>, PolicyError> {
    let policy: Box<dyn Policy> = match resolve(name) {
        "ttts" => {
            let tie_break = parameters.beta.map_or(Ok(Coin::default()), Coin::new)?;
            Box::new(TopTwo {
                tie_break,
                ..TopTwo::thompson()
            })
        }
        "uniform" => Box::new(Uniform),
        "sequential-halving" => {
            let budget = parameters.budget.ok_or(PolicyError::NoBudget)?;
            let halving = SequentialHalving::new(parameters.arms, budget)?;
            Box::new(if parameters.extended {
                halving.extended()
            } else {
                halving
            })
        }
        "ts" => Box::new(Thompson::default()),
        "bts" => Box::new(Batched::new(Thompson::default(), parameters.batch)),
        other => return Err(PolicyError::Unknown(other.to_owned())),
    };
    Ok(policy)
}
