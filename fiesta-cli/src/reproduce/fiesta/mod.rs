//! The experiments of FIESTA (ACL 2019), with its posterior and its independent splits.

mod measure;
mod published;
mod show;
mod trace;

use super::{Code, Failure, Format, print};
use crate::scores::ScoresArguments;
use fiesta::{
    core::Design,
    policies::simulate::{Gaussian, Problem, Recorded},
};
use std::path::{Path, PathBuf};

/// The arguments of `fiesta reproduce fiesta`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta reproduce fiesta
  fiesta reproduce fiesta tdsa_macro_f1.csv --seed 1
  fiesta reproduce fiesta --only fixed-budget --runs 10000")]
pub(super) struct Arguments {
    /// The scores that the paper published, as a scores file; without them, Gaussian arms of the same means and standard
    /// deviations
    scores: Option<PathBuf>,
    /// Only these experiments
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<Name>,
    /// How many runs of each method
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// An experiment of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// Table 2: evaluations until a confidence, one at a time.
    FixedConfidence,
    /// Evaluations until a confidence in batches.
    Batches,
    /// Figure 2: beliefs about five synthetic models along a run.
    Synthetic,
    /// Figure 4: how often the best model is found within a budget.
    FixedBudget,
}

impl Name {
    const ALL: [Self; 4] = [
        Self::FixedConfidence,
        Self::Batches,
        Self::Synthetic,
        Self::FixedBudget,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::FixedConfidence => "fixed-confidence",
            Self::Batches => "batches",
            Self::Synthetic => "synthetic",
            Self::FixedBudget => "fixed-budget",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::FixedConfidence => "Table 2: mean evaluations until a confidence, 8 models",
            Self::Batches => {
                "Thompson sampling in batches: mean evaluations until a confidence, 8 models"
            }
            Self::Synthetic => "Figure 2: TTTS on five synthetic models until 99 %, evaluations",
            Self::FixedBudget => {
                "Figure 4: share of runs that find the best of 12 models within a budget"
            }
        }
    }
}

/// One figure.
struct Row {
    method: &'static str,
    /// The confidence or the budget.
    goal: f64,
    /// What the paper prints; of figures, only what its text or the authors' notebook gives.
    published: Option<f64>,
    /// What independent runs gave.
    independent: Option<f64>,
    measured: f64,
    standard_error: f64,
    /// The share of runs that named the best model, and the least and the most evaluations, if the figure counts evaluations.
    counted: Option<(f64, u64, u64)>,
}

/// One table or figure.
struct Experiment {
    name: Name,
    rows: Vec<Row>,
    /// The beliefs along a run.
    trace: Vec<trace::Step>,
}

pub(super) fn fiesta(arguments: &Arguments) -> Result<Code, Failure> {
    let wanted = |name: &Name| arguments.only.is_empty() || arguments.only.contains(name);
    let names = Name::ALL.into_iter().filter(wanted);
    let experiments = names
        .map(|name| experiment(arguments, name))
        .collect::<Result<Vec<_>, _>>()?;
    match arguments.format {
        Format::Json => print(show::document(arguments, &experiments))?,
        Format::Text => show::text(arguments, &experiments)?,
    }
    Ok(Code::Done)
}

fn experiment(arguments: &Arguments, name: Name) -> Result<Experiment, Failure> {
    let models = |eight| problem(arguments.scores.as_deref(), eight);
    let rows = match name {
        Name::FixedConfidence => {
            measure::confidence(arguments, &*models(true)?, &published::SEQUENTIAL)?
        }
        Name::Batches => measure::confidence(arguments, &*models(true)?, &published::BATCHES)?,
        Name::FixedBudget => measure::budgets(arguments, &*models(false)?)?,
        Name::Synthetic => return measure::synthetic(arguments),
    };
    Ok(Experiment {
        name,
        rows,
        trace: Vec::new(),
    })
}

/// The models, all or the eight of the fixed-confidence experiments.
fn problem(scores: Option<&Path>, eight: bool) -> Result<Box<dyn Problem>, Failure> {
    let models = published::MODELS
        .iter()
        .filter(|(name, _, _)| !eight || published::is_of_eight(name));
    let Some(file) = scores else {
        return Ok(Box::new(Gaussian::new(
            models.map(|&(_, mean, sd)| (mean, sd)),
        )?));
    };
    let reading = ScoresArguments {
        metric: None,
        minimize: false,
        bounds: None,
        arms: models.map(|&(name, _, _)| name.to_owned()).collect(),
        paired_rows: false,
    };
    let scores = reading.read(file).map_err(|failure| match failure {
        Failure::Usage(words) => Failure::Usage(format!(
            "{words}; the scores of the FIESTA paper are expected"
        )),
        other => other,
    })?;
    let arms = scores.arms.names().iter().zip(&scores.records);
    let recorded = arms.map(|(name, records)| {
        (
            name.clone(),
            records
                .iter()
                .map(|record| (record.split, record.score))
                .collect(),
        )
    });
    Ok(Box::new(Recorded::new(recorded, Design::Independent)?))
}
