//! The winner of a search in a study of its best settings: what is fixed before the first evaluation.

use super::{Study, StudyError, error::Source, file::StudyFile, own::Method};
use fiesta_core::{ArmId, Arms};
use fiesta_policies::{
    has_schedule,
    stopping::{LEAST_EVALUATIONS, assumption},
};

/// The winner of a search, and what the search said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SearchWinner {
    /// Arm with the setting that had the best score in the search.
    pub(crate) arm: ArmId,
    /// Score of this setting in the search.
    pub(crate) score: f64,
    /// How many of the arm's evaluations are compared with the score.
    pub(crate) first: u64,
    /// Arm with the default setting. `None` if there is none, or it is the winner.
    pub(crate) default: Option<ArmId>,
}

/// Reads the winner of a search in a study file with this policy and stopping rule. `None` if the file
/// names none.
///
/// A rule that waits for [`LEAST_EVALUATIONS`] of the best two arms cannot end a study before the
/// policy has made as many of the winner, if that comes first. A test that may stop at any time can.
pub(super) fn search_winner(
    source: &Source<'_>,
    file: &StudyFile,
    arms: &Arms,
    (policy, stopping): (&str, &str),
) -> Result<Option<SearchWinner>, StudyError> {
    let Some(table) = &file.search_winner else {
        return Ok(None);
    };
    let wrong = |key: &str, message: String| Err(source.wrong(&["search_winner", key], message));
    let find = |name: &str| arms.ids().find(|&arm| arms.name(arm) == name);
    let unknown = |name: &str| {
        let names = arms.names().join(", ");
        format!("there is no arm `{name}`: the arms are {names}")
    };
    let Some(arm) = find(&table.arm) else {
        return wrong("arm", unknown(&table.arm));
    };
    if !table.score.is_finite() {
        let message = format!("score = {} is no score: give a number", table.score);
        return wrong("score", message);
    }
    if !(2..=LEAST_EVALUATIONS).contains(&table.first) {
        let message = format!(
            "first = {}: give how many evaluations of the winner are compared with the search, 2 to {LEAST_EVALUATIONS}",
            table.first
        );
        return wrong("first", message);
    }
    let default = match &table.default {
        None => None,
        Some(name) => match find(name) {
            Some(default) => Some(default).filter(|&default| default != arm),
            None => return wrong("default", unknown(name)),
        },
    };
    if file.goal.trials.is_some() {
        let message = "a random search draws its settings, and confirms none: leave search_winner or trials out";
        return wrong("arm", message.to_owned());
    }
    let other = if file.design.pool().is_some() {
        Some("a study of items".to_owned())
    } else if file.goal.baseline.is_some() {
        Some("a gate".to_owned())
    } else if !file.recorded.is_empty() {
        Some("a study with recorded scores".to_owned())
    } else if matches!(
        file.design.stopping,
        Some(Method::Own(_) | Method::Command(_))
    ) {
        Some("a stopping rule of a program".to_owned())
    } else if has_schedule(policy) {
        Some(format!(
            "the policy {policy}, which divides its budget beforehand,"
        ))
    } else {
        let is_anytime = assumption(stopping).is_some();
        is_anytime.then(|| format!("the stopping rule {stopping}"))
    };
    if let Some(other) = other {
        let message = format!(
            "{other} may end before the winner's first evaluations are made, so that their mean would be no unbiased one: leave search_winner or that out"
        );
        return wrong("arm", message);
    }
    Ok(Some(SearchWinner {
        arm,
        score: table.score,
        first: table.first,
        default,
    }))
}

impl Study {
    /// Returns the winner of the search whose best settings are the arms, if the file names one.
    pub(crate) fn search_winner(&self) -> Option<&SearchWinner> {
        self.search_winner.as_ref()
    }
}
