//! Python's exceptions for the crates' errors.

use pyo3::{PyErr, exceptions::PyValueError};
use std::fmt::Display;

/// A `ValueError` with the crates' message, flags of the command line in it as Python's keywords.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(in_python(&error.to_string()))
}

/// A message with each flag of the command line (`--paired-rows`) as the keyword of the same
/// meaning (`paired_rows=`).
///
/// A flag is two dashes, a small letter, and small letters, digits and dashes behind it; two dashes
/// within a word are none.
pub(crate) fn in_python(message: &str) -> String {
    let mut rest = message;
    let mut text = String::with_capacity(message.len());
    while let Some(at) = rest.find("--") {
        let (before, flag) = rest.split_at(at);
        text.push_str(before);
        let within = before
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        let name = &flag[2..];
        let length = name
            .find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
            .unwrap_or(name.len());
        if within || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            text.push_str("--");
            rest = name;
            continue;
        }
        text.push_str(&name[..length].replace('-', "_"));
        text.push('=');
        rest = name[length..]
            .strip_prefix(' ')
            .filter(|value| is_value(value))
            .unwrap_or(&name[length..]);
    }
    text.push_str(rest);
    text
}

/// Whether what follows a flag is its value and not the next word of the sentence: a placeholder in
/// capital letters.
fn is_value(text: &str) -> bool {
    text.chars()
        .take(2)
        .filter(char::is_ascii_uppercase)
        .count()
        == 2
}
