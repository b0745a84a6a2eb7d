//! Tuning curves of arms: the expected best of n trials with its band, budgets and crossings.

mod arm;
mod text;

pub use arm::ArmCurve;

use super::{AnalysisError, best_of_n::BestOfNReport};
use crate::{
    bands::{Band, BandError, Bounds, BoundsError, CdfBand, Limits},
    budget::Budget,
    crossing::{self, CurveComparison, Lead},
    tuning_curve::{Estimator, Failed, Trial, Trials},
};
use fiesta_core::Direction;
use fiesta_posterior::best_of_n;
use fiesta_records::Records;
use serde::Serialize;
use std::{collections::BTreeMap, str::FromStr};

/// All n are looked at up to this many; beyond, n in steps of a hundredth.
const ALL_UP_TO: u64 = 10_000;

/// The bands of curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurveBands {
    /// Equal-tailed ones; of so many scores that these would take minutes, DKW's.
    #[default]
    Auto,
    /// Bands of this kind.
    Of(Band),
    /// No bands.
    None,
}

/// A name that is no kind of bands of curves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no band: use equal-tailed, highest-density, dkw, ks or none")]
pub struct UnknownCurveBands(String);

impl FromStr for CurveBands {
    type Err = UnknownCurveBands;

    fn from_str(name: &str) -> Result<Self, UnknownCurveBands> {
        match name {
            "none" => Ok(Self::None),
            name => {
                let band = name.parse().map(Self::Of);
                band.map_err(|_| UnknownCurveBands(name.to_owned()))
            }
        }
    }
}

/// The estimate that a band is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Centre {
    /// The expected best.
    Mean,
    /// The median of the best.
    Median,
}

impl Centre {
    /// Its name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }
}

/// Options of tuning curves.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveOptions {
    /// How the curve is estimated.
    pub estimator: Estimator,
    /// Which bands it has.
    pub bands: CurveBands,
    /// What the bands are of; without, the mean where bounds are known, else the median.
    pub band_of: Option<Centre>,
    /// The confidence of each band, and the probability from which on an arm is said to have the
    /// highest expected best of n.
    pub confidence: f64,
    /// The largest n; without, as many as an arm has trials.
    pub largest_n: Option<u64>,
    /// Scores whose budgets are asked for.
    pub reach: Vec<f64>,
    /// Whether times are asked for: every evaluation must have its duration.
    pub time: bool,
    /// What a failed evaluation counts as.
    pub failed: Failed,
}

/// The trials of some arms, and what their scores mean.
#[derive(Debug, Clone)]
pub struct TrialsOfArms {
    metric: String,
    direction: Direction,
    bounds: Option<(f64, f64)>,
    names: Vec<String>,
    trials: Vec<Trials>,
    /// Each arm's scores, and how many of its evaluations failed and count.
    scores: Vec<(Vec<f64>, usize)>,
}

impl TrialsOfArms {
    /// The trials of all arms in these records. `source` names them in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if an evaluation failed and `failed` makes that an error, or the trials of
    /// an arm have no curve.
    pub fn new(
        records: &Records,
        metric: &str,
        direction: Direction,
        bounds: Option<(f64, f64)>,
        failed: Failed,
        source: &str,
    ) -> Result<Self, AnalysisError> {
        if failed == Failed::Error
            && let Some(first) = records.failures().first()
        {
            let place = match first.line {
                0 => source.to_owned(),
                line => format!("{source}:{line}"),
            };
            let arm = &records.arms()[first.arm.index()];
            return Err(AnalysisError::Refused(format!(
                "{place}: this evaluation of `{arm}` failed: count failed ones as the worst score with --failed worst, or have the curves of those that succeed with --failed drop"
            )));
        }
        let mut all = vec![Vec::new(); records.arms().len()];
        for record in records.records() {
            all[record.arm.index()].push(Trial {
                score: Some(record.score),
                duration: record.duration,
            });
        }
        for failed in records.failures() {
            all[failed.arm.index()].push(Trial {
                score: None,
                duration: failed.duration,
            });
        }
        let scores = records.by_arm().into_iter().zip(&all);
        let scores = scores.map(|(scores, trials)| {
            let failed = match failed {
                Failed::Drop => 0,
                _ => trials.len() - scores.len(),
            };
            (scores, failed)
        });
        let scores = scores.collect();
        let trials = records.arms().iter().zip(&all).map(|(name, trials)| {
            Trials::new(trials, direction, bounds, failed)
                .map_err(|error| AnalysisError::of_arm(name, error))
        });
        Ok(Self {
            metric: metric.to_owned(),
            direction,
            bounds,
            names: records.arms().to_vec(),
            trials: trials.collect::<Result<_, _>>()?,
            scores,
        })
    }

    /// Which arm has the highest expected best of n; none where that cannot be said.
    fn best_of_n(&self, confidence: f64) -> Result<Option<BestOfNReport>, AnalysisError> {
        let trials = self
            .scores
            .iter()
            .map(|(scores, failed)| best_of_n::Trials {
                scores,
                failed: *failed,
            });
        let trials: Vec<_> = trials.collect();
        let (direction, bounds) = (self.direction, self.bounds);
        let report = BestOfNReport::compare(&self.names, &trials, direction, bounds, confidence)?;
        Ok(report)
    }
}

/// Tuning curves of some arms.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurveReport {
    /// The score's name.
    pub metric: String,
    /// Which scores are better.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub direction: Direction,
    /// The smallest and the largest possible score.
    pub bounds: Option<(f64, f64)>,
    /// How the curves are estimated.
    pub estimator: &'static str,
    /// What a failed evaluation counts as.
    pub failed: &'static str,
    /// The confidence of each band.
    pub confidence: f64,
    /// What the bands are of.
    pub band_of: Centre,
    /// The curves.
    pub curves: Vec<ArmCurve>,
    /// Every crossing of two curves.
    pub crossings: Vec<CrossingOfArms>,
    /// Every two arms.
    pub pairs: Vec<Pair>,
    /// The trials it takes to expect each of the scores that were asked for.
    pub budgets: Vec<ArmBudget>,
    /// Which arm has the highest expected best of n; none where that cannot be said.
    pub best_of_n: Option<BestOfNReport>,
    /// Notes on the computation.
    #[serde(skip)]
    pub notices: Vec<String>,
    #[serde(skip)]
    options: Shown,
}

/// Options that the text repeats.
#[derive(Debug, Clone)]
struct Shown {
    estimator: Estimator,
    failed: Failed,
    banded: bool,
    time: bool,
    reach: bool,
}

/// A crossing of the curves of two arms.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrossingOfArms {
    /// The two arms.
    pub arms: [String; 2],
    /// Where the estimates cross.
    pub n: f64,
    /// The better arm for smaller n.
    pub better_before: String,
    /// The better arm for larger n.
    pub better_after: String,
    /// The last n before it at which the bands are apart.
    pub from: Option<u64>,
    /// The first n after it at which they are.
    pub until: Option<u64>,
    /// Whether both are known.
    pub certain: bool,
    /// The confidence with which two bands hold together.
    pub confidence: f64,
}

/// Two arms, and where the bands of their curves are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pair {
    /// The two arms.
    pub arms: [String; 2],
    /// How often their estimates cross.
    pub crossings: usize,
    /// Where their bands are apart.
    pub apart: Vec<ApartFor>,
}

/// A range of n for which the bands of two curves are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApartFor {
    /// The first n.
    pub from: u64,
    /// The last n.
    pub until: u64,
    /// The better arm.
    pub better: String,
}

/// The trials of one arm that it takes to expect a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmBudget {
    /// The arm.
    pub name: String,
    /// The score.
    pub value: f64,
    /// Whether it is reached, in a word.
    pub status: &'static str,
    /// Whether it is reached within the trials that there are.
    #[serde(rename = "within_B")]
    pub within: bool,
    /// The first n that reaches it.
    pub first_n: Option<u64>,
    /// The real n at which the curve reaches it.
    pub real_n: Option<f64>,
    /// The n at which straight lines between the points of the curve do.
    pub linear_interp_n: Option<f64>,
    /// How long so many trials take, in seconds.
    pub time: Option<f64>,
    #[serde(skip)]
    budget: Budget,
}

impl CurveReport {
    /// Whether the curves have bands, and these are of the mean.
    pub(super) fn bands_of_the_mean(&self) -> bool {
        self.options.banded && self.band_of == Centre::Mean
    }

    /// The curves of these arms.
    ///
    /// # Errors
    /// [`AnalysisError`] if the bounds do not hold the scores, the confidence is none, a score to
    /// reach is not finite, or times are asked for and durations are missing.
    pub fn new(input: &TrialsOfArms, options: &CurveOptions) -> Result<Self, AnalysisError> {
        let counts = input.trials.iter().map(|trials| trials.scores().count());
        let most = counts.max().unwrap_or(0) as u64;
        let n = numbers(options.largest_n.unwrap_or(most));
        let centre = options.band_of.unwrap_or(match input.bounds {
            Some(_) => Centre::Mean,
            None => Centre::Median,
        });
        let mut bands = BandsByCount::new(options.bands, options.confidence);
        let named = || input.names.iter().zip(&input.trials);
        let mut curves = Vec::new();
        for (name, trials) in named() {
            if options.time && trials.mean_duration().is_none() {
                return Err(AnalysisError::Refused(format!(
                    "not every evaluation of `{name}` has a duration: leave --time out"
                )));
            }
            let cdf = bands.of(trials.scores().count())?;
            let bounds =
                bounds(input.bounds).map_err(|error| AnalysisError::of_arm(name, error))?;
            let mut curve =
                ArmCurve::new(name, trials, &n, options.estimator, centre, bounds, cdf)?;
            if options.time {
                curve = curve.with_times(trials);
            }
            curves.push(curve);
        }
        let mut budgets = Vec::new();
        for (name, trials) in named() {
            for &value in &options.reach {
                let budget = trials.scores().budget(options.estimator, value);
                let budget =
                    budget.map_err(|error| AnalysisError::Refused(format!("--reach: {error}")))?;
                budgets.push(ArmBudget::new(name, trials, value, budget));
            }
        }
        let (mut crossings, mut pairs) = (Vec::new(), Vec::new());
        for (place, first) in curves.iter().enumerate() {
            for second in &curves[place + 1..] {
                let pair = pair(first, second, centre, input.direction, options.confidence);
                crossings.extend(pair.0);
                pairs.push(pair.1);
            }
        }
        Ok(Self {
            metric: input.metric.clone(),
            direction: input.direction,
            bounds: input.bounds,
            estimator: options.estimator.name(),
            failed: options.failed.name(),
            confidence: options.confidence,
            band_of: centre,
            curves,
            crossings,
            pairs,
            budgets,
            best_of_n: input.best_of_n(options.confidence)?,
            notices: bands.notices,
            options: Shown {
                estimator: options.estimator,
                failed: options.failed,
                banded: options.bands != CurveBands::None,
                time: options.time,
                reach: !options.reach.is_empty(),
            },
        })
    }
}

/// The bounds of a metric.
pub(crate) fn bounds(of: Option<(f64, f64)>) -> Result<Bounds, BoundsError> {
    Bounds::new(of.map(|bounds| bounds.0), of.map(|bounds| bounds.1))
}

/// The crossings of two curves, and where their bands are apart.
pub(crate) fn pair(
    first: &ArmCurve,
    second: &ArmCurve,
    centre: Centre,
    direction: Direction,
    confidence: f64,
) -> (Vec<CrossingOfArms>, Pair) {
    let both = first.n.iter().zip(&second.n);
    let both = both.take_while(|(a, b)| a == b).count();
    let (a, b) = (first.estimate(centre), second.estimate(centre));
    let side = |centre: &'_ [f64], curve: &ArmCurve| (centre[..both].to_vec(), curve.band(both));
    let ((a, a_band), (b, b_band)) = (side(&a, first), side(&b, second));
    let found: CurveComparison = crossing::compare(
        &first.n[..both],
        &crossing::BandedCurve {
            centre: &a,
            band: &a_band,
        },
        &crossing::BandedCurve {
            centre: &b,
            band: &b_band,
        },
    );
    let better = |higher: Lead| {
        if (higher == Lead::First) == (direction == Direction::Maximize) {
            first.name.clone()
        } else {
            second.name.clone()
        }
    };
    let arms = || [first.name.clone(), second.name.clone()];
    let crossings = found.crossings.iter().map(|crossing| CrossingOfArms {
        arms: arms(),
        n: crossing.n,
        better_before: better(crossing.before),
        better_after: better(crossing.after),
        from: crossing.from,
        until: crossing.until,
        certain: crossing.is_certain(),
        confidence: of_two(confidence),
    });
    let apart = found.apart.iter().map(|apart| ApartFor {
        from: apart.from,
        until: apart.until,
        better: better(apart.lead),
    });
    let pair = Pair {
        arms: arms(),
        crossings: found.crossings.len(),
        apart: apart.collect(),
    };
    (crossings.collect(), pair)
}

impl ArmBudget {
    fn new(name: &str, trials: &Trials, value: f64, budget: Budget) -> Self {
        let reached = budget.reached().copied();
        Self {
            name: name.to_owned(),
            value,
            status: budget.status(),
            within: matches!(budget, Budget::Within(_)),
            first_n: reached.map(|reached| reached.n),
            real_n: reached.and_then(|reached| reached.real),
            linear_interp_n: reached.map(|reached| reached.interpolated),
            time: reached.and_then(|reached| trials.time_of(reached.n as f64)),
            budget,
        }
    }
}

/// The confidence with which two bands hold together at least, also where their scores are on
/// shared splits; without the digits that binary fractions add.
fn of_two(confidence: f64) -> f64 {
    ((2.0 * confidence - 1.0).max(0.0) * 1e12).round() / 1e12
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

/// Bands of distributions, which depend on the number of scores alone.
pub(crate) struct BandsByCount {
    bands: CurveBands,
    confidence: f64,
    found: BTreeMap<usize, CdfBand>,
    pub(crate) notices: Vec<String>,
}

impl BandsByCount {
    pub(crate) fn new(bands: CurveBands, confidence: f64) -> Self {
        Self {
            bands,
            confidence,
            found: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    /// The band of so many scores; none if no bands are asked for.
    pub(crate) fn of(&mut self, count: usize) -> Result<Option<&CdfBand>, AnalysisError> {
        let kind = match self.bands {
            CurveBands::None => return Ok(None),
            CurveBands::Of(band) => band,
            CurveBands::Auto => Band::default(),
        };
        if !self.found.contains_key(&count) {
            let band = match CdfBand::new(kind, count, self.confidence) {
                Err(BandError::TooMany { .. }) if self.bands == CurveBands::Auto => {
                    self.notices.push(format!(
                        "an exact band of {count} scores may take minutes: the band is dkw, which is wider"
                    ));
                    CdfBand::new(Band::Dkw, count, self.confidence)
                }
                band => band,
            };
            let band = band.map_err(|error| AnalysisError::Refused(error.to_string()))?;
            self.found.insert(count, band);
        }
        Ok(self.found.get(&count))
    }
}

/// A band that says nothing.
pub(crate) const OPEN: Limits = Limits {
    lower: None,
    upper: None,
};
