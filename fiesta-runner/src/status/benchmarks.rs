//! The benchmarks of a study, one by one.

use crate::{history::History, study::Study};
use fiesta_core::{ArmId, Observation, Observe, Outcome};
use fiesta_report::analysis::study::{BenchmarkArm, BenchmarkFacts};

/// Returns what is known of each benchmark. Empty unless the study has several.
pub(super) fn benchmarks(study: &Study, history: &History) -> Vec<BenchmarkFacts> {
    let arms: Vec<ArmId> = study.arms().ids().collect();
    let (tables, Some(mut posterior)) = (study.benchmarks(), study.benchmark_posterior()) else {
        return Vec::new();
    };
    let mut answers = vec![vec![0; arms.len()]; tables.len()];
    for record in history.records.values() {
        let Some(ending) = &record.ending else {
            continue;
        };
        let (arm, case) = (record.evaluation.arm, record.evaluation.case);
        if let Outcome::Observed(Observation::Score(score)) = study.oriented(ending.outcome) {
            // What the selector has taken is no surprise here.
            let is_taken = posterior.observe(arm, case, score).is_ok();
            let benchmark = posterior.benchmark_of(case.split).filter(|_| is_taken);
            if let Some(benchmark) = benchmark {
                answers[benchmark][arm.index()] += 1;
            }
        }
    }
    let direction = study.metric().direction();
    let candidates = history.selector.view().candidates();
    let mut found = Vec::new();
    for (number, (name, weight, items)) in tables.into_iter().enumerate() {
        let Some(of) = posterior.benchmarks().of(number) else {
            continue;
        };
        let answered = |arm: &ArmId| answers[number][arm.index()] >= of.required(*arm);
        let known: Vec<ArmId> = candidates.iter().copied().filter(answered).collect();
        let belief = of.belief(&known);
        let arms = arms.iter().map(|&arm| BenchmarkArm {
            name: study.arms().name(arm).to_owned(),
            answers: answers[number][arm.index()],
            mean: of.mean(arm).map(|mean| direction.orient(mean)),
            probability_best: belief.of(arm),
        });
        found.push(BenchmarkFacts {
            name,
            weight,
            items,
            arms: arms.collect(),
        });
    }
    found
}
