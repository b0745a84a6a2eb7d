//! The terms of a session: what may change while a study stays the same.

use fiesta_core::Limits;
use serde_json::Value;

/// Among how many arms a session chose, on how many splits, how sure it was to become, and what it
/// could spend.
///
/// They follow from the study as the session recorded it, so that the decisions of every session can be made again under its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Terms {
    /// Arms that were there: the first so many, as those that are added come last.
    pub(crate) arms: usize,
    pub(crate) confidence: Option<f64>,
    pub(crate) tolerance: f64,
    pub(crate) min_documents: Option<u64>,
    pub(crate) limits: Limits,
    /// Trials of each arm, in a random search.
    pub(crate) trials: Option<u64>,
    /// How many splits there are, if there are only so many.
    pub(crate) splits: Option<u64>,
}

impl Terms {
    /// Those of a study as a ledger has it.
    pub(crate) fn of(fingerprint: &Value) -> Self {
        let (goal, design) = (&fingerprint["goal"], &fingerprint["design"]);
        let arms = fingerprint["arm"].as_array().map_or(0, Vec::len);
        let trials = goal["trials"].as_u64();
        let budget = &goal["budget"];
        let has_budget = !budget.is_null();
        let ends_by_itself = trials.is_some() || !design["documents"].is_null();
        let mut limits = Limits {
            evaluations: budget["evaluations"].as_u64(),
            cost: amount(&budget["cost"]),
            wall: amount(&budget["wall"]),
        };
        if !has_budget && !ends_by_itself {
            limits.evaluations = Some(Limits::CAP_PER_ARM * arms as u64);
        }
        let implied = (!has_budget && trials.is_none()).then_some(0.95);
        Self {
            arms,
            confidence: goal["confidence"].as_f64().or(implied),
            tolerance: goal["tolerance"].as_f64().unwrap_or(0.0),
            min_documents: goal["min_documents"].as_u64(),
            limits,
            trials,
            splits: design["splits"]["count"].as_u64(),
        }
    }
}

/// A number, or the seconds of a duration.
fn amount(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => humantime::parse_duration(text)
            .ok()
            .map(|duration| duration.as_secs_f64()),
        other => other.as_f64(),
    }
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
            let terms = Terms::of(study.fingerprint());
            assert_eq!(
                (terms.arms, terms.confidence, terms.limits),
                (2, study.confidence, study.limits),
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
        let terms = Terms::of(read("goal = { budget = { cost = \"40h\" } }").fingerprint());
        assert_eq!(terms.limits, cost);
    }
}
