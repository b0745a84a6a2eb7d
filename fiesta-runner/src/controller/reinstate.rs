//! Reinstatement of failed arms: those that a retry names, or why they cannot come back.

use super::RunError;
use crate::{
    history::History,
    ledger::Entry,
    study::{Change, Effect, Study},
};
use fiesta_core::ArmId;

/// Value of `--retry` that means every arm that can be reinstated, unless an arm is called so.
const ALL: &str = "all";

/// Message that there is nothing to retry.
const NONE: &str = "no arm of this study has failed evaluations that can be made again";

/// Returns the ledger's entries for arms that come back: which of their answers are asked for
/// again, and their names.
pub(super) fn entries(study: &Study, history: &History, arms: Vec<ArmId>) -> Vec<Entry> {
    let unanswered = arms.iter().flat_map(|&arm| history.unanswered(study, arm));
    let (evaluations, round) = (unanswered.collect::<Vec<_>>(), 0);
    let mut entries = Vec::new();
    if !evaluations.is_empty() {
        entries.push(Entry::AskedAgain { evaluations, round });
    }
    entries.push(Entry::Reinstated { arms });
    entries
}

/// Returns the arms that come back. Named arms do if they have failed for good or lack answers. All
/// failed arms do if the study stopped because every evaluation failed alike, or if their
/// evaluations are made in another way from now on.
///
/// # Errors
/// [`RunError::Refused`] if a named arm cannot come back, or nothing can be evaluated again.
pub(super) fn arms(
    study: &Study,
    history: &History,
    named: &[String],
    changes: &[Change],
) -> Result<Vec<ArmId>, RunError> {
    let can_return = |arm: &ArmId| history.has_failed(*arm);
    let known = history.selector.arms();
    let failed: Vec<ArmId> = known.ids().filter(can_return).collect();
    let lacks = |arm: &ArmId| !failed.contains(arm) && !history.unanswered(study, *arm).is_empty();
    let lacking: Vec<ArmId> = known.ids().filter(lacks).collect();
    let mut arms = Vec::new();
    for name in named {
        match study.arms().find(name) {
            Some(arm) if failed.contains(&arm) => arms.push(arm),
            Some(arm) if lacking.contains(&arm) => arms.push(arm),
            None if name == ALL => arms.extend(failed.iter().chain(&lacking)),
            found => return Err(refusal(study, name, found, failed.iter().chain(&lacking))),
        }
    }
    let is_out = |arm: &&ArmId| failed.contains(arm) && !history.selector.readmits(**arm);
    if let Some(&arm) = arms.iter().find(is_out) {
        return Err(RunError::Refused(format!(
            "the arm `{}` cannot come back: the policy {} has divided its evaluations among the others since; compare it with them in a study of its own",
            study.arms().name(arm),
            study.policy()
        )));
    }
    if !arms.is_empty() && history.selector.is_at_limit() && !history.is_extended_by(study) {
        return Err(RunError::Refused(format!(
            "--retry {}: the budget under [goal] is spent, so that nothing can be evaluated again; give a larger one, and --accept-changes beside this flag",
            named.join(" --retry ")
        )));
    }
    // What failed was made in another way than it would be now.
    let is_mended = |arm: ArmId| {
        let name = study.arms().names().get(arm.index());
        let mends = |change: &Change| {
            let is_meant = || name.is_some_and(|name| change.arms.contains(name));
            change.effect == Effect::Mends && (change.arms.is_empty() || is_meant())
        };
        changes.iter().any(mends) && history.selector.readmits(arm)
    };
    arms.extend(failed.iter().copied().filter(|&arm| is_mended(arm)));
    if history.failed_alike(study) {
        arms.extend(history.at_first.arms());
    }
    arms.sort_unstable();
    arms.dedup();
    Ok(arms)
}

/// Returns the error for a name after `--retry` that is none of the arms which can come back.
fn refusal<'a>(
    study: &Study,
    name: &str,
    found: Option<ArmId>,
    arms: impl Iterator<Item = &'a ArmId>,
) -> RunError {
    let names: Vec<&str> = arms.map(|&arm| study.arms().name(arm)).collect();
    let others = match names.as_slice() {
        [] => NONE.to_owned(),
        names => format!(
            "arms with failed evaluations that can be made again: {}",
            names.join(", ")
        ),
    };
    RunError::Refused(match found {
        Some(_) => format!("--retry {name}: nothing of this arm can be made again; {others}"),
        None => format!(
            "--retry {name}: the study has no such arm; its arms are {}; {others}",
            study.arms().names().join(", ")
        ),
    })
}

/// Returns the message about arms that come back, or that none does although one was named.
pub(super) fn notice(study: &Study, arms: &[ArmId], named: &[String]) -> Option<String> {
    let names: Vec<&str> = arms.iter().map(|&arm| study.arms().name(arm)).collect();
    if names.is_empty() {
        let asked = !named.is_empty();
        return asked.then(|| format!("--retry: {NONE}"));
    }
    Some(format!(
        "evaluated again, and earlier failures not held against them: {}",
        names.join(", ")
    ))
}
