//! Belief as it is asked for: which posterior scores get where none is named, and what is refused.

use super::{
    BeliefOptions, BeliefReport, ItemClusters, MeasuresRequest,
    of_scores::{Fitted, Sampling, fitted},
};
use crate::analysis::{
    AnalysisError, PoolOrigin, ScoresOfArms, pool::OutlookOptions, scores::of_scores_alone,
};
use fiesta_core::Target;
use fiesta_posterior::{PAIRED, POOL};
use fiesta_records::Evaluations;

/// Request of a belief about scores. Fields without a value are chosen by what the scores are of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BeliefRequest {
    /// The name of the posterior: by default `pool` of answers to the items of a pool, else `paired`.
    pub posterior: Option<String>,
    /// Options of the computation. The fields `clusters` and `outlook` below replace its own.
    pub options: BeliefOptions,
    /// The least and the greatest possible score.
    pub bounds: Option<(f64, f64)>,
    /// Number of items of the pool, where the scores are of part of it.
    pub pool_size: Option<u64>,
    /// Target of the verdict: which items of a pool it is of.
    pub target: Target,
    /// Confidence with which the outlook names an arm.
    pub confidence: Option<f64>,
    /// Largest distance below the best arm, in the unit of the scores, at which an arm of a pool may still be named.
    pub tolerance: Option<f64>,
    /// The column of the groups of items.
    pub strata: Option<String>,
    /// The column that says which items belong together.
    pub clusters: Option<String>,
    /// Whether an outlook on further evaluations is wanted, which takes a while.
    pub outlook: bool,
    /// Question about measures beside the score.
    pub measures: MeasuresRequest,
}

impl BeliefRequest {
    /// Returns P(best) of each arm. `records` are the evaluations of the scores, in which columns
    /// are looked up.
    ///
    /// # Errors
    /// [`AnalysisError`] as [`of_scores`](super::of_scores()); if the posterior is of confusion counts; if there is no
    /// pool, or another posterior is asked for, and something is said that only a pool has; and for
    /// columns that are none.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Reading, read_from};
    /// use fiesta_report::analysis::{ScoresOfArms, belief::BeliefRequest};
    /// let csv = "arm,item,score\na,1,1\na,2,1\na,3,1\nb,1,0\nb,2,1\nb,3,0\n";
    /// let records = read_from(csv.as_bytes(), None, &Reading::default(), "s.csv")?;
    /// let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "s.csv")?;
    /// let report = BeliefRequest::default().report(scores, Some(&records))?;
    /// assert_eq!(report.posterior, "pool");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn report(
        &self,
        scores: ScoresOfArms<'_>,
        records: Option<&Evaluations>,
    ) -> Result<BeliefReport, AnalysisError> {
        self.fitted(scores, records).map(|(report, _)| report)
    }

    /// Makes the report as [`report`](Self::report) does, and returns with it the posterior on which P(best) rests.
    pub(in crate::analysis) fn fitted(
        &self,
        mut scores: ScoresOfArms<'_>,
        records: Option<&Evaluations>,
    ) -> Result<Fitted, AnalysisError> {
        of_scores_alone(self.posterior.as_deref())?;
        if let (Some(column), Some(records)) = (&self.strata, records) {
            scores = scores.in_groups(records, column)?;
        }
        let clusters = self.clusters.as_ref().zip(records);
        let clusters =
            clusters.map(|(column, records)| ItemClusters::new(records, column, &scores.source));
        let clusters = clusters.transpose()?;
        let scores = scores
            .in_pool(self.bounds, self.pool_size)?
            .aimed_at(self.target)?;
        let default = scores.default_posterior();
        let posterior = self.posterior.as_deref().unwrap_or(default);
        let of_splits = posterior == PAIRED && self.options.logit.is_none();
        if self.outlook && posterior != POOL && !of_splits {
            return Err(AnalysisError::Refused(format!(
                "--outlook draws further scores from the posterior {PAIRED} of scores as they are, or from the posterior {POOL}: leave it out, or --posterior and --logit"
            )));
        }
        let of_pool = [
            ("tolerance", self.tolerance.is_some()),
            ("strata", self.strata.is_some()),
            ("target", self.target == Target::ItemsLikeThese),
        ];
        if let Some((flag, _)) = of_pool.iter().find(|(_, is_given)| *is_given)
            && posterior != POOL
        {
            return Err(AnalysisError::Refused(format!(
                "--{flag} is about the posterior {POOL}, of answers to the items of a pool, and this belief is under {posterior}: leave it out"
            )));
        }
        if self.confidence.is_some() && !self.outlook {
            return Err(AnalysisError::refused(
                "the confidence is that of the outlook: ask for it with --outlook, or leave --confidence out",
            ));
        }
        let usual = OutlookOptions::default();
        let tolerance = self.tolerance.unwrap_or(usual.tolerance);
        let options = BeliefOptions {
            clusters,
            tolerance,
            outlook: self.outlook.then(|| OutlookOptions {
                confidence: self.confidence.unwrap_or(usual.confidence),
                tolerance,
                ..usual
            }),
            ..self.options.clone()
        };
        let is_sample = scores
            .pool
            .is_some_and(|pool| pool.origin == PoolOrigin::Sample);
        if posterior == POOL && !is_sample {
            let found = fitted(&scores, posterior, &options)?;
            return self.with_measures(found, &scores, records);
        }
        let (scores, missing) = scores.on_common_items()?;
        let (mut report, of_scores) = fitted(&scores, posterior, &options)?;
        if let Some(pool) = &mut report.pool {
            pool.missing = missing;
        } else if let Some(missing) = missing {
            report.notes.extend(missing.sentences(PoolOrigin::Sample));
        }
        self.with_measures((report, of_scores), &scores, records)
    }

    /// Adds the answer about measures to a report, if it was asked for.
    fn with_measures(
        &self,
        (mut report, of_scores): Fitted,
        scores: &ScoresOfArms<'_>,
        records: Option<&Evaluations>,
    ) -> Result<Fitted, AnalysisError> {
        let Some(flag) = self.measures.flag() else {
            return Ok((report, of_scores));
        };
        if self.clusters.is_some() {
            return Err(AnalysisError::Refused(format!(
                "--{flag} takes items as independent, which items that belong together are not: leave --clusters or --{flag} out"
            )));
        }
        if self.options.logit.is_some() {
            return Err(AnalysisError::Refused(format!(
                "--{flag} takes scores as they are: leave --logit out"
            )));
        }
        let sampling = Sampling {
            draws: self.options.draws,
            seed: self.options.seed,
        };
        let found =
            { &self.measures }.report(scores, records, &report.posterior, &*of_scores, sampling);
        let found = found?;
        report.notes.extend(found.notes.iter().cloned());
        report.measures = Some(found);
        Ok((report, of_scores))
    }
}
