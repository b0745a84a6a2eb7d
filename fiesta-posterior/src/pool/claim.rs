//! Claim of a pool: the arm that can be named, and how often that is wrong.

use super::{
    Pool,
    pair::{Lead, Parts, by_own_luck},
};
use fiesta_core::{ArmId, Claim};
use std::iter;

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

/// Returns the probability that it is wrong to name an arm with these leads over all rivals, for
/// whoever looks after every answer.
pub(crate) fn error(rivals: impl Iterator<Item = Watched>, watch: Watch) -> f64 {
    let (mut sum, mut first, mut guard) = (0.0, 0.0_f64, 0.0_f64);
    let mut second = 0.0;
    let mut open = Vec::new();
    for rival in rivals {
        sum += rival.behind;
        guard = guard.max(rival.guard);
        if rival.behind > first {
            (first, second) = (rival.behind, first);
        } else if rival.behind > second {
            second = rival.behind;
        }
        open.extend(rival.parts);
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
    if watch.is_of_these && error < NEAR && open.len() > 1 {
        return error.max(by_own_luck(&mut open, watch.watched));
    }
    error
}

impl Pool {
    /// Returns the arm that is ahead of all other candidates, with those that are known to be equal
    /// to it, and the probability that this is wrong for whoever looks after every answer. `None`
    /// without a candidate.
    pub(super) fn claim_of(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        let leader = self.front(candidates)?;
        let is_of_these = self.like_these.is_none();
        let rivals = || candidates.iter().copied().filter(|&arm| arm != leader);
        let is_tied = |&rival: &ArmId| margin <= 0.0 && self.lead(leader, rival).is_tied();
        let tied: Vec<ArmId> = rivals().filter(is_tied).collect();
        // Whoever is to be called no equal must be worse, and not only no better.
        let margin = match tied[..] {
            [] => margin / self.unit(leader),
            // The least that the F of two arms differ by may be less than half an item.
            _ if self.ones.is_some() => -1e-6,
            _ => -0.5,
        };
        let lead = |leader, rival| {
            if margin == 0.0 {
                self.lead(leader, rival)
            } else {
                self.lead_with(leader, rival, margin)
            }
        };
        let watched = |rival: ArmId| {
            let of_leader = lead(leader, rival);
            // Each of several arms that are equal has had its chance to be ahead of the rival.
            let equals = tied.iter().filter(|_| is_of_these);
            let leads = equals.map(|&equal| lead(equal, rival));
            let least = leads.fold(
                of_leader,
                |least: Lead, other| {
                    if other.z < least.z { other } else { least }
                },
            );
            Watched {
                behind: least.behind,
                guard: least.guard,
                parts: (!least.is_known()).then(|| self.parts_of_own(leader, least.parts)),
            }
        };
        let open = rivals().filter(|arm| !tied.contains(arm));
        let watch = Watch {
            is_of_these,
            watched: self.rule().watched,
            close: self.rule().close,
        };
        let error = error(open.map(watched), watch);
        let arms = iter::once(leader).chain(tied).collect();
        let error = error.clamp(1.0 - self.most(), 1.0);
        Some(Claim { arms, error })
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
