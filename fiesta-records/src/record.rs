//! Record of one evaluation: its arm, its case, its score if it did not fail, and what it cost.

use fiesta_core::ArmId;

/// One evaluation that was made. Its arm is a number into the names of its
/// [`Evaluations`](super::Evaluations), or, as in [`Evaluations::push`](super::Evaluations::push) and
/// [`Evaluations::named`](super::Evaluations::named), a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<A = ArmId, S = f64> {
    /// The arm that was evaluated.
    pub arm: A,
    /// The score, in the metric's own direction.
    pub score: S,
    /// The number of the random train/test partition, or of the item among
    /// [`Evaluations::items`](super::Evaluations::items) if there are any.
    pub split: Option<u64>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// The cost of the evaluation, in the user's unit.
    pub cost: Option<f64>,
    /// Duration of the evaluation, in seconds.
    pub duration: Option<f64>,
    /// The line of the file on which the record stands, from 1; 0 without a file.
    pub line: u64,
}

/// One evaluation that failed, and so has no score.
pub type Failed<A = ArmId> = Record<A, ()>;

impl<A> Record<A> {
    /// Returns a record of which only the score is known.
    pub fn new(arm: A, score: f64) -> Self {
        Self::bare(arm, score)
    }
}

impl<A> Failed<A> {
    /// Returns a failure of which nothing else is known.
    pub fn failed(arm: A) -> Self {
        Self::bare(arm, ())
    }
}

impl<A, S> Record<A, S> {
    /// Returns an evaluation of which nothing else is known.
    fn bare(arm: A, score: S) -> Self {
        Self {
            arm,
            score,
            split: None,
            seed: None,
            cost: None,
            duration: None,
            line: 0,
        }
    }

    /// Returns this evaluation with another arm and score, which may be of other types.
    pub(crate) fn with<B, T>(&self, arm: B, score: T) -> Record<B, T> {
        Record {
            arm,
            score,
            split: self.split,
            seed: self.seed,
            cost: self.cost,
            duration: self.duration,
            line: self.line,
        }
    }
}

/// One row of the long form: an evaluation with its score, or one that failed, and what the user's
/// own columns say of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The name of the candidate.
    pub arm: &'a str,
    /// Score of the evaluation. `None` if the evaluation failed.
    pub score: Option<f64>,
    /// The name of the item. `None` if the records are not of items.
    pub item: Option<&'a str>,
    /// The number of the random train/test partition, or of the item.
    pub split: Option<u64>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// The cost of the evaluation, in the user's unit.
    pub cost: Option<f64>,
    /// Duration of the evaluation, in seconds.
    pub duration: Option<f64>,
    /// The line of the file on which the record stands, from 1; 0 without a file.
    pub line: u64,
    pub(crate) cells: &'a [Option<Box<str>>],
}

impl<'a> Row<'a> {
    /// Returns the text in one of the user's own columns
    /// ([`Evaluations::columns`](super::Evaluations::columns)). `None` if it is empty.
    pub fn cell(&self, column: usize) -> Option<&'a str> {
        self.cells.get(column)?.as_deref()
    }
}
