//! Gibbs sampling of the model's unknowns. Every fit starts afresh, so that it is a function of the data alone.

use super::{
    cells::{ArmCells, Cells, Group, Member},
    draws::{Draws, Kept},
    normal::{Equations, effect_variance},
};
use nalgebra::{DMatrix, DVector};
use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use statrs::function::gamma::ln_gamma;
use std::collections::BTreeMap;

/// Sweeps before the first that is kept.
const BURN_IN: usize = 40;
/// Sweeps that are kept.
pub(super) const SWEEPS: usize = 160;

/// Degrees of freedom d₀ of the prior of the variances, with their prior weights: half of it on arms that are equally
/// noisy (d₀ → ∞), the other half spread evenly, on the logarithmic scale, over arms that are not.
pub(super) const LIKENESS: [(f64, f64); 9] = [
    (0.5, 1.0),
    (1.0, 1.0),
    (2.0, 1.0),
    (4.0, 1.0),
    (8.0, 1.0),
    (16.0, 1.0),
    (32.0, 1.0),
    (64.0, 1.0),
    (1000.0, 8.0),
];

/// Values of ρ, the interaction's share of the variance: the middles of so many equal steps.
const SHARES: usize = 24;

/// Bounds of λ, the split effects' variance relative to the centre of the arms'. At the upper one split effects
/// explain all there is: no residual is left to judge a difference by.
const LEAST_RATIO: f64 = 1e-8;
pub(super) const LARGEST_RATIO: f64 = 1e8;
/// Standard deviations of the two proposals for ln λ.
const RATIO_STEPS: [f64; 2] = [0.7, 2.5];

/// Draws from the posterior of the paired model, given at least one degree of freedom. None if cross-products are
/// not kept.
pub(super) fn sample(cells: &Cells, rng: &mut dyn Rng) -> Option<Draws> {
    let groups = cells.groups()?;
    Some(Sampler::new(cells, &groups).run(rng))
}

/// The splits with the same members: their mean and their pseudo-splits, as rows of data.
struct Block<'a> {
    group: &'a Group,
    members: &'a [Member],
    splits: f64,
    /// Dimensions of the splits beside mean and pseudo-splits: every score is 0 there.
    null: f64,
    /// Each member's weight 1/(v·f), and their sum W.
    weights: Vec<f64>,
    total_weight: f64,
    /// w·y for every pseudo-split, and the sum of their squares.
    dots: Vec<f64>,
    dot_squares: f64,
    /// w·(ȳ − μ)·√n.
    mean_dot: f64,
}

/// The state of the chain. Scores count from each arm's origin.
struct Sampler<'a> {
    cells: &'a Cells,
    blocks: Vec<Block<'a>>,
    /// Whether any split was used for two arms or more, so that split effects can be told from noise.
    shared: bool,
    /// Evaluations of each arm.
    counts: Vec<f64>,
    /// Each arm's squares between seeds, and their degrees of freedom over all arms.
    between_seeds: Vec<f64>,
    repeats: f64,
    /// N − K.
    freedom: f64,
    /// ln of prior and gamma functions in p(d₀ | …).
    likeness_constants: [f64; LIKENESS.len()],

    /// v: each arm's variance of one evaluation given its split.
    variances: Vec<f64>,
    /// s₀²: where they centre.
    centre: f64,
    /// d₀: how alike they are.
    likeness: f64,
    /// λ = τ²/s₀².
    ratio: f64,
    /// ρ.
    share: f64,
    means: DVector<f64>,
    equations: Equations,
    noise: DVector<f64>,
    /// What means and split effects leave of each arm's scores, squared, divided by f.
    residuals: Vec<f64>,
}

impl<'a> Sampler<'a> {
    fn new(cells: &'a Cells, groups: &'a BTreeMap<Vec<Member>, Group>) -> Self {
        let arms = cells.arms.len();
        let blocks: Vec<Block<'a>> = groups
            .iter()
            .map(|(members, group)| {
                let rows = group.columns.len() / members.len();
                let splits = group.splits as f64;
                Block {
                    group,
                    members,
                    splits,
                    null: (splits - 1.0 - rows as f64).max(0.0),
                    weights: vec![0.0; members.len()],
                    total_weight: 0.0,
                    dots: vec![0.0; rows],
                    dot_squares: 0.0,
                    mean_dot: 0.0,
                }
            })
            .collect();
        let single = cells.single_split();
        let shared = blocks.iter().any(|block| block.members.len() > 1);
        let counts: Vec<f64> = cells.arms.iter().map(|arm| arm.count as f64).collect();
        // Between the seeds of a single split there is nothing that the blocks do not have.
        let seeds = |of: fn(&ArmCells) -> f64| -> Vec<f64> {
            let of = |arm| if single { 0.0 } else { of(arm) };
            cells.arms.iter().map(of).collect()
        };
        let likeness_constants = LIKENESS.map(|(d0, weight)| {
            let ratio = |n: &f64| ln_gamma(f64::midpoint(d0, *n)) - ln_gamma(d0 / 2.0);
            weight.ln() + counts.iter().map(ratio).sum::<f64>()
        });
        Self {
            cells,
            blocks,
            shared,
            between_seeds: seeds(|arm| arm.between_seeds),
            repeats: seeds(ArmCells::repeats).iter().sum(),
            freedom: counts.iter().sum::<f64>() - arms as f64,
            counts,
            likeness_constants,
            variances: vec![1.0; arms],
            centre: 1.0,
            likeness: 4.0,
            ratio: if shared { 1.0 } else { 0.0 },
            share: 0.5 / SHARES as f64,
            means: DVector::zeros(arms),
            equations: Equations::new(arms),
            noise: DVector::zeros(arms),
            residuals: vec![0.0; arms],
        }
    }

    fn run(mut self, rng: &mut dyn Rng) -> Draws {
        let mut draws = Draws::new(self.cells);
        for sweep in 0..BURN_IN + SWEEPS {
            let keep = (sweep >= BURN_IN).then_some(&mut draws);
            self.draw_means_and_scale(keep, rng);
            if self.shared {
                self.draw_ratio(rng);
            }
            let cell_residuals = self.draw_split_effects(rng);
            if self.repeats > 0.0 {
                self.draw_share(&cell_residuals, rng);
            }
            self.draw_likeness(rng);
            self.draw_variances(rng);
            self.draw_centre(rng);
        }
        draws
    }

    fn split_variance(&self) -> f64 {
        self.ratio * self.centre
    }

    /// f: the variance of the mean over `seeds` seeds on a split, relative to that of one evaluation.
    fn of_seeds(&self, seeds: u32) -> f64 {
        if seeds == 1 {
            return 1.0;
        }
        self.share + (1.0 - self.share) / f64::from(seeds)
    }

    /// μ given all variances ([`super::normal`]), and the common scale of the variances given their ratios, with everything
    /// else integrated out: 1/scale ~ Gamma((N − K)/2, Q/2), where Q is the quadratic form of the residuals.
    fn draw_means_and_scale(&mut self, keep: Option<&mut Draws>, rng: &mut dyn Rng) {
        let split_variance = self.split_variance();
        let between = self.between_seeds.iter().zip(&self.variances);
        let mut quadratic: f64 = between
            .map(|(squares, v)| squares / (v * (1.0 - self.share)))
            .sum();
        let mut blocks = std::mem::take(&mut self.blocks);
        self.equations.clear();
        for block in &mut blocks {
            let (n, means) = (block.splits, &block.group.means);
            block.total_weight = 0.0;
            let mut weighted_mean = 0.0;
            for (i, member) in block.members.iter().enumerate() {
                let weight = 1.0 / (self.variances[member.index()] * self.of_seeds(member.seeds));
                block.weights[i] = weight;
                block.total_weight += weight;
                weighted_mean += weight * means[i];
                quadratic += weight * (n * means[i] * means[i] + block.group.squares[i]);
            }
            let columns = block.group.columns.chunks_exact(block.members.len());
            block.dot_squares = 0.0;
            for (dot, column) in block.dots.iter_mut().zip(columns) {
                *dot = block.weights.iter().zip(column).map(|(w, y)| w * y).sum();
                block.dot_squares += *dot * *dot;
            }
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

        let scale = quadratic.max(f64::MIN_POSITIVE) / 2.0 / gamma(self.freedom / 2.0, rng);
        for v in &mut self.variances {
            *v *= scale;
        }
        self.centre *= scale;

        // μ = c + √scale·L⁻ᵀz
        for z in &mut self.noise {
            *z = StandardNormal.sample(rng);
        }
        let lower = factor.l_dirty();
        self.means.copy_from(&self.noise);
        lower.tr_solve_lower_triangular_mut(&mut self.means);
        self.means *= scale.sqrt();
        self.means += &expected;

        if let Some(draws) = keep {
            // Given all other means, μ_m has mean μ_m − (P(μ − c))_m/P_mm and variance 1/P_mm, where P = LLᵀ/scale.
            let conditional = (0..arms).map(|m| {
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
                    conditional_deviation: (scale / diagonal).sqrt(),
                    variance: self.variances[m],
                }
            });
            draws.keep(conditional, &expected, self.split_variance(), self.share);
        }
        for block in &mut blocks {
            for weight in &mut block.weights {
                *weight /= scale;
            }
            for dot in &mut block.dots {
                *dot /= scale;
            }
            block.total_weight /= scale;
            block.dot_squares /= scale * scale;
            let off = block.members.iter().zip(&block.group.means);
            let dot: f64 = off
                .zip(&block.weights)
                .map(|((member, mean), weight)| weight * (mean - self.means[member.index()]))
                .sum();
            block.mean_dot = dot * block.splits.sqrt();
        }
        self.blocks = blocks;
        self.equations.precision = factor.unpack_dirty();
    }

    /// λ given means and variances, split effects integrated out: two Metropolis steps. Its prior
    /// p(λ) = (1 + λ)⁻² makes the correlation λ/(1 + λ) of two arms on a split uniform.
    fn draw_ratio(&mut self, rng: &mut dyn Rng) {
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

    /// β given everything else, and what it leaves; returns, by the number of seeds, how many cell means there are and
    /// their squared residuals in units of v.
    fn draw_split_effects(&mut self, rng: &mut dyn Rng) -> BTreeMap<u32, (f64, f64)> {
        let split_variance = self.split_variance();
        let mut by_seeds: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        self.residuals.fill(0.0);
        for block in &self.blocks {
            let t = effect_variance(split_variance, block.total_weight);
            let sd = t.sqrt();
            let mut effect = |dot: f64| {
                let normal: f64 = StandardNormal.sample(rng);
                t * dot + sd * normal
            };
            let of_mean = effect(block.mean_dot);
            let of_columns: Vec<f64> = block.dots.iter().map(|&dot| effect(dot)).collect();
            let squared_effects: f64 = of_columns.iter().map(|e| e * e).sum();
            let of_null = if block.null > 0.0 && t > 0.0 {
                t * chi_squared(block.null, rng)
            } else {
                0.0
            };
            let size = block.members.len();
            for (i, member) in block.members.iter().enumerate() {
                let arm = member.index();
                let off = (block.group.means[i] - self.means[arm]) * block.splits.sqrt() - of_mean;
                let column_of = block.group.columns.iter().skip(i).step_by(size);
                let product: f64 = column_of.zip(&of_columns).map(|(y, e)| y * e).sum();
                let rest = block.group.squares[i] - 2.0 * product + squared_effects;
                let residual = off * off + rest.max(0.0) + of_null;
                self.residuals[arm] += residual / self.of_seeds(member.seeds);
                if self.repeats > 0.0 {
                    let (count, squares) = by_seeds.entry(member.seeds).or_default();
                    *count += block.splits;
                    *squares += residual / self.variances[arm];
                }
            }
        }
        by_seeds
    }

    /// ρ from the spread of cell means against that between seeds, on a grid; then the residuals that go with it.
    fn draw_share(&mut self, spread_by_seeds: &BTreeMap<u32, (f64, f64)>, rng: &mut dyn Rng) {
        let between: f64 = self
            .between_seeds
            .iter()
            .zip(&self.variances)
            .map(|(squares, v)| squares / v)
            .sum();
        let old: Vec<(u32, f64)> = spread_by_seeds
            .keys()
            .map(|&seeds| (seeds, self.of_seeds(seeds)))
            .collect();
        let shares: [f64; SHARES] = std::array::from_fn(|i| (i as f64 + 0.5) / SHARES as f64);
        let log_weights = shares.map(|share| {
            let within = self.repeats * (1.0 - share).ln() + between / (1.0 - share);
            let cell = |(&seeds, &(count, squares)): (&u32, &(f64, f64))| {
                let f = share + (1.0 - share) / f64::from(seeds);
                count * f.ln() + squares / f
            };
            -0.5 * (within + spread_by_seeds.iter().map(cell).sum::<f64>())
        });
        self.share = shares[draw_index(log_weights, rng)];
        // With several numbers of seeds the residuals of an arm cannot be rescaled one by one; the next sweep
        // computes them anew, and with one number they are all rescaled alike.
        if let [(seeds, f)] = old[..] {
            let change = f / self.of_seeds(seeds);
            for residual in &mut self.residuals {
                *residual *= change;
            }
        }
    }

    /// What is left of an arm's scores: between its cells, and between the seeds of each.
    fn residual(&self, arm: usize) -> f64 {
        self.residuals[arm] + self.between_seeds[arm] / (1.0 - self.share)
    }

    /// d₀ given the centre, the variances integrated out.
    fn draw_likeness(&mut self, rng: &mut dyn Rng) {
        let arms = self.counts.len() as f64;
        let mut log_weights = self.likeness_constants;
        for (weight, (d0, _)) in log_weights.iter_mut().zip(LIKENESS) {
            let prior = d0 * self.centre;
            *weight += arms * d0 / 2.0 * prior.ln();
            for (arm, n) in self.counts.iter().enumerate() {
                *weight -= f64::midpoint(d0, *n) * (prior + self.residual(arm)).ln();
            }
        }
        self.likeness = LIKENESS[draw_index(log_weights, rng)].0;
    }

    /// v ~ InvGamma((d₀ + n)/2, (d₀s₀² + R)/2).
    fn draw_variances(&mut self, rng: &mut dyn Rng) {
        for arm in 0..self.variances.len() {
            let rate = f64::midpoint(self.likeness * self.centre, self.residual(arm));
            let shape = f64::midpoint(self.likeness, self.counts[arm]);
            self.variances[arm] = rate / gamma(shape, rng);
        }
    }

    /// s₀² ~ Gamma(K·d₀/2, rate d₀/2·Σ1/v); the split effects' variance stays, which p(τ² | s₀²) decides on.
    fn draw_centre(&mut self, rng: &mut dyn Rng) {
        let inverse: f64 = self.variances.iter().map(|v| 1.0 / v).sum();
        let shape = self.counts.len() as f64 * self.likeness / 2.0;
        let proposed = gamma(shape, rng) / (self.likeness / 2.0 * inverse);
        if self.shared {
            let split_variance = self.split_variance();
            let log_density = |centre: f64| centre.ln() - 2.0 * (centre + split_variance).ln();
            let accept =
                rng.random::<f64>().ln() < log_density(proposed) - log_density(self.centre);
            let ratio = split_variance / proposed;
            if !(accept && (LEAST_RATIO..=LARGEST_RATIO).contains(&ratio)) {
                return;
            }
            self.ratio = ratio;
        }
        self.centre = proposed;
    }
}

fn gamma(shape: f64, rng: &mut dyn Rng) -> f64 {
    // Every shape here is a sum of positive degrees of freedom.
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.sample(rng))
}

fn chi_squared(degrees_of_freedom: f64, rng: &mut dyn Rng) -> f64 {
    ChiSquared::new(degrees_of_freedom).map_or(f64::NAN, |chi| chi.sample(rng))
}

/// An index with probability proportional to exp(log weight).
fn draw_index<const N: usize>(log_weights: [f64; N], rng: &mut dyn Rng) -> usize {
    let largest = log_weights
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let weights = log_weights.map(|weight| (weight - largest).exp());
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    N - 1
}
