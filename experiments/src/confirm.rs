//! Random searches and the studies that confirm their best settings: how often the winner is worse than
//! the default, and whether the printed optimism is unbiased.

use crate::{
    Failure, makers,
    output::{Estimate, Runs},
};
use fiesta_core::{ArmId, Arms, Ask, Design, Event, Limits, Moments, Outcome, Selector};
use fiesta_policies::{Opening, TopTwo, stopping::PosteriorThreshold};
use fiesta_posterior as posterior;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments confirm`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments confirm --runs 1000 --posterior pooled
  experiments confirm --runs 200 -o docs/decisions/confirm.md")]
pub(crate) struct Arguments {
    /// Posterior of the studies; `paired:2000` is the default one with 2,000 draws
    #[arg(long, value_name = "NAME", default_value = posterior::DEFAULT)]
    posterior: String,
    #[command(flatten)]
    each: Runs,
}

/// Number of settings of a search, and of the best ones that are confirmed.
const SETTINGS: usize = 50;
const TOP: usize = 8;
/// Number of hyperparameters, each between 0 and 1.
const DIMENSIONS: usize = 3;
/// The mean at the best setting, and the loss of a squared distance of 1 from it.
const SURFACE: (f64, f64) = (0.85, 0.15);

/// A kind of searches: its name, the standard deviation of each hyperparameter of the default around the
/// best setting, and those of a score between splits and between seeds.
const KINDS: [(&str, f64, [f64; 2]); 3] = [
    ("poor default", 0.3, [0.006, 0.008]),
    ("poor default, noisy", 0.3, [0.012, 0.016]),
    ("good default", 0.15, [0.006, 0.008]),
];

/// Results of one search and the study of its best settings.
struct Run {
    /// Whether the search's winner, and the recommended arm, have a worse mean than the default.
    worse: [bool; 2],
    /// How far the means of the search's winner and of the recommended arm are below the best possible.
    lost: [f64; 2],
    /// By how much the search overstated its winner.
    optimism: f64,
    /// Errors of the optimism that is printed, and of one from all evaluations of the winner.
    errors: [f64; 2],
    evaluations: f64,
}

/// Results of the searches of one kind: a row of the table.
#[derive(Debug, Serialize)]
struct Row {
    kind: &'static str,
    worse_before: Estimate,
    worse_after: Estimate,
    lost_before: Estimate,
    lost_after: Estimate,
    optimism: Estimate,
    error: Estimate,
    error_of_all: Estimate,
    evaluations: Estimate,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let rows = KINDS.iter().enumerate().map(|(place, kind)| {
        let runs = (0..arguments.each.number).into_par_iter();
        let runs = runs.map(|run| {
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
            rng.set_stream(((place as u64) << 40) + run);
            search(arguments, kind.1, kind.2, &mut rng)
        });
        let runs: Vec<Run> = runs.collect::<Result<_, _>>()?;
        Ok(row(kind.0, &runs))
    });
    let rows: Vec<Row> = rows.collect::<Result<_, Failure>>()?;
    let columns = [
        ("<searches", "{kind}"),
        ("worse than the default, %: winner", "{worse_before:%1}"),
        ("confirmed", "{worse_after:%1}"),
        ("below the best, %: winner", "{lost_before:%2}"),
        ("confirmed ", "{lost_after:%2}"),
        ("evaluations", "{evaluations:.0}"),
        ("optimism, %", "{optimism:%2}"),
        ("printed less true, %", "{error:%3}"),
        ("by all evaluations less true, %", "{error_of_all:%3}"),
    ];
    arguments.each.output.show_rows("confirm", &rows, &columns)
}

fn row(kind: &'static str, runs: &[Run]) -> Row {
    let mean = |of: &dyn Fn(&Run) -> f64| {
        let all: Moments = runs.iter().map(of).collect();
        Estimate {
            mean: all.mean(),
            standard_error: all.standard_error().unwrap_or_default(),
        }
    };
    let share = |place: usize| {
        let count = runs.iter().filter(|run| run.worse[place]).count();
        Estimate::share(count as f64 / runs.len() as f64, runs.len() as u64)
    };
    Row {
        kind,
        worse_before: share(0),
        worse_after: share(1),
        lost_before: mean(&|run| run.lost[0]),
        lost_after: mean(&|run| run.lost[1]),
        optimism: mean(&|run| run.optimism),
        error: mean(&|run| run.errors[0]),
        error_of_all: mean(&|run| run.errors[1]),
        evaluations: mean(&|run| run.evaluations),
    }
}

/// Makes one search on one split, and the study of its best settings and the default on other splits.
fn search(
    arguments: &Arguments,
    offset: f64,
    sd: [f64; 2],
    rng: &mut ChaCha8Rng,
) -> Result<Run, Failure> {
    let best: [f64; DIMENSIONS] = std::array::from_fn(|_| rng.random_range(0.25..0.75));
    let mean = |setting: &[f64; DIMENSIONS]| {
        let distances = setting
            .iter()
            .zip(&best)
            .map(|(x, best)| (x - best).powi(2));
        SURFACE.0 - SURFACE.1 * distances.sum::<f64>()
    };
    let default = best.map(|x| x + offset * normal(rng));
    let split = sd[0] * normal(rng);
    let mut tried: Vec<(f64, f64)> = (0..SETTINGS)
        .map(|_| {
            let setting = std::array::from_fn(|_| rng.random_range(0.0..1.0));
            let mean = mean(&setting);
            (mean + split + sd[1] * normal(rng), mean)
        })
        .collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (score, winner) = tried[0];
    let mut means: Vec<f64> = tried[..TOP].iter().map(|(_, mean)| *mean).collect();
    means.push(mean(&default));
    let (scores, chosen, evaluations) = confirm(arguments, &means, sd, rng)?;
    let optimism = score - winner;
    let first: Moments = { scores.iter().take(FIRST) }.copied().collect();
    let all: Moments = scores.into_iter().collect();
    let chosen = means[chosen.index()];
    Ok(Run {
        worse: [winner < means[TOP], chosen < means[TOP]],
        lost: [SURFACE.0 - winner, SURFACE.0 - chosen],
        optimism,
        errors: [&first, &all].map(|own| score - own.mean() - optimism),
        evaluations: evaluations as f64,
    })
}

/// Number of evaluations of the winner with which the search's score is compared, as `fiesta confirm`
/// writes it.
const FIRST: usize = 8;

/// Runs a study of arms with these means as `fiesta confirm` writes it. Returns the scores of the first
/// arm, which is the search's winner, the recommended arm, and the number of evaluations.
fn confirm(
    arguments: &Arguments,
    means: &[f64],
    sd: [f64; 2],
    rng: &mut ChaCha8Rng,
) -> Result<(Vec<f64>, ArmId, u64), Failure> {
    let arms = Arms::new((0..means.len()).map(|arm| arm.to_string()))?;
    let believed = makers::posterior(&arguments.posterior, means.len())?;
    let policy = Opening::new(TopTwo::ttps(), ArmId::new(0), FIRST as u64);
    let limits = Limits {
        evaluations: Some(Limits::CAP_PER_ARM * means.len() as u64),
        ..Limits::default()
    };
    let rule = PosteriorThreshold::new(0.95)?;
    let mut selector = Selector::builder(arms, believed, policy, rule)
        .design(Design::Shared)
        .limits(limits)
        .seed(rng.random())
        .build()?;
    let (mut splits, mut scores) = (Vec::new(), Vec::new());
    loop {
        let evaluation = match selector.ask()? {
            Ask::Evaluate(evaluation) => evaluation,
            Ask::Finished(end) => return Ok((scores, end.arm, end.evaluations)),
            Ask::Wait => return Err("a study without running evaluations waits".into()),
        };
        let split = usize::try_from(evaluation.case.split)?;
        while splits.len() <= split {
            splits.push(sd[0] * normal(rng));
        }
        let arm = evaluation.arm;
        let score = means[arm.index()] + splits[split] + sd[1] * normal(rng);
        if arm == ArmId::new(0) {
            scores.push(score);
        }
        selector.tell(Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(score),
            cost: 1.0,
        })?;
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}
