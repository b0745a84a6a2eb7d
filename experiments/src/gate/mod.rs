//! Error rates and items of gates, beside single stakes and a test with a fixed number of items.

mod constraints;
mod data;
mod recorded;

use crate::{
    Failure,
    output::{Estimate, Output},
};
use data::MARGIN;
pub(crate) use data::{Kind, Truth};
use fiesta_core::{ArmId, Moments};
use fiesta_policies::gate::{Answer, Evidence, Gate};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `experiments gate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments gate --only '1000 items, 6 %' --runs 2000
  experiments gate --only '1000 items' --arms 6
  experiments gate --constraints
  experiments gate --pool math_l5_items.csv,alpaca_eval2_items.csv --runs 200")]
pub(crate) struct Arguments {
    /// Measure only the kinds of differences whose name contains one of these
    #[arg(long, value_name = "TEXT;…", value_delimiter = ';')]
    only: Vec<String>,
    /// Gates of neighbours in rank of these files of answers, a column for each arm, in place of drawn
    /// differences
    #[arg(long, value_name = "FILE,…", value_delimiter = ',', conflicts_with_all = ["only", "arms", "single"])]
    pool: Vec<PathBuf>,
    /// Gates whose versions are as good as the baseline, and that have a constraint on a measure
    #[arg(long, conflicts_with_all = ["only", "pool", "single"])]
    constraints: bool,
    /// Number of arms of a gate, the baseline included
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=64))]
    arms: u32,
    /// Error rate α of the gates
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Number of gates of each kind
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Number of gates that are tried with every single stake as well (two arms only)
    #[arg(long, default_value_t = 500)]
    single: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Single stakes among which the best one in hindsight is found.
const STAKES: [f64; 14] = [
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.55, 0.65, 0.75, 0.9, 0.98,
];
/// The standard normal quantile for the test with a fixed number of items, at the default error rate of .05.
const QUANTILE: f64 = 1.644_853_626_951_472_7;

/// How one gate ended.
struct End {
    shipped: bool,
    blocked: bool,
    undecided: bool,
    items: u64,
    /// Answer of a test after half of the differences about the first version.
    fixed: Answer,
}

/// Results of gates on one kind of differences: a row of the table.
#[derive(Debug, Serialize)]
struct Row {
    differences: String,
    truth: &'static str,
    arms: u32,
    /// The shares of gates in which any version ships, is blocked, remains undecided.
    shipped: Estimate,
    blocked: Estimate,
    undecided: Estimate,
    /// Median number of items that the baseline is asked.
    median: u64,
    mean: Estimate,
    /// The least median of a single stake, that stake, and the gate's median in its unit.
    single: Option<u64>,
    stake: Option<f64>,
    ratio: Option<f64>,
    fixed_shipped: f64,
    fixed_blocked: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.pool.is_empty() {
        return recorded::run(arguments, &arguments.pool);
    }
    if arguments.constraints {
        return constraints::run(arguments);
    }
    let chosen = |kind: &Kind| {
        let of = |text: &String| kind.words().contains(text.as_str());
        arguments.only.is_empty() || arguments.only.iter().any(of)
    };
    let mut rows = Vec::new();
    for kind in kinds().into_iter().filter(chosen) {
        for truth in Truth::ALL {
            rows.push(row(arguments, kind, truth)?);
        }
        eprintln!("{}", kind.words());
    }
    let columns = [
        ("<differences", "{differences}"),
        ("<new version", "{truth}"),
        ("arms", "{arms}"),
        ("ships, %", "{shipped:%2}"),
        ("blocked, %", "{blocked:%2}"),
        ("undecided, %", "{undecided:%1}"),
        ("items, median", "{median}"),
        ("mean", "{mean:.0}"),
        ("single stake, median", "{single}"),
        ("at", "{stake}"),
        ("ratio", "{ratio:.2}"),
        ("half of the items: ships, %", "{fixed_shipped:%1}"),
        ("blocked, %", "{fixed_blocked:%1}"),
    ];
    arguments.output.show_rows("gate", &rows, &columns)
}

fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for items in [50, 200, 1000, 5000] {
        kinds.extend([0.01, 0.06, 0.2, 0.4].map(|differ| Kind::Answers { items, differ }));
        kinds.extend([0.05, 0.1, 0.2, 0.3].map(|sd| Kind::Graded { items, sd }));
    }
    kinds.extend([0.06, 0.2].map(|differ| Kind::Repeats { differ }));
    kinds.extend([0.02, 0.05].map(|sd| Kind::Gaussian { sd }));
    kinds.push(Kind::Skewed);
    kinds
}

/// Makes evidence for differences of this kind, before the first difference.
fn evidence(kind: Kind) -> Result<Evidence, Failure> {
    let bounds = (-1.0, 1.0);
    Ok(match kind {
        Kind::Answers { items, .. } => {
            Evidence::of_pool(items as u64, bounds, -MARGIN)?.in_steps_of(1.0)
        }
        Kind::Graded { items, .. } => Evidence::of_pool(items as u64, bounds, -MARGIN)?,
        Kind::Repeats { .. } | Kind::Skewed => Evidence::without_end(bounds, -MARGIN)?,
        Kind::Gaussian { .. } => Evidence::gaussian(-MARGIN)?,
    })
}

fn row(arguments: &Arguments, kind: Kind, truth: Truth) -> Result<Row, Failure> {
    let empty = evidence(kind)?;
    let arms = arguments.arms as usize;
    let baseline = ArmId::all(arms).next().expect("there are two arms or more");
    let gate = Gate::new(arms, baseline, empty.clone(), arguments.alpha)?;
    let drawn = |run: u64| drawn(kind, truth, arms - 1, arguments.seed, run);
    let end = |run: u64| match &drawn(run)[..] {
        [alone] => end_of_one(empty.clone(), alone, kind, arguments.alpha),
        versions => end(gate.clone(), versions, kind),
    };
    let ends: Vec<End> = (0..arguments.runs).into_par_iter().map(end).collect();
    let single = (arms == 2 && !matches!(kind, Kind::Gaussian { .. })).then(|| {
        let tried = 0..arguments.single.min(arguments.runs);
        let drawn: Vec<Vec<f64>> = tried.map(|run| drawn(run).remove(0)).collect();
        let of = |stake: &f64| {
            let empty = empty.clone().with_constant_stake(*stake);
            let counts = drawn.par_iter();
            let counts = counts.map(|d| decided_after(empty.clone(), d, arguments.alpha));
            (median(counts.collect()), *stake)
        };
        let medians = STAKES.iter().map(of);
        let best = medians.reduce(|best, other| if other.0 < best.0 { other } else { best });
        let own = drawn
            .iter()
            .map(|d| decided_after(empty.clone(), d, arguments.alpha));
        (best.expect("there are stakes"), median(own.collect()))
    });
    let share = |of: fn(&End) -> bool| {
        let count = ends.iter().filter(|end| of(end)).count();
        Estimate::share(count as f64 / ends.len() as f64, arguments.runs)
    };
    Ok(Row {
        differences: kind.words(),
        truth: truth.words(),
        arms: arguments.arms,
        shipped: share(|end| end.shipped),
        blocked: share(|end| end.blocked),
        undecided: share(|end| end.undecided),
        median: median(ends.iter().map(|end| end.items).collect()),
        mean: ends.iter().map(|end| end.items as f64).collect(),
        single: single.map(|((median, _), _)| median),
        stake: single.map(|((_, stake), _)| stake),
        ratio: single.map(|((median, _), own)| own as f64 / median as f64),
        fixed_shipped: share(|end| end.fixed == Answer::Ships).mean,
        fixed_blocked: share(|end| end.fixed == Answer::Blocked).mean,
    })
}

/// Draws the differences of `versions` new versions, for one run.
fn drawn(kind: Kind, truth: Truth, versions: usize, seed: u64, run: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(run);
    (0..versions).map(|_| kind.draw(truth, &mut rng)).collect()
}

/// Returns the share of gates of one new version that answer wrongly: it ships at the margin, or is
/// blocked above it.
pub(crate) fn wrong(
    kind: Kind,
    truth: Truth,
    alpha: f64,
    runs: u64,
    seed: u64,
) -> Result<Estimate, Failure> {
    let empty = evidence(kind)?;
    let is_wrong = |&run: &u64| {
        let differences = drawn(kind, truth, 1, seed, run).remove(0);
        let end = end_of_one(empty.clone(), &differences, kind, alpha);
        match truth {
            Truth::AtMargin => end.shipped,
            _ => end.blocked,
        }
    };
    let wrong = (0..runs).into_par_iter().filter(is_wrong).count();
    Ok(Estimate::share(wrong as f64 / runs as f64, runs))
}

/// Runs one gate to its end. The baseline scores 0, and a version its difference.
fn end(mut gate: Gate, versions: &[Vec<f64>], kind: Kind) -> End {
    let mut items = 0;
    let mut left: Vec<_> = versions.iter().map(|version| version.iter()).collect();
    for item in 0..kind.count() as u64 {
        let asked: Vec<ArmId> = gate.undecided().collect();
        if asked.is_empty() {
            break;
        }
        items += 1;
        gate.score(gate.baseline(), item, 0.0);
        for arm in asked {
            if let Some(difference) = left[arm.index() - 1].next() {
                gate.score(arm, item, *difference);
            }
        }
    }
    let arms = ArmId::all(versions.len() + 1).skip(1);
    let answers: Vec<Answer> = arms.map(|arm| gate.answer(arm)).collect();
    End {
        shipped: answers.contains(&Answer::Ships),
        blocked: answers.contains(&Answer::Blocked),
        undecided: answers.contains(&Answer::Undecided),
        items,
        fixed: fixed(&versions[0], kind),
    }
}

/// Runs a gate of one new version to its end, by its evidence alone.
fn end_of_one(mut evidence: Evidence, differences: &[f64], kind: Kind, alpha: f64) -> End {
    let answer = decide(&mut evidence, differences, alpha);
    End {
        shipped: answer == Answer::Ships,
        blocked: answer == Answer::Blocked,
        undecided: answer == Answer::Undecided,
        items: evidence.count(),
        fixed: fixed(differences, kind),
    }
}

/// Takes differences into account until evidence shows an answer, and returns the answer.
fn decide(evidence: &mut Evidence, differences: &[f64], alpha: f64) -> Answer {
    for difference in differences {
        evidence.push(*difference);
        if evidence.answer(alpha) != Answer::Undecided {
            break;
        }
    }
    evidence.answer(alpha)
}

/// Returns the number of differences after which evidence decides.
fn decided_after(mut evidence: Evidence, differences: &[f64], alpha: f64) -> u64 {
    decide(&mut evidence, differences, alpha);
    evidence.count()
}

/// Returns the answer of one test at 5 % after half of the differences: their mean over its
/// standard error, which for right and wrong answers is at least the one at the margin.
fn fixed(differences: &[f64], kind: Kind) -> Answer {
    let half = differences.len() / 2;
    let seen: Moments = differences[..half].iter().copied().collect();
    let count = half as f64;
    let least = match kind {
        Kind::Answers { .. } | Kind::Repeats { .. } => MARGIN - MARGIN * MARGIN,
        _ => 0.0,
    };
    let of_pool = matches!(kind, Kind::Answers { .. } | Kind::Graded { .. });
    let left = if of_pool { 0.5 } else { 1.0 };
    let variance = (seen.squares() / (count - 1.0)).max(least) * left / count;
    match (seen.mean() + MARGIN) / variance.sqrt() {
        z if z > QUANTILE => Answer::Ships,
        z if z < -QUANTILE => Answer::Blocked,
        _ => Answer::Undecided,
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that every pool has the mean difference that it is said to have.
    #[test]
    fn pools_lie_where_they_are_said_to() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for kind in kinds() {
            for (truth, mean) in Truth::ALL.into_iter().zip([-0.02, -0.02, 0.0, 0.02]) {
                let drawn = kind.draw(truth, &mut rng);
                let found = drawn.iter().sum::<f64>() / drawn.len() as f64;
                let off = found - mean;
                let near = match (kind, truth) {
                    (Kind::Answers { items, .. }, Truth::JustAbove) => 1.0 / items as f64,
                    (Kind::Graded { .. }, Truth::JustAbove) => 0.001,
                    (Kind::Answers { .. } | Kind::Graded { .. }, _) => 0.0,
                    // Four standard errors of the mean of splits and of repeats.
                    _ => 0.04,
                };
                let within = if near < 0.04 {
                    (off - near).abs() < 1e-9
                } else {
                    off.abs() < near
                };
                assert!(within, "{kind:?} {truth:?} {found}");
            }
        }
    }
}
