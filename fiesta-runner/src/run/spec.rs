//! The specification of a run, and the variables that its command inherits from whoever runs the
//! study.

use super::{JobVariable, RunId, seconds};
use crate::study::{Study, request::RequestKey};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// Specification of a run: what to run, where, and for how long.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunSpec {
    /// The name of the run.
    pub id: RunId,
    /// The run's own directory, absolute; it is created if need be. Never one that another run had.
    pub directory: PathBuf,
    /// The program and its arguments; no shell is involved.
    pub command: Vec<String>,
    /// Variables added to the environment that the command inherits.
    pub environment: Vec<(String, String)>,
    /// Variables whose values the command gets from the environment of whoever runs the study, each
    /// with the name that it has there. The values are written down nowhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_caller: Vec<(String, String)>,
    /// The directory in which the command starts.
    pub working_directory: PathBuf,
    /// Digest of the study file's description of the evaluation. It contains no path, so it stays
    /// the same when a study is moved. `None` in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<String>,
    /// Number of whole GPUs that the command needs, if an engine gives them to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u64>,
    /// Whether the record of the run's end contains the result and the last lines, for other
    /// machines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub carries_output: bool,
    /// The pattern that finds the score, if the record of the run's end contains the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// How long the command may take.
    #[serde(with = "seconds::optional", default)]
    pub wall_limit: Option<Duration>,
    /// Longest time for which the command may print nothing.
    #[serde(with = "seconds::optional", default)]
    pub silence: Option<Duration>,
    /// Time between the polite signal to a command that is to stop and the signal that kills it.
    #[serde(with = "seconds")]
    pub grace: Duration,
    /// The request to a long-lived worker, if one makes the evaluation. It is sent with the run's
    /// name as `id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<serde_json::Map<String, serde_json::Value>>,
    /// The item of the request as JSON with all digits that it has in its file, if `request` has
    /// lost some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
}

impl RunSpec {
    /// Returns the request to a worker or a function as a line of JSON that begins with the keys
    /// `first`. `None` if the run has no request.
    pub fn asked(&self, first: &[(&str, &str)]) -> Option<String> {
        let request = self.request.as_ref()?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let first = first.iter();
        let first = first.map(|(key, text)| format!("{}:{}", quoted(key), quoted(text)));
        let others = request.iter().map(|(key, value)| match &self.item {
            Some(item) if key == RequestKey::Item.name() => format!("{}:{item}", quoted(key)),
            _ => format!("{}:{value}", quoted(key)),
        });
        let keys: Vec<String> = first.chain(others).collect();
        Some(format!("{{{}}}", keys.join(",")))
    }

    /// Adds the variable `FIESTA_CHECKPOINT`, in which the run's command finds this directory; not
    /// for a worker's case, which has no variables.
    pub(crate) fn saving_in(mut self, directory: &Path, study: &Study) -> Self {
        if study.worker().is_none() {
            let name = JobVariable::Checkpoint.name().to_owned();
            let directory = directory.to_string_lossy().into_owned();
            self.environment.push((name, directory));
        }
        self
    }

    /// Returns the value of an added environment variable. If it is given several times, the last
    /// counts.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let mut variables = self.environment.iter().rev();
        let (_, value) = variables.find(|(key, _)| key == name)?;
        Some(value)
    }
}

/// The error that a job's variable has no value in the environment of the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "its variable {key} is to have the value of {name}, which is {}: set {name} where fiesta is started, or give {key} a value of its own in the study file",
    if *.is_set { "empty there" } else { "not set" }
)]
pub(crate) struct NoValue {
    /// The name of the job's variable.
    key: String,
    /// The name of the variable of the caller.
    name: String,
    is_set: bool,
}

/// Reads the values of a job's variables from the caller's environment, under the second name of
/// each pair. Empty values are refused: they are often secrets that somebody forgot to set.
pub(crate) fn inherited(variables: &[(String, String)]) -> Result<Vec<(&str, OsString)>, NoValue> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_comes_back_from_its_file() {
        let mut spec = RunSpec {
            id: RunId::new("study", 1, 2).unwrap(),
            directory: PathBuf::from("/runs/study-1-a2"),
            command: vec!["true".to_owned()],
            environment: vec![("A".to_owned(), "b".to_owned())],
            of_caller: vec![("TOKEN".to_owned(), "NAME".to_owned())],
            working_directory: PathBuf::from("/"),
            evaluation: None,
            gpus: None,
            carries_output: false,
            pattern: None,
            wall_limit: Some(Duration::from_millis(1500)),
            silence: None,
            grace: Duration::MAX,
            request: None,
            item: None,
        };
        let text = serde_json::to_string(&spec).unwrap();
        assert!(text.contains("\"wall_limit\":1.5"), "{text}");
        assert_eq!(serde_json::from_str::<RunSpec>(&text).unwrap(), spec);
        spec.wall_limit = None;
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<RunSpec>(&text).unwrap(), spec);
        let negative = text.replace("\"wall_limit\":null", "\"wall_limit\":-1");
        assert!(serde_json::from_str::<RunSpec>(&negative).is_err());
    }
}
