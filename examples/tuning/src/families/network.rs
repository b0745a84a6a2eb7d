//! A small neural network: one hidden layer of rectified linear units, trained by Adam.

use super::generator;
use crate::data::Partition;
use ndarray::{Array, Array1, Array2, Axis, Dimension, Zip};
use rand::{Rng, rngs::StdRng, seq::SliceRandom};

/// Hyperparameters of the network and of its training.
#[derive(Debug, clap::Args)]
pub struct Network {
    /// The learning rate
    #[arg(long, default_value_t = 0.001)]
    pub rate: f64,
    /// The units of the hidden layer
    #[arg(long, default_value_t = 100)]
    pub hidden: usize,
    /// The weight of the L2 penalty
    #[arg(long, default_value_t = 1e-4)]
    pub penalty: f64,
    /// The number of wines between two steps of the training
    #[arg(long, default_value_t = 200)]
    pub batch: usize,
    /// The number of times that each wine is learnt from
    #[arg(long, default_value_t = 200)]
    pub epochs: usize,
}

impl Network {
    /// Trains the network, and predicts the class of each other wine.
    pub fn predict(&self, wines: &Partition, seed: u64) -> Array1<usize> {
        let mut rng = generator(seed);
        let mut model = Model::new(wines.train.records.ncols(), self.hidden, &mut rng);
        let good = wines.train.targets.mapv(|class| class as f64);
        let mut order: Vec<usize> = (0..good.len()).collect();
        let mut step = 0;
        for _ in 0..self.epochs {
            order.shuffle(&mut rng);
            for rows in order.chunks(self.batch.max(1)) {
                step += 1;
                let inputs = wines.train.records.select(Axis(0), rows);
                model.step(&inputs, &good.select(Axis(0), rows), self, step);
            }
        }
        let (_, chances) = model.forward(&wines.test.records);
        chances.mapv(|chance| usize::from(chance >= 0.5))
    }
}

/// Weights of a layer, with the running moments of their gradients.
struct Weights<D: Dimension> {
    value: Array<f64, D>,
    mean: Array<f64, D>,
    square: Array<f64, D>,
}

impl<D: Dimension> Weights<D> {
    fn new(value: Array<f64, D>) -> Self {
        Self {
            mean: Array::zeros(value.raw_dim()),
            square: Array::zeros(value.raw_dim()),
            value,
        }
    }

    /// Makes a step of Adam (Kingma & Ba, ICLR 2015) with its usual constants.
    fn descend(&mut self, gradient: &Array<f64, D>, rate: f64, step: i32) {
        let (first, second) = (1.0 - 0.9_f64.powi(step), 1.0 - 0.999_f64.powi(step));
        Zip::from(&mut self.value)
            .and(&mut self.mean)
            .and(&mut self.square)
            .and(gradient)
            .for_each(|value, mean, square, &slope| {
                *mean = 0.9 * *mean + 0.1 * slope;
                *square = 0.999 * *square + 0.001 * slope * slope;
                *value -= rate * (*mean / first) / ((*square / second).sqrt() + 1e-8);
            });
    }
}

struct Model {
    into: Weights<ndarray::Ix2>,
    thresholds: Weights<ndarray::Ix1>,
    out: Weights<ndarray::Ix1>,
    constant: Weights<ndarray::Ix1>,
}

impl Model {
    fn new(inputs: usize, hidden: usize, rng: &mut StdRng) -> Self {
        let width = |fan: usize| (6.0 / fan as f64).sqrt();
        let (first, second) = (width(inputs + hidden), width(hidden + 1));
        Self {
            into: Weights::new(Array2::from_shape_simple_fn((inputs, hidden), || {
                rng.gen_range(-first..first)
            })),
            thresholds: Weights::new(Array1::zeros(hidden)),
            out: Weights::new(Array1::from_shape_simple_fn(hidden, || {
                rng.gen_range(-second..second)
            })),
            constant: Weights::new(Array1::zeros(1)),
        }
    }

    /// Returns the outputs of the hidden units, and each wine's probability to be a good one.
    fn forward(&self, inputs: &Array2<f64>) -> (Array2<f64>, Array1<f64>) {
        let hidden = (inputs.dot(&self.into.value) + &self.thresholds.value).mapv(|x| x.max(0.0));
        let chances = (hidden.dot(&self.out.value) + self.constant.value[0])
            .mapv(|x| 1.0 / (1.0 + (-x).exp()));
        (hidden, chances)
    }

    /// Makes a step down the gradient of the cross-entropy with its penalty.
    fn step(&mut self, inputs: &Array2<f64>, good: &Array1<f64>, how: &Network, step: i32) {
        let (hidden, chances) = self.forward(inputs);
        let wines = good.len() as f64;
        let errors = (chances - good) / wines;
        let shrink = how.penalty / wines;
        let back = errors
            .view()
            .insert_axis(Axis(1))
            .dot(&self.out.value.view().insert_axis(Axis(0)))
            * hidden.mapv(|x| f64::from(x > 0.0));
        let into = inputs.t().dot(&back) + shrink * &self.into.value;
        let out = hidden.t().dot(&errors) + shrink * &self.out.value;
        self.into.descend(&into, how.rate, step);
        self.thresholds
            .descend(&back.sum_axis(Axis(0)), how.rate, step);
        self.out.descend(&out, how.rate, step);
        self.constant
            .descend(&Array1::from_elem(1, errors.sum()), how.rate, step);
    }
}
