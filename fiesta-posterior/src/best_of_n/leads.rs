//! Where the leader changes.

use super::BestOfN;
use fiesta_core::ArmId;

/// A range of n in which one arm leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lead {
    /// The arm with the highest probability.
    pub arm: ArmId,
    /// The first n.
    pub from: usize,
    /// The last n.
    pub to: usize,
    /// Its lowest probability in that range.
    pub lowest: f64,
    /// Its highest probability in that range.
    pub highest: f64,
}

/// A lead changes where another arm's probability becomes the highest and, before it falls back, exceeds that of the former leader by more
/// than two standard errors: what the draws alone decide is no change.
pub(super) fn leads(best: &BestOfN) -> Vec<Lead> {
    let mut leader = best.leader(1).0;
    let mut starts = vec![(1, leader)];
    let mut ahead: Option<(usize, ArmId)> = None;
    for n in 1..=best.largest_n() {
        let (arm, p) = best.leader(n);
        if arm == leader {
            ahead = None;
            continue;
        }
        let since = match ahead {
            Some((since, same)) if same == arm => since,
            _ => n,
        };
        ahead = Some((since, arm));
        let former = best.probability(n)[leader.index()];
        // Of two shares of the same draws: Var(p − q) = (p + q − (p − q)²)/draws.
        let variance = (p + former - (p - former).powi(2)) / f64::from(best.draws);
        if p - former > 2.0 * variance.sqrt() {
            leader = arm;
            starts.push((since, arm));
            ahead = None;
        }
    }
    let ends = starts.iter().skip(1).map(|&(from, _)| from - 1);
    let ends = ends.chain([best.largest_n()]);
    let lead = |(&(from, arm), to): (&(usize, ArmId), usize)| {
        let of = |n: usize| best.probability(n)[arm.index()];
        Lead {
            arm,
            from,
            to,
            lowest: (from..=to).map(of).fold(f64::INFINITY, f64::min),
            highest: (from..=to).map(of).fold(f64::NEG_INFINITY, f64::max),
        }
    };
    starts.iter().zip(ends).map(lead).collect()
}
