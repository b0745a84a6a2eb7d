//! Gibbs sampler of the paired model: a function of the data alone, fit by fit.

use super::{
    cells::{ArmCells, Cells, Group, Member, Moments},
    draws::{Draws, Kept, Swept, of_seeds},
    normal::{Equations, effect_variance},
    residual,
};
use crate::numeric::relative;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use statrs::function::gamma::ln_gamma;
use std::collections::BTreeMap;

/// Length of the sampler's chain, in sweeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Length {
    /// Sweeps before the first that is kept.
    pub(super) burn_in: usize,
    /// Sweeps that are kept.
    pub(super) sweeps: usize,
    /// Draws of the means that are kept of each sweep.
    pub(super) per_sweep: usize,
}

impl Length {
    /// Length of every fit, unless more is asked for.
    pub(super) const USUAL: Self = Self {
        burn_in: 40,
        sweeps: 160,
        per_sweep: 1,
    };
}

/// Smallest variance of an arm as a share of the largest. Without a bound the posterior of an arm whose scores do
/// not differ has none: v, s₀² and τ² go to 0 together under d₀ = ½, and leave the range of numbers.
const LEAST_VARIANCE: f64 = 1e-100;

/// Degrees of freedom d₀ of the prior of the variances, with their prior weights: half of it on
/// arms that are equally noisy (d₀ → ∞), the other half spread evenly, on the logarithmic scale,
/// over arms that are not.
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

/// Bounds of ln((1 − ρ)/ρ), of the seeds' share of the variance to the interaction's. Scores of which the seeds change
/// nothing but the last digits have a share 1 − ρ far below the rounding of ρ: the chain holds 1 − ρ.
const LOG_ODDS: [f64; 2] = [-69.0, 14.0];

/// Bounds of λ, the split effects' variance relative to the centre of the arms'.
const LEAST_RATIO: f64 = 1e-8;
const LARGEST_RATIO: f64 = 1e10;
/// Standard deviations of the two proposals for ln λ.
const RATIO_STEPS: [f64; 2] = [0.7, 2.5];

/// Values of λ from which other chains start, their number of sweeps, and how many sweeps a chain is judged by.
const RATIOS_TRIED: [f64; 2] = [1e-6, 1e6];
const SWEEPS_TRIED: usize = 12;
const SWEEPS_JUDGED: usize = 6;
/// How much larger the logarithm of another chain's probability has to be.
const MORE_PROBABLE: f64 = 5.0;

/// Draws from the posterior of the paired model, given at least one degree of freedom. `None` if
/// the scores leave no residual, or cross-products are not kept.
pub(super) fn sample(cells: &Cells, length: Length, rng: &mut dyn Rng) -> Option<Draws> {
    let groups = cells.groups()?;
    if residual::is_nil(cells, &groups) {
        return None;
    }
    Some(Sampler::new(cells, &groups).run(&groups, length, rng))
}

/// Splits with the same members: their mean and pseudo-splits, as the sampler's rows of data.
struct Block<'a> {
    moments: &'a Moments,
    members: &'a [Member],
    /// Place of each member's number of seeds in [`Sampler::seeds`].
    places: Vec<usize>,
    splits: f64,
    /// Number of dimensions of the splits beyond mean and pseudo-splits, in which every score is 0.
    null: f64,
    /// Each member's weight 1/(v·f), and their sum W.
    weights: Vec<f64>,
    total_weight: f64,
    /// Products w·y for every pseudo-split, and the sum of their squares.
    dots: Vec<f64>,
    dot_squares: f64,
    /// The product w·(ȳ − μ)·√n of the members' weights and mean residuals.
    mean_dot: f64,
}

/// The state of the chain. Scores count from each arm's origin.
struct Sampler<'a> {
    cells: &'a Cells,
    blocks: Vec<Block<'a>>,
    /// Whether any split was used for two arms or more, so that split effects can be told from
    /// noise.
    shared: bool,
    /// Number of evaluations of each arm.
    counts: Vec<f64>,
    /// Each arm's squares between seeds, and their degrees of freedom over all arms.
    between_seeds: Vec<f64>,
    repeats: f64,
    /// The numbers of seeds per cell that there are, in order, and how many cells have each.
    seeds: Vec<(u32, f64)>,
    /// The degrees of freedom N − K of N scores of K arms.
    freedom: f64,
    /// ln of prior and gamma functions in p(d₀ | …).
    likeness_constants: [f64; LIKENESS.len()],

    /// Present variances v: each arm's variance of one evaluation given its split.
    variances: Vec<f64>,
    /// The centre s₀² of the arms' variances.
    centre: f64,
    /// The likeness d₀ of the arms' variances.
    likeness: f64,
    /// The ratio λ = τ²/s₀² of the split effects' variance to the centre of the arms'.
    ratio: f64,
    /// The seeds' share 1 − ρ in an arm's variance; the interaction has the rest.
    of_one_seed: f64,
    means: DVector<f64>,
    equations: Equations,
    noise: DVector<f64>,
    /// Squared residuals of each arm's cell means, without means and split effects: by number of
    /// seeds, then by arm.
    cell_residuals: Vec<f64>,
    /// Residuals of each arm's scores, in units of the variance of one evaluation given its split.
    residuals: Vec<f64>,
    /// Effects of the splits that are imagined to complete a block of arms.
    effects: Vec<f64>,
    /// Evidence of the state before the last sweep.
    evidence: f64,
    /// Part of the evidence of the present state: without that of means and split effects given the variances.
    part: f64,
}

impl<'a> Sampler<'a> {
    fn new(cells: &'a Cells, groups: &'a BTreeMap<Vec<Member>, Group>) -> Self {
        let arms = cells.arms.len();
        let mut cells_by_seeds: BTreeMap<u32, f64> = BTreeMap::new();
        for (members, group) in groups {
            for member in members {
                *cells_by_seeds.entry(member.seeds).or_default() += group.splits as f64;
            }
        }
        let seeds: Vec<(u32, f64)> = cells_by_seeds.into_iter().collect();
        let place = |member: &Member| seeds.partition_point(|(of, _)| *of < member.seeds);
        let blocks: Vec<Block<'a>> = groups
            .iter()
            .map(|(members, group)| {
                let moments = group.moments();
                let splits = group.splits as f64;
                Block {
                    moments,
                    members,
                    places: members.iter().map(place).collect(),
                    splits,
                    null: (splits - 1.0 - moments.rank as f64).max(0.0),
                    weights: vec![0.0; members.len()],
                    total_weight: 0.0,
                    dots: vec![0.0; moments.rank],
                    dot_squares: 0.0,
                    mean_dot: 0.0,
                }
            })
            .collect();
        let single = cells.single_split();
        let shared = blocks.iter().any(|block| block.members.len() > 1);
        let counts: Vec<f64> = cells.arms.iter().map(|arm| arm.count as f64).collect();
        // Between the seeds of a single split there is nothing that the blocks do not have.
        let of_arms = |of: fn(&ArmCells) -> f64| -> Vec<f64> {
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
            between_seeds: of_arms(|arm| arm.between_seeds),
            repeats: of_arms(ArmCells::repeats).iter().sum(),
            freedom: counts.iter().sum::<f64>() - arms as f64,
            counts,
            likeness_constants,
            variances: vec![1.0; arms],
            centre: 1.0,
            likeness: 4.0,
            ratio: if shared { 1.0 } else { 0.0 },
            // The prior mean, which is all that is known without repeated seeds.
            of_one_seed: 0.5,
            means: DVector::zeros(arms),
            equations: Equations::new(arms),
            noise: DVector::zeros(arms),
            cell_residuals: vec![0.0; seeds.len() * arms],
            seeds,
            residuals: vec![0.0; arms],
            effects: Vec::with_capacity(arms),
            evidence: f64::NEG_INFINITY,
            part: f64::NEG_INFINITY,
        }
    }

    /// Runs the chain. Scores may be explained by splits or by the noise of an arm, and a chain that begins in one of the two
    /// explanations stays: short chains with a stream of their own begin at both ends of λ, and one of them goes on in place
    /// of the chain if its explanation has far more [evidence](Self::begin).
    fn run(
        mut self,
        groups: &'a BTreeMap<Vec<Member>, Group>,
        length: Length,
        rng: &mut dyn Rng,
    ) -> Draws {
        let mut evidence = self.begin(length.burn_in, rng);
        if self.shared {
            for ratio in RATIOS_TRIED {
                let mut other = Self::new(self.cells, groups);
                other.ratio = ratio;
                let of_other = other.begin(SWEEPS_TRIED, &mut ChaCha8Rng::seed_from_u64(0));
                if of_other > evidence + MORE_PROBABLE {
                    (self, evidence) = (other, of_other);
                }
            }
        }
        let mut draws = self.no_draws(length);
        for _ in 0..length.sweeps {
            self.sweep(Some(&mut draws), rng);
        }
        draws
    }

    /// Runs sweeps that are not kept, and returns the mean evidence of the last of them: the logarithm of
    /// p(scores, θ)/p(θ | scores), where the conditional densities of means and effects given the variances, and of the
    /// variances given means and effects, stand for the denominator (Chib, "Marginal likelihood from the Gibbs output", 1995).
    fn begin(&mut self, sweeps: usize, rng: &mut dyn Rng) -> f64 {
        let mut sum = 0.0;
        for sweep in 0..sweeps {
            self.sweep(None, rng);
            if sweep + SWEEPS_JUDGED >= sweeps {
                sum += self.evidence;
            }
        }
        sum / SWEEPS_JUDGED as f64
    }

    fn sweep(&mut self, keep: Option<&mut Draws>, rng: &mut dyn Rng) {
        self.draw_means_and_scale(keep, rng);
        if self.shared {
            self.draw_ratio(rng);
        }
        self.draw_split_effects(rng);
        if self.repeats > 0.0 {
            self.draw_share_and_scale(rng);
        }
        self.sum_residuals();
        self.draw_likeness(rng);
        self.draw_variances(rng);
        self.draw_centre(rng);
    }

    fn no_draws(&self, length: Length) -> Draws {
        Draws::new(self.cells, self.freedom, self.leader(), length)
    }

    /// Returns the arm with the highest mean in the last sweep.
    fn leader(&self) -> usize {
        let mean = |&arm: &usize| self.cells.arms[arm].origin + self.means[arm];
        let arms = 0..self.counts.len();
        arms.max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(0)
    }

    fn split_variance(&self) -> f64 {
        self.ratio * self.centre
    }

    /// Draws μ given all variances ([`super::normal`]), and the common scale of the variances given
    /// their ratios, with everything else integrated out: 1/scale ~ Gamma((N − K)/2, Q/2), where Q
    /// is the quadratic form of the residuals.
    fn draw_means_and_scale(&mut self, keep: Option<&mut Draws>, rng: &mut dyn Rng) {
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

    /// Draws λ given means and variances, split effects integrated out: two Metropolis steps. Its
    /// prior p(λ) = (1 + λ)⁻² makes the correlation λ/(1 + λ) of two arms on a split uniform.
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

    /// Draws the splits' effects β given everything else, and computes the residuals of the cell means.
    fn draw_split_effects(&mut self, rng: &mut dyn Rng) {
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

    /// Draws ρ, the interaction's share, and the common scale c of the variances given their ratios, means and split
    /// effects. Apart, neither moves where many seeds tell (1 − ρ)·v: ρ is drawn with c integrated out, on the scale of
    /// x = ln((1 − ρ)/ρ) by a step of slice sampling, and 1/c then ~ Gamma(N/2, Q/2). The prior p(τ² | s₀²) accepts both or
    /// neither.
    fn draw_share_and_scale(&mut self, rng: &mut dyn Rng) {
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
    fn sum_residuals(&mut self) {
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
    fn draw_likeness(&mut self, rng: &mut dyn Rng) {
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
    fn draw_variances(&mut self, rng: &mut dyn Rng) {
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
    fn draw_centre(&mut self, rng: &mut dyn Rng) {
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

/// Returns Σ a·b of two vectors, in four sums that a processor computes at once.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// Returns ln Σ exp(x).
fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

fn gamma(shape: f64, rng: &mut dyn Rng) -> f64 {
    // Every shape here is a sum of positive degrees of freedom.
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.sample(rng))
}

fn chi_squared(degrees_of_freedom: f64, rng: &mut dyn Rng) -> f64 {
    ChiSquared::new(degrees_of_freedom).map_or(f64::NAN, |chi| chi.sample(rng))
}

/// Returns an index with probability proportional to exp(log weight).
fn draw_index<const N: usize>(log_weights: [f64; N], rng: &mut dyn Rng) -> usize {
    let weights = relative(&log_weights);
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    N - 1
}
