//! Arms that a schedule has not discarded.

use fiesta_core::{ArmId, View};

/// The arms that a round of a schedule divides its evaluations among, and those of them that were
/// retired for failing meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct Survivors {
    /// Those that are candidates, in order.
    pub(crate) arms: Vec<ArmId>,
    retired: Vec<ArmId>,
}

impl Survivors {
    /// Those at the beginning of a round.
    pub(crate) fn new(mut arms: Vec<ArmId>) -> Self {
        arms.sort_unstable();
        Self {
            arms,
            retired: Vec::new(),
        }
    }

    /// Leaves out those that were retired since, and takes in those that were reinstated.
    pub(crate) fn update(&mut self, view: &View<'_>) {
        let all = self.arms.drain(..).chain(self.retired.drain(..));
        let (arms, retired) = all.partition(|arm| view.candidates().contains(arm));
        *self = Self {
            retired,
            ..Self::new(arms)
        };
    }

    /// Whether the round has a place for an arm that was retired.
    pub(crate) fn readmit(&self, arm: ArmId) -> bool {
        self.arms.contains(&arm) || self.retired.contains(&arm)
    }
}
