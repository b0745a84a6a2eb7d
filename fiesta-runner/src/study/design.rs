//! How evaluations are chosen: the policy and its parameters, and how many jobs run at once.

use super::{
    StudyError,
    error::Source,
    file::{DesignTable, named},
};
use fiesta_policies::{Parameters, PolicyError, TieBreakName, by_name, parameters_of, resolve};
use toml::Spanned;

/// The policy that a study file asks for, by its own name.
pub(super) fn policy(
    source: &Source<'_>,
    design: &DesignTable,
    stopping: &str,
    parameters: &Parameters,
) -> Result<String, StudyError> {
    let (name, span) = named(design.policy.as_ref(), "auto");
    let policy = resolve(&name, stopping).to_owned();
    by_name(&policy, parameters).map_err(|error| {
        let span = match error {
            PolicyError::Beta(_) | PolicyError::BetaWithoutCoin => {
                design.beta.as_ref().map(Spanned::span)
            }
            _ => span,
        };
        source.wrong(span, error)
    })?;
    Ok(policy)
}

pub(super) fn parameters(
    source: &Source<'_>,
    design: &DesignTable,
    arms: usize,
    budget: Option<u64>,
) -> Result<Parameters, StudyError> {
    let batch = design.batch.as_ref();
    if let Some(batch) = batch
        && *batch.get_ref() == 0
    {
        return Err(source.wrong(Some(batch.span()), "batch must be at least 1"));
    }
    // Not what runs at once: `parallel` may change between two sessions, and decisions must not.
    if batch.is_none()
        && let Some(policy) = &design.policy
        && policy.get_ref() == "bts"
    {
        let message = "the policy bts needs batch = …, how many evaluations it chooses at once; as many as run at once, for example";
        return Err(source.wrong(Some(policy.span()), message));
    }
    let policy = named(design.policy.as_ref(), "auto").0;
    let given = [
        ("batch", batch.map(Spanned::span)),
        ("beta", design.beta.as_ref().map(Spanned::span)),
        ("extended", design.extended.as_ref().map(Spanned::span)),
        ("tie-break", design.tie_break.as_ref().map(Spanned::span)),
    ];
    for (name, span) in given {
        if span.is_some() && !parameters_of(&policy).contains(&name) {
            let key = name.replace('-', "_");
            let message = format!("the policy {policy} takes no `{key}`");
            return Err(source.wrong(span, message));
        }
    }
    let tie_break = design.tie_break.as_ref().map(|name| {
        let parsed = name.get_ref().parse::<TieBreakName>();
        parsed.map_err(|error| source.wrong(Some(name.span()), error))
    });
    Ok(Parameters {
        arms,
        budget,
        batch: batch.map_or(1, |batch| *batch.get_ref()),
        extended: design
            .extended
            .as_ref()
            .is_some_and(|extended| *extended.get_ref()),
        beta: design.beta.as_ref().map(|beta| *beta.get_ref()),
        tie_break: tie_break.transpose()?,
    })
}

pub(super) fn parallel(source: &Source<'_>, design: &DesignTable) -> Result<usize, StudyError> {
    match &design.parallel {
        None => Ok(1),
        Some(parallel) if *parallel.get_ref() == 0 => {
            Err(source.wrong(Some(parallel.span()), "parallel must be at least 1"))
        }
        Some(parallel) => Ok(*parallel.get_ref()),
    }
}
