//! A study of functions with a ledger. If it is killed and started again, it continues where it stopped.
//!
//! `cargo run --example functions [DIRECTORY]` writes `integration.toml` there, by which
//! `fiesta status integration.toml`, `report`, `log` and `export` know the study.

use fiesta::runner::{
    Options, RunError, Study,
    executor::{Call, Functions, Output},
    observer::Blind,
    run,
    signal::Signals,
};
use std::{env, f64::consts::TAU, path::PathBuf, thread, time::Duration};

/// Text of the study file. The arms have names and no commands.
const STUDY: &str = r#"
name = "integration"

[metric]
name = "accuracy"

[goal]
confidence = 0.95
budget = { evaluations = 300 }

[design]
parallel = 4
seed = 1

[executor]
kind = "functions"

[[arm]]
name = "4 points"
[[arm]]
name = "5 points"
[[arm]]
name = "6 points"
"#;

/// Estimates an integral with one of several rules on a random grid, and scores its accuracy in
/// digits.
fn digits(call: &Call) -> Result<Output, String> {
    let points = call.arm().split(' ').next().unwrap_or_default();
    let points: u32 = points.parse().map_err(|error| format!("{error}"))?;
    // What takes long in a real study.
    thread::sleep(Duration::from_millis(100));
    // The split decides what is integrated, the seed where the grid begins: ∫ exp(cos(x + phase))
    // over a period.
    let phase = call.split().unwrap_or_default() as f64;
    let offset = (call.seed() % 1000) as f64 / 1000.0;
    let step = TAU / f64::from(points);
    let f = |x: f64| (x + phase).cos().exp();
    let sum: f64 = (0..points).map(|i| f(step * (f64::from(i) + offset))).sum();
    let exact = TAU * 1.266_065_877_752_008_3; // 2π I₀(1)
    let error = (sum * step - exact).abs().max(1e-16);
    Ok(Output::from(-error.log10()).with("error", error))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let study = Study::write(STUDY, &directory.join("integration.toml"))?;
    let mut functions = Functions::new(&study, digits)?;
    let mut signals = Signals::new()?;
    let options = Options::default();
    let finished = match run(&study, &mut functions, &mut signals, &mut Blind, &options) {
        Err(RunError::Interrupted { .. }) => {
            println!("stopped; the next start goes on from here");
            return Ok(());
        }
        finished => finished?,
    };
    let conclusion = finished.conclusion;
    println!(
        "{} is the most accurate with {:.1} % posterior probability, after {} evaluations",
        study.arms().name(conclusion.arm),
        100.0 * conclusion.probability.unwrap_or(0.0),
        finished.history.selector.view().total_ended(),
    );
    Ok(())
}
