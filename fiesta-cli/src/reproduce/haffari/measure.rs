//! The cells, measured.

use super::{
    Arguments, Failure,
    baseline::{Baseline, Benchmarked},
    methods::{self, Method, Model, Rule},
    parallel::in_parallel,
    say,
    systems::{self, Systems},
    truth::{self, OfDocuments},
};
use fiesta::{
    core::{FBeta, Streams},
    policies::simulate::{Simulation, Summary, SyntheticDocuments},
};
use std::time::Instant;

/// A mean over the configurations with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) mean: f64,
    pub(super) standard_error: f64,
}

/// What a method came to in a cell, at one of the rules.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) method: Method,
    pub(super) rule: Rule,
    pub(super) queries: Estimate,
    /// The share of runs that named the best system, those given up at the cap included.
    pub(super) success: Estimate,
    pub(super) capped: u64,
}

/// What a benchmark came to.
#[derive(Debug, Clone)]
pub(super) struct Benchmark {
    pub(super) baseline: Baseline,
    pub(super) documents: Estimate,
    pub(super) queries: Estimate,
    pub(super) by_mean: Estimate,
    pub(super) by_counts: Estimate,
}

/// Documents of one kind, and what all methods came to on them.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) alpha: f64,
    pub(super) length: u64,
    /// The share of configurations in which the system with the highest F is also that with the highest mean of the documents' F.
    pub(super) same_best: f64,
    /// The standard deviation of a document's F, over systems and configurations.
    pub(super) sd: f64,
    pub(super) rows: Vec<Row>,
    pub(super) benchmarks: Vec<Benchmark>,
}

/// What is measured in every cell.
pub(super) struct Plan {
    pub(super) models: Vec<Model>,
    pub(super) baselines: bool,
}

pub(super) fn cells(arguments: &Arguments, plan: &Plan) -> Result<Vec<Cell>, Failure> {
    let configurations = (0..arguments.configurations())
        .map(|number| systems::draw(arguments, number))
        .collect::<Result<Vec<_>, _>>()?;
    let kinds = arguments.kinds();
    let mut cells = Vec::new();
    for (place, &(alpha, length)) in kinds.iter().enumerate() {
        let began = Instant::now();
        cells.push(cell(arguments, plan, &configurations, alpha, length)?);
        say(format_args!(
            "{}/{}: α = {alpha}, N = {length}: {:.1} s",
            place + 1,
            kinds.len(),
            began.elapsed().as_secs_f64()
        ));
    }
    Ok(cells)
}

/// What some systems' runs came to.
struct OfSystems {
    truth: Vec<OfDocuments>,
    same_best: bool,
    /// Of every method, at each of its rules.
    summaries: Vec<Vec<Summary>>,
    benchmarks: Vec<Benchmarked>,
}

fn cell(
    arguments: &Arguments,
    plan: &Plan,
    configurations: &[Systems],
    alpha: f64,
    length: u64,
) -> Result<Cell, Failure> {
    let methods = methods::methods(arguments, &plan.models);
    let all = in_parallel(configurations, |systems| {
        of_systems(arguments, plan, &methods, systems, alpha, length)
    })?;
    let mut rows = Vec::new();
    for (place, method) in methods.iter().enumerate() {
        for (column, &rule) in method.model.rules().iter().enumerate() {
            let summaries: Vec<&Summary> = all
                .iter()
                .map(|one| &one.summaries[place][column])
                .collect();
            rows.push(Row {
                method: method.clone(),
                rule,
                queries: over(&summaries, |one| (one.mean, one.standard_error)),
                success: over(&summaries, |one| (one.correct, one.correct_standard_error)),
                capped: summaries.iter().map(|one| one.capped).sum(),
            });
        }
    }
    let baselines: &[Baseline] = if plan.baselines { &Baseline::ALL } else { &[] };
    let benchmark = |(place, &baseline): (usize, &Baseline)| {
        let made: Vec<&Benchmarked> = all.iter().map(|one| &one.benchmarks[place]).collect();
        let runs = arguments.runs_each() as f64;
        let share = |p: f64| (p, (p * (1.0 - p) / runs).sqrt());
        Benchmark {
            baseline,
            documents: over(&made, |one| (one.size.documents as f64, 0.0)),
            queries: over(&made, |one| (one.size.queries as f64, 0.0)),
            by_mean: over(&made, |one| share(one.by_mean)),
            by_counts: over(&made, |one| share(one.by_counts)),
        }
    };
    let same = all.iter().filter(|one| one.same_best).count();
    let variances = all.iter().flat_map(|one| &one.truth);
    let variance: f64 = variances.map(|truth| truth.sd * truth.sd).sum();
    Ok(Cell {
        alpha,
        length,
        same_best: same as f64 / all.len() as f64,
        sd: (variance / (all.len() * arguments.systems) as f64).sqrt(),
        rows,
        benchmarks: baselines.iter().enumerate().map(benchmark).collect(),
    })
}

fn of_systems(
    arguments: &Arguments,
    plan: &Plan,
    methods: &[Method],
    systems: &Systems,
    alpha: f64,
    length: u64,
) -> Result<OfSystems, Failure> {
    // The same in every cell, and for every method.
    let seed = Streams::new(arguments.seed).run_seed(systems.number);
    let streams = Streams::new(seed);
    let problem = SyntheticDocuments::new(systems.theta.clone(), alpha, length, FBeta::F1)?;
    let truth = truth::of_documents(&problem, &streams)?;
    let best_mean = (0..truth.len()).max_by(|&a, &b| truth[a].mean.total_cmp(&truth[b].mean));
    let simulation = Simulation::new(&problem, arguments.runs_each())
        .seed(seed)
        .cap(arguments.cap)
        .threads(1);
    let mut summaries = Vec::new();
    for method in methods {
        methods::posterior(method.model, arguments, &truth, seed)?;
        methods::policy(&method.policy, arguments)?;
        let rules = method.model.rules().iter();
        let rules = rules
            .map(|&rule| methods::rule(rule, arguments))
            .collect::<Result<Vec<_>, _>>()?;
        summaries.push(simulation.confidence(
            &|_| methods::posterior(method.model, arguments, &truth, seed).expect("it was made"),
            &|| methods::policy(&method.policy, arguments).expect("it was made"),
            &rules,
        )?);
    }
    let mut benchmarks = Vec::new();
    if plan.baselines {
        for baseline in Baseline::ALL {
            let size = baseline.size(arguments.delta, systems, &truth)?;
            let runs = arguments.runs_each();
            benchmarks.push(baseline.simulate(size, &problem, systems, &streams, runs));
        }
    }
    Ok(OfSystems {
        same_best: best_mean == Some(systems.ranked()[0]),
        truth,
        summaries,
        benchmarks,
    })
}

/// The mean over configurations. The runs on one of them have it in common: its standard error comes from the differences between
/// the configurations, or if there is only one, from its runs.
fn over<T>(all: &[T], value: impl Fn(&T) -> (f64, f64)) -> Estimate {
    let values: Vec<(f64, f64)> = all.iter().map(value).collect();
    let moments: fiesta::core::Moments = values.iter().map(|&(mean, _)| mean).collect();
    Estimate {
        mean: moments.mean(),
        standard_error: match values[..] {
            [(_, standard_error)] => standard_error,
            _ => moments.standard_error().unwrap_or(0.0),
        },
    }
}
