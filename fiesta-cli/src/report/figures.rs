//! The figures of a report.

use super::known::Known;
use crate::standing::StudyStatus;
use fiesta::report::{
    bands::Limits,
    budget::Budget,
    figure::{
        BeliefHistory, BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Estimate, Forest,
        Pairwise, PerformanceProfile, Plot, Spacing, SuccessCurves, TuningAxis, TuningCurves,
        Violins,
    },
    html::Drawing,
    summary::{Profile, Ranks, Sample},
    tuning_curve::Estimator,
};

/// Thresholds of a profile.
const THRESHOLDS: usize = 120;

/// A figure with the name of its file.
pub(super) struct Picture {
    pub(super) file: &'static str,
    pub(super) drawing: Drawing,
}

/// The figures that there are data for, and what could not be drawn.
#[derive(Default)]
pub(super) struct Pictures {
    pub(super) drawn: Vec<Picture>,
    pub(super) notes: Vec<String>,
}

impl Pictures {
    pub(super) fn new(known: &Known<'_>, ranks: Option<&Ranks>) -> Self {
        let mut pictures = Self::default();
        pictures.belief(known);
        pictures.forest(known);
        pictures.violins(known);
        pictures.pairwise(known);
        pictures.ranks(known, ranks);
        pictures.curves(known);
        pictures.success(known);
        pictures.ecdf(known);
        pictures.profile(known);
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

    fn belief(&mut self, known: &Known<'_>) {
        let path = &known.belief.path;
        if path.points.len() < 2 {
            return;
        }
        let names = known.names();
        let mut figure = BeliefHistory::new(&names).highlight(&known.highlighted());
        for (evaluations, probability) in &path.points {
            figure = figure.point(evaluations, probability);
        }
        self.draw("belief", &figure);
        let retired = known.status.as_ref().map_or(&[][..], StudyStatus::retired);
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

    fn forest(&mut self, known: &Known<'_>) {
        let what = format!("mean, {} t interval", known.level());
        let mut figure = Forest::new(&known.results.metric, known.results.direction, what)
            .highlight(&known.highlighted());
        let mut any = false;
        for arm in &known.overview.arms {
            let Some(summary) = &arm.summary else {
                continue;
            };
            // Where nothing is known of the noise, the mean may be anything.
            let (lower, upper) = summary
                .interval
                .map_or((f64::NEG_INFINITY, f64::INFINITY), |interval| {
                    (interval.lower, interval.upper)
                });
            let value = summary.mean;
            figure = figure.arm(
                &arm.name,
                summary.count,
                Estimate {
                    value,
                    lower,
                    upper,
                },
            );
            any = true;
        }
        if any {
            self.draw("means", &figure);
        }
    }

    fn violins(&mut self, known: &Known<'_>) {
        let mut figure = Violins::new(&known.results.metric, known.results.direction)
            .highlight(&known.highlighted());
        let mut any = false;
        for (name, sample) in scored(known) {
            figure = figure.arm(name, sample.scores());
            any = true;
        }
        if any {
            self.draw("scores", &figure);
        }
    }

    fn ecdf(&mut self, known: &Known<'_>) {
        let mut figure = Ecdf::new(&known.results.metric, known.results.direction)
            .highlight(&known.highlighted());
        let mut any = false;
        for (name, sample) in scored(known) {
            figure = figure.arm(name, sample.scores());
            any = true;
        }
        if any {
            self.draw("distributions", &figure);
        }
    }

    fn pairwise(&mut self, known: &Known<'_>) {
        let Some(better) = known.belief.better.as_ref().filter(|rows| rows.len() > 1) else {
            return;
        };
        let caption = format!(
            "Posterior probability, in %, that the mean of the row's arm is better than that of the column's (posterior {}); the best first.",
            known.belief.posterior
        );
        self.draw("pairs", &Pairwise::new(&known.names(), better));
        self.caption("pairs", |_| caption.clone());
    }

    fn ranks(&mut self, known: &Known<'_>, ranks: Option<&Ranks>) {
        let Some(ranks) = ranks else { return };
        let names = known.names();
        let averages: Vec<(&str, f64)> = names
            .into_iter()
            .zip(ranks.average.iter().copied())
            .collect();
        let test = format!("Nemenyi, {}", known.level());
        match BlockRanks::new(ranks.blocks, &averages, ranks.critical_difference) {
            Ok(blocks) => self.draw("ranks", &CriticalDifference::new(blocks, test)),
            Err(error) => self
                .notes
                .push(format!("The figure ranks is not there: {error}.")),
        }
    }

    fn profile(&mut self, known: &Known<'_>) {
        let thresholds = Profile::thresholds(known.samples.iter().flatten(), THRESHOLDS);
        if thresholds.is_empty()
            || known
                .samples
                .iter()
                .flatten()
                .all(|sample| sample.len() < 2)
        {
            return;
        }
        let what = format!("pointwise {} intervals", known.level());
        let direction = known.results.direction;
        let mut figure = PerformanceProfile::new(&known.results.metric, direction)
            .band(what)
            .highlight(&known.highlighted());
        for (name, sample) in scored(known) {
            let profile = known.bootstrap.profile(sample, &thresholds, direction);
            let band: Vec<(f64, f64, f64)> = thresholds
                .iter()
                .zip(&profile.band)
                .map(|(&threshold, interval)| (threshold, interval.lower, interval.upper))
                .collect();
            figure = figure.arm_with_band(name, &[sample.scores()], &band);
        }
        self.draw("profile", &figure);
    }

    fn success(&mut self, known: &Known<'_>) {
        let Some(simulated) = &known.simulated else {
            return;
        };
        let runs = usize::try_from(simulated.runs).unwrap_or(usize::MAX);
        let mut figure = SuccessCurves::new()
            .target(known.arguments.confidence)
            .trials(runs)
            .interval("95 % Wilson intervals");
        for (policy, points) in &simulated.policies {
            figure = figure.policy(*policy, points);
        }
        self.draw("success", &figure);
    }

    fn curves(&mut self, known: &Known<'_>) {
        if known.curves.is_empty() {
            return;
        }
        let mut by_trials = tuning(known);
        let mut by_time = Some(tuning(known).axis(TuningAxis::Seconds));
        for curve in &known.curves {
            let points = points(curve);
            let started = curve.trials.started();
            let time: Option<Vec<CurvePoint>> = points
                .iter()
                .map(|point| {
                    let budget = curve.trials.time_of(point.budget)?;
                    (budget > 0.0).then_some(CurvePoint { budget, ..*point })
                })
                .collect();
            by_time = by_time
                .zip(time)
                .map(|(figure, points)| figure.curve(Curve::new(&curve.name, started, points)));
            let mut drawn = Curve::new(&curve.name, started, points);
            for (_, score) in &known.arguments.reported {
                let budget = curve.trials.sample().budget(Estimator::PlugIn, *score);
                if let Ok(Budget::Within(reached)) = budget {
                    drawn = drawn.required(reached.n as f64, *score);
                }
            }
            by_trials = by_trials.curve(drawn);
        }
        self.draw("tuning", &by_trials);
        if let Some(by_time) = by_time {
            self.draw("tuning-time", &by_time);
        }
    }
}

fn tuning(known: &Known<'_>) -> TuningCurves {
    let what = if known.bounds.is_some() {
        format!(
            "simultaneous {} bands for the mean curve (equal-tailed)",
            known.level()
        )
    } else {
        "one standard deviation of the best of n, within the scores that were seen".to_owned()
    };
    let mut figure = TuningCurves::new(&known.results.metric, known.results.direction)
        .spacing(Spacing::Log)
        .band(what)
        .highlight(&known.highlighted());
    for (label, score) in &known.arguments.reported {
        figure = figure.reported(label, *score);
    }
    figure
}

/// A curve with its band; with its spread where no bounds say how far a band may reach.
fn points(curve: &super::curves::Curve) -> Vec<CurvePoint> {
    let band = |place: usize| match &curve.band {
        Some(band) => {
            let Limits { lower, upper } = band[place];
            (
                lower.unwrap_or(f64::NEG_INFINITY),
                upper.unwrap_or(f64::INFINITY),
            )
        }
        None => curve.spread[place],
    };
    let points = curve.n.iter().zip(&curve.mean).enumerate();
    points
        .map(|(place, (&n, &value))| CurvePoint {
            budget: n as f64,
            value,
            band: Some(band(place)),
        })
        .collect()
}

fn scored<'a>(known: &'a Known<'_>) -> impl Iterator<Item = (&'a str, &'a Sample)> {
    let arms = known.counted.arms.iter().zip(&known.samples);
    arms.filter_map(|(arm, sample)| Some((arm.name.as_str(), sample.as_ref()?)))
}
