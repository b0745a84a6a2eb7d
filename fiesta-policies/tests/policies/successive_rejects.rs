//! Tests of successive rejects: attempts per arm, the budget, who is recommended.

use super::{
    arm,
    runs::{
        IMPATIENT, attempts, by_number, endless, finish, hash, limited, noisy, run,
        until_the_first_look,
    },
};
use fiesta_core::{Limits, Outcome};
use fiesta_policies::SuccessiveRejects;
use proptest::prelude::*;

/// Tests that a stopping rule looks at a whole phase: what rounding left over is part of it.
#[test]
fn no_rule_looks_before_what_is_left_over_is_made() {
    let policy = SuccessiveRejects::new(2, 5).unwrap();
    assert_eq!(until_the_first_look(2, policy), [3, 2]);
}

/// Tests attempts for budgets and arms. Of the evaluations left over, the first of the last two
/// arms makes the odd one.
#[test]
fn attempts_are_those_of_the_algorithm() {
    let facts: [(usize, u64, &[u64]); 6] = [
        (2, 7, &[4, 3]),
        // log̅3 = 4/3: n = 6/3, 6/2; 9 are left for the last two.
        (3, 11, &[2, 5, 4]),
        // log̅4 = 19/12: n = 12/4, 12/3, 12/2, whole numbers all; 16 are left.
        (4, 23, &[3, 4, 8, 8]),
        // log̅5 = 107/60: n = 60/5, 60/4, 60/3, 60/2; 65 are left.
        (5, 112, &[12, 15, 20, 33, 32]),
        // log̅8 = 2.21786: n = ⌈18.937/(9 − k)⌉; 24 are left.
        (8, 50, &[3, 3, 4, 4, 5, 7, 12, 12]),
        (8, 9, &[1, 1, 1, 1, 1, 1, 2, 1]),
    ];
    for (arm_count, budget, expected) in facts {
        for workers in [1, 3, 50] {
            let policy = SuccessiveRejects::new(arm_count, budget).unwrap();
            let (attempts, winner) = run(arm_count, policy, workers, Limits::default(), by_number);
            assert_eq!(
                attempts, expected,
                "K = {arm_count}, T = {budget}, {workers} workers"
            );
            assert_eq!(winner, arm(arm_count - 1));
        }
    }
}

/// Tests that arms leave by their means over all their scores, not over the last phase's.
#[test]
fn all_scores_count() {
    // K = 3, T = 15: phases of 3 and, for the last two, 6 attempts in all. Arm 0 is brilliant at
    // first and mediocre later: (3·9 + 3·1)/6 = 5 beats 3.
    let outcome = |index: usize, turn| {
        Outcome::Observed(match (index, turn) {
            (0, 0..3) => 9.0,
            (0, _) => 1.0,
            (1, _) => 3.0,
            _ => 0.0,
        })
    };
    let policy = SuccessiveRejects::new(3, 15).unwrap();
    let (attempts, winner) = run(3, policy, 1, Limits::default(), outcome);
    assert_eq!((attempts, winner), (vec![6, 6, 3], arm(0)));
}

/// Tests that no arm that has left is recommended, whatever the study's limit and however well the
/// arm scored at the time.
#[test]
fn a_rejected_arm_is_never_recommended() {
    // K = 4, T = 8: one each, by which arms 3 and 2 leave; two more for arms 0 and 1, which fall
    // behind arm 2.
    let outcome = |index: usize, turn| {
        Outcome::Observed(match (index, turn) {
            (0, 0) => 0.9,
            (1, 0) => 0.8,
            (2, 0) => 0.7,
            (3, 0) => 0.6,
            (0, _) => 0.1,
            _ => 0.0,
        })
    };
    // A limit in the middle of the last phase, at its end, after it, and one before anything was
    // rejected.
    for (limit, winner) in [(2, 0), (4, 0), (6, 1), (7, 1), (8, 0), (9, 0)] {
        let policy = SuccessiveRejects::new(4, 8).unwrap();
        let (attempts, best) = run(4, policy, 1, limited(limit), outcome);
        assert_eq!(best, arm(winner), "{limit}: {attempts:?}");
        assert_eq!(attempts.iter().sum::<u64>(), limit.min(8));
    }
}

/// Runs a selection with arms that fail from some turn on and are retired for it: returns attempts
/// and the winner.
fn with_failures(
    budget: u64,
    workers: usize,
    fails: impl Fn(usize, u64) -> bool,
) -> (Vec<u64>, usize) {
    let policy = SuccessiveRejects::new(4, budget).unwrap();
    let mut selector = endless(4, policy, IMPATIENT, Limits::default());
    let end = finish(&mut selector, workers, workers, |index, turn| {
        if fails(index, turn) {
            Outcome::Failed
        } else {
            by_number(index, turn)
        }
    });
    (attempts(&selector), end.arm.index())
}

#[test]
fn a_retired_arm_leaves_instead_of_the_worst() {
    // Phases of 3, 4 and 6: arm 3 leaves in the first instead of arm 0, which leaves in the second.
    let (attempts, winner) = with_failures(23, 1, |index, _| index == 3);
    assert_eq!((attempts, winner), (vec![4, 9, 8, 2], 2));
    // Both of the better half: arms 0 and 1 are the last two.
    let (attempts, winner) = with_failures(23, 1, |index, _| index > 1);
    assert_eq!((attempts, winner), (vec![10, 9, 2, 2], 1));
    // Of the last two, one: it has won.
    let (attempts, winner) = with_failures(23, 1, |index, turn| index == 2 && turn > 4);
    assert_eq!((attempts[2], winner), (7, 3));
    // Both of them at once: the better of those that were rejected is all that is left.
    let (_, winner) = with_failures(23, 8, |index, turn| index > 1 && turn > 4);
    assert_eq!(winner, 1);
}

#[test]
fn a_budget_that_does_not_go_round_is_refused() {
    for arm_count in [2, 3, 8, 12] {
        let least = arm_count as u64 + 1;
        assert!(SuccessiveRejects::new(arm_count, least).is_ok());
        let message = SuccessiveRejects::new(arm_count, least - 1)
            .unwrap_err()
            .to_string();
        let expected = format!("too small for successive rejects of {arm_count} arms");
        assert!(message.contains(&expected), "{message}");
        assert!(message.contains(&format!("at least {least}")), "{message}");
    }
}

proptest! {
    /// Tests that the policy spends exactly its budget, failures included, without any limit of the
    /// study that would hold it, and whole: nothing is left over.
    #[test]
    fn spends_exactly_the_budget(
        arm_count in 2..24_usize,
        more in 1..300_u64,
        workers in 1..12_usize,
        salt: u64,
        failures: bool,
    ) {
        let budget = arm_count as u64 + more;
        let policy = SuccessiveRejects::new(arm_count, budget).unwrap();
        let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
        prop_assert_eq!(attempts.iter().sum::<u64>(), budget);
        prop_assert!(attempts.iter().all(|&count| count > 0));
    }

    /// Tests that without noise the best arm wins, and that the better an arm is, the more often it
    /// is tried.
    #[test]
    fn without_noise_the_best_arm_wins(
        arm_count in 2..24_usize,
        more in 1..300_u64,
        workers in 1..12_usize,
        salt: u64,
    ) {
        let policy = SuccessiveRejects::new(arm_count, arm_count as u64 + more).unwrap();
        let mut order: Vec<usize> = (0..arm_count).collect();
        order.sort_by_key(|&index| hash(salt, index, 0));
        let mean = |index| order.iter().position(|&other| other == index).unwrap() as f64;
        let (attempts, winner) =
            run(arm_count, policy, workers, Limits::default(), |index, _| Outcome::Observed(mean(index)));
        prop_assert_eq!(winner.index(), order[arm_count - 1]);
        for pair in order.windows(2) {
            prop_assert!(attempts[pair[0]] <= attempts[pair[1]] + 1);
        }
    }
}
