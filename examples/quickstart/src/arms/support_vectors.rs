//! Classifier of wines by a support vector machine.

use linfa::traits::{Fit, Predict};
use linfa_svm::Svm;

use super::Outcome;
use crate::data::Partition;

/// Support vector machine: the widest margin between the classes under a Gaussian kernel. `cost` is
/// the price of a training wine on the wrong side and `width` the squared distance over which the
/// influence of a wine falls to a third.
pub fn gaussian(wines: &Partition, cost: f64, width: f64) -> Outcome {
    let wines = wines.standardised();
    let model = Svm::<f64, bool>::params()
        .gaussian_kernel(width)
        .pos_neg_weights(cost, cost)
        .fit(&wines.train.map_targets(|&class| class == 1))?;
    Ok(model.predict(&wines.test.records).mapv(usize::from))
}
