//! Synthetic documents, after the hierarchical model of confusion counts.

use super::{Observations, Problem};
use fiesta_core::{ArmId, Arms, ArmsError, Case, Counts, Design, FBeta, Streams, greatest};
use rand::{RngExt, rngs::ChaCha8Rng};
use rand_distr::{Binomial, Distribution, Gamma, OpenClosed01};

/// Systems with known θ_k: μ_d ~ Dirichlet(αθ_k), (TP, FP, TN, FN)_d ~ Multinomial(N, μ_d), every
/// document of every system drawn independently; the best system has the highest F_b of θ.
///
/// Source of the model: Haffari, Tran & Carman (EACL 2017), whose experiments on made-up data use
/// it.
#[derive(Debug, Clone)]
pub struct SyntheticDocuments {
    arms: Arms,
    systems: Vec<[f64; 4]>,
    alpha: f64,
    length: u64,
    f: Vec<f64>,
    best: f64,
}

/// The reason why documents cannot be made up for a simulation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticDocumentsError {
    /// Fewer than two systems are given.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// The probabilities of a system are out of range.
    #[error("the probabilities {0:?} of TP, FP, TN, FN must be above 0 and add up to 1")]
    Probabilities([f64; 4]),
    /// The concentration is out of range.
    #[error("the concentration {0} must be above 0; infinite if all documents are alike")]
    Concentration(f64),
}

impl SyntheticDocuments {
    /// Returns systems with these probabilities of TP, FP, TN, FN, on documents of `length` items
    /// with concentration `alpha` (∞: all alike).
    ///
    /// # Errors
    /// [`SyntheticDocumentsError`] for fewer than two systems, or numbers that are no probabilities
    /// or no concentration.
    pub fn new(
        systems: Vec<[f64; 4]>,
        alpha: f64,
        length: u64,
        f_beta: FBeta,
    ) -> Result<Self, SyntheticDocumentsError> {
        let proper = |theta: &&[f64; 4]| {
            theta.iter().all(|&p| p > 0.0) && (theta.iter().sum::<f64>() - 1.0).abs() < 1e-9
        };
        if let Some(&improper) = systems.iter().find(|theta| !proper(theta)) {
            return Err(SyntheticDocumentsError::Probabilities(improper));
        }
        if alpha.is_nan() || alpha <= 0.0 {
            return Err(SyntheticDocumentsError::Concentration(alpha));
        }
        let f: Vec<f64> = systems.iter().map(|&theta| f_beta.of(theta)).collect();
        Ok(Self {
            arms: Arms::new((1..=systems.len()).map(|number| format!("system {number}")))?,
            best: greatest(f.iter().copied()),
            f,
            systems,
            alpha,
            length,
        })
    }
}

impl Problem<Counts> for SyntheticDocuments {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        self.best - self.f[arm.index()]
    }

    fn observations(
        &self,
        _design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations<Counts> + '_> {
        Box::new(Drawn {
            problem: self,
            rng: streams.run(number),
        })
    }
}

struct Drawn<'a> {
    problem: &'a SyntheticDocuments,
    rng: ChaCha8Rng,
}

impl Observations<Counts> for Drawn<'_> {
    fn observe(&mut self, arm: ArmId, _case: Case) -> Counts {
        let theta = self.problem.systems[arm.index()];
        let alpha = self.problem.alpha;
        let shares = if alpha.is_finite() {
            dirichlet(theta.map(|p| alpha * p), &mut self.rng)
        } else {
            theta
        };
        multinomial(self.problem.length, shares, &mut self.rng)
    }
}

/// Draws shares from the Dirichlet distribution, which may be tiny: computed in logarithms.
fn dirichlet(shapes: [f64; 4], rng: &mut ChaCha8Rng) -> [f64; 4] {
    let ln = shapes.map(|shape| {
        let raised: f64 = Gamma::new(shape + 1.0, 1.0)
            .expect("shapes are positive")
            .sample(rng);
        let uniform: f64 = rng.sample(OpenClosed01);
        raised.ln() + uniform.ln() / shape
    });
    let largest = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let amounts = ln.map(|ln| (ln - largest).exp());
    let total: f64 = amounts.iter().sum();
    amounts.map(|amount| amount / total)
}

/// Draws the counts of a document of `length` items, by one binomial draw after the other.
fn multinomial(length: u64, shares: [f64; 4], rng: &mut ChaCha8Rng) -> Counts {
    let mut left = length;
    let mut rest = 1.0;
    let mut cells = [0; 4];
    for (cell, share) in cells.iter_mut().zip(shares).take(3) {
        let p = if rest > 0.0 {
            (share / rest).clamp(0.0, 1.0)
        } else {
            0.0
        };
        *cell = Binomial::new(left, p).expect("a probability").sample(rng);
        left -= *cell;
        rest -= share;
    }
    cells[3] = left;
    Counts::from_cells(cells)
}
