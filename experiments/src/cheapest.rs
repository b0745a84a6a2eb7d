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
  experiments cheapest --runs 300 --seed 11 --items 300 --right 0.95")]
pub(crate) struct Arguments {
    /// Number of items, in place of splits
    #[arg(long)]
    items: Option<u64>,
    /// Share of the items on which the best arm is right
    #[arg(long, default_value_t = 0.5)]
    right: f64,
    /// Only the rows whose names contain this text
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    each: Runs,
}

/// Confidences of the studies; on splits the first.
const LEVELS: [f64; 2] = [0.95, 0.8];
/// Distance below the best that is good enough, in standard deviations of a paired difference.
const WITHIN: f64 = 0.5;
/// Distance below the best that is good enough, and an easy distance from that boundary, as parts of all items.
const PART: [f64; 2] = [0.025, 0.01];
/// Most evaluations for each arm.
const MOST: u64 = 150;

/// A kind of studies: arms with their distances below the best and their mean costs.
struct Kind {
    name: &'static str,
    /// Distance below the best, and mean cost. Distances are in standard deviations of a paired difference; on items they
    /// are in answers, and the arms follow from the distance that is good enough and from an easy one from that boundary.
    arms: Maker,
    /// Standard deviation of the logarithm of a cost.
    spread: f64,
}

/// Arms with their distances below the best and their mean costs.
type Priced = Vec<(f64, f64)>;

/// Maker of the arms of a study.
enum Maker {
    OnSplits(fn(&mut ChaCha8Rng) -> Priced),
    OnItems(fn([f64; 2], &mut ChaCha8Rng) -> Priced),
}

/// Three arms of which the middle one is this far within the distance, or beyond if below 0.
fn three(inside: f64) -> Priced {
    vec![(0.0, 5.0), (WITHIN - inside, 1.0), (2.0, 0.2)]
}

/// Two arms that are good enough, of which the second costs this part of the first.
fn two(part: f64) -> Priced {
    vec![(0.0, 1.0), (0.1, part)]
}

/// Arms at random up to four times the distance below the best, none as near to the boundary as `clear`, and 5 % of
/// the cost apart.
fn random(arms: usize, [within, clear]: [f64; 2], rng: &mut ChaCha8Rng) -> Priced {
    let mut all = vec![(0.0, 3.0)];
    while all.len() < arms {
        let below: f64 = rng.random_range(0.0..4.0 * within);
        if (below - within).abs() >= clear {
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

const fn kind(name: &'static str, arms: fn(&mut ChaCha8Rng) -> Priced, spread: f64) -> Kind {
    let arms = Maker::OnSplits(arms);
    Kind { name, arms, spread }
}

const fn of_items(name: &'static str, arms: fn([f64; 2], &mut ChaCha8Rng) -> Priced) -> Kind {
    let (arms, spread) = (Maker::OnItems(arms), 0.0);
    Kind { name, arms, spread }
}

/// Studies on items. Costs are known prices; of several arms the best one is the dearest.
const OF_ITEMS: [Kind; 15] = [
    of_items("2 arms, at the distance", |[d, _], _| {
        vec![(0.0, 2.0), (d, 1.0)]
    }),
    of_items("2, an answer within", |[d, _], _| {
        vec![(0.0, 2.0), (d - 1.0, 1.0)]
    }),
    of_items("2, an answer beyond", |[d, _], _| {
        vec![(0.0, 2.0), (d + 1.0, 1.0)]
    }),
    of_items("2, .01 within", |[d, easy], _| {
        vec![(0.0, 2.0), (d - easy, 1.0)]
    }),
    of_items("2, .01 beyond", |[d, easy], _| {
        vec![(0.0, 2.0), (d + easy, 1.0)]
    }),
    of_items("3, at the distance", |[d, _], _| {
        vec![(0.0, 10.0), (d / 2.0, 2.0), (d, 1.0)]
    }),
    of_items("3, an answer beyond", |[d, _], _| {
        vec![(0.0, 10.0), (d / 2.0, 2.0), (d + 1.0, 1.0)]
    }),
    of_items("3, two an answer beyond", |[d, _], _| {
        vec![(0.0, 10.0), (d + 1.0, 2.0), (d + 1.0, 1.0)]
    }),
    of_items("3, two best, at the distance", |[d, _], _| {
        vec![(0.0, 10.0), (0.0, 2.0), (d, 1.0)]
    }),
    of_items("3, .01 beyond", |[d, easy], _| {
        vec![(0.0, 10.0), (d / 2.0, 2.0), (d + easy, 1.0)]
    }),
    of_items("8, six an answer beyond", |[d, _], _| {
        ladder(0.0, d + 1.0, d + 1.0)
    }),
    of_items("8, seven best, at the distance", |[d, _], _| {
        ladder(0.0, 0.0, d)
    }),
    of_items("8, six within, an answer beyond", |[d, _], _| {
        ladder(0.0, d / 2.0, d + 1.0)
    }),
    of_items("8, seven at one price, an answer beyond", |[d, _], _| {
        let mut arms = vec![(d + 1.0, 1.0); 7];
        arms.push((0.0, 2.0));
        arms
    }),
    of_items("8 at random", |far, rng| random(8, far, rng)),
];

/// Eight arms with prices from 10 to 1: the dearest, six in the middle, and the cheapest.
fn ladder(dearest: f64, middle: f64, cheapest: f64) -> Priced {
    let prices = [6.0, 5.0, 4.0, 3.0, 2.5, 2.0].map(|price| (middle, price));
    let ends = [(dearest, 10.0), (cheapest, 1.0)];
    ends.into_iter().chain(prices).collect()
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
    kind("8 at random", |rng| random(8, [WITHIN, 0.2], rng), 0.5),
    kind(
        "8 at random, prices",
        |rng| random(8, [WITHIN, 0.2], rng),
        0.0,
    ),
];

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    kind: &'static str,
    evaluations: Estimate,
    cost: Estimate,
    /// Cost of the policy `uniform` beside that of the policy, of the studies that both decide.
    uniform: f64,
    evaluations_of_uniform: Estimate,
    /// Share of the studies that name a false arm, at each confidence, and of the policy `uniform` at the first.
    wrong: [Estimate; 2],
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
    arms: Priced,
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
    let kinds: &[Kind] = if arguments.items.is_some() {
        &OF_ITEMS
    } else {
        &KINDS
    };
    let asked = kinds.iter();
    for kind in asked.filter(|kind| kind.name.contains(&arguments.only)) {
        let row = row(arguments, kind)?;
        eprintln!("{row:?}");
        rows.push(row);
    }
    let shared = [
        ("<arms", "{kind}"),
        ("evaluations", "{evaluations:.0}"),
        ("cost", "{cost:.1}"),
        ("cost of uniform", "{uniform:.2}"),
        ("wrong, %", "{wrong.0:%1}"),
        ("uniform", "{wrong_of_uniform:%1}"),
    ];
    let (section, rest) = match arguments.items {
        None => {
            let open = [
                ("open, %", "{open:%1}"),
                ("uniform", "{open_of_uniform:%1}"),
            ];
            ("cheapest".to_owned(), open)
        }
        Some(items) => {
            let section = format!("cheapest-{items}-{}", arguments.right);
            let of_items = [
                ("wrong at .8", "{wrong.1:%1}"),
                ("evaluations of uniform", "{evaluations_of_uniform:.0}"),
            ];
            (section, of_items)
        }
    };
    let studies = [("studies", "{runs}")];
    let columns = [&shared[..], &rest, &studies].concat();
    arguments.each.output.show_rows(&section, &rows, &columns)
}

fn row(arguments: &Arguments, kind: &Kind) -> Result<Row, Failure> {
    let runs = arguments.each.number;
    let study = |run: u64| -> Result<[End; 3], Failure> {
        let study = |is_uniform, level| {
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
            rng.set_stream(run);
            World::new(kind, arguments, rng).study(is_uniform, level, run)
        };
        let less = match kind.arms {
            Maker::OnSplits(_) => End::default(),
            Maker::OnItems(_) => study(false, LEVELS[1])?,
        };
        Ok([study(false, LEVELS[0])?, study(true, LEVELS[0])?, less])
    };
    let ends = (0..runs).into_par_iter().map(study);
    let ends: Vec<[End; 3]> = ends.collect::<Result<_, _>>()?;
    let share = |of: &dyn Fn(&[End; 3]) -> bool| {
        ends.iter().filter(|ends| of(ends)).count() as f64 / runs as f64
    };
    let both = ends
        .iter()
        .filter(|ends| !ends[..2].iter().any(|end| end.is_open));
    let cost = |at: usize| both.clone().map(|ends| ends[at].cost).sum::<f64>();
    Ok(Row {
        kind: kind.name,
        evaluations: ends.iter().map(|ends| ends[0].evaluations).collect(),
        cost: ends.iter().map(|ends| ends[0].cost).collect(),
        uniform: cost(1) / cost(0),
        evaluations_of_uniform: ends.iter().map(|ends| ends[1].evaluations).collect(),
        wrong: [0, 2].map(|at| Estimate::share(share(&|ends| ends[at].is_wrong), runs)),
        wrong_of_uniform: Estimate::share(share(&|ends| ends[1].is_wrong), runs),
        open: share(&|ends| ends[0].is_open),
        open_of_uniform: share(&|ends| ends[1].is_open),
        runs,
    })
}

impl World {
    fn new(kind: &Kind, arguments: &Arguments, mut rng: ChaCha8Rng) -> Self {
        let items = arguments.items.unwrap_or_default();
        let count = items as f64;
        let parts = PART.map(|part| (part * count).round());
        let (arms, within) = match kind.arms {
            Maker::OnSplits(arms) => (arms(&mut rng), WITHIN),
            Maker::OnItems(arms) => (arms(parts, &mut rng), parts[0] / count),
        };
        let below = arms.iter().map(|(below, _)| below);
        let (means, answers) = match kind.arms {
            Maker::OnSplits(_) => {
                let means: Vec<f64> = below.map(|below| -below).collect();
                (means.clone(), Answers::on_splits(means))
            }
            Maker::OnItems(_) => {
                let right = below.map(|below| (arguments.right * count).round() - below.round());
                let right: Vec<f64> = right.collect();
                let answers = Answers::on_items(items, &right, &mut rng);
                (right.iter().map(|right| right / count).collect(), answers)
            }
        };
        Self {
            within,
            means,
            spread: kind.spread,
            answers,
            items: arguments.items,
            arms,
            rng,
        }
    }

    fn study(mut self, is_uniform: bool, level: f64, seed: u64) -> Result<End, Failure> {
        let count = self.arms.len();
        let rule = CheapestWithin::new(level, self.within)?;
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
