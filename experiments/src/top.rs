//! Studies that name the best three of twelve arms: how often a named set is false, and its cost.

use crate::{
    Failure,
    output::{Estimate, Runs},
};
use fiesta_core::{
    ArmId, Arms, Ask, Conclusion, Design, Event, Limits, Observe, Outcome, Policy, Reason, Selector,
};
use fiesta_policies::{
    PoolPolicy, TopTwo, Uniform,
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::{Paired, Pool};
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments top`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments top --runs 1000 --seed 31
  experiments top --runs 1000 --items 300")]
pub(crate) struct Arguments {
    /// Number of items, in place of splits
    #[arg(long)]
    items: Option<u64>,
    /// Number of the best arms
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..12))]
    top: u8,
    #[command(flatten)]
    each: Runs,
}

/// Number of arms.
const ARMS: usize = 12;
/// Confidences of the studies.
const CONFIDENCES: [f64; 2] = [0.95, 0.8];
/// Distances of the other arms of a family that are not tied, in standard deviations: on splits, and
/// on items.
const APART: [f64; 2] = [0.4, 0.08];
/// Standard deviation of the difference of two arms' answers to an item, about.
const SD_OF_ITEMS: f64 = 0.5;
/// Share of the items that the best arm outside answers.
const RIGHT: f64 = 0.6;

/// Means of the arms of a row: the last arm inside and the first outside are `gap` apart.
#[derive(Debug, Clone, Copy)]
struct Family {
    /// Whether the arms inside are equal, and the arms outside.
    is_tied: bool,
    /// Gap in standard deviations of a paired difference; below 0 in items.
    gap: f64,
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    evaluations: Estimate,
    uniform: Estimate,
    /// Share of the studies whose verdict is false, at either confidence, and of the uniform policy.
    wrong: [Estimate; 2],
    wrong_uniform: Estimate,
    tied: f64,
    open: f64,
    runs: u64,
}

/// What became of a study.
#[derive(Debug, Clone, Copy)]
struct End {
    evaluations: u64,
    is_wrong: bool,
    is_tied: bool,
    is_open: bool,
}

/// A made-up study: scores by split or item and arm, and what is true of the arms.
struct World {
    scores: Vec<Vec<f64>>,
    values: Vec<f64>,
    rng: ChaCha8Rng,
    items: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for (place, family) in (0..).zip(families(arguments)) {
        let row = row(arguments, family, place)?;
        eprintln!("{row:?}");
        rows.push(row);
    }
    let columns = [
        ("<arms", "{family}"),
        ("evaluations at .95", "{evaluations:.0}"),
        ("uniform", "{uniform:.0}"),
        ("wrong at .95", "{wrong.0:%1}"),
        (".8", "{wrong.1:%1}"),
        ("uniform at .95", "{wrong_uniform:%1}"),
        ("tied", "{tied:%1}"),
        ("open", "{open:%1}"),
        ("studies", "{runs}"),
    ];
    let section = match arguments.items {
        None => "top".to_owned(),
        Some(items) => format!("top-{items}"),
    };
    arguments.each.output.show_rows(&section, &rows, &columns)
}

fn families(arguments: &Arguments) -> Vec<Family> {
    let near = if arguments.items.is_some() { -1.0 } else { 0.1 };
    let all = [
        (false, 0.0),
        (false, near),
        (true, near),
        (false, 0.2),
        (true, 0.2),
        (false, 0.5),
        (true, 0.5),
    ];
    let all = all.into_iter();
    all.map(|(is_tied, gap)| Family { is_tied, gap }).collect()
}

fn row(arguments: &Arguments, family: Family, place: u64) -> Result<Row, Failure> {
    let study = |run: u64| -> Result<[End; 3], Failure> {
        let study = |confidence, is_uniform| {
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
            rng.set_stream((place << 32) + run);
            World::new(arguments, family, rng).study(arguments, confidence, is_uniform, run)
        };
        let [sure, unsure] = CONFIDENCES.map(|confidence| study(confidence, false));
        Ok([sure?, unsure?, study(CONFIDENCES[0], true)?])
    };
    let runs = arguments.each.number;
    let ends = (0..runs).into_par_iter().map(study);
    let ends: Vec<[End; 3]> = ends.collect::<Result<_, _>>()?;
    let share = |of: &dyn Fn(&[End; 3]) -> bool| {
        let count = ends.iter().filter(|ends| of(ends)).count();
        count as f64 / runs as f64
    };
    let evaluations = |at: usize| {
        let all = ends.iter().map(|ends| ends[at].evaluations as f64);
        all.collect::<Estimate>()
    };
    let wrong = |at: usize| Estimate::share(share(&|ends| ends[at].is_wrong), runs);
    Ok(Row {
        family: family.name(arguments),
        evaluations: evaluations(0),
        uniform: evaluations(2),
        wrong: [wrong(0), wrong(1)],
        wrong_uniform: wrong(2),
        tied: share(&|ends| ends[0].is_tied),
        open: share(&|ends| ends[0].is_open),
        runs,
    })
}

impl Family {
    fn name(self, arguments: &Arguments) -> String {
        let gap = if self.gap < 0.0 {
            format!("{} item", -self.gap)
        } else {
            format!("{} sd", self.gap)
        };
        let others = if self.is_tied { "tied" } else { "apart" };
        let what = arguments
            .items
            .map_or_else(|| "splits".to_owned(), |items| format!("{items} items"));
        format!("{what}, {gap}, others {others}")
    }

    /// Returns the means of the arms above that of the first arm outside, in units of which
    /// `sd` are a standard deviation; others are `apart` if they are not tied.
    fn means(self, top: usize, sd: f64, apart: f64) -> Vec<f64> {
        let gap = if self.gap < 0.0 {
            -self.gap
        } else {
            self.gap * sd
        };
        let apart = if self.is_tied { 0.0 } else { apart * sd };
        let mean = |arm: usize| {
            if arm < top {
                gap + apart * (top - 1 - arm) as f64
            } else {
                -apart * (arm - top) as f64
            }
        };
        (0..ARMS).map(mean).collect()
    }
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}

impl World {
    /// Draws the answers to all items, or nothing yet of splits.
    fn new(arguments: &Arguments, family: Family, mut rng: ChaCha8Rng) -> Self {
        let top = usize::from(arguments.top);
        let Some(items) = arguments.items else {
            return Self {
                scores: Vec::new(),
                values: family.means(top, 1.0, APART[0]),
                rng,
                items: None,
            };
        };
        let count = items as f64;
        let means = family.means(top, SD_OF_ITEMS * count, APART[1]);
        let values: Vec<f64> = means
            .iter()
            .map(|mean| (RIGHT * count + mean).round().clamp(0.0, count))
            .collect();
        // An arm is right on the items where it does best: half of that is the item's.
        let easy: Vec<f64> = (0..items).map(|_| normal(&mut rng)).collect();
        let mut scores = vec![vec![0.0; ARMS]; easy.len()];
        for (arm, right) in values.iter().enumerate() {
            let mut order: Vec<(f64, usize)> = easy
                .iter()
                .enumerate()
                .map(|(item, easy)| (easy + normal(&mut rng), item))
                .collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of items"
            )]
            for (_, item) in order.into_iter().take(*right as usize) {
                scores[item][arm] = 1.0;
            }
        }
        Self {
            scores,
            values,
            rng,
            items: Some(items),
        }
    }

    /// Returns the score of an arm on a split or item. Differences on a split have the standard
    /// deviation 1, and splits have effects as large as the noise.
    fn score(&mut self, split: u64, arm: ArmId) -> f64 {
        let split = usize::try_from(split).unwrap_or(usize::MAX);
        while self.items.is_none() && self.scores.len() <= split {
            let rng = &mut self.rng;
            let effect = normal(rng);
            let scores = self.values.iter();
            let scores = scores.map(|mean| mean + (effect + normal(rng)) * 0.5_f64.sqrt());
            self.scores.push(scores.collect());
        }
        self.scores[split][arm.index()]
    }

    fn study(
        mut self,
        arguments: &Arguments,
        confidence: f64,
        is_uniform: bool,
        seed: u64,
    ) -> Result<End, Failure> {
        let top = usize::from(arguments.top);
        let rule = PosteriorThreshold::new(confidence)?;
        let (posterior, policy, rule, design): (Box<dyn Observe<f64>>, Box<dyn Policy>, _, _) =
            match self.items {
                Some(count) => (
                    Box::new(Pool::new(ARMS, count)),
                    Box::new(PoolPolicy::default()),
                    rule.tied_within(Distance::ZERO)?,
                    Design::Items { count },
                ),
                None => (
                    Box::new(Paired::new(ARMS).top(top)),
                    Box::new(TopTwo::ttps()),
                    rule,
                    Design::Shared,
                ),
            };
        let policy: Box<dyn Policy> = if is_uniform {
            Box::new(Uniform)
        } else {
            policy
        };
        let arms = Arms::new((0..ARMS).map(|arm| format!("arm {arm}")))?;
        let mut selector = Selector::builder(arms, posterior, policy, rule)
            .design(design)
            .limits(Limits::by_default(ARMS, design))
            .top(top)
            .seed(seed)
            .unconfirmed()
            .build()?;
        let conclusion = loop {
            match selector.ask()? {
                Ask::Evaluate(e) => {
                    let outcome = Outcome::Observed(self.score(e.case.split, e.arm));
                    let (id, cost) = (e.id, 1.0);
                    selector.tell(Event::Ended { id, outcome, cost })?;
                }
                Ask::Wait => unreachable!("nothing is pending"),
                Ask::Finished(conclusion) => break conclusion,
            }
        };
        Ok(self.end(top, &conclusion))
    }

    /// Judges a conclusion. Each named arm has to be one of the best, or as near to them as is said;
    /// the arms of a tie have to contain the best ones.
    fn end(&self, top: usize, conclusion: &Conclusion) -> End {
        let mut sorted = self.values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let last = sorted[top - 1];
        let is_near = |tolerance: f64| {
            let values = &self.values;
            move |arm: &ArmId| values[arm.index()] > last - tolerance - 1e-9
        };
        let best: Vec<ArmId> = ArmId::all(ARMS).filter(is_near(0.0)).collect();
        let (is_wrong, is_tied, is_open) = match &conclusion.reason {
            Reason::PosteriorProbability { .. } => (!is_near(0.0)(&conclusion.arm), false, false),
            Reason::Top { arms, .. } => (!arms.iter().all(is_near(0.0)), false, false),
            Reason::Tied {
                arms, tolerance, ..
            } => {
                let among = best.iter().filter(|arm| arms.contains(arm)).count();
                let is_above = |arm: &&ArmId| self.values[arm.index()] > last + 1e-9;
                let mut above = best.iter().filter(is_above);
                let holds = among >= top && above.all(|arm| arms.contains(arm));
                let are_near = arms.iter().all(is_near(*tolerance));
                (!(holds && are_near), true, false)
            }
            _ => (false, false, true),
        };
        End {
            evaluations: conclusion.evaluations,
            is_wrong,
            is_tied,
            is_open,
        }
    }
}
