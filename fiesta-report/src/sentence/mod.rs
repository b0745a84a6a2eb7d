//! Sentence that states a study's conclusion, to be quoted in a paper.

mod claim;
#[cfg(test)]
mod tests;
mod tie;

pub(crate) use claim::asks_for_one;
#[cfg(all(feature = "analysis", feature = "html"))]
pub(crate) use claim::assumed;
pub(crate) use claim::spent;
#[cfg(feature = "analysis")]
pub(crate) use claim::{being_best, best_within, cheapest_within, is_short};
pub use tie::TieWords;

use crate::{
    CostUnit, percent,
    words::{count, one_or_more},
};
use claim::claim;
use fiesta_core::{Conclusion, Design};
use std::{borrow::Cow, fmt};

/// Setting of a sentence about a conclusion: what it needs to know of the study, as it stands now:
/// evaluations that ended after the decision are counted like any other, and the decision's own
/// numbers are those of the [`Conclusion`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// The name of the recommended arm.
    pub(crate) arm: &'a str,
    /// Number of arms that were compared.
    pub(crate) arms: ArmCount,
    /// Text of the recommended arm's P(best) now, as tables print it
    /// ([`Percentages`](crate::Percentages)); none while too little is known.
    pub(crate) probability: Option<&'a str>,
    /// Arm with the highest P(best) now, and its P(best) as tables print it, if evaluations that
    /// ended after the decision made it overtake the recommended arm. `None` if no arm has.
    pub(crate) overtaken_by: Option<(&'a str, &'a str)>,
    /// The arms that are tied with the recommended one, if any are.
    pub(crate) tie: Option<&'a TieWords>,
    /// Distance below the best at which the study seeks the cheapest arm. `None` if it seeks the best.
    pub(crate) cheapest_within: Option<f64>,
    /// Number of evaluations that have ended by now, failed ones included.
    pub(crate) evaluations: u64,
    /// Number of evaluations that failed.
    pub(crate) failed: u64,
    /// Name of the metric.
    pub(crate) metric: &'a str,
    /// Number of different splits, or documents, that the evaluations were made on.
    pub(crate) splits: usize,
    /// How splits or documents were handed out.
    pub(crate) design: Design,
    /// Noun for the cases: split, item or document.
    pub(crate) noun: &'a str,
    /// Arms that lack answers, as these failed, with their numbers; `None` if none does.
    pub(crate) unanswered: Option<&'a str>,
    /// Whether answers vary, and items were asked again.
    pub(crate) repeats: bool,
    /// Number of decimals that scores deserve.
    pub(crate) decimals: usize,
    /// Unit of costs, if they have one.
    pub(crate) cost_unit: Option<&'a CostUnit>,
    /// The version of the program.
    pub(crate) version: &'a str,
}

/// How many arms were compared, of how many: "8", or "7 of 8" where one has no score or was retired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArmCount {
    /// Number of arms that were compared.
    pub(crate) compared: usize,
    /// Number of all arms.
    pub(crate) all: usize,
}

impl From<usize> for ArmCount {
    fn from(all: usize) -> Self {
        Self { compared: all, all }
    }
}

impl fmt::Display for ArmCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.compared < self.all {
            write!(f, "{} of ", self.compared)?;
        }
        write!(f, "{}", self.all)
    }
}

impl Setting<'_> {
    fn where_made(&self) -> String {
        let made = where_made(self.design, self.splits, self.noun);
        if self.repeats {
            format!("{made}, some asked again as answers vary")
        } else {
            made
        }
    }

    /// Returns what arms are compared by.
    fn metric(&self) -> Cow<'_, str> {
        if self.repeats {
            format!("expected {}", self.metric).into()
        } else {
            self.metric.into()
        }
    }

    /// Returns what it took: evaluations, failures, splits, and the program's version.
    pub(crate) fn effort(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} of which failed,"),
        };
        format!(
            "{} evaluations{failed} on {}; FIESTA {}",
            self.evaluations,
            self.where_made(),
            self.version
        )
    }
}

/// Writes one sentence that says which arm was chosen, how sure that is and of what kind the
/// confidence is, and what it took; then, if evaluations ended after the decision, another one with
/// the decision's numbers.
pub(crate) fn sentence(conclusion: &Conclusion, setting: &Setting<'_>) -> String {
    let Setting { arm, arms, .. } = setting;
    let metric = &*setting.metric();
    let late = setting.evaluations.saturating_sub(conclusion.evaluations);
    let decided = decided(conclusion);
    if let (Some((other, q)), true) = (setting.overtaken_by, late > 0) {
        let p = setting.probability.unwrap_or("no");
        return format!(
            "{arm} was chosen among {arms} arms by {metric} {decided}; with the {} counted that ended afterwards, it is the best with {p} posterior probability and {other} with {q} ({}).",
            count(late, "evaluation"),
            setting.effort()
        );
    }
    let mut claim = format!("{} ({}).", claim(conclusion, setting), setting.effort());
    if let Some(tie) = setting.tie.filter(|_| !asks_for_one(&conclusion.reason)) {
        claim = format!("{claim} {}.", tie.plain());
    }
    with_late(claim, &decided, late)
}

/// Adds to a sentence when the study was decided, if `late` evaluations ended afterwards.
pub(crate) fn with_late(sentence: String, decided: &str, late: u64) -> String {
    if late == 0 {
        return sentence;
    }
    let are = one_or_more(late, "is", "are");
    format!("{sentence} It was decided {decided}; {late} more ended afterwards and {are} counted.")
}

/// Says when a study was decided, and how sure it was then.
pub(crate) fn decided(conclusion: &Conclusion) -> String {
    let p = conclusion.probability.map(percent);
    let p = p.map_or_else(String::new, |p| format!(", with {p} posterior probability"));
    format!("after {}{p}", count(conclusion.evaluations, "evaluation"))
}

/// Returns in words how many splits, or items with this noun, of a design evaluations were made on.
pub(crate) fn where_made(design: Design, splits: usize, noun: &str) -> String {
    match design {
        Design::Shared => count(splits, "shared split"),
        Design::Independent => count(splits, "independent split"),
        Design::Fixed => {
            "one fixed split, so that the conclusion holds for that split only".to_owned()
        }
        Design::Items { count } => format!("{splits} of {count} {noun}s"),
    }
}
