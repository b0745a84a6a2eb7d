//! A policy of one's own in a study with a ledger: this program starts itself, kills that process half-way, goes on, and decides as a study
//! that nobody killed.

use fiesta_runner::{
    Options, Study,
    executor::Functions,
    fiesta_core::{Next, Policy, View, rand::Rng},
    observer::Blind,
    run,
    signal::Signals,
    study::{OwnParts, Part},
};
use std::{env, fs, path::Path, process::Command, thread, time::Duration};

const STUDY: &str = r#"
    name = "bounds"
    metric.name = "score"
    goal = { confidence = 0.95, budget = { evaluations = 60 } }
    design = { seed = 1, policy = { own = "optimist", parameters = { width = 3.0 } } }
    executor.kind = "functions"
    arm = [{ name = "0.50" }, { name = "0.52" }, { name = "0.60" }]
"#;

/// Evaluates the arm with the highest upper bound.
struct Optimist {
    width: f64,
}

impl Policy for Optimist {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let bound = |arm| {
            let marginal = view.marginal(arm);
            marginal.map_or(f64::INFINITY, |m| m.location + self.width * m.scale)
        };
        let arms = view.with_case_left();
        let best = arms.max_by(|&a, &b| bound(a).total_cmp(&bound(b)));
        best.map_or(Next::Wait, Next::Evaluate)
    }
}

fn with_policy(study: Study) -> Result<Study, Box<dyn std::error::Error>> {
    Ok(study.with_parts(|study, _arms| {
        let width = study.own_parameters(Part::Policy)["width"].as_f64();
        let policy = Optimist {
            width: width.unwrap_or(1.0),
        };
        OwnParts {
            policy: Some(Box::new(policy)),
            ..OwnParts::default()
        }
    })?)
}

/// Runs the study, and returns its best arm and its evaluations.
fn go(study: &Study) -> Result<(String, u64), Box<dyn std::error::Error>> {
    let mut functions = Functions::new(study, |call| {
        thread::sleep(Duration::from_millis(50));
        let mean: f64 = call.arm().parse().map_err(|_| "no number")?;
        Ok(mean + (call.seed() % 100) as f64 / 1000.0)
    })?;
    let (mut signals, options) = (Signals::new()?, Options::default());
    let finished = run(study, &mut functions, &mut signals, &mut Blind, &options)?;
    let end = finished.conclusion;
    Ok((study.arms().name(end.arm).to_owned(), end.evaluations))
}

fn study(directory: &str, text: &str) -> Result<Study, Box<dyn std::error::Error>> {
    fs::create_dir_all(directory)?;
    with_policy(Study::write(
        text,
        &Path::new(directory).join("study.toml"),
    )?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if env::args().nth(1).is_some() {
        go(&study("killed", STUDY)?)?;
        return Ok(());
    }
    let mut other = Command::new(env::current_exe()?).arg("other").spawn()?;
    thread::sleep(Duration::from_millis(300));
    other.kill()?;
    other.wait()?;

    let another = STUDY.replace("width = 3.0", "width = 2.0");
    let refused = go(&study("killed", &another)?).unwrap_err();
    println!("refused: {refused}");

    let resumed = go(&study("killed", STUDY)?)?;
    println!("{} is best, after {} evaluations", resumed.0, resumed.1);
    assert_eq!(resumed.0, "0.60");
    assert_eq!(resumed, go(&study("whole", STUDY)?)?);
    Ok(())
}
