//! Selection on item pools: evaluations and errors on recorded answers, of all arms, of windows of
//! ranks, and of random subsets; beside policies with the same budget.

mod beside;
mod made_up;

use crate::{
    Failure,
    output::{Estimate, Output, Section, table},
};
use fiesta_core::{Direction, StoppingRule};
use fiesta_policies::{
    Parameters, by_name as policy_by_name, resolve,
    simulate::{MakePolicy, MakeRule, RecordedItems},
    stopping::{Distance, StoppingParameters, by_name as rule_by_name},
};
use fiesta_posterior::Pool;
use fiesta_records::{self as records, ReadOptions};
use made_up::MadeUp;
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use serde::Serialize;
use std::{path::PathBuf, str::FromStr};

/// The arguments of `experiments pools`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments pools math_l5_items.csv --ranks all,14-25,4-15,8-12 --runs 400
  experiments pools math_l5_items.csv --ranks 4-15 --confidence .95 --beside ucb-e,uniform
  experiments pools alpaca_eval2_items.csv --subsets 200x5,200x12 --confidence .95,.9,.8")]
pub(crate) struct Arguments {
    /// A file with the answer of every arm to every item, between 0 and 1
    #[arg(value_name = "ANSWERS", required_unless_present = "made_up")]
    answers: Option<PathBuf>,
    /// Which arms, by their rank over the pool: all, or from the first to the last
    #[arg(
        long,
        value_name = "RANKS,…",
        value_delimiter = ',',
        requires = "answers"
    )]
    ranks: Vec<Ranks>,
    /// So many random subsets of so many arms, one run of each
    #[arg(
        long,
        value_name = "NxK,…",
        value_delimiter = ',',
        requires = "answers"
    )]
    subsets: Vec<Subsets>,
    /// Pools of right and wrong answers of so many arms to so many items, the best so many items
    /// ahead, with this correlation of two arms on an item and this distance of the others from each
    /// other, in latent standard deviations; one run of each
    #[arg(
        long,
        value_name = "KxN:GAP:CORRELATION:SPREAD,…",
        value_delimiter = ','
    )]
    made_up: Vec<MadeUp>,
    /// The policy
    #[arg(long, value_name = "NAME", default_value = "auto")]
    policy: String,
    /// The stopping rule
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    stopping: String,
    /// Also policies of a fixed budget, which is the mean number of evaluations of the policy
    /// above, and answering everything
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    beside: Vec<String>,
    /// The confidences
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        default_value = "0.95,0.9,0.8"
    )]
    confidence: Vec<f64>,
    /// How far below the best an arm may be that is named
    #[arg(long, default_value_t = 0.0)]
    tolerance: f64,
    /// How many runs of each window of ranks
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// Arms by their rank.
#[derive(Debug, Clone, Copy)]
enum Ranks {
    All,
    Window(usize, usize),
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` are no ranks: write all, or 8-12");
        if text == "all" {
            return Ok(Self::All);
        }
        let (first, last) = text.split_once('-').ok_or_else(wrong)?;
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first < last => Ok(Self::Window(first, last)),
            _ => Err(wrong()),
        }
    }
}

/// Random subsets of arms.
#[derive(Debug, Clone, Copy)]
struct Subsets {
    number: u64,
    arms: usize,
}

impl FromStr for Subsets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('x');
        let parsed =
            parsed.and_then(|(number, arms)| Some((number.parse().ok()?, arms.parse().ok()?)));
        match parsed {
            Some((number, arms)) if number > 0 && arms > 1 => Ok(Self { number, arms }),
            _ => Err(format!(
                "`{text}` are no subsets: write 200x5 for 200 of 5 arms"
            )),
        }
    }
}

/// An arm's name, and its answer to every item.
type OfArm = (String, Vec<(String, f64)>);

/// A row of the table.
#[derive(Debug, Clone, Serialize)]
struct Row {
    arms: String,
    cells: u64,
    policy: String,
    confidence: f64,
    evaluations: Estimate,
    /// The mean share of the cells that were evaluated.
    share: f64,
    wrong: Estimate,
    tied: f64,
    runs: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let arms = arguments.answers.as_ref().map(read).transpose()?;
    let arms = arms.unwrap_or_default();
    let mut rows = Vec::new();
    for made_up in &arguments.made_up {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        let pools = (0..arguments.runs).map(|_| made_up.pool(&mut rng));
        let pools = pools.collect::<Result<Vec<_>, _>>()?;
        let pools: Vec<&[OfArm]> = pools.iter().map(Vec::as_slice).collect();
        let name = made_up.to_string();
        rows.extend(measure(arguments, &name, &pools, 1)?);
    }
    let is_whole = arguments.answers.is_some() && arguments.subsets.is_empty();
    let all = (arguments.ranks.is_empty() && is_whole).then_some(Ranks::All);
    for ranks in arguments.ranks.iter().chain(&all) {
        let (name, chosen) = match *ranks {
            Ranks::All => (format!("all {}", arms.len()), &arms[..]),
            Ranks::Window(first, last) if last <= arms.len() => {
                (format!("ranks {first}–{last}"), &arms[first - 1..last])
            }
            Ranks::Window(_, last) => {
                return Err(
                    format!("there is no rank {last}: there are {} arms", arms.len()).into(),
                );
            }
        };
        rows.extend(measure(arguments, &name, &[chosen], arguments.runs)?);
    }
    for subsets in &arguments.subsets {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        let all: Vec<Vec<OfArm>> = (0..subsets.number)
            .map(|_| {
                let mut order: Vec<usize> = (0..arms.len()).collect();
                order.shuffle(&mut rng);
                order.truncate(subsets.arms);
                order.into_iter().map(|arm| arms[arm].clone()).collect()
            })
            .collect();
        let all: Vec<&[OfArm]> = all.iter().map(Vec::as_slice).collect();
        let name = format!("{} of {}", subsets.number, subsets.arms);
        rows.extend(measure(arguments, &name, &all, 1)?);
    }
    let mut columns = vec![
        ("<arms", "{arms}"),
        ("cells", "{cells}"),
        ("confidence", "{confidence}"),
        ("evaluations", "{evaluations:.0}"),
        ("of the cells", "{share:%1}"),
        ("wrong", "{wrong:%1}"),
        ("tied", "{tied:%1}"),
        ("runs", "{runs}"),
    ];
    if !arguments.beside.is_empty() {
        columns.insert(2, ("<policy", "{policy}"));
    }
    let shown = table(&rows, &columns)?;
    arguments
        .output
        .show(&rows, &[Section::new("pools", shown)])
}

/// The arms from the best to the worst, with their answers.
fn read(path: &PathBuf) -> Result<Vec<OfArm>, Failure> {
    let options = ReadOptions {
        bounds: Some((0.0, 1.0)),
        ..ReadOptions::default()
    };
    let records = records::read(path, &options)?;
    let mut arms: Vec<OfArm> = records
        .arms()
        .iter()
        .map(|name| (name.clone(), Vec::new()))
        .collect();
    for record in records.records() {
        let answers = &mut arms[record.arm.index()].1;
        let item = record.split.unwrap_or(answers.len() as u64);
        answers.push((item.to_string(), Direction::Maximize.orient(record.score)));
    }
    let total = |arm: &OfArm| arm.1.iter().map(|(_, score)| score).sum::<f64>();
    arms.sort_by(|a, b| total(b).total_cmp(&total(a)));
    Ok(arms)
}

/// So many runs on each of these sets of arms, together.
fn measure(
    arguments: &Arguments,
    name: &str,
    sets: &[&[OfArm]],
    runs: u64,
) -> Result<Vec<Row>, Failure> {
    let levels = &arguments.confidence;
    let mut sums = vec![(0.0, 0.0, 0.0, 0_u64, 0_u64); levels.len()];
    let mut cells = 0;
    for (number, set) in (0..).zip(sets) {
        let problem = RecordedItems::of_scores(set.iter().cloned())?.within(arguments.tolerance);
        let (arms, items) = (set.len(), problem.items());
        cells = arms as u64 * items;
        let rule = |level: f64| -> Result<Box<dyn StoppingRule>, Failure> {
            let parameters = StoppingParameters {
                tolerance: Distance::Score(arguments.tolerance),
                tie: Distance::ZERO,
                bounds: Some((0.0, 1.0)),
                items: Some(items),
                ..StoppingParameters::new(level, arms)
            };
            Ok(rule_by_name(&arguments.stopping, &parameters)?)
        };
        for &level in levels {
            rule(level)?;
        }
        let rules: Vec<MakeRule<'_>> = levels
            .iter()
            .map(|&level| {
                Box::new(move || rule(level).expect("it was built before")) as MakeRule<'_>
            })
            .collect();
        let parameters = Parameters {
            arms,
            ..Parameters::default()
        };
        let policy = resolve(&arguments.policy, &arguments.stopping, "pool");
        policy_by_name(policy, &parameters)?;
        let make: MakePolicy<'_> =
            &|| policy_by_name(policy, &parameters).expect("it was built before");
        let simulation = fiesta_policies::simulate::Simulation::new(&problem, runs)
            .design(problem.design())
            .seed(arguments.seed + number);
        let summaries = simulation.confidence(|arms| Pool::new(arms, items), make, &rules)?;
        for (sum, summary) in sums.iter_mut().zip(summaries) {
            let runs = summary.runs as f64;
            sum.0 += summary.mean * runs;
            let spread = summary.standard_error * runs.sqrt();
            sum.1 += (summary.mean * summary.mean + spread * spread) * runs;
            sum.2 += summary.mean * runs / cells as f64;
            sum.3 += summary.wrong;
            sum.4 += summary.tied;
        }
    }
    let all = runs * sets.len() as u64;
    let policy = resolve(&arguments.policy, &arguments.stopping, "pool");
    let row = |(&confidence, sum): (&f64, (f64, f64, f64, u64, u64))| {
        let count = all as f64;
        let mean = sum.0 / count;
        Row {
            arms: name.to_owned(),
            cells,
            policy: policy.to_owned(),
            confidence,
            evaluations: Estimate {
                mean,
                standard_error: ((sum.1 / count - mean * mean).max(0.0) / count).sqrt(),
            },
            share: sum.2 / count,
            wrong: Estimate::share(sum.3 as f64 / count, all),
            tied: sum.4 as f64 / count,
            runs: all,
        }
    };
    let own: Vec<Row> = levels.iter().zip(sums).map(row).collect();
    let mut rows = Vec::new();
    for row in own {
        let others = beside::rows(arguments, &row, sets, runs)?;
        rows.push(row);
        rows.extend(others);
    }
    Ok(rows)
}
