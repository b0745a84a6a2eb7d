//! Evaluations for a report, from a study or a file.

use super::ReportInput;
use crate::{
    analysis::{
        AnalysisError, ArmScores, ScoresOfArms,
        failures::{Failures, place_of},
        study::{LostAttempts, StudyFacts},
    },
    tuning_curve::{Failed, Trial, worst_score},
};
use fiesta_core::{ArmId, Arms, Counts, Outcome};
use fiesta_records::{Evaluations, Record, SplitSource};
use std::collections::{BTreeSet, HashMap};

/// Scores of one arm, with their cost and time.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmEvaluations {
    pub(super) name: String,
    /// Evaluations that ended, in order, failures included.
    pub(super) trials: Vec<Trial>,
    pub(super) failed: u64,
    /// Sum of the arm's counts, if it has counts.
    pub(super) counts: Option<Counts>,
    pub(super) cost: Option<f64>,
    /// Number of trials that have a cost.
    priced: usize,
    pub(super) seconds: Option<f64>,
    /// Number of attempts that led to no outcome; what they took and cost is in the arm's seconds
    /// and cost.
    pub(super) lost: u64,
}

impl ArmEvaluations {
    fn add(&mut self, ended: &Ended) {
        let (score, duration) = (ended.score, ended.duration);
        self.failed += u64::from(score.is_none());
        self.trials.push(Trial { score, duration });
        self.priced += usize::from(ended.cost.is_some());
        self.spend(ended.cost, duration);
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

    /// Returns how many trials have a score.
    pub(super) fn scored(&self) -> usize {
        let trials = self.trials.iter();
        trials.filter(|trial| trial.score.is_some()).count()
    }

    /// Returns what an evaluation costs on average, with the attempts that led to no outcome, if
    /// every one's cost is known.
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

/// Evaluations of every arm.
#[derive(Debug, Clone)]
pub(super) struct ReportedEvaluations {
    pub(super) arms: Vec<ArmEvaluations>,
    /// Scores of each arm, with those that failures count as at the end. Their splits are the
    /// groups.
    pub(super) counted: Vec<ArmScores<'static>>,
    /// Whether the evaluations are of a file whose splits or items are the groups.
    is_of_splits: bool,
    /// Noun for the groups, in the plural: splits, documents, or the values of a column.
    pub(super) groups: String,
    /// Number of different groups, without those of failures. `None` if a score has none.
    pub(super) distinct_groups: Option<usize>,
}

/// Evaluation that ended, with its score unless it failed. Its split is its group.
type Ended = Record<ArmId, Option<f64>>;

impl ReportedEvaluations {
    /// Collects evaluations, with failures counted as `failed` says; `strata` is a column whose
    /// values are the groups.
    ///
    /// # Errors
    /// As [`count_failures`](crate::analysis::count_failures), but that nothing is counted where
    /// every evaluation failed and nothing says what the worst score is.
    pub(super) fn new(
        input: &ReportInput,
        strata: Option<&str>,
        failed: Failed,
    ) -> Result<Self, AnalysisError> {
        let (mut arms, ended, groups) = match &input.study {
            Some(study) if strata.is_none() => of_study(study),
            _ => of_records(&input.records, strata)?,
        };
        for evaluation in &ended {
            arms[evaluation.arm.index()].add(evaluation);
        }
        let mut counted = vec![ArmScores::default(); arms.len()];
        for evaluation in &ended {
            push(&mut counted, evaluation, evaluation.score);
        }
        let scored = || ended.iter().filter(|evaluation| evaluation.score.is_some());
        let distinct: Option<BTreeSet<u64>> = scored().map(|evaluation| evaluation.split).collect();
        let failures = || ended.iter().filter(|evaluation| evaluation.score.is_none());
        if let Some(first) = failures().next() {
            let scores = scored().filter_map(|evaluation| evaluation.score);
            let worst = worst_score(scores, input.direction, input.bounds());
            let all = Failures {
                count: failures().count(),
                arm: &arms[first.arm.index()].name,
                place: place_of(first.line, &input.source),
            };
            let failed = match failed {
                Failed::Worst if worst.is_none() => Failed::Drop,
                failed => failed,
            };
            let (score, _) = all.count(failed, worst, input.bounds().is_some())?;
            for evaluation in failures() {
                push(&mut counted, evaluation, score);
            }
        }
        Ok(Self {
            arms,
            counted,
            is_of_splits: input.study.is_none() && strata.is_none(),
            groups,
            distinct_groups: distinct
                .map(|groups| groups.len())
                .filter(|&count| count > 0),
        })
    }

    /// The scores of the arms that have any, with failures counted, for other analyses.
    pub(super) fn scores(
        &self,
        input: &ReportInput,
    ) -> Result<ScoresOfArms<'static>, AnalysisError> {
        let arms = self.arms.iter().zip(&self.counted);
        let scored = || arms.clone().filter(|(_, scores)| !scores.is_empty());
        let names: Vec<String> = scored().map(|(arm, _)| arm.name.clone()).collect();
        if self.is_of_splits && !names.is_empty() {
            let (records, source) = (&input.records, input.source.as_str());
            let mut all = ScoresOfArms::new(records, &names, input.direction, source)?;
            for (place, (arm, counted)) in scored().enumerate() {
                for failed in counted.iter().skip(arm.scored()) {
                    let record = Record::new(ArmId::new(place), failed.score);
                    let (split, seed, line) = (failed.split, failed.seed, failed.line);
                    all.scores[place].push(&Record {
                        split,
                        seed,
                        line,
                        ..record
                    });
                }
            }
            return Ok(all);
        }
        Ok(ScoresOfArms {
            metric: input.metric.clone(),
            direction: input.direction,
            arms: Arms::new(names)?,
            scores: scored().map(|(_, scores)| scores.clone()).collect(),
            splits: SplitSource::Column,
            unpaired: None,
            folds: None,
            pool: None,
            items: Vec::new(),
            source: input.source.clone(),
        })
    }

    /// Returns how many evaluations failed.
    pub(super) fn failed(&self) -> u64 {
        self.arms.iter().map(|arm| arm.failed).sum()
    }

    /// Returns how many evaluations have a score of their own.
    pub(super) fn scored(&self) -> usize {
        self.arms.iter().map(ArmEvaluations::scored).sum()
    }

    /// Returns how many scores there are, with failures counted.
    pub(super) fn counted(&self) -> usize {
        self.counted.iter().map(ArmScores::len).sum()
    }
}

/// Adds the score that an evaluation counts as to those of its arm, if there is one.
fn push(scores: &mut [ArmScores<'_>], evaluation: &Ended, score: Option<f64>) {
    let Ended {
        arm,
        split,
        seed,
        line,
        ..
    } = *evaluation;
    let record = score.map(|score| Record {
        split,
        seed,
        line,
        ..Record::new(arm, score)
    });
    if let Some(record) = record {
        scores[arm.index()].push(&record);
    }
}

/// Arms, evaluations that ended, and the noun for the groups.
type Found = (Vec<ArmEvaluations>, Vec<Ended>, String);

fn of_study(study: &StudyFacts) -> Found {
    let arms = study.arms.iter().map(|arm| ArmEvaluations {
        name: arm.name.clone(),
        counts: study.f_beta.map(|_| Counts::default()),
        ..ArmEvaluations::default()
    });
    let mut arms: Vec<ArmEvaluations> = arms.collect();
    let mut ended = Vec::new();
    for evaluation in &study.evaluations {
        let arm = &mut arms[evaluation.arm.index()];
        arm.lose(evaluation.lost);
        let score = match evaluation.outcome {
            None | Some(Outcome::Withdrawn) => continue,
            Some(Outcome::Failed) => None,
            Some(Outcome::Observed(observed)) => {
                if let (Some(sum), Some(counts)) = (&mut arm.counts, observed.counts()) {
                    *sum = *sum + counts;
                }
                Some(observed.score(study.f_beta.unwrap_or_default()))
            }
        };
        ended.push(Ended {
            arm: evaluation.arm,
            score,
            split: Some(evaluation.case.split),
            seed: None,
            // What was made before the study is no cost of it.
            cost: evaluation.cost.filter(|_| !evaluation.recorded),
            duration: evaluation.seconds,
            line: 0,
        });
    }
    (arms, ended, format!("{}s", study.noun))
}

fn of_records(records: &Evaluations, strata: Option<&str>) -> Result<Found, AnalysisError> {
    let column = strata.map(|name| {
        let column = records.column(name);
        column.ok_or_else(|| AnalysisError::no_column(name, "strata", records))
    });
    let column = column.transpose()?;
    let arms = records.arms().iter().map(|name| ArmEvaluations {
        name: name.clone(),
        ..ArmEvaluations::default()
    });
    let mut seen: HashMap<&str, u64> = HashMap::new();
    let ended = records.rows().map(|row| Ended {
        arm: { records.find(row.arm) }.expect("every row's arm is one of them"),
        score: row.score,
        split: match column {
            None => row.split,
            Some(column) => row.cell(column).map(|cell| {
                let next = seen.len() as u64;
                *seen.entry(cell).or_insert(next)
            }),
        },
        seed: row.seed,
        cost: row.cost,
        duration: row.duration,
        line: row.line,
    });
    let ended = ended.collect();
    let groups = match strata {
        Some(name) => format!("values of {name}"),
        None if records.items().is_empty() => "splits".to_owned(),
        None => "items".to_owned(),
    };
    Ok((arms.collect(), ended, groups))
}
