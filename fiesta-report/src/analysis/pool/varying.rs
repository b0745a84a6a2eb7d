//! Variation of the answers of arms to the same item, in a pool with repeats.

use super::PoolAnswers;
use crate::words::{count, range};
use fiesta_core::ArmId;
use fiesta_posterior::Pool;
use serde::Serialize;

/// How much answers vary when asked again, and from how many repeats that is known.
///
/// What arms are compared by is then their expected score over the pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VaryingAnswers {
    /// Number of all answers, repeats included.
    pub answers: u64,
    /// Number of answers that repeat an item that the arm had answered.
    pub repeats: u64,
    /// The standard deviation of an arm's answers to the same item, in the mean square over all
    /// repeats; none before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_item_sd: Option<f64>,
    /// Arms whose answers vary.
    pub arms: Vec<ArmThatVaries>,
}

/// How much the answers of an arm vary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmThatVaries {
    /// Name of the arm.
    pub name: String,
    /// Number of the arm's answers that repeat an item.
    pub repeats: u64,
    /// Standard deviation of the arm's answers to the same item that the posterior uses, in the
    /// unit of the scores: estimated from the repeats of all arms, with a prior.
    pub within_item_sd: f64,
    /// Standard deviation that the arm's own repeats alone show. `None` before the first repeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_within_item_sd: Option<f64>,
    /// Share of the variance within items in the variance of all the arm's answers.
    pub share: f64,
}

impl VaryingAnswers {
    /// Measures how answers vary. `None` if they are taken not to vary.
    pub(super) fn new(answers: &PoolAnswers, pool: &Pool) -> Option<Self> {
        let every = answers.every.as_ref()?;
        let of_arm = |arm: ArmId| {
            let within = pool.within_item(arm)?;
            Some(ArmThatVaries {
                name: answers.arms[arm.index()].clone(),
                repeats: within.repeats,
                within_item_sd: within.sd,
                observed_within_item_sd: within.observed_sd,
                share: within.share,
            })
        };
        let arms = ArmId::all(answers.arms.len()).map(of_arm);
        let arms = arms.collect::<Option<Vec<_>>>()?;
        let repeats: u64 = arms.iter().map(|arm| arm.repeats).sum();
        let squares = arms.iter().filter_map(|arm| {
            let sd = arm.observed_within_item_sd?;
            Some(sd * sd * arm.repeats as f64)
        });
        let squares: f64 = squares.sum();
        Some(Self {
            answers: every.iter().map(|of_arm| of_arm.len() as u64).sum(),
            repeats,
            within_item_sd: (repeats > 0).then(|| (squares / repeats as f64).sqrt()),
            arms,
        })
    }

    /// Tells in words how answers vary, without an end.
    pub fn sentence(&self) -> String {
        let target = "answers vary when asked again, so that arms are compared by their expected score over the pool, of which nothing is known for certain";
        let Some(sd) = self.within_item_sd else {
            return format!(
                "{target}: no item was answered twice yet, and all that varies may be noise"
            );
        };
        let used = self.arms.iter().map(|arm| arm.within_item_sd);
        let (low, high) = used.fold((f64::INFINITY, 0.0_f64), |(low, high), sd| {
            (low.min(sd), high.max(sd))
        });
        let range = range(&format!("{low:.3}"), &format!("{high:.3}"));
        format!(
            "{target}: within an item they have a standard deviation of {sd:.3} ({} of {} answers; with its prior the posterior takes {range} for the arms)",
            count(self.repeats, "repeat"),
            self.answers
        )
    }
}
