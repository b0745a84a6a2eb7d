//! `fiesta simulate`: a policy, many times, on recorded scores or Gaussian arms.

use super::{
    Format,
    exit::{Code, Failure},
    print,
    scores::ScoresArguments,
};
use fiesta::{
    core::{Design, UnknownDesign},
    policies::{
        self, Parameters, PolicyError, TieBreakName,
        simulate::{
            Durations, Gaussian, MakeRule, Problem, Recorded, RecordedError, Simulation, Summary,
        },
        stopping,
    },
    posterior,
    report::{Align, Table},
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The arguments of `fiesta simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta simulate scores.csv --policy ttts --confidence 0.95,0.9,0.8
  fiesta simulate scores.csv --policy bts --batch 4 --splits independent
  fiesta simulate scores.csv --policy sequential-halving --budget 120,204
  fiesta simulate --gaussian 0.65:0.03,0.63:0.03 --parallel 8 --durations exponential
  fiesta simulate --list")]
pub(super) struct Arguments {
    /// Recorded scores: CSV, JSON lines or JSON, or - for standard input
    #[arg(required_unless_present_any = ["gaussian", "list"], conflicts_with = "gaussian")]
    scores: Option<PathBuf>,
    #[command(flatten)]
    reading: ScoresArguments,
    /// Gaussian arms instead of recorded scores
    #[arg(long, value_name = "MEAN:SD,…", value_delimiter = ',', value_parser = mean_and_sd)]
    gaussian: Vec<(f64, f64)>,
    /// The policy; --list prints their names
    #[arg(long, value_name = "NAME", default_value = "auto")]
    policy: String,
    /// The posterior
    #[arg(long, value_name = "NAME", default_value = posterior::DEFAULT)]
    posterior: String,
    /// The stopping rule
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    stopping: String,
    /// How far below the best the recommended arm may be, in the unit of the scores
    #[arg(
        long,
        value_name = "EPSILON",
        default_value_t = 0.0,
        conflicts_with = "budget"
    )]
    tolerance: f64,
    /// Which splits evaluations get
    #[arg(long, value_name = "shared|independent", default_value = "shared", value_parser = splits)]
    splits: Design,
    /// Run until these confidences are reached (default: 0.95)
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        conflicts_with = "budget"
    )]
    confidence: Vec<f64>,
    /// Run until these numbers of evaluations are spent
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    budget: Vec<u64>,
    /// Evaluations per synchronous batch
    #[arg(long, value_name = "B", conflicts_with_all = ["parallel", "durations"], value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// Evaluations in flight at once
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    parallel: u32,
    /// How long evaluations take: constant, exponential, high-late or high-early
    #[arg(long, value_name = "KIND", default_value = "constant")]
    durations: Durations,
    /// The share of the leader in top-two policies
    #[arg(long)]
    beta: Option<f64>,
    /// How top-two policies choose between leader and challenger: coin, balanced or cost-aware
    #[arg(long, value_name = "NAME")]
    tie_break: Option<TieBreakName>,
    /// Let sequential halving also spend what its divisions leave over
    #[arg(long)]
    extended: bool,
    /// How many runs
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Give a run up after so many evaluations (default: 1000 per arm)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,
    /// Print the names of policies, posteriors and stopping rules
    #[arg(long)]
    list: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    /// The policy's own name.
    fn policy(&self) -> &str {
        policies::resolve(&self.policy, &self.stopping)
    }
}

pub(super) fn mean_and_sd(text: &str) -> Result<(f64, f64), String> {
    text.split_once(':')
        .and_then(|(mean, sd)| Some((mean.trim().parse().ok()?, sd.trim().parse().ok()?)))
        .ok_or_else(|| "give a mean and a standard deviation, for example 0.65:0.03".to_owned())
}

pub(super) fn splits(text: &str) -> Result<Design, String> {
    match text.parse() {
        Ok(Design::Fixed) => {
            let file = "give a file of that split's scores";
            Err(format!(
                "for one fixed split, {file}; else use shared or independent"
            ))
        }
        other => other.map_err(|error: UnknownDesign| error.to_string()),
    }
}

/// What a result was run for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    Confidence(f64),
    Budget(u64),
}

pub(super) fn simulate(arguments: &Arguments) -> Result<Code, Failure> {
    if arguments.list {
        return list(arguments.format);
    }
    let problem = problem(arguments)?;
    let results = results(arguments, &*problem)?;
    let best: Vec<&str> = problem
        .arms()
        .ids()
        .filter(|&arm| problem.is_best(arm))
        .map(|arm| problem.arms().name(arm))
        .collect();
    match arguments.format {
        Format::Json => print(document(arguments, &best.join(", "), &results))?,
        Format::Text => print_text(arguments, &best.join(", "), &results)?,
    }
    Ok(Code::Done)
}

fn problem(arguments: &Arguments) -> Result<Box<dyn Problem>, Failure> {
    let Some(file) = &arguments.scores else {
        return Ok(Box::new(Gaussian::new(arguments.gaussian.iter().copied())?));
    };
    let scores = arguments.reading.read(file)?;
    let arms = scores
        .arms
        .names()
        .iter()
        .zip(&scores.records)
        .map(|(name, records)| {
            let oriented = |record: &fiesta::core::records::Record| {
                (record.split, scores.direction.orient(record.score))
            };
            (name.clone(), records.iter().map(oriented).collect())
        });
    let recorded = Recorded::new(arms, arguments.splits).map_err(|error| match error {
        RecordedError::NoSplits | RecordedError::Hole { .. } => {
            Failure::Usage(format!("{error} (--splits independent)"))
        }
        other => other.into(),
    })?;
    Ok(Box::new(recorded))
}

fn results(arguments: &Arguments, problem: &dyn Problem) -> Result<Vec<(Goal, Summary)>, Failure> {
    let arms = problem.arms().len();
    posterior::by_name(&arguments.posterior, arms)?;
    let goal = |level| stopping::Parameters {
        level,
        tolerance: arguments.tolerance,
        arms,
        design: arguments.splits,
        on_failure: None,
    };
    // Also with a budget, where no rule stops, its name must be one.
    stopping::by_name(&arguments.stopping, &goal(0.95))?;
    let given = [
        ("beta", arguments.beta.is_some()),
        ("tie-break", arguments.tie_break.is_some()),
        ("extended", arguments.extended),
    ];
    for (name, given) in given {
        if given && !policies::parameters_of(arguments.policy()).contains(&name) {
            let policy = &arguments.policy;
            return Err(Failure::Usage(format!(
                "the policy {policy} takes no --{name}"
            )));
        }
    }
    let make_posterior = |arms: usize| {
        posterior::by_name(&arguments.posterior, arms).expect("the posterior's name was checked")
    };
    let workers = arguments.batch.unwrap_or(arguments.parallel);
    let mut simulation = Simulation::new(problem, arguments.runs)
        .seed(arguments.seed)
        .design(arguments.splits)
        .workers(workers as usize, arguments.durations);
    if let Some(cap) = arguments.cap {
        simulation = simulation.cap(cap);
    }
    let parameters = |budget| Parameters {
        arms,
        budget,
        batch: workers,
        extended: arguments.extended,
        beta: arguments.beta,
        tie_break: arguments.tie_break,
    };
    if arguments.budget.is_empty() {
        let levels = if arguments.confidence.is_empty() {
            vec![0.95]
        } else {
            arguments.confidence.clone()
        };
        let rules = levels
            .iter()
            .map(|&level| {
                stopping::by_name(&arguments.stopping, &goal(level))?;
                let make = move || {
                    stopping::by_name(&arguments.stopping, &goal(level))
                        .expect("the rule was checked")
                };
                Ok(Box::new(make) as MakeRule<'_>)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        policies::by_name(arguments.policy(), &parameters(None)).map_err(|error| match error {
            PolicyError::NoBudget(_) => Failure::Usage(format!("{error}: give --budget")),
            other => other.into(),
        })?;
        let make_policy = || {
            policies::by_name(arguments.policy(), &parameters(None))
                .expect("the policy was checked")
        };
        let summaries = simulation.confidence(&make_posterior, &make_policy, &rules)?;
        return Ok(levels
            .into_iter()
            .map(Goal::Confidence)
            .zip(summaries)
            .collect());
    }
    arguments
        .budget
        .iter()
        .map(|&budget| {
            policies::by_name(arguments.policy(), &parameters(Some(budget)))?;
            let make_policy = || {
                policies::by_name(arguments.policy(), &parameters(Some(budget)))
                    .expect("the policy was checked")
            };
            let summary = simulation.budget(&make_posterior, &make_policy, budget)?;
            Ok((Goal::Budget(budget), summary))
        })
        .collect()
}

/// How many evaluations were made.
pub(super) fn evaluations(summary: &Summary) -> Value {
    json!({
        "min": summary.min,
        "mean": summary.mean,
        "max": summary.max,
        "standard_error": summary.standard_error,
    })
}

/// What they cost, in mean durations of an evaluation.
pub(super) fn cost(summary: &Summary) -> Value {
    json!({ "mean": summary.cost, "standard_error": summary.cost_standard_error })
}

fn document(arguments: &Arguments, best: &str, results: &[(Goal, Summary)]) -> Value {
    let head = json!({
        "policy": arguments.policy,
        "posterior": arguments.posterior,
        "stopping": arguments.stopping,
        "tolerance": arguments.tolerance,
        "splits": arguments.splits,
        "runs": arguments.runs,
        "seed": arguments.seed,
        "best": best,
    });
    let of_goal = |(goal, summary): &(Goal, Summary)| {
        let mut result = head.clone();
        match goal {
            Goal::Confidence(level) => result["confidence"] = json!(level),
            Goal::Budget(budget) => result["budget"] = json!(budget),
        }
        result["evaluations"] = evaluations(summary);
        result["cost"] = cost(summary);
        result["time"] = json!(summary.time);
        result["correct"] = json!(summary.correct);
        result["correct_standard_error"] = json!(summary.correct_standard_error);
        result["capped"] = json!(summary.capped);
        result
    };
    let mut document = head.clone();
    document["results"] = results.iter().map(of_goal).collect();
    document
}

fn print_text(
    arguments: &Arguments,
    best: &str,
    results: &[(Goal, Summary)],
) -> Result<(), Failure> {
    let goal = if arguments.budget.is_empty() {
        "confidence"
    } else {
        "budget"
    };
    let mut table = Table::new([
        (goal, Align::Right),
        ("evaluations", Align::Right),
        ("min–max", Align::Right),
        ("correct", Align::Right),
    ]);
    for (goal, summary) in results {
        let goal = match goal {
            Goal::Confidence(level) => level.to_string(),
            Goal::Budget(budget) => budget.to_string(),
        };
        table.row(
            [
                goal,
                format!("{:.1} ± {:.1}", summary.mean, summary.standard_error),
                format!("{}–{}", summary.min, summary.max),
                format!(
                    "{:.2} ± {:.2} %",
                    summary.correct * 100.0,
                    summary.correct_standard_error * 100.0
                ),
            ],
            false,
        );
    }
    print(table.text())?;
    print(format_args!(
        "{} runs of {} with posterior {}; the best is {best}; ± is one standard error",
        arguments.runs,
        arguments.policy(),
        arguments.posterior
    ))?;
    let capped: u64 = results.iter().map(|(_, summary)| summary.capped).sum();
    if capped > 0 {
        print(format_args!(
            "{capped} runs were given up at the cap and count with the arm of the highest mean"
        ))?;
    }
    Ok(())
}

fn list(format: Format) -> Result<Code, Failure> {
    let stopping = stopping::NAMES.map(|(name, _)| name);
    if format == Format::Json {
        let names = policies::NAMES.map(|(name, _)| name);
        let document =
            json!({ "policies": names, "posteriors": posterior::NAMES, "stopping": stopping });
        print(&document)?;
        return Ok(Code::Done);
    }
    let mut table = Table::new([("policy", Align::Left), ("", Align::Left)]);
    for (name, what) in policies::NAMES {
        table.row([name.to_owned(), what.to_owned()], false);
    }
    print(table.text())?;
    print(format_args!("posteriors: {}", posterior::NAMES.join(", ")))?;
    print(format_args!("stopping rules: {}", stopping.join(", ")))?;
    Ok(Code::Done)
}
