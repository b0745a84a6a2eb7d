//! Few splits: how often one of several equal arms is named.

use crate::{Failure, output::Runs};
use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::Paired;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Binomial, Distribution, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments splits`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments splits --runs 1000
  experiments splits --runs 1000 --splits 3 --arms 2 --draws 2000")]
pub(crate) struct Arguments {
    /// Measure only these numbers of splits
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [3, 4, 8, 16, 32])]
    splits: Vec<u64>,
    /// Measure only these numbers of arms
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_values_t = [2, 3])]
    arms: Vec<usize>,
    /// Number of draws of a belief
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(16..))]
    draws: u32,
    #[command(flatten)]
    each: Runs,
}

/// Levels at which an arm may be named.
const LEVELS: [f64; 3] = [0.9, 0.95, 0.99];

/// How scores come about.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// Normal scores with splits' effects of the first standard deviation, rounded to the second, in standard deviations
    /// of a score given its split. 0: not rounded.
    Rounded(f64, f64),
    /// Shares of right answers to this many questions of a split, of which each arm answers four fifths by itself.
    Questions(u64),
}

/// Families of the rows.
const FAMILIES: [Family; 7] = [
    Family::Rounded(0.0, 0.0),
    Family::Rounded(0.0, 2.0),
    Family::Rounded(1.0, 0.0),
    Family::Rounded(3.0, 0.0),
    Family::Rounded(3.0, 2.0),
    Family::Questions(5),
    Family::Questions(20),
];

impl Family {
    fn name(self) -> String {
        match self {
            Self::Rounded(effects, 0.0) => format!("effects of splits {effects} sd"),
            Self::Rounded(effects, step) => {
                format!("effects of splits {effects} sd, rounded to {step} sd")
            }
            Self::Questions(questions) => {
                format!("{questions} questions a split, no effects of splits")
            }
        }
    }

    /// Draws the scores of all arms on a split.
    fn draw(self, arms: usize, offset: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
        match self {
            Self::Rounded(effects, step) => {
                let effect = effects * normal(rng);
                let exact = std::iter::repeat_with(|| offset + effect + normal(rng)).take(arms);
                let rounded = |x: f64| {
                    if step > 0.0 {
                        (x / step).round() * step
                    } else {
                        x
                    }
                };
                exact.map(rounded).collect()
            }
            Self::Questions(questions) => {
                let right = Binomial::new(questions, 0.8).ok();
                let mut share = || {
                    let of_all = right.map_or(0, |right| right.sample(rng));
                    of_all as f64 / questions as f64
                };
                std::iter::repeat_with(&mut share).take(arms).collect()
            }
        }
    }
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    arms: usize,
    splits: u64,
    family: String,
    /// The share of tables in which some arm has at least each level.
    named: [f64; 3],
    /// The standard error of the share at .95.
    error: f64,
    runs: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for &arms in &arguments.arms {
        for &splits in &arguments.splits {
            for family in FAMILIES {
                rows.push(row(arguments, arms, splits, family)?);
            }
        }
    }
    let columns = [
        ("arms", "{arms}"),
        ("splits", "{splits}"),
        ("<scores", "{family}"),
        ("named at .9", "{named.0:%1}"),
        (".95", "{named.1:%1}"),
        ("±", "{error:%1}"),
        (".99", "{named.2:%1}"),
        ("tables", "{runs}"),
    ];
    let output = &arguments.each.output;
    output.show_rows("splits", &rows, &columns)
}

fn row(arguments: &Arguments, arms: usize, splits: u64, family: Family) -> Result<Row, Failure> {
    let runs = arguments.each.number;
    let largest = |run: u64| -> Result<f64, Failure> {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
        rng.set_stream(run);
        let offset = 100.0 * rng.random::<f64>();
        let mut posterior = Paired::new(arms).draws(arguments.draws as usize);
        for split in 0..splits {
            let case = Case { split, seed: 0 };
            for (arm, score) in family.draw(arms, offset, &mut rng).into_iter().enumerate() {
                posterior.observe(ArmId::new(arm), case, score)?;
            }
        }
        let all: Vec<ArmId> = (0..arms).map(ArmId::new).collect();
        let belief = posterior.belief(&all);
        Ok(all.iter().map(|&arm| belief.of(arm)).fold(0.0, f64::max))
    };
    let largest = (0..runs).into_par_iter().map(largest);
    let largest: Vec<f64> = largest.collect::<Result<_, _>>()?;
    let named = LEVELS.map(|level| {
        let named = largest.iter().filter(|&&probability| probability >= level);
        named.count() as f64 / runs as f64
    });
    Ok(Row {
        arms,
        splits,
        family: family.name(),
        named,
        error: (named[1] * (1.0 - named[1]) / runs as f64).sqrt(),
        runs,
    })
}
