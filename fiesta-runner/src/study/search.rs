//! Random search: the arms' spaces, and the number of trials of each arm.

use super::{
    StudyError,
    environment::no_zero,
    error::Source,
    faults::Faults,
    file::{ArmTable, ParameterTable, StudyFile},
    keys::{Beside, misplaced},
    placeholder::Placeholder,
};
use fiesta_core::{ArmId, FailureLimits};
use fiesta_policies::random_search::{Parameter, Space, Value, is_name};

/// The policy of a random search, as outputs and ledgers name it.
pub(super) const POLICY: &str = "trials";
/// Name of the posterior and of the stopping rule of a random search, which has neither.
pub(super) const NONE: &str = "none";

/// Failures in a row that retire an arm of a random search. Failures depend on the setting there:
/// where 6 of 10 settings fail, one arm in 165 begins with ten failures.
pub(super) const FAILURE_LIMITS: FailureLimits = FailureLimits {
    at_first: 10,
    later: 20,
};

/// A random search, in which every arm gets the same number of trials, each with a setting drawn
/// from the arm's own space.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    trials: u64,
    spaces: Vec<Space>,
}

impl Search {
    /// Returns the number of trials of each arm.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The space of an arm's hyperparameters; empty if it has none. In words by its `Display`, for
    /// tables and checklists.
    ///
    /// # Panics
    /// If `arm` belongs to a larger study.
    pub fn space(&self, arm: ArmId) -> &Space {
        &self.spaces[arm.index()]
    }

    /// Returns the names of all arms' hyperparameters, sorted.
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

/// Reads the random search of a study file. `None` if the file asks for none.
pub(super) fn search(source: &Source<'_>, file: &StudyFile) -> Result<Option<Search>, StudyError> {
    let Some(trials) = file.goal.trials else {
        return match file.arm.iter().find(|arm| arm.search.is_some()) {
            None => Ok(None),
            Some(arm) => {
                let message = "[arm.search] is for a random search, which ends after so many trials of each arm: add trials = … under [goal]";
                Err(source.wrong(&["arm", &arm.place, "search"], message))
            }
        };
    };
    if trials == 0 {
        return Err(source.wrong(&["goal", "trials"], "trials must be at least 1"));
    }
    if let Some((path, message)) = conflict(source, file) {
        let key: Vec<&str> = path.split('.').collect();
        return Err(source.wrong(&key, message));
    }
    let spaces = file.arm.iter().map(|arm| space(source, arm));
    Ok(Some(Search {
        trials,
        spaces: Faults::all(spaces)?,
    }))
}

/// Returns a dotted key that a random search cannot have, and why. `None` if there is none.
fn conflict(source: &Source<'_>, file: &StudyFile) -> Option<(String, String)> {
    if let Some(key) = file.design.pool() {
        let message =
            format!("a random search trains on splits, not on {key}: leave {key} or trials out");
        return Some((format!("design.{key}"), message));
    }
    if let Some(policy) = &file.design.policy
        && ![POLICY, "auto"].contains(&policy.name())
    {
        let message = format!(
            "with trials every arm gets as many evaluations, and the policy {} would not give them: leave policy or trials out",
            policy.name()
        );
        return Some(("design.policy".to_owned(), message));
    }
    let path = misplaced(source, file, Beside::Trials)?;
    let (_, name) = path.split_once('.')?;
    let message = format!(
        "with trials a study is a random search, which stops when every arm has had its trials and not when enough is known: leave {name} or trials out"
    );
    Some((path, message))
}

fn space(source: &Source<'_>, arm: &ArmTable) -> Result<Space, StudyError> {
    let Some(table) = &arm.search else {
        return Ok(Space::default());
    };
    let key = ["arm", &arm.place, "search"];
    if table.is_empty() {
        let message = format!(
            "the search space of `{}` is empty: name its hyperparameters, or leave [arm.search] out if it has none",
            arm.name
        );
        return Err(source.wrong(&key, message));
    }
    let parameters = table.iter().map(|(name, table)| {
        let key = ["arm", &arm.place, "search", name];
        check_name(name).map_err(|message| source.wrong_name(&key, message))?;
        let parameter = parameter(name, table).map_err(|(at, message)| {
            let key: Vec<&str> = key.into_iter().chain(at.split_whitespace()).collect();
            source.wrong(&key, message)
        });
        Ok((name.clone(), parameter?))
    });
    let parameters: Vec<(String, Parameter)> = Faults::all(parameters)?;
    Space::new(parameters).map_err(|error| source.wrong(&key, error))
}

fn check_name(word: &str) -> Result<(), String> {
    if !is_name(word) {
        return Err(format!(
            "`{word}` is no name of a hyperparameter, which becomes {{{word}}} in commands and FIESTA_HP_{word} in the environment: use letters, digits and `_`, not a digit first, at most 64"
        ));
    }
    if Placeholder::ALL
        .iter()
        .any(|placeholder| placeholder.name() == word)
    {
        return Err(format!(
            "a hyperparameter cannot be called {word}: {{{word}}} stands for something else in commands"
        ));
    }
    Ok(())
}

/// Reads the values of a hyperparameter. The error has the key within its table, and what is wrong.
fn parameter(name: &str, table: &ParameterTable) -> Result<Parameter, (String, String)> {
    let ParameterTable {
        choice,
        integer,
        uniform,
        loguniform,
    } = table;
    let (kind, parameter) = match (choice, integer, uniform, loguniform) {
        (Some(values), None, None, None) => {
            let listed = (0..).zip(values).map(|(place, value)| {
                scalar(value)
                    .map_err(|message| (format!("choice {place}"), format!("{name}: {message}")))
            });
            (
                "choice",
                Parameter::choice(listed.collect::<Result<Vec<Value>, _>>()?),
            )
        }
        (None, Some([low, high]), None, None) => ("integer", Parameter::integer(*low, *high)),
        (None, None, Some([low, high]), None) => ("uniform", Parameter::uniform(*low, *high)),
        (None, None, None, Some([low, high])) => ("loguniform", Parameter::loguniform(*low, *high)),
        _ => {
            let message = format!(
                "{name} needs one kind of values: choice = […], integer = [low, high], uniform = [low, high] or loguniform = [low, high]"
            );
            return Err((String::new(), message));
        }
    };
    parameter.map_err(|error| (kind.to_owned(), format!("{name}: {error}")))
}

/// Reads one value of a choice.
fn scalar(value: &toml::Value) -> Result<Value, String> {
    match value {
        toml::Value::Boolean(value) => Ok((*value).into()),
        toml::Value::Integer(value) => Ok((*value).into()),
        toml::Value::Float(value) => Ok((*value).into()),
        toml::Value::String(text) => no_zero(text).map(|()| text.as_str().into()),
        other => Err(format!(
            "a choice is between numbers, texts, true and false, and this is of type {}",
            other.type_str()
        )),
    }
}
