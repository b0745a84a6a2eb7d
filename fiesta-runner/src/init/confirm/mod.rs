//! A study of the best settings of a search and the default, on fresh splits and seeds.
//!
//! The scores of the search choose the arms and are no evidence: the best of many noisy scores is too
//! good, and in about a tenth of searches its setting is worse than the default (arXiv 2506.19540).

mod columns;
mod settings;
mod text;

use super::{InitError, Machine, write_study};
use crate::study::{CommandTemplate, placeholder::Placeholder, setting_in_a_script};
use columns::{column, is_column};
use fiesta_core::Direction;
use fiesta_records::{
    Evaluations,
    words::{agree, count, excerpt, quoted},
};
use settings::{Tried, spelled, tried};
use std::path::Path;

/// Name of the arm with the default setting.
const DEFAULT: &str = "default";

/// What a study of the best settings of a search is made of.
#[derive(Debug, Clone, Copy)]
pub struct ConfirmRequest<'a> {
    /// Trials of the search, with a column for each hyperparameter.
    pub trials: &'a Evaluations,
    /// Name of the results, as comments and errors have it.
    pub source: &'a str,
    /// Name of the score that a job prints.
    pub metric: &'a str,
    /// Whether larger or smaller scores are better.
    pub direction: Direction,
    /// Bounds of the score. `None` if none are known.
    pub bounds: Option<(f64, f64)>,
    /// Command of one evaluation as a line of words, with `{lr}` in place of the value of `lr`.
    pub command: &'a str,
    /// Values of the default setting: a name and a value each.
    pub default: &'a [(String, String)],
    /// Number of best settings that become arms, K.
    pub top: usize,
}

/// An arm of the proposed study.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    name: String,
    command: Vec<String>,
    /// Score in the search and the number of trials. `None` if the search did not try the setting.
    searched: Option<(f64, usize)>,
}

/// A proposed study of the best settings of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Confirmation {
    /// Text of the study file, with comments.
    pub text: String,
    /// Lines on what was left out, and on arms that are the same.
    pub notes: Vec<String>,
    /// Names of the arms, the best of the search first.
    pub arms: Vec<String>,
}

impl Confirmation {
    /// Proposes a study of the best settings of a search and the default.
    ///
    /// A setting that was tried several times has the mean of its scores; numbers that are equal are
    /// one value, however they are written. Of settings with equal scores the one that was tried first
    /// comes first. Trials that failed, or lack a value, are left out. Values go into commands as words
    /// or parts of words, in which braces are doubled.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Evaluations, Record};
    /// use fiesta_runner::init::{ConfirmRequest, Confirmation};
    /// let mut trials = Evaluations::new("accuracy")?;
    /// for (lr, score) in [("0.1", 0.7), ("0.01", 0.9)] {
    ///     trials.push_with(Record::new("search", score), [("params_lr", lr)])?;
    /// }
    /// let study = Confirmation::new(&ConfirmRequest {
    ///     trials: &trials,
    ///     source: "trials.csv",
    ///     metric: "accuracy",
    ///     direction: Direction::Maximize,
    ///     bounds: Some((0.0, 1.0)),
    ///     command: "python train.py --lr {lr} --split {split}",
    ///     default: &[("lr".to_owned(), "1e-3".to_owned())],
    ///     top: 8,
    /// })?;
    /// assert_eq!(study.arms, ["lr=0.01", "lr=0.1", "default"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InitError::Refused`] if a placeholder is no hyperparameter of the search or may be two, a value
    /// would be run as a program or read as an option, the default lacks a value, or there are fewer
    /// than two settings or arms.
    pub fn new(request: &ConfirmRequest<'_>) -> Result<Self, InitError> {
        let ConfirmRequest { trials, source, .. } = *request;
        if request.top == 0 {
            return Err(refused("--top 0 confirms nothing: give 1 or more"));
        }
        if let [first, second, ..] = trials.arms() {
            return Err(refused(format!(
                "{source} has trials of several arms, such as `{}` and `{}`, whose settings are not the same: choose one with --arms",
                excerpt(first),
                excerpt(second)
            )));
        }
        let (command, names) = template(request)?;
        let columns = names.iter().map(|name| column(name, trials, source));
        let columns: Vec<usize> = columns.collect::<Result<_, _>>()?;
        let (mut found, mut notes) = tried(trials, &columns, request.direction);
        // Stable: of equals the first that was tried.
        found.sort_by(|a, b| {
            let [a, b] = [a, b].map(|own| request.direction.orient(own.mean()));
            b.total_cmp(&a)
        });
        if found.len() < 2 {
            return Err(refused(format!(
                "{source} has {} with a score and a value of {}: a choice is between two at least",
                count(found.len(), "setting"),
                quoted(&names)
            )));
        }
        let all = found.len();
        found.truncate(request.top);
        notes.push(format!(
            "{} of {all} settings with a score {} arms",
            found.len(),
            agree(found.len(), "becomes", "become")
        ));
        let default = default(request.default, &names)?;
        let candidates = candidates(&command, &names, &found, &default, &mut notes)?;
        Ok(Self {
            text: text::text(request, &command, &candidates, Machine::here()),
            notes,
            arms: candidates.into_iter().map(|own| own.name).collect(),
        })
    }

    /// Writes the study to a new file. With `replaces`, an existing file is replaced.
    ///
    /// # Errors
    /// [`InitError`] if a study is there, or the file cannot be written.
    pub fn write(&self, path: &Path, replaces: bool) -> Result<(), InitError> {
        write_study(&self.text, path, replaces)
    }
}

fn refused(message: impl Into<String>) -> InitError {
    InitError::Refused(message.into())
}

/// Reads the command of a request. Returns it with the names of its hyperparameters.
fn template(request: &ConfirmRequest<'_>) -> Result<(CommandTemplate, Vec<String>), InitError> {
    let Some(words) = shlex::split(request.command).filter(|words| !words.is_empty()) else {
        return Err(refused(
            "the command is no line of words: give it as a shell would read it, with quotes closed",
        ));
    };
    let lower = |c: char| c.is_ascii_lowercase() || c == '_';
    let command = CommandTemplate::of(&words, |word| {
        let is_meant = !word.is_empty() && word.chars().all(lower);
        is_meant || is_column(word, request.trials)
    });
    let known = Placeholder::of(None);
    let is_known = |word: &str| known.iter().any(|own| own.name() == word);
    if let Some(own) = Placeholder::ALL
        .iter()
        .find(|own| !is_known(own.name()) && command.placeholders().contains(&own.name()))
    {
        return Err(refused(format!(
            "{{{}}} belongs to a study of items or documents, and settings are confirmed on splits: put {{split}} or {{seed}} in its place",
            own.name()
        )));
    }
    let names = command.placeholders().into_iter();
    let names: Vec<String> = names
        .filter(|word| !is_known(word))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return Err(refused(
            "the command has no value of a hyperparameter: put {lr} where the value of lr belongs",
        ));
    }
    let of_settings: Vec<&str> = names.iter().map(String::as_str).collect();
    match setting_in_a_script(&words, &command, &of_settings) {
        Some(message) => Err(refused(message)),
        None => Ok((command, names)),
    }
}

/// Returns the values of the default, in the order of the hyperparameters of these names.
fn default(given: &[(String, String)], names: &[String]) -> Result<Vec<String>, InitError> {
    if let Some((other, _)) = given.iter().find(|(name, _)| !names.contains(name)) {
        return Err(refused(format!(
            "--default has a value of `{}`, which is not in the command: its hyperparameters are {}",
            excerpt(other),
            quoted(names)
        )));
    }
    let value = |name: &String| {
        let mut values = given.iter().filter(|(own, _)| own == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Ok(value.clone()),
            (None, _) => Err(refused(format!(
                "--default has no value of {name}: give one of each hyperparameter, {name}=… among them"
            ))),
            _ => Err(refused(format!("--default has two values of {name}"))),
        }
    };
    names.iter().map(value).collect()
}

/// Returns the arms of the study: these settings, and the default unless it is one of them.
fn candidates(
    command: &CommandTemplate,
    names: &[String],
    found: &[Tried],
    default: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Candidate>, InitError> {
    let is_default = |own: &Tried| {
        let mut both = own.values.iter().zip(default);
        both.all(|(value, default)| spelled(value) == spelled(default))
    };
    let mut called = settings::names(names, found);
    if let Some(place) = found.iter().position(is_default) {
        notes.push(format!(
            "the default is among the best settings of the search, number {} ({}): it is one arm, `{DEFAULT}`",
            place + 1,
            called[place]
        ));
        DEFAULT.clone_into(&mut called[place]);
    }
    let settings = called.into_iter().zip(found).map(|(name, own)| {
        let searched = Some((own.mean(), own.scores.len()));
        (name, own.values.as_slice(), searched)
    });
    let is_new = !found.iter().any(is_default);
    let last = is_new.then_some((DEFAULT.to_owned(), default, None));
    let candidates = settings.chain(last).map(|(name, values, searched)| {
        check_values(command, names, values)?;
        let value = |word: &str| {
            let place = names.iter().position(|own| own == word)?;
            Some(values[place].clone())
        };
        Ok(Candidate {
            name,
            command: command.written(value),
            searched,
        })
    });
    let candidates: Vec<Candidate> = candidates.collect::<Result<_, InitError>>()?;
    if candidates.len() < 2 {
        return Err(refused(
            "the default is the best setting of the search, so that there is one arm: raise --top to compare it with others",
        ));
    }
    Ok(candidates)
}

/// Refuses values that no program can be given, or that it would read as options.
fn check_values(
    command: &CommandTemplate,
    names: &[String],
    values: &[String],
) -> Result<(), InitError> {
    for (name, value) in names.iter().zip(values) {
        if value.contains('\0') {
            return Err(refused(format!(
                "a value of {name} has a zero byte, which no program can be given: take that trial out"
            )));
        }
        let is_number = value.parse::<f64>().is_ok();
        if value.starts_with('-') && !is_number && command.begins_with(name) {
            return Err(refused(format!(
                "the value `{}` of {name} begins with a dash, so that the program would read it as an option: write --{name}={{{name}}} as one word",
                excerpt(value)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
