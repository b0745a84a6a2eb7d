//! The evaluations that a report is about, whether a ledger or a file holds them.

use crate::{exit::Failure, results::Results};
#[cfg(target_os = "linux")]
use fiesta::{core::Outcome, runner::history::Lost};
use fiesta::{
    core::{Counts, Direction},
    report::{
        summary::Sample,
        tuning_curve::{Failed, Trial},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// What was observed of one arm.
#[derive(Debug, Clone, Default)]
pub(super) struct OfArm {
    pub(super) name: String,
    /// The group of each score, if all have one, and the score.
    pub(super) scores: Vec<(Option<u64>, f64)>,
    /// Every evaluation that ended, in order, failures included.
    pub(super) trials: Vec<Trial>,
    pub(super) failed: u64,
    /// The sum of its counts, where there are any.
    pub(super) counts: Option<Counts>,
    pub(super) cost: Option<f64>,
    pub(super) seconds: Option<f64>,
    /// How many attempts led to no outcome; what they took and cost is in its seconds and its cost.
    pub(super) lost: u64,
}

impl OfArm {
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

    #[cfg(target_os = "linux")]
    fn lose(&mut self, lost: Lost) {
        if lost.attempts > 0 {
            self.lost += lost.attempts;
            self.spend(Some(lost.spent.cost), Some(lost.spent.seconds));
        }
    }

    /// Its scores; none if it has none.
    pub(super) fn sample(&self) -> Option<Sample> {
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
    pub(super) arms: Vec<OfArm>,
    /// What groups are, in the plural: splits, documents, or the values of a column.
    pub(super) groups: String,
}

impl Evaluations {
    /// Of results that were read; `strata` is a column whose values are the groups.
    pub(super) fn new(results: &Results, strata: Option<&str>) -> Result<Self, Failure> {
        match &results.study {
            #[cfg(target_os = "linux")]
            Some(recorded) if strata.is_none() => Ok(Self::of_study(recorded)),
            _ => Self::of_records(results, strata),
        }
    }

    #[cfg(target_os = "linux")]
    fn of_study(recorded: &crate::platform::Recorded) -> Self {
        let (study, history) = (&recorded.study, &recorded.history);
        let mut arms: Vec<OfArm> = study
            .arms()
            .names()
            .iter()
            .map(|name| OfArm {
                name: name.clone(),
                counts: study.f_beta().map(|_| Counts::default()),
                ..OfArm::default()
            })
            .collect();
        for record in history.records.values() {
            let arm = &mut arms[record.evaluation.arm.index()];
            arm.lose(record.all_lost());
            let Some(ending) = &record.ending else {
                continue;
            };
            let group = Some(record.evaluation.case.split);
            let score = match &ending.outcome {
                Outcome::Withdrawn => continue,
                Outcome::Failed => None,
                Outcome::Observed(observed) => {
                    let counts = crate::standing::counts_of(observed);
                    if let (Some(sum), Some(counts)) = (&mut arm.counts, counts) {
                        *sum = *sum + counts;
                    }
                    Some(observed.score(study.f_beta().unwrap_or_default()))
                }
            };
            // What was made before the study is no cost of it.
            let cost = record.cost().filter(|_| record.origin.is_none());
            arm.add(group, score, cost, record.seconds());
        }
        let groups = match study.documents() {
            Some(_) => "documents",
            None => "splits",
        };
        Self {
            arms,
            groups: groups.to_owned(),
        }
    }

    fn of_records(results: &Results, strata: Option<&str>) -> Result<Self, Failure> {
        let records = &results.records;
        let column = strata
            .map(|name| {
                records.column(name).ok_or_else(|| {
                    let there = records.columns().join(", ");
                    Failure::Usage(format!(
                        "there is no column `{name}` to take strata from: the columns of your own are {}",
                        if there.is_empty() { "none" } else { &there }
                    ))
                })
            })
            .transpose()?;
        let mut arms: Vec<OfArm> = records
            .arms()
            .iter()
            .map(|name| OfArm {
                name: name.clone(),
                ..OfArm::default()
            })
            .collect();
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
            groups: strata.map_or("splits".to_owned(), |name| format!("values of {name}")),
        })
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

    /// With failures counted as asked; `worst` is the worst score that is possible, if that is known.
    pub(super) fn with_failures(
        &self,
        choice: Failed,
        direction: Direction,
        worst: Option<f64>,
    ) -> Result<Self, Failure> {
        let mut counted = self.clone();
        if self.failed() == 0 || choice == Failed::Drop {
            return Ok(counted);
        }
        if choice == Failed::Error {
            let arm = self.arms.iter().find(|arm| arm.failed > 0);
            let name = arm.map_or("", |arm| &arm.name);
            return Err(Failure::Usage(format!(
                "{} failed, of `{name}` to begin with: count them as --failed worst, or leave them out with --failed drop",
                super::answer::count(self.failed(), "evaluation")
            )));
        }
        let scores = self.arms.iter().flat_map(|arm| &arm.scores);
        let worst_seen = scores
            .map(|(_, score)| *score)
            .min_by(|a, b| direction.orient(*a).total_cmp(&direction.orient(*b)));
        let Some(worst) = worst.or(worst_seen) else {
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
