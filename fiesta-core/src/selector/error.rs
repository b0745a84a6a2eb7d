//! Errors of a selector that cannot go on.

use crate::ObserveError;

/// The reason why a selector cannot go on. Evaluations are numbered from 1 in these messages, as wherever
/// people read them, and from 0 in the fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorError {
    /// Every arm was retired for failing.
    #[error("no arm is left: every one of them failed for good")]
    NoArmLeft,
    /// The policy waits although nothing is running.
    #[error("the policy waits while nothing is running; it would wait for ever")]
    Stalled,
    /// The policy chose an arm that is no candidate.
    #[error("the policy chose arm number {0}, which is no candidate")]
    NoCandidate(usize),
    /// The policy chose an item that the arm has had, or that is none of the pool.
    #[error(
        "the policy chose item {item} for arm number {arm}, which has had it or cannot have it"
    )]
    NoItem {
        /// The number of the arm.
        arm: usize,
        /// The number of the item.
        item: u64,
    },
    /// The evaluation whose outcome was told is not pending.
    #[error(
        "evaluation {} is not pending: it was never asked for, or its outcome was told before",
        .0 + 1
    )]
    NotPending(u64),
    /// The evaluation to make again has not failed, or is made again already.
    #[error("evaluation {} cannot be made again: it has not failed, or is made again already", .0 + 1)]
    NotFailed(u64),
    /// The cost of an evaluation is negative or not a number.
    #[error("the cost {cost} of evaluation {} is not a number from zero upwards", .id + 1)]
    Cost {
        /// The number of the evaluation.
        id: u64,
        /// The refused cost of the evaluation.
        cost: f64,
    },
    /// An evaluation that was made before the study was recorded after its first decision, or out
    /// of order.
    #[error(
        "evaluation {} was made before the study, and can only be recorded before it begins, in order",
        .0 + 1
    )]
    RecordedLate(u64),
    /// An evaluation that was made before the study is on no case of the study.
    #[error(
        "evaluation {} was made before the study on {split}, which is no split or item of it",
        .id + 1
    )]
    RecordedElsewhere {
        /// The number of the evaluation.
        id: u64,
        /// The number of the split or item.
        split: u64,
    },
    /// An arm has two recorded evaluations on the same item.
    #[error("evaluation {} repeats an item that its arm was evaluated on before", .0 + 1)]
    RecordedTwice(u64),
    /// The posterior refuses the observation.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The posterior was made for another number of arms.
    #[error("the posterior has {posterior} arms, the study {study}")]
    Arms {
        /// Number of arms of the posterior.
        posterior: usize,
        /// Number of arms of the study.
        study: usize,
    },
}
