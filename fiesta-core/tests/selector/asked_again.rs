//! Tests of failed evaluations that are made again, and of arms that are evaluated no more once the
//! best two are known on all items.

use crate::fakes::{arm, builder, conclusion, evaluation, failed, in_turn, never, observed};
use fiesta_core::{ArmId, Ask, Case, Design, EvaluationId, Event, Reason, Selector, SelectorError};

/// Runs a selection to its end; evaluations of arm 0 fail where `fails` says so. Returns all of them.
fn go_on(selector: &mut Selector, fails: impl Fn(Case) -> bool) -> Vec<(ArmId, Case)> {
    let mut made = Vec::new();
    while let Ok(Ask::Evaluate(e)) = selector.ask() {
        made.push((e.arm, e.case));
        let event = if e.arm == arm(0) && fails(e.case) {
            failed(e.id)
        } else {
            observed(e.id, 0.5)
        };
        selector.tell(event).unwrap();
    }
    made
}

#[test]
fn what_failed_is_made_again_on_the_same_cases_and_not_held_against_the_arm() {
    for (design, splits) in [
        (Design::Items { count: 12 }, None),
        (Design::Shared, Some(12)),
        (Design::Independent, Some(24)),
    ] {
        let mut selector = builder(2, in_turn(), never())
            .design(design)
            .splits(splits)
            .build()
            .unwrap();
        let first = go_on(&mut selector, |case| case.split % 3 == 0);
        assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
        let lost: Vec<EvaluationId> = selector.failed().collect();
        let of_zero = first
            .iter()
            .filter(|(of, case)| *of == arm(0) && case.split % 3 == 0);
        let mut cases: Vec<Case> = of_zero.map(|(_, case)| *case).collect();
        assert_eq!(
            (lost.len(), lost.is_empty()),
            (cases.len(), false),
            "{design:?}"
        );
        for &id in &lost {
            selector.tell(Event::AskedAgain(id)).unwrap();
        }
        let refused = selector.tell(Event::AskedAgain(lost[0]));
        assert_eq!(refused, Err(SelectorError::NotFailed(lost[0].0)));
        assert!(selector.conclusion().is_none() && selector.failed().next().is_none());
        let mut again: Vec<Case> = go_on(&mut selector, |_| false)
            .iter()
            .map(|m| m.1)
            .collect();
        for cases in [&mut cases, &mut again] {
            cases.sort_by_key(|case| case.split);
            if design == Design::Independent {
                // The turn comes again, and with it the seed; splits are given in order.
                for case in cases.iter_mut() {
                    case.seed = 0;
                }
            }
        }
        assert_eq!(again, cases, "{design:?}");
        let view = selector.view();
        assert_eq!(view.failed(arm(0)), lost.len() as u64);
        assert_eq!(view.observed(arm(0)) + view.observed(arm(1)), 24);
        assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
    }
}

/// Tests that an arm that was retired comes back once so few failures in a row are left that it
/// would not have been.
#[test]
fn an_arm_that_was_retired_comes_back() {
    let mut selector = builder(2, in_turn(), never())
        .design(Design::Items { count: 9 })
        .build()
        .unwrap();
    go_on(&mut selector, |_| true);
    assert_eq!(conclusion(&mut selector).reason, Reason::OnlyCandidate);
    let lost: Vec<EvaluationId> = selector.failed().collect();
    assert_eq!(lost.len(), 3);
    selector.tell(Event::AskedAgain(lost[1])).unwrap();
    assert_eq!(selector.view().candidates(), [arm(0), arm(1)]);
    assert_eq!(selector.view().failures_in_a_row(arm(0)), 2);
    go_on(&mut selector, |_| false);
    assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
}

/// Tests arms with P(best) proportional to exp(mean): of means 9, 8, 3 and 0 it is .729, .268,
/// .0018 and .0001.
#[test]
fn arms_that_cannot_be_the_best_are_let_alone_once_the_best_two_are_through() {
    let made = |negligible: f64| {
        let scores = [9.0, 8.0, 3.0, 0.0];
        // The best first, as far as there are splits for it.
        let eager = crate::fakes::choose(|view, _| {
            let known = |of: ArmId| view.observed(of) >= 2;
            let least = view.candidates().iter().copied().find(|&of| !known(of));
            fiesta_core::Next::Evaluate(least.unwrap_or_else(|| arm(3)))
        });
        let mut selector = builder(4, eager, never())
            .splits(Some(6))
            .negligible(negligible)
            .build()
            .unwrap();
        let mut counts = [0; 4];
        while let Ask::Evaluate(e) = selector.ask().unwrap() {
            counts[e.arm.index()] += 1;
            selector
                .tell(observed(e.id, scores[e.arm.index()]))
                .unwrap();
        }
        assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
        counts
    };
    // Arm 3 is chosen until it has no split left, and then what is most probably best: the others'
    // evaluations come after those of the best two.
    assert_eq!(made(0.0), [6, 6, 6, 6]);
    assert_eq!(made(0.001), [6, 6, 6, 6]);
    assert_eq!(made(0.01), [6, 6, 2, 6]);

    // A policy that takes arms in turn is told so as well, and the most probably best goes on.
    let mut selector = builder(3, in_turn(), never())
        .splits(Some(5))
        .negligible(0.01)
        .build()
        .unwrap();
    for (of, score) in [(0, 9.0), (1, 9.0), (2, 0.0)].repeat(2) {
        let e = evaluation(&mut selector);
        assert_eq!(e.arm, arm(of));
        selector.tell(observed(e.id, score)).unwrap();
    }
    let mut later = Vec::new();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        later.push(e.arm.index());
        let score = if e.arm == arm(2) { 0.0 } else { 9.0 };
        selector.tell(observed(e.id, score)).unwrap();
    }
    assert_eq!(later, [0, 1, 2, 0, 1, 2, 0, 1]);
}
