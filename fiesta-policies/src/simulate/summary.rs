//! What many runs come to.

use super::Ending;
use fiesta_core::Moments;

/// Evaluations and correctness over many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How many runs.
    pub runs: u64,
    /// The fewest evaluations of any run.
    pub min: u64,
    /// The mean number of evaluations.
    pub mean: f64,
    /// The most evaluations of any run.
    pub max: u64,
    /// The standard error of the mean number of evaluations.
    pub standard_error: f64,
    /// The share of runs that recommended the best arm.
    pub correct: f64,
    /// The standard error of that share, √(p(1 − p)/runs).
    pub correct_standard_error: f64,
    /// Runs that met the cap instead of the goal.
    pub capped: u64,
}

impl FromIterator<Ending> for Summary {
    fn from_iter<T: IntoIterator<Item = Ending>>(endings: T) -> Self {
        let mut evaluations = Moments::default();
        let (mut min, mut max, mut correct, mut capped) = (u64::MAX, 0, 0, 0);
        for ending in endings {
            evaluations.push(ending.evaluations as f64);
            min = min.min(ending.evaluations);
            max = max.max(ending.evaluations);
            correct += u64::from(ending.correct);
            capped += u64::from(ending.capped);
        }
        let runs = evaluations.count();
        let share = correct as f64 / runs.max(1) as f64;
        Self {
            runs,
            min: min.min(max),
            mean: evaluations.mean(),
            max,
            standard_error: evaluations.standard_error().unwrap_or(0.0),
            correct: share,
            correct_standard_error: (share * (1.0 - share) / runs.max(1) as f64).sqrt(),
            capped,
        }
    }
}
