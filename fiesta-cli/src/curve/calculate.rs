//! Curves, their bands, budgets and crossings.

use super::{Arguments, Bands, Centre, Failure, read::Input};
use fiesta::report::{
    bands::{Band, BandError, Bounds, CdfBand, CurveBand, Limits, Reliable},
    budget::Budget,
    crossing::{self, CurveComparison, compare},
    tuning_curve::{Estimator, Sample, Trials},
};
use std::collections::BTreeMap;

/// All n are looked at up to this many; beyond, n in steps of a hundredth.
const ALL_UP_TO: u64 = 10_000;
/// The curve of all n is computed at once up to this many.
const AT_ONCE: u64 = 1 << 20;

/// Everything that is printed.
pub(super) struct Curves {
    pub(super) centre: Centre,
    /// The numbers of trials, ascending.
    pub(super) n: Vec<u64>,
    pub(super) arms: Vec<ArmCurve>,
    /// Every two arms, by their numbers.
    pub(super) pairs: Vec<(usize, usize, CurveComparison)>,
    pub(super) notices: Vec<String>,
}

/// One arm, at the n of [`Curves::n`].
pub(super) struct ArmCurve {
    /// None beyond where the estimator is defined.
    pub(super) mean: Vec<Option<f64>>,
    pub(super) sd: Vec<Option<f64>>,
    pub(super) median: Vec<f64>,
    /// Open where there are no bands.
    pub(super) band: Vec<Limits>,
    /// The kind of its band, which may not be the one asked for, and for which n it rests on scores.
    pub(super) kind: Option<(Band, Reliable)>,
    /// Of each value that was asked for.
    pub(super) budgets: Vec<Budget>,
}

impl Curves {
    pub(super) fn new(arguments: &Arguments, input: &Input) -> Result<Self, Failure> {
        let counts = input.arms.iter().map(|(_, trials)| trials.sample().count());
        let most = counts.max().unwrap_or(0) as u64;
        let n = numbers(arguments.max_n.unwrap_or(most));
        let centre = arguments.band_of.unwrap_or(if input.bounds.is_some() {
            Centre::Mean
        } else {
            Centre::Median
        });
        let mut bands = AllBands::new(arguments);
        let mut arms = Vec::new();
        for (name, trials) in &input.arms {
            let band = bands.of(trials.sample().count())?;
            arms.push(ArmCurve::new(
                arguments,
                input,
                (name, trials),
                centre,
                &n,
                band,
            )?);
        }
        let pairs = (0..arms.len())
            .flat_map(|a| (a + 1..arms.len()).map(move |b| (a, b)))
            .map(|(a, b)| (a, b, of_pair(&n, centre, &arms[a], &arms[b])))
            .collect();
        Ok(Self {
            centre,
            n,
            arms,
            pairs,
            notices: bands.notices,
        })
    }
}

impl ArmCurve {
    fn new(
        arguments: &Arguments,
        input: &Input,
        (name, trials): (&str, &Trials),
        centre: Centre,
        n: &[u64],
        cdf: Option<&CdfBand>,
    ) -> Result<Self, Failure> {
        let sample = trials.sample();
        let wrong =
            |error: &dyn std::fmt::Display| Failure::Usage(format!("the arm `{name}`: {error}"));
        let (mean, sd) = moments(sample, arguments.estimator, n);
        let budgets = arguments
            .reach
            .iter()
            .map(|&value| sample.budget(arguments.estimator, value))
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::Usage(format!("--reach: {error}")))?;
        let bounds = Bounds::new(input.bounds.map(|b| b.0), input.bounds.map(|b| b.1))
            .map_err(|error| wrong(&error))?;
        let open = Limits {
            lower: None,
            upper: None,
        };
        let band = cdf
            .map(|cdf| CurveBand::new(cdf, sample, bounds))
            .transpose()
            .map_err(|error| wrong(&error))?;
        Ok(Self {
            mean,
            sd,
            median: n.iter().filter_map(|&n| sample.median_of(n)).collect(),
            band: band
                .as_ref()
                .map_or_else(|| vec![open; n.len()], |band| intervals(band, centre, n)),
            kind: cdf
                .zip(band.as_ref())
                .map(|(cdf, band)| (cdf.band(), band.reliable())),
            budgets,
        })
    }

    /// The estimate that the band is of; NaN beyond where it is defined.
    fn estimate(&self, centre: Centre) -> Vec<f64> {
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

/// Where n is small, from the curve of all n.
fn at<T>(n: &[u64], all: impl FnOnce(usize) -> Vec<T>, one: impl Fn(u64) -> T) -> Vec<T>
where
    T: Copy,
{
    let end = n.last().copied().unwrap_or(0).min(AT_ONCE);
    let all = all(index(end));
    n.iter()
        .map(|&n| match n {
            1..=AT_ONCE => all.get(index(n - 1)).copied().unwrap_or_else(|| one(n)),
            n => one(n),
        })
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a million at most")]
fn index(n: u64) -> usize {
    n as usize
}

fn moments(
    sample: &Sample,
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
    let open = Limits {
        lower: None,
        upper: None,
    };
    match centre {
        Centre::Mean => at(
            n,
            |end| band.mean_curve(end),
            |n| band.mean(n).unwrap_or(open),
        ),
        Centre::Median => n.iter().filter_map(|&n| band.median(n)).collect(),
    }
}

fn of_pair(n: &[u64], centre: Centre, a: &ArmCurve, b: &ArmCurve) -> CurveComparison {
    let (first, second) = (a.estimate(centre), b.estimate(centre));
    let first = crossing::BandedCurve {
        centre: &first,
        band: &a.band,
    };
    let second = crossing::BandedCurve {
        centre: &second,
        band: &b.band,
    };
    compare(n, &first, &second)
}

/// 1, 2, … up to `most`, thinned out beyond [`ALL_UP_TO`]; `most` itself is always there.
fn numbers(most: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (1..=most.min(ALL_UP_TO)).collect();
    let mut n = ALL_UP_TO;
    while n < most {
        n = n.saturating_add(n / 100).min(most);
        numbers.push(n);
    }
    numbers
}

/// Bands of the distribution, which depend on the number of scores alone.
struct AllBands<'a> {
    arguments: &'a Arguments,
    found: BTreeMap<usize, CdfBand>,
    notices: Vec<String>,
}

impl<'a> AllBands<'a> {
    fn new(arguments: &'a Arguments) -> Self {
        Self {
            arguments,
            found: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    fn of(&mut self, count: usize) -> Result<Option<&CdfBand>, Failure> {
        let asked = match self.arguments.bands {
            Some(Bands::None) => return Ok(None),
            Some(Bands::Of(band)) => Some(band),
            None => None,
        };
        if !self.found.contains_key(&count) {
            let confidence = self.arguments.confidence;
            let band = CdfBand::new(asked.unwrap_or_default(), count, confidence);
            let band = match (band, asked) {
                (Err(BandError::TooMany { .. }), None) => {
                    self.notices.push(format!(
                        "an exact band of {count} scores may take minutes: the band is dkw, which is wider"
                    ));
                    CdfBand::new(Band::Dkw, count, confidence)
                }
                (band, _) => band,
            };
            let band = band.map_err(|error| Failure::Usage(error.to_string()))?;
            self.found.insert(count, band);
        }
        Ok(self.found.get(&count))
    }
}
