//! From results to the trials of each arm: the one place where `curve` reads.

use super::{Arguments, Failure};
use crate::best_of_n::{Comparison, compare};
use fiesta::{
    core::Direction,
    posterior::best_of_n,
    report::tuning_curve::{Failed, Trial, Trials},
};

/// What curves are drawn of.
pub(super) struct Input {
    pub(super) metric: String,
    pub(super) direction: Direction,
    /// The smallest and the largest possible score, if known.
    pub(super) bounds: Option<(f64, f64)>,
    /// The arms with their trials, all that were started.
    pub(super) arms: Vec<(String, Trials)>,
    pub(super) notices: Vec<String>,
    names: Vec<String>,
    /// Each arm's scores, and how many of its evaluations failed and count.
    scores: Vec<(Vec<f64>, usize)>,
}

impl Input {
    /// Which arm has the highest expected best of n, said to lead from this probability on; none where that cannot be said.
    pub(super) fn best_of_n(&self, confidence: f64) -> Result<Option<Comparison<'_>>, Failure> {
        let trials = self
            .scores
            .iter()
            .map(|(scores, failed)| best_of_n::Trials {
                scores,
                failed: *failed,
            });
        let trials: Vec<_> = trials.collect();
        let (direction, bounds) = (self.direction, self.bounds);
        Ok(compare(
            &self.names,
            &trials,
            direction,
            bounds,
            confidence,
        )?)
    }
}

pub(super) fn read(arguments: &Arguments) -> Result<Input, Failure> {
    let results = arguments.results.read()?;
    let of_study = results.study.as_ref();
    let bounds = of_study.map_or(arguments.results.scores.bounds, |recorded| {
        recorded.study.metric().bounds()
    });
    let records = &results.records;
    if arguments.failed == Failed::Error
        && let Some(failed) = records.failures().first()
    {
        let place = match failed.line {
            0 => arguments.results.results.display().to_string(),
            line => format!("{}:{line}", arguments.results.results.display()),
        };
        return Err(Failure::Usage(format!(
            "{place}: this evaluation of `{}` failed: count failed ones as the worst score with --failed worst, or have the curves of \
             those that succeed with --failed drop",
            records.arms()[failed.arm.index()],
        )));
    }
    let mut trials = vec![Vec::new(); records.arms().len()];
    for record in records.records() {
        trials[record.arm.index()].push(Trial {
            score: Some(record.score),
            duration: record.duration,
        });
    }
    for failed in records.failures() {
        trials[failed.arm.index()].push(Trial {
            score: None,
            duration: failed.duration,
        });
    }
    let scores = records.by_arm().into_iter().zip(&trials);
    let scores = scores.map(|(scores, trials)| {
        let failed = match arguments.failed {
            Failed::Drop => 0,
            _ => trials.len() - scores.len(),
        };
        (scores, failed)
    });
    let scores = scores.collect();
    let arms = records.arms().iter().zip(&trials);
    let arms = arms.map(|(name, trials)| {
        let trials = Trials::new(trials, results.direction, bounds, arguments.failed)
            .map_err(|error| Failure::Usage(format!("the arm `{name}`: {error}")))?;
        if arguments.time && trials.mean_duration().is_none() {
            return Err(Failure::Usage(format!(
                "not every evaluation of `{name}` has a duration: leave --time out"
            )));
        }
        Ok((name.clone(), trials))
    });
    Ok(Input {
        arms: arms.collect::<Result<_, _>>()?,
        metric: results.metric,
        direction: results.direction,
        bounds,
        notices: results.notices,
        names: records.arms().to_vec(),
        scores,
    })
}
