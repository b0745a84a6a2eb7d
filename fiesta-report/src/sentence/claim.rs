//! Claim of the sentence to quote: which arm was chosen, and with what kind of confidence.

use super::Setting;
use crate::{CostUnit, cost_unit::limit_with_unit, expected_loss, percent};
use fiesta_core::{Assumption, Conclusion, Limit, Reason};

/// Says which arm was chosen, how sure that is and of what kind the confidence is.
pub(super) fn claim(conclusion: &Conclusion, setting: &Setting<'_>) -> String {
    let Setting { arm, arms, .. } = setting;
    let metric = &*setting.metric();
    if let Some(tie) = setting.tie.filter(|_| asks_for_one(&conclusion.reason)) {
        let claim = tie.claim(setting.arms, metric);
        return format!("{}{claim}", circumstances(&conclusion.reason, setting));
    }
    let is_short = is_short(&conclusion.reason);
    if let Some(within) = setting.cheapest_within.filter(|_| is_short) {
        return format!(
            "{}{arm} is recommended as {} of {arms} arms by {metric}; no level of confidence is claimed",
            circumstances(&conclusion.reason, setting),
            cheapest_within(within)
        );
    }
    match (&conclusion.reason, setting.probability) {
        (Reason::PosteriorProbability { .. }, Some(p)) => {
            format!("With {p} posterior probability, {arm} is the best of {arms} arms by {metric}")
        }
        (Reason::Tolerance { level, tolerance }, _) => format!(
            "With at least {} posterior probability, {arm} is within {tolerance} of the best of {arms} arms by {metric}",
            percent(*level)
        ),
        (Reason::CheapestWithin { level, within }, _) => {
            let sure = match percent(*level) {
                _ if *level >= 1.0 => "All answers that decide are known:".to_owned(),
                level if setting.noun == "item" => format!("At a confidence of {level},"),
                level => format!("With at least {level} posterior probability,"),
            };
            let sought = cheapest_within(*within);
            format!("{sure} {arm} is {sought} of {arms} arms by {metric}")
        }
        (Reason::Shortfall { bound, shortfall }, _) => format!(
            "{arm} is chosen among {arms} arms by {metric}: under the posterior, this choice is expected to lose {}, and no more than {bound} was asked for",
            expected_loss(*shortfall, setting.decimals)
        ),
        (
            Reason::AnytimeValid {
                level,
                tolerance,
                assumes,
            },
            _,
        ) => format!(
            "{arm} is {} of {arms} arms by {metric}: for {}, the anytime-valid test behind this errs in at most {} of studies",
            best_within(*tolerance),
            assumed(*assumes),
            percent(1.0 - level)
        ),
        (Reason::Limit(limit), Some(p)) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}, with {p} posterior probability of being the best; the limit ended the study, so that no level of confidence is claimed",
            spent(limit, setting.cost_unit)
        ),
        (Reason::Limit(limit), None) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}; too little is known for a probability",
            spent(limit, setting.cost_unit)
        ),
        (Reason::Exhausted, p) => format!(
            "With {}, {arm} is recommended among {arms} arms by {metric}{}; {}",
            all_used(setting),
            being_best(p, ", too little being known for a probability"),
            match (setting.unanswered, setting.noun) {
                (Some(_), _) => "what is missing may decide otherwise".to_owned(),
                (None, "split") =>
                    "more splits, or more seeds on these, would tell more".to_owned(),
                (None, noun) => format!("nothing more can be learnt from these {noun}s"),
            },
        ),
        (Reason::OnlyCandidate, _) => format!(
            "{arm} is the only one of {arms} arms that could be evaluated; it was not compared with any other"
        ),
        (_, p) => format!(
            "{arm} is chosen among {arms} arms by {metric}{}",
            being_best(p, "")
        ),
    }
}

/// Returns the words for the best arm or, with a `tolerance` above 0, for an arm within it of the best.
pub(crate) fn best_within(tolerance: f64) -> String {
    if tolerance > 0.0 {
        format!("within {tolerance} of the best")
    } else {
        "the best".to_owned()
    }
}

/// Returns the words for the cheapest arm within a distance of the best.
pub(crate) fn cheapest_within(within: f64) -> String {
    format!("the cheapest arm, by mean cost, within {within} of the best")
}

/// Returns whether a study ended before what was asked of it was known.
pub(crate) fn is_short(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Limit(_) | Reason::Exhausted | Reason::Schedule
    )
}

/// Tells how probably an arm is the best, as the end of a sentence; `unknown` without a probability.
pub(crate) fn being_best(p: Option<&str>, unknown: &str) -> String {
    p.map_or(unknown.to_owned(), |p| {
        format!(", with {p} posterior probability of being the best")
    })
}

/// Returns the words for scores for which an anytime-valid test keeps its rate of errors.
pub(crate) fn assumed(assumes: Assumption) -> &'static str {
    match assumes {
        Assumption::Bounded => "scores within the bounds of the metric",
        _ => "Gaussian scores",
    }
}

/// Says what ended a study that names no single best arm, as the beginning of a sentence.
fn circumstances(reason: &Reason, setting: &Setting<'_>) -> String {
    match reason {
        Reason::Limit(limit) => format!("After {}, ", spent(limit, setting.cost_unit)),
        Reason::Exhausted => format!("With {}, ", all_used(setting)),
        _ => String::new(),
    }
}

/// Says that no case is left for the arms that may be the best; with the answers that failed.
fn all_used(setting: &Setting<'_>) -> String {
    let used = match (setting.noun, setting.unanswered) {
        ("item", None) => "every item of the pool answered",
        ("item", Some(_)) => "every item of the pool asked",
        ("document", _) => "every document of the collection queried",
        _ => "every split used by the arms that may be the best",
    };
    match setting.unanswered {
        Some(arms) => format!("{used}, and some evaluations failed ({arms})"),
        None => used.to_owned(),
    }
}

/// Returns whether the study sought the one best arm, which no single one of several tied arms is
/// known to be. `false` if it sought an arm that is good enough, as each tied arm is.
pub(crate) fn asks_for_one(reason: &Reason) -> bool {
    match reason {
        Reason::Tolerance { .. }
        | Reason::CheapestWithin { .. }
        | Reason::Shortfall { .. }
        | Reason::Gate { .. } => false,
        Reason::AnytimeValid { tolerance, .. } => *tolerance <= 0.0,
        _ => true,
    }
}

/// Returns the limit that ended a study, in words.
pub(crate) fn spent(limit: &Limit, unit: Option<&CostUnit>) -> String {
    match limit {
        Limit::Evaluations(count) => format!("the limit of {count} evaluations"),
        Limit::Cost(cost) => format!("the limit of {} in cost", limit_with_unit(*cost, unit)),
        Limit::Wall(seconds) => format!("the limit of {seconds:.0} s"),
        _ => "a limit".to_owned(),
    }
}
