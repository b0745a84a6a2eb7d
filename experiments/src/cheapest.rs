//! Studies that name the cheapest arm that is good enough: how often the named arm is false, and what they cost.

use crate::{
    Failure,
    answers::{Answers, normal},
    output::{Estimate, Runs},
};
use fiesta_core::{Arms, Ask, Design, Event, Limits, Observe, Outcome, Policy, Reason, Selector};
use fiesta_policies::{
    Cheapest, Uniform,
    stopping::{CheapestWithin, SAME_COST},
};
use fiesta_posterior::{Paired, Pool};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments cheapest`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments cheapest --runs 1000 --seed 11
  experiments cheapest --runs 1000 --seed 11 --items 400")]
pub(crate) struct Arguments {
    /// Number of items, in place of splits
    #[arg(long)]
    items: Option<u64>,
    #[command(flatten)]
    each: Runs,
}

/// Confidence of the studies.
const LEVEL: f64 = 0.95;
/// Distance below the best that is good enough, in standard deviations of a paired difference.
const WITHIN: f64 = 0.5;
/// Standard deviation of a paired difference of answers to an item, about.
const SD_OF_ITEMS: f64 = 0.5;
/// Share of the items on which the best arm is right.
const RIGHT: f64 = 0.7;
/// Most evaluations for each arm.
const MOST: u64 = 150;

/// A kind of studies: arms with their distances below the best and their mean costs.
struct Kind {
    name: &'static str,
    /// Distance below the best, in standard deviations of a paired difference, and mean cost.
    arms: fn(&mut ChaCha8Rng) -> Vec<(f64, f64)>,
    /// Standard deviation of the logarithm of a cost.
    spread: f64,
}

/// Three arms of which the middle one is this far within the distance, or beyond if below 0.
fn three(inside: f64) -> Vec<(f64, f64)> {
    vec![(0.0, 5.0), (WITHIN - inside, 1.0), (2.0, 0.2)]
}

/// Two arms that are good enough, of which the second costs this part of the first.
fn two(part: f64) -> Vec<(f64, f64)> {
    vec![(0.0, 1.0), (0.1, part)]
}

/// Arms at random, none nearer to the boundaries than .2 standard deviations and 5 % of the cost.
fn random(arms: usize, rng: &mut ChaCha8Rng) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 3.0)];
    while all.len() < arms {
        let below: f64 = rng.random_range(0.0..2.0);
        if (below - WITHIN).abs() >= 0.2 {
            all.push((below, 0.0));
        }
    }
    for (place, arm) in all.iter_mut().enumerate() {
        arm.1 =
            3.0 * 0.75_f64.powi(i32::try_from(place).unwrap_or(0)) * rng.random_range(0.96..1.04);
    }
    let mut costs: Vec<f64> = all.iter().map(|arm| arm.1).collect();
    costs.shuffle(rng);
    all.into_iter()
        .zip(costs)
        .map(|((below, _), cost)| (below, cost))
        .collect()
}

const fn kind(
    name: &'static str,
    arms: fn(&mut ChaCha8Rng) -> Vec<(f64, f64)>,
    spread: f64,
) -> Kind {
    Kind { name, arms, spread }
}

const KINDS: [Kind; 11] = [
    kind("at the distance", |_| three(0.0), 0.5),
    kind(".2 sd within", |_| three(0.2), 0.5),
    kind(".2 sd beyond", |_| three(-0.2), 0.5),
    kind(".4 sd within", |_| three(0.4), 0.5),
    kind(".4 sd beyond", |_| three(-0.4), 0.5),
    kind("costs 10 % apart", |_| two(0.9), 0.5),
    kind("costs 30 % apart", |_| two(0.7), 0.5),
    kind("costs 30 % apart, sd of log 1", |_| two(0.7), 1.0),
    kind("costs equal", |_| two(1.0), 0.5),
    kind("8 at random", |rng| random(8, rng), 0.5),
    kind("8 at random, prices", |rng| random(8, rng), 0.0),
];

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    kind: &'static str,
    evaluations: Estimate,
    cost: Estimate,
    /// Cost of the policy `uniform` beside that of the policy, of the studies that both decide.
    uniform: f64,
    wrong: Estimate,
    wrong_of_uniform: Estimate,
    open: f64,
    open_of_uniform: f64,
    runs: u64,
}

/// Result of one study.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    evaluations: f64,
    cost: f64,
    is_wrong: bool,
    is_open: bool,
}

/// A made-up study.
struct World {
    arms: Vec<(f64, f64)>,
    /// Distance that is good enough, and the true mean of each arm.
    within: f64,
    means: Vec<f64>,
    spread: f64,
    answers: Answers,
    items: Option<u64>,
    rng: ChaCha8Rng,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for kind in &KINDS {
        let row = row(arguments, kind)?;
        eprintln!("{row:?}");
        rows.push(row);
    }
    let columns = [
        ("<arms", "{kind}"),
        ("evaluations", "{evaluations:.0}"),
        ("cost", "{cost:.1}"),
        ("cost of uniform", "{uniform:.2}"),
        ("wrong, %", "{wrong:%1}"),
        ("uniform", "{wrong_of_uniform:%1}"),
        ("open, %", "{open:%1}"),
        ("uniform", "{open_of_uniform:%1}"),
        ("studies", "{runs}"),
    ];
    let items = arguments.items.map(|items| format!("-{items}"));
    let section = format!("cheapest{}", items.unwrap_or_default());
    arguments.each.output.show_rows(&section, &rows, &columns)
}

fn row(arguments: &Arguments, kind: &Kind) -> Result<Row, Failure> {
    let runs = arguments.each.number;
    let study = |run: u64| -> Result<[End; 2], Failure> {
        let study = |is_uniform| {
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
            rng.set_stream(run);
            World::new(kind, arguments.items, rng).study(is_uniform, run)
        };
        Ok([study(false)?, study(true)?])
    };
    let ends = (0..runs).into_par_iter().map(study);
    let ends: Vec<[End; 2]> = ends.collect::<Result<_, _>>()?;
    let share = |of: &dyn Fn(&[End; 2]) -> bool| {
        ends.iter().filter(|ends| of(ends)).count() as f64 / runs as f64
    };
    let both = ends
        .iter()
        .filter(|ends| !ends.iter().any(|end| end.is_open));
    let cost = |at: usize| both.clone().map(|ends| ends[at].cost).sum::<f64>();
    Ok(Row {
        kind: kind.name,
        evaluations: ends.iter().map(|ends| ends[0].evaluations).collect(),
        cost: ends.iter().map(|ends| ends[0].cost).collect(),
        uniform: cost(1) / cost(0),
        wrong: Estimate::share(share(&|ends| ends[0].is_wrong), runs),
        wrong_of_uniform: Estimate::share(share(&|ends| ends[1].is_wrong), runs),
        open: share(&|ends| ends[0].is_open),
        open_of_uniform: share(&|ends| ends[1].is_open),
        runs,
    })
}

impl World {
    fn new(kind: &Kind, items: Option<u64>, mut rng: ChaCha8Rng) -> Self {
        let arms = (kind.arms)(&mut rng);
        let below = arms.iter().map(|(below, _)| below);
        // On items a tenth of the distances, in standard deviations: means are between 0 and 1.
        let unit = SD_OF_ITEMS * 0.1;
        let (within, means, answers) = match items {
            None => {
                let means: Vec<f64> = below.map(|below| -below).collect();
                (WITHIN, means.clone(), Answers::on_splits(means))
            }
            Some(items) => {
                let count = items as f64;
                let right = below.map(|below| ((RIGHT - below * unit) * count).round());
                let right: Vec<f64> = right.collect();
                let answers = Answers::on_items(items, &right, &mut rng);
                let means = right.iter().map(|right| right / count);
                (WITHIN * unit, means.collect(), answers)
            }
        };
        Self {
            within,
            means,
            spread: kind.spread,
            answers,
            items,
            arms,
            rng,
        }
    }

    fn study(mut self, is_uniform: bool, seed: u64) -> Result<End, Failure> {
        let count = self.arms.len();
        let rule = CheapestWithin::new(LEVEL, self.within)?;
        let (posterior, design): (Box<dyn Observe<f64>>, _) = match self.items {
            Some(items) => (
                Box::new(Pool::new(count, items)),
                Design::Items { count: items },
            ),
            None => (Box::new(Paired::new(count)), Design::Shared),
        };
        let policy: Box<dyn Policy> = if is_uniform {
            Box::new(Uniform)
        } else {
            Box::new(Cheapest::within(self.within))
        };
        let arms = Arms::new((0..count).map(|arm| format!("arm {arm}")))?;
        // Costs that do not vary are prices, which are known.
        let price = |arm: &(f64, f64)| (self.spread == 0.0).then_some(arm.1);
        let declared: Vec<Option<f64>> = self.arms.iter().map(price).collect();
        let most = self.items.unwrap_or(MOST) * count as u64;
        let mut selector = Selector::builder(arms, posterior, policy, rule)
            .design(design)
            .limits(Limits {
                evaluations: Some(most),
                ..Limits::default()
            })
            .expected_costs(declared)
            .seed(seed)
            .unconfirmed()
            .build()?;
        let mut spent = 0.0;
        loop {
            match selector.ask()? {
                Ask::Evaluate(e) => {
                    let arm = e.arm.index();
                    let score = self.answers.score(e.case.split, arm, &mut self.rng);
                    let spread = self.spread;
                    let skew = (spread * normal(&mut self.rng) - spread * spread / 2.0).exp();
                    let cost = self.arms[arm].1 * skew;
                    spent += cost;
                    selector.tell(Event::Ended {
                        id: e.id,
                        outcome: Outcome::Observed(score),
                        cost,
                    })?;
                }
                Ask::Wait => unreachable!("nothing is pending"),
                Ask::Finished(conclusion) => {
                    let is_open = !matches!(conclusion.reason, Reason::CheapestWithin { .. });
                    return Ok(End {
                        evaluations: conclusion.evaluations as f64,
                        cost: spent,
                        is_wrong: !is_open && !self.is_answer(conclusion.arm.index()),
                        is_open,
                    });
                }
            }
        }
    }

    /// Returns whether an arm is good enough, and no other such arm is clearly cheaper.
    fn is_answer(&self, arm: usize) -> bool {
        let best = self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_near = |arm: usize| self.means[arm] >= best - self.within - 1e-9;
        let most = self.arms[arm].1 * (1.0 - SAME_COST);
        is_near(arm)
            && !(0..self.arms.len()).any(|other| is_near(other) && self.arms[other].1 < most)
    }
}
