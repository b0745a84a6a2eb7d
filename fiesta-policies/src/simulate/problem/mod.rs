//! Problems for simulations, whose best arm is known.

mod documents;
mod gaussian;
mod item_response;
mod recorded;
mod recorded_items;
mod synthetic;

pub use documents::{SyntheticDocuments, SyntheticDocumentsError};
pub use gaussian::{Gaussian, GaussianError};
pub use item_response::{ItemResponse, ItemResponseError};
pub use recorded::{Recorded, RecordedError};
pub use recorded_items::{RecordedItems, RecordedItemsError};
pub use synthetic::{
    Divergence, Noise, Resolution, Shape, Synthetic, SyntheticArm, SyntheticError,
};

use fiesta_core::{ArmId, Arms, Case, Design, Streams};

/// A selection problem with a known answer, whose evaluations yield observations of type `O`:
/// scores, or counts.
pub trait Problem<O = f64>: Sync {
    /// Returns the arms of the problem.
    fn arms(&self) -> &Arms;

    /// Returns how far this arm's true value lies below the best one, in the unit of the scores; 0
    /// of the best arm, and of an arm that counts as equal to it.
    fn shortfall(&self, arm: ArmId) -> f64;

    /// Whether this arm is best, or as good as the best.
    fn is_best(&self, arm: ArmId) -> bool {
        self.shortfall(arm) <= 0.0
    }

    /// Returns the mean duration of an evaluation of this arm, which is also its mean cost; 1
    /// unless arms differ.
    fn mean_duration(&self, arm: ArmId) -> f64 {
        let _ = arm;
        1.0
    }

    /// Returns how far an observation of this arm lies above the arm's mean, in standard deviations
    /// of its observations; 0 if unknown.
    fn standardised(&self, arm: ArmId, observation: O) -> f64 {
        let _ = (arm, observation);
        0.0
    }

    /// Returns the observations of run `number`, drawn from that run's own streams.
    fn observations(
        &self,
        design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations<O> + '_>;
}

/// Source of the observations of one run.
pub trait Observations<O = f64> {
    /// Returns the observation that an evaluation of an arm on a case yields.
    fn observe(&mut self, arm: ArmId, case: Case) -> O;
}

/// Returns how many standard deviations a score lies above the mean; 0 without spread.
fn standardise(score: f64, mean: f64, sd: f64) -> f64 {
    if sd > 0.0 { (score - mean) / sd } else { 0.0 }
}
