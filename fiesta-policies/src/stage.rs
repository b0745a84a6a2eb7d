//! Stage of a schedule of a fixed budget: the arms that it has not discarded, and the evaluations that each is due.

use fiesta_core::{ArmId, View};

/// Stage of a schedule, a round or a phase: the arms among which a schedule divides evaluations,
/// those of them that were retired for failing meanwhile, and the attempts that each must reach.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Number of the stage, from 1, or of the stages to go, this one included, as its schedule
    /// counts.
    pub(crate) number: u64,
    /// Survivors that are candidates, in order.
    pub(crate) arms: Vec<ArmId>,
    retired: Vec<ArmId>,
    /// Number of attempts that every survivor must reach.
    quota: u64,
    /// Number of survivors, from the first on, that make one attempt more, with evaluations that divisions left over.
    extra: u64,
}

impl Stage {
    /// Creates the stage with this number, at whose beginning these arms are left.
    pub(crate) fn new(number: u64, arms: Vec<ArmId>, quota: u64, extra: u64) -> Self {
        let mut stage = Self {
            number,
            arms,
            retired: Vec::new(),
            quota,
            extra,
        };
        stage.arms.sort_unstable();
        stage
    }

    /// Removes arms from the stage that were retired since, and adds those that were reinstated.
    pub(crate) fn update(&mut self, view: &View<'_>) {
        let all = self.arms.drain(..).chain(self.retired.drain(..));
        (self.arms, self.retired) = all.partition(|arm| view.candidates().contains(arm));
        self.arms.sort_unstable();
    }

    /// Returns the first survivor that has not made all its attempts. `None` if all have.
    pub(crate) fn due(&self, view: &View<'_>) -> Option<ArmId> {
        let mut due = (0..).zip(&self.arms).filter(|&(place, &arm)| {
            view.has_case_left(arm)
                && view.attempts(arm) < self.quota + u64::from(place < self.extra)
        });
        due.next().map(|(_, &arm)| arm)
    }

    /// Whether an evaluation of a survivor is running.
    pub(crate) fn is_pending(&self, view: &View<'_>) -> bool {
        self.arms.iter().any(|&arm| view.pending(arm) > 0)
    }

    /// Whether the stage would take a retired arm back: the arm was in it when it was retired.
    pub(crate) fn readmits(&self, arm: ArmId) -> bool {
        self.arms.contains(&arm) || self.retired.contains(&arm)
    }
}

/// Whether no stage has begun or the stage has made all its attempts, and no evaluation is running.
pub(crate) fn is_complete(stage: Option<&Stage>, view: &View<'_>) -> bool {
    view.total_pending() == 0 && stage.is_none_or(|stage| stage.due(view).is_none())
}

/// Returns the best survivor of a stage that is a candidate, else the best candidate.
pub(crate) fn recommend(stage: Option<&Stage>, view: &View<'_>) -> Option<ArmId> {
    let survivors = stage.into_iter().flat_map(|stage| &stage.arms).copied();
    survivors
        .filter(|arm| view.candidates().contains(arm))
        .max_by(|&a, &b| mean(view, a).total_cmp(&mean(view, b)))
        .or_else(|| view.empirical_best())
}

/// Returns the mean score of an arm, −∞ before its first score.
pub(crate) fn mean(view: &View<'_>, arm: ArmId) -> f64 {
    view.mean(arm).unwrap_or(f64::NEG_INFINITY)
}

/// Returns the attempts of all arms together.
pub(crate) fn attempts(view: &View<'_>) -> u64 {
    ArmId::all(view.arms()).map(|arm| view.attempts(arm)).sum()
}
