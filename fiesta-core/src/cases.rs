//! Handing out cases: which arm gets which, which are being evaluated, and which comes next.

use crate::{ArmId, Case, Design, EvaluationId, stream::Streams};
use rand::RngExt;
use std::collections::BTreeMap;

/// The cases of one selection.
pub(crate) struct Cases {
    design: Design,
    pub(crate) streams: Streams,
    /// The order in which every arm queries the documents; empty in a study of splits.
    documents: Vec<u64>,
    pub(crate) pending: BTreeMap<EvaluationId, Pending>,
    /// How many evaluations were asked for, which is the number of the next one.
    pub(crate) issued: u64,
}

/// An evaluation that was asked for and whose outcome was not told yet.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    pub(crate) arm: ArmId,
    /// It is the arm's `turn`-th evaluation, from 0.
    pub(crate) turn: u64,
    pub(crate) case: Case,
}

impl Cases {
    pub(crate) fn new(design: Design, streams: Streams) -> Self {
        let documents = match design {
            Design::Documents { count } => shuffled(count, &streams),
            Design::Shared | Design::Independent | Design::Fixed => Vec::new(),
        };
        Self {
            design,
            streams,
            documents,
            pending: BTreeMap::new(),
            issued: 0,
        }
    }

    /// Whether an arm can have a `turn`-th evaluation: any number on splits, one for each document.
    pub(crate) fn has(&self, turn: u64) -> bool {
        match self.design {
            Design::Documents { count } => turn < count,
            Design::Shared | Design::Independent | Design::Fixed => true,
        }
    }

    /// The case of an arm's `turn`-th evaluation (from 0) if it is the next to be asked for; none beyond the last document.
    pub(crate) fn case(&self, arm: ArmId, turn: u64) -> Option<Case> {
        let split = match self.design {
            Design::Shared => turn,
            Design::Independent => self.issued,
            Design::Fixed => 0,
            Design::Documents { .. } => *self.documents.get(usize::try_from(turn).ok()?)?,
        };
        let seed = self.streams.case(arm, turn).random::<u32>() >> 1;
        Some(Case {
            split,
            seed: u64::from(seed),
        })
    }

    /// How far along the sequence of cases that all arms share a turn is; 0 where they share none.
    pub(crate) fn place(&self, turn: u64) -> u64 {
        match self.design {
            Design::Shared | Design::Documents { .. } => turn,
            Design::Independent | Design::Fixed => 0,
        }
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = (ArmId, Case)> + '_ {
        self.pending
            .values()
            .map(|pending| (pending.arm, pending.case))
    }
}

/// The numbers below `count` in a random order, every order equally likely (Fisher and Yates).
fn shuffled(count: u64, streams: &Streams) -> Vec<u64> {
    let mut rng = streams.documents();
    let mut order: Vec<u64> = (0..count).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(design: Design) -> Cases {
        Cases::new(design, Streams::new(7))
    }

    #[test]
    fn shared_splits_are_common_and_seeds_are_not() {
        let (a, b) = (ArmId::new(0), ArmId::new(1));
        let mut cases = cases(Design::Shared);
        cases.issued = 10;
        let first = cases.case(a, 3).unwrap();
        cases.issued = 11;
        let second = cases.case(b, 3).unwrap();
        assert_eq!(first.split, 3);
        assert_eq!(first.split, second.split);
        assert_ne!(first.seed, second.seed);
        cases.issued = 99;
        assert_eq!(cases.case(a, 3), Some(first));
    }

    #[test]
    fn independent_splits_never_repeat() {
        let arm = ArmId::new(0);
        let mut independent = cases(Design::Independent);
        let splits: Vec<u64> = (0..5)
            .map(|turn| {
                independent.issued = turn + 2;
                independent.case(arm, turn).unwrap().split
            })
            .collect();
        assert_eq!(splits, [2, 3, 4, 5, 6]);
        assert_eq!(cases(Design::Fixed).case(arm, 4).unwrap().split, 0);
    }

    fn order(count: u64, seed: u64) -> Vec<u64> {
        let cases = Cases::new(Design::Documents { count }, Streams::new(seed));
        let of = |index, turn| cases.case(ArmId::new(index), turn).map(|case| case.split);
        assert!((0..count).all(|turn| cases.has(turn) && of(0, turn) == of(1, turn)));
        assert!(!cases.has(count) && of(0, count).is_none() && of(0, u64::MAX).is_none());
        (0..count).map(|turn| of(0, turn).unwrap()).collect()
    }

    /// Guards the stability of recorded studies: this order may never change.
    #[test]
    fn the_order_of_documents_is_that_of_the_seed() {
        assert_eq!(order(10, 1), [7, 3, 5, 9, 1, 2, 6, 4, 0, 8]);
        assert_ne!(order(10, 2), order(10, 1));
        assert!(order(0, 1).is_empty());
        assert_eq!(order(1, 1), [0]);
    }

    /// χ² over the 24 orders of four documents in 4,800 studies: 23 degrees of freedom, beyond 64 once in 100,000 seeds' choices.
    #[test]
    fn every_order_is_equally_likely() {
        let mut counts = BTreeMap::new();
        for seed in 0..4800 {
            *counts.entry(order(4, seed)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        let deviation: f64 = counts
            .values()
            .map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0)
            .sum();
        assert!(deviation < 64.0, "{deviation}");
    }
}
