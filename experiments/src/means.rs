//! Calibration of P(best) from tables of means with their spread, beside the calibration from raw scores.

use crate::{Failure, output::Output};
use fiesta_core::{Marginal, Moments};
use fiesta_posterior::{
    NormalInverseGamma,
    best_arm::{TOLERANCE, quadrature},
};
use fiesta_records::{Reading, Summaries, table::Table};
use fiesta_report::analysis::belief::BeliefRequest;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments means`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments means --runs 2000
  experiments means -o docs/decisions/means.md")]
pub(crate) struct Arguments {
    /// Number of tables of each kind
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// The mean of all arms but the first, and the standard deviation of all scores.
const ARMS: (f64, f64) = (0.8, 0.02);
/// The lead of the first arm, in standard errors of a mean.
const GAPS: [f64; 3] = [0.0, 0.5, 1.0];
/// Decimals that a table prints of means and standard deviations.
const DECIMALS: [usize; 2] = [2, 3];
/// The P(best) from which on an arm is named.
const LEVEL: f64 = 0.95;

/// Results on tables of one kind: shares of runs, for each number of decimals and for raw scores.
#[derive(Debug, Serialize)]
struct Row {
    arms: usize,
    n: usize,
    gap: f64,
    /// Shares in which the 95 % interval of the first arm's mean covers the true mean.
    mean: [f64; 3],
    /// Shares in which the 95 % interval of the first arm's lead over the second covers the true lead.
    difference: [f64; 3],
    /// Shares in which an arm is named that is no better than others.
    wrong: [f64; 3],
    /// Share of tables of two decimals that print a spread as 0, and are refused.
    refused: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for arms in [2, 3, 8] {
        for n in [3, 5, 10] {
            for gap in GAPS {
                rows.push(row(arguments, arms, n, gap, rows.len() as u64));
            }
        }
    }
    let columns = [
        ("arms", "{arms}"),
        ("n", "{n}"),
        ("gap", "{gap:.1}"),
        ("mean covered: 2 decimals", "{mean.0:%1}"),
        ("3", "{mean.1:%1}"),
        ("raw", "{mean.2:%1}"),
        ("lead covered: 2", "{difference.0:%1}"),
        ("3 ", "{difference.1:%1}"),
        ("raw ", "{difference.2:%1}"),
        ("wrong: 2", "{wrong.0:%1}"),
        ("3  ", "{wrong.1:%1}"),
        ("raw  ", "{wrong.2:%1}"),
        ("refused: 2", "{refused:%1}"),
    ];
    arguments.output.show_rows("means", &rows, &columns)
}

fn row(arguments: &Arguments, arms: usize, n: usize, gap: f64, place: u64) -> Row {
    let lead = gap * ARMS.1 / (n as f64).sqrt();
    let truth = |arm: usize| if arm == 0 { ARMS.0 + lead } else { ARMS.0 };
    let of_run = |run: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream((place << 40) + run);
        let scores: Vec<Moments> = (0..arms)
            .map(|arm| {
                let normal = Normal::new(truth(arm), ARMS.1).expect("a spread above 0");
                normal.sample_iter(&mut rng).take(n).collect()
            })
            .collect();
        let jeffreys = NormalInverseGamma::jeffreys();
        let raw: Option<Vec<Marginal>> = scores.iter().map(|of| jeffreys.marginal(of)).collect();
        let [two, three] = DECIMALS.map(|decimals| printed(&scores, decimals));
        [two, three, raw].map(|means| Some(judged(&means?, gap, lead)))
    };
    let found: Vec<[Option<[bool; 3]>; 3]> =
        (0..arguments.runs).into_par_iter().map(of_run).collect();
    let share = |source: usize, question: usize| {
        let known: Vec<bool> = found
            .iter()
            .filter_map(|run| Some(run[source]?[question]))
            .collect();
        known.iter().filter(|is_so| **is_so).count() as f64 / known.len() as f64
    };
    let shares = |question: usize| [0, 1, 2].map(|source| share(source, question));
    let refused = found.iter().filter(|run| run[0].is_none()).count();
    Row {
        arms,
        n,
        gap,
        mean: shares(0),
        difference: shares(1),
        wrong: shares(2),
        refused: refused as f64 / arguments.runs as f64,
    }
}

/// Returns the arms' means as read from a table with this number of decimals. `None` if the table is refused.
fn printed(scores: &[Moments], decimals: usize) -> Option<Vec<Marginal>> {
    let mut csv = "arm,accuracy,std,n\n".to_owned();
    for (arm, scores) in scores.iter().enumerate() {
        let (mean, sd) = (scores.mean(), scores.standard_deviation()?);
        let n = scores.count();
        let row = format!("arm{arm},{mean:.decimals$},{sd:.decimals$},{n}\n");
        csv.push_str(&row);
    }
    let table = Table::read(csv.as_bytes(), None, "table").ok()?;
    let means = Summaries::read(&table, &Reading::default(), "table").ok()?;
    BeliefRequest::default().means_of(&means).ok()
}

/// Returns whether the intervals of the first arm's mean and of its lead cover the true ones, and
/// whether an arm is named that is no better than others: any where all are equal, else any but the
/// first.
fn judged(means: &[Marginal], gap: f64, lead: f64) -> [bool; 3] {
    let covers = |known: &Marginal, truth: f64| {
        let (low, high) = known.interval(LEVEL);
        (low..=high).contains(&truth)
    };
    let difference = means[0].minus(&means[1]);
    let belief = quadrature(means, TOLERANCE).expect("distributions of means");
    let mut named = belief.probability.iter().map(|&p| p >= LEVEL);
    let is_first = named.next() == Some(true);
    let is_wrong = named.any(|is_named| is_named) || is_first && gap <= 0.0;
    [
        covers(&means[0], ARMS.0 + lead),
        covers(&difference, lead),
        is_wrong,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a table of nine decimals is as good as its scores, and that one arm that is far
    /// ahead is right.
    #[test]
    fn unrounded_tables_are_scores() {
        let scores: Vec<Moments> = [[0.71, 0.75, 0.72], [0.61, 0.64, 0.60]]
            .iter()
            .map(|scores| scores.iter().copied().collect())
            .collect();
        let known = printed(&scores, 9).unwrap();
        for (known, scores) in known.iter().zip(&scores) {
            let raw = NormalInverseGamma::jeffreys().marginal(scores).unwrap();
            assert!((known.scale - raw.scale).abs() < 1e-8);
        }
        assert_eq!(judged(&known, 1.0, 0.11), [false, true, false]);
        assert!(judged(&known, 0.0, 0.11)[2]);
        assert_eq!(printed(&scores, 1), None);
    }
}
