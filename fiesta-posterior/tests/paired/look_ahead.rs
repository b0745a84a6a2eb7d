//! Tests of what the posterior foresees of evaluations that were not made.

use super::{ArmId, Case, Paired, Posterior, arm, fitted, study};
use fiesta_posterior::student::upper_tail;

fn case(split: u64) -> Case {
    Case { split, seed: 0 }
}

fn foreseen(posterior: &Paired, extra: &[(usize, u64)]) -> f64 {
    let extra: Vec<(ArmId, Case)> = extra
        .iter()
        .map(|&(index, split)| (arm(index), case(split)))
        .collect();
    let variances = posterior.variances(arm(0), &extra).unwrap();
    assert!(variances[0].abs() < 1e-300);
    variances[1]
}

fn long() -> Paired {
    fitted(3, study(3, 40, 9, |arm, split| split < 40 - 4 * arm as u64))
}

/// Tests that with many scores, where the variances are known, the foreseen variance is the posterior's.
#[test]
fn without_extra_it_is_the_variance_of_the_difference() {
    let posterior = long();
    let scale = posterior.difference(arm(1), arm(0)).unwrap().scale;
    let ratio = foreseen(&posterior, &[]) / (scale * scale);
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
    // Noise of .02 on 36 shared splits; the four that only one arm saw say little.
    let ratio = foreseen(&posterior, &[]) / (2.0 * 0.02_f64.powi(2) / 36.0);
    assert!((0.6..1.5).contains(&ratio), "{ratio}");
}

/// Tests that what was foreseen comes true: on average to within 4 %, over 12 studies in which the
/// plug-in variance spreads by 7 % with what the new scores say of the noise, and with the
/// sampler's error.
#[test]
fn what_is_foreseen_comes_true() {
    let study = |seed: u64, also: &[(usize, u64)]| {
        let scores = study(3, 60, seed, |arm, split| {
            split < 40 - 4 * arm as u64 || also.contains(&(arm, split))
        });
        fitted(3, scores)
    };
    for extra in [
        vec![(1, 36)],
        vec![(0, 50), (1, 50)],
        vec![(1, 36), (1, 37), (2, 50)],
    ] {
        let ratios: Vec<f64> = (0..12)
            .map(|seed| {
                let foreseen_variance = foreseen(&study(seed, &[]), &extra);
                foreseen_variance / foreseen(&study(seed, &extra), &[])
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / 12.0;
        println!("{extra:?}: {mean:.3} of {ratios:.2?}");
        assert!((mean - 1.0).abs() < 0.04, "{extra:?}: {mean}");
    }
}

#[test]
fn a_split_that_the_rival_saw_tells_more() {
    let posterior = long();
    // Arm 0 saw split 36, arm 1 did not; nobody saw split 50.
    let (now, shared, fresh) = (
        foreseen(&posterior, &[]),
        foreseen(&posterior, &[(1, 36)]),
        foreseen(&posterior, &[(1, 50)]),
    );
    assert!(shared < fresh && fresh < now, "{shared} {fresh} {now}");
    // Both on a fresh split tell more than each on one of its own.
    let (together, apart) = (
        foreseen(&posterior, &[(0, 50), (1, 50)]),
        foreseen(&posterior, &[(0, 50), (1, 51)]),
    );
    assert!(together < apart, "{together} {apart}");
    // Another seed where both were seen tells less than a fresh split that both see.
    assert!(foreseen(&posterior, &[(0, 2), (1, 2)]) > together);
    // A third arm tells next to nothing of the two.
    assert!(foreseen(&posterior, &[(2, 50)]) > 0.98 * now);
}

/// Tests that three extra evaluations are the same in any order, and tell more than two.
#[test]
fn evaluations_add_up() {
    let posterior = long();
    let one = foreseen(&posterior, &[(0, 50), (1, 50), (1, 36)]);
    let other = foreseen(&posterior, &[(1, 36), (1, 50), (0, 50)]);
    assert!((one / other - 1.0).abs() < 1e-9);
    assert!(one < foreseen(&posterior, &[(0, 50), (1, 50)]));
}

#[test]
fn on_a_single_split_every_seed_counts_alike() {
    let scores = study(2, 12, 3, |_, _| true)
        .into_iter()
        .map(|(arm, _, score)| (arm, 5, score));
    let posterior = fitted(2, scores);
    let (now, one, two) = (
        foreseen(&posterior, &[]),
        foreseen(&posterior, &[(1, 5)]),
        foreseen(&posterior, &[(1, 5), (0, 5)]),
    );
    // Var = v_0/n_0 + v_1/n_1
    let (a, b) = (now - one, one - two);
    assert!(a > 0.0 && b > 0.0);
    let v1 = a * 12.0 * 13.0;
    let v0 = b * 12.0 * 13.0;
    assert!((now / ((v0 + v1) / 12.0) - 1.0).abs() < 1e-9);
}

#[test]
fn wide_fits_look_ahead_as_well() {
    let posterior = fitted(60, study(60, 20, 3, |arm, split| arm == 0 || split < 15));
    let (now, shared, fresh) = (
        foreseen(&posterior, &[]),
        foreseen(&posterior, &[(1, 16)]),
        foreseen(&posterior, &[(1, 50)]),
    );
    assert!(shared < fresh && fresh < now, "{shared} {fresh} {now}");
}

/// Tests the variance of a difference with many scores, where the noise is known: 2·.02² on shared
/// splits, and 2·.03² more from the splits where none is shared.
#[test]
fn variance_of_one_evaluation_of_either() {
    let variance = |scores| {
        let posterior = fitted(2, scores);
        let observed = [100, 100];
        posterior
            .evaluation_variance(arm(0), arm(1), observed)
            .unwrap()
    };
    let shared = variance(study(2, 100, 4, |_, _| true));
    let ratio = shared / (2.0 * 0.02_f64.powi(2));
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
    let apart = variance(study(2, 200, 4, |arm, split| split % 2 == arm as u64));
    let ratio = apart / (2.0 * (0.02_f64.powi(2) + 0.03_f64.powi(2)));
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

/// Tests that the shortfall of two arms is the mean of the negative part of their difference, by
/// the t that resembles it. With several arms, shortfalls differ as means do.
#[test]
fn expected_shortfall() {
    for seed in 0..5 {
        let two = fitted(2, study(2, 12, seed, |_, _| true));
        let difference = two.difference(arm(0), arm(1)).unwrap();
        let steps = 4000;
        let tail = |step: i32| {
            let y = (f64::from(step) + 0.5) / f64::from(steps) * 30.0 * difference.scale;
            let z = (y + difference.location) / difference.scale;
            upper_tail(z, difference.degrees_of_freedom)
        };
        let step = 30.0 * difference.scale / f64::from(steps);
        let expected = (0..steps).map(tail).sum::<f64>() * step;
        let shortfall = two.belief(&[arm(0), arm(1)]).shortfall[0];
        // With 160 draws the standard error of a mean is .1 of the scale, of this half as much.
        let error = (shortfall - expected) / difference.scale;
        assert!(error.abs() < 0.15, "{shortfall}, not {expected}");

        let five = fitted(5, study(5, 12, seed, |_, _| true));
        let arms: Vec<ArmId> = ArmId::all(5).collect();
        let shortfall = five.belief(&arms).shortfall;
        for (&a, &b) in arms.iter().zip(&arms[1..]) {
            let difference = five.difference(a, b).unwrap();
            let by_shortfall = shortfall[b.index()] - shortfall[a.index()];
            let error = (by_shortfall - difference.location) / difference.scale;
            assert!(error.abs() < 0.3, "{by_shortfall}, not {difference:?}");
        }
    }
}
