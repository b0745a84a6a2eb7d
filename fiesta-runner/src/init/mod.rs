//! A first study for a script that exists: its options, what it prints, and what this machine has,
//! as a commented study file.
//!
//! Python reads Python: a program of its own (`reader.py`) lists what the syntax tree of a file tells, and
//! runs nothing of the file. Options of other programs are those that `--help` prints, if the caller
//! lets the command be run with it, and those that the command is given. What cannot be found out is
//! written as a text that begins with `<fill in:`, which [`Study::read`](crate::Study::read) refuses
//! with its line.

mod command;
mod error;
mod evaluate;
mod facts;
mod folds;
mod help;
mod machine;
mod options;
mod process;
mod reader;
mod score;
mod script;
mod split;
mod study;
mod subcommand;

pub use error::InitError;
pub use evaluate::LONGEST as LONGEST_EVALUATION;
pub use facts::Constant;
pub use folds::Folds;
pub use machine::Machine;
pub use options::{Roles, ScriptOption, Written};
pub use score::ScoreSource;

use command::{Given, arms};
use facts::{VARIABLES, constants, name, uses_gpu};
use folds::folds;
use help::choices_of_help;
use options::is_of_study;
use reader::Facts;
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// From where the options of a script are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownFrom {
    /// From its source, which Python read.
    Source,
    /// From `--help`, with which the command was run.
    Help,
    /// From nowhere.
    Nowhere,
}

/// What is known of a script, and the study that is proposed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// The words before the script's own arguments.
    pub program: Vec<String>,
    /// The script, if it was found.
    pub source: Option<PathBuf>,
    /// From where its options are known, beside those that the command gives.
    pub known_from: KnownFrom,
    /// Why the script could not be read, or the command not be asked for its options.
    pub problem: Option<String>,
    /// All options that were found.
    pub options: Vec<ScriptOption>,
    /// Those that are the arm, the split and the seed.
    pub roles: Roles,
    /// The variables of a study that the script reads by itself: `FIESTA_ARM`.
    pub variables: Vec<String>,
    /// The options that were found and that the command does not give.
    pub unused: Vec<ScriptOption>,
    /// Constants of the script that a study would choose: the arm, the split and the seed.
    pub constants: Vec<Constant>,
    /// The candidates, as far as they are known.
    pub arms: Vec<String>,
    /// How the script tells its score.
    pub score: Option<ScoreSource>,
    /// What the machine has.
    pub machine: Machine,
    /// The folds that the script makes, if it says so, and nothing in it contradicts.
    pub folds: Option<Folds>,
    /// Whether the seed also splits the data.
    pub seed_splits: bool,
    /// Whether the script computes on a GPU.
    pub uses_gpu: bool,
    /// The command of the study.
    pub command: Vec<String>,
    /// The study's name.
    pub name: String,
}

/// Reads what a command runs, from this directory, and proposes a study for it. Where a source
/// tells no options, `may_run` is asked whether a command line may be run: that of the command with
/// `--help`.
///
/// # Errors
/// [`InitError`] if there is no such script, or it cannot be one.
pub fn draft(
    words: &[String],
    directory: &Path,
    may_run: &mut dyn FnMut(&str) -> bool,
) -> Result<Draft, InitError> {
    let script = script::script(words, directory)?;
    let text = match &script.path {
        Some(path) => fiesta_records::read_whole(path).map_err(|source| InitError::File {
            action: "read",
            path: path.clone(),
            source,
        })?,
        None => Vec::new(),
    };
    let text = String::from_utf8_lossy(&text);
    let path = script.path.as_deref().filter(|_| script.is_python);
    let mut facts = path.map_or_else(Facts::default, |path| {
        reader::read(path, &script.program, directory)
    });
    let known_from = match (path, &facts.problem) {
        (Some(_), None) => KnownFrom::Source,
        _ => KnownFrom::Nowhere,
    };
    let mut options = std::mem::take(&mut facts.options);
    options.extend(
        facts
            .docopt
            .iter()
            .flat_map(|text| help::options(text, "docopt")),
    );
    let is_variable = |option: &ScriptOption| matches!(option.written, Written::Variable(_));
    options.retain(|own| !is_variable(own) || is_of_study(&own.name));
    let line = format!("{} --help", script.program.join(" "));
    // Variables are no options that `--help` tells.
    let tells_arm = Roles::of(&options).arm.is_some() || text.contains(VARIABLES[0]);
    let ran_help = !tells_arm && options.iter().all(is_variable) && may_run(&line);
    if ran_help {
        match help::run(&script.program, directory) {
            Ok(told) => drop(options.splice(0..0, help::options(&told, "--help"))),
            Err(problem) => facts.problem = Some(format!("`{line}` {problem}")),
        }
    }
    command::add_given(&mut options, &script.arguments);
    let (subcommand, mut options) = subcommand::chosen(options, &script.arguments);
    for option in options.iter_mut().filter(|own| own.choices.is_empty()) {
        let told = option.help.as_deref();
        option.choices = told.map_or_else(Vec::new, choices_of_help);
    }
    let roles = Roles::of(&options);
    let variables = VARIABLES.into_iter().filter(|name| text.contains(name));
    let variables: Vec<String> = variables.map(ToOwned::to_owned).collect();
    let given = Given::of(&script, &roles, subcommand);
    let constants = constants(&facts.constants, &roles, &variables);
    let mut arms = arms(&roles, &given);
    arms.extend(constants[0].as_ref().map(|model| model.value.clone()));
    let mut constants: Vec<Constant> = constants.into_iter().flatten().collect();
    constants.sort_by_key(|constant| constant.line);
    let value = |option: &ScriptOption| given.value(option);
    let seed = roles.seed.as_ref();
    let splits = |seed: &ScriptOption| facts.shuffled_by.iter().any(|own| own.contains(&seed.name));
    let mut draft = Draft {
        arms,
        constants,
        score: score::of_source(&facts),
        machine: Machine::here(),
        folds: folds(&facts, &options, roles.split.as_ref(), &value),
        seed_splits: seed.is_some_and(splits),
        uses_gpu: uses_gpu(&text),
        name: name(&script, directory),
        program: script.program.clone(),
        source: script.path.clone(),
        known_from: if ran_help {
            KnownFrom::Help
        } else {
            known_from
        },
        problem: facts.problem,
        command: Vec::new(),
        unused: Vec::new(),
        options,
        roles,
        variables,
    };
    draft.command = draft.command_with(&given);
    draft.unused = draft.not_in_command(&given);
    Ok(draft)
}

impl Draft {
    /// The options that were found and that the command does not give, in one line.
    pub fn not_used(&self) -> Option<String> {
        // A configuration may have hundreds of keys.
        const MOST: usize = 12;
        let mut names = self.unused.iter().map(|own| own.written.shown());
        let first: Vec<String> = names.by_ref().take(MOST).collect();
        let more = match names.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let defaults = if self.unused.len() == 1 {
            "its default applies"
        } else {
            "their defaults apply"
        };
        (!first.is_empty()).then(|| format!("not used: {}{more} ({defaults})", first.join(", ")))
    }

    /// Where no option was taken for the split, what to do with one that may choose it.
    pub fn may_be_split(&self) -> Option<String> {
        if self.roles.split.is_some() {
            return None;
        }
        let option = self
            .options
            .iter()
            .find(|own| split::meaning(own) == split::Meaning::Perhaps && !self.roles.has(own))?;
        Some(format!(
            "{} may choose a split of the data: if it does, give it {{split}} in the command, and write splits = \"shared\" or how many there are",
            option.written.shown()
        ))
    }

    /// What the user has still to write: for each place the number of its line in the study, its
    /// key, and what it stands for.
    pub fn to_fill_in(&self) -> Vec<(usize, String, String)> {
        let text = self.text();
        let lines = (1..).zip(text.lines());
        let lines = lines.filter(|(_, line)| !line.trim_start().starts_with('#'));
        let open = lines.flat_map(|(number, line)| {
            let key = line.split('=').next().unwrap_or_default().trim();
            let places = line.split(crate::study::FILL_IN).skip(1);
            places.map(move |rest| {
                let what = rest.split('>').next().unwrap_or_default().trim();
                (number, key.to_owned(), what.to_owned())
            })
        });
        open.collect()
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

/// A text that somebody has still to fill in.
fn fill_in(what: &str) -> String {
    format!("{} {what}>", crate::study::FILL_IN)
}
