//! Bagging and random forest for wines: many deep trees that vote, each grown on its own bootstrap sample.
//!
//! An odd number of trees cannot tie over two classes.

use linfa::traits::{Fit, Predict};
use linfa_ensemble::EnsembleLearnerParams;

use super::{Classes, Outcome, generator, tree::RepeatableTree};
use crate::data::Partition;

/// Bagging: every tree sees every measurement of its bootstrap sample of wines.
///
/// The ensemble of the library draws measurements with replacement, so that even "all of them"
/// leaves a third out. Bagging wants the wines alone drawn, hence the loop.
pub fn bagging(wines: &Partition, trees: usize, seed: u64) -> Outcome {
    let mut rng = generator(seed);
    let samples = wines
        .train
        .bootstrap_samples(wines.train.targets.len(), &mut rng);
    let mut good_votes = Classes::zeros(wines.test.targets.len());
    for sample in samples.take(trees) {
        let tree = RepeatableTree::deep().fit(&sample)?;
        good_votes += &tree.predict(&wines.test.records);
    }
    Ok(good_votes.mapv(|votes| usize::from(2 * votes > trees)))
}

/// Random forest: every tree sees a random selection of the measurements, `share` of their number,
/// drawn with replacement.
pub fn random_forest(wines: &Partition, trees: usize, share: f64, seed: u64) -> Outcome {
    let model = EnsembleLearnerParams::new_fixed_rng(RepeatableTree::deep(), generator(seed))
        .ensemble_size(trees)
        .feature_proportion(share)
        .fit(&wines.train)?;
    Ok(model.predict(&wines.test.records))
}
