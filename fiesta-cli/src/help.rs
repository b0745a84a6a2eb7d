//! The examples of help texts within the width of the terminal: a command that goes on in the next
//! line is indented there, so that this is not taken for another command.

use crate::output::width;
use clap::Command;
use fiesta::report::wrapped;

/// The widest that help is.
pub(super) const WIDEST: usize = 100;

/// Indentation of the further lines of an example.
const INDENT: &str = "      ";

/// Breaks the lines after the help of a command and of its subcommands.
pub(super) fn with_examples(command: Command) -> Command {
    let width = width().min(WIDEST);
    let broken = |own: Command| match own.get_after_help().map(ToString::to_string) {
        Some(text) => own.after_help(hanging(&text, width)),
        None => own,
    };
    broken(command).mut_subcommands(broken)
}

/// A text whose indented lines go on further indented.
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
