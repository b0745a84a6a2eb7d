//! Help texts: options in groups, few of them and few examples with `-h`, all with `--help`. An example
//! that goes on in the next line is indented there, so that this is not taken for another command.

use crate::output::width;
use clap::{Arg, Command};
use fiesta::report::wrapped;

/// Largest width of a help text, in columns of the terminal.
pub(super) const WIDEST: usize = 100;

/// Indentation of the further lines of an example.
const INDENT: &str = "      ";

/// Headings of options of the verbs that read results, each with its options. The other options stand
/// under "Options".
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Columns and rows",
        &[
            "metric",
            "arm",
            "arms",
            "split",
            "seed",
            "item",
            "paired_rows",
            "gold",
            "strata",
            "clusters",
            "spread",
            "n",
            "explain",
        ],
    ),
    (
        "Scores",
        &["minimize", "direction", "bounds", "failed", "logit"],
    ),
    (
        "Pools of items",
        &["pool_size", "target", "tolerance", "outlook", "confidence"],
    ),
    ("Several benchmarks", &["benchmark", "weights", "scale"]),
    (
        "Confusion counts",
        &[
            "counts_file",
            "positive",
            "alpha",
            "alpha0",
            "theta0",
            "f_beta",
            "precision_weight",
        ],
    ),
    (
        "Results of other tools",
        &["from", "filter", "study", "pruned", "missing"],
    ),
];

/// Options of the verbs that read results which `-h` shows.
const COMMON: [&str; 24] = [
    "top",
    "command",
    "default",
    "force",
    "dry_run",
    "margin",
    "better_by",
    "baseline",
    "junit",
    "markdown",
    "metric",
    "arm",
    "arms",
    "split",
    "item",
    "gold",
    "explain",
    "minimize",
    "tie_within",
    "policy",
    "reach",
    "output",
    "format",
    "help",
];

/// Number of lines of the examples that `-h` shows: the heading and the first examples.
const FIRST_LINES: usize = 4;

/// Arranges the help of a command and of its subcommands.
pub(super) fn arranged(command: Command) -> Command {
    let width = width().min(WIDEST);
    let broken = |own: Command| match own.get_after_help().map(ToString::to_string) {
        Some(text) => own.after_help(hanging(&text, width)),
        None => own,
    };
    broken(command).mut_subcommands(|own| grouped(broken(own)))
}

/// Puts the options of a verb that reads results under headings, and leaves `-h` the common ones and the
/// first examples. Other verbs stay as they are.
fn grouped(command: Command) -> Command {
    if command
        .get_arguments()
        .all(|arg| arg.get_id() != "paired_rows")
    {
        return command;
    }
    let examples = command.get_after_help().map(ToString::to_string);
    let command = command.mut_args(in_group);
    match examples {
        Some(all) => {
            let first: Vec<&str> = all.lines().take(FIRST_LINES).collect();
            command.after_help(first.join("\n")).after_long_help(all)
        }
        None => command,
    }
}

/// Returns an option under its heading, hidden from `-h` unless it is a common one.
fn in_group(arg: Arg) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let is_common = arg.is_positional() || COMMON.contains(&&*id);
    let arg = arg.hide_short_help(!is_common);
    let group = GROUPS.iter().find(|(_, ids)| ids.contains(&&*id));
    match group {
        Some((heading, _)) => arg.help_heading(*heading),
        None => arg,
    }
}

/// Breaks the lines of a text. The further lines of an indented line are indented more.
fn hanging(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| {
        let broken = wrapped(line, width);
        match broken.split_once('\n') {
            Some((first, rest)) if line.starts_with(' ') => {
                let rest: Vec<&str> = rest.lines().map(str::trim).collect();
                let rest = wrapped(&format!("{INDENT}{}", rest.join(" ")), width);
                format!("{first}\n{rest}")
            }
            _ => broken,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Returns the verbs that read results, with their help arranged.
    fn reading_verbs() -> Vec<Command> {
        let command = arranged(crate::Arguments::command());
        let verbs = command.get_subcommands().cloned();
        let read = |verb: &Command| {
            verb.get_arguments()
                .any(|arg| arg.get_id() == "paired_rows")
        };
        verbs.filter(read).collect()
    }

    #[test]
    fn a_first_screen_has_forty_lines() {
        let verbs = reading_verbs();
        assert_eq!(verbs.len(), 10);
        for mut verb in verbs {
            let help = verb.render_help().to_string();
            assert!(help.lines().count() <= 40, "{help}");
            assert!(help.contains("Columns and rows:"), "{help}");
            assert!(help.contains("\nExamples:\n  fiesta "), "{help}");
        }
    }

    #[test]
    fn every_option_of_a_group_is_an_option_of_a_verb() {
        let verbs = reading_verbs();
        let of_groups = GROUPS.iter().flat_map(|(_, ids)| ids.iter());
        for id in of_groups.chain(&COMMON[..COMMON.len() - 1]) {
            let is_known = |verb: &Command| verb.get_arguments().any(|arg| arg.get_id() == *id);
            assert!(verbs.iter().any(is_known), "{id}");
        }
    }

    #[test]
    fn an_example_goes_on_indented() {
        let text = "Examples:\n  fiesta a --one 1 --two 2\n  fiesta b\n\nThat is all there is.";
        assert_eq!(
            hanging(text, 16),
            "Examples:\n  fiesta a --one\n      1 --two 2\n  fiesta b\n\nThat is all\nthere is."
        );
        assert_eq!(hanging(text, 100), text);
    }
}
