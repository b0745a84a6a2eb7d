//! Part that a pool has in the difference of two arms over several benchmarks.

use super::{Parts, Pool, Sums};
use crate::{Differences, benchmarks::Part};
use fiesta_core::{ArmId, Askable, Posterior};

/// Items that differ between two arms in one pool, for how closely their lead is watched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Differing {
    /// The number of items of the pool on which the two differ, as far as one can tell.
    pub(crate) items: f64,
    /// The size of a difference, in the unit of the means.
    pub(crate) size: f64,
}

impl Pool {
    /// Returns what the pool knows of one arm's mean less another's, in the unit of the answers.
    pub(crate) fn part(&self, leader: ArmId, rival: ArmId) -> Part {
        let unit = self.unit(leader);
        if self.like_these.is_some() {
            let differences = self.differences(leader, rival);
            return differences.part().times(unit * self.items as f64);
        }
        let lead = self.lead(leader, rival);
        if lead.is_known() {
            return Part::Known(self.known_difference(leader, rival) * unit);
        }
        let sides = lead.parts.sides(self.sums(leader, rival).sizes());
        sides.times(unit)
    }

    /// Returns the differences of two arms, for a verdict on items like these.
    fn differences(&self, leader: ArmId, rival: ArmId) -> Differences {
        let Some(like_these) = &self.like_these else {
            return Differences::default();
        };
        let strata = &like_these.differences[leader.index() * self.arms + rival.index()];
        let weights = like_these
            .is_chosen
            .then_some(self.of_arm[leader.index()].answered);
        Differences::joined(strata, weights)
    }

    /// Returns whether anything of the arm's mean is unknown.
    pub(crate) fn is_open(&self, arm: ArmId) -> bool {
        let answered = self.of_arm[arm.index()].count();
        answered < self.items as f64 - 0.5 || self.most() < 1.0
    }

    /// Returns whether an arm has the answers that every arm is asked for first.
    pub(crate) fn has_begun(&self, arm: ArmId) -> bool {
        let answered = self.of_arm[arm.index()].count();
        answered > self.required(arm) as f64 - 0.5
    }

    /// Returns the two totals of a lead in the unit of the means, of which the leader's luck has a
    /// share. `None` where all answers are known.
    pub(crate) fn own_parts(&self, leader: ArmId, rival: ArmId) -> Option<Parts> {
        let lead = self.lead(leader, rival);
        let unit = self.unit(leader);
        let parts = self.parts_of_own(leader, lead.parts);
        (!lead.is_known()).then(|| parts.times(unit))
    }

    /// Returns how many items differ between two arms, and by how much.
    pub(crate) fn differing(&self, leader: ArmId, rival: ArmId) -> Differing {
        let (unit, sums) = (self.unit(leader), self.sums(leader, rival));
        let [sizes, squares] = sums.sizes();
        let size = if squares > 0.0 {
            squares / sizes
        } else {
            sums.typical()
        };
        let known = sizes / size;
        let items = if self.like_these.is_some() {
            known * self.items as f64 / (sums.items[0] + sums.items[1]).max(1.0)
        } else {
            let lead = self.lead(leader, rival);
            if lead.is_known() {
                known
            } else {
                lead.parts.differences
            }
        };
        let size = size * unit;
        Differing { items, size }
    }

    /// Returns how much an answer on one more item that both answer takes from the variance of the
    /// mean difference of two arms, about: σ²/(n(n + 1)) after n common items.
    pub(crate) fn gain(&self, leader: ArmId, rival: ArmId) -> f64 {
        let sums = self.sums(leader, rival);
        let items = sums.items[0] + sums.items[1];
        let range = self.high - self.low;
        sums.square() * range * range / (items.max(0.5) * (items + 1.0))
    }

    /// Returns which of two arms is asked next, and on which item. The items and their order are
    /// those of this pool.
    pub(crate) fn next_of(
        &self,
        leader: ArmId,
        rival: ArmId,
        [of_leader, of_rival]: [Askable<'_>; 2],
    ) -> Option<(ArmId, u64)> {
        let has = |item: u64, arm: ArmId| {
            let place = usize::try_from(item).unwrap_or(usize::MAX);
            self.answer(place, arm.index()).is_some()
        };
        let answered = |arm: ArmId| self.of_arm[arm.index()].count();
        let items = || of_leader.order.iter().copied();
        let free = |item: &u64| !has(*item, leader) && (of_leader.can)(*item);
        let place = items().position(|item| free(&item));
        let next = place.and_then(|place| Some((leader, *of_leader.order.get(place)?)));
        // What the leader left out as a rival, the others need to be compared with it.
        if let Some(place) = place.filter(|&place| (place as f64) < answered(leader) - 0.5) {
            return Some((leader, *of_leader.order.get(place)?));
        }
        let sums = self.sums(leader, rival);
        if answered(leader) - sums.items[0] - sums.items[1] < 0.5 {
            return next;
        }
        let shared = || {
            let both = |item: &u64| has(*item, leader) && !has(*item, rival);
            items().find(|item| both(item) && (of_rival.can)(*item))
        };
        let telling = self.telling_item(leader, rival, of_rival);
        let of_rival = telling.or_else(shared).map(|item| (rival, item));
        of_rival.or(next)
    }

    /// Returns what a whole answer adds to the mean: the range of the answers divided by N.
    pub(crate) fn answer_size(&self) -> f64 {
        (self.high - self.low) / self.items.max(1) as f64
    }

    /// Sets the leader, by whose outcomes items were chosen and means are weighted.
    pub(crate) fn lead_by(&mut self, leader: ArmId) {
        self.leader = leader;
    }
}

impl Sums {
    /// Returns the mean square of a difference, with a prior of one pseudo-difference.
    fn square(&self) -> f64 {
        /// Number of items that the pseudo-difference is worth.
        const WORTH: f64 = 10.0 / 3.0;
        let [_, squares] = self.sizes();
        (squares + self.typical().powi(2)) / (self.items[0] + self.items[1] + WORTH)
    }
}
