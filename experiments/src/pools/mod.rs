//! Selection on item pools: evaluations and errors on recorded answers, of all arms, of windows of
//! ranks, and of random subsets; beside policies with the same budget, and with prices.

mod arguments;
mod beside;
mod counts;
mod made_up;
mod prices;
mod sums;
mod varying;

use crate::{
    Failure,
    makers::{self, pool_rules},
    output::Estimate,
};
pub(crate) use arguments::Arguments;
use arguments::OfF;
pub(crate) use arguments::Ranks;
use fiesta_core::{Counts, Design, Direction, FBeta, Observe};
use fiesta_policies::{
    Parameters, resolve,
    simulate::{MakePolicy, Problem, RecordedItems, Simulation},
    stopping::OfScores,
};
use fiesta_posterior::{FMeasureArms, Pool, PoolOfCounts};
use fiesta_records::{self as records, Reading};
use prices::Prices;
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use serde::Serialize;
use std::path::PathBuf;
use sums::Sums;
pub(crate) use varying::Varying;

/// An arm's name, and its answer to every item.
pub(crate) type OfArm = (String, Vec<(String, f64)>);

/// Returns the answers of arms with names for arms and items, which are their numbers.
pub(crate) fn numbered(answers: impl IntoIterator<Item = Vec<f64>>) -> Vec<OfArm> {
    let named = answers.into_iter().enumerate().map(|(arm, answers)| {
        let answers = answers.into_iter().enumerate();
        let answers = answers.map(|(item, answer)| (item.to_string(), answer));
        (format!("arm{arm}"), answers.collect())
    });
    named.collect()
}

/// Results on a pool at a confidence: a row of the table.
#[derive(Debug, Clone, Serialize)]
struct Row {
    arms: String,
    cells: u64,
    policy: String,
    confidence: f64,
    evaluations: Estimate,
    /// The mean share of a pool's answers (arm and item) that were evaluated.
    share: f64,
    wrong: Estimate,
    tied: f64,
    runs: u64,
    /// The share of noise where answers vary when asked again, and the share of runs that were
    /// given up before anything could be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    varying: Option<OfVarying>,
    /// Costs of the row, if answers have prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    priced: Option<Priced>,
}

/// Noise of a row whose answers vary, and the share of runs without a verdict.
#[derive(Debug, Clone, Copy, Serialize)]
struct OfVarying {
    noise: f64,
    open: f64,
}

/// Costs of the answers of a row.
#[derive(Debug, Clone, Serialize)]
struct Priced {
    prices: Prices,
    cost: Estimate,
    blind: Estimate,
    /// Relative change of the cost against the policy's cost: their ratio less 1.
    change: f64,
    blind_wrong: Estimate,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let arms = arguments.answers.as_ref().map(read).transpose()?;
    let arms = arms.unwrap_or_default();
    let mut rows = Vec::new();
    for made_up in &arguments.made_up {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        let pools = (0..arguments.runs).map(|_| made_up.pool(&mut rng));
        let pools: Vec<Vec<OfArm>> = pools.collect();
        let pools: Vec<&[OfArm]> = pools.iter().map(Vec::as_slice).collect();
        let name = made_up.to_string();
        rows.extend(measure(arguments, &name, &pools, 1)?);
    }
    let is_whole = arguments.answers.is_some() && arguments.subsets.is_empty();
    let all = (arguments.ranks.is_empty() && is_whole).then_some(Ranks::All);
    for ranks in arguments.ranks.iter().chain(&all) {
        let (name, chosen) = ranks.choose(&arms)?;
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
    if !arguments.varying.is_empty() {
        columns.insert(2, ("noise", "{varying.noise:%0}"));
        columns.push(("open", "{varying.open:%1}"));
    }
    if !arguments.prices.is_empty() {
        columns.extend([
            ("<prices", "{priced.prices}"),
            ("cost", "{priced.cost:.0}"),
            ("blind", "{priced.blind:.0}"),
            ("change", "{priced.change:%1}"),
            ("wrong, blind", "{priced.blind_wrong:%1}"),
        ]);
    }
    arguments.output.show_rows("pools", &rows, &columns)
}

/// Returns the arms from the best to the worst, with their answers.
pub(crate) fn read(path: &PathBuf) -> Result<Vec<OfArm>, Failure> {
    let options = Reading {
        bounds: Some((0.0, 1.0)),
        ..Reading::default()
    };
    let records = records::read(path, &options)?;
    let mut arms: Vec<OfArm> = records
        .arms()
        .iter()
        .map(|name| (name.clone(), Vec::new()))
        .collect();
    for record in records.records().iter() {
        let answers = &mut arms[record.arm.index()].1;
        let item = record.split.unwrap_or(answers.len() as u64);
        answers.push((item.to_string(), Direction::Maximize.orient(record.score)));
    }
    let total = |arm: &OfArm| arm.1.iter().map(|(_, score)| score).sum::<f64>();
    arms.sort_by(|a, b| total(b).total_cmp(&total(a)));
    Ok(arms)
}

/// Measures `runs` runs on each of these sets of arms, as one row: without prices, or under each
/// pattern of prices.
fn measure(
    arguments: &Arguments,
    name: &str,
    sets: &[&[OfArm]],
    runs: u64,
) -> Result<Vec<Row>, Failure> {
    if !arguments.varying.is_empty() {
        let mut rows = Vec::new();
        for &share in &arguments.varying {
            let sums = varying(arguments, sets, runs, share)?;
            for (&level, sum) in arguments.confidence.iter().zip(&sums) {
                let mut row = sum.row(name, sets, (&arguments.policy, level), None);
                let open = sum.capped as f64 / sum.runs as f64;
                row.varying = Some(OfVarying { noise: share, open });
                rows.push(row);
            }
        }
        return Ok(rows);
    }
    if arguments.prices.is_empty() {
        let sums = replay(arguments, sets, runs, None, &arguments.policy)?;
        let mut rows = Vec::new();
        for (&level, sum) in arguments.confidence.iter().zip(&sums) {
            let row = sum.row(name, sets, (&arguments.policy, level), None);
            let others = beside::rows(arguments, &row, sets, runs)?;
            rows.push(row);
            rows.extend(others);
        }
        return Ok(rows);
    }
    let mut rows = Vec::new();
    for &prices in &arguments.prices {
        let told = replay(arguments, sets, runs, Some(prices), AHEAD)?;
        let blind = replay(arguments, sets, runs, Some(prices), &arguments.policy)?;
        for ((&level, sum), blind) in arguments.confidence.iter().zip(&told).zip(&blind) {
            let (cost, of_blind) = (sum.cost.estimate(), blind.cost.estimate());
            let priced = Priced {
                prices,
                change: cost.mean / of_blind.mean - 1.0,
                cost,
                blind: of_blind,
                blind_wrong: blind.wrong(),
            };
            rows.push(sum.row(name, sets, (AHEAD, level), Some(priced)));
        }
    }
    Ok(rows)
}

/// The policy `pool` whose leader runs ahead of dearer rivals.
const AHEAD: &str = "ahead";

/// Returns the runs of a policy on each of these sets of arms, at each confidence.
fn replay(
    arguments: &Arguments,
    sets: &[&[OfArm]],
    runs: u64,
    prices: Option<Prices>,
    policy: &str,
) -> Result<Vec<Sums>, Failure> {
    let levels = &arguments.confidence;
    let mut sums = vec![Sums::default(); levels.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    // Prices and truths are drawn for each run.
    let is_drawn = prices.is_some() || arguments.positives.is_some();
    let (times, runs) = if is_drawn { (runs, 1) } else { (1, runs) };
    let each = sets.iter().flat_map(|set| (0..times).map(move |_| set));
    for (number, set) in (0..).zip(each) {
        let arms = set.len();
        let items = set.first().map_or(0, |(_, answers)| answers.len() as u64);
        let tolerance = arguments.tolerance;
        let rules = pool_rules(&arguments.stopping, levels, tolerance, (arms, items))?;
        let posterior = match arguments.posterior {
            OfF::Items => "pool",
            OfF::Documents => "f-measure",
        };
        let named = match policy {
            AHEAD => "pool",
            _ => resolve(policy, &arguments.stopping, posterior),
        };
        let make = makers::policy(named, Parameters::of(arms))?;
        let make: MakePolicy<'_> = match policy {
            AHEAD => &|| Box::new(fiesta_policies::PoolPolicy::ahead()),
            _ => &make,
        };
        let seed = arguments.seed + number;
        let summaries = if let Some(share) = arguments.positives {
            let f_beta = FBeta::F1;
            let counts = counts::of(set, share, &mut rng);
            let problem = RecordedItems::of_counts(counts, f_beta)?.within(tolerance);
            let rules = rules.iter().map(|rule| {
                move || OfScores {
                    rule: rule(),
                    f_beta,
                }
            });
            let rules: Vec<_> = rules.collect();
            let posterior = |arms| -> Box<dyn Observe<Counts>> {
                match arguments.posterior {
                    OfF::Items => Box::new(PoolOfCounts::new(arms, items, f_beta)),
                    OfF::Documents => Box::new(FMeasureArms::new(arms).documents(items)),
                }
            };
            let simulation = simulation(&problem, problem.design(), runs, seed);
            simulation.confidence(posterior, make, &rules)?
        } else {
            let mut problem = RecordedItems::of_scores(set.iter().cloned())?.within(tolerance);
            if let Some(prices) = prices {
                problem = problem.priced(prices.draw(set, arguments.ratio, &mut rng))?;
            }
            let simulation = simulation(&problem, problem.design(), runs, seed);
            simulation.confidence(|arms| Pool::new(arms, items), make, &rules)?
        };
        for (sum, summary) in sums.iter_mut().zip(&summaries) {
            sum.add(summary);
        }
    }
    Ok(sums)
}

/// Returns the runs of a policy on each of these sets of arms, with answers that vary by this share
/// of noise.
fn varying(
    arguments: &Arguments,
    sets: &[&[OfArm]],
    runs: u64,
    share: f64,
) -> Result<Vec<Sums>, Failure> {
    let levels = &arguments.confidence;
    let mut sums = vec![Sums::default(); levels.len()];
    for (number, set) in (0..).zip(sets) {
        let recorded = RecordedItems::of_scores(set.iter().cloned())?;
        let scale = Varying::new(&recorded, set, share).scale();
        // So far below the best in recorded answers is the tolerance in expected ones.
        let recorded = recorded.within(arguments.tolerance / scale);
        let problem = Varying::new(&recorded, set, share);
        let (arms, items) = (set.len(), recorded.items());
        let tolerance = arguments.tolerance;
        let rules = pool_rules(&arguments.stopping, levels, tolerance, (arms, items))?;
        let named = resolve(&arguments.policy, &arguments.stopping, "pool");
        let make = makers::policy(named, Parameters::of(arms))?;
        let cells = items * arms as u64;
        let seed = arguments.seed + number;
        let summaries = simulation(&problem, recorded.design(), runs, seed)
            .repeats(true)
            .cap(cells * arguments.rounds)
            .confidence(|arms| Pool::new(arms, items).repeating(), make, &rules)?;
        for (sum, summary) in sums.iter_mut().zip(&summaries) {
            sum.add(summary);
        }
    }
    Ok(sums)
}

/// Makes a simulation of `runs` runs on a problem. A single run is not worth a thread.
fn simulation<O: Copy + 'static>(
    problem: &dyn Problem<O>,
    design: Design,
    runs: u64,
    seed: u64,
) -> Simulation<'_, O> {
    let simulation = Simulation::new(problem, runs).design(design).seed(seed);
    if runs == 1 {
        simulation.threads(1)
    } else {
        simulation
    }
}
