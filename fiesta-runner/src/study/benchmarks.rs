//! Several benchmarks of one study: pools of items, each with a weight.

#[cfg(feature = "report")]
use super::Study;
use super::{
    StudyError,
    error::Source,
    file::{ItemsEntry, StudyFile},
};
use fiesta_core::is_hidden;
#[cfg(feature = "report")]
use fiesta_posterior::BenchmarksOfStudy;
use std::collections::BTreeSet;

/// One benchmark of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OfBenchmark {
    /// The number of items.
    pub(super) items: u64,
    /// The weight, of weights whose sum is 1.
    pub(super) weight: f64,
    /// Cost of an answer, in a unit that all benchmarks share.
    pub(super) cost: f64,
}

/// Makes the items of all benchmarks those of the study, after checks. Does nothing in a study
/// without benchmarks.
pub(super) fn take_benchmarks(source: &Source<'_>, file: &mut StudyFile) -> Result<(), StudyError> {
    if file.benchmark.is_empty() {
        return Ok(());
    }
    let wrong = |number: usize, key: &str, message: String| {
        Err(source.wrong(&["benchmark", &number.to_string(), key], message))
    };
    let beside = ["items", "documents", "splits", "strata", "repeats"];
    let beside = beside.map(|key| format!("design.{key}"));
    if let Some(key) = beside.iter().find(|key| source.has(key)) {
        let message = format!(
            "benchmarks are the pools of the study, whose items are asked once each: leave {} out",
            key.trim_start_matches("design.")
        );
        return Err(source.wrong(&key.split('.').collect::<Vec<_>>(), message));
    }
    if file.goal.baseline.is_some() {
        let message = "a gate compares arms on one pool, and this study has several benchmarks: make a study of each, with a gate of its own";
        return Err(source.wrong(&["goal", "baseline"], message));
    }
    if file.benchmark.len() < 2 {
        let message = "a single benchmark is a pool of items: name it under [design], items = …, or add another [[benchmark]]";
        return Err(source.wrong(&["benchmark"], message));
    }
    if file.goal.trials.is_some() {
        let message = "a random search trains on splits, not on benchmarks: leave [[benchmark]] or trials out";
        return Err(source.wrong(&["goal", "trials"], message));
    }
    let mut names = BTreeSet::new();
    for (number, benchmark) in file.benchmark.iter().enumerate() {
        let name = benchmark.name.as_str();
        if name.trim() != name || name.is_empty() || name.chars().any(is_hidden) {
            let message = format!(
                "{name:?} is no name: a benchmark's name is a text without spaces at its ends"
            );
            return wrong(number, "name", message);
        }
        if !names.insert(name) {
            return wrong(
                number,
                "name",
                format!("two benchmarks have the name {name:?}"),
            );
        }
        for (key, value) in [("weight", benchmark.weight), ("cost", benchmark.cost)] {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                let message = format!("{key} = {value}: a number above 0 is needed");
                return wrong(number, key, message);
            }
        }
    }
    file.design.items = Some(ItemsEntry::Benchmarks);
    Ok(())
}

/// Returns the benchmarks with these numbers of items, in the order of their tables.
pub(super) fn benchmarks(file: &StudyFile, sizes: &[u64]) -> Vec<OfBenchmark> {
    let weight = |weight: Option<f64>| weight.unwrap_or(1.0);
    let all: f64 = { file.benchmark.iter() }.map(|of| weight(of.weight)).sum();
    let of = file.benchmark.iter().zip(sizes);
    let of = of.map(|(table, &items)| OfBenchmark {
        items,
        weight: weight(table.weight) / all,
        cost: table.cost.unwrap_or(1.0),
    });
    of.collect()
}

#[cfg(feature = "report")]
impl Study {
    /// Returns the benchmarks of the study, in the order of their tables: name, weight of weights
    /// whose sum is 1, and number of items. Empty unless the study has several.
    pub(crate) fn benchmarks(&self) -> Vec<(String, f64, u64)> {
        let names = self.file.benchmark.iter().map(|of| of.name.clone());
        let of = self.posterior.benchmarks();
        let of = names.zip(of).map(|(name, of)| (name, of.weight, of.items));
        of.collect()
    }

    /// Makes the posterior of several benchmarks, before any answer. `None` in other studies.
    pub(crate) fn benchmark_posterior(&self) -> Option<BenchmarksOfStudy> {
        self.posterior.of_benchmarks(self.arms.len())
    }

    /// Whether arms are compared by means over the items of a pool, or of several.
    pub(crate) fn is_over_items(&self) -> bool {
        [fiesta_posterior::BENCHMARKS, fiesta_posterior::POOL].contains(&self.posterior())
    }
}
