//! `fiesta belief`: P(best) of each arm from evaluations that exist already.

use super::{
    Format,
    counts::{CountsArguments, of_scores},
    exit::{Code, Failure},
    figure::FigureFile,
    scores::{OF_COUNTS, ScoresArguments},
};
use clap::ValueEnum;
use fiesta::report::analysis::belief::{
    self, BeliefMethod, BeliefOptions, BeliefReport, ItemClusters,
};
use std::path::PathBuf;

/// The arguments of `fiesta belief`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta belief scores.csv
  fiesta belief wide.csv --paired-rows        a column for each arm, and every row is a split
  fiesta belief results.jsonl --metric macro_f1 --posterior uniform --format json
  fiesta belief losses.csv --minimize --posterior pooled --method monte-carlo --draws 1000000
  fiesta belief answers.jsonl --clusters passage
  fiesta belief counts.csv --counts --alpha shared")]
pub(super) struct Arguments {
    /// CSV, JSON lines or JSON, or - for standard input
    scores: PathBuf,
    #[command(flatten)]
    reading: ScoresArguments,
    #[command(flatten)]
    counting: CountsArguments,
    /// How scores tell of means: uniform, jeffreys, pooled or paired (default: paired); of counts
    /// also f-measure (their default), the others being about the mean of the documents' F
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// How many items the pool has, where the file with a column `item` holds only part of it
    #[arg(long, value_name = "N", conflicts_with = "counts")]
    pool_size: Option<u64>,
    /// The column of the long form that says which items belong together (questions on one text),
    /// for the standard error of the best two arms' difference
    #[arg(long, value_name = "NAME", conflicts_with = "counts")]
    clusters: Option<String>,
    /// Take scores between 0 and 1 on the logit scale; scores of 0 and 1 are refused, or with a
    /// UNIT (1/N for an accuracy over N items) moved in by half of it
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "0", conflicts_with = "counts", value_parser = unit)]
    logit: Option<f64>,
    /// How to compute the probabilities
    #[arg(long, value_enum, default_value_t)]
    method: MethodArgument,
    /// Draws of the Monte Carlo method (default: 100000; paired draws as often as it needs to); of
    /// f-measure at least so many effective ones of each arm (default: 1000)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    draws: Option<u64>,
    /// Seed of the Monte Carlo method (default: 0)
    #[arg(long)]
    seed: Option<u64>,
    /// Compute the belief so often and print the median time of one computation; of paired and
    /// f-measure, with the fit
    #[arg(long, value_name = "TIMES")]
    time: Option<u32>,
    /// Also write every arm's mean with its interval to this file: .svg, .png or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = FigureFile::parse)]
    output: Option<FigureFile>,
    /// How to print the belief
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn unit(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|unit| (0.0..1.0).contains(unit))
        .ok_or_else(|| {
            "give the smallest step of the score, between 0 and 1, for example 0.001".to_owned()
        })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum MethodArgument {
    /// The posterior's own: quadrature for independent arms, Monte Carlo for paired and f-measure.
    #[default]
    Auto,
    /// By numerical integration, to 1e-9; not for paired and f-measure.
    Quadrature,
    /// By draws, with the standard error.
    MonteCarlo,
}

impl Arguments {
    fn options(&self) -> BeliefOptions {
        BeliefOptions {
            method: match self.method {
                MethodArgument::Auto => BeliefMethod::Auto,
                MethodArgument::Quadrature => BeliefMethod::Quadrature,
                MethodArgument::MonteCarlo => BeliefMethod::MonteCarlo,
            },
            draws: self.draws,
            seed: self.seed,
            logit: self.logit,
            repeat: self.time,
            clusters: None,
        }
    }
}

pub(super) fn belief(arguments: &Arguments) -> Result<Code, Failure> {
    let (reading, counting) = (&arguments.reading, &arguments.counting);
    let mut options = arguments.options();
    counting.refuse_without_counts(&[])?;
    let report = if counting.counts {
        reading.refuse_paired_rows(OF_COUNTS)?;
        let counts = counting.read(&arguments.scores, &reading.arms)?;
        let target = counting.target(arguments.posterior.as_deref(), counts.arms.len())?;
        belief::of_counts(&counts, &target, &counting.model()?, &options)?
    } else {
        // A name that is none is told of before the file is read.
        of_scores(arguments.posterior.as_deref(), "")?;
        let records = reading.records(&arguments.scores, arguments.clusters.is_some())?;
        let scores = reading.of_arms(&records, &arguments.scores)?;
        if let Some(column) = &arguments.clusters {
            let clusters = ItemClusters::new(&records, column, &scores.source)?;
            options.clusters = Some(clusters);
        }
        let scores = scores.in_pool(None, arguments.pool_size)?;
        let default = scores.default_posterior();
        let posterior = of_scores(arguments.posterior.as_deref(), default)?;
        belief::of_scores(&scores, posterior, &options)?
    };
    if let Some(file) = &arguments.output {
        file.write(&report.figure())?;
    }
    arguments.format.print(&report, BeliefReport::text)?;
    Ok(Code::Done)
}
