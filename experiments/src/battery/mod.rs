//! Experiment `battery`: policies, posteriors and stopping rules on families of hard problems.

mod cells;
mod tables;

pub(crate) use cells::{error, own_name, policy, rule};

use crate::{
    Failure, makers,
    output::{Output, Section},
};
use cells::{Cell, Method};
use fiesta_core::Design;
use fiesta_policies::{
    PolicyError,
    simulate::battery::{Family, all_families},
};
use fiesta_posterior as posterior;
use serde::Serialize;
use std::time::Instant;

/// The arguments of `experiments battery`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments battery --list
  experiments battery --family best-noisiest,t3 --policy ttts,uniform --confidence 0.95,0.8
  experiments battery --posterior pooled,jeffreys --runs 2000 --format markdown")]
pub(crate) struct Arguments {
    /// Measure only these families of problems (default: all)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    family: Vec<String>,
    /// Policies to measure; NAME:TIE-BREAK for another tie-break, for example t3c:cost-aware. What
    /// auto is depends on the stopping rule
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "auto"
    )]
    policy: Vec<String>,
    /// Posteriors to measure; paired:DRAWS is the posterior paired with this number of draws
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = posterior::DEFAULT)]
    posterior: Vec<String>,
    /// Stopping rules to measure
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "posterior"
    )]
    stopping: Vec<String>,
    /// Confidences at which runs stop
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        default_value = "0.95"
    )]
    confidence: Vec<f64>,
    /// Number of evaluations in flight at once; durations are constant with one at a time, else exponential
    #[arg(long, value_name = "W,…", value_delimiter = ',', default_value = "1,8", value_parser = clap::value_parser!(u32).range(1..))]
    parallel: Vec<u32>,
    /// Number of runs of each method on each family
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also measure the cost of the best allocation, which knows the means; without this flag only
    /// where costs differ
    #[arg(long)]
    oracle: bool,
    /// Print the names and descriptions of the families
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    output: Output,
}

/// A family in the list that `--list` prints.
#[derive(Serialize)]
struct Listed {
    name: String,
    about: &'static str,
    arms: usize,
    splits: Design,
    gap_in_sds: f64,
    must_hold: bool,
    tied: bool,
}

#[derive(Serialize)]
struct Results {
    runs: u64,
    seed: u64,
    families: Vec<Listed>,
    cells: Vec<Cell>,
}

impl Listed {
    fn new(family: &Family) -> Self {
        Self {
            name: family.name.clone(),
            about: family.about,
            arms: family.problem.members().len(),
            splits: family.design,
            gap_in_sds: family.gap_in_sds(),
            must_hold: family.must_hold(),
            tied: family.tied(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let families = families(&arguments.family)?;
    let listed: Vec<Listed> = families.iter().map(Listed::new).collect();
    if arguments.list {
        let section = Section::new("families", tables::listed(&listed)?);
        return arguments.output.show(&listed, &[section]);
    }
    check(arguments)?;
    let cells = measure(arguments, &families);
    let [each, methods] = tables::of_cells(arguments, &families, &cells)?;
    let results = Results {
        runs: arguments.runs,
        seed: arguments.seed,
        families: listed,
        cells,
    };
    let sections = [
        Section::new("cells", each),
        Section::new("methods", methods),
    ];
    arguments.output.show(&results, &sections)
}

/// Returns the families with these names, or all families if no name is given.
pub(crate) fn families(names: &[String]) -> Result<Vec<Family>, Failure> {
    let mut all = all_families();
    for name in names {
        if all.iter().all(|family| family.name != *name) {
            return Err(format!(
                "there is no family `{name}`: `experiments battery --list` prints their names"
            )
            .into());
        }
    }
    all.retain(|family| names.is_empty() || names.contains(&family.name));
    Ok(all)
}

/// Refuses names of posteriors, policies and rules that no family accepts. What fails on one family is that cell's result.
fn check(arguments: &Arguments) -> Result<(), Failure> {
    for name in &arguments.posterior {
        makers::posterior(name, 2)?;
    }
    for stopping in &arguments.stopping {
        for &level in &arguments.confidence {
            cells::rule(stopping, level, 2)?;
        }
        for name in &arguments.policy {
            let built = cells::policy(&cells::own_name(name, stopping), 2, 1);
            // That it needs a budget is the cell's result.
            if let Err(error) = built
                && !matches!(error.downcast_ref(), Some(PolicyError::NoBudget(_)))
            {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Returns every combination of the policies, posteriors and rules of the call, each once: two
/// names may stand for the same policy.
fn methods(arguments: &Arguments) -> Vec<Method> {
    let mut methods = Vec::new();
    for &parallel in &arguments.parallel {
        for policy in &arguments.policy {
            for posterior in &arguments.posterior {
                for stopping in &arguments.stopping {
                    let method = Method {
                        policy: cells::own_name(policy, stopping),
                        posterior: posterior.clone(),
                        stopping: stopping.clone(),
                        parallel,
                    };
                    if !methods.contains(&method) {
                        methods.push(method);
                    }
                }
            }
        }
    }
    methods
}

/// Returns the results of all methods, family by family, and reports progress on standard error.
fn measure(arguments: &Arguments, families: &[Family]) -> Vec<Cell> {
    let methods = methods(arguments);
    let all = families.len() * methods.len();
    let mut cells = Vec::new();
    for (index, family) in families.iter().enumerate() {
        for (place, method) in methods.iter().enumerate() {
            let began = Instant::now();
            cells.extend(cells::cells(arguments, family, method));
            eprintln!(
                "{}/{all}: {}, {} with {} and {}, {} at once: {:.1} s",
                index * methods.len() + place + 1,
                family.name,
                method.policy,
                method.posterior,
                method.stopping,
                method.parallel,
                began.elapsed().as_secs_f64()
            );
        }
    }
    cells
}
