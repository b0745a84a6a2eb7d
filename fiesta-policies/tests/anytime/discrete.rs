//! Tests of the anytime-valid rule on scores that are 0 or 1: most differences of two arms are
//! equal, and a pair cannot be tested before two differ.

use fiesta_core::{Design, Observe, Policy, StoppingRule};
use fiesta_policies::{
    TopTwo,
    simulate::{MakeRule, Recorded, Simulation, SimulationSummary},
    stopping::{AnytimeValid, anytime::few_values},
};
use fiesta_posterior::GaussianArms;

/// Returns a problem of three arms that answer `right` of 200 items rightly, each arm other items.
fn items(right: [u64; 3]) -> Recorded {
    let arms = right.into_iter().zip([1, 7, 11]).map(|(right, step)| {
        // The steps have no divisor in common with 200: every arm has an order of its own.
        let score = |item: u64| (Some(item), f64::from(u8::from(item * step % 200 < right)));
        (format!("arm{right}"), (0..200).map(score).collect())
    });
    Recorded::new(arms, Design::Shared).unwrap()
}

/// Simulates studies of three arms with zeros and ones until the rule names one, on the same items or on items of their own.
fn summary(right: [u64; 3], design: Design, make: fn() -> AnytimeValid) -> SimulationSummary {
    let problem = items(right);
    let rules: [MakeRule<'_>; 1] = [Box::new(|| Box::new(make()) as Box<dyn StoppingRule>)];
    Simulation::new(&problem, 60)
        .seed(3)
        .design(design)
        .cap(3000)
        .confidence(
            |arms| Box::new(GaussianArms::pooled(arms)) as Box<dyn Observe<f64>>,
            || Box::new(TopTwo::evidence()) as Box<dyn Policy>,
            &rules,
        )
        .unwrap()
        .remove(0)
}

/// Tests that the policy gathers what the rule lacks: also of pairs that had no item yet that one
/// arm was right on and the other wrong. Where their evidence counted as less than that of no item,
/// a worse arm led, and some runs met the cap or named it.
#[test]
fn pairs_without_a_difference_are_evaluated_until_they_have_one() {
    for design in [Design::Shared, Design::Independent] {
        let of_gaussian = || AnytimeValid::new(0.95, 3).unwrap();
        let summary = summary([190, 160, 156], design, of_gaussian);
        assert_eq!(
            (summary.capped, summary.wrong),
            (0, 0),
            "{design:?} {summary:?}"
        );
        assert!(summary.mean < 500.0, "{design:?} {summary:?}");
    }
}

/// Tests that bounds suffice for zeros and ones: about as many evaluations are needed where scores
/// are far from Gaussian.
#[test]
fn bounds_suffice_for_zeros_and_ones() {
    let of_bounds = || {
        let rule = AnytimeValid::new(0.95, 3).unwrap();
        rule.bounded((0.0, 1.0)).unwrap()
    };
    let summary = summary([190, 160, 156], Design::Shared, of_bounds);
    assert_eq!((summary.capped, summary.wrong), (0, 0), "{summary:?}");
    assert!(summary.mean < 600.0, "{summary:?}");
}

#[test]
fn scores_of_few_values_are_told_from_others() {
    let many: Vec<f64> = (0..40).map(|item| f64::from(item % 6)).collect();
    let few: Vec<f64> = (0..40).map(|item| f64::from(item % 2)).collect();
    assert_eq!((few_values(&many), few_values(&few)), (None, Some(2)));
    // Three scores may be equal, and five of a rounded metric take four values.
    assert_eq!(
        (few_values(&few[..3]), few_values(&few[..4])),
        (None, Some(2))
    );
    assert_eq!(
        (few_values(&[0.5; 3]), few_values(&[0.5; 4])),
        (None, Some(1))
    );
    assert_eq!(few_values(&[0.61, 0.62, 0.64, 0.62, 0.63]), None);
    assert_eq!(few_values(&[]), None);
}
