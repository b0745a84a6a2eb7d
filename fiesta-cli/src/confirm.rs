//! `fiesta confirm`: writes a study of the best settings of a search and the default.

use super::{
    exit::{Code, Failure},
    print,
    results::ResultsArguments,
    say,
};
use fiesta::{
    Foreign,
    report::tuning_curve::Failed,
    runner::init::{ConfirmRequest, Confirmation},
};
use std::path::PathBuf;

/// The arguments of `fiesta confirm`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta confirm optuna.db --command 'python train.py --lr {lr} --split {split} --seed {seed}' --default lr=1e-3
  fiesta confirm wandb.csv --metric val_acc --top 5 --command 'python train.py --lr {lr} --seed {seed}' --default lr=1e-3 --dry-run

A setting that was tried several times has the mean of its scores. {lr} is the column lr, params_lr (Optuna), params.lr (MLflow), config/lr (Ray Tune) or config.lr; {split}, {seed}, {arm} and {run} are what they are in a study.
The study begins with the first split that the search did not use, and has seeds of its own. Scores of the search choose the arms and are no evidence.
After the first evaluations of the search's winner, `fiesta status` says by how much the search overstated it, and whether the default is better.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// How many of the best settings of the search are arms
    #[arg(long, value_name = "K", default_value_t = 8)]
    top: usize,
    /// The command of one evaluation, as a line of words, with {lr} where the value of lr belongs
    #[arg(long, value_name = "COMMAND")]
    command: String,
    /// The values of the default setting, which is an arm of its own
    #[arg(long, value_name = "NAME=VALUE,…", required = true, value_parser = pairs)]
    default: Vec<Pairs>,
    /// The study file to write; jobs start in its directory
    #[arg(short, long, value_name = "FILE", default_value = "study.toml")]
    output: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Print the study, and write nothing
    #[arg(long, conflicts_with = "force")]
    dry_run: bool,
}

/// Names with their values.
#[derive(Debug, Clone)]
struct Pairs(Vec<(String, String)>);

/// Reads `lr=1e-3,wd=0`. What follows a comma without a name belongs to the value before it.
fn pairs(text: &str) -> Result<Pairs, String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in text.split(',') {
        match (part.split_once('='), pairs.last_mut()) {
            (Some((name, value)), _) => {
                pairs.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(part);
            }
            (None, None) => return Err("give a name and a value, for example lr=1e-3".to_owned()),
        }
    }
    Ok(Pairs(pairs))
}

pub(super) fn confirm(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.results.reading.scores.draws_nothing()?;
    let mut read = arguments.results.clone();
    // Trials that failed or were stopped early are left out, and counted.
    read.reading.foreign.drops_pruned = true;
    read.reading.scores.failed.get_or_insert(Failed::Drop);
    let results = read.read_or_tell(&[])?;
    results.said.say();
    if let Some(undirected) = results.undirected {
        return Err(undirected.into());
    }
    let bounds = match &results.study {
        Some(study) => study.metric().bounds(),
        None => read.reading.scores.bounds,
    };
    let default = arguments.default.iter().flat_map(|pairs| pairs.0.clone());
    let default: Vec<(String, String)> = default.collect();
    let source = read.results.file_name().unwrap_or(read.results.as_os_str());
    let confirmation = Confirmation::new(&ConfirmRequest {
        trials: &results.records,
        source: &source.to_string_lossy(),
        metric: &results.metric,
        direction: results.direction,
        bounds,
        command: &arguments.command,
        default: &default,
        top: arguments.top,
    })?;
    for note in &confirmation.notes {
        say(Foreign::new(note));
    }
    if arguments.dry_run {
        print(confirmation.text.trim_end())?;
        return Ok(Code::Done);
    }
    confirmation.write(&arguments.output, arguments.force)?;
    let file = arguments.output.display();
    print(format_args!(
        "wrote {file} with {} arms: {}",
        confirmation.arms.len(),
        confirmation.arms.join(", ")
    ))?;
    print(format_args!(
        "next: fiesta run {file} --check   (one job per arm; records nothing)"
    ))?;
    print(format_args!("then: fiesta run {file}"))?;
    Ok(Code::Done)
}
