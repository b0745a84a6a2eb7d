//! Tests of the challenger that is the cheapest to mistake for the leader.

use super::{Fixed, Known, THREE, agree, arm, arms, idle, tell};
use fiesta_core::{
    ArmId, Ask, FailureLimits, Next, Observe, Outcome, Policy, Posterior, Selector, View,
};
use fiesta_policies::{
    TopTwo, Uniform,
    stopping::Never,
    top_two::{
        Balanced, Challenger, EmpiricalBest, Resampled, Tails, ThompsonLeader, Transportation,
    },
};
use fiesta_posterior::GaussianArms;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn improved() -> Transportation {
    Transportation {
        improved: true,
        ..Transportation::default()
    }
}

/// Returns the challenger of arm 0, and checks that it does not depend on the random generator.
fn challenger(view: &View<'_>, mut of: Transportation) -> ArmId {
    let choose = |seed| of.choose(view, arm(0), &mut ChaCha8Rng::seed_from_u64(seed));
    let chosen: Vec<_> = (0..20).map(choose).collect();
    assert!(
        chosen.windows(2).all(|pair| pair[0] == pair[1]),
        "{chosen:?}"
    );
    chosen[0].unwrap()
}

/// Tests the least cost of transportation from the leader (1, variance .01); rivals at .5, variance
/// .01: W = .25/.04 = 6.25; at 0, variance .2: W = 1/.42 = 2.38; at .9, variance .0001: W =
/// .01/.0202 = .50; at .7, variance .09: W = .09/.2 = .45.
#[test]
fn the_least_transportation_cost_challenges() {
    let leader = (1.0, 0.1);
    let (near, far) = ((0.5, 0.1), (0.0, 0.2_f64.sqrt()));
    let (precise, wide) = ((0.9, 0.01), (0.7, 0.3));
    for (rivals, expected) in [
        (vec![near, far], 2),
        (vec![near, far, precise], 3),
        (vec![near, far, precise, wide], 4),
        (vec![wide, precise, near, far], 1),
    ] {
        let all: Vec<_> = [leader].into_iter().chain(rivals).collect();
        let selector = idle(Known::after(&all, &vec![1; all.len()]));
        assert_eq!(
            challenger(&selector.view(), Transportation::default()),
            arm(expected)
        );
    }
}

/// Returns a selector in which each arm was evaluated as often as `counts` says, beside what the posterior knew before.
fn observed(posterior: impl Observe<f64> + 'static, counts: &[u64]) -> Selector {
    struct Schedule(Vec<u64>);
    impl Policy for Schedule {
        fn next(&mut self, view: &View<'_>, _: &mut dyn rand::Rng) -> Next {
            let due = |arm: &&ArmId| view.attempts(**arm) < self.0[arm.index()];
            let next = view.candidates().iter().find(due);
            next.map_or(Next::Wait, |&arm| Next::Evaluate(arm))
        }
        fn needs_posterior(&self) -> bool {
            false
        }
    }
    let policy = Schedule(counts.to_vec());
    let mut selector = Selector::builder(arms(counts.len()), posterior, policy, Never)
        .build()
        .unwrap();
    for _ in 0..counts.iter().sum() {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        tell(&mut selector, e.id, Outcome::Observed(0.5));
    }
    selector
}

/// Tests that rarely tried arms are preferred. Leader variance .01. Arm 1: n = 100, variance .0001,
/// d = .1: W = .01/.0202 = .495, + ln 100 = 5.10. Arm 2: n = 2, variance .01, d = .3: W = .09/.04 =
/// 2.25, + ln 2 = 2.94.
#[test]
fn improved_costs_prefer_arms_that_were_rarely_tried() {
    let posterior = Known::new(&[(1.0, 0.5), (0.9, 0.1), (0.7, 0.02_f64.sqrt())]);
    let selector = observed(posterior, &[25, 100, 2]);
    assert_eq!(
        challenger(&selector.view(), Transportation::default()),
        arm(1)
    );
    assert_eq!(challenger(&selector.view(), improved()), arm(2));
}

/// Tests that a lead of 5 standard errors is less doubtful than one of 4, unless the former rests
/// on few scores: with the tails of Student's t the arm with three scores challenges, with normal
/// ones the other.
#[test]
fn few_scores_make_long_tails() {
    let mut posterior = GaussianArms::uniform(3);
    for turn in 0..200_u32 {
        let up = if turn % 2 == 0 { 0.1 } else { -0.1 };
        posterior.observe(arm(0), CASE, 1.0 + up).unwrap();
        // Standard error .01.
        posterior.observe(arm(1), CASE, 0.94 + up).unwrap();
    }
    for score in [0.60, 0.64, 0.68, 0.64] {
        posterior.observe(arm(2), CASE, score).unwrap();
    }
    let cost = |rival| {
        let d = posterior.difference(arm(0), arm(rival)).unwrap();
        let square = (d.location / d.scale).powi(2);
        let nu = d.degrees_of_freedom;
        (square / 2.0, 0.5 * (nu + 1.0) * (square / nu).ln_1p())
    };
    let (first, second) = (cost(1), cost(2));
    assert!(
        first.0 < second.0 && first.1 > second.1,
        "{first:?} {second:?}"
    );
    let selector = idle(posterior);
    let [normal, student] = [Tails::Normal, Tails::Student].map(|tails| Transportation {
        tails,
        improved: false,
    });
    assert_eq!(challenger(&selector.view(), normal), arm(1));
    assert_eq!(challenger(&selector.view(), student), arm(2));
}

const CASE: fiesta_core::Case = fiesta_core::Case { split: 0, seed: 0 };

/// Tests that, of two equal rivals, the one that is not being evaluated challenges: the other will
/// be the better known.
#[test]
fn running_evaluations_are_foreseen() {
    let posterior = Known::after(&[(1.0, 0.3), (0.5, 0.3), (0.5, 0.3)], &[5; 3]);
    let mut selector = Selector::builder(arms(3), posterior, Uniform, Never)
        .build()
        .unwrap();
    // In turn: arms 0 and 1.
    for _ in 0..2 {
        selector.ask().unwrap();
    }
    for of in [Transportation::default(), improved()] {
        assert_eq!(challenger(&selector.view(), of), arm(2));
    }
}

/// Tests that, of challengers with equal cost, one is chosen at random: the order of the arms means nothing.
#[test]
fn equal_costs_are_broken_at_random() {
    // Rivals with the leader's mean or a higher one cost nothing, one below does.
    let means = [(0.5, 0.1), (0.5, 0.1), (0.7, 0.4), (0.6, 0.2), (0.3, 0.1)];
    let selector = idle(Known::after(&means, &[4; 5]));
    let mut chosen = [0.0; 5];
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let challenger = Transportation::default()
            .choose(&selector.view(), arm(0), &mut rng)
            .unwrap();
        chosen[challenger.index()] += 1.0;
    }
    assert!(chosen[0] + chosen[4] < 0.5, "{chosen:?}");
    agree(&chosen[1..4], &[1.0 / 3.0; 3]);
}

/// Tests that an arm that was retired before anything was known of it is no candidate, and takes
/// nothing from the others.
#[test]
fn a_retired_arm_of_which_nothing_is_known_disturbs_nobody() {
    let mut selector = Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, Never)
        .failure_limits(FailureLimits {
            at_first: 1,
            later: 1,
        })
        .build()
        .unwrap();
    // Arm 2 is the closer rival, arm 3 the better known one.
    for turn in 0..15 {
        let Ask::Evaluate(e) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        let up = if turn % 2 == 0 { 0.02 } else { -0.02 };
        let outcome = match e.arm.index() {
            0 => Outcome::Observed(0.9 + up),
            1 => Outcome::Failed,
            2 => Outcome::Observed(0.8 + up),
            _ => Outcome::Observed(0.5 + up),
        };
        tell(&mut selector, e.id, outcome);
    }
    let view = selector.view();
    assert_eq!(view.candidates().len(), 3);
    let variances = view.variances(arm(0), None).unwrap();
    for (index, variance) in variances.into_iter().enumerate() {
        assert_eq!(variance.is_infinite(), index == 1, "arm {index}");
    }
    assert_eq!(view.variances(arm(1), None), None);
    assert_eq!(challenger(&view, Transportation::default()), arm(2));
    let student = Transportation {
        tails: Tails::Student,
        improved: true,
    };
    assert_eq!(challenger(&view, student), arm(2));
    assert_eq!(
        improved().choose(&view, arm(2), &mut ChaCha8Rng::seed_from_u64(1)),
        Some(arm(0))
    );
}

/// Returns how often each arm is chosen in decisions on the same knowledge.
fn frequencies(
    posterior: impl Observe<f64> + 'static,
    mut policy: impl Policy,
    decisions: u64,
) -> Vec<f64> {
    let selector = idle(posterior);
    let view = selector.view();
    let mut chosen = vec![0.0; view.arms()];
    for seed in 0..decisions {
        let Next::Evaluate(arm) = policy.next(&view, &mut ChaCha8Rng::seed_from_u64(seed)) else {
            panic!("an evaluation")
        };
        chosen[arm.index()] += 1.0;
    }
    chosen
}

/// Tests that the order of the arms has no influence on how often each is evaluated: 4.5 standard
/// errors of a difference of two frequencies, which fails falsely once in 147,000 comparisons.
#[test]
fn the_order_of_the_arms_plays_no_role() {
    // Two of the rivals are alike.
    let known = [(0.50, 0.3), (0.45, 0.2), (0.40, 0.4), (0.40, 0.4)];
    let order = [2, 0, 3, 1];
    let compare = |policy: &dyn Fn() -> Box<dyn Policy>| {
        let decisions = 4000;
        let turned = order.map(|index| known[index]);
        let straight = frequencies(Known::after(&known, &[9; 4]), policy(), decisions);
        let other = frequencies(Known::after(&turned, &[9; 4]), policy(), decisions);
        for (place, &index) in order.iter().enumerate() {
            let (a, b) = (straight[index], other[place]);
            let p = (a + b) / (2.0 * decisions as f64);
            let error = (2.0 * p * (1.0 - p) * decisions as f64).sqrt();
            assert!((a - b).abs() <= 4.5 * error, "{straight:?} {other:?}");
        }
    };
    compare(&|| Box::new(TopTwo::t3c()));
    compare(&|| Box::new(TopTwo::eb_tci()));
    compare(&|| Box::new(TopTwo::ttucb()));
    compare(&|| {
        Box::new(TopTwo {
            leader: EmpiricalBest,
            challenger: Resampled,
            tie_break: Balanced::default(),
        })
    });
}

/// Tests that the composed policy PETS(β) chooses as by joint draws that are repeated until another arm wins.
#[test]
fn pets_is_what_joint_draws_would_do() {
    use rand::RngExt;
    let posterior = Fixed::new(&THREE);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut winner = || {
        let mut means = [0.0; 3];
        posterior.draw(&mut rng, &mut means);
        let best = (0..3).max_by(|&a, &b| means[a].total_cmp(&means[b]));
        (best.unwrap(), rng.random::<f64>() < 0.7)
    };
    let decisions = 20_000;
    let mut drawn = [0.0; 3];
    for _ in 0..decisions {
        let (leader, keep) = winner();
        let mut chosen = leader;
        while !keep && chosen == leader {
            chosen = winner().0;
        }
        drawn[chosen] += 1.0;
    }
    let policy = TopTwo::pets(0.7).unwrap();
    let composed = frequencies(Fixed::new(&THREE), policy, decisions);
    for (a, b) in drawn.iter().zip(&composed) {
        let p = (a + b) / (2.0 * decisions as f64);
        let error = (2.0 * p * (1.0 - p) * decisions as f64).sqrt();
        assert!((a - b).abs() <= 4.5 * error, "{drawn:?} {composed:?}");
    }
    assert!(TopTwo::pets(1.0).is_err());
    let _: ThompsonLeader = policy.leader;
}
