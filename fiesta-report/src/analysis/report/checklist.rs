//! Facts for the checklists of conferences, as far as the results and the study hold them.

use super::{evaluations::ArmEvaluations, evidence::Evidence};
use crate::{
    analysis::study::{SearchFacts, StudyFacts},
    checklist::{Fact, Facts},
    cost_with_unit,
    words::span,
};
use fiesta_core::{ArmId, Design, Direction};
use std::collections::BTreeSet;

/// Greatest number of arms that are named one by one; of more it is said how many there are.
const NAMED: usize = 20;

/// Returns all that is known for checklists; `caveats` are the limits of the conclusion.
pub(super) fn facts(evidence: &Evidence<'_>, sentence: &str, caveats: &[String]) -> Facts {
    let mut facts = Facts::default();
    of_results(evidence, &mut facts);
    facts.know(Fact::Selection, sentence);
    facts.know_in_part(Fact::Limits, caveats.join(" "));
    expected(evidence, &mut facts);
    if let Some(study) = &evidence.input.study {
        of_study(evidence, study, &mut facts);
    } else {
        let version = env!("CARGO_PKG_VERSION");
        facts.know_in_part(Fact::Software, format!("the report is by FIESTA {version}"));
    }
    facts
}

fn of_results(evidence: &Evidence<'_>, facts: &mut Facts) {
    let evaluations = &evidence.evaluations;
    let direction = match evidence.input.direction {
        Direction::Maximize => "more is better",
        Direction::Minimize => "less is better",
    };
    let bounds = evidence.bounds.map_or_else(String::new, |(low, high)| {
        format!(", between {low} and {high}")
    });
    facts.know_in_part(
        Fact::Metric,
        format!("{}: {direction}{bounds}", evidence.target()),
    );
    facts.know(
        Fact::Runtime,
        per_arm(evidence, |arm| Some(span(arm.mean_seconds()?))),
    );
    let seconds: f64 = evaluations.arms.iter().filter_map(|arm| arm.seconds).sum();
    if seconds > 0.0 {
        let runs = evaluations.scored() as u64 + evaluations.failed();
        let text = format!(
            "{} of computing time over {runs} evaluations, failed ones included; preliminary work is not recorded{}",
            span(seconds),
            costs(evidence)
        );
        facts.know_in_part(Fact::Budget, text);
    }
    let first = evaluations.arms.first().map_or(0, |arm| arm.trials.len());
    let trials = if evaluations.arms.iter().all(|arm| arm.trials.len() == first) {
        format!("{first} of each of {} arms", evaluations.arms.len())
    } else {
        per_arm(evidence, |arm| Some(arm.trials.len().to_string()))
    };
    let failed = match evaluations.failed() {
        0 => String::new(),
        failed => format!(" ({failed} failed)"),
    };
    if evaluations.scored() > 0 || evaluations.failed() > 0 {
        facts.know(Fact::Trials, format!("{trials}{failed}"));
    }
    if evaluations.scored() > 0 {
        let text = format!(
            "mean, standard deviation, quartiles, interquartile mean and {} intervals of every arm, with the number of evaluations, are in the table of arms",
            evidence.level()
        );
        facts.know(Fact::Statistics, text);
    }
}

/// Returns what all evaluations cost, where that is more than their time; else an empty text.
fn costs(evidence: &Evidence<'_>) -> String {
    let costs = evidence.evaluations.arms.iter().filter_map(|arm| arm.cost);
    let cost: f64 = costs.sum();
    if cost <= 0.0 || evidence.cost_is_seconds() {
        return String::new();
    }
    let unit = evidence.table.cost_unit.as_ref();
    format!("; cost {}", cost_with_unit(cost, unit))
}

/// A few words on each arm, or on the first of many; empty if there is one of which nothing is
/// known.
fn per_arm(evidence: &Evidence<'_>, words: impl Fn(&ArmEvaluations) -> Option<String>) -> String {
    let arms = &evidence.evaluations.arms;
    let said: Option<Vec<String>> = arms
        .iter()
        .take(NAMED)
        .map(|arm| Some(format!("{}: {}", arm.name, words(arm)?)))
        .collect();
    let Some(said) = said.filter(|said| !said.is_empty()) else {
        return String::new();
    };
    match arms.len().saturating_sub(NAMED) {
        0 => said.join("; "),
        more => format!("{}; and {more} more", said.join("; ")),
    }
}

/// Notes the expected best of all trials.
fn expected(evidence: &Evidence<'_>, facts: &mut Facts) {
    let digits = evidence.table.decimals();
    let text = per_arm(evidence, |arm| {
        let mut curves = evidence.curves.iter().flat_map(|report| &report.curves);
        let curve = curves.find(|curve| curve.name == arm.name)?;
        let (n, mean) = curve.up_to(curve.scores as u64)?;
        Some(format!("{mean:.digits$} (n = {n})"))
    });
    if text.is_empty() {
        return;
    }
    let text = format!("the figure of tuning curves shows it; of all trials, {text}");
    if evidence.is_search() {
        facts.know(Fact::ExpectedPerformance, text);
    } else {
        let note = format!(
            "{text} – over evaluations as they were recorded, which need not be trials of hyperparameters"
        );
        facts.know_in_part(Fact::ExpectedPerformance, note);
    }
}

fn of_study(evidence: &Evidence<'_>, study: &StudyFacts, facts: &mut Facts) {
    let background = &study.background;
    facts.know(Fact::Code, &background.code);
    facts.know(Fact::Data, &background.data);
    let validation = &background.validation_metric;
    if !validation.is_empty() {
        facts.know(
            Fact::ValidationPerformance,
            format!("the scores are of {validation}; they are in the table of arms"),
        );
    }
    infrastructure(study, facts);
    facts.know_in_part(Fact::Splits, splits(evidence, study));
    let version = env!("CARGO_PKG_VERSION");
    facts.know(
        Fact::Repeating,
        format!(
            "seed {} of the study, from which all splits, seeds and decisions follow; FIESTA {version}; study {}",
            background.seed, background.digest
        ),
    );
    let programs: BTreeSet<&str> = study
        .arms
        .iter()
        .filter_map(|arm| arm.program.as_deref())
        .collect();
    facts.know_in_part(
        Fact::Software,
        format!(
            "FIESTA {version}; evaluations run {}",
            joined(programs, ", ")
        ),
    );
    match &study.search {
        Some(search) => of_search(evidence, study, search, facts),
        None => facts.know_in_part(Fact::SearchMethod, &background.selection_criterion),
    }
}

fn of_search(evidence: &Evidence<'_>, study: &StudyFacts, search: &SearchFacts, facts: &mut Facts) {
    let arms = || ArmId::all(study.arms.len()).zip(&study.arms);
    let bounds: Vec<String> = arms()
        .zip(&search.spaces)
        .map(|((_, arm), space)| format!("{}: {space}", arm.name))
        .collect();
    facts.know(Fact::SearchBounds, bounds.join(". "));
    let best: Vec<String> = arms()
        .filter_map(|(id, arm)| {
            let (best, _) = study.best_trial(id)?;
            Some(format!("{}: {}", arm.name, best.setting))
        })
        .collect();
    if best.len() == study.arms.len() {
        facts.know(Fact::BestSettings, best.join(". "));
    } else {
        facts.know_in_part(Fact::BestSettings, best.join(". "));
    }
    let criterion = &study.background.selection_criterion;
    let chosen = if criterion.is_empty() {
        format!("the best {}", evidence.target())
    } else {
        criterion.clone()
    };
    facts.know(
        Fact::SearchMethod,
        format!("independent random draws from the bounds above; chosen by {chosen}"),
    );
}

/// Returns how many splits or documents were used, and how they were handed out.
fn splits(evidence: &Evidence<'_>, study: &StudyFacts) -> String {
    let groups = evidence.evaluations.distinct_groups.unwrap_or(0);
    let of = study
        .splits
        .map_or_else(String::new, |count| format!(" of {count}"));
    match study.design {
        Design::Shared => {
            format!("{groups}{of} splits, the same for every arm: its k-th evaluation uses split k")
        }
        Design::Independent => format!("{groups}{of} splits, one of its own for every evaluation"),
        Design::Fixed => "one fixed split for all evaluations; only seeds vary".to_owned(),
        Design::Items { count } => {
            let (noun, asked) = match study.noun {
                "document" => ("document", "queried"),
                noun => (noun, "asked"),
            };
            let again = if study.repeats {
                "; answers vary, so that some were asked again with another seed"
            } else {
                ""
            };
            format!("no splits: {groups} of {count} {noun}s were {asked}, in a random order{again}")
        }
    }
}

/// How a study says that a job has no GPU.
const NO_GPU: &str = "no GPU";

/// Notes the machines, as far as they are known.
fn infrastructure(study: &StudyFacts, facts: &mut Facts) {
    let background = &study.background;
    if background.hosts.is_empty() {
        return;
    }
    let gpus: BTreeSet<&str> = study
        .arms
        .iter()
        .filter_map(|arm| arm.gpus.as_deref())
        .collect();
    let gpus = if gpus.iter().all(|gpus| *gpus == NO_GPU) {
        String::new()
    } else {
        format!(", each on {}", joined(gpus, " or "))
    };
    let hosts = background.hosts.join("; ");
    let at_once = format!("up to {} evaluations at once{gpus}", background.parallel);
    match background.engine {
        // Where the jobs themselves ran, the engine knows.
        Some(engine) => facts.know_in_part(
            Fact::Infrastructure,
            format!("jobs under {engine}, started from {hosts}; {at_once}"),
        ),
        // With its processors and memory in brackets.
        None if background.hosts.iter().all(|host| host.ends_with(')')) => {
            facts.know(Fact::Infrastructure, format!("{hosts}; {at_once}"));
        }
        None => facts.know_in_part(Fact::Infrastructure, format!("{hosts}; {at_once}")),
    }
}

fn joined(words: BTreeSet<&str>, with: &str) -> String {
    words.into_iter().collect::<Vec<_>>().join(with)
}
