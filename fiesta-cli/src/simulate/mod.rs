//! `fiesta simulate`: a policy, many times, on recorded scores or counts, or Gaussian arms.

mod counts;
mod runs;
mod scores;
mod show;

use super::{
    Format,
    counts::CountsArguments,
    exit::{Code, Failure},
    scores::{OF_COUNTS, ScoresArguments},
};
use fiesta::{
    core::{Design, UnknownDesign},
    policies::{self, TieBreakName, simulate::Durations},
};
use std::path::PathBuf;

/// The arguments of `fiesta simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta simulate scores.csv --policy ttts --confidence 0.95,0.9,0.8
  fiesta simulate scores.csv --policy bts --batch 4 --splits independent
  fiesta simulate wide.csv --paired-rows
  fiesta simulate scores.csv --policy sequential-halving --budget 120,204
  fiesta simulate counts.csv --counts --confidence 0.95 --min-documents 20
  fiesta simulate --gaussian 0.65:0.03,0.63:0.03 --parallel 8 --durations exponential
  fiesta simulate --list")]
pub(super) struct Arguments {
    /// Recorded scores or, with --counts, confusion counts: CSV, JSON lines or JSON, or - for standard input
    #[arg(required_unless_present_any = ["gaussian", "list"], conflicts_with = "gaussian")]
    scores: Option<PathBuf>,
    #[command(flatten)]
    reading: ScoresArguments,
    #[command(flatten)]
    counting: CountsArguments,
    /// With --counts, the best two arms must have queried so many documents, or all, before a run may stop
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    min_documents: Option<u64>,
    /// Gaussian arms instead of recorded scores
    #[arg(long, value_name = "MEAN:SD,…", value_delimiter = ',', conflicts_with = "counts", value_parser = mean_and_sd)]
    gaussian: Vec<(f64, f64)>,
    /// The policy; --list prints their names
    #[arg(long, value_name = "NAME", default_value = "auto")]
    policy: String,
    /// The posterior (default: paired); of counts f-measure (their default), or another about the mean of the documents' F
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// The stopping rule
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    stopping: String,
    /// How far below the best the recommended arm may be, in the unit of the scores
    #[arg(
        long,
        value_name = "EPSILON",
        default_value_t = 0.0,
        conflicts_with = "budget"
    )]
    tolerance: f64,
    /// Which splits evaluations get; of counts, every run has a random order of the documents
    #[arg(long, value_name = "shared|independent", default_value = "shared", conflicts_with = "counts", value_parser = splits)]
    splits: Design,
    /// Run until these confidences are reached (default: 0.95)
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        conflicts_with = "budget"
    )]
    confidence: Vec<f64>,
    /// Run until these numbers of evaluations are spent
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    budget: Vec<u64>,
    /// Evaluations per synchronous batch
    #[arg(long, value_name = "B", conflicts_with_all = ["parallel", "durations"], value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// Evaluations in flight at once
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    parallel: u32,
    /// How long evaluations take: constant, exponential, high-late or high-early
    #[arg(long, value_name = "KIND", default_value = "constant")]
    durations: Durations,
    /// The share of the leader in top-two policies
    #[arg(long)]
    beta: Option<f64>,
    /// How top-two policies choose between leader and challenger: coin, balanced or cost-aware
    #[arg(long, value_name = "NAME")]
    tie_break: Option<TieBreakName>,
    /// Let sequential halving also spend what its divisions leave over
    #[arg(long)]
    extended: bool,
    /// How many runs
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Give a run up after so many evaluations (default: 100 per arm, as of a study without a budget; of documents, no cap)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,
    /// Print the names of policies, posteriors and stopping rules
    #[arg(long)]
    list: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    /// The policy's own name.
    fn policy(&self) -> &str {
        policies::resolve(&self.policy, &self.stopping)
    }

    /// Whether runs stop with a promise of how often they err.
    fn claims_a_rate_of_errors(&self) -> bool {
        self.stopping == "anytime" && self.budget.is_empty()
    }
}

pub(super) fn mean_and_sd(text: &str) -> Result<(f64, f64), String> {
    text.split_once(':')
        .and_then(|(mean, sd)| Some((mean.trim().parse().ok()?, sd.trim().parse().ok()?)))
        .ok_or_else(|| "give a mean and a standard deviation, for example 0.65:0.03".to_owned())
}

pub(super) fn splits(text: &str) -> Result<Design, String> {
    match text.parse() {
        Ok(Design::Fixed) => {
            let file = "give a file of that split's scores";
            Err(format!(
                "for one fixed split, {file}; else use shared or independent"
            ))
        }
        other => other.map_err(|error: UnknownDesign| error.to_string()),
    }
}

pub(super) fn simulate(arguments: &Arguments) -> Result<Code, Failure> {
    let least = ("min-documents", arguments.min_documents.is_some());
    arguments.counting.refuse_without_counts(&[least])?;
    if arguments.list {
        show::list(arguments.format)?;
    } else if arguments.counting.counts {
        arguments.reading.refuse_paired_rows(OF_COUNTS)?;
        counts::simulate(arguments)?;
    } else {
        scores::simulate(arguments)?;
    }
    Ok(Code::Done)
}
