//! Draws of the splits' effects and of their variance.

use super::{
    Block, LARGEST_RATIO, LEAST_RATIO, Sampler,
    numbers::{chi_squared, dot},
};
use crate::paired::normal::effect_variance;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// Standard deviations of the two proposals for ln λ.
const RATIO_STEPS: [f64; 2] = [0.7, 2.5];

impl Sampler<'_> {
    /// Draws λ given means and variances, split effects integrated out: two Metropolis steps. Its
    /// prior p(λ) = (1 + λ)⁻² makes the correlation λ/(1 + λ) of two arms on a split uniform.
    pub(super) fn draw_ratio(&mut self, rng: &mut dyn Rng) {
        let log_density = |ratio: f64| {
            let split_variance = ratio * self.centre;
            let prior = ratio.ln() - 2.0 * ratio.ln_1p();
            let likelihood = |block: &Block<'_>| {
                let d = 1.0 + split_variance * block.total_weight;
                let squares = block.mean_dot * block.mean_dot + block.dot_squares;
                0.5 * (squares * split_variance / d - block.splits * d.ln())
            };
            prior + self.blocks.iter().map(likelihood).sum::<f64>()
        };
        let mut ratio = self.ratio;
        let mut density = log_density(ratio);
        for step in RATIO_STEPS {
            let normal: f64 = StandardNormal.sample(rng);
            let proposed = ratio * (step * normal).exp();
            let accept = rng.random::<f64>();
            if !(LEAST_RATIO..=LARGEST_RATIO).contains(&proposed) {
                continue;
            }
            let then = log_density(proposed);
            if accept.ln() < then - density {
                (ratio, density) = (proposed, then);
            }
        }
        self.ratio = ratio;
    }

    /// Draws the splits' effects β given everything else, and computes the residuals of the cell means.
    pub(super) fn draw_split_effects(&mut self, rng: &mut dyn Rng) {
        let split_variance = self.split_variance();
        let arms = self.counts.len();
        self.cell_residuals.fill(0.0);
        for block in &self.blocks {
            let t = effect_variance(split_variance, block.total_weight);
            let sd = t.sqrt();
            let mut effect = |dot: f64| {
                let normal: f64 = StandardNormal.sample(rng);
                t * dot + sd * normal
            };
            let of_mean = effect(block.mean_dot);
            self.effects.clear();
            self.effects
                .extend(block.dots.iter().map(|&dot| effect(dot)));
            let of_null = if block.null > 0.0 && t > 0.0 {
                t * chi_squared(block.null, rng)
            } else {
                0.0
            };
            let of_all = dot(&self.effects, &self.effects);
            let moments = block.moments;
            for (i, (member, place)) in block.members.iter().zip(&block.places).enumerate() {
                let arm = member.index();
                let off = (moments.means[i] - self.means[arm]) * block.splits.sqrt() - of_mean;
                let scores = moments.scores(i);
                let product = dot(scores, &self.effects[..scores.len()]);
                let rest = moments.squares[i] - 2.0 * product + of_all;
                self.cell_residuals[place * arms + arm] += off * off + rest.max(0.0) + of_null;
            }
        }
    }
}
