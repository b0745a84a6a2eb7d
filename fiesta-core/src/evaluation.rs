//! Evaluations, their outcomes, and the events that a selector is told.

use crate::{ArmId, Case};

/// The number of an evaluation within its study, counting from 0 in the order in which they were
/// asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EvaluationId(pub u64);

/// One evaluation that is to be made: which arm on which case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Evaluation {
    /// The number of the evaluation.
    pub id: EvaluationId,
    /// The arm to evaluate.
    pub arm: ArmId,
    /// Case on which the arm is evaluated.
    pub case: Case,
}

/// Outcome of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Outcome<O = f64> {
    /// The evaluation ended with an observation: a score (oriented so that larger is better), or
    /// counts.
    Observed(O),
    /// The arm failed on this case. It counts as an attempt, and its cost is spent.
    Failed,
    /// The evaluation was never made, or lost through no fault of the arm. The arm gets the same
    /// case again.
    Withdrawn,
}

/// Event that a selector is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<O = f64> {
    /// Event that an evaluation ended.
    Ended {
        /// The evaluation that ended.
        id: EvaluationId,
        /// The outcome of the evaluation.
        outcome: Outcome<O>,
        /// The cost of the evaluation, in the study's unit (seconds, GPU-seconds, money).
        cost: f64,
    },
    /// An attempt at a pending evaluation was lost, or stopped and is to be made again: its cost is
    /// spent, and the evaluation is pending as before.
    Lost {
        /// The evaluation whose attempt was lost.
        id: EvaluationId,
        /// Cost of the attempt, in the study's unit.
        cost: f64,
    },
    /// A further number of an evaluation, beside its score, which a stopping rule may test. It is told
    /// before the evaluation's end, and before [`Selector::record`](crate::Selector::record).
    Measured {
        /// The evaluation that was measured.
        id: EvaluationId,
        /// Number of the measure, as the stopping rule counts its measures.
        measure: usize,
        /// Value of the measure.
        value: f64,
    },
    /// The clock was read: seconds since the study began, over all sessions.
    Clock(f64),
    /// Event that the cause of an arm's failures was mended: it is a candidate again if it was
    /// retired, its failures in a row are counted from zero and made again. What was evaluated and
    /// what it cost stays counted. A selection that had ended goes on.
    Reinstated(ArmId),
    /// Event that a failed evaluation is to be made again: its arm gets its case once more, and the
    /// failure is not held against the arm. What it cost stays counted. A selection that had ended
    /// goes on.
    AskedAgain(EvaluationId),
}
