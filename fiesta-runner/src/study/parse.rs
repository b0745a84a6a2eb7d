//! The way from a study file as written to a checked study.

use super::{
    Items, Search, Study, StudyError, Worker,
    arms::{arms, in_order_of_ledger},
    cases::{Cases, cases, least_items},
    cost_unit::check_cost_unit,
    design::{parallel, parameters, policy},
    engine::{ExecutorKind, ReadKeys, check_gpus, executor},
    error::Source,
    faults::Faults,
    file::{DesignTable, GpuName, ResourcesTable, StudyFile},
    goal::{Terms, check_budget, check_confidence, duration, some_time},
    identity::check_cache,
    inputs::{Input, Kept, inputs},
    job::{Job, jobs},
    measure::{Lenience, Measure, lenience, measure},
    posterior::{PosteriorKind, posterior},
    recorded::{Fits, Recorded, recorded},
    search::{self, search},
    state_directory,
    stopping::{check_anytime, check_items, stopping},
    tables::{Tables, Unsettled, tables},
    worker::worker,
};
use crate::{executor::EngineKind, run::RunId};
use fiesta_core::Arms;
use fiesta_policies::Parameters;
use serde_json::Value;
use std::{path::Path, time::Duration};

/// How long a job has between the polite signal and the other one.
const GRACE: Duration = Duration::from_secs(10);

/// Checks a study's text; `shown` is how errors name the file, if it is in one, `ledger` is the
/// study as its ledger has it, if it was begun, and `kinds` are the executors that the program added.
pub(super) fn parse(
    text: &str,
    shown: Option<&Path>,
    absolute: &Path,
    ledger: Option<&Value>,
    kinds: &[EngineKind],
) -> Result<Study, StudyError> {
    let mut source = Source::new(shown, text);
    let mut faults = Faults::default();
    for line in source.to_fill_in() {
        faults.add(line);
    }
    faults.finish()?;
    let Tables {
        mut file,
        engine,
        is_cut,
        unsettled,
    } = tables(&mut source, &mut faults, kinds)?;
    let unknown = faults.count();
    in_order_of_ledger(&mut file.arm, ledger);
    let directory = absolute.parent().unwrap_or(Path::new("/")).to_owned();
    let known = (is_cut, &unsettled);
    let known_of_engine = (kinds, engine);
    let parts = parts(
        &source,
        &file,
        known,
        known_of_engine,
        absolute,
        ledger,
        &mut faults,
    );
    if is_cut {
        faults.forget_missing(unknown);
    }
    faults.finish()?;
    let Some(parts) = parts else {
        let message = "has a mistake that could not be named: please report it, with the file";
        return Err(source.wrong(&[], message.to_owned()));
    };
    // What the file leaves to a default as well: the default may be another one when the study is
    // resumed.
    parts.measure.record(&mut file);
    parts.cases.record(&mut file.design);
    file.design.policy = Some(parts.rules.policy);
    file.design.posterior = Some(parts.rules.posterior);
    file.design.stopping = Some(parts.rules.stopping);
    let recorded = parts.recorded;
    for (arm, inputs) in file.arm.iter_mut().zip(&parts.inputs) {
        let files = inputs.iter();
        let files = files.map(|input| (input.name.clone(), input.digest().to_string()));
        let is_of_functions = matches!(parts.executor, ExecutorKind::Functions);
        let is_looked_at = !is_of_functions || !inputs.is_empty();
        arm.files = (is_looked_at && arm.version.is_none()).then(|| files.collect());
    }
    for (table, digest) in file.recorded.iter_mut().zip(&recorded.digests) {
        table.digest = Some(digest.clone());
    }
    let fingerprint = serde_json::to_value(&file)
        .map_err(|error| source.wrong(&[], format!("cannot be written down: {error}")))?;
    recorded.check_arms(&source, &parts.arms, &fingerprint)?;
    let (timeout, silence, grace) = parts.times;
    Ok(Study {
        path: absolute.to_owned(),
        directory,
        gpus: gpu_names(&file),
        executor: parts.executor,
        file,
        measure: parts.measure,
        lenience: parts.lenience,
        design: parts.cases.design,
        items: parts.cases.items,
        items_gone: parts.cases.gone.map(Box::new),
        arms: parts.arms,
        jobs: parts.jobs,
        inputs: parts.inputs,
        worker: parts.worker,
        search: parts.search,
        terms: parts.rules.terms,
        posterior: parts.rules.kind,
        parameters: parts.rules.parameters,
        parallel: parts.parallel,
        timeout,
        silence,
        grace,
        recorded: recorded.entries,
        fingerprint,
    })
}

/// What the tables of a study file say.
struct Parts {
    search: Option<Search>,
    cases: Cases,
    measure: Measure,
    arms: Arms,
    worker: Option<Worker>,
    executor: ExecutorKind,
    parallel: usize,
    /// The limit of a job, of its silence, and how long it has after the polite signal.
    times: (Option<Duration>, Option<Duration>, Duration),
    jobs: Vec<Job>,
    inputs: Vec<Vec<Input>>,
    lenience: Lenience,
    rules: Rules,
    recorded: Recorded,
}

/// Checks every table, and keeps the mistakes of all of them; nothing if there are any. What
/// depends on something unsettled is not checked: it might be told of what is right.
fn parts(
    source: &Source<'_>,
    file: &StudyFile,
    (is_cut, unsettled): (bool, &Unsettled),
    (kinds, engine): (&[EngineKind], ReadKeys),
    absolute: &Path,
    ledger: Option<&Value>,
    faults: &mut Faults,
) -> Option<Parts> {
    let directory = absolute.parent().unwrap_or(Path::new("/"));
    faults.keep(check_name(source, &file.name));
    let is_search = file.goal.trials.is_some();
    let knows = |tables: &[&str]| unsettled.spares(tables).then_some(());
    let search = knows(&["goal", "arm", "design", "worker"])
        .and_then(|()| faults.keep(search(source, file)));
    let of_cases = ["splits", "items", "documents", "strata", "repeats"];
    let has_kind = unsettled.has("goal", &["trials"]);
    let has_cases = has_kind && unsettled.has("design", &of_cases);
    let cases = has_cases
        .then(|| cases(source, &file.design, absolute, ledger.is_some(), is_search))
        .and_then(|found| faults.keep(found));
    let measure = knows(&["metric", "design"]).and_then(|()| faults.keep(measure(source, file)));
    let has_names = has_kind && unsettled.has("arm", &["name"]);
    let arms = has_names
        .then(|| arms(source, &file.arm, is_search))
        .and_then(|found| faults.keep(found));
    let around_jobs = [
        "command",
        "arm",
        "design",
        "metric",
        "executor",
        "resources",
    ];
    let worker = knows(&[&around_jobs[..], &["worker"]].concat())
        .and_then(|()| faults.keep(worker(source, file)));
    if worker.is_some() {
        faults.keep(check_cache(source, file));
    }
    let executor = knows(&["executor", "worker", "command", "resources"])
        .and_then(|()| faults.keep(executor(source, file, kinds, engine)));
    let parallel = faults.keep(parallel(source, &file.design));
    let times = faults.keep(times(source, &file.resources));
    // Commands depend on whether there are workers, functions, or a search; one that is missing may
    // be what was left out.
    let has_commands = is_of_one_kind(&file.design) && !(is_cut && file.command.is_none());
    let jobs = match (&search, &worker, &executor) {
        (Some(search), Some(_), Some(_)) if has_commands => {
            faults.keep(jobs(source, file, search.as_ref()))
        }
        _ => None,
    };
    let inputs = jobs.as_ref().and_then(|jobs| {
        let kept = Kept::read(&state_directory(absolute));
        faults.keep(inputs(source, file, absolute, jobs, ledger, kept))
    });
    let lenience = match &measure {
        Some(measure) => faults.keep(lenience(source, file, measure)),
        None => None,
    };
    let rules = match (&search, &cases, &measure, &arms) {
        (Some(_), Some(cases), Some(measure), Some(_))
            if unsettled.spares(&["resources", "worker", "arm", "design", "goal"]) =>
        {
            rules(source, file, cases, measure, faults)
        }
        // They cannot be told without these; what they may be spent on can.
        _ if !unsettled.spares(&["goal", "resources", "arm", "worker"]) => {
            faults.keep(check_confidence(source, &file.goal));
            None
        }
        _ => check_goal(source, file, faults).and(None),
    };
    if let (Some(executor), Some(jobs)) = (&executor, &jobs) {
        let gpus = file.arm.iter().zip(jobs);
        let gpus = gpus.map(|(arm, job)| (arm.name.as_str(), job.gpus));
        faults.keep(check_gpus(source, executor, gpus));
    }
    let recorded = match (&cases, &measure, &arms, &rules) {
        (Some(cases), Some(measure), Some(arms), Some(rules))
            if unsettled.spares(&["recorded"]) =>
        {
            let fits = Fits {
                file,
                directory,
                design: cases.design,
                splits: cases.splits,
                documents: cases.items.as_ref().map(Items::numbers),
                measure,
                arms,
                policy: &rules.policy,
                stopping: &rules.stopping,
            };
            faults.keep(recorded(source, &fits, ledger))
        }
        _ => None,
    };
    Some(Parts {
        search: search?,
        cases: cases?,
        measure: measure?,
        arms: arms?,
        worker: worker?,
        executor: executor?,
        parallel: parallel?,
        times: times?,
        jobs: jobs?,
        inputs: inputs?,
        lenience: lenience?,
        rules: rules?,
        recorded: recorded?,
    })
}

/// How a study decides: when it ends, and what it evaluates next.
struct Rules {
    terms: Terms,
    posterior: String,
    kind: PosteriorKind,
    stopping: String,
    parameters: Parameters,
    policy: String,
}

/// Checks what a study may spend and how sure it is to become: the unit of its costs.
fn check_goal(source: &Source<'_>, file: &StudyFile, faults: &mut Faults) -> Option<()> {
    let cost_unit = file.resources.cost_unit.as_deref();
    let has_unit = faults.keep(check_cost_unit(source, file));
    let has_budget = has_unit.and_then(|()| {
        let checked = check_budget(source, &file.goal, file.arm.len(), cost_unit);
        faults.keep(checked)
    });
    let has_confidence = faults.keep(check_confidence(source, &file.goal));
    has_budget.and(has_confidence)
}

fn rules(
    source: &Source<'_>,
    file: &StudyFile,
    cases: &Cases,
    measure: &Measure,
    faults: &mut Faults,
) -> Option<Rules> {
    let (arms, design) = (file.arm.len(), &file.design);
    let is_search = file.goal.trials.is_some();
    let goal = check_goal(source, file, faults);
    let items = cases.items.as_ref();
    let count = items.map(|items| items.len() as u64);
    let again = count.filter(|_| design.repeats());
    let of_items = (items.is_some(), again);
    let posterior = if is_search {
        Some((search::NONE.to_owned(), PosteriorKind::Best))
    } else {
        let of_items = (count, file.goal.target);
        faults.keep(posterior(source, design, measure, of_items, arms))
    };
    let terms = Terms::new(
        &file.goal,
        arms,
        of_items,
        cases.splits.filter(|_| !design.repeats()),
        file.resources.cost_unit.as_deref(),
    );
    let has_confidence = terms.confidence.is_some();
    faults.keep(least_items(source, &file.goal, items, has_confidence));
    let budget = file.goal.budget.as_ref();
    let budget = budget.and_then(|budget| budget.evaluations);
    let parameters = faults.keep(parameters(source, design, arms, budget));
    // A confidence or a budget that cannot be would be told again.
    goal?;
    let stopping = if is_search {
        Some(search::NONE.to_owned())
    } else {
        faults.keep(stopping(source, file, &terms, measure))
    };
    let names = (
        stopping.as_deref().unwrap_or_default(),
        posterior.as_ref().map_or("", |(name, _)| name),
    );
    let policy = match &parameters {
        _ if is_search => Some(search::POLICY.to_owned()),
        Some(parameters) => faults.keep(policy(source, design, names, parameters)),
        None => None,
    };
    let ((posterior, kind), stopping) = (posterior?, stopping?);
    let is_of_means = kind.is_of_means();
    faults.keep(check_anytime(
        source,
        &stopping,
        measure,
        &posterior,
        is_of_means,
    ));
    faults.keep(check_items(source, design, &posterior, &stopping));
    Some(Rules {
        terms,
        posterior,
        kind,
        stopping,
        parameters: parameters?,
        policy: policy?,
    })
}

/// Whether a study is of splits or of one pool: of two, a command can suit only one.
fn is_of_one_kind(design: &DesignTable) -> bool {
    let given = [
        design.splits.is_some(),
        design.items.is_some(),
        design.documents.is_some(),
    ];
    given.into_iter().filter(|&is_given| is_given).count() < 2
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
    let grace = resources.grace.as_ref();
    let mut faults = Faults::default();
    let timeout = faults.keep(limit("timeout", resources.timeout.as_ref()));
    let silence = faults.keep(limit("silence", resources.silence.as_ref()));
    let grace = faults.keep(grace.map_or(Ok(GRACE), |text| {
        duration(source, &["resources", "grace"], text)
    }));
    faults.finish()?;
    let times = timeout.zip(silence).zip(grace);
    let ((timeout, silence), grace) = times.expect("mistakes were told");
    Ok((timeout, silence, grace))
}

fn gpu_names(file: &StudyFile) -> Option<Vec<String>> {
    let name = |gpu: &GpuName| match gpu {
        GpuName::Index(index) => index.to_string(),
        GpuName::Id(id) => id.clone(),
    };
    Some(file.executor.gpus.as_ref()?.iter().map(name).collect())
}
