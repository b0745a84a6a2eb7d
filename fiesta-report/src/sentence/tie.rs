//! Words for tied arms: which they are, at what score, and how probably the best is one of them.

use super::ArmCount;
use crate::{Percentages, at_most, percent, summary::Tie, words};

/// Arms that no evaluation tells apart, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TieWords {
    /// How many arms are tied.
    pub(crate) arms: usize,
    plain: String,
    /// Probability that the best is one of the arms, and the greatest P(best) of one of them.
    probability: Option<(String, String)>,
}

/// Greatest number of tied arms that are named one by one.
const NAMED: usize = 6;

impl TieWords {
    /// A tie of arms, given the names of all arms and, once enough is known, P(best) of each.
    pub(crate) fn new(tie: &Tie, names: &[&str], belief: Option<&Percentages>) -> Self {
        let tied = listed(&tie.arms, names);
        let why = match tie.common {
            Some(common) => format!("no difference in any of their {common} common evaluations"),
            None => "every score of each of them is the same".to_owned(),
        };
        Self {
            arms: tie.arms.len(),
            plain: format!("{tied} are tied at {:.4}: {why}", tie.value),
            probability: probability(&tie.arms, belief),
        }
    }

    /// Arms at these places, each of which is within `tolerance` of the best with the probability
    /// `level`, given the names of all arms and, once enough is known, P(best) of each.
    pub(crate) fn within(
        tolerance: f64,
        level: f64,
        arms: &[usize],
        names: &[&str],
        belief: Option<&Percentages>,
    ) -> Self {
        Self {
            arms: arms.len(),
            plain: format!(
                "{} cannot be told apart: each of them is within {} of the best with at least {} posterior probability",
                listed(arms, names),
                at_most(tolerance),
                percent(level)
            ),
            probability: probability(arms, belief),
        }
    }

    /// Tells which arms are tied, at what score, and on how many evaluations.
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// Tells which arms are tied, and what that means for which of the arms is the best, without a
    /// full stop.
    pub(crate) fn claim(&self, arms: ArmCount, metric: &str) -> String {
        let rest = match &self.probability {
            Some((_, greatest)) if self.arms == arms.compared => format!(
                "each of the {arms} arms is the best by {metric} with at most {greatest} posterior probability"
            ),
            Some((together, _)) => format!(
                "with {together} posterior probability, the best of {arms} arms by {metric} is one of them"
            ),
            None => format!(
                "{} of {arms} arms is better by {metric}; too little is known for a probability",
                if self.arms == arms.compared {
                    "none"
                } else {
                    "no other"
                }
            ),
        };
        format!("{}; {rest}", self.plain)
    }
}

/// Lists the names of the arms at these places, up to the greatest number that is named one by one.
fn listed(arms: &[usize], names: &[&str]) -> String {
    let names: Vec<&str> = arms.iter().map(|&arm| names[arm]).collect();
    words::listed(&names, NAMED)
}

/// Returns P(the best is one of these), and the greatest P(best) of one of them.
fn probability(arms: &[usize], belief: Option<&Percentages>) -> Option<(String, String)> {
    let belief = belief?;
    let greatest = belief.greatest(arms)?;
    Some((belief.together(arms), greatest))
}
