//! Tests of the anytime-valid rule in studies: what it does, and how often it errs.

mod coverage;
mod discrete;
mod families;
mod named;
mod world;

use fiesta_core::{
    ArmId, Arms, Ask, Assumption, Case, Design, Evaluation, EvaluationId, Event, Outcome, Reason,
    Selector, StoppingRule as _,
};
use fiesta_policies::{Uniform, stopping::AnytimeValid};
use fiesta_posterior::GaussianArms;
use world::{Running, World, is_named};

/// Returns a score of an arm; two arms differ clearly on every split.
fn clear(arm: usize, turn: u64) -> f64 {
    0.5 + 0.1 * arm as f64 + 0.02 * noise(arm, turn)
}

/// Returns noise between 0 and 1, without any pattern that two arms share.
fn noise(arm: usize, turn: u64) -> f64 {
    ((turn + 1) * (turn + 5) * (arm as u64 + 2) * 31 % 97) as f64 / 97.0
}

fn told(rule: &mut AnytimeValid, arm: usize, turn: u64, outcome: Outcome) {
    let evaluation = Evaluation {
        id: EvaluationId(0),
        arm: ArmId::new(arm),
        case: Case { split: 0, seed: 0 },
    };
    rule.ended(&evaluation, turn, &outcome);
}

fn evidence(rule: &AnytimeValid) -> f64 {
    rule.between(ArmId::new(1), ArmId::new(0))
}

fn rule() -> AnytimeValid {
    AnytimeValid::new(0.95, 2).unwrap()
}

/// Tests that a turn that failed and was made again counts with its score alone, also where the
/// failure was counted as the worst score.
#[test]
fn what_was_made_again_counts_as_it_then_ended() {
    for design in [Design::Shared, Design::Independent] {
        let mut mended = rule().on_failure(Some(0.0));
        let mut straight = rule().on_failure(Some(0.0));
        for turn in 0..30 {
            for arm in 0..2 {
                let score = Outcome::Observed(clear(arm, turn));
                told(&mut straight, arm, turn, score);
                let fails = arm == 1 && turn < 3;
                told(
                    &mut mended,
                    arm,
                    turn,
                    if fails { Outcome::Failed } else { score },
                );
            }
        }
        assert!(evidence(&mended) < evidence(&straight), "{design:?}");
        for turn in 0..3 {
            told(&mut mended, 1, turn, Outcome::Observed(clear(1, turn)));
        }
        let (mended, straight) = (evidence(&mended), evidence(&straight));
        assert_eq!(mended.to_bits(), straight.to_bits(), "{design:?}");
    }
}

#[test]
fn names_a_clearly_better_arm() {
    for design in [Design::Shared, Design::Independent, Design::Fixed] {
        let world = World::new(design, &[0.0, 2.0, -1.0], &[1.0; 3]);
        for (policy, running) in [
            ("uniform", Running::Alone),
            ("ttts", Running::HighLate),
            ("evidence", Running::HighEarly),
        ] {
            let conclusion = world.run(policy, running, rule3(), 3, 900);
            assert!(is_named(&conclusion), "{design:?} {policy}");
            assert_eq!(conclusion.arm, ArmId::new(1));
            assert!(conclusion.evaluations < 250, "{conclusion:?}");
            let reason = Reason::AnytimeValid {
                level: 0.95,
                tolerance: 0.0,
                assumes: Assumption::Gaussian,
            };
            assert_eq!(conclusion.reason, reason);
        }
    }
}

fn rule3() -> AnytimeValid {
    AnytimeValid::new(0.95, 3).unwrap()
}

/// Tests that only the table of scores counts for the rule, and not the order in which evaluations end.
#[test]
fn the_order_of_ends_changes_nothing() {
    for design in [Design::Shared, Design::Independent] {
        let (mut forward, mut scattered) = (rule(), rule());
        for turn in 0..5 {
            for arm in 0..2 {
                told(&mut forward, arm, turn, Outcome::Observed(clear(arm, turn)));
            }
        }
        for turn in [3, 1, 4, 2] {
            for arm in [1, 0] {
                told(
                    &mut scattered,
                    arm,
                    turn,
                    Outcome::Observed(clear(arm, turn)),
                );
            }
        }
        // Without the first turn, there is no prefix and so no evidence.
        assert_eq!(
            evidence(&scattered).to_bits(),
            0.0_f64.to_bits(),
            "{design:?}"
        );
        for arm in [1, 0] {
            told(&mut scattered, arm, 0, Outcome::Observed(clear(arm, 0)));
        }
        let (one, other) = (evidence(&forward), evidence(&scattered));
        assert!(
            one > 1.0 && (one.min(99.0) - other.min(99.0)).abs() < 1e-9,
            "{one}, {other}"
        );
    }
}

#[test]
fn a_failure_ends_the_prefix_unless_it_has_a_declared_score() {
    for design in [Design::Shared, Design::Independent] {
        let play = |mut rule: AnytimeValid| {
            for turn in 0..40 {
                for arm in 0..2 {
                    let failed = (arm, turn) == (0, 1);
                    let score = Outcome::Observed(clear(arm, turn));
                    told(
                        &mut rule,
                        arm,
                        turn,
                        if failed { Outcome::Failed } else { score },
                    );
                }
            }
            evidence(&rule)
        };
        assert!(play(rule()) < 1.0, "{design:?}");
        assert!(play(rule().on_failure(Some(0.4))) > 5.0, "{design:?}");
        // A failure that counts as a high score is held against the other arm.
        assert!(play(rule().on_failure(Some(50.0))) < 1.0, "{design:?}");
    }
}

/// Tests that equal scores, and equal differences, are no certainty as they have no spread: nothing
/// stops on them.
#[test]
fn equal_scores_never_stop_a_study() {
    // A difference of .1 that floating point does not always give.
    let split = |turn: u64| (turn % 7) as f64 * 0.1;
    for design in [Design::Shared, Design::Independent] {
        let mut rule = rule();
        for turn in 0..300 {
            for arm in 0..2 {
                let base = if design == Design::Shared {
                    split(turn)
                } else {
                    0.3
                };
                let score = base + 0.1 * arm as f64;
                told(&mut rule, arm, turn, Outcome::Observed(score));
            }
        }
        assert!(evidence(&rule) < 5.0, "{design:?}: {}", evidence(&rule));
    }
    // One score that differs ends that.
    let mut shared = rule();
    for turn in 0..10 {
        for arm in 0..2 {
            let score = 0.1 * arm as f64 + if (arm, turn) == (1, 4) { 0.01 } else { 0.0 };
            told(&mut shared, arm, turn, Outcome::Observed(score));
        }
    }
    assert!(evidence(&shared) > 5.0);
}

/// Tests that equal arms run for ever, but not with a tolerance; and that the named arm is then
/// within it.
#[test]
fn a_tolerance_ends_a_study_of_equal_arms() {
    for design in [Design::Shared, Design::Independent] {
        let world = World::new(design, &[0.0, 0.0, -2.0], &[1.0; 3]);
        let rule = AnytimeValid::within(0.95, 0.7, 3).unwrap();
        let conclusion = world.run("evidence", Running::Alone, rule, 1, 3000);
        assert!(is_named(&conclusion), "{design:?}");
        assert!(conclusion.arm.index() < 2);
        let alone = world.run("evidence", Running::Alone, rule3(), 1, 600);
        assert!(!is_named(&alone), "{design:?}");
    }
}

/// Tests that an arm that retires after it had scores raises the required evidence, as the best of
/// the remaining arms is another question.
#[test]
fn a_retired_arm_raises_what_is_required() {
    let study = |failing: bool| {
        let arms = Arms::new(["a", "b", "c"]).unwrap();
        let mut selector = Selector::builder(arms, GaussianArms::pooled(3), Uniform, rule3())
            .build()
            .unwrap();
        let mut made = [0_u64; 3];
        loop {
            match selector.ask().unwrap() {
                Ask::Evaluate(evaluation) => {
                    let arm = evaluation.arm.index();
                    made[arm] += 1;
                    let outcome = if failing && arm == 2 && made[2] > 3 {
                        Outcome::Failed
                    } else {
                        Outcome::Observed([0.5, 0.53, -5.0][arm] + 0.06 * noise(arm, made[arm]))
                    };
                    let cost = 1.0;
                    let id = evaluation.id;
                    selector.tell(Event::Ended { id, outcome, cost }).unwrap();
                }
                Ask::Wait => panic!("nothing is running"),
                Ask::Finished(conclusion) => return (conclusion, made),
            }
        }
    };
    let ((with, made), (without, fewer)) = (study(true), study(false));
    assert_eq!((with.arm, without.arm), (ArmId::new(1), ArmId::new(1)));
    assert!(is_named(&with) && is_named(&without));
    assert!(made[0] > fewer[0], "{made:?} {fewer:?}");
}

/// Tests that the rule never stops, rather than wrongly, with one arm more than it was made for.
#[test]
fn an_unknown_arm_is_no_panic() {
    let mut rule = rule();
    told(&mut rule, 7, 0, Outcome::Observed(1.0));
    assert_eq!(evidence(&rule).to_bits(), 0.0_f64.to_bits());
}
