//! Notice about how a study ended: failures that may decide, nothing known, nothing left to evaluate,
//! a doubtful assumption, the default limit.

use super::{StudyFacts, StudyFindings};
use fiesta_core::{Limits, Reason};

impl StudyFindings<'_> {
    /// Returns what is to be said of how the study ended, beside its result. `None` before the end.
    pub fn notice(&self) -> Option<String> {
        let reason = &self.facts.conclusion.as_ref()?.reason;
        self.advice_on_failures()
            .or_else(|| of_the_end(self.facts, reason))
    }
}

fn of_the_end(facts: &StudyFacts, reason: &Reason) -> Option<String> {
    if !facts.is_known() {
        return Some(of_nothing(facts, reason));
    }
    if let Some(gate) = facts.gate.as_ref().filter(|gate| !gate.is_decided()) {
        let noun = facts.noun;
        return Some(format!(
            "the gate ended before every arm was decided against {}: more {noun}s, or a larger budget under [goal], would tell more",
            facts.name(gate.baseline)
        ));
    }
    match reason {
        Reason::Exhausted if facts.unanswered().is_some() => Some(format!(
            "{}: what is missing may decide which arm is best",
            facts.used_up()
        )),
        Reason::Exhausted if !facts.is_of_items() => Some(out_of_splits(facts)),
        Reason::Exhausted if facts.confidence.is_some() => Some(format!(
            "{} without reaching the confidence: the best arms may be equal, or nearly so, on these {noun}s, and only more {noun}s would tell more",
            facts.used_up(),
            noun = facts.noun
        )),
        Reason::AnytimeValid { .. } | Reason::Gate { .. } => facts.doubt(),
        _ => facts.is_capped().map(capped),
    }
}

fn of_nothing(facts: &StudyFacts, reason: &Reason) -> String {
    let text = match reason {
        Reason::Schedule => "every trial failed, so nothing is known about the arms",
        Reason::Exhausted => {
            return format!(
                "{} and no evaluation succeeded, so nothing is known about the arms",
                facts.all_asked()
            );
        }
        _ => {
            "a limit was reached before any evaluation produced a score, so nothing is known about the arms; raise the budget under [goal]"
        }
    };
    text.to_owned()
}

fn out_of_splits(facts: &StudyFacts) -> String {
    let short = match (&facts.search, facts.confidence) {
        (Some(_), _) => "before every arm had its trials",
        (None, Some(_)) => {
            "without reaching the confidence: the best arms may be equal, or nearly so, on these splits"
        }
        (None, None) => "before the budget was spent",
    };
    let again = match facts.search {
        Some(_) => "",
        None => {
            "; or add repeats = true there, by which arms get other seeds on the same splits, and the verdict is of these splits"
        }
    };
    format!(
        "every split was used {short}; if there are more, raise their number under [design] and go on with --accept-changes{again}"
    )
}

fn capped(cap: u64) -> String {
    format!(
        "stopped at the default cap of {cap} evaluations ({} per arm) without reaching the confidence: the best arms may be equal, or nearly so; a larger budget goes under [goal] budget = {{ evaluations = … }}, and a difference that does not matter under [goal] tolerance = …",
        Limits::CAP_PER_ARM
    )
}
