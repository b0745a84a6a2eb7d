//! Arms by their measures beside the score: the cheapest that is good enough, and the best within limits.

mod column;
mod tally;
#[cfg(test)]
mod tests;
mod text;

use super::of_scores::{Sampling, fit};
use crate::analysis::{AnalysisError, ScoresOfArms};
use column::Measure;
use fiesta_core::{Observe, Posterior, Streams, Target, finest};
use fiesta_posterior::{PAIRED, POOL};
use fiesta_records::Evaluations;
use serde::Serialize;
use std::str::FromStr;
use tally::{Aim, Tally};

/// Number of fits, each with a seed of its own, from whose spread the error is computed.
const BATCHES: usize = 10;
/// Sweeps of a sampled posterior over all batches by default.
const SWEEPS: u64 = 10_000;
/// Joint draws of all means for each sweep.
const DRAWS_OF_SWEEP: u64 = 4;
/// Probability from which on an arm, or that none is feasible, is the answer.
const NAMED_FROM: f64 = 0.95;
/// Measure that makes an arm cheap by default.
const COST: &str = "cost";

/// Request of an answer about measures beside the score: nothing by default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeasuresRequest {
    /// Largest distance below the best feasible arm, in the unit of the score, at which the cheapest
    /// arm is sought. `None` to seek the best arm within the limits.
    pub cheapest_within: Option<f64>,
    /// Name of the measure that makes an arm cheap. `None` for `cost`.
    pub by: Option<String>,
    /// Limits that a feasible arm keeps.
    pub at_most: Vec<MeasureLimit>,
    /// Measures that are prices: where the values of each arm are all the same, its mean is known.
    pub known: Vec<String>,
}

/// Upper limit of an arm's mean of a measure, written `seconds=2`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasureLimit {
    /// Name of the measure: a column of the evaluations, `cost` or `duration`.
    pub measure: String,
    /// Largest mean that is allowed.
    pub at_most: f64,
}

impl FromStr for MeasureLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limit = text.rsplit_once('=').and_then(|(measure, limit)| {
            let (measure, at_most) = (measure.trim().to_owned(), limit.trim().parse().ok()?);
            Some(Self { measure, at_most })
        });
        limit
            .filter(|limit| !limit.measure.is_empty() && limit.at_most.is_finite())
            .ok_or_else(|| {
                "give a measure and the largest mean that is allowed, for example seconds=2"
                    .to_owned()
            })
    }
}

/// Answer about measures: which arm is the cheapest that is good enough, or the best within limits.
///
/// The probabilities of `arms` and `probability_none_feasible` sum to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MeasuresReport {
    /// Verdict: an arm or that none is feasible, with a probability of .95 or more, or open.
    pub verdict: MeasuresVerdict,
    /// Arm that is most probably the answer; of several the first.
    pub arm: String,
    /// Name of the score.
    pub metric: String,
    /// Items that the scores are of. `None` without a pool of items. Measures are always of items like these.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub target: Option<Target>,
    /// Largest distance below the best feasible arm. `None` if the best arm within the limits is sought.
    pub cheapest_within: Option<f64>,
    /// Name of the measure that makes an arm cheap. `None` if the best arm within the limits is sought.
    pub by: Option<String>,
    /// Limits that a feasible arm keeps.
    pub limits: Vec<MeasureLimit>,
    /// Probability that no arm keeps all limits.
    pub probability_none_feasible: f64,
    /// Standard error of the probabilities that sum to 1, of the one that has the greatest.
    pub absolute_error: f64,
    /// Whether all scores and measures are known, so that the answer is counted.
    pub is_known: bool,
    /// Arms in the order in which they were asked for.
    pub arms: Vec<ArmMeasures>,
    /// Sentences on what is known, what is missing, and what to keep in mind.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
}

/// Verdict on the cheapest arm that is good enough, or on the best within limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeasuresVerdict {
    /// One arm is the answer.
    Arm,
    /// No arm keeps all limits.
    NoneFeasible,
    /// Neither is probable enough.
    Open,
}

/// Probabilities of one arm by the joint draws of all scores and measures.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmMeasures {
    /// Name of the arm.
    pub name: String,
    /// Probability that the arm is the answer: feasible, within the distance of the best feasible
    /// arm, and the cheapest such arm; or the best feasible arm.
    pub probability: f64,
    /// Probability that the arm is within the distance of the best of all arms, feasible or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_within: Option<f64>,
    /// Probability that the arm keeps all limits. `None` without limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_feasible: Option<f64>,
    /// Probability that no other arm has as good a score and as low a measure, and one of them better:
    /// that the arm is on the Pareto front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_pareto: Option<f64>,
    /// Measures of the arm: the one that makes an arm cheap, then those with limits.
    pub measures: Vec<ArmMeasure>,
}

/// Mean of a measure of one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmMeasure {
    /// Name of the measure.
    pub measure: String,
    /// Number of evaluations with a value of the measure.
    pub evaluations: u64,
    /// Mean of the values.
    pub mean: f64,
    /// Least mean of the central 95 % of the posterior; the mean itself where it is known.
    pub lower: f64,
    /// Greatest mean of the central 95 % of the posterior.
    pub upper: f64,
    /// Whether the mean is known, as all values are the same.
    pub is_known: bool,
    /// Probability that the mean is within the limit. `None` without a limit of this measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_at_most: Option<f64>,
}

impl MeasuresRequest {
    /// Returns the flag that asks about measures. `None` if nothing is asked.
    pub fn flag(&self) -> Option<&'static str> {
        let given = [
            ("cheapest-within", self.cheapest_within.is_some()),
            ("at-most", !self.at_most.is_empty()),
            ("by", self.by.is_some()),
            ("known", !self.known.is_empty()),
        ];
        let given = given.into_iter().find(|(_, is_given)| *is_given);
        given.map(|(flag, _)| flag)
    }

    /// Returns the answer, with notes on what is known and what is missing.
    ///
    /// Means of scores are drawn from the posterior with the given name, those of measures from the
    /// posterior `paired`, with the skewness of the measure taken into account; the draws of
    /// different measures, and of scores and measures, are independent.
    ///
    /// # Errors
    /// [`AnalysisError`] for a distance or limit that is none, for measures that the evaluations
    /// lack, and for too few values.
    pub(super) fn report(
        &self,
        scores: &ScoresOfArms,
        records: Option<&Evaluations>,
        name: &str,
        posterior: &dyn Posterior,
        sampling: Sampling,
    ) -> Result<MeasuresReport, AnalysisError> {
        let aim = self.aim()?;
        let records = records.ok_or_else(|| {
            AnalysisError::refused(
                "the scores have no columns of measures beside them: give a table with a row for each evaluation",
            )
        })?;
        let by = self.measure_of_cheapest();
        let names = self.names()?;
        let measures = { names.iter() }.map(|name| {
            let is_price = self.known.iter().any(|known| known == name);
            Measure::new(records, scores, name, is_price)
        });
        let measures: Vec<Measure> = measures.collect::<Result<_, _>>()?;
        let of_limit = |limit: &MeasureLimit| {
            let place = names.iter().position(|name| *name == limit.measure);
            (place.unwrap_or(0), limit.at_most)
        };
        let limits: Vec<(usize, f64)> = self.at_most.iter().map(of_limit).collect();
        let arms = scores.arms.len();
        let mut tally = Tally::new(arms, aim, limits);
        let mut rng = Streams::new(sampling.seed.unwrap_or(0)).draws(0);
        let (sweeps, first) = (sampling.draws.unwrap_or(SWEEPS), sampling.seed.unwrap_or(0));
        let each = (sweeps / BATCHES as u64).max(16);
        let mut intervals = Vec::new();
        let mut drawn = (vec![0.0; arms], vec![vec![0.0; arms]; measures.len()]);
        for batch in 0..BATCHES {
            let sampling = Sampling {
                draws: Some(each),
                seed: Some(first.wrapping_add(batch as u64)),
            };
            // What is sampled is sampled anew; other posteriors draw as often as they are asked.
            let sampled: Option<Box<dyn Observe<f64>>> = (name == PAIRED)
                .then(|| fit(scores, name, None, sampling, None))
                .transpose()?;
            let of_scores: &dyn Posterior = match &sampled {
                Some(sampled) => &**sampled,
                None => finest(posterior),
            };
            let fitted = measures.iter().map(|measure| measure.fit(sampling, scores));
            let mut fitted: Vec<_> = fitted.collect::<Result<_, _>>()?;
            if batch == 0 {
                intervals.extend(fitted.iter().map(column::Means::intervals));
            }
            for _ in 0..each * DRAWS_OF_SWEEP {
                of_scores.draw(&mut rng, &mut drawn.0);
                for (means, drawn) in fitted.iter_mut().zip(&mut drawn.1) {
                    means.draw(&mut rng, drawn);
                }
                tally.add(batch, &drawn.0, &drawn.1);
            }
        }
        let is_known = tally.scores_are_known() && measures.iter().all(Measure::is_known);
        let found = tally.shares(|arm, of| measures[of].is_known_of(arm), is_known);
        let of_measure = |arm: usize, measure: usize| ArmMeasure {
            measure: names[measure].to_owned(),
            probability_at_most: found.kept(arm, measure),
            ..measures[measure].of_arm(arm, intervals[measure][arm])
        };
        let of_arm = |(arm, name): (usize, &String)| ArmMeasures {
            name: name.clone(),
            probability: found.answer[arm],
            probability_within: by.map(|_| found.within[arm]),
            probability_feasible: (!self.at_most.is_empty()).then(|| found.feasible[arm]),
            probability_pareto: by.map(|_| found.front[arm]),
            measures: (0..names.len())
                .map(|measure| of_measure(arm, measure))
                .collect(),
        };
        let most = (0..arms)
            .rev()
            .max_by(|&a, &b| found.answer[a].total_cmp(&found.answer[b]))
            .unwrap_or(0);
        let named = measures.iter().zip(&names);
        let notes = named.flat_map(|(measure, name)| measure.notes(scores, self.limits(name)));
        Ok(MeasuresReport {
            verdict: if found.none >= NAMED_FROM {
                MeasuresVerdict::NoneFeasible
            } else if found.answer[most] >= NAMED_FROM {
                MeasuresVerdict::Arm
            } else {
                MeasuresVerdict::Open
            },
            arm: scores.arms.names()[most].clone(),
            metric: scores.metric.clone(),
            target: { scores.pool.as_ref() }
                .filter(|_| name == POOL)
                .map(|pool| pool.target),
            cheapest_within: self.cheapest_within,
            by: by.map(str::to_owned),
            limits: self.at_most.clone(),
            probability_none_feasible: found.none,
            absolute_error: found.error,
            is_known,
            arms: scores.arms.names().iter().enumerate().map(of_arm).collect(),
            notes: notes.collect(),
        })
    }

    /// Returns the measure that makes an arm cheap. `None` if the best arm within limits is sought.
    fn measure_of_cheapest(&self) -> Option<&str> {
        self.cheapest_within?;
        Some(self.by.as_deref().unwrap_or(COST))
    }

    /// Returns the measures that are asked about: the one that makes an arm cheap, then those with limits.
    fn names(&self) -> Result<Vec<&str>, AnalysisError> {
        let mut names: Vec<&str> = self.measure_of_cheapest().into_iter().collect();
        for limit in &self.at_most {
            if !names.contains(&&*limit.measure) {
                names.push(&limit.measure);
            }
        }
        let mut known = self.known.iter();
        match known.find(|known| !names.contains(&known.as_str())) {
            None => Ok(names),
            Some(other) => Err(AnalysisError::Refused(format!(
                "--known {other}: nothing is asked of this measure: leave it out, or ask for it with --by or --at-most"
            ))),
        }
    }

    /// Whether there is a limit of this measure.
    fn limits(&self, measure: &str) -> bool {
        self.at_most.iter().any(|limit| limit.measure == measure)
    }

    /// Returns which arm is sought.
    fn aim(&self) -> Result<Aim, AnalysisError> {
        if let Some(limit) = self.at_most.iter().find(|limit| !limit.at_most.is_finite()) {
            return Err(AnalysisError::Refused(format!(
                "the limit of `{}` is no number: give the largest mean that is allowed, for example {0}=2",
                limit.measure
            )));
        }
        match self.cheapest_within {
            Some(within) if within.is_finite() && within >= 0.0 => Ok(Aim::Cheapest(within)),
            Some(_) => Err(AnalysisError::refused(
                "the cheapest arm is sought within a distance of the best score: give a number that is 0 or more, for example 0.01",
            )),
            None if self.at_most.is_empty() && self.by.is_none() => Err(AnalysisError::refused(
                "--known is about measures: ask for the cheapest arm with --cheapest-within, or for the best within limits with --at-most",
            )),
            None if self.by.is_some() => Err(AnalysisError::refused(
                "--by is the measure that makes an arm cheap: ask for the cheapest arm with --cheapest-within, or leave --by out",
            )),
            None => Ok(Aim::Best),
        }
    }
}
