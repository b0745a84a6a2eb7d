//! Further scores of arms, drawn from a model of the posterior and the known scores.

use super::Known;
use fiesta_core::{ArmId, Design};
use fiesta_posterior::PairedModel;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::collections::HashMap;

/// Source of scores that are drawn as they are asked for.
pub(super) struct Future {
    model: PairedModel,
    is_on_one_split: bool,
    /// Number and sum of the known scores of each arm on each split.
    known: HashMap<(ArmId, u64), (u32, f64)>,
    effects: HashMap<u64, f64>,
    interactions: HashMap<(ArmId, u64), f64>,
    rng: ChaCha8Rng,
}

impl Future {
    pub(super) fn new(model: PairedModel, known: &Known, rng: ChaCha8Rng) -> Self {
        let mut cells = HashMap::new();
        for (arm, case, score) in &known.evaluations {
            let (count, sum) = cells.entry((*arm, case.split)).or_insert((0, 0.0));
            *count += 1;
            *sum += score;
        }
        Self {
            model,
            is_on_one_split: known.design == Design::Fixed,
            known: cells,
            effects: HashMap::new(),
            interactions: HashMap::new(),
            rng,
        }
    }

    /// Returns whether no other arm has a higher mean than this one.
    pub(super) fn is_best(&self, arm: ArmId) -> bool {
        let own = self.model.means[arm.index()];
        self.model.means.iter().all(|mean| *mean <= own)
    }

    /// Draws the score of an arm, given all known scores on the split: y = μ + β + γ + e.
    pub(super) fn score(&mut self, arm: ArmId, split: u64) -> f64 {
        let (mean, variance) = (
            self.model.means[arm.index()],
            self.model.variances[arm.index()],
        );
        if self.is_on_one_split {
            return self.normal(mean, variance);
        }
        let effect = match self.effects.get(&split) {
            Some(effect) => *effect,
            None => self.draw_effect(split),
        };
        let interaction = match self.interactions.get(&(arm, split)) {
            Some(interaction) => *interaction,
            None => self.draw_interaction(arm, split, effect),
        };
        let of_seed = (1.0 - self.model.interaction) * variance;
        self.normal(mean + effect + interaction, of_seed)
    }

    /// Draws the effect β of a split from its posterior. The precision is that of the prior, plus
    /// the precision of each arm's mean of known scores on the split.
    fn draw_effect(&mut self, split: u64) -> f64 {
        let mut precision = self.model.split_variance.recip();
        let mut weighted = 0.0;
        for (arm, mean) in (0..).map(ArmId::new).zip(&self.model.means) {
            if let Some(&(seeds, sum)) = self.known.get(&(arm, split)) {
                let weight = self.model.variance_of_mean(arm, seeds).recip();
                precision += weight;
                weighted += weight * (sum / f64::from(seeds) - mean);
            }
        }
        let effect = if precision.is_finite() {
            self.normal(weighted / precision, precision.recip())
        } else {
            0.0
        };
        self.effects.insert(split, effect);
        effect
    }

    /// Draws the interaction γ of an arm with a split, given the effect of the split.
    fn draw_interaction(&mut self, arm: ArmId, split: u64, effect: f64) -> f64 {
        let shared = self.model.interaction * self.model.variances[arm.index()];
        let (location, left) = match self.known.get(&(arm, split)) {
            Some(&(seeds, sum)) => {
                let kept = shared / self.model.variance_of_mean(arm, seeds);
                let residual = sum / f64::from(seeds) - self.model.means[arm.index()] - effect;
                (kept * residual, shared * (1.0 - kept))
            }
            None => (0.0, shared),
        };
        let interaction = self.normal(location, left);
        self.interactions.insert((arm, split), interaction);
        interaction
    }

    fn normal(&mut self, mean: f64, variance: f64) -> f64 {
        let z: f64 = StandardNormal.sample(&mut self.rng);
        mean + variance.max(0.0).sqrt() * z
    }
}
