//! Given proportions are kept.

use super::{arm, arms, tell};
use fiesta_core::{Ask, Outcome, Selector};
use fiesta_policies::{Tracking, stopping::Never};
use fiesta_posterior::GaussianArms;
use proptest::prelude::*;

/// The attempts at each of four arms after so many decisions, five in flight.
fn attempts(proportions: &[f64], decisions: usize) -> Vec<u64> {
    let tracking = Tracking::new(proportions.iter().copied());
    let mut selector = Selector::builder(arms(4), GaussianArms::uniform(4), tracking, Never)
        .build()
        .unwrap();
    for made in 0..decisions {
        // The posterior's own three each are told one by one, and the last of them before the policy is asked.
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
    /// Once the evaluations that the posterior requires are caught up with, each arm is within K of its share.
    #[test]
    fn every_arm_gets_its_share(shares in prop::collection::vec(0.05..1.0_f64, 4)) {
        let total: f64 = shares.iter().sum();
        let made = attempts(&shares, 400);
        for (share, made) in shares.iter().zip(&made) {
            let due = 400.0 * share / total;
            prop_assert!((*made as f64 - due).abs() <= 4.0, "{made} of {due}");
        }
    }
}

#[test]
fn an_arm_without_a_share_gets_what_the_posterior_requires() {
    assert_eq!(attempts(&[1.0, 0.0, 1.0], 101)[1], 3);
    assert_eq!(attempts(&[1.0, 0.0, 1.0], 101)[3], 3);
    assert_eq!(attempts(&[0.0; 4], 100), [25; 4]);
    assert_eq!(
        attempts(&[f64::NAN, -1.0, 1.0, f64::INFINITY], 100),
        [3, 3, 91, 3]
    );
}
