//! What the end of a run means for its evaluation.

use super::room::is_full;
use crate::{
    executor::{End, Ended},
    gpu::GpusPerJob,
    history::Ending,
    score::{self, NoScore, Scored},
    study::Study,
};
use fiesta_core::{Evaluation, Outcome};
use serde_json::Map;
use std::path::Path;

/// The meaning of an end.
pub(super) enum Meaning {
    /// The evaluation ended.
    Final(Ending),
    /// The infrastructure lost the run, for this reason.
    Lost(String),
    /// The run was stopped from outside and says nothing of the arm.
    Cancelled,
    /// The command cannot be started; no other try will help.
    Impossible(String),
}

pub(super) fn interpret(
    study: &Study,
    evaluation: &Evaluation,
    directory: &Path,
    ended: &Ended,
) -> Meaning {
    let with_tails = |message: &str| match score::tails(directory, ended) {
        tails if tails.is_empty() => message.to_owned(),
        tails => format!("{message}\n{tails}"),
    };
    let failed = |message: String| Meaning::Final(failure(study, evaluation, ended, message));
    // What a command could not write is not its arm's fault.
    let failed_by_itself = |message: String| {
        if is_full(directory) {
            Meaning::Lost(format!("the disk is full; {message}"))
        } else {
            failed(message)
        }
    };
    match &ended.end {
        End::Exited(code) if study.accepts_exit(*code) => {
            match score::read_ended(directory, ended, study.wanted()) {
                Ok(scored) => Meaning::Final(success(study, evaluation, ended, scored)),
                Err(unreadable @ NoScore::Unreadable { .. }) => {
                    Meaning::Lost(unreadable.to_string())
                }
                Err(NoScore::Reported { message, cost }) => {
                    let failure = failure(study, evaluation, ended, message);
                    let cost = cost.unwrap_or(failure.cost);
                    Meaning::Final(Ending { cost, ..failure })
                }
                Err(no_score) if *code == 0 => failed_by_itself(no_score.to_string()),
                Err(no_score) => failed_by_itself(format!("exit code {code}; {no_score}")),
            }
        }
        End::Exited(code) => failed_by_itself(with_tails(&format!("exit code {code}"))),
        End::TimedOut => failed(with_tails(&format!(
            "stopped at its time limit, after {:.0} s",
            ended.seconds
        ))),
        End::Silent => failed(with_tails(&format!(
            "stopped as it had printed nothing for too long{}, after {:.0} s",
            study.silence.map_or_else(String::new, |limit| {
                format!(" (silence = \"{}\")", humantime::format_duration(limit))
            }),
            ended.seconds
        ))),
        End::Signaled(signal) => {
            let hint = if *signal == 9 {
                ", often for want of memory"
            } else {
                ""
            };
            Meaning::Lost(with_tails(&format!("killed by signal {signal}{hint}")))
        }
        End::Cancelled => Meaning::Cancelled,
        End::NotStarted { reason } => Meaning::Impossible(reason.clone()),
        End::Lost { reason } => Meaning::Lost(reason.clone()),
    }
}

/// An evaluation with what it reported.
fn success(study: &Study, evaluation: &Evaluation, ended: &Ended, scored: Scored) -> Ending {
    let mut extras = scored.extras;
    // A worker's answer names its case.
    if extras.get("id").is_some_and(|id| id == ended.id.as_str()) {
        extras.shift_remove("id");
    }
    let warnings = scored.warnings.join("; ");
    Ending {
        outcome: Outcome::Observed(scored.observation),
        message: (!warnings.is_empty()).then_some(warnings),
        cost: scored
            .cost
            .unwrap_or_else(|| cost(study, evaluation, ended)),
        extras,
        ..failure(study, evaluation, ended, String::new())
    }
}

/// A failed evaluation, which costs what it took all the same.
pub(super) fn failure(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    message: String,
) -> Ending {
    Ending {
        outcome: Outcome::Failed,
        cost: cost(study, evaluation, ended),
        seconds: ended.seconds,
        end: Some(ended.end.clone()),
        message: Some(message),
        extras: Map::new(),
    }
}

/// What an evaluation cost whose result does not say: what the study file says, else seconds, times GPUs if the
/// study counts them.
fn cost(study: &Study, evaluation: &Evaluation, ended: &Ended) -> f64 {
    let of = |gpus| match gpus {
        GpusPerJob::Whole(count) => Some(count as f64),
        GpusPerJob::Share { jobs } => Some(1.0 / jobs as f64),
        GpusPerJob::None => None,
    };
    let of_job = study.gpus_per_job(evaluation.arm).and_then(of);
    // The cases that a worker is given at once share its GPUs.
    let of_worker = study.worker().and_then(|worker| {
        let gpus = study.gpus_per_worker(evaluation.arm).and_then(of)?;
        Some(gpus / worker.concurrency() as f64)
    });
    let gpus = of_job.or(of_worker).unwrap_or(1.0);
    study.cost(evaluation.arm).unwrap_or(ended.seconds * gpus)
}
