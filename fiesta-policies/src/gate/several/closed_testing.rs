//! Decisions on all versions of a gate at once, by closed testing of their evidence.

use super::Gate;
use crate::gate::{Answer, Evidence};
use fiesta_core::ArmId;

impl Gate {
    pub(super) fn demands(&self, arm: usize) -> impl Iterator<Item = &Evidence> {
        let of_constraints = self.constraints.iter();
        let of_constraints = of_constraints.filter_map(move |own| own.evidence.get(arm));
        self.evidence.get(arm).into_iter().chain(of_constraints)
    }

    /// Returns ln M for shipping a version: the least of all demands.
    pub(in crate::gate) fn for_shipping(&self, arm: usize) -> f64 {
        let most = -self.alphas()[0].ln();
        let all = self.demands(arm).map(|own| own.for_shipping_until(most));
        all.fold(f64::INFINITY, f64::min)
    }

    /// Returns ln M for blocking a version: that of the demand of which most is known, divided by their
    /// number.
    pub(in crate::gate) fn for_blocking(&self, arm: usize) -> f64 {
        let all = self.demands(arm).map(Evidence::for_blocking);
        let demands = (1 + self.constraints.len()) as f64;
        all.fold(f64::NEG_INFINITY, f64::max) - demands.ln()
    }

    /// Decides which undecided versions ship or are blocked by the evidence of all versions.
    pub(super) fn decide(&mut self, undecided: &[usize]) {
        let could =
            |&arm: &usize| self.for_shipping(arm).max(self.for_blocking(arm)) >= -self.alpha.ln();
        // No mean suffices that begins with less.
        if !undecided.iter().any(could) {
            return;
        }
        let versions: Vec<usize> = self.versions().map(ArmId::index).collect();
        let shown = |of: fn(&Self, usize) -> f64| {
            let all: Vec<f64> = versions.iter().map(|&arm| of(self, arm)).collect();
            let shown = versions.iter().zip(rejected(&all, self.alpha));
            shown
                .filter(|(_, is)| *is)
                .map(|(&arm, _)| arm)
                .collect::<Vec<_>>()
        };
        let (shipped, blocked) = (shown(Self::for_shipping), shown(Self::for_blocking));
        for &arm in undecided {
            let certain = self.evidence[arm].certain();
            let is_all =
                |answer: &Answer| *answer == Answer::Blocked || self.constraints.is_empty();
            let certain = certain.filter(is_all);
            self.answers[arm] = match (certain, shipped.contains(&arm), blocked.contains(&arm)) {
                (Some(answer), ..) => answer,
                (None, true, false) => Answer::Ships,
                (None, false, true) => Answer::Blocked,
                (None, ..) => Answer::Undecided,
            };
        }
    }
}

/// Returns for each of several ln M whether closed testing with their means rejects its hypothesis at
/// α: whether the mean over it and the k least others is at least 1/α for every k.
pub(super) fn rejected(all: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&one, &other| all[one].total_cmp(&all[other]));
    // M in units of 1/α.
    let scaled = |index: usize| (all[index] + alpha.ln()).exp();
    let suffices = |index: usize| {
        let (mut sum, mut count) = (scaled(index), 1.0);
        sum >= 1.0
            && order.iter().filter(|&&other| other != index).all(|&other| {
                sum += scaled(other);
                count += 1.0;
                sum >= count
            })
    };
    (0..all.len()).map(suffices).collect()
}
