//! Trains a classifier with the hyperparameters that it is told, and prints how well it does.
//!
//! The wines, their partition and the score are those of the example `quickstart`. Progress goes to
//! standard error; the last line of standard output is the score as JSON.

#[path = "../../quickstart/src/data.rs"]
mod data;
mod families;
#[path = "../../quickstart/src/score.rs"]
mod score;

use clap::Parser;
use families::Family;
use score::score;
use std::{error::Error, process::ExitCode, time::Instant};

/// Train one classifier to tell good red wines from ordinary ones, and score it on wines that it
/// has not seen.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    family: Family,

    /// The number of the random partition into wines to learn from and wines to be judged on
    #[arg(long, value_name = "N", default_value_t = 0, global = true)]
    split: u64,

    /// The seed of every random choice made in training
    #[arg(long, value_name = "N", default_value_t = 0, global = true)]
    seed: u64,
}

fn main() -> ExitCode {
    match evaluate(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn evaluate(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let wines = data::partition(&data::load(), arguments.split).standardised();
    let start = Instant::now();
    let predicted = arguments.family.predict(&wines, arguments.seed)?;
    eprintln!(
        "{:?}, judged on {} wines after {:.3} s",
        arguments.family,
        wines.test.targets.len(),
        start.elapsed().as_secs_f64(),
    );
    let score = score(&wines.test.targets, &predicted);
    println!(
        r#"{{"macro_f1": {:.6}, "accuracy": {:.6}}}"#,
        score.macro_f1, score.accuracy
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
