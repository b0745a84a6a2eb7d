//! `fiesta plan`: how many evaluations a study will need.

use super::{
    Format,
    exit::{Code, Failure},
    results::{MOST_ARMS, ReadingArguments, Said},
    simulate::{mean_and_sd, splits},
    waiting::Waiting,
};
use fiesta::{
    Design,
    report::analysis::{
        AnalysisError,
        plan::{AnyPlan, PlanOptions, SupposedArms},
        pool::SupposedPool,
    },
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The arguments of `fiesta plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta plan --arms 8 --gap 0.014 --sd 0.027 --split-sd 0.02
  fiesta plan pilot.csv --confidence 0.95,0.9 --cost-per-evaluation 40m --parallel 4
  fiesta plan pilot.csv --arm model --score test_acc --split fold
  fiesta plan --items 1000 --arms 6 --gap 0.02 --correlation 0.5
  fiesta plan pilot.csv --pool-size 1000                  a column `item`: from the answers of a pilot
  fiesta plan --gaussian 0.65:0.03,0.63:0.03,0.6:0.04 --splits independent")]
#[command(
    override_usage = "fiesta plan [OPTIONS] <SCORES> [MORE]...\n       fiesta plan [OPTIONS] --gaussian <MEAN:SD,…>\n       fiesta plan [OPTIONS] --gap <GAP>"
)]
#[command(group(clap::ArgGroup::new("noise").args(["sd", "items"])))]
#[command(group(clap::ArgGroup::new("supposed").required(true).args(["scores", "gaussian", "gap"])))]
pub(super) struct Arguments {
    /// Pilot scores, from which means and standard deviations are estimated: CSV, JSON lines or
    /// JSON, another tool's results, or a directory of logs of answers; - is the standard input
    scores: Option<PathBuf>,
    /// Further logs of answers, which are read together with the first
    #[arg(value_name = "MORE", requires = "scores")]
    more: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Supposed means and standard deviations
    #[arg(long, value_name = "MEAN:SD,…", value_delimiter = ',', value_parser = mean_and_sd)]
    gaussian: Vec<(f64, f64)>,
    /// A guess: with --arms K, and --sd or --items, one of K arms is better by GAP than each of the
    /// others, or than the second where there are --items
    #[arg(long, value_name = "GAP", requires_all = ["arms", "noise"])]
    gap: Option<f64>,
    /// A pool of N items, which every arm answers right or wrong at most once
    #[arg(long, value_name = "N", requires = "gap", conflicts_with_all = ["sd", "split_sd", "splits", "cap", "minimize", "metric"], value_parser = clap::value_parser!(u32).range(5..=1_000_000))]
    items: Option<u32>,
    /// How alike two arms answer an item, in latent normal variables (default: 0.5)
    #[arg(long, value_name = "RHO", requires = "items")]
    correlation: Option<f64>,
    /// How far the arms other than the best two are from each other, in latent standard deviations
    /// (default: 0, all as good as the second)
    #[arg(long, value_name = "S", requires = "items")]
    spread: Option<f64>,
    /// The items of the pilot are a random sample of a pool of N items
    #[arg(long, value_name = "N", requires = "scores")]
    pool_size: Option<u64>,
    /// In a pool, how far below the best the named arm may be (default: 0)
    #[arg(long, value_name = "DIFFERENCE")]
    tolerance: Option<f64>,
    /// The standard deviation of a score over splits and seeds, for the guess
    #[arg(long, value_name = "SD", requires = "gap")]
    sd: Option<f64>,
    /// How much of the standard deviation lies between splits; on shared splits that part cancels
    #[arg(long, value_name = "SD", conflicts_with = "scores")]
    split_sd: Option<f64>,
    /// Which splits evaluations get (default: shared; independent for pilot scores that share no
    /// splits)
    #[arg(long, value_name = "shared|independent", value_parser = splits)]
    splits: Option<Design>,
    /// The confidences to plan for
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',', default_value = "0.95", value_parser = confidence)]
    confidence: Vec<f64>,
    /// The power of the classical tests
    #[arg(long, value_name = "POWER", default_value_t = 0.8)]
    power: f64,
    /// Evaluations in flight at once
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    parallel: u32,
    /// Duration of one evaluation, for example 40m, to express all totals in hours
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    cost_per_evaluation: Option<Duration>,
    /// How many studies are simulated
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Give a simulated study up after N evaluations (default: 100 per arm, as of a study
    /// without a budget)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn confidence(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(level) if level > 0.5 && level < 1.0 => Ok(level),
        _ => Err("give a confidence between 0.5 and 1, for example 0.95".to_owned()),
    }
}

pub(super) fn plan(arguments: &Arguments) -> Result<Code, Failure> {
    let reading = &arguments.reading.scores;
    let seed = reading.drawing_seed()?.unwrap_or(0);
    let waiting = Waiting::new("simulating studies; fewer --runs take less time");
    let options = arguments.options(seed);
    let (plan, said) = match (&arguments.scores, arguments.items, arguments.gap) {
        (Some(file), ..) => of_pilot(arguments, &options, file)?,
        (None, Some(items), Some(gap)) => {
            let pool = supposed_pool(arguments, items, gap)?;
            (options.of_pool(pool)?, Said::default())
        }
        _ => (options.of_arms(&supposed(arguments)?)?, Said::default()),
    };
    drop(waiting);
    if arguments.scores.is_none() {
        arguments.reading.foreign.refuse()?;
        reading.refuse_columns("there is no file")?;
    }
    let format = arguments.format;
    format.print_told(&plan, &said, AnyPlan::text_within)?;
    Ok(Code::Done)
}

impl Arguments {
    fn options(&self, seed: u64) -> PlanOptions {
        PlanOptions {
            confidence: self.confidence.clone(),
            power: self.power,
            parallel: self.parallel,
            cost_per_evaluation: self.cost_per_evaluation,
            runs: self.runs,
            seed,
            cap: self.cap,
            design: self.splits,
            pool_size: self.pool_size,
            tolerance: self.tolerance,
        }
    }
}

/// Returns the made-up pool of items that the arguments describe.
fn supposed_pool(arguments: &Arguments, items: u32, gap: f64) -> Result<SupposedPool, Failure> {
    let gap_items = (gap.abs() * f64::from(items)).round();
    if !(1.0..1e6).contains(&gap_items) {
        return Err(Failure::Usage(format!(
            "a gap of {gap} in {items} items is less than one item, or no share: two arms of a pool are at least 1/{items} apart"
        )));
    }
    Ok(SupposedPool {
        arms: count(&arguments.reading.scores.arms)?,
        items: usize::try_from(items).unwrap_or(usize::MAX),
        gap_items: fiesta::whole(gap_items),
        correlation: arguments.correlation.unwrap_or(0.5),
        spread: arguments.spread.unwrap_or(0.0),
    })
}

/// Returns the plan from the scores of a pilot, and notices about the pilot's file.
fn of_pilot(
    arguments: &Arguments,
    options: &PlanOptions,
    file: &Path,
) -> Result<(AnyPlan, Said), Failure> {
    let (scores, said) = arguments.reading.scores_of(file, &arguments.more)?;
    let plan = options.of_pilot(&scores).map_err(|error| match error {
        AnalysisError::NoSharedSplits => {
            let rows = match scores.unpaired {
                Some(_) => ", or if the rows of the file are splits, say so with --paired-rows",
                None => "",
            };
            Failure::Usage(format!("{error} (--splits independent){rows}"))
        }
        other => other.into(),
    })?;
    Ok((plan, said))
}

/// Returns arms with supposed means and standard deviations, as given or by a guess.
fn supposed(arguments: &Arguments) -> Result<SupposedArms, Failure> {
    let direction = arguments.reading.asked_direction().unwrap_or_default();
    let moments: Vec<(f64, f64)> = match (arguments.gap, arguments.sd) {
        (Some(gap), Some(sd)) => {
            let mut moments = vec![(0.0, sd); count(&arguments.reading.scores.arms)?];
            moments[0].0 = direction.orient(gap.abs());
            moments
        }
        _ => arguments.gaussian.clone(),
    };
    let design = arguments.splits.unwrap_or_default();
    let split_sd = arguments.split_sd.unwrap_or(0.0);
    Ok(SupposedArms::gaussian(
        &moments, split_sd, design, direction,
    )?)
}

fn count(arms: &[String]) -> Result<usize, Failure> {
    match arms {
        [number] => number
            .trim()
            .parse()
            .ok()
            .filter(|arms| (2..=MOST_ARMS).contains(arms)),
        _ => None,
    }
    .ok_or_else(|| {
        Failure::Usage(format!(
            "with --gap, --arms is how many arms there are, from 2 to {MOST_ARMS}"
        ))
    })
}
