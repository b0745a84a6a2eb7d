//! Experiment `worst`: a random search for the problem on which a claim errs most often.

mod families;
mod search;

use crate::{
    Failure,
    gate::{self, Kind, Truth},
    output::{Estimate, Output},
    pool_families::{Family, simulate},
};
use clap::ValueEnum;
use families::{Race, between, choice};
use fiesta_core::{whole, whole_u64};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use search::Search;
use serde::Serialize;

/// The arguments of `experiments worst`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments worst --claim anytime,gate
  experiments worst --candidates 40 --generations 6 --again 4000 --seed 1 -o docs/confidence.md")]
pub(crate) struct Arguments {
    /// Claims for which a problem is sought (default: all)
    #[arg(long, value_enum, value_name = "CLAIM,…", value_delimiter = ',')]
    claim: Vec<Claim>,
    /// Number of problems that are measured in a generation
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(4..))]
    candidates: u32,
    /// Number of generations; the worst quarter of each goes on to the next
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    generations: u32,
    /// Number of runs of each problem in a generation
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Number of runs of the worst problem, with other seeds than those of the search
    #[arg(long, value_name = "RUNS", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    again: u64,
    /// Confidence of the claims
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    confidence: f64,
    /// The seed of the search and of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Claims about error rates, with the problems among which each is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Claim {
    /// The default stop, Gaussian scores, the best arm .2 to .6 sd ahead.
    Default,
    /// The default stop with durations that grow or fall with the score, eight evaluations at once.
    Durations,
    /// The default stop with heavy tails, divergences and rounded scores.
    OddScores,
    /// The rule `anytime`, Gaussian scores, ties included.
    Anytime,
    /// The default stop on a pool of items, arms one item apart included.
    Pool,
    /// The gate, a new version at the margin or just above it.
    Gate,
}

impl Claim {
    /// Whether the claim is a guarantee: any problem that breaks it is an error of the program.
    fn is_guarantee(self) -> bool {
        matches!(self, Self::Anytime | Self::Gate)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Default => "default stop, Gaussian scores",
            Self::Durations => "the same, durations by score",
            Self::OddScores => "default stop, odd scores",
            Self::Anytime => "anytime",
            Self::Pool => "pool of items",
            Self::Gate => "gate",
        }
    }
}

/// A problem on which a claim is tried.
enum Problem {
    Race(Race),
    /// A pool of a family, by the seed with which it is drawn.
    Pool(Family, u64),
    Gate(Kind, Truth),
}

/// The worst problem of a claim, measured again: a row of the table.
#[derive(Debug, Serialize)]
struct Row {
    claim: &'static str,
    problem: String,
    runs: u64,
    wrong: Estimate,
    is_broken: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let claims = crate::makers::or(&arguments.claim, Claim::value_variants());
    let rows = claims.iter().map(|&claim| row(arguments, claim));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let columns = [
        ("<claim", "{claim}"),
        ("<worst problem found", "{problem}"),
        ("runs", "{runs}"),
        ("wrong, %", "{wrong:%1}"),
    ];
    arguments.output.show_rows("worst", &rows, &columns)?;
    match rows.iter().find(|row| row.is_broken) {
        None => Ok(()),
        Some(row) => Err(format!(
            "the guarantee of {} is broken: it erred in {:.2} % of {} runs, by more than three standard errors too often, on {}",
            row.claim,
            100.0 * row.wrong.mean,
            row.runs,
            row.problem
        )
        .into()),
    }
}

fn row(arguments: &Arguments, claim: Claim) -> Result<Row, Failure> {
    let search = Search {
        candidates: arguments.candidates as usize,
        generations: arguments.generations,
        runs: arguments.runs,
        seed: arguments.seed,
    };
    let level = arguments.confidence;
    let wrong = |problem: &Problem, runs, seed| match problem {
        Problem::Race(race) => race.wrong(level, runs, seed),
        Problem::Pool(family, pool) => {
            let arms = family.pool(&mut ChaCha8Rng::seed_from_u64(*pool));
            let summaries = simulate(&arms, &[level], (0.0, 0.0), runs, seed)?;
            Ok(Estimate::wrong(&summaries[0]))
        }
        Problem::Gate(kind, truth) => gate::wrong(*kind, *truth, 1.0 - level, runs, seed),
    };
    let worst = search.worst(|genes| problem(claim, genes), wrong)?;
    let wrong = wrong(
        &worst,
        arguments.again,
        arguments.seed.wrapping_add(1 << 40),
    )?;
    let most = 1.0 - level + 3.0 * wrong.standard_error;
    eprintln!("{}: {:.2} %", claim.words(), 100.0 * wrong.mean);
    Ok(Row {
        claim: claim.words(),
        problem: match worst {
            Problem::Race(race) => race.to_string(),
            Problem::Pool(family, pool) => format!("{family} (pool {pool})"),
            Problem::Gate(kind, truth) => format!("{}, {}", kind.words(), truth.words()),
        },
        runs: arguments.again,
        wrong,
        is_broken: claim.is_guarantee() && wrong.mean > most,
    })
}

/// Returns the problem that these numbers from 0 to 1 stand for. `None` if there is none.
fn problem(claim: Claim, genes: &[f64]) -> Option<Problem> {
    match claim {
        Claim::Pool => {
            let kind = choice(
                genes[0],
                <crate::pool_families::Kind as ValueEnum>::value_variants(),
            );
            let (arms, items) = (between(genes[1], 2.0, 20.0), between(genes[2], 60.0, 800.0));
            let mean = between(genes[3], 0.02, 0.98);
            let mean = if genes[4] < 0.5 { 1.0 - mean } else { mean };
            let gap = between(genes[5], 1.0, 8.0);
            let rivals = choice(genes[6], &["tied", "tied", "1", "3", "pair"]);
            let text = format!("{kind}:{arms:.0}x{items:.0}:{mean:.3}:{gap:.0}:{rivals}");
            let family: Family = text.parse().ok()?;
            Some(Problem::Pool(family, whole_u64(genes[7] * 1e6)))
        }
        Claim::Gate => {
            // A pool of a multiple of 50 items can lie at the margin exactly.
            let items = 50 * whole(between(genes[1], 1.0, 60.0));
            let kind = match choice(genes[0], &[0, 0, 1, 1, 2, 3, 4]) {
                0 => Kind::Answers {
                    items,
                    differ: between(genes[2], 0.02, 0.9),
                },
                1 => Kind::Graded {
                    items,
                    sd: between(genes[2], 0.01, 0.5),
                },
                2 => Kind::Repeats {
                    differ: between(genes[2], 0.025, 0.9),
                },
                3 => Kind::Gaussian {
                    sd: between(genes[2], 0.005, 1.0),
                },
                _ => Kind::Skewed,
            };
            let truth = choice(genes[3], &[Truth::AtMargin, Truth::JustAbove]);
            Some(Problem::Gate(kind, truth))
        }
        _ => Race::of(claim, genes).map(Problem::Race),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Tests that most numbers stand for a problem of each claim, and that gates at the margin are
    /// there exactly: to ship would not be wrong above it.
    #[test]
    fn numbers_become_problems_of_the_claim() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for &claim in Claim::value_variants() {
            let mut made = 0;
            for _ in 0..60 {
                let genes: [f64; search::GENES] = std::array::from_fn(|_| rng.random());
                let found = problem(claim, &genes);
                made += usize::from(found.is_some());
                if let Some(Problem::Gate(kind, Truth::AtMargin)) = found
                    && matches!(kind, Kind::Answers { .. } | Kind::Graded { .. })
                {
                    let drawn = kind.draw(Truth::AtMargin, &mut rng);
                    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
                    assert!((mean + 0.02).abs() < 1e-9, "{kind:?}: {mean}");
                }
            }
            assert!(made > 40, "{claim:?}: {made} of 60");
        }
    }
}
