//! Systems that compete, drawn at random until the best one leads by the margin.

use crate::Failure;
use fiesta_core::{FBeta, Streams};
use rand::{Rng, RngExt};

/// Largest distance of the lead from the margin, as a share of the margin.
const EXACTLY: f64 = 0.1;
/// Number of draws of systems after which the search for a lead near the margin ends.
const ATTEMPTS: u32 = 1_000_000;

/// Systems with θ of TP, FP, TN and FN each.
#[derive(Debug, Clone)]
pub(super) struct Systems {
    pub(super) theta: Vec<[f64; 4]>,
    /// F₁ of each system.
    pub(super) f: Vec<f64>,
    /// Number of the systems' draw, from 0.
    pub(super) number: u64,
}

impl Systems {
    pub(super) fn new(theta: Vec<[f64; 4]>, number: u64) -> Self {
        let f = theta.iter().map(|&theta| FBeta::F1.of(theta)).collect();
        Self { theta, f, number }
    }

    /// Draws `count` systems whose best leads by the margin. The `number`-th draw depends on the
    /// seed alone: it is the same whatever their documents are like.
    pub(super) fn draw(count: usize, margin: f64, seed: u64, number: u64) -> Result<Self, Failure> {
        let mut rng = Streams::new(seed).draws(number);
        for _ in 0..ATTEMPTS {
            let theta = (0..count).map(|_| uniform(&mut rng)).collect();
            let systems = Self::new(theta, number);
            let ranked = systems.ranked();
            let lead = systems.f[ranked[0]] - systems.f[ranked[1]];
            if (lead - margin).abs() <= EXACTLY * margin {
                return Ok(systems);
            }
        }
        Err(format!(
            "among {ATTEMPTS} draws of {count} systems there are none of which the best leads by {margin}: ask for fewer systems or a smaller margin"
        )
        .into())
    }

    /// Returns the systems' places by F, the best first.
    pub(super) fn ranked(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.f.len()).collect();
        places.sort_by(|&a, &b| self.f[b].total_cmp(&self.f[a]));
        places
    }
}

/// Returns a point of the simplex, all of which are equally probable: shares of four exponential
/// variables.
fn uniform(rng: &mut impl Rng) -> [f64; 4] {
    let amounts = [(); 4].map(|()| -(1.0 - rng.random::<f64>()).ln());
    let total: f64 = amounts.iter().sum();
    amounts.map(|amount| amount / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    #[test]
    fn the_best_leads_by_the_margin() {
        for number in 0..50 {
            let systems = Systems::draw(5, 0.05, 0, number).unwrap();
            let mut f = systems.f.clone();
            f.sort_by(|a, b| b.total_cmp(a));
            let ranked = systems.ranked();
            let by_rank: Vec<f64> = ranked.iter().map(|&k| systems.f[k]).collect();
            assert_eq!(by_rank, f);
            for theta in &systems.theta {
                assert!((theta.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            assert!((0.045..=0.055).contains(&(f[0] - f[1])), "{f:?}");
        }
    }

    #[test]
    fn a_draw_depends_on_seed_and_number_alone() {
        let of = |seed, number| Systems::draw(4, 0.1, seed, number).unwrap().theta;
        assert_eq!(of(3, 7), of(3, 7));
        assert_ne!(of(3, 7), of(3, 8));
        assert_ne!(of(3, 7), of(4, 7));
    }

    /// Tests that each share of a uniform point of the simplex is Beta(1, 3): mean ¼, variance 3/80.
    #[test]
    fn points_are_uniform() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let n = 40_000;
        let (mut sum, mut squares) = ([0.0; 4], [0.0; 4]);
        for _ in 0..n {
            for (place, share) in uniform(&mut rng).into_iter().enumerate() {
                sum[place] += share / f64::from(n);
                squares[place] += share * share / f64::from(n);
            }
        }
        let tolerance = 4.5 * (3.0_f64 / 80.0 / f64::from(n)).sqrt();
        for (mean, square) in sum.into_iter().zip(squares) {
            assert!((mean - 0.25).abs() < tolerance, "{mean}");
            assert!((square - 0.1).abs() < 0.004, "{square}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let error = Systems::draw(10, 0.9, 0, 0).unwrap_err().to_string();
        assert!(
            error.contains("10 systems") && error.contains("0.9"),
            "{error}"
        );
    }
}
