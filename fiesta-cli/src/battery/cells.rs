//! What is measured: a method on a family, at every confidence.

use super::{Arguments, Failure};
use fiesta::{
    core::{Design, Observe, Policy, StoppingRule},
    policies::{
        self, Parameters, TieBreakName, Tracking,
        simulate::{Durations, MakePolicy, MakeRule, Summary, battery::Family},
        stopping,
    },
    posterior,
};
use std::panic::{self, AssertUnwindSafe};

/// How arms are chosen, what is believed of them, and when that suffices.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Method<'a> {
    /// The policy's own name: which one `auto` is depends on the stopping rule, whose evidence a policy may look at.
    pub(super) policy: String,
    pub(super) posterior: &'a str,
    pub(super) stopping: &'a str,
    pub(super) parallel: u32,
}

/// One result.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// The family's place.
    pub(super) family: usize,
    pub(super) policy: String,
    pub(super) posterior: String,
    pub(super) parallel: u32,
    pub(super) stopping: String,
    pub(super) confidence: f64,
    /// What the runs came to, or why there is nothing.
    pub(super) outcome: Result<Measured, String>,
}

#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) summary: Summary,
    /// The share of runs that claimed something wrong, with its standard error.
    pub(super) error: (f64, f64),
    /// What the oracle allocation costs with the same posterior and rule.
    pub(super) oracle: Option<f64>,
    pub(super) verdict: Verdict,
}

/// Whether a method kept its error rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It did.
    Holds,
    /// It did not, where it has to: the error is above δ by more than 2 standard errors.
    Exceeds,
    /// It did not, where Bayesian rules are known not to.
    Known,
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Exceeds => "exceeds",
            Self::Known => "known",
        }
    }
}

/// The stopping rule with this name, at this confidence, for so many arms under this design.
pub(super) fn rule(
    name: &str,
    level: f64,
    arms: usize,
    design: Design,
) -> Result<Box<dyn StoppingRule>, Failure> {
    let parameters = stopping::Parameters {
        level,
        tolerance: 0.0,
        arms,
        design,
        on_failure: None,
    };
    Ok(stopping::by_name(name, &parameters)?)
}

/// The own name of the policy that this one is beside a stopping rule, followed by its tie-break if one is named.
pub(super) fn own_name(policy: &str, stopping: &str) -> String {
    let (name, tie_break) = policy.split_at(policy.find(':').unwrap_or(policy.len()));
    format!("{}{tie_break}", policies::resolve(name, stopping))
}

/// The policy with this name, which may end in a colon and the name of a tie-break.
pub(super) fn policy(name: &str, arms: usize, parallel: u32) -> Result<Box<dyn Policy>, Failure> {
    let (name, tie_break) = match name.split_once(':') {
        Some((name, tie_break)) => (name, Some(tie_break)),
        None => (name, None),
    };
    if tie_break.is_some() && !policies::parameters_of(name).contains(&"tie-break") {
        return Err(Failure::Usage(format!(
            "the policy {name} takes no tie-break"
        )));
    }
    let tie_break = tie_break.map(str::parse::<TieBreakName>);
    let tie_break = tie_break
        .transpose()
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let parameters = Parameters {
        arms,
        budget: None,
        batch: parallel,
        extended: false,
        beta: None,
        tie_break,
    };
    Ok(policies::by_name(name, &parameters)?)
}

/// The cells of a method on a family. One set of runs serves all confidences.
pub(super) fn cells(
    arguments: &Arguments,
    index: usize,
    family: &Family,
    method: &Method<'_>,
) -> Vec<Cell> {
    let arms = family.problem.members().len();
    let summaries = match policy(&method.policy, arms, method.parallel) {
        Err(error) => Err(error.to_string()),
        Ok(_) => summaries(arguments, family, method, &|| {
            policy(&method.policy, arms, method.parallel).expect("it was built before")
        }),
    };
    let oracle = oracle(arguments, family, method);
    let measured = |place: usize, level: f64| {
        let summary = summaries.as_ref().map_err(Clone::clone)?[place].clone();
        let error = error(family, &summary);
        let oracle = match &oracle {
            Some(Ok(summaries)) => Some(summaries[place].cost),
            Some(Err(error)) => return Err(format!("oracle: {error}")),
            None => None,
        };
        Ok(Measured {
            verdict: verdict(family, method.stopping, level, error),
            summary,
            error,
            oracle,
        })
    };
    let cell = |(place, &confidence): (usize, &f64)| Cell {
        family: index,
        policy: method.policy.clone(),
        posterior: method.posterior.to_owned(),
        parallel: method.parallel,
        stopping: method.stopping.to_owned(),
        confidence,
        outcome: measured(place, confidence),
    };
    arguments.confidence.iter().enumerate().map(cell).collect()
}

/// The same with the proportions that are optimal for the true means, where asked for or where costs differ.
fn oracle(
    arguments: &Arguments,
    family: &Family,
    method: &Method<'_>,
) -> Option<Result<Vec<Summary>, String>> {
    if !arguments.oracle && !family.unequal_costs() {
        return None;
    }
    let proportions = family.complexity().ok()?.proportions;
    Some(summaries(arguments, family, method, &|| {
        Box::new(Tracking::new(proportions.iter().copied())) as Box<dyn Policy>
    }))
}

/// A summary for each confidence. A method that panics on a family has failed on it, and only there.
fn summaries(
    arguments: &Arguments,
    family: &Family,
    method: &Method<'_>,
    policy: MakePolicy<'_>,
) -> Result<Vec<Summary>, String> {
    let posterior = |arms: usize| -> Box<dyn Observe<f64>> {
        posterior::by_name(method.posterior, arms).expect("the posterior's name was checked")
    };
    let arms = family.problem.members().len();
    let rules: Vec<MakeRule<'_>> = arguments
        .confidence
        .iter()
        .map(|&level| {
            Box::new(move || -> Box<dyn StoppingRule> {
                rule(method.stopping, level, arms, family.design).expect("the rule was checked")
            }) as MakeRule<'_>
        })
        .collect();
    let durations = arguments.durations.unwrap_or(if method.parallel == 1 {
        Durations::Constant
    } else {
        Durations::Exponential
    });
    let simulation = family
        .simulation(arguments.runs)
        .seed(arguments.seed)
        .workers(method.parallel as usize, durations);
    let run = AssertUnwindSafe(|| simulation.confidence(&posterior, policy, &rules));
    match panic::catch_unwind(run) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panicked: {}", words.unwrap_or("no message")))
        }
    }
}

/// The share of runs that stopped and named an arm that is not the one best, and its standard error. Where several are best,
/// to name any of them as the best is such an error.
fn error(family: &Family, summary: &Summary) -> (f64, f64) {
    let wrong = if family.tied() {
        summary.runs - summary.capped
    } else {
        summary.wrong
    };
    let runs = summary.runs as f64;
    let share = wrong as f64 / runs;
    (share, (share * (1.0 - share) / runs).sqrt())
}

fn verdict(family: &Family, stopping: &str, level: f64, (error, se): (f64, f64)) -> Verdict {
    if error <= 1.0 - level + 2.0 * se {
        Verdict::Holds
    } else if family.must_hold() || guaranteed(stopping) {
        Verdict::Exceeds
    } else {
        Verdict::Known
    }
}

/// Rules that promise their error rate whatever the arms.
fn guaranteed(stopping: &str) -> bool {
    stopping == "anytime"
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta::policies::simulate::battery::battery;

    #[test]
    fn verdicts() {
        let of = |name: &str, stopping: &str, error: (f64, f64)| {
            let family = battery().into_iter().find(|family| family.name == name);
            verdict(&family.unwrap(), stopping, 0.95, error)
        };
        assert_eq!(of("two", "posterior", (0.06, 0.004)), Verdict::Exceeds);
        assert_eq!(of("two", "posterior", (0.06, 0.006)), Verdict::Holds);
        assert_eq!(of("two-tied", "posterior", (0.6, 0.01)), Verdict::Known);
        assert_eq!(of("two-tied", "posterior", (0.04, 0.01)), Verdict::Holds);
        // A promise is a promise for nearly equal arms as well.
        assert_eq!(of("two-tied", "anytime", (0.6, 0.01)), Verdict::Exceeds);
    }
}
