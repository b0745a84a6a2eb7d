//! Tests that an arm's first evaluations are made, however poor it looks.

use super::{arm, arms, tell};
use fiesta_core::{Ask, Outcome, Selector};
use fiesta_policies::{Opening, TopTwo, stopping::PosteriorThreshold};
use fiesta_posterior::GaussianArms;

/// Tests that the worst of three arms is tried eight times before the policy chooses, failures
/// included, and that the default stop does not end the study before.
#[test]
fn the_first_evaluations_of_an_arm_are_made() {
    let policy = Opening::new(TopTwo::ttps(), arm(2), 8);
    let rule = PosteriorThreshold::new(0.95).unwrap();
    let mut selector = Selector::builder(arms(3), GaussianArms::pooled(3), policy, rule)
        .build()
        .unwrap();
    let mut tried = Vec::new();
    while let Ask::Evaluate(evaluation) = selector.ask().unwrap() {
        let place = evaluation.arm.index();
        let noise = 0.01 * (tried.len() % 3) as f64;
        tried.push(place);
        let outcome = if tried.len() == 9 {
            Outcome::Failed
        } else {
            Outcome::Observed([0.8, 0.9, 0.1][place] + noise)
        };
        tell(&mut selector, evaluation.id, outcome);
    }
    // The posterior needs three scores of each arm.
    assert_eq!(tried[9..14], [2; 5], "{tried:?}");
    assert_eq!(tried.iter().filter(|&&place| place == 2).count(), 8);
}
