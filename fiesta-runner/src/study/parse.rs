//! The way from a study file as written to a checked study.

use super::{
    Items, Study, StudyError,
    answers::check_cache,
    arms::{arms, in_order_of_ledger},
    cases::{cases, least_items},
    cost_unit::check_cost_unit,
    design::{parallel, parameters, policy},
    engine::{check_gpus, executor},
    error::Source,
    file::{GpuName, ResourcesTable, StudyFile},
    goal::{Terms, check_budget, check_confidence, duration, some_time},
    job::jobs,
    measure::{lenience, measure},
    posterior::{PosteriorKind, posterior},
    recorded::{Fits, recorded},
    search::{self, search},
    stopping::{check_anytime, check_items, stopping},
    worker::worker,
};
use crate::run::RunId;
use serde_json::Value;
use std::{path::Path, time::Duration};

/// How long a job has between the polite signal and the other one.
const GRACE: Duration = Duration::from_secs(10);

/// Checks a study's text; `shown` is how errors name the file, if it is in one, and `ledger` is the
/// study as its ledger has it, if it was begun.
pub(super) fn parse(
    text: &str,
    shown: Option<&Path>,
    absolute: &Path,
    ledger: Option<&Value>,
) -> Result<Study, StudyError> {
    let source = Source { path: shown, text };
    if let Some(error) = source.to_fill_in() {
        return Err(error);
    }
    let mut file: StudyFile = toml::from_str(text).map_err(|error| source.not_toml(&error))?;
    in_order_of_ledger(&mut file.arm, ledger);
    check_name(&source, &file.name)?;
    let directory = absolute.parent().unwrap_or(Path::new("/")).to_owned();
    let search = search(&source, &file)?;
    let cases = cases(&source, &file.design, &directory, search.is_some())?;
    let measure = measure(&source, &file)?;
    let arms = arms(&source, &file.arm, search.is_some())?;
    let worker = worker(&source, &file)?;
    check_cache(&source, &file)?;
    let jobs = jobs(&source, &file, search.as_ref())?;
    check_cost_unit(&source, &file)?;
    let cost_unit = file.resources.cost_unit.as_deref();
    check_budget(&source, &file.goal, arms.len(), cost_unit)?;
    check_confidence(&source, &file.goal)?;
    let items = cases.items.as_ref();
    let design = &file.design;
    let count = items.map(|items| items.len() as u64);
    let again = count.filter(|_| design.repeats());
    let of_items = (items.is_some(), again);
    let terms = Terms::new(&file.goal, arms.len(), of_items, cases.splits, cost_unit);
    let (posterior, kind) = match search {
        Some(_) => (search::NONE.to_owned(), PosteriorKind::Best),
        None => posterior(&source, design, &measure, count, arms.len())?,
    };
    least_items(&source, &file.goal, items, terms.confidence.is_some())?;
    let stopping = match search {
        Some(_) => search::NONE.to_owned(),
        None => stopping(&source, &file, &terms, &measure)?,
    };
    check_anytime(&source, &stopping, &measure, &posterior, kind.is_of_means())?;
    check_items(&source, design, &posterior, &stopping)?;
    let parallel = parallel(&source, design)?;
    let budget = file.goal.budget.as_ref();
    let budget = budget.and_then(|budget| budget.evaluations);
    let parameters = parameters(&source, design, arms.len(), budget)?;
    let policy = match search {
        Some(_) => search::POLICY.to_owned(),
        None => policy(&source, design, (&stopping, &posterior), &parameters)?,
    };
    let fits = Fits {
        file: &file,
        directory: &directory,
        design: cases.design,
        splits: cases.splits,
        documents: items.map(Items::numbers),
        measure: &measure,
        arms: &arms,
        policy: &policy,
        stopping: &stopping,
    };
    let (recorded, digests) = recorded(&source, &fits, ledger)?;
    let executor = executor(&source, &file)?;
    let gpus = file.arm.iter().zip(&jobs);
    let gpus = gpus.map(|(arm, job)| (arm.name.as_str(), job.gpus));
    check_gpus(&source, &executor, gpus)?;
    let (timeout, silence, grace) = times(&source, &file.resources)?;
    let lenience = lenience(&source, &file, &measure)?;
    // What the file leaves to a default as well: the default may be another one when the study is
    // resumed.
    measure.record(&mut file);
    cases.record(&mut file.design);
    file.design.policy = Some(policy);
    file.design.posterior = Some(posterior);
    file.design.stopping = Some(stopping);
    for (table, digest) in file.recorded.iter_mut().zip(digests) {
        table.digest = Some(digest);
    }
    let fingerprint = serde_json::to_value(&file)
        .map_err(|error| source.wrong(&[], format!("cannot be written down: {error}")))?;
    Ok(Study {
        path: absolute.to_owned(),
        directory,
        gpus: gpu_names(&file),
        executor,
        file,
        measure,
        lenience,
        design: cases.design,
        items: cases.items,
        arms,
        jobs,
        worker,
        search,
        terms,
        posterior: kind,
        parameters,
        parallel,
        timeout,
        silence,
        grace,
        recorded,
        fingerprint,
    })
}

fn check_name(source: &Source<'_>, name: &str) -> Result<(), StudyError> {
    let id = RunId::new(name, u64::MAX, u32::MAX);
    id.map(drop).map_err(|_| {
        let message = format!(
            "the study's name `{name}` begins the names of its runs: use letters, digits, `.`, `_` and `-`, at most 150"
        );
        source.wrong(&["name"], message)
    })
}

/// How long a job may take, may be silent, and has after the polite signal.
fn times(
    source: &Source<'_>,
    resources: &ResourcesTable,
) -> Result<(Option<Duration>, Option<Duration>, Duration), StudyError> {
    let limit = |key, text: Option<&String>| {
        text.map(|text| some_time(source, &["resources", key], text))
            .transpose()
    };
    let timeout = limit("timeout", resources.timeout.as_ref())?;
    let silence = limit("silence", resources.silence.as_ref())?;
    let grace = resources.grace.as_ref().map_or(Ok(GRACE), |text| {
        duration(source, &["resources", "grace"], text)
    })?;
    Ok((timeout, silence, grace))
}

fn gpu_names(file: &StudyFile) -> Option<Vec<String>> {
    let name = |gpu: &GpuName| match gpu {
        GpuName::Index(index) => index.to_string(),
        GpuName::Id(id) => id.clone(),
    };
    Some(file.executor.gpus.as_ref()?.iter().map(name).collect())
}
