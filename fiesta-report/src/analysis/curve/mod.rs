//! Tuning curves of arms: the expected best of n trials with its band, budgets and crossings.

mod bands;
mod budgets;
mod crossings;
mod options;
mod text;
mod trials;

pub use crate::tuning_curve::{ArmCurve, Centre};
use bands::BandsByCount;
pub use budgets::ArmBudget;
pub use crossings::{ApartFor, CrossingOfArms, Pair};
pub use options::{CurveBands, CurveOptions, UnknownCurveBands};
pub use trials::TrialsOfArms;

use super::{AnalysisError, best_of_n::BestOfNReport, folds::folds_note};
use fiesta_core::Direction;
use serde::Serialize;

/// Greatest n up to which all n are looked at; beyond, n in steps of a hundredth.
const ALL_UP_TO: u64 = 10_000;

/// Tuning curves of some arms.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurveReport {
    /// Name of the score.
    pub metric: String,
    /// Direction in which scores are better.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub direction: Direction,
    /// The smallest and the largest possible score.
    pub bounds: Option<(f64, f64)>,
    /// How the curves are estimated.
    pub estimator: &'static str,
    /// Treatment of failed evaluations: what each counts as.
    pub failed: &'static str,
    /// The confidence of each band.
    pub confidence: f64,
    /// Estimate that the bands are of: mean or median.
    pub band_of: Centre,
    /// Tuning curve of each arm.
    pub curves: Vec<ArmCurve>,
    /// All crossings of two curves.
    pub crossings: Vec<CrossingOfArms>,
    /// Comparison of every two arms.
    pub pairs: Vec<Pair>,
    /// Numbers of trials that it takes to expect each of the scores that were asked for.
    pub budgets: Vec<ArmBudget>,
    /// Returns which arm has the highest expected best of n; none where that cannot be said.
    pub best_of_n: Option<BestOfNReport>,
    /// The note on splits that are folds.
    #[serde(skip)]
    folds: Option<String>,
    /// Notes on the computation.
    #[serde(skip)]
    pub notices: Vec<String>,
    #[serde(skip)]
    options: CurveOptions,
}

impl CurveReport {
    /// Returns whether the curves have bands.
    pub(super) fn has_bands(&self) -> bool {
        self.options.bands != CurveBands::None
    }

    /// Computes the curves of these arms.
    ///
    /// # Errors
    /// [`AnalysisError`] if the bounds do not hold the scores, the confidence is none, a score to
    /// reach is not finite, or times are asked for and durations are missing.
    pub fn new(input: &TrialsOfArms, options: &CurveOptions) -> Result<Self, AnalysisError> {
        let counts = input.trials.iter().map(|trials| trials.scores().count());
        let most = counts.max().unwrap_or(0) as u64;
        let n = numbers(options.largest_n.unwrap_or(most));
        let centre = options.band_of.unwrap_or(Centre::of(input.bounds));
        let mut bands = BandsByCount::new(options.bands, options.confidence);
        let named = || input.names.iter().zip(&input.trials);
        let mut curves = Vec::new();
        for (name, trials) in named() {
            if options.time && trials.mean_duration().is_none() {
                return Err(AnalysisError::Refused(format!(
                    "not every evaluation of `{name}` has a duration: leave --time out"
                )));
            }
            let (estimator, bounds) = (options.estimator, input.bounds);
            let mut curve = bands.curve(name, trials, &n, estimator, centre, bounds)?;
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
        let compared = curves.iter().filter(|curve| match &input.crossing {
            Some(names) => names.contains(&curve.name),
            None => true,
        });
        let compared: Vec<&ArmCurve> = compared.collect();
        let (crossings, pairs) =
            crossings::crossings(&compared, centre, input.direction, options.confidence);
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
            folds: input
                .folds
                .as_ref()
                .filter(|_| options.bands != CurveBands::None)
                .map(|folds| folds_note(folds, "bands")),
            notices: bands.notices,
            options: options.clone(),
        })
    }
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
