//! One evaluation of a proposed study, for the score in what it prints.

use super::{Draft, facts::VARIABLES, process, score::of_output};
use std::{path::Path, time::Duration};

/// How long an evaluation may take that [`Draft::evaluate`] runs.
pub const LONGEST: Duration = Duration::from_mins(10);

impl Draft {
    /// The command of one evaluation: of the first arm, split 0 and seed 1.
    ///
    /// # Errors
    /// Says why there is none: something in the command, or its arm, is still to be filled in.
    pub fn first_evaluation(&self) -> Result<Vec<String>, String> {
        let needs = |word: &String| word.contains(crate::study::FILL_IN);
        if let Some(word) = self.command.iter().find(|word| needs(word)) {
            return Err(format!("its command is still to be filled in: {word}"));
        }
        let has_arm = self.command.iter().any(|word| word.contains("{arm}"));
        let reads_arm = self.variables.iter().any(|own| own == VARIABLES[0]);
        if self.arms.is_empty() && (has_arm || reads_arm) {
            return Err("no candidate is known yet: give the command one".to_owned());
        }
        let values = self.values();
        let filled = self.command.iter().map(|word| {
            let names = ["{arm}", "{split}", "{seed}"].into_iter().zip(&values);
            names.fold(word.clone(), |word, (name, value)| {
                word.replace(name, value)
            })
        });
        Ok(filled.collect())
    }

    fn values(&self) -> [String; 3] {
        let arm = self.arms.first().cloned().unwrap_or_default();
        [arm, "0".to_owned(), "1".to_owned()]
    }

    /// Runs [`Self::first_evaluation`] in a directory, for [`LONGEST`] at most, and takes the
    /// score from what it prints.
    ///
    /// # Errors
    /// Says what the command did instead.
    pub fn evaluate(&mut self, directory: &Path) -> Result<(), String> {
        let words = self.first_evaluation()?;
        let mut command = process::command(&words, directory);
        command.envs(VARIABLES.into_iter().zip(self.values()));
        let ran = process::run(&mut command, LONGEST, false);
        let ran = ran.map_err(|error| format!("it cannot be run: {error}"))?;
        if let Some(problem) = ran.problem(LONGEST) {
            return Err(format!("it {problem}"));
        }
        let nothing = || "no line of what it printed looks like a score".to_owned();
        self.score = Some(of_output(&ran.printed, &ran.errors).ok_or_else(nothing)?);
        Ok(())
    }
}
