//! The policy of a study and its parameters, and how many jobs run at once.

use super::{
    StudyError,
    error::Source,
    file::{DesignTable, StudyFile},
    goal::CHEAPEST,
    own::Method,
};
use crate::policy::in_words;
use fiesta_policies::{
    Parameters, PolicyError, TieBreakName, parameters_of, policy_by_name, resolve,
};

/// Name of the policy that a study has if its file names none.
const AUTO: &str = "auto";

/// Returns the name of the policy that a study file asks for, with `auto` replaced by its choice.
pub(super) fn policy(
    source: &Source<'_>,
    file: &StudyFile,
    (stopping, posterior): (&str, &str),
    parameters: &Parameters,
) -> Result<String, StudyError> {
    let policy = match &file.design.policy {
        // Its program makes it.
        Some(Method::Own(own)) => return Ok(own.own.clone()),
        Some(Method::Command(table)) => return Ok(in_words(&table.command)),
        Some(Method::Name(name)) => name,
        None => AUTO,
    };
    if file.goal.cheapest_within.is_some() && [AUTO, CHEAPEST].contains(&policy) {
        return Ok(CHEAPEST.to_owned());
    }
    let policy = resolve(policy, stopping, posterior).to_owned();
    policy_by_name(&policy, parameters).map_err(|error| {
        let key = match error {
            PolicyError::Beta(_) | PolicyError::BetaWithoutCoin => "beta",
            _ => "policy",
        };
        source.wrong(&["design", key], error)
    })?;
    Ok(policy)
}

pub(super) fn parameters(
    source: &Source<'_>,
    design: &DesignTable,
    arms: usize,
    budget: Option<u64>,
) -> Result<Parameters, StudyError> {
    let wrong = |key: &str, message: &str| Err(source.wrong(&["design", key], message));
    if design.batch == Some(0) {
        return wrong("batch", "batch must be at least 1");
    }
    let policy = design.policy.as_ref().map_or(AUTO, Method::name);
    // Not what runs at once: `parallel` may change between two sessions, and decisions must not.
    if design.batch.is_none() && policy == "bts" {
        let message = "the policy bts needs batch = …, how many evaluations it chooses at once; as many as run at once, for example";
        return wrong("policy", message);
    }
    for key in ["batch", "beta", "extended", "tie_break"] {
        let is_taken = parameters_of(policy).contains(&key.replace('_', "-").as_str());
        if !is_taken && source.has(&format!("design.{key}")) {
            return wrong(key, &format!("the policy {policy} takes no `{key}`"));
        }
    }
    let tie_break = design.tie_break.as_ref().map(|name| {
        let parsed = name.parse::<TieBreakName>();
        parsed.map_err(|error| source.wrong(&["design", "tie_break"], error))
    });
    Ok(Parameters {
        arms,
        budget,
        batch: design.batch.unwrap_or(1),
        extended: design.extended.unwrap_or(false),
        beta: design.beta,
        tie_break: tie_break.transpose()?,
        baseline: None,
    })
}

pub(super) fn parallel(source: &Source<'_>, design: &DesignTable) -> Result<usize, StudyError> {
    match design.parallel {
        Some(0) => Err(source.wrong(&["design", "parallel"], "parallel must be at least 1")),
        parallel => Ok(parallel.unwrap_or(1)),
    }
}
