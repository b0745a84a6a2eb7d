//! `fiesta battery`: policies, posteriors and stopping rules on every family of the battery.

mod cells;
mod show;

use super::{exit::Code, exit::Failure, print, say};
use cells::{Cell, Method};
use fiesta::{
    core::Design,
    policies::{
        PolicyError,
        simulate::{
            Durations,
            battery::{Family, battery},
        },
    },
    posterior,
    report::{Align, Table},
};
use std::time::Instant;

/// The arguments of `fiesta battery`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta battery --list
  fiesta battery --runs 300
  fiesta battery --family best-noisiest,t3 --policy ttts,uniform --confidence 0.95,0.8
  fiesta battery --posterior pooled,jeffreys --runs 2000 --format markdown > battery.md")]
pub(super) struct Arguments {
    /// Only these families (default: all)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    family: Vec<String>,
    /// The policies; NAME:TIE-BREAK for another tie-break, for example t3c:cost-aware. What auto is depends on the
    /// stopping rule
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "auto"
    )]
    policy: Vec<String>,
    /// The posteriors
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = posterior::DEFAULT
    )]
    posterior: Vec<String>,
    /// The stopping rules
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "posterior"
    )]
    stopping: Vec<String>,
    /// The confidences
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        default_value = "0.95"
    )]
    confidence: Vec<f64>,
    /// Evaluations in flight at once
    #[arg(long, value_name = "W,…", value_delimiter = ',', default_value = "1,8", value_parser = clap::value_parser!(u32).range(1..))]
    parallel: Vec<u32>,
    /// How long evaluations take: constant, exponential, high-late or high-early (default: constant one at a time, else
    /// exponential)
    #[arg(long, value_name = "KIND")]
    durations: Option<Durations>,
    /// How many runs of each
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also what the best allocation would cost, which knows the means, and the lower bound; without it only where costs
    /// differ
    #[arg(long)]
    oracle: bool,
    /// Print the families and what they are
    #[arg(long)]
    list: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For documents.
    Markdown,
    /// One JSON document on standard output, and nothing else there.
    Json,
}

pub(super) fn run(arguments: &Arguments) -> Result<Code, Failure> {
    let families = families(&arguments.family)?;
    if arguments.list {
        list(&families, arguments.format)?;
        return Ok(Code::Done);
    }
    check(arguments)?;
    let cells = measure(arguments, &families);
    match arguments.format {
        Format::Json => print(show::document(arguments, &families, &cells))?,
        Format::Text | Format::Markdown => show::tables(arguments, &families, &cells)?,
    }
    Ok(Code::Done)
}

fn families(names: &[String]) -> Result<Vec<Family>, Failure> {
    let all = battery();
    for name in names {
        if all.iter().all(|family| family.name != name) {
            return Err(Failure::Usage(format!(
                "there is no family `{name}`: `fiesta battery --list` prints their names"
            )));
        }
    }
    let wanted = |family: &Family| names.is_empty() || names.iter().any(|name| name == family.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Names that exist for no family are refused; what fails on one family is that cell's result.
fn check(arguments: &Arguments) -> Result<(), Failure> {
    for name in &arguments.posterior {
        posterior::by_name(name, 2)?;
    }
    for stopping in &arguments.stopping {
        for &level in &arguments.confidence {
            cells::rule(stopping, level, 2, Design::default())?;
        }
        for name in &arguments.policy {
            match cells::policy(&cells::own_name(name, stopping), 2, 1) {
                // That it does not fit is the cell's result.
                Ok(_) | Err(Failure::Policy(PolicyError::NoBudget(_))) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Every combination of what was asked for, each once: two names may stand for the same policy.
fn methods(arguments: &Arguments) -> Vec<Method<'_>> {
    let mut methods = Vec::new();
    for &parallel in &arguments.parallel {
        for policy in &arguments.policy {
            for posterior in &arguments.posterior {
                for stopping in &arguments.stopping {
                    let method = Method {
                        policy: cells::own_name(policy, stopping),
                        posterior,
                        stopping,
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

/// All cells, family by family; says on standard error how far it is.
fn measure(arguments: &Arguments, families: &[Family]) -> Vec<Cell> {
    let methods = methods(arguments);
    let all = families.len() * methods.len();
    let mut cells = Vec::new();
    for (index, family) in families.iter().enumerate() {
        for (place, method) in methods.iter().enumerate() {
            let began = Instant::now();
            cells.extend(cells::cells(arguments, index, family, method));
            say(format_args!(
                "{}/{all}: {}, {} with {} and {}, {} at once: {:.1} s",
                index * methods.len() + place + 1,
                family.name,
                method.policy,
                method.posterior,
                method.stopping,
                method.parallel,
                began.elapsed().as_secs_f64()
            ));
        }
    }
    cells
}

fn list(families: &[Family], format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        return print(show::families(families));
    }
    let mut table = Table::new([
        ("family", Align::Left),
        ("arms", Align::Right),
        ("splits", Align::Left),
        ("gap", Align::Right),
        ("must hold", Align::Left),
        ("", Align::Left),
    ]);
    for family in families {
        table.row(
            [
                family.name.to_owned(),
                family.problem.members().len().to_string(),
                show::design(family).to_owned(),
                show::gap(family),
                (if family.must_hold() { "yes" } else { "" }).to_owned(),
                family.about.to_owned(),
            ],
            false,
        );
    }
    print(match format {
        Format::Markdown => table.markdown(),
        Format::Text | Format::Json => table.text(),
    })?;
    print(
        "gap: of the closest rival, in standard deviations of the difference between one evaluation of each",
    )
}
