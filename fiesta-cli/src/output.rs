//! Standard output and standard error, within the width of the terminal.
//!
//! All that the program prints goes through here (`tests/foreign.rs` finds what does not): whatever
//! names, ids and answers hold, no terminal gets a control character that is not FIESTA's own. A text
//! of others that must be one line is a [`Foreign`](fiesta::Foreign) before it comes here.

use super::exit::Failure;
use console::Term;
use fiesta::{harmless, is_hidden, report::wrapped};
use serde::Serialize;
use std::{
    backtrace::{Backtrace, BacktraceStatus},
    borrow::Cow,
    env,
    fmt::{Display, Write as _},
    io::{self, IsTerminal, Write},
    panic, thread,
    time::Duration,
};

/// Wait before another attempt to write to a full pipe.
const FULL: Duration = Duration::from_millis(10);

/// Fewest columns that a terminal is taken to have.
const NARROWEST: usize = 20;

/// Returns the width of text on standard output: `COLUMNS`, else the terminal's. Unlimited if there
/// is no terminal.
pub(super) fn width() -> usize {
    width_of(&Term::stdout())
}

/// Returns the width of text on standard error: `COLUMNS`, else the terminal's.
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

/// Prints a line of the result, broken between words if it is wider than the terminal.
pub(super) fn print(line: impl Display) -> Result<(), Failure> {
    print_as_it_is(wrapped(&harmless(&line.to_string()), width()))
}

/// Prints a line for a program or a shell, however long.
pub(super) fn print_as_it_is(line: impl Display) -> Result<(), Failure> {
    write_out(format!("{}\n", harmless(&line.to_string())).as_bytes())
}

/// Prints a result as one line of JSON, in which invisible characters are escaped. Readers of JSON
/// get the original text.
pub(super) fn print_json(result: &impl Serialize) -> Result<(), Failure> {
    print_as_it_is(escaped(&serde_json::to_string(result)?))
}

/// Returns JSON with invisible characters escaped; they occur only in its strings.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Writes data unchanged; to a terminal, as text without control sequences. A reader that has
/// closed the pipe, such as `head`, is no error.
pub(super) fn write(bytes: &[u8]) -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        write_out(harmless(&text).as_bytes())
    } else {
        write_out(bytes)
    }
}

fn write_out(mut bytes: &[u8]) -> Result<(), Failure> {
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

/// Prints a line on standard error. A terminal that was closed does not stop a study.
pub(super) fn say(line: impl Display) {
    let line = wrapped(&harmless(&line.to_string()), width_beside());
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns whether the program can ask a person at a terminal.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only studies ask, which run on Linux alone")
)]
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prints the error that ended a verb early.
pub(super) fn say_error(failure: &Failure) {
    const WORD: &str = "error:";
    let text = format!("{WORD} {failure}");
    let text = wrapped(&harmless(&text), width_beside());
    // Wrapped without the colour, which has no width.
    let rest = text.strip_prefix(WORD).unwrap_or(&text);
    let word = console::style(WORD).for_stderr().red().bold();
    let _ = writeln!(io::stderr(), "{word}{rest}");
}

/// Prints a message of clap: help, the version, or an error that quotes the arguments. Returns
/// whether it was printed; a closed pipe counts as printed.
pub(super) fn print_usage(error: &clap::Error) -> bool {
    let plain = error.render().to_string();
    let printed = match harmless(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(text) if error.use_stderr() => io::stderr().write_all(text.as_bytes()),
        Cow::Owned(text) => io::stdout().write_all(text.as_bytes()),
    };
    match printed {
        Err(error) => error.kind() == io::ErrorKind::BrokenPipe,
        Ok(()) => true,
    }
}

/// Clears the terminal before the next output. If that is not possible, outputs follow one another.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "studies run on Linux alone")
)]
pub(super) fn clear_screen() {
    if console::user_attended() {
        let _ = Term::stdout().clear_screen();
    }
}

/// Name of the thread that decodes a Parquet file (`fiesta_parquet::THREAD`).
const DECODER: &str = "fiesta-parquet";

/// Makes panics of the program print like its other messages.
pub(super) fn say_panics() {
    panic::set_hook(Box::new(|panic| {
        let thread = thread::current();
        let name = thread.name().unwrap_or("unnamed");
        // The decoder of Parquet panics at some damaged files, of which a sentence tells.
        if name == DECODER {
            return;
        }
        say(format_args!("thread `{name}`: {panic}"));
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            say(trace);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_the_same_without_hidden_characters() {
        let text = "a\u{9b}\u{202e}\u{e0041}\u{7f}\n\u{1b}é😀";
        let json = serde_json::to_string(text).unwrap();
        let shown = escaped(&json);
        assert!(!shown.contains(is_hidden), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        assert!(matches!(escaped("\"é\""), Cow::Borrowed(_)));
    }
}
