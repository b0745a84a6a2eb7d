//! `fiesta simulate`: a policy, many times, on recorded scores or counts, or Gaussian arms.

use super::{
    Format,
    counts::CountsArguments,
    exit::{Code, Failure},
    figure::FigureFile,
    results::{ReadingArguments, Said},
    waiting::Waiting,
};
use fiesta::{
    Design, Target as ItemsTarget, UnknownDesign,
    policies::{
        self, PolicyError, TieBreakName,
        simulate::{Durations, RecordedError},
        stopping::{self, Distance, StoppingError},
    },
    posterior::{self, f_measure},
    report::{
        Align, Table,
        analysis::{
            AnalysisError, CountsTarget, of_scores_alone,
            simulation::{self, Goals, SimulationOptions, SimulationReport},
        },
    },
};
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `fiesta simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta simulate scores.csv --policy ttts --confidence 0.95,0.9,0.8
  fiesta simulate scores.csv --policy bts --batch 4 --splits independent
  fiesta simulate wide.csv --paired-rows
  fiesta simulate runs.csv --arm model --score test_acc --split fold --seed random_state
  fiesta simulate scores.csv --policy sequential-halving --budget 120,204
  fiesta simulate counts.csv --counts --confidence 0.95 --min-documents 20
  fiesta simulate --gaussian 0.65:0.03,0.63:0.03 --parallel 8 --durations exponential
  fiesta simulate --list")]
pub(super) struct Arguments {
    /// Recorded scores or, with --counts, confusion counts: CSV, JSON lines or JSON, or another
    /// tool's results; - is the standard input
    #[arg(required_unless_present_any = ["gaussian", "list"], conflicts_with = "gaussian")]
    scores: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    counting: CountsArguments,
    /// With --counts, the best two arms must have queried N documents, or all, before a run
    /// may stop
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    min_documents: Option<u64>,
    /// Gaussian arms instead of recorded scores
    #[arg(long, value_name = "MEAN:SD,…", value_delimiter = ',', conflicts_with = "counts", value_parser = mean_and_sd)]
    gaussian: Vec<(f64, f64)>,
    /// The policy; --list prints their names
    #[arg(long, value_name = "NAME", default_value = "auto")]
    policy: String,
    /// The posterior (default: paired); of counts f-measure (their default), or another about the
    /// mean of the documents' F
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// The stopping rule
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    stopping: String,
    /// How far below the best the recommended arm may be: in the unit of the scores, or such as
    /// "0.1 sd" in standard deviations of the difference between two arms on a split
    #[arg(long, value_name = "DISTANCE", default_value_t = Distance::ZERO, conflicts_with_all = ["budget", "shortfall"])]
    tolerance: Distance,
    /// How far below the best arms may be that are called tied; 0 for no ties (default: 0.3 sd; of
    /// counts 0)
    #[arg(long, value_name = "DISTANCE", conflicts_with_all = ["budget", "shortfall"])]
    tie: Option<Distance>,
    /// Name an arm only at the probability 1 − (1 − confidence)²: of equal arms seldom one
    #[arg(long, conflicts_with_all = ["budget", "shortfall", "tolerance"])]
    strict: bool,
    /// Run until the expected loss of the choice is no more than these values
    #[arg(long, value_name = "DISTANCE,…", value_delimiter = ',', conflicts_with_all = ["budget", "confidence", "stopping"])]
    shortfall: Vec<Distance>,
    /// With the stopping rule anytime, name no arm before failures of this rate would have shown
    #[arg(long, value_name = "RATE", conflicts_with_all = ["budget", "shortfall"])]
    rare_failures: Option<f64>,
    /// Which splits evaluations get; of counts, every run has a random order of the documents
    #[arg(long, value_name = "shared|independent", default_value = "shared", conflicts_with = "counts", value_parser = splits)]
    splits: Design,
    /// Which items of a pool the verdict is of: "these items", or "items like these": then each run
    /// draws as many items from the file as it has, with replacement
    #[arg(
        long,
        value_name = "WORDS",
        default_value_t,
        hide_default_value = true,
        conflicts_with_all = ["counts", "gaussian"]
    )]
    target: ItemsTarget,
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
    /// The number of simulated runs
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Give a run up after N evaluations (default: 100 per arm, as of a study without a
    /// budget; of documents, no cap)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cap: Option<u64>,
    /// Print the names of policies, posteriors and stopping rules
    #[arg(long)]
    list: bool,
    /// Also write the share of runs that named the best arm against the evaluations to this file:
    /// .svg, .png or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = FigureFile::parse)]
    output: Option<FigureFile>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    fn options(&self) -> Result<SimulationOptions, Failure> {
        let options = SimulationOptions {
            policy: self.policy.clone(),
            stopping: self.stopping.clone(),
            tolerance: self.tolerance,
            tie: self.tie.unwrap_or(if self.counting.are_counts() {
                Distance::ZERO
            } else {
                stopping::TIE
            }),
            strict: self.strict,
            bounds: self.reading.scores.bounds,
            rare_failures: self.rare_failures,
            goals: if !self.budget.is_empty() {
                Goals::Budget(self.budget.clone())
            } else if !self.shortfall.is_empty() {
                Goals::Shortfall(self.shortfall.clone())
            } else if self.confidence.is_empty() {
                Goals::Confidence(vec![0.95])
            } else {
                Goals::Confidence(self.confidence.clone())
            },
            runs: self.runs,
            seed: self.reading.scores.drawing_seed()?.unwrap_or(0),
            workers: self.batch.unwrap_or(self.parallel),
            durations: self.durations,
            cap: self.cap,
            beta: self.beta,
            tie_break: self.tie_break,
            extended: self.extended,
            repeats: false,
            items: None,
        };
        let given = [
            ("beta", self.beta.is_some()),
            ("tie-break", self.tie_break.is_some()),
            ("extended", self.extended),
        ];
        let of_policy =
            policies::parameters_of(options.policy(self.posterior.as_deref().unwrap_or_default()));
        let mut foreign = given
            .iter()
            .filter(|(name, given)| *given && !of_policy.contains(name));
        match foreign.next() {
            Some((name, _)) => Err(Failure::Usage(format!(
                "the policy {} takes no --{name}",
                self.policy
            ))),
            None => Ok(options),
        }
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
        arguments.format.print(&Names::all(), Names::text_within)?;
        return Ok(Code::Done);
    }
    let (report, said) = if arguments.counting.are_counts() {
        let (report, notices) = on_counts(arguments)?;
        (report, Said::of(notices))
    } else {
        on_scores(arguments)?
    };
    if let Some(file) = &arguments.output {
        file.write(&report.figure())?;
    }
    let text = SimulationReport::text_within;
    arguments.format.print_told(&report, &said, text)?;
    Ok(Code::Done)
}

/// Returns the simulation on scores, and notices about the file of scores.
fn on_scores(arguments: &Arguments) -> Result<(SimulationReport, Said), Failure> {
    let posterior = arguments.posterior.as_deref();
    of_scores_alone(posterior)?;
    let options = arguments.options()?;
    let Some(file) = &arguments.scores else {
        let reading = &arguments.reading.scores;
        reading.refuse_paired_rows("there is no file with --gaussian")?;
        reading.refuse_columns("there is no file with --gaussian")?;
        arguments.reading.foreign.refuse()?;
        if reading.bounds.is_some() {
            let message = "Gaussian arms have no bounds: leave --bounds out";
            return Err(Failure::Usage(message.to_owned()));
        }
        let moments = &arguments.gaussian;
        let posterior = posterior.unwrap_or(posterior::DEFAULT);
        let report = simulation::of_gaussian(moments, arguments.splits, posterior, &options);
        return Ok((report.map_err(explained)?, Said::default()));
    };
    let (scores, said) = arguments.reading.scores_of(file, &[])?;
    let scores = scores.aimed_at(arguments.target)?;
    let waiting = Waiting::new("simulating studies; fewer --runs take less time");
    let (design, tie) = (arguments.splits, arguments.tie);
    let report = simulation::of_recorded(&scores, design, posterior, tie, &options);
    drop(waiting);
    let report = report.map_err(|error| match error {
        AnalysisError::Recorded(error @ RecordedError::NoSplits) if scores.unpaired.is_some() => {
            Failure::Usage(format!(
                "{error} (--splits independent), or if the rows of the file (in JSON and in the long form, the k-th scores of all arms) are splits, \
                 say so with --paired-rows"
            ))
        }
        AnalysisError::Recorded(error @ (RecordedError::NoSplits | RecordedError::Hole { .. })) => {
            Failure::Usage(format!("{error} (--splits independent)"))
        }
        other => explained(other),
    })?;
    Ok((report, said))
}

/// Returns the simulation on counts, and notices about the file of counts.
fn on_counts(arguments: &Arguments) -> Result<(SimulationReport, Vec<String>), Failure> {
    let counting = &arguments.counting;
    let file = arguments.scores.as_deref().expect("clap wants a file");
    let (counts, notices) = counting.read(file, &arguments.reading.scores)?;
    let target = counting.target(arguments.posterior.as_deref(), counts.arms.len())?;
    if stopping::assumption(&arguments.stopping).is_some() && target == CountsTarget::Pooled {
        return Err(Failure::Usage(format!(
            "the stopping rule {} tests means of scores, and the posterior {} is of the F-measure of all documents together: choose another posterior, such as --posterior paired, for the mean of the documents' F-measures",
            arguments.stopping,
            f_measure::NAME
        )));
    }
    let (model, least) = (counting.model()?, arguments.min_documents);
    let options = arguments.options()?;
    let report = simulation::of_counts(&counts, &target, &model, least, &options);
    Ok((report.map_err(explained)?, notices))
}

/// Returns the error of a simulation, with the flag that would correct it, if any.
fn explained(error: AnalysisError) -> Failure {
    match error {
        AnalysisError::Policy(error @ PolicyError::NoBudget(_)) => {
            Failure::Usage(format!("{error}: give --budget"))
        }
        AnalysisError::Stopping(error @ StoppingError::NoBounds) => {
            Failure::Usage(format!("{error} (--bounds LOW,HIGH)"))
        }
        other => other.into(),
    }
}

/// The names of policies, posteriors and stopping rules.
#[derive(Debug, Serialize)]
struct Names {
    policies: Vec<&'static str>,
    posteriors: Vec<&'static str>,
    posteriors_of_counts: Vec<&'static str>,
    stopping: Vec<&'static str>,
}

impl Names {
    fn all() -> Self {
        let posteriors = posterior::POSTERIORS;
        Self {
            policies: policies::POLICIES.map(|(name, _)| name).to_vec(),
            posteriors: posteriors.to_vec(),
            posteriors_of_counts: [f_measure::NAME].into_iter().chain(posteriors).collect(),
            stopping: stopping::NAMES.map(|(name, _)| name).to_vec(),
        }
    }

    fn text_within(&self, width: usize) -> String {
        let mut table = Table::new([("policy", Align::Left), ("", Align::Left)]);
        for (name, what) in policies::POLICIES {
            table.row([name.to_owned(), what.to_owned()], false);
        }
        format!(
            "{}\nposteriors: {}\nposteriors of counts: {}\nstopping rules: {}",
            table.text_within(width),
            self.posteriors.join(", "),
            self.posteriors_of_counts.join(", "),
            self.stopping.join(", ")
        )
    }
}
