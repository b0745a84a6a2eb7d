//! Evaluations that a report is about, whether a study or a file has them.

use super::ReportInput;
use crate::{
    analysis::{
        AnalysisError, ScoresOfArms,
        study::{LostAttempts, StudyFacts},
    },
    summary::Sample,
    tuning_curve::{Failed, Trial, worst_score},
    words::count,
};
use fiesta_core::{ArmId, Arms, Counts, Direction, Outcome};
use fiesta_records::{Record, Records, SplitSource};
use std::collections::{BTreeMap, BTreeSet};

/// What was observed of one arm.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmEvaluations {
    pub(super) name: String,
    /// The group of each score, if all have one, and the score.
    pub(super) scores: Vec<(Option<u64>, f64)>,
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
    fn add(
        &mut self,
        group: Option<u64>,
        score: Option<f64>,
        cost: Option<f64>,
        seconds: Option<f64>,
    ) {
        match score {
            Some(score) => self.scores.push((group, score)),
            None => self.failed += 1,
        }
        self.trials.push(Trial {
            score,
            duration: seconds,
        });
        self.priced += usize::from(cost.is_some());
        self.spend(cost, seconds);
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

    /// Its scores; none if it has none.
    pub(super) fn sample(&self) -> Option<Sample<'static>> {
        let groups: Option<Vec<(u64, f64)>> = self
            .scores
            .iter()
            .map(|&(group, score)| Some((group?, score)))
            .collect();
        match groups {
            Some(grouped) => Sample::grouped(grouped),
            None => Sample::new(self.scores.iter().map(|(_, score)| *score)),
        }
        .ok()
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
    /// What groups are, in the plural: splits, documents, or the values of a column.
    pub(super) groups: String,
}

impl Evaluations {
    /// Of these results; `strata` is a column whose values are the groups.
    pub(super) fn new(input: &ReportInput, strata: Option<&str>) -> Result<Self, AnalysisError> {
        match &input.study {
            Some(study) if strata.is_none() => Ok(Self::of_study(study)),
            _ => Self::of_records(&input.records, strata),
        }
    }

    fn of_study(study: &StudyFacts) -> Self {
        let arms = study.arms.iter().map(|arm| ArmEvaluations {
            name: arm.name.clone(),
            counts: study.f_beta.map(|_| Counts::default()),
            ..ArmEvaluations::default()
        });
        let mut arms: Vec<ArmEvaluations> = arms.collect();
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
            // What was made before the study is no cost of it.
            let cost = evaluation.cost.filter(|_| !evaluation.recorded);
            arm.add(Some(evaluation.case.split), score, cost, evaluation.seconds);
        }
        Self {
            arms,
            groups: format!("{}s", study.noun),
        }
    }

    fn of_records(records: &Records, strata: Option<&str>) -> Result<Self, AnalysisError> {
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
        let mut strata_seen: BTreeMap<String, u64> = BTreeMap::new();
        for row in records.rows() {
            let arm = records
                .find(row.arm)
                .expect("every row's arm is one of them");
            let group = match column {
                None => row.split,
                Some(column) => row.cell(column).map(|cell| {
                    let next = strata_seen.len() as u64;
                    *strata_seen.entry(cell.to_owned()).or_insert(next)
                }),
            };
            arms[arm.index()].add(group, row.score, row.cost, row.duration);
        }
        Ok(Self {
            arms,
            groups: match strata {
                Some(name) => format!("values of {name}"),
                None if records.items().is_empty() => "splits".to_owned(),
                None => "items".to_owned(),
            },
        })
    }

    /// The scores of the arms that have any, for other analyses, and the places of these arms.
    pub(super) fn scores(
        &self,
        direction: Direction,
    ) -> Result<(ScoresOfArms<'static>, Vec<usize>), AnalysisError> {
        let all = self.arms.iter().enumerate();
        let (places, scored): (Vec<usize>, Vec<&ArmEvaluations>) =
            all.filter(|(_, arm)| !arm.scores.is_empty()).unzip();
        let records = ArmId::all(scored.len()).zip(&scored).map(|(id, arm)| {
            let scores = (0..).zip(&arm.scores);
            let record = |(seed, &(split, score))| Record {
                split,
                seed: Some(seed),
                ..Record::new(id, score)
            };
            scores.map(record).collect()
        });
        let scores = ScoresOfArms {
            metric: String::new(),
            direction,
            scores: records.collect(),
            arms: Arms::new(scored.iter().map(|arm| arm.name.clone()))?,
            splits: SplitSource::Column,
            unpaired: None,
            folds: None,
            pool: None,
            items: Vec::new(),
            source: "scores".to_owned(),
        };
        Ok((scores, places))
    }

    /// Those on the groups on which every arm with a score has one, and how many they leave out; all
    /// of them if there is no such group, or some score has none.
    pub(super) fn on_common_groups(&self) -> (Self, usize) {
        let mut common: Option<BTreeSet<u64>> = None;
        for arm in self.arms.iter().filter(|arm| !arm.scores.is_empty()) {
            let own: BTreeSet<u64> = arm.scores.iter().filter_map(|(group, _)| *group).collect();
            common = Some(match common {
                None => own,
                Some(common) => common.intersection(&own).copied().collect(),
            });
        }
        let mut kept = self.clone();
        let common = common.unwrap_or_default();
        if common.is_empty() {
            return (kept, 0);
        }
        for arm in &mut kept.arms {
            arm.scores
                .retain(|(group, _)| group.is_some_and(|group| common.contains(&group)));
        }
        let left_out = self.scored() - kept.scored();
        (kept, left_out)
    }

    /// How many evaluations failed.
    pub(super) fn failed(&self) -> u64 {
        self.arms.iter().map(|arm| arm.failed).sum()
    }

    /// How many have a score.
    pub(super) fn scored(&self) -> usize {
        self.arms.iter().map(|arm| arm.scores.len()).sum()
    }

    /// How many different groups there are, where all scores have one.
    pub(super) fn distinct_groups(&self) -> Option<usize> {
        let scores = self.arms.iter().flat_map(|arm| &arm.scores);
        let groups: Option<BTreeSet<u64>> = scores.map(|(group, _)| *group).collect();
        groups.map(|groups| groups.len()).filter(|&count| count > 0)
    }

    /// Counts failures as asked: as the [worst score](worst_score), or not at all.
    pub(super) fn with_failures(
        &self,
        choice: Failed,
        direction: Direction,
        bounds: Option<(f64, f64)>,
    ) -> Result<Self, AnalysisError> {
        let mut counted = self.clone();
        if self.failed() == 0 || choice == Failed::Drop {
            return Ok(counted);
        }
        if choice == Failed::Error {
            let arm = self.arms.iter().find(|arm| arm.failed > 0);
            let name = arm.map_or("", |arm| &arm.name);
            return Err(AnalysisError::Refused(format!(
                "{} failed, of `{name}` to begin with: count them as --failed worst, or leave them out with --failed drop",
                count(self.failed(), "evaluation")
            )));
        }
        let scores = self.arms.iter().flat_map(|arm| &arm.scores);
        let observed = scores.map(|(_, score)| *score);
        let Some(worst) = worst_score(observed, direction, bounds) else {
            // Every one failed, and nothing says what the worst is: there is no score to count.
            return Ok(counted);
        };
        for arm in &mut counted.arms {
            // A group that is not known would take that of the others away.
            let grouped = arm.scores.iter().all(|(group, _)| group.is_some());
            let failures = arm.failed;
            let next = u64::MAX - failures;
            let group = |number: u64| grouped.then_some(next + number);
            arm.scores
                .extend((0..failures).map(|number| (group(number), worst)));
        }
        Ok(counted)
    }
}
