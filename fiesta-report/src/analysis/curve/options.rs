//! Options of tuning curves: their estimator, their bands, and what is asked of them.

use crate::{
    bands::Band,
    tuning_curve::{Centre, Estimator, Failed},
};
use std::str::FromStr;

/// The bands of curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CurveBands {
    /// Equal-tailed bands; DKW's where there are so many scores that equal-tailed ones would take
    /// minutes.
    #[default]
    Auto,
    /// Curves have bands of this kind.
    Of(Band),
    /// Curves have no bands.
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

/// Options of tuning curves.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveOptions {
    /// How the curve is estimated.
    pub estimator: Estimator,
    /// Kind of the curves' bands.
    pub bands: CurveBands,
    /// Estimate that the bands are of; without, the mean where bounds are known, else the median.
    pub band_of: Option<Centre>,
    /// The confidence of each band, and the probability from which on an arm is said to have the
    /// highest expected best of n.
    pub confidence: f64,
    /// Largest n of the curves; if none, as many as an arm has trials.
    pub largest_n: Option<u64>,
    /// Scores whose budgets are asked for.
    pub reach: Vec<f64>,
    /// Whether times are asked for: every evaluation must have its duration.
    pub time: bool,
    /// Treatment of failed evaluations: what each counts as.
    pub failed: Failed,
}
