//! Search space: named hyperparameters.

use super::{Parameter, Setting};
use fiesta_core::Streams;
use std::{collections::BTreeMap, fmt};

/// The longest name of a hyperparameter.
const LONGEST_NAME: usize = 64;

/// The hyperparameters of an arm, each with its own distribution, drawn independently of each
/// other.
///
/// A space may be empty: that of an arm which is trained several times and has nothing to tune.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Space {
    parameters: BTreeMap<String, Parameter>,
}

/// The reason why hyperparameters are refused as a space to search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The name of a hyperparameter cannot be that of an environment variable.
    #[error(
        "`{0}` is no name of a hyperparameter: use ASCII letters, digits and `_`, not a digit first, at most 64"
    )]
    Name(String),
    /// Two hyperparameters bear the same name.
    #[error("the hyperparameter `{0}` is there twice: names must be distinct")]
    Duplicate(String),
}

/// Whether a hyperparameter may have this name: ASCII letters, digits and `_`, not a digit first,
/// from 1 to 64 of them. It is then also the end of a variable's name in the environment, a
/// column's name and an identifier in most languages.
pub fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    starts && name.len() <= LONGEST_NAME && name.chars().all(inside)
}

impl Space {
    /// Returns a space of these hyperparameters.
    ///
    /// # Errors
    /// [`SpaceError`] if a name is not one ([`is_name`]) or is there twice.
    pub fn new<N: Into<String>>(
        parameters: impl IntoIterator<Item = (N, Parameter)>,
    ) -> Result<Self, SpaceError> {
        let mut space = Self::default();
        for (name, parameter) in parameters {
            let name = name.into();
            if !is_name(&name) {
                return Err(SpaceError::Name(name));
            }
            if space.parameters.contains_key(&name) {
                return Err(SpaceError::Duplicate(name));
            }
            space.parameters.insert(name, parameter);
        }
        Ok(space)
    }

    /// Returns the setting of the trial with this seed, such as
    /// [`Case::seed`](fiesta_core::Case::seed).
    ///
    /// Each value is a function of the seed and of the parameter's own name, through a stream of
    /// its own ([`Streams::parameter`]). A study's case seeds are below 2³¹: among 1,000 trials two
    /// have the same one, and so the same setting, with probability 0.0002.
    pub fn setting(&self, seed: u64) -> Setting {
        let streams = Streams::new(seed);
        let drawn = self.parameters.iter().map(|(name, parameter)| {
            let value = parameter.draw(&mut streams.parameter(name));
            (name.as_str(), value)
        });
        drawn.collect()
    }

    /// Returns the names with their parameters, in the order of the names.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, &Parameter)> {
        self.parameters
            .iter()
            .map(|(name, parameter)| (name.as_str(), parameter))
    }

    /// Returns whether there is a hyperparameter of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.parameters.contains_key(name)
    }

    /// Returns whether the space has no hyperparameter.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }
}

/// Writes the bounds in words: `dropout: uniform-float[0.0, 0.5]; layers: choice[1, 2, 3]`.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, parameter)) in self.parameters().enumerate() {
            let semicolon = if place > 0 { "; " } else { "" };
            write!(f, "{semicolon}{name}: {parameter}")?;
        }
        Ok(())
    }
}

/// Writes each parameter as study files write it: `{"lr": {"loguniform": [1e-6, 0.1]}}`.
#[cfg(feature = "serde")]
impl serde::Serialize for Space {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let of = |parameter: &Parameter| BTreeMap::from([(parameter.kind(), parameter.bounds())]);
        to.collect_map(self.parameters().map(|(name, p)| (name, of(p))))
    }
}
