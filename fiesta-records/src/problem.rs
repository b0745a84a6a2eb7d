//! Problems of single rows of a file.

use crate::words::excerpt;
use fiesta_core::ScoreError;

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
    /// The row is longer or shorter than the header.
    #[error(
        "the row has {found} fields and the header {expected}: put fields that contain a separator in \
         quotes, and write numbers with a decimal point"
    )]
    Fields {
        /// Number of fields in the row.
        found: usize,
        /// Number of columns in the header.
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
    /// The rows share too few keys: a table of them would be almost empty.
    #[error(
        "the rows have so many different keys that more than {0} cells of a table of them are empty: leave out keys that few rows have"
    )]
    Empty(usize),
    /// Two names of arms or items look the same.
    #[error(
        "the names `{other}` and `{name}` differ in spaces alone, or in how Unicode writes the same letters: make them one name, or two \
         that differ"
    )]
    AlikeNames {
        /// The name on this row.
        name: String,
        /// The similar name on an earlier row.
        other: String,
    },
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
    /// A word that does not say whether the evaluation failed.
    #[error(
        "the status `{0}` is unknown: write `ok` where there is a score, `failed` where the evaluation failed, and leave out rows of \
         what has not ended"
    )]
    UnknownStatus(String),
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
    /// A JSON object lacks one of its counts.
    #[error(
        "there is no key `{key}` (keys: {keys}): an object of counts has the keys `arm`, `document`, `tp`, `fp`, `fn` and, \
         if there are any, `tn`"
    )]
    NoCountKey {
        /// The key that was sought.
        key: &'static str,
        /// The keys of the object.
        keys: String,
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
    /// NaN, an infinity, or a number too large for 64-bit floating point.
    #[error(
        "the {field} `{found}` is not finite: correct it, or remove the row of an evaluation that failed{}",
        if is_nan(field, found) { ", or say with --failed what it counts as (drop, worst)" } else { "" }
    )]
    NotFinite {
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
    /// A row or a column that is called a mean or a sum of the others is neither.
    #[error(
        "by its name `{name}` is a mean or a sum of the others, and {found} is neither (their mean is {mean}): either it or one of the \
         others is wrong; correct that cell, or give `{name}` another name or leave it out"
    )]
    NoSummary {
        /// The name of the row or the column.
        name: String,
        /// The number that was found in the field.
        found: String,
        /// The mean of the other rows or columns.
        mean: String,
    },
    /// A split has a name that may be of something else, such as a mean.
    #[error(
        "the split `{name}` may be {what}: leave out what is no split, or name another column with --split"
    )]
    NoSplit {
        /// The name that was refused.
        name: String,
        /// Meaning that the name has if it names no split, in words such as "a mean".
        what: &'static str,
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
    /// A record tells its score and, once more, the quantity that the score is.
    #[error("the score is the {field}, and yet the record gives a {field} apart: leave it out")]
    ScoreTwice {
        /// Name of the field that was refused.
        field: &'static str,
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
    /// An item is on two rows of a table of predictions.
    #[error(
        "the item `{item}` is on line {first} already: keep one of the two, or name another column with --item"
    )]
    ItemTwice {
        /// The name of the item.
        item: String,
        /// The line of the other row of the item.
        first: u64,
    },
    /// An arm has no prediction of an item.
    #[error(
        "the prediction of `{0}` is missing: fill it in, remove the row, or say with --failed what an answer that is missing counts \
         as (drop, worst)"
    )]
    NoPrediction(String),
    /// The split of a record is not the number of any item.
    #[error(
        "there are {items} items, and the record names none of them by its split: take the number that `Evaluations::item` gave"
    )]
    NoSuchItem {
        /// Number of items in the file.
        items: usize,
    },
    /// Some rows of a file name their item, and some do not.
    #[error("some rows have an `item`, and some have none: name the item of every row, or of none")]
    ItemOfSome,
    /// A row has a split, and an item.
    #[error(
        "there is a `split` and an `item`, and either says which scores belong together: leave one of the two out"
    )]
    SplitAndItem,
    /// A list of scores by arm that also states items, which such a list cannot do.
    #[error(
        "lists of scores cannot say their items: write a list of objects with the keys `arm`, `item` and the score's"
    )]
    ListOfItems,
    /// The file has counts of the same arm on the same document twice.
    #[error(
        "`{arm}` has counts on document `{document}` already{}: keep one of the two, or tell the rows of several classes apart \
         by a column `class`",
        on_line(*first)
    )]
    DuplicateDocument {
        /// The name of the arm.
        arm: String,
        /// The name of the document.
        document: String,
        /// The line of the other record of the evaluation; 0 if the record is not from a file.
        first: u64,
    },
    /// The file has counts of the same arm, document and class twice.
    #[error(
        "the counts of `{arm}` on document `{document}` in class `{class}` are on line {first} already: keep one of the two"
    )]
    DuplicateClass {
        /// The name of the arm.
        arm: String,
        /// The name of the document.
        document: String,
        /// The name of the class.
        class: String,
        /// The line of the other record of the evaluation.
        first: u64,
    },
    /// Some rows of a file name their document, and some do not.
    #[error(
        "there is no key `document`, and other rows have one: name the document of every row, or of none"
    )]
    DocumentOfSome,
    /// A class of a document that is not named.
    #[error(
        "there is a key `class`, but none `document`: name the document, so that its classes can be added up"
    )]
    ClassOfNothing,
    /// Rows of one document's classes state different costs or durations.
    #[error(
        "the {field} of `{arm}` on document `{document}` is another one on line {first}: it is that of the document as a \
         whole, so give it on one row of its classes, or the same on all"
    )]
    Disagreement {
        /// Name of the field that was refused.
        field: &'static str,
        /// The name of the arm.
        arm: String,
        /// The name of the document.
        document: String,
        /// The line of the document's first row.
        first: u64,
    },
    /// A text in place of a count is not a count.
    #[error(
        "the {field} `{found}` is not a count: write a whole number from 0 to {largest}",
        largest = fiesta_core::Counts::LARGEST
    )]
    NotACount {
        /// The refused count: tp, fp, tn or fn.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// The counts of a document's classes add up to more than the largest count.
    #[error(
        "the {field} of all classes of `{arm}` on document `{document}` add up to {sum}, more than {largest}: correct them",
        largest = fiesta_core::Counts::LARGEST
    )]
    TooManyOfAllClasses {
        /// The refused count: tp, fp, tn or fn.
        field: &'static str,
        /// The name of the arm.
        arm: String,
        /// The name of the document.
        document: String,
        /// The sum of the counts.
        sum: u64,
    },
    /// The name of an item, a document or a class in a JSON file is a list, an object or the like.
    #[error("the {field} {found} is no name: write text or a number")]
    NotAName {
        /// Name of the field that was refused.
        field: &'static str,
        /// Text that was found in the file, shortened.
        found: String,
    },
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
    /// A JSON value is no object, and so no record.
    #[error("`{found}` is not a record: write an object such as {example}")]
    NotAnObject {
        /// Text that was found in the file, shortened.
        found: String,
        /// An example of a correct record.
        example: &'static str,
    },
    /// An arm's scores in a JSON object are no list.
    #[error(
        "the value of `{arm}`, {found}, is not a list of scores: write {{\"arm\": [0.71, 0.69]}}; a file \
         with one record per line should end in .jsonl"
    )]
    NotAList {
        /// The name of the arm.
        arm: String,
        /// Text that was found in the file, shortened.
        found: String,
    },
    /// A JSON document is a table in a layout that does not say what its columns are.
    #[error("{0}")]
    Layout(&'static str),
    /// The first column has no name, and is not the number of each row either.
    #[error(
        "the first column has no name, and `{0}` is not the number of the row: name the column, or write the file without \
         row names (in pandas, `index=False`)"
    )]
    NotAnIndex(String),
    /// An arm is named, but has no score.
    #[error("the arm `{0}` has no score: add its scores, or remove the arm")]
    NoScore(String),
}

/// Returns whether the text of a score is `nan`: the evaluation has no score.
fn is_nan(field: &str, found: &str) -> bool {
    field == "score" && found.eq_ignore_ascii_case("nan")
}

impl RowProblem {
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

/// Returns the words about the line of a record from a file.
fn on_line(line: u64) -> String {
    match line {
        0 => String::new(),
        line => format!(", on line {line}"),
    }
}
