//! The budget of a study, and the durations that its file writes.

use super::{StudyError, error::Source, file::GoalTable};
use fiesta_core::Limits;
use std::time::Duration;

/// Returns the limits of a study: evaluations, cost and time. Studies of documents end with their
/// collection, random searches with their trials, and need no cap. Studies whose items are asked
/// again do: `again` is their number of items.
pub(super) fn limits(
    goal: &GoalTable,
    arms: usize,
    (of_documents, again): (bool, Option<u64>),
    cost_unit: Option<&str>,
) -> Limits {
    let budget = goal.budget.as_ref();
    let mut limits = Limits {
        evaluations: budget.and_then(|budget| budget.evaluations),
        cost: budget.and_then(|budget| budget.cost.as_ref()?.number(cost_unit)),
        wall: budget.and_then(|budget| seconds(budget.wall.as_ref()?)),
    };
    if is_capped_by_default(goal, of_documents) {
        limits.evaluations = Some(Limits::CAP_PER_ARM * arms as u64);
    }
    if let Some(items) = again.filter(|_| is_capped_by_default(goal, false)) {
        limits.evaluations = Limits::by_default_with_repeats(arms, items).evaluations;
    }
    limits
}

/// Whether the limit of evaluations is the default, and not set by the user.
pub(super) fn is_capped_by_default(goal: &GoalTable, of_documents: bool) -> bool {
    goal.budget.is_none() && goal.trials.is_none() && !of_documents
}

/// Reads a duration such as `2h 30m` as seconds.
fn seconds(text: &str) -> Option<f64> {
    let duration = humantime::parse_duration(text).ok()?;
    Some(duration.as_secs_f64())
}

/// Checks the budget of a study.
pub(super) fn check_budget(
    source: &Source<'_>,
    goal: &GoalTable,
    arms: usize,
    cost_unit: Option<&str>,
) -> Result<(), StudyError> {
    let Some(budget) = &goal.budget else {
        return Ok(());
    };
    if budget.evaluations.is_none() && budget.cost.is_none() && budget.wall.is_none() {
        let message = "the budget is empty: give it evaluations, cost or wall, or leave it out";
        return Err(source.wrong(&["goal", "budget"], message));
    }
    let key = |name| ["goal", "budget", name];
    if let Some(evaluations) = budget.evaluations.filter(|&most| most < arms as u64) {
        let message = format!(
            "a budget of {evaluations} evaluations does not even give each of the {arms} arms one"
        );
        return Err(source.wrong(&key("evaluations"), message));
    }
    if let Some(wall) = &budget.wall {
        some_time(source, &key("wall"), wall)?;
    }
    let wrong = |message: String| Err(source.wrong(&key("cost"), message));
    match &budget.cost {
        Some(cost)
            if !cost
                .number(cost_unit)
                .is_some_and(|cost| cost.is_finite() && cost > 0.0) =>
        {
            wrong("a budget of cost must be a number above zero or a duration".to_owned())
        }
        _ => Ok(()),
    }
}

/// Reads the duration under a key of the study file. The error names the last part of the key.
pub(super) fn duration(
    source: &Source<'_>,
    key: &[&str],
    text: &str,
) -> Result<Duration, StudyError> {
    let name = key.last().copied().unwrap_or_default();
    any_time_of(name, text).map_err(|message| source.wrong(key, message))
}

fn any_time_of(name: &str, text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| {
        format!(
            "{name} = \"{text}\" is no duration ({error}): write for example \"90s\", \"15m\" or \"2h 30m\""
        )
    })
}

/// Reads a duration that is not zero.
pub(super) fn some_time(
    source: &Source<'_>,
    key: &[&str],
    text: &str,
) -> Result<Duration, StudyError> {
    let name = key.last().copied().unwrap_or_default();
    time_of(name, text).map_err(|message| source.wrong(key, message))
}

/// Reads a duration that is not zero, such as `"90s"`. `name` is its key, for messages.
///
/// # Errors
/// What is wrong with it, and what to do.
pub fn time_of(name: &str, text: &str) -> Result<Duration, String> {
    let time = any_time_of(name, text)?;
    if time.is_zero() {
        return Err(format!("{name} = \"{text}\" must be longer than zero"));
    }
    Ok(time)
}
