//! `fiesta import`: other tools' results in the long form.

use super::{
    exit::{Code, Failure},
    export::Output,
    results::ResultsArguments,
    say,
};

/// The arguments of `fiesta import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta import results.jsonl --metric best_validation_accuracy -o scores.csv
  fiesta import optuna.db --pruned score -o scores.jsonl
  fiesta import runs.csv --from mlflow --metric val_acc --arm Name -o scores.csv
  fiesta import wandb_export.csv --metric val_loss --missing fail | fiesta curve - --metric val_loss --minimize

What is read: allentune's results.jsonl, Optuna's SQLite storage, MLflow's runs as CSV (from the page or from search_runs), and the
table of runs of Weights & Biases as CSV. Each trial becomes a row; the score and all other columns keep their names, but columns that
would be called arm, split, seed, cost, duration or status get the tool's name before theirs.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    #[command(flatten)]
    output: Output,
}

pub(super) fn import(arguments: &Arguments) -> Result<Code, Failure> {
    let results = arguments.results.read()?;
    if results.study.is_some() {
        return Err(Failure::Usage(format!(
            "{} is a study of fiesta itself: use `fiesta export`",
            arguments.results.results.display()
        )));
    }
    for notice in results.notices {
        say(notice);
    }
    arguments.output.write(&results.records)?;
    Ok(Code::Done)
}
