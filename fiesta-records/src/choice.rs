//! Choice of a flag and a value of it, where results can be read in several ways.

use std::fmt;

/// Way in which results can be read, among several: a flag of the command line, or the option of
/// that name, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The flag, without dashes.
    pub flag: &'static str,
    /// The value of the flag.
    pub value: String,
    /// Words for the reading that follows from the choice, such as "methods are the rows". Empty where the
    /// flag says enough.
    pub says: &'static str,
}

impl Choice {
    /// Ways to count an evaluation that failed or has no score: the worst score, or nothing.
    pub const FAILED: [&'static str; 2] = ["worst", "drop"];

    /// Returns one choice of this flag for each of these values.
    pub fn among<V: Into<String>>(
        flag: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Vec<Self> {
        let choice = |value: V| Self {
            flag,
            value: value.into(),
            says: "",
        };
        values.into_iter().map(choice).collect()
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{} {}", self.flag, self.value)
    }
}
