//! Tests of cells and their groups against sums over all scores.

use super::*;

/// Returns means, squares and cross-products of a group, the latter from its pseudo-splits.
fn moments(group: &Group) -> (Vec<f64>, Vec<f64>) {
    let moments = group.moments();
    let (size, rank) = (moments.means.len(), moments.rank);
    let row = |i: usize| &moments.pseudo[i * rank..][..rank];
    let dot = |i, j| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
    let products = (0..size).flat_map(|i| (0..size).map(move |j| dot(i, j)));
    (moments.means.clone(), products.collect())
}

#[test]
fn pseudo_splits_have_the_cross_products_of_the_splits() {
    let scores = [[0.61, 0.62], [0.66, 0.60], [0.58, 0.59], [0.63, 0.65]];
    let mut cells = Cells::new(2, true);
    for (split, row) in scores.iter().enumerate() {
        for (arm, &score) in row.iter().enumerate() {
            cells.add(arm, split as u64, score);
        }
    }
    let groups = cells.groups.as_ref().unwrap();
    assert_eq!(groups.len(), 1);
    let group = groups.values().next().unwrap();
    assert_eq!(group.splits, 4);
    let (means, products) = moments(group);
    for (a, mean) in means.iter().enumerate() {
        let expected = scores.iter().map(|row| row[a]).sum::<f64>() / 4.0;
        assert!((cells.arms[a].origin + mean - expected).abs() < 1e-15);
    }
    for a in 0..2 {
        for b in 0..2 {
            let mean = |arm: usize| scores.iter().map(|row| row[arm]).sum::<f64>() / 4.0;
            let expected: f64 = scores
                .iter()
                .map(|row| (row[a] - mean(a)) * (row[b] - mean(b)))
                .sum();
            assert!((products[a * 2 + b] - expected).abs() < 1e-15);
        }
    }
}

/// Tests that groups hold what a single pass would have put there, whatever the order of arrival.
#[test]
fn splits_move_between_groups_without_a_trace() {
    let score = |arm: usize, split: u64| ((arm as u64 * 37 + split * 101) % 17) as f64 * 0.01;
    let mut forwards = Cells::new(3, true);
    let mut backwards = Cells::new(3, true);
    let all: Vec<(usize, u64)> = (0..3)
        .flat_map(|arm| (0..6 - arm as u64).map(move |split| (arm, split)))
        .collect();
    for &(arm, split) in &all {
        forwards.add(arm, split, score(arm, split));
    }
    // The same first scores, so that the origins agree.
    for arm in 0..3 {
        backwards.add(arm, 0, score(arm, 0));
    }
    for &(arm, split) in all.iter().rev().filter(|(_, split)| *split > 0) {
        backwards.add(arm, split, score(arm, split));
    }
    let (a, b) = (forwards.groups.unwrap(), backwards.groups.unwrap());
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (a, b) in a.values().zip(b.values()) {
        assert_eq!(a.splits, b.splits);
        let ((means, products), (other_means, other_products)) = (moments(a), moments(b));
        for (x, y) in means.iter().zip(&other_means) {
            assert!((x - y).abs() < 1e-14);
        }
        for (x, y) in products.iter().zip(&other_products) {
            assert!((x - y).abs() < 1e-14);
        }
    }
}

/// Tests that an arm that comes later finds the place that it would have had from the beginning.
#[test]
fn an_arm_inserted_is_as_if_it_had_been_there() {
    let mut cells = Cells::new(3, true);
    let mut grown = Cells::new(0, true);
    grown.insert_arm(0);
    grown.insert_arm(1);
    for (arm, split) in [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 3)] {
        let score = 0.1 * split as f64 + 0.01 * arm as f64;
        cells.add(arm, split, score);
        grown.add(arm.min(1), split, score);
    }
    grown.insert_arm(1);
    for cells in [&mut cells, &mut grown] {
        cells.add(1, 0, 0.7);
        cells.add(1, 2, 0.8);
    }
    let (a, b) = (cells.groups.unwrap(), grown.groups.unwrap());
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (a, b) in a.values().zip(b.values()) {
        assert_eq!((a.splits, moments(a)), (b.splits, moments(b)));
    }
    for (a, b) in cells.splits.iter().zip(&grown.splits) {
        assert_eq!((&a.members, &a.means), (&b.members, &b.means));
    }
}

/// Tests that the sums of whole splits are those of splits that happen to have no further score, to
/// the last bit.
#[test]
fn whole_splits_leave_the_sums_of_remembered_ones() {
    let score = |arm: usize, k: u64| 0.6 + 0.01 * f64::sin(arm as f64 + 3.0 * k as f64);
    for products in [true, false] {
        let (mut remembered, mut whole) = (Cells::new(3, products), Cells::new(3, products));
        // Of all arms, of one, and of two with a second seed.
        let arms_on = |k: u64| match k % 4 {
            0 => (0..3).filter(|&arm| k / 4 % 3 == arm as u64).collect(),
            1 => vec![0, 2, 2],
            _ => vec![0, 1, 2],
        };
        for arm in 0..3 {
            for k in 0..60 {
                for _ in arms_on(k).iter().filter(|&&other| other == arm) {
                    remembered.add(arm, k, score(arm, k));
                }
            }
        }
        for k in 0..60 {
            let scores = arms_on(k).into_iter().map(|arm| (arm, score(arm, k)));
            whole.add_whole_split(&scores.collect::<Vec<_>>());
        }
        assert_eq!(remembered.count_splits(), whole.count_splits());
        assert_eq!(whole.forgotten, if products { 45 } else { 15 });
        let of_arms = |cells: &Cells| {
            let facts = cells.arms.iter();
            let facts = facts.map(|arm| (arm.origin, arm.sum, arm.count, arm.splits));
            facts.collect::<Vec<_>>()
        };
        let (Some(a), Some(b)) = (&remembered.groups, &whole.groups) else {
            let all = |cells: &Cells| {
                let mut all = Vec::new();
                let y = |(member, mean): (&Member, &f64)| {
                    (*member, cells.arms[member.index()].origin + mean)
                };
                cells.each_split(|members, means| {
                    all.push(members.iter().zip(means).map(y).collect::<Vec<_>>());
                });
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all
            };
            assert_eq!(all(&remembered), all(&whole));
            continue;
        };
        assert_eq!(of_arms(&remembered), of_arms(&whole));
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
        for ((members, a), b) in a.iter().zip(b.values()) {
            assert_eq!(a.splits, b.splits);
            // Splits that a second arm or seed came to left traces of rounding in the groups
            // that they were in before.
            let exact = members.len() == 3;
            for (x, y) in a
                .sums
                .iter()
                .chain(&a.products)
                .zip(b.sums.iter().chain(&b.products))
            {
                assert!((x - y).abs() <= if exact { 0.0 } else { 1e-14 }, "{x} {y}");
            }
        }
    }
}

#[test]
fn seeds_of_a_split_are_averaged_and_their_spread_is_kept() {
    let mut cells = Cells::new(1, true);
    for score in [0.60, 0.62, 0.67] {
        cells.add(0, 4, score);
    }
    let arm = &cells.arms[0];
    assert!((arm.mean() - 0.63).abs() < 1e-15);
    assert!(
        (arm.between_seeds - (0.03_f64.powi(2) + 0.01_f64.powi(2) + 0.04_f64.powi(2))).abs()
            < 1e-15
    );
    assert_eq!((arm.count, arm.splits), (3, 1));
    let groups = cells.groups.unwrap();
    assert_eq!(
        groups.keys().next().unwrap()[0],
        Member { arm: 0, seeds: 3 }
    );
}

#[test]
fn equal_scores_leave_no_pseudo_split() {
    let mut cells = Cells::new(2, true);
    for split in 0..5 {
        cells.add(0, split, 0.7);
        cells.add(1, split, 0.1 * split as f64);
    }
    let groups = cells.groups.unwrap();
    let group = groups.values().next().unwrap();
    let moments = group.moments();
    assert_eq!(moments.rank, 1, "for the second arm alone");
    assert!(moments.squares[0].abs() < 1e-15 && moments.squares[1] > 0.0);
}
