//! Classifier of wines by naive Bayes.

use linfa::traits::{Fit, Predict};
use linfa_bayes::GaussianNb;

use super::Outcome;
use crate::data::Partition;

/// Describes each measurement in each class by a normal distribution, as if the measurements
/// were independent of each other.
pub fn gaussian(wines: &Partition) -> Outcome {
    // The learner widens every distribution by a share of the largest variance; the scaling
    // keeps that share from drowning the measurements with small numbers.
    let wines = wines.standardised();
    let model = GaussianNb::params().fit(&wines.train)?;
    Ok(model.predict(&wines.test.records))
}
