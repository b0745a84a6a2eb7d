//! Claim of several benchmarks: the arm that can be named, and how often that is wrong.

use super::{Benchmark, Benchmarks, Sum};
use crate::pool::{Parts, Rule, UNCERTAIN, WATCHED, Watch, Watched, error, guard};
use fiesta_core::{ArmId, Claim, Target};
use std::iter;

impl Benchmarks {
    /// Returns the claim of a leader with these differences of two arms, the first with a margin.
    /// `None` unless every benchmark that counts is a pool.
    pub(super) fn claim_by(
        &self,
        leader: ArmId,
        margin: f64,
        candidates: &[ArmId],
        sum: impl Fn(ArmId, ArmId, f64) -> Option<Sum>,
    ) -> Option<Claim> {
        let pools = self.counting().map(|(_, of)| of.pool());
        let pools = pools.collect::<Option<Vec<_>>>()?;
        // Until each arm has its first answers everywhere, nobody is named.
        let has_begun = |arm: &ArmId| pools.iter().all(|pool| pool.has_begun(*arm));
        if !candidates.iter().all(has_begun) {
            let (arms, error) = (vec![leader], 1.0);
            return Some(Claim { arms, error });
        }
        let is_of_these = pools.iter().any(|pool| pool.target() == Target::TheseItems);
        let rivals = || candidates.iter().copied().filter(|&arm| arm != leader);
        let is_tied = |&rival: &ArmId| {
            let lead = sum(leader, rival, 0.0);
            margin <= 0.0 && lead.is_some_and(|lead| lead.is_known() && lead.z.abs() < 1.0)
        };
        let tied: Vec<ArmId> = rivals().filter(is_tied).collect();
        // Whoever is to be called no equal must be worse, and not only no better.
        let margin = if tied.is_empty() {
            margin
        } else {
            -0.5 * self.least_answer()
        };
        let watch = Watch {
            is_of_these,
            watched: if is_of_these {
                Rule::ANSWERS.watched
            } else {
                WATCHED
            },
            close: Rule::ANSWERS.close,
        };
        let watched = |rival: ArmId| {
            // Each of several arms that are equal has had its chance to be ahead of the rival.
            let equals = iter::once(leader).chain(tied.iter().copied());
            let leads = equals.filter_map(|equal| sum(equal, rival, margin));
            let least = leads.min_by(|a, b| a.z.total_cmp(&b.z))?;
            if least.is_known() {
                let is_ahead = least.z > 1.0;
                let wrong = f64::from(u8::from(!is_ahead));
                return Some(Watched {
                    behind: wrong,
                    guard: wrong,
                    parts: None,
                });
            }
            let differing = self.differing(leader, rival);
            let guard = guard(least.z, least.behind, differing, watch.watched);
            let parts = self.own_parts(leader, rival, margin);
            Some(Watched {
                behind: least.behind,
                guard,
                parts: is_of_these.then_some(parts),
            })
        };
        let open = rivals().filter(|arm| !tied.contains(arm));
        let open = open.map(watched).collect::<Option<Vec<_>>>()?;
        let error = error(&[open], Vec::new(), watch);
        let least = if is_of_these { 0.0 } else { UNCERTAIN };
        let arms = iter::once(leader).chain(tied).collect();
        let error = error.clamp(least, 1.0);
        Some(Claim { arms, error })
    }

    /// Returns what an answer that counts least adds to an arm's value.
    pub(super) fn least_answer(&self) -> f64 {
        let answers = self.counting().filter_map(|(weight, of)| {
            let Benchmark::Pool(pool) = of else {
                return None;
            };
            Some(weight * pool.answer_size())
        });
        answers.fold(f64::INFINITY, f64::min)
    }

    /// Returns the effective number W of items on which two arms differ.
    pub(super) fn differing(&self, leader: ArmId, rival: ArmId) -> f64 {
        let (mut sizes, mut squares) = (0.0, 0.0);
        for (weight, of) in self.counting() {
            if let Benchmark::Pool(pool) = of {
                let differing = pool.differing(leader, rival);
                let size = weight * differing.size;
                sizes += size * differing.items;
                squares += size * size * differing.items;
            }
        }
        if squares > 0.0 {
            sizes * sizes / squares
        } else {
            0.0
        }
    }

    /// Returns the two totals of a lead, of which the leader's luck has a share.
    fn own_parts(&self, leader: ArmId, rival: ArmId, margin: f64) -> Parts {
        let mut sum = Parts::default();
        let mut shift = margin;
        for (weight, of) in self.counting() {
            let Benchmark::Pool(pool) = of else {
                continue;
            };
            let Some(parts) = pool.own_parts(leader, rival) else {
                if let super::Part::Known(difference) = pool.part(leader, rival) {
                    shift += weight * difference;
                }
                continue;
            };
            let parts = parts.times(*weight);
            for side in 0..2 {
                sum.mean[side] += parts.mean[side];
                sum.variance[side] += parts.variance[side];
                sum.shared[side] += parts.shared[side];
            }
        }
        sum.mean[usize::from(shift < 0.0)] += shift.abs();
        sum.differences = self.differing(leader, rival);
        sum
    }
}
