//! Scripts in a command's arguments: `sh -c SCRIPT`, `python -c SCRIPT`.
//!
//! Whatever stands in a script is run. An item's id, and the path of an item's file, are words of
//! whoever wrote the data, so that a script with one of these placeholders runs what the data says.
//! Names of arms and hyperparameters are words of the study file, which is a program itself; numbers
//! and a run's name are FIESTA's own.

use super::{command::Command, placeholder::Placeholder};
use crate::pattern::is_one;
use Placeholder::{Document, DocumentId, Item, ItemFile};

/// Placeholders whose values come from the data.
const FOREIGN: [Placeholder; 4] = [Item, ItemFile, Document, DocumentId];

/// Program that runs an argument as a script, such as a shell.
struct Interpreter {
    /// Names of the programs, separated by spaces. Digits and dots may follow a name: `python3.12`.
    names: &'static str,
    script: Script,
    /// Syntax by which a script reads an environment variable: the text before and after its name.
    variable: (&'static str, &'static str),
}

/// Which arguments of a program are scripts.
enum Script {
    /// The script is the first argument after a group of letters with `c` in it that is no option,
    /// or what follows one of these words, as in `sh -euc SCRIPT`.
    AfterOptions(&'static str),
    /// The script follows a letter in the program's group of letters, or is else the next argument,
    /// as in `perl -ne SCRIPT` or `perl -eSCRIPT`.
    AfterLetter(Letters),
    /// Any argument may be the script, as the options decide which is, as in `awk SCRIPT`.
    Any,
}

/// Options of a program that takes scripts among them.
struct Letters {
    /// Letters of options that are followed by a script.
    scripts: &'static str,
    /// Long options that are followed by a script, such as `--eval`, separated by spaces.
    long: &'static str,
    /// Letters of options whose value is the next argument.
    values: &'static str,
    /// Letters of options that are the last of their program.
    last: &'static str,
    /// Whether the program's own arguments end with the first that is no option, such as a file.
    ends_at_words: bool,
}

impl Letters {
    const fn new(scripts: &'static str, values: &'static str) -> Self {
        Self {
            scripts,
            long: "",
            values,
            last: "",
            ends_at_words: true,
        }
    }

    const fn or(self, long: &'static str) -> Self {
        Self { long, ..self }
    }
}

use Script::{AfterLetter, AfterOptions, Any};

const SHELL: (&str, &str) = ("\"$", "\"");

const fn run_by(
    names: &'static str,
    script: Script,
    variable: (&'static str, &'static str),
) -> Interpreter {
    Interpreter {
        names,
        script,
        variable,
    }
}

const PYTHON: Letters = Letters {
    last: "m",
    ..Letters::new("c", "WX")
};
const SWITCHED: Letters = Letters {
    ends_at_words: false,
    ..Letters::new("c", "").or("--command --session-command")
};
const NODE: Letters = Letters::new("ep", "rC").or("--eval --print");
const PHP: Letters = Letters::new("rBRE", "dcz").or("--run");
const JULIA: Letters = Letters::new("eE", "LptJC").or("--eval --print");
const OTHERS: Letters = Letters::new("ce", "").or("--eval");

const INTERPRETERS: [Interpreter; 16] = [
    run_by(
        "sh bash rbash dash ash zsh ksh mksh pdksh oksh yash posh hush",
        AfterOptions(""),
        SHELL,
    ),
    run_by(
        "fish nu elvish xonsh tcsh csh",
        AfterOptions("--command --commands --init-command"),
        ("$", ""),
    ),
    run_by("pwsh powershell", Any, ("$env:", "")),
    run_by("su runuser flock", AfterLetter(SWITCHED), SHELL),
    // These programs join their arguments and hand them to a shell, so that any argument may hold a
    // script.
    run_by("ssh watch parallel rsh mosh", Any, SHELL),
    run_by(
        "python pypy ipython bpython micropython",
        AfterLetter(PYTHON),
        ("os.environ[\"", "\"]"),
    ),
    run_by(
        "perl raku",
        AfterLetter(Letters::new("eE", "I")),
        ("$ENV{", "}"),
    ),
    run_by(
        "ruby jruby",
        AfterLetter(Letters::new("e", "IrC")),
        ("ENV[\"", "\"]"),
    ),
    run_by(
        "node nodejs bun tsx ts-node",
        AfterLetter(NODE),
        ("process.env.", ""),
    ),
    run_by("deno", Any, ("Deno.env.get(\"", "\")")),
    run_by("php", AfterLetter(PHP), ("getenv(\"", "\")")),
    run_by(
        "R Rscript littler",
        AfterLetter(Letters::new("e", "gd")),
        ("Sys.getenv(\"", "\")"),
    ),
    run_by("julia", AfterLetter(JULIA), ("ENV[\"", "\"]")),
    run_by(
        "lua luajit texlua",
        AfterLetter(Letters::new("e", "l")),
        ("os.getenv(\"", "\")"),
    ),
    run_by(
        "expect osascript ghc guile emacs sbcl ocaml scala",
        AfterLetter(OTHERS),
        ("", ""),
    ),
    run_by("awk gawk mawk nawk sed gsed", Any, ("", "")),
];

/// Programs that start the program that one of their arguments names.
const WRAPPERS: &str = "env nice ionice nohup setsid stdbuf timeout time sudo doas chrt taskset \
    numactl srun xargs busybox chroot unshare catchsegv firejail";

/// Returns the error of a command in which a script contains a placeholder whose value comes from
/// the data. `None` if there is none.
pub(super) fn foreign_in_a_script(arguments: &[String], command: &Command) -> Option<String> {
    let foreign = |place: usize| {
        FOREIGN
            .into_iter()
            .find(|word| command.has(place, word.name()))
    };
    let (program, interpreter, placeholder) = in_a_script(arguments, foreign)?;
    Some(refusal(program, interpreter, placeholder))
}

/// Returns the error of a command in which a script contains the value of a setting, as results of a
/// search have it. `None` if there is none.
pub(crate) fn setting_in_a_script(
    arguments: &[String],
    command: &Command,
    settings: &[&str],
) -> Option<String> {
    let setting = |place: usize| settings.iter().find(|word| command.has(place, word));
    let (program, _, name) = in_a_script(arguments, setting)?;
    Some(format!(
        "the command puts {{{name}}} into a script that `{program}` runs, so that it would run what the results say as a program: give {{{name}}} to the script as a word of its own"
    ))
}

/// Returns the first interpreter of a command that runs an argument of which `foreign` returns something
/// as a script, and what it returns.
fn in_a_script<T>(
    arguments: &[String],
    foreign: impl Fn(usize) -> Option<T>,
) -> Option<(&str, &'static Interpreter, T)> {
    let is_started_by_another = arguments.first().is_some_and(|first| {
        let name = first.rsplit('/').next();
        name.is_some_and(|name| is_one(WRAPPERS, name))
    });
    // A program may be started by others: `env sh -c`, `timeout 5 sh -c`, `apptainer exec x sh -c`.
    for (place, word) in arguments.iter().enumerate() {
        let Some(interpreter) = interpreter(word) else {
            continue;
        };
        // Elsewhere it may be any word.
        let is_certain = place == 0 || is_started_by_another;
        if matches!(interpreter.script, Any) && !is_certain {
            continue;
        }
        let rest = &arguments[place + 1..];
        let scripts = interpreter.scripts(rest).into_iter();
        let mut found = scripts.filter_map(|own| foreign(place + 1 + own));
        if let Some(found) = found.next() {
            return Some((word, interpreter, found));
        }
    }
    None
}

fn refusal(program: &str, interpreter: &Interpreter, placeholder: Placeholder) -> String {
    let (name, variable) = (placeholder.name(), placeholder.variable());
    let (before, after) = interpreter.variable;
    let instead = if before.is_empty() {
        format!("let the script read the variable {variable}")
    } else {
        format!("write {before}{variable}{after}")
    };
    let or = match interpreter.script {
        AfterOptions(_) if interpreter.variable == SHELL => format!(
            ", or give {{{name}}} after the script, where \"$1\" has it: [\"{program}\", \"-c\", \"… \\\"$1\\\"\", \"{program}\", \"{{{name}}}\"]"
        ),
        _ => String::new(),
    };
    format!(
        "the command puts {{{name}}} into a script that `{program}` runs, so that it would run what the data says as a program: {instead} there, which has the same value{or}"
    )
}

/// Returns the interpreter that a word names, with or without its path.
fn interpreter(word: &str) -> Option<&'static Interpreter> {
    let name = word.rsplit('/').next()?;
    let is_version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let bare = name.trim_end_matches(is_version);
    let is_named = |own: &Interpreter| is_one(own.names, name) || is_one(own.names, bare);
    INTERPRETERS.iter().find(|own| is_named(own))
}

impl Interpreter {
    /// Returns the places of scripts among a program's arguments.
    fn scripts(&self, arguments: &[String]) -> Vec<usize> {
        match &self.script {
            AfterOptions(long) => after_options(long, arguments),
            AfterLetter(letters) => after_letter(letters, arguments),
            Any => (0..arguments.len()).collect(),
        }
    }
}

/// Returns the places of a shell's scripts. Options may be before and after the one that announces
/// a script.
fn after_options(long: &str, arguments: &[String]) -> Vec<usize> {
    let (mut scripts, mut is_asked, mut values) = (Vec::new(), false, 0);
    for (place, argument) in arguments.iter().enumerate() {
        if values > 0 {
            values -= 1;
            continue;
        }
        if let Some(option) = long_option(argument) {
            let (name, value) = split(option);
            if is_one(long, name) {
                scripts.push(if value.is_some() { place } else { place + 1 });
                values = usize::from(value.is_none());
            } else if ["--rcfile", "--init-file"].contains(&name) && value.is_none() {
                values = 1;
            }
        } else if let Some(letters) = letters_of(argument) {
            // `-o` names an option of the shell's.
            values = letters.matches(['o', 'O']).count();
            is_asked |= letters.contains('c') && argument.starts_with('-');
        } else {
            // The first that is no option: the script, or else a file with it.
            scripts.extend(is_asked.then_some(place));
            break;
        }
    }
    scripts
}

/// Returns the places of scripts that come right after the option that announces each.
fn after_letter(options: &Letters, arguments: &[String]) -> Vec<usize> {
    let (mut scripts, mut is_value) = (Vec::new(), false);
    for (place, argument) in arguments.iter().enumerate() {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let (is_announced, is_attached) = if let Some(option) = long_option(argument) {
            let (name, value) = split(option);
            (is_one(options.long, name), value.is_some())
        } else if let Some(group) = letters_of(argument) {
            let at = group.find(|c| options.scripts.contains(c));
            is_value = at.is_none() && group.ends_with(|c| options.values.contains(c));
            if at.is_none() && group.starts_with(|c| options.last.contains(c)) {
                break;
            }
            (at.is_some(), at.is_some_and(|at| at + 1 < group.len()))
        } else if options.ends_at_words {
            break;
        } else {
            continue;
        };
        if is_announced {
            scripts.push(if is_attached { place } else { place + 1 });
            is_value = !is_attached;
        }
    }
    scripts
}

fn long_option(argument: &str) -> Option<&str> {
    (argument.starts_with("--") && argument.len() > 2).then_some(argument)
}

/// Returns the letters of a group of short options. `None` if the argument is no such group.
fn letters_of(argument: &str) -> Option<&str> {
    argument.strip_prefix(['-', '+'])
}

/// Splits a long option into its name and the value after `=`, if it has one.
fn split(option: &str) -> (&str, Option<&str>) {
    option
        .split_once('=')
        .map_or((option, None), |(name, value)| (name, Some(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{command::Words, items::PoolKey};

    fn refused(key: PoolKey, arguments: &[&str]) -> Option<String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let words = Words {
            pool: Some(key),
            of_worker: false,
            search: None,
        };
        let command = Command::parse(&arguments, words).unwrap();
        foreign_in_a_script(&arguments, &command)
    }

    #[test]
    fn foreign_words_in_scripts_are_refused() {
        for arguments in [
            &["sh", "-c", "echo {item}"][..],
            &["/bin/sh", "-c", "echo '{item}'"],
            &["bash", "-euo", "pipefail", "-c", "cat {item_file}"],
            &["bash", "-o", "pipefail", "-ec", "cat {item_file}"],
            &["bash", "-c", "-e", "cat {item_file}"],
            &["bash", "--norc", "-lc", "echo {item}"],
            &["dash", "-ec", "x {item}"],
            &["zsh", "-fc", "x {item}"],
            &["ksh93", "-c", "x {item}"],
            &["busybox", "sh", "-c", "x {item}"],
            &["fish", "-c", "x {item}"],
            &["fish", "--command=x {item}"],
            &["fish", "--command", "x {item}"],
            &["env", "sh", "-c", "x {item}"],
            &["/usr/bin/env", "A=b", "bash", "-c", "x {item}"],
            &["timeout", "5", "nice", "-n", "3", "sh", "-c", "x {item}"],
            &["srun", "-n1", "bash", "-c", "x {item}"],
            &["python", "-c", "print('{item}')"],
            &["python3.12", "-Iuc", "print('{item}')"],
            &["python3", "-cprint('{item}')"],
            &["perl", "-e", "print '{item}'"],
            &["perl", "-lne", "print '{item}'", "file"],
            &["python3", "-W", "ignore", "-c", "'{item}'"],
            &["su", "someone", "-c", "x {item}"],
            &["flock", "lock", "-c", "x {item}"],
            &["perl", "-e", "1;", "-e", "print '{item}'"],
            &["ruby", "-e", "puts '{item}'"],
            &["node", "--eval=1+'{item}'"],
            &["node", "-p", "'{item}'"],
            &["php", "-r", "echo '{item}';"],
            &["Rscript", "-e", "cat('{item}')"],
            &["julia", "-e", "print(\"{item}\")"],
            &["ssh", "lab", "python", "train.py", "{item}"],
            &["awk", "/{item}/"],
            &["env", "awk", "/{item}/"],
            &["sed", "-n", "/{item}/p"],
        ] {
            let found = refused(PoolKey::Items, arguments);
            let message = found.unwrap_or_else(|| panic!("{arguments:?} is not refused"));
            assert!(message.contains("FIESTA_ITEM"), "{message}");
        }
        for (arguments, variable) in [
            (["sh", "-c", "wc {document}"], "\"$FIESTA_DOCUMENT\""),
            (["sh", "-c", "x {document_id}"], "\"$FIESTA_DOCUMENT_ID\""),
            (
                ["python", "-c", "{document_id}"],
                "os.environ[\"FIESTA_DOCUMENT_ID\"]",
            ),
        ] {
            let message = refused(PoolKey::Documents, &arguments).unwrap();
            assert!(message.contains(variable), "{message}");
        }
    }

    #[test]
    fn what_is_no_script_is_taken() {
        for arguments in [
            &["sh", "job.sh", "{item}", "-c"][..],
            &["sh", "-e", "job.sh", "{item}"],
            &["sh", "-c", "echo \"$1\"", "sh", "{item}"],
            &[
                "bash",
                "-euo",
                "pipefail",
                "-c",
                "echo \"$1\"",
                "bash",
                "{item}",
            ],
            &["sh", "-c", "echo {arm} {seed} {run} \"$FIESTA_ITEM_ID\""],
            &["python", "train.py", "--item", "{item}"],
            &["python", "-m", "train", "-c", "{item}"],
            &["python", "-u", "train.py", "-c", "{item}"],
            &["perl", "job.pl", "-e", "{item}"],
            &["./train", "-c", "{item}"],
            &["train", "--shell={item}"],
            &["inspect", "eval", "task.py", "--sample-id", "{item}"],
            &["./job", "watch", "{item}"],
            &["Rscript", "train.R", "{item}"],
        ] {
            assert_eq!(refused(PoolKey::Items, arguments), None, "{arguments:?}");
        }
    }
}
