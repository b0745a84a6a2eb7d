//! A first study for a script that exists: its options, what it prints, and what this machine has,
//! as a commented study file.
//!
//! The source of the script is read and not run. Options are found as argparse, click, typer, fire,
//! absl, Hydra and data classes read them in Python, optparse and `commandArgs` in R, `case`,
//! `getopts` and numbered arguments in a shell; or in what `--help` prints, if the caller lets the
//! command be run with it. What cannot be found out is written as a text that begins with
//! `<fill in:`, which [`Study::read`](crate::Study::read) refuses with its line.

mod error;
mod help;
mod hydra;
mod machine;
mod options;
mod other;
mod prints;
mod python;
mod run_help;
mod script;
mod source;
mod study;

pub use error::InitError;
pub use machine::Machine;
pub use options::{Roles, ScriptOption, Written};
pub use prints::ScoreSource;

use regex::Regex;
use script::Script;
use serde::Serialize;
use source::{Language, Source};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What is known of a script, and the study that is proposed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// The words before the script's own arguments.
    pub program: Vec<String>,
    /// The script's source, if it was found.
    pub source: Option<PathBuf>,
    /// All options that were found.
    pub options: Vec<ScriptOption>,
    /// Those that are the arm, the split and the seed.
    pub roles: Roles,
    /// The variables of a study that the script reads by itself: `FIESTA_ARM`.
    pub variables: Vec<String>,
    /// The candidates, as far as they are known.
    pub arms: Vec<String>,
    /// How the script tells its score.
    pub score: Option<ScoreSource>,
    /// What the machine has.
    pub machine: Machine,
    /// Whether `--help` was run.
    pub ran_help: bool,
    /// How many folds the script makes, if its source says so.
    pub folds: Option<u64>,
    /// Whether the seed also splits the data.
    pub seed_splits: bool,
    /// Whether the script computes on a GPU.
    pub uses_gpu: bool,
    /// The command of the study.
    pub command: Vec<String>,
    /// The study's name.
    pub name: String,
}

/// Reads what a command runs, from this directory, and proposes a study for it. With `run_help`,
/// the command is run with `--help` if its source says nothing of options.
///
/// # Errors
/// [`InitError`] if there is no such script, or it cannot be one.
pub fn draft(words: &[String], directory: &Path, run_help: bool) -> Result<Draft, InitError> {
    let script = script::script(words, directory)?;
    let text = match &script.path {
        Some(path) => {
            let bytes = fs::read(path).map_err(|source| InitError::File {
                action: "read",
                path: path.clone(),
                source,
            })?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => String::new(),
    };
    let language = script.language.unwrap_or(Language::Shell);
    let source = Source::new(&text, language);
    let mut options = match script.language {
        Some(Language::Python) => {
            let place = script
                .path
                .as_deref()
                .and_then(Path::parent)
                .unwrap_or(directory);
            let mut options = python::options(&source);
            options.extend(hydra::options(&source, place));
            options
        }
        Some(Language::R) => other::of_r(&source),
        Some(Language::Shell) => other::of_shell(&source),
        None => Vec::new(),
    };
    let ran_help = run_help && options.is_empty();
    if ran_help {
        options = help::options(&run_help::run(&script.program, directory)?);
    }
    let roles = Roles::of(&options);
    let variables = ["FIESTA_ARM", "FIESTA_SPLIT", "FIESTA_SEED"].into_iter();
    let variables = variables
        .filter(|name| text.contains(name))
        .map(ToOwned::to_owned);
    let variables: Vec<String> = variables.collect();
    let given = Given::of(&script, &roles);
    let mut draft = Draft {
        arms: arms(&roles, &given),
        score: script
            .language
            .and_then(|language| prints::score(&source, language)),
        machine: Machine::here(),
        folds: folds(&text, &options),
        seed_splits: seed_splits(&source, &roles),
        uses_gpu: uses_gpu(&text),
        name: name(&script, directory),
        program: script.program.clone(),
        source: script.path.clone(),
        command: Vec::new(),
        options,
        roles,
        variables,
        ran_help,
    };
    draft.command = draft.command_with(&given);
    Ok(draft)
}

/// The arguments that the caller gave to the script.
struct Given {
    /// Without those of options that have a role.
    rest: Vec<String>,
    /// The value that the option of the arm was given.
    arm: Option<String>,
}

impl Given {
    fn of(script: &Script, roles: &Roles) -> Self {
        let mut rest = Vec::new();
        let mut arm = None;
        let mut words = script.arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let is = |option: &Option<ScriptOption>| {
                option.as_ref().is_some_and(|option| match &option.written {
                    Written::Flag(flag) => flag == name,
                    Written::Joined(own) => own == name && value.is_some(),
                    Written::Position(_) => false,
                })
            };
            let of_arm = is(&roles.arm);
            if !of_arm && !is(&roles.split) && !is(&roles.seed) {
                rest.push(word.clone());
                continue;
            }
            let value = value.or_else(|| words.next().cloned());
            if of_arm {
                arm = value;
            }
        }
        Self { rest, arm }
    }

    fn has(&self, option: &ScriptOption) -> bool {
        let Written::Flag(flag) = &option.written else {
            return false;
        };
        self.rest
            .iter()
            .any(|word| word == flag || word.starts_with(&format!("{flag}=")))
    }
}

/// The candidates: the values that the arm's option may have, with that which was given, and that
/// which it has by default, first.
fn arms(roles: &Roles, given: &Given) -> Vec<String> {
    let Some(option) = &roles.arm else {
        return Vec::new();
    };
    let mut arms: Vec<String> = given.arm.iter().cloned().collect();
    let default = option.default.iter().filter(|default| !default.is_empty());
    for name in option.choices.iter().chain(default) {
        if !arms.contains(name) && !name.is_empty() {
            arms.push(name.clone());
        }
    }
    arms
}

impl Draft {
    /// The words of the study's command.
    fn command_with(&self, given: &Given) -> Vec<String> {
        let mut command = self.program.clone();
        command.extend(given.rest.iter().cloned());
        let seed = if self.seed_splits && self.roles.split.is_none() {
            "{split}"
        } else {
            "{seed}"
        };
        let placeholder = |option: &ScriptOption| {
            let is = |role: &Option<ScriptOption>| role.as_ref() == Some(option);
            if is(&self.roles.arm) {
                Some("{arm}".to_owned())
            } else if is(&self.roles.split) {
                Some("{split}".to_owned())
            } else if is(&self.roles.seed) {
                Some(seed.to_owned())
            } else {
                None
            }
        };
        let positions = self
            .options
            .iter()
            .filter(|option| matches!(option.written, Written::Position(_)));
        let last = positions
            .clone()
            .filter(|option| self.roles.has(option))
            .map(position)
            .max();
        let positional_given = given
            .rest
            .iter()
            .filter(|word| !word.starts_with('-'))
            .count();
        for option in positions {
            let is_needed = option.is_required || last.is_some_and(|last| position(option) <= last);
            let is_given = position(option) <= positional_given && !self.roles.has(option);
            if is_needed && !is_given {
                let value = placeholder(option).or_else(|| option.default.clone());
                command.push(value.unwrap_or_else(|| {
                    fill_in(&format!(
                        "{}, which {} needs",
                        option.name,
                        self.program_name()
                    ))
                }));
            }
        }
        for option in &self.options {
            if matches!(option.written, Written::Position(_)) {
                continue;
            }
            match placeholder(option) {
                Some(value) => command.extend(option.written.words(&value)),
                None if option.is_required && !given.has(option) => {
                    let value = fill_in(&format!(
                        "a value for {}, which must be given",
                        option.written.shown()
                    ));
                    command.extend(option.written.words(&value));
                }
                None => {}
            }
        }
        command
    }

    fn program_name(&self) -> &str {
        self.program.last().map_or("the command", String::as_str)
    }

    /// What the user has still to write, a line for each.
    pub fn to_fill_in(&self) -> Vec<String> {
        let text = self.text();
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        let open = lines.flat_map(|line| line.split(crate::study::FILL_IN).skip(1));
        open.map(|rest| rest.split('>').next().unwrap_or_default().trim().to_owned())
            .collect()
    }

    /// Writes the study to a file that is not there yet; with `replaces`, also to one that is.
    ///
    /// # Errors
    /// [`InitError::Exists`] and [`InitError::Begun`] if a study is there, [`InitError::File`] if
    /// the file cannot be written.
    pub fn write(&self, path: &Path, replaces: bool) -> Result<(), InitError> {
        let failed = |source| InitError::File {
            action: "write",
            path: path.to_owned(),
            source,
        };
        let state = path.with_extension("fiesta");
        if path.exists() && !replaces {
            return Err(InitError::Exists(path.to_owned()));
        }
        if state.exists() {
            return Err(InitError::Begun {
                study: path.to_owned(),
                state,
            });
        }
        if replaces {
            return fs::write(path, self.text()).map_err(failed);
        }
        let mut file = fs::File::create_new(path).map_err(failed)?;
        std::io::Write::write_all(&mut file, self.text().as_bytes()).map_err(failed)
    }
}

fn position(option: &ScriptOption) -> usize {
    match option.written {
        Written::Position(number) => number,
        _ => 0,
    }
}

/// A text that somebody has still to fill in.
fn fill_in(what: &str) -> String {
    format!("{} {what}>", crate::study::FILL_IN)
}

/// How many folds a script makes: what an option for it has by default, or its source says.
fn folds(text: &str, options: &[ScriptOption]) -> Option<u64> {
    const NAMES: [&str; 8] = [
        "n_folds",
        "num_folds",
        "folds",
        "n_splits",
        "num_splits",
        "k_folds",
        "kfolds",
        "k",
    ];
    let mut declared = options
        .iter()
        .filter(|option| NAMES.contains(&option.name.as_str()));
    let declared = declared.find_map(|option| option.default.as_ref()?.parse().ok());
    declared.or_else(|| {
        let count = Regex::new(r"(?:n_splits|n_folds|num_folds|KFold\()\s*=?\s*(\d+)").ok()?;
        count.captures(text)?[1].parse().ok()
    })
}

/// Functions that split data at random.
const SPLITTERS: [&str; 7] = [
    "train_test_split",
    "KFold",
    "StratifiedKFold",
    "ShuffleSplit",
    "StratifiedShuffleSplit",
    "random_split",
    "createDataPartition",
];

/// Whether the seed is given to something that splits the data.
fn seed_splits(source: &Source<'_>, roles: &Roles) -> bool {
    let Some(seed) = &roles.seed else {
        return false;
    };
    let calls = SPLITTERS.iter().flat_map(|name| source.calls(name));
    calls
        .flat_map(|call| call.arguments)
        .any(|argument| argument.text.contains(&seed.name))
}

fn uses_gpu(text: &str) -> bool {
    [
        "cuda",
        "import tensorflow",
        "import jax",
        "import cupy",
        "lightning",
        "accelerate",
        "transformers",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// The name of a study of a script: its own, or its directory's where its own says nothing.
fn name(script: &Script, directory: &Path) -> String {
    let stem = script.path.as_deref().and_then(Path::file_stem);
    let stem = stem.and_then(|stem| stem.to_str()).unwrap_or_default();
    let of_directory = directory.file_name().and_then(|name| name.to_str());
    let says_nothing = [
        "",
        "train",
        "main",
        "run",
        "__main__",
        "evaluate",
        "experiment",
    ]
    .contains(&stem);
    let name = if says_nothing {
        of_directory.unwrap_or("study")
    } else {
        stem
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .take(100)
        .collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if name.is_empty() {
        "study".to_owned()
    } else {
        name
    }
}
