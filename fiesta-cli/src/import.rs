//! `fiesta import`: other tools' results in the long form.

use super::{
    exit::{Code, Failure},
    export::Output,
    results::ResultsArguments,
};
use std::path::PathBuf;

/// The arguments of `fiesta import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta import results.jsonl --metric best_validation_accuracy -o scores.csv
  fiesta import optuna.db --pruned score -o scores.jsonl
  fiesta import runs.csv --from mlflow --metric val_acc --arm Name -o scores.csv
  fiesta import wandb_export.csv --metric val_loss --missing fail | fiesta curve - --metric val_loss --minimize
  fiesta import out/*/samples_gsm8k_*.jsonl --metric exact_match --filter strict-match -o pool.csv
  fiesta import logs/*.eval --from inspect --metric match -o pool.csv
  fiesta import out.json --from promptfoo --arm provider+prompt -o pool.csv

What is read: allentune's results.jsonl, Optuna's SQLite storage, MLflow's runs as CSV (from the
page or from search_runs), and the table of runs of Weights & Biases as CSV. Each trial becomes a
row; the score and all other columns keep their names, but columns that would be called arm, item,
split, seed, cost, duration or status get the tool's name before theirs.

Logs of answers become a pool of items, a row per answer with a column item: samples of lm-eval
(--log_samples), logs of Inspect AI (.eval and .json) and promptfoo's JSON. Several files are read
together. Arms are called by their model or provider and, where that is not enough, by their solver
or prompt; --arm names what they are called by (model, solver, task, provider, prompt, file; several
joined by +), or the only arm.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// Further logs of answers, which are read together with the first
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
}

pub(super) fn import(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.results.reading.scores.draws_nothing()?;
    let results = arguments.results.read_or_tell(&arguments.more)?;
    if results.study.is_some() {
        return Err(Failure::Usage(format!(
            "{} is a study of fiesta itself: use `fiesta export`",
            arguments.results.results.display()
        )));
    }
    results.said.say();
    arguments
        .output
        .write(&arguments.results.counted(results)?)?;
    Ok(Code::Done)
}
