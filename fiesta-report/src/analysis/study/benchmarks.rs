//! The benchmarks of a study, one by one.

use super::StudyFacts;
use crate::{percent, words::count};
use serde::Serialize;

/// One benchmark of a study of several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchmarkFacts {
    /// Name of the benchmark.
    pub name: String,
    /// Weight of its mean in the value of an arm; weights sum to 1.
    pub weight: f64,
    /// Number of its items.
    pub items: u64,
    /// Answers, mean and P(best) of each arm on this benchmark, in the order of the arms.
    pub arms: Vec<BenchmarkArm>,
}

/// One arm on one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchmarkArm {
    /// Name of the arm.
    pub name: String,
    /// Number of items of the benchmark that the arm has answered.
    pub answers: u64,
    /// Estimate of the arm's mean over the benchmark. `None` before its first answer there.
    pub mean: Option<f64>,
    /// Probability that the arm is the best on this benchmark alone.
    pub probability_best: f64,
}

impl StudyFacts {
    /// Tells for each benchmark how much of it was asked, the arms' means there, and which arm is
    /// the best on it alone. Empty in a study of one pool.
    pub fn words_of_benchmarks(&self) -> Vec<String> {
        self.benchmarks.iter().map(BenchmarkFacts::words).collect()
    }
}

impl BenchmarkFacts {
    fn words(&self) -> String {
        let Self { name, items, .. } = self;
        let answers: u64 = self.arms.iter().map(|arm| arm.answers).sum();
        let means = self.arms.iter().filter_map(|arm| {
            let mean = arm.mean?;
            Some(format!("{} {mean:.3}", arm.name))
        });
        let means = match means.collect::<Vec<String>>() {
            means if means.is_empty() => String::new(),
            means => format!("; means {}", means.join(", ")),
        };
        let best = self
            .arms
            .iter()
            .max_by(|a, b| a.probability_best.total_cmp(&b.probability_best));
        let best = best.filter(|best| best.probability_best > 0.0).map(|best| {
            let p = percent(best.probability_best);
            format!("; there {} is most probably the best ({p})", best.name)
        });
        format!(
            "on {name}, which has {} of the weight and {}: {} asked{means}{}",
            percent(self.weight),
            count(*items, "item"),
            count(answers, "answer"),
            best.unwrap_or_default()
        )
    }
}
