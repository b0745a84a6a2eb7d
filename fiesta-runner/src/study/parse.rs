//! From the study file as written to a checked study.

use super::{
    Documents, Study, StudyError,
    arms::{arms, in_order_of_ledger},
    cases::{Cases, cases, least_documents},
    design::{parallel, parameters, policy},
    error::Source,
    file::{ExecutorTable, GpuName, StudyFile, named},
    job::jobs,
    lenience::lenience,
    limits::limits,
    measure::{Measure, measure},
    posterior::{PosteriorChoice, posterior},
    recorded::{Fits, recorded},
    search::{self, search},
    stopping::{Stopping, check_anytime, confidence, stopping},
    time::{duration, some_time},
    worker::worker,
};
use crate::run::RunId;
use fiesta_core::{Design, Direction};
use serde_json::Value;
use std::{path::Path, time::Duration};
use toml::Spanned;

/// How long a job has between the polite signal and the other one.
const GRACE: Duration = Duration::from_secs(10);

/// Checks a study file's text; `shown` is how errors name the file, `ledger` is the study as its ledger has it, if it was begun.
pub(super) fn parse(
    text: &str,
    shown: &Path,
    absolute: &Path,
    ledger: Option<&Value>,
) -> Result<Study, StudyError> {
    let source = Source { path: shown, text };
    let mut file: StudyFile = toml::from_str(text).map_err(|error| source.not_toml(&error))?;
    in_order_of_ledger(&mut file.arm, ledger);
    let mut fingerprint = serde_json::to_value(&file)
        .map_err(|error| source.wrong(None, format!("cannot be written down: {error}")))?;
    check_name(&source, &file.name)?;
    let directory = absolute.parent().unwrap_or(Path::new("/")).to_owned();
    let search = search(&source, &file)?;
    let Cases {
        design: cases,
        splits,
        documents,
    } = cases(&source, &file.design, &directory, search.is_some())?;
    let measure = measure(&source, &file)?;
    let arms = arms(&source, &file.arm, search.is_some())?;
    let worker = worker(&source, &file)?;
    let jobs = jobs(&source, &file, search.as_ref())?;
    let ends_by_itself = search.is_some() || matches!(cases, Design::Documents { .. });
    let budget = file.goal.budget.as_ref();
    let (limits, capped_by_default) = limits(&source, budget, arms.len(), ends_by_itself)?;
    let confidence = confidence(&source, &file.goal)?;
    let design = &file.design;
    let count = documents.as_ref().map(|documents| documents.len() as u64);
    let posterior = match search {
        Some(_) => PosteriorChoice::none(),
        None => posterior(&source, design, &measure, count, arms.len())?,
    };
    let least = file.goal.min_documents.as_ref();
    least_documents(&source, least, documents.as_ref(), confidence.is_some())?;
    let stopping = match search {
        Some(_) => Stopping::none(),
        None => stopping(&source, &file, confidence, &measure, cases, arms.len())?,
    };
    check_anytime(&source, design, &stopping, &measure, &posterior)?;
    let parallel = parallel(&source, design)?;
    let budget = (!capped_by_default).then_some(limits.evaluations).flatten();
    let parameters = parameters(&source, design, arms.len(), budget)?;
    let policy = match search {
        Some(_) => search::POLICY.to_owned(),
        None => policy(&source, design, &stopping.name, &parameters)?,
    };
    let names = [&policy, &posterior.name, &stopping.name];
    let of_splits = (cases, splits);
    record_design(
        &mut fingerprint["design"],
        names,
        of_splits,
        documents.as_ref(),
    );
    record_measure(&mut fingerprint["metric"], &measure);
    let fits = Fits {
        file: &file,
        directory: &directory,
        design: cases,
        splits,
        documents: documents.as_ref().map(Documents::numbers),
        measure: &measure,
        arms: &arms,
        policy: &policy,
        stopping: &stopping.name,
    };
    let recorded = recorded(&source, &fits, &mut fingerprint, ledger)?;
    check_executor(&source, &file.executor)?;
    let resources = &file.resources;
    let limit = |text: Option<&Spanned<String>>, key| {
        text.map(|text| some_time(&source, text, key)).transpose()
    };
    let grace = resources.grace.as_ref();
    Ok(Study {
        timeout: limit(resources.timeout.as_ref(), "timeout")?,
        silence: limit(resources.silence.as_ref(), "silence")?,
        grace: grace.map_or(Ok(GRACE), |text| duration(&source, text, "grace"))?,
        retries: resources.retries.unwrap_or(1),
        gpus: gpu_names(&file.executor),
        watch_gpus: file.executor.watch_gpus.unwrap_or(true),
        name: file.name.get_ref().clone(),
        path: absolute.to_owned(),
        directory,
        lenience: lenience(&source, &file, &measure)?,
        measure,
        documents,
        arms,
        jobs,
        worker,
        search,
        confidence,
        limits,
        capped_by_default,
        design: cases,
        splits,
        policy,
        posterior,
        parameters,
        stopping,
        parallel,
        seed: design.seed,
        recorded,
        fingerprint,
    })
}

fn check_name(source: &Source<'_>, name: &Spanned<String>) -> Result<(), StudyError> {
    RunId::new(name.get_ref(), u64::MAX, u32::MAX).map(drop).map_err(|_| {
        let message = format!(
            "the study's name `{}` begins the names of its runs: use letters, digits, `.`, `_` and `-`, at most 150",
            name.get_ref()
        );
        source.wrong(Some(name.span()), message)
    })
}

fn check_executor(source: &Source<'_>, executor: &ExecutorTable) -> Result<(), StudyError> {
    let (kind, span) = named(executor.kind.as_ref(), "local");
    if kind == "local" {
        return Ok(());
    }
    Err(source.wrong(span, format!("there is no executor `{kind}`: use local")))
}

fn gpu_names(executor: &ExecutorTable) -> Option<Vec<String>> {
    let name = |gpu: &GpuName| match gpu {
        GpuName::Index(index) => index.to_string(),
        GpuName::Id(id) => id.clone(),
    };
    let gpus = executor.gpus.as_ref()?;
    Some(gpus.get_ref().iter().map(name).collect())
}

/// Records what the file leaves to a default as well: the default may be another one when the study is resumed.
fn record_design(
    fingerprint: &mut Value,
    [policy, posterior, stopping]: [&String; 3],
    (cases, splits): (Design, Option<u64>),
    documents: Option<&Documents>,
) {
    fingerprint["policy"] = policy.as_str().into();
    fingerprint["posterior"] = posterior.as_str().into();
    fingerprint["stopping"] = stopping.as_str().into();
    match (documents, splits) {
        (Some(documents), _) => fingerprint["collection"] = documents.fingerprint(),
        (None, None) => fingerprint["splits"] = cases.name().into(),
        (None, Some(count)) => {
            fingerprint["splits"] = serde_json::json!({ "kind": cases.name(), "count": count });
        }
    }
}

/// Records what is measured, whether the file says it or leaves it to the defaults.
fn record_measure(fingerprint: &mut Value, measure: &Measure) {
    fingerprint["name"] = measure.metric.name().into();
    fingerprint["direction"] = match measure.metric.direction() {
        Direction::Maximize => "maximize".into(),
        Direction::Minimize => "minimize".into(),
    };
    if let Some(f_beta) = measure.counts {
        fingerprint["f_beta"] = f_beta.b().into();
        // Given or not, they are those of every F-measure.
        fingerprint["bounds"] = Value::Null;
    }
}
