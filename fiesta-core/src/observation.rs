//! Observations of either kind, scores or confusion counts, for programs that take both.

use crate::{Counts, FBeta};

/// Observation of an evaluation: a score, or confusion counts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(untagged)
)]
pub enum Observation {
    /// A score: the value of a metric.
    Score(f64),
    /// Confusion counts of a document: what was right and wrong on it.
    Counts(Counts),
}

impl Observation {
    /// Returns the observation as one number: a score as it is, counts as the F-measure of their
    /// document.
    ///
    /// The F-measure of a document in which there was nothing to find is undefined if nothing was
    /// found either. It counts as 1 here: the system did all that there was to do. (scikit-learn
    /// asks the same with `zero_division`.) A mean of such scores is another quantity than the
    /// F-measure of all documents' counts, which passes over those documents and weighs the others
    /// by what they hold.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{Counts, FBeta, Observation};
    /// let of = |tp, fp| Observation::Counts(Counts::from_cells([tp, fp, 0, 0])).score(FBeta::F1);
    /// assert_eq!((of(1, 1), of(0, 1), of(0, 0)), (2.0 / 3.0, 0.0, 1.0));
    /// ```
    pub fn score(&self, f: FBeta) -> f64 {
        match self {
            Self::Score(score) => *score,
            Self::Counts(counts) => f.of_counts(counts).unwrap_or(1.0),
        }
    }

    /// Returns the confusion counts. `None` for a score.
    pub fn counts(&self) -> Option<Counts> {
        match self {
            Self::Score(_) => None,
            Self::Counts(counts) => Some(*counts),
        }
    }
}

impl From<f64> for Observation {
    fn from(score: f64) -> Self {
        Self::Score(score)
    }
}

impl From<Counts> for Observation {
    fn from(counts: Counts) -> Self {
        Self::Counts(counts)
    }
}
