//! The best arms of a study that names several, and how sure that is, in words and numbers.

use super::{StudyFacts, StudyFindings};
use crate::{
    percent,
    sentence::spent,
    words::{at_most, listed},
};
use fiesta_core::{ArmId, Reason};
use serde::Serialize;

/// The best arms of a study with `top`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TopReport {
    /// Number of arms that the study is to name.
    pub count: usize,
    /// Names of the arms: those of the decision, or those that lead.
    pub arms: Vec<String>,
    /// Least posterior probability that no other arm is better than any of these.
    pub probability: f64,
}

impl StudyFacts {
    /// Returns the best arms of a study that names several: those of the conclusion, or those that
    /// lead now. `None` in other studies, and while too little is known.
    pub fn top(&self) -> Option<TopReport> {
        let belief = self.belief.as_ref().filter(|_| self.top > 1)?;
        let arms = match self.conclusion.as_ref().map(|ended| &ended.reason) {
            Some(Reason::Top { arms, .. } | Reason::Tied { arms, .. }) => {
                arms.iter().copied().take(self.top).collect()
            }
            _ => belief.leaders(self.top),
        };
        Some(TopReport {
            count: self.top,
            arms: self.names_of(&arms),
            probability: belief.of_all(&arms).clamp(0.0, 1.0),
        })
    }

    fn names_of(&self, arms: &[ArmId]) -> Vec<String> {
        arms.iter().map(|&arm| self.name(arm).to_owned()).collect()
    }
}

impl StudyFindings<'_> {
    /// Says which arms are the best ones, how sure that is and why the study ended, without a full
    /// stop. `None` in studies that name one arm, and while too little is known.
    pub fn top_in_words(&self) -> Option<String> {
        let facts = self.facts;
        let top = facts.top()?;
        let names = listed(&top.arms, top.count);
        let target = facts.target();
        let best = format!(
            "best {} of {} arms by {target}",
            top.count,
            self.arm_count()
        );
        let with = match percent(top.probability) {
            p if p.starts_with(['<', '>']) => format!("with {p} posterior probability"),
            p => format!("with at least {p} posterior probability"),
        };
        let Some(conclusion) = &facts.conclusion else {
            return Some(format!("{names} lead as the {best} so far, {with}"));
        };
        Some(match &conclusion.reason {
            Reason::Top {
                level, tolerance, ..
            } if *tolerance > 0.0 => format!(
                "{names} are the {best}, or within {} of these, with at least {} posterior probability",
                at_most(*tolerance),
                percent(*level)
            ),
            Reason::Top { .. } => format!("{names} are the {best}, {with}"),
            Reason::Tied {
                level,
                tolerance,
                arms,
            } => {
                let near = match *tolerance {
                    tolerance if tolerance > 0.0 => format!(
                        "within {} of them with at least {} posterior probability",
                        at_most(tolerance),
                        percent(*level)
                    ),
                    _ => "equal to one".to_owned(),
                };
                let among = listed(&facts.names_of(arms), arms.len());
                format!("The {best} are among {among}, each of which is one of them or {near}")
            }
            Reason::Limit(limit) => format!(
                "After {}, {names} lead as the {best}, {with}; the limit ended the study, so that no level of confidence is claimed",
                spent(limit, facts.cost_unit.as_ref())
            ),
            Reason::OnlyCandidate => format!(
                "No more than {} of {} arms could be evaluated, and were compared with no other",
                self.compared(),
                facts.arms.len()
            ),
            _ => format!("{names} lead as the {best}, {with}; {}", facts.used_up()),
        })
    }
}
