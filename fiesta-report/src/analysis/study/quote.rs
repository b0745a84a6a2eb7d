//! Sentence to quote about a study: the claim, then what else a reader must know of it.

use super::{ExtensionFacts, StudyFacts, StudyFindings};
use crate::{
    Setting,
    analysis::{not_compared, pool::PoolReport},
    sentence as claim,
    sentence::{decided, with_late},
    words,
};
use fiesta_core::{ArmId, Conclusion, Reason, Target};

impl StudyFindings<'_> {
    /// Returns the sentence to quote. `None` before the conclusion, or if nothing is known of the
    /// arms.
    pub fn sentence(&self) -> Option<String> {
        let facts = self.facts;
        let (conclusion, arm) = (facts.conclusion.as_ref()?, self.recommended()?);
        let first = match &facts.search {
            Some(search) => self.of_search(conclusion, search)?,
            None => match &facts.gate {
                Some(gate) => gate.sentence(facts, &self.setting(arm).effort()),
                None => match self.top_in_words() {
                    Some(claim) => {
                        let claim = format!("{claim} ({}).", self.setting(arm).effort());
                        let decided = decided(conclusion);
                        with_late(claim, &decided, self.late())
                    }
                    None => self.of_means(conclusion, arm),
                },
            },
        };
        let rest = match facts.search {
            Some(_) => {
                let is_told =
                    |own: &&ExtensionFacts| !(own.set_aside.is_empty() && own.asserted.is_empty());
                let told = facts.extensions.iter().filter(is_told);
                told.map(|own| extended(facts, own)).collect()
            }
            None => circumstances(facts, conclusion),
        };
        let digits = self.arms().decimals();
        let hidden = self.failures.iter().map(|own| own.sentence(digits));
        // They were not retired, and failed each time.
        let unscored = not_compared(&self.unscored());
        let sentences = [first].into_iter().chain(retired(self)).chain(unscored);
        let sentences = sentences.chain(hidden).chain(rest);
        Some(sentences.collect::<Vec<_>>().join(" "))
    }

    /// Says what stands beneath the sentence: which policy chose the evaluations, and which
    /// posterior its probabilities are of. `None` where there is no sentence, and for a random
    /// search.
    pub fn method(&self) -> Option<String> {
        let facts = self.facts;
        let is_quoted = self.sentence().is_some() && facts.search.is_none();
        is_quoted.then(|| {
            format!(
                "Method: policy {}, posterior {}.",
                facts.policy, facts.posterior
            )
        })
    }

    fn of_means(&self, conclusion: &Conclusion, arm: ArmId) -> String {
        if let Some(lead) = self.lead_without_failures() {
            let setting = self.setting(arm);
            return format!("{} {lead} ({}).", setting.arm, setting.effort());
        }
        let probability = self.probability_of(arm);
        let overtaken_by = self.overtaken_by();
        let unanswered = self.facts.unanswered();
        let setting = Setting {
            probability: probability.as_deref(),
            overtaken_by: overtaken_by.as_ref().map(|(name, p)| (*name, &**p)),
            tie: self.tie_words(),
            metric: &self.facts.target(),
            unanswered: unanswered.as_deref(),
            ..self.setting(arm)
        };
        claim(conclusion, &setting)
    }

    /// Returns what sentences about an arm need to know of the study, but for probabilities, ties
    /// and missing answers.
    pub(super) fn setting(&self, arm: ArmId) -> Setting<'_> {
        let facts = self.facts;
        Setting {
            arm: facts.name(arm),
            arms: self.arm_count(),
            probability: None,
            overtaken_by: None,
            tie: None,
            cheapest_within: facts.cheapest_within,
            evaluations: facts.ended,
            failed: facts.failed(),
            metric: facts.metric.name(),
            splits: self.splits_used(),
            design: facts.design,
            noun: facts.noun,
            unanswered: None,
            repeats: facts.repeats,
            decimals: self.arms().decimals(),
            cost_unit: facts.cost_unit.as_ref(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
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

/// Returns sentences about earlier evaluations, about extensions, and about what commands are assumed to read.
fn circumstances(facts: &StudyFacts, conclusion: &Conclusion) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(of_the_other_items(facts));
    if facts.recorded > 0 {
        let hold = match conclusion.reason {
            Reason::AnytimeValid { .. } | Reason::Gate { .. } => {
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

/// Says how a study was extended.
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
