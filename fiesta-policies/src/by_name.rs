//! Policies by the names that study files and the command line use.

use crate::{
    Batched, BenchmarkPolicy, BudgetTooSmall, PoolPolicy, SequentialHalving, SuccessiveRejects,
    Thompson, TopTwo, UcbE, Uniform,
    gate::Turns,
    stopping::{assumption, is_gate},
    top_two::{Balanced, Challenger, Coin, CoinError, CostAware, Leader, Rule, TieBreak},
};
use fiesta_core::{ArmId, Policy};

/// The names of policies that [`policy_by_name`] knows, each with a description.
pub const POLICIES: [(&str, &str); 17] = [
    (
        "auto",
        "the default: ttps; pool with the posterior of that name, evidence with an anytime-valid stopping rule",
    ),
    ("uniform", "non-adaptive rounds over all arms"),
    (
        "sequential-halving",
        "drops the worse half of the arms in each round of a fixed budget",
    ),
    (
        "successive-rejects",
        "drops the worst arm in each phase of a fixed budget",
    ),
    (
        "ucb-e",
        "the highest upper confidence bound, as wide as a fixed budget pays for, on scores from 0 to 1",
    ),
    ("ts", "Thompson sampling; asynchronous with several workers"),
    (
        "pets",
        "pure-exploration Thompson sampling: ttts by another name, with the share beta of the leader",
    ),
    ("ttts", "top-two Thompson sampling"),
    ("bts", "Thompson sampling in synchronous batches"),
    (
        "t3c",
        "a Thompson draw against the arm cheapest to mistake for it",
    ),
    (
        "eb-tci",
        "the best mean against the arm cheapest to mistake for it, rarely tried ones preferred",
    ),
    (
        "ttps",
        "the best mean against the arm most probably best, rarely tried ones preferred",
    ),
    (
        "ttucb",
        "the highest upper confidence bound against the arm cheapest to mistake for it",
    ),
    (
        "evidence",
        "gathers what an anytime-valid stopping rule lacks; eb-tci with other rules",
    ),
    (
        "pool",
        "the leader's closest rival answers the items of a pool that tell most of the two",
    ),
    (
        "benchmarks",
        "the leader's closest rival answers where an answer tells most of the two, of several benchmarks",
    ),
    (
        "turns",
        "the default with a baseline: every item or split in its turn, of the baseline and of all arms without an answer",
    ),
];

/// Returns the policy's own name: for `auto` the policy that it stands for beside this stopping
/// rule and posterior, else the name itself.
///
/// A posterior rule is served best by [`TopTwo::ttps`], with the posterior of a pool by [`PoolPolicy`], the
/// anytime-valid ones by [`TopTwo::evidence`].
pub fn resolve<'a>(name: &'a str, stopping: &str, posterior: &str) -> &'a str {
    match (name, assumption(stopping)) {
        ("auto", _) if is_gate(stopping) => "turns",
        ("auto", Some(_)) => "evidence",
        ("auto", None) if posterior == "pool" => "pool",
        ("auto", None) if posterior == "benchmarks" => "benchmarks",
        ("auto", None) => "ttps",
        (name, _) => name,
    }
}

/// Returns whether a policy follows a schedule that divides its budget among the arms beforehand:
/// arms and scores cannot come later.
pub fn has_schedule(name: &str) -> bool {
    matches!(name, "sequential-halving" | "successive-rejects")
}

/// Returns the parameters that a policy takes, by the names that study files and the command line
/// use.
pub fn parameters_of(name: &str) -> &'static [&'static str] {
    match resolve(name, "posterior", "paired") {
        "sequential-halving" => &["extended"],
        "ttts" | "pets" | "t3c" | "eb-tci" | "ttps" | "ttucb" => &["beta", "tie-break"],
        "bts" => &["batch"],
        _ => &[],
    }
}

/// Parameters that the construction of a policy may need.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters {
    /// The number of arms, K.
    pub arms: usize,
    /// Budget of evaluations, if there is one.
    pub budget: Option<u64>,
    /// How many evaluations `bts` chooses at once.
    pub batch: u32,
    /// Whether sequential halving also spends the evaluations that its divisions leave over.
    pub extended: bool,
    /// The share of the leader in top-two policies that toss a coin, ½ if not given.
    pub beta: Option<f64>,
    /// How top-two policies choose between leader and challenger. If not given: by a coin if `beta`
    /// is, or in ttts and pets; else balanced.
    pub tie_break: Option<TieBreakName>,
    /// The arm that `turns` recommends where no other is shown to be good enough.
    pub baseline: Option<ArmId>,
}

impl Parameters {
    /// Returns the parameters of a study of `arms` arms, everything else by default.
    pub fn of(arms: usize) -> Self {
        Self {
            arms,
            ..Self::default()
        }
    }
}

/// A tie-break of top-two policies, by the name that the command line uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieBreakName {
    /// The tie-break `coin`: [`Coin`].
    Coin,
    /// The tie-break `balanced`: [`Balanced`].
    Balanced,
    /// The tie-break `cost-aware`: [`CostAware`].
    CostAware,
}

fiesta_core::names! {
    TieBreakName {
        Coin = "coin", Balanced = "balanced", CostAware = "cost-aware"
    }
    /// The name of a tie-break is unknown.
    #[error("there is no tie-break `{0}`: use coin, balanced or cost-aware")]
    UnknownTieBreak
}

/// The reason why no policy has the given name and numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The name of the policy is none of [`POLICIES`].
    #[error("there is no policy `{0}`: use one of {list}", list = POLICIES.map(|(name, _)| name).join(", "))]
    Unknown(String),
    /// The policy divides a budget, and none was given.
    #[error("the policy {0} needs a budget of evaluations to divide")]
    NoBudget(&'static str),
    /// The budget is too small for the policy.
    #[error(transparent)]
    BudgetTooSmall(#[from] BudgetTooSmall),
    /// The share β of the leader is no probability.
    #[error(transparent)]
    Beta(#[from] CoinError),
    /// The share β was given to a tie-break other than the coin.
    #[error(
        "beta is the share of the leader with the tie-break coin: leave beta out, or take the coin"
    )]
    BetaWithoutCoin,
}

/// Returns the policy with this name; `auto` is the one for a posterior rule ([`resolve`]).
///
/// # Errors
/// [`PolicyError`] if the name is none of [`POLICIES`], or a parameter that the policy needs is
/// missing or wrong.
pub fn policy_by_name(name: &str, parameters: &Parameters) -> Result<Box<dyn Policy>, PolicyError> {
    let (share, most) = (Rule::Share, Rule::Greatest);
    let policy: Box<dyn Policy> = match resolve(name, "posterior", "paired") {
        "ttts" | "pets" => top_two(TopTwo::thompson(), TieBreakName::Coin, share, parameters)?,
        "evidence" => Box::new(TopTwo::evidence()),
        "t3c" => top_two(TopTwo::t3c(), TieBreakName::Balanced, share, parameters)?,
        "eb-tci" => top_two(TopTwo::eb_tci(), TieBreakName::Balanced, share, parameters)?,
        "ttps" => top_two(TopTwo::ttps(), TieBreakName::CostAware, most, parameters)?,
        "ttucb" => top_two(TopTwo::ttucb(), TieBreakName::Balanced, share, parameters)?,
        "pool" => Box::new(PoolPolicy::default()),
        "benchmarks" => Box::new(BenchmarkPolicy::default()),
        "turns" => Box::new(Turns {
            baseline: parameters.baseline,
        }),
        "uniform" => Box::new(Uniform),
        "sequential-halving" => {
            let budget = budget("sequential-halving", parameters)?;
            let halving = SequentialHalving::new(parameters.arms, budget)?;
            Box::new(if parameters.extended {
                halving.extended()
            } else {
                halving
            })
        }
        "successive-rejects" => {
            let budget = budget("successive-rejects", parameters)?;
            Box::new(SuccessiveRejects::new(parameters.arms, budget)?)
        }
        "ucb-e" => Box::new(UcbE::new(parameters.arms, budget("ucb-e", parameters)?)?),
        "ts" => Box::new(Thompson::default()),
        "bts" => Box::new(Batched::new(Thompson::default(), parameters.batch)),
        other => return Err(PolicyError::Unknown(other.to_owned())),
    };
    Ok(policy)
}

fn budget(name: &'static str, parameters: &Parameters) -> Result<u64, PolicyError> {
    parameters.budget.ok_or(PolicyError::NoBudget(name))
}

/// Returns the policy with the tie-break that the parameters say, or else `default`; `rule` is how
/// the tie-breaks other than the coin choose.
fn top_two<L: Leader + 'static, C: Challenger + 'static, T: TieBreak>(
    policy: TopTwo<L, C, T>,
    default: TieBreakName,
    rule: Rule,
    parameters: &Parameters,
) -> Result<Box<dyn Policy>, PolicyError> {
    let given = parameters.beta.map(|_| TieBreakName::Coin);
    let tie_break: Box<dyn TieBreak> = match parameters.tie_break.or(given).unwrap_or(default) {
        TieBreakName::Coin => Box::new(parameters.beta.map_or(Ok(Coin::default()), Coin::new)?),
        _ if parameters.beta.is_some() => return Err(PolicyError::BetaWithoutCoin),
        TieBreakName::Balanced => Box::new(Balanced { rule }),
        TieBreakName::CostAware => Box::new(CostAware { rule }),
    };
    Ok(Box::new(TopTwo {
        leader: policy.leader,
        challenger: policy.challenger,
        tie_break,
    }))
}
