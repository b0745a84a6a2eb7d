//! Tests of items of a pool, and of splits that end: no arm has one twice, and when every arm has
//! had them all the selection ends.

use crate::fakes::{
    Choose, Means, Random, Rule, arm, arms, builder, choose, conclusion, evaluation, failed,
    in_turn, never, observed, withdrawn,
};
use fiesta_core::{
    Ask, Design, Limit, Limits, Next, Policy, Reason, Selector, SelectorError, Verdict, View,
};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

fn items(count: usize, of: u64, policy: impl Policy + 'static) -> Selector {
    builder(count, policy, never())
        .design(Design::Items { count: of })
        .build()
        .unwrap()
}

/// Runs a selection to its end, and returns which arm was evaluated on which item.
fn to_the_end(selector: &mut Selector, score: impl Fn(usize) -> f64) -> Vec<(usize, u64)> {
    let mut made = Vec::new();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        made.push((e.arm.index(), e.case.split));
        assert!(made.len() < 1000, "it never ends");
        selector.tell(observed(e.id, score(e.arm.index()))).unwrap();
    }
    made
}

#[test]
fn every_arm_gets_the_same_random_order_and_every_item_once() {
    let mut selector = items(2, 9, in_turn());
    let made = to_the_end(&mut selector, |_| 0.5);
    let of = |index| made.iter().filter(move |(arm, _)| *arm == index);
    let order: Vec<u64> = of(0).map(|&(_, item)| item).collect();
    assert!(of(1).map(|&(_, item)| item).eq(order.iter().copied()));
    assert!(!order.is_sorted(), "{order:?} is no random order");
    let distinct: BTreeSet<u64> = order.into_iter().collect();
    assert!(distinct.into_iter().eq(0..9));
    let end = conclusion(&mut selector);
    assert_eq!((end.reason, end.evaluations), (Reason::Exhausted, 18));
    assert!(end.probability.is_some());
}

/// Tests splits 0 to 3: an arm that has used them all remains a candidate, the others go on.
#[test]
fn splits_that_end() {
    for (design, all) in [(Design::Shared, 12), (Design::Independent, 4)] {
        let stubborn = choose(|_, _| Next::Evaluate(arm(2)));
        let mut selector = builder(3, stubborn, never())
            .design(design)
            .splits(Some(4))
            .build()
            .unwrap();
        let made = to_the_end(&mut selector, |index| index as f64);
        assert_eq!(made.len(), all, "{design:?}");
        let own: Vec<u64> = made[..4].iter().map(|&(_, split)| split).collect();
        assert_eq!(own, [0, 1, 2, 3]);
        assert!(made[..4].iter().all(|&(arm, _)| arm == 2));
        let view = selector.view();
        assert!(view.candidates().len() == 3 && view.with_case_left().next().is_none());
        let end = conclusion(&mut selector);
        assert_eq!((end.arm, end.reason), (arm(2), Reason::Exhausted));
    }
}

/// Tests that a split that was withdrawn is given again, and recorded ones are not given once more.
#[test]
fn splits_of_their_own_are_each_used_once() {
    let mut selector = builder(2, in_turn(), never())
        .design(Design::Independent)
        .splits(Some(5))
        .build()
        .unwrap();
    let recorded = fiesta_core::Evaluation {
        id: fiesta_core::EvaluationId(0),
        arm: arm(0),
        case: fiesta_core::Case { split: 1, seed: 0 },
    };
    selector.record(recorded, Some(0.5)).unwrap();
    let (a, b) = (evaluation(&mut selector), evaluation(&mut selector));
    assert_eq!((a.case.split, b.case.split), (0, 2));
    selector.tell(withdrawn(a.id)).unwrap();
    let splits: Vec<u64> = (0..3)
        .map(|_| evaluation(&mut selector).case.split)
        .collect();
    assert_eq!(splits, [0, 3, 4]);
    assert_eq!(selector.ask(), Ok(Ask::Wait));
}

/// Tests a policy that knows nothing of documents and wants the last arm only: the selector then
/// evaluates the other arm that is most probably best.
#[test]
fn an_exhausted_choice_goes_to_the_most_probable() {
    let stubborn = Choose {
        choose: |_: &View<'_>, _: &mut dyn rand::Rng| Next::Evaluate(arm(2)),
        needs_posterior: true,
    };
    let mut selector = items(3, 4, stubborn);
    let made = to_the_end(&mut selector, |index| [0.1, 0.9, 0.5][index]);
    // Two of each for the posterior, the policy's own two, and then arm 1 before arm 0.
    let order: Vec<usize> = made.iter().map(|&(arm, _)| arm).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2, 2, 2, 1, 1, 0, 0]);
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.reason), (arm(1), Reason::Exhausted));
}

/// Tests that, before there is a belief, an exhausted choice goes to the arm with the fewest
/// attempts.
#[test]
fn an_exhausted_choice_goes_to_the_fewest_attempts_before_a_belief() {
    let stubborn = choose(|_, _| Next::Evaluate(arm(2)));
    let mut selector = Selector::builder(arms(3), Means::new(3, 9), stubborn, never())
        .design(Design::Items { count: 2 })
        .build()
        .unwrap();
    let made = to_the_end(&mut selector, |_| 0.5);
    let order: Vec<usize> = made.iter().map(|&(arm, _)| arm).collect();
    assert_eq!(order, [2, 2, 0, 1, 0, 1]);
}

/// Tests that an arm that failed on two of five documents can never have the four observations that
/// are required. The others are not held up by it: the policy that needs a posterior is not asked,
/// and the rule still is.
#[test]
fn what_can_never_be_known_is_not_waited_for() {
    let unasked = Choose {
        choose: |_: &View<'_>, _: &mut dyn rand::Rng| panic!("it needs a posterior"),
        needs_posterior: true,
    };
    let looks = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&looks);
    let rule = Rule(move |view: &View<'_>| {
        noted.lock().unwrap().push(view.total_ended());
        Verdict::Continue
    });
    let mut selector = Selector::builder(arms(3), Means::new(3, 4), unasked, rule)
        .design(Design::Items { count: 5 })
        .build()
        .unwrap();
    let mut order = Vec::new();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        order.push(e.arm.index());
        let attempt = order.iter().filter(|&&index| index == 0).count();
        let event = if e.arm == arm(0) && attempt <= 2 {
            failed(e.id)
        } else {
            observed(e.id, 0.5)
        };
        selector.tell(event).unwrap();
    }
    // The last two are what the others have left, the one with the fewest attempts first.
    assert_eq!(order.len(), 15);
    assert_eq!(order[13..], [1, 2]);
    let end = conclusion(&mut selector);
    assert_eq!((end.reason, end.probability), (Reason::Exhausted, None));
    assert_eq!(*looks.lock().unwrap(), [13, 14, 15]);
}

#[test]
fn it_waits_for_what_is_running_and_gives_back_what_was_withdrawn() {
    let mut selector = items(2, 1, in_turn());
    let (a, b) = (evaluation(&mut selector), evaluation(&mut selector));
    assert!(!selector.view().has_case_left(a.arm) && selector.view().next_case(a.arm).is_none());
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(observed(a.id, 0.5)).unwrap();
    assert_eq!(selector.ask(), Ok(Ask::Wait));
    selector.tell(withdrawn(b.id)).unwrap();
    assert!(selector.view().has_case_left(b.arm));
    let again = evaluation(&mut selector);
    assert_eq!((again.arm, again.case), (b.arm, b.case));
    selector.tell(observed(again.id, 0.7)).unwrap();
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.reason), (b.arm, Reason::Exhausted));
}

/// Tests that a rule that the policy's round keeps from looking has its say when no round can be
/// completed any more.
#[test]
fn the_stopping_rule_has_the_last_look() {
    struct Inside;
    impl Policy for Inside {
        fn next(&mut self, view: &View<'_>, _: &mut dyn rand::Rng) -> Next {
            let fewest = view.with_case_left().min_by_key(|&arm| view.attempts(arm));
            fewest.map_or(Next::Wait, Next::Evaluate)
        }
        fn round_complete(&self, _: &View<'_>) -> bool {
            false
        }
    }
    let reason = || Reason::PosteriorProbability { level: 0.9 };
    let rule = Rule(move |_: &View<'_>| Verdict::Stop(arm(0), reason()));
    let mut selector = builder(2, Inside, rule)
        .design(Design::Items { count: 3 })
        .build()
        .unwrap();
    assert_eq!(to_the_end(&mut selector, |index| index as f64).len(), 6);
    let end = conclusion(&mut selector);
    assert_eq!((end.arm, end.reason), (arm(0), reason()));
}

/// Tests that a study that ends with its last document is not said to end by a limit of the same
/// size; by a smaller limit it is.
#[test]
fn limits_and_the_collection() {
    let end = |limits| {
        let mut selector = builder(2, in_turn(), never())
            .design(Design::Items { count: 3 })
            .limits(limits)
            .build()
            .unwrap();
        to_the_end(&mut selector, |_| 0.5);
        conclusion(&mut selector).reason
    };
    let evaluations = |limit| Limits {
        evaluations: Some(limit),
        ..Limits::default()
    };
    let cost = |limit| Limits {
        cost: Some(limit),
        ..Limits::default()
    };
    assert_eq!(end(evaluations(6)), Reason::Exhausted);
    assert_eq!(end(evaluations(5)), Reason::Limit(Limit::Evaluations(5)));
    assert_eq!(end(cost(6.0)), Reason::Exhausted);
    assert_eq!(end(cost(5.0)), Reason::Limit(Limit::Cost(5.0)));
}

/// Tests a limit on cost where the cheapest arm has no document left: what the others would cost
/// decides whether there is room.
#[test]
fn a_limit_on_cost_looks_at_arms_that_can_be_evaluated() {
    let mut selector = builder(
        2,
        choose(|view, _| Next::Evaluate(arm(usize::from(view.attempts(arm(0)) > 1)))),
        never(),
    )
    .design(Design::Items { count: 2 })
    .limits(Limits {
        cost: Some(15.0),
        ..Limits::default()
    })
    .build()
    .unwrap();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let cost = if e.arm == arm(0) { 1.0 } else { 10.0 };
        let outcome = fiesta_core::Outcome::Observed(0.5);
        selector
            .tell(crate::fakes::ended(e.id, outcome, cost))
            .unwrap();
    }
    let end = conclusion(&mut selector);
    assert_eq!(
        (end.reason, end.evaluations),
        (Reason::Limit(Limit::Cost(15.0)), 3)
    );
}

#[test]
fn every_policy_of_the_fakes_ends() {
    for width in [1, 4] {
        let mut selector = items(3, 5, Random::new(width));
        assert_eq!(to_the_end(&mut selector, |_| 0.5).len(), 15);
    }
}

/// Tests that the policy goes through the pool from the highest number down: every arm still has
/// each item once, with the seed that it has in the random order, and what was withdrawn can be
/// named again.
#[test]
fn a_policy_may_name_the_items() {
    let backwards = || {
        choose(|view: &View<'_>, _: &mut dyn rand::Rng| {
            let free = |arm| (0..6).rev().find(|&item| !view.has_had(arm, item));
            let next = view
                .candidates()
                .iter()
                .find_map(|&arm| Some((arm, free(arm)?)));
            let (arm, item) = next.unwrap();
            assert_eq!(view.pool().len(), 6);
            assert!(view.case_of(arm, item).is_some());
            Next::EvaluateOn(arm, item)
        })
    };
    let mut in_order = items(2, 6, in_turn());
    let mut seeds = std::collections::BTreeMap::new();
    while let Ask::Evaluate(e) = in_order.ask().unwrap() {
        seeds.insert((e.arm, e.case.split), e.case.seed);
        in_order.tell(observed(e.id, 0.5)).unwrap();
    }
    let mut selector = items(2, 6, backwards());
    let first = evaluation(&mut selector);
    selector.tell(withdrawn(first.id)).unwrap();
    let again = evaluation(&mut selector);
    assert_eq!((again.arm, again.case), (first.arm, first.case));
    selector.tell(observed(again.id, 0.5)).unwrap();
    let mut made = vec![(again.arm, again.case.split)];
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        assert_eq!(seeds[&(e.arm, e.case.split)], e.case.seed);
        made.push((e.arm, e.case.split));
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    let expected = [0, 1]
        .into_iter()
        .flat_map(|index| (0..6).rev().map(move |item| (arm(index), item)));
    assert!(made.into_iter().eq(expected));
    assert_eq!(conclusion(&mut selector).reason, Reason::Exhausted);
}

/// Tests that a policy's choice of an item is refused if the arm has had it, it does not exist, or
/// the study has no items.
#[test]
fn an_item_that_cannot_be_had_is_an_error() {
    let on = |item| move |_: &View<'_>, _: &mut dyn rand::Rng| Next::EvaluateOn(arm(0), item);
    let mut twice = items(2, 3, choose(on(1)));
    let first = evaluation(&mut twice);
    let wrong = |item| Err(SelectorError::NoItem { arm: 0, item });
    assert_eq!(twice.ask(), wrong(1));
    twice.tell(observed(first.id, 0.5)).unwrap();
    assert_eq!(twice.ask(), wrong(1));
    assert_eq!(items(2, 3, choose(on(3))).ask(), wrong(3));
    let mut of_splits = builder(2, choose(on(0)), never()).build().unwrap();
    assert_eq!(of_splits.ask(), wrong(0));
}
