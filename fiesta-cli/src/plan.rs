//! `fiesta plan`: how many evaluations a study will need.

use super::{
    Format,
    exit::{Code, Failure},
    scores::ScoresArguments,
    simulate::{mean_and_sd, splits},
};
use fiesta::{
    core::Design,
    report::analysis::{
        AnalysisError,
        plan::{PlanOptions, PlanReport, SupposedArms},
    },
};
use std::{path::PathBuf, time::Duration};

/// The arguments of `fiesta plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta plan --arms 8 --gap 0.014 --sd 0.027 --split-sd 0.02
  fiesta plan pilot.csv --confidence 0.95,0.9 --cost-per-evaluation 40m --parallel 4
  fiesta plan --gaussian 0.65:0.03,0.63:0.03,0.6:0.04 --splits independent")]
#[command(group(clap::ArgGroup::new("supposed").required(true).args(["scores", "gaussian", "gap"])))]
pub(super) struct Arguments {
    /// Pilot scores, from which means and standard deviations are estimated: CSV, JSON lines or
    /// JSON, or - for standard input
    scores: Option<PathBuf>,
    #[command(flatten)]
    reading: ScoresArguments,
    /// Supposed means and standard deviations
    #[arg(long, value_name = "MEAN:SD,…", value_delimiter = ',', value_parser = mean_and_sd)]
    gaussian: Vec<(f64, f64)>,
    /// A guess: with --arms K and --sd, one of K arms is so much better than each of the others
    #[arg(long, value_name = "GAP", requires_all = ["arms", "sd"])]
    gap: Option<f64>,
    /// The standard deviation of a score over splits and seeds, for the guess
    #[arg(long, value_name = "SD", requires = "gap")]
    sd: Option<f64>,
    /// How much of it lies between splits; on shared splits that part cancels
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
    /// What one evaluation takes, for example 40m, to express all totals in hours
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    cost_per_evaluation: Option<Duration>,
    /// How many studies are simulated
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of the simulation
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Give a simulated study up after so many evaluations (default: 100 per arm, as of a study
    /// without a budget)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn confidence(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(level) if level > 0.5 && level < 1.0 => Ok(level),
        _ => Err("give a confidence between 0.5 and 1, for example 0.95".to_owned()),
    }
}

pub(super) fn plan(arguments: &Arguments) -> Result<Code, Failure> {
    let options = PlanOptions {
        confidence: arguments.confidence.clone(),
        power: arguments.power,
        parallel: arguments.parallel,
        cost_per_evaluation: arguments.cost_per_evaluation,
        runs: arguments.runs,
        seed: arguments.seed,
        cap: arguments.cap,
    };
    let report = PlanReport::new(&supposed(arguments)?, &options)?;
    arguments.format.print(&report, PlanReport::text)?;
    Ok(Code::Done)
}

/// The arms of pilot scores, of the moments that are given, or of a guess.
fn supposed(arguments: &Arguments) -> Result<SupposedArms, Failure> {
    let direction = arguments.reading.direction();
    if let Some(file) = &arguments.scores {
        let scores = arguments.reading.read(file)?;
        let supposed = SupposedArms::of_scores(&scores, arguments.splits);
        return supposed.map_err(|error| match error {
            AnalysisError::NoSharedSplits => {
                let rows = match scores.unpaired {
                    Some(_) => ", or if the rows of the file are splits, say so with --paired-rows",
                    None => "",
                };
                Failure::Usage(format!("{error} (--splits independent){rows}"))
            }
            other => other.into(),
        });
    }
    let moments: Vec<(f64, f64)> = match (arguments.gap, arguments.sd) {
        (Some(gap), Some(sd)) => {
            let mut moments = vec![(0.0, sd); count(&arguments.reading.arms)?];
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
    // A study of more arms than this would not fit into memory.
    match arms {
        [number] => number
            .trim()
            .parse()
            .ok()
            .filter(|arms| (2..=100_000).contains(arms)),
        _ => None,
    }
    .ok_or_else(|| {
        Failure::Usage("with --gap, --arms is how many arms there are, 2 or more".to_owned())
    })
}
