//! Figures of analyses: of beliefs, tuning curves and simulations.

use super::{
    belief::BeliefReport,
    curve::{ArmCurve, CurveReport},
    simulation::SimulationReport,
};
use crate::{
    Percentages,
    figure::{
        Curve, CurvePoint, Estimate, Forest, Spacing, SuccessCurves, SuccessPoint, TuningCurves,
    },
    summary::wilson,
};
use fiesta_core::Direction;

impl BeliefReport {
    /// Every arm's name with its P(best), and its value with the interval, as the figure shows them;
    /// without the arms that have no score.
    pub fn estimates(&self) -> Vec<(String, Estimate)> {
        let p: Vec<f64> = self.arms.iter().map(|arm| arm.probability_best).collect();
        let percentages = Percentages::new(&p);
        let arms = self.arms.iter().zip(&self.estimates).enumerate();
        let known = arms.filter_map(|(place, (arm, estimate))| {
            let name = format!("{} (P(best) {})", arm.name, percentages.of(place));
            Some((name, (*estimate)?))
        });
        known.collect()
    }

    /// Which scores are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Every arm's mean with its interval, and its P(best) beside its name.
    pub fn figure(&self) -> Forest {
        let figure = Forest::new(&self.metric, self.direction, self.estimated);
        let scored = self.arms.iter().zip(&self.estimates);
        let scored = scored.filter(|(_, estimate)| estimate.is_some());
        let counts = scored.map(|(arm, _)| usize::try_from(arm.evaluations).unwrap_or(usize::MAX));
        let rows = self.estimates().into_iter().zip(counts);
        rows.fold(figure, |figure, ((name, estimate), evaluations)| {
            figure.arm(name, evaluations, estimate)
        })
    }
}

impl ArmCurve {
    /// The expected best of each n for a figure, with the band if that is wanted, else with one
    /// standard deviation of the best, within the scores.
    pub(super) fn points(&self, banded: bool) -> Vec<CurvePoint> {
        let ends = if banded {
            self.lower.iter().zip(&self.upper)
        } else {
            self.mean_minus_sd.iter().zip(&self.mean_plus_sd)
        };
        let means = self.n.iter().zip(&self.mean).zip(ends);
        let points = means.filter_map(|((&n, mean), (lower, upper))| {
            Some(CurvePoint {
                budget: n as f64,
                value: (*mean)?,
                band: Some((
                    lower.unwrap_or(f64::NEG_INFINITY),
                    upper.unwrap_or(f64::INFINITY),
                )),
            })
        });
        points.collect()
    }
}

impl CurveReport {
    /// The expected best of n against n, with the bands if they are of the mean, else one standard
    /// deviation of the best.
    pub fn figure(&self) -> TuningCurves {
        let of_the_mean = self.bands_of_the_mean();
        let what = if of_the_mean {
            format!(
                "simultaneous {} % bands of the mean",
                super::percent(self.confidence)
            )
        } else {
            "one standard deviation of the best of n, within the scores".to_owned()
        };
        let mut figure = TuningCurves::new(&self.metric, self.direction)
            .spacing(Spacing::Log)
            .band(what);
        for curve in &self.curves {
            let mut drawn = Curve::new(&curve.name, curve.trials, curve.points(of_the_mean));
            for budget in self
                .budgets
                .iter()
                .filter(|budget| budget.name == curve.name)
            {
                if let Some(n) = budget.first_n.filter(|_| budget.within) {
                    drawn = drawn.required(n as f64, budget.value);
                }
            }
            figure = figure.curve(drawn);
        }
        figure
    }
}

impl SimulationReport {
    /// The share of runs that named the best arm, with its 95 % Wilson interval, against the mean
    /// number of evaluations: a point for each goal, in the order of the evaluations.
    pub fn points(&self) -> Vec<SuccessPoint> {
        let runs = self.setup.runs;
        let mut points: Vec<SuccessPoint> = Vec::new();
        for result in &self.results {
            let interval = wilson(result.correct, runs as f64);
            points.push(SuccessPoint {
                budget: result.evaluations.mean,
                share: result.correct,
                lower: interval.lower,
                upper: interval.upper,
            });
        }
        points.sort_by(|a, b| a.budget.total_cmp(&b.budget));
        points.dedup_by(|a, b| a.budget <= b.budget);
        points
    }

    /// The share of runs that named the best arm against the mean number of evaluations, a point
    /// for each goal.
    pub fn figure(&self) -> SuccessCurves {
        let runs = self.setup.runs;
        SuccessCurves::new()
            .policy(self.policy_name(), &self.points())
            .trials(usize::try_from(runs).unwrap_or(usize::MAX))
            .interval("95 % Wilson intervals")
    }
}
