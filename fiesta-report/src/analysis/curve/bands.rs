//! Bands of distributions by the number of scores.

use super::CurveBands;
use crate::{
    analysis::AnalysisError,
    bands::{Band, BandError, Bounds, BoundsError, CdfBand, Limits},
};
use std::collections::BTreeMap;

/// The bounds of a metric.
pub(crate) fn bounds(of: Option<(f64, f64)>) -> Result<Bounds, BoundsError> {
    Bounds::new(of.map(|bounds| bounds.0), of.map(|bounds| bounds.1))
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

    /// Returns the band of `count` scores. `None` if no bands are asked for.
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
