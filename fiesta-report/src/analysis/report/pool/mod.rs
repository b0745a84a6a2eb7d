//! Pool of a report: its answers, the posterior of them, and what is known of its arms.

mod discordant;
mod tables;

pub(super) use discordant::discordant;
pub(super) use tables::{against_best, groups, outlook};

use crate::{
    ArmTable, MeanOverPool,
    analysis::{
        AnalysisError, ArmScores, ScoresOfArms,
        pool::{OutlookOptions, PoolAnswers, PoolReport},
        report::{ReportInput, ReportOptions, evaluations::ReportedEvaluations},
        study::StudyFacts,
    },
    summary::Interval,
};
use fiesta_core::{ArmId, Target};
use fiesta_policies::stopping::anytime::difference_interval;
use fiesta_posterior::{POOL, Pool};
use std::collections::HashMap;

/// The pool that a report is about.
pub(super) struct PoolEvidence {
    pub(super) answers: PoolAnswers,
    /// Scores of a file from which the answers are. `None` of a study.
    pub(super) scores: Option<ScoresOfArms<'static>>,
    pub(super) posterior: Pool,
    pub(super) report: PoolReport,
    /// Sentences on what answers stand for, which are missing, and which may be copies.
    pub(super) told: Vec<String>,
}

impl PoolEvidence {
    /// Collects the pool of a study of items or of a file with items, under the posterior `pool`.
    /// `None` for all else.
    pub(super) fn new(
        input: &ReportInput,
        options: &ReportOptions,
        evaluations: &ReportedEvaluations,
    ) -> Result<Option<Self>, AnalysisError> {
        let scores = pool_of_file(input, options, evaluations)?;
        let found = match &input.study {
            Some(study) => study.pool_answers().filter(|_| options.strata.is_none()),
            None => scores
                .as_ref()
                .map_or(Ok(None), ScoresOfArms::pool_answers)?,
        };
        if options.target == Target::ItemsLikeThese && (found.is_none() || input.study.is_some()) {
            return Err(AnalysisError::Refused(format!(
                "a target is of a file with items whose answers have bounds, under the posterior pool: leave it out{}",
                if input.study.is_some() {
                    ", as a study has its own, `target` under [goal]"
                } else {
                    ""
                }
            )));
        }
        if options.pool_size.is_some() && (found.is_none() || input.study.is_some()) {
            return Err(AnalysisError::refused(
                "the size of a pool is of a file with items whose answers have bounds, under the posterior pool: leave it out",
            ));
        }
        let Some(answers) = found else {
            return Ok(None);
        };
        let study = input.study.as_ref();
        let outlook = OutlookOptions {
            confidence: study
                .and_then(|s| s.confidence)
                .unwrap_or(options.confidence),
            tolerance: study.map_or(0.0, |study| study.background.tolerance),
            budget: study
                .and_then(|study| study.background.evaluations_left)
                .filter(|&budget| budget > 0),
            seed: options.seed,
        };
        // What was decided needs no more answers, whatever came in afterwards.
        let is_decided = study.is_some_and(StudyFacts::is_decided);
        let report = if is_decided || !options.outlook || answers.are_compared_in_pairs() {
            PoolReport::new(&answers, outlook.tolerance)?
        } else {
            PoolReport::with_outlook(&answers, &outlook)?
        };
        let copies = scores.iter().flat_map(ScoresOfArms::copies);
        Ok(Some(Self {
            posterior: answers.posterior()?,
            told: { report.origin_words().into_iter() }
                .chain(copies)
                .collect(),
            report,
            answers,
            scores,
        }))
    }

    /// Returns in words what means and their differences are of.
    pub(super) fn over(&self) -> &'static str {
        if self.answers.are_compared_in_pairs() {
            "on items like those that both have answered"
        } else {
            "over the whole pool"
        }
    }

    /// Adds to the rows of all arms what is known of their means over the pool.
    pub(super) fn complete(&self, table: &mut ArmTable, confidence: f64) {
        for (place, (row, known)) in table.arms.iter_mut().zip(&self.report.arms).enumerate() {
            row.interval = self.report.interval(place, confidence);
            row.posterior_mean = row.interval.and(known.mean);
            row.of_pool = known.mean.map(|mean| MeanOverPool {
                mean,
                standard_error: known.standard_error.unwrap_or_default(),
                share: known.share,
                like_these: known.probability_on_items_like_these,
            });
        }
    }

    /// Returns the anytime-valid interval of the difference of two arms, from the common beginning
    /// of the random order. `None` if the order is not known or not every order was equally likely,
    /// or if answers vary.
    pub(super) fn anytime(
        &self,
        order: &[u64],
        one: usize,
        other: usize,
        confidence: f64,
    ) -> Option<Interval> {
        // The bets are on answers that are fixed.
        if self.answers.every.is_some() {
            return None;
        }
        let common = self.answers.common(ArmId::new(one), ArmId::new(other));
        let common: HashMap<u64, f64> = common
            .map(|(one, other)| (one.item, one.score - other.score))
            .collect();
        let common = order.iter().map_while(|item| common.get(item).copied());
        let differences: Vec<f64> = common.collect();
        let arms = self.answers.arms.len() as f64;
        let alpha = (1.0 - confidence) / (arms * (arms - 1.0) / 2.0);
        let (bounds, items) = (Some(self.answers.bounds), Some(self.answers.items));
        let (lower, upper) = difference_interval(&differences, bounds, items, alpha)?;
        let range = self.answers.bounds.1 - self.answers.bounds.0;
        let interval = Interval { lower, upper }.inside(-range, range);
        // What excludes nothing is none.
        (interval.lower > -range || interval.upper < range).then_some(interval)
    }

    /// Returns how many items both arms have answered, and on how many either is better.
    fn paired(&self, one: usize, other: usize) -> [u64; 3] {
        let (mut counts, rounding) = ([0; 3], 1e-12 * self.answers.range());
        for (one, other) in self.answers.common(ArmId::new(one), ArmId::new(other)) {
            let ahead = self.answers.direction.orient(one.score - other.score);
            counts[0] += 1;
            counts[1] += u64::from(ahead > rounding);
            counts[2] += u64::from(ahead < -rounding);
        }
        counts
    }
}

/// The scores of a file with items, every arm of which has some, as answers to the items of a pool.
/// `None` of other results, and where another posterior is asked for.
fn pool_of_file(
    input: &ReportInput,
    options: &ReportOptions,
    evaluations: &ReportedEvaluations,
) -> Result<Option<ScoresOfArms<'static>>, AnalysisError> {
    let is_other = { options.posterior.as_deref() }.is_some_and(|name| name != POOL);
    let lacks_scores = evaluations.counted.iter().any(ArmScores::is_empty);
    let is_pool = !input.records.items().is_empty() && evaluations.counted.len() > 1;
    if input.study.is_some() || is_other || lacks_scores || !is_pool {
        return Ok(None);
    }
    let scores = evaluations.scores(input)?;
    let scores = match &options.strata {
        Some(column) => scores.in_groups(&input.records, column)?,
        None => scores,
    };
    let scores = scores
        .in_pool(input.bounds, options.pool_size)?
        .aimed_at(options.target)?;
    Ok((scores.default_posterior() == POOL).then_some(scores))
}
