//! Approximation for many arms, whose cross-products would cost more than they tell.
//!
//! With hundreds of arms on a split its effect is known almost exactly, and the arms' means are
//! then all but independent given the effects. Effects and means are fitted in turns (backfitting,
//! one pass over the splits each), variances as of Smyth (2004) with d₀ weighed by its likelihood,
//! τ² by EM; then each mean is t around its fit with scale² = 1/P_mm, the precision that its own
//! scores leave after the effects were fitted. What is ignored: the correlation that the fitted
//! effects induce between arms, the uncertainty of τ² and d₀; several seeds of an arm on one split
//! count as one score, their mean.

use super::{cells::Cells, normal::effect_variance, residual, sampler::LIKENESS};
use crate::numeric::relative;
use fiesta_core::{ArmId, Marginal};
use statrs::function::gamma::ln_gamma;

/// Greatest number of turns of a fit.
const TURNS: usize = 60;
/// Share of a standard error: the turns of a fit end when no mean moves by more.
const STILL: f64 = 1e-4;

/// Fit of the model for many arms.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    pub(super) marginals: Vec<Marginal>,
    variances: Vec<f64>,
    split_variance: f64,
}

/// Sums over the splits of one arm.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    splits: f64,
    /// Sum of y − β over the splits.
    scores: f64,
    /// Sum of (y − c − β)² over the splits.
    residual: f64,
    /// Sum of 1 − h, where h = w·t is the arm's share in fitting the split's effect.
    freedom: f64,
}

impl Wide {
    /// Fits the model. `None` without any residual to judge by.
    pub(super) fn fit(cells: &Cells) -> Option<Self> {
        if residual::is_nil_by_passes(cells) {
            return None;
        }
        let arms = cells.arms.len();
        let mut means: Vec<f64> = cells
            .arms
            .iter()
            .map(|arm| arm.mean() - arm.origin)
            .collect();
        let mut variances = vec![1.0; arms];
        let mut weights = vec![1.0; arms];
        let mut degrees = vec![1.0; arms];
        // Effects as large as the noise, to begin with.
        let mut split_variance = 1.0;
        let mut sums = vec![Sums::default(); arms];
        let mut freedom = 0.0;
        let single = cells.single_split();
        for turn in 0..TURNS {
            sums.fill(Sums::default());
            let (mut effects, mut shared, mut level) = (0.0, 0.0, 0.0);
            for (weight, variance) in weights.iter_mut().zip(&variances) {
                *weight = 1.0 / variance;
            }
            cells.each_split(|members, scores| {
                let mut total = 0.0;
                let mut dot = 0.0;
                for (member, y) in members.iter().zip(scores) {
                    let weight = weights[member.index()];
                    total += weight;
                    dot += weight * (y - means[member.index()]);
                }
                let t = if single {
                    0.0
                } else {
                    effect_variance(split_variance, total)
                };
                let effect = t * dot;
                level += effect;
                if members.len() > 1 {
                    effects += effect * effect + t;
                    shared += 1.0;
                }
                for (member, y) in members.iter().zip(scores) {
                    let arm = member.index();
                    let sums = &mut sums[arm];
                    sums.splits += 1.0;
                    sums.scores += y - effect;
                    let rest = y - means[arm] - effect;
                    sums.residual += rest * rest;
                    sums.freedom += 1.0 - t * weights[arm];
                }
            });
            if single {
                for (sums, arm) in sums.iter_mut().zip(&cells.arms) {
                    sums.splits = arm.count as f64;
                    sums.scores *= sums.splits;
                    sums.freedom = sums.splits;
                    sums.residual = arm.between_seeds;
                }
            }
            if turn == 0 {
                // Only the means of the first turn are in units of the scores.
                let (squares, n) = sums.iter().fold((0.0, 0.0), |(squares, n), s| {
                    (squares + s.residual, n + s.splits)
                });
                if squares <= crate::gaussian::NO_SPREAD {
                    return None;
                }
                variances.fill(squares / n);
                split_variance = squares / n;
                continue;
            }
            freedom = shrink(&sums, &mut variances, &mut degrees);
            if shared > 0.0 {
                split_variance = effects / shared;
            }
            let mut furthest = 0.0_f64;
            for ((mean, sums), variance) in means.iter_mut().zip(&sums).zip(&variances) {
                // All means up, all effects down: turns alone would take hundreds to find the
                // level.
                let new = sums.scores / sums.splits + level / cells.count_splits() as f64;
                furthest = furthest.max((new - *mean).abs() / (variance / sums.splits).sqrt());
                *mean = new;
            }
            if furthest < STILL {
                break;
            }
        }
        let marginals = (0..arms).map(|arm| Marginal {
            location: cells.arms[arm].origin + means[arm],
            scale: (variances[arm] / sums[arm].freedom.max(f64::MIN_POSITIVE)).sqrt(),
            // Whole numbers, downwards: a table of Student's t serves all arms that share them.
            degrees_of_freedom: degrees[arm].min(freedom).floor().max(1.0),
        });
        Some(Self {
            marginals: marginals.collect(),
            variances,
            split_variance,
        })
    }

    /// Returns the variance of mean(a) − mean(`from`) for every arm a, once the cases of `extra`
    /// were observed as well.
    pub(super) fn look_ahead(
        &self,
        cells: &Cells,
        from: ArmId,
        extra: &[(ArmId, u64)],
    ) -> Vec<f64> {
        let mut precisions: Vec<f64> = self
            .marginals
            .iter()
            .map(|marginal| 1.0 / (marginal.scale * marginal.scale))
            .collect();
        for &(arm, split) in extra {
            let weight = 1.0 / self.variances[arm.index()];
            let others: f64 = cells
                .members(split)
                .iter()
                .map(|member| 1.0 / self.variances[member.index()])
                .sum();
            let t = effect_variance(self.split_variance, others + weight);
            precisions[arm.index()] += weight * (1.0 - weight * t);
        }
        let own = 1.0 / precisions[from.index()];
        let mut variances: Vec<f64> = precisions.iter().map(|p| 1.0 / p + own).collect();
        variances[from.index()] = 0.0;
        variances
    }
}

/// Variances and their degrees of freedom from the residuals, each shrunk towards the common one by
/// d₀ degrees of freedom, averaged over d₀ by likelihood; returns the residual degrees of freedom
/// in all.
fn shrink(sums: &[Sums], variances: &mut [f64], degrees: &mut [f64]) -> f64 {
    // A mean costs one degree of freedom of n.
    let own = |sums: &Sums| sums.freedom * (sums.splits - 1.0) / sums.splits;
    let (squares, freedom) = sums.iter().fold((0.0, 0.0), |(squares, freedom), sums| {
        (squares + sums.residual, freedom + own(sums))
    });
    let freedom = freedom.max(1.0);
    let centre = squares / freedom;
    let log_likelihoods = LIKENESS.map(|(d0, weight)| {
        let prior = d0 * centre;
        let of = |sums: &Sums| {
            let n = own(sums);
            ln_gamma(f64::midpoint(d0, n)) - ln_gamma(d0 / 2.0) + d0 / 2.0 * prior.ln()
                - f64::midpoint(d0, n) * (prior + sums.residual).ln()
        };
        weight.ln() + sums.iter().map(of).sum::<f64>()
    });
    let weights = relative(&log_likelihoods);
    let total: f64 = weights.iter().sum();
    for ((sums, variance), degrees) in sums.iter().zip(variances).zip(degrees) {
        let n = own(sums);
        let (mut v, mut df) = (0.0, 0.0);
        for (&(d0, _), weight) in LIKENESS.iter().zip(&weights) {
            v += weight / total * (d0 * centre + sums.residual) / (d0 + n);
            df += weight / total * (d0 + n);
        }
        (*variance, *degrees) = (v, df);
    }
    freedom
}
