//! What can be wrong with one row.

use crate::ScoreError;

/// Why one row is no record of an evaluation: what was found, and what to do about it.
///
/// `field` is `score`, `split`, `seed`, `cost` or `duration`; `found` is the text of the file, shortened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RowProblem {
    /// The row is longer or shorter than the header.
    #[error(
        "the row has {found} fields and the header {expected}: put fields that contain a separator in \
         quotes, and write numbers with a decimal point"
    )]
    Fields {
        /// How many fields the row has.
        found: usize,
        /// How many columns the header has.
        expected: usize,
    },
    /// A quoted field swallows the rest of the file.
    #[error(
        "a quote is opened and never closed, so that the rest of the file is one field: close it"
    )]
    UnclosedQuote,
    /// A quoted field spans lines and goes on after its closing quote: a quote is missing before.
    #[error(
        "a quoted field spans several lines, and text follows its closing quote: close the quote where its \
         field ends, and write a quote within it twice"
    )]
    StrayQuote,
    /// The arm is not named.
    #[error("the name of the arm is empty: name the arm")]
    EmptyArm,
    /// The arm's name spans lines, or holds what cannot be seen.
    #[error(
        "the name `{0}` contains a line break, a tab or another control character: remove it, or close \
         the quote before it"
    )]
    ControlCharacter(String),
    /// The arm's name in a JSON file is a number, a list or the like.
    #[error("the arm {0} is not text: put its name in double quotes")]
    ArmNotText(String),
    /// A field that every record needs is empty.
    #[error("the {field} is missing: fill it in, or remove the row")]
    Missing {
        /// Which field.
        field: &'static str,
    },
    /// A JSON object does not name its arm.
    #[error("there is no key `arm` (keys: {keys}): add the name of the arm")]
    NoArmKey {
        /// The keys that are there.
        keys: String,
    },
    /// A JSON object lacks the key of the score.
    #[error(
        "there is no key `{metric}` (keys: {keys}): add the score, or name its key with --metric"
    )]
    NoMetricKey {
        /// The key that was sought.
        metric: String,
        /// The keys that are there.
        keys: String,
    },
    /// A JSON object has the same key twice.
    #[error("the key `{0}` occurs twice: keep one of the two")]
    DuplicateKey(String),
    /// A number was expected.
    #[error("the {field} `{found}` is not a number: write digits, with a decimal point if need be")]
    NotANumber {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// A number with a comma for a point.
    #[error("the {field} `{found}` is not a number: use a decimal point")]
    DecimalComma {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// A number written as text in a JSON file.
    #[error(
        "the {field} {found} is text, not a number: write it without quotes, with a decimal point"
    )]
    QuotedNumber {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// NaN, an infinity, or a number too large for 64-bit floating point.
    #[error(
        "the {field} `{found}` is not finite: correct it, or remove the row of an evaluation that failed"
    )]
    NotFinite {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// A split or a seed that is no natural number.
    #[error(
        "the {field} `{found}` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …"
    )]
    NotWhole {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// The score is impossible for the metric.
    #[error("{0}: correct the row or the bounds")]
    OutOfBounds(ScoreError),
    /// A cost or a duration below zero.
    #[error("the {field} `{found}` is negative: give what was spent, as a number from 0 upwards")]
    Negative {
        /// Which field.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// A record tells its score and, once more, the quantity that the score is.
    #[error("the score is the {field}, and yet the record gives a {field} apart: leave it out")]
    ScoreTwice {
        /// Which field.
        field: &'static str,
    },
    /// The same evaluation is in the file twice.
    #[error(
        "the evaluation of `{arm}` on split {split} with seed {seed} is on line {first} already: \
         keep one of the two"
    )]
    Duplicate {
        /// The arm's name.
        arm: String,
        /// The number of the split.
        split: u64,
        /// The seed.
        seed: u64,
        /// The line of the other record.
        first: u64,
    },
    /// A cell of a file with one column per arm.
    #[error("in the column `{column}`, {problem}{}", column_advice(problem))]
    Cell {
        /// The name of the column.
        column: String,
        /// What is wrong with the cell.
        problem: Box<RowProblem>,
    },
    /// Text that is no JSON.
    #[error("this is not JSON at {at}: {reason}")]
    Json {
        /// From where it cannot be understood.
        at: String,
        /// What the parser says.
        reason: String,
    },
    /// JSON that is no record.
    #[error(
        "`{found}` is not a record: write an object such as {{\"arm\": \"lstm\", \"score\": 0.71}}"
    )]
    NotAnObject {
        /// What is there.
        found: String,
    },
    /// An arm's scores in a JSON object are no list.
    #[error(
        "the value of `{arm}`, {found}, is not a list of scores: write {{\"arm\": [0.71, 0.69]}}; a file \
         with one record per line should end in .jsonl"
    )]
    NotAList {
        /// The arm's name.
        arm: String,
        /// What is there.
        found: String,
    },
    /// An arm is named, but has no score.
    #[error("the arm `{0}` has no score: add its scores, or remove the arm")]
    NoScore(String),
}

/// Whoever forgot the column of arms gets to know how the file was understood.
fn column_advice(problem: &RowProblem) -> &'static str {
    match problem {
        RowProblem::NotANumber { .. } => {
            " (in a file without a column `arm`, every column is an arm)"
        }
        _ => "",
    }
}

/// Text from a file, fit for a message: on one line, and not too long.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_fit_one_line() {
        assert_eq!(excerpt("0,71"), "0,71");
        assert_eq!(excerpt("a\nb\u{0}é"), "a\\nb\\u{0}é");
        assert_eq!(excerpt(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(excerpt(&"x".repeat(41)), "x".repeat(40) + "…");
    }
}
