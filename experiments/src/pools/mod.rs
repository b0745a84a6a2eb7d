//! Selection on item pools: evaluations and errors on recorded answers, of all arms, of windows of
//! ranks, and of random subsets; beside policies with the same budget, and with prices.

mod beside;
mod counts;
mod made_up;
mod prices;
mod varying;

use crate::{
    Failure,
    output::{Estimate, Output, Section, table},
};
use fiesta_core::{Counts, Design, Direction, FBeta, Observe, StoppingRule};
use fiesta_policies::{
    Parameters, by_name as policy_by_name, resolve,
    simulate::{MakePolicy, MakeRule, Problem, RecordedItems, Simulation, Summary},
    stopping::{Distance, OfScores, StoppingParameters, by_name as rule_by_name},
};
use fiesta_posterior::{FMeasureArms, Pool, PoolOfCounts};
use fiesta_records::{self as records, ReadOptions};
use made_up::MadeUp;
use prices::Prices;
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use serde::Serialize;
use std::{path::PathBuf, str::FromStr};
use varying::Varying;

/// The arguments of `experiments pools`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments pools math_l5_items.csv --ranks all,14-25,4-15,8-12 --runs 400
  experiments pools math_l5_items.csv --ranks 4-15 --confidence .95 --beside ucb-e,uniform
  experiments pools alpaca_eval2_items.csv --subsets 200x5,200x12 --confidence .95,.9,.8
  experiments pools math_l5_items.csv --ranks 4-15 --prices random,best-dear,best-cheap
  experiments pools math_l5_items.csv --ranks 8-12 --positives .3
  experiments pools --made-up 5x200:4:0.5:0.1 --varying 0,.25,.5,.9 --runs 500")]
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
    /// ahead, with this correlation of two arms on an item and this distance of the others from
    /// each other, in latent standard deviations; one run of each
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
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with_all = ["prices", "positives"])]
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
    /// Which arms have dear answers, drawn anew in each run: beside the policy, `pool` is run with
    /// a leader that runs ahead of dearer rivals
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    prices: Vec<Prices>,
    /// The price of a dear answer in cheap ones
    #[arg(long, value_name = "PRICE", default_value_t = 20.0, value_parser = ratio)]
    ratio: f64,
    /// Compare arms by F1: a right answer is a true positive or negative, a wrong one a false one,
    /// of items of which this share is positive, drawn anew in each run
    #[arg(long, value_name = "SHARE", conflicts_with = "prices", value_parser = share)]
    positives: Option<f64>,
    /// The posterior of F: that of single counts, or of documents
    #[arg(long, value_enum, default_value_t, requires = "positives")]
    posterior: OfF,
    /// Answers vary when asked again, and are: with some probability an answer is a fair coin's,
    /// such that this share of the variance of an arm's answers is within items
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', conflicts_with_all = ["prices", "positives", "beside"], value_parser = noise)]
    varying: Vec<f64>,
    /// How many rounds through all items of all arms a run with answers that vary is given up after
    #[arg(long, default_value_t = 10, requires = "varying", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    #[command(flatten)]
    output: Output,
}

/// A posterior of F.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum OfF {
    /// Of a pool of items of one count
    #[default]
    Items,
    /// Of documents of several counts
    Documents,
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
    /// The share of noise where answers vary when asked again, and the share of runs that were
    /// given up before anything could be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    varying: Option<OfVarying>,
    /// Where answers have prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    priced: Option<Priced>,
}

/// Of a row with answers that vary.
#[derive(Debug, Clone, Copy, Serialize)]
struct OfVarying {
    noise: f64,
    open: f64,
}

/// What the answers of a row cost.
#[derive(Debug, Clone, Serialize)]
struct Priced {
    prices: Prices,
    cost: Estimate,
    blind: Estimate,
    /// The cost beside that of the policy, less 1.
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

/// So many runs on each of these sets of arms, together: without prices, or under each pattern.
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

/// What the runs at one confidence came to.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    runs: u64,
    evaluations: Moment,
    cost: Moment,
    wrong: u64,
    tied: u64,
    capped: u64,
}

/// The sums of a quantity and of its square.
#[derive(Debug, Clone, Copy, Default)]
struct Moment {
    runs: f64,
    sum: f64,
    squares: f64,
}

impl Moment {
    fn add(&mut self, runs: u64, mean: f64, standard_error: f64) {
        let runs = runs as f64;
        let spread = standard_error * runs.sqrt();
        self.runs += runs;
        self.sum += mean * runs;
        self.squares += (mean * mean + spread * spread) * runs;
    }

    fn estimate(self) -> Estimate {
        let mean = self.sum / self.runs;
        let variance = (self.squares / self.runs - mean * mean).max(0.0);
        Estimate {
            mean,
            standard_error: (variance / self.runs).sqrt(),
        }
    }
}

impl Sums {
    fn add(&mut self, summary: &Summary) {
        self.runs += summary.runs;
        let (mean, error) = (summary.mean, summary.standard_error);
        self.evaluations.add(summary.runs, mean, error);
        let (mean, error) = (summary.cost, summary.cost_standard_error);
        self.cost.add(summary.runs, mean, error);
        self.wrong += summary.wrong;
        self.tied += summary.tied;
        self.capped += summary.capped;
    }

    fn wrong(&self) -> Estimate {
        Estimate::share(self.wrong as f64 / self.runs as f64, self.runs)
    }

    fn row(
        &self,
        name: &str,
        sets: &[&[OfArm]],
        (policy, confidence): (&str, f64),
        priced: Option<Priced>,
    ) -> Row {
        let cells = sets.first().map_or(0, |set| {
            set.iter().map(|(_, answers)| answers.len() as u64).sum()
        });
        let evaluations = self.evaluations.estimate();
        Row {
            arms: name.to_owned(),
            cells,
            policy: match policy {
                "auto" => "pool".to_owned(),
                named => named.to_owned(),
            },
            confidence,
            share: evaluations.mean / cells as f64,
            evaluations,
            wrong: self.wrong(),
            tied: self.tied as f64 / self.runs as f64,
            runs: self.runs,
            varying: None,
            priced,
        }
    }
}

/// The runs of a policy on each of these sets of arms, at each confidence.
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
        let rule = |level| rule(level).expect("it was built before");
        let parameters = Parameters {
            arms,
            ..Parameters::default()
        };
        let posterior = match arguments.posterior {
            OfF::Items => "pool",
            OfF::Documents => "f-measure",
        };
        let named = resolve(policy, &arguments.stopping, posterior);
        if policy != AHEAD {
            policy_by_name(named, &parameters)?;
        }
        let make: MakePolicy<'_> = &|| match policy {
            AHEAD => Box::new(fiesta_policies::Pool::ahead()),
            _ => policy_by_name(named, &parameters).expect("it was built before"),
        };
        let seed = arguments.seed + number;
        let summaries = if let Some(share) = arguments.positives {
            let f_beta = FBeta::F1;
            let counts = counts::of(set, share, &mut rng);
            let problem = RecordedItems::of_counts(counts, f_beta)?.within(arguments.tolerance);
            let of_counts = |level| OfScores {
                rule: rule(level),
                f_beta,
            };
            let rules = rules(levels, &of_counts);
            let posterior = |arms| -> Box<dyn Observe<Counts>> {
                match arguments.posterior {
                    OfF::Items => Box::new(PoolOfCounts::new(arms, items, f_beta)),
                    OfF::Documents => Box::new(FMeasureArms::new(arms).documents(items)),
                }
            };
            let simulation = simulation(&problem, problem.design(), runs, seed);
            simulation.confidence(posterior, make, &rules)?
        } else {
            let mut problem =
                RecordedItems::of_scores(set.iter().cloned())?.within(arguments.tolerance);
            if let Some(prices) = prices {
                problem = problem.priced(prices.draw(set, arguments.ratio, &mut rng))?;
            }
            let rules = rules(levels, &rule);
            let simulation = simulation(&problem, problem.design(), runs, seed);
            simulation.confidence(|arms| Pool::new(arms, items), make, &rules)?
        };
        for (sum, summary) in sums.iter_mut().zip(&summaries) {
            sum.add(summary);
        }
    }
    Ok(sums)
}

/// The runs of a policy on each of these sets of arms whose answers vary, with this share of noise.
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
        let rule = |level| rule(level).expect("it was built before");
        let parameters = Parameters {
            arms,
            ..Parameters::default()
        };
        let named = resolve(&arguments.policy, &arguments.stopping, "pool");
        policy_by_name(named, &parameters)?;
        let make = || policy_by_name(named, &parameters).expect("it was built before");
        let cells = items * arms as u64;
        let seed = arguments.seed + number;
        let summaries = simulation(&problem, recorded.design(), runs, seed)
            .repeats(true)
            .cap(cells * arguments.rounds)
            .confidence(
                |arms| Pool::new(arms, items).repeating(),
                make,
                &rules(levels, &rule),
            )?;
        for (sum, summary) in sums.iter_mut().zip(&summaries) {
            sum.add(summary);
        }
    }
    Ok(sums)
}

/// So many runs on a problem; a single one is not worth a thread.
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

/// What makes the rule of each level.
fn rules<'a, O, R: StoppingRule<O> + 'static>(
    levels: &[f64],
    rule: &'a (impl Fn(f64) -> R + Sync),
) -> Vec<MakeRule<'a, O>> {
    let make = |&level: &f64| {
        let boxed = move || Box::new(rule(level)) as Box<dyn StoppingRule<O>>;
        Box::new(boxed) as MakeRule<'a, O>
    };
    levels.iter().map(make).collect()
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err(format!(
            "`{text}` is no share: write a number above 0 and at most 1"
        )),
    }
}

fn noise(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err(format!(
            "`{text}` is no share of noise: write a number from 0 on and below 1"
        )),
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if ratio >= 1.0 && f64::is_finite(ratio) => Ok(ratio),
        _ => Err(format!("`{text}` is no price: write a number from 1 on")),
    }
}
