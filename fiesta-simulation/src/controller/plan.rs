//! The study of a seed.

use fiesta_core::Streams;
use rand::RngExt;
use std::fmt::Write;

/// Evaluations by which the budget of a study grows that goes on after its end.
const MORE: usize = 15;

/// A study, and how its jobs behave.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is drawn by itself")]
pub(super) struct Plan {
    /// The study file.
    pub(super) text: String,
    /// Whether the study goes on after its end, with a larger budget.
    pub(super) extends: bool,
    /// Number of jobs that may run at a time.
    pub(super) slots: usize,
    /// Largest number of evaluations, before the study goes on after its end.
    budget: usize,
    /// Share of the evaluations that fail, of each arm.
    pub(super) failing: Vec<f64>,
    /// Share of the jobs that a signal ends.
    pub(super) lost: f64,
    /// Chance of a fault at a step.
    pub(super) rate: f64,
    /// Largest number of faults at steps.
    pub(super) faults: usize,
    /// Chance of a fault at a file call.
    pub(super) file_rate: f64,
    /// Largest number of faults at file calls.
    pub(super) file_faults: usize,
    /// Whether every third controller makes again what failed.
    retries_failures: bool,
    /// The controller that asks the first arm anew. `None` if none does.
    asks_anew: Option<usize>,
    /// Whether others cause faults.
    pub(super) has_others: bool,
    has_schedule: bool,
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
        let is_of_items = !has_schedule && chance.random_bool(0.3);
        let case = if is_of_items { "item" } else { "split" };
        let mut text = format!(
            "name = \"simulated\"\ncommand = [\"true\", \"{{arm}}\", \"{{{case}}}\", \"{{seed}}\"]\nmetric = {{ name = \"accuracy\", bounds = [0, 1] }}\n",
        );
        let mut goal = format!("budget = {{ evaluations = {budget}");
        if !has_schedule && chance.random_bool(0.2) {
            // A job takes 10 seconds on average, which are its cost.
            let _ = write!(goal, ", cost = \"{}s\"", chance.random_range(200..=700));
        }
        if !has_schedule && chance.random_bool(0.2) {
            let _ = write!(goal, ", wall = \"{}s\"", chance.random_range(60..=600));
        }
        goal.push_str(" }");
        if !has_schedule {
            let confidence = [0.9, 0.95, 0.999][chance.random_range(0..3_usize)];
            let _ = write!(goal, ", confidence = {confidence}, tie = 0");
        }
        let _ = writeln!(text, "goal = {{ {goal} }}");
        let cases = if is_of_items {
            let items: Vec<String> = (0..60).map(|item| format!("\"q{item}\"")).collect();
            format!("items = [{}]", items.join(", "))
        } else {
            let splits = ["shared", "independent", "fixed"][chance.random_range(0..3_usize)];
            format!("posterior = \"pooled\", splits = \"{splits}\"")
        };
        let _ = writeln!(
            text,
            "design = {{ policy = \"{policy}\", parallel = {slots}, {cases}, seed = {} }}",
            chance.random_range(0..1000)
        );
        let _ = writeln!(text, "resources.retries = {}", chance.random_range(0..=2));
        let mut failing = Vec::new();
        for arm in 0..arms {
            let _ = writeln!(text, "[[arm]]\nname = \"{arm}\"");
            failing.push(if chance.random_bool(0.3) { 0.2 } else { 0.0 });
        }
        let extends = !has_schedule && chance.random_bool(0.2);
        Self {
            extends,
            has_schedule,
            text,
            slots,
            budget,
            failing,
            lost: [0.0, 0.0, 0.05][chance.random_range(0..3_usize)],
            rate: chance.random_range(0.05..0.25),
            faults: chance.random_range(20..=80),
            retries_failures: !has_schedule && chance.random_bool(0.2),
            asks_anew: (!has_schedule && chance.random_bool(0.2))
                .then(|| chance.random_range(1..10)),
            file_rate: chance.random_range(0.001..0.02),
            file_faults: chance.random_range(10..=60),
            has_others: chance.random_bool(0.5),
        }
    }

    /// Returns the largest number of evaluations.
    pub(super) fn most_evaluations(&self) -> usize {
        self.budget + if self.extends { MORE } else { 0 }
    }

    /// Returns the text of the study file with a larger budget.
    pub(super) fn extended(&self, text: &str) -> String {
        let [budget, larger] =
            [self.budget, self.most_evaluations()].map(|most| format!("evaluations = {most}"));
        text.replace(&budget, &larger)
    }

    /// Returns whether an arm may be added.
    pub(super) fn can_have_more_arms(&self) -> bool {
        !self.has_schedule
    }

    /// Returns the arms that the controller number `life` asks anew.
    pub(super) fn again(&self, life: usize) -> Vec<String> {
        let is_asked = self.asks_anew == Some(life);
        is_asked.then(|| "0".to_owned()).into_iter().collect()
    }

    /// Returns the arms whose failures the controller number `life` makes again.
    pub(super) fn retry(&self, life: usize) -> Vec<String> {
        let is_asked = self.retries_failures && life % 3 == 2;
        is_asked.then(|| "all".to_owned()).into_iter().collect()
    }
}
