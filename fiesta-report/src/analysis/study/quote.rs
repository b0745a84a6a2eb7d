//! Sentence to quote about a study: the claim, then what else a reader must know of it.

use super::{ExtensionFacts, StudyFacts, StudyFindings, search};
use crate::{
    Setting,
    analysis::{not_compared, pool::PoolReport},
    sentence as claim, words,
};
use fiesta_core::{Conclusion, Reason, Target};

/// The sentence; none before the conclusion, or if nothing is known of the arms.
pub(super) fn sentence(findings: &StudyFindings<'_>) -> Option<String> {
    let facts = findings.facts;
    let conclusion = facts.conclusion.as_ref().filter(|_| facts.is_known())?;
    let first = match &facts.search {
        Some(of_search) => search::sentence(findings, of_search)?,
        None => of_means(findings, conclusion),
    };
    let retired = retired(findings);
    let rest = match facts.search {
        Some(_) => {
            let is_told =
                |own: &&ExtensionFacts| !(own.set_aside.is_empty() && own.asserted.is_empty());
            let told = facts.extensions.iter().filter(is_told);
            told.map(|own| extended(facts, own)).collect()
        }
        None => circumstances(facts, conclusion),
    };
    // They were not retired, and failed each time.
    let unscored = not_compared(&findings.unscored());
    let sentences = [first].into_iter().chain(retired).chain(unscored);
    let sentences = sentences.chain(rest);
    Some(sentences.collect::<Vec<_>>().join(" "))
}

/// How it was chosen: the names of the program's parts, which a paper may give beside the sentence.
pub(super) fn method(findings: &StudyFindings<'_>) -> Option<String> {
    let facts = findings.facts;
    let is_quoted = sentence(findings).is_some() && facts.search.is_none();
    is_quoted.then(|| {
        format!(
            "Method: policy {}, posterior {}.",
            facts.policy, facts.posterior
        )
    })
}

fn of_means(findings: &StudyFindings<'_>, conclusion: &Conclusion) -> String {
    let facts = findings.facts;
    let probability = findings.probability_of(conclusion.arm);
    let overtaken_by = findings.overtaken_by();
    let unanswered = facts.unanswered();
    let setting = Setting {
        arm: facts.name(conclusion.arm),
        arms: findings.arm_count(),
        probability: probability.as_deref(),
        overtaken_by: overtaken_by.as_ref().map(|(name, p)| (*name, &**p)),
        tie: findings.tie_words(),
        evaluations: facts.ended,
        failed: facts.failed(),
        metric: &facts.target(),
        splits: findings.splits_used(),
        design: facts.design,
        repeats: facts.repeats,
        noun: facts.noun,
        unanswered: unanswered.as_deref(),
        decimals: findings.arms().decimals(),
        cost_unit: facts.cost_unit.as_ref(),
        version: env!("CARGO_PKG_VERSION"),
    };
    claim(conclusion, &setting)
}

/// The arms that were not compared with the others to the end.
fn retired(findings: &StudyFindings<'_>) -> Option<String> {
    let retired = findings.retired();
    let what = match findings.facts.search {
        Some(_) => "too many of its trials",
        None => "its evaluations",
    };
    (!retired.is_empty()).then(|| format!("Retired because {what} failed: {}.", retired.join(", ")))
}

/// Earlier evaluations, extensions, and what commands are assumed to read.
fn circumstances(facts: &StudyFacts, conclusion: &Conclusion) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(of_the_other_items(facts));
    if facts.recorded > 0 {
        let hold = match conclusion.reason {
            Reason::AnytimeValid { .. } => {
                ", and the rate of errors holds if none was chosen or left out for its score"
            }
            _ => "",
        };
        sentences.push(format!(
            "{} of the evaluations existed before the study{hold}.",
            facts.recorded
        ));
    }
    sentences.extend(of_folds(facts));
    sentences.extend(facts.extensions.iter().map(|e| extended(facts, e)));
    sentences.extend(assumed_of_cases(facts));
    sentences
}

/// Tells what the answers to a pool say of the items that the verdict is not of.
fn of_the_other_items(facts: &StudyFacts) -> Option<String> {
    let report = PoolReport::new(&facts.pool_answers()?, 0.0).ok()?;
    Some(match facts.items_target {
        Target::TheseItems => words::sentence(&report.items_like_these?.words()),
        Target::ItemsLikeThese => format!("{}.", report.these_items?.words()),
    })
}

/// Tells what splits that come to an end have in common, which no probability accounts for.
fn of_folds(facts: &StudyFacts) -> Option<String> {
    let count = facts.splits.filter(|_| !facts.is_of_items())?;
    Some(if facts.uses_splits_again {
        format!(
            "The verdict is of these {count} splits, which were used again with other seeds: on other data it may be another."
        )
    } else {
        format!(
            "The {count} splits count as independent: if they are folds of one data set, they share training data, and the arms are less certain to differ on other data."
        )
    })
}

/// How a study was extended.
fn extended(facts: &StudyFacts, extension: &ExtensionFacts) -> String {
    let after = extension.evaluations;
    let named = |arms: &[fiesta_core::ArmId]| {
        let names = arms.iter().map(|&arm| facts.name(arm));
        names.collect::<Vec<_>>().join(", ")
    };
    let ended = if extension.had_ended {
        ", when it had ended once"
    } else {
        ""
    };
    if !extension.reinstated.is_empty() {
        return format!(
            "Failures forgiven after {after} evaluations{ended}, as their cause was mended: {}.",
            named(&extension.reinstated)
        );
    }
    if !extension.set_aside.is_empty() {
        let counts = extension.set_aside.iter();
        let counts = counts.map(|(arm, count)| format!("{count} of {}", facts.name(*arm)));
        return format!(
            "Set aside after {after} evaluations{ended}, and made anew: {}.",
            counts.collect::<Vec<_>>().join(", ")
        );
    }
    if !extension.asserted.is_empty() {
        return format!(
            "Changed after {after} evaluations{ended}, and said to give the same scores: {}.",
            extension.asserted.join("; ")
        );
    }
    let what = if extension.arms.is_empty() {
        "What it was to reach or to spend was changed".to_owned()
    } else {
        format!("Added: {}", named(&extension.arms))
    };
    format!("{what} after {after} evaluations{ended}.")
}

/// Tells what is assumed where commands do not name the split (or document) that they are given.
/// `None` if all name it.
fn assumed_of_cases(facts: &StudyFacts) -> Option<String> {
    let silent = facts.arms.iter().filter(|arm| arm.names_no_case);
    let silent: Vec<&str> = silent.map(|arm| arm.name.as_str()).collect();
    let of = match silent.len() {
        0 => return None,
        all if all == facts.arms.len() => String::new(),
        _ => format!(" of {}", silent.join(", ")),
    };
    let what = facts.noun;
    let variable = format!("FIESTA_{}", what.to_uppercase());
    Some(format!(
        "The command{of} names no {what}: that it reads {variable} is assumed."
    ))
}
