//! Trials of arms, from which their tuning curves are estimated.

use crate::{
    analysis::{AnalysisError, best_of_n::BestOfNReport, failures::place_of},
    tuning_curve::{ArmTrials, Failed, Trial, worst_score},
};
use fiesta_core::Direction;
use fiesta_records::{Evaluations, Folds};

/// Trials of some arms, and the meaning of their scores.
#[derive(Debug, Clone)]
pub struct TrialsOfArms {
    pub(super) metric: String,
    pub(super) direction: Direction,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) names: Vec<String>,
    pub(super) trials: Vec<ArmTrials>,
    /// Reason why the splits are taken for folds of a cross-validation, if they are.
    pub(super) folds: Option<Folds>,
    /// Scores of each arm, and how many of its evaluations failed and count.
    scores: Vec<(Vec<f64>, u64)>,
    /// Arms of whose curves the crossings are looked for. `None` for all arms.
    pub(super) crossing: Option<Vec<String>>,
}

impl TrialsOfArms {
    /// Returns the trials of all arms in these records. `source` names them in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if an evaluation failed and `failed` makes that an error, or the trials of
    /// an arm have no curve.
    pub fn new(
        records: &Evaluations,
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
        for record in records.records().iter() {
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
        let arms = records.arms().iter().map(String::as_str);
        let arms = arms.zip(all.iter().map(Vec::as_slice));
        let (mut trials, refused) = Self::beside(metric, direction, bounds, failed, arms);
        trials.folds = records.folds().cloned();
        refused.map_or(Ok(trials), Err)
    }

    /// Takes all trials of each arm. Arms that have no curve are left out; the error says why the
    /// first of them has none.
    pub(crate) fn beside<'t>(
        metric: &str,
        direction: Direction,
        bounds: Option<(f64, f64)>,
        failed: Failed,
        arms: impl Iterator<Item = (&'t str, &'t [Trial])> + Clone,
    ) -> (Self, Option<AnalysisError>) {
        let observed = arms.clone().flat_map(|(_, trials)| trials);
        let observed = observed.filter_map(|trial| trial.score);
        let worst = worst_score(observed, direction, bounds);
        let mut all = Self {
            metric: metric.to_owned(),
            direction,
            bounds,
            names: Vec::new(),
            trials: Vec::new(),
            folds: None,
            scores: Vec::new(),
            crossing: None,
        };
        let mut refused = None;
        for (name, trials) in arms {
            match ArmTrials::beside(trials, direction, bounds, failed, worst) {
                Ok(known) => {
                    let failures = match failed {
                        Failed::Drop => 0,
                        _ => known.failed() as u64,
                    };
                    let scores = trials.iter().filter_map(|trial| trial.score);
                    all.scores.push((scores.collect(), failures));
                    all.names.push(name.to_owned());
                    all.trials.push(known);
                }
                Err(error) => {
                    refused.get_or_insert_with(|| AnalysisError::of_arm(name, error));
                }
            }
        }
        (all, refused)
    }

    /// Returns whether the duration of every trial is known.
    #[cfg(feature = "html")]
    pub(crate) fn are_timed(&self) -> bool {
        let mut trials = self.trials.iter();
        trials.all(|trials| trials.mean_duration().is_some())
    }

    /// Returns these trials for the curves of a page, which looks for crossings of these arms alone.
    /// The best of n is not compared, which takes a while.
    #[cfg(feature = "html")]
    pub(crate) fn of_a_page(mut self, crossing: Vec<String>) -> Self {
        self.scores.clear();
        self.crossing = Some(crossing);
        self
    }

    /// Returns which arm has the highest expected best of n; none where that cannot be said.
    pub(super) fn best_of_n(
        &self,
        confidence: f64,
    ) -> Result<Option<BestOfNReport>, AnalysisError> {
        let arms = self.names.iter().zip(&self.scores);
        let arms = arms.map(|(name, (scores, failed))| (name.as_str(), scores.as_slice(), *failed));
        let report = BestOfNReport::compare(arms, self.direction, self.bounds, confidence)?;
        Ok(report)
    }
}
