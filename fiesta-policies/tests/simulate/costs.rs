//! Tests of durations, costs and the virtual clock against values computed by hand.

use super::{Design, Durations, MakeRule, Simulation, StoppingRule, pooled, rules, ttts, uniform};
use fiesta_core::{ArmId, Arms, Case, Reason, Streams, Verdict, View};
use fiesta_policies::simulate::{
    Noise, Observations, Problem, Recorded, SimulationSummary, Synthetic, SyntheticArm,
};

/// Returns a problem of a quick arm and one that takes 20 times as long.
fn quick_and_slow() -> Synthetic {
    let arms = [
        SyntheticArm::new(0.6, 0.02),
        SyntheticArm::new(0.65, 0.02).lasting(20.0),
    ];
    Synthetic::new(arms, Noise::default()).unwrap()
}

fn spent(
    problem: &dyn Problem,
    workers: usize,
    durations: Durations,
    budget: u64,
) -> SimulationSummary {
    Simulation::new(problem, 20)
        .workers(workers, durations)
        .budget(pooled, uniform, budget)
        .unwrap()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

#[test]
fn cost_is_the_sum_of_durations() {
    let problem = quick_and_slow();
    let alone = spent(&problem, 1, Durations::Constant, 10);
    assert_near(alone.cost, 5.0 * 1.0 + 5.0 * 20.0);
    assert_near(alone.cost_standard_error, 0.0);
    // One at a time nothing overlaps.
    assert_near(alone.time, alone.cost);
    // Two at once: the budget is spent when both have ended.
    let both = spent(&problem, 2, Durations::Constant, 2);
    assert_near(both.cost, 21.0);
    assert_near(both.time, 20.0);
    // Until then the worker of the quick one has nothing to do. With a second evaluation of it, it
    // works for 2 of 20.
    let both = spent(&problem, 2, Durations::Constant, 3);
    assert_near(both.cost, 22.0);
    assert_near(both.time, 20.0);
}

/// Tests that evaluations that run when a rule would stop are waited for and paid: with two at once,
/// the quick one ends at 1, and the slow one at 20.
#[test]
fn what_is_running_is_paid() {
    let problem = quick_and_slow();
    let simulation = Simulation::new(&problem, 5).workers(2, Durations::Constant);
    let at_once: [MakeRule<'_>; 1] = [Box::new(|| Box::new(AfterOne))];
    let summary = &simulation.confidence(pooled, uniform, &at_once).unwrap()[0];
    assert_near(summary.mean, 2.0);
    assert_near(summary.time, 20.0);
    assert_near(summary.cost, 21.0);
}

/// Rule that stops when one evaluation has ended.
struct AfterOne;

impl StoppingRule for AfterOne {
    fn check(&self, view: &View<'_>) -> Verdict {
        let arm = view.candidates()[0];
        let level = 0.5;
        match view.total_ended() {
            0 => Verdict::Continue,
            _ => Verdict::Stop(arm, Reason::PosteriorProbability { level }),
        }
    }
}

/// Tests means over 20 runs of 200 exponential durations, within 4.5 standard errors.
#[test]
fn random_durations_have_the_arms_means() {
    let summary = spent(&quick_and_slow(), 1, Durations::Exponential, 200);
    let error = f64::sqrt((100.0 + 100.0 * 400.0) / 20.0);
    assert!((summary.cost - 2100.0).abs() < 4.5 * error, "{summary:?}");
    assert!(summary.cost_standard_error > 0.4 * error && summary.cost_standard_error < 2.0 * error);
}

/// Problem of two arms whose scores lie one standard deviation above and below their means.
struct Tilted(Arms);

impl Problem for Tilted {
    fn arms(&self) -> &Arms {
        &self.0
    }
    fn shortfall(&self, arm: ArmId) -> f64 {
        f64::from(u8::from(arm.index() != 0))
    }
    fn standardised(&self, arm: ArmId, score: f64) -> f64 {
        if arm.index() == 0 {
            score
        } else {
            10.0 * score
        }
    }
    fn observations(&self, _: Design, _: &Streams, _: u64) -> Box<dyn Observations + '_> {
        Box::new(Constant)
    }
}

struct Constant;

impl Observations for Constant {
    fn observe(&mut self, arm: ArmId, _case: Case) -> f64 {
        if arm.index() == 0 { 1.0 } else { -1.0 }
    }
}

#[test]
fn durations_may_follow_scores() {
    let problem = Tilted(Arms::new(["high", "low"]).unwrap());
    // The first evaluation is of the high arm; the second of the low one, beyond the limit of 3.
    let cost = |durations, budget| spent(&problem, 1, durations, budget).cost;
    assert_near(cost(Durations::HighLate, 1), 0.5_f64.exp());
    assert_near(cost(Durations::HighEarly, 1), (-1.5_f64).exp());
    assert_near(
        cost(Durations::HighLate, 2),
        0.5_f64.exp() + (-3.5_f64).exp(),
    );
    assert_near(
        cost(Durations::HighEarly, 2),
        (-1.5_f64).exp() + 2.5_f64.exp(),
    );
}

#[test]
fn scores_are_standardised_by_their_arm() {
    let recorded = |score| (None, score);
    let problem = Recorded::new(
        [
            ("a".to_owned(), vec![recorded(1.0), recorded(3.0)]),
            ("b".to_owned(), vec![recorded(5.0); 3]),
        ],
        Design::Independent,
    )
    .unwrap();
    assert_near(problem.standardised(ArmId::new(0), 3.0), f64::sqrt(0.5));
    assert_near(problem.standardised(ArmId::new(1), 5.0), 0.0);
    assert_near(quick_and_slow().standardised(ArmId::new(0), 0.58), -1.0);
}

/// Tests that a rule's cost is what was spent when it stopped, not at the end of the run.
#[test]
fn each_rule_has_its_own_cost() {
    let problem = quick_and_slow();
    let simulation = Simulation::new(&problem, 50);
    let rules = rules(&[0.999, 0.8]);
    let summaries = simulation.confidence(pooled, ttts, &rules).unwrap();
    assert!(summaries[0].cost > summaries[1].cost, "{summaries:?}");
    for summary in &summaries {
        assert_near(summary.time, summary.cost);
        assert!(summary.cost > summary.mean && summary.cost < 20.0 * summary.mean);
        assert_eq!(summary.capped, 0);
        let wrong = (1.0 - summary.correct) * 50.0;
        assert_near(summary.wrong as f64, wrong);
    }
}

/// Tests that a run that is given up claims nothing.
#[test]
fn capped_runs_are_not_wrong() {
    let arms = [
        SyntheticArm::new(0.6, 0.02),
        SyntheticArm::new(0.6001, 0.02),
    ];
    let problem = Synthetic::new(arms, Noise::default()).unwrap();
    let simulation = Simulation::new(&problem, 100).cap(4);
    let rules = rules(&[0.9999]);
    let summary = &simulation.confidence(pooled, ttts, &rules).unwrap()[0];
    assert!(summary.capped > 90 && summary.correct < 0.9, "{summary:?}");
    assert!(summary.wrong <= 100 - summary.capped, "{summary:?}");
}
