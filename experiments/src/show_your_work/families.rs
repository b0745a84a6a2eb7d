//! Families of models that were searched, with their curves of the expected best score.

use crate::Failure;
use fiesta_core::Direction;
use fiesta_records::Evaluations;
use fiesta_report::{
    bands::{Band, BandLimits, Bounds, CdfBand, CurveBand},
    budget::Budget,
    tuning_curve::{ArmTrials, Estimator, Failed, Trial, TuningCurve},
};
use serde::Serialize;

/// The confidence of the curves' bands.
pub(super) const CONFIDENCE: f64 = 0.95;
/// The smallest and the largest score that is possible.
pub(super) const BOUNDS: (f64, f64) = (0.0, 1.0);

/// Unit in which budgets are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Axis {
    Trials,
    Seconds,
}

impl Axis {
    /// Returns the results for both axes of budgets, trials and seconds, in one list.
    pub(super) fn each<T>(of: impl Fn(Self) -> Vec<T>) -> Vec<T> {
        [Self::Trials, Self::Seconds]
            .into_iter()
            .flat_map(of)
            .collect()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Trials => "trials",
            Self::Seconds => "seconds",
        }
    }
}

/// Family of classifiers, which is an arm of the results, with its curves.
pub(super) struct Family {
    pub(super) name: String,
    pub(super) trials: ArmTrials,
    /// Seconds of a trial, on average.
    pub(super) seconds: f64,
    /// The expected best of 1, …, B trials by the plug-in estimator, which is the paper's.
    pub(super) curve: TuningCurve,
    /// Band in which the true curve may lie, for all n at once.
    pub(super) band: Vec<BandLimits>,
    /// The median of the best of n, with a band in which the true median may lie.
    pub(super) medians: Vec<f64>,
    pub(super) median_band: Vec<BandLimits>,
}

/// The budget that a family needs for a score.
#[derive(Debug, Serialize)]
pub(super) struct Required {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) status: &'static str,
    pub(super) n: Option<u64>,
    /// Whether the required number of trials exceeds the trials that were run.
    pub(super) beyond: bool,
    pub(super) seconds: Option<f64>,
    /// Least n at which the upper end of the band (`at_most`: the lower end) reaches the score, as
    /// far as there are trials.
    pub(super) at_least: Option<u64>,
    pub(super) at_most: Option<u64>,
}

impl Family {
    /// Returns a family for each arm, in the order of the results.
    pub(super) fn all(records: &Evaluations) -> Result<Vec<Self>, Failure> {
        let mut trials = vec![Vec::new(); records.arms().len()];
        for record in records.records().iter() {
            trials[record.arm.index()].push(Trial {
                score: Some(record.score),
                duration: record.duration,
            });
        }
        let arms = records.arms().iter().zip(&trials);
        arms.map(|(name, trials)| Self::new(name, trials)).collect()
    }

    fn new(name: &str, trials: &[Trial]) -> Result<Self, Failure> {
        let trials = ArmTrials::new(trials, Direction::Maximize, Some(BOUNDS), Failed::Error)?;
        let sample = trials.scores();
        let up_to = sample.count();
        let cdf = CdfBand::new(Band::EqualTailed, up_to, CONFIDENCE)?;
        let band = CurveBand::new(&cdf, sample, Bounds::new(Some(BOUNDS.0), Some(BOUNDS.1))?)?;
        let seconds = trials.mean_duration().filter(|&seconds| seconds > 0.0);
        Ok(Self {
            name: name.to_owned(),
            seconds: seconds.ok_or_else(|| format!("not every trial of {name} has a duration"))?,
            curve: sample.curve(Estimator::PlugIn, up_to),
            band: band.mean_curve(up_to),
            medians: sample.median_curve(up_to),
            median_band: band.median_curve(up_to),
            trials,
        })
    }

    /// Returns the number of trials of the family, B.
    pub(super) fn count(&self) -> usize {
        self.trials.scores().count()
    }

    /// Returns the expected best of n ≥ 1 trials, also of more than there were.
    pub(super) fn expected(&self, n: u64) -> f64 {
        let sample = self.trials.scores();
        let best = sample.best_of(Estimator::PlugIn, n);
        best.map_or(sample.best(), |best| best.mean)
    }

    /// Returns the expected best of any n ≥ 1 trials, on the straight line between its neighbours,
    /// as the figures draw it.
    pub(super) fn expected_at(&self, n: f64) -> f64 {
        let (below, share) = split(n);
        let from = self.expected(below);
        if share == 0.0 {
            return from;
        }
        from + share * (self.expected(below + 1) - from)
    }

    /// Returns the budget that n trials of the family take.
    pub(super) fn budget(&self, axis: Axis, n: f64) -> f64 {
        match axis {
            Axis::Trials => n,
            Axis::Seconds => n * self.seconds,
        }
    }

    /// Returns how many trials of the family a budget pays for.
    pub(super) fn trials_within(&self, axis: Axis, budget: f64) -> f64 {
        let n = budget / self.budget(axis, 1.0);
        // A time that was n durations is n again.
        let whole = n.round();
        if (n - whole).abs() <= 1e-9 * whole {
            whole
        } else {
            n
        }
    }

    /// Returns the budget that it takes to expect a score.
    pub(super) fn required(&self, value: f64) -> Result<Required, Failure> {
        let budget = self.trials.scores().budget(Estimator::PlugIn, value)?;
        let n = budget.reached().map(|reached| reached.n);
        let first = |reached: fn(&BandLimits, f64) -> bool| {
            let place = self
                .band
                .iter()
                .position(|interval| reached(interval, value));
            place.map(|place| place as u64 + 1)
        };
        Ok(Required {
            name: self.name.clone(),
            value,
            status: budget.status(),
            n,
            beyond: matches!(budget, Budget::Beyond(_)),
            seconds: n.map(|n| self.budget(Axis::Seconds, n as f64)),
            at_least: first(|band, value| band.upper.is_none_or(|upper| upper >= value)),
            // An open end reaches nothing for sure.
            at_most: first(|band, value| band.lower.is_some_and(|lower| lower >= value)),
        })
    }
}

/// Splits a number of trials into its whole part, at least 1, and the remaining share of a trial.
pub(super) fn split(n: f64) -> (u64, f64) {
    let below = n.floor().max(1.0);
    (fiesta_core::whole_u64(below), (n - below).clamp(0.0, 1.0))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a family of scores whose trials took `seconds` seconds each.
    pub(in super::super) fn family(name: &str, scores: &[f64], seconds: f64) -> Family {
        let trial = |&score: &f64| Trial {
            score: Some(score),
            duration: Some(seconds),
        };
        Family::new(name, &scores.iter().map(trial).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn between_whole_trials_the_curve_is_straight() {
        let family = family("a", &[0.1, 0.2], 0.1);
        assert!((family.trials_within(Axis::Seconds, 0.1 * 3.0) - 3.0).abs() < f64::EPSILON);
        let [one, two] = [1, 2].map(|n| family.expected(n));
        let half = family.expected_at(family.trials_within(Axis::Seconds, 0.15));
        assert!((half - f64::midpoint(one, two)).abs() < 1e-12);
        // .2 − .1/2ⁿ, also where there were not so many trials.
        assert!((family.expected_at(4.0) - (0.2 - 0.1 / 16.0)).abs() < 1e-12);
    }

    #[test]
    fn the_band_of_a_budget_holds_it() {
        let scores: Vec<f64> = (0..50).map(|i| f64::from(i) / 100.0).collect();
        let family = family("a", &scores, 1.0);
        let required = family.required(0.4).unwrap();
        let n = required.n.unwrap();
        assert!(required.at_least.unwrap() <= n, "{required:?}");
        assert!(required.at_most.is_none_or(|most| most >= n));
        // Beyond the n that the scores tell of, the upper end leaves everything open.
        let never = family.required(0.6).unwrap();
        assert_eq!((never.status, never.n), ("above_observed_best", None));
        assert!(never.at_least.is_some() && never.at_most.is_none());
    }
}
