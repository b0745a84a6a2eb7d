//! P(best) of any joint posterior by Monte Carlo.

use super::BestArmError;
use fiesta_core::{ArmId, Belief, Marginal};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// Returns P(best) as the frequency with which each of `arms` has the highest mean among `draws`
/// joint draws.
///
/// `draw` fills a slice of length K with one joint draw of the means. The reported
/// [`Belief::absolute_error`] is the largest standard error √(p(1 − p)/draws) of any arm, with p no
/// closer to 0 or 1 than half a draw, so that it never claims certainty.
///
/// # Errors
/// [`BestArmError::NoArm`] if `arms` or `draws` is zero.
///
/// # Example
/// ```
/// use fiesta_core::Marginal;
/// use fiesta_posterior::best_arm::{independent_draw, monte_carlo};
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// let arm = |location| Marginal { location, scale: 0.01, degrees_of_freedom: 8.0 };
/// let arms = [arm(0.62), arm(0.64), arm(0.63)];
/// let mut rng = ChaCha8Rng::seed_from_u64(1);
/// let draw = |rng: &mut dyn rand::Rng, means: &mut [f64]| independent_draw(&arms, rng, means);
/// let belief = monte_carlo(3, 10_000, &mut rng, draw)?;
/// assert!(belief.absolute_error < 0.006);
/// # Ok::<(), fiesta_posterior::best_arm::BestArmError>(())
/// ```
pub fn monte_carlo(
    arms: usize,
    draws: u64,
    rng: &mut dyn Rng,
    mut draw: impl FnMut(&mut dyn Rng, &mut [f64]),
) -> Result<Belief, BestArmError> {
    if arms == 0 || draws == 0 {
        return Err(BestArmError::NoArm);
    }
    let candidates: Vec<ArmId> = ArmId::all(arms).collect();
    Ok(Belief::by_draws(arms, &candidates, draws, |means| {
        draw(rng, means);
    }))
}

/// Draws every mean from its own marginal.
///
/// # Panics
/// If `means` is shorter than `marginals`, or a marginal is no distribution.
pub fn independent_draw(marginals: &[Marginal], rng: &mut dyn Rng, means: &mut [f64]) {
    for (mean, marginal) in means[..marginals.len()].iter_mut().zip(marginals) {
        *mean = draw_one(marginal, rng);
    }
}

pub(crate) fn draw_one(marginal: &Marginal, rng: &mut dyn Rng) -> f64 {
    let standard: f64 = if marginal.degrees_of_freedom.is_finite() {
        StudentT::new(marginal.degrees_of_freedom)
            .expect("degrees of freedom are positive")
            .sample(rng)
    } else {
        StandardNormal.sample(rng)
    };
    marginal.location + marginal.scale * standard
}
