//! Problems whose best arm is known.

mod gaussian;
mod recorded;
mod synthetic;

pub use gaussian::{Gaussian, GaussianError};
pub use recorded::{Recorded, RecordedError};
pub use synthetic::{
    Divergence, Noise, Resolution, Shape, Synthetic, SyntheticArm, SyntheticError,
};

use fiesta_core::{ArmId, Arms, Case, Design, Streams};

/// A selection problem with a known answer.
pub trait Problem: Sync {
    /// The arms.
    fn arms(&self) -> &Arms;

    /// Whether this arm is best, or as good as the best.
    fn is_best(&self, arm: ArmId) -> bool;

    /// The mean duration of an evaluation of this arm, which is also its mean cost; 1 unless arms differ.
    fn mean_duration(&self, arm: ArmId) -> f64 {
        let _ = arm;
        1.0
    }

    /// How far a score of this arm lies above the arm's mean, in standard deviations of its scores; 0 if unknown.
    fn standardised(&self, arm: ArmId, score: f64) -> f64 {
        let _ = (arm, score);
        0.0
    }

    /// The scores of run `number`, drawn from that run's own streams.
    fn scores(&self, design: Design, streams: &Streams, number: u64) -> Box<dyn Scores + '_>;
}

/// Where the scores of one run come from.
pub trait Scores {
    /// The score of an arm on a case.
    fn score(&mut self, arm: ArmId, case: Case) -> f64;
}

/// So many standard deviations above the mean; 0 without spread.
fn standardise(score: f64, mean: f64, sd: f64) -> f64 {
    if sd > 0.0 { (score - mean) / sd } else { 0.0 }
}
