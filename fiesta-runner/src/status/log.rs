//! The logs of an evaluation's runs: from their directories, or from the ledger if they are packed.

use crate::{
    answers::PAID_BEFORE,
    file_error::FileError,
    ledger::{Damage, Entry, Ledger, LedgerError},
    run::{End, RunFiles, RunId, RunSpec},
    study::Study,
};
use fiesta_core::{Evaluation, EvaluationId, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The log of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvaluationLog {
    /// The number of the evaluation, from 1.
    pub evaluation: u64,
    /// The arm of the evaluation.
    pub arm: String,
    /// The split of the evaluation, or the number of its document.
    pub split: u64,
    /// The seed of the evaluation.
    pub seed: u64,
    /// The document, in a study of documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The hyperparameters, in a random search; else empty.
    #[serde(skip_serializing_if = "Setting::is_empty")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub setting: Setting,
    /// Outcome of the evaluation, with its score as reported. `None` while it is pending.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub outcome: Option<Outcome<Observation>>,
    /// Why the evaluation failed, or a warning.
    pub message: Option<String>,
    /// The attempts at the evaluation, in order.
    pub attempts: Vec<AttemptLog>,
    /// Damage of the ledger that concerns the evaluation.
    #[serde(skip)]
    pub damage: Vec<Damage>,
}

/// The log of one attempt at an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttemptLog {
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// The name of the attempt's run.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub run: RunId,
    /// The directory of the attempt's run. `None` if the run is packed, or nothing is left of it.
    pub directory: Option<PathBuf>,
    /// Whether the run is packed in the ledger.
    pub packed: bool,
    /// The command of the attempt. Empty if nothing is left of the run.
    pub command: Vec<String>,
    /// What the worker was asked, if the command is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Map<String, Value>>,
    /// How the attempt ended. `None` while it goes on, or if it was lost.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub end: Option<End>,
    /// When the attempt was started, in seconds since 1970.
    pub started_at: Option<f64>,
    /// Seconds that the attempt took.
    pub seconds: Option<f64>,
    /// Why another attempt was made after this one.
    pub lost: Option<String>,
    /// What the attempt printed to its standard output.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub stdout: Vec<u8>,
    /// What the attempt printed to its standard error.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub stderr: Vec<u8>,
    /// The result that the attempt wrote to its file.
    #[serde(serialize_with = "optional_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub result: Option<Vec<u8>>,
    /// What the supervisor of the attempt complained about.
    #[serde(serialize_with = "optional_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub complaints: Option<Vec<u8>>,
}

/// The reason why an evaluation has no log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The study has not run the evaluation, or its entry in the ledger cannot be read. Contains
    /// the reason.
    #[error("{0}")]
    Nothing(String),
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The directory of a run cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The log of the evaluation with this number, from 1; also while the study runs, and without its
/// lock.
///
/// # Errors
/// [`LogError`] if there is no such evaluation, it was not run by the study, or its log cannot be
/// read.
pub fn log(study: &Study, number: u64) -> Result<EvaluationLog, LogError> {
    let state = study.state_directory();
    let place = number.checked_sub(1).map(EvaluationId);
    let (left, count) = Ledger::of_evaluation(&state, place.unwrap_or(EvaluationId(0)))?;
    let none = LogError::Nothing(format!(
        "there is no evaluation {number}: the study has {count} so far, numbered from 1"
    ));
    if place.is_none() {
        return Err(none);
    }
    let mut found = None;
    // What became of each attempt but the last.
    let mut lost = Vec::new();
    let (mut outcome, mut message) = (None, None);
    let mut was_cached = false;
    let damage = left.damage;
    for (_, entry) in left.entries {
        match entry {
            Entry::Recorded { origin, .. } => {
                return Err(LogError::Nothing(format!(
                    "evaluation {number} was read from {}:{}, and not run by this study",
                    origin.file, origin.line
                )));
            }
            Entry::Decided {
                evaluation,
                setting,
            } => found = Some((evaluation, setting)),
            Entry::Retried { reason, .. } => lost.push(reason),
            Entry::Ended {
                outcome: how,
                message: why,
                extras,
                ..
            } => {
                let paid = extras.get(PAID_BEFORE).map(from_cache);
                was_cached = paid.is_some();
                (outcome, message) = (Some(how), paid.or(why));
            }
            Entry::SetAside { arms } => {
                let is_meant = |arm| arms.iter().any(|aside| aside.arm == arm);
                let arm = found.as_ref().map(|(evaluation, _)| evaluation.arm);
                if outcome.is_some() && arm.is_some_and(is_meant) {
                    let aside = "set aside, as its arm was asked anew: it does not count";
                    let before = message.map_or_else(String::new, |said| format!("; {said}"));
                    message = Some(format!("{aside}{before}"));
                }
            }
            _ => {}
        }
    }
    let (evaluation, setting) = found.ok_or_else(|| match damage.first() {
        Some(damage) => LogError::Nothing(format!(
            "the ledger is damaged, and says nothing of this evaluation: {damage}"
        )),
        None => none,
    })?;
    // Nothing was run for an answer from the cache.
    let last = (!was_cached).then_some(None);
    let reasons = lost.into_iter().map(Some).chain(last);
    let attempts = (0..).zip(reasons);
    let attempts = attempts.map(|(attempt, lost)| attempt_log(study, &evaluation, attempt, lost));
    // The study file may have changed since.
    let arm = study.arms().names().get(evaluation.arm.index());
    let items = study.items();
    let items = items.filter(|all| evaluation.case.split < all.len() as u64);
    Ok(EvaluationLog {
        evaluation: number,
        arm: arm.map_or_else(
            || format!("arm {}", evaluation.arm.index() + 1),
            Clone::clone,
        ),
        split: study.split(&evaluation.case),
        seed: evaluation.case.seed,
        document: items.map(|all| all.id(evaluation.case.split).to_owned()),
        setting,
        outcome,
        message,
        attempts: attempts.collect::<Result<_, _>>()?,
        damage,
    })
}

/// Says which study paid for an answer from the cache, and how much.
fn from_cache(paid: &Value) -> String {
    format!(
        "from the cache of answers; the study {} paid {} for it",
        paid["study"].as_str().unwrap_or_default(),
        paid["cost"]
    )
}

fn attempt_log(
    study: &Study,
    evaluation: &Evaluation,
    attempt: u32,
    lost: Option<String>,
) -> Result<AttemptLog, LogError> {
    let run = study.run_id(evaluation, attempt);
    let directory = study.run_directory(&run);
    let (files, packed) = files(study, &run, &directory)?;
    let files = files.as_ref();
    let get = |name: &str| files.and_then(|files| files.get(name));
    let spec: Option<RunSpec> = get("spec.json").and_then(|spec| serde_json::from_slice(spec).ok());
    let ended = files.and_then(RunFiles::end);
    let rescued = ended.as_ref().and_then(|ended| ended.rescued.as_ref());
    let printed = |name: &str, rescued: Option<&String>| {
        let mut printed = get(name).unwrap_or_default().to_vec();
        // While it runs, the end of a long one is in another file.
        let tail = get(&format!("{name}.tail")).filter(|_| ended.is_none());
        if let Some(rest) = rescued.map(String::as_bytes).or(tail) {
            printed.extend(b"\n[fiesta: something may be left out here]\n");
            printed.extend(rest);
        }
        printed
    };
    Ok(AttemptLog {
        attempt: u64::from(attempt) + 1,
        directory: (files.is_some() && !packed).then_some(directory),
        packed,
        stdout: printed("stdout", rescued.map(|rescued| &rescued.stdout)),
        stderr: printed("stderr", rescued.map(|rescued| &rescued.stderr)),
        result: get("result.json").map(<[u8]>::to_vec),
        complaints: get("wrapper.log").map(<[u8]>::to_vec),
        started_at: ended.as_ref().map(|ended| ended.started_at),
        seconds: ended.as_ref().map(|ended| ended.seconds),
        end: ended.map(|ended| ended.end),
        request: spec.as_ref().and_then(|spec| spec.request.clone()),
        command: spec.map(|spec| spec.command).unwrap_or_default(),
        lost,
        run,
    })
}

/// Returns the files of a run, and whether they are packed. `None` if none is left.
fn files(
    study: &Study,
    run: &RunId,
    directory: &Path,
) -> Result<(Option<RunFiles>, bool), LogError> {
    let there = RunFiles::look(directory).map_err(FileError::of("read", directory))?;
    if there.is_some() {
        return Ok((there, false));
    }
    // After that: a directory is removed when its run is packed.
    let packed = Ledger::packed(&study.state_directory(), run.as_str())?;
    let is_packed = packed.is_some();
    Ok((packed, is_packed))
}

fn text<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(bytes))
}

#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
fn optional_text<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
    match bytes {
        Some(bytes) => text(bytes, to),
        None => to.serialize_none(),
    }
}
