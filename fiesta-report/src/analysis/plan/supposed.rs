//! Supposed arms of a plan: by moments, or estimated from pilot scores.

use crate::analysis::{AnalysisError, ArmScores, Score, ScoresOfArms};
use fiesta_core::{Design, Direction};
use fiesta_policies::plan::{Instance, InstanceError};

/// The arms that a plan is for, as they are supposed to be.
#[derive(Debug, Clone)]
pub struct SupposedArms {
    pub(super) names: Vec<String>,
    pub(super) instance: Instance,
    pub(super) design: Design,
    /// Direction in which scores are shown; the instance's means are such that more is better.
    pub(super) direction: Direction,
    /// The number of pilot scores, if the instance is estimated.
    pub(super) pilot: Option<usize>,
}

impl SupposedArms {
    /// Gaussian arms with these means and standard deviations of a score, of which `split_sd` lies
    /// between splits.
    ///
    /// # Errors
    /// [`AnalysisError`] if no study could tell the arms apart, or a moment is none.
    pub fn gaussian(
        moments: &[(f64, f64)],
        split_sd: f64,
        design: Design,
        direction: Direction,
    ) -> Result<Self, AnalysisError> {
        let oriented = moments
            .iter()
            .map(|&(mean, sd)| (direction.orient(mean), sd));
        let oriented: Vec<(f64, f64)> = oriented.collect();
        Ok(Self {
            names: (1..=moments.len()).map(|arm| format!("arm{arm}")).collect(),
            instance: Instance::new(&oriented, split_sd, design)?,
            design,
            direction,
            pilot: None,
        })
    }

    /// Arms with the means and standard deviations of pilot scores. Without a design it is that of
    /// the scores: shared if they share splits.
    ///
    /// # Errors
    /// [`AnalysisError`] if an arm has too few scores or equal ones, or the design is shared and
    /// the scores share no splits.
    pub fn of_scores(scores: &ScoresOfArms, design: Option<Design>) -> Result<Self, AnalysisError> {
        let direction = scores.direction;
        let oriented = |score: Score| direction.orient(score.score);
        let bare = || {
            let of_arm = |scores: &ArmScores<'_>| scores.iter().map(oriented).collect();
            let scores: Vec<Vec<f64>> = scores.scores.iter().map(of_arm).collect();
            Instance::of_scores(&scores)
        };
        // None if a score lacks its split.
        let on_splits = scores.scores.iter().map(|scores| {
            let on_split = |score: Score| Some((score.split?, oriented(score)));
            scores.iter().map(on_split).collect::<Option<Vec<_>>>()
        });
        let on_splits: Option<Vec<Vec<(u64, f64)>>> = on_splits.collect();
        let (instance, design) = match (design, on_splits) {
            (Some(Design::Shared), None) => return Err(AnalysisError::NoSharedSplits),
            (Some(Design::Shared), Some(scores)) => {
                (Instance::of_shared_scores(&scores), Design::Shared)
            }
            (None, Some(scores)) => match Instance::of_shared_scores(&scores) {
                Err(InstanceError::Apart) => (bare(), Design::Independent),
                other => (other, Design::Shared),
            },
            _ => (bare(), Design::Independent),
        };
        let name = |arm: usize| &scores.arms.names()[arm - 1];
        let instance = instance.map_err(|error| match error {
            InstanceError::TooFew { arm, scores } => AnalysisError::Refused(format!(
                "the arm `{}` has too few scores, {scores}: estimating a standard deviation takes at least 2",
                name(arm)
            )),
            InstanceError::Moments { arm, .. } => AnalysisError::Refused(format!(
                "the scores of arm `{}` are all equal, or nearly: their standard deviation cannot be planned with",
                name(arm)
            )),
            other => other.into(),
        })?;
        Ok(Self {
            names: scores.arms.names().to_vec(),
            instance,
            design,
            direction,
            pilot: Some(scores.scores.iter().map(ArmScores::len).sum()),
        })
    }
}
