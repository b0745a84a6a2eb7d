//! The results of a simulation, for people and for programs.

use super::{Arguments, runs::Goal};
use crate::{Format, exit::Failure, print};
use fiesta::{
    policies::{self, simulate::Summary, stopping},
    posterior::{self, f_measure},
    report::{Align, Table},
};
use serde_json::{Value, json};

/// What was simulated, beside what the arguments say.
pub(super) struct Shown<'a> {
    pub(super) posterior: &'a str,
    pub(super) splits: Value,
    /// After how many evaluations runs were given up.
    pub(super) cap: Option<u64>,
    /// The arms that a run should find.
    pub(super) best: String,
    /// Further keys of every result.
    pub(super) further: Vec<(&'static str, Value)>,
    /// What people should know.
    pub(super) notes: Vec<String>,
}

pub(super) fn show(
    arguments: &Arguments,
    shown: &Shown<'_>,
    results: &[(Goal, Summary)],
) -> Result<(), Failure> {
    match arguments.format {
        Format::Json => print(document(arguments, shown, results)),
        Format::Text => print_text(arguments, shown, results),
    }
}

/// How many evaluations were made.
fn evaluations(summary: &Summary) -> Value {
    json!({
        "min": summary.min,
        "mean": summary.mean,
        "max": summary.max,
        "standard_error": summary.standard_error,
    })
}

/// What they cost, in mean durations of an evaluation.
fn cost(summary: &Summary) -> Value {
    json!({ "mean": summary.cost, "standard_error": summary.cost_standard_error })
}

fn document(arguments: &Arguments, shown: &Shown<'_>, results: &[(Goal, Summary)]) -> Value {
    let mut head = json!({
        "policy": arguments.policy,
        "posterior": shown.posterior,
        "stopping": arguments.stopping,
        "tolerance": arguments.tolerance,
        "splits": shown.splits,
        "runs": arguments.runs,
        "seed": arguments.seed,
        "best": shown.best,
    });
    for (key, value) in &shown.further {
        head[*key] = value.clone();
    }
    let of_goal = |(goal, summary): &(Goal, Summary)| {
        let mut result = head.clone();
        match goal {
            Goal::Confidence(level) => result["confidence"] = json!(level),
            Goal::Budget(budget) => result["budget"] = json!(budget),
        }
        result["evaluations"] = evaluations(summary);
        result["cost"] = cost(summary);
        result["time"] = json!(summary.time);
        result["correct"] = json!(summary.correct);
        result["correct_standard_error"] = json!(summary.correct_standard_error);
        result["capped"] = json!(summary.capped);
        result["exhausted"] = json!(summary.exhausted);
        result
    };
    let mut document = head.clone();
    if !shown.notes.is_empty() {
        document["notes"] = json!(shown.notes);
    }
    document["results"] = results.iter().map(of_goal).collect();
    document
}

fn print_text(
    arguments: &Arguments,
    shown: &Shown<'_>,
    results: &[(Goal, Summary)],
) -> Result<(), Failure> {
    let goal = if arguments.budget.is_empty() {
        "confidence"
    } else {
        "budget"
    };
    let mut table = Table::new([
        (goal, Align::Right),
        ("evaluations", Align::Right),
        ("min–max", Align::Right),
        ("correct", Align::Right),
    ]);
    for (goal, summary) in results {
        let goal = match goal {
            Goal::Confidence(level) => level.to_string(),
            Goal::Budget(budget) => budget.to_string(),
        };
        table.row(
            [
                goal,
                format!("{:.1} ± {:.1}", summary.mean, summary.standard_error),
                format!("{}–{}", summary.min, summary.max),
                format!(
                    "{:.2} ± {:.2} %",
                    summary.correct * 100.0,
                    summary.correct_standard_error * 100.0
                ),
            ],
            false,
        );
    }
    print(table.text())?;
    print(format_args!(
        "{} runs of {} with posterior {}; the best is {}; ± is one standard error",
        arguments.runs,
        arguments.policy(),
        shown.posterior,
        shown.best
    ))?;
    for (reached, summary) in results {
        let (
            of,
            Summary {
                runs,
                capped,
                exhausted,
                ..
            },
        ) = (reached.words(), summary);
        if *capped > 0 {
            let cap = shown.cap.unwrap_or_default();
            print(format_args!(
                "{of}: {capped} of {runs} runs were given up at the cap of {cap} evaluations (--cap) and count with the arm of the highest mean"
            ))?;
        }
        if *exhausted > 0 {
            print(format_args!(
                "{of}: {exhausted} of {runs} runs queried every document without reaching it and count with the arm that they recommended"
            ))?;
        }
    }
    shown.notes.iter().try_for_each(print)
}

/// Prints the names of policies, posteriors and stopping rules.
pub(super) fn list(format: Format) -> Result<(), Failure> {
    let stopping = stopping::NAMES.map(|(name, _)| name);
    let posteriors = posterior::NAMES;
    let mut of_counts = vec![f_measure::NAME];
    of_counts.extend(posteriors);
    if format == Format::Json {
        let names = policies::NAMES.map(|(name, _)| name);
        let document = json!({ "policies": names, "posteriors": posteriors, "posteriors_of_counts": of_counts, "stopping": stopping });
        return print(&document);
    }
    let mut table = Table::new([("policy", Align::Left), ("", Align::Left)]);
    for (name, what) in policies::NAMES {
        table.row([name.to_owned(), what.to_owned()], false);
    }
    print(table.text())?;
    print(format_args!("posteriors: {}", posteriors.join(", ")))?;
    print(format_args!(
        "posteriors of counts: {}",
        of_counts.join(", ")
    ))?;
    print(format_args!("stopping rules: {}", stopping.join(", ")))
}
