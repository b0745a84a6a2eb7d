//! Tests of sequential halving: attempts per arm, the budget, the survivor.

use super::{
    arm,
    runs::{
        IMPATIENT, by_number, endless, finish, hash, limited, noisy, run, until_the_first_look,
    },
};
use fiesta_core::{Limits, Outcome};
use fiesta_policies::SequentialHalving;
use proptest::prelude::*;

/// Tests attempts for budgets and arms, computed by hand from Algorithm 1.
#[test]
fn attempts_are_those_of_the_algorithm() {
    let facts: [(usize, u64, &[u64]); 6] = [
        (8, 24, &[1, 1, 1, 1, 3, 3, 7, 7]),
        (8, 100, &[4, 4, 4, 4, 12, 12, 28, 28]),
        (5, 31, &[2, 2, 5, 10, 10]),
        (6, 40, &[2, 2, 2, 6, 12, 12]),
        (3, 7, &[1, 2, 2]),
        // Rounds of 2, 5, 10 and 15: 114 in all.
        (12, 120, &[2, 2, 2, 2, 2, 2, 7, 7, 7, 17, 32, 32]),
    ];
    for (arm_count, budget, expected) in facts {
        for workers in [1, 3, 50] {
            let policy = SequentialHalving::new(arm_count, budget).unwrap();
            let (attempts, winner) = run(arm_count, policy, workers, Limits::default(), by_number);
            // The arm with the higher number is the better one, so that these are sorted already.
            assert_eq!(
                attempts, expected,
                "K = {arm_count}, T = {budget}, {workers} workers"
            );
            assert_eq!(winner, arm(arm_count - 1));
        }
    }
}

/// Tests that arms drop by their means over all their scores, not over the last round's.
#[test]
fn all_scores_count() {
    // K = 4, T = 16: two each; then four more for the two finalists. Arm 0 is brilliant at first
    // and mediocre later: (2·9 + 4·1)/6 = 3.67 beats 3, though the last round alone would not.
    let outcome = |index: usize, turn| {
        Outcome::Observed(match (index, turn) {
            (0, 0 | 1) => 9.0,
            (0, _) => 1.0,
            (1, _) => 3.0,
            _ => 0.0,
        })
    };
    let policy = SequentialHalving::new(4, 16).unwrap();
    let (attempts, winner) = run(4, policy, 1, Limits::default(), outcome);
    assert_eq!((attempts, winner), (vec![6, 6, 2, 2], arm(0)));
}

/// Tests that the schedule may use up the study's limit to the last evaluation: then, too, the
/// winner is a finalist, however well an arm that left early scored at the time.
#[test]
fn the_winner_at_a_limit_is_a_finalist() {
    // K = 4, T = 8: one each; then two more for arms 0 and 1, which fall behind arm 2.
    let outcome = |index: usize, turn| {
        Outcome::Observed(match (index, turn) {
            (0, 0) => 0.9,
            (1, 0) => 0.8,
            (2, 0) => 0.7,
            (0, _) => 0.1,
            _ => 0.0,
        })
    };
    for limits in [Limits::default(), limited(8), limited(9)] {
        let policy = SequentialHalving::new(4, 8).unwrap();
        let (attempts, winner) = run(4, policy, 1, limits, outcome);
        assert_eq!((attempts, winner), (vec![3, 3, 1, 1], arm(0)), "{limits:?}");
        let policy = SequentialHalving::new(4, 9).unwrap().extended();
        let limits = limits.evaluations.map_or(limits, |_| limited(9));
        let (attempts, winner) = run(4, policy, 1, limits, outcome);
        assert_eq!(
            (attempts, winner),
            (vec![4, 3, 1, 1], arm(0)),
            "extended, {limits:?}"
        );
    }
    // A limit in the middle of the last round, and one before anything was dropped.
    let (_, winner) = run(
        4,
        SequentialHalving::new(4, 8).unwrap(),
        1,
        limited(7),
        outcome,
    );
    assert_eq!(winner, arm(1));
    let (_, winner) = run(
        4,
        SequentialHalving::new(4, 8).unwrap(),
        1,
        limited(2),
        outcome,
    );
    assert_eq!(winner, arm(0));
}

/// Tests that a stopping rule looks at a whole round: what the divisions left over is part of it.
#[test]
fn no_rule_looks_before_what_is_left_over_is_made() {
    let extended = SequentialHalving::new(2, 5).unwrap().extended();
    assert_eq!(until_the_first_look(2, extended), [3, 2]);
}

/// Tests that an arm that fails for good is no finalist any more; if it was the last, its rivals
/// inherit.
#[test]
fn survivors_that_fail_for_good_leave_the_field() {
    let policy = SequentialHalving::new(4, 40).unwrap();
    let mut selector = endless(4, policy, IMPATIENT, Limits::default());
    // Arms 2 and 3 win the first round, of five, and then fail.
    let end = finish(&mut selector, 1, 1, |index, turn| match (index, turn) {
        (2 | 3, 5..) => Outcome::Failed,
        (index, turn) => by_number(index, turn),
    });
    assert_eq!(end.arm, arm(1));
}

#[test]
fn a_budget_that_does_not_go_round_is_refused() {
    for (arm_count, least) in [(2, 2), (3, 6), (4, 8), (5, 15), (8, 24), (9, 36), (12, 48)] {
        assert!(SequentialHalving::new(arm_count, least).is_ok());
        let error = SequentialHalving::new(arm_count, least - 1).unwrap_err();
        assert!(
            error.to_string().contains(&format!("at least {least}")),
            "{error}"
        );
    }
}

/// Returns the least budget, K⌈log₂K⌉.
fn least(arm_count: usize) -> u64 {
    let rounds = (1..=64).find(|&rounds| 1 << rounds >= arm_count);
    arm_count as u64 * rounds.unwrap()
}

/// Strategy of settings: a number of arms, a budget that suffices, workers, and a seed of scores and failures.
fn setting() -> impl Strategy<Value = (usize, u64, usize, u64)> {
    (2..24_usize, 0..300_u64, 1..12_usize, any::<u64>()).prop_map(
        |(arm_count, more, workers, salt)| (arm_count, least(arm_count) + more, workers, salt),
    )
}

proptest! {
    #[test]
    fn never_more_than_the_budget((arm_count, budget, workers, salt) in setting(), failures: bool) {
        let policy = SequentialHalving::new(arm_count, budget).unwrap();
        let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
        let used: u64 = attempts.iter().sum();
        prop_assert!(used <= budget, "{} of {}", used, budget);
        // The divisions leave less than an evaluation per survivor and round.
        prop_assert!(used + 2 * arm_count as u64 > budget || arm_count < 3, "{} of {}", used, budget);
        prop_assert!(attempts.iter().all(|&count| count > 0));
    }

    /// Tests that the extended policy spends exactly its budget, failures included, without any
    /// limit of the study that would hold it.
    #[test]
    fn extended_spends_exactly_the_budget(
        (arm_count, budget, workers, salt) in setting(),
        failures: bool,
    ) {
        let policy = SequentialHalving::new(arm_count, budget).unwrap().extended();
        let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
        prop_assert_eq!(attempts.iter().sum::<u64>(), budget);
    }

    /// Tests that without noise the best arm wins, and half of the field leaves in each round.
    #[test]
    fn without_noise_the_best_arm_wins(
        (arm_count, budget, workers, salt) in setting(),
        extended: bool,
        limited_too: bool,
    ) {
        let policy = SequentialHalving::new(arm_count, budget).unwrap();
        let policy = if extended { policy.extended() } else { policy };
        let limits = if limited_too { limited(budget) } else { Limits::default() };
        // In this order the arms are better and better.
        let mut order: Vec<usize> = (0..arm_count).collect();
        order.sort_by_key(|&index| hash(salt, index, 0));
        let mean = |index| order.iter().position(|&other| other == index).unwrap() as f64;
        let (attempts, winner) =
            run(arm_count, policy, workers, limits, |index, _| Outcome::Observed(mean(index)));
        prop_assert_eq!(winner.index(), order[arm_count - 1]);
        // Better arms are tried at least as often (but for the odd evaluation that the divisions
        // leave).
        for pair in order.windows(2) {
            prop_assert!(attempts[pair[0]] <= attempts[pair[1]] + u64::from(extended));
        }
    }
}
