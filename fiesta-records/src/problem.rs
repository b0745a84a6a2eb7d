//! Problems of single rows of a file.

use crate::words::excerpt;
use fiesta_core::ScoreError;
use std::borrow::Cow;

/// Why one row is no record of an evaluation: what was found, and what to do about it.
///
/// `field` is `score`, `item`, `split`, `seed`, `cost` or `duration`, of counts also `document`,
/// `class`, `tp`, `fp`, `tn` or `fn`; `found` is the text of the file, shortened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RowProblem {
    /// An element of a JSON document is wrong, and its line says nothing, as there is only one.
    #[error("{place}: {problem}")]
    Element {
        /// Element of the document, in words, with its number from 1.
        place: String,
        /// The fault of the element.
        problem: Box<RowProblem>,
    },
    /// Any other fault of a row, and what to do about it.
    #[error("{0}")]
    Refused(Cow<'static, str>),
    /// The arm is not named.
    #[error("the name of the arm is empty: name the arm")]
    EmptyArm,
    /// The arm's name in a JSON file is a number, a list or the like.
    #[error("the arm {0} is not text: put its name in double quotes")]
    ArmNotText(String),
    /// A field that every record needs is empty.
    #[error(
        "the {field} is missing: fill it in, or remove the row{}",
        if *field == "score" { ", or say with --failed what an evaluation without one counts as (drop, worst)" } else { "" }
    )]
    Missing {
        /// The field that is missing.
        field: &'static str,
    },
    /// The evaluation failed, and failures are not asked for.
    #[error(
        "the evaluation failed (status `{0}`), and nothing says what it counts as: say it with --failed (drop or worst), or remove \
         the row"
    )]
    Failed(String),
    /// A status in a JSON file that is a number, a list or the like.
    #[error("the status {0} is not text: write \"ok\" or \"failed\"")]
    StatusNotText(String),
    /// A column of the user's own without a name.
    #[error("a column has no name: name it")]
    UnnamedColumn,
    /// A column of the user's own has a name that is reserved for another meaning.
    #[error("no column of one's own can be called `{0}`: that one means something else; rename it")]
    ReservedColumn(String),
    /// A JSON object does not name its arm.
    #[error(
        "there is no key `{key}` (keys: {keys}): add the name of the arm, or name its key with --arm"
    )]
    NoArmKey {
        /// The key that was sought.
        key: String,
        /// The keys of the object.
        keys: String,
    },
    /// A JSON object lacks the key of the score.
    #[error(
        "there is no key `{metric}` (keys: {keys}): {}",
        if *counts { "read confusion counts with --counts" } else { "add the score, or name its key with --metric" }
    )]
    NoMetricKey {
        /// The key that was sought.
        metric: String,
        /// The keys of the object.
        keys: String,
        /// Whether the keys of confusion counts are among those of the object.
        counts: bool,
    },
    /// A JSON object has the same key twice.
    #[error("the key `{0}` occurs twice: keep one of the two")]
    DuplicateKey(String),
    /// A field holds a text where a number was expected.
    #[error("the {field} `{found}` is not a number: write digits, with a decimal point if need be")]
    NotANumber {
        /// Name of the field that was refused.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// A number written as text in a JSON file.
    #[error(
        "the {field} {found} is text, not a number: write it without quotes, with a decimal point"
    )]
    QuotedNumber {
        /// Name of the field that was refused.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// A split or a seed that is no natural number.
    #[error(
        "the {field} `{found}` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …"
    )]
    NotWhole {
        /// Name of the field that was refused.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// The score is impossible for the metric.
    #[error("{0}: correct the row or the bounds")]
    OutOfBounds(ScoreError),
    /// A cost or a duration below zero.
    #[error("the {field} `{found}` is negative: give what was spent, as a number from 0 upwards")]
    Negative {
        /// Name of the field that was refused.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// An evaluation is in the file twice.
    #[error(
        "the evaluation of `{arm}` on split {split} with seed {seed} is on line {first} already: \
         keep one of the two"
    )]
    Duplicate {
        /// The name of the arm.
        arm: String,
        /// The number of the split.
        split: u64,
        /// The seed of the evaluation.
        seed: u64,
        /// The line of the other record of the evaluation.
        first: u64,
    },
    /// An answer of an arm on an item is in the file twice, with the same seed or with nothing that
    /// tells repeats apart.
    #[error(
        "the answer of `{arm}` on item `{item}`{} is on line {first} already: keep one of the two{}",
        with_seed(*seed),
        if seed.is_none() { ", or tell repeats apart by a column `seed`" } else { "" }
    )]
    DuplicateItem {
        /// The name of the arm.
        arm: String,
        /// The name of the item.
        item: String,
        /// The seed of both records. `None` if one of the two has none.
        seed: Option<u64>,
        /// The line of the other record of the evaluation.
        first: u64,
    },
    /// An arm has no prediction of an item.
    #[error(
        "the prediction of `{0}` is missing: fill it in, remove the row, or say with --failed what an answer that is missing counts \
         as (drop, worst)"
    )]
    NoPrediction(String),
    /// Some rows of a file name their item, and some do not.
    #[error("some rows have an `item`, and some have none: name the item of every row, or of none")]
    ItemOfSome,
    /// A row has a split, and an item.
    #[error(
        "there is a `split` and an `item`, and either says which scores belong together: leave one of the two out"
    )]
    SplitAndItem,
    /// A cell of a file with one column per arm is bad.
    #[error("in the column `{column}`, {problem}{}", column_advice(problem))]
    Cell {
        /// The name of the column.
        column: String,
        /// The fault of the cell.
        problem: Box<RowProblem>,
    },
    /// A text cannot be read as JSON.
    #[error("this is not JSON at {at}: {reason}")]
    Json {
        /// The text from which the parser fails.
        at: String,
        /// The message of the parser.
        reason: String,
    },
    /// An arm is named, but has no score.
    #[error("the arm `{0}` has no score: add its scores, or remove the arm")]
    NoScore(String),
}

impl RowProblem {
    /// Makes a fault of a row out of a sentence that says what to do about it.
    pub(crate) fn refused(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused(why.into())
    }

    /// Returns a problem with the cell of a row in the column of this name.
    pub(crate) fn in_column(name: &str, problem: Self) -> Self {
        Self::Cell {
            column: excerpt(name),
            problem: Box::new(problem),
        }
    }

    /// Adds the place of the problem in a document that is all on one line.
    pub(crate) fn within(self, place: Option<String>) -> Self {
        match place {
            Some(place) => Self::Element {
                place,
                problem: Box::new(self),
            },
            None => self,
        }
    }

    /// Returns whether the user may have meant another column.
    pub(crate) fn is_about_columns(&self) -> bool {
        match self {
            Self::NoArmKey { .. } | Self::NoMetricKey { .. } => true,
            Self::NotANumber { field, .. } | Self::QuotedNumber { field, .. } => *field == "score",
            Self::NotWhole { field, .. } => matches!(*field, "split" | "seed"),
            Self::Cell { problem, .. } => {
                matches!(**problem, Self::Missing { .. }) || problem.is_about_columns()
            }
            Self::Element { problem, .. } => problem.is_about_columns(),
            _ => false,
        }
    }

    /// Returns whether the column of a cell may have another notation than plain numbers.
    pub(crate) fn is_notation(&self) -> bool {
        match self {
            Self::NotANumber { .. } | Self::QuotedNumber { .. } => true,
            Self::NotWhole { field, .. } => *field == "split",
            Self::Cell { problem, .. } | Self::Element { problem, .. } => problem.is_notation(),
            _ => false,
        }
    }
}

/// Returns advice on the column of arms, for a user who may have forgotten it.
fn column_advice(problem: &RowProblem) -> &'static str {
    match problem {
        RowProblem::NotANumber { .. } => {
            " (in a file without a column `arm`, every column is an arm)"
        }
        _ => "",
    }
}

/// Returns the words about the seed of a repeated answer.
fn with_seed(seed: Option<u64>) -> String {
    seed.map_or_else(String::new, |seed| format!(" with seed {seed}"))
}
