//! Tests of synchronous batches: their size, and when a rule looks.

use super::{Looks, arms, tell};
use fiesta_core::{Ask, Outcome, Selector};
use fiesta_policies::{Batched, SequentialHalving, Thompson, Uniform};
use fiesta_posterior::GaussianArms;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// Returns a selector of three arms after their warm-up of two evaluations each.
fn warmed_up(size: u32, looks: Looks) -> Selector {
    let policy = Batched::new(Thompson::default(), size);
    let posterior = GaussianArms::pooled(3);
    let mut selector = Selector::builder(arms(3), posterior, policy, looks)
        .build()
        .unwrap();
    for score in [0.1, 0.2, 0.3, 0.2, 0.3, 0.1] {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        tell(&mut selector, e.id, Outcome::Observed(score));
    }
    selector
}

/// Fills all workers, and asks the selector until it waits.
fn fill(selector: &mut Selector, workers: usize) {
    while selector.pending().count() < workers && selector.ask().unwrap() != Ask::Wait {}
}

fn tell_one(selector: &mut Selector, rng: &mut ChaCha8Rng, outcome: Option<Outcome>) {
    let pending: Vec<_> = selector.pending().collect();
    let id = pending[rng.random_range(0..pending.len())].id;
    tell(
        selector,
        id,
        outcome.unwrap_or(Outcome::Observed(rng.random())),
    );
}

#[test]
fn so_many_run_before_it_waits() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for size in [1, 2, 5, 8] {
        let mut selector = warmed_up(size, Looks::default());
        for _ in 0..3 {
            fill(&mut selector, 100);
            for running in (1..=size as usize).rev() {
                assert_eq!(selector.pending().count(), running);
                assert_eq!(selector.ask(), Ok(Ask::Wait));
                tell_one(&mut selector, &mut rng, None);
            }
        }
    }
}

#[test]
fn no_look_inside_a_batch_whatever_the_number_of_workers() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (size, workers) in [(4, 4), (4, 1), (5, 2), (3, 8), (8, 3)] {
        let looks = Looks::default();
        let mut selector = warmed_up(size, looks.clone());
        for _ in 0..4 * size {
            fill(&mut selector, workers);
            assert!(selector.pending().count() <= workers.min(size as usize));
            tell_one(&mut selector, &mut rng, None);
        }
        selector.ask().unwrap();
        let expected: Vec<u64> = (0..=4).map(|batch| 6 + batch * u64::from(size)).collect();
        assert_eq!(
            *looks.0.lock().unwrap(),
            expected,
            "batches of {size}, {workers} workers"
        );
    }
}

/// Tests that a withdrawn or failed evaluation is over, too: a batch does not wait for it for ever.
#[test]
fn failures_and_withdrawals_end_a_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let looks = Looks::default();
    let mut selector = warmed_up(3, looks.clone());
    for outcome in [Outcome::Failed, Outcome::Withdrawn, Outcome::Observed(0.2)] {
        fill(&mut selector, 100);
        tell_one(&mut selector, &mut rng, Some(outcome));
    }
    fill(&mut selector, 100);
    assert_eq!(selector.pending().count(), 3);
    assert_eq!(*looks.0.lock().unwrap(), [6, 8]);
}

/// Tests that a policy that waits inside its batch is asked again later, and that how often leaves
/// no trace.
#[test]
fn a_policy_may_wait_inside_a_batch() {
    let policy = Batched::new(SequentialHalving::new(4, 8).unwrap(), 3);
    let posterior = GaussianArms::pooled(4);
    let mut selector = Selector::builder(arms(4), posterior, policy, Looks::default())
        .build()
        .unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    fill(&mut selector, 100);
    for running in [3, 2, 1] {
        assert_eq!(selector.pending().count(), running);
        tell_one(&mut selector, &mut rng, None);
    }
    // The last evaluation of the first round is the first of the second batch.
    fill(&mut selector, 100);
    assert_eq!(selector.pending().count(), 1);
    for _ in 0..7 {
        assert_eq!(selector.ask(), Ok(Ask::Wait));
    }
    tell_one(&mut selector, &mut rng, None);
    fill(&mut selector, 100);
    assert_eq!(selector.pending().count(), 2);
}

/// Tests that batches of a policy without need of a posterior need none either, and that size 0 is
/// 1.
#[test]
fn batches_of_any_policy() {
    let looks = Looks::default();
    let policy = Batched::new(Uniform, 0);
    let mut selector = Selector::builder(arms(2), GaussianArms::pooled(2), policy, looks.clone())
        .build()
        .unwrap();
    for _ in 0..4 {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        tell(&mut selector, e.id, Outcome::Observed(0.5));
    }
    // Rounds of the policy inside are respected, too.
    assert_eq!(*looks.0.lock().unwrap(), [0, 2]);
}
