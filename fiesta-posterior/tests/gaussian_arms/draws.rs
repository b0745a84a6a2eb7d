//! Tests of draws from the posterior of Gaussian arms.

use super::{
    ChaCha8Rng, GaussianArms, Marginal, NormalInverseGamma, SeedableRng, all, arm, three_arms,
};
use fiesta_core::Posterior;
use fiesta_posterior::{best_arm::monte_carlo, student::upper_tail};

const DRAWS: u32 = 100_000;

/// The greatest distance of the empirical from the expected distribution function, times √n. Above
/// 1.9495 in one of 1,000 samples of the right distribution.
fn kolmogorov_smirnov(draws: &mut [f64], marginal: &Marginal) -> f64 {
    draws.sort_unstable_by(f64::total_cmp);
    let n = f64::from(DRAWS);
    let distance = draws
        .iter()
        .zip(0..DRAWS)
        .fold(0.0_f64, |distance, (draw, place)| {
            let standard = (draw - marginal.location) / marginal.scale;
            let below = 1.0 - upper_tail(standard, marginal.degrees_of_freedom);
            let (low, high) = (f64::from(place) / n, f64::from(place + 1) / n);
            distance.max(below - low).max(high - below)
        });
    distance * n.sqrt()
}

/// Returns joint draws of the arms' means, a column for each arm.
fn draw(posterior: &dyn Posterior, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut means = vec![0.0; posterior.arms()];
    let mut columns = vec![Vec::new(); posterior.arms()];
    for _ in 0..DRAWS {
        posterior.draw(&mut rng, &mut means);
        columns
            .iter_mut()
            .zip(&means)
            .for_each(|(column, &mean)| column.push(mean));
    }
    columns
}

/// Tests the distribution of the draws nine times at a level of .001: one seed in 111 would fail
/// falsely.
#[test]
fn have_the_distribution_of_the_marginals() {
    for (name, posterior) in three_arms() {
        for (index, mut column) in draw(&posterior, 1).into_iter().enumerate() {
            let marginal = posterior.marginal(arm(index)).unwrap();
            let distance = kolmogorov_smirnov(&mut column, &marginal);
            assert!(distance < 1.9495, "{name}, arm {index}: {distance}");
            // The test has power: 5 % more scale, or a tenth of a scale further, would be noticed.
            let wider = Marginal {
                scale: marginal.scale * 1.05,
                ..marginal
            };
            let shifted = Marginal {
                location: marginal.location + 0.1 * marginal.scale,
                ..marginal
            };
            assert!(
                kolmogorov_smirnov(&mut column, &wider) > 1.9495,
                "{name}, arm {index}"
            );
            assert!(
                kolmogorov_smirnov(&mut column, &shifted) > 1.9495,
                "{name}, arm {index}"
            );
        }
    }
}

/// Tests that arms are drawn independently: the correlation of 100,000 ranks is below 4.5/√n, in
/// all but one of 49,000 seeds for three pairs.
#[test]
fn are_independent() {
    let (_, posterior) = three_arms().remove(2);
    let signs: Vec<Vec<f64>> = draw(&posterior, 2)
        .iter()
        .zip(all(&posterior))
        .map(|(column, arm)| {
            let median = posterior.marginal(arm).unwrap().location;
            column.iter().map(|draw| (draw - median).signum()).collect()
        })
        .collect();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let agreement: f64 = signs[a].iter().zip(&signs[b]).map(|(a, b)| a * b).sum();
        assert!(
            agreement.abs() < 4.5 * f64::from(DRAWS).sqrt(),
            "{a} and {b}: {agreement}"
        );
    }
}

/// Tests that each arm draws highest as often as its belief says; nine z-tests at 4.5 standard
/// errors fail falsely in one of 16,000 seeds.
#[test]
fn win_as_often_as_the_belief_says() {
    for (name, posterior) in three_arms() {
        let belief = posterior.belief(&all(&posterior));
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let drawn = monte_carlo(3, u64::from(DRAWS), &mut rng, |rng, means| {
            posterior.draw(rng, means);
        })
        .unwrap();
        for (p, q) in belief.probability.iter().zip(&drawn.probability) {
            let error = (p * (1.0 - p) / f64::from(DRAWS)).sqrt();
            assert!((p - q).abs() < 4.5 * error, "{name}: {q} for {p}");
        }
    }
}

/// Tests that an arm without the required scores never wins a draw, as it has no posterior.
#[test]
fn are_minus_infinity_where_nothing_is_known() {
    let mut posterior = GaussianArms::new(NormalInverseGamma::jeffreys(), 3);
    super::observe(&mut posterior, 1, &[0.5, 0.6]);
    super::observe(&mut posterior, 2, &[0.9]);
    let mut means = [0.0; 3];
    posterior.draw(&mut ChaCha8Rng::seed_from_u64(4), &mut means);
    assert!(means[1].is_finite());
    assert!(means[0] == f64::NEG_INFINITY && means[2] == f64::NEG_INFINITY);
}
