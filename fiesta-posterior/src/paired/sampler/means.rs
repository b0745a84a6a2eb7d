//! Draws of the means and of the common scale of all variances, with the evidence of a state.

use super::{
    Block, Sampler,
    numbers::{dot, gamma},
};
use crate::paired::{
    draws::{Draws, Kept, Swept, of_seeds},
    normal::{Equations, effect_variance},
};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

impl Sampler<'_> {
    /// Draws μ given all variances ([`super::normal`]), and the common scale of the variances given
    /// their ratios, with everything else integrated out: 1/scale ~ Gamma((N − K)/2, Q/2), where Q
    /// is the quadratic form of the residuals.
    pub(super) fn draw_means_and_scale(&mut self, keep: Option<&mut Draws>, rng: &mut dyn Rng) {
        let split_variance = self.split_variance();
        let between = self.between_seeds.iter().zip(&self.variances);
        let mut quadratic: f64 = between
            .map(|(squares, v)| squares / (v * self.of_one_seed))
            .sum();
        let mut blocks = std::mem::take(&mut self.blocks);
        self.equations.clear();
        for block in &mut blocks {
            let (n, means) = (block.splits, &block.moments.means);
            block.dots.fill(0.0);
            block.total_weight = 0.0;
            let mut weighted_mean = 0.0;
            for (i, member) in block.members.iter().enumerate() {
                let weight = 1.0
                    / (self.variances[member.index()] * of_seeds(member.seeds, self.of_one_seed));
                block.weights[i] = weight;
                block.total_weight += weight;
                weighted_mean += weight * means[i];
                quadratic += weight * (n * means[i] * means[i] + block.moments.squares[i]);
                let pseudo = block.moments.scores(i);
                for (dot, y) in block.dots.iter_mut().zip(pseudo) {
                    *dot += weight * y;
                }
            }
            block.dot_squares = dot(&block.dots, &block.dots);
            let t = effect_variance(split_variance, block.total_weight);
            quadratic -= t * (n * weighted_mean * weighted_mean + block.dot_squares);
            self.equations.add(n, block.members, &block.weights, t);
            self.equations
                .add_scores(n, block.members, &block.weights, t, means);
        }
        let arms = self.counts.len();
        let precision = std::mem::replace(&mut self.equations.precision, DMatrix::zeros(0, 0));
        let factor = Equations::factor(precision);
        let mut expected = self.equations.right.clone();
        factor.solve_mut(&mut expected);
        quadratic -= self.equations.right.dot(&expected);

        let determinants = log_determinants(&factor, &blocks, split_variance);
        self.evidence = self.part - 0.5 * (quadratic + determinants);

        let scale = quadratic.max(f64::MIN_POSITIVE) / 2.0 / gamma(self.freedom / 2.0, rng);
        for v in &mut self.variances {
            *v *= scale;
        }
        self.centre *= scale;

        let lower = factor.l_dirty();
        if let Some(draws) = keep {
            let unit = quadratic.max(f64::MIN_POSITIVE) / self.freedom;
            let lead_scales = lead_scales(lower, draws.reference(), unit);
            // Given all other means, μ_m has mean μ_m − (P(μ − c))_m/P_mm and variance 1/P_mm, where
            // P = LLᵀ/scale.
            let diagonal =
                |m: usize| -> f64 { lower.row(m).iter().take(m + 1).map(|l| l * l).sum() };
            let swept = (0..arms).map(|m| Swept {
                conditional_deviation: (scale / diagonal(m)).sqrt(),
                variance: self.variances[m],
                lead_scale: lead_scales[m],
            });
            draws.keep_sweep(swept, &expected, self.split_variance(), self.of_one_seed);
            for _ in 0..draws.per_sweep() {
                self.draw_means(lower, &expected, scale, rng);
                draws.keep((0..arms).map(|m| {
                    let row = lower.row(m);
                    let (mut gradient, mut diagonal) = (0.0, 0.0);
                    for (l, z) in row.iter().zip(&self.noise).take(m + 1) {
                        gradient += l * z;
                        diagonal += l * l;
                    }
                    let mean = self.means[m];
                    Kept {
                        mean,
                        conditional_mean: mean - gradient * scale.sqrt() / diagonal,
                    }
                }));
            }
        } else {
            self.draw_means(lower, &expected, scale, rng);
        }
        for block in &mut blocks {
            for weight in &mut block.weights {
                *weight /= scale;
            }
            for dot in &mut block.dots {
                *dot /= scale;
            }
            block.total_weight /= scale;
            block.dot_squares = dot(&block.dots, &block.dots);
            let off = block.members.iter().zip(&block.moments.means);
            let dot: f64 = off
                .zip(&block.weights)
                .map(|((member, mean), weight)| weight * (mean - self.means[member.index()]))
                .sum();
            block.mean_dot = dot * block.splits.sqrt();
        }
        self.blocks = blocks;
        self.equations.precision = factor.unpack_dirty();
    }

    /// Draws the means μ = c + √scale·L⁻ᵀz.
    fn draw_means(
        &mut self,
        lower: &DMatrix<f64>,
        expected: &DVector<f64>,
        scale: f64,
        rng: &mut dyn Rng,
    ) {
        for z in &mut self.noise {
            *z = StandardNormal.sample(rng);
        }
        self.means.copy_from(&self.noise);
        lower.tr_solve_lower_triangular_mut(&mut self.means);
        self.means *= scale.sqrt();
        self.means += expected;
    }
}

/// Returns the logarithms of the determinants of the means' precision and of the splits' effects, Σ n·ln(1 + τ²W).
fn log_determinants(factor: &Cholesky<f64, Dyn>, blocks: &[Block<'_>], split_variance: f64) -> f64 {
    let diagonal = factor.l_dirty().diagonal();
    let of_means: f64 = diagonal.iter().map(|l| 2.0 * l.ln()).sum();
    let of_block = |block: &Block<'_>| block.splits * (split_variance * block.total_weight).ln_1p();
    of_means + blocks.iter().map(of_block).sum::<f64>()
}

/// Returns the scale of each arm's lead over the reference, where P = LLᵀ/`unit`: √(`unit`·|L⁻¹(e_a
/// − e_reference)|²).
fn lead_scales(lower: &DMatrix<f64>, reference: usize, unit: f64) -> Vec<f64> {
    let arms = lower.nrows();
    let mut inverse = DMatrix::identity(arms, arms);
    lower.solve_lower_triangular_mut(&mut inverse);
    let of_reference = inverse.column(reference);
    let columns = inverse.column_iter();
    let squares = columns.map(|column| (column - of_reference).norm_squared());
    squares.map(|squares| (unit * squares).sqrt()).collect()
}
