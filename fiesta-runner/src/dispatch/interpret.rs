//! What the end of a run means for its evaluation.

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
    let failed = |message: String| Meaning::Final(ending(study, evaluation, ended, None, message));
    match &ended.end {
        End::Exited(0) => match score::read(directory, study.metric()) {
            Ok(scored) => {
                let mut ending = ending(study, evaluation, ended, scored.cost, String::new());
                ending.outcome = Outcome::Observed(scored.score);
                ending.message = (!scored.warnings.is_empty()).then(|| scored.warnings.join("; "));
                ending.extras = scored.extras;
                Meaning::Final(ending)
            }
            Err(unreadable @ NoScore::Unreadable { .. }) => Meaning::Lost(unreadable.to_string()),
            Err(no_score) => failed(no_score.to_string()),
        },
        End::Exited(code) => failed(with_tails(directory, &format!("exit code {code}"))),
        End::TimedOut => failed(with_tails(
            directory,
            &format!("stopped at its time limit, after {:.0} s", ended.seconds),
        )),
        End::Signaled(signal) => {
            let hint = if *signal == 9 {
                ", often for want of memory"
            } else {
                ""
            };
            Meaning::Lost(with_tails(
                directory,
                &format!("killed by signal {signal}{hint}"),
            ))
        }
        End::Cancelled => Meaning::Cancelled,
        End::NotStarted { reason } => Meaning::Impossible(reason.clone()),
        End::Lost { reason } => Meaning::Lost(reason.clone()),
    }
}

/// The ending of a run that was lost more often than it is tried.
pub(super) fn given_up(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    reason: String,
) -> Ending {
    ending(study, evaluation, ended, None, reason)
}

/// A failure; its cost is what the result said, else the arm's, else the time it took.
fn ending(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    said: Option<f64>,
    message: String,
) -> Ending {
    let gpus = match study.gpus_per_job(evaluation.arm) {
        Some(GpusPerJob::Whole(count)) => count as f64,
        Some(GpusPerJob::Share { jobs }) => 1.0 / jobs as f64,
        Some(GpusPerJob::None) | None => 1.0,
    };
    Ending {
        outcome: Outcome::Failed,
        cost: said
            .or(study.cost(evaluation.arm))
            .unwrap_or(ended.seconds * gpus),
        seconds: ended.seconds,
        end: Some(ended.end.clone()),
        message: Some(message),
        extras: Map::new(),
    }
}

/// A message with the last lines that the command printed.
fn with_tails(directory: &Path, message: &str) -> String {
    match score::tails(directory) {
        tails if tails.is_empty() => message.to_owned(),
        tails => format!("{message}\n{tails}"),
    }
}
