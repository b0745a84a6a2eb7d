//! A network with one hidden layer for two classes.

use clap::ValueEnum;
use linfa::Dataset;
use ndarray::{Array1, Array2, ArrayView1, Axis, Ix1};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};

use crate::data::Classes;

/// Number of passes over the training wines.
const PASSES: usize = 30;

/// Activation function of the hidden units.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Activation {
    Tanh,
    Relu,
}

impl Activation {
    fn of(self, input: f64) -> f64 {
        match self {
            Self::Tanh => input.tanh(),
            Self::Relu => input.max(0.0),
        }
    }

    /// Returns the slope of the activation function, computed from its output.
    fn slope(self, output: f64) -> f64 {
        match self {
            Self::Tanh => 1.0 - output * output,
            Self::Relu => f64::from(output > 0.0),
        }
    }
}

/// Weights of both layers. The last weight of each unit is its constant.
pub struct Network {
    inner: Array2<f64>,
    outer: Array1<f64>,
    activation: Activation,
}

/// Error: the weights of the network have become infinite.
#[derive(Debug)]
pub struct Diverged;

impl std::fmt::Display for Diverged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the training diverged")
    }
}

impl std::error::Error for Diverged {}

impl Network {
    pub fn new(inputs: usize, hidden: usize, activation: Activation, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let inner_range = 1.0 / (inputs as f64).sqrt();
        let outer_range = 1.0 / (hidden as f64).sqrt();
        let mut draw = |range: f64| rng.gen_range(-range..range);
        Self {
            inner: Array2::from_shape_simple_fn((hidden, inputs + 1), || draw(inner_range)),
            outer: Array1::from_shape_simple_fn(hidden + 1, || draw(outer_range)),
            activation,
        }
    }

    fn hidden(&self, wine: ArrayView1<'_, f64>) -> Array1<f64> {
        let unit = |weights: ArrayView1<'_, f64>| {
            let inputs = wine.iter().chain([&1.0]).zip(weights);
            self.activation.of(inputs.map(|(x, w)| x * w).sum())
        };
        self.inner.axis_iter(Axis(0)).map(unit).collect()
    }

    /// Returns the log-odds that a wine is a good one.
    fn odds(&self, hidden: &Array1<f64>) -> f64 {
        let inputs = hidden.iter().chain([&1.0]).zip(&self.outer);
        inputs.map(|(x, w)| x * w).sum()
    }

    /// Trains the network by stochastic gradient descent on the logistic loss, one wine at a time.
    ///
    /// # Errors
    ///
    /// If the weights grow beyond all numbers.
    pub fn train(
        &mut self,
        wines: &Dataset<f64, usize, Ix1>,
        step: f64,
        momentum: f64,
        seed: u64,
    ) -> Result<(), Diverged> {
        let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
        let mut order: Vec<usize> = (0..wines.targets.len()).collect();
        let mut inner_step = Array2::<f64>::zeros(self.inner.dim());
        let mut outer_step = Array1::<f64>::zeros(self.outer.dim());
        for _ in 0..PASSES {
            order.shuffle(&mut rng);
            for &row in &order {
                let wine = wines.records.row(row);
                let hidden = self.hidden(wine);
                let odds = self.odds(&hidden);
                let error = 1.0 / (1.0 + (-odds).exp()) - f64::from(wines.targets[row] == 1);
                for (unit, mut steps) in inner_step.axis_iter_mut(Axis(0)).enumerate() {
                    let slope = error * self.outer[unit] * self.activation.slope(hidden[unit]);
                    for (change, x) in steps.iter_mut().zip(wine.iter().chain([&1.0])) {
                        *change = momentum * *change - step * slope * x;
                    }
                }
                for (change, x) in outer_step.iter_mut().zip(hidden.iter().chain([&1.0])) {
                    *change = momentum * *change - step * error * x;
                }
                self.inner += &inner_step;
                self.outer += &outer_step;
            }
            let weights = self.inner.iter().chain(&self.outer);
            if !weights.sum::<f64>().is_finite() {
                return Err(Diverged);
            }
        }
        Ok(())
    }

    pub fn predict(&self, wines: &Array2<f64>) -> Classes {
        let class = |wine| usize::from(self.odds(&self.hidden(wine)) > 0.0);
        wines.axis_iter(Axis(0)).map(class).collect()
    }
}
