//! What the end of a run means for its evaluation.

use super::room::is_full;
use crate::{
    executor::{End, Ended},
    gpu::GpusPerJob,
    history::Ending,
    score::{self, NoScore},
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
                Ok(scored) => {
                    let warnings = scored.warnings.join("; ");
                    Meaning::Final(Ending {
                        outcome: Outcome::Observed(scored.observation),
                        message: (!warnings.is_empty()).then_some(warnings),
                        cost: scored
                            .cost
                            .unwrap_or_else(|| cost(study, evaluation, ended)),
                        extras: scored.extras,
                        ..failure(study, evaluation, ended, String::new())
                    })
                }
                Err(unreadable @ NoScore::Unreadable { .. }) => {
                    Meaning::Lost(unreadable.to_string())
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
    let gpus = match study.gpus_per_job(evaluation.arm) {
        Some(GpusPerJob::Whole(count)) => count as f64,
        Some(GpusPerJob::Share { jobs }) => 1.0 / jobs as f64,
        Some(GpusPerJob::None) | None => 1.0,
    };
    study.cost(evaluation.arm).unwrap_or(ended.seconds * gpus)
}
