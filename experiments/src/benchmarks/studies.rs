//! Studies of several benchmarks: how often they name a false arm, and what they cost beside others.

use super::{Arguments, Family, NUMBERS, OfRun, RATIOS, RIGHT};
use crate::{
    Failure, makers,
    output::Estimate,
    pools::{self, OfArm},
};
use fiesta_core::{Arms, Ask, Design, Event, Limits, Outcome, Reason, Selector, SelectorBuilder};
use fiesta_policies::{
    BenchmarkPolicy, PoolPolicy,
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::{BenchmarksOfStudy, Pool};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;

/// Confidences of the studies.
const CONFIDENCES: [f64; 2] = [0.95, 0.8];
/// Gaps of the first arm and the others, in standard errors of a sum over all items.
const GAPS: [f64; 3] = [0.0, 1.0, 4.0];

/// A row of the table: studies of one family with one gap, or of one recorded pool that is cut in parts.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    gap: Option<f64>,
    /// Costs of all answers, and the costs if each benchmark is asked in proportion to its items.
    cost: f64,
    in_proportion: f64,
    /// One less the quotient of the two sums of costs.
    spared: f64,
    /// Share of the studies that name an arm that is not the best, at either confidence.
    wrong: [Estimate; 2],
    wrong_in_proportion: Estimate,
    /// Costs where a study of each benchmark by itself ends with a verdict on that benchmark, together.
    by_themselves: f64,
    /// Mean share of all answers that were asked.
    asked: f64,
    runs: u64,
}

/// One made-up study: the benchmarks, and the answers of every arm to all items of all of them.
struct Made {
    all: Vec<OfRun>,
    costs: Vec<f64>,
    /// Benchmark of each item.
    benchmark: Vec<u64>,
    /// Answers by item and arm.
    answers: Vec<Vec<f64>>,
    values: Vec<f64>,
}

/// Result of one simulated study.
#[derive(Debug, Clone, Copy)]
struct End {
    cost: f64,
    asked: f64,
    is_wrong: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        eprintln!("{row:?}");
        rows.push(row);
    };
    for (place, file) in (0..).zip(&arguments.pool) {
        let arms = pools::read(file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let numbers = makers::or(&arguments.benchmarks, &NUMBERS);
        let cuts = numbers
            .iter()
            .flat_map(|&number| RATIOS.map(|ratio| (number, ratio)));
        for (cut, (number, ratio)) in (0..).zip(cuts) {
            let family = format!("{name} in {number}, weights 1:{ratio:.0}");
            let make =
                |rng: &mut ChaCha8Rng| Made::of_recorded(arguments, &arms, number, ratio, rng);
            add(row(arguments, family, None, (place << 8) + cut, make)?);
        }
    }
    if arguments.pool.is_empty() {
        for (place, family) in (0..).zip(super::families(arguments)) {
            for (number, gap) in (0..).zip(GAPS) {
                let make = |rng: &mut ChaCha8Rng| Made::new(arguments, family, gap, rng);
                add(row(
                    arguments,
                    family.name(),
                    Some(gap),
                    (place << 8) + number,
                    make,
                )?);
            }
        }
    }
    let columns = [
        ("<benchmarks", "{family}"),
        ("gap, se", "{gap}"),
        ("cost", "{cost:.0}"),
        ("in proportion", "{in_proportion:.0}"),
        ("by themselves", "{by_themselves:.0}"),
        ("spared", "{spared:%0}"),
        ("wrong at .95", "{wrong.0.mean:%1}"),
        (".8", "{wrong.1.mean:%1}"),
        ("in proportion at .95", "{wrong_in_proportion.mean:%1}"),
        ("asked", "{asked:%0}"),
        ("studies", "{runs}"),
    ];
    arguments
        .output
        .show_rows("benchmark-studies", &rows, &columns)
}

fn row(
    arguments: &Arguments,
    family: String,
    gap: Option<f64>,
    place: u64,
    make: impl Fn(&mut ChaCha8Rng) -> Made + Sync,
) -> Result<Row, Failure> {
    let study = |run: u64| -> Result<([End; 3], f64), Failure> {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream((1 << 60) + (place << 32) + run);
        let made = make(&mut rng);
        let [sure, unsure] = CONFIDENCES.map(|confidence| made.study(confidence, true, run));
        let parts = (0..made.all.len())
            .map(|number| Ok(made.part(number).study(CONFIDENCES[0], false, run)?.cost));
        let by_themselves: Result<f64, Failure> = parts.sum();
        let ends = [sure?, unsure?, made.study(CONFIDENCES[0], false, run)?];
        Ok((ends, by_themselves?))
    };
    let (ends, by_themselves): (Vec<[End; 3]>, Vec<f64>) = (0..arguments.runs)
        .into_par_iter()
        .map(study)
        .collect::<Result<_, _>>()?;
    let mean =
        |of: &dyn Fn(&[End; 3]) -> f64| ends.iter().map(of).sum::<f64>() / arguments.runs as f64;
    let wrong = |at: usize| {
        let wrong = ends.iter().filter(|ends| ends[at].is_wrong).count();
        Estimate::share(wrong as f64 / arguments.runs as f64, arguments.runs)
    };
    let [cost, in_proportion] = [mean(&|ends| ends[0].cost), mean(&|ends| ends[2].cost)];
    Ok(Row {
        family,
        gap,
        cost,
        in_proportion,
        spared: 1.0 - cost / in_proportion,
        wrong: [wrong(0), wrong(1)],
        wrong_in_proportion: wrong(2),
        by_themselves: by_themselves.iter().sum::<f64>() / arguments.runs as f64,
        asked: mean(&|ends| ends[0].asked),
        runs: arguments.runs,
    })
}

/// Draws the price of an answer of each benchmark.
fn prices(arguments: &Arguments, benchmarks: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let price = |_| arguments.prices.powf(rng.random::<f64>());
    (0..benchmarks).map(price).collect()
}

impl Made {
    /// Draws the benchmarks of a study, and the answers to all of their items.
    fn new(arguments: &Arguments, family: Family, gap: f64, rng: &mut ChaCha8Rng) -> Self {
        let all = family.draw(gap, rng);
        let costs = prices(arguments, all.len(), rng);
        let arms = usize::from(arguments.arms);
        let (mut benchmark, mut answers) = (Vec::new(), Vec::new());
        for (number, of) in (0..).zip(&all) {
            for _ in 0..of.items {
                let first = f64::from(u8::from(rng.random_bool(RIGHT)));
                let answer = |arm: usize| of.answer(arm, first, arguments.graded, rng);
                answers.push((0..arms).map(answer).collect());
                benchmark.push(number);
            }
        }
        Self::of(all, costs, benchmark, answers)
    }

    /// Returns the benchmarks with these answers, and the arms' weighted means.
    fn of(all: Vec<OfRun>, costs: Vec<f64>, benchmark: Vec<u64>, answers: Vec<Vec<f64>>) -> Self {
        let mut values = vec![0.0; answers.first().map_or(0, Vec::len)];
        for (answers, &number) in answers.iter().zip(&benchmark) {
            let of = &all[usize::try_from(number).unwrap_or_default()];
            for (value, answer) in values.iter_mut().zip(answers) {
                *value += of.weight * answer / of.items as f64;
            }
        }
        Self {
            all,
            costs,
            benchmark,
            answers,
            values,
        }
    }

    /// Cuts a recorded pool into benchmarks of alike difficulty, and draws arms that follow one another in rank.
    fn of_recorded(
        arguments: &Arguments,
        arms: &[OfArm],
        number: u64,
        ratio: f64,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let count = usize::from(arguments.arms).min(arms.len());
        let first = rng.random_range(0..=arms.len() - count);
        let drawn = &arms[first..first + count];
        let items = arms.first().map_or(0, |arm| arm.1.len());
        let right = |item: usize| arms.iter().map(|arm| arm.1[item].1).sum::<f64>();
        let mut order: Vec<usize> = (0..items).collect();
        order.sort_by(|&a, &b| right(a).total_cmp(&right(b)));
        let weights: Vec<f64> = (0..number)
            .map(|_| ratio.powf(rng.random::<f64>()))
            .collect();
        let total: f64 = weights.iter().sum();
        let place = |at: usize| at as u64 * number / items as u64;
        let benchmark: Vec<u64> = (0..items).map(place).collect();
        let answers: Vec<Vec<f64>> = { order.into_iter() }
            .map(|item| drawn.iter().map(|arm| arm.1[item].1).collect())
            .collect();
        let all: Vec<OfRun> = { (0..).zip(weights) }
            .map(|(number, weight)| OfRun {
                items: benchmark.iter().filter(|of| **of == number).count() as u64,
                weight: weight / total,
                sides: [0.0; 2],
            })
            .collect();
        let costs = prices(arguments, all.len(), rng);
        Self::of(all, costs, benchmark, answers)
    }

    /// Returns one of the benchmarks by itself.
    fn part(&self, number: usize) -> Self {
        let of = &self.all[number];
        let items = self.benchmark.iter().zip(&self.answers);
        let answers: Vec<Vec<f64>> = items
            .filter(|(benchmark, _)| **benchmark == number as u64)
            .map(|(_, answers)| answers.clone())
            .collect();
        let alone = OfRun { weight: 1.0, ..*of };
        let benchmark = vec![0; answers.len()];
        Self::of(vec![alone], vec![self.costs[number]], benchmark, answers)
    }

    /// Makes a study: adaptively over benchmarks, or in proportion to their items.
    fn study(&self, confidence: f64, is_adaptive: bool, seed: u64) -> Result<End, Failure> {
        let arms = self.values.len();
        let mut posterior = BenchmarksOfStudy::new(arms);
        for (of, cost) in self.all.iter().zip(&self.costs) {
            posterior.add(of.weight, *cost, Pool::new(arms, of.items));
        }
        let rule = PosteriorThreshold::new(confidence)?.tied_within(Distance::ZERO)?;
        let names = Arms::new((0..arms).map(|arm| format!("arm {arm}")))?;
        let count = self.answers.len() as u64;
        let prepared = |builder: SelectorBuilder<f64>| {
            let builder = builder.design(Design::Items { count }).seed(seed);
            builder.limits(Limits::default())
        };
        let mut selector = if is_adaptive {
            let builder = Selector::builder(names, posterior, BenchmarkPolicy::default(), rule);
            prepared(builder).benchmarks(self.benchmark.clone()).build()
        } else {
            let builder = Selector::builder(names, posterior, PoolPolicy::default(), rule);
            prepared(builder).groups(self.benchmark.clone()).build()
        }?;
        let mut cost = 0.0;
        let conclusion = loop {
            match selector.ask()? {
                Ask::Evaluate(e) => {
                    let item = usize::try_from(e.case.split).unwrap_or(usize::MAX);
                    let answer = self.answers[item][e.arm.index()];
                    let benchmark = usize::try_from(self.benchmark[item]).unwrap_or_default();
                    cost += self.costs[benchmark];
                    selector.tell(Event::Ended {
                        id: e.id,
                        outcome: Outcome::Observed(answer),
                        cost: self.costs[benchmark],
                    })?;
                }
                Ask::Wait => unreachable!("nothing is pending"),
                Ask::Finished(conclusion) => break conclusion,
            }
        };
        let best = self
            .values
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let named = match &conclusion.reason {
            // A tie within a distance is no claim that one of them is the best.
            Reason::Tied { tolerance, .. } if *tolerance > 0.0 => best,
            _ => self.values[conclusion.arm.index()],
        };
        Ok(End {
            cost,
            asked: conclusion.evaluations as f64 / (count * arms as u64) as f64,
            is_wrong: named < best - 1e-9,
        })
    }
}
