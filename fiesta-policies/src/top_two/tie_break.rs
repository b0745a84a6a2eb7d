//! Which of the two to evaluate.

use fiesta_core::{ArmId, View};
use rand::{Rng, RngExt};

/// Chooses between leader and challenger of a [`TopTwo`](super::TopTwo) policy.
pub trait TieBreak: Send {
    /// One of the two.
    fn choose(
        &mut self,
        view: &View<'_>,
        leader: ArmId,
        challenger: ArmId,
        rng: &mut dyn Rng,
    ) -> ArmId;
}

/// The leader with probability β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coin {
    beta: f64,
}

/// A β that is no probability.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("beta, the share of the leader, is {0}: it must lie between 0 and 1, both excluded")]
pub struct CoinError(f64);

impl Coin {
    /// A coin that shows the leader with probability `beta`.
    ///
    /// # Errors
    /// [`CoinError`] unless 0 < β < 1.
    pub fn new(beta: f64) -> Result<Self, CoinError> {
        if beta > 0.0 && beta < 1.0 {
            Ok(Self { beta })
        } else {
            Err(CoinError(beta))
        }
    }
}

impl Default for Coin {
    /// β = ½, within a factor of 2 of the optimum whatever the problem (Russo 2016).
    fn default() -> Self {
        Self { beta: 0.5 }
    }
}

impl TieBreak for Coin {
    fn choose(
        &mut self,
        _view: &View<'_>,
        leader: ArmId,
        challenger: ArmId,
        rng: &mut dyn Rng,
    ) -> ArmId {
        if rng.random::<f64>() < self.beta {
            leader
        } else {
            challenger
        }
    }
}
