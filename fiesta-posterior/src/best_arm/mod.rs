//! P(arm is best): the probability that an arm's mean exceeds the means of all its rivals.
//!
//! [`quadrature`] is exact for independent arms; [`monte_carlo`] serves any joint posterior.

mod monte_carlo;
mod quadrature;

pub use monte_carlo::{independent_draw, monte_carlo};
pub use quadrature::quadrature;

pub(crate) use monte_carlo::draw_one;
pub(crate) use quadrature::of_proper;

use fiesta_core::{ArmId, Belief, Marginal};

/// The default bound on the error of a belief by quadrature.
pub const TOLERANCE: f64 = 1e-9;

/// The reason why P(best) cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BestArmError {
    /// The list of arms is empty.
    #[error("there is no arm to choose from")]
    NoArm,
    /// The marginal of an arm is no distribution.
    #[error(
        "arm number {index} has no distribution: {marginal:?} needs a finite location, a scale and degrees of freedom above zero"
    )]
    Marginal {
        /// The index of the refused arm.
        index: usize,
        /// The refused marginal of the arm.
        marginal: Marginal,
    },
    /// The tolerance of P(best) is out of range.
    #[error("the tolerance {0} must lie between 1e-12 and 0.1")]
    Tolerance(f64),
}

/// Extends a belief about the arms `these` to all `arms` arms, of which it claims nothing beyond these.
pub(crate) fn among(arms: usize, these: &[ArmId], belief: Belief) -> Belief {
    let mut all = Belief::nothing(arms, belief.method);
    for ((arm, p), shortfall) in these.iter().zip(belief.probability).zip(belief.shortfall) {
        all.probability[arm.index()] = p;
        all.shortfall[arm.index()] = shortfall;
    }
    all.absolute_error = belief.absolute_error;
    all
}

/// Whether a marginal is a distribution: a finite location and scale, scale and degrees of freedom above 0.
pub(crate) fn is_proper(m: &Marginal) -> bool {
    m.location.is_finite() && m.scale.is_finite() && m.scale > 0.0 && m.degrees_of_freedom > 0.0
}

fn check(marginals: &[Marginal]) -> Result<(), BestArmError> {
    if marginals.is_empty() {
        return Err(BestArmError::NoArm);
    }
    match marginals.iter().position(|m| !is_proper(m)) {
        None => Ok(()),
        Some(index) => Err(BestArmError::Marginal {
            index,
            marginal: marginals[index],
        }),
    }
}
