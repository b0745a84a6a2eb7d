//! Figures of a report: belief, means, scores, pairs, ranks, tuning curves, replays, profiles.

use super::{curves::points, evidence::Evidence, places::ReportedPlaces};
use crate::{
    analysis::{
        belief::MeasuresReport,
        curve::{ArmCurve, CurveReport},
        shares,
    },
    figure::{
        BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Estimate, Forest, Pairwise,
        PerformanceProfile, Plot, Spacing, SuccessCurves, TuningAxis, TuningCurves, Violins,
    },
    html::Drawing,
    summary::{Profile, Ranks},
};

/// Number of thresholds of a profile.
const THRESHOLDS: usize = 120;

/// A figure with the name of its files.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// Name of the figure's files, without extension.
    pub file: &'static str,
    /// The figure, wide and narrow.
    pub drawing: Drawing,
}

/// Figures that there are data for, and what could not be drawn.
#[derive(Default)]
pub(super) struct Pictures {
    pub(super) drawn: Vec<Picture>,
    pub(super) notes: Vec<String>,
}

impl Pictures {
    pub(super) fn new(
        evidence: &Evidence<'_>,
        ranks: Option<&Ranks>,
        places: Option<&ReportedPlaces>,
        measures: Option<&MeasuresReport>,
    ) -> Self {
        let mut pictures = Self::default();
        pictures.belief(evidence);
        pictures.forest(evidence);
        if evidence.pool.is_none() {
            pictures.violins(evidence);
        }
        pictures.pairwise(evidence);
        if let Some(places) = places {
            pictures.draw("places", &places.figure(evidence));
            pictures.caption("places", |_| places.caption().to_owned());
        }
        if let Some(figure) = measures.and_then(|measures| measures.figure(evidence)) {
            pictures.draw("pareto", &figure);
        }
        pictures.ranks(evidence, ranks);
        pictures.curves(evidence);
        pictures.success(evidence);
        if evidence.pool.is_none() {
            pictures.ecdf(evidence);
            pictures.profile(evidence);
        }
        pictures
    }

    pub(super) fn find(&self, file: &str) -> Option<&Drawing> {
        let found = self.drawn.iter().find(|picture| picture.file == file)?;
        Some(&found.drawing)
    }

    fn draw(&mut self, file: &'static str, plot: &impl Plot) {
        match Drawing::new(plot) {
            Ok(drawing) => self.drawn.push(Picture { file, drawing }),
            Err(error) => self
                .notes
                .push(format!("The figure {file} is not there: {error}.")),
        }
    }

    fn belief(&mut self, evidence: &Evidence<'_>) {
        let Some(study) = &evidence.study else {
            return;
        };
        let Some(figure) = shares::history(study, &evidence.highlighted()) else {
            return;
        };
        self.draw("belief", &figure);
        let retired = study.retired();
        if !retired.is_empty() {
            let more = retired.join(", ");
            self.caption("belief", |caption| {
                format!("{caption} Retired for failing: {more}.")
            });
        }
    }

    /// Changes the caption of a figure, if it could be drawn.
    fn caption(&mut self, file: &str, change: impl Fn(&str) -> String) {
        let drawn = self.drawn.iter_mut().find(|picture| picture.file == file);
        if let Some(picture) = drawn {
            let Drawing { wide, narrow } = &mut picture.drawing;
            for figure in [wide, narrow] {
                let caption = change(figure.caption());
                *figure = figure.clone().with_caption(caption);
            }
        }
    }

    fn forest(&mut self, evidence: &Evidence<'_>) {
        let kind = if evidence.is_adaptive() || evidence.pool.is_some() {
            "posterior"
        } else {
            "t"
        };
        let value = match evidence.table.f_beta {
            Some(_) if evidence.is_adaptive() => "posterior mean of F",
            Some(_) => "F of all counts",
            None if evidence
                .pool
                .as_ref()
                .is_some_and(|pool| pool.answers.are_compared_in_pairs()) =>
            {
                "mean of an arm's own answers"
            }
            None if evidence.pool.is_some() => "mean over the pool",
            None if evidence.is_adaptive() => "posterior mean",
            None => "mean",
        };
        let what = format!("{value}, {} {kind} interval", evidence.level());
        let mut figure = Forest::new(&evidence.input.metric, evidence.input.direction, what)
            .ranked(&evidence.ranked_names())
            .highlight(&evidence.highlighted());
        for (place, arm) in evidence.table.arms.iter().enumerate() {
            let value = arm.posterior_mean.or_else(|| evidence.table.value(place));
            if let (Some(summary), Some(value)) = (&arm.summary, value) {
                figure = figure.arm(&arm.name, summary.count, Estimate::new(value, arm.interval));
            }
        }
        self.draw_scores(evidence, "means", &figure);
    }

    fn violins(&mut self, evidence: &Evidence<'_>) {
        let empty = Violins::new(&evidence.input.metric, evidence.input.direction)
            .ranked(&evidence.ranked_names())
            .highlight(&evidence.highlighted());
        let arms = scored(evidence);
        let figure = arms.fold(empty, |all, (name, scores)| all.arm(name, scores));
        self.draw_scores(evidence, "scores", &figure);
    }

    fn ecdf(&mut self, evidence: &Evidence<'_>) {
        let empty = Ecdf::new(&evidence.input.metric, evidence.input.direction)
            .highlight(&evidence.highlighted());
        let arms = scored(evidence);
        let figure = arms.fold(empty, |all, (name, scores)| all.arm(name, scores));
        self.draw_scores(evidence, "distributions", &figure);
    }

    /// Draws a figure of scores, if there are any.
    fn draw_scores(&mut self, evidence: &Evidence<'_>, file: &'static str, plot: &impl Plot) {
        if scored(evidence).next().is_some() {
            self.draw(file, plot);
        }
    }

    fn pairwise(&mut self, evidence: &Evidence<'_>) {
        let Some(better) = evidence.belief.better().filter(|rows| rows.len() > 1) else {
            return;
        };
        let caption = format!(
            "Posterior probability, in %, that the mean of the row's arm is better than that of the column's (posterior {}); the best first.",
            evidence.belief.posterior
        );
        let figure = Pairwise::new(&evidence.names(), &better).ranked(&evidence.ranked_names());
        self.draw("pairs", &figure);
        self.caption("pairs", |_| caption.clone());
    }

    fn ranks(&mut self, evidence: &Evidence<'_>, ranks: Option<&Ranks>) {
        let Some(ranks) = ranks else { return };
        let names = evidence.names();
        let averages: Vec<(&str, f64)> = names
            .into_iter()
            .zip(ranks.average.iter().copied())
            .collect();
        let test = format!("Nemenyi, {}", evidence.level());
        match BlockRanks::new(ranks.blocks, &averages, ranks.critical_difference) {
            Ok(blocks) => self.draw("ranks", &CriticalDifference::new(blocks, test)),
            Err(error) => self
                .notes
                .push(format!("The figure ranks is not there: {error}.")),
        }
    }

    fn profile(&mut self, evidence: &Evidence<'_>) {
        let thresholds = Profile::thresholds(evidence.samples.iter().flatten(), THRESHOLDS);
        if thresholds.is_empty()
            || evidence
                .samples
                .iter()
                .flatten()
                .all(|sample| sample.len() < 2)
        {
            return;
        }
        let what = format!("pointwise {} intervals", evidence.level());
        let direction = evidence.input.direction;
        let mut figure = PerformanceProfile::new(&evidence.input.metric, direction)
            .band(what)
            .highlight(&evidence.highlighted());
        let arms = evidence.evaluations.arms.iter().zip(&evidence.samples);
        for (arm, sample) in arms {
            let Some(sample) = sample else { continue };
            let profile = evidence.bootstrap.profile(sample, &thresholds, direction);
            let band: Vec<(f64, f64, f64)> = thresholds
                .iter()
                .zip(&profile.band)
                .map(|(&threshold, interval)| (threshold, interval.lower, interval.upper))
                .collect();
            figure = figure.arm_with_band(&arm.name, &[sample.scores()], &band);
        }
        self.draw("profile", &figure);
    }

    fn success(&mut self, evidence: &Evidence<'_>) {
        let Some(simulated) = &evidence.simulated else {
            return;
        };
        let runs = usize::try_from(simulated.runs).unwrap_or(usize::MAX);
        let mut figure = SuccessCurves::new()
            .target(evidence.options.confidence)
            .trials(runs)
            .interval("95 % Wilson intervals");
        for (policy, points) in &simulated.policies {
            figure = figure.policy(*policy, points);
        }
        self.draw("success", &figure);
    }

    fn curves(&mut self, evidence: &Evidence<'_>) {
        let report = evidence.curves.as_ref();
        let Some(report) = report.filter(|report| !report.curves.is_empty()) else {
            return;
        };
        let mut by_trials = tuning(evidence);
        for curve in &report.curves {
            let points = points(curve, report.has_bands());
            let drawn = Curve::new(&curve.name, curve.trials, points);
            by_trials = by_trials.curve(report.with_budgets(drawn, &curve.name));
        }
        self.draw("tuning", &by_trials);
        let seconds = |curve: &ArmCurve, n: f64| {
            let each = curve.times.as_ref()?.mean_duration?;
            Some(n * each * curve.starts_each())
        };
        if let Some(by_time) = against(evidence, report, TuningAxis::Seconds, seconds) {
            self.draw("tuning-time", &by_time);
        }
        // Costs that are the seconds of evaluations say nothing more.
        let unit = evidence.table.cost_unit.clone();
        let unit = unit.filter(|_| !evidence.cost_is_seconds());
        let cost = |curve: &ArmCurve, n: f64| {
            let mut arms = evidence.evaluations.arms.iter();
            let arm = arms.find(|arm| arm.name == curve.name)?;
            Some(n * (arm.mean_cost()? * curve.starts_each()))
        };
        let by_cost = unit.and_then(|unit| against(evidence, report, TuningAxis::Cost(unit), cost));
        if let Some(by_cost) = by_cost {
            self.draw("tuning-cost", &by_cost);
        }
    }
}

/// Returns a figure of the curves against what n trials of an arm take, such as time. `None` if an
/// arm's taking is not known, or is 0.
fn against(
    evidence: &Evidence<'_>,
    report: &CurveReport,
    axis: TuningAxis,
    taken: impl Fn(&ArmCurve, f64) -> Option<f64>,
) -> Option<TuningCurves> {
    let mut figure = tuning(evidence).axis(axis);
    for curve in &report.curves {
        let points = points(curve, report.has_bands()).into_iter().map(|point| {
            let budget = taken(curve, point.budget).filter(|taken| *taken > 0.0)?;
            Some(CurvePoint { budget, ..point })
        });
        let points: Option<Vec<CurvePoint>> = points.collect();
        figure = figure.curve(Curve::new(&curve.name, curve.trials, points?));
    }
    Some(figure)
}

fn tuning(evidence: &Evidence<'_>) -> TuningCurves {
    let what = if evidence.bounds.is_some() {
        format!(
            "simultaneous {} bands for the mean curve (equal-tailed)",
            evidence.level()
        )
    } else {
        "one standard deviation of the best of n, within the scores that were seen".to_owned()
    };
    let mut figure = TuningCurves::new(&evidence.input.metric, evidence.input.direction)
        .spacing(Spacing::Log)
        .band(what)
        .highlight(&evidence.highlighted());
    for (label, score) in &evidence.options.reported {
        figure = figure.reported(label, *score);
    }
    figure
}

/// Returns the scores of every arm that has any.
fn scored<'a>(evidence: &'a Evidence<'_>) -> impl Iterator<Item = (&'a str, &'a [f64])> {
    let arms = evidence.evaluations.arms.iter().zip(&evidence.samples);
    arms.filter_map(|(arm, sample)| Some((arm.name.as_str(), sample.as_ref()?.scores())))
}
