//! pass@k: the probability that one of k generated answers is correct.
//!
//! Of n answers to a problem c were correct. Their scores are 0 and 1, and pass@k is the expected best of k of them:
//! 1 − C(n−c, k)/C(n, k) by the [unbiased](Estimator::Unbiased) estimator, for k ≤ n; 1 − (1 − c/n)ᵏ by the
//! [plug-in](Estimator::PlugIn) estimator, which is too low. Of several problems, pass@k is the mean.
//!
//! # Example
//! ```
//! use fiesta_report::{pass_at_k::pass_at_k, tuning_curve::Estimator};
//!
//! let unbiased = pass_at_k(10, 3, 5, Estimator::Unbiased)?;
//! assert!((unbiased - 11.0 / 12.0).abs() < 1e-15);
//! assert!(pass_at_k(10, 3, 11, Estimator::Unbiased).is_err());
//! # Ok::<(), fiesta_report::pass_at_k::PassError>(())
//! ```
//!
//! Source: Chen et al., "Evaluating large language models trained on code" (2021), equation 1.

use crate::tuning_curve::Estimator;

/// Why there is no pass@k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// More answers were correct than there were.
    #[error("{correct} of {answers} answers cannot be correct")]
    Correct {
        /// How many answers there were.
        answers: u64,
        /// How many were correct.
        correct: u64,
    },
    /// There is no answer, or none is asked for.
    #[error("pass@{k} of {answers} answers is not defined: both numbers must be at least 1")]
    Nothing {
        /// How many answers there were.
        answers: u64,
        /// How many are drawn.
        k: u64,
    },
    /// More answers are drawn than there are.
    #[error(
        "pass@{k} has no unbiased estimate from {answers} answers: take k up to {answers}, or the plug-in estimator"
    )]
    TooFew {
        /// How many answers there were.
        answers: u64,
        /// How many are drawn.
        k: u64,
    },
}

/// pass@k of a problem with so many `answers`, of which so many were `correct`; to machine precision, in min(c, k) steps at most.
///
/// # Errors
/// [`PassError`] if more are correct than there are, n or k is 0, or k > n for the unbiased estimator.
pub fn pass_at_k(
    answers: u64,
    correct: u64,
    k: u64,
    estimator: Estimator,
) -> Result<f64, PassError> {
    if correct > answers {
        return Err(PassError::Correct { answers, correct });
    }
    if answers == 0 || k == 0 {
        return Err(PassError::Nothing { answers, k });
    }
    match estimator {
        Estimator::PlugIn => {
            let none = (-(correct as f64 / answers as f64)).ln_1p() * k as f64;
            Ok(-none.exp_m1())
        }
        Estimator::Unbiased if k > answers => Err(PassError::TooFew { answers, k }),
        Estimator::Unbiased => Ok(1.0 - none_correct(answers, correct, k)),
    }
}

/// C(n−c, k)/C(n, k) = Π_{j<c} (n−k−j)/(n−j), which is symmetric in c and k.
fn none_correct(answers: u64, correct: u64, k: u64) -> f64 {
    if correct > answers - k {
        return 0.0;
    }
    let (few, many) = (correct.min(k), correct.max(k));
    let mut none = 1.0;
    for j in 0..few {
        none *= (answers - many - j) as f64 / (answers - j) as f64;
        // 1 − this is 1 already.
        if none < f64::EPSILON / 4.0 {
            return 0.0;
        }
    }
    none
}

/// The mean of pass@k over problems, each with the number of its answers and of those that were correct.
///
/// # Errors
/// [`PassError`] of the first problem that has none; [`PassError::Nothing`] if there is no problem.
pub fn mean_pass_at_k(
    problems: impl IntoIterator<Item = (u64, u64)>,
    k: u64,
    estimator: Estimator,
) -> Result<f64, PassError> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for (answers, correct) in problems {
        sum += pass_at_k(answers, correct, k, estimator)?;
        count += 1;
    }
    if count == 0 {
        return Err(PassError::Nothing { answers: 0, k });
    }
    Ok(sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning_curve::Sample;
    use fiesta_core::Direction;

    #[test]
    fn is_the_curve_of_scores_0_and_1() {
        let (answers, correct) = (40, 3);
        let scores = (0..answers).map(|i| if i < correct { 1.0 } else { 0.0 });
        let sample = Sample::new(scores, Direction::Maximize).unwrap();
        for estimator in [Estimator::PlugIn, Estimator::Unbiased] {
            for (i, mean) in sample.curve(estimator, 40).mean().iter().enumerate() {
                let pass = pass_at_k(answers, correct, i as u64 + 1, estimator).unwrap();
                assert!((pass - mean).abs() < 1e-14, "{estimator:?} {i}");
            }
        }
    }

    #[test]
    fn large_numbers_and_edges() {
        let unbiased = |n, c, k| pass_at_k(n, c, k, Estimator::Unbiased);
        assert_eq!(unbiased(1, 0, 1), Ok(0.0));
        assert_eq!(unbiased(1, 1, 1), Ok(1.0));
        assert_eq!(unbiased(1_000_000, 500_001, 500_000), Ok(1.0));
        // One correct answer is among k of n with probability k/n.
        assert_eq!(unbiased(1 << 40, 1, 1 << 39), Ok(0.5));
        assert_eq!(
            unbiased(2, 3, 1),
            Err(PassError::Correct {
                answers: 2,
                correct: 3
            })
        );
        assert_eq!(
            unbiased(2, 1, 3),
            Err(PassError::TooFew { answers: 2, k: 3 })
        );
        assert!(unbiased(0, 0, 1).is_err() && unbiased(1, 0, 0).is_err());
        let none: [(u64, u64); 0] = [];
        assert!(mean_pass_at_k(none, 1, Estimator::PlugIn).is_err());
        assert_eq!(
            mean_pass_at_k([(2, 1), (4, 1)], 1, Estimator::PlugIn),
            Ok(0.375)
        );
    }
}
