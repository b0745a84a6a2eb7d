//! Bands of distributions by the number of scores.

use super::{ArmCurve, Centre, CurveBands};
use crate::{
    analysis::AnalysisError,
    bands::{Band, Bounds, CdfBand},
    tuning_curve::{ArmTrials, CurveError, Estimator},
};
use std::collections::BTreeMap;

/// Bands of distributions, which depend on the number of scores alone.
pub(super) struct BandsByCount {
    bands: CurveBands,
    confidence: f64,
    found: BTreeMap<usize, CdfBand>,
    pub(super) notices: Vec<String>,
}

impl BandsByCount {
    pub(super) fn new(bands: CurveBands, confidence: f64) -> Self {
        Self {
            bands,
            confidence,
            found: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    /// Estimates the curve of an arm at these n, with the band of as many scores as it has.
    ///
    /// # Errors
    /// [`AnalysisError`] if the bounds do not hold the scores, or there is no such band.
    pub(super) fn curve(
        &mut self,
        name: &str,
        trials: &ArmTrials,
        n: &[u64],
        estimator: Estimator,
        centre: Centre,
        bounds: Option<(f64, f64)>,
    ) -> Result<ArmCurve, AnalysisError> {
        let cdf = self.of(trials.scores().count())?;
        let bounds = Bounds::new(bounds.map(|ends| ends.0), bounds.map(|ends| ends.1));
        let bounds = bounds.map_err(|error| AnalysisError::of_arm(name, error))?;
        ArmCurve::new(name, trials, n, estimator, centre, bounds, cdf)
            .map_err(|error| AnalysisError::of_arm(name, error))
    }

    /// Returns the band of `count` scores. `None` if no bands are asked for.
    fn of(&mut self, count: usize) -> Result<Option<&CdfBand>, AnalysisError> {
        let kind = match self.bands {
            CurveBands::None => return Ok(None),
            CurveBands::Of(band) => band,
            CurveBands::Auto => Band::default(),
        };
        if !self.found.contains_key(&count) {
            let band = match CdfBand::new(kind, count, self.confidence) {
                Err(CurveError::TooMany { .. }) if self.bands == CurveBands::Auto => {
                    self.notices.push(format!(
                        "an exact band of {count} scores may take minutes: the band is dkw, which is wider"
                    ));
                    CdfBand::new(Band::Dkw, count, self.confidence)
                }
                band => band,
            };
            self.found.insert(count, band?);
        }
        Ok(self.found.get(&count))
    }
}
