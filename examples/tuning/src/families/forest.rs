//! Random forests: trees that vote on the class of a wine.

use super::{Outcome, generator, tree::RepeatableTree};
use crate::data::Partition;
use linfa::traits::{Fit, Predict};
use linfa_ensemble::EnsembleLearnerParams;

/// A random forest. An odd number of trees cannot tie over two classes.
#[derive(Debug, clap::Args)]
pub struct Forest {
    /// The number of trees
    #[arg(long, default_value_t = 101)]
    pub trees: usize,
    /// The most splits from the root of a tree to a leaf
    #[arg(long, default_value_t = 100)]
    pub depth: usize,
    /// The share of the measurements that is drawn, with replacement, for each tree
    #[arg(long, default_value_t = 0.3)]
    pub features: f64,
    /// The share of the wines that is drawn, with replacement, for each tree
    #[arg(long, default_value_t = 1.0)]
    pub wines: f64,
}

impl Forest {
    /// Grows the trees, and returns the classes for which most of them vote.
    pub fn predict(&self, wines: &Partition, seed: u64) -> Outcome {
        let tree = RepeatableTree::shallow(self.depth);
        let model = EnsembleLearnerParams::new_fixed_rng(tree, generator(seed))
            .ensemble_size(self.trees)
            .bootstrap_proportion(self.wines)
            .feature_proportion(self.features)
            .fit(&wines.train)?;
        Ok(model.predict(&wines.test.records))
    }
}
