//! Leads of arms over others in a pool, and the arms' totals and means that follow.

use super::{
    CHANGES, Differences, Pool, UNCERTAIN,
    noise::{Noise, OfPair},
    pair::{Lead, Rule, Sums, outcome},
    totals::Total,
};
use fiesta_core::{ArmId, Target};

impl Pool {
    /// Returns which half of the scale an arm's answer to an item lies in. Where answers vary, its first answer counts.
    pub(super) fn outcome(&self, item: usize, arm: usize, answer: f64) -> usize {
        match &self.noise {
            Some(noise) => noise.outcome(item, arm),
            None => outcome(answer),
        }
    }

    /// Returns the noise of the difference of two arms' answers; none where answers do not vary.
    pub(super) fn noise(&self, one: ArmId, other: ArmId) -> OfPair {
        let of_pair = |noise: &Noise| noise.of_pair(one.index(), other.index());
        self.noise.as_ref().map_or(OfPair::NONE, of_pair)
    }

    pub(super) fn answer(&self, item: usize, arm: usize) -> Option<f64> {
        let place = item.checked_mul(self.arms)?.checked_add(arm)?;
        let answer = *self.answers.get(place)?;
        (!answer.is_nan()).then_some(answer)
    }

    /// Returns the lead of an arm over another.
    pub(super) fn lead(&self, leader: ArmId, rival: ArmId) -> Lead {
        let place = leader.index() * self.arms + rival.index();
        *self.leads[place].get_or_init(|| self.lead_with(leader, rival, 0.0))
    }

    /// Returns the lead of an arm over a rival that has to be better by more than `margin`, in
    /// items.
    pub(super) fn lead_with(&self, leader: ArmId, rival: ArmId, margin: f64) -> Lead {
        let sums = self.sums(leader, rival);
        let of_leader = self.of_arm[leader.index()].answered;
        let size = self.items as f64;
        if let Some(like_these) = &self.like_these {
            let strata = &like_these.differences[leader.index() * self.arms + rival.index()];
            let weights = like_these.is_chosen.then_some(of_leader);
            return Differences::joined(strata, weights).lead((size, margin));
        }
        if self.noise.is_none() && sums.items[0] + sums.items[1] > size - 0.5 {
            let ahead = match self.ones {
                Some(_) => self.known_difference(leader, rival),
                None => sums.difference(),
            };
            return Lead::known(ahead + margin);
        }
        let noise = self.noise(leader, rival);
        Lead::new(&sums, of_leader, (size, margin), noise, self.rule())
    }

    pub(super) fn rule(&self) -> Rule {
        match self.ones {
            Some(_) => Rule::F,
            None => Rule::ANSWERS,
        }
    }

    pub(super) fn sums(&self, leader: ArmId, rival: ArmId) -> Sums {
        match &self.ones {
            Some(ones) => ones.sums(leader.index(), rival.index()),
            None => self.sums[leader.index() * self.arms + rival.index()],
        }
    }

    /// Returns those of `arms` that the pool has.
    pub(super) fn existing(&self, arms: &[ArmId]) -> Vec<ArmId> {
        let exists = |arm: &ArmId| arm.index() < self.arms;
        arms.iter().copied().filter(exists).collect()
    }

    /// Returns the leader: an arm that no other is far ahead of, the last leader where it still is
    /// one and a candidate.
    pub(super) fn front(&self, candidates: &[ArmId]) -> Option<ArmId> {
        let mut front = if candidates.contains(&self.leader) {
            self.leader
        } else {
            *candidates.first()?
        };
        // Leads need not be transitive.
        for _ in 0..candidates.len() {
            match self.ahead_of(front, candidates.iter().copied()) {
                Some(other) => front = other,
                None => break,
            }
        }
        Some(front)
    }

    pub(super) fn ahead_of(
        &self,
        front: ArmId,
        arms: impl Iterator<Item = ArmId>,
    ) -> Option<ArmId> {
        let others = arms.filter(|&arm| arm != front && self.of_arm[arm.index()].count() > 0.0);
        let leads = others.map(|arm| (self.lead(front, arm).z, arm));
        let least = leads.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (least.0 < -CHANGES).then_some(least.1)
    }

    /// Returns independent totals of the candidates, in items. Each one's difference from the
    /// leader's is distributed as the belief about the pair says.
    pub(super) fn totals(&self, leader: ArmId, candidates: &[ArmId]) -> Vec<Total> {
        let lead = |arm| self.lead(leader, arm);
        let rivals = || candidates.iter().copied().filter(|&arm| arm != leader);
        let unknown = rivals().map(|arm| lead(arm).variance).filter(|&v| v > 0.0);
        let least = unknown.fold(f64::INFINITY, f64::min);
        let is_whole = self.of_arm[leader.index()].count() > self.items as f64 - 0.5;
        let is_open = !is_whole || self.most() < 1.0;
        // Half of what is unknown of the closest pair is the leader's.
        let own = if least.is_finite() && is_open {
            0.5 * least
        } else {
            0.0
        };
        let of = |&arm: &ArmId| {
            if arm == leader {
                return Total {
                    mean: 0.0,
                    sd: own.sqrt(),
                };
            }
            let lead = lead(arm);
            if lead.is_known() {
                // Only which way it goes matters, and by how much.
                let behind = self.known_difference(leader, arm);
                return Total {
                    mean: -behind,
                    sd: 0.0,
                };
            }
            Total {
                mean: -lead.z * lead.variance.sqrt(),
                sd: (lead.variance - own).max(1e-12).sqrt(),
            }
        };
        candidates.iter().map(of).collect()
    }

    /// Returns one arm's total less another's, in items, for arms whose answers are all known.
    pub(super) fn known_difference(&self, one: ArmId, other: ArmId) -> f64 {
        match &self.ones {
            Some(ones) => ones.difference(one.index(), other.index()) / self.unit(one),
            None => self.of_arm[one.index()].sum - self.of_arm[other.index()].sum,
        }
    }

    /// Returns the factor from items, in which this leader's leads are counted, to the unit of the means.
    pub(super) fn unit(&self, leader: ArmId) -> f64 {
        let scale = match &self.ones {
            Some(ones) => ones.scale(leader.index()),
            None => self.high - self.low,
        };
        scale / self.items.max(1) as f64
    }

    /// Returns the mean of an arm over the pool on the scale from 0 to 1, and its standard error.
    /// Rivals are weighted by the leader's outcomes, as these decided which items they answered.
    pub(super) fn estimate(&self, arm: ArmId) -> Option<(f64, f64)> {
        let own = *self.of_arm.get(arm.index())?;
        let size = self.items as f64;
        if own.count() < 0.5 {
            return None;
        }
        if let Some(ones) = &self.ones {
            return ones.f(self.leader.index(), arm.index(), size);
        }
        let of_leader = self.of_arm[self.leader.index()].answered;
        let pair = &self.sums[self.leader.index() * self.arms + arm.index()];
        let shared = pair.items[0] + pair.items[1];
        let is_whole = own.count() > size - 0.5;
        let (weights, counts, sums, squares) = if arm == self.leader || is_whole || shared < 0.5 {
            let whole = [own.count(), 0.0];
            (whole, whole, [own.sum, 0.0], [own.squares, 0.0])
        } else {
            (of_leader, pair.items, pair.rival, pair.rival_squared)
        };
        let (all, seen) = (weights[0] + weights[1], counts[0] + counts[1]);
        let pooled = (sums[0] + sums[1]) / seen;
        let (mut mean, mut square, mut lag) = (0.0, 0.0, 0.0);
        for v in 0..2 {
            let (weight, count) = (weights[v] / all, counts[v]);
            let (center, spread) = if count > 0.5 {
                let center = sums[v] / count;
                (center, (squares[v] - sums[v] * center).max(0.0))
            } else {
                (pooled, 0.0)
            };
            // A quarter keeps few equal answers from being without spread.
            let within = (spread + 0.25) / (count + f64::from(u8::from(count < 1.5)));
            mean += weight * center;
            square += weight * (within + center * center);
            if weights[v] > count + 0.5 {
                lag += weight * weight * within * (1.0 / count.max(0.5) - 1.0 / weights[v]);
            }
        }
        let total = (square - mean * mean).max(0.0);
        let rest = match self.target() {
            Target::TheseItems => (1.0 - all / size).max(0.0),
            Target::ItemsLikeThese => 1.0,
        };
        // The noise of answers is in what differs between items that are drawn anew.
        let noise = match &self.noise {
            Some(noise) if self.like_these.is_none() => noise.of_cell(arm.index()),
            _ => 0.0,
        };
        Some((mean, (lag + total * rest / all + noise / size).sqrt()))
    }

    /// Returns the greatest probability that the pool ever claims.
    pub(super) fn most(&self) -> f64 {
        if self.noise.is_some() || self.like_these.is_some() {
            1.0 - UNCERTAIN
        } else {
            1.0
        }
    }
}
