//! Gibbs sampler of the paired model: a function of the data alone, fit by fit.

mod effects;
mod means;
mod numbers;
mod variances;

use super::{
    cells::{ArmCells, Cells, Group, Member, Moments},
    draws::Draws,
    normal::Equations,
    residual,
};
use nalgebra::DVector;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
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

/// Bounds of λ, the split effects' variance relative to the centre of the arms'.
const LEAST_RATIO: f64 = 1e-8;
const LARGEST_RATIO: f64 = 1e10;

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
}
