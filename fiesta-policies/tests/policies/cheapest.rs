//! Tests of the policy and the rule for the cheapest arm that is good enough.

use super::arms;
use fiesta_core::{Ask, Conclusion, Design, Event, Limits, Outcome, Reason, Selector};
use fiesta_policies::{Cheapest, stopping::CheapestWithin};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};

const WITHIN: f64 = 0.5;

/// Means of scores and of costs.
type Truth = [(f64, f64)];

/// Runs a study whose scores have the standard deviation of .7, half of it the split's, and costs one of a tenth. Up to
/// `parallel` evaluations run at once.
fn study(truth: &Truth, parallel: usize, seed: u64) -> (Conclusion, Selector) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
    let rule = CheapestWithin::new(0.95, WITHIN).unwrap();
    let posterior = fiesta_posterior::Paired::new(truth.len());
    let mut selector =
        Selector::builder(arms(truth.len()), posterior, Cheapest::within(WITHIN), rule)
            .limits(Limits {
                evaluations: Some(100 * truth.len() as u64),
                ..Limits::default()
            })
            .seed(seed)
            .build()
            .unwrap();
    let mut effects: Vec<f64> = Vec::new();
    let mut running = Vec::new();
    loop {
        let asked = selector.ask().unwrap();
        let is_full = match asked {
            Ask::Evaluate(e) => {
                running.push(e);
                running.len() >= parallel
            }
            Ask::Wait => true,
            Ask::Finished(conclusion) => return (conclusion, selector),
        };
        if is_full {
            let e = running.remove(0);
            let split = usize::try_from(e.case.split).unwrap();
            while effects.len() <= split {
                effects.push(normal() * 0.5);
            }
            let (mean, cost) = truth[e.arm.index()];
            let outcome = Outcome::Observed(mean + effects[split] + normal() * 0.5);
            let cost = cost * (0.1 * normal()).exp();
            selector
                .tell(Event::Ended {
                    id: e.id,
                    outcome,
                    cost,
                })
                .unwrap();
        }
    }
}

/// Tests that the named arm is the cheapest that is good enough: with an error of .05 in each of 24 studies, more than 6
/// false ones have a probability of .0004.
#[test]
fn the_cheapest_that_is_good_enough_is_named() {
    // The second is good enough for a fifth of the cost, the third is not.
    let truth = [(1.0, 5.0), (0.8, 1.0), (0.0, 0.2)];
    let mut wrong = 0;
    for seed in 0..24 {
        let parallel = if seed % 2 == 0 { 1 } else { 4 };
        let (conclusion, selector) = study(&truth, parallel, seed);
        let is_named = matches!(
            conclusion.reason,
            Reason::CheapestWithin {
                level: 0.95,
                within: WITHIN
            }
        );
        wrong += u32::from(is_named && conclusion.arm.index() != 1);
        let view = selector.view();
        if is_named {
            assert!(view.observed(conclusion.arm) >= 8);
        }
        // The dearest arm is asked less often than the others together.
        assert!(view.observed(fiesta_core::ArmId::new(0)) <= view.total_ended() / 2 + 8);
    }
    assert!(wrong <= 6, "{wrong} of 24");
}

/// Tests that of arms with about the same cost any is named that is good enough, and that the best is where no other is
/// near.
#[test]
fn equal_costs_and_a_clear_best() {
    for seed in 0..3 {
        let (conclusion, _) = study(&[(1.0, 1.0), (1.0, 1.02), (-1.0, 0.5)], 1, seed);
        assert!(
            matches!(conclusion.reason, Reason::CheapestWithin { .. }),
            "{conclusion:?}"
        );
        assert!(conclusion.arm.index() < 2);
        let (conclusion, _) = study(&[(3.0, 9.0), (0.0, 1.0), (0.0, 0.1)], 1, seed);
        assert!(
            matches!(conclusion.reason, Reason::CheapestWithin { .. }),
            "{conclusion:?}"
        );
        assert_eq!(conclusion.arm.index(), 0);
    }
}

/// Tests that costs of nothing compare no arms: one that is good enough is named.
#[test]
fn without_costs_any_arm_that_is_good_enough_is_named() {
    for seed in 0..2 {
        let (conclusion, _) = study(&[(1.0, 0.0), (0.9, 0.0), (-1.0, 0.0)], 1, seed);
        assert!(
            matches!(conclusion.reason, Reason::CheapestWithin { .. }),
            "{conclusion:?}"
        );
        assert!(conclusion.arm.index() < 2);
    }
}

/// Runs a study at .8 of arms that are right on these numbers of the items and cost these known prices, with the
/// distance in answers.
fn on_items(items: u64, truth: &[(u64, f64)], distance: f64, seed: u64) -> Conclusion {
    graded(items, truth, distance, [0.0, 1.0], seed)
}

/// Runs such a study in which a wrong and a right answer have these scores.
fn graded(
    items: u64,
    truth: &[(u64, f64)],
    distance: f64,
    scores: [f64; 2],
    seed: u64,
) -> Conclusion {
    let within = distance / items as f64;
    let rule = CheapestWithin::new(0.8, within).unwrap();
    let posterior = fiesta_posterior::Pool::new(truth.len(), items);
    let prices = truth.iter().map(|arm| Some(arm.1));
    let mut selector =
        Selector::builder(arms(truth.len()), posterior, Cheapest::within(within), rule)
            .design(Design::Items { count: items })
            .expected_costs(prices)
            .seed(seed)
            .build()
            .unwrap();
    loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                let (right, cost) = truth[e.arm.index()];
                // Arms differ on items all over the pool.
                let place = (e.case.split * 7 + e.arm.index() as u64 * 13) % items;
                let outcome = Outcome::Observed(scores[usize::from(place < right)]);
                let id = e.id;
                selector.tell(Event::Ended { id, outcome, cost }).unwrap();
            }
            Ask::Wait => unreachable!("nothing is pending"),
            Ask::Finished(conclusion) => return conclusion,
        }
    }
}

/// Tests studies on items in which an arm is one answer from the distance, on either side. At .8 more than 27 false ones
/// of 80 have a probability of .002.
#[test]
fn on_items_an_answer_from_the_distance_is_told() {
    for (cheap, truth) in [(30, 0), (29, 1)] {
        let arms = [(34, 10.0), (33, 2.0), (cheap, 1.0)];
        let named = (0..80).map(|seed| on_items(60, &arms, 4.0, seed).arm.index());
        let wrong = named.filter(|&arm| arm != 2 - truth).count();
        assert!(wrong <= 27, "{wrong} of 80");
    }
}

/// Tests that arms far from the distance need few answers, and that what is known in the end is said to be.
#[test]
fn on_items_what_is_clear_ends_soon() {
    let clear = on_items(400, &[(300, 5.0), (295, 1.0), (100, 0.2)], 60.0, 1);
    assert_eq!(clear.arm.index(), 1);
    assert!(clear.evaluations < 500, "{clear:?}");
    let known = on_items(10, &[(9, 5.0), (8, 1.0), (6, 0.2)], 1.0, 1);
    let level = match known.reason {
        Reason::CheapestWithin { level, .. } => level,
        _ => 0.0,
    };
    assert!(known.arm.index() == 1 && level >= 1.0, "{known:?}");
    // Graded answers that are at exactly the distance.
    let known = graded(10, &[(8, 5.0), (6, 1.0)], 1.0, [0.25, 0.75], 1);
    let level = match known.reason {
        Reason::CheapestWithin { level, .. } => level,
        _ => 0.0,
    };
    assert!(known.arm.index() == 1 && level >= 1.0, "{known:?}");
}
