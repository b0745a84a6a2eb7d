//! Tests of the summaries of simulations.

use super::{
    Design, Gaussian, Policy, Problem, Recorded, SequentialHalving, Simulation, pooled, stopped_at,
    three, ttts, uniform,
};
use fiesta_core::ArmId;

/// Tests arms ten standard deviations apart: a posterior that demands .99 must not err in 1 of 100
/// runs.
#[test]
fn clearly_different_arms_are_told_apart() {
    let problem = Gaussian::new([(0.5, 0.02), (0.7, 0.02)]).unwrap();
    let summary = &stopped_at(&Simulation::new(&problem, 1000), &[0.99])[0];
    assert!(summary.correct > 0.99, "{summary:?}");
    assert_eq!((summary.runs, summary.capped), (1000, 0));
    assert!(summary.min >= 4 && summary.mean < 8.0, "{summary:?}");
}

/// Tests that the best arm is found in whichever place it stands.
#[test]
fn whichever_place_the_best_has() {
    for best in 0..3 {
        let mean = |index| if index == best { 0.7 } else { 0.5 };
        let problem = Gaussian::new((0..3).map(|index| (mean(index), 0.02))).unwrap();
        let summary = &stopped_at(&Simulation::new(&problem, 200), &[0.99])[0];
        assert!(summary.correct > 0.98, "{best}: {summary:?}");
    }
}

#[test]
fn a_budget_is_spent_exactly() {
    let problem = three();
    for (workers, budget) in [(1, 17), (4, 17), (4, 3), (30, 20)] {
        let simulation =
            Simulation::new(&problem, 50).workers(workers, super::Durations::Exponential);
        for policy in [uniform as fn() -> Box<dyn Policy>, ttts] {
            let summary = simulation.budget(pooled, policy, budget).unwrap();
            assert_eq!((summary.min, summary.max), (budget, budget));
            assert_eq!((summary.runs, summary.capped), (50, 0));
            assert!(summary.standard_error.abs() < 1e-12);
        }
    }
}

/// Tests that a schedule that is complete before the budget is spent ends the run.
#[test]
fn a_schedule_may_leave_something_over() {
    let problem = Gaussian::new((0..12).map(|_| (0.5, 0.1))).unwrap();
    for (extended, used) in [(false, 114), (true, 120)] {
        let halving = || -> Box<dyn Policy> {
            let halving = SequentialHalving::new(12, 120).unwrap();
            Box::new(if extended {
                halving.extended()
            } else {
                halving
            })
        };
        let summary = Simulation::new(&problem, 20)
            .budget(pooled, halving, 120)
            .unwrap();
        assert_eq!((summary.min, summary.max), (used, used));
    }
}

/// Tests that either of two best arms counts as correct, and that with a third, worse one the
/// selection is as often wrong as this one is named.
#[test]
fn ties_are_correct() {
    let problem = Gaussian::new([(0.5, 0.1), (0.5, 0.1)]).unwrap();
    let summary = &stopped_at(&Simulation::new(&problem, 100), &[0.8])[0];
    assert!((summary.correct - 1.0).abs() < 1e-12, "{summary:?}");
    let scores = |scores: [f64; 3]| scores.map(|score| (None, score)).to_vec();
    let problem = Recorded::new(
        [
            ("a".to_owned(), scores([0.4, 0.5, 0.6])),
            ("b".to_owned(), scores([0.5, 0.25, 0.75])),
            ("c".to_owned(), scores([0.4, 0.5, 0.5])),
        ],
        Design::Independent,
    )
    .unwrap();
    assert_eq!(
        [0, 1, 2].map(|arm| problem.is_best(ArmId::new(arm))),
        [true, true, false]
    );
    let simulation = Simulation::new(&problem, 400).design(Design::Independent);
    let summary = simulation.budget(pooled, uniform, 9).unwrap();
    assert!(
        summary.correct > 0.5 && summary.correct < 1.0,
        "{summary:?}"
    );
    let error = (summary.correct * (1.0 - summary.correct) / 400.0).sqrt();
    assert!((summary.correct_standard_error - error).abs() < 1e-12);
}

/// Tests that a run that meets the cap counts with all it has spent, and is counted apart from runs
/// that reached the goal.
#[test]
fn capped_runs_are_counted() {
    let problem = Gaussian::new([(0.5, 0.1), (0.5, 0.1), (0.55, 0.1)]).unwrap();
    let simulation = Simulation::new(&problem, 200).cap(15);
    let summaries = stopped_at(&simulation, &[0.999_999, 0.6]);
    assert_eq!(
        (summaries[0].capped, summaries[0].min, summaries[0].max),
        (200, 15, 15)
    );
    assert!(
        summaries[1].capped > 0 && summaries[1].capped < 100,
        "{:?}",
        summaries[1]
    );
    assert!(summaries[1].min < 15 && summaries[1].max == 15);
    // The recommendation of a capped run counts, too: the best mean is right more often than by
    // chance.
    assert!(
        summaries[0].correct > 0.4 && summaries[0].correct < 1.0,
        "{:?}",
        summaries[0]
    );
}

/// Tests mean and standard error of many runs against single runs, summed up by hand.
#[test]
fn summaries_are_moments() {
    let problem = three();
    let each: Vec<f64> = {
        // Single runs have other streams than runs of one simulation; the mean of many agrees all
        // the same.
        let run = |seed| stopped_at(&Simulation::new(&problem, 1).seed(seed), &[0.9])[0].mean;
        (0..400).map(run).collect()
    };
    let mean = each.iter().sum::<f64>() / 400.0;
    let variance = each.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 399.0;
    let summary = &stopped_at(&Simulation::new(&problem, 400).seed(99), &[0.9])[0];
    let error = (variance / 400.0).sqrt();
    // Two independent means: 4.5 standard errors of their difference, one in 147,000 seeds.
    assert!(
        (summary.mean - mean).abs() < 4.5 * error * 2_f64.sqrt(),
        "{summary:?} for {mean}"
    );
    assert!(
        (summary.standard_error / error - 1.0).abs() < 0.5,
        "{summary:?} for {error}"
    );
}
