//! Tests of evaluations that were made before the study.

use crate::fakes::{
    Means, arm, arms, builder, choose, conclusion, ended, evaluation, failed, in_turn, never,
    observed,
};
use fiesta_core::{
    ArmId, Ask, Case, Design, Evaluation, EvaluationId, Limit, Limits, Next, Outcome, Reason,
    Selector, SelectorError, StoppingRule, Verdict, View,
};
use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

fn made(id: u64, index: usize, split: u64, seed: u64) -> Evaluation {
    Evaluation {
        id: EvaluationId(id),
        arm: arm(index),
        case: Case { split, seed },
    }
}

/// Returns the splits of the next `count` evaluations of an arm.
fn splits(selector: &mut Selector, of: ArmId, count: usize) -> Vec<u64> {
    let mut splits = Vec::new();
    while splits.len() < count {
        let e = evaluation(selector);
        if e.arm == of {
            splits.push(e.case.split);
        }
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    splits
}

fn always(index: usize) -> impl fiesta_core::Policy {
    choose(move |_, _| Next::Evaluate(arm(index)))
}

#[test]
fn an_arm_goes_on_with_splits_it_does_not_have() {
    let with_records = |index| {
        let mut selector = builder(3, always(index), never()).build().unwrap();
        for (id, (index, split)) in (0..).zip([(0, 0), (0, 1), (0, 2), (1, 1), (1, 9)]) {
            selector
                .record(made(id, index, split, 7), Some(0.5))
                .unwrap();
        }
        selector
    };
    // Those that a rival has come before those that nobody has.
    assert_eq!(splits(&mut with_records(0), arm(0), 4), [9, 3, 4, 5]);
    assert_eq!(splits(&mut with_records(1), arm(1), 4), [0, 2, 3, 4]);
    assert_eq!(splits(&mut with_records(2), arm(2), 6), [0, 1, 2, 9, 3, 4]);
}

/// Tests that recorded items come first by default, and stay in the random order if that is kept.
#[test]
fn the_order_of_a_pool_can_be_kept() {
    let pool = |keeps: bool, recorded: &[u64]| {
        let builder = builder(2, always(1), never()).design(Design::Items { count: 20 });
        let mut selector = builder.keeps_order(keeps).build().unwrap();
        for (id, &item) in (0..).zip(recorded) {
            selector.record(made(id, 0, item, 1), Some(0.5)).unwrap();
        }
        let again = selector.record(made(2, 0, recorded.first().copied().unwrap_or(99), 1), None);
        assert!(again.is_err());
        (
            selector.view().next_turn(arm(0)),
            splits(&mut selector, arm(1), 20),
        )
    };
    let (_, order) = pool(true, &[]);
    let recorded = [order[7], order[0]];
    assert_eq!(pool(true, &recorded), (1, order.clone()));
    let (turn, first) = pool(false, &recorded);
    assert_eq!((turn, &first[..2]), (2, &recorded[..]));
}

#[test]
fn they_count_for_the_belief_and_not_for_the_budget() {
    let limits = Limits {
        evaluations: Some(3),
        ..Limits::default()
    };
    let means = Means::new(2, 2);
    let seen = means.observations.clone();
    let mut selector = Selector::builder(arms(2), means, in_turn(), never())
        .limits(limits)
        .build()
        .unwrap();
    for id in 0..4 {
        let evaluation = made(id, usize::from(id >= 2), id % 2, 0);
        selector.record(evaluation, Some(0.25)).unwrap();
    }
    let view = selector.view();
    assert!(view.belief().is_some());
    assert_eq!((view.total_ended(), view.total_made()), (4, 0));
    assert_eq!((view.recorded(arm(1)), view.total_recorded()), (2, 4));
    assert!(view.total_cost() == 0.0 && view.costs(arm(0)).count() == 0);
    assert_eq!(
        seen.lock().unwrap()[3],
        (arm(1), Case { split: 1, seed: 0 }, 0.25)
    );
    for number in 4..7 {
        let e = evaluation(&mut selector);
        assert_eq!(e.id, EvaluationId(number));
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    let end = conclusion(&mut selector);
    assert_eq!(end.reason, Reason::Limit(Limit::Evaluations(3)));
    assert_eq!(end.evaluations, 7);
}

#[test]
fn they_may_end_the_study_before_it_begins() {
    let rule = crate::fakes::Rule(|view: &View<'_>| match view.belief() {
        Some(belief) => Verdict::Stop(belief.leader().0, Reason::Schedule),
        None => Verdict::Continue,
    });
    let mut selector = builder(2, in_turn(), rule).build().unwrap();
    for (id, score) in [0.1, 0.2, 0.8, 0.9].into_iter().enumerate() {
        let evaluation = made(id as u64, id / 2, id as u64 % 2, 0);
        selector.record(evaluation, Some(score)).unwrap();
    }
    assert_eq!(conclusion(&mut selector).arm, arm(1));
}

#[test]
fn failures_among_them_are_counted_and_forgiven() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    for id in 0..9 {
        selector.record(made(id, 0, id, 0), None).unwrap();
    }
    selector.record(made(9, 1, 0, 0), Some(0.5)).unwrap();
    assert_eq!(selector.view().failed(arm(0)), 9);
    assert_eq!(selector.view().candidates(), [arm(0), arm(1)]);
    // What succeeded elsewhere is no sign that it can work here: three failures and no more
    // failure_limits.
    for _ in 0..3 {
        let e = evaluation(&mut selector);
        assert_eq!(e.arm, arm(1));
        selector.tell(failed(e.id)).unwrap();
    }
    assert_eq!(selector.view().candidates(), [arm(0)]);
}

#[test]
fn what_is_no_record_changes_nothing() {
    let mut selector = builder(2, in_turn(), never()).build().unwrap();
    let before = crate::fakes::see(&selector);
    for refused in [
        selector.record(made(1, 0, 0, 0), Some(0.5)),
        selector.record(made(0, 0, u64::MAX, 0), Some(0.5)),
        selector.record(made(0, 0, 0, 0), Some(f64::NAN)),
    ] {
        assert!(refused.is_err());
    }
    assert_eq!(crate::fakes::see(&selector), before);
    let e = evaluation(&mut selector);
    assert_eq!(e.case.split, 0);
    let late = selector.record(made(1, 0, 5, 0), Some(0.5));
    assert_eq!(late, Err(SelectorError::RecordedLate(1)));
}

#[test]
fn documents_are_queried_once_all_the_same() {
    let design = Design::Items { count: 6 };
    let mut selector = builder(2, in_turn(), never())
        .design(design)
        .build()
        .unwrap();
    for (id, document) in [(0, 4), (1, 2)] {
        selector
            .record(made(id, 0, document, 0), Some(0.5))
            .unwrap();
    }
    let twice = selector.record(made(2, 0, 4, 0), Some(0.5));
    assert_eq!(twice, Err(SelectorError::RecordedTwice(2)));
    let none = selector.record(made(2, 0, 6, 0), Some(0.5));
    assert!(matches!(
        none,
        Err(SelectorError::RecordedElsewhere { split: 6, .. })
    ));
    let mut queried = [vec![4, 2], Vec::new()];
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        queried[e.arm.index()].push(e.case.split);
        selector.tell(observed(e.id, 0.5)).unwrap();
    }
    assert_eq!(queried[0], queried[1]);
    let all: BTreeSet<u64> = queried[0].iter().copied().collect();
    assert_eq!((queried[0].len(), all.len()), (6, 6));
}

/// Stopping rule that never stops and notes the arm and turn of every ended evaluation.
struct Notes(Arc<Mutex<Vec<(usize, u64)>>>);

impl StoppingRule for Notes {
    fn check(&self, _view: &View<'_>) -> Verdict {
        Verdict::Continue
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, _outcome: &Outcome) {
        let arm = evaluation.arm.index();
        self.0.lock().unwrap().push((arm, turn));
    }
}

/// Tests that rules see each turn once: turns are places in the sequence of splits that all arms
/// share, whoever made the evaluations.
#[test]
fn rules_see_each_place_once() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let mut selector = builder(2, in_turn(), Notes(notes.clone())).build().unwrap();
    for (id, (index, split, seed)) in
        (0..).zip([(0, 3, 0), (0, 3, 1), (0, 8, 0), (1, 8, 0), (1, 5, 0)])
    {
        selector
            .record(made(id, index, split, seed), Some(0.5))
            .unwrap();
    }
    // One more of arm 0 is recorded than of arm 1, on a split that it has.
    assert_eq!(splits(&mut selector, arm(1), 2), [3, 0]);
    let seen = notes.lock().unwrap().clone();
    assert_eq!(seen[..4], [(0, 0), (0, 1), (1, 1), (1, 2)]);
    assert!(seen.contains(&(0, 2)) && seen.contains(&(1, 0)), "{seen:?}");
    let distinct: BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len());
}

proptest! {
    /// Tests that no arm gets a split twice, whatever was recorded and however evaluations end, and
    /// that arms that are evaluated equally often end up on the same splits.
    #[test]
    fn no_split_twice(
        records in prop::collection::vec((0..3_usize, 0..12_u64), 0..20),
        ends in prop::collection::vec((any::<usize>(), 0..10_u8), 80),
        width in 1..6_usize,
    ) {
        let mut selector = builder(3, in_turn(), never()).build().unwrap();
        let mut has: [BTreeSet<u64>; 3] = Default::default();
        for (id, (index, split)) in (0..).zip(records) {
            selector.record(made(id, index, split, id), Some(0.5)).unwrap();
            has[index].insert(split);
        }
        let mut failures = 0;
        for (place, kind) in ends {
            while selector.pending().count() < width {
                let e = evaluation(&mut selector);
                prop_assert!(has[e.arm.index()].insert(e.case.split), "{:?} twice", e);
            }
            let pending: Vec<_> = selector.pending().collect();
            let e = pending[place % pending.len()];
            let outcome = match kind {
                0 => {
                    has[e.arm.index()].remove(&e.case.split);
                    Outcome::Withdrawn
                }
                1 if failures < 2 => {
                    failures += 1;
                    Outcome::Failed
                }
                _ => Outcome::Observed(0.5),
            };
            selector.tell(ended(e.id, outcome, 1.0)).unwrap();
        }
        // As many of each in the end: then the splits are the same.
        let most = has.iter().map(BTreeSet::len).max().unwrap();
        for _ in 0..200 {
            let pending: Vec<_> = selector.pending().collect();
            for e in pending {
                selector.tell(observed(e.id, 0.5)).unwrap();
            }
            if has.iter().all(|of| of.len() > most) {
                break;
            }
            let e = evaluation(&mut selector);
            prop_assert!(has[e.arm.index()].insert(e.case.split));
        }
        let common: BTreeSet<u64> = has[0].intersection(&has[1]).copied().collect();
        let common = common.intersection(&has[2]).count();
        prop_assert!(common >= most, "{:?}", has);
    }
}
