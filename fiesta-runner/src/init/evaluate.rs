//! One evaluation of a proposed study, for the score in what it prints.

use super::{Draft, OF_STUDY, process, score::of_output};
use crate::{
    signal::Signals,
    study::{FILL_IN, fill_placeholders, placeholder::Placeholder},
};
use std::{path::Path, time::Duration};

/// Longest duration of the evaluation that [`Draft::evaluate`] runs.
pub const LONGEST: Duration = Duration::from_mins(10);

impl Draft {
    /// Returns the command of one evaluation: of the first arm, split 0 and seed 1.
    ///
    /// # Errors
    /// Says why there is none: something in the command, or its arm, is still to be filled in.
    pub fn first_evaluation(&self) -> Result<Vec<String>, String> {
        if let Some(word) = self.command.iter().find(|word| word.contains(FILL_IN)) {
            return Err(format!("its command is still to be filled in: {word}"));
        }
        if self.data.questions.is_some() {
            let why =
                "a question is asked by `fiesta run --check`, which asks one with each prompt";
            return Err(why.to_owned());
        }
        if self.arms.is_empty() && self.gives(Placeholder::Arm) {
            return Err("no candidate is known yet: give the command one".to_owned());
        }
        let values = self.values();
        let value = |word: &str| {
            let mut known = values.iter().filter(|(own, _)| own.name() == word);
            // The name of a run, which is no study's.
            known
                .next()
                .map_or_else(|| "init".to_owned(), |own| own.1.clone())
        };
        fill_placeholders(&self.command, value).map_err(|unknown| {
            format!(
                "its command has an unknown placeholder: {{{}}}",
                unknown.join("}, {")
            )
        })
    }

    /// Returns the values of the arm, the split and the seed in the first evaluation.
    fn values(&self) -> [(Placeholder, String); 3] {
        let [arm, split, seed] = OF_STUDY;
        let first = self.arms.first().cloned().unwrap_or_default();
        [
            (arm, first),
            (split, "0".to_owned()),
            (seed, "1".to_owned()),
        ]
    }

    /// Runs [`Self::first_evaluation`] in a directory, for [`LONGEST`] at most, and takes the
    /// score from what it prints. Returns false if a Ctrl-C stopped the evaluation.
    ///
    /// # Errors
    /// Says what the command did instead.
    pub fn evaluate(&mut self, directory: &Path) -> Result<bool, String> {
        let words = self.first_evaluation()?;
        let mut command = process::command(&words, directory);
        command.envs(self.values().map(|(own, value)| (own.variable(), value)));
        let mut signals = Signals::new().map_err(|error| format!("it cannot be run: {error}"))?;
        let mut is_interrupted = || {
            let requests = signals.received();
            requests.stop.is_some() || requests.detach
        };
        let ran = process::run(&mut command, LONGEST, &mut is_interrupted);
        let ran = ran.map_err(|error| format!("it cannot be run: {error}"))?;
        if ran.was_interrupted() {
            return Ok(false);
        }
        if let Some(problem) = ran.problem(LONGEST) {
            return Err(format!("it {problem}"));
        }
        let nothing = || "no line of what it printed looks like a score".to_owned();
        self.score = Some(of_output(&ran.printed, &ran.errors).ok_or_else(nothing)?);
        Ok(true)
    }
}
