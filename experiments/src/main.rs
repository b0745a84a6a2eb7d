//! The program `experiments`, which measures the papers' experiments and a battery beside published
//! figures.

mod answers;
mod battery;
mod benchmarks;
mod cheapest;
mod confirm;
mod coverage;
mod fiesta;
mod gate;
mod haffari;
mod like_these;
mod makers;
mod means;
mod measures;
mod minimum;
mod output;
mod pool_families;
mod pools;
mod show_your_work;
mod splits;
mod top;
mod worst;

use clap::{Parser, Subcommand};
use std::{error::Error, process::ExitCode};

/// Error of an experiment, with a message that says what is wrong and where.
type Failure = Box<dyn Error + Send + Sync>;

/// The papers' experiments and a battery of hard problems: measured figures beside published ones.
#[derive(Debug, Parser)]
#[command(
    name = "experiments",
    max_term_width = 100,
    after_help = "\
With -o each table replaces the section of a document that is marked for it, dated:
  experiments haffari -o docs/haffari.md
  experiments fiesta tdsa_macro_f1.csv --seed 1 -o docs/reproduction.md
  experiments show-your-work -o docs/show-your-work.md --figures docs/figures
  experiments battery --policy ttts --posterior pooled -o docs/battery.md"
)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Moss, Moore, Leslie & Rayson, ACL 2019: sequential halving, top-two Thompson sampling,
    /// batches
    Fiesta(fiesta::Arguments),
    /// Haffari, Tran & Carman, EACL 2017: Thompson sampling over F-measures of documents, beside
    /// classical tests
    Haffari(haffari::Arguments),
    /// Dodge, Gururangan, Card, Schwartz & Smith, EMNLP 2019: expected validation performance
    /// against budget
    ShowYourWork(show_your_work::Arguments),
    /// Policies, posteriors and stopping rules on a battery of hard problems
    Battery(battery::Arguments),
    /// Coverage of intervals and statements at the stop of studies that decide when to stop
    Coverage(coverage::Arguments),
    /// The cost of the evaluations that the default stop waits for, policy by policy
    Minimum(minimum::Arguments),
    /// Selection on item pools: evaluations and errors on recorded answers
    Pools(pools::Arguments),
    /// Evaluations and errors on single item pools, recorded and of made-up families
    PoolFamilies(pool_families::Arguments),
    /// Calibration of verdicts on items like these: of answers that exist, and of studies
    LikeThese(like_these::Arguments),
    /// Error rates and items of gates: may a new version replace an old one?
    Gate(gate::Arguments),
    /// Calibration of P(best) on the weighted mean of several benchmarks
    Benchmarks(benchmarks::Arguments),
    /// Searches whose best settings are confirmed: winners worse than the default, and the optimism
    Confirm(confirm::Arguments),
    /// Error rates and evaluations of studies that name the best three of twelve arms
    Top(top::Arguments),
    /// How often studies name a false cheapest arm that is good enough, and what they cost
    Cheapest(cheapest::Arguments),
    /// How often one of several equal arms is named on few splits, by the size of what splits do to all arms
    Splits(splits::Arguments),
    /// Calibration of P(best) from tables of means with their spread, beside raw scores
    Means(means::Arguments),
    /// Calibration of answers about measures: the cheapest that is good enough, limits of means
    Measures(measures::Arguments),
    /// A random search for the problem on which a stop or a gate errs most often
    Worst(worst::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().experiment {
        Experiment::Fiesta(arguments) => fiesta::run(&arguments),
        Experiment::Haffari(arguments) => haffari::run(&arguments),
        Experiment::ShowYourWork(arguments) => show_your_work::run(&arguments),
        Experiment::Battery(arguments) => battery::run(&arguments),
        Experiment::Coverage(arguments) => coverage::run(&arguments),
        Experiment::Minimum(arguments) => minimum::run(&arguments),
        Experiment::Pools(arguments) => pools::run(&arguments),
        Experiment::PoolFamilies(arguments) => pool_families::run(&arguments),
        Experiment::LikeThese(arguments) => like_these::run(&arguments),
        Experiment::Gate(arguments) => gate::run(&arguments),
        Experiment::Benchmarks(arguments) => benchmarks::run(&arguments),
        Experiment::Confirm(arguments) => confirm::run(&arguments),
        Experiment::Top(arguments) => top::run(&arguments),
        Experiment::Cheapest(arguments) => cheapest::run(&arguments),
        Experiment::Splits(arguments) => splits::run(&arguments),
        Experiment::Means(arguments) => means::run(&arguments),
        Experiment::Measures(arguments) => measures::run(&arguments),
        Experiment::Worst(arguments) => worst::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
