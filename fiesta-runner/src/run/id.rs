//! The names of runs.

use std::fmt;
use std::str::FromStr;

/// The name of a run: `<study>-<evaluation>-a<attempt>`.
///
/// ```
/// use fiesta_runner::run::RunId;
/// let id = RunId::new("restaurants", 17, 1)?;
/// assert_eq!(id.to_string(), "restaurants-17-a1");
/// assert!(RunId::new("../elsewhere", 17, 1).is_err());
/// # Ok::<(), fiesta_runner::run::BadRunId>(())
/// ```
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

/// A name that cannot be the name of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` cannot name a run: use 1 to 200 letters, digits, `.`, `_` and `-`, and no `.` or `-` at the start"
)]
pub struct BadRunId(String);

impl RunId {
    /// Makes the name of an attempt at an evaluation of a study.
    ///
    /// # Errors
    /// [`BadRunId`] if the study's name has characters that a file name or a job's name in an
    /// engine should not have, or is too long for one.
    pub fn new(study: &str, evaluation: u64, attempt: u32) -> Result<Self, BadRunId> {
        format!("{study}-{evaluation}-a{attempt}").parse()
    }

    /// Returns the name of the run.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = BadRunId;

    fn from_str(name: &str) -> Result<Self, BadRunId> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if (1..=200).contains(&name.len())
            && name.chars().all(fits)
            && !name.starts_with(['.', '-'])
        {
            Ok(Self(name.to_owned()))
        } else {
            Err(BadRunId(name.to_owned()))
        }
    }
}

impl TryFrom<String> for RunId {
    type Error = BadRunId;

    fn try_from(name: String) -> Result<Self, BadRunId> {
        name.parse()
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_file_or_engine_should_have_are_refused() {
        let long = "x".repeat(201);
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "-flag",
            "a b",
            "caf\u{e9}",
            "a\n",
            &long,
        ] {
            assert!(name.parse::<RunId>().is_err(), "{name}");
        }
        assert!(serde_json::from_str::<RunId>("\"a/b\"").is_err());
        let id: RunId = serde_json::from_str("\"my.study_2-3-a1\"").unwrap();
        assert_eq!(id.as_str(), "my.study_2-3-a1");
    }
}
