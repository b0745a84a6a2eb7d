//! A study within a program on tokio: it runs on a thread for what blocks, and is stopped after half a second.

use fiesta_runner::{
    Options, RunError, Study, executor::Functions, observer::Blind, run, signal::Signals,
};
use std::{path::Path, thread, time::Duration};

const STUDY: &str = r#"
    name = "service"
    metric.name = "score"
    goal = { confidence = 0.999999, budget = { evaluations = 10000 } }
    design.parallel = 2
    executor.kind = "functions"
    arm = [{ name = "left" }, { name = "right" }]
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut signals, stopper) = Signals::on_request()?;
    let running = tokio::task::spawn_blocking(move || {
        let study =
            Study::write(STUDY, Path::new("service.toml")).map_err(|error| error.to_string())?;
        let mut functions = Functions::new(&study, |call| {
            thread::sleep(Duration::from_millis(20));
            Ok((call.seed() % 1000) as f64 / 1000.0)
        })
        .map_err(|error| error.to_string())?;
        match run(
            &study,
            &mut functions,
            &mut signals,
            &mut Blind,
            &Options::default(),
        ) {
            Ok(finished) => Ok(format!("finished: {:?}", finished.conclusion.reason)),
            Err(RunError::Interrupted { .. }) => Ok("stopped; the next start goes on".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    stopper.stop();
    let end = running.await??;
    println!("{end}");
    assert!(end.starts_with("stopped"));
    Ok(())
}
