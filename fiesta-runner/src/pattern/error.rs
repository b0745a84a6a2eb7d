//! The errors of patterns.

use super::quoted;

/// The reason why a text is no pattern for a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is no regular expression: what is wrong, with a mark below the place.
    #[error("pattern is no regular expression that can be used here:\n{0}")]
    Syntax(String),
    /// The pattern has no group that says which part of a line is the score. Holds the pattern with
    /// one, as it was perhaps meant.
    #[error(
        "pattern does not say which part of the line is the score: put parentheses around it, such as {}",
        quoted(.0.as_deref().unwrap_or("accuracy: ([0-9.]+)"))
    )]
    NoGroup(Option<String>),
    /// The pattern has this number of groups, none of which is called `score`.
    #[error(
        "pattern has {0} capture groups, and one of them must be the score: call that one (?<score>…), or write (?:…) for the others"
    )]
    Groups(usize),
    /// The pattern would match over the end of a line.
    #[error(
        "pattern has an end of line in it, and is matched with one line at a time: let it match the line with the score alone"
    )]
    SeveralLines,
}
