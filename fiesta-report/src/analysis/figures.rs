//! Figures of analyses: of beliefs, tuning curves and simulations.

use super::{
    belief::BeliefReport,
    curve::{Centre, CurveReport},
    simulation::SimulationReport,
};
use crate::{
    Percentages,
    figure::{Curve, Estimate, Forest, SuccessCurves, SuccessPoint, TuningCurves},
    summary::wilson,
};
use fiesta_core::Direction;

impl BeliefReport {
    /// Returns every arm's name with its P(best), and its value with the interval, as the figure
    /// shows them; without the arms that have no score.
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

    /// Returns which scores are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns a figure of every arm's mean with its interval, and its P(best) beside its name.
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

impl CurveReport {
    /// Returns a figure of the best of n against n: of its mean or of its median, whichever the
    /// bands are of, with these; without bands its mean with one standard deviation. Budgets are
    /// those of the mean, and marked on its curve alone.
    pub fn figure(&self) -> TuningCurves {
        let of_median = self.has_bands() && self.band_of == Centre::Median;
        let (metric, direction) = (&self.metric, self.direction);
        let empty = match self.curves.first() {
            Some(curve) => curve.axes(metric, direction),
            None => TuningCurves::new(metric, direction),
        };
        self.curves.iter().fold(empty, |figure, curve| {
            figure.curve(if of_median {
                curve.drawn()
            } else {
                self.with_budgets(curve.drawn(), &curve.name)
            })
        })
    }

    /// Marks on an arm's curve the budgets that lie within its trials.
    pub(super) fn with_budgets(&self, curve: Curve, arm: &str) -> Curve {
        let budgets = { self.budgets.iter() }.filter(|budget| budget.name == arm && budget.within);
        budgets.fold(curve, |curve, budget| match budget.first_n {
            Some(n) => curve.required(n as f64, budget.value),
            None => curve,
        })
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

#[cfg(test)]
mod tests {
    use crate::{
        analysis::curve::{CurveBands, CurveOptions, CurveReport, TrialsOfArms},
        figure::{Plot, WIDE},
        tuning_curve::{Estimator, Failed},
    };
    use fiesta_core::Direction;
    use fiesta_records::{Reading, of_arms};

    /// Returns text, caption and figure of some trials.
    fn curve(bounds: Option<(f64, f64)>, bands: CurveBands) -> [String; 3] {
        let scores: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 61) / 61.0).collect();
        let records = of_arms([("a", &scores[..])], &Reading::default(), "s").unwrap();
        let (metric, direction) = (records.metric(), Direction::Maximize);
        let trials = TrialsOfArms::new(&records, metric, direction, bounds, Failed::Error, "s");
        let options = CurveOptions {
            estimator: Estimator::PlugIn,
            bands,
            band_of: None,
            confidence: 0.95,
            largest_n: None,
            reach: vec![0.5],
            time: false,
            failed: Failed::Error,
        };
        let report = CurveReport::new(&trials.unwrap(), &options).unwrap();
        let figure = report.figure().draw(WIDE).unwrap();
        [report.text(), figure.caption().to_owned(), figure.svg()]
    }

    /// Tests that the figure has the bands of the text, around the same estimates.
    #[test]
    fn the_figure_of_curves_has_the_bands_of_the_text() {
        let cases = [
            (Some((0.0, 1.0)), "mean", "xpected best score", true),
            (None, "median", "edian best score", false),
        ];
        for (bounds, centre, best, is_ringed) in cases {
            let [text, caption, svg] = curve(bounds, CurveBands::default());
            let bands = format!("95 % simultaneous bands of the {centre}");
            assert!(text.contains(&bands), "{text}");
            assert!(caption.contains(&bands), "{caption}");
            assert!(caption.contains(best) && svg.contains(best), "{caption}");
            assert!(!caption.contains("deviation"), "{caption}");
            // The trials it takes are told of the expected best.
            assert_eq!(caption.contains("Rings"), is_ringed, "{caption}");
        }
        let [text, caption, _] = curve(None, CurveBands::None);
        assert!(
            text.contains("mean ± sd") && !text.contains("bands of"),
            "{text}"
        );
        assert!(caption.contains("one standard deviation of the best of n"));
    }
}
