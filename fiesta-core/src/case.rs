//! Cases: what an arm is evaluated on, and the design that hands them out.

use crate::{ArmId, stream::Streams};
use rand::RngExt;
use std::str::FromStr;

/// What one evaluation of an arm is made on: a split of the data with a seed of the training run.
///
/// Two evaluations on the same split share whatever makes that split easy or hard, whichever arms they
/// belong to; the seed covers everything else that is random. For document studies the split is the
/// document's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// The number of the random train/test partition.
    pub split: u64,
    /// The seed of the run, below 2³¹ so that every language's generator takes it.
    pub seed: u64,
}

/// Which case the k-th evaluation of an arm gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Design {
    /// The k-th evaluation of every arm uses split k, with a seed of its own: rivals are compared on the
    /// same partitions, so that what a partition does to all of them cancels.
    #[default]
    Shared,
    /// Every evaluation has a split of its own.
    Independent,
    /// Every evaluation uses split 0; only the seed varies. The conclusion then holds for that split alone.
    Fixed,
}

/// A design's name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no design of splits: use shared, independent or fixed")]
pub struct UnknownDesign(String);

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

impl Design {
    /// The case of an arm's `turn`-th evaluation (from 0), the `issued`-th of the study.
    pub(crate) fn case(self, streams: &Streams, arm: ArmId, turn: u64, issued: u64) -> Case {
        let split = match self {
            Self::Shared => turn,
            Self::Independent => issued,
            Self::Fixed => 0,
        };
        let seed = streams.case(arm, turn).random::<u32>() >> 1;
        Case {
            split,
            seed: u64::from(seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_splits_are_common_and_seeds_are_not() {
        let streams = Streams::new(7);
        let (a, b) = (ArmId::new(0), ArmId::new(1));
        let first = Design::Shared.case(&streams, a, 3, 10);
        let second = Design::Shared.case(&streams, b, 3, 11);
        assert_eq!(first.split, 3);
        assert_eq!(first.split, second.split);
        assert_ne!(first.seed, second.seed);
        assert_eq!(first, Design::Shared.case(&streams, a, 3, 99));
    }

    #[test]
    fn independent_splits_never_repeat() {
        let streams = Streams::new(7);
        let arm = ArmId::new(0);
        let splits: Vec<u64> = (0..5)
            .map(|i| Design::Independent.case(&streams, arm, i, i + 2).split)
            .collect();
        assert_eq!(splits, [2, 3, 4, 5, 6]);
        assert_eq!(Design::Fixed.case(&streams, arm, 4, 4).split, 0);
    }
}
