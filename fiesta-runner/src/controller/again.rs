//! Arms that are asked anew: their evaluations are set aside, and their jobs are stopped.

use super::{
    RunError,
    interpret::{Meaning, interpret, spent},
};
use crate::{
    clock,
    executor::{Executor, Found},
    history::{Ending, History, Spent},
    ledger::{Aside, Assertion, Entry},
    run::{Ended, RunId, seconds::now},
    study::{Change, Effect, Study},
};
use fiesta_core::Evaluation;
use fiesta_policies::{has_schedule, stopping::assumption};
use std::{collections::BTreeSet, io, os::fd::AsFd, path::Path, time::Duration};

/// How long a job may take to stop beyond its grace.
const STOPPING: Duration = Duration::from_secs(5);

/// Whether a change concerns nothing but arms that are asked anew.
pub(super) fn covers(again: &[String], change: &Change) -> bool {
    matches!(change.effect, Effect::Remakes(_) | Effect::Mends)
        && !change.arms.is_empty()
        && change.arms.iter().all(|arm| again.contains(arm))
}

/// Returns what the user asserts with `--accept-changes`: which scores of other arms remain valid.
pub(super) fn asserted(again: &[String], changes: &[Change]) -> Vec<Assertion> {
    let of_change = |change: &Change| {
        let Effect::Remakes(evaluations) = change.effect else {
            return None;
        };
        let others = change.arms.iter().filter(|arm| !again.contains(arm));
        let arms: Vec<String> = others.cloned().collect();
        (!arms.is_empty()).then(|| Assertion {
            change: change.to_string(),
            arms,
            evaluations,
        })
    };
    changes.iter().filter_map(of_change).collect()
}

/// Returns the arms that are asked anew.
///
/// # Errors
/// [`RunError::Refused`] if the study has no such arm, or its policy or its stopping rule cannot take
/// an evaluation back.
pub(super) fn arms(
    study: &Study,
    history: &History,
    named: &[String],
    changes: &[Change],
) -> Result<Vec<Aside>, RunError> {
    let refused =
        |name: &str, reason: String| Err(RunError::Refused(format!("--again {name}: {reason}")));
    let mut arms: Vec<Aside> = Vec::new();
    for name in named {
        let Some(arm) = study.arms().find(name) else {
            let names = study.arms().names().join(", ");
            return refused(
                name,
                format!("the study has no such arm; its arms are {names}"),
            );
        };
        if has_schedule(study.policy()) {
            return refused(
                name,
                format!(
                    "the policy {} has divided its budget by the scores that there were: compare the arm in a study of its own",
                    study.policy()
                ),
            );
        }
        if assumption(study.stopping()).is_some() {
            return refused(
                name,
                format!(
                    "the rate of errors that the stopping rule {} promises is one of scores that nobody takes back: compare the arm in a study of its own",
                    study.stopping()
                ),
            );
        }
        let mut records = history.records.values();
        if records.any(|record| record.evaluation.arm == arm && record.origin.is_some()) {
            return refused(name, "some of its scores are of [[recorded]], which this cannot take back: leave them out in a study of its own".to_owned());
        }
        let is_other = changes.iter().any(|change| change.arms.contains(name));
        let aside = Aside {
            arm,
            answers_since: (!is_other).then(now),
        };
        if !arms.iter().any(|own| own.arm == arm) {
            arms.push(aside);
        }
    }
    Ok(arms)
}

/// Stops the jobs of arms that are asked anew. Returns the ledger's entries that withdraw their
/// evaluations, with the cost of each.
///
/// # Errors
/// [`RunError`] if they cannot be found or stopped.
pub(super) fn stopped(
    study: &Study,
    history: &History,
    arms: &[Aside],
    executor: &mut dyn Executor,
) -> Result<Vec<Entry>, RunError> {
    let mut entries = Vec::new();
    for record in history.pending() {
        let evaluation = &record.evaluation;
        if !arms.iter().any(|aside| aside.arm == evaluation.arm) {
            continue;
        }
        let id = study.run_id(evaluation, record.attempt);
        let directory = study.run_directory(&id);
        let spent = match executor.find(&id, &directory)? {
            Found::Absent => Spent::default(),
            Found::Ended(ended) => of_end(study, evaluation, &directory, &ended),
            Found::Vanished {
                reason,
                seconds,
                survivors,
            } => {
                let lost = Ended::lost(id, reason, seconds, survivors);
                of_end(study, evaluation, &directory, &lost)
            }
            Found::Elsewhere { host } => {
                let run = id.to_string();
                return Err(RunError::Elsewhere { run, host });
            }
            Found::Alive(handle) => {
                executor.adopt(&id, &directory, &handle)?;
                executor.cancel(&id, study.grace)?;
                let longest = study.grace + STOPPING;
                let ended = ends_within(executor, BTreeSet::from([id]), longest)?;
                ended.first().map_or_else(Spent::default, |ended| {
                    of_end(study, evaluation, &directory, ended)
                })
            }
        };
        let said = Some("its arm is asked anew".to_owned());
        let ending = Ending::withdrawn(spent, None, said);
        entries.push(ending.entry(evaluation.id, record.attempt));
    }
    Ok(entries)
}

/// Waits until the runs `stopping`, which were told to stop, have ended, at most `longest`. Returns
/// their ends.
pub(super) fn ends_within(
    executor: &mut dyn Executor,
    mut stopping: BTreeSet<RunId>,
    longest: Duration,
) -> Result<Vec<Ended>, RunError> {
    let (quiet, _open) = io::pipe().map_err(RunError::system("wait for a job to stop"))?;
    let deadline = clock::now() + longest;
    let mut ends = Vec::new();
    while !stopping.is_empty() && clock::now() < deadline {
        let ended = executor.poll(Some(Duration::from_millis(100)), quiet.as_fd())?;
        ends.extend(ended.into_iter().filter(|ended| stopping.remove(&ended.id)));
    }
    Ok(ends)
}

/// Returns the seconds and the cost of a run, from its end.
fn of_end(study: &Study, evaluation: &Evaluation, directory: &Path, ended: &Ended) -> Spent {
    match interpret(study, evaluation, directory, ended) {
        Meaning::Final(ending) => Spent {
            cost: ending.cost,
            seconds: ending.seconds,
        },
        _ => spent(study, evaluation, ended, false),
    }
}
