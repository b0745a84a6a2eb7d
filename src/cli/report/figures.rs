//! The figures of a report.

use super::known::Known;
use fiesta::report::{
    figure::{
        BeliefHistory, BlockRanks, CriticalDifference, Curve, CurvePoint, Ecdf, Forest, Interval,
        Pairwise, PerformanceProfile, Plot, Spacing, TuningAxis, TuningCurves, Violins,
    },
    html::Drawing,
    summary::{Profile, Ranks, Sample},
    tuning_curve::{Estimator, Trials},
};

/// Points of a tuning curve that are drawn at most.
const POINTS: usize = 160;
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
                Interval {
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
        if let Some(pairs) = self
            .drawn
            .last_mut()
            .filter(|picture| picture.file == "pairs")
        {
            let Drawing { wide, narrow } = &mut pairs.drawing;
            for figure in [wide, narrow] {
                *figure = figure.clone().with_caption(caption.clone());
            }
        }
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
        let what = format!("pointwise {} bootstrap intervals", known.level());
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

    fn curves(&mut self, known: &Known<'_>) {
        let (mut by_trials, mut by_time) = (tuning(known), tuning(known).axis(TuningAxis::Seconds));
        let (mut any, mut timed) = (false, true);
        for arm in &known.evaluations.arms {
            let trials = Trials::new(
                &arm.trials,
                known.results.direction,
                known.bounds,
                known.arguments.failed,
            );
            let Ok(trials) = trials else { continue };
            let points = points(&trials);
            let started = trials.started();
            any = true;
            let time: Option<Vec<CurvePoint>> = points
                .iter()
                .map(|point| {
                    let budget = trials.time_of(point.budget)?;
                    Some(CurvePoint { budget, ..*point })
                })
                .collect();
            match time.filter(|points| points.iter().all(|point| point.budget > 0.0)) {
                Some(points) => by_time = by_time.curve(Curve::new(&arm.name, started, points)),
                None => timed = false,
            }
            by_trials = by_trials.curve(Curve::new(&arm.name, started, points));
        }
        if any {
            self.draw("tuning", &by_trials);
            if timed {
                self.draw("tuning-time", &by_time);
            }
        }
    }
}

fn tuning(known: &Known<'_>) -> TuningCurves {
    let mut figure = TuningCurves::new(&known.results.metric, known.results.direction)
        .spacing(Spacing::Log)
        .band("one standard deviation of the best of n, within the scores that were seen")
        .highlight(&known.highlighted());
    for (label, score) in &known.arguments.reported {
        figure = figure.reported(label, *score);
    }
    figure
}

/// The expected best of n, at some n from 1 to as many as there are.
fn points(trials: &Trials) -> Vec<CurvePoint> {
    let count = trials.sample().count();
    let curve = trials.sample().curve(Estimator::PlugIn, count);
    let shading: Vec<(f64, f64)> = curve.shading().collect();
    let mut points = Vec::new();
    let mut last = 0;
    for step in 0..=POINTS {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to the number of trials"
        )]
        let n = (count as f64).powf(step as f64 / POINTS as f64).round() as usize;
        if n > last && n <= count {
            last = n;
            points.push(CurvePoint {
                budget: n as f64,
                value: curve.mean()[n - 1],
                band: Some(shading[n - 1]),
            });
        }
    }
    points
}

fn scored<'a>(known: &'a Known<'_>) -> impl Iterator<Item = (&'a str, &'a Sample)> {
    let arms = known.counted.arms.iter().zip(&known.samples);
    arms.filter_map(|(arm, sample)| Some((arm.name.as_str(), sample.as_ref()?)))
}
