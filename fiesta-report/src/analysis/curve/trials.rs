//! Trials of arms, from which their tuning curves are estimated.

use crate::{
    analysis::{AnalysisError, best_of_n::BestOfNReport, failures::place_of},
    tuning_curve::{Failed, Trial, Trials, worst_score},
};
use fiesta_core::Direction;
use fiesta_posterior::best_of_n;
use fiesta_records::{Folds, Records};

/// The trials of some arms, and what their scores mean.
#[derive(Debug, Clone)]
pub struct TrialsOfArms {
    pub(super) metric: String,
    pub(super) direction: Direction,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) names: Vec<String>,
    pub(super) trials: Vec<Trials>,
    /// Why the splits are taken for folds of a cross-validation, if they are.
    pub(super) folds: Option<Folds>,
    /// Each arm's scores, and how many of its evaluations failed and count.
    scores: Vec<(Vec<f64>, usize)>,
}

impl TrialsOfArms {
    /// The trials of all arms in these records. `source` names them in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if an evaluation failed and `failed` makes that an error, or the trials of
    /// an arm have no curve.
    pub fn new(
        records: &Records,
        metric: &str,
        direction: Direction,
        bounds: Option<(f64, f64)>,
        failed: Failed,
        source: &str,
    ) -> Result<Self, AnalysisError> {
        if failed == Failed::Error
            && let Some(first) = records.failures().first()
        {
            let place = place_of(first.line, source);
            let arm = &records.arms()[first.arm.index()];
            return Err(AnalysisError::Uncounted(format!(
                "{place}: this evaluation of `{arm}` failed: count failed ones as the worst score with --failed worst, or have the curves of those that succeed with --failed drop"
            )));
        }
        let mut all = vec![Vec::new(); records.arms().len()];
        for record in records.records() {
            all[record.arm.index()].push(Trial {
                score: Some(record.score),
                duration: record.duration,
            });
        }
        for failed in records.failures() {
            all[failed.arm.index()].push(Trial {
                score: None,
                duration: failed.duration,
            });
        }
        let scores = records.by_arm().into_iter().zip(&all);
        let scores = scores.map(|(scores, trials)| {
            let failed = match failed {
                Failed::Drop => 0,
                _ => trials.len() - scores.len(),
            };
            (scores, failed)
        });
        let scores = scores.collect();
        let observed = records.records().iter().map(|record| record.score);
        let worst = worst_score(observed, direction, bounds);
        let trials = records.arms().iter().zip(&all).map(|(name, trials)| {
            Trials::beside(trials, direction, bounds, failed, worst)
                .map_err(|error| AnalysisError::of_arm(name, error))
        });
        Ok(Self {
            metric: metric.to_owned(),
            direction,
            bounds,
            names: records.arms().to_vec(),
            folds: records.folds().cloned(),
            trials: trials.collect::<Result<_, _>>()?,
            scores,
        })
    }

    /// Which arm has the highest expected best of n; none where that cannot be said.
    pub(super) fn best_of_n(
        &self,
        confidence: f64,
    ) -> Result<Option<BestOfNReport>, AnalysisError> {
        let trials = self
            .scores
            .iter()
            .map(|(scores, failed)| best_of_n::Trials {
                scores,
                failed: *failed,
            });
        let trials: Vec<_> = trials.collect();
        let (direction, bounds) = (self.direction, self.bounds);
        let report = BestOfNReport::compare(&self.names, &trials, direction, bounds, confidence)?;
        Ok(report)
    }
}
