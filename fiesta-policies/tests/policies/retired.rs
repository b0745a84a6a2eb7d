//! Tests of arms that fail for good.

use super::{arm, arms, every_policy::parameters, tell};
use fiesta_core::{Ask, Event, FailureLimits, Outcome, Selector};
use fiesta_policies::{Parameters, policy_by_name, stopping::Never};

/// Tests that an arm that fails from the beginning is retired and does not delay the belief about
/// the others, whatever the posterior.
#[test]
fn an_arm_without_any_score_keeps_nobody_from_a_belief() {
    for posterior in fiesta_posterior::POSTERIORS {
        let policy = policy_by_name("auto", &Parameters::default()).unwrap();
        let posterior = fiesta_posterior::posterior_by_name(posterior, 4).unwrap();
        let mut selector = Selector::builder(arms(4), posterior, policy, Never)
            .failure_limits(FailureLimits {
                at_first: 1,
                later: 1,
            })
            .build()
            .unwrap();
        let means = [0.60, 0.64, 0.0, 0.58];
        for turn in 0..16_u64 {
            let Ask::Evaluate(e) = selector.ask().unwrap() else {
                panic!("an evaluation")
            };
            let noise = ((turn * 7) % 5) as f64 * 0.01 + (e.case.split % 3) as f64 * 0.02;
            let outcome = match e.arm.index() {
                2 => Outcome::Failed,
                index => Outcome::Observed(means[index] + noise),
            };
            selector
                .tell(Event::Ended {
                    id: e.id,
                    outcome,
                    cost: 1.0,
                })
                .unwrap();
        }
        let view = selector.view();
        assert_eq!(view.candidates(), [arm(0), arm(1), arm(3)]);
        assert_eq!((view.failed(arm(2)), view.observed(arm(2))), (1, 0));
        let belief = view.belief().expect("a belief");
        assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(belief.of(arm(2)).abs() < 1e-300);
        let variances = view.variances(arm(0), Some(arm(1))).unwrap();
        assert!(variances[2].is_infinite() && variances[1] < f64::INFINITY);
    }
}

/// Runs a schedule whose first arm fails until it is retired, and is mended `mended_after`
/// evaluations later.
fn schedule(name: &str, mended_after: Option<u64>) -> Selector {
    let policy = policy_by_name(name, &parameters()).unwrap();
    let posterior = fiesta_posterior::posterior_by_name("pooled", 4).unwrap();
    let mut selector = Selector::builder(arms(4), posterior, policy, Never)
        .build()
        .unwrap();
    let mut since = 0;
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let is_mended = mended_after.is_some_and(|after| since > after);
        let score = 0.1 * (4 - e.arm.index()) as f64 + 1e-3 * (e.case.seed % 10) as f64;
        let outcome = if e.arm == arm(0) && !is_mended {
            Outcome::Failed
        } else {
            Outcome::Observed(score)
        };
        tell(&mut selector, e.id, outcome);
        if !selector.view().candidates().contains(&arm(0)) {
            since += 1;
            if mended_after.is_some_and(|after| since > after) {
                assert!(selector.readmits(arm(0)), "{name}");
                selector.tell(Event::Reinstated(arm(0))).unwrap();
            }
        }
    }
    selector
}

/// Tests that an arm comes back in the round in which it was retired, with all of its evaluations,
/// and not later.
#[test]
fn a_schedule_takes_an_arm_back_in_its_round() {
    for name in ["sequential-halving", "successive-rejects"] {
        let mended = schedule(name, Some(4));
        let view = mended.view();
        assert_eq!(mended.conclusion().unwrap().arm, arm(0), "{name}");
        assert_eq!(view.failed(arm(0)), 3);
        assert!(view.attempts(arm(0)) > view.attempts(arm(3)), "{name}");

        let never = schedule(name, None);
        assert_eq!(never.conclusion().unwrap().arm, arm(1), "{name}");
        assert!(!never.readmits(arm(0)), "{name}");
    }
}
