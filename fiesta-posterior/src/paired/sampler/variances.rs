//! Draws of the arms' variances, of what they have in common, and of the seeds' share.

use super::{
    LARGEST_RATIO, LEAST_RATIO, LIKENESS, Sampler,
    numbers::{draw_index, gamma, log_sum},
};
use crate::paired::draws::of_seeds;
use rand::{Rng, RngExt};

/// Smallest variance of an arm as a share of the largest. Without a bound the posterior of an arm whose scores do
/// not differ has none: v, s₀² and τ² go to 0 together under d₀ = ½, and leave the range of numbers.
const LEAST_VARIANCE: f64 = 1e-100;

/// Bounds of ln((1 − ρ)/ρ), of the seeds' share of the variance to the interaction's. Scores of which the seeds change
/// nothing but the last digits have a share 1 − ρ far below the rounding of ρ: the chain holds 1 − ρ.
const LOG_ODDS: [f64; 2] = [-69.0, 14.0];

impl Sampler<'_> {
    /// Draws ρ, the interaction's share, and the common scale c of the variances given their ratios, means and split
    /// effects. Apart, neither moves where many seeds tell (1 − ρ)·v: ρ is drawn with c integrated out, on the scale of
    /// x = ln((1 − ρ)/ρ) by a step of slice sampling, and 1/c then ~ Gamma(N/2, Q/2). The prior p(τ² | s₀²) accepts both or
    /// neither.
    pub(super) fn draw_share_and_scale(&mut self, rng: &mut dyn Rng) {
        let in_units = |squares: &[f64]| -> f64 {
            let each = squares.iter().zip(&self.variances);
            each.map(|(squares, v)| squares / v).sum()
        };
        let between = in_units(&self.between_seeds);
        let cells: Vec<(u32, f64, f64)> = self
            .seeds
            .iter()
            .zip(self.cell_residuals.chunks_exact(self.counts.len()))
            .map(|(&(seeds, count), residuals)| (seeds, count, in_units(residuals)))
            .collect();
        let half = self.counts.iter().sum::<f64>() / 2.0;
        let share = |x: f64| 1.0 / (1.0 + (-x).exp());
        let quadratic = |of_one_seed: f64| {
            let of_cell =
                |&(seeds, _, squares): &(u32, f64, f64)| squares / of_seeds(seeds, of_one_seed);
            let of_cells: f64 = cells.iter().map(of_cell).sum();
            (between / of_one_seed + of_cells).max(f64::MIN_POSITIVE)
        };
        let log_density = |x: f64| {
            let of_one_seed = share(x);
            let of_cell =
                |&(seeds, count, _): &(u32, f64, f64)| count * of_seeds(seeds, of_one_seed).ln();
            let determinant =
                self.repeats * of_one_seed.ln() + cells.iter().map(of_cell).sum::<f64>();
            // The prior of x: ρ·(1 − ρ).
            of_one_seed.ln() + share(-x).ln()
                - 0.5 * determinant
                - half * quadratic(of_one_seed).ln()
        };
        let x = (self.of_one_seed / (1.0 - self.of_one_seed)).ln();
        let level = log_density(x) + rng.random::<f64>().ln();
        let [mut least, mut most] = LOG_ODDS;
        let drawn = loop {
            let drawn = least + (most - least) * rng.random::<f64>();
            // An interval that rounding has closed holds the present value alone.
            if log_density(drawn) >= level || most - least < 1e-12 {
                break drawn;
            }
            if drawn < x {
                least = drawn;
            } else {
                most = drawn;
            }
        };
        let drawn = share(drawn);
        let scale = quadratic(drawn) / 2.0 / gamma(half, rng);
        if scale.is_finite() && scale > 0.0 && self.accept_centre(self.centre * scale, rng) {
            self.of_one_seed = drawn;
            for v in &mut self.variances {
                *v *= scale;
            }
        }
    }

    /// Sums the squared residuals of each arm's scores: between its cells, and between the seeds of a cell.
    pub(super) fn sum_residuals(&mut self) {
        for (residual, squares) in self.residuals.iter_mut().zip(&self.between_seeds) {
            *residual = squares / self.of_one_seed;
        }
        let cells = self.cell_residuals.chunks_exact(self.counts.len());
        for (&(seeds, _), of_arms) in self.seeds.iter().zip(cells) {
            let f = of_seeds(seeds, self.of_one_seed);
            for (residual, of_cells) in self.residuals.iter_mut().zip(of_arms) {
                *residual += of_cells / f;
            }
        }
    }

    /// Draws d₀ given the centre, the variances integrated out.
    pub(super) fn draw_likeness(&mut self, rng: &mut dyn Rng) {
        let arms = self.counts.len() as f64;
        let mut log_weights = self.likeness_constants;
        for (weight, (d0, _)) in log_weights.iter_mut().zip(LIKENESS) {
            let prior = d0 * self.centre;
            *weight += arms * d0 / 2.0 * prior.ln();
            for (arm, n) in self.counts.iter().enumerate() {
                *weight -= f64::midpoint(d0, *n) * (prior + self.residuals[arm]).ln();
            }
        }
        self.part = log_sum(&log_weights);
        self.likeness = LIKENESS[draw_index(log_weights, rng)].0;
    }

    /// Draws v ~ InvGamma((d₀ + n)/2, (d₀s₀² + R)/2), no smaller than its bound.
    pub(super) fn draw_variances(&mut self, rng: &mut dyn Rng) {
        for arm in 0..self.variances.len() {
            let rate = f64::midpoint(self.likeness * self.centre, self.residuals[arm]);
            let shape = f64::midpoint(self.likeness, self.counts[arm]);
            self.variances[arm] = rate / gamma(shape, rng);
        }
        let largest = self.variances.iter().copied().fold(0.0, f64::max);
        for v in &mut self.variances {
            *v = v.max(LEAST_VARIANCE * largest);
        }
        // Less the likelihood given means and effects, but for terms that Sampler::draw_means_and_scale has as well.
        let squares = self
            .residuals
            .iter()
            .zip(&self.variances)
            .map(|(squares, v)| squares / v);
        let mut part = squares.sum::<f64>();
        if self.repeats > 0.0 {
            let of_cell =
                |&(seeds, count): &(u32, f64)| count * of_seeds(seeds, self.of_one_seed).ln();
            part -=
                self.repeats * self.of_one_seed.ln() + self.seeds.iter().map(of_cell).sum::<f64>();
            part += 2.0 * (self.of_one_seed.ln() + (-self.of_one_seed).ln_1p());
        }
        self.part += 0.5 * part;
        if self.shared {
            self.part += self.ratio.ln() - 2.0 * self.ratio.ln_1p();
        }
    }

    /// Draws s₀² ~ Gamma(K·d₀/2, rate d₀/2·Σ1/v); the split effects' variance stays, which p(τ² |
    /// s₀²) decides on.
    pub(super) fn draw_centre(&mut self, rng: &mut dyn Rng) {
        let inverse: f64 = self.variances.iter().map(|v| 1.0 / v).sum();
        let shape = self.counts.len() as f64 * self.likeness / 2.0;
        let proposed = gamma(shape, rng) / (self.likeness / 2.0 * inverse);
        self.accept_centre(proposed, rng);
    }

    /// Sets the centre s₀² to a value drawn without its part in p(τ² | s₀²), with the probability which that part says.
    fn accept_centre(&mut self, proposed: f64, rng: &mut dyn Rng) -> bool {
        if self.shared {
            let split_variance = self.split_variance();
            let log_density = |centre: f64| centre.ln() - 2.0 * (centre + split_variance).ln();
            let accept =
                rng.random::<f64>().ln() < log_density(proposed) - log_density(self.centre);
            let ratio = split_variance / proposed;
            if !(accept && (LEAST_RATIO..=LARGEST_RATIO).contains(&ratio)) {
                return false;
            }
            self.ratio = ratio;
        }
        self.centre = proposed;
        true
    }
}
