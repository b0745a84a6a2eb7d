//! Claim of a pool: the arm that can be named, and how often that is wrong.

use super::{
    Pool,
    pair::{Lead, by_own_luck},
};
use fiesta_core::{ArmId, Claim};
use std::iter;

/// Probability of error of a claim below which the leader's own luck is counted too.
const NEAR: f64 = 0.5;

impl Pool {
    /// Returns the arm that is ahead of all other candidates, with those that are known to be equal
    /// to it, and the probability that this is wrong for whoever looks after every answer. `None`
    /// without a candidate.
    pub(super) fn claim_of(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        let leader = self.front(candidates)?;
        let rule = self.rule();
        // The luck of several arms was measured on these items alone.
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
        let (mut sum, mut first, mut guard) = (0.0, 0.0_f64, 0.0_f64);
        let mut second = 0.0;
        let mut open = Vec::new();
        for rival in rivals().filter(|arm| !tied.contains(arm)) {
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
            sum += least.behind;
            guard = guard.max(least.guard);
            if least.behind > first {
                (first, second) = (least.behind, first);
            } else if least.behind > second {
                second = least.behind;
            }
            if !least.is_known() {
                open.push(least);
            }
        }
        let others = if is_of_these { sum - first } else { second };
        let eased = if first > 0.0 {
            guard * (rule.close * guard).min(1.0).powf(others / first)
        } else {
            guard
        };
        let mut error = eased.max(sum);
        if is_of_these && error < NEAR && open.len() > 1 {
            let of_leader = self.of_arm[leader.index()].answered;
            let is_mostly_right = of_leader[1] >= of_leader[0];
            error = error.max(by_own_luck(&mut open, is_mostly_right, rule));
        }
        let arms = iter::once(leader).chain(tied).collect();
        let error = error.clamp(1.0 - self.most(), 1.0);
        Some(Claim { arms, error })
    }
}
