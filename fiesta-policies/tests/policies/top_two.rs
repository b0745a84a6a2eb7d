//! Tests of top-two sampling: pairs, the coin, and leaders beyond doubt.

use super::{Fixed, THREE, agree, arm, arms, choices};
use fiesta_core::{ArmId, Next, Policy, Selector, View};
use fiesta_policies::{
    Thompson, TopTwo,
    stopping::Never,
    top_two::{Challenger, Coin, Leader, Resampled, ThompsonLeader, TieBreak},
};
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use std::sync::{Arc, Mutex};

/// Returns P(leader is l and challenger c) = `π_l π_c/(1 − π_l)`, and 0 on the diagonal.
fn pairs(p: &[f64]) -> Vec<Vec<f64>> {
    let challenger = |l: usize, c: usize| {
        if c == l {
            0.0
        } else {
            p[l] * p[c] / (1.0 - p[l])
        }
    };
    (0..p.len())
        .map(|l| (0..p.len()).map(|c| challenger(l, c)).collect())
        .collect()
}

/// Tests that each arm is evaluated with probability `β·π_i + (1 − β)·Σ_{l≠i} π_l π_i/(1 − π_l)`.
#[test]
fn evaluates_each_arm_as_often_as_it_leads_or_challenges() {
    let probability = Fixed::new(&THREE).probability();
    let pairs = pairs(&probability);
    for (beta, seed) in [(0.5, 1), (0.2, 2), (0.9, 3)] {
        let expected: Vec<f64> = (0..3)
            .map(|i| {
                let challenges: f64 = pairs.iter().map(|row| row[i]).sum();
                beta * probability[i] + (1.0 - beta) * challenges
            })
            .collect();
        let policy = TopTwo {
            tie_break: Coin::new(beta).unwrap(),
            ..TopTwo::thompson()
        };
        agree(
            &choices(Fixed::new(&THREE), policy, 40_000, seed),
            &expected,
        );
    }
    // The default coin is fair: the difference to β = .4 would be seen.
    let expected: Vec<f64> = (0..3)
        .map(|i| 0.5 * probability[i] + 0.5 * pairs.iter().map(|row| row[i]).sum::<f64>())
        .collect();
    agree(
        &choices(Fixed::new(&THREE), TopTwo::thompson(), 40_000, 4),
        &expected,
    );
}

/// Tie-break that notes the pairs of leader and challenger.
struct Noted(Arc<Mutex<Vec<(ArmId, ArmId)>>>);

impl TieBreak for Noted {
    fn choose(&mut self, _: &View<'_>, [leader, challenger]: [ArmId; 2], _: &mut dyn Rng) -> ArmId {
        self.0.lock().unwrap().push((leader, challenger));
        leader
    }
}

#[test]
fn pairs_are_as_frequent_as_two_distinct_draws() {
    let noted = Arc::default();
    let policy = TopTwo {
        leader: ThompsonLeader,
        challenger: Resampled,
        tie_break: Noted(Arc::clone(&noted)),
    };
    choices(Fixed::new(&THREE), policy, 40_000, 5);
    let mut observed = [0.0; 9];
    for &(leader, challenger) in noted.lock().unwrap().iter() {
        assert_ne!(leader, challenger);
        observed[3 * leader.index() + challenger.index()] += 1.0;
    }
    agree(
        &observed,
        &pairs(&Fixed::new(&THREE).probability()).concat(),
    );
}

/// Tests that a leader that is certain to machine precision is still challenged, by the next best
/// mean, at once.
#[test]
fn a_certain_leader_is_challenged_by_the_next_best() {
    let normal = |location| fiesta_core::Marginal {
        location,
        scale: 1e-3,
        degrees_of_freedom: f64::INFINITY,
    };
    let marginals = [-1e6, 0.0, 1e6, -3.0].map(normal);
    let posterior = Fixed(marginals.to_vec());
    let selector = Selector::builder(arms(4), posterior, Thompson::default(), Never)
        .build()
        .unwrap();
    let view = selector.view();
    let belief = view.belief().unwrap();
    assert_eq!(
        belief.probability.iter().filter(|&&p| p > 0.0).count(),
        1,
        "{belief:?}"
    );
    let mut evaluated = [0; 4];
    for seed in 0..1000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        assert_eq!(ThompsonLeader.choose(&view, &mut rng), Some(arm(2)));
        assert_eq!(Resampled.choose(&view, arm(2), &mut rng), Some(arm(1)));
        let Next::Evaluate(chosen) = TopTwo::thompson().next(&view, &mut rng) else {
            panic!("an evaluation")
        };
        evaluated[chosen.index()] += 1;
    }
    // A fair coin between the two; 4.5 standard errors are 71.
    assert_eq!((evaluated[0], evaluated[3]), (0, 0));
    assert!((429..=571).contains(&evaluated[1]), "{evaluated:?}");
}

#[test]
fn a_coin_shows_both_sides() {
    for beta in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
        assert!(Coin::new(beta).is_err());
    }
}
