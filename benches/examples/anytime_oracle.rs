//! Evaluations of the anytime-valid rule under an oracle that knows the true means, on recorded
//! scores.
//!
//! ```console
//! cargo run --release -p fiesta-benches --example anytime_oracle -- scores.csv lstm,gru,… [RUNS]
//! ```
//! The file has the columns arm, split, seed and score.
//!
//! *Shared splits.* Every pair of the best arm and another must cross, after τ_a common splits.
//! Whatever the order, that takes Σ τ_a evaluations of the others and max τ_a of the best arm: no
//! policy stops earlier, but for studies that name another arm.
//!
//! *Independent splits.* Arms are evaluated in fixed proportions, which a coordinate search chooses
//! for the least mean number of evaluations until the best arm is named: "static". A policy may do
//! better, as it may leave out an arm that has crossed: "open arms only" does, and is searched in
//! the same way.

use fiesta_core::{ArmId, Case, Design, Evaluation, EvaluationId, Outcome, StoppingRule, Streams};
use fiesta_policies::{
    simulate::{Problem, Recorded},
    stopping::AnytimeValid,
};
use std::{collections::BTreeMap, error::Error, fs};

const LEVELS: [f64; 3] = [0.95, 0.9, 0.8];
const CAP: u64 = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "give a file of scores, the arms with commas between them and, if you like, the number of runs";
    let file = arguments.next().ok_or(usage)?;
    let names = arguments.next().ok_or(usage)?;
    let runs: u64 = arguments.next().map_or(Ok(2000), |runs| runs.parse())?;
    let text = fs::read_to_string(file)?;
    for level in LEVELS {
        let shared = read(&text, &names, Design::Shared)?;
        let counts: Vec<f64> = (0..runs).map(|run| shared.in_step(level, run)).collect();
        report("shared", level, &counts);
    }
    let independent = read(&text, &names, Design::Independent)?;
    let mut proportions = vec![1.0; independent.problem.arms().len()];
    for (name, open_only) in [("static", false), ("open arms only", true)] {
        independent.improve(&mut proportions, open_only, (runs / 10).max(20));
        // Other runs than those that chose the proportions.
        let fresh = 1_000_000..1_000_000 + runs;
        let counts: Vec<f64> = fresh
            .map(|run| independent.in_proportion(&proportions, open_only, run))
            .collect();
        report(&format!("independent, {name},"), LEVELS[0], &counts);
        let total: f64 = proportions.iter().sum();
        for (name, share) in independent.problem.arms().names().iter().zip(&proportions) {
            println!("    {name}: {:.1} %", 100.0 * share / total);
        }
    }
    Ok(())
}

fn report(splits: &str, level: f64, counts: &[f64]) {
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / n;
    let variance = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    println!("{splits} {level}: {mean:.1} ± {error:.1} evaluations");
}

struct Oracle {
    problem: Recorded,
    best: ArmId,
    design: Design,
}

fn read(text: &str, names: &str, design: Design) -> Result<Oracle, Box<dyn Error>> {
    let mut scores: BTreeMap<&str, Vec<(Option<u64>, f64)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let [arm, split, _, score] = line.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("`{line}` has not the columns arm, split, seed, score").into());
        };
        if names.split(',').any(|name| name == arm) {
            let record = (Some(split.parse()?), score.parse()?);
            scores.entry(arm).or_default().push(record);
        }
    }
    let arms = scores
        .into_iter()
        .map(|(arm, scores)| (arm.to_owned(), scores));
    let problem = Recorded::new(arms, design)?;
    let best = problem.arms().ids().find(|&arm| problem.is_best(arm));
    let best = best.ok_or("there is no best arm")?;
    Ok(Oracle {
        problem,
        best,
        design,
    })
}

/// A run with its scores, its rule, and the number of evaluations of each arm.
struct Run<'a> {
    oracle: &'a Oracle,
    scores: Box<dyn fiesta_policies::simulate::Observations + 'a>,
    rule: AnytimeValid,
    made: Vec<u64>,
    total: u64,
}

impl<'a> Run<'a> {
    fn new(oracle: &'a Oracle, level: f64, number: u64) -> Self {
        let arms = oracle.problem.arms().len();
        Self {
            oracle,
            scores: oracle
                .problem
                .observations(oracle.design, &Streams::new(1), number),
            rule: AnytimeValid::new(level, arms).expect("the level is a confidence"),
            made: vec![0; arms],
            total: 0,
        }
    }

    fn evaluate(&mut self, arm: ArmId) {
        let turn = self.made[arm.index()];
        let case = Case {
            split: turn,
            seed: 0,
        };
        let score = self.scores.observe(arm, case);
        let evaluation = Evaluation {
            id: EvaluationId(self.total),
            arm,
            case,
        };
        self.rule
            .ended(&evaluation, turn, &Outcome::Observed(score));
        self.made[arm.index()] += 1;
        self.total += 1;
    }

    /// The arms that are not yet known to be worse than the best one.
    fn open(&self) -> Vec<ArmId> {
        let best = self.oracle.best;
        let arms = self.oracle.problem.arms().ids();
        arms.filter(|&arm| arm != best && self.rule.between(best, arm) < f64::INFINITY)
            .collect()
    }
}

impl Oracle {
    /// Evaluates the best arm and all arms that are not yet known to be worse, split by split.
    fn in_step(&self, level: f64, number: u64) -> f64 {
        let mut run = Run::new(self, level, number);
        loop {
            let open = run.open();
            if open.is_empty() || run.total >= CAP {
                return run.total as f64;
            }
            for arm in open.into_iter().chain([self.best]) {
                run.evaluate(arm);
            }
        }
    }

    /// Runs a study that always evaluates the arm furthest below its share, until the best arm is named.
    fn in_proportion(&self, proportions: &[f64], open_only: bool, number: u64) -> f64 {
        let mut run = Run::new(self, LEVELS[0], number);
        loop {
            let open = run.open();
            if open.is_empty() || run.total >= CAP {
                return run.total as f64;
            }
            let behind =
                |arm: &ArmId| (run.made[arm.index()] as f64 + 0.5) / proportions[arm.index()];
            let arms = self.problem.arms().ids();
            let eligible = |arm: &ArmId| !open_only || *arm == self.best || open.contains(arm);
            let next = arms
                .filter(eligible)
                .min_by(|a, b| behind(a).total_cmp(&behind(b)));
            run.evaluate(next.expect("there are arms"));
        }
    }

    /// Returns proportions of the arms that take fewer evaluations on average, found by changing one after the other.
    fn improve(&self, proportions: &mut [f64], open_only: bool, runs: u64) {
        let mean = |proportions: &[f64]| {
            let counts = (0..runs).map(|run| self.in_proportion(proportions, open_only, run));
            counts.sum::<f64>() / runs as f64
        };
        let mut least = mean(proportions);
        for factor in [2.0, 1.4, 1.2, 1.1] {
            let mut improved = true;
            while improved {
                improved = false;
                for place in 0..proportions.len() {
                    for change in [factor, 1.0 / factor] {
                        let before = proportions[place];
                        proportions[place] *= change;
                        let now = mean(proportions);
                        if now < least {
                            least = now;
                            improved = true;
                            break;
                        }
                        proportions[place] = before;
                    }
                }
            }
        }
    }
}
