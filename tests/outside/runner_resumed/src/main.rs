//! A study of functions with a ledger: this program starts itself, kills that process half-way, and goes on.

use fiesta_runner::{
    Options, Study,
    executor::{Call, Functions},
    observer::Blind,
    run,
    signal::Signals,
};
use std::{env, fs, io::Write, path::Path, process::Command, thread, time::Duration};

const STUDY: &str = r#"
    name = "numbers"
    metric.name = "score"
    goal = { confidence = 0.95, budget = { evaluations = 60 } }
    design = { parallel = 2, seed = 1 }
    executor.kind = "functions"
    arm = [{ name = "low" }, { name = "high" }]
"#;

fn score(call: &Call) -> Result<f64, String> {
    let mut log = fs::File::options()
        .append(true)
        .create(true)
        .open("calls.log")
        .map_err(|error| error.to_string())?;
    writeln!(log, "{}", call.arm()).map_err(|error| error.to_string())?;
    thread::sleep(Duration::from_millis(50));
    let noise = (call.seed() % 100) as f64 / 1000.0;
    Ok(if call.arm() == "high" { 0.6 } else { 0.5 } + noise)
}

fn calls() -> usize {
    fs::read_to_string("calls.log").map_or(0, |log| log.lines().count())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if env::args().nth(1).is_none() {
        let mut other = Command::new(env::current_exe()?).arg("other").spawn()?;
        while calls() < 8 {
            thread::sleep(Duration::from_millis(5));
        }
        other.kill()?;
        other.wait()?;
        println!("killed after {} calls", calls());
    }
    let study = Study::write(STUDY, Path::new("numbers.toml"))?;
    let mut functions = Functions::new(&study, score)?;
    let finished = run(
        &study,
        &mut functions,
        &mut Signals::new()?,
        &mut Blind,
        &Options::default(),
    )?;
    let ended = finished.conclusion.evaluations;
    println!(
        "{} is best, after {ended} evaluations and {} calls",
        study.arms().name(finished.conclusion.arm),
        calls()
    );
    // Two calls may have been under way when the process was killed.
    assert!(calls() as u64 <= ended + 4);
    Ok(())
}
