//! Standard output and standard error.

use super::exit::Failure;
use serde::Serialize;
use std::{
    fmt::Display,
    io::{self, Write},
    thread,
    time::Duration,
};

/// How long until a pipe that is full is tried again.
const FULL: Duration = Duration::from_millis(10);

/// Prints a line of the result.
pub(super) fn print(line: impl Display) -> Result<(), Failure> {
    write(format!("{line}\n").as_bytes())
}

/// Prints a result as one line of JSON.
pub(super) fn print_json(result: &impl Serialize) -> Result<(), Failure> {
    print(serde_json::to_string(result)?)
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
    let _ = writeln!(io::stderr(), "{line}");
}
