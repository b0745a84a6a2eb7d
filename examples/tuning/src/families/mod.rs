//! Families of classifiers, each with its hyperparameters.

mod forest;
mod network;
#[path = "../../../quickstart/src/arms/tree.rs"]
#[allow(dead_code, reason = "single trees are another example's")]
mod tree;

use crate::data::Partition;
use linfa::traits::{Fit, Predict};
use linfa_logistic::LogisticRegression;
use linfa_svm::Svm;
use ndarray::Array1;
use rand::{SeedableRng, rngs::StdRng};
use std::error::Error;

/// One predicted class for each wine, or why the learner gave up.
type Outcome = Result<Array1<usize>, Box<dyn Error>>;

/// A family of classifiers with one setting of its hyperparameters. The defaults are those of
/// scikit-learn's classifiers, as near as can be.
#[derive(Debug, clap::Subcommand)]
pub enum Family {
    /// Logistic regression
    Logistic {
        /// The weight of the L2 penalty
        #[arg(long, default_value_t = 1.0)]
        penalty: f64,
    },
    /// Support vectors with a Gaussian kernel
    Svm {
        /// The price of a wine on the wrong side
        #[arg(long, default_value_t = 1.0)]
        cost: f64,
        /// The squared distance over which the influence of a wine falls to a third
        #[arg(long, default_value_t = 11.0)]
        width: f64,
    },
    /// Trees that vote, each grown on a random draw of the wines and of the measurements
    Forest(forest::Forest),
    /// A neural network with one hidden layer
    Network(network::Network),
}

impl Family {
    /// Learns from the training wines and predicts the class of each other wine; the seed decides
    /// every random choice on the way.
    pub fn predict(&self, wines: &Partition, seed: u64) -> Outcome {
        match self {
            Self::Logistic { penalty } => {
                let model = LogisticRegression::default()
                    .alpha(*penalty)
                    .max_iterations(1000)
                    .fit(&wines.train)?;
                Ok(model.predict(&wines.test.records))
            }
            Self::Svm { cost, width } => {
                let model = Svm::<f64, bool>::params()
                    .gaussian_kernel(*width)
                    .pos_neg_weights(*cost, *cost)
                    .fit(&wines.train.clone().map_targets(|&class| class == 1))?;
                Ok(model.predict(&wines.test.records).mapv(usize::from))
            }
            Self::Forest(forest) => forest.predict(wines, seed),
            Self::Network(network) => Ok(network.predict(wines, seed)),
        }
    }
}

/// The random generator of a learner, whose stream is not the one that shuffled the wines.
fn generator(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed ^ 0x5EED_0FA1_EA52_AB1E)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{data, score::score};

    fn families() -> [Family; 4] {
        [
            Family::Logistic { penalty: 1.0 },
            Family::Svm {
                cost: 1.0,
                width: 11.0,
            },
            Family::Forest(forest::Forest {
                trees: 11,
                depth: 10,
                features: 0.5,
                wines: 0.5,
            }),
            Family::Network(network::Network {
                rate: 0.01,
                hidden: 10,
                penalty: 1e-4,
                batch: 64,
                epochs: 10,
            }),
        ]
    }

    /// Tests that every family scores better than always predicting the more common class, which
    /// has a macro-F1 of .35.
    #[test]
    fn every_family_learns_something_and_the_same_again() {
        let wines = data::partition(&data::load(), 1).standardised();
        for family in families() {
            let predicted = family.predict(&wines, 2).unwrap();
            let score = score(&wines.test.targets, &predicted).macro_f1;
            assert!(score > 0.65, "{family:?} has {score}");
            assert_eq!(predicted, family.predict(&wines, 2).unwrap(), "{family:?}");
        }
    }
}
