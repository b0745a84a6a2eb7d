//! Why there is no score.

use fiesta_core::{Counts, ScoreError};
use std::io;
use std::path::PathBuf;

/// Why there is no score. Every message shows the line in question and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoScore {
    /// A file of the run cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no result at all.
    #[error(
        "no result: print a line like {example} to stdout, or write it to the file named by $FIESTA_RESULT{hint}\nstdout ends with:\n{stdout}\nstderr ends with:\n{stderr}"
    )]
    Missing {
        /// What a result looks like.
        example: String,
        /// What else can be said; empty, or a line that begins with a line break.
        hint: String,
        /// The end of stdout.
        stdout: String,
        /// The end of stderr.
        stderr: String,
    },
    /// The command says itself that it failed.
    #[error("{message}")]
    Reported {
        /// What it says.
        message: String,
        /// What the evaluation cost all the same, if it says so.
        cost: Option<f64>,
    },
    /// The result is longer than any result should be.
    #[error(
        "{place} has no line break within its last {limit} bytes, too long for a result: print the result on a line of its own"
    )]
    TooLong {
        /// Where.
        place: String,
        /// How much is read.
        limit: usize,
    },
    /// The result is not JSON.
    #[error("{place} has a result that is not JSON: {problem}: {line}")]
    NotJson {
        /// Where.
        place: String,
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The result is JSON, but no object.
    #[error("{place} has a result that is not a JSON object such as {{\"accuracy\": 0.5}}: {line}")]
    NotAnObject {
        /// Where.
        place: String,
        /// The line, shortened.
        line: String,
    },
    /// The result has no such key.
    #[error("{place} has a result without the key \"{metric}\"{hint}: {line}")]
    WithoutKey {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// Which key was meant, perhaps.
        hint: String,
        /// The line, shortened.
        line: String,
    },
    /// The score is written as text.
    #[error(
        "{place} has \"{metric}\" as the text \"{text}\": write it as a number, without quotes: {line}"
    )]
    Text {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// The text.
        text: String,
        /// The line, shortened.
        line: String,
    },
    /// The score has a comma where JSON has a point.
    #[error(
        "{place} has \"{metric}\" with a decimal comma, {text}: write it with a point (a locale may be the cause; try LC_NUMERIC=C): {line}"
    )]
    DecimalComma {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// The number.
        text: String,
        /// The line, shortened.
        line: String,
    },
    /// The score is NaN or infinite.
    #[error(
        "{place} has \"{metric}\" = {text}, which is not a finite number; the training may have diverged: {line}"
    )]
    NotFinite {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// The token.
        text: String,
        /// The line, shortened.
        line: String,
    },
    /// The score is a number that no float can hold.
    #[error("{place} has \"{metric}\" = {text}, which is too large for a number: {line}")]
    TooLarge {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// The token.
        text: String,
        /// The line, shortened.
        line: String,
    },
    /// The score is no number at all.
    #[error("{place} has \"{metric}\" as {found}: write it as one number: {line}")]
    NotANumber {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// What it is.
        found: &'static str,
        /// The line, shortened.
        line: String,
    },
    /// The number is no count.
    #[error(
        "{place} has \"{key}\" = {number}, which is no count: write a whole number from 0 to {largest}: {line}",
        largest = Counts::LARGEST
    )]
    NotACount {
        /// Where.
        place: String,
        /// The key, behind that of its class if it has one.
        key: String,
        /// The number.
        number: String,
        /// The line, shortened.
        line: String,
    },
    /// The score is not one that the metric can have.
    #[error("{place}: {source}: {line}")]
    Refused {
        /// Where.
        place: String,
        /// The line, shortened.
        line: String,
        /// Why.
        source: ScoreError,
    },
}
