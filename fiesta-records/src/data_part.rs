//! Parts of the data that a score is of, by the words that name them.

use crate::proposal::plain;

/// A part of the data that a score is of.
// Public for the patterns of fiesta-runner, which know the same words, and hidden as no user needs
// it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataPart {
    /// The data that models are trained on.
    Training,
    /// The data by which models are chosen.
    Validation,
    /// The data that models are compared on in the end.
    Test,
}

impl DataPart {
    const ALL: [Self; 3] = [Self::Training, Self::Validation, Self::Test];

    /// Returns the words that name the part, in lower case.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Training => &["train", "training"],
            Self::Validation => &[
                "val",
                "valid",
                "validation",
                "dev",
                "eval",
                "evaluation",
                "cv",
            ],
            Self::Test => &["test", "testing", "final"],
        }
    }

    /// Returns the part that a word names.
    pub fn of_word(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|part| part.words().contains(&word))
    }
}

/// Returns whether all names begin with words of parts of the data, of which there are at least two: `train` and
/// `test`, `train_scores` and `test_scores`.
pub(crate) fn are_parts<'n>(names: impl IntoIterator<Item = &'n str>) -> bool {
    let part = |name| DataPart::of_word(plain(name).split('_').next().unwrap_or_default());
    let parts: Option<Vec<DataPart>> = names.into_iter().map(part).collect();
    parts.is_some_and(|parts| parts.iter().any(|part| *part != parts[0]))
}
