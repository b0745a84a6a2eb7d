//! The reader of Python scripts: starts Python on `reader.py`, and takes from it the options, the
//! printed lines, the folds and the constants of a file.

use super::{
    options::ScriptOption,
    process::{command, run},
    score::{Keys, Sample},
};
use serde::Deserialize;
use std::{io::ErrorKind, path::Path, time::Duration};

/// Program that reads a Python file by its syntax tree, and runs nothing in the file.
const READER: &str = include_str!("reader.py");
/// Longest time for Python to read the file.
const LONGEST: Duration = Duration::from_secs(10);

/// Facts that `reader.py` tells of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Facts {
    /// Reason why the Python file could not be read.
    pub(super) problem: Option<String>,
    pub(super) options: Vec<ScriptOption>,
    /// The text from which docopt makes options.
    pub(super) docopt: Vec<String>,
    /// Dicts that are printed as JSON.
    pub(super) results: Vec<Keys>,
    pub(super) printed: Vec<Sample>,
    /// Numbers of folds for scikit-learn to make, or names of options with such numbers.
    pub(super) folds: Vec<String>,
    /// Whether the script makes its folds several times.
    pub(super) repeats_folds: bool,
    /// Constants at the top of the file that are a text or a number, as options.
    pub(super) constants: Vec<ScriptOption>,
    /// Names and texts in calls that split the data at random.
    pub(super) shuffled_by: Vec<String>,
}

/// Reads a Python file with the Python of its command, else with `python3` or `python`.
pub(super) fn read(path: &Path, program: &[String], directory: &Path) -> Facts {
    let own = program.first().filter(|word| is_python(word));
    let others = ["python3", "python"].map(ToOwned::to_owned);
    let mut problem = None;
    for python in own.cloned().into_iter().chain(others) {
        // Neither its environment nor what is installed there takes part.
        let words = [&python, "-I", "-S", "-W", "ignore", "-c", READER].map(ToOwned::to_owned);
        let ran = match run(command(&words, directory).arg(path), LONGEST, &mut || false) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                problem.get_or_insert(format!("{python} cannot be run: {error}"));
                continue;
            }
            Ok(ran) => ran,
        };
        if let Ok(facts) = serde_json::from_str(&ran.printed) {
            return facts;
        }
        let told = ran.problem(LONGEST);
        let told = told.unwrap_or_else(|| "told nothing of it".to_owned());
        problem.get_or_insert(format!("{python} {told}"));
        if ran.took_too_long() {
            break;
        }
    }
    let none = || "there is no python3 and no python here that could read it".to_owned();
    Facts {
        problem: Some(problem.unwrap_or_else(none)),
        ..Facts::default()
    }
}

/// Whether a word names a Python: `python3.12`, `venv/bin/python`.
fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let version = name.strip_prefix("python");
    version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}
