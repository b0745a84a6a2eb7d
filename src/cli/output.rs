//! Standard output and standard error.

use super::exit::Failure;
use std::{
    fmt::Display,
    io::{self, Write},
};

/// Prints a line of the result. A reader that has seen enough and left, such as `head`, is no failure.
pub(super) fn print(line: impl Display) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Prints a line beside the result. A terminal that was closed is no reason to stop a study.
pub(super) fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
