//! Part that a pool has in the difference of two arms over several benchmarks.

use super::Pool;
use crate::{Differences, benchmarks::Part};
use fiesta_core::ArmId;

impl Pool {
    /// Returns what the pool knows of one arm's mean less another's, in the unit of the answers.
    pub(crate) fn part(&self, leader: ArmId, rival: ArmId) -> Part {
        let unit = self.unit(leader);
        if let Some(like_these) = &self.like_these {
            let strata = &like_these.differences[leader.index() * self.arms + rival.index()];
            let weights = like_these
                .is_chosen
                .then_some(self.of_arm[leader.index()].answered);
            let differences = Differences::joined(strata, weights);
            return differences.part().times(unit * self.items as f64);
        }
        let lead = self.lead(leader, rival);
        if lead.is_known() {
            return Part::Known(self.known_difference(leader, rival) * unit);
        }
        let sides = lead.parts.sides(self.sums(leader, rival).sizes());
        sides.times(unit)
    }

    /// Returns whether anything of the arm's mean is unknown.
    pub(crate) fn is_open(&self, arm: ArmId) -> bool {
        let answered = self.of_arm[arm.index()].count();
        answered < self.items as f64 - 0.5 || self.most() < 1.0
    }
}
