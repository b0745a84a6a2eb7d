//! Claim of a pool: the arms that can be named, and how often that is wrong.

use super::{
    Pool,
    noise::OfPair,
    pair::{EQUAL, Lead, Parts, Rule, by_own_luck, guard, paulson},
};
use crate::student::upper_tail;
use fiesta_core::{ArmId, Claim, DistanceClaim};

/// Probability of error of a claim below which the leader's own luck is counted too.
const NEAR: f64 = 0.5;

/// Lead over one rival, as far as the error of a claim depends on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watched {
    /// Probability that the rival is better than the leader.
    pub(crate) behind: f64,
    /// Probability that an arm ever leads by this much over a rival that is as good.
    pub(crate) guard: f64,
    /// The two totals whose difference the lead is. `None` where all answers of both are known.
    pub(crate) parts: Option<Parts>,
}

/// How claims are watched: the factor c of 1 + ln W, and the inverse chance of being passed below
/// which a rival counts less, both where the verdict is of these items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    pub(crate) is_of_these: bool,
    pub(crate) watched: f64,
    pub(crate) close: f64,
}

/// Returns the probability that it is wrong to name an arm with these leads over all rivals, or
/// several arms with the leads of each, for whoever looks after every answer. `unlucky` are leads of
/// several arms over one rival, whose own bad luck may bring it behind all of them.
pub(crate) fn error(leads: &[Vec<Watched>], unlucky: Vec<Vec<Parts>>, watch: Watch) -> f64 {
    let (mut sum, mut first, mut guard) = (0.0, 0.0_f64, 0.0_f64);
    let mut second = 0.0;
    for rival in leads.iter().flatten() {
        sum += rival.behind;
        guard = guard.max(rival.guard);
        if rival.behind > first {
            (first, second) = (rival.behind, first);
        } else if rival.behind > second {
            second = rival.behind;
        }
    }
    // The luck of several arms was measured on these items alone.
    let others = if watch.is_of_these {
        sum - first
    } else {
        second
    };
    let eased = if first > 0.0 {
        guard * (watch.close * guard).min(1.0).powf(others / first)
    } else {
        guard
    };
    let error = eased.max(sum);
    if !watch.is_of_these || error >= NEAR {
        return error;
    }
    let open = leads.iter().map(|of_arm| {
        let parts = of_arm.iter().filter_map(|rival| rival.parts);
        parts.collect()
    });
    let several = open
        .chain(unlucky)
        .filter(|open: &Vec<Parts>| open.len() > 1);
    let luck = several.map(|mut open| by_own_luck(&mut open, watch.watched));
    luck.fold(error, f64::max)
}

impl Pool {
    /// Returns the `top` arms that are ahead of all other candidates, with those that are known to be
    /// equal to one of them, and the probability that this is wrong for whoever looks after every
    /// answer: that any other candidate is better than any of these. `None` of fewer than `top`
    /// candidates.
    pub(super) fn claim_among(&self, top: usize, margin: f64, arms: &[ArmId]) -> Option<Claim> {
        let (mut inside, mut outside) = (Vec::new(), arms.to_vec());
        for _ in 0..top {
            let front = self.front(&outside)?;
            outside.retain(|&arm| arm != front);
            inside.push(front);
        }
        let is_of_these = self.like_these.is_none();
        let is_tied = |one, other| margin <= 0.0 && self.lead(one, other).is_tied();
        let is_equal = |arm: &ArmId| inside.iter().any(|&other| is_tied(other, *arm));
        let tied: Vec<ArmId> = outside.iter().copied().filter(is_equal).collect();
        // Whoever is to be called no equal must be worse, and not only no better.
        let margin = match tied[..] {
            [] => margin / self.unit(*inside.first()?),
            // The least that the F of two arms differ by may be less than half an item.
            _ if self.ones.is_some() => -1e-6,
            _ => -0.5,
        };
        let lead = |leader, rival, margin| {
            if margin == 0.0 {
                self.lead(leader, rival)
            } else {
                self.lead_with(leader, rival, margin)
            }
        };
        let watched = |leader: ArmId, rival: ArmId| {
            // Each of several arms that are equal has had its chance to be ahead of the rival.
            let equals = tied
                .iter()
                .filter(|&&arm| is_of_these && is_tied(leader, arm));
            let leads = equals.map(|&equal| lead(equal, rival, margin));
            let least = leads.fold(lead(leader, rival, margin), |least: Lead, other| {
                if other.z < least.z { other } else { least }
            });
            Watched {
                behind: least.behind,
                guard: least.guard,
                parts: (!least.is_known()).then(|| self.parts_of_own(leader, least.parts)),
            }
        };
        let of_arm = |&leader: &ArmId| {
            let open = outside.iter().filter(|&&rival| !is_tied(leader, rival));
            open.map(|&rival| watched(leader, rival)).collect()
        };
        let leads: Vec<Vec<Watched>> = inside.iter().map(of_arm).collect();
        let behind = |&rival: &ArmId| {
            let ahead = inside.iter().filter(|&&arm| !is_tied(arm, rival));
            let leads = ahead.map(|&arm| lead(rival, arm, -margin));
            let open = leads.filter(|lead| !lead.is_known());
            open.map(|lead| self.parts_of_own(rival, lead.parts).mirrored())
                .collect()
        };
        let unlucky = outside.iter().filter(|_| top > 1).map(behind).collect();
        let watch = Watch {
            is_of_these,
            watched: self.rule().watched,
            close: self.rule().close,
        };
        let error = error(&leads, unlucky, watch);
        let arms = inside.iter().copied().chain(tied).collect();
        let error = error.clamp(1.0 - self.most(), 1.0);
        Some(Claim { arms, error })
    }

    /// Returns the claim on whether one arm's total is at most a distance below another's. `None` before both have
    /// answers, and of answers that vary, of counts, and of items like these.
    ///
    /// Whichever arm has answered more items is the leader of the pair. Only what is not known is uncertain: the two gamma
    /// variables are of the answers that are left, and the known difference and the distance are added to the side that is
    /// ahead. Where all answers are 0 or 1, totals differ by whole items: the boundary is half an item beyond the greatest
    /// difference that is not above the distance.
    pub(super) fn distance_claim(
        &self,
        one: ArmId,
        other: ArmId,
        distance: f64,
    ) -> Option<DistanceClaim> {
        let is_other_kind = self.noise.is_some() || self.ones.is_some();
        if is_other_kind || self.like_these.is_some() {
            return None;
        }
        let of = [one, other].map(|arm| self.of_arm[arm.index()]);
        if of.iter().any(|of| of.count() < 0.5) {
            return None;
        }
        let items = distance.max(0.0) / self.unit(one);
        let is_whole = of.iter().all(|of| (of.sum - of.squares).abs() < EQUAL);
        let boundary = if is_whole {
            (items + EQUAL).floor() + 0.5
        } else {
            items
        };
        let is_behind = of[0].count() < of[1].count();
        let (leader, rival) = if is_behind {
            (other, one)
        } else {
            (one, other)
        };
        let (sums, size) = (self.sums(leader, rival), self.items as f64);
        let known = sums.known_sides();
        let ahead = known[0] - known[1] + if is_behind { -boundary } else { boundary };
        if sums.items.iter().sum::<f64>() > size - 0.5 {
            // Both have all answers, so that `one` is the leader.
            let z = if ahead > -EQUAL {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
            return Some(DistanceClaim { z, error: 0.0 });
        }
        let of_leader = self.of_arm[leader.index()].answered;
        let lead = Lead::new(&sums, of_leader, (size, 0.0), OfPair::NONE, Rule::DISTANCE);
        let Parts {
            mean,
            variance,
            differences,
            ..
        } = lead.parts;
        let mut left = [0, 1].map(|side| (mean[side] - known[side]).max(1e-6));
        left[usize::from(ahead < 0.0)] += ahead.abs();
        let z = paulson(left, variance);
        let tail = upper_tail(z.abs(), f64::INFINITY);
        let error = guard(z.abs(), tail, differences, Rule::DISTANCE.watched);
        let error = error.max(f64::MIN_POSITIVE);
        let z = if is_behind { -z } else { z };
        Some(DistanceClaim { z, error })
    }

    /// Returns the parts of a lead, with nothing shared on the side that a rival has of its own: the
    /// rarer side of the differences, the leader's where the leader is mostly right.
    pub(super) fn parts_of_own(&self, leader: ArmId, mut parts: Parts) -> Parts {
        let of_leader = self.of_arm[leader.index()].answered;
        let is_mostly_right = of_leader[1] >= of_leader[0];
        parts.shared[usize::from(!is_mostly_right)] = 0.0;
        parts
    }
}
