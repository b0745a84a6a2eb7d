//! Calibration of verdicts on items like these: of answers that exist, and of studies.

mod populations;
mod studies;

use crate::{Failure, makers, output::Output};
use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::{Differences, Pool};
use populations::{ALL, BOUNDS, Population};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments like-these`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments like-these --runs 20000
  experiments like-these --arms 5 --items 20,200
  experiments like-these --studies --runs 1000")]
pub(crate) struct Arguments {
    /// Measure studies that stop by themselves, in place of answers that exist
    #[arg(long)]
    studies: bool,
    /// Number of runs of each row and gap
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Measure only samples of N items
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    items: Vec<u64>,
    /// Number of arms that have answers, all but the first alike
    #[arg(long, default_value_t = 2, conflicts_with = "studies", value_parser = clap::value_parser!(u8).range(2..=100))]
    arms: u8,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Numbers of items of a sample by default.
const ITEMS: [u64; 7] = [5, 8, 20, 85, 200, 500, 2000];
/// Gaps of the two arms, in standard errors.
const GAPS: [f64; 7] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];
/// Levels at which an arm may be named.
const LEVELS: [f64; 4] = [0.8, 0.9, 0.95, 0.99];
/// Ranges of P(best) in which right verdicts are counted.
const BINS: [(f64, f64); 3] = [(0.8, 0.9), (0.9, 0.95), (0.95, 0.99)];

/// A row of the table of answers that exist.
#[derive(Debug, Serialize)]
struct Row {
    population: String,
    items: u64,
    /// The share of runs in which a wrong arm has at least each level, at the worst gap.
    wrong: [f64; 4],
    /// The share of right verdicts in each bin of P(best), for gaps uniform between 0 and 4
    /// standard errors.
    right: [Option<f64>; 3],
    /// The share of runs whose verdict comes with a line that the number may not be believed.
    told: f64,
    runs: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.studies {
        return studies::run(arguments);
    }
    let items = makers::or(&arguments.items, &ITEMS);
    let rows = ALL
        .iter()
        .flat_map(|&of| items.iter().map(move |&n| (of, n)));
    let rows: Vec<Row> = rows
        .enumerate()
        .map(|(place, (of, items))| row(arguments, of, items, place as u64))
        .collect();
    let columns = [
        ("<differences", "{population}"),
        ("items", "{items}"),
        ("wrong at .8", "{wrong.0:%1}"),
        (".9", "{wrong.1:%1}"),
        (".95", "{wrong.2:%1}"),
        (".99", "{wrong.3:%1}"),
        ("right at 80–90", "{right.0:%1}"),
        ("90–95", "{right.1:%1}"),
        ("95–99", "{right.2:%1}"),
        ("told", "{told:%0}"),
    ];
    arguments.output.show_rows("like-these", &rows, &columns)
}

fn row(arguments: &Arguments, of: Population, items: u64, place: u64) -> Row {
    let error = of.deviation() / (items as f64).sqrt();
    let stream = |gap: u64, run: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream((place << 40) + (gap << 32) + run);
        rng
    };
    // P(best) of the best arm and the greatest of another, and whether that is told not to be
    // believed.
    let believe = |gap: f64, rng: &mut ChaCha8Rng| {
        let arms: Vec<ArmId> = ArmId::all(usize::from(arguments.arms)).collect();
        let mut answers = vec![0.0; arms.len()];
        let range = BOUNDS.1 - BOUNDS.0;
        let mut differences = Differences::default();
        let pool = Pool::new(arms.len(), items).bounded(BOUNDS.0, BOUNDS.1);
        let mut pool = pool.expect("bounds").like_these();
        for split in 0..items {
            of.draw(gap * error, &mut answers, rng);
            differences.add((answers[0] - answers[1]) / range);
            for (&arm, &answer) in arms.iter().zip(&answers).filter(|_| arms.len() > 2) {
                let case = Case { split, seed: 0 };
                pool.observe(arm, case, answer).expect("an answer");
            }
        }
        let is_skewed = differences.are_few_and_skewed();
        if arms.len() == 2 {
            let p = differences.better();
            return (p, 1.0 - p, is_skewed);
        }
        let belief = pool.belief(&arms);
        let others = arms[1..].iter().map(|&arm| belief.of(arm));
        (belief.of(arms[0]), others.fold(0.0, f64::max), is_skewed)
    };
    let mut wrong = [0.0_f64; 4];
    let mut told = 0.0;
    let possible = |gap: f64| gap * error <= of.most();
    for (number, &gap) in (0..).zip(&GAPS).filter(|(_, gap)| possible(**gap)) {
        let (counts, skewed) = (0..arguments.runs)
            .into_par_iter()
            .map(|run| {
                let (_, wrong, is_skewed) = believe(gap, &mut stream(number, run));
                let at = |level: f64| u64::from(wrong >= level);
                (LEVELS.map(at), u64::from(is_skewed))
            })
            .reduce(
                || ([0; 4], 0),
                |(a, s), (b, t)| ([0, 1, 2, 3].map(|at| a[at] + b[at]), s + t),
            );
        for (wrong, count) in wrong.iter_mut().zip(counts) {
            *wrong = wrong.max(count as f64 / arguments.runs as f64);
        }
        told = skewed as f64 / arguments.runs as f64;
    }
    let said = (0..2 * arguments.runs)
        .into_par_iter()
        .map(|run| {
            let mut rng = stream(GAPS.len() as u64, run);
            let most = (of.most() / error).min(4.0);
            let gap = rng.random::<f64>() * most;
            let (p, other, _) = believe(gap, &mut rng);
            BINS.map(|(low, high)| {
                let is_in = |p: f64| u64::from(low <= p && p < high);
                [is_in(p), is_in(other)]
            })
        })
        .reduce(
            || [[0; 2]; 3],
            |a, b| [0, 1, 2].map(|bin| [0, 1].map(|way| a[bin][way] + b[bin][way])),
        );
    Row {
        population: of.name(),
        items,
        wrong,
        right: said.map(|[right, wrong]| {
            let all = right + wrong;
            (all >= 100).then(|| right as f64 / all as f64)
        }),
        told,
        runs: arguments.runs,
    }
}
