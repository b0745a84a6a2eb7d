//! Ranges of n in which an arm leads with a stated confidence, or none does.

use super::BestOfN;
use fiesta_core::ArmId;

/// A range of n in which the same arm leads with the confidence that was asked for, or none does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeadRange {
    /// The arm whose probability is at least the confidence at every n of the range. `None` where
    /// no arm's is.
    pub arm: Option<ArmId>,
    /// The first n of the range.
    pub from: usize,
    /// The last n of the range.
    pub to: usize,
    /// The arms that have the highest probability at some n of the range, in the order of n.
    pub highest_arms: Vec<ArmId>,
    /// The lowest leading probability in the range.
    pub lowest: f64,
    /// The highest probability in the range.
    pub highest: f64,
}

/// Returns the ranges of n by leading arm: they cover every n, in order, and neighbours differ in
/// their arm.
pub(super) fn leads(best: &BestOfN, confidence: f64) -> Vec<LeadRange> {
    let mut leads: Vec<LeadRange> = Vec::new();
    for n in 1..=best.largest_n() {
        let (leader, p) = best.leader(n);
        let arm = (p >= confidence).then_some(leader);
        match leads.last_mut() {
            Some(lead) if lead.arm == arm => {
                lead.to = n;
                lead.lowest = lead.lowest.min(p);
                lead.highest = lead.highest.max(p);
                if !lead.highest_arms.contains(&leader) {
                    lead.highest_arms.push(leader);
                }
            }
            _ => leads.push(LeadRange {
                arm,
                from: n,
                to: n,
                highest_arms: vec![leader],
                lowest: p,
                highest: p,
            }),
        }
    }
    leads
}
