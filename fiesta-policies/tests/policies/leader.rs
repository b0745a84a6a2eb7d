//! Tests of leaders that draw nothing.

use super::{Known, OnlyFirst, arm, idle};
use fiesta_core::{Ask, Selector};
use fiesta_policies::{
    stopping::Never,
    top_two::{EmpiricalBest, Leader, UpperConfidence},
};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

#[test]
fn the_best_mean_leads_and_the_first_of_equals() {
    let selector = idle(Known::after(
        &[(0.2, 9.0), (0.5, 0.1), (0.5, 3.0)],
        &[1, 5, 5],
    ));
    assert_eq!(
        EmpiricalBest.choose(&selector.view(), &mut rng(1)),
        Some(arm(1))
    );
}

/// Tests the highest upper bound after two evaluations in all, m + s·√(2·c·ln 2): with c = 1 bounds
/// of .5 + .1·1.177 = .618 and .2 + .4·1.177 = .671; with c = ½ of .5 + .1·.833 = .583 and .2 +
/// .4·.833 = .533.
#[test]
fn the_highest_upper_bound_leads() {
    let known = || Known::after(&[(0.5, 0.2), (0.2, 0.8)], &[3, 3]);
    let mut selector = Selector::builder(super::arms(2), known(), fiesta_policies::Uniform, Never)
        .build()
        .unwrap();
    for _ in 0..2 {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        super::tell(&mut selector, e.id, fiesta_core::Outcome::Observed(0.0));
    }
    // Four observations in the posterior now, one of each arm's in the selection: scales of .2/2
    // and .8/2.
    let mut leader = UpperConfidence::default();
    assert_eq!(leader.choose(&selector.view(), &mut rng(1)), Some(arm(1)));
    leader.exploration = 0.5;
    assert_eq!(leader.choose(&selector.view(), &mut rng(1)), Some(arm(0)));
}

/// Tests that running evaluations narrow a confidence bound: the arm with the higher mean leads
/// until enough of its evaluations are in flight.
#[test]
fn running_evaluations_are_foreseen() {
    let posterior = Known::after(&[(0.5, 0.3), (0.45, 0.3)], &[5; 2]);
    let mut selector = Selector::builder(super::arms(2), posterior, OnlyFirst, Never)
        .build()
        .unwrap();
    let leader =
        |selector: &Selector| UpperConfidence::default().choose(&selector.view(), &mut rng(1));
    assert_eq!(leader(&selector), Some(arm(0)));
    for _ in 0..40 {
        selector.ask().unwrap();
    }
    assert_eq!(leader(&selector), Some(arm(1)));
}

#[test]
fn equal_bounds_are_broken_at_random() {
    let selector = idle(Known::after(&[(0.5, 0.2); 3], &[4; 3]));
    let mut leads = [0.0; 3];
    for seed in 0..3000 {
        let leader = UpperConfidence::default()
            .choose(&selector.view(), &mut rng(seed))
            .unwrap();
        leads[leader.index()] += 1.0;
    }
    super::agree(&leads, &[1.0 / 3.0; 3]);
}

/// Tests that an arm of which nothing is known has no confidence bound, and leads.
#[test]
fn the_unknown_leads() {
    let selector = idle(Known::after(&[(0.5, 0.1), (0.1, 0.1)], &[5, 0]));
    let chosen = UpperConfidence::default().choose(&selector.view(), &mut rng(1));
    assert_eq!(chosen, Some(arm(1)));
}
