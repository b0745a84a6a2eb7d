//! Tests of the cases on which arms are evaluated.

use crate::fakes::{arm, builder, evaluation, in_turn, never};
use fiesta_core::Design;
use std::collections::HashSet;

fn cases(design: Design) -> Vec<(usize, u64, u64)> {
    let mut selector = builder(3, in_turn(), never())
        .design(design)
        .build()
        .unwrap();
    (0..12)
        .map(|_| evaluation(&mut selector))
        .map(|e| (e.arm.index(), e.case.split, e.case.seed))
        .collect()
}

#[test]
fn the_kth_evaluation_of_every_arm_shares_split_k() {
    let cases = cases(Design::Shared);
    for index in 0..3 {
        let splits: Vec<u64> = cases
            .iter()
            .filter(|c| c.0 == arm(index).index())
            .map(|c| c.1)
            .collect();
        assert_eq!(splits, [0, 1, 2, 3]);
    }
}

#[test]
fn independent_splits_are_all_different_and_a_fixed_one_is_always_0() {
    let splits: HashSet<u64> = cases(Design::Independent).iter().map(|c| c.1).collect();
    assert_eq!(splits.len(), 12);
    assert!(cases(Design::Fixed).iter().all(|c| c.1 == 0));
}

#[test]
fn every_run_has_a_seed_of_its_own() {
    for design in [Design::Shared, Design::Independent, Design::Fixed] {
        let seeds: HashSet<u64> = cases(design).iter().map(|c| c.2).collect();
        assert_eq!(seeds.len(), 12, "{design:?}");
    }
}
