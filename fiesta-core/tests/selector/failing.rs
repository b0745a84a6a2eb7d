//! Tests of failing evaluations and the arms that they retire.

use crate::fakes::{
    arm, builder, conclusion, evaluation, failed, in_turn, never, observed, withdrawn,
};
use fiesta_core::{Ask, FailureLimits, Limits, Reason, SelectorError};

#[test]
fn three_failures_at_first_retire_an_arm() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    for _ in 0..2 {
        let (zero, one) = (evaluation(&mut selector), evaluation(&mut selector));
        selector.tell(failed(zero.id)).unwrap();
        selector.tell(observed(one.id, 0.0)).unwrap();
        assert_eq!(selector.view().candidates().len(), 2);
    }
    let zero = evaluation(&mut selector);
    selector.tell(failed(zero.id)).unwrap();
    assert_eq!(selector.view().candidates(), [arm(1)]);
    assert_eq!(
        (
            selector.view().failed(arm(0)),
            selector.view().total_ended()
        ),
        (3, 5)
    );
    // Whoever is left has won nothing: that is no probability.
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.reason), (arm(1), Reason::OnlyCandidate));
    assert_eq!((end.probability, end.evaluations), (None, 5));
}

#[test]
fn when_every_arm_fails_none_is_left() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    for _ in 0..6 {
        let e = evaluation(&mut selector);
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.ask(), Err(SelectorError::NoArmLeft));
}

/// Tests that ten failures in a row retire an arm after its first success; a success starts the
/// count anew, a withdrawal does not.
#[test]
fn ten_failures_in_a_row_retire_an_arm_later() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let mut outcomes = vec![true];
    outcomes.extend([false; 9]);
    outcomes.push(true);
    outcomes.extend([false; 10]);
    for (number, success) in outcomes.iter().enumerate() {
        assert_eq!(
            selector.view().candidates().len(),
            2,
            "before outcome {number}"
        );
        let e = loop {
            let e = evaluation(&mut selector);
            if e.arm == arm(0) {
                break e;
            }
            selector.tell(observed(e.id, 0.0)).unwrap();
        };
        if number == 15 {
            selector.tell(withdrawn(e.id)).unwrap();
            let again = evaluation(&mut selector);
            assert_eq!((again.arm, again.case), (e.arm, e.case));
            selector.tell(failed(again.id)).unwrap();
        } else if *success {
            selector.tell(observed(e.id, 9.0)).unwrap();
        } else {
            selector.tell(failed(e.id)).unwrap();
        }
    }
    assert_eq!(selector.view().candidates(), [arm(1)]);
}

/// Tests that a retired arm with by far the best mean is recommended no more.
#[test]
fn a_retired_arm_is_not_recommended() {
    let limits = Limits {
        evaluations: Some(40),
        ..Limits::default()
    };
    let failure_limits = FailureLimits {
        at_first: 3,
        later: 4,
    };
    let mut selector = builder(2, in_turn(), never())
        .limits(limits)
        .failure_limits(failure_limits)
        .build()
        .unwrap();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let event = match (e.arm.index(), selector.view().observed(arm(0))) {
            (0, 0..2) => observed(e.id, 9.0),
            (0, _) => failed(e.id),
            _ => observed(e.id, 0.0),
        };
        selector.tell(event).unwrap();
    }
    let view = selector.view();
    assert_eq!((view.observed(arm(0)), view.failed(arm(0))), (2, 4));
    assert_eq!(view.belief().unwrap().probability, [0.0, 1.0]);
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.probability), (arm(1), None));
}

/// Tests that outcomes of a retired arm's running evaluations are accepted, and do not bring it back.
#[test]
fn late_outcomes_of_a_retired_arm_count_and_do_not_bring_it_back() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let asked: Vec<_> = (0..8).map(|_| evaluation(&mut selector)).collect();
    let zero: Vec<_> = asked.iter().filter(|e| e.arm == arm(0)).collect();
    for e in &zero[..3] {
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.view().candidates(), [arm(1)]);
    selector.tell(observed(zero[3].id, 9.0)).unwrap();
    assert_eq!(selector.view().observed(arm(0)), 1);
    assert_eq!(selector.view().candidates(), [arm(1)]);
}

/// Tests that the selector, with no arm left, waits for what is running and only then gives up.
#[test]
fn no_arm_left() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let asked: Vec<_> = (0..8).map(|_| evaluation(&mut selector)).collect();
    for e in &asked[..6] {
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    for e in &asked[6..] {
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.ask(), Err(SelectorError::NoArmLeft));
    assert!(selector.conclusion().is_none());
}
