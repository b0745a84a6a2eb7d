//! Cases of evaluations (split and seed), and the designs that assign them.

use std::str::FromStr;

/// Case of an evaluation of an arm: a split of the data with a seed of the training run.
///
/// Two evaluations on the same split share whatever makes that split easy or hard, whichever arms
/// they belong to; the seed covers everything else that is random. Where arms are evaluated on the
/// items of a pool, the split is the item's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// The number of the random train/test partition.
    pub split: u64,
    /// The seed of the run, below 2³¹ so that every language's generator takes it.
    pub seed: u64,
}

/// Assignment of cases: which case the k-th evaluation of an arm gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Design {
    /// The k-th evaluation of every arm uses split k, with a seed of its own: rivals are compared
    /// on the same partitions, so that what a partition does to all of them cancels.
    #[default]
    Shared,
    /// Every evaluation has a split of its own.
    Independent,
    /// Every evaluation uses split 0; only the seed varies. The conclusion then holds for that
    /// split alone.
    Fixed,
    /// Cases are the items of a pool (questions, tasks, documents): the k-th evaluation of every
    /// arm is on the k-th item of a random order that the study's seed decides, unless the policy
    /// [names another item](crate::Next::EvaluateOn), and [`Case::split`] is the item's number,
    /// from
    /// 0. No arm gets an item twice, unless [answers vary](crate::SelectorBuilder::repeats). As with
    /// [splits that end](crate::SelectorBuilder::splits), an
    /// arm that has had them all cannot be evaluated any more
    /// ([`View::has_case_left`](crate::View::has_case_left)).
    #[cfg_attr(feature = "serde", serde(alias = "documents"))]
    Items {
        /// The number of items in the pool, N.
        count: u64,
    },
}

/// The name of a design is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no design of splits: use shared, independent or fixed")]
pub struct UnknownDesign(String);

impl Design {
    /// Returns the name of the design: shared, independent, fixed or items.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Independent => "independent",
            Self::Fixed => "fixed",
            Self::Items { .. } => "items",
        }
    }
}

/// Reads a design of splits by its name. One of items needs to know how many there are.
impl FromStr for Design {
    type Err = UnknownDesign;

    fn from_str(name: &str) -> Result<Self, UnknownDesign> {
        match name {
            "shared" => Ok(Self::Shared),
            "independent" => Ok(Self::Independent),
            "fixed" => Ok(Self::Fixed),
            other => Err(UnknownDesign(other.to_owned())),
        }
    }
}
