//! Tests of random interleavings of asks, outcomes, withdrawals, failures and readings of the clock.

use crate::fakes::{Random, Rule, builder, ended, see};
use fiesta_core::{
    Agreement, Ask, Case, Design, EvaluationId, Event, Limits, Outcome, Reason, Selector,
    SelectorError, Verdict,
};
use proptest::{prelude::*, sample::Index};
use std::collections::{BTreeMap, VecDeque};

#[derive(Debug, Clone)]
enum Action {
    Ask,
    /// Tells one of the pending evaluations, if there is one.
    Tell(Index, Outcome, f64),
    Clock(f64),
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Asked(Ask),
    Told(Event),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let outcome = prop_oneof![
        5 => (-1.0..1.0_f64).prop_map(Outcome::Observed),
        2 => Just(Outcome::Failed),
        1 => Just(Outcome::Withdrawn),
    ];
    let tell = (any::<Index>(), outcome, 0.0..3.0_f64).prop_map(|(i, o, c)| Action::Tell(i, o, c));
    let action = prop_oneof![
        6 => Just(Action::Ask),
        5 => tell,
        1 => (0.0..100.0_f64).prop_map(Action::Clock),
    ];
    prop::collection::vec(action, 0..200)
}

fn designs() -> impl Strategy<Value = Design> {
    prop_oneof![
        Just(Design::Shared),
        Just(Design::Independent),
        (1..12_u64).prop_map(|count| Design::Items { count }),
    ]
}

fn selector(seed: u64, design: Design) -> Selector {
    let rule = Rule(|view: &fiesta_core::View<'_>| match view.belief() {
        Some(belief) if view.total_ended() >= 40 => Verdict::Stop(
            belief.leader().0,
            Reason::PosteriorProbability { level: 0.9 },
        ),
        _ => Verdict::Continue,
    });
    builder(3, Random::new(4), rule)
        .seed(seed)
        .design(design)
        .limits(Limits {
            wall: Some(99.0),
            ..Limits::default()
        })
        .build()
        .unwrap()
}

/// Drives a selector through the actions and returns the steps. After every answer to wait the
/// selector is asked again as often as `again` says.
fn run(selector: &mut Selector, actions: &[Action], mut again: impl FnMut() -> usize) -> Vec<Step> {
    let mut log = Vec::new();
    for action in actions {
        match action {
            Action::Ask => match selector.ask() {
                Ok(ask) => {
                    let waiting = ask == Ask::Wait;
                    log.push(Step::Asked(ask));
                    for _ in 0..if waiting { again() } else { 0 } {
                        assert_eq!(selector.ask(), Ok(Ask::Wait));
                    }
                }
                Err(error) => {
                    assert_eq!(error, SelectorError::NoArmLeft);
                    return log;
                }
            },
            Action::Tell(index, outcome, cost) => {
                let pending: Vec<_> = selector.pending().collect();
                if !pending.is_empty() {
                    let event = ended(index.get(&pending).id, *outcome, *cost);
                    selector.tell(event).unwrap();
                    log.push(Step::Told(event));
                }
            }
            Action::Clock(seconds) => {
                selector.tell(Event::Clock(*seconds)).unwrap();
                log.push(Step::Told(Event::Clock(*seconds)));
            }
        }
    }
    log
}

/// Counts, costs and cases that an arm should have, kept by the test itself.
#[derive(Default)]
struct Book {
    observed: u64,
    failed: u64,
    cost: f64,
    next_split: u64,
    /// Cases that were withdrawn and are to be given again.
    due: VecDeque<Case>,
}

proptest! {
    #[test]
    fn replays_exactly(actions in actions(), seed: u64, design in designs()) {
        let mut first = selector(seed, design);
        let log = run(&mut first, &actions, || 0);
        let mut second = selector(seed, design);
        for step in &log {
            match step {
                Step::Asked(ask) => prop_assert_eq!(second.replay(ask), Ok(Agreement::Same)),
                Step::Told(event) => prop_assert_eq!(second.tell(*event), Ok(())),
            }
        }
        prop_assert_eq!(see(&second), see(&first));
        // Both would go on alike.
        prop_assert_eq!(second.ask(), first.ask());
    }

    /// Tests that a selector that accepts a record without deciding again ends with the same knowledge.
    #[test]
    fn accepting_shows_the_same(actions in actions(), seed: u64, design in designs()) {
        let mut first = selector(seed, design);
        let log = run(&mut first, &actions, || 0);
        let mut second = selector(seed, design);
        for step in &log {
            match step {
                Step::Asked(ask) => second.accept(ask),
                Step::Told(event) => second.tell(*event).unwrap(),
            }
        }
        prop_assert_eq!(see(&second), see(&first));
    }

    #[test]
    fn asking_while_waiting_leaves_no_trace(
        actions in actions(),
        seed: u64,
        design in designs(),
        again in prop::collection::vec(0..4_usize, 1..20),
    ) {
        let (mut plain, mut eager) = (selector(seed, design), selector(seed, design));
        let mut again = again.into_iter().cycle();
        let expected = run(&mut plain, &actions, || 0);
        let log = run(&mut eager, &actions, || again.next().unwrap());
        prop_assert_eq!(log, expected);
        prop_assert_eq!(see(&eager), see(&plain));
    }

    /// Tests a study of documents under a policy that knows nothing of them: every arm goes through
    /// the same order, gets nothing twice but what was withdrawn and nothing beyond the last, and
    /// once all is told the selection ends, with every document queried unless something else ended
    /// it.
    #[test]
    fn documents_are_queried_once(actions in actions(), seed: u64, count in 1..15_u64) {
        let mut selector = selector(seed, Design::Items { count });
        let mut log = run(&mut selector, &actions, || 0);
        // The rest of the study, in which nothing fails.
        let mut ends = false;
        while log.len() < 1000 {
            match selector.ask() {
                Ok(Ask::Wait) => {
                    let id = selector.pending().next().unwrap().id;
                    let event = ended(id, Outcome::Observed(0.5), 1.0);
                    selector.tell(event).unwrap();
                    log.push(Step::Told(event));
                }
                Ok(Ask::Finished(_)) | Err(SelectorError::NoArmLeft) => {
                    ends = true;
                    break;
                }
                ask => log.push(Step::Asked(ask.unwrap())),
            }
        }
        prop_assert!(ends);
        let mut running = BTreeMap::new();
        let mut due: [VecDeque<u64>; 3] = Default::default();
        let mut queried: [Vec<u64>; 3] = Default::default();
        for step in &log {
            match step {
                Step::Asked(Ask::Evaluate(e)) => {
                    let arm = e.arm.index();
                    let document = e.case.split;
                    prop_assert!(document < count);
                    if let Some(again) = due[arm].pop_front() {
                        prop_assert_eq!(document, again);
                    } else {
                        prop_assert!(!queried[arm].contains(&document), "{} twice", document);
                        queried[arm].push(document);
                    }
                    running.insert(e.id, (arm, document));
                }
                Step::Told(Event::Ended { id, outcome, .. }) => {
                    let (arm, document) = running.remove(id).unwrap();
                    if *outcome == Outcome::Withdrawn {
                        due[arm].push_back(document);
                    }
                }
                _ => {}
            }
        }
        let longest = queried.iter().max_by_key(|of_arm| of_arm.len()).unwrap().clone();
        for of_arm in &queried {
            prop_assert!(longest.starts_with(of_arm));
        }
        let view = selector.view();
        if selector.conclusion().is_some_and(|end| end.reason == Reason::Exhausted) {
            prop_assert_eq!(view.total_pending(), 0);
            for arm in view.candidates() {
                prop_assert_eq!(view.attempts(*arm), count);
            }
        }
    }

    /// Tests counts, costs and cases against a bookkeeping by hand.
    #[test]
    fn books_are_right(actions in actions(), seed: u64) {
        let mut selector = selector(seed, Design::Shared);
        let log = run(&mut selector, &actions, || 0);
        let mut books: [Book; 3] = Default::default();
        let mut running = BTreeMap::new();
        for (number, step) in log.iter().enumerate() {
            match step {
                Step::Asked(Ask::Evaluate(e)) => {
                    let book = &mut books[e.arm.index()];
                    if let Some(case) = book.due.pop_front() {
                        prop_assert_eq!(e.case, case, "step {}", number);
                    } else {
                        prop_assert_eq!(e.case.split, book.next_split);
                        book.next_split += 1;
                    }
                    prop_assert!(e.case.seed < 1 << 31);
                    prop_assert!(running.insert(e.id, *e).is_none());
                }
                Step::Told(Event::Ended { id, outcome, cost }) => {
                    let evaluation = running.remove(id).unwrap();
                    let book = &mut books[evaluation.arm.index()];
                    match outcome {
                        Outcome::Observed(_) => book.observed += 1,
                        Outcome::Failed => book.failed += 1,
                        Outcome::Withdrawn => book.due.push_back(evaluation.case),
                    }
                    book.cost += if *outcome == Outcome::Withdrawn { 0.0 } else { *cost };
                }
                _ => {}
            }
        }
        let view = selector.view();
        for (arm, book) in selector.arms().ids().zip(&books) {
            prop_assert_eq!(view.observed(arm), book.observed);
            prop_assert_eq!(view.failed(arm), book.failed);
            prop_assert_eq!(view.costs(arm).count(), book.observed + book.failed);
            prop_assert!((view.costs(arm).total() - book.cost).abs() < 1e-9);
            let pending = running.values().filter(|e| e.arm == arm).count() as u64;
            prop_assert_eq!(view.pending(arm), pending);
            prop_assert_eq!(view.attempts(arm), book.observed + book.failed + pending);
        }
        let pending: Vec<_> = selector.pending().collect();
        prop_assert_eq!(pending, running.into_values().collect::<Vec<_>>());
    }
}

/// Tests that another seed leads to other decisions; else the tests of equal decisions say little.
#[test]
fn another_seed_decides_otherwise() {
    let arms = |seed| {
        let mut selector = selector(seed, Design::Shared);
        (0..30)
            .map(|_| {
                let Ok(Ask::Evaluate(e)) = selector.ask() else {
                    panic!("an evaluation")
                };
                selector
                    .tell(ended(e.id, Outcome::Observed(0.0), 1.0))
                    .unwrap();
                (e.arm, e.case.seed)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(arms(1), arms(1));
    let (one, two) = (arms(1), arms(2));
    let differ = one.iter().zip(&two).filter(|(a, b)| a.0 != b.0).count();
    assert!(differ > 5, "{differ} of 30 decisions differ");
    // The seeds of runs are distinct draws below 2^31: no two agree.
    assert!(one.iter().all(|(_, a)| two.iter().all(|(_, b)| a != b)));
}

/// Tests that numbers are handed out in the order of asking, and what is pending is listed in that
/// order.
#[test]
fn evaluations_are_numbered() {
    let mut selector = selector(5, Design::Shared);
    let ids: Vec<EvaluationId> = (0..4)
        .map(|_| crate::fakes::evaluation(&mut selector).id)
        .collect();
    assert_eq!(ids, [0, 1, 2, 3].map(EvaluationId));
    assert!(selector.pending().map(|e| e.id).eq(ids));
}
