//! A study's ledger as records: a row for each evaluation that counts.

use super::{Results, ResultsArguments, word};
use crate::{exit::Failure, standing::counts_of, status};
use fiesta::{
    core::{Arms, Outcome},
    policies::random_search::Setting,
    records::{Record, Records, RowProblem},
    runner::{
        History, Study,
        history::{self, Ending, Lost},
    },
};
use serde_json::Value;
use std::borrow::Cow;

/// A study and what its ledger records.
pub(crate) struct Recorded {
    pub(crate) study: Study,
    pub(crate) history: History,
}

impl ResultsArguments {
    /// The study that is named, as its ledger has it.
    pub(crate) fn of_study(&self) -> Result<Results, Failure> {
        let study = Study::read(&self.results)?;
        self.agrees_with(&study)?;
        let history = status::look(&study)?;
        let records = records(&study, &history)?;
        Ok(Results {
            records,
            metric: study.metric().name().to_owned(),
            direction: study.metric().direction(),
            notices: notices(&history),
            study: Some(Box::new(Recorded { study, history })),
        })
    }

    /// Refuses flags that say something else than the study does.
    fn agrees_with(&self, study: &Study) -> Result<(), Failure> {
        let metric = study.metric();
        let given = self.scores.metric.as_deref().map(str::trim);
        if let Some(other) = given.filter(|other| *other != metric.name()) {
            return Err(Failure::Usage(format!(
                "the metric of this study is {}, not {other}: leave --metric out; for other keys of its results, `fiesta export` them to \
                 a file first",
                metric.name()
            )));
        }
        let direction = metric.direction();
        if self
            .asked_direction()
            .is_some_and(|asked| asked != direction)
        {
            return Err(Failure::Usage(format!(
                "this study is to {} {}: leave --direction and --minimize out",
                word(direction),
                metric.name()
            )));
        }
        self.scores
            .refuse_paired_rows("a study knows the split of every evaluation")?;
        if self.scores.bounds.is_some() {
            return Err(Failure::Usage(
                "bounds of a study's metric stand in its file: leave --bounds out".to_owned(),
            ));
        }
        Ok(())
    }
}

/// The names that keys of a result cannot have as columns, as they mean something else in the long
/// form or in an export.
const TAKEN: [&str; 16] = [
    "arm",
    "split",
    "seed",
    "cost",
    "duration",
    "status",
    "score",
    "evaluation",
    "recorded",
    "lost_attempts",
    "lost_cost",
    "document",
    "tp",
    "fp",
    "tn",
    "fn",
];

/// What stands before the key of a result that would be taken for something else.
const PREFIX: &str = "result.";
/// What stands before the name of a hyperparameter that would be.
const OF_SETTING: &str = "setting.";

/// Every evaluation that ended with a score or failed, in the order in which they were asked for.
///
/// Beside what the long form has: `evaluation`, its number from 1; `document`; the hyperparameters
/// of a random search, by their names; `tp`, `fp`, `tn` and `fn` where the result had counts, whose
/// score is the F-measure of their document; `lost_attempts` and `lost_cost`, of attempts before
/// the one that ended it, if any were lost; `recorded`, the file and the line of one that was made
/// before the study; and every other key of the result. The split of a study of documents is the
/// number of the document, which pairs the arms.
pub(super) fn records(study: &Study, history: &History) -> Result<Records, Failure> {
    let metric = study.metric().name();
    // Nothing keeps a study from calling its metric what a column is called.
    let mut records = Records::new(metric).or_else(|_| Records::new("score"))?;
    // What files cannot hold is left out of names, which must not make two arms one.
    Arms::new(study.arms().names().iter().map(|name| legible(name)))?;
    if let Some(search) = study.search() {
        // Before any row fills them, so that they stand together.
        for name in search.names() {
            let column = hyperparameter(name, records.metric()).into_owned();
            records
                .add_column(&column)
                .map_err(|problem| Failure::Usage(problem.to_string()))?;
        }
    }
    for record in history.records.values() {
        add(study, record, &mut records).map_err(|problem| {
            let number = record.evaluation.id.0 + 1;
            Failure::Usage(format!("evaluation {number} of this study: {problem}"))
        })?;
    }
    Ok(records)
}

fn add(study: &Study, record: &history::Record, records: &mut Records) -> Result<(), RowProblem> {
    let Some(ending) = &record.ending else {
        return Ok(());
    };
    let evaluation = &record.evaluation;
    let mut cells: Vec<(Cow<'_, str>, Cow<'_, str>)> = vec![(
        "evaluation".into(),
        (evaluation.id.0 + 1).to_string().into(),
    )];
    if let Some(origin) = &record.origin {
        let place = format!("{}:{}", legible(&origin.file), origin.line);
        cells.push(("recorded".into(), place.into()));
    }
    if record.lost.attempts > 0 {
        let lost = record.lost;
        cells.push(("lost_attempts".into(), lost.attempts.to_string().into()));
        cells.push(("lost_cost".into(), lost.spent.cost.to_string().into()));
    }
    if let Some(document) = study.document(&evaluation.case) {
        cells.push(("document".into(), document.into()));
    }
    for (name, value) in record.setting.iter() {
        let column = hyperparameter(name, records.metric());
        cells.push((column, legible(&value.to_string()).into_owned().into()));
    }
    let arm = legible(study.arms().name(evaluation.arm));
    let (split, seed) = match &record.origin {
        // What its file does not say was made up.
        Some(origin) if study.documents().is_none() => (origin.split, origin.seed),
        Some(origin) => (Some(evaluation.case.split), origin.seed),
        None => (Some(evaluation.case.split), Some(evaluation.case.seed)),
    };
    let is_apart = |field: &str| records.metric() != field;
    let scored = Record {
        split,
        seed,
        cost: record.cost().filter(|_| is_apart("cost")),
        duration: record.seconds().filter(|_| is_apart("duration")),
        ..Record::new(&*arm, 0.0)
    };
    match ending.outcome {
        Outcome::Observed(observed) => {
            let f_beta = study.f_beta().unwrap_or_default();
            let score = observed.score(f_beta);
            if let Some(counts) = counts_of(&observed) {
                let names = ["tp", "fp", "tn", "fn"].into_iter();
                let counts = names.zip(counts.cells());
                cells.extend(counts.map(|(name, count)| (name.into(), count.to_string().into())));
            }
            for (key, value) in &ending.extras {
                cells.push((column(key, records.metric(), &record.setting), text(value)));
            }
            records.push_with(Record { score, ..scored }, cells)
        }
        Outcome::Failed => {
            let failed = Record {
                split: scored.split,
                seed: scored.seed,
                cost: scored.cost,
                duration: scored.duration,
                ..Record::failed(scored.arm)
            };
            records.push_failure_with(failed, cells)
        }
        Outcome::Withdrawn => Ok(()),
    }
}

/// The column of a hyperparameter.
fn hyperparameter<'a>(name: &'a str, metric: &str) -> Cow<'a, str> {
    if name == metric || TAKEN.contains(&name) {
        return format!("{OF_SETTING}{name}").into();
    }
    name.into()
}

/// The column of a key of a result. Many programs print their hyperparameters with it, perhaps
/// rounded: those drawn have the plain name.
fn column<'a>(key: &'a str, metric: &str, setting: &Setting) -> Cow<'a, str> {
    let name = legible(key);
    let is_taken = name == metric || TAKEN.contains(&&*name) || setting.get(&name).is_some();
    let is_prefixed = [PREFIX, OF_SETTING]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if name.is_empty() || is_taken || is_prefixed {
        return format!("{PREFIX}{name}").into();
    }
    name
}

/// A name as a file can hold it: without white space around it, and with control characters in
/// letters.
fn legible(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    if !name.contains(char::is_control) {
        return name.into();
    }
    let mut text = String::new();
    for character in name.chars() {
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text.into()
}

/// A value of a result: a string as it is, anything else as JSON.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

/// What is not among the records.
pub(super) fn notices(history: &History) -> Vec<String> {
    let records = history.records.values();
    let unshown = records.filter(|record| record.ending.as_ref().is_none_or(is_withdrawn));
    let lost: Vec<Lost> = unshown.map(history::Record::all_lost).collect();
    let attempts: u64 = lost.iter().map(|lost| lost.attempts).sum();
    let cost: f64 = lost.iter().map(|lost| lost.spent.cost).sum();
    let mut notices = unended(history);
    if attempts > 0 {
        notices.push(format!(
            "{attempts} attempts at evaluations without a result were lost or stopped; they cost {cost:.1}, which is not among these results"
        ));
    }
    notices
}

fn is_withdrawn(ending: &Ending) -> bool {
    ending.outcome == Outcome::Withdrawn
}

fn unended(history: &History) -> Vec<String> {
    match history.pending().count() {
        0 => Vec::new(),
        1 => vec!["1 evaluation has not ended, and is not among these results".to_owned()],
        pending => vec![format!(
            "{pending} evaluations have not ended, and are not among these results"
        )],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_results_take_no_other_column_s_name() {
        for (key, name) in [
            ("loss", "loss"),
            (" loss ", "loss"),
            ("split", "result.split"),
            ("score", "result.score"),
            ("f1", "result.f1"),
            ("tp", "result.tp"),
            // Or else it would be taken for the one above.
            ("result.split", "result.result.split"),
            ("", "result."),
            ("a\nb", "a\\nb"),
        ] {
            assert_eq!(column(key, "f1", &Setting::default()), name);
        }
        assert_eq!(legible(" <b>\u{202e}\u{7} "), "<b>\u{202e}\\u{7}");
    }
}
