//! What failed in a study: failures that are alike together, and what can be done about them.

use fiesta::{
    core::ArmId,
    runner::{
        History, Study,
        history::{Alike, alike},
    },
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// So many causes are shown to people.
const MOST_SHOWN: usize = 5;

/// Where the output of the first of some failures is.
fn log(study: &Study, failures: &Alike<'_>) -> PathBuf {
    let id = study.run_id(&failures.first.evaluation, failures.first.attempt);
    study.runs_directory().join(id.as_str())
}

fn names<'a>(study: &'a Study, failures: &Alike<'_>) -> Vec<&'a str> {
    let arms = failures.arms.iter();
    arms.map(|&arm| study.arms().name(arm)).collect()
}

/// The causes of failures, each told once with how often it occurred; empty if nothing failed.
pub(super) fn text(study: &Study, history: &History) -> String {
    let all = alike(study, history.records.values());
    let one = |failures: &Alike<'_>| {
        let evaluation = &failures.first.evaluation;
        let (number, arm) = (evaluation.id.0 + 1, study.arms().name(evaluation.arm));
        let on = format!(
            "evaluation {number}, {arm} on {}",
            study.describe(evaluation)
        );
        let what = match failures.count {
            1 => format!("failed: {on}"),
            count => format!(
                "failed alike, {count} evaluations of {}: first {on}",
                names(study, failures).join(", ")
            ),
        };
        let log = log(study, failures);
        format!(
            "{what}: {}\nits output is in: {}",
            failures.message(),
            log.display()
        )
    };
    let more = all.len().saturating_sub(MOST_SHOWN);
    let more = (more > 0).then(|| format!("… and for {more} more causes"));
    let shown = all.iter().take(MOST_SHOWN).map(one);
    shown.chain(more).collect::<Vec<_>>().join("\n")
}

/// The same as programs read it.
pub(super) fn json(study: &Study, history: &History) -> Value {
    let all = alike(study, history.records.values());
    let one = |failures: &Alike<'_>| {
        json!({
            "count": failures.count,
            "arms": names(study, failures),
            "evaluation": failures.first.evaluation.id.0 + 1,
            "message": failures.message(),
            "log": log(study, failures),
        })
    };
    all.iter().map(one).collect()
}

/// What lets the study go on with arms that have failed, once the cause is mended; none if no arm
/// needs it.
pub(super) fn advice(study: &Study, history: &History) -> Option<String> {
    let file = study.path().file_name().unwrap_or_default();
    let command = format!("fiesta run {}", file.to_string_lossy());
    if history.failed_alike(study) {
        return Some(format!(
            "every evaluation failed alike: once the cause is mended, `{command}` goes on, and these failures are not held against the arms"
        ));
    }
    let view = history.selector.view();
    let has_ended = history.selector.conclusion().is_some();
    let needs_it = |arm: &ArmId| {
        let is_retired = !view.candidates().contains(arm);
        is_retired || (has_ended && history.has_failed(*arm))
    };
    let arms = history.selector.arms().ids().filter(needs_it);
    let names: Vec<&str> = arms.map(|arm| study.arms().name(arm)).collect();
    let [first, others @ ..] = names.as_slice() else {
        return None;
    };
    Some(match others {
        [] => {
            format!("once the cause is mended, `{command} --retry {first}` lets {first} come back")
        }
        _ => format!(
            "once the cause is mended, `{command} --retry all` lets {} come back, and `--retry {first}` one of them",
            names.join(", ")
        ),
    })
}
