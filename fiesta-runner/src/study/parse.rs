//! The way from a study file as written to a checked study.

use super::{
    Items, Study, StudyError,
    arms::{arms, in_order_of_ledger},
    baseline::{check_served, serve},
    benchmarks::{benchmarks, take_benchmarks},
    budget::{check_budget, duration, some_time},
    cases::{Cases, cases},
    constraints::constraints,
    cost_unit::check_cost_unit,
    design::{parallel, parameters, policy},
    engine::{ExecutorKind, ReadKeys, check_gpus, executor},
    error::Source,
    faults::Faults,
    file::{DesignTable, GpuName, ResourcesTable, StudyFile},
    goal::{Terms, check_cheapest, check_gate, check_least, check_level, check_top},
    identity::{check_cache, seed_of_arms},
    inputs::{Kept, inputs, of_command},
    job::jobs,
    measure::{Measure, lenience, measure},
    measures::{self, measures},
    own::{Method, check_own},
    posterior::{PosteriorKind, posterior},
    recorded::{Fits, Recorded, recorded},
    search::{self, search},
    search_winner::search_winner,
    state_directory,
    stopping::{check_anytime, check_gate_of, check_items, stopping},
    tables::{Unsettled, tables},
    worker::worker,
};
use crate::{executor::EngineKind, policy::Trouble, run::RunId};
use fiesta_policies::Parameters;
use serde_json::Value;
use std::{path::Path, time::Duration};

/// Default time between the polite signal to a job and the signal that kills it.
const GRACE: Duration = Duration::from_secs(10);

/// Parses and checks a study's text. `shown` is the file's name in errors, `ledger` the study in
/// its ledger if it has begun, and `kinds` are the executors that the program added.
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
    let (mut file, engine, unsettled) = tables(&mut source, &mut faults, kinds)?;
    let unknown = faults.count();
    in_order_of_ledger(&mut file.arm, ledger);
    faults.keep(check_name(&source, &file.name));
    let read = (file, engine, &unsettled);
    let checked = checked(&source, read, kinds, absolute, ledger, &mut faults);
    if unsettled.is_cut {
        faults.forget_missing(unknown);
    }
    faults.finish()?;
    let Some((mut study, recorded)) = checked else {
        let message = "has a mistake that could not be named: please report it, with the file";
        return Err(source.wrong(&[], message.to_owned()));
    };
    for (arm, inputs) in study.file.arm.iter_mut().zip(&study.inputs) {
        let files = inputs.iter();
        let files = files.map(|input| (input.name.clone(), input.digest().to_string()));
        let is_of_functions = matches!(study.executor, ExecutorKind::Functions);
        let is_looked_at = !is_of_functions || !inputs.is_empty();
        arm.files = (is_looked_at && arm.version.is_none()).then(|| files.collect());
    }
    for (table, digest) in study.file.recorded.iter_mut().zip(&recorded.digests) {
        table.digest = Some(digest.clone());
    }
    if let Some(Method::Command(table)) = &mut study.file.design.policy {
        table.files = of_command(&source, &table.command, &study.file.inputs, absolute)?;
    }
    let written = |file: &StudyFile| {
        serde_json::to_value(file)
            .map_err(|error| source.wrong(&[], format!("cannot be written down: {error}")))
    };
    if study.is_gate() && !source.has("design.seed") {
        // A version that was mended on what a gate showed is asked in another order.
        study.file.design.seed = match ledger.and_then(|begun| begun["design"]["seed"].as_u64()) {
            Some(seed) => seed,
            None => seed_of_arms(&written(&study.file)?),
        };
    }
    study.fingerprint = written(&study.file)?;
    recorded.check_arms(&source, &study.arms, &study.fingerprint)?;
    study.recorded = recorded.entries;
    serve(&source, &mut study, ledger.is_some())?;
    check_served(&source, &study, ledger.is_some())?;
    Ok(study)
}

/// Checks every table, and collects their mistakes. `None` if there are any. Values that depend on
/// an invalid one are not checked, as they may be right.
///
/// The study has still to be given its fingerprint and what is recorded.
#[expect(
    clippy::too_many_lines,
    reason = "each table is checked on what the others left valid"
)]
fn checked(
    source: &Source<'_>,
    (mut file, engine, unsettled): (StudyFile, ReadKeys, &Unsettled),
    kinds: &[EngineKind],
    absolute: &Path,
    ledger: Option<&Value>,
    faults: &mut Faults,
) -> Option<(Study, Recorded)> {
    let directory = absolute.parent().unwrap_or(Path::new("/"));
    let spares = |keys: &[&str]| unsettled.spares(keys);
    let is_search = file.goal.trials.is_some();
    let has_benchmarks = spares(&["benchmark", "design", "goal"]);
    let benchmarks = faults.check(has_benchmarks, || take_benchmarks(source, &mut file));
    let has_space = spares(&["goal", "arm", "design", "worker"]) && benchmarks.is_some();
    let search = faults.check(has_space, || search(source, &file));
    let has_kind = spares(&["goal.trials"]);
    let has_cases = has_kind
        && spares(&["design.splits", "design.items", "design.documents"])
        && spares(&["design.strata", "design.repeats", "benchmark"])
        && (benchmarks.is_some() || file.benchmark.is_empty());
    let cases = faults.check(has_cases, || {
        cases(source, &file, absolute, ledger.is_some())
    });
    let measure = faults.check(spares(&["metric", "design"]), || measure(source, &file));
    let has_names = has_kind && spares(&["arm.name"]);
    let arms = faults.check(has_names, || arms(source, &file.arm, is_search));
    let has_jobs = spares(&["command", "arm", "design", "metric"])
        && spares(&["executor", "resources", "worker"]);
    let worker = faults.check(has_jobs, || worker(source, &file));
    faults.check(worker.is_some(), || check_cache(source, &file));
    let has_executor = spares(&["executor", "worker", "command", "resources"]);
    let executor = faults.check(has_executor, || executor(source, &file, kinds, engine));
    let parallel = faults.keep(parallel(source, &file.design));
    let timeout = faults.keep(limit(source, "timeout", file.resources.timeout.as_ref()));
    let silence = faults.keep(limit(source, "silence", file.resources.silence.as_ref()));
    let grace = faults.keep(grace(source, &file.resources));
    // Commands depend on whether there are workers, functions, or a search; one that is missing may
    // be what was left out.
    let has_any = is_of_one_kind(&file.design) && !(unsettled.is_cut && file.command.is_none());
    let can_be = has_any && worker.is_some() && executor.is_some();
    let space = search.as_ref().filter(|_| can_be);
    let jobs = space.and_then(|search| faults.keep(jobs(source, &file, search.as_ref())));
    let inputs = jobs.as_ref().and_then(|jobs| {
        let kept = Kept::read(&state_directory(absolute));
        faults.keep(inputs(source, &file, absolute, jobs, ledger, kept))
    });
    let measured = measure.as_ref();
    let further =
        measured.filter(|_| spares(&["measure", "constraint", "resources", "worker", "goal"]));
    let further = further.and_then(|own| {
        let measures = faults.keep(measures(source, &file, &own.metric))?;
        let constraints = faults.keep(constraints(source, &file, &measures))?;
        Some((measures, constraints))
    });
    let lenience = measured.and_then(|own| faults.keep(lenience(source, &file, own)));
    let has_rules = spares(&["resources", "worker", "arm", "design", "goal"]);
    let rules = match (&search, &cases, &measure, &arms) {
        (Some(_), Some(cases), Some(measure), Some(_)) if has_rules => {
            rules(source, &file, cases, measure, faults)
        }
        // They cannot be told without these; what they may be spent on can.
        _ if !spares(&["goal", "resources", "arm", "worker"]) => {
            faults.keep(check_level(source, &file.goal));
            None
        }
        _ => check_goal(source, &file, faults).and(None),
    };
    if let (Some(executor), Some(jobs)) = (&executor, &jobs) {
        let gpus = file.arm.iter().zip(jobs);
        let gpus = gpus.map(|(arm, job)| (arm.name.as_str(), job.gpus));
        faults.keep(check_gpus(source, executor, gpus));
    }
    let (cases, measure, arms, rules) = (cases?, measure?, arms?, rules?);
    let (measures, constraints) = further?;
    let methods = (rules.policy.as_str(), rules.stopping.as_str());
    let search_winner = faults.keep(search_winner(source, &file, &arms, methods))?;
    let recorded = {
        let fits = Fits {
            file: &file,
            directory,
            design: cases.design,
            splits: cases.splits,
            documents: cases.items.as_ref().map(Items::numbers),
            measure: &measure,
            measures: &measures,
            arms: &arms,
            policy: &rules.policy,
            stopping: &rules.stopping,
        };
        faults.check(spares(&["recorded"]), || recorded(source, &fits, ledger))?
    };
    // What the file leaves to a default as well: the default may be another one when the study is
    // resumed.
    measure.record(&mut file);
    measures::record(&measures, &mut file);
    rules.record(&cases, &mut file.design);
    let study = Study {
        path: absolute.to_owned(),
        directory: directory.to_owned(),
        gpus: gpu_names(&file),
        file,
        measure,
        measures,
        constraints,
        lenience: lenience?,
        design: cases.design,
        items: cases.items,
        items_gone: cases.gone.map(Box::new),
        arms,
        jobs: jobs?,
        inputs: inputs?,
        worker: worker?,
        search: search?,
        search_winner,
        terms: rules.terms,
        posterior: rules.kind,
        posterior_name: rules.posterior,
        parameters: rules.parameters,
        policy_name: rules.policy,
        policy_trouble: Trouble::default(),
        make_parts: None,
        parallel: parallel?,
        timeout: timeout?,
        silence: silence?,
        grace: grace?,
        executor: executor?,
        recorded: Vec::new(),
        baseline: None,
        fingerprint: Value::Null,
    };
    Some((study, recorded))
}

/// Rules by which a study decides: its terms, posterior, stopping rule and policy.
struct Rules {
    terms: Terms,
    posterior: String,
    kind: PosteriorKind,
    stopping: String,
    parameters: Parameters,
    policy: String,
}

impl Rules {
    /// Writes the methods of a study to its table, with defaults, except for the program's own.
    fn record(&self, cases: &Cases, design: &mut DesignTable) {
        cases.record(design);
        for (part, name) in [
            (&mut design.policy, &self.policy),
            (&mut design.posterior, &self.posterior),
            (&mut design.stopping, &self.stopping),
        ] {
            if !matches!(part, Some(Method::Own(_) | Method::Command(_))) {
                *part = Some(Method::Name(name.clone()));
            }
        }
    }
}

/// Checks the goal: the unit of its costs, its budget and its level.
fn check_goal(source: &Source<'_>, file: &StudyFile, faults: &mut Faults) -> Option<()> {
    let cost_unit = file.resources.cost_unit.as_deref();
    let has_unit = faults.keep(check_cost_unit(source, file));
    let has_budget = has_unit.and_then(|()| {
        let checked = check_budget(source, &file.goal, file.arm.len(), cost_unit);
        faults.keep(checked)
    });
    let has_level = faults.keep(check_level(source, &file.goal));
    has_budget.and(has_level)
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
    faults.keep(check_own(source, file))?;
    let items = cases.items.as_ref();
    let count = items.map(|items| items.len() as u64);
    let again = count.filter(|_| design.repeats());
    let of_items = (items.is_some(), again);
    let posterior = if is_search {
        Some((search::NONE.to_owned(), PosteriorKind::Best))
    } else {
        let sizes = items.map(Items::sizes_of_benchmarks).unwrap_or_default();
        let of_items = (count, file.goal.target, benchmarks(file, &sizes));
        faults.keep(posterior(source, design, measure, of_items, arms))
    };
    let terms = Terms::new(
        &file.goal,
        file.arm.iter().map(|arm| Some(arm.name.as_str())),
        of_items,
        cases.splits.filter(|_| !design.repeats()),
        file.resources.cost_unit.as_deref(),
    );
    faults.keep(check_least(source, &file.goal, items, &terms));
    let names: Vec<&str> = file.arm.iter().map(|arm| arm.name.as_str()).collect();
    faults.keep(check_gate(source, &file.goal, &names))?;
    let budget = file.goal.budget.as_ref();
    let budget = budget.and_then(|budget| budget.evaluations);
    let parameters = faults.keep(parameters(source, design, arms, budget));
    // A level or a budget that cannot be would be told again.
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
        Some(parameters) => faults.keep(policy(source, file, names, parameters)),
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
    faults.keep(check_gate_of(source, design, cases.design, &stopping));
    faults.keep(check_items(source, design, &posterior, &stopping));
    let chosen = policy.as_deref().unwrap_or_default();
    faults.keep(check_top(source, file, arms, (&posterior, chosen)));
    faults.keep(check_cheapest(source, file, (&posterior, chosen)));
    Some(Rules {
        terms,
        posterior,
        kind,
        stopping,
        parameters: parameters?,
        policy: policy?,
    })
}

/// Whether a study file has at most one of splits, items and documents: a command suits only one.
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

/// Reads the limit of a job's time or silence under a key of the resources.
fn limit(
    source: &Source<'_>,
    key: &str,
    text: Option<&String>,
) -> Result<Option<Duration>, StudyError> {
    text.map(|text| some_time(source, &["resources", key], text))
        .transpose()
}

/// Reads the time between the polite signal to a job and the signal that kills it.
fn grace(source: &Source<'_>, resources: &ResourcesTable) -> Result<Duration, StudyError> {
    let text = resources.grace.as_ref();
    text.map_or(Ok(GRACE), |text| {
        duration(source, &["resources", "grace"], text)
    })
}

fn gpu_names(file: &StudyFile) -> Option<Vec<String>> {
    let name = |gpu: &GpuName| match gpu {
        GpuName::Index(index) => index.to_string(),
        GpuName::Id(id) => id.clone(),
    };
    Some(file.executor.gpus.as_ref()?.iter().map(name).collect())
}
