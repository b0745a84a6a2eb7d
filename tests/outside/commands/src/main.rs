//! A study over commands, two at a time.

use fiesta_runner::{
    Options, Study, executor_for, observer::Blind, run, signal::Signals, supervisor,
};
use std::path::Path;

const STUDY: &str = r#"
    name = "commands"
    command = ["sh", "-c", 'echo "{\"score\": 0.$(({arm} + {seed} % 50))}"']
    metric.name = "score"
    goal = { confidence = 0.95, budget = { evaluations = 60 } }
    design = { parallel = 2, seed = 1 }
    arm = [{ name = "400" }, { name = "500" }, { name = "600" }]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    supervisor::take_over(); // each job is watched over by this same program
    let study = Study::write(STUDY, Path::new("commands.toml"))?;
    let mut executor = executor_for(&study)?;
    let finished = run(
        &study,
        executor.as_mut(),
        &mut Signals::new()?,
        &mut Blind,
        &Options::default(),
    )?;
    let (arm, jobs) = (
        study.arms().name(finished.conclusion.arm),
        finished.conclusion.evaluations,
    );
    println!("{arm} is best, after {jobs} jobs");
    assert_eq!(arm, "600");
    Ok(())
}
