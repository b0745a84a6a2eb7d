//! Calibration of P(best) on the weighted mean of several benchmarks, and the time that it takes.

mod studies;

use crate::{Failure, makers, output::Output};
use fiesta_core::{ArmId, Case, Direction, Observe, Posterior};
use fiesta_posterior::{Benchmarks, Pool};
use fiesta_records::{Evaluations, Record};
use fiesta_report::analysis::belief::{BeliefRequest, BenchmarkRecords, BenchmarkWeights};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;
use std::{path::PathBuf, time::Instant};

/// The arguments of `experiments benchmarks`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments benchmarks --runs 1000
  experiments benchmarks --runs 1000 --these-items
  experiments benchmarks --runs 1000 --graded --arms 5 --benchmarks 3
  experiments benchmarks --studies --runs 1000 --prices 8
  experiments benchmarks --studies --runs 300 --prices 8 --pool math_l5_items.csv
  experiments benchmarks --time")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Arguments {
    /// Ask for the best arm on these items, of which each benchmark has a part answered, in place
    /// of items like these
    #[arg(long)]
    these_items: bool,
    /// Differences of several sizes, in place of right and wrong answers
    #[arg(long)]
    graded: bool,
    /// Number of runs of each row and gap
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Number of arms, all but the first alike
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=20))]
    arms: u8,
    /// Measure only these numbers of benchmarks
    #[arg(long, value_name = "B,…", value_delimiter = ',')]
    benchmarks: Vec<u64>,
    /// Simulate studies that ask after every answer, in place of complete files
    #[arg(long, conflicts_with_all = ["these_items", "time"])]
    studies: bool,
    /// Recorded pools for studies, each cut into benchmarks by the difficulty of its items: the arms are neighbours in rank
    #[arg(
        long,
        value_name = "FILE,…",
        value_delimiter = ',',
        requires = "studies"
    )]
    pool: Vec<PathBuf>,
    /// Greatest price of an answer of a benchmark of studies, log-uniform from 1
    #[arg(long, value_name = "PRICE", default_value_t = 1.0)]
    prices: f64,
    /// Measure the time of a belief about 40 arms on 8 benchmarks with 312 items each
    #[arg(long)]
    time: bool,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Numbers of benchmarks by default.
const NUMBERS: [u64; 4] = [2, 3, 5, 10];
/// Greatest weight of a benchmark beside the least.
const RATIOS: [f64; 3] = [1.0, 5.0, 20.0];
/// Gaps of the first arm and the others, in standard errors of the sum.
const GAPS: [f64; 7] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];
/// Levels at which an arm may be named.
const LEVELS: [f64; 4] = [0.8, 0.9, 0.95, 0.99];
/// Share of the items on which the first arm is right.
const RIGHT: f64 = 0.6;

/// Sizes and weights of a row.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// Benchmarks with 50 to 3000 items and weights from 1 to a ratio, log-uniform.
    Random { number: u64, ratio: f64 },
    /// Fifty items at weight 20 beside 3000 at 1.
    Uneven,
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    /// The share of runs in which an arm that is not the best has at least each level, at the
    /// worst gap.
    wrong: [f64; 4],
    /// The share of such runs over gaps uniform between 0 and 4 standard errors.
    over_all: [f64; 4],
    /// The share of right verdicts among those at .95 or more, over all gaps.
    right: Option<f64>,
    runs: u64,
}

/// One benchmark of a run: its items, its weight, and the chances that the first arm alone or
/// another alone is right.
struct OfRun {
    items: u64,
    weight: f64,
    sides: [f64; 2],
}

impl OfRun {
    /// Draws an arm's answer to an item, to which the first arm gives the answer `first`.
    fn answer(&self, arm: usize, first: f64, is_graded: bool, rng: &mut ChaCha8Rng) -> f64 {
        let chance = if first > 0.5 {
            self.sides[0] / RIGHT
        } else {
            self.sides[1] / (1.0 - RIGHT)
        };
        let differs = arm > 0 && rng.random_bool(chance.min(1.0));
        let size = if is_graded {
            // A mean of .55 in sizes of .1 to 1 keeps the gap in proportion.
            f64::from(rng.random_range(1..=10)) / 10.0
        } else {
            1.0
        };
        let towards = if first > 0.5 { -size } else { size };
        if differs { first + towards } else { first }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.time {
        return time(arguments);
    }
    if arguments.studies {
        return studies::run(arguments);
    }
    let rows: Vec<Row> = (0..)
        .zip(families(arguments))
        .map(|(place, family)| row(arguments, family, place))
        .collect();
    let columns = [
        ("<benchmarks", "{family}"),
        ("wrong at .8", "{wrong.0:%1}"),
        (".9", "{wrong.1:%1}"),
        (".95", "{wrong.2:%1}"),
        (".99", "{wrong.3:%1}"),
        ("over all gaps at .95", "{over_all.2:%1}"),
        ("right of those at .95", "{right:%1}"),
        ("runs a gap", "{runs}"),
    ];
    arguments.output.show_rows("benchmarks", &rows, &columns)
}

/// Returns the families of the rows: random ones of each asked number of benchmarks, and the uneven one.
fn families(arguments: &Arguments) -> impl Iterator<Item = Family> + '_ {
    let numbers = makers::or(&arguments.benchmarks, &NUMBERS);
    let random = numbers.iter().flat_map(|&number| {
        let of = move |ratio| Family::Random { number, ratio };
        RATIOS.map(of)
    });
    random.chain([Family::Uneven])
}

impl Family {
    fn name(self) -> String {
        match self {
            Self::Random { number, ratio } => format!("{number}, weights 1:{ratio:.0}"),
            Self::Uneven => "50 items at 20, 3000 at 1".to_owned(),
        }
    }

    /// Draws the benchmarks of a run, with opposite signs inside and a gap in standard errors.
    fn draw(self, gap: f64, rng: &mut ChaCha8Rng) -> Vec<OfRun> {
        let mut log_uniform = |low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
        let mut sizes: Vec<(f64, f64)> = match self {
            Self::Random { number, ratio } => (0..number)
                .map(|_| (log_uniform(50.0, 3000.0).round(), log_uniform(1.0, ratio)))
                .collect(),
            Self::Uneven => vec![(50.0, 20.0), (3000.0, 1.0)],
        };
        let sum: f64 = sizes.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut sizes {
            *weight /= sum;
        }
        // The share of items that differ, and the difference of the means, of alternating sign.
        let first = rng.random_range(0..2);
        let mut shares: Vec<(f64, f64)> = (0..sizes.len())
            .map(|place| {
                let differing = rng.random_range(0.05..0.4);
                let sign = if (place + first) % 2 == 0 { 1.0 } else { -1.0 };
                (differing, sign * differing * rng.random_range(0.2..0.8))
            })
            .collect();
        let of_sign = |sign: f64| -> f64 {
            let all = sizes.iter().zip(&shares);
            let all = all.map(|((_, weight), (_, mean))| weight * mean * sign);
            all.filter(|part| *part > 0.0).sum()
        };
        let (ahead, behind) = (of_sign(1.0), of_sign(-1.0));
        let least = ahead.min(behind);
        for (_, mean) in &mut shares {
            *mean *= least / if *mean > 0.0 { ahead } else { behind };
        }
        let variance = |(&(items, weight), &(differing, mean)): (&(f64, f64), &(f64, f64))| {
            weight * weight * (differing - mean * mean) / items
        };
        let variance: f64 = sizes.iter().zip(&shares).map(variance).sum();
        let reach: f64 = { sizes.iter().zip(&shares) }
            .map(|(s, share)| s.1 * share.0)
            .sum();
        // The gap is in proportion to the items that differ; no benchmark has more than all of them.
        let shift = (gap * variance.sqrt() / reach).min(0.2);
        let of = |((items, weight), (differing, mean)): ((f64, f64), (f64, f64))| {
            let mean = mean + shift * differing;
            OfRun {
                items: fiesta_core::whole_u64(items),
                weight,
                sides: [0.5 * (differing + mean), 0.5 * (differing - mean)],
            }
        };
        sizes.into_iter().zip(shares).map(of).collect()
    }
}

/// Returns for each level whether an arm that is not the best has it, and whether the best has .95.
fn verdict(arguments: &Arguments, all: &[OfRun], rng: &mut ChaCha8Rng) -> ([u64; 4], u64) {
    let arms: Vec<ArmId> = ArmId::all(usize::from(arguments.arms)).collect();
    let mut posterior = Benchmarks::new(arms.len());
    let mut truth = vec![0.0; arms.len()];
    for of in all {
        let mut pool = Pool::new(arms.len(), of.items);
        let share = if arguments.these_items {
            // One in three is counted out.
            if rng.random_range(0..3) == 0 {
                1.0
            } else {
                rng.random_range(0.1..0.9)
            }
        } else {
            pool = pool.like_these();
            1.0
        };
        let known = (share * of.items as f64).ceil().max(3.0);
        for item in 0..of.items {
            let first = f64::from(u8::from(rng.random_bool(RIGHT)));
            for (arm, truth) in arms.iter().zip(&mut truth) {
                let answer = of.answer(arm.index(), first, arguments.graded, rng);
                *truth += of.weight * answer / of.items as f64;
                if (item as f64) < known {
                    let case = Case {
                        split: item,
                        seed: 0,
                    };
                    pool.observe(*arm, case, answer)
                        .expect("an answer within the bounds");
                }
            }
        }
        posterior = posterior.pool(of.weight, pool);
    }
    if !arguments.these_items {
        // On items like these, the first arm is not worse than the others, which are equal.
        truth = arms
            .iter()
            .map(|arm| f64::from(u8::from(arm.index() == 0)))
            .collect();
    }
    let best = truth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let belief = posterior.belief(&arms);
    let (mut wrong, mut right) = (0.0_f64, 0.0_f64);
    for (arm, truth) in arms.iter().zip(truth) {
        let p = belief.of(*arm);
        if truth > best - 1e-9 {
            right = right.max(p);
        } else {
            wrong = wrong.max(p);
        }
    }
    (
        LEVELS.map(|level| u64::from(wrong >= level)),
        u64::from(right >= LEVELS[2]),
    )
}

fn row(arguments: &Arguments, family: Family, place: u64) -> Row {
    let stream = |gap: u64, run: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream((place << 40) + (gap << 32) + run);
        rng
    };
    let runs = arguments.runs as f64;
    let (mut wrong, mut right) = ([0.0_f64; 4], 0.0);
    let mut at_gap = Vec::new();
    for (number, &gap) in (0..).zip(&GAPS) {
        let (counts, of_right) = (0..arguments.runs)
            .into_par_iter()
            .map(|run| {
                let mut rng = stream(number, run);
                let all = family.draw(gap, &mut rng);
                verdict(arguments, &all, &mut rng)
            })
            .reduce(
                || ([0; 4], 0),
                |(a, r), (b, s)| ([0, 1, 2, 3].map(|at| a[at] + b[at]), r + s),
            );
        let shares = counts.map(|count| count as f64 / runs);
        for (wrong, share) in wrong.iter_mut().zip(shares) {
            *wrong = wrong.max(share);
        }
        at_gap.push((gap, shares, of_right as f64 / runs));
    }
    // Gaps uniform between 0 and 4, by the trapezoidal rule.
    let mut over_all = [0.0; 4];
    for pair in at_gap.windows(2) {
        let weight = (pair[1].0 - pair[0].0) / 4.0;
        for (at, sum) in over_all.iter_mut().enumerate() {
            *sum += weight * f64::midpoint(pair[0].1[at], pair[1].1[at]);
        }
        right += weight * f64::midpoint(pair[0].2, pair[1].2);
    }
    let named = right + over_all[2];
    Row {
        family: family.name(),
        wrong,
        over_all,
        right: (named > 0.0).then(|| right / named),
        runs: arguments.runs,
    }
}

/// Measures a belief about 40 arms on 8 benchmarks with 312 items each: 10⁵ answers.
fn time(arguments: &Arguments) -> Result<(), Failure> {
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    let benchmark = |number: u64| -> Result<BenchmarkRecords, Failure> {
        let mut records = Evaluations::new("accuracy")?;
        for item in 0..312 {
            let split = Some(records.item(&format!("q{item}"))?);
            let level: f64 = rng.random();
            for arm in 0..40_u32 {
                let right = level + 0.6 * rng.random::<f64>() < 0.9 + 0.004 * f64::from(arm);
                let name = format!("model{arm}");
                let score = f64::from(u8::from(right));
                records.push(Record {
                    split,
                    ..Record::new(name.as_str(), score)
                })?;
            }
        }
        Ok(BenchmarkRecords {
            name: format!("task{number}"),
            records,
            direction: Direction::Maximize,
        })
    };
    let benchmarks: Vec<BenchmarkRecords> = (0..8).map(benchmark).collect::<Result<_, _>>()?;
    for _ in 0..5 {
        let all = benchmarks.clone();
        let began = Instant::now();
        let weights = BenchmarkWeights::Equal;
        let report = BeliefRequest::default().of_benchmarks(all, &weights, &[], "made up")?;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{seconds:.2} s for 40 arms on 8 benchmarks: {}",
            report.in_short()
        );
    }
    Ok(())
}
