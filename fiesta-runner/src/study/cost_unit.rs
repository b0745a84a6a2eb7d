//! The unit of a study's costs: its name in the study file, or seconds if costs are measured.

use super::{
    StudyError,
    arms::recorded,
    error::Source,
    file::{Amount, StudyFile},
};
use fiesta_core::CostUnit;
use serde_json::Value;

/// The longest name of a unit, in characters.
const LONGEST: usize = 16;

/// Returns the seconds, or GPU-seconds, of a unit of time. `None` for other units.
pub(super) fn seconds_of(unit: &str) -> Option<f64> {
    let of_gpus = unit.strip_prefix("GPU-").unwrap_or(unit);
    match of_gpus {
        "s" | "second" | "seconds" => Some(1.0),
        "min" | "minute" | "minutes" => Some(60.0),
        "h" | "hour" | "hours" => Some(3600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    }
}

/// Checks that the unit's name fits the costs and the budget of the study file.
pub(super) fn check_cost_unit(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    let key = ["resources", "cost_unit"];
    if let Some(unit) = &file.resources.cost_unit {
        let is_word = unit.trim() == unit
            && !unit.is_empty()
            && unit.chars().count() <= LONGEST
            && !unit.chars().any(char::is_control)
            && !unit.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        if !is_word {
            let message = format!(
                "cost_unit = \"{unit}\" is no name of a unit: write a short one, such as \"USD\" or \"credits\" (at most {LONGEST} characters, not beginning with a digit)"
            );
            return Err(source.wrong(&key, message));
        }
        if seconds_of(unit).is_some() && !file.states_costs() {
            let message = format!(
                "cost_unit = \"{unit}\": where no cost or prices are given, costs are measured, in seconds (times GPUs where jobs have them), and are shown in hours or GPU-hours by themselves; leave cost_unit out"
            );
            return Err(source.wrong(&key, message));
        }
    }
    let budget = file.goal.budget.as_ref();
    let Some(Amount::Text(text)) = budget.and_then(|budget| budget.cost.as_ref()) else {
        return Ok(());
    };
    let wrong = |message: String| Err(source.wrong(&["goal", "budget", "cost"], message));
    match (
        &file.resources.cost_unit,
        number_with(text),
        humantime::parse_duration(text),
    ) {
        (Some(unit), Some((_, of)), _) if of == unit => Ok(()),
        (Some(unit), _, Ok(_)) if seconds_of(unit).is_some() => Ok(()),
        (Some(unit), _, Ok(_)) => wrong(format!(
            "cost = \"{text}\" is a time, and costs are in {unit} (cost_unit under [resources]): write a number, or \"40 {unit}\""
        )),
        (Some(unit), _, Err(_)) => wrong(format!(
            "cost = \"{text}\": costs are in {unit} (cost_unit under [resources]): write a number, or \"40 {unit}\""
        )),
        (None, _, Ok(_)) if file.has_prices() => wrong(format!(
            "cost = \"{text}\" is a time, and tokens are paid by their prices: write a number in the unit of the prices"
        )),
        (None, _, Ok(_)) => Ok(()),
        (None, Some((_, of)), Err(_)) => wrong(format!(
            "cost = \"{text}\": the study does not say that costs are in {of}: add cost_unit = \"{of}\" under [resources], or write a number or a duration"
        )),
        (None, None, Err(error)) => wrong(format!("cost = \"{text}\": {error}")),
    }
}

/// Splits a text into a number and the unit after it: `40 USD`, `40USD`.
fn number_with(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    (!unit.is_empty()).then_some((number.parse().ok()?, unit))
}

impl Amount {
    /// Returns the amount in the study's unit. `None` if the amount cannot be read in it.
    pub(super) fn number(&self, unit: Option<&str>) -> Option<f64> {
        let text = match self {
            Self::Number(number) => return Some(*number),
            Self::Text(text) => text,
        };
        match (unit, number_with(text)) {
            (Some(unit), Some((number, of))) if unit == of => return Some(number),
            _ => {}
        }
        let seconds = humantime::parse_duration(text).ok()?.as_secs_f64();
        Some(seconds / unit.and_then(seconds_of).unwrap_or(1.0))
    }
}

impl StudyFile {
    /// Whether the study file states the cost of evaluations or the prices of tokens.
    fn states_costs(&self) -> bool {
        let of_worker = self.worker.iter().any(|worker| worker.cost.is_some());
        of_worker || self.has_prices() || self.arm.iter().any(|arm| arm.cost.is_some())
    }

    fn has_prices(&self) -> bool {
        let of_worker = self.worker.iter().any(|worker| worker.prices.is_some());
        of_worker || self.arm.iter().any(|arm| arm.prices.is_some())
    }
}

/// Returns the unit of costs of a study, as a ledger records it: the name in its file, or that of
/// measured times, by the GPUs of jobs if all have some. `None` if costs are stated without a unit.
pub(super) fn of(study: &Value) -> Option<CostUnit> {
    let (resources, worker) = (&study["resources"], &study["worker"]);
    if let Some(name) = resources["cost_unit"].as_str() {
        return Some(CostUnit::Named(name.to_owned()));
    }
    let states = |table: &Value| !(table["cost"].is_null() && table["prices"].is_null());
    let arms = recorded(study);
    if states(worker) || arms.iter().any(states) {
        return None;
    }
    let of_all = &resources["gpus_per_job"];
    let has_gpus = |arm: &Value| {
        let own = Some(&arm["gpus_per_job"]).filter(|own| !own.is_null());
        own.unwrap_or(of_all)
            .as_f64()
            .is_some_and(|gpus| gpus > 0.0)
    };
    Some(if arms.iter().all(has_gpus) {
        CostUnit::GpuSeconds
    } else {
        CostUnit::Seconds
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;

    fn read(more: &str) -> Result<Study, StudyError> {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("study.toml");
        let text = format!(
            "name = \"trial\"\ncommand = [\"true\"]\nmetric = {{ name = \"accuracy\" }}\n{more}\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n"
        );
        std::fs::write(&path, text).unwrap();
        Study::read(&path)
    }

    #[test]
    fn budgets_are_in_the_unit() {
        for (more, limit) in [
            ("goal = { budget = { cost = 40 } }", 40.0),
            ("goal = { budget = { cost = \"40h\" } }", 144_000.0),
            (
                "goal = { budget = { cost = 40 } }\n[resources]\ncost_unit = \"USD\"",
                40.0,
            ),
            (
                "goal = { budget = { cost = \"40 USD\" } }\n[resources]\ncost_unit = \"USD\"",
                40.0,
            ),
            (
                "goal = { budget = { cost = \"2.5USD\" } }\n[resources]\ncost_unit = \"USD\"",
                2.5,
            ),
        ] {
            let study = read(more).unwrap();
            assert_eq!(study.limits().cost, Some(limit), "{more}");
        }
    }

    #[test]
    fn units_that_contradict_are_refused() {
        for (more, said) in [
            (
                "goal = { budget = { cost = \"40h\" } }\n[resources]\ncost_unit = \"USD\"",
                "\"40h\" is a time, and costs are in USD",
            ),
            (
                "goal = { budget = { cost = \"40 EUR\" } }\n[resources]\ncost_unit = \"USD\"",
                "costs are in USD (cost_unit under [resources]): write a number, or \"40 USD\"",
            ),
            (
                "goal = { budget = { cost = \"40 USD\" } }",
                "add cost_unit = \"USD\" under [resources]",
            ),
            (
                "[resources]\ncost_unit = \"GPU-hours\"",
                "leave cost_unit out",
            ),
            ("[resources]\ncost_unit = \"\"", "no name of a unit"),
            ("[resources]\ncost_unit = \"12\"", "no name of a unit"),
        ] {
            let error = read(more).unwrap_err().to_string();
            assert!(error.contains(said), "{more}\n{error}");
            assert!(error.contains("study.toml:"), "{error}");
        }
    }

    #[test]
    fn measured_costs_are_times() {
        let unit = |more: &str| read(more).unwrap().cost_unit();
        assert_eq!(unit(""), Some(CostUnit::Seconds));
        assert_eq!(
            unit("[resources]\ngpus_per_job = 2"),
            Some(CostUnit::GpuSeconds)
        );
        assert_eq!(
            unit("[resources]\ngpus_per_job = 0"),
            Some(CostUnit::Seconds)
        );
        let named = CostUnit::Named("USD".to_owned());
        assert_eq!(unit("[resources]\ncost_unit = \"USD\""), Some(named));
    }
}
