//! Decision trees, alone and as the members of ensembles.

use linfa::{
    DatasetBase,
    traits::{Fit, Predict},
};
use linfa_trees::{DecisionTree, DecisionTreeParams};
use ndarray::{Array1, Array2};

use super::Outcome;
use crate::data::Partition;

/// Extra weight of a good wine; an ordinary one has weight 1.
///
/// Too little to overrule a majority among the wines of a leaf, and a power of two, so that
/// sums of weights are exact.
const TIE_BREAK: f32 = 1.0 / 4096.0;

/// Grows decision trees in which a leaf with as many good as ordinary wines says "good".
///
/// The tree of the library asks a hash map for the most common class of a leaf. When two classes
/// are equally common its answer changes from run to run, and with it the score of one and the
/// same evaluation. A tiny extra weight on the good wines leaves no ties.
#[derive(Clone, Debug)]
pub struct RepeatableTree(DecisionTreeParams<f64, usize>);

impl RepeatableTree {
    /// Returns a learner of trees with at most `depth` splits from the root to a leaf.
    pub fn shallow(depth: usize) -> Self {
        Self(DecisionTree::params().max_depth(Some(depth)))
    }

    /// Returns a learner of trees that grow until their leaves are pure.
    pub fn deep() -> Self {
        Self(DecisionTree::params())
    }
}

impl Fit<Array2<f64>, Array1<usize>, linfa::Error> for RepeatableTree {
    type Object = DecisionTree<f64, usize>;

    fn fit(
        &self,
        wines: &DatasetBase<Array2<f64>, Array1<usize>>,
    ) -> Result<Self::Object, linfa::Error> {
        let weights = wines
            .targets
            .mapv(|class| if class == 1 { 1.0 + TIE_BREAK } else { 1.0 });
        let weighted = DatasetBase::new(wines.records.view(), wines.targets.view());
        self.0.fit(&weighted.with_weights(weights))
    }
}

/// Predicts the classes of the test wines by a single tree of this depth.
pub fn single(wines: &Partition, depth: usize) -> Outcome {
    let model = RepeatableTree::shallow(depth).fit(&wines.train)?;
    Ok(model.predict(&wines.test.records))
}

#[cfg(test)]
mod tests {
    use linfa::Dataset;
    use ndarray::array;

    use super::*;

    #[test]
    fn a_tied_leaf_says_good() {
        // No measurement separates the first two wines.
        let wines = Dataset::new(array![[1.0], [1.0], [2.0]], array![0, 1, 0]);
        for _ in 0..50 {
            let model = RepeatableTree::deep().fit(&wines).unwrap();
            assert_eq!(model.predict(&wines.records), array![1, 1, 0]);
        }
    }

    #[test]
    fn the_extra_weight_does_not_overrule_a_majority() {
        let mut targets = Array1::zeros(1001);
        targets.slice_mut(ndarray::s![..500]).fill(1);
        let wines = Dataset::new(Array2::ones((1001, 1)), targets);

        let model = RepeatableTree::deep().fit(&wines).unwrap();

        assert_eq!(model.predict(&array![[1.0]]), array![0]);
    }
}
