//! A stand-in for the posterior of F-measures: its interface, with a normal approximation behind it.

use crate::best_arm::{draw_one, of_proper};
use fiesta_core::{ArmId, Belief, Beliefs, Case, Counts, FBeta, Marginal, Observe, ObserveError};
use rand::Rng;

/// The concentration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Concentration {
    /// Of each arm.
    #[default]
    Learned,
    /// Of all arms.
    Shared,
    /// Given.
    Fixed(f64),
}

/// Arms by F-measure.
#[derive(Debug, Clone)]
pub struct FMeasureArms {
    sums: Vec<(Counts, u64)>,
    f: FBeta,
    documents: Option<u64>,
}

impl FMeasureArms {
    /// K arms.
    pub fn new(arms: usize) -> Self {
        Self {
            sums: vec![(Counts::default(), 0); arms],
            f: FBeta::F1,
            documents: None,
        }
    }
    /// Which F.
    pub fn f_beta(mut self, f: FBeta) -> Self {
        self.f = f;
        self
    }
    /// The size of the collection.
    pub fn documents(mut self, count: u64) -> Self {
        self.documents = Some(count);
        self
    }
    /// The concentration.
    pub fn concentration(self, _concentration: Concentration) -> Self {
        self
    }
}

impl Beliefs for FMeasureArms {
    fn arms(&self) -> usize {
        self.sums.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        1
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        self.f.of_counts(&self.sums[arm.index()].0)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let (sum, made) = &self.sums[arm.index()];
        (*made > 0).then(|| {
            let cells = sum.cells().map(|count| count as f64 + 0.5);
            let location = self.f.of(cells);
            let left = self
                .documents
                .map_or(1.0, |all| 1.0 - *made as f64 / all as f64);
            let exact = self.f.of_counts(sum).filter(|_| left <= 0.0);
            Marginal {
                location: exact.unwrap_or(location),
                scale: (left.max(1e-12) * location * (1.0 - location)
                    / (cells[0] + cells[1] + cells[3]))
                    .sqrt(),
                degrees_of_freedom: f64::INFINITY,
            }
        })
    }
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        Some(crate::gaussian_arms::welch(
            &self.marginal(a)?,
            &self.marginal(b)?,
        ))
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        for (arm, mean) in ArmId::all(self.arms()).zip(means) {
            *mean = self
                .marginal(arm)
                .map_or(f64::NEG_INFINITY, |marginal| draw_one(&marginal, rng));
        }
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let known: Vec<Marginal> = candidates
            .iter()
            .filter_map(|&arm| self.marginal(arm))
            .collect();
        let belief = of_proper(&known);
        let mut probability = vec![0.0; self.arms()];
        for (arm, p) in candidates.iter().zip(&belief.probability) {
            probability[arm.index()] = *p;
        }
        Belief {
            probability,
            ..belief
        }
    }
    fn within(&self, arm: ArmId, _margin: f64, candidates: &[ArmId]) -> f64 {
        self.belief(candidates).of(arm)
    }
}

impl Observe<Counts> for FMeasureArms {
    fn observe(&mut self, arm: ArmId, _case: Case, counts: Counts) -> Result<(), ObserveError> {
        let (sum, made) = &mut self.sums[arm.index()];
        *sum = *sum + counts;
        *made += 1;
        Ok(())
    }
}
