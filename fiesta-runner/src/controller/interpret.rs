//! The meaning of a run's end for its evaluation: a score, a failure, or another attempt.

use crate::{
    answers::PAID_BEFORE,
    gpu::GpusPerJob,
    history::{Ending, Record, Spent},
    run::{
        End, Ended,
        result::{self, NoScore, Scored},
    },
    shortage::is_disk_full,
    study::Study,
};
use fiesta_core::{Evaluation, Outcome};
use rustix::process::Signal;
use serde_json::Map;
use std::path::Path;

/// Number of the signal that a process gets when its file exceeds the size limit.
const FILE_SIZE: i32 = Signal::XFSZ.as_raw();
const TOO_LARGE: &str = "it wrote a file larger than one may be here (ulimit -f)";

/// Meaning of a run's end for its evaluation.
pub(super) enum Meaning {
    /// The evaluation ended with this ending, and is not tried again.
    Final(Ending),
    /// The infrastructure lost the run, for this reason.
    Lost(String),
    /// The run lost its place to other jobs, for this reason, which says nothing of the arm.
    Preempted(String),
    /// The command was not started, for want of something that the machine has again later.
    Short(String),
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
    let with_tails = |message: &str| match result::tails(directory, ended) {
        tails if tails.is_empty() => message.to_owned(),
        tails => format!("{message}\n{tails}"),
    };
    let failed = |message: String| Meaning::Final(failure(study, evaluation, ended, message));
    // What a command could not write, or did not find where it was told, is not its arm's fault.
    let failed_by_itself = |message: String| {
        if ended.moved {
            Meaning::Lost(format!("the study was moved while it ran; {message}"))
        } else if is_disk_full(directory) {
            Meaning::Lost(format!("the disk is full; {message}"))
        } else {
            failed(message)
        }
    };
    if let Some(ending) = ended_in_time(study, evaluation, directory, ended) {
        return Meaning::Final(ending);
    }
    match &ended.end {
        End::Exited(code) if study.accepts_exit(*code) => {
            match scored(study, evaluation, directory, ended) {
                Ok(scored) => Meaning::Final(success(study, evaluation, ended, scored)),
                Err(unreadable @ NoScore::File(_)) => Meaning::Lost(unreadable.to_string()),
                Err(NoScore::Reported { message, .. }) if ended.moved => failed_by_itself(message),
                Err(NoScore::Reported {
                    message,
                    cost,
                    tokens,
                    request,
                }) => {
                    let failure = failure(study, evaluation, ended, message);
                    let of_tokens = study.prices(evaluation.arm).zip(tokens);
                    let of_tokens =
                        of_tokens.map(|(prices, tokens)| prices.cost(Some(&tokens)).cost);
                    let cost = cost.or(of_tokens).unwrap_or(failure.cost);
                    Meaning::Final(Ending {
                        cost,
                        extras: *request,
                        ..failure
                    })
                }
                Err(no_score) if *code == 0 => failed_by_itself(no_score.to_string()),
                Err(no_score) => failed_by_itself(format!("exit code {code}; {no_score}")),
            }
        }
        // As shells say of the command that they waited for.
        End::Exited(code) if *code == 128 + FILE_SIZE => failed_by_itself(with_tails(&format!(
            "exit code {code}, which means signal {FILE_SIZE} (SIGXFSZ): {TOO_LARGE}"
        ))),
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
        End::Signaled(signal) if *signal == FILE_SIZE => failed(with_tails(&format!(
            "killed by signal {signal} (SIGXFSZ): {TOO_LARGE}"
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
        End::Short { reason } => Meaning::Short(reason.clone()),
        End::NotStarted { reason } if ended.moved => {
            Meaning::Lost(format!("the study was moved before it began; {reason}"))
        }
        End::NotStarted { reason } => Meaning::Impossible(reason.clone()),
        End::Preempted { reason } => Meaning::Preempted(reason.clone()),
        End::Lost { reason } => Meaning::Lost(reason.clone()),
    }
}

/// Reads the score of a run, from the file that the study names or from the run's result.
fn scored(
    study: &Study,
    evaluation: &Evaluation,
    directory: &Path,
    ended: &Ended,
) -> Result<Scored, NoScore> {
    let scored = match study.score_file(evaluation, directory) {
        Some((path, key)) => result::read_file(&path, key, ended.started_at, study.wanted()),
        None => result::read_ended(directory, ended, study.wanted()),
    };
    study.with_measures(scored?)
}

/// Returns the ending of a run that was asked to stop and ended properly within its grace: with an
/// exit code that counts, and a score.
fn ended_in_time(
    study: &Study,
    evaluation: &Evaluation,
    directory: &Path,
    ended: &Ended,
) -> Option<Ending> {
    let code = ended.exit_code.filter(|&code| study.accepts_exit(code))?;
    let asked = match ended.end {
        End::TimedOut => "asked to stop at its time limit",
        End::Silent => "asked to stop as it had printed nothing for too long",
        End::Cancelled => "asked to stop",
        _ => return None,
    };
    let scored = scored(study, evaluation, directory, ended).ok()?;
    let ending = success(study, evaluation, ended, scored);
    let warnings = ending
        .message
        .map_or_else(String::new, |said| format!("; {said}"));
    Some(Ending {
        end: Some(End::Exited(code)),
        message: Some(format!(
            "{asked}, it ended in time with exit code {code}{warnings}"
        )),
        ..ending
    })
}

/// Warning about a result without a cost where the study file names a unit and no sum.
const UNKNOWN_COST: &str = "the result has no \"cost\", and neither cost nor prices are given: what it cost in the study's cost_unit is not known and counts as 0";

/// Returns the ending of an evaluation that reported a result.
pub(super) fn success(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    scored: Scored,
) -> Ending {
    let mut extras = scored.extras;
    // A worker's answer names its case.
    if extras.get("id").is_some_and(|id| id == ended.id.as_str()) {
        extras.shift_remove("id");
    }
    let mut warnings = scored.warnings;
    let cost = match (scored.cost, study.prices(evaluation.arm)) {
        (Some(cost), _) => cost,
        (None, Some(prices)) => {
            let found = prices.cost(result::tokens(&extras).as_ref());
            warnings.extend(found.warning);
            found.cost
        }
        (None, None) => {
            if study.names_cost_unit() && study.cost(evaluation.arm).is_none() {
                warnings.push(UNKNOWN_COST.to_owned());
            }
            own_cost(study, evaluation, ended.seconds)
        }
    };
    let warnings = warnings.join("; ");
    let ending = Ending {
        outcome: Outcome::Observed(scored.observation),
        message: (!warnings.is_empty()).then_some(warnings),
        cost,
        extras,
        ..failure(study, evaluation, ended, String::new())
    };
    match study.beyond_bounds(&ending) {
        Some(why) => Ending {
            outcome: Outcome::Failed,
            message: Some(why),
            ..ending
        },
        None => ending,
    }
}

/// Returns the ending of a failed evaluation, which has a cost as well.
pub(super) fn failure(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    message: String,
) -> Ending {
    Ending {
        outcome: Outcome::Failed,
        cost: own_cost(study, evaluation, ended.seconds),
        seconds: ended.seconds,
        end: Some(ended.end.clone()),
        message: Some(message),
        extras: Map::new(),
    }
}

/// Whether an evaluation's result stated its cost, which differs from the usual cost `own`.
pub(super) fn is_reported(cost: f64, own: f64) -> bool {
    (cost - own).abs() > 1e-9 * own.max(1.0)
}

/// Whether the study made this evaluation, and its result states a cost other than the one by time.
pub(crate) fn reports_cost(study: &Study, record: &Record) -> bool {
    let ending = record.ending.as_ref().filter(|_| record.origin.is_none());
    ending.is_some_and(|ending| {
        let own = own_cost(study, &record.evaluation, ending.seconds);
        let is_paid_before = ending.extras.contains_key(PAID_BEFORE);
        matches!(ending.outcome, Outcome::Observed(_))
            && !is_paid_before
            && is_reported(ending.cost, own)
    })
}

/// Whether the cost of an evaluation of this study is its measured time, as nobody stated a cost.
pub(crate) fn has_measured_cost(study: &Study, record: &Record) -> bool {
    let (arm, evaluation) = (record.evaluation.arm, &record.evaluation);
    let is_stated = study.cost(arm).is_some() || study.prices(arm).is_some();
    let ending = record
        .ending
        .as_ref()
        .filter(|_| record.origin.is_none() && !is_stated);
    ending.is_some_and(|ending| {
        let measured = measured_cost(study, evaluation, ending.seconds);
        ending.cost > 0.0 && !is_reported(ending.cost, measured)
    })
}

/// Returns the seconds and the cost of an attempt that led to no outcome.
///
/// An attempt costs what an evaluation of its length would. Two costs are only paid for results,
/// and are not counted: the declared cost of a worker's answers, and costs that results report
/// themselves. A command's declared cost counts whole, as nobody knows which part of it was spent.
pub(super) fn spent(
    study: &Study,
    evaluation: &Evaluation,
    ended: &Ended,
    costs_are_reported: bool,
) -> Spent {
    let is_of_answers = study.worker().is_some() && study.cost(evaluation.arm).is_some();
    let seconds = ended.seconds;
    let cost = if seconds > 0.0 && !is_of_answers && !costs_are_reported {
        own_cost(study, evaluation, seconds)
    } else {
        0.0
    };
    Spent { cost, seconds }
}

/// Returns the cost of an evaluation that took `seconds` and whose result states none: what the
/// study file says, else `seconds`, times GPUs if the study counts them. 0 where tokens are paid,
/// as there are none, and where the study names a unit, as that is not seconds.
pub(super) fn own_cost(study: &Study, evaluation: &Evaluation, seconds: f64) -> f64 {
    if study.prices(evaluation.arm).is_some() {
        return 0.0;
    }
    match study.cost(evaluation.arm) {
        Some(cost) => cost,
        None if study.names_cost_unit() => 0.0,
        None => measured_cost(study, evaluation, seconds),
    }
}

/// Returns the cost of an evaluation for which nobody states one: `seconds` times the GPUs of its
/// job, or `seconds` if it has none.
fn measured_cost(study: &Study, evaluation: &Evaluation, seconds: f64) -> f64 {
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
    seconds * gpus
}
