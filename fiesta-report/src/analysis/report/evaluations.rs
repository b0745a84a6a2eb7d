//! Evaluations that a report is about, whether a study or a file has them.

use super::ReportInput;
use crate::{
    analysis::{
        AnalysisError, ArmScores, ScoresOfArms, count_failures,
        failures::Failures,
        study::{LostAttempts, StudyFacts},
    },
    tuning_curve::{Failed, Trial, worst_score},
};
use fiesta_core::{ArmId, Arms, Counts, Outcome};
use fiesta_records::{Record, Records, SplitSource};
use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

/// What was observed of one arm, and what that took.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmEvaluations {
    pub(super) name: String,
    /// Every evaluation that ended, in order, failures included.
    pub(super) trials: Vec<Trial>,
    pub(super) failed: u64,
    /// The sum of its counts, where there are any.
    pub(super) counts: Option<Counts>,
    pub(super) cost: Option<f64>,
    /// How many of the trials have a cost.
    priced: usize,
    pub(super) seconds: Option<f64>,
    /// How many attempts led to no outcome; what they took and cost is in its seconds and its cost.
    pub(super) lost: u64,
}

impl ArmEvaluations {
    fn add(&mut self, trial: Trial, cost: Option<f64>) {
        self.failed += u64::from(trial.score.is_none());
        self.trials.push(trial);
        self.priced += usize::from(cost.is_some());
        self.spend(cost, trial.duration);
    }

    fn spend(&mut self, cost: Option<f64>, seconds: Option<f64>) {
        let sum = |sum: Option<f64>, more: Option<f64>| match (sum, more) {
            (None, None) => None,
            (sum, more) => Some(sum.unwrap_or(0.0) + more.unwrap_or(0.0)),
        };
        self.cost = sum(self.cost, cost);
        self.seconds = sum(self.seconds, seconds);
    }

    fn lose(&mut self, lost: LostAttempts) {
        if lost.attempts > 0 {
            self.lost += lost.attempts;
            self.spend(Some(lost.cost), Some(lost.seconds));
        }
    }

    /// How many have a score.
    pub(super) fn scored(&self) -> usize {
        let trials = self.trials.iter();
        trials.filter(|trial| trial.score.is_some()).count()
    }

    /// What an evaluation costs on average, with the attempts that led to no outcome, if every one's
    /// cost is known.
    pub(super) fn mean_cost(&self) -> Option<f64> {
        let all = self.trials.len();
        let cost = self.cost.filter(|_| all > 0 && self.priced == all)?;
        Some(cost / all as f64)
    }

    /// How long an evaluation takes on average, if every one's duration is known.
    pub(super) fn mean_seconds(&self) -> Option<f64> {
        let known: Option<Vec<f64>> = self.trials.iter().map(|trial| trial.duration).collect();
        let known = known.filter(|known| !known.is_empty())?;
        Some(known.iter().sum::<f64>() / known.len() as f64)
    }
}

/// What was observed of every arm.
#[derive(Debug, Clone)]
pub(super) struct Evaluations {
    pub(super) arms: Vec<ArmEvaluations>,
    /// The scores of all arms, with failures counted. Their splits are the groups.
    pub(super) counted: ScoresOfArms<'static>,
    /// What groups are, in the plural: splits, documents, or the values of a column.
    pub(super) groups: String,
    /// How many different groups there are, without those of failures. `None` if a score has none.
    pub(super) distinct_groups: Option<usize>,
}

impl Evaluations {
    /// Collects these results, with failures counted as `failed` says; `strata` is a column whose
    /// values are the groups.
    ///
    /// # Errors
    /// As [`count_failures`], but that nothing is counted where every evaluation failed and nothing
    /// says what the worst score is.
    pub(super) fn new(
        input: &ReportInput,
        strata: Option<&str>,
        failed: Failed,
    ) -> Result<Self, AnalysisError> {
        match &input.study {
            Some(study) if strata.is_none() => Self::of_study(study, failed, input),
            _ => Self::of_records(input, strata, failed),
        }
    }

    fn of_study(
        study: &StudyFacts,
        failed: Failed,
        input: &ReportInput,
    ) -> Result<Self, AnalysisError> {
        let arms = study.arms.iter().map(|arm| ArmEvaluations {
            name: arm.name.clone(),
            counts: study.f_beta.map(|_| Counts::default()),
            ..ArmEvaluations::default()
        });
        let mut arms: Vec<ArmEvaluations> = arms.collect();
        let mut scores = vec![ArmScores::default(); arms.len()];
        let mut failures = Vec::new();
        let mut groups = BTreeSet::new();
        for evaluation in &study.evaluations {
            let place = evaluation.arm.index();
            let arm = &mut arms[place];
            arm.lose(evaluation.lost);
            let split = Some(evaluation.case.split);
            let score = match evaluation.outcome {
                None | Some(Outcome::Withdrawn) => continue,
                Some(Outcome::Failed) => {
                    failures.push((evaluation.arm, split));
                    None
                }
                Some(Outcome::Observed(observed)) => {
                    if let (Some(sum), Some(counts)) = (&mut arm.counts, observed.counts()) {
                        *sum = *sum + counts;
                    }
                    let score = observed.score(study.f_beta.unwrap_or_default());
                    let record = Record::new(evaluation.arm, score);
                    scores[place].push(&Record { split, ..record });
                    groups.extend(split);
                    Some(score)
                }
            };
            // What was made before the study is no cost of it.
            let cost = evaluation.cost.filter(|_| !evaluation.recorded);
            let duration = evaluation.seconds;
            arm.add(Trial { score, duration }, cost);
        }
        if let Some((first, _)) = failures.first() {
            let all = scores.iter().flat_map(ArmScores::scores).copied();
            let bounds = study.metric.bounds();
            let worst = worst_score(all, input.direction, bounds);
            let of = Failures {
                count: failures.len(),
                arm: &arms[first.index()].name,
                place: input.source.clone(),
            };
            let (score, _) = of.count(countable(failed, worst), worst, bounds.is_some())?;
            for (arm, split) in failures {
                if let Some(score) = score {
                    let record = Record::new(arm, score);
                    scores[arm.index()].push(&Record { split, ..record });
                }
            }
        }
        let counted = ScoresOfArms {
            metric: study.metric.name().to_owned(),
            direction: input.direction,
            scores,
            arms: Arms::new(arms.iter().map(|arm| arm.name.clone()))?,
            splits: SplitSource::Column,
            unpaired: None,
            folds: None,
            pool: None,
            items: Vec::new(),
            source: input.source.clone(),
        };
        Ok(Self {
            arms,
            counted,
            groups: format!("{}s", study.noun),
            distinct_groups: (!groups.is_empty()).then_some(groups.len()),
        })
    }

    fn of_records(
        input: &ReportInput,
        strata: Option<&str>,
        failed: Failed,
    ) -> Result<Self, AnalysisError> {
        let records = &input.records;
        let column = strata
            .map(|name| {
                records.column(name).ok_or_else(|| {
                    let there = records.columns().join(", ");
                    AnalysisError::Refused(format!(
                        "there is no column `{name}` to take strata from: the columns of your own are {}",
                        if there.is_empty() { "none" } else { &there }
                    ))
                })
            })
            .transpose()?;
        let arms = records.arms().iter().map(|name| ArmEvaluations {
            name: name.clone(),
            ..ArmEvaluations::default()
        });
        let mut arms: Vec<ArmEvaluations> = arms.collect();
        let mut strata_seen: HashMap<&str, u64> = HashMap::new();
        let mut groups = Some(BTreeSet::new());
        for row in records.rows() {
            let arm = records
                .find(row.arm)
                .expect("every row's arm is one of them");
            let group = match column {
                None => row.split,
                Some(column) => row.cell(column).map(|cell| {
                    let next = strata_seen.len() as u64;
                    *strata_seen.entry(cell).or_insert(next)
                }),
            };
            if row.score.is_some() {
                groups = groups.zip(group).map(|(mut groups, group)| {
                    groups.insert(group);
                    groups
                });
            }
            let (score, duration) = (row.score, row.duration);
            arms[arm.index()].add(Trial { score, duration }, row.cost);
        }
        let records = counted(input, failed)?;
        let mut counted = ScoresOfArms::new(&records, &[], input.direction, &*input.source)?;
        if let Some(column) = column {
            // Groups that are values of a column are no items.
            (counted.pool, counted.items) = (None, Vec::new());
            counted.scores = vec![ArmScores::default(); arms.len()];
            for (place, record) in records.records().iter().enumerate() {
                let cell = records.cell(place, column);
                let split = cell.map(|cell| strata_seen[cell]);
                counted.scores[record.arm.index()].push(&Record { split, ..*record });
            }
        }
        Ok(Self {
            arms,
            counted,
            groups: match strata {
                Some(name) => format!("values of {name}"),
                None if records.items().is_empty() => "splits".to_owned(),
                None => "items".to_owned(),
            },
            distinct_groups: groups.map(|groups| groups.len()).filter(|&count| count > 0),
        })
    }

    /// The scores of the arms that have any, and the places of these arms.
    pub(super) fn scores(&self) -> Result<(ScoresOfArms<'static>, Vec<usize>), AnalysisError> {
        let has_some = |arm: &ArmId| !self.counted.scores[arm.index()].is_empty();
        let scored: Vec<ArmId> = self.counted.arms.ids().filter(has_some).collect();
        let places = scored.iter().map(|arm| arm.index()).collect();
        Ok((self.counted.of_arms(&scored)?, places))
    }

    /// How many evaluations failed.
    pub(super) fn failed(&self) -> u64 {
        self.arms.iter().map(|arm| arm.failed).sum()
    }

    /// How many have a score of their own.
    pub(super) fn scored(&self) -> usize {
        self.arms.iter().map(ArmEvaluations::scored).sum()
    }

    /// How many scores there are, with failures counted.
    pub(super) fn counted(&self) -> usize {
        self.counted.scores.iter().map(ArmScores::len).sum()
    }
}

/// The records of a file, with failures counted as `failed` says.
///
/// # Errors
/// As [`Evaluations::new`].
pub(super) fn counted(
    input: &ReportInput,
    failed: Failed,
) -> Result<Cow<'_, Records>, AnalysisError> {
    let (records, direction) = (&input.records, input.direction);
    let bounds = input.bounds();
    let scores = records.records().iter().map(|record| record.score);
    let failed = countable(failed, worst_score(scores, direction, bounds));
    let (counted, _) = count_failures(records, failed, direction, bounds, &input.source)?;
    Ok(counted)
}

/// What failures count as: nothing where there is no worst score that they could count as.
fn countable(failed: Failed, worst: Option<f64>) -> Failed {
    match failed {
        Failed::Worst if worst.is_none() => Failed::Drop,
        failed => failed,
    }
}
