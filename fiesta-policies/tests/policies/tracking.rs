//! Tests that given proportions are kept.

use super::{arm, arms, tell};
use fiesta_core::{Ask, Outcome, Selector};
use fiesta_policies::{Tracking, stopping::Never};
use fiesta_posterior::GaussianArms;
use proptest::prelude::*;

/// The attempts at each of four arms after `decisions` decisions, five in flight.
fn attempts(proportions: &[f64], decisions: usize) -> Vec<u64> {
    let tracking = Tracking::new(proportions.iter().copied());
    let mut selector = Selector::builder(arms(4), GaussianArms::uniform(4), tracking, Never)
        .build()
        .unwrap();
    for made in 0..decisions {
        // The posterior's own three each are told one by one, and the last of them before the
        // policy is asked.
        while selector.pending().count() >= if made <= 12 { 1 } else { 5 } {
            let first = selector.pending().next().unwrap();
            tell(
                &mut selector,
                first.id,
                Outcome::Observed(0.5 + 0.01 * (made % 7) as f64),
            );
        }
        assert!(matches!(selector.ask(), Ok(Ask::Evaluate(_))), "{made}");
    }
    let view = selector.view();
    (0..4).map(|index| view.attempts(arm(index))).collect()
}

proptest! {
    /// Tests that each arm is within K of its share once the evaluations that the posterior
    /// requires are caught up with, where all shares are above √400.
    #[test]
    fn every_arm_gets_its_share(shares in prop::collection::vec(0.3..1.0_f64, 4)) {
        let total: f64 = shares.iter().sum();
        let made = attempts(&shares, 400);
        for (share, made) in shares.iter().zip(&made) {
            let due = 400.0 * share / total;
            prop_assert!((*made as f64 - due).abs() <= 4.0, "{made} of {due}");
        }
    }
}

/// Tests that none of K arms has fewer than √t − K/2 of t evaluations: 18 of 400 for K = 4. An arm
/// without a share has just 18.
#[test]
fn no_arm_is_neglected() {
    assert_eq!(attempts(&[1.0, 0.0, 1.0], 400), [182, 18, 182, 18]);
    assert_eq!(attempts(&[0.0; 4], 100), [25; 4]);
    let odd = attempts(&[f64::NAN, -1.0, 1.0, f64::INFINITY], 400);
    assert_eq!(odd, [18, 18, 346, 18]);
}
