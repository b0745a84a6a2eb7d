//! From the study file as written to a checked study.

use super::{
    Documents, Job, Search, Stopping, Study, StudyError,
    cases::{cases, least_documents},
    command::{Command, Words, placeholders},
    error::{Source, nearest},
    file::{
        Amount, ArmTable, BudgetTable, DesignTable, ExecutorTable, GoalTable, GpuName, StudyFile,
    },
    lenience::lenience,
    measure::{Measure, measure},
    posterior::{Posterior, posterior},
    recorded::{Fits, recorded},
    search::{self, search},
    worker::{self, worker},
};
use crate::{executor::RunId, gpu::GpusPerJob};
use fiesta_core::{ArmId, Arms, Design, Direction, Limits};
use fiesta_policies::{
    Parameters, PolicyError, TieBreakName, by_name as policy_by_name, parameters_of, resolve,
    stopping::{
        Parameters as StoppingParameters, PosteriorThreshold, StoppingError,
        by_name as stopping_by_name,
    },
};
use serde_json::Value;
use std::{path::Path, time::Duration};
use toml::Spanned;

/// Evaluations per arm after which a study without any budget ends.
pub(super) const CAP_PER_ARM: u64 = 100;
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
    let (cases, documents) = cases(&source, &file.design, &directory, search.is_some())?;
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
        Some(_) => Posterior::none(),
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
    record_design(&mut fingerprint["design"], names, cases, documents.as_ref());
    record_measure(&mut fingerprint["metric"], &measure);
    let fits = Fits {
        file: &file,
        directory: &directory,
        design: cases,
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
        gpus: file
            .executor
            .gpus
            .as_ref()
            .map(|gpus| gpu_names(gpus.get_ref())),
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

fn check_executor(source: &Source<'_>, executor: &ExecutorTable) -> Result<(), StudyError> {
    let (kind, span) = named(executor.kind.as_ref(), "local");
    if kind == "local" {
        return Ok(());
    }
    Err(source.wrong(span, format!("there is no executor `{kind}`: use local")))
}

/// Puts arms that a ledger knows before those that were added, in its order: it knows them by their numbers.
fn in_order_of_ledger(arms: &mut [ArmTable], ledger: Option<&Value>) {
    let Some(known) = ledger.and_then(|ledger| ledger["arm"].as_array()) else {
        return;
    };
    arms.sort_by_key(|arm| {
        let name = arm.name.get_ref().as_str();
        let place = known.iter().position(|known| known["name"] == name);
        place.unwrap_or(usize::MAX)
    });
}

/// Records what the file leaves to a default as well: the default may be another one when the study is resumed.
fn record_design(
    fingerprint: &mut Value,
    [policy, posterior, stopping]: [&String; 3],
    cases: Design,
    documents: Option<&Documents>,
) {
    fingerprint["policy"] = policy.as_str().into();
    fingerprint["posterior"] = posterior.as_str().into();
    fingerprint["stopping"] = stopping.as_str().into();
    match documents {
        None => fingerprint["splits"] = cases.name().into(),
        Some(documents) => fingerprint["collection"] = documents.fingerprint(),
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

fn named<'a>(
    name: Option<&'a Spanned<String>>,
    default: &'a str,
) -> (String, Option<std::ops::Range<usize>>) {
    match name {
        Some(name) => (name.get_ref().clone(), Some(name.span())),
        None => (default.to_owned(), None),
    }
}

/// The requested confidence; 95 % if nothing else ends the study.
fn confidence(source: &Source<'_>, goal: &GoalTable) -> Result<Option<f64>, StudyError> {
    match (
        &goal.confidence,
        goal.budget.is_some() || goal.trials.is_some(),
    ) {
        (Some(confidence), _) => {
            let span = Some(confidence.span());
            PosteriorThreshold::new(*confidence.get_ref())
                .map_err(|error| source.wrong(span, format!("confidence: {error}")))?;
            Ok(Some(*confidence.get_ref()))
        }
        (None, false) => Ok(Some(0.95)),
        (None, true) => Ok(None),
    }
}

/// The stopping rule and its parameters, also of a study that ends by its budget alone.
fn stopping(
    source: &Source<'_>,
    file: &StudyFile,
    confidence: Option<f64>,
    measure: &Measure,
    cases: Design,
    arms: usize,
) -> Result<Stopping, StudyError> {
    let metric = &measure.metric;
    let (rule, rule_span) = named(file.design.stopping.as_ref(), "posterior");
    let tolerance = file.goal.tolerance.as_ref();
    let span = tolerance.map(Spanned::span);
    if let (Some(_), None) = (tolerance, confidence) {
        let message = "a tolerance belongs to a confidence, and this study ends by its budget alone: give it a confidence, too";
        return Err(source.wrong(span, message));
    }
    // A failure is the worst that can be: the lower bound as scores are oriented, if there is one.
    let worst = metric.bounds().map(|(low, high)| {
        let direction = metric.direction();
        direction.orient(low).min(direction.orient(high))
    });
    let parameters = StoppingParameters {
        level: confidence.unwrap_or(0.95),
        tolerance: tolerance.map_or(0.0, |tolerance| *tolerance.get_ref()),
        arms,
        design: cases,
        on_failure: worst,
    };
    stopping_by_name(&rule, &parameters).map_err(|error| match error {
        StoppingError::Parameter(_) => source.wrong(span, error),
        _ => source.wrong(rule_span, error),
    })?;
    Ok(Stopping {
        name: rule,
        parameters: Some(parameters),
    })
}

/// The policy that a study file asks for, by its own name.
fn policy(
    source: &Source<'_>,
    design: &DesignTable,
    stopping: &str,
    parameters: &Parameters,
) -> Result<String, StudyError> {
    let (name, span) = named(design.policy.as_ref(), "auto");
    let policy = resolve(&name, stopping).to_owned();
    policy_by_name(&policy, parameters).map_err(|error| {
        let span = match error {
            PolicyError::Beta(_) | PolicyError::BetaWithoutCoin => {
                design.beta.as_ref().map(Spanned::span)
            }
            _ => span,
        };
        source.wrong(span, error)
    })?;
    Ok(policy)
}

/// The anytime-valid rule beside a posterior that is not of means is refused.
fn check_anytime(
    source: &Source<'_>,
    design: &DesignTable,
    stopping: &Stopping,
    measure: &Measure,
    posterior: &Posterior,
) -> Result<(), StudyError> {
    if stopping.name == "anytime" && measure.counts.is_some() && !posterior.is_of_means() {
        let span = design.stopping.as_ref().map(Spanned::span);
        let message = format!(
            "the stopping rule anytime tests means of scores, and the posterior {} is of the F-measure of all documents together: choose another posterior, such as paired, for the mean of the documents' F-measures",
            posterior.name
        );
        return Err(source.wrong(span, message));
    }
    Ok(())
}

fn parallel(source: &Source<'_>, design: &DesignTable) -> Result<usize, StudyError> {
    match &design.parallel {
        None => Ok(1),
        Some(parallel) if *parallel.get_ref() == 0 => {
            Err(source.wrong(Some(parallel.span()), "parallel must be at least 1"))
        }
        Some(parallel) => Ok(*parallel.get_ref()),
    }
}

fn parameters(
    source: &Source<'_>,
    design: &DesignTable,
    arms: usize,
    budget: Option<u64>,
) -> Result<Parameters, StudyError> {
    let batch = design.batch.as_ref();
    if let Some(batch) = batch
        && *batch.get_ref() == 0
    {
        return Err(source.wrong(Some(batch.span()), "batch must be at least 1"));
    }
    // Not what runs at once: `parallel` may change between two sessions, and decisions must not.
    if batch.is_none()
        && let Some(policy) = &design.policy
        && policy.get_ref() == "bts"
    {
        let message = "the policy bts needs batch = …, how many evaluations it chooses at once; as many as run at once, for example";
        return Err(source.wrong(Some(policy.span()), message));
    }
    let policy = named(design.policy.as_ref(), "auto").0;
    let given = [
        ("batch", batch.map(Spanned::span)),
        ("beta", design.beta.as_ref().map(Spanned::span)),
        ("extended", design.extended.as_ref().map(Spanned::span)),
        ("tie-break", design.tie_break.as_ref().map(Spanned::span)),
    ];
    for (name, span) in given {
        if span.is_some() && !parameters_of(&policy).contains(&name) {
            let key = name.replace('-', "_");
            let message = format!("the policy {policy} takes no `{key}`");
            return Err(source.wrong(span, message));
        }
    }
    let tie_break = design.tie_break.as_ref().map(|name| {
        let parsed = name.get_ref().parse::<TieBreakName>();
        parsed.map_err(|error| source.wrong(Some(name.span()), error))
    });
    Ok(Parameters {
        arms,
        budget,
        batch: batch.map_or(1, |batch| *batch.get_ref()),
        extended: design
            .extended
            .as_ref()
            .is_some_and(|extended| *extended.get_ref()),
        beta: design.beta.as_ref().map(|beta| *beta.get_ref()),
        tie_break: tie_break.transpose()?,
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

/// The arms; a random search may be of one alone.
fn arms(source: &Source<'_>, tables: &[ArmTable], is_search: bool) -> Result<Arms, StudyError> {
    let names = tables.iter().map(|arm| arm.name.get_ref().clone());
    let arms = if is_search {
        Arms::even_one(names)
    } else {
        Arms::new(names)
    };
    arms.map_err(|error| {
        // The last arm of that name is the one that came too much.
        let named = |name: &String| {
            tables
                .iter()
                .rev()
                .find(|arm| arm.name.get_ref() == name)
                .map(|arm| arm.name.span())
        };
        let (span, advice) = match &error {
            fiesta_core::ArmsError::None => (None, "; add [[arm]] tables with a name each"),
            fiesta_core::ArmsError::One(name) => (named(name), "; add another [[arm]] table"),
            fiesta_core::ArmsError::Duplicate(name) => (named(name), ""),
            fiesta_core::ArmsError::Empty(number) => (Some(tables[number - 1].name.span()), ""),
            _ => (None, ""),
        };
        source.wrong(span, format!("{error}{advice}"))
    })
}

fn jobs(
    source: &Source<'_>,
    file: &StudyFile,
    search: Option<&Search>,
) -> Result<Vec<Job>, StudyError> {
    let numbered = ArmId::all(file.arm.len()).zip(&file.arm);
    numbered
        .map(|(id, arm)| {
            let words = Words {
                of_documents: file.design.documents.is_some(),
                of_worker: file.worker.is_some(),
                search: search.map(|search| (search, search.space(id))),
            };
            job(source, file, arm, words)
        })
        .collect()
}

fn job(
    source: &Source<'_>,
    file: &StudyFile,
    arm: &ArmTable,
    words: Words<'_>,
) -> Result<Job, StudyError> {
    let name = arm.name.get_ref();
    let Some(command) = worker::command_of(file, arm) else {
        let message = format!(
            "the arm `{name}` has no command: give one in its table, or one for all arms at the top"
        );
        return Err(source.wrong(Some(arm.name.span()), message));
    };
    if command.get_ref().first().is_none_or(String::is_empty) {
        let message = "the command is empty: its first element is the program";
        return Err(source.wrong(Some(command.span()), message));
    }
    let gpus = arm
        .gpus_per_job
        .as_ref()
        .or(file.resources.gpus_per_job.as_ref());
    let gpus = gpus
        .map(|gpus| {
            GpusPerJob::new(*gpus.get_ref()).map_err(|error| source.wrong(Some(gpus.span()), error))
        })
        .transpose()?;
    if let Some(cost) = &arm.cost
        && !(cost.get_ref().is_finite() && *cost.get_ref() >= 0.0)
    {
        return Err(source.wrong(
            Some(cost.span()),
            "the cost must be a number from zero upwards",
        ));
    }
    let span = command.span();
    let command = Command::parse(command.get_ref(), words)
        .map_err(|unknown| source.wrong(Some(span), unknown_placeholder(&unknown, name, words)))?;
    let cost = arm.cost.as_ref().map(|cost| *cost.get_ref());
    let of_answer = file
        .worker
        .as_ref()
        .and_then(|table| table.get_ref().cost.as_ref());
    Ok(Job {
        is_of_arm: worker::is_of_arm(arm, &command),
        command,
        environment: arm.env.clone(),
        gpus,
        cost: cost.or(of_answer.map(|cost| *cost.get_ref())),
    })
}

fn unknown_placeholder(unknown: &str, arm: &str, words: Words<'_>) -> String {
    let of_documents = words.of_documents;
    if words.of_worker {
        return worker::unknown_placeholder(unknown, words);
    }
    if let Some((search, _)) = words.search
        && search.names().contains(&unknown)
    {
        return format!(
            "the command of the arm `{arm}` has {{{unknown}}}, and its search space has no {unknown}: add it there, or give the arm a command of its own"
        );
    }
    if of_documents && unknown == "split" {
        return "{split} has no meaning in a study of documents: use {document}, the path to a file with the document, or {document_id}".to_owned();
    }
    if !of_documents && ["document", "document_id"].contains(&unknown) {
        return format!(
            "{{{unknown}}} belongs to a study of documents, and this is one of splits: use {{split}}, or name the documents under [design]"
        );
    }
    let own = words
        .search
        .into_iter()
        .flat_map(|(_, space)| space.parameters());
    let known = placeholders(of_documents).iter().copied();
    let known: Vec<&str> = known.chain(own.map(|(name, _)| name)).collect();
    let near = nearest(unknown, &known)
        .map_or_else(String::new, |near| format!(", did you mean {{{near}}}?"));
    let known: Vec<String> = known.iter().map(|known| format!("{{{known}}}")).collect();
    format!(
        "unknown placeholder {{{unknown}}} in the command{near} (known: {}; write {{{{{unknown}}}}} for the braces themselves)",
        known.join(", ")
    )
}

/// What the study may spend, and whether that is the default. A study of documents ends with its collection, a random search with its
/// trials, and neither needs a cap.
fn limits(
    source: &Source<'_>,
    budget: Option<&Spanned<BudgetTable>>,
    arms: usize,
    ends_by_itself: bool,
) -> Result<(Limits, bool), StudyError> {
    let mut limits = Limits::default();
    if let Some(table) = budget {
        let budget = table.get_ref();
        if budget.evaluations.is_none() && budget.cost.is_none() && budget.wall.is_none() {
            let message = "the budget is empty: give it evaluations, cost or wall, or leave it out";
            return Err(source.wrong(Some(table.span()), message));
        }
        if let Some(evaluations) = &budget.evaluations {
            if *evaluations.get_ref() < arms as u64 {
                let message = format!(
                    "a budget of {} evaluations does not even give each of the {arms} arms one",
                    evaluations.get_ref()
                );
                return Err(source.wrong(Some(evaluations.span()), message));
            }
            limits.evaluations = Some(*evaluations.get_ref());
        }
        limits.wall = budget
            .wall
            .as_ref()
            .map(|wall| some_time(source, wall, "wall"))
            .transpose()?
            .map(|wall| wall.as_secs_f64());
        limits.cost = budget
            .cost
            .as_ref()
            .map(|cost| amount(source, cost))
            .transpose()?;
    }
    let capped_by_default = limits == Limits::default() && !ends_by_itself;
    if capped_by_default {
        limits.evaluations = Some(CAP_PER_ARM * arms as u64);
    }
    Ok((limits, capped_by_default))
}

fn amount(source: &Source<'_>, amount: &Spanned<Amount>) -> Result<f64, StudyError> {
    let span = Some(amount.span());
    let value = match amount.get_ref() {
        Amount::Number(number) => *number,
        Amount::Duration(text) => humantime::parse_duration(text)
            .map_err(|error| source.wrong(span.clone(), format!("cost = \"{text}\": {error}")))?
            .as_secs_f64(),
    };
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(source.wrong(
            span,
            "a budget of cost must be a number above zero or a duration",
        ))
    }
}

fn duration(
    source: &Source<'_>,
    text: &Spanned<String>,
    key: &str,
) -> Result<Duration, StudyError> {
    humantime::parse_duration(text.get_ref()).map_err(|error| {
        let message = format!(
            "{key} = \"{}\" is no duration ({error}): write for example \"90s\", \"15m\" or \"2h 30m\"",
            text.get_ref()
        );
        source.wrong(Some(text.span()), message)
    })
}

/// A duration that is not zero.
pub(super) fn some_time(
    source: &Source<'_>,
    text: &Spanned<String>,
    key: &str,
) -> Result<Duration, StudyError> {
    let time = duration(source, text, key)?;
    if time.is_zero() {
        let message = format!("{key} = \"{}\" must be longer than zero", text.get_ref());
        return Err(source.wrong(Some(text.span()), message));
    }
    Ok(time)
}

fn gpu_names(gpus: &[GpuName]) -> Vec<String> {
    gpus.iter()
        .map(|gpu| match gpu {
            GpuName::Index(index) => index.to_string(),
            GpuName::Id(id) => id.clone(),
        })
        .collect()
}
