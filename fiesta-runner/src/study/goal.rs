//! The goal and the budget of a study: what its file may say of them, and the terms that follow for
//! a session.

use super::{StudyError, arms, error::Source, file::GoalTable};
use fiesta_core::Limits;
use fiesta_policies::stopping::{Distance, PosteriorThreshold, TIE};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// The confidence where nothing else ends a study.
pub(super) const CONFIDENCE: f64 = 0.95;

/// Among how many arms a session chose, on how many splits, how sure it was to become, and what it
/// could spend.
///
/// They follow from the study as the session recorded it, so that the decisions of every session
/// can be made again under its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Terms {
    /// Number of arms that were there. They are the first, as those that are added come last.
    pub(crate) arms: usize,
    pub(crate) confidence: Option<f64>,
    pub(crate) tolerance: Distance,
    pub(crate) tie: Distance,
    pub(crate) strict: bool,
    /// The expected shortfall at which to stop.
    pub(crate) shortfall: Option<Distance>,
    pub(crate) min_documents: Option<u64>,
    pub(crate) rare_failures: Option<f64>,
    pub(crate) limits: Limits,
    /// Trials of each arm, in a random search.
    pub(crate) trials: Option<u64>,
    /// Number of splits. `None` if there is no limit.
    pub(crate) splits: Option<u64>,
}

impl Terms {
    /// Reads the terms of a goal. A study of documents ends with its collection, a random search
    /// with its trials, and neither needs a cap. One whose items are asked again does: `again` is
    /// the number of its items.
    pub(super) fn new(
        goal: &GoalTable,
        arms: usize,
        (of_documents, again): (bool, Option<u64>),
        splits: Option<u64>,
        cost_unit: Option<&str>,
    ) -> Self {
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
        let is_implied = budget.is_none() && goal.trials.is_none() && goal.shortfall.is_none();
        Self {
            arms,
            confidence: goal.confidence.or(is_implied.then_some(CONFIDENCE)),
            tolerance: goal.tolerance.unwrap_or(Distance::ZERO),
            // Of one document a standard deviation is far, and the collection ends the study.
            tie: goal
                .tie
                .unwrap_or(if of_documents { Distance::ZERO } else { TIE }),
            strict: goal.strict.unwrap_or(false),
            shortfall: goal.shortfall,
            min_documents: goal.min_documents,
            rare_failures: goal.rare_failures,
            limits,
            trials: goal.trials,
            splits,
        }
    }

    /// Reads the terms of a study as a ledger has it.
    pub(crate) fn of(recorded: &Value) -> Self {
        let design = &recorded["design"];
        let items = design["collection"]["count"].as_u64();
        let again = items.filter(|_| design["repeats"] == true);
        let of_documents = !(design["documents"].is_null() && design["items"].is_null());
        Self::new(
            &GoalTable::deserialize(&recorded["goal"]).unwrap_or_default(),
            arms::recorded(recorded).len(),
            (of_documents, again),
            design["splits"]["count"]
                .as_u64()
                .filter(|_| design["repeats"] != true),
            recorded["resources"]["cost_unit"].as_str(),
        )
    }
}

/// Whether the limit of evaluations is the default and not the user's.
pub(super) fn is_capped_by_default(goal: &GoalTable, of_documents: bool) -> bool {
    goal.budget.is_none() && goal.trials.is_none() && !of_documents
}

/// The seconds of a duration such as `2h 30m`.
fn seconds(text: &str) -> Option<f64> {
    let duration = humantime::parse_duration(text).ok()?;
    Some(duration.as_secs_f64())
}

/// Checks what a study may spend.
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

/// Checks the requested confidence.
pub(super) fn check_confidence(source: &Source<'_>, goal: &GoalTable) -> Result<(), StudyError> {
    let checked = goal.confidence.map(PosteriorThreshold::new).transpose();
    checked
        .map(drop)
        .map_err(|error| source.wrong(&["goal", "confidence"], format!("confidence: {error}")))
}

/// The duration that a key has, whose last name is said.
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

/// A duration that is not zero.
pub(super) fn some_time(
    source: &Source<'_>,
    key: &[&str],
    text: &str,
) -> Result<Duration, StudyError> {
    let name = key.last().copied().unwrap_or_default();
    time_of(name, text).map_err(|message| source.wrong(key, message))
}

/// Reads a duration that is not zero, such as `"90s"`; `name` is the key that has it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;
    use fiesta_core::Limits;

    fn read(goal: &str) -> Study {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("study.toml");
        let text = format!(
            "name = \"trial\"\ncommand = [\"true\"]\nmetric = {{ name = \"accuracy\" }}\narm = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n{goal}\n"
        );
        std::fs::write(&path, text).unwrap();
        Study::read(&path).unwrap()
    }

    /// What a ledger has of a study says the same of it as its file.
    #[test]
    fn are_those_of_the_file() {
        for goal in [
            "",
            "goal = { confidence = 0.9, tolerance = 0.01 }",
            "goal = { budget = { evaluations = 7 } }",
            "goal = { confidence = 0.99, budget = { evaluations = 9, wall = \"2h\", cost = \"40h\" } }",
            "goal = { budget = { cost = 12.5 } }",
            "goal = { trials = 3, budget = { wall = \"90s\" } }",
            "goal = { trials = 3 }",
        ] {
            let study = read(goal);
            let terms = Terms::of(&study.fingerprint);
            assert_eq!(
                (terms.arms, terms.confidence, terms.limits),
                (2, study.confidence(), study.limits()),
                "{goal}"
            );
            assert_eq!(
                terms.trials,
                study.search().map(crate::study::Search::trials)
            );
        }
        let cost = Limits {
            cost: Some(144_000.0),
            ..Limits::default()
        };
        let terms = Terms::of(&read("goal = { budget = { cost = \"40h\" } }").fingerprint);
        assert_eq!(terms.limits, cost);
    }
}
