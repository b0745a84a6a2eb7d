//! Tests of the probability to be among the best arms under the posterior of shared splits.

use fiesta_core::{ArmId, Case, Observe, Posterior, belief_by_draws};
use fiesta_posterior::Paired;

/// Returns a posterior of five arms that are .3 apart, on twelve splits.
fn posterior() -> Paired {
    let mut posterior = Paired::new(5).draws(4000);
    for split in 0..12 {
        for arm in 0..5 {
            let noise = (split as f64 * 12.9898 + arm as f64 * 78.233).sin();
            let score = 0.3 * arm as f64 + (split as f64).sin() + noise;
            let case = Case { split, seed: 0 };
            posterior.observe(ArmId::new(arm), case, score).unwrap();
        }
    }
    posterior
}

/// Tests that of one arm it is P(best) to the last bit, that of two it agrees with plain frequencies of
/// the same draws to the error of either, and that it sums to two.
#[test]
fn the_best_two_agree_with_frequencies() {
    let (posterior, arms) = (posterior(), ArmId::all(5).collect::<Vec<_>>());
    assert_eq!(
        posterior.belief_of_top(1, &arms, None),
        posterior.belief(&arms)
    );
    for top in [2, 3] {
        let smooth = posterior.belief_of_top(top, &arms, None);
        let drawn = belief_by_draws(&posterior, top, &arms, None);
        let sum: f64 = smooth.probability.iter().sum();
        // No probability is above 1, whatever the draws sum to.
        assert!((sum - top as f64).abs() < 1e-3, "{sum}");
        for &arm in &arms {
            // Three standard errors of 4096 draws from a chain, and of the smooth one.
            let error = 0.04 + 3.0 * smooth.absolute_error;
            let (p, q) = (smooth.of(arm), drawn.of(arm));
            assert!((p - q).abs() < error, "{top}, {arm:?}: {p} {q}");
            let (short, other) = (smooth.shortfall_of(arm), drawn.shortfall_of(arm));
            assert!(
                (short - other).abs() < 0.05,
                "{top}, {arm:?}: {short} {other}"
            );
        }
        let favoured = posterior.belief_of_top(top, &arms, Some((arms[0], 9.0)));
        assert!(favoured.of(arms[0]) > 0.999);
    }
    // All are among the best five, and none is short of them.
    let all = posterior.belief_of_top(5, &arms, None);
    assert!(all.probability.iter().all(|p| (p - 1.0).abs() < 1e-9));
}
