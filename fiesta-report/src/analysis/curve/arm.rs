//! The tuning curve of one arm: mean, standard deviation, median and band of the best of n.

use super::{AnalysisError, Centre, OPEN};
use crate::{
    bands::{Band, Bounds, CdfBand, CurveBand, Limits, Reliable},
    tuning_curve::{Estimator, TrialScores, Trials},
};
use serde::Serialize;

/// The curve of all n is computed at once up to this many.
const AT_ONCE: u64 = 1 << 20;

/// The tuning curve of one arm.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmCurve {
    /// The arm.
    pub name: String,
    /// The trials that were started.
    pub trials: usize,
    /// Trials that failed.
    pub failed: usize,
    /// The scores that the curve rests on.
    pub scores: usize,
    /// The numbers of trials, ascending.
    pub n: Vec<u64>,
    /// The expected best; none beyond where the estimator is defined.
    pub mean: Vec<Option<f64>>,
    /// The standard deviation of the best.
    pub sd: Vec<Option<f64>>,
    /// The mean less one standard deviation, within the scores.
    pub mean_minus_sd: Vec<Option<f64>>,
    /// The mean and one standard deviation, within the scores.
    pub mean_plus_sd: Vec<Option<f64>>,
    /// The median of the best.
    pub median: Vec<f64>,
    /// The lower end of the band; none where it is open.
    pub lower: Vec<Option<f64>>,
    /// The upper end of the band.
    pub upper: Vec<Option<f64>>,
    /// The kind of the band, which may not be the one asked for.
    pub bands: &'static str,
    /// For which n the ends of the band rest on scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informative: Option<Informative>,
    /// Durations, if they were asked for.
    #[serde(flatten)]
    pub times: Option<Times>,
    #[serde(skip)]
    pub(super) range: (f64, f64),
    #[serde(skip)]
    pub(super) reliable: Option<(Band, Reliable)>,
}

/// The n for which the ends of a band rest on scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Informative {
    /// The last n of the better end; none if there are too few scores for any.
    pub better_end_up_to: Option<u64>,
    /// The first n of the worse end.
    pub worse_end_from: Option<u64>,
}

/// The durations of an arm's trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// The mean of one, in seconds.
    pub mean_duration: Option<f64>,
    /// How long n of them take.
    pub time: Vec<Option<f64>>,
}

impl ArmCurve {
    /// The curve of an arm at these n, ascending, with a band of this estimate if that of the
    /// distribution is given.
    ///
    /// # Errors
    /// [`AnalysisError`] if the bounds do not hold the scores.
    pub fn new(
        name: &str,
        trials: &Trials,
        n: &[u64],
        estimator: Estimator,
        centre: Centre,
        bounds: Bounds,
        cdf: Option<&CdfBand>,
    ) -> Result<Self, AnalysisError> {
        let sample = trials.scores();
        let (mean, sd) = moments(sample, estimator, n);
        let band = cdf
            .map(|cdf| CurveBand::new(cdf, sample, bounds))
            .transpose()
            .map_err(|error| AnalysisError::of_arm(name, error))?;
        let reliable = cdf
            .zip(band.as_ref())
            .map(|(cdf, band)| (cdf.band(), band.reliable()));
        let ends = band
            .as_ref()
            .map_or_else(|| vec![OPEN; n.len()], |band| intervals(band, centre, n));
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
        })
    }

    /// Adds the durations of the trials to the curve.
    pub(super) fn with_times(mut self, trials: &Trials) -> Self {
        self.times = Some(Times {
            mean_duration: trials.mean_duration(),
            time: self.n.iter().map(|&n| trials.time_of(n as f64)).collect(),
        });
        self
    }

    /// Returns the last n that is no larger than this one, with the expected best of it.
    pub(in crate::analysis) fn up_to(&self, most: u64) -> Option<(u64, f64)> {
        let place = self.n.iter().rposition(|&n| n <= most)?;
        Some((self.n[place], self.mean[place]?))
    }

    /// Returns how many trials have to be started, on average, for one that n counts.
    #[cfg(feature = "html")]
    pub(in crate::analysis) fn starts_each(&self) -> f64 {
        self.trials as f64 / self.scores as f64
    }

    /// Returns the ends of the band at the first `most` n.
    pub fn band(&self, most: usize) -> Vec<Limits> {
        let ends = self.lower.iter().zip(&self.upper).take(most);
        ends.map(|(&lower, &upper)| Limits { lower, upper })
            .collect()
    }

    /// The estimate that the band is of; NaN beyond where it is defined.
    pub(super) fn estimate(&self, centre: Centre) -> Vec<f64> {
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

fn intervals(band: &CurveBand<'_>, centre: Centre, n: &[u64]) -> Vec<Limits> {
    match centre {
        Centre::Mean => at(
            n,
            |end| band.mean_curve(end),
            |n| band.mean(n).unwrap_or(OPEN),
        ),
        Centre::Median => n.iter().filter_map(|&n| band.median(n)).collect(),
    }
}
