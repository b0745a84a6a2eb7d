//! Measures of an arm's evaluations in a status.

use crate::{
    history::History,
    study::{FurtherMeasure, Study},
};
use fiesta_core::{ArmId, Moments};
use serde::Serialize;

/// A measure of an arm's evaluations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeasureStatus {
    /// The name of the measure.
    pub name: String,
    /// Unit of the measure. `None` if the study file names none.
    pub unit: Option<String>,
    /// Mean of the values. `None` without any.
    pub mean: Option<f64>,
    /// Standard deviation of the values. `None` of fewer than two.
    pub standard_deviation: Option<f64>,
    /// The greatest value. `None` without any.
    pub greatest: Option<f64>,
}

impl MeasureStatus {
    /// Returns the measures that the study file lists, of an arm.
    pub(super) fn all(study: &Study, history: &History, arm: ArmId) -> Vec<Self> {
        let all = study.measures();
        all.map(|own| Self::new(own, history, arm)).collect()
    }

    fn new(own: &FurtherMeasure, history: &History, arm: ArmId) -> Self {
        let records = history.records.values();
        let of_arm = records.filter(|record| record.evaluation.arm == arm);
        let values = of_arm.filter_map(|record| own.value(record.ending.as_ref()?));
        let (mut moments, mut greatest) = (Moments::default(), None::<f64>);
        for value in values {
            moments.push(value);
            greatest = Some(greatest.map_or(value, |greatest| greatest.max(value)));
        }
        Self {
            name: own.metric.name().to_owned(),
            unit: own.unit.clone(),
            mean: greatest.map(|_| moments.mean()),
            standard_deviation: moments.standard_deviation(),
            greatest,
        }
    }
}
