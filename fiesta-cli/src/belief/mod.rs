//! `fiesta belief`: P(best) of each arm from evaluations that exist already.

mod counts;
mod f_measure;
mod scores;

use super::{
    Format,
    counts::CountsArguments,
    exit::{Code, Failure},
    scores::{OF_COUNTS, ScoresArguments},
};
use clap::ValueEnum;
use fiesta::core::Belief;
use std::{path::PathBuf, time::Instant};

/// The arguments of `fiesta belief`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta belief scores.csv
  fiesta belief wide.csv --paired-rows        a column for each arm, and every row is a split
  fiesta belief results.jsonl --metric macro_f1 --posterior uniform --format json
  fiesta belief losses.csv --minimize --posterior pooled --method monte-carlo --draws 1000000
  fiesta belief counts.csv --counts --alpha shared")]
pub(super) struct Arguments {
    /// CSV, JSON lines or JSON, or - for standard input
    scores: PathBuf,
    #[command(flatten)]
    reading: ScoresArguments,
    #[command(flatten)]
    counting: CountsArguments,
    /// How scores tell of means: uniform, jeffreys, pooled or paired (default: paired); of counts also f-measure (their default), the
    /// others being about the mean of the documents' F
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// Take scores between 0 and 1 on the logit scale; scores of 0 and 1 are refused, or with a UNIT (1/N for an
    /// accuracy over N items) moved in by half of it
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "0", conflicts_with = "counts", value_parser = unit)]
    logit: Option<f64>,
    /// How to compute the probabilities
    #[arg(long, value_enum, default_value_t)]
    method: MethodArgument,
    /// Draws of the Monte Carlo method (default: 100000; paired draws as often as it needs to); of f-measure at least so many effective
    /// ones of each arm (default: 1000)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    draws: Option<u64>,
    /// Seed of the Monte Carlo method (default: 0)
    #[arg(long)]
    seed: Option<u64>,
    /// Compute the belief so often and print the median time of one computation; of paired and f-measure, with the fit
    #[arg(long, value_name = "TIMES")]
    time: Option<u32>,
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

pub(super) fn belief(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.counting.refuse_without_counts(&[])?;
    if arguments.counting.counts {
        arguments.reading.refuse_paired_rows(OF_COUNTS)?;
        counts::belief(arguments)?;
    } else {
        scores::belief(arguments)?;
    }
    Ok(Code::Done)
}

/// The method that a posterior whose probabilities are sampled does not have.
fn no_quadrature(posterior: &str) -> Failure {
    Failure::Usage(format!(
        "the posterior {posterior} has no quadrature: leave --method out, or take --posterior pooled, of independent arms"
    ))
}

/// How sure the probabilities are themselves.
fn accuracy(posterior: &str, belief: &Belief) -> String {
    let what = match belief.method {
        fiesta::core::Method::MonteCarlo => "standard error at most",
        _ => "error at most",
    };
    format!(
        "posterior {posterior}; {what} {:.1e}",
        belief.absolute_error
    )
}

fn duration(seconds: f64) -> String {
    format!("{:.1} µs per belief (median)", seconds * 1e6)
}

fn median_seconds(
    times: u32,
    compute: impl Fn() -> Result<Belief, Failure>,
) -> Result<f64, Failure> {
    let mut seconds = (0..times.max(1))
        .map(|_| {
            let began = Instant::now();
            std::hint::black_box(compute()?);
            Ok(began.elapsed().as_secs_f64())
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}
