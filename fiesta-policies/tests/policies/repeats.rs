//! Tests of items that are asked again as answers vary: which, how often, with which seeds.

use super::{arm, arms, tell};
use fiesta_core::{
    Agreement, Ask, Case, Design, Evaluation, Event, Limits, Outcome, Reason, Selector,
    SelectorError,
};
use fiesta_policies::{
    Parameters, PoolPolicy, policy_by_name,
    stopping::{Never, PosteriorThreshold},
};
use std::collections::{BTreeMap, BTreeSet};

fn selector(policy: &str, items: u64, repeats: bool, evaluations: u64) -> Selector {
    let pool = fiesta_posterior::Pool::new(3, items);
    let pool = if repeats { pool.repeating() } else { pool };
    let parameters = Parameters {
        arms: 3,
        ..Parameters::default()
    };
    Selector::builder(
        arms(3),
        pool,
        policy_by_name(policy, &parameters).unwrap(),
        Never,
    )
    .design(Design::Items { count: items })
    .repeats(repeats)
    .limits(Limits {
        evaluations: Some(evaluations),
        ..Limits::default()
    })
    .seed(11)
    .build()
    .unwrap()
}

/// Returns an answer that varies with the seed: right on 6, 5 or 4 of ten, and else a coin's.
fn answer(arm: usize, case: Case) -> f64 {
    if case.seed.is_multiple_of(3) {
        return (case.seed / 3 % 2) as f64;
    }
    f64::from(u8::from((case.split * 7 + 3) % 10 < 6 - arm as u64))
}

/// Asks and tells till the end, and returns everything that was asked for.
fn run(selector: &mut Selector) -> Vec<Evaluation> {
    let mut asked = Vec::new();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        asked.push(e);
        tell(
            selector,
            e.id,
            Outcome::Observed(answer(e.arm.index(), e.case)),
        );
    }
    asked
}

/// Tests that about one in twenty evaluations repeats an item while there are others, that all have
/// seeds of their own, and that all go on when every item is answered.
#[test]
fn one_in_twenty_repeats_and_none_comes_twice() {
    for policy in ["pool", "uniform", "ttts"] {
        let mut selector = selector(policy, 100, true, 900);
        let asked = run(&mut selector);
        assert_eq!(asked.len(), 900, "{policy}");
        assert!(matches!(
            selector.conclusion().unwrap().reason,
            Reason::Limit(_)
        ));
        let mut seeds = BTreeSet::new();
        let mut had: BTreeMap<usize, BTreeMap<u64, u64>> = BTreeMap::new();
        for (number, e) in asked.iter().enumerate() {
            assert!(seeds.insert((e.arm, e.case.split, e.case.seed)), "{policy}");
            let items = had.entry(e.arm.index()).or_default();
            *items.entry(e.case.split).or_default() += 1;
            if number == 119 {
                let all: u64 = had.values().flat_map(BTreeMap::values).sum();
                let again = all - had.values().map(|items| items.len() as u64).sum::<u64>();
                assert!((3..=7).contains(&again), "{policy} {again}");
            }
        }
        // One after another: no item is asked a third time before all were asked twice.
        for (arm, items) in &had {
            let most = items.values().max().unwrap();
            let least = if items.len() < 100 {
                1
            } else {
                *items.values().min().unwrap()
            };
            assert!(most - least <= 1, "{policy} {arm} {items:?}");
        }
        if policy == "uniform" {
            assert!(
                had.values().all(|items| items.values().all(|&r| r == 3)),
                "{had:?}"
            );
        }
    }
}

/// Tests that items that are asked for the first time have the seeds of a study without repeats, in
/// the same order.
#[test]
fn first_times_are_those_of_a_study_without() {
    let once = run(&mut selector("uniform", 60, false, 1_000));
    let again = run(&mut selector("uniform", 60, true, 400));
    assert_eq!(once.len(), 180);
    let mut seen = BTreeSet::new();
    let firsts = again.iter().filter(|e| seen.insert((e.arm, e.case.split)));
    let key = |e: &Evaluation| (e.arm, e.case);
    let of = |index: usize, all: Vec<(fiesta_core::ArmId, Case)>| -> Vec<Case> {
        let own = all.into_iter().filter(|(which, _)| *which == arm(index));
        own.map(|(_, case)| case).collect()
    };
    let firsts: Vec<_> = firsts.map(key).collect();
    let once: Vec<_> = once.iter().map(key).collect();
    for index in 0..3 {
        assert_eq!(of(index, firsts.clone()), of(index, once.clone()));
    }
}

/// Tests that a record leads to the same selector, whatever was withdrawn meanwhile, and that no
/// case comes twice.
#[test]
fn a_record_is_followed_to_the_same_turns() {
    let mut first = selector("pool", 30, true, 400);
    let mut second = selector("pool", 30, true, 400);
    let mut running = Vec::new();
    let mut counted = BTreeSet::new();
    for step in 0..2_000_usize {
        let ask = first.ask().unwrap();
        assert_eq!(second.replay(&ask).unwrap(), Agreement::Same, "{step}");
        match ask {
            Ask::Evaluate(e) => running.push(e),
            Ask::Wait => {}
            Ask::Finished(_) => break,
        }
        if running.len() < 4 && matches!(ask, Ask::Evaluate(_)) {
            continue;
        }
        let e: Evaluation = running.remove(step * 7 % running.len());
        let outcome = match step % 9 {
            0 | 4 => Outcome::Withdrawn,
            7 => Outcome::Failed,
            _ => Outcome::Observed(answer(e.arm.index(), e.case)),
        };
        if !matches!(outcome, Outcome::Withdrawn) {
            assert!(counted.insert((e.arm, e.case.split, e.case.seed)), "{step}");
        }
        for selector in [&mut first, &mut second] {
            tell(selector, e.id, outcome);
        }
    }
    assert!(counted.len() > 300, "{}", counted.len());
    let views = [first.view(), second.view()];
    for index in 0..3 {
        let [one, other] =
            views.map(|view| (view.repeated(arm(index)), view.next_turn(arm(index))));
        assert_eq!(one, other);
        assert!(one.0 > 0);
    }
}

/// Tests recorded answers, several to an item: all count, and the arm goes on after them.
#[test]
fn recorded_repeats_count() {
    for repeats in [true, false] {
        let mut selector = selector("uniform", 10, repeats, 60);
        let record = |selector: &mut Selector, id: u64, item: u64| {
            let evaluation = Evaluation {
                id: fiesta_core::EvaluationId(id),
                arm: arm(0),
                case: Case {
                    split: item,
                    seed: id,
                },
            };
            selector.record(evaluation, Some(1.0))
        };
        record(&mut selector, 0, 4).unwrap();
        let again = record(&mut selector, 1, 4);
        if !repeats {
            assert_eq!(again, Err(SelectorError::RecordedTwice(1)));
            continue;
        }
        again.unwrap();
        assert_eq!(selector.view().repeated(arm(0)), 1);
        let of_first = run(&mut selector).into_iter().filter(|e| e.arm == arm(0));
        let items: Vec<u64> = of_first.map(|e| e.case.split).collect();
        // The other nine, before any is asked again but for the twentieth part.
        let others: BTreeSet<u64> = items.iter().copied().take(9).collect();
        assert_eq!(others.len(), 9);
        assert!(!others.contains(&4));
    }
}

/// Tests that a pool with repeats ends, and never for certain, where answers do not vary after all.
#[test]
fn answers_that_are_fixed_are_found_to_be() {
    let pool = fiesta_posterior::Pool::new(2, 80).repeating();
    let rule = PosteriorThreshold::new(0.95).unwrap();
    let rule = rule.tied_within(0.0.into()).unwrap();
    let mut selector = Selector::builder(arms(2), pool, PoolPolicy::default(), rule)
        .design(Design::Items { count: 80 })
        .repeats(true)
        .build()
        .unwrap();
    let mut asked = 0;
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let right = e.case.split % 8 < 6 - e.arm.index() as u64;
        let outcome = Outcome::Observed(f64::from(u8::from(right)));
        selector
            .tell(Event::Ended {
                id: e.id,
                outcome,
                cost: 1.0,
            })
            .unwrap();
        asked += 1;
    }
    let end = selector.conclusion().unwrap();
    assert_eq!(
        (end.arm, &end.reason),
        (arm(0), &Reason::PosteriorProbability { level: 0.95 })
    );
    assert!(end.probability.unwrap() < 1.0 && asked < 400, "{asked}");
}
