//! Tests of seeds, threads and clocks: what results depend on, and what not.

use super::{
    Batched, Design, Durations, Gaussian, Policy, Simulation, SimulationSummary, Thompson, pooled,
    rules, stopped_at, thompson, three,
};
use fiesta_core::{ArmId, Arms, Case, Streams};
use fiesta_policies::simulate::{Observations, Problem};

#[test]
fn the_number_of_threads_does_not_matter() {
    let problem = three();
    let run = |threads| {
        let simulation = Simulation::new(&problem, 101)
            .threads(threads)
            .workers(3, Durations::Exponential);
        (
            stopped_at(&simulation, &[0.95, 0.8]),
            simulation.budget(pooled, thompson, 20).unwrap(),
        )
    };
    let alone = run(1);
    assert_eq!(run(2), alone);
    assert_eq!(run(5), alone);
}

#[test]
fn the_seed_does() {
    let problem = three();
    let run = |seed| stopped_at(&Simulation::new(&problem, 50).seed(seed), &[0.9]);
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    // 50 runs are 50 different ones.
    let summary = &run(7)[0];
    assert!(
        summary.min < summary.max && summary.standard_error > 0.0,
        "{summary:?}"
    );
}

/// Problem of arms whose scores are the same in every run: an arm's k-th is its mean, and a step up
/// or down in turn.
struct Same(Arms);

impl Problem for Same {
    fn arms(&self) -> &Arms {
        &self.0
    }
    fn shortfall(&self, arm: ArmId) -> f64 {
        f64::from(u8::from(arm.index() != 1))
    }
    fn observations(&self, _: Design, _: &Streams, _: u64) -> Box<dyn Observations + '_> {
        Box::new(Alternating)
    }
}

struct Alternating;

impl Observations for Alternating {
    fn observe(&mut self, arm: ArmId, case: Case) -> f64 {
        let mean = if arm.index() == 1 { 0.52 } else { 0.5 };
        if case.split.is_multiple_of(2) {
            mean - 0.05
        } else {
            mean + 0.05
        }
    }
}

/// Tests that each run has choices of its own, not only scores of its own.
#[test]
fn runs_choose_for_themselves() {
    let problem = Same(Arms::new(["a", "b"]).unwrap());
    let summary = &stopped_at(&Simulation::new(&problem, 50), &[0.9])[0];
    assert!(summary.min < summary.max, "{summary:?}");
}

/// Tests that the rules of one call see the same looks as each would alone.
#[test]
fn rules_do_not_disturb_each_other() {
    let problem = three();
    for workers in [1, 2, 3] {
        let simulation = Simulation::new(&problem, 200).workers(workers, Durations::Exponential);
        let together = stopped_at(&simulation, &[0.95, 0.8, 0.9]);
        for (summary, level) in together.iter().zip([0.95, 0.8, 0.9]) {
            assert_eq!(*summary, stopped_at(&simulation, &[level])[0], "{level}");
        }
        assert!(together[1].mean < together[2].mean && together[2].mean < together[0].mean);
    }
}

/// Tests that evaluations that start together end together: constant durations on W workers are
/// batches of W.
#[test]
fn constant_durations_are_synchronous_batches() {
    let problem = Gaussian::new([(0.5, 0.1), (0.52, 0.1), (0.4, 0.1)]).unwrap();
    let batches = || Box::new(Batched::new(Thompson::default(), 4)) as Box<dyn Policy>;
    for seed in 0..40 {
        let run = |policy: &(dyn Fn() -> Box<dyn Policy> + Sync),
                   workers,
                   durations|
         -> SimulationSummary {
            Simulation::new(&problem, 1)
                .seed(seed)
                .workers(workers, durations)
                .confidence(pooled, policy, &rules(&[0.8]))
                .unwrap()
                .remove(0)
        };
        let parallel = run(&thompson, 4, Durations::Constant);
        // Two evaluations of each arm first, and then four at once.
        assert_eq!((parallel.min - 6) % 4, 0, "{parallel:?}");
        assert_eq!(run(&batches, 4, Durations::Constant), parallel);
        // Out of order, or with fewer workers than a batch has evaluations, choices and scores are
        // others: but they are looked at in batches.
        assert_eq!((run(&batches, 4, Durations::Exponential).min - 6) % 4, 0);
        assert_eq!((run(&batches, 1, Durations::Constant).min - 6) % 4, 0);
    }
}

/// Tests that asynchronous runs stop at any number.
#[test]
fn exponential_durations_end_one_by_one() {
    let problem = three();
    let remainders: std::collections::HashSet<u64> = (0..40)
        .map(|seed| {
            let simulation = Simulation::new(&problem, 1)
                .seed(seed)
                .design(Design::Independent)
                .workers(4, Durations::Exponential);
            simulation
                .confidence(pooled, thompson, &rules(&[0.9]))
                .unwrap()[0]
                .min
                % 4
        })
        .collect();
    assert_eq!(remainders.len(), 4);
}
