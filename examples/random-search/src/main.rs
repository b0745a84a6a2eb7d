//! Trains one model with one setting of its hyperparameters and prints how well it does on the
//! validation set.
//!
//! The last line of standard output is the score as JSON.

mod data;
mod network;

use std::{error::Error, process::ExitCode};

use clap::{Parser, Subcommand};
use linfa::traits::{Fit, Predict};
use linfa_logistic::LogisticRegression;
use linfa_svm::Svm;
use ndarray::Array1;

use crate::{
    data::{Classes, Wines},
    network::{Activation, Network},
};

/// Train one model to tell good red wines from ordinary ones, and score it.
#[derive(Debug, Parser)]
struct Arguments {
    /// The number of the random partition into training and validation wines
    #[arg(long, value_name = "N", default_value_t = 0)]
    split: u64,

    /// The seed of every random choice made in training
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(subcommand)]
    model: Model,
}

#[derive(Debug, Subcommand)]
enum Model {
    /// Logistic regression with an L2 penalty
    Logistic {
        #[arg(long)]
        penalty: f64,
    },
    /// A support vector machine with a Gaussian kernel
    Svm {
        /// The price of a training wine on the wrong side
        #[arg(long)]
        cost: f64,
        /// The squared distance over which the influence of a wine falls to a third
        #[arg(long)]
        width: f64,
    },
    /// A network with one hidden layer, trained by stochastic gradient descent
    Network {
        /// The length of a step of the gradient descent
        #[arg(long)]
        lr: f64,
        /// How many units the hidden layer has
        #[arg(long)]
        hidden: usize,
        /// The momentum: the share of the previous step that is added to the next one
        #[arg(long)]
        momentum: f64,
        #[arg(long, value_enum)]
        activation: Activation,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let wines = data::partition(arguments.split);
    match arguments.model.predict(&wines, arguments.seed) {
        Ok(predicted) => {
            let accuracy = accuracy(&wines.validation.targets, &predicted);
            println!(r#"{{"accuracy": {accuracy:.6}}}"#);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Model {
    /// Learns from the training wines and predicts the class of each validation wine.
    fn predict(&self, wines: &Wines, seed: u64) -> Result<Classes, Box<dyn Error>> {
        match *self {
            Self::Logistic { penalty } => {
                let model = LogisticRegression::default().alpha(penalty);
                let model = model.max_iterations(200).fit(&wines.training)?;
                Ok(model.predict(&wines.validation.records))
            }
            Self::Svm { cost, width } => {
                let model = Svm::<f64, bool>::params()
                    .gaussian_kernel(width)
                    .pos_neg_weights(cost, cost)
                    .fit(&wines.training.clone().map_targets(|&class| class == 1))?;
                Ok(model.predict(&wines.validation.records).mapv(usize::from))
            }
            Self::Network {
                lr,
                hidden,
                momentum,
                activation,
            } => {
                let mut network = Network::new(data::MEASUREMENTS, hidden, activation, seed);
                network.train(&wines.training, lr, momentum, seed)?;
                Ok(network.predict(&wines.validation.records))
            }
        }
    }
}

/// The share of correct predictions.
fn accuracy(truth: &Array1<usize>, predicted: &Classes) -> f64 {
    let correct = truth.iter().zip(predicted).filter(|(a, b)| a == b).count();
    correct as f64 / truth.len() as f64
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn score(model: &Model, seed: u64) -> f64 {
        let wines = data::partition(0);
        let predicted = model.predict(&wines, seed).unwrap();
        accuracy(&wines.validation.targets, &predicted)
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_model_learns_with_a_good_setting() {
        // The most common class has a share of 0.53.
        let network = Model::Network {
            lr: 0.01,
            hidden: 8,
            momentum: 0.5,
            activation: Activation::Tanh,
        };
        let svm = Model::Svm {
            cost: 1.0,
            width: 5.0,
        };
        for model in [Model::Logistic { penalty: 1.0 }, svm, network] {
            let score = score(&model, 1);
            assert!(score > 0.7, "{model:?}: {score}");
        }
    }

    #[test]
    fn a_network_that_diverges_is_an_error() {
        let network = Model::Network {
            lr: 1e9,
            hidden: 8,
            momentum: 0.9,
            activation: Activation::Relu,
        };
        assert!(network.predict(&data::partition(0), 1).is_err());
    }
}
