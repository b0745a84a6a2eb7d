//! Random search: the arms' spaces, and how many trials each arm gets.

use super::{
    StudyError,
    command::placeholders,
    environment::no_zero,
    error::Source,
    file::{ArmTable, DesignTable, GoalTable, ParameterTable, StudyFile},
};
use fiesta_core::{ArmId, FailureLimits};
use fiesta_policies::random_search::{Parameter, ParameterError, Space, Value, is_name};
use std::ops::Range;
use toml::Spanned;

/// The policy of a random search, as outputs and ledgers name it.
pub(super) const POLICY: &str = "trials";
/// What a random search has for a posterior and for a stopping rule.
pub(super) const NONE: &str = "none";

/// When an arm of a random search is given up. Failures depend on the setting there, so that some in a row say little of the
/// arm: where 6 of 10 settings fail, one arm in 165 begins with ten.
pub(super) const FAILURE_LIMITS: FailureLimits = FailureLimits {
    at_first: 10,
    later: 20,
};

/// A random search: every arm gets the same number of trials, each with a setting drawn from the arm's own space.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    trials: u64,
    spaces: Vec<Space>,
}

impl Search {
    /// How many trials each arm gets.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The space of an arm's hyperparameters; empty if it has none. In words by its `Display`, for tables and checklists.
    ///
    /// # Panics
    /// If `arm` belongs to a larger study.
    pub fn space(&self, arm: ArmId) -> &Space {
        &self.spaces[arm.index()]
    }

    /// Every hyperparameter's name, of whichever arm, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .spaces
            .iter()
            .flat_map(|space| space.parameters().map(|(name, _)| name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The random search that a study file asks for, if it does.
pub(super) fn search(source: &Source<'_>, file: &StudyFile) -> Result<Option<Search>, StudyError> {
    let Some(trials) = &file.goal.trials else {
        let table = file.arm.iter().find_map(|arm| arm.search.as_ref());
        return match table {
            None => Ok(None),
            Some(table) => {
                let message = "[arm.search] is for a random search, which ends after so many trials of each arm: add trials = … under [goal]";
                Err(source.wrong(Some(table.span()), message))
            }
        };
    };
    if *trials.get_ref() == 0 {
        let message = "trials must be at least 1";
        return Err(source.wrong(Some(trials.span()), message));
    }
    if let Some((span, message)) = conflict(&file.goal, &file.design) {
        return Err(source.wrong(Some(span), message));
    }
    let spaces = file.arm.iter().map(|arm| space(source, arm));
    Ok(Some(Search {
        trials: *trials.get_ref(),
        spaces: spaces.collect::<Result<_, _>>()?,
    }))
}

/// What a random search has no use for.
fn conflict(goal: &GoalTable, design: &DesignTable) -> Option<(Range<usize>, String)> {
    if let Some(documents) = &design.documents {
        let message =
            "a random search trains on splits, not on documents: leave documents or trials out";
        return Some((documents.span(), message.to_owned()));
    }
    if let Some(policy) = &design.policy
        && ![POLICY, "auto"].contains(&policy.get_ref().as_str())
    {
        let message = format!(
            "with trials every arm gets as many evaluations, and the policy {} would not give them: leave policy or trials out",
            policy.get_ref()
        );
        return Some((policy.span(), message));
    }
    let of_goal = [
        ("confidence", goal.confidence.as_ref().map(Spanned::span)),
        ("tolerance", goal.tolerance.as_ref().map(Spanned::span)),
        (
            "min_documents",
            goal.min_documents.as_ref().map(Spanned::span),
        ),
    ];
    let of_design = [
        ("posterior", design.posterior.as_ref().map(Spanned::span)),
        ("alpha", design.alpha.as_ref().map(Spanned::span)),
        ("stopping", design.stopping.as_ref().map(Spanned::span)),
        ("batch", design.batch.as_ref().map(Spanned::span)),
        ("beta", design.beta.as_ref().map(Spanned::span)),
        ("tie_break", design.tie_break.as_ref().map(Spanned::span)),
        ("extended", design.extended.as_ref().map(Spanned::span)),
    ];
    let (key, span) = of_goal
        .into_iter()
        .chain(of_design)
        .find_map(|(key, span)| Some((key, span?)))?;
    let message = format!(
        "with trials a study is a random search, which stops when every arm has had its trials and not when enough is known: leave {key} or trials out"
    );
    Some((span, message))
}

fn space(source: &Source<'_>, arm: &ArmTable) -> Result<Space, StudyError> {
    let Some(table) = &arm.search else {
        return Ok(Space::default());
    };
    if table.get_ref().is_empty() {
        let message = format!(
            "the search space of `{}` is empty: name its hyperparameters, or leave [arm.search] out if it has none",
            arm.name.get_ref()
        );
        return Err(source.wrong(Some(table.span()), message));
    }
    let parameters = table.get_ref().iter().map(|(name, table)| {
        check_name(source, name)?;
        Ok((
            name.get_ref().clone(),
            parameter(source, name.get_ref(), table)?,
        ))
    });
    let parameters: Vec<(String, Parameter)> = parameters.collect::<Result<_, _>>()?;
    Space::new(parameters).map_err(|error| source.wrong(Some(table.span()), error))
}

fn check_name(source: &Source<'_>, name: &Spanned<String>) -> Result<(), StudyError> {
    let word = name.get_ref().as_str();
    let span = Some(name.span());
    if !is_name(word) {
        let message = format!(
            "`{word}` is no name of a hyperparameter, which becomes {{{word}}} in commands and FIESTA_HP_{word} in the environment: use letters, digits and `_`, not a digit first, at most 64"
        );
        return Err(source.wrong(span, message));
    }
    if placeholders(true).contains(&word) || placeholders(false).contains(&word) {
        let message = format!(
            "a hyperparameter cannot be called {word}: {{{word}}} stands for something else in commands"
        );
        return Err(source.wrong(span, message));
    }
    Ok(())
}

fn parameter(
    source: &Source<'_>,
    name: &str,
    table: &Spanned<ParameterTable>,
) -> Result<Parameter, StudyError> {
    let wrong = |span, error: ParameterError| source.wrong(Some(span), format!("{name}: {error}"));
    match table.get_ref() {
        ParameterTable {
            choice: Some(values),
            integer: None,
            uniform: None,
            loguniform: None,
        } => {
            let listed = values
                .get_ref()
                .iter()
                .map(|value| scalar(source, name, value));
            let listed: Vec<Value> = listed.collect::<Result<_, _>>()?;
            Parameter::choice(listed).map_err(|error| wrong(values.span(), error))
        }
        ParameterTable {
            choice: None,
            integer: Some(bounds),
            uniform: None,
            loguniform: None,
        } => {
            let &[low, high] = bounds.get_ref();
            Parameter::integer(low, high).map_err(|error| wrong(bounds.span(), error))
        }
        ParameterTable {
            choice: None,
            integer: None,
            uniform: Some(bounds),
            loguniform: None,
        } => {
            let &[low, high] = bounds.get_ref();
            Parameter::uniform(low, high).map_err(|error| wrong(bounds.span(), error))
        }
        ParameterTable {
            choice: None,
            integer: None,
            uniform: None,
            loguniform: Some(bounds),
        } => {
            let &[low, high] = bounds.get_ref();
            Parameter::loguniform(low, high).map_err(|error| wrong(bounds.span(), error))
        }
        _ => {
            let message = format!(
                "{name} needs one kind of values: choice = […], integer = [low, high], uniform = [low, high] or loguniform = [low, high]"
            );
            Err(source.wrong(Some(table.span()), message))
        }
    }
}

/// One of the values of a choice.
fn scalar(
    source: &Source<'_>,
    name: &str,
    value: &Spanned<toml::Value>,
) -> Result<Value, StudyError> {
    match value.get_ref() {
        toml::Value::Boolean(value) => Ok((*value).into()),
        toml::Value::Integer(value) => Ok((*value).into()),
        toml::Value::Float(value) => Ok((*value).into()),
        toml::Value::String(text) => {
            no_zero(text).map_err(|message| {
                source.wrong(Some(value.span()), format!("{name}: {message}"))
            })?;
            Ok(text.as_str().into())
        }
        other => {
            let message = format!(
                "{name}: a choice is between numbers, texts, true and false, and this is of type {}",
                other.type_str()
            );
            Err(source.wrong(Some(value.span()), message))
        }
    }
}
