//! Failures that are alike: evaluations that failed for the same cause.

use super::Ending;
use crate::{Trial, run::End, study::Study};
use fiesta_core::{ArmId, Evaluation, EvaluationId, Outcome};
use regex::{Captures, Regex};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::LazyLock,
};

/// Least number of failures, all of trials with hyperparameters, that count as a sign that no trial
/// can succeed. Of other failures, 2 suffice: whether a trial fails may depend on what was drawn
/// for it.
const LEAST_TRIALS: usize = 5;

/// The cause of a failure, as far as one failure can be told from another: how its command ended,
/// and its message without what differs from one evaluation to the next (numbers, paths, and the
/// names of arms, of its document and its hyperparameters' values).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cause(String);

impl Cause {
    /// The cause of a failed evaluation.
    pub fn of(study: &Study, evaluation: &Evaluation, ending: &Ending) -> Self {
        let end = match &ending.end {
            None => "unknown".to_owned(),
            Some(End::Exited(code)) => format!("exit {code}"),
            Some(End::Signaled(signal)) => format!("signal {signal}"),
            Some(End::TimedOut) => "time limit".to_owned(),
            Some(End::Silent) => "silence".to_owned(),
            Some(_) => "lost".to_owned(),
        };
        let message = ending.message.as_deref().unwrap_or_default();
        Self(format!("{end}: {}", common(study, evaluation, message)))
    }

    /// Returns the cause of a trial's failure with the message `reason`.
    pub fn of_trial(study: &Study, trial: &Trial, reason: &str) -> Self {
        let mut own = study.arms().names().to_vec();
        own.extend(trial.document.clone());
        own.extend(trial.setting.iter().map(|(_, value)| value.to_string()));
        Self(without(own, reason))
    }

    /// Returns the cause that `reason` names, for a run that was lost and is tried again.
    pub(crate) fn in_words(study: &Study, evaluation: &Evaluation, reason: &str) -> Self {
        Self(common(study, evaluation, reason))
    }
}

/// Returns a message about an evaluation without the words that differ between evaluations.
fn common(study: &Study, evaluation: &Evaluation, text: &str) -> String {
    // All names, since one may be a word of the message itself: an arm `a` is "a" in every message.
    let mut own = study.arms().names().to_vec();
    own.extend(study.item(&evaluation.case).map(ToOwned::to_owned));
    let setting = study.setting(evaluation);
    own.extend(setting.iter().map(|(_, value)| value.to_string()));
    without(own, text)
}

/// Returns a text without the words `own`, without paths and without numbers.
fn without(mut own: Vec<String>, text: &str) -> String {
    // The longest first: one may be a part of another.
    own.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let text = own
        .iter()
        .fold(text.to_owned(), |text, word| without_word(&text, word));
    without_numbers(&without_paths(&text))
}

/// Returns a text with `#` in place of a word, unless the word is part of a longer one.
fn without_word(text: &str, word: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(place) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, after) = (&rest[..place], &rest[place + word.len()..]);
        kept.push_str(before);
        let joined = kept.ends_with(is_part) || after.starts_with(is_part);
        kept.push_str(if joined { word } else { "#" });
        rest = after;
    }
    kept + rest
}

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    let within = r#"[^\s"'`()\[\]{}<>,;=]*"#;
    Regex::new(&format!("{within}/{within}")).expect("it is an expression")
});
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{Alphabetic}\p{N}]+").expect("it is an expression"));
static DIGITS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[0-9]+").expect("it is an expression"));

/// A text with `/` in place of every path.
fn without_paths(text: &str) -> Cow<'_, str> {
    PATH.replace_all(text, "/")
}

/// A text with `#` in place of every number, and of words that are hexadecimal numbers: `0x7f`,
/// `3fa94c`.
fn without_numbers(text: &str) -> String {
    let kept = WORD.replace_all(text, |found: &Captures<'_>| {
        let word = &found[0];
        let is_hexadecimal = word.len() >= 6
            && word.contains(|c: char| c.is_ascii_digit())
            // Not the digits before an exponent.
            && word.trim_end_matches('e').contains(|c: char| !c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_hexdigit());
        if is_hexadecimal || word.starts_with("0x") {
            "#".to_owned()
        } else {
            DIGITS.replace_all(word, "#").into_owned()
        }
    });
    kept.replace("#.#", "#").replace("#e-#", "#")
}

/// How often each cause was told, so that it is told whole once.
#[derive(Debug, Default)]
pub struct Told(HashMap<Cause, (EvaluationId, u64)>);

impl Told {
    /// Counts a message about an evaluation with this cause. If the cause was told before, returns
    /// the first evaluation that had it, and the number of occurrences with this one.
    pub fn before(
        &mut self,
        cause: Cause,
        evaluation: EvaluationId,
    ) -> Option<(EvaluationId, u64)> {
        let (first, count) = self.0.entry(cause).or_insert((evaluation, 0));
        *count += 1;
        (*count > 1).then_some((*first, *count))
    }

    /// Returns, for each cause told more than once, its first evaluation and how often it was told.
    pub fn repeated(&self) -> Vec<(EvaluationId, u64)> {
        let repeated = self.0.values().filter(|(_, count)| *count > 1);
        let mut repeated: Vec<_> = repeated.copied().collect();
        repeated.sort_unstable();
        repeated
    }
}

/// The failures of a study none of whose evaluations has succeeded yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailuresAtFirst {
    has_succeeded: bool,
    failed: BTreeMap<EvaluationId, Failed>,
}

/// A failed evaluation: its attempt, its cause and its message.
#[derive(Debug, Clone)]
struct Failed {
    evaluation: Evaluation,
    attempt: u32,
    cause: Cause,
    message: String,
}

impl FailuresAtFirst {
    /// Notes how an evaluation of this study ended, in attempt number `attempt`.
    pub(crate) fn note(
        &mut self,
        study: &Study,
        evaluation: &Evaluation,
        attempt: u32,
        ending: &Ending,
    ) {
        match ending.outcome {
            Outcome::Observed(_) => {
                *self = Self {
                    has_succeeded: true,
                    ..Self::default()
                };
            }
            Outcome::Failed if !self.has_succeeded => {
                let failed = Failed {
                    evaluation: *evaluation,
                    attempt,
                    cause: Cause::of(study, evaluation, ending),
                    message: ending.message.clone().unwrap_or_default(),
                };
                self.failed.insert(evaluation.id, failed);
            }
            Outcome::Failed | Outcome::Withdrawn => {}
        }
    }

    /// Removes an arm's failures, as their cause was mended.
    pub(crate) fn forgive(&mut self, arm: ArmId) {
        self.failed.retain(|_, failed| failed.evaluation.arm != arm);
    }

    /// Returns the arms that have failed evaluations.
    pub(crate) fn arms(&self) -> BTreeSet<ArmId> {
        let failed = self.failed.values();
        failed.map(|failed| failed.evaluation.arm).collect()
    }

    /// Whether there are failures, and all of them are alike.
    pub(crate) fn are_alike(&self) -> bool {
        let mut causes = self.failed.values().map(|failed| &failed.cause);
        let first = causes.next();
        first.is_some() && causes.all(|cause| Some(cause) == first)
    }

    /// Whether to start no further evaluation, as several arms have failed, all of them alike.
    pub(crate) fn speak_against_all(&self, study: &Study) -> bool {
        let has_setting = |failed: &Failed| !study.setting(&failed.evaluation).is_empty();
        let least = if self.failed.values().all(has_setting) {
            LEAST_TRIALS
        } else {
            2
        };
        self.failed.len() >= least && self.arms().len() > 1 && self.are_alike()
    }

    /// Returns the message about failures of all evaluations, if there are any: that the study
    /// stopped since all of them failed alike, and the first of them.
    pub(crate) fn told(&self, study: &Study) -> Option<String> {
        let Failed {
            evaluation,
            attempt,
            message,
            ..
        } = self.failed.values().next()?;
        let directory = study.run_directory(&study.run_id(evaluation, *attempt));
        let command = study.command(evaluation, &study.setting(evaluation), &directory);
        let failures = self.failed.len();
        let plural = if failures == 1 { "" } else { "s" };
        let arms = self.arms();
        let names = arms.iter().map(|&arm| study.arms().name(arm));
        Some(format!(
            "stopped after {failures} evaluation{plural} of {} of {} arms ({}): none succeeded, and all failed alike. The first was evaluation {}, {} on {}:\n\
             {message}\n\
             its command was: {}\n\
             its output is in: {}\n\
             once the cause is mended, the same command goes on, with --accept-changes if the study file was edited; these failures are then not held against the arms",
            arms.len(),
            study.arms().len(),
            names.collect::<Vec<_>>().join(", "),
            evaluation.id.0 + 1,
            study.arms().name(evaluation.arm),
            study.describe(evaluation),
            command.join(" "),
            directory.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_out_whole() {
        assert_eq!(
            without_word("a bad arm a, (a) aa a_b", "a"),
            "# bad arm #, (#) aa a_b"
        );
        assert_eq!(without_word("x-1 of x-10", "x-1"), "# of x-10");
        assert_eq!(without_word("abc", ""), "abc");
    }

    #[test]
    fn paths_and_numbers_are_taken_out() {
        let text =
            "File \"/tmp/run-7/train.py\", line 12, at 0x7fA3 in 1.5678912e-3 s: x22 3fa94c dead";
        let common = without_numbers(&without_paths(text));
        assert_eq!(common, "File \"/\", line #, at # in # s: x# # dead");
    }
}
