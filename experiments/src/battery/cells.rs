//! A method on a family of problems, measured at every confidence.

use super::Arguments;
use crate::{Failure, makers, output::Estimate};
use fiesta_core::{Observe, Policy, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters, TieBreakName, Tracking,
    simulate::{Durations, MakePolicy, MakeRule, SimulationSummary, battery::Family},
    stopping,
};
use fiesta_posterior as posterior;
use serde::Serialize;
use std::panic::{self, AssertUnwindSafe};

/// Method that runs are made with: a policy, a posterior, a stopping rule and the number of evaluations at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Method {
    /// Name of the policy; `auto` is replaced by the policy that it stands for beside the stopping
    /// rule.
    pub(super) policy: String,
    pub(super) posterior: String,
    pub(super) stopping: String,
    pub(super) parallel: u32,
}

/// The result of one method on one family at one confidence.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) family: String,
    pub(super) gap_in_sds: f64,
    #[serde(flatten)]
    pub(super) method: Method,
    pub(super) confidence: f64,
    #[serde(flatten)]
    pub(super) outcome: Outcome,
}

/// Measurement of a method's runs on a family, or why it failed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Measured(Measured),
    Failed(String),
}

#[derive(Debug, Serialize)]
pub(super) struct Measured {
    pub(super) runs: SimulationSummary,
    /// The share of runs whose verdict was wrong.
    pub(super) error: Estimate,
    /// The share of runs that ended as arms could not be told apart.
    pub(super) tied: f64,
    /// The share of runs that were given up.
    pub(super) undecided: f64,
    /// Cost of the oracle allocation with the same posterior and stopping rule.
    pub(super) oracle_cost: Option<f64>,
    /// Least expected cost of any method whose error probability is at most δ on every problem.
    /// `None` if no complexity was computed for the family.
    pub(super) lower_bound: Option<f64>,
    pub(super) verdict: Verdict,
}

/// Whether a method kept its error rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// The method kept its error rate.
    Holds,
    /// The error rate was not kept where it has to be: the error is above δ by more than 3 standard
    /// errors.
    Exceeds,
    /// The error rate was not kept where Bayesian rules are known not to keep it.
    Known,
}

/// Makes the stopping rule with this name, at this confidence, for `arms` arms.
pub(crate) fn rule(name: &str, level: f64, arms: usize) -> Result<Box<dyn StoppingRule>, Failure> {
    let parameters = stopping::StoppingParameters::new(level, arms);
    Ok(stopping::by_name(name, &parameters)?)
}

/// Returns the name of the policy that `policy` stands for with a stopping rule, followed by its
/// tie-break if it names one.
pub(crate) fn own_name(policy: &str, stopping: &str) -> String {
    let (name, tie_break) = policy.split_at(policy.find(':').unwrap_or(policy.len()));
    format!(
        "{}{tie_break}",
        policies::resolve(name, stopping, posterior::DEFAULT)
    )
}

/// Returns the policy with this name, which may end in a colon and the name of a tie-break.
pub(crate) fn policy(name: &str, arms: usize, parallel: u32) -> Result<Box<dyn Policy>, Failure> {
    let (name, tie_break) = match name.split_once(':') {
        Some((name, tie_break)) => (name, Some(tie_break.parse::<TieBreakName>()?)),
        None => (name, None),
    };
    if tie_break.is_some() && !policies::parameters_of(name).contains(&"tie-break") {
        return Err(format!("the policy {name} takes no tie-break").into());
    }
    let parameters = Parameters {
        arms,
        batch: parallel,
        tie_break,
        ..Parameters::default()
    };
    Ok(policies::policy_by_name(name, &parameters)?)
}

/// Returns a method's results on a family at every confidence, which all come from one set of runs.
pub(super) fn cells(arguments: &Arguments, family: &Family, method: &Method) -> Vec<Cell> {
    let arms = family.problem.members().len();
    let summaries = policy(&method.policy, arms, method.parallel)
        .map_err(|error| error.to_string())
        .and_then(|_| {
            summaries(arguments, family, method, &|| {
                policy(&method.policy, arms, method.parallel).expect("it was built before")
            })
        });
    let complexity = family.complexity().ok();
    // The same with the proportions that are optimal for the true means.
    let oracle = complexity
        .as_ref()
        .filter(|_| arguments.oracle || family.unequal_costs())
        .map(|complexity| {
            summaries_of_oracle(arguments, family, method, &complexity.proportions)
                .map_err(|error| format!("oracle: {error}"))
        })
        .transpose();
    let measured = |place: usize, level: f64| {
        let runs = summaries.as_ref()?[place].clone();
        let error = error(family, &runs);
        Ok::<_, &String>(Measured {
            verdict: verdict(family, &method.stopping, level, error),
            error,
            tied: runs.tied as f64 / runs.runs as f64,
            undecided: runs.capped as f64 / runs.runs as f64,
            oracle_cost: oracle
                .as_ref()?
                .as_ref()
                .map(|summaries| summaries[place].cost),
            lower_bound: complexity
                .as_ref()
                .map(|complexity| complexity.lower_bound(1.0 - level)),
            runs,
        })
    };
    let cell = |(place, &confidence): (usize, &f64)| Cell {
        family: family.name.clone(),
        gap_in_sds: family.gap_in_sds(),
        method: method.clone(),
        confidence,
        outcome: match measured(place, confidence) {
            Ok(measured) => Outcome::Measured(measured),
            Err(error) => Outcome::Failed(error.clone()),
        },
    };
    arguments.confidence.iter().enumerate().map(cell).collect()
}

fn summaries_of_oracle(
    arguments: &Arguments,
    family: &Family,
    method: &Method,
    proportions: &[f64],
) -> Result<Vec<SimulationSummary>, String> {
    summaries(arguments, family, method, &|| {
        Box::new(Tracking::new(proportions.iter().copied())) as Box<dyn Policy>
    })
}

/// Returns a summary for each confidence. A method that panics on a family has failed on it, and
/// only there.
fn summaries(
    arguments: &Arguments,
    family: &Family,
    method: &Method,
    policy: MakePolicy<'_>,
) -> Result<Vec<SimulationSummary>, String> {
    let posterior = |arms: usize| -> Box<dyn Observe<f64>> {
        makers::posterior(&method.posterior, arms).expect("the posterior's name was checked")
    };
    let arms = family.problem.members().len();
    let rules = arguments.confidence.iter().map(|&level| {
        Box::new(move || rule(&method.stopping, level, arms).expect("the rule was checked"))
            as MakeRule<'_>
    });
    let rules: Vec<_> = rules.collect();
    let durations = match method.parallel {
        1 => Durations::Constant,
        _ => Durations::Exponential,
    };
    let simulation = family
        .simulation(arguments.runs)
        .seed(arguments.seed)
        .workers(method.parallel as usize, durations);
    let run = AssertUnwindSafe(|| simulation.confidence(posterior, policy, &rules));
    match panic::catch_unwind(run) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panicked: {}", words.unwrap_or("no message")))
        }
    }
}

/// Returns the share of runs that stopped and named an arm that is not the only best one. Where
/// several arms are best, to name any single one is an error.
pub(crate) fn error(family: &Family, runs: &SimulationSummary) -> Estimate {
    let wrong = if family.tied() {
        runs.runs - runs.capped - (runs.tied - runs.false_ties)
    } else {
        runs.wrong
    };
    Estimate::share(wrong as f64 / runs.runs as f64, runs.runs)
}

fn verdict(family: &Family, stopping: &str, level: f64, error: Estimate) -> Verdict {
    // A rule that promises its error rate does so whatever the arms.
    let guaranteed = stopping::assumption(stopping).is_some();
    if error.mean <= 1.0 - level + 3.0 * error.standard_error {
        Verdict::Holds
    } else if family.must_hold() || guaranteed {
        Verdict::Exceeds
    } else {
        Verdict::Known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_policies::simulate::battery::all_families;

    #[test]
    fn verdicts() {
        let of = |name: &str, stopping: &str, (mean, standard_error): (f64, f64)| {
            let family = all_families()
                .into_iter()
                .find(|family| family.name == name);
            let error = Estimate {
                mean,
                standard_error,
            };
            verdict(&family.unwrap(), stopping, 0.95, error)
        };
        assert_eq!(of("two", "posterior", (0.06, 0.003)), Verdict::Exceeds);
        assert_eq!(of("two", "posterior", (0.06, 0.004)), Verdict::Holds);
        assert_eq!(of("two-tied", "posterior", (0.6, 0.01)), Verdict::Known);
        assert_eq!(of("two-tied", "posterior", (0.04, 0.01)), Verdict::Holds);
        // A promise is a promise for nearly equal arms as well.
        assert_eq!(of("two-tied", "anytime", (0.6, 0.01)), Verdict::Exceeds);
    }
}
