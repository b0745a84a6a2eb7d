//! A policy of one's own in a study with a ledger. If it is killed and started again, it continues
//! where it stopped, with the same policy.
//!
//! `cargo run --example own_policy [DIRECTORY]` writes `dice.toml` there, by which `fiesta status
//! dice.toml`, `report`, `log` and `export` know the study.

use fiesta::{
    Next, Policy, View,
    runner::{Options, Study, observer::Blind, run, signal::Signals},
    runner::{executor::Functions, study::OwnParts, study::Part},
};
use std::{env, path::PathBuf};

/// Text of the study file. The policy's name and its parameters identify the study.
const STUDY: &str = r#"
name = "dice"
metric = { name = "points", direction = "maximize" }
executor.kind = "functions"
arm = [{ name = "2 dice" }, { name = "3 dice" }, { name = "4 dice" }]
[design]
policy = { own = "optimist", parameters = { width = 3.0 } }
"#;

/// Policy that chooses the arm with the highest mean plus `width` scales of its posterior.
struct Optimist {
    width: f64,
}

impl Policy for Optimist {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn rand::Rng) -> Next {
        let bound = |arm| {
            let known = view.marginal(arm);
            known.map_or(f64::INFINITY, |m| m.location + self.width * m.scale)
        };
        let arms = view.with_case_left();
        let best = arms.max_by(|&a, &b| bound(a).total_cmp(&bound(b)));
        best.map_or(Next::Wait, Next::Evaluate)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let study = Study::write(STUDY, &directory.join("dice.toml"))?.with_parts(|study, _| {
        let width = study.own_parameters(Part::Policy)["width"].as_f64();
        let policy = Optimist {
            width: width.unwrap_or(3.0),
        };
        OwnParts {
            policy: Some(Box::new(policy)),
            ..OwnParts::default()
        }
    })?;
    let mut functions = Functions::new(&study, |call| {
        let dice = call.arm().as_bytes()[0] - b'0';
        let faces = (0..dice).map(|die| call.seed().rotate_right(8 * u32::from(die)) % 6 + 1);
        Ok(faces.sum::<u64>() as f64)
    })?;
    let (mut signals, options) = (Signals::new()?, Options::default());
    let finished = run(&study, &mut functions, &mut signals, &mut Blind, &options)?;
    println!("{}", study.arms().name(finished.conclusion.arm));
    Ok(())
}
