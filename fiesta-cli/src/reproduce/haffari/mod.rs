//! The experiments of Haffari, Tran & Carman (EACL 2017) on made-up documents.

mod baseline;
mod initial;
mod measure;
mod methods;
mod parallel;
mod show;
mod systems;
mod truth;

use super::{Code, Failure, Format, print};
use crate::say;
use measure::Plan;
use methods::Model;

/// The arguments of `fiesta reproduce haffari`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  fiesta reproduce haffari
  fiesta reproduce haffari --full --seed 1 --format json > haffari.json
  fiesta reproduce haffari --calibration --runs 200
  fiesta reproduce haffari --alphas 1 --lengths 100 --policy ts,pets --theta0 0.4,0.1,0.4,0.1 --runs 100")]
pub(super) struct Arguments {
    /// How many runs of each method in each cell (default: 20, with --full 200)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// Draw so many configurations of systems, on which the runs are spread evenly (default: one for each run)
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u64).range(1..))]
    configurations: Option<u64>,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many systems compete
    #[arg(long, value_name = "K", default_value_t = 5)]
    systems: usize,
    /// By how much the best F₁ leads the second
    #[arg(long, default_value_t = 0.05)]
    margin: f64,
    #[command(flatten)]
    lead: Lead,
    /// End when a system is best with probability 1 − delta; also the level of the t-tests
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
    /// The concentrations of the documents: small where they differ a lot, inf where all are alike
    #[arg(
        long,
        value_name = "ALPHA,…",
        value_delimiter = ',',
        default_value = "0.3,1,10,100,inf"
    )]
    alphas: Vec<f64>,
    /// The lengths N of the documents (default: 100, with --full or --calibration 25,100,400)
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    lengths: Vec<u64>,
    /// The policies (default: ts,pets,auto, with --calibration auto)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    policy: Vec<String>,
    /// The concentration of documents that the paper's model takes for granted
    #[arg(long, default_value_t = 1.0)]
    alpha: f64,
    /// How much the prior of θ weighs: Dirichlet(alpha0·theta0)
    #[arg(long, default_value_t = 1.0)]
    alpha0: f64,
    /// The prior's expected shares of TP, FP, TN, FN
    #[arg(
        long,
        value_name = "TP,FP,TN,FN",
        value_delimiter = ',',
        default_value = "0.25,0.25,0.25,0.25"
    )]
    theta0: Vec<f64>,
    /// Effective draws from the posterior of each system (default: 1000 with the paper's fixed concentration, else as studies have)
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000_000))]
    draws: Option<usize>,
    /// Queries of each system before anything is decided; a posterior may require more
    #[arg(long, default_value_t = 1)]
    initial: u64,
    /// The share of the leader in pets
    #[arg(long, default_value_t = 0.5)]
    beta: f64,
    /// The posterior of the Gaussian model with unknown variance
    #[arg(long, value_name = "NAME", default_value = "uniform")]
    gaussian: String,
    /// Give a run up after so many queries
    #[arg(long, default_value_t = 5000)]
    cap: u64,
    /// Only how often the default errs, beside the paper's model, whatever documents are like
    #[arg(long)]
    calibration: bool,
    /// All documents' lengths, and 200 runs: hours
    #[arg(long)]
    full: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How near to the margin the lead of the best has to be.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(multiple = false)]
struct Lead {
    /// By exactly the margin, to within a tenth of it: the default
    #[arg(long)]
    exact: bool,
    /// By the margin or more
    #[arg(long)]
    at_least: bool,
}

impl Arguments {
    fn runs(&self) -> u64 {
        self.runs.unwrap_or(if self.full { 200 } else { 20 })
    }

    fn configurations(&self) -> u64 {
        self.configurations.unwrap_or(self.runs())
    }

    /// The runs on each configuration.
    fn runs_each(&self) -> u64 {
        self.runs() / self.configurations()
    }

    /// The documents of each cell: (α, N).
    fn kinds(&self) -> Vec<(f64, u64)> {
        let lengths = match (&self.lengths[..], self.full || self.calibration) {
            ([], true) => &[25, 100, 400][..],
            ([], false) => &[100],
            (lengths, _) => lengths,
        };
        let of = |&alpha: &f64| lengths.iter().map(move |&length| (alpha, length));
        self.alphas.iter().flat_map(of).collect()
    }

    fn policies(&self) -> Vec<String> {
        let names: &[&str] = match (self.policy.is_empty(), self.calibration) {
            (false, _) => return self.policy.clone(),
            (true, true) => &["auto"],
            (true, false) => &["ts", "pets", "auto"],
        };
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn theta0(&self) -> Result<[f64; 4], Failure> {
        let four: Option<[f64; 4]> = self.theta0.as_slice().try_into().ok();
        four.filter(|theta0| {
            theta0.iter().all(|&share| share > 0.0)
                && (theta0.iter().sum::<f64>() - 1.0).abs() < 1e-9
        })
        .ok_or_else(|| {
            Failure::Usage(format!(
                "--theta0 {:?} must be four shares above 0 that add up to 1: of TP, FP, TN, FN",
                self.theta0
            ))
        })
    }

    fn check(&self) -> Result<(), Failure> {
        let usage = |words: String| Err(Failure::Usage(words));
        if self.systems < 2 {
            return usage(format!("--systems {}: at least two compete", self.systems));
        }
        if !(self.margin > 0.0 && self.margin < 1.0) {
            return usage(format!("--margin {} must lie between 0 and 1", self.margin));
        }
        if !(self.delta > 0.0 && self.delta < 0.5) {
            return usage(format!("--delta {} must lie between 0 and 0.5", self.delta));
        }
        if !self.runs().is_multiple_of(self.configurations()) {
            return usage(format!(
                "{} runs cannot be spread evenly on {} configurations",
                self.runs(),
                self.configurations()
            ));
        }
        self.theta0().map(|_| ())
    }
}

pub(super) fn haffari(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.check()?;
    let plan = if arguments.calibration {
        Plan {
            models: vec![Model::Learned, Model::Fixed],
            baselines: false,
        }
    } else {
        Plan {
            models: Model::ALL.to_vec(),
            baselines: true,
        }
    };
    let cells = measure::cells(arguments, &plan)?;
    match arguments.format {
        Format::Json => print(show::document(arguments, &cells))?,
        Format::Text => show::text(arguments, &cells)?,
    }
    Ok(Code::Done)
}

#[cfg(test)]
impl Arguments {
    /// Those of the command without any flag.
    fn standard() -> Self {
        #[derive(clap::Parser)]
        struct Alone {
            #[command(flatten)]
            arguments: Arguments,
        }
        <Alone as clap::Parser>::parse_from(["haffari"]).arguments
    }
}
