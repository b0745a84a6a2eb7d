//! A first study for a script that exists: its options, what it prints, and what this machine has,
//! as a commented study file.
//!
//! Python reads Python: a program of its own (`reader.py`) lists what the syntax tree of a file tells, and
//! runs nothing of the file. Options of other programs are those that `--help` prints, if the caller
//! lets the command be run with it, and those that the command is given. What cannot be found out is
//! written as a text that begins with `<fill in:`, which [`Study::read`](crate::Study::read) refuses
//! with its line.

mod command;
mod confirm;
mod data;
mod error;
mod evaluate;
mod folds;
mod help;
mod machine;
mod makefile;
mod options;
mod process;
mod reader;
mod score;
mod script;
mod split;
mod study;
mod subcommand;

pub use confirm::{ConfirmRequest, Confirmation};
pub use data::Data;
pub use error::InitError;
pub use evaluate::LONGEST as LONGEST_EVALUATION;
pub use folds::Folds;
pub use machine::Machine;
pub use options::{Roles, ScriptOption, Written};
pub use score::ScoreSource;

use crate::{file_error::FileError, study::placeholder::Placeholder};
use command::{Given, add_given, arms};
use folds::folds;
use help::choices_of_help;
use machine::uses_gpu;
use options::is_of_study;
use reader::Facts;
use script::{Language, Script};
use serde::Serialize;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Placeholders that a study of splits offers to a script.
const OF_STUDY: [Placeholder; 3] = [Placeholder::Arm, Placeholder::Split, Placeholder::Seed];

/// From where the options of a script are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownFrom {
    /// The options were read from the source.
    Source,
    /// The options were read from the output of `--help`, with which the command was run.
    Help,
    /// The options of the script are not known.
    Nowhere,
}

/// Description of a script, and the study that is proposed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// The words before the script's own arguments.
    pub program: Vec<String>,
    /// The source file of the script, if it was found.
    pub source: Option<PathBuf>,
    /// Way in which the script's options were found, if not in the command itself.
    pub known_from: KnownFrom,
    /// Reason why the script could not be read, or its command could not be asked for options.
    pub problem: Option<String>,
    /// All options of the script that were found.
    pub options: Vec<ScriptOption>,
    /// The options for the arm, the split and the seed.
    pub roles: Roles,
    /// FIESTA's variables that the script reads by itself, such as `FIESTA_ARM`.
    pub variables: Vec<String>,
    /// The options that were found and that the command does not give.
    pub unused: Vec<ScriptOption>,
    /// Files of questions and prompts.
    pub data: Data,
    /// The names of the candidates that are known.
    pub arms: Vec<String>,
    /// Place and form in which the script prints its score.
    pub score: Option<ScoreSource>,
    /// The cores and GPUs of the machine.
    pub machine: Machine,
    /// The folds that the script makes, if it says so, and nothing in it contradicts.
    pub folds: Option<Folds>,
    /// Whether the seed also splits the data.
    pub seed_splits: bool,
    /// Whether the script computes on a GPU.
    pub uses_gpu: bool,
    /// The command of the study.
    pub command: Vec<String>,
    /// The name of the proposed study.
    pub name: String,
}

/// Reads what a command runs, from this directory, and proposes a study for that. Files of
/// questions and prompts before the command make it a study of items. Where a source tells no
/// options, `may_run` is asked whether a command line may be run: that of the command with
/// `--help`.
///
/// # Errors
/// [`InitError`] if there is no such script, or it cannot be one.
pub fn draft(
    words: &[String],
    directory: &Path,
    may_run: &mut dyn FnMut(&str) -> bool,
) -> Result<Draft, InitError> {
    let (data, words) = data::data(words, directory)?;
    let mut script = match script::script(words, directory) {
        Err(InitError::Unnamed(here)) if here.is_empty() && data != Data::default() => {
            Script::default()
        }
        found => found?,
    };
    let text = script.text()?;
    let mut facts = match &script.path {
        Some(path) if script.language == Language::Python => {
            reader::read(path, &script.program, directory)
        }
        _ => Facts::default(),
    };
    let is_read = script.path.is_some() && script.language != Language::Other;
    let mut known_from = match facts.problem {
        None if is_read => KnownFrom::Source,
        _ => KnownFrom::Nowhere,
    };
    let mut options = options_of(&mut facts, &text, script.language);
    if let Some(line) = asks_for_help(&script, &options, &text).filter(|line| may_run(line)) {
        known_from = KnownFrom::Help;
        match help::run(&script.program, directory) {
            Ok(told) => drop(options.splice(0..0, help::options(&told, "--help"))),
            Err(problem) => facts.problem = Some(format!("`{line}` {problem}")),
        }
    }
    add_given(&mut options, &script.arguments);
    if script.language == Language::Makefile && Roles::of(&options).arm.is_none() {
        options.extend(makefile::target(&text, &mut script.arguments));
    }
    let has_subcommand = options.iter().any(|own| own.subcommand.is_some());
    let (subcommand, mut options) = subcommand::chosen(options, &script.arguments);
    for option in options.iter_mut().filter(|own| own.choices.is_empty()) {
        let told = option.help.as_deref();
        option.choices = told.map_or_else(Vec::new, choices_of_help);
    }
    let mut roles = Roles::of(&options);
    let splits = |seed: &ScriptOption| facts.shuffled_by.iter().any(|own| own.contains(&seed.name));
    let seed_splits = data.questions.is_none() && roles.seed.as_ref().is_some_and(splits);
    add_constants(&mut roles, &facts.constants, &text, &data);
    if data.questions.is_some() {
        // A study of items has no splits.
        roles.split = None;
    }
    let given = Given::of(&script.arguments, &roles, subcommand, has_subcommand);
    let value = |option: &ScriptOption| given.value(option);
    let mut variables = OF_STUDY.map(Placeholder::variable).to_vec();
    if data.questions.is_some() {
        variables.push(Placeholder::ItemFile.variable());
    }
    let variables = variables.into_iter().filter(|name| text.contains(name));
    let mut draft = Draft {
        arms: match data.names.as_slice() {
            [] => arms(&roles, &given),
            names => names.to_vec(),
        },
        score: score::of_source(&facts),
        machine: Machine::here(),
        folds: folds(&facts, &options, roles.split.as_ref(), &value),
        seed_splits,
        uses_gpu: uses_gpu(&text),
        name: script.name(directory),
        program: script.program,
        source: script.path,
        known_from,
        problem: facts.problem,
        command: Vec::new(),
        unused: Vec::new(),
        options,
        roles,
        variables: variables.map(ToOwned::to_owned).collect(),
        data,
    };
    draft.command = draft.command_with(&given);
    draft.unused = draft.not_in_command(&given);
    Ok(draft)
}

/// Returns the options that the source of a script tells.
fn options_of(facts: &mut Facts, text: &str, language: Language) -> Vec<ScriptOption> {
    let mut options = std::mem::take(&mut facts.options);
    let usages = facts.docopt.iter();
    options.extend(usages.flat_map(|text| help::options(text, "docopt")));
    options.retain(|own| !is_variable(own) || is_of_study(&own.name));
    if language == Language::Makefile {
        options.extend(makefile::variables(text));
    }
    options
}

/// Assigns each role (arm, split, seed) that no option has to a constant of the script, whose value
/// a study could choose. A role stays open if the script reads its variable already.
fn add_constants(roles: &mut Roles, constants: &[ScriptOption], text: &str, data: &Data) {
    let found = Roles::of(constants);
    let [arm, split, seed] = OF_STUDY.map(|own| !text.contains(own.variable()));
    let is_named = arm && data.prompts.is_none();
    roles.arm = roles.arm.take().or(found.arm.filter(|_| is_named));
    roles.split = roles.split.take().or(found.split.filter(|_| split));
    roles.seed = roles.seed.take().or(found.seed.filter(|_| seed));
}

fn is_variable(option: &ScriptOption) -> bool {
    matches!(option.written, Written::Variable(_))
}

/// Returns the command line that asks a script for its options. `None` if the source tells the arm,
/// or any option other than a variable.
fn asks_for_help(script: &Script, options: &[ScriptOption], text: &str) -> Option<String> {
    let tells_arm = Roles::of(options).arm.is_some() || text.contains(Placeholder::Arm.variable());
    let is_asked = script.language != Language::Makefile && !script.program.is_empty();
    (is_asked && !tells_arm && options.iter().all(is_variable))
        .then(|| format!("{} --help", script.program.join(" ")))
}

impl Draft {
    /// Whether the command contains this placeholder, or the script reads its variable.
    pub(super) fn gives(&self, own: Placeholder) -> bool {
        let placeholder = format!("{{{}}}", own.name());
        let variable = own.variable();
        let mut words = self.command.iter();
        words.any(|word| word.contains(&placeholder) || word.contains(variable)) || self.reads(own)
    }

    /// Whether the script reads this placeholder's variable, or will after the proposed edit.
    pub(super) fn reads(&self, own: Placeholder) -> bool {
        let mut lines = self.variables.iter().cloned().chain(self.edits());
        lines.any(|line| line.contains(own.variable()))
    }

    /// Returns what the user has to edit in the script, in the order of its lines: each constant that
    /// a study would choose, with the number of its line and what the line has to be.
    pub fn edits(&self) -> Vec<String> {
        let roles = [&self.roles.arm, &self.roles.split, &self.roles.seed];
        let constants = OF_STUDY.into_iter().zip(roles).filter_map(|(own, role)| {
            let option = role.as_ref()?;
            let Written::Constant(line) = option.written else {
                return None;
            };
            let read = format!("os.environ[\"{}\"]", own.variable());
            let read = match (own, self.folds) {
                (Placeholder::Arm, _) => read,
                (Placeholder::Split, Some(Folds { first: 1, .. })) => format!("int({read}) + 1"),
                _ => format!("int({read})"),
            };
            let is = option.default.as_deref().unwrap_or_default();
            let edit = format!("line {line:<3} {} = {read}   (is {is})", option.name);
            Some((line, edit))
        });
        let mut edits: Vec<(usize, String)> = constants.collect();
        edits.sort();
        edits.into_iter().map(|(_, edit)| edit).collect()
    }

    /// Returns what the user has still to write: the line number in the study file, the key, and a
    /// description of each place.
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

    /// Writes the study to a new file. With `replaces`, an existing file is replaced.
    ///
    /// # Errors
    /// [`InitError`] if a study is there, or the file cannot be written.
    pub fn write(&self, path: &Path, replaces: bool) -> Result<(), InitError> {
        write_study(&self.text(), path, replaces)
    }
}

/// Writes the text of a study to a new file. With `replaces`, an existing file is replaced.
fn write_study(text: &str, path: &Path, replaces: bool) -> Result<(), InitError> {
    let state = path.with_extension("fiesta");
    if path.exists() && !replaces {
        return Err(InitError::Refused(format!(
            "{} is there already: give the new study another name with -o, or --force to replace it",
            path.display()
        )));
    }
    if state.exists() {
        return Err(InitError::Refused(format!(
            "{} belongs to a study that was begun, whose results are in {}: give the new study another name with -o",
            path.display(),
            state.display()
        )));
    }
    let written = if replaces {
        fs::write(path, text)
    } else {
        fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()))
    };
    Ok(written.map_err(FileError::of("write", path))?)
}

/// Returns a text that marks a place for the user to fill in.
fn fill_in(what: &str) -> String {
    format!("{} {what}>", crate::study::FILL_IN)
}
