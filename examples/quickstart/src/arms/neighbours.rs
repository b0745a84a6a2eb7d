//! Classifier of wines by their nearest neighbours.

use linfa_nn::{KdTree, NearestNeighbour, distance::L2Dist};

use super::Outcome;
use crate::data::Partition;

/// Gives each wine the class that most of its `k` nearest training wines have; with an odd `k`
/// there are no ties.
pub fn vote(wines: &Partition, k: usize) -> Outcome {
    // Unscaled, the sulphur dioxide in mg/l would decide alone who is a neighbour.
    let wines = wines.standardised();
    let index = KdTree::new().from_batch(&wines.train.records, L2Dist)?;
    wines
        .test
        .records
        .rows()
        .into_iter()
        .map(|wine| {
            let nearest = index.k_nearest(wine, k)?;
            let good: usize = nearest
                .iter()
                .map(|&(_, row)| wines.train.targets[row])
                .sum();
            Ok(usize::from(2 * good > nearest.len()))
        })
        .collect()
}
