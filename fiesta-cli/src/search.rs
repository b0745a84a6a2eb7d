//! Results of a random search: as a table, as a sentence and as JSON.

use super::standing::{is_observed, mean};
use fiesta::{
    core::{ArmId, Moments, Observation, Outcome},
    policies::random_search::{Setting, Space},
    posterior::best_of_n::Trials,
    report::{
        Align, SearchResult, Table, amount,
        analysis::best_of_n::{BestOfNReport, CONFIDENCE},
        search_sentence,
    },
    runner::{History, study::Search, study::Study},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The scores of an arm's trials, in the order in which they were decided.
pub(super) fn scores(history: &History, arm: ArmId) -> Vec<f64> {
    let of_arm = history
        .records
        .values()
        .filter(|record| record.evaluation.arm == arm);
    of_arm
        .filter_map(|record| match record.ending.as_ref()?.outcome {
            Outcome::Observed(Observation::Score(score)) => Some(score),
            _ => None,
        })
        .collect()
}

/// The arms from the best score to the worst: trials, failures and costs where there are any, the best score and its setting.
pub(super) fn table(study: &Study, history: &History) -> Table {
    let view = history.selector.view();
    let ids = || study.arms().ids();
    let failures = ids().any(|arm| view.failed(arm) > 0);
    let costs = ids().any(|arm| view.spent(arm) > 0.0);
    let best = format!("best {}", study.metric().name());
    let mut header = vec![("arm", Align::Left), ("trials", Align::Right)];
    if failures {
        header.push(("failed", Align::Right));
    }
    header.extend([(best.as_str(), Align::Right), ("mean ± sd", Align::Right)]);
    if costs {
        header.push(("cost", Align::Right));
    }
    header.push(("best setting", Align::Left));
    let mut table = Table::new(header);
    let mut ranked: Vec<ArmId> = ids().collect();
    let key = |arm: ArmId| {
        let best = history.best(study, arm);
        let oriented = best.map(|best| study.metric().direction().orient(best.score));
        oriented.unwrap_or(f64::NEG_INFINITY)
    };
    ranked.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
    for (rank, &arm) in ranked.iter().enumerate() {
        let moments: Moments = scores(history, arm).into_iter().collect();
        let best = history.best(study, arm);
        let mut cells = vec![
            study.arms().name(arm).to_owned(),
            (view.observed(arm) + view.failed(arm)).to_string(),
        ];
        if failures {
            cells.push(view.failed(arm).to_string());
        }
        let score = best.map_or("–".to_owned(), |best| format!("{:.4}", best.score));
        cells.push(score);
        cells.push(match moments.standard_deviation() {
            Some(sd) => format!("{:.4} ± {sd:.4}", moments.mean()),
            None => mean(&moments).map_or("–".to_owned(), |mean| format!("{mean:.4}")),
        });
        if costs {
            cells.push(amount(view.spent(arm)));
        }
        let retired = !view.candidates().contains(&arm);
        let setting = best.map_or(String::new(), |best| best.record.setting.to_string());
        cells.push(match (retired, setting.is_empty()) {
            (true, true) => "retired".to_owned(),
            (true, false) => format!("{setting} (retired)"),
            (false, _) => setting,
        });
        table.row(cells, rank == 0);
    }
    table
}

/// Which arm has the highest expected best of n, for every n of which the trials tell enough; none before the search has ended, or where
/// nothing can be said.
pub(super) fn best_of_n(study: &Study, history: &History) -> Option<BestOfNReport> {
    best_of_n_at(study, history, CONFIDENCE)
}

/// The same, where an arm is said to lead from this probability on.
pub(super) fn best_of_n_at(
    study: &Study,
    history: &History,
    confidence: f64,
) -> Option<BestOfNReport> {
    history.selector.conclusion()?;
    let view = history.selector.view();
    let scores: Vec<Vec<f64>> = study.arms().ids().map(|arm| scores(history, arm)).collect();
    let trials = study.arms().ids().zip(&scores).map(|(arm, scores)| Trials {
        scores,
        failed: usize::try_from(view.failed(arm)).unwrap_or(usize::MAX),
    });
    let trials: Vec<Trials<'_>> = trials.collect();
    let metric = study.metric();
    let compared = BestOfNReport::compare(
        study.arms().names(),
        &trials,
        metric.direction(),
        metric.bounds(),
        confidence,
    );
    // The scores were checked when they were read.
    compared.ok()?
}

/// The arm with the best score of all that are still candidates, and that score; none before there is one.
pub(super) fn leader(study: &Study, history: &History) -> Option<(ArmId, f64)> {
    let view = history.selector.view();
    let arm = view.empirical_best()?;
    Some((arm, history.best(study, arm)?.score))
}

/// The sentence to quote about so many arms; none before the conclusion, or if no trial had a score.
pub(super) fn sentence(
    study: &Study,
    search: &Search,
    history: &History,
    arms: usize,
) -> Option<String> {
    let conclusion = history.selector.conclusion()?;
    // A trial that ended after the decision may have the best score.
    let (arm, _) = leader(study, history)?;
    let best = history.best(study, arm)?;
    let observed = history
        .records
        .values()
        .filter(|record| is_observed(record));
    let splits: BTreeSet<u64> = observed
        .map(|record| record.evaluation.case.split)
        .collect();
    let view = history.selector.view();
    let setting = best.record.setting.to_string();
    let sentence = search_sentence(&SearchResult {
        arm: study.arms().name(arm),
        arms,
        metric: study.metric().name(),
        score: best.score,
        setting: &setting,
        trials: search.trials(),
        evaluations: view.total_ended(),
        failed: study.arms().ids().map(|arm| view.failed(arm)).sum(),
        reason: &conclusion.reason,
        splits: splits.len(),
        design: study.design(),
        version: env!("CARGO_PKG_VERSION"),
    });
    Some(match view.total_ended() - conclusion.evaluations {
        0 => sentence,
        late => format!(
            "{sentence} It was decided after {} evaluations; {late} more ended afterwards and {} counted.",
            conclusion.evaluations,
            if late == 1 { "is" } else { "are" }
        ),
    })
}

/// What was searched and the best that was found, as programs read it.
pub(super) fn json(study: &Study, search: &Search, history: &History) -> Value {
    let arm = |arm| {
        let best = history.best(study, arm).map(|best| {
            json!({
                "evaluation": best.record.evaluation.id.0 + 1,
                "score": best.score,
                "setting": best.record.setting,
                "seed": best.record.evaluation.case.seed,
                "split": best.record.evaluation.case.split,
            })
        });
        json!({
            "name": study.arms().name(arm),
            "space": space(search.space(arm)),
            "bounds": search.space(arm).to_string(),
            "best": best,
        })
    };
    let arms: Vec<Value> = study.arms().ids().map(arm).collect();
    let best_of_n = best_of_n(study, history);
    json!({
        "trials": search.trials(),
        "arms": arms,
        "best_of_n": best_of_n,
    })
}

/// A space as study files write it: `{"lr": {"loguniform": [1e-6, 0.1]}}`.
fn space(space: &Space) -> Value {
    let parameters = space.parameters();
    let object: Map<String, Value> = parameters
        .map(|(name, parameter)| {
            let kind = parameter.kind();
            (name.to_owned(), json!({ kind: parameter.bounds() }))
        })
        .collect();
    Value::Object(object)
}

/// A setting for a table: none where there are no hyperparameters.
pub(super) fn cell(setting: &Setting) -> String {
    if setting.is_empty() {
        "–".to_owned()
    } else {
        setting.to_string()
    }
}
