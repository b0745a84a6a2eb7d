//! Recorded scores, or Gaussian arms.

use super::{
    Arguments,
    runs::{Setup, best, rule},
    show::{Shown, show},
};
use crate::{counts::of_scores, exit::Failure, guarantee::doubt};
use fiesta::{
    policies::simulate::{Gaussian, Problem, Recorded, RecordedError},
    posterior,
    records::Record,
    report::analysis::ScoresOfArms,
};
use serde_json::json;

pub(super) fn simulate(arguments: &Arguments) -> Result<(), Failure> {
    let name = of_scores(arguments.posterior.as_deref())?;
    let scores = if let Some(file) = &arguments.scores {
        Some(arguments.reading.read(file)?)
    } else {
        let reading = &arguments.reading;
        reading.refuse_paired_rows("there is no file with --gaussian")?;
        None
    };
    let problem = problem(arguments, scores.as_ref())?;
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
        cap: results.cap,
        further: scores
            .iter()
            .map(|scores| ("pairing", json!(scores.splits.name())))
            .collect(),
        notes: scores
            .iter()
            .flat_map(|scores| notes(arguments, scores))
            .collect(),
    };
    show(arguments, &shown, &results.by_goal)
}

/// What is to be said of recorded scores, and of the stopping rule on them.
fn notes(arguments: &Arguments, scores: &ScoresOfArms) -> Vec<String> {
    let names = scores.arms.names().iter().map(String::as_str);
    let values = |records: &Vec<Record>| records.iter().map(|record| record.score).collect();
    let doubt = arguments
        .claims_a_rate_of_errors()
        .then(|| doubt(names.zip(scores.records.iter().map(values))));
    doubt
        .flatten()
        .into_iter()
        .chain(scores.unpaired.clone())
        .collect()
}

fn problem(
    arguments: &Arguments,
    scores: Option<&ScoresOfArms>,
) -> Result<Box<dyn Problem>, Failure> {
    let Some(scores) = scores else {
        return Ok(Box::new(Gaussian::new(arguments.gaussian.iter().copied())?));
    };
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
        RecordedError::NoSplits if scores.unpaired.is_some() => Failure::Usage(format!(
            "{error} (--splits independent), or if the rows of the file (in JSON and in the long form, the k-th scores of all arms) are splits, \
             say so with --paired-rows"
        )),
        RecordedError::NoSplits | RecordedError::Hole { .. } => {
            Failure::Usage(format!("{error} (--splits independent)"))
        }
        other => other.into(),
    })?;
    Ok(Box::new(recorded))
}
