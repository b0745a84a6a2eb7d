//! Pool of a report: its answers, the posterior of them, and what is known of its arms.

mod discordant;
mod tables;

pub(super) use discordant::discordant;
pub(super) use tables::{against_best, groups, outlook};

use crate::{
    ArmTable, MeanOverPool,
    analysis::{
        AnalysisError, ScoresOfArms,
        belief::probabilities_better,
        pool::{OutlookOptions, PoolAnswer, PoolAnswers, PoolReport},
        report::{ReportInput, ReportOptions, belief::Believed},
    },
    summary::Interval,
    tuning_curve::{Failed, worst_score},
};
use fiesta_core::{ArmId, Posterior, Reason, Target};
use fiesta_policies::stopping::anytime::difference_interval;
use fiesta_posterior::{POOL, Pool, lead};
use std::collections::{HashMap, HashSet};

/// The pool that a report is about.
pub(super) struct PoolEvidence {
    pub(super) answers: PoolAnswers,
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
        bounds: Option<(f64, f64)>,
    ) -> Result<Option<Self>, AnalysisError> {
        let found = answers(input, options, bounds)?;
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
            return Err(AnalysisError::Refused(
                "the size of a pool is of a file with items whose answers have bounds, under the posterior pool: leave it out"
                    .to_owned(),
            ));
        }
        let Some((answers, copies)) = found else {
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
        let ended = study.and_then(|study| study.conclusion.as_ref());
        let is_decided =
            ended.is_some_and(|ended| !matches!(ended.reason, Reason::Limit(_) | Reason::Schedule));
        let report = if is_decided || !options.outlook || answers.are_compared_in_pairs() {
            PoolReport::new(&answers, outlook.tolerance)?
        } else {
            PoolReport::with_outlook(&answers, &outlook)?
        };
        Ok(Some(Self {
            posterior: answers.posterior()?,
            told: { report.origin_words().into_iter() }
                .chain(copies)
                .collect(),
            report,
            answers,
        }))
    }

    /// Tells in words what means and their differences are of.
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
            row.interval = self.interval(place, confidence);
            row.posterior_mean = row.interval.and(known.mean);
            row.of_pool = known.mean.map(|mean| MeanOverPool {
                mean,
                standard_error: known.standard_error.unwrap_or_default(),
                share: known.share,
                like_these: known.probability_on_items_like_these,
            });
        }
    }

    /// The belief with probabilities of pairs that agree with each other.
    pub(super) fn consistent(&self, belief: Believed) -> Believed {
        Believed {
            better: self.better(),
            ..belief
        }
    }

    /// The posterior interval of an arm's mean over the pool, as reported.
    pub(super) fn interval(&self, arm: usize, confidence: f64) -> Option<Interval> {
        let known = self.posterior.marginal(ArmId::new(arm))?;
        let (low, high) = self.answers.bounds;
        self.report.arms[arm].mean?;
        let mut reported = known;
        reported.location = self.answers.direction.orient(known.location);
        let is_known = self.report.arms[arm].answered >= self.report.items;
        let is_of_these = self.answers.target == Target::TheseItems;
        if is_known && is_of_these && self.answers.every.is_none() {
            let (lower, upper) = (reported.location, reported.location);
            return Some(Interval { lower, upper });
        }
        Some(Interval::of_posterior(&reported, confidence).inside(low, high))
    }

    /// The mean of an arm over the pool less that of another, as reported, with its posterior
    /// interval.
    pub(super) fn difference(
        &self,
        one: usize,
        other: usize,
        confidence: f64,
    ) -> Option<(f64, Interval)> {
        let known = lead(&self.posterior, ArmId::new(one), ArmId::new(other))?;
        let mut reported = known.at(confidence);
        reported.location = self.answers.direction.orient(reported.location);
        let range = self.answers.bounds.1 - self.answers.bounds.0;
        let interval = Interval::of_posterior(&reported, confidence).inside(-range, range);
        Some((reported.location, interval))
    }

    /// The anytime-valid interval of that, from the common beginning of the random order; none
    /// where the order is not known, or is not one of which all are equally likely, or answers
    /// vary.
    fn anytime(
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
        let of = |arm: usize| -> HashMap<u64, f64> {
            let answers = self.answers.answers[arm].iter();
            answers.map(|answer| (answer.item, answer.score)).collect()
        };
        let (one, other) = (of(one), of(other));
        let common = order
            .iter()
            .map_while(|item| Some(one.get(item)? - other.get(item)?));
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

    /// P(the row's mean is better than the column's).
    pub(super) fn better(&self) -> Option<Vec<Vec<f64>>> {
        probabilities_better(self.answers.arms.len(), |a, b| lead(&self.posterior, a, b))
    }

    /// On how many items both have answered, and on how many either is better.
    fn paired(&self, one: usize, other: usize) -> [u64; 3] {
        let of_other: HashMap<u64, f64> = self.answers.answers[other]
            .iter()
            .map(|answer| (answer.item, answer.score))
            .collect();
        let mut counts = [0; 3];
        for answer in &self.answers.answers[one] {
            let Some(score) = of_other.get(&answer.item) else {
                continue;
            };
            let ahead = self.answers.direction.orient(answer.score - score);
            counts[0] += 1;
            counts[1] += u64::from(ahead > 1e-12);
            counts[2] += u64::from(ahead < -1e-12);
        }
        counts
    }
}

/// The answers of a study, or of a file whose posterior is not another one.
fn answers(
    input: &ReportInput,
    options: &ReportOptions,
    bounds: Option<(f64, f64)>,
) -> Result<Option<(PoolAnswers, Vec<String>)>, AnalysisError> {
    if let Some(study) = &input.study {
        let answers = study.pool_answers().filter(|_| options.strata.is_none());
        return Ok(answers.map(|answers| (answers, Vec::new())));
    }
    let records = &input.records;
    let other = options
        .posterior
        .as_deref()
        .is_some_and(|name| name != POOL);
    let arms: HashSet<&str> = records.named().map(|record| record.arm).collect();
    if other || records.items().is_empty() || arms.len() < 2 || arms.len() < records.arms().len() {
        return Ok(None);
    }
    let scores = ScoresOfArms::new(records, &[], input.direction, &*input.source)?;
    let scores = match &options.strata {
        Some(column) => scores.in_groups(records, column)?,
        None => scores,
    };
    let scores = scores
        .in_pool(input.bounds, options.pool_size)?
        .aimed_at(options.target)?;
    let Some(mut answers) = scores.all_pool_answers() else {
        return Ok(None);
    };
    let worst = worst_score([], input.direction, bounds);
    if let (Failed::Worst, Some(score)) = (options.failed, worst) {
        for failed in records.failures() {
            let of_arm = &mut answers.answers[failed.arm.index()];
            let item = failed
                .split
                .filter(|item| of_arm.iter().all(|known| known.item != *item));
            let added = item.map(|item| PoolAnswer {
                item,
                score,
                evaluation: None,
                turn: None,
            });
            of_arm.extend(added);
            if let Some(every) = &mut answers.every {
                every[failed.arm.index()].extend(added);
            }
        }
    }
    Ok(Some((answers.compared()?, scores.copies())))
}
