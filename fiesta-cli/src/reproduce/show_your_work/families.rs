//! The families of models that were searched, with their curves.

use super::Failure;
use fiesta::{
    core::Direction,
    records::Records,
    report::{
        bands::{Band, Bounds, CdfBand, CurveBand, Limits},
        budget::Budget,
        tuning_curve::{Estimator, Failed, Trial, Trials, TuningCurve},
    },
};

/// How scores become curves.
pub(super) struct Choices {
    pub(super) direction: Direction,
    /// The smallest and the largest score that is possible.
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) failed: Failed,
    pub(super) band: Band,
    pub(super) confidence: f64,
}

/// One family: an arm of the results.
pub(super) struct Family {
    pub(super) name: String,
    pub(super) trials: Trials,
    /// The expected best of 1, …, B trials by the plug-in estimator, which is the paper's.
    pub(super) curve: TuningCurve,
    /// Where the true curve may lie, for all n at once.
    pub(super) band: Vec<Limits>,
    /// The median of the best of n, and where the true one may lie: its band needs no bounds of the metric.
    pub(super) medians: Vec<f64>,
    pub(super) median_band: Vec<Limits>,
    /// A score that was reported for it elsewhere.
    pub(super) reported: Option<f64>,
}

/// The budget that a family needs for a score.
pub(super) struct Required {
    pub(super) value: f64,
    pub(super) budget: Budget,
    /// The same for the upper and the lower end of the band, as far as there are trials.
    pub(super) at_least: Option<u64>,
    pub(super) at_most: Option<u64>,
}

fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}

impl Family {
    /// One for each arm, in the order of the results.
    pub(super) fn all(records: &Records, choices: &Choices) -> Result<Vec<Self>, Failure> {
        let mut trials = vec![Vec::new(); records.arms().len()];
        for row in records.rows() {
            let arm = records.find(row.arm).expect("the arm of a row is known");
            trials[arm.index()].push(Trial {
                score: row.score,
                duration: row.duration,
            });
        }
        let arms = records.arms().iter().zip(&trials);
        arms.map(|(name, trials)| Self::new(name, trials, choices))
            .collect()
    }

    fn new(name: &str, trials: &[Trial], choices: &Choices) -> Result<Self, Failure> {
        let trials = Trials::new(trials, choices.direction, choices.bounds, choices.failed)
            .map_err(|error| {
                usage(format!(
                    "{name}: {error} (--failed says what failed trials count as)"
                ))
            })?;
        let sample = trials.sample();
        let up_to = sample.count();
        let cdf = CdfBand::new(choices.band, up_to, choices.confidence).map_err(usage)?;
        let bounds = match choices.bounds {
            Some((low, high)) => Bounds::new(Some(low), Some(high)).map_err(usage)?,
            None => Bounds::NONE,
        };
        let band = CurveBand::new(&cdf, sample, bounds).map_err(usage)?;
        Ok(Self {
            name: name.to_owned(),
            curve: sample.curve(Estimator::PlugIn, up_to),
            band: band.mean_curve(up_to),
            medians: sample.median_curve(up_to),
            median_band: band.median_curve(up_to),
            trials,
            reported: None,
        })
    }

    /// B.
    pub(super) fn count(&self) -> usize {
        self.trials.sample().count()
    }

    pub(super) fn direction(&self) -> Direction {
        self.trials.sample().direction()
    }

    /// The expected best of n ≥ 1 trials, whether there were so many or not.
    pub(super) fn expected(&self, n: u64) -> f64 {
        let within = usize::try_from(n - 1)
            .ok()
            .and_then(|i| self.curve.mean().get(i));
        within.copied().unwrap_or_else(|| {
            let sample = self.trials.sample();
            sample
                .best_of(Estimator::PlugIn, n)
                .map_or(sample.best(), |best| best.mean)
        })
    }

    /// The same for any n ≥ 1, on the straight line between its neighbours, as the figures draw it.
    pub(super) fn expected_at(&self, n: f64) -> f64 {
        let (below, share) = split(n);
        let from = self.expected(below);
        if share == 0.0 {
            return from;
        }
        from + share * (self.expected(below + 1) - from)
    }

    /// How many trials of mean duration a time holds; none if durations are not known, or are nothing.
    pub(super) fn trials_within(&self, seconds: f64) -> Option<f64> {
        let each = self.trials.time_of(1.0).filter(|&each| each > 0.0)?;
        let n = seconds / each;
        // A time that was n durations is n again.
        let whole = n.round();
        Some(if (n - whole).abs() <= 1e-9 * whole {
            whole
        } else {
            n
        })
    }

    /// The scores, those of failures included.
    pub(super) fn scores(&self) -> Vec<f64> {
        self.trials.sample().from_worst().collect()
    }

    /// What it takes to expect a score.
    pub(super) fn required(&self, value: f64) -> Result<Required, Failure> {
        let sample = self.trials.sample();
        let budget = sample.budget(Estimator::PlugIn, value).map_err(usage)?;
        let goal = self.direction().orient(value);
        let first = |end: fn(&Limits, Direction) -> Option<f64>| {
            let reached =
                |interval: &Limits| end(interval, self.direction()).is_none_or(|end| end >= goal);
            let position = self.band.iter().position(reached);
            position.map(|i| i as u64 + 1)
        };
        Ok(Required {
            value,
            budget,
            at_least: first(better_end),
            // An open end reaches nothing for sure.
            at_most: first(|interval, direction| {
                Some(worse_end(interval, direction).unwrap_or(f64::NEG_INFINITY))
            }),
        })
    }
}

/// A number of trials as a whole one, at least 1, and the share of the next.
pub(super) fn split(n: f64) -> (u64, f64) {
    let below = n.floor().max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1, and saturating"
    )]
    let whole = below as u64;
    (whole, (n - below).clamp(0.0, 1.0))
}

/// The end of an interval on the side of better scores, larger being better; none if it is open.
fn better_end(interval: &Limits, direction: Direction) -> Option<f64> {
    let end = match direction {
        Direction::Maximize => interval.upper,
        Direction::Minimize => interval.lower,
    };
    end.map(|end| direction.orient(end))
}

fn worse_end(interval: &Limits, direction: Direction) -> Option<f64> {
    let end = match direction {
        Direction::Maximize => interval.lower,
        Direction::Minimize => interval.upper,
    };
    end.map(|end| direction.orient(end))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A family of scores that took so many seconds each.
    pub(in super::super) fn family(name: &str, scores: &[f64], seconds: Option<f64>) -> Family {
        let trials: Vec<Trial> = scores
            .iter()
            .map(|&score| Trial {
                score: Some(score),
                duration: seconds,
            })
            .collect();
        let choices = Choices {
            direction: Direction::Maximize,
            bounds: Some((0.0, 1.0)),
            failed: Failed::Error,
            band: Band::EqualTailed,
            confidence: 0.95,
        };
        Family::new(name, &trials, &choices).unwrap()
    }

    #[test]
    fn between_whole_trials_the_curve_is_straight() {
        let family = family("a", &[0.1, 0.2], Some(0.1));
        assert_eq!(family.trials_within(0.1 * 3.0), Some(3.0));
        let [one, two] = [1, 2].map(|n| family.expected(n));
        let half = family.expected_at(family.trials_within(0.15).unwrap());
        assert!((half - f64::midpoint(one, two)).abs() < 1e-12);
        // .2 − .1/2ⁿ, also where there were not so many trials.
        assert!((family.expected_at(4.0) - (0.2 - 0.1 / 16.0)).abs() < 1e-12);
    }

    #[test]
    fn the_band_of_a_budget_holds_it() {
        let scores: Vec<f64> = (0..50).map(|i| f64::from(i) / 100.0).collect();
        let family = family("a", &scores, None);
        let required = family.required(0.4).unwrap();
        let n = required.budget.reached().unwrap().n;
        assert!(required.at_least.unwrap() <= n, "{:?}", required.at_least);
        assert!(required.at_most.is_none_or(|most| most >= n));
        // Beyond the n that the scores tell of, the upper end leaves everything open.
        let never = family.required(0.6).unwrap();
        assert!(matches!(never.budget, Budget::BeyondTheBest));
        assert!(never.at_least.is_some() && never.at_most.is_none());
    }
}
