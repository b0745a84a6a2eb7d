//! Policies that are commands: a process is asked, in a line of JSON, what comes next, and answers
//! in a line.
//!
//! The question holds all that there is to know, so that a process that ends is started again and
//! asked the same, and a study that is resumed asks nothing that its ledger answers.

mod process;
mod question;

pub(crate) use process::sweep_left;

use crate::run::result::quote;
use fiesta_core::{ArmId, Direction, Next, Policy, View, shell_word};
use process::Process;
use question::Question;
use rand::Rng;
use serde::Deserialize;
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Number of times that a question is sent to processes that end before they answer.
const ATTEMPTS: u32 = 3;

/// The first error of a policy that no one has taken yet: `Policy::next` cannot return one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    fn keep(&self, what: String) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(what);
    }

    pub(crate) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The policy's command, with all that its questions and answers refer to.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) command: Vec<String>,
    /// The directory in which the command starts.
    pub(crate) directory: PathBuf,
    /// The directory with the study's state.
    pub(crate) state: PathBuf,
    /// Longest time of an answer.
    pub(crate) timeout: Duration,
    pub(crate) arms: Vec<String>,
    pub(crate) direction: Direction,
    /// Names of the pool's items, by their numbers. Empty without a pool.
    pub(crate) items: Vec<String>,
    pub(crate) trouble: Trouble,
}

/// Policy that asks a command for its decisions.
pub(crate) struct CommandPolicy {
    asked: Asked,
    numbers: HashMap<String, u64>,
    process: Option<Process>,
}

/// An answer of the process, as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    arm: Option<String>,
    item: Option<String>,
    #[serde(default)]
    wait: bool,
}

/// Returns a command line as a shell would read it.
pub(crate) fn in_words(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    words.join(" ")
}

impl CommandPolicy {
    pub(crate) fn new(asked: Asked) -> Self {
        let numbers = asked.items.iter().cloned().zip(0..).collect();
        Self {
            asked,
            numbers,
            process: None,
        }
    }

    /// Asks the policy's process a question, and starts the process if none runs.
    fn ask(&mut self, question: &str) -> Result<String, String> {
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            let mut process = match self.process.take() {
                Some(process) => process,
                None => Process::start(&self.asked)?,
            };
            match process.exchange(question, self.asked.timeout) {
                Ok(line) => {
                    self.process = Some(process);
                    return Ok(line);
                }
                Err(error) if error.is_final() => return Err(error.to_string()),
                Err(error) => reason = process.last_words().unwrap_or(error.to_string()),
            }
        }
        Err(format!(
            "ended {ATTEMPTS} times before it had answered: {reason}"
        ))
    }

    fn choice(&self, line: &str, view: &View<'_>) -> Result<Next, String> {
        let answer: Answer = serde_json::from_str(line).map_err(|error| {
            format!(
                "{error}: write {{\"arm\": NAME}}, {{\"arm\": NAME, \"item\": NAME}} or {{\"wait\": true}}"
            )
        })?;
        let name = match (answer.arm, answer.wait) {
            (Some(name), false) => name,
            (None, true) if view.total_pending() > 0 => return Ok(Next::Wait),
            (None, true) => return Err("nothing runs that it could wait for".to_owned()),
            _ => return Err("one of `arm` and `wait` is needed".to_owned()),
        };
        let place = self.asked.arms.iter().position(|arm| *arm == name);
        let arm = place.map(ArmId::new);
        let Some(arm) = arm.filter(|arm| view.candidates().contains(arm)) else {
            let candidates = view.candidates().iter();
            let names: Vec<&str> = candidates
                .map(|arm| self.asked.arms[arm.index()].as_str())
                .collect();
            let names = names.join(", ");
            return Err(format!(
                "`{name}` is no arm to choose now; these are: {names}"
            ));
        };
        let Some(item) = answer.item else {
            return Ok(Next::Evaluate(arm));
        };
        match self.numbers.get(&item) {
            None => Err(format!("there is no item `{item}`")),
            Some(&number) if view.case_of(arm, number).is_none() => {
                Err(format!("the arm {name} has had the item `{item}`"))
            }
            Some(&number) => Ok(Next::EvaluateOn(arm, number)),
        }
    }
}

impl Policy for CommandPolicy {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        // Exact in every language, also where all numbers are doubles.
        let seed = rng.next_u64() >> 11;
        let question = Question::new(view, &self.asked, seed).line();
        let answered = self.ask(&question).and_then(|line| {
            let choice = self.choice(&line, view);
            choice.map_err(|reason| format!("answered {}: {reason}", quote(&line)))
        });
        answered.unwrap_or_else(|problem| {
            let command = in_words(&self.asked.command);
            let trouble = format!("the policy `{command}` {problem}");
            self.asked.trouble.keep(trouble);
            Next::Wait
        })
    }
}
