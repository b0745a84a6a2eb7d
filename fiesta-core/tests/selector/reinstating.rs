//! Tests of arms that were retired for failing and come back, as the cause of their failures was mended.

use crate::fakes::{
    arm, builder, choose, conclusion, ended, evaluation, failed, in_turn, never, observed, see,
};
use fiesta_core::{
    Agreement, Ask, Case, Design, Event, Next, Outcome, Reason, Selector, SelectorError,
};

fn back(index: usize) -> Event {
    Event::Reinstated(arm(index))
}

/// Fails every evaluation of arm 0 and observes the others', until the selection ends.
fn fail_zero(selector: &mut Selector) -> Vec<Case> {
    let mut cases = Vec::new();
    while let Ok(Ask::Evaluate(e)) = selector.ask() {
        let event = if e.arm == arm(0) {
            cases.push(e.case);
            failed(e.id)
        } else {
            observed(e.id, 0.5)
        };
        selector.tell(event).unwrap();
    }
    cases
}

#[test]
fn failures_are_forgiven_made_again_and_stay_counted() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let cases = fail_zero(&mut selector);
    assert_eq!(cases.len(), 3);
    assert_eq!(conclusion(&mut selector).reason, Reason::OnlyCandidate);
    selector.tell(back(0)).unwrap();
    let view = selector.view();
    assert!(selector.conclusion().is_none());
    assert_eq!(view.candidates(), [arm(0), arm(1)]);
    assert_eq!((view.failed(arm(0)), view.attempts(arm(0))), (3, 0));
    assert_eq!(view.failures_in_a_row(arm(0)), 0);
    assert!(
        (view.total_cost() - 5.0).abs() < 1e-12,
        "{}",
        view.total_cost()
    );
    // The cases on which it failed come again; then three failures retire it once more.
    assert_eq!(fail_zero(&mut selector), cases);
    assert_eq!(selector.view().failed(arm(0)), 6);
    assert_eq!(conclusion(&mut selector).reason, Reason::OnlyCandidate);
}

#[test]
fn a_study_without_any_arm_goes_on() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    for _ in 0..6 {
        let e = evaluation(&mut selector);
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.ask(), Err(SelectorError::NoArmLeft));
    selector.tell(back(1)).unwrap();
    let e = evaluation(&mut selector);
    assert_eq!((e.arm, e.case.split), (arm(1), 0));
    selector.tell(observed(e.id, 0.5)).unwrap();
    assert_eq!(conclusion(&mut selector).reason, Reason::OnlyCandidate);
}

/// Tests that the evaluations that the posterior requires of arms that never failed come first: the
/// cause may not have been mended.
#[test]
fn arms_that_never_failed_come_first() {
    let nobody = choose(|_, _| panic!("not asked before everything is known"));
    let nobody = crate::fakes::Choose {
        needs_posterior: true,
        ..nobody
    };
    let mut selector = builder(4, nobody, never()).build().unwrap();
    for index in [0, 1] {
        let e = evaluation(&mut selector);
        assert_eq!(e.arm, arm(index));
        selector.tell(failed(e.id)).unwrap();
        // Else arm 0 would be asked for again.
        if index == 0 {
            let again = evaluation(&mut selector);
            assert_eq!(again.arm, arm(0));
            selector.tell(failed(again.id)).unwrap();
            let last = evaluation(&mut selector);
            selector.tell(failed(last.id)).unwrap();
        }
    }
    for index in [0, 1] {
        selector.tell(back(index)).unwrap();
    }
    let order: Vec<usize> = (0..4)
        .map(|_| evaluation(&mut selector).arm.index())
        .collect();
    assert_eq!(order, [2, 3, 1, 0]);
}

#[test]
fn a_document_that_failed_is_queried_again_and_a_split_of_its_own_given_again() {
    for (design, splits) in [
        (Design::Items { count: 4 }, None),
        (Design::Shared, Some(4)),
        (Design::Independent, Some(8)),
    ] {
        let mut selector = builder(2, in_turn(), never())
            .design(design)
            .splits(splits)
            .build()
            .unwrap();
        fail_zero(&mut selector);
        selector.tell(back(0)).unwrap();
        while let Ask::Evaluate(e) = selector.ask().unwrap() {
            selector.tell(observed(e.id, 0.5)).unwrap();
        }
        let view = selector.view();
        assert_eq!(
            view.observed(arm(0)) + view.observed(arm(1)),
            8,
            "{design:?}"
        );
        assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
    }
}

/// Tests that replaying recorded events makes the same selector, which makes every decision again.
#[test]
fn a_replay_agrees() {
    let build = || builder(3, in_turn(), never()).build().unwrap();
    let mut selector = build();
    let mut log: Vec<Result<Ask, Event>> = Vec::new();
    for _ in 0..40 {
        match selector.ask() {
            Ok(ask) => {
                log.push(Ok(ask.clone()));
                if let Ask::Evaluate(e) = ask {
                    let outcome = if e.arm == arm(2) {
                        Outcome::Observed(0.5)
                    } else {
                        Outcome::Failed
                    };
                    log.push(Err(ended(e.id, outcome, 1.0)));
                } else {
                    log.push(Err(back(0)));
                }
            }
            Err(_) => log.push(Err(back(1))),
        }
        if let Some(Err(event)) = log.last() {
            selector.tell(*event).unwrap();
        }
    }
    assert!(log.iter().any(|step| *step == Err(back(0))), "{log:?}");
    let mut again = build();
    for step in &log {
        match step {
            Ok(ask) => assert_eq!(again.replay(ask).unwrap(), Agreement::Same),
            Err(event) => again.tell(*event).unwrap(),
        }
    }
    assert_eq!(see(&again), see(&selector));
}

/// Tests that the selector says of retired arms what the policy says: whether they can come back.
#[test]
fn a_policy_may_have_no_place_for_it() {
    struct Closed;
    impl fiesta_core::Policy for Closed {
        fn next(&mut self, _: &fiesta_core::View<'_>, _: &mut dyn rand::Rng) -> Next {
            Next::Wait
        }
        fn readmits(&self, arm: fiesta_core::ArmId) -> bool {
            arm.index() == 1
        }
    }
    let boxed: Box<dyn fiesta_core::Policy> = Box::new(Closed);
    let selector = builder(2, boxed, never()).build().unwrap();
    assert!(!selector.readmits(arm(0)) && selector.readmits(arm(1)));
    let open = builder(2, in_turn(), never()).build().unwrap();
    assert!(open.readmits(arm(0)));
}
