//! The study of a seed.

use fiesta_core::Streams;
use rand::RngExt;
use std::fmt::Write;

/// A study, and how its jobs behave.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The study file.
    pub(super) text: String,
    /// Number of jobs that may run at a time.
    pub(super) slots: usize,
    /// Largest number of evaluations.
    pub(super) budget: usize,
    /// Share of the evaluations that fail, of each arm.
    pub(super) failing: Vec<f64>,
    /// Share of the jobs that a signal ends.
    pub(super) lost: f64,
    /// Chance of a fault at a step.
    pub(super) rate: f64,
    /// Largest number of faults.
    pub(super) faults: usize,
    /// Whether a controller makes again what failed. Every third one does.
    retries_failures: bool,
}

impl Plan {
    pub(super) fn draw(seed: u64) -> Self {
        let mut chance = Streams::new(seed).run(0);
        let arms = chance.random_range(2..=5_usize);
        let slots = chance.random_range(1..=4_usize);
        let budget = chance.random_range(30..=70_usize);
        let policy = ["uniform", "ttps", "ttts", "sequential-halving", "ttucb"]
            [chance.random_range(0..5_usize)];
        let has_schedule = policy == "sequential-halving";
        let mut text = String::from(
            "name = \"simulated\"\ncommand = [\"true\", \"{arm}\", \"{split}\", \"{seed}\"]\nmetric = { name = \"accuracy\", bounds = [0, 1] }\n",
        );
        let mut goal = format!("budget = {{ evaluations = {budget}");
        if !has_schedule && chance.random_bool(0.2) {
            let _ = write!(goal, ", wall = \"{}s\"", chance.random_range(60..=600));
        }
        goal.push_str(" }");
        if !has_schedule {
            let confidence = [0.9, 0.95, 0.999][chance.random_range(0..3_usize)];
            let _ = write!(goal, ", confidence = {confidence}, tie = 0");
        }
        let splits = ["shared", "independent", "fixed"][chance.random_range(0..3_usize)];
        let _ = writeln!(text, "goal = {{ {goal} }}");
        let _ = writeln!(
            text,
            "design = {{ policy = \"{policy}\", parallel = {slots}, posterior = \"pooled\", splits = \"{splits}\", seed = {} }}",
            chance.random_range(0..1000)
        );
        let _ = writeln!(text, "resources.retries = {}", chance.random_range(0..=2));
        let mut failing = Vec::new();
        for arm in 0..arms {
            let _ = writeln!(text, "[[arm]]\nname = \"{arm}\"");
            failing.push(if chance.random_bool(0.3) { 0.2 } else { 0.0 });
        }
        Self {
            text,
            slots,
            budget,
            failing,
            lost: [0.0, 0.0, 0.05][chance.random_range(0..3_usize)],
            rate: chance.random_range(0.05..0.25),
            faults: chance.random_range(20..=80),
            retries_failures: !has_schedule && chance.random_bool(0.2),
        }
    }

    /// Returns the arms whose failures the controller number `life` makes again.
    pub(super) fn retry(&self, life: usize) -> Vec<String> {
        let is_asked = self.retries_failures && life % 3 == 2;
        is_asked.then(|| "all".to_owned()).into_iter().collect()
    }
}
