//! Trains one classifier on one random partition of the red wines and prints how well it does.
//!
//! Progress goes to standard error; the last line of standard output is the score as JSON.

mod arms;
mod data;
mod score;

use std::{error::Error, process::ExitCode, time::Instant};

use clap::Parser;

use crate::{
    arms::{ARMS, Arm},
    score::score,
};

/// Train one classifier to tell good red wines from ordinary ones, and score it.
#[derive(Debug, Parser)]
struct Arguments {
    /// The classifier to train
    #[arg(long, value_name = "NAME", value_parser = known_arm, required_unless_present = "list")]
    arm: Option<&'static Arm>,

    /// The number of the random partition into training and test wines
    #[arg(long, value_name = "N", default_value_t = 0)]
    split: u64,

    /// The seed of every random choice made in training
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Print the names of the classifiers and stop
    #[arg(long)]
    list: bool,
}

fn known_arm(name: &str) -> Result<&'static Arm, String> {
    Arm::named(name).ok_or_else(|| format!("known are {}", arm_names().join(", ")))
}

fn arm_names() -> Vec<&'static str> {
    ARMS.iter().map(|arm| arm.name).collect()
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.arm {
        Some(arm) if !arguments.list => match evaluate(arm, arguments.split, arguments.seed) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {}: {error}", arm.name);
                ExitCode::FAILURE
            }
        },
        _ => {
            println!("{}", arm_names().join("\n"));
            ExitCode::SUCCESS
        }
    }
}

fn evaluate(arm: &Arm, split: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let wines = data::partition(&data::load(), split);
    eprintln!(
        "{}: learning from {} wines (split {split}, seed {seed})",
        arm.name,
        wines.train.targets.len(),
    );

    let start = Instant::now();
    let predicted = arm.predict(&wines, seed)?;
    eprintln!(
        "{}: judged on {} wines after {:.2} s",
        arm.name,
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
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_unknown_arm_is_answered_with_the_known_ones() {
        let error = Arguments::try_parse_from(["quickstart", "--arm", "oracle"]).unwrap_err();

        assert_eq!(error.kind(), ErrorKind::ValueValidation);
        assert_eq!(error.exit_code(), 2);
        let message = error.to_string();
        for name in arm_names() {
            assert!(message.contains(name), "{name} is missing from: {message}");
        }
    }

    #[test]
    fn an_arm_is_required_unless_the_names_are_asked_for() {
        assert!(Arguments::try_parse_from(["quickstart"]).is_err());
        assert!(Arguments::try_parse_from(["quickstart", "--list"]).is_ok());
    }
}
