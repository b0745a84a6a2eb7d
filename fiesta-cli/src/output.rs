//! Standard output and standard error, within the width of the terminal.

use super::exit::Failure;
use console::Term;
use fiesta::report::wrapped;
use serde::Serialize;
use std::{
    env,
    fmt::Display,
    io::{self, Write},
    thread,
    time::Duration,
};

/// How long until a pipe that is full is tried again.
const FULL: Duration = Duration::from_millis(10);

/// No terminal is taken for narrower than this.
const NARROWEST: usize = 20;

/// The columns of what people read on standard output: those of `COLUMNS`, else of the terminal; any
/// number where it is no terminal.
pub(super) fn width() -> usize {
    width_of(&Term::stdout())
}

/// The same on standard error.
pub(super) fn width_beside() -> usize {
    width_of(&Term::stderr())
}

fn width_of(terminal: &Term) -> usize {
    let given = env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    let given = given.filter(|&columns: &usize| columns > 0);
    let own = || Some(usize::from(terminal.size_checked()?.1));
    let columns = given.or_else(|| own().filter(|_| terminal.is_term()));
    columns.map_or(usize::MAX, |columns| columns.max(NARROWEST))
}

/// Prints a line of the result; one that is longer than the terminal is wide, between its words.
pub(super) fn print(line: impl Display) -> Result<(), Failure> {
    print_as_it_is(wrapped(&line.to_string(), width()))
}

/// Prints a line for a program or a shell, however long.
pub(super) fn print_as_it_is(line: impl Display) -> Result<(), Failure> {
    write(format!("{line}\n").as_bytes())
}

/// Prints a result as one line of JSON.
pub(super) fn print_json(result: &impl Serialize) -> Result<(), Failure> {
    print_as_it_is(serde_json::to_string(result)?)
}

/// Writes a result. A reader that has seen enough and left, such as `head`, is no failure.
pub(super) fn write(mut bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = loop {
        match stdout.write(bytes) {
            Ok(0) if !bytes.is_empty() => break Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            // Somebody made it return at once, and it is full.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(FULL),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
        if bytes.is_empty() {
            break stdout.flush();
        }
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|source| Failure::System {
            action: "write to the standard output".to_owned(),
            source,
        }),
    }
}

/// Prints a line beside the result. A terminal that was closed is no reason to stop a study.
pub(super) fn say(line: impl Display) {
    let line = wrapped(&line.to_string(), width_beside());
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints what ended a verb early.
pub(super) fn say_error(failure: &Failure) {
    const WORD: &str = "error:";
    let text = wrapped(&format!("{WORD} {failure}"), width_beside());
    // Wrapped without the colour, which has no width.
    let rest = text.strip_prefix(WORD).unwrap_or(&text);
    let word = console::style(WORD).for_stderr().red().bold();
    let _ = writeln!(io::stderr(), "{word}{rest}");
}
