//! Makers of policies and stopping rules: a new one for each run.

use fiesta_core::{Policy, StoppingRule};
use fiesta_policies::{self as policies, Parameters, PolicyError, simulate::MakeRule};

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
