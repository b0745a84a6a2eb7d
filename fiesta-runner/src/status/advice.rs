//! Advice on how to continue with arms that have failed.

use crate::{history::History, study::Study};
use fiesta_core::{ArmId, Reason};
use fiesta_report::analysis::study::StudyFacts;

/// Returns advice on how to continue with arms that have failed, or whose failures may decide. `None`
/// if no arm needs it.
pub fn advice(study: &Study, history: &History, facts: &StudyFacts) -> Option<String> {
    let file = study.path.file_name().unwrap_or_default();
    let command = format!("fiesta run {}", file.to_string_lossy());
    if history.failed_alike(study) {
        return Some(format!(
            "every evaluation failed alike: once the cause is mended, `{command}` goes on, with --accept-changes if the study file was edited, and these failures are not held against the arms"
        ));
    }
    let view = history.selector.view();
    let conclusion = history.selector.conclusion();
    let has_ended = conclusion.is_some();
    // Where the study ended with a verdict that stands, nobody needs what failed.
    let is_exhausted = conclusion.is_some_and(|end| end.reason == Reason::Exhausted);
    let decisive = facts.arm_of_decisive_failures();
    let lacks_answers = is_exhausted || decisive.is_some();
    let needs_it = |arm: &ArmId| {
        let is_retired = !view.candidates().contains(arm);
        let is_missing = is_exhausted || decisive.as_deref() == Some(study.arms().name(*arm));
        let lacks_answers = || is_missing && !history.unanswered(study, *arm).is_empty();
        is_retired || (has_ended && history.has_failed(*arm)) || lacks_answers()
    };
    let arms = history.selector.arms().ids().filter(needs_it);
    let names: Vec<&str> = arms.map(|arm| study.arms().name(arm)).collect();
    let [first, others @ ..] = names.as_slice() else {
        return None;
    };
    let again = match others {
        [] if lacks_answers => format!(
            "once the cause is mended, `{command} --retry {first}` makes again what failed of {first}"
        ),
        _ if lacks_answers => format!(
            "once the cause is mended, `{command} --retry all` makes again what failed of {}, and `--retry {first}` of one of them",
            names.join(", ")
        ),
        [] => {
            format!("once the cause is mended, `{command} --retry {first}` lets {first} come back")
        }
        _ => format!(
            "once the cause is mended, `{command} --retry all` lets {} come back, and `--retry {first}` one of them",
            names.join(", ")
        ),
    };
    Some(if history.selector.is_at_limit() {
        format!(
            "{again}, with a larger budget under [goal] and --accept-changes: this one is spent"
        )
    } else {
        again
    })
}
