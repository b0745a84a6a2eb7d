//! The tuning curve of one arm: mean, standard deviation, median and band of the best of n.

use super::{ArmTrials, CurveError, Estimator, Failed, Trial, TrialScores};
#[cfg(feature = "figures")]
use crate::figure::{Curve, CurvePoint, Spacing, TuningCurves};
use crate::{
    Align, Table,
    bands::{Band, BandLimits, Bounds, CdfBand, CurveBand, Reliable},
    words::{decimals, level},
};
use fiesta_core::Direction;
use serde::Serialize;

/// Largest n up to which the curve of all n is computed at once.
const AT_ONCE: u64 = 1 << 20;
/// The tuning curve of one arm.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmCurve {
    /// Name of the arm.
    pub name: String,
    /// Number of trials that were started.
    pub trials: usize,
    /// Number of trials that failed.
    pub failed: usize,
    /// Number of scores that the curve rests on.
    pub scores: usize,
    /// Numbers of trials n of the curve, ascending.
    pub n: Vec<u64>,
    /// Expected best score at each n; none beyond where the estimator is defined.
    pub mean: Vec<Option<f64>>,
    /// Standard deviation of the best of n trials, at each n.
    pub sd: Vec<Option<f64>>,
    /// Expected best score less one standard deviation, within the scores, at each n.
    pub mean_minus_sd: Vec<Option<f64>>,
    /// Expected best score plus one standard deviation, within the scores, at each n.
    pub mean_plus_sd: Vec<Option<f64>>,
    /// Median of the best of n trials, at each n.
    pub median: Vec<f64>,
    /// Lower end of the band at each n; none where it is open.
    pub lower: Vec<Option<f64>>,
    /// Upper end of the band at each n; none where it is open.
    pub upper: Vec<Option<f64>>,
    /// The kind of the band, which may not be the one asked for.
    pub bands: &'static str,
    /// Range of n for which the ends of the band rest on scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informative: Option<Informative>,
    /// Durations of the trials, if they were asked for.
    #[serde(flatten)]
    pub times: Option<Times>,
    #[serde(skip)]
    pub(crate) range: (f64, f64),
    #[serde(skip)]
    pub(crate) reliable: Option<(Band, Reliable)>,
    /// Centre (mean or median) and confidence of the band. `None` if there is no band.
    #[serde(skip)]
    banded: Option<(Centre, f64)>,
}

/// The estimate that a band is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Centre {
    /// The band is of the expected best of n trials.
    Mean,
    /// The band is of the median of the best of n trials.
    Median,
}

impl Centre {
    /// Chooses the mean where bounds are known, which limit the band, and else the median.
    pub(crate) fn of(bounds: Option<(f64, f64)>) -> Self {
        match bounds {
            Some(_) => Self::Mean,
            None => Self::Median,
        }
    }

    /// Returns the name of the estimate in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }

    /// Says what bands of this estimate are: "95 % simultaneous bands of the mean".
    pub(crate) fn bands(self, confidence: f64) -> String {
        let level = level(confidence);
        format!("{level} simultaneous bands of the {}", self.name())
    }
}

/// The n for which the ends of a band rest on scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Informative {
    /// Greatest n for which the better end rests on scores; none if there are too few scores for
    /// any.
    pub better_end_up_to: Option<u64>,
    /// Least n for which the worse end rests on scores.
    pub worse_end_from: Option<u64>,
}

/// The durations of an arm's trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Times {
    /// Mean duration of one trial, in seconds.
    pub mean_duration: Option<f64>,
    /// Duration of n trials, for each n.
    pub time: Vec<Option<f64>>,
}

impl ArmCurve {
    /// Estimates the expected best of n = 1, …, B trials from the B scores of an arm, with the exact
    /// simultaneous band at this confidence (0.95, say). With `bounds`, the smallest and the largest
    /// score that the metric can give, the band is of the mean; without, of the median, as a mean
    /// has no upper limit then.
    ///
    /// # Errors
    /// [`CurveError`] if there is no score, one is not finite or outside the bounds, the confidence is not
    /// between 0 and 1, or there are more scores than [`CdfBand::EXACT_UP_TO`].
    pub fn of_scores(
        name: &str,
        scores: &[f64],
        direction: Direction,
        bounds: Option<(f64, f64)>,
        confidence: f64,
    ) -> Result<Self, CurveError> {
        let trial = |&score: &f64| Trial {
            score: Some(score),
            duration: None,
        };
        let trials: Vec<Trial> = scores.iter().map(trial).collect();
        let trials = ArmTrials::new(&trials, direction, bounds, Failed::Error)?;
        let cdf = CdfBand::new(Band::default(), scores.len(), confidence)?;
        let centre = Centre::of(bounds);
        let bounds = Bounds::new(bounds.map(|ends| ends.0), bounds.map(|ends| ends.1))?;
        let n: Vec<u64> = (1..=scores.len() as u64).collect();
        let estimator = Estimator::default();
        Self::new(name, &trials, &n, estimator, centre, bounds, Some(&cdf))
    }

    /// Returns a row for each n: the expected best, its standard deviation, the median, and the ends of
    /// the band, which are empty where it is open.
    pub fn table(&self) -> Table {
        let titles = ["n", "mean", "sd", "median", "lower", "upper"];
        let mut table = Table::new(titles.map(|title| (title, Align::Right)));
        if let Some((centre, confidence)) = self.banded {
            table = table.note(format!("lower, upper: {}", centre.bands(confidence)));
        }
        let places = decimals(self.sd.iter().copied().flatten());
        let cell =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.places$}"));
        for (place, n) in self.n.iter().enumerate() {
            let (mean, sd) = (self.mean[place], self.sd[place]);
            let median = self.median.get(place).copied();
            let cells = [mean, sd, median, self.lower[place], self.upper[place]].map(cell);
            table.row(std::iter::once(n.to_string()).chain(cells), false);
        }
        table
    }

    /// Draws the curve with its band against n; `metric` names the axis.
    #[cfg(feature = "figures")]
    pub fn figure(&self, metric: &str, direction: Direction) -> TuningCurves {
        self.axes(metric, direction).curve(self.drawn())
    }

    /// Returns the figure of curves that have bands of the same kind, without curves yet.
    #[cfg(feature = "figures")]
    pub(crate) fn axes(&self, metric: &str, direction: Direction) -> TuningCurves {
        let figure = TuningCurves::new(metric, direction).spacing(Spacing::Log);
        match self.banded {
            None => figure.band("one standard deviation of the best of n, within the scores"),
            Some((Centre::Mean, confidence)) => figure.band(Centre::Mean.bands(confidence)),
            Some((centre, confidence)) => figure.band(centre.bands(confidence)).median(),
        }
    }

    /// Returns the curve of the estimate that the band is of, with the band; without a band, the
    /// mean with one standard deviation.
    #[cfg(feature = "figures")]
    pub(crate) fn drawn(&self) -> Curve {
        let points = match self.banded {
            Some((Centre::Median, _)) => self.median_points(),
            banded => self.points(banded.is_some()),
        };
        Curve::new(&self.name, self.trials, points)
    }

    /// Estimates the curve of an arm at these n, ascending. If a band of the distribution is given,
    /// the curve has a band of the mean or the median.
    ///
    /// # Errors
    /// [`CurveError`] if the bounds do not hold the scores.
    pub(crate) fn new(
        name: &str,
        trials: &ArmTrials,
        n: &[u64],
        estimator: Estimator,
        centre: Centre,
        bounds: Bounds,
        cdf: Option<&CdfBand>,
    ) -> Result<Self, CurveError> {
        let sample = trials.scores();
        let (mean, sd) = moments(sample, estimator, n);
        let band = cdf
            .map(|cdf| CurveBand::new(cdf, sample, bounds))
            .transpose()?;
        let reliable = cdf
            .zip(band.as_ref())
            .map(|(cdf, band)| (cdf.band(), band.reliable()));
        let ends = band.as_ref().map_or_else(
            || vec![BandLimits::OPEN; n.len()],
            |band| intervals(band, centre, n),
        );
        let (smallest, largest) = sample.range();
        let shading = |sign: f64| {
            let ends = mean.iter().zip(&sd);
            ends.map(|(mean, sd)| Some(((*mean)? + sign * (*sd)?).clamp(smallest, largest)))
                .collect()
        };
        Ok(Self {
            name: name.to_owned(),
            trials: trials.started(),
            failed: trials.failed(),
            scores: sample.count(),
            n: n.to_vec(),
            mean_minus_sd: shading(-1.0),
            mean_plus_sd: shading(1.0),
            mean,
            sd,
            median: n.iter().filter_map(|&n| sample.median_of(n)).collect(),
            lower: ends.iter().map(|interval| interval.lower).collect(),
            upper: ends.iter().map(|interval| interval.upper).collect(),
            bands: reliable.map_or("none", |(kind, _)| kind.name()),
            informative: reliable.map(|(_, reliable)| Informative {
                better_end_up_to: reliable.best_up_to,
                worse_end_from: reliable.worst_from,
            }),
            times: None,
            range: (smallest, largest),
            reliable,
            banded: cdf.map(|cdf| (centre, cdf.confidence())),
        })
    }

    /// Adds the durations of the trials to the curve.
    pub(crate) fn with_times(mut self, trials: &ArmTrials) -> Self {
        self.times = Some(Times {
            mean_duration: trials.mean_duration(),
            time: self.n.iter().map(|&n| trials.time_of(n as f64)).collect(),
        });
        self
    }

    /// Returns the last n that is no larger than `most`, with the expected best of n trials.
    pub(crate) fn up_to(&self, most: u64) -> Option<(u64, f64)> {
        let place = self.n.iter().rposition(|&n| n <= most)?;
        Some((self.n[place], self.mean[place]?))
    }

    /// Returns how many trials have to be started, on average, for one that n counts.
    #[cfg(feature = "html")]
    pub(crate) fn starts_each(&self) -> f64 {
        self.trials as f64 / self.scores as f64
    }

    /// Returns the ends of the band at the first `most` n.
    pub fn band(&self, most: usize) -> Vec<BandLimits> {
        let ends = self.lower.iter().zip(&self.upper).take(most);
        ends.map(|(&lower, &upper)| BandLimits { lower, upper })
            .collect()
    }

    /// Returns the estimate that the band is of; NaN beyond where it is defined.
    pub(crate) fn estimate(&self, centre: Centre) -> Vec<f64> {
        match centre {
            Centre::Mean => self
                .mean
                .iter()
                .map(|mean| mean.unwrap_or(f64::NAN))
                .collect(),
            Centre::Median => self.median.clone(),
        }
    }
}

#[cfg(feature = "figures")]
impl ArmCurve {
    /// Returns the expected best of each n for a figure, with the band if that is wanted, else with
    /// one standard deviation of the best, within the scores.
    pub(crate) fn points(&self, banded: bool) -> Vec<CurvePoint> {
        let ends = if banded {
            self.lower.iter().zip(&self.upper)
        } else {
            self.mean_minus_sd.iter().zip(&self.mean_plus_sd)
        };
        self.points_of(self.mean.iter().copied(), ends)
    }

    /// Returns the median of the best of each n for a figure, with its band.
    fn median_points(&self) -> Vec<CurvePoint> {
        let medians = self.median.iter().copied().map(Some);
        self.points_of(medians, self.lower.iter().zip(&self.upper))
    }

    fn points_of<'a>(
        &'a self,
        values: impl Iterator<Item = Option<f64>>,
        ends: impl Iterator<Item = (&'a Option<f64>, &'a Option<f64>)>,
    ) -> Vec<CurvePoint> {
        let points = self.n.iter().zip(values).zip(ends);
        let points = points.filter_map(|((&n, value), (lower, upper))| {
            Some(CurvePoint {
                budget: n as f64,
                value: value?,
                band: Some((
                    lower.unwrap_or(f64::NEG_INFINITY),
                    upper.unwrap_or(f64::INFINITY),
                )),
            })
        });
        points.collect()
    }
}

/// Returns the values at these n, from the curve of all n where n is small.
fn at<T: Copy>(n: &[u64], all: impl FnOnce(usize) -> Vec<T>, one: impl Fn(u64) -> T) -> Vec<T> {
    let all = all(index(n.last().copied().unwrap_or(0).min(AT_ONCE)));
    let of = |&n: &u64| match n {
        1..=AT_ONCE => all.get(index(n - 1)).copied().unwrap_or_else(|| one(n)),
        n => one(n),
    };
    n.iter().map(of).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a million at most")]
fn index(n: u64) -> usize {
    n as usize
}

fn moments(
    sample: &TrialScores,
    estimator: Estimator,
    n: &[u64],
) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
    let all = |end| {
        let curve = sample.curve(estimator, end);
        (1..=curve.up_to()).map(|n| curve.best_of(n)).collect()
    };
    at(n, all, |n| sample.best_of(estimator, n))
        .into_iter()
        .map(|best| (best.map(|best| best.mean), best.map(|best| best.sd)))
        .unzip()
}

fn intervals(band: &CurveBand<'_>, centre: Centre, n: &[u64]) -> Vec<BandLimits> {
    match centre {
        Centre::Mean => at(
            n,
            |end| band.mean_curve(end),
            |n| band.mean(n).unwrap_or(BandLimits::OPEN),
        ),
        Centre::Median => n.iter().filter_map(|&n| band.median(n)).collect(),
    }
}
