//! Tables `env` of a study file: variables that an arm's jobs or a worker get beside those that
//! they inherit.

use super::{StudyError, error::Source};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Variables by their names.
pub(super) type Environment = BTreeMap<String, Variable>;

/// Source of the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "the value of a variable is a text, or { from = \"NAME\" } for the one that NAME has where the study is run"
)]
pub(super) enum Variable {
    /// The study file gives the value.
    Text(String),
    /// The value comes from the environment of the user who runs the study. No file has it.
    Caller(Caller),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Caller {
    /// The name that the variable has in the environment of whoever runs the study.
    from: String,
}

/// Checks the variables of several tables, each with its key, and joins them. A later table takes
/// precedence.
pub(super) fn environment<'a>(
    source: &Source<'_>,
    tables: impl IntoIterator<Item = (Vec<&'a str>, &'a Environment)>,
) -> Result<Environment, StudyError> {
    let mut environment = Environment::new();
    for (table, variables) in tables {
        for (name, variable) in variables {
            let key: Vec<&str> = table.iter().copied().chain([name.as_str()]).collect();
            check_name(name).map_err(|message| source.wrong_name(&key, message))?;
            let checked = match variable {
                Variable::Text(text) => no_zero(text),
                Variable::Caller(Caller { from }) => check_name(from),
            };
            checked
                .map_err(|message| source.wrong(&key, format!("the variable {name}: {message}")))?;
            environment.insert(name.clone(), variable.clone());
        }
    }
    Ok(environment)
}

/// Checks the name of an environment variable.
fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("the name of a variable is empty: give it one, such as TOKEN".to_owned());
    }
    if name.contains('=') {
        let (before, _) = name.split_once('=').unwrap_or((name, ""));
        return Err(format!(
            "`{name}` is no name of a variable, as it has a `=`: write {before} = \"…\""
        ));
    }
    no_zero(name)
}

/// Checks that a text can be part of a command or its environment.
pub(super) fn no_zero(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!(
            "{text:?} has a zero byte, which no program can be given: remove it"
        ));
    }
    Ok(())
}

/// Returns the variables whose values are in the study file.
pub(super) fn texts(environment: &Environment) -> impl Iterator<Item = (String, String)> {
    let of_file = |(key, variable): (&String, &Variable)| match variable {
        Variable::Text(text) => Some((key.clone(), text.clone())),
        Variable::Caller(_) => None,
    };
    environment.iter().filter_map(of_file)
}

/// Returns the variables whose values come from whoever runs the study, with the names that they
/// have there.
pub(super) fn of_caller(environment: &Environment) -> Vec<(String, String)> {
    let of_caller = |(key, variable): (&String, &Variable)| match variable {
        Variable::Text(_) => None,
        Variable::Caller(Caller { from }) => Some((key.clone(), from.clone())),
    };
    environment.iter().filter_map(of_caller).collect()
}
