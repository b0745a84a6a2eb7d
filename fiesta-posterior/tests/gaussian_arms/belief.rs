//! Tests of the belief of Gaussian arms.

use super::{Belief, all, arm, three_arms};
use fiesta_posterior::best_arm::{TOLERANCE, quadrature};

#[test]
fn is_that_of_the_marginals() {
    for (name, posterior) in three_arms() {
        let marginals: Vec<_> = all(&posterior)
            .into_iter()
            .map(|arm| posterior.marginal(arm).unwrap())
            .collect();
        let belief = posterior.belief(&all(&posterior));
        assert_eq!(belief, quadrature(&marginals, TOLERANCE).unwrap(), "{name}");
    }
}

/// Tests that an arm that is no candidate is no rival either, wherever it stands in the list.
#[test]
fn is_among_the_candidates_only() {
    for (name, posterior) in three_arms() {
        for (a, b, other) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let pair = [a, b].map(|index| posterior.marginal(arm(index)).unwrap());
            let expected = quadrature(&pair, TOLERANCE).unwrap();
            let belief: Belief = posterior.belief(&[arm(a), arm(b)]);
            assert_eq!(belief.probability.len(), 3);
            assert_eq!(
                belief.of(arm(a)).to_bits(),
                expected.probability[0].to_bits(),
                "{name}"
            );
            assert_eq!(
                belief.of(arm(b)).to_bits(),
                expected.probability[1].to_bits(),
                "{name}"
            );
            assert_eq!(belief.of(arm(other)).to_bits(), 0.0_f64.to_bits(), "{name}");
        }
        let alone = posterior.belief(&[arm(1)]);
        assert!((alone.of(arm(1)) - 1.0).abs() < 1e-9, "{name}: {alone:?}");
    }
}

/// Tests that a belief about no arm, or about unknown arms alone, is no certainty.
#[test]
fn of_nobody_claims_nothing() {
    let (_, posterior) = three_arms().remove(0);
    let belief = posterior.belief(&[]);
    assert_eq!(belief.probability, [0.0; 3]);
    assert!(belief.absolute_error >= 1.0);
}
