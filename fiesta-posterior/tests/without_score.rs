//! Tests of arms that never had a score, such as those that only ever failed.

#![expect(
    clippy::float_cmp,
    reason = "what arms without a score must not change stays as it is to the last bit"
)]

use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::{GaussianArms, Paired};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// Scores of three arms on shared splits, one of them with two seeds; arm by arm, the second comes
/// last.
const SCORES: [(usize, u64, f64); 13] = [
    (2, 0, 0.64),
    (0, 0, 0.61),
    (2, 1, 0.70),
    (0, 1, 0.66),
    (2, 2, 0.58),
    (0, 2, 0.57),
    (0, 2, 0.56),
    (0, 7, 0.62),
    (2, 3, 0.69),
    (1, 0, 0.60),
    (1, 1, 0.68),
    (1, 3, 0.66),
    (1, 7, 0.59),
];

fn observe(posterior: &mut impl Observe<f64>, as_arm: [usize; 3]) {
    for (arm, split, score) in SCORES {
        let case = Case { split, seed: 0 };
        posterior
            .observe(ArmId::new(as_arm[arm]), case, score)
            .unwrap();
    }
}

fn arms<const N: usize>(numbers: [usize; N]) -> [ArmId; N] {
    numbers.map(ArmId::new)
}

/// Tests that a posterior over more arms, of which some have no score, gives the others exactly the
/// belief of a posterior over these alone.
#[test]
fn arms_without_a_score_leave_the_others_as_they_are() {
    let mut alone = Paired::new(3);
    observe(&mut alone, [0, 1, 2]);
    let place = [1, 3, 4];
    let mut among = Paired::new(6);
    observe(&mut among, place);

    let few = alone.belief(&arms([0, 1, 2]));
    let many = among.belief(&arms(place));
    assert!((few.probability.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(few.absolute_error, many.absolute_error);
    let extra = |arm| (ArmId::new(arm), Case { split: 3, seed: 0 });
    let foreseen = alone.variances(ArmId::new(2), &[extra(0)]).unwrap();
    // An evaluation of an arm without a score tells nothing of the others.
    let foreseen_among = among
        .variances(ArmId::new(4), &[extra(0), extra(1)])
        .unwrap();
    let (mut drawn, mut drawn_among) = ([0.0; 3], [0.0; 6]);
    alone.draw(&mut ChaCha8Rng::seed_from_u64(5), &mut drawn);
    among.draw(&mut ChaCha8Rng::seed_from_u64(5), &mut drawn_among);
    for (own, place) in place.into_iter().enumerate() {
        let (a, b) = (ArmId::new(own), ArmId::new(place));
        assert_eq!(few.of(a), many.of(b));
        assert_eq!(alone.mean(a), among.mean(b));
        assert_eq!(alone.marginal(a), among.marginal(b));
        assert_eq!(alone.required(a), among.required(b));
        assert_eq!(foreseen[own], foreseen_among[place]);
        assert_eq!(drawn[own], drawn_among[place]);
    }
    assert_eq!(
        alone.difference(ArmId::new(0), ArmId::new(1)),
        among.difference(ArmId::new(1), ArmId::new(3))
    );
    for arm in arms([0, 2, 5]) {
        assert_eq!(among.mean(arm), None);
        assert_eq!(among.marginal(arm), None);
        assert_eq!(among.difference(arm, ArmId::new(1)), None);
        assert_eq!(among.required(arm), 1);
        assert_eq!(many.of(arm), 0.0);
        assert_eq!(foreseen_among[arm.index()], f64::INFINITY);
        assert_eq!(drawn_among[arm.index()], f64::NEG_INFINITY);
        assert_eq!(among.variances(arm, &[]), None);
        assert_eq!(among.within(arm, 0.1, &arms([1, 3, 4])), 0.0);
    }
}

/// Tests that arms without a score stay unknown among many, which are fitted by approximation.
#[test]
fn among_many_arms_too() {
    let known: Vec<ArmId> = (0..80).step_by(2).map(ArmId::new).collect();
    let mut posterior = Paired::new(80);
    for split in 0..4_u64 {
        for &arm in &known {
            let noise = ((arm.index() as u64 * 31 + split * 17) % 11) as f64;
            let score = 0.5 + 0.001 * arm.index() as f64 + 0.01 * noise;
            posterior
                .observe(arm, Case { split, seed: 0 }, score)
                .unwrap();
        }
    }
    assert!(known.iter().all(|&arm| posterior.required(arm) == 2));
    let belief = posterior.belief(&known);
    assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let missing = ArmId::new(79);
    assert_eq!(
        (posterior.mean(missing), posterior.marginal(missing)),
        (None, None)
    );
    assert_eq!((belief.of(missing), posterior.required(missing)), (0.0, 2));
    let variances = posterior.variances(known[0], &[]).unwrap();
    for (arm, variance) in ArmId::all(80).zip(variances) {
        assert_eq!(variance.is_finite(), known.contains(&arm));
    }
}

/// Tests that a posterior of independent arms can look ahead although one arm has no score.
#[test]
fn an_unknown_arm_has_an_infinite_variance() {
    let mut posterior = GaussianArms::pooled(3);
    observe(&mut posterior, [0, 2, 2]);
    let variances = posterior.variances(ArmId::new(0), &[]).unwrap();
    let difference = posterior.difference(ArmId::new(2), ArmId::new(0)).unwrap();
    assert_eq!(variances[..2], [0.0, f64::INFINITY]);
    assert!((variances[2] - difference.scale * difference.scale).abs() < 1e-15);
    assert_eq!(posterior.variances(ArmId::new(1), &[]), None);
}
