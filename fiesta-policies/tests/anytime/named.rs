//! Tests of the arm that the rule names: not before its burn-in or a minimum of evaluations, not
//! while another looks better, and neither of two that contradict each other.

use super::{Running, World, evidence, is_named, rule, told};
use fiesta_core::{
    ArmId, Arms, Ask, Assumption, Conclusion, Design, Event, Limits, Outcome, Policy, Reason,
    Selector, StoppingRule, View,
};
use fiesta_policies::{
    TopTwo, Uniform,
    stopping::{AnytimeValid, AtLeast, StoppingError, StoppingParameters, assumption, by_name},
};
use fiesta_posterior::GaussianArms;

/// Tells the rule scores of two arms with these differences, arm 1 minus arm 0, from turn `from` on.
fn tell(rule: &mut AnytimeValid, from: u64, differences: impl IntoIterator<Item = f64>) {
    for (turn, difference) in (from..).zip(differences) {
        told(rule, 0, turn, Outcome::Observed(0.0));
        told(rule, 1, turn, Outcome::Observed(difference));
    }
}

fn backward(rule: &AnytimeValid) -> f64 {
    rule.between(ArmId::new(0), ArmId::new(1))
}

/// Returns scores of about 1, never the same twice.
fn about(sign: f64, count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |turn| sign * (1.0 + 0.1 * f64::from(turn * 37 % 11)))
}

#[test]
fn what_looked_better_once_is_not_named_while_it_does_not() {
    let mut rule = rule();
    tell(&mut rule, 0, about(1.0, 6));
    assert!(evidence(&rule).is_infinite());
    // The supremum stays, but the mean is now that of a worse arm.
    tell(&mut rule, 6, about(-1.0, 7));
    assert!(evidence(&rule) < 0.0, "{}", evidence(&rule));
    assert_eq!(rule.contradiction(), None);
    tell(&mut rule, 13, about(1.0, 30));
    assert!(evidence(&rule).is_infinite());
}

#[test]
fn arms_that_are_each_better_than_the_other_are_not_named() {
    let mut contradictory = rule();
    tell(&mut contradictory, 0, about(1.0, 6));
    tell(&mut contradictory, 6, about(-1.0, 200));
    let pair = (ArmId::new(0), ArmId::new(1));
    assert_eq!(contradictory.contradiction(), Some(pair));
    assert!(evidence(&contradictory) <= 0.0 && backward(&contradictory) <= 0.0);
    // With a tolerance both may be true.
    let mut tolerant = AnytimeValid::within(0.95, 3.0, 2).unwrap();
    tell(&mut tolerant, 0, about(1.0, 6));
    tell(&mut tolerant, 6, about(-1.0, 200));
    assert_eq!(tolerant.contradiction(), None);
    assert!(backward(&tolerant).is_infinite());
}

#[test]
fn a_burn_in_waits_for_failures_of_its_rate() {
    let mut waiting = rule().burn_in_for(Some(0.1)).unwrap();
    // ln 20 / .1 = 29.96.
    tell(&mut waiting, 0, about(1.0, 29));
    assert!(evidence(&waiting) > 10.0 && evidence(&waiting).is_finite());
    tell(&mut waiting, 29, about(1.0, 1));
    assert!(evidence(&waiting).is_infinite());
    for rate in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(rule().burn_in_for(Some(rate)).is_err(), "{rate}");
    }
}

/// Tests that a failure counts as the lower bound, and a score beyond a bound as the bound.
#[test]
fn bounded_scores_stay_within_their_bounds() {
    let bounded = || rule().bounded((0.0, 1.0)).unwrap();
    let (mut failing, mut zero, mut wild) = (bounded(), bounded(), bounded());
    for turn in 0..10 {
        let fails = turn % 3 == 0;
        let outcomes = [
            Outcome::Failed,
            Outcome::Observed(0.0),
            Outcome::Observed(-1e9),
        ];
        for (rule, low) in [&mut failing, &mut zero, &mut wild]
            .into_iter()
            .zip(outcomes)
        {
            told(
                rule,
                0,
                turn,
                if fails { low } else { Outcome::Observed(0.7) },
            );
            told(rule, 1, turn, Outcome::Observed(0.8));
        }
    }
    assert!(evidence(&zero) > 0.5 && evidence(&zero).is_finite());
    assert_eq!(evidence(&failing).to_bits(), evidence(&zero).to_bits());
    assert_eq!(evidence(&wild).to_bits(), evidence(&zero).to_bits());
    for bounds in [
        (1.0, 0.0),
        (0.0, 0.0),
        (0.0, f64::INFINITY),
        (f64::NAN, 1.0),
    ] {
        assert!(rule().bounded(bounds).is_err(), "{bounds:?}");
    }
}

/// Tests that the evidence for a greater tolerance is no less, whichever is asked for later.
#[test]
fn evidence_increases_with_the_tolerance() {
    for bounds in [None, Some((-20.0, 20.0))] {
        let mut before = f64::NEG_INFINITY;
        for step in 0..20 {
            let rule = AnytimeValid::within(0.95, 0.1 * f64::from(step), 2).unwrap();
            let mut rule = bounds.map_or(rule.clone(), |bounds| rule.bounded(bounds).unwrap());
            tell(&mut rule, 0, [0.3, -1.4, 0.2, -0.9, 0.6, -1.1]);
            assert!(evidence(&rule) > before, "{step}");
            before = evidence(&rule);
        }
    }
}

/// Tests that the better of two arms is named where both could be named with a tolerance.
#[test]
fn the_better_of_two_that_suffice_is_named() {
    let world = World::new(Design::Shared, &[0.0, 0.3, -3.0], &[0.3; 3]);
    let mut named = [0; 3];
    for number in 0..20 {
        let rule = AnytimeValid::within(0.95, 2.0, 3).unwrap();
        let conclusion = world.run("uniform", Running::Alone, rule, number, 300);
        assert!(is_named(&conclusion));
        named[conclusion.arm.index()] += 1;
    }
    assert!(named[1] >= 13, "{named:?}");
}

/// Runs a study of four clearly different arms with a minimum for the best two.
fn held_back(policy: impl Policy + 'static) -> (Vec<u64>, Conclusion) {
    let rule = AtLeast {
        evaluations: 60,
        rule: AnytimeValid::new(0.95, 4).unwrap(),
    };
    let arms = Arms::new(["a", "b", "c", "d"]).unwrap();
    let limits = Limits {
        evaluations: Some(2000),
        ..Limits::default()
    };
    let mut selector = Selector::builder(arms, GaussianArms::pooled(4), policy, rule)
        .limits(limits)
        .build()
        .unwrap();
    let conclusion = loop {
        match selector.ask().unwrap() {
            Ask::Evaluate(e) => {
                let score = [0.0, 5.0, 0.0, 4.0][e.arm.index()];
                let outcome = Outcome::Observed(score + (e.case.seed % 100) as f64 / 100.0);
                let id = e.id;
                let cost = 1.0;
                selector.tell(Event::Ended { id, outcome, cost }).unwrap();
            }
            Ask::Wait => panic!("nothing is running"),
            Ask::Finished(conclusion) => break conclusion,
        }
    };
    let view: View<'_> = selector.view();
    (
        ArmId::all(4).map(|arm| view.observed(arm)).collect(),
        conclusion,
    )
}

/// Tests that a minimum is waited for by the best two alone: the rule has what it needs after a few
/// evaluations, and the policy gathers just what the best two still lack.
#[test]
fn a_minimum_is_waited_for_by_the_best_two_alone() {
    let (made, conclusion) = held_back(TopTwo::evidence());
    assert!(is_named(&conclusion) && conclusion.arm == ArmId::new(1));
    assert!(made[1] >= 60 && made[3] >= 60, "{made:?}");
    assert!(made[0] < 30 && made[2] < 30, "{made:?}");
    let (made, _) = held_back(Uniform);
    assert!(made.iter().all(|&made| made >= 60), "{made:?}");
}

fn parameters(bounds: Option<(f64, f64)>, rare_failures: Option<f64>) -> StoppingParameters {
    StoppingParameters {
        bounds,
        rare_failures,
        ..StoppingParameters::new(0.95, 2)
    }
}

#[test]
fn a_rule_says_what_it_lacks_and_what_is_not_for_it() {
    let of = |name: &str, bounds, rate| by_name(name, &parameters(bounds, rate)).err();
    let unit = Some((0.0, 1.0));
    assert_eq!(
        of("anytime-bounded", None, None),
        Some(StoppingError::NoBounds)
    );
    assert_eq!(of("anytime-bounded", unit, None), None);
    assert_eq!(of("anytime", unit, Some(0.05)), None);
    let foreign = |name: &str| Some(StoppingError::ForeignRate(name.to_owned()));
    assert_eq!(of("posterior", None, Some(0.05)), foreign("posterior"));
    assert_eq!(
        of("anytime-bounded", unit, Some(0.05)),
        foreign("anytime-bounded")
    );
    assert!(matches!(
        of("anytime", None, Some(1.5)),
        Some(StoppingError::Rate(_))
    ));
    let backwards = Some((1.0, 0.0));
    assert!(matches!(
        of("anytime-bounded", backwards, None),
        Some(StoppingError::Bounds(_))
    ));
    let rule: Option<Box<dyn StoppingRule>> = by_name("anytime", &parameters(None, None)).ok();
    assert!(rule.is_some());
}

#[test]
fn the_reason_says_what_is_assumed() {
    assert_eq!(assumption("anytime"), Some(Assumption::Gaussian));
    let world = World::new(Design::Shared, &[0.0, 2.0], &[0.1; 2]);
    let rule = rule().bounded((-9.0, 9.0)).unwrap();
    let conclusion = world.run("evidence", Running::Alone, rule, 1, 900);
    let reason = Reason::AnytimeValid {
        level: 0.95,
        tolerance: 0.0,
        assumes: Assumption::Bounded,
    };
    assert_eq!(conclusion.reason, reason);
}

/// Tests that only the turns that both arms have compare them, with independent splits as well,
/// however much noisier one of them is.
#[test]
fn a_pair_is_kept_abreast() {
    for design in [Design::Shared, Design::Independent, Design::Fixed] {
        let arms = Arms::new(["calm", "noisy"]).unwrap();
        let rule = AnytimeValid::new(0.95, 2).unwrap();
        let mut selector =
            Selector::builder(arms, GaussianArms::pooled(2), TopTwo::evidence(), rule)
                .design(design)
                .build()
                .unwrap();
        for _ in 0..40 {
            let Ask::Evaluate(e) = selector.ask().unwrap() else {
                panic!("{design:?} ended");
            };
            let noise = (e.case.seed % 100) as f64 / 100.0 - 0.5;
            let outcome = Outcome::Observed([0.01, 1.0][e.arm.index()] * noise);
            let id = e.id;
            let cost = 1.0;
            selector.tell(Event::Ended { id, outcome, cost }).unwrap();
            let view = selector.view();
            let [calm, noisy] = [0, 1].map(|arm| view.observed(ArmId::new(arm)));
            assert!(calm.abs_diff(noisy) <= 1, "{design:?}: {calm}, {noisy}");
        }
    }
}
