//! Scripts in a command's arguments: `sh -c SCRIPT`, `python -c SCRIPT`.
//!
//! Whatever stands in a script is run. An item's id, and the path of an item's file, are words of
//! whoever wrote the data, so that a script with one of these placeholders runs what the data says.
//! Names of arms and hyperparameters are words of the study file, which is a program itself; numbers
//! and a run's name are FIESTA's own.

use super::{command::Command, placeholder::Placeholder};
use Placeholder::{Document, DocumentId, Item, ItemFile};

/// The placeholders whose values the data says.
const FOREIGN: [Placeholder; 4] = [Item, ItemFile, Document, DocumentId];

/// Programs that run an argument as a script.
struct Interpreter {
    /// Their names, which digits and dots may follow: `python3.12`.
    names: &'static [&'static str],
    script: Script,
    /// How a script reads a variable of its environment, before and after the variable's name.
    variable: (&'static str, &'static str),
}

/// Which of a program's arguments are scripts.
enum Script {
    /// As in `sh -euc SCRIPT`: the first argument after a group of letters with this one in it that
    /// is no option.
    AfterOptions(char, &'static [&'static str]),
    /// As in `perl -ne SCRIPT` or `perl -eSCRIPT`: what follows a letter in its group of letters, or
    /// else the next argument.
    AfterLetter(Letters),
    /// As in `awk SCRIPT`: every argument, since which is the script depends on the options.
    Any,
}

/// Options of a program that takes scripts among them.
struct Letters {
    /// Letters that a script follows.
    scripts: &'static [char],
    /// Words that a script follows, such as `--eval`.
    long: &'static [&'static str],
    /// Letters that something else follows in the next argument.
    values: &'static [char],
    /// Letters after which no options follow.
    last: &'static [char],
    /// Whether the first argument that is no option, such as a file with a script, is the last of
    /// this program's own.
    ends_at_words: bool,
}

impl Letters {
    const fn new(scripts: &'static [char], values: &'static [char]) -> Self {
        Self {
            scripts,
            long: &[],
            values,
            last: &[],
            ends_at_words: true,
        }
    }
}

use Script::{AfterLetter, AfterOptions, Any};

const SHELL: (&str, &str) = ("\"$", "\"");

const INTERPRETERS: [Interpreter; 16] = [
    Interpreter {
        names: &[
            "sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "pdksh", "oksh", "yash",
            "posh", "hush",
        ],
        script: AfterOptions('c', &[]),
        variable: SHELL,
    },
    Interpreter {
        names: &["fish", "nu", "elvish", "xonsh", "tcsh", "csh"],
        script: AfterOptions('c', &["--command", "--commands", "--init-command"]),
        variable: ("$", ""),
    },
    Interpreter {
        names: &["pwsh", "powershell"],
        script: Any,
        variable: ("$env:", ""),
    },
    Interpreter {
        names: &["su", "runuser", "flock"],
        script: AfterLetter(Letters {
            long: &["--command", "--session-command"],
            ends_at_words: false,
            ..Letters::new(&['c'], &[])
        }),
        variable: SHELL,
    },
    Interpreter {
        // These programs join their arguments and hand them to a shell, so that any argument may
        // hold a script.
        names: &["ssh", "watch", "parallel", "rsh", "mosh"],
        script: Any,
        variable: SHELL,
    },
    Interpreter {
        names: &["python", "pypy", "ipython", "bpython", "micropython"],
        script: AfterLetter(Letters {
            last: &['m'],
            ..Letters::new(&['c'], &['W', 'X'])
        }),
        variable: ("os.environ[\"", "\"]"),
    },
    Interpreter {
        names: &["perl", "raku"],
        script: AfterLetter(Letters::new(&['e', 'E'], &['I'])),
        variable: ("$ENV{", "}"),
    },
    Interpreter {
        names: &["ruby", "jruby"],
        script: AfterLetter(Letters::new(&['e'], &['I', 'r', 'C'])),
        variable: ("ENV[\"", "\"]"),
    },
    Interpreter {
        names: &["node", "nodejs", "bun", "tsx", "ts-node"],
        script: AfterLetter(Letters {
            long: &["--eval", "--print"],
            ..Letters::new(&['e', 'p'], &['r', 'C'])
        }),
        variable: ("process.env.", ""),
    },
    Interpreter {
        names: &["deno"],
        script: Any,
        variable: ("Deno.env.get(\"", "\")"),
    },
    Interpreter {
        names: &["php"],
        script: AfterLetter(Letters {
            long: &["--run"],
            ..Letters::new(&['r', 'B', 'R', 'E'], &['d', 'c', 'z'])
        }),
        variable: ("getenv(\"", "\")"),
    },
    Interpreter {
        names: &["R", "Rscript", "littler"],
        script: AfterLetter(Letters::new(&['e'], &['g', 'd'])),
        variable: ("Sys.getenv(\"", "\")"),
    },
    Interpreter {
        names: &["julia"],
        script: AfterLetter(Letters {
            long: &["--eval", "--print"],
            ..Letters::new(&['e', 'E'], &['L', 'p', 't', 'J', 'C'])
        }),
        variable: ("ENV[\"", "\"]"),
    },
    Interpreter {
        names: &["lua", "luajit", "texlua"],
        script: AfterLetter(Letters::new(&['e'], &['l'])),
        variable: ("os.getenv(\"", "\")"),
    },
    Interpreter {
        names: &[
            "expect",
            "osascript",
            "ghc",
            "guile",
            "emacs",
            "sbcl",
            "ocaml",
            "scala",
        ],
        script: AfterLetter(Letters {
            long: &["--eval"],
            ..Letters::new(&['c', 'e'], &[])
        }),
        variable: ("", ""),
    },
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk", "sed", "gsed"],
        script: Any,
        variable: ("", ""),
    },
];

/// Programs that start the program that one of their arguments names.
const WRAPPERS: [&str; 20] = [
    "env",
    "nice",
    "ionice",
    "nohup",
    "setsid",
    "stdbuf",
    "timeout",
    "time",
    "sudo",
    "doas",
    "chrt",
    "taskset",
    "numactl",
    "srun",
    "xargs",
    "busybox",
    "chroot",
    "unshare",
    "catchsegv",
    "firejail",
];

/// What is wrong with a command: one of its scripts has a placeholder whose value the data says.
/// `None` if nothing is.
pub(super) fn foreign_in_a_script(arguments: &[String], command: &Command) -> Option<String> {
    let foreign = |place: usize| {
        FOREIGN
            .into_iter()
            .find(|word| command.has(place, word.name()))
    };
    let is_started_by_another = arguments.first().is_some_and(|first| {
        let name = first.rsplit('/').next();
        name.is_some_and(|name| WRAPPERS.contains(&name))
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
        if let Some(placeholder) = found.next() {
            return Some(refusal(word, interpreter, placeholder));
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
        AfterOptions(..) if interpreter.variable == SHELL => format!(
            ", or give {{{name}}} after the script, where \"$1\" has it: [\"{program}\", \"-c\", \"… \\\"$1\\\"\", \"{program}\", \"{{{name}}}\"]"
        ),
        _ => String::new(),
    };
    format!(
        "the command puts {{{name}}} into a script that `{program}` runs, so that it would run what the data says as a program: {instead} there, which has the same value{or}"
    )
}

/// The interpreter that a word names, by its path or without.
fn interpreter(word: &str) -> Option<&'static Interpreter> {
    let name = word.rsplit('/').next()?;
    let is_version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let bare = name.trim_end_matches(is_version);
    let is_named = |own: &Interpreter| own.names.contains(&name) || own.names.contains(&bare);
    INTERPRETERS.iter().find(|own| is_named(own))
}

impl Interpreter {
    /// The places of the scripts among a program's arguments.
    fn scripts(&self, arguments: &[String]) -> Vec<usize> {
        match &self.script {
            AfterOptions(letter, long) => after_options(*letter, long, arguments),
            AfterLetter(letters) => after_letter(letters, arguments),
            Any => (0..arguments.len()).collect(),
        }
    }
}

/// The scripts of a shell, whose options may stand before and after the one that says that there is
/// a script.
fn after_options(letter: char, long: &[&str], arguments: &[String]) -> Vec<usize> {
    let (mut scripts, mut is_asked, mut values) = (Vec::new(), false, 0);
    for (place, argument) in arguments.iter().enumerate() {
        if values > 0 {
            values -= 1;
            continue;
        }
        if let Some(option) = long_option(argument) {
            let (name, value) = split(option);
            if long.contains(&name) {
                scripts.push(if value.is_some() { place } else { place + 1 });
                values = usize::from(value.is_none());
            } else if ["--rcfile", "--init-file"].contains(&name) && value.is_none() {
                values = 1;
            }
        } else if let Some(letters) = letters_of(argument) {
            // `-o` names an option of the shell's.
            values = letters.matches(['o', 'O']).count();
            is_asked |= letters.contains(letter) && argument.starts_with('-');
        } else {
            // The first that is no option: the script, or else a file with it.
            scripts.extend(is_asked.then_some(place));
            break;
        }
    }
    scripts
}

/// The scripts of a program that takes each right after the letter that announces it.
fn after_letter(options: &Letters, arguments: &[String]) -> Vec<usize> {
    let (mut scripts, mut is_value) = (Vec::new(), false);
    for (place, argument) in arguments.iter().enumerate() {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let (is_announced, is_attached) = if let Some(option) = long_option(argument) {
            let (name, value) = split(option);
            (options.long.contains(&name), value.is_some())
        } else if let Some(group) = letters_of(argument) {
            let at = group.find(options.scripts);
            is_value = at.is_none() && group.ends_with(options.values);
            if at.is_none() && group.starts_with(options.last) {
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

/// The letters of a group of short options.
fn letters_of(argument: &str) -> Option<&str> {
    argument.strip_prefix(['-', '+'])
}

/// The name of a long option, and its value if that stands with it.
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
