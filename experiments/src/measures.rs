//! Calibration of answers about measures: the cheapest arm that is good enough, and limits of a mean.

use crate::{
    Failure,
    output::{Estimate, Runs},
};
use fiesta_core::{Direction, Target};
use fiesta_records::{Evaluations, Record};
use fiesta_report::analysis::{
    ScoresOfArms,
    belief::{BeliefOptions, BeliefRequest, MeasureLimit, MeasuresReport, MeasuresRequest},
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments measures`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments measures --runs 1000 --seed 7
  experiments measures --runs 1000 --only latency")]
pub(crate) struct Arguments {
    /// Only families whose names contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    #[command(flatten)]
    each: Runs,
}

const LEVELS: [f64; 4] = [0.8, 0.9, 0.95, 0.99];
/// Place of .95 among the levels.
const AT_95: usize = 2;
/// Sweeps of a belief.
const DRAWS: u64 = 2000;
/// Distance from the best that is good enough, in standard deviations of a score on a split.
const WITHIN: f64 = 1.0;
/// Distance from the best that is good enough, in shares of right answers.
const WITHIN_OF_ITEMS: f64 = 0.05;
/// Largest mean latency.
const LIMIT: f64 = 2.0;
/// Greatest distance from a boundary where gaps are uniform, in standard errors.
const FAR: f64 = 4.0;
/// Distance that is as good as at the boundary, in standard errors.
const NEAR: f64 = 1e-6;

/// Question whose boundary is tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
enum Boundary {
    /// The cheaper arm's distance below the best.
    Score,
    /// The cheaper arm's distance below the best on items like these, where answers are right or wrong.
    Items,
    /// The latency of the cheaper arm.
    Latency,
    /// The latencies of three arms.
    None,
    /// The costs of two arms, which vary as latencies do.
    Cost,
    /// Score and latency of the cheaper arm, of which one or both are too bad.
    Both,
    /// Score and latency of the cheaper arm, neither of which is too bad.
    Corner,
}

/// A family of made-up results.
#[derive(Debug, Clone, Copy)]
struct Family {
    boundary: Boundary,
    evaluations: u64,
    /// Standard deviation of the logarithm of latencies and of costs that vary.
    sigma: f64,
    /// Correlation of score and logarithm of latency within an evaluation.
    correlation: f64,
}

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    /// Share of the runs that name a false answer, at each level, at the worst truth on a boundary.
    wrong: [Estimate; 4],
    /// Share of the runs with uniform gaps that name a false answer at .95, and any.
    uniform: [Estimate; 2],
    /// Share of false answers among those named at .95 or above, with uniform gaps.
    of_named: Estimate,
    runs: u64,
}

/// One run: the greatest probability of any answer, and whether it is of the true one.
#[derive(Debug, Clone, Copy)]
struct Run {
    probability: f64,
    is_right: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for family in families() {
        if !family.name().contains(&arguments.only) {
            continue;
        }
        let row = family.row(arguments.each.number, arguments.each.seed)?;
        eprintln!("{row:?}");
        rows.push(row);
    }
    let columns = [
        ("<boundary", "{family}"),
        ("wrong at .8, %", "{wrong.0:%1}"),
        (".9", "{wrong.1:%1}"),
        (".95", "{wrong.2:%1}"),
        (".99", "{wrong.3:%1}"),
        ("gaps uniform: wrong at .95", "{uniform.0:%1}"),
        ("named", "{uniform.1:%1}"),
        ("wrong of named", "{of_named:%1}"),
        ("runs", "{runs}"),
    ];
    arguments.each.output.show_rows("measures", &rows, &columns)
}

fn families() -> Vec<Family> {
    let of = |boundary, evaluations, sigma, correlation| Family {
        boundary,
        evaluations,
        sigma,
        correlation,
    };
    let mut all = Vec::new();
    for n in [8, 20, 50] {
        all.push(of(Boundary::Score, n, 0.5, 0.0));
    }
    all.push(of(Boundary::Items, 300, 0.5, 0.0));
    let of_measures = [
        (Boundary::Latency, &[8, 20, 50, 200][..]),
        (Boundary::None, &[20]),
        (Boundary::Cost, &[8, 50]),
    ];
    for (boundary, evaluations) in of_measures {
        for sigma in [0.5, 1.0] {
            all.extend(evaluations.iter().map(|&n| of(boundary, n, sigma, 0.0)));
        }
    }
    for correlation in [-0.8, 0.0, 0.8] {
        all.push(of(Boundary::Both, 20, 0.5, correlation));
    }
    all.push(of(Boundary::Corner, 20, 0.5, 0.0));
    all
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

impl Family {
    fn name(&self) -> String {
        let n = self.evaluations;
        let what = match self.boundary {
            Boundary::Score => return format!("score, {n} splits"),
            Boundary::Items => return format!("score, {n} items"),
            Boundary::Latency => "latency",
            Boundary::None => "latency of three arms",
            Boundary::Cost => "cost",
            Boundary::Both => "score or latency",
            Boundary::Corner => "score and latency",
        };
        let correlation = match self.boundary {
            Boundary::Both | Boundary::Corner => format!(", correlation {}", self.correlation),
            _ => String::new(),
        };
        format!("{what}, sd of log {}, {n} splits{correlation}", self.sigma)
    }

    /// Returns the gaps in standard errors of the truths on the boundary: of the score, and of the measure.
    fn truths(&self) -> Vec<[f64; 2]> {
        match self.boundary {
            Boundary::Score | Boundary::Items => vec![[NEAR, 0.0], [-NEAR, 0.0]],
            Boundary::Corner => vec![[-NEAR, -NEAR]],
            Boundary::Both => vec![[NEAR, NEAR], [NEAR, -2.0 * FAR], [-2.0 * FAR, NEAR]],
            _ => vec![[0.0, NEAR], [0.0, -NEAR]],
        }
    }

    fn row(&self, runs: u64, seed: u64) -> Result<Row, Failure> {
        let run = |place: u64, gaps: Option<[f64; 2]>| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(place);
            let mut far = || rng.random_range(-FAR..FAR);
            let uniform = [far(), far()];
            self.run(gaps.unwrap_or(uniform), &mut rng)
        };
        let all = |gaps: Option<[f64; 2]>| -> Result<Vec<Run>, Failure> {
            (0..runs)
                .into_par_iter()
                .map(|place| run(place, gaps))
                .collect()
        };
        let share = |of: &[Run], is_so: &dyn Fn(&Run) -> bool| {
            of.iter().filter(|run| is_so(run)).count() as f64 / of.len().max(1) as f64
        };
        let mut wrong = [0.0_f64; 4];
        for gaps in self.truths() {
            let found = all(Some(gaps))?;
            for (worst, level) in wrong.iter_mut().zip(LEVELS) {
                *worst = worst.max(share(&found, &|run| {
                    !run.is_right && run.probability >= level
                }));
            }
        }
        let uniform = all(None)?;
        let is_named = |run: &Run| run.probability >= LEVELS[AT_95];
        let named: Vec<Run> = uniform.iter().copied().filter(is_named).collect();
        Ok(Row {
            family: self.name(),
            wrong: wrong.map(|share| Estimate::share(share, runs)),
            uniform: [
                share(&uniform, &|run| !run.is_right && is_named(run)),
                share(&uniform, &is_named),
            ]
            .map(|share| Estimate::share(share, runs)),
            of_named: Estimate::share(
                share(&named, &|run| !run.is_right),
                named.len().max(1) as u64,
            ),
            runs,
        })
    }

    /// Makes results with these gaps, and asks for the answer.
    fn run(&self, gaps: [f64; 2], rng: &mut ChaCha8Rng) -> Result<Run, Failure> {
        let (records, truth) = self.results(gaps, rng)?;
        let within = match self.boundary {
            Boundary::Items => WITHIN_OF_ITEMS,
            Boundary::Score | Boundary::Both | Boundary::Corner => WITHIN,
            _ => 10.0 * WITHIN,
        };
        let has_limit = matches!(
            self.boundary,
            Boundary::Latency | Boundary::None | Boundary::Both | Boundary::Corner
        );
        let limit = MeasureLimit {
            measure: "duration".to_owned(),
            at_most: LIMIT,
        };
        let request = BeliefRequest {
            options: BeliefOptions {
                draws: Some(DRAWS),
                ..BeliefOptions::default()
            },
            target: if self.boundary == Boundary::Items {
                Target::ItemsLikeThese
            } else {
                Target::default()
            },
            measures: MeasuresRequest {
                cheapest_within: Some(within),
                by: None,
                at_most: if has_limit { vec![limit] } else { Vec::new() },
                // Where costs are not what is asked about, they are prices.
                known: if self.boundary == Boundary::Cost {
                    Vec::new()
                } else {
                    vec!["cost".to_owned()]
                },
            },
            ..BeliefRequest::default()
        };
        let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "results")?;
        let report = request.report(scores, Some(&records))?;
        let answer = report.measures.ok_or("no answer")?;
        Ok(Run::of(&answer, truth))
    }

    /// Draws results, and returns with them the arm that is the answer. `None` if no arm is feasible.
    fn results(
        &self,
        [of_score, of_measure]: [f64; 2],
        rng: &mut ChaCha8Rng,
    ) -> Result<(Evaluations, Option<usize>), Failure> {
        let n = self.evaluations as f64;
        // Latencies have half of the logarithm's deviation from the split, shared by all arms.
        let of_split = self.sigma / 2.0;
        let variance = self.sigma * self.sigma + of_split * of_split;
        let error = (variance.exp_m1() / n).sqrt();
        let outside = |gap: f64| gap > 0.0;
        let near = LIMIT * (1.0 + of_measure * error).max(0.05);
        // Arms as score, cost and mean latency.
        let (arms, truth): (Vec<[f64; 3]>, Option<usize>) = match self.boundary {
            Boundary::Score => {
                let below = WITHIN + of_score * (2.0 / n).sqrt();
                let arms = vec![[0.0, 2.0, 1.0], [-below, 1.0, 1.0]];
                (arms, Some(usize::from(!outside(of_score))))
            }
            Boundary::Items => {
                let [right, differ] = [0.8, 0.25];
                let below = WITHIN_OF_ITEMS + of_score * (differ / n).sqrt();
                let arms = vec![[right, 2.0, 1.0], [right - below, 1.0, 1.0]];
                (arms, Some(usize::from(!outside(of_score))))
            }
            Boundary::Latency => {
                let arms = vec![[0.0, 2.0, LIMIT / 4.0], [0.0, 1.0, near]];
                (arms, Some(usize::from(!outside(of_measure))))
            }
            Boundary::None => {
                let arms = [1.0, 2.0, 3.0].map(|cost| [0.0, cost, near]);
                (arms.to_vec(), (!outside(of_measure)).then_some(0))
            }
            Boundary::Cost => {
                let error = error * 2.0_f64.sqrt();
                let other = (1.0 + of_measure * error).max(0.05);
                let arms = vec![[0.0, 1.0, 1.0], [0.0, other, 1.0]];
                (arms, Some(usize::from(!outside(of_measure))))
            }
            Boundary::Both | Boundary::Corner => {
                let below = WITHIN + of_score * (2.0 / n).sqrt();
                let arms = vec![[0.0, 2.0, LIMIT / 4.0], [-below, 1.0, near]];
                let is_out = outside(of_score) || outside(of_measure);
                (arms, Some(usize::from(!is_out)))
            }
        };
        let mut records = Evaluations::new("score")?;
        let left = (1.0 - self.correlation * self.correlation).sqrt();
        let lognormal =
            |z: f64, split: f64| (self.sigma * z + of_split * split - variance / 2.0).exp();
        for split in 0..self.evaluations {
            let [on_score, on_latency, on_cost] = [(); 3].map(|()| normal(rng));
            // On an item the arms agree as far as they can, but for a tenth that is drawn anew.
            let easy: f64 = rng.random();
            for (place, &[score, cost, latency]) in arms.iter().enumerate() {
                let noise = normal(rng);
                let of_latency = self.correlation * noise + left * normal(rng);
                let own = if rng.random_bool(0.4) {
                    rng.random()
                } else {
                    easy
                };
                let score = if self.boundary == Boundary::Items {
                    f64::from(u8::from(own < score))
                } else {
                    score + on_score + noise
                };
                let cost = if self.boundary == Boundary::Cost {
                    cost * lognormal(normal(rng), on_cost)
                } else {
                    cost
                };
                let case = if self.boundary == Boundary::Items {
                    records.item(&split.to_string())?
                } else {
                    split
                };
                let name = ["a", "b", "c"][place];
                records.push(Record {
                    split: Some(case),
                    cost: Some(cost),
                    duration: Some(latency * lognormal(of_latency, on_latency)),
                    ..Record::new(name, score)
                })?;
            }
        }
        Ok((records, truth))
    }
}

impl Run {
    fn of(answer: &MeasuresReport, truth: Option<usize>) -> Self {
        let arms = answer.arms.iter().map(|arm| arm.probability).enumerate();
        let arms = arms.map(|(place, p)| (p, Some(place)));
        let all = arms.chain([(answer.probability_none_feasible, None)]);
        let (probability, found) = all
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((0.0, None));
        Self {
            probability,
            is_right: found == truth,
        }
    }
}
