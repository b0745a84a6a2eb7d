//! Boosting for wines: shallow trees in a row, each trained on the mistakes of the trees before it.

use linfa::traits::{Fit, Predict};
use linfa_ensemble::AdaBoostParams;

use super::{Outcome, generator, tree::RepeatableTree};
use crate::data::Partition;

/// `AdaBoost` over trees of the given depth, as a classifier of wines.
pub fn adaboost(wines: &Partition, trees: usize, depth: usize, seed: u64) -> Outcome {
    let base = RepeatableTree::shallow(depth);
    let model = AdaBoostParams::new_fixed_rng(base, generator(seed))
        .n_estimators(trees)
        .fit(&wines.train)?;
    Ok(model.predict(&wines.test.records))
}
