//! Errors of questions about the best of n trials.

use super::{ArmTrials, BestOfNOptions, FEWEST_TRIALS, LARGEST_N, MOST_TRIALS};

/// The reason why the best of n trials cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BestOfNError {
    /// The list of arms is empty.
    #[error("there is no arm to compare")]
    NoArm,
    /// No trial of any arm has a score.
    #[error("no trial of any arm has a score")]
    NoScore,
    /// An arm has too few trials.
    #[error(
        "arm number {arm} has {found} trials, and the distribution of its scores can be judged from {FEWEST_TRIALS} on: make more"
    )]
    TooFew {
        /// The number of the arm, from 0.
        arm: usize,
        /// Number of trials that the arm has.
        found: usize,
    },
    /// An arm has more trials than the comparison accepts.
    #[error("arm number {arm} has {found} trials, and {MOST_TRIALS} is the most that is taken")]
    TooMany {
        /// The number of the arm, from 0.
        arm: usize,
        /// Number of trials that the arm has.
        found: usize,
    },
    /// A score is NaN or infinite.
    #[error("the score {score} of arm number {arm} is not a finite number")]
    NotFinite {
        /// The number of the arm, from 0.
        arm: usize,
        /// The score that was refused.
        score: f64,
    },
    /// A score lies outside the bounds.
    #[error("the score {score} of arm number {arm} is outside the bounds [{lower}, {upper}]")]
    OutOfBounds {
        /// The number of the arm, from 0.
        arm: usize,
        /// The score that was refused.
        score: f64,
        /// The smallest score that is possible.
        lower: f64,
        /// The largest score that is possible.
        upper: f64,
    },
    /// The bounds of the scores are no interval.
    #[error("the bounds [{0}, {1}] are no interval: the first must be below the second")]
    Bounds(f64, f64),
    /// The number of trials n is out of range.
    #[error("n must be from 1 to {LARGEST_N}, not {0}")]
    N(usize),
    /// The number of draws is 0.
    #[error("at least one draw is needed")]
    NoDraws,
}

/// Refuses arms and options with which the best of n trials cannot be computed.
pub(super) fn check(arms: &[ArmTrials<'_>], options: &BestOfNOptions) -> Result<(), BestOfNError> {
    if arms.is_empty() {
        return Err(BestOfNError::NoArm);
    }
    if options.draws == 0 {
        return Err(BestOfNError::NoDraws);
    }
    if let Some(n) = options.largest_n
        && !(1..=LARGEST_N).contains(&n)
    {
        return Err(BestOfNError::N(n));
    }
    if let Some((lower, upper)) = options.bounds
        && (lower.is_nan() || upper.is_nan() || lower >= upper)
    {
        return Err(BestOfNError::Bounds(lower, upper));
    }
    for (arm, trials) in arms.iter().enumerate() {
        for &score in trials.scores {
            if !score.is_finite() {
                return Err(BestOfNError::NotFinite { arm, score });
            }
            if let Some((lower, upper)) = options.bounds
                && !(lower..=upper).contains(&score)
            {
                return Err(BestOfNError::OutOfBounds {
                    arm,
                    score,
                    lower,
                    upper,
                });
            }
        }
        let found = trials.count();
        if found < FEWEST_TRIALS {
            return Err(BestOfNError::TooFew { arm, found });
        }
        if found > MOST_TRIALS {
            return Err(BestOfNError::TooMany { arm, found });
        }
    }
    if arms.iter().all(|arm| arm.scores.is_empty()) {
        return Err(BestOfNError::NoScore);
    }
    Ok(())
}
