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

/// A number of seconds, or a cost, to a tenth; below one to a thousandth, where a tenth would often be 0.0.
pub(super) fn amount(amount: f64) -> String {
    if amount < 1.0 {
        format!("{amount:.3}")
    } else {
        format!("{amount:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_amounts_are_not_rounded_to_nothing() {
        let amounts = [0.004, 0.36, 1.04, 73.0].map(amount);
        assert_eq!(amounts, ["0.004", "0.360", "1.0", "73.0"]);
    }
}
