//! Makers of posteriors, policies and stopping rules: a new one for each run.

use fiesta_core::{Observe, Policy, StoppingRule};
use fiesta_policies::{self as policies, Parameters, PolicyError, simulate::MakeRule};
use fiesta_posterior::{PAIRED, Paired, UnknownPosterior, by_name};

/// The posterior of this name over these arms; `paired:2000` is the posterior `paired` of 2,000 draws.
pub(crate) fn posterior(
    name: &str,
    arms: usize,
) -> Result<Box<dyn Observe<f64>>, UnknownPosterior> {
    let draws = name
        .strip_prefix(PAIRED)
        .and_then(|rest| rest.strip_prefix(':'));
    match draws.and_then(|draws| draws.parse().ok()) {
        Some(draws) => Ok(Box::new(Paired::new(arms).draws(draws))),
        None => by_name(name, arms),
    }
}

/// Makes the policy of this name. That it can be made is tried at once, and not in a run.
pub(crate) fn policy<'a>(
    name: &'a str,
    parameters: &'a Parameters,
) -> Result<impl Fn() -> Box<dyn Policy> + Sync + 'a, PolicyError> {
    policies::by_name(name, parameters)?;
    Ok(|| policies::by_name(name, parameters).expect("it was made before"))
}

/// Makes copies of a rule.
pub(crate) fn rule<O, R>(rule: R) -> MakeRule<'static, O>
where
    R: StoppingRule<O> + Clone + Sync + 'static,
{
    Box::new(move || Box::new(rule.clone()) as Box<dyn StoppingRule<O>>)
}
