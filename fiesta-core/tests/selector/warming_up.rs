//! Tests of the evaluations that a posterior requires before the policy decides.

use crate::fakes::{
    Choose, Means, Random, arm, arms, evaluation, failed, never, observed, withdrawn,
};
use fiesta_core::{Ask, Next, Selector};

/// Returns a selector of three arms that require three observations each; the policy would only
/// ever choose the last arm.
fn selector() -> Selector {
    let policy = Choose {
        choose: |view: &fiesta_core::View<'_>, _: &mut dyn rand::Rng| {
            assert!(view.candidates().iter().all(|&arm| view.observed(arm) >= 3));
            Next::Evaluate(arm(2))
        },
        needs_posterior: true,
    };
    Selector::builder(arms(3), Means::new(3, 3), policy, never())
        .build()
        .unwrap()
}

#[test]
fn every_arm_gets_what_the_posterior_requires_in_turn() {
    let mut selector = selector();
    for round in 0..3 {
        for index in 0..3 {
            let e = evaluation(&mut selector);
            assert_eq!((e.arm, e.case.split), (arm(index), round));
            selector.tell(observed(e.id, 0.5)).unwrap();
        }
    }
    assert_eq!(evaluation(&mut selector).arm, arm(2));
}

/// Tests that all nine evaluations may run at once, in the same order; then the selector waits
/// until two arms are known, which go on.
#[test]
fn in_parallel_too() {
    let mut selector = selector();
    let asked: Vec<_> = (0..9).map(|_| evaluation(&mut selector)).collect();
    assert!(
        asked
            .iter()
            .map(|e| e.arm.index())
            .eq([0, 1, 2, 0, 1, 2, 0, 1, 2])
    );
    for e in &asked[1..] {
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    assert_eq!(evaluation(&mut selector).arm, arm(2));
    selector.tell(observed(asked[0].id, 0.5)).unwrap();
    assert_eq!(evaluation(&mut selector).arm, arm(2));
}

/// Tests that failures and withdrawals are made up for before the policy is asked.
#[test]
fn failures_are_made_up_for() {
    let mut selector = selector();
    let asked: Vec<_> = (0..9).map(|_| evaluation(&mut selector)).collect();
    selector.tell(failed(asked[1].id)).unwrap();
    selector.tell(withdrawn(asked[5].id)).unwrap();
    let more = [evaluation(&mut selector), evaluation(&mut selector)];
    assert_eq!(
        more.map(|e| (e.arm, e.case.split)),
        [(arm(1), 3), (arm(2), 1)]
    );
    assert_eq!(selector.ask(), Ok(Ask::Wait));
}

/// Tests that a retired arm is not waited for.
#[test]
fn an_arm_that_cannot_work_does_not_hold_up_the_others() {
    let mut selector = selector();
    let mut order = Vec::new();
    while selector.view().observed(arm(2)) < 4 {
        let e = evaluation(&mut selector);
        order.push(e.arm.index());
        assert!(order.len() < 20, "arm 0 is evaluated for ever");
        let event = if e.arm == arm(0) {
            failed(e.id)
        } else {
            observed(e.id, 0.5)
        };
        selector.tell(event).unwrap();
    }
    assert_eq!(order.iter().filter(|&&index| index == 0).count(), 3);
    assert_eq!(selector.view().observed(arm(1)), 3);
}

#[test]
fn a_policy_without_need_of_a_posterior_is_asked_at_once() {
    let policy = Choose {
        choose: |_: &fiesta_core::View<'_>, _: &mut dyn rand::Rng| Next::Evaluate(arm(2)),
        needs_posterior: false,
    };
    let mut selector = Selector::builder(arms(3), Means::new(3, 3), policy, never())
        .build()
        .unwrap();
    assert_eq!(evaluation(&mut selector).arm, arm(2));
}

#[test]
fn the_posterior_must_have_as_many_arms() {
    let built = Selector::builder(arms(3), Means::new(2, 1), Random::new(1), never()).build();
    let error = built.err().unwrap();
    assert_eq!(error.to_string(), "the posterior has 2 arms, the study 3");
}
