//! Evaluations and errors on every single pool, recorded or drawn from a family.

mod family;

use crate::{
    Failure,
    makers::pool_rules,
    output::{Estimate, Output},
    pools::{OfArm, Ranks, Varying, read},
};
pub(crate) use family::{Family, Kind};
use fiesta_core::Design;
use fiesta_policies::{
    PoolPolicy,
    simulate::{Problem, RecordedItems, Simulation, SimulationSummary},
};
use fiesta_posterior::Pool;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `experiments pool-families`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments pool-families --family core:10x500:0.95:1:tied,grid:10x500:0.95:1:tied --pools 3
  experiments pool-families math_l5_items.csv --ranks 4-15,8-12 --runs 1000
  experiments pool-families --fresh 60 --seed 77")]
pub(crate) struct Arguments {
    /// A file with the answer of every arm to every item, between 0 and 1
    #[arg(value_name = "ANSWERS")]
    answers: Option<PathBuf>,
    /// Arms of the file by their ranks over the pool: all, or a range such as 4-15
    #[arg(
        long,
        value_name = "RANKS,…",
        value_delimiter = ',',
        requires = "answers"
    )]
    ranks: Vec<Ranks>,
    /// Families of made-up pools to measure
    #[arg(long, value_name = "KIND:KxN:MEAN:GAP:RIVALS,…", value_delimiter = ',')]
    family: Vec<Family>,
    /// Number of families drawn at random that are measured as well
    #[arg(long, value_name = "N", default_value_t = 0)]
    fresh: u64,
    /// Number of pools of each family
    #[arg(long, value_name = "N", default_value_t = 2)]
    pools: u64,
    /// Number of runs of each pool; at most 300 for more than 20 arms
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Number of repeated runs of a pool that erred more often than promised by over two standard errors
    #[arg(long, value_name = "RUNS", default_value_t = 4000)]
    again: u64,
    /// Confidences at which runs stop
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        default_value = "0.95,0.9,0.8"
    )]
    confidence: Vec<f64>,
    /// Distance below the best arm at which the named arm may be
    #[arg(long, default_value_t = 0.0)]
    tolerance: f64,
    /// Share of the variance of an arm's answers that is within items, as answers vary when asked again
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    varying: f64,
    /// The seed of the families, the pools and the runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Evaluations and errors of the runs on one pool.
#[derive(Debug, Clone, Serialize)]
struct Row {
    pool: String,
    cells: u64,
    runs: u64,
    /// Numbers of evaluations at each confidence.
    evaluations: Vec<Estimate>,
    wrong: Vec<Estimate>,
    /// The share of runs that ended at a tie.
    tied: Vec<f64>,
    /// Whether an error rate of the shown runs is above δ by more than two standard errors.
    exceeds: bool,
    /// Whether these are the repeated runs of a pool whose first runs erred too often.
    again: bool,
    /// Cells of the table's row as people read them.
    shown: Shown,
}

#[derive(Debug, Clone, Default, Serialize)]
struct Shown {
    evaluations: String,
    wrong: String,
    note: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    if let Some(file) = &arguments.answers {
        let arms = read(file)?;
        for ranks in &arguments.ranks {
            let (name, chosen) = ranks.choose(&arms)?;
            rows.push(by_itself(arguments, &name, chosen, arguments.seed)?);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    let fresh = (0..arguments.fresh).map(|_| Family::random(&mut rng));
    let families: Vec<Family> = arguments.family.iter().copied().chain(fresh).collect();
    for (number, family) in (0_u64..).zip(&families) {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed.wrapping_add(number << 20));
        for pool in 0..arguments.pools {
            let arms = family.pool(&mut rng);
            let name = format!("{family} #{}", pool + 1);
            let seed = arguments
                .seed
                .wrapping_add(number << 20)
                .wrapping_add(pool << 10);
            rows.push(by_itself(arguments, &name, &arms, seed)?);
        }
    }
    let (again, exceeding) = (
        rows.iter().filter(|row| row.again).count(),
        rows.iter().filter(|row| row.exceeds).count(),
    );
    let columns = [
        ("<pool", "{pool}"),
        ("cells", "{cells}"),
        ("evaluations", "{shown.evaluations}"),
        ("wrong, %", "{shown.wrong}"),
        ("runs", "{runs}"),
        ("<", "{shown.note}"),
    ];
    let pooled: Vec<String> = (0..arguments.confidence.len())
        .map(|place| {
            let sum: f64 = rows.iter().map(|row| row.wrong[place].mean).sum();
            format!("{:.2}", 100.0 * sum / rows.len().max(1) as f64)
        })
        .collect();
    eprintln!(
        "{} pools; {again} were run again; {exceeding} exceed δ by more than two standard errors after that; wrong in {} % in the mean over pools",
        rows.len(),
        pooled.join(" / ")
    );
    arguments
        .output
        .show_rows("pools-by-themselves", &rows, &columns)
}

/// Returns the row of one pool, of repeated runs if the first ones err too often.
fn by_itself(arguments: &Arguments, name: &str, arms: &[OfArm], seed: u64) -> Result<Row, Failure> {
    let runs = if arms.len() > 20 {
        arguments.runs.min(300)
    } else {
        arguments.runs
    };
    let row = row(arguments, name, arms, runs, seed)?;
    if !row.exceeds || arguments.again == 0 {
        eprintln!("{name}: {} {}", row.shown.evaluations, row.shown.wrong);
        return Ok(row);
    }
    let fresh = self::row(
        arguments,
        name,
        arms,
        arguments.again,
        seed.wrapping_add(1 << 40),
    )?;
    eprintln!(
        "{name}: {} {}, again {}",
        row.shown.evaluations, row.shown.wrong, fresh.shown.wrong
    );
    let note = format!(
        "again, after {}{}",
        row.shown.wrong,
        if fresh.exceeds { "; EXCEEDS" } else { "" }
    );
    Ok(Row {
        again: true,
        shown: Shown {
            note,
            ..fresh.shown
        },
        ..fresh
    })
}

fn row(
    arguments: &Arguments,
    name: &str,
    arms: &[OfArm],
    runs: u64,
    seed: u64,
) -> Result<Row, Failure> {
    let distances = (arguments.tolerance, arguments.varying);
    let summaries = simulate(arms, &arguments.confidence, distances, runs, seed)?;
    let evaluations: Vec<Estimate> = summaries.iter().map(Estimate::evaluations).collect();
    let wrong: Vec<Estimate> = summaries.iter().map(Estimate::wrong).collect();
    let joined = |of: &[Estimate], scale: f64, digits: usize| {
        let texts = of
            .iter()
            .map(|one| format!("{:.digits$}", scale * one.mean));
        texts.collect::<Vec<_>>().join(" / ")
    };
    let over = |(wrong, level): (&Estimate, &f64)| {
        wrong.mean > 1.0 - level + 2.0 * wrong.standard_error + 1e-9
    };
    Ok(Row {
        pool: name.to_owned(),
        cells: arms.iter().map(|(_, answers)| answers.len() as u64).sum(),
        runs,
        tied: summaries
            .iter()
            .map(|one| one.tied as f64 / one.runs as f64)
            .collect(),
        exceeds: wrong.iter().zip(&arguments.confidence).any(over),
        again: false,
        shown: Shown {
            evaluations: joined(&evaluations, 1.0, 0),
            wrong: joined(&wrong, 100.0, 1),
            note: String::new(),
        },
        evaluations,
        wrong,
    })
}

/// Simulates runs of the policy `pool` under a posterior of the pool, to each confidence. An arm
/// within `tolerance` of the best is right, and `varying` is the share of the variance within items.
pub(crate) fn simulate(
    arms: &[OfArm],
    levels: &[f64],
    (tolerance, varying): (f64, f64),
    runs: u64,
    seed: u64,
) -> Result<Vec<SimulationSummary>, Failure> {
    let recorded = RecordedItems::of_scores(arms.iter().cloned())?;
    let items = recorded.items();
    let rules = pool_rules("posterior", levels, tolerance, (arms.len(), items))?;
    let simulate = |problem: &dyn Problem, design: Design, repeats: bool| {
        let simulation = Simulation::new(problem, runs)
            .design(design)
            .seed(seed)
            .repeats(repeats);
        let simulation = if repeats {
            simulation.cap(10 * items * arms.len() as u64)
        } else {
            simulation
        };
        let make = |arms: usize| {
            let pool = Pool::new(arms, items);
            if repeats { pool.repeating() } else { pool }
        };
        simulation.confidence(make, PoolPolicy::default, &rules)
    };
    let design = recorded.design();
    if varying > 0.0 {
        let scale = Varying::new(&recorded, arms, varying).scale();
        let recorded = recorded.within(tolerance / scale);
        let problem = Varying::new(&recorded, arms, varying);
        return Ok(simulate(&problem, design, true)?);
    }
    let problem = recorded.within(tolerance);
    Ok(simulate(&problem, design, false)?)
}
