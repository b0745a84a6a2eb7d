//! Variables of the environment of whoever runs a study, whose values its jobs get and which are
//! written down nowhere: a file has only their names. Supervisors and hosts of workers inherit the
//! values from the controller that starts them.

use std::env;
use std::ffi::OsString;

/// A variable of a job that has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "its variable {key} is to have the value of {name}, which is {}: set {name} where fiesta is started, or give {key} a value of its own in the study file",
    if *.is_set { "empty there" } else { "not set" }
)]
pub(crate) struct NoValue {
    /// The job's variable.
    key: String,
    /// The caller's.
    name: String,
    is_set: bool,
}

/// The values of a job's variables, each of which has a name of its own and one in the caller's
/// environment. An empty value is refused: a secret that somebody forgot to set is often empty.
pub(crate) fn values(variables: &[(String, String)]) -> Result<Vec<(&str, OsString)>, NoValue> {
    let of_caller = |(key, name): &'_ (String, String)| {
        let value = env::var_os(name);
        let is_set = value.is_some();
        let (key, name) = (key.clone(), name.clone());
        let value = value.filter(|value| !value.is_empty());
        value.ok_or(NoValue { key, name, is_set })
    };
    let pair = |variable| of_caller(variable).map(|value| (variable.0.as_str(), value));
    variables.iter().map(pair).collect()
}
