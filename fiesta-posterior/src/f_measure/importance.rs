//! Importance sampling of θ given α: draws from a fitted distribution, with weights.

use super::{Prior, dirichlet::ln_sum, likelihood::Likelihood};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, OpenClosed01};
use statrs::function::gamma::ln_gamma;

/// Greatest number of steps towards the mode, of which a few suffice.
const STEPS: usize = 50;
/// Precision to which the mode is found, in ln θ.
const PRECISION: f64 = 1e-6;

/// Largest fitted shape, in multiples of the posterior's power of θ_j. Above 1, weights grow
/// without bound towards θ_j = 0; from 2 on they have no variance.
const TAIL_SAFE: f64 = 1.4;
/// Shape from which on draws never reach the tail, so that the shape needs no limit.
const TAIL_SEEN: f64 = 6.0;

/// Returns the fitted shape, limited so that the weights of draws keep a variance in the tail.
fn bounded(curvature: f64, tail: f64) -> f64 {
    if curvature < TAIL_SEEN {
        curvature.min(TAIL_SAFE * tail)
    } else {
        curvature
    }
}

/// Proposal distribution: the posterior of θ given α, and a scaled Dirichlet distribution
/// (y_jb_j/Σyb with y_j ~ Gamma(k_j)) fitted to it.
///
/// ln p(θ | α, data) = Σ_j g_j(ln θ_j) on the simplex. The fit has the same mode, and in each cell
/// the same curvature, k_j = g_j′ − g_j″, as far as the tails allow; Dirichlet distributions alone
/// would have only one parameter for four curvatures.
pub(super) struct Proposal<'a> {
    likelihood: &'a Likelihood,
    ln_alpha: f64,
    /// The parameters α₀θ₀ of the prior.
    prior: [f64; 4],
    ln_mode: [f64; 4],
    curvatures: [f64; 4],
    shapes: [f64; 4],
    ln_scales: [f64; 4],
    scales: [f64; 4],
    gammas: [Gamma<f64>; 4],
    /// Constant part of the logarithm of a draw's weight.
    constant: f64,
}

impl<'a> Proposal<'a> {
    pub(super) fn fit(likelihood: &'a Likelihood, prior: &Prior, ln_alpha: f64) -> Self {
        let prior = prior.shapes();
        let (ln_mode, curvatures) = mode(likelihood, &prior, ln_alpha);
        let shapes: [f64; 4] =
            std::array::from_fn(|j| bounded(curvatures[j], prior[j] + likelihood.occupied(j)));
        let ln_scales: [f64; 4] = std::array::from_fn(|j| ln_mode[j] - shapes[j].ln());
        let ln_normaliser = |shapes: &[f64; 4]| {
            ln_gamma(shapes.iter().sum()) - shapes.iter().map(|&k| ln_gamma(k)).sum::<f64>()
        };
        Self {
            likelihood,
            ln_alpha,
            ln_mode,
            curvatures,
            shapes,
            ln_scales,
            scales: ln_scales.map(f64::exp),
            // A shape below 1 is raised by one, and the draw made up for.
            gammas: shapes.map(|k| {
                Gamma::new(if k < 1.0 { k + 1.0 } else { k }, 1.0)
                    .expect("shapes are positive and finite")
            }),
            constant: ln_normaliser(&prior) - ln_normaliser(&shapes)
                + likelihood.of_totals(ln_alpha),
            prior,
        }
    }

    /// Returns ln p(data | α) by Laplace's method relative to the fit: the weight at the mode,
    /// corrected for the posterior's smaller width there.
    ///
    /// With v = d ln θ the posterior's curvature is Σ k_j(v_j − Σθv)² and the fit's, of shapes s, Σ
    /// s_j(v_j − Σsv/Σs)². The determinants are Πk/Σk · (1 + Σk Σ_j (θ_j − k_j/Σk)²/k_j) and Πs/Σs.
    pub(super) fn ln_evidence(&self) -> f64 {
        let (all_k, all_s) = (
            self.curvatures.iter().sum::<f64>(),
            self.shapes.iter().sum::<f64>(),
        );
        let mut weight = self.constant;
        let (mut ratio, mut aside) = (all_s / all_k, 1.0);
        for j in 0..4 {
            let (k, s, ln_theta) = (self.curvatures[j], self.shapes[j], self.ln_mode[j]);
            weight += self.prior[j] * ln_theta
                + self.likelihood.of_cell(j, self.ln_alpha, ln_theta)
                - s * (s / all_s).ln();
            ratio *= k / s;
            aside += all_k * (ln_theta.exp() - k / all_k).powi(2) / k;
        }
        weight - 0.5 * (ratio * aside).ln()
    }

    /// Returns a draw of θ of TP, FP, TN, FN, and the logarithm of its weight. The mean of the weight
    /// is p(data | α), up to the multinomial coefficients.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> ([f64; 4], f64) {
        let (mut y, mut ln_y) = ([0.0; 4], [0.0; 4]);
        for (j, gamma) in self.gammas.iter().enumerate() {
            y[j] = gamma.sample(rng);
            ln_y[j] = y[j].ln();
            if self.shapes[j] < 1.0 {
                // With a shape of ¼ one draw in 10⁷⁷ is no longer a number above zero; its
                // logarithm is.
                let uniform: f64 = rng.sample(OpenClosed01);
                ln_y[j] += uniform.ln() / self.shapes[j];
                y[j] = ln_y[j].exp();
            }
        }
        let scaled: [f64; 4] = std::array::from_fn(|j| y[j] * self.scales[j]);
        let (total, scale) = (y.iter().sum::<f64>(), scaled.iter().sum::<f64>());
        let (ln_total, ln_scale) = (total.ln(), scale.ln());
        let of_cell = |j: usize| {
            let ln_theta = ln_y[j] + self.ln_scales[j] - ln_scale;
            self.prior[j] * ln_theta + self.likelihood.of_cell(j, self.ln_alpha, ln_theta)
                - self.shapes[j] * (ln_y[j] - ln_total)
        };
        let ln_weight = self.constant + (0..4).map(of_cell).sum::<f64>();
        (scaled.map(|s| s / scale), ln_weight)
    }
}

/// Returns ln θ at the mode of the density with respect to Π dθ_j/θ_j, and the curvatures there.
fn mode(likelihood: &Likelihood, prior: &[f64; 4], ln_alpha: f64) -> ([f64; 4], [f64; 4]) {
    let sums = likelihood.sums().cells();
    let mut weights: [f64; 4] = std::array::from_fn(|j| prior[j] + sums[j] as f64);
    let mut curvatures = weights;
    let mut ln_theta = [0.0; 4];
    let mut first = true;
    for _ in 0..STEPS {
        let ln_total = weights.iter().sum::<f64>().ln();
        let mut change = 0.0_f64;
        for j in 0..4 {
            let target = weights[j].ln() - ln_total;
            // Newton's step for ln g_j′ − ln θ_j = ln Σ g′, of which the right side is what it was.
            let ratio = if first {
                1.0
            } else {
                curvatures[j] / weights[j]
            };
            let step = (target - ln_theta[j]) / ratio;
            change = change.max(step.abs());
            ln_theta[j] += step;
        }
        let total = ln_sum(&ln_theta);
        for j in 0..4 {
            ln_theta[j] -= total;
            let [slope, curvature] = likelihood.slopes(j, ln_alpha, ln_theta[j]);
            weights[j] = (prior[j] + slope).max(prior[j]);
            curvatures[j] = (weights[j] - curvature).clamp(
                prior[j] + likelihood.occupied(j),
                weights[j].max(prior[j] + likelihood.occupied(j)),
            );
        }
        if !first && change < PRECISION {
            break;
        }
        first = false;
    }
    (ln_theta, curvatures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::Counts;
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    /// Returns the share of effective draws, and by how many nats the draws' evidence exceeds the
    /// estimate at the mode.
    fn quality(documents: &[[u64; 4]], alpha: f64) -> (f64, f64) {
        let mut likelihood = Likelihood::new();
        for &cells in documents {
            likelihood.add(&Counts::from_cells(cells));
        }
        let proposal = Proposal::fit(&likelihood, &Prior::default(), alpha.ln());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let shift = proposal.ln_evidence();
        let weights: Vec<f64> = (0..20_000)
            .map(|_| (proposal.draw(&mut rng).1 - shift).exp())
            .collect();
        let (total, squares) = weights
            .iter()
            .fold((0.0, 0.0), |(t, s), w| (t + w, s + w * w));
        let draws = weights.len() as f64;
        (total * total / squares / draws, (total / draws).ln())
    }

    #[test]
    fn the_fit_is_close() {
        let one = vec![[12, 4, 6, 3]];
        let few = vec![[3, 0, 250, 1], [0, 0, 90, 2], [17, 40, 5, 1]];
        let alike = vec![[30, 10, 40, 20]; 20];
        let unlike: Vec<[u64; 4]> = (0..400)
            .map(|d| std::array::from_fn(|j| if d % 4 == j as u64 { 25 } else { d % 3 }))
            .collect();
        let empty = vec![[0, 0, 7, 0], [0, 0, 9, 0]];
        let huge = vec![
            [400_000, 150_000, 300_000, 150_000],
            [999_990, 3, 4, 3],
            [0, 0, 1_000_000, 0],
        ];
        for documents in [one, few, alike, unlike, empty, huge, Vec::new()] {
            for alpha in [0.1, 1.0, 10.0, 100.0] {
                let (efficiency, difference) = quality(&documents, alpha);
                let case = format!("{:?} x {} at {alpha}", documents.first(), documents.len());
                assert!(efficiency > 0.6, "{case}: {efficiency}");
                assert!(difference.abs() < 0.15, "{case}: {difference}");
            }
        }
    }
}
