//! Serving a kept baseline: its answers are recorded scores of a gate that begins.

use super::{BaselineError, KeptAnswer, KeptBaseline, copy_in};
use crate::{
    file_error::FileError,
    ledger::{Entry, Origin},
    ordinary, private,
    run::files::replace,
    study::{Study, StudyError, error::Source},
};
use fiesta_core::{ArmId, Case, Evaluation, EvaluationId, Outcome};
use fiesta_records::excerpt;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeSet, HashMap},
    io,
    path::Path,
};

/// Key of the study file that names the file.
const KEY: [&str; 2] = ["goal", "baseline_file"];

/// Adds the answers of the kept baseline to what is recorded before a gate. A gate that has begun has them in
/// its ledger: of the copy in its state, only the anchor is needed.
pub(in crate::study) fn serve(
    source: &Source<'_>,
    study: &mut Study,
    has_begun: bool,
) -> Result<(), StudyError> {
    let Some(question) = study.terms.gate else {
        return Ok(());
    };
    let copy = private::read(&copy_in(&study.state_directory())).ok();
    let copy = copy.and_then(|bytes| KeptBaseline::read(&bytes, "baseline.jsonl").ok());
    if has_begun {
        study.baseline = copy;
        return Ok(());
    }
    // The copy is of a gate before, of which something else may have changed since.
    let carried = copy.filter(|copy| copy.misfit(study, question.baseline).is_none());
    let named = study.file.goal.baseline_file.clone();
    let kept = match &named {
        None => None,
        Some(named) => {
            named_file(study, question.baseline, named).map_err(|what| source.wrong(&KEY, what))?
        }
    };
    let file = match (&kept, named) {
        (Some(_), Some(named)) => named,
        _ => "an earlier gate".to_owned(),
    };
    let Some(kept) = KeptBaseline::together(kept, carried, study) else {
        return Ok(());
    };
    let entries = kept.entries(study, question.baseline, &file);
    study
        .recorded
        .extend(entries.map_err(|what| source.wrong(&KEY, what))?);
    study.baseline = Some(kept);
    Ok(())
}

/// Checks that a baseline without a command has an answer to all that it may be asked.
pub(in crate::study) fn check_served(
    source: &Source<'_>,
    study: &Study,
    has_begun: bool,
) -> Result<(), StudyError> {
    let Some(question) = study.terms.gate.filter(|_| !has_begun) else {
        return Ok(());
    };
    if study.can_ask(question.baseline) {
        return Ok(());
    }
    let served: BTreeSet<u64> = { study.recorded.iter() }
        .filter_map(|entry| match entry {
            Entry::Recorded { evaluation, .. } if evaluation.arm == question.baseline => {
                Some(evaluation.case.split)
            }
            _ => None,
        })
        .collect();
    let name = study.arms.name(question.baseline);
    let count = match &study.items {
        Some(items) => items.len() as u64,
        None => study.splits().ok_or_else(|| {
            let what = format!("the baseline `{name}` has no command, and splits have no end: give it one, or say how many splits there are");
            source.wrong(&KEY, what)
        })?,
    };
    let Some(missing) = (0..count).find(|place| !served.contains(place)) else {
        return Ok(());
    };
    let words = study.words(&Case {
        split: missing,
        seed: 0,
    });
    let left = count - served.len() as u64;
    Err(source.wrong(
        &KEY,
        format!(
            "the kept baseline has no answer to {left} of {count}, the first of them {words}, which is new or has changed, and the arm `{name}` has no command that could be asked: give it one, or leave these out"
        ),
    ))
}

/// Reads the file that the study names. `None` if it does not exist yet, and the baseline can be asked.
fn named_file(study: &Study, arm: ArmId, named: &str) -> Result<Option<KeptBaseline>, String> {
    let path = study.directory.join(named);
    let bytes = match ordinary::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| format!("{named} cannot be read: {error}"))?,
    };
    let kept =
        KeptBaseline::read(&bytes, named).map_err(|error: BaselineError| error.to_string())?;
    match kept.misfit(study, arm) {
        Some(misfit) => Err(format!("{named}: {misfit}")),
        None => Ok(Some(kept)),
    }
}

impl KeptBaseline {
    /// Returns why the answers are not those that the study's baseline would give. `None` if they are.
    fn misfit(&self, study: &Study, arm: ArmId) -> Option<String> {
        let advice = "leave baseline_file out, or remove the file, and the baseline is asked anew";
        let metric = &study.fingerprint["metric"];
        let changed = differing(&self.head.metric, metric);
        if !changed.is_empty() {
            return Some(format!(
                "scores were read in another way when the baseline was kept ([metric] {}), and cannot be compared: {advice}",
                changed.join(", ")
            ));
        }
        let now = study.kept_arm(arm);
        if !study.can_ask(arm) || now.identity == self.head.arm.identity {
            return None;
        }
        let parts = |of: &Map<String, Value>| Value::Object(of.clone());
        let changed = differing(&parts(&self.head.arm.identity), &parts(&now.identity));
        Some(format!(
            "the baseline `{}` is another version than the one that was kept on {} as `{}` ({}): {advice}",
            now.name,
            self.head.kept,
            self.head.arm.name,
            changed.join(", ")
        ))
    }

    /// Adds to a kept baseline the answers of another one to what it has none of.
    fn together(kept: Option<Self>, carried: Option<Self>, study: &Study) -> Option<Self> {
        let (mut kept, carried) = match (kept, carried) {
            (Some(kept), Some(carried)) => (kept, carried),
            (kept, carried) => return kept.or(carried),
        };
        let place_of = study.places();
        let key = |answer: &KeptAnswer| (answer.item.clone(), answer.split);
        let places = kept.answers.iter().enumerate();
        let places: HashMap<_, usize> = places.map(|(at, answer)| (key(answer), at)).collect();
        for mut answer in carried.answers {
            if answer.score.is_none() || place_of(&answer).is_none() {
                continue;
            }
            match places.get(&key(&answer)) {
                None => kept.answers.push(answer),
                Some(&at) => {
                    let own = &mut kept.answers[at];
                    if own.score.is_none() || place_of(own).is_none() {
                        answer.anchor = own.anchor.filter(|_| own.digest == answer.digest);
                        *own = answer;
                    }
                }
            }
        }
        kept.head.lines = kept.answers.len();
        Some(kept)
    }

    /// Writes a copy to a study's state.
    pub(crate) fn copy_to(&self, state: &Path) -> io::Result<()> {
        replace(&copy_in(state), &self.text()?)
    }

    /// Returns the entries of a ledger for the answers to what the study has as it was.
    fn entries(&self, study: &Study, arm: ArmId, file: &str) -> Result<Vec<Entry>, String> {
        let before = { study.recorded.iter() }.filter_map(|entry| match entry {
            Entry::Recorded { evaluation, .. } if evaluation.arm == arm => {
                Some(evaluation.case.split)
            }
            _ => None,
        });
        let before: BTreeSet<u64> = before.collect();
        let place_of = study.places();
        let mut entries = Vec::new();
        for (line, answer) in (2..).zip(&self.answers) {
            let (Some(split), Some(score)) = (place_of(answer), answer.score) else {
                continue;
            };
            let id = (study.recorded.len() + entries.len()) as u64;
            let seed = answer.seed.unwrap_or(id);
            let case = Case { split, seed };
            if before.contains(&split) {
                let words = study.words(&case);
                return Err(format!(
                    "{file}:{line}: {words} is under [[recorded]], too, and counts once: leave one of the two out"
                ));
            }
            if let Some((low, high)) = study.metric().bounds()
                && !(low..=high).contains(&score)
            {
                return Err(format!(
                    "{file}:{line}: the score {} lies beyond the bounds {low} and {high}: the file was edited",
                    excerpt(&score.to_string())
                ));
            }
            entries.push(Entry::Recorded {
                evaluation: Evaluation {
                    id: EvaluationId(id),
                    arm,
                    case,
                },
                outcome: Outcome::Observed(score.into()),
                origin: Origin {
                    file: file.to_owned(),
                    line,
                    split: answer.split,
                    seed: answer.seed,
                    cost: answer.cost,
                    seconds: answer.seconds,
                },
                extras: Map::new(),
            });
        }
        Ok(entries)
    }
}

impl Study {
    /// Whether an arm has a command, or a function, that answers.
    fn can_ask(&self, arm: ArmId) -> bool {
        self.is_of_functions() || !self.jobs[arm.index()].command.is_empty()
    }

    /// Copies the kept baseline to the study's state, in case its file is replaced.
    ///
    /// # Errors
    /// [`FileError`] if the copy cannot be written.
    pub(crate) fn copy_baseline(&self) -> Result<(), FileError> {
        let Some(kept) = &self.baseline else {
            return Ok(());
        };
        let state = self.state_directory();
        { kept.copy_to(&state) }.map_err(FileError::of("write", &copy_in(&state)))
    }
}

/// Names what differs between two tables, with both values of what is short.
fn differing(then: &Value, now: &Value) -> Vec<String> {
    let (Value::Object(then), Value::Object(now)) = (then, now) else {
        return if then == now {
            Vec::new()
        } else {
            vec![format!("{then} → {now}")]
        };
    };
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut found = Vec::new();
    for name in names {
        let of = |table: &Map<String, Value>| table.get(name).cloned().unwrap_or_default();
        let (then, now) = (of(then), of(now));
        if name == "files" {
            let files = |table: &Value| table.as_object().cloned().unwrap_or_default();
            let (then, now) = (files(&then), files(&now));
            let all: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
            let changed = all
                .into_iter()
                .filter(|&file| then.get(file) != now.get(file));
            found.extend(changed.map(|file| format!("the file {} has changed", excerpt(file))));
        } else if then != now {
            let short = |value: &Value| excerpt(&value.to_string());
            found.push(format!("{name}: {} → {}", short(&then), short(&now)));
        }
    }
    found
}
