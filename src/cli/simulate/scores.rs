//! Recorded scores, or Gaussian arms.

use super::{
    Arguments,
    runs::{Setup, best, rule},
    show::{Shown, show},
};
use crate::cli::{counts::of_scores, exit::Failure};
use fiesta::{
    core::records::Record,
    policies::simulate::{Gaussian, Problem, Recorded, RecordedError},
    posterior,
};
use serde_json::json;

pub(super) fn simulate(arguments: &Arguments) -> Result<(), Failure> {
    let name = of_scores(arguments.posterior.as_deref())?;
    let problem = problem(arguments)?;
    let arms = problem.arms().len();
    posterior::by_name(name, arms)?;
    let setup = Setup {
        problem: &*problem,
        design: arguments.splits,
        posterior: &|arms| {
            posterior::by_name(name, arms).expect("the posterior's name was checked")
        },
        rule: &|level| rule(arguments, level, arms, arguments.splits),
    };
    let results = setup.results(arguments)?;
    let shown = Shown {
        posterior: name,
        splits: json!(arguments.splits),
        best: best(&*problem),
        further: Vec::new(),
        notes: Vec::new(),
    };
    show(arguments, &shown, &results)
}

fn problem(arguments: &Arguments) -> Result<Box<dyn Problem>, Failure> {
    let Some(file) = &arguments.scores else {
        return Ok(Box::new(Gaussian::new(arguments.gaussian.iter().copied())?));
    };
    let scores = arguments.reading.read(file)?;
    let arms = scores
        .arms
        .names()
        .iter()
        .zip(&scores.records)
        .map(|(name, records)| {
            let oriented = |record: &Record| (record.split, scores.direction.orient(record.score));
            (name.clone(), records.iter().map(oriented).collect())
        });
    let recorded = Recorded::new(arms, arguments.splits).map_err(|error| match error {
        RecordedError::NoSplits | RecordedError::Hole { .. } => {
            Failure::Usage(format!("{error} (--splits independent)"))
        }
        other => other.into(),
    })?;
    Ok(Box::new(recorded))
}
