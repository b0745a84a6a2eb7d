//! The sampler of the paired model's unknowns.

use super::cells::{Cells, Member};
use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use statrs::function::gamma::ln_gamma;

/// The prior's degrees of freedom d0 that are considered.
pub(super) const SPREADS: [f64; 9] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 1000.0];

/// Tunable.
#[derive(Debug, Clone)]
pub struct Tuning {
    pub burn: usize,
    pub sweeps: usize,
    pub prior: [f64; 9],
    pub required: u64,
    pub pairs: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { burn: 40, sweeps: 200, prior: [1.0; 9], required: 2, pairs: true }
    }
}

/// One draw of the means, with what each mean is given all the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Draws {
    pub(super) arms: usize,
    /// Per sweep and arm: the drawn mean, its conditional mean and its conditional standard deviation.
    pub(super) means: Vec<f64>,
    pub(super) conditional: Vec<f64>,
    pub(super) deviation: Vec<f64>,
    /// Averages over the sweeps.
    pub(super) location: Vec<f64>,
    pub(super) precision: Vec<f64>,
    pub(super) split_variance: f64,
    pub(super) d0: f64,
    pub(super) ratio: f64,
}

struct Block<'a> {
    members: &'a [Member],
    splits: f64,
    means: &'a [f64],
    columns: &'a [f64],
    /// What is left of the splits beside mean and columns.
    null: f64,
}

pub(super) fn sample(cells: &Cells, tuning: &Tuning, rng: &mut dyn Rng) -> Draws {
    let arms = cells.counts.len();
    let blocks: Vec<Block<'_>> = cells
        .groups
        .iter()
        .map(|(members, group)| Block {
            members,
            splits: group.splits as f64,
            means: &group.means,
            columns: &group.columns,
            null: (group.splits as f64 - 1.0 - (group.columns.len() / members.len()) as f64).max(0.0),
        })
        .collect();
    let shared = blocks.iter().any(|block| block.members.len() > 1);
    let counts: Vec<f64> = cells.counts.iter().map(|&n| n as f64).collect();
    let total: f64 = counts.iter().sum();
    let free = total - arms as f64;
    let log_gammas: Vec<f64> = SPREADS
        .iter()
        .map(|d0| {
            counts.iter().map(|n| ln_gamma((d0 + n) / 2.0)).sum::<f64>()
                - arms as f64 * ln_gamma(d0 / 2.0)
        })
        .collect();
    let log_prior: Vec<f64> = tuning.prior.iter().map(|p| p.ln()).collect();

    // Start from equal variances.
    let mut v = vec![1.0; arms];
    let mut center = 1.0;
    let mut ratio: f64 = if shared { 1.0 } else { 0.0 };
    let mut d0 = 4.0;
    let mut p = vec![0.0; arms * arms];
    let mut c = vec![0.0; arms];
    let mut mu = vec![0.0; arms];
    let mut z = vec![0.0; arms];
    let mut residual = vec![0.0; arms];
    let mut weights = vec![0.0; arms];
    let mut shape = [0.0; SPREADS.len()];
    let mut out = Draws { arms, location: vec![0.0; arms], precision: vec![0.0; arms], ..Draws::default() };
    let kept = tuning.sweeps * arms;
    out.means.reserve(kept);
    out.conditional.reserve(kept);
    out.deviation.reserve(kept);

    for sweep in 0..tuning.burn + tuning.sweeps {
        // The means given the variances; the common scale with everything else integrated out.
        let tau2 = ratio * center;
        p.fill(0.0);
        c.fill(0.0);
        let mut quadratic = 0.0;
        for block in &blocks {
            let size = block.members.len();
            let n = block.splits;
            let mut sum_w = 0.0;
            let mut sum_wy = 0.0;
            for (i, member) in block.members.iter().enumerate() {
                let w = 1.0 / v[member.arm as usize];
                weights[i] = w;
                sum_w += w;
                sum_wy += w * block.means[i];
                quadratic += n * w * block.means[i] * block.means[i];
            }
            let t = tau2 / (1.0 + tau2 * sum_w);
            quadratic -= t * n * sum_wy * sum_wy;
            for column in block.columns.chunks_exact(size) {
                let mut dot = 0.0;
                for (w, y) in weights.iter().zip(column) {
                    dot += w * y;
                    quadratic += w * y * y;
                }
                quadratic -= t * dot * dot;
            }
            for (i, a) in block.members.iter().enumerate() {
                let a = a.arm as usize;
                p[a * arms + a] += n * weights[i];
                c[a] += n * weights[i] * (block.means[i] - t * sum_wy);
                let scaled = n * t * weights[i];
                for (j, b) in block.members[..=i].iter().enumerate() {
                    p[a * arms + b.arm as usize] -= scaled * weights[j];
                }
            }
        }
        let b_dot: f64;
        cholesky(&mut p, arms);
        {
            // c holds b; solve.
            let b = c.clone();
            forward(&p, arms, &mut c);
            backward(&p, arms, &mut c);
            b_dot = b.iter().zip(&c).map(|(b, c)| b * c).sum();
        }
        let q = (quadratic - b_dot).max(f64::MIN_POSITIVE);
        let scale = q / 2.0 / gamma(free / 2.0, rng);
        for v in &mut v {
            *v *= scale;
        }
        center *= scale;
        let root = scale.sqrt();
        for z in &mut z {
            *z = StandardNormal.sample(rng);
        }
        mu.copy_from_slice(&z);
        backward(&p, arms, &mut mu);
        for (mu, c) in mu.iter_mut().zip(&c) {
            *mu = *c + *mu * root;
        }
        if sweep >= tuning.burn {
            // P(μ − c) = L z / √scale; P_mm = |row m of L|² / scale.
            for m in 0..arms {
                let row = &p[m * arms..m * arms + m + 1];
                let gradient: f64 = row.iter().zip(&z).map(|(l, z)| l * z).sum();
                let diagonal: f64 = row.iter().map(|l| l * l).sum();
                out.means.push(mu[m] + cells.origins[m].unwrap_or(0.0));
                out.conditional
                    .push(mu[m] - gradient * root / diagonal + cells.origins[m].unwrap_or(0.0));
                out.deviation.push((scale / diagonal).sqrt());
                out.location[m] += c[m];
            }
        }

        // The variance of split effects given means and variances, effects integrated out.
        if shared {
            let profile: Vec<(f64, f64, f64)> = blocks
                .iter()
                .map(|block| {
                    let size = block.members.len();
                    let mut sum_w = 0.0;
                    let mut dot0 = 0.0;
                    for (i, member) in block.members.iter().enumerate() {
                        let a = member.arm as usize;
                        let w = 1.0 / v[a];
                        weights[i] = w;
                        sum_w += w;
                        dot0 += w * (block.means[i] - mu[a]);
                    }
                    let mut s = block.splits * dot0 * dot0;
                    for column in block.columns.chunks_exact(size) {
                        let dot: f64 = weights.iter().zip(column).map(|(w, y)| w * y).sum();
                        s += dot * dot;
                    }
                    (block.splits, sum_w, s)
                })
                .collect();
            let log_density = |ratio: f64| {
                let tau2 = ratio * center;
                let mut sum = ratio.ln() - 2.0 * (1.0 + ratio).ln();
                for &(n, w, s) in &profile {
                    let d = 1.0 + tau2 * w;
                    sum += -0.5 * n * d.ln() + 0.5 * s * tau2 / d;
                }
                sum
            };
            let mut now = log_density(ratio);
            for width in [0.7, 2.5] {
                let step: f64 = StandardNormal.sample(rng);
                let proposed = ratio * (width * step).exp();
                let then = log_density(proposed);
                if rng.random::<f64>().ln() < then - now {
                    ratio = proposed;
                    now = then;
                }
            }
        }

        // Split effects, and what they leave.
        let tau2 = ratio * center;
        residual.fill(0.0);
        for block in &blocks {
            let size = block.members.len();
            let mut sum_w = 0.0;
            for (i, member) in block.members.iter().enumerate() {
                weights[i] = 1.0 / v[member.arm as usize];
                sum_w += weights[i];
            }
            let t = tau2 / (1.0 + tau2 * sum_w);
            let noise = t.sqrt();
            let root_n = block.splits.sqrt();
            let dot: f64 = block
                .members
                .iter()
                .enumerate()
                .map(|(i, m)| weights[i] * (block.means[i] - mu[m.arm as usize]))
                .sum::<f64>()
                * root_n;
            let normal: f64 = StandardNormal.sample(rng);
            let effect = t * dot + noise * normal;
            for (i, m) in block.members.iter().enumerate() {
                let r = root_n * (block.means[i] - mu[m.arm as usize]) - effect;
                residual[m.arm as usize] += r * r;
            }
            for column in block.columns.chunks_exact(size) {
                let dot: f64 = weights.iter().zip(column).map(|(w, y)| w * y).sum();
                let normal: f64 = StandardNormal.sample(rng);
                let effect = t * dot + noise * normal;
                for (m, y) in block.members.iter().zip(column) {
                    let r = y - effect;
                    residual[m.arm as usize] += r * r;
                }
            }
            if block.null > 0.0 && t > 0.0 {
                let q = t * ChiSquared::new(block.null).expect("positive").sample(rng);
                for m in block.members {
                    residual[m.arm as usize] += q;
                }
            }
        }

        // How alike the variances are, variances integrated out.
        let mut best = f64::NEG_INFINITY;
        for (g, &d) in SPREADS.iter().enumerate() {
            let prior = d * center;
            let mut sum = log_prior[g] + log_gammas[g] + arms as f64 * d / 2.0 * prior.ln();
            for m in 0..arms {
                sum -= (d + counts[m]) / 2.0 * (prior + residual[m]).ln();
            }
            shape[g] = sum;
            best = best.max(sum);
        }
        let mut sum = 0.0;
        for s in &mut shape {
            *s = (*s - best).exp();
            sum += *s;
        }
        let mut left = rng.random::<f64>() * sum;
        for (g, s) in shape.iter().enumerate() {
            left -= s;
            if left < 0.0 {
                d0 = SPREADS[g];
                break;
            }
        }
        // The variances.
        let mut inverse = 0.0;
        for m in 0..arms {
            let rate = (d0 * center + residual[m]) / 2.0;
            v[m] = rate / gamma((d0 + counts[m]) / 2.0, rng);
            inverse += 1.0 / v[m];
            if sweep >= tuning.burn {
                out.precision[m] += 1.0 / v[m];
            }
        }
        // Their centre; the split effects' variance stays.
        let proposed = gamma(arms as f64 * d0 / 2.0, rng) / (d0 / 2.0 * inverse);
        if shared {
            let density = |c: f64| c.ln() - 2.0 * (c + tau2).ln();
            if rng.random::<f64>().ln() < density(proposed) - density(center) {
                center = proposed;
                ratio = tau2 / center;
            }
        } else {
            center = proposed;
        }
        if sweep >= tuning.burn {
            out.split_variance += tau2;
            out.d0 += d0.ln();
            out.ratio += ratio;
        }
    }
    let n = tuning.sweeps as f64;
    for m in 0..arms {
        out.location[m] = out.location[m] / n + cells.origins[m].unwrap_or(0.0);
        out.precision[m] /= n;
    }
    out.split_variance /= n;
    out.d0 = (out.d0 / n).exp();
    out.ratio /= n;
    out
}

fn gamma(shape: f64, rng: &mut dyn Rng) -> f64 {
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.sample(rng))
}

/// Replaces the lower triangle by its Cholesky factor.
pub(super) fn cholesky(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = if i == j { sum.max(f64::MIN_POSITIVE).sqrt() } else { sum / a[j * n + j] };
        }
    }
}

/// x ← L⁻¹x.
pub(super) fn forward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let mut sum = x[i];
        for k in 0..i {
            sum -= l[i * n + k] * x[k];
        }
        x[i] = sum / l[i * n + i];
    }
}

/// x ← L⁻ᵀx.
pub(super) fn backward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        let value = x[i] / l[i * n + i];
        x[i] = value;
        for k in 0..i {
            x[k] -= l[i * n + k] * value;
        }
    }
}
