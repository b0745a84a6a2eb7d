//! Makers of posteriors, policies and stopping rules: a new one for each run.

use fiesta_core::{Observe, Policy, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters, PolicyError,
    simulate::MakeRule,
    stopping::{self, Distance, StoppingError, StoppingParameters},
};
use fiesta_posterior::{PAIRED, Paired, UnknownPosterior, posterior_by_name};

/// Returns the posterior with this name over these arms; `paired:2000` is the posterior `paired`
/// with 2,000 draws.
pub(crate) fn posterior(
    name: &str,
    arms: usize,
) -> Result<Box<dyn Observe<f64>>, UnknownPosterior> {
    let draws = name
        .strip_prefix(PAIRED)
        .and_then(|rest| rest.strip_prefix(':'));
    match draws.and_then(|draws| draws.parse().ok()) {
        Some(draws) => Ok(Box::new(Paired::new(arms).draws(draws))),
        None => posterior_by_name(name, arms),
    }
}

/// Returns a maker of the policy with this name. A policy that cannot be made is refused at once, and not in a run.
pub(crate) fn policy(
    name: &str,
    parameters: Parameters,
) -> Result<impl Fn() -> Box<dyn Policy> + Sync, PolicyError> {
    policies::policy_by_name(name, &parameters)?;
    Ok(move || policies::policy_by_name(name, &parameters).expect("it was made before"))
}

/// Returns a maker of copies of a stopping rule.
pub(crate) fn rule<O, R>(rule: R) -> MakeRule<'static, O>
where
    R: StoppingRule<O> + Clone + Sync + 'static,
{
    Box::new(move || Box::new(rule.clone()) as Box<dyn StoppingRule<O>>)
}

/// Returns makers of the stopping rule with this name at each level, for `arms` arms that answer
/// `items` items with scores from 0 to 1. A rule that cannot be made is refused at once.
pub(crate) fn pool_rules<'a>(
    name: &'a str,
    levels: &[f64],
    tolerance: f64,
    (arms, items): (usize, u64),
) -> Result<Vec<impl Fn() -> Box<dyn StoppingRule> + Sync + 'a>, StoppingError> {
    let rule = |&level: &f64| {
        let parameters = StoppingParameters {
            tolerance: Distance::Score(tolerance),
            tie: Distance::ZERO,
            bounds: Some((0.0, 1.0)),
            items: Some(items),
            ..StoppingParameters::new(level, arms)
        };
        stopping::by_name(name, &parameters)?;
        Ok::<_, StoppingError>(move || {
            stopping::by_name(name, &parameters).expect("it was made before")
        })
    };
    levels.iter().map(rule).collect()
}

/// Returns the values that were chosen, or the default values if none was.
pub(crate) fn or<'a, T>(chosen: &'a [T], default: &'a [T]) -> &'a [T] {
    if chosen.is_empty() { default } else { chosen }
}
