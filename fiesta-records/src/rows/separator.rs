//! Separator of the columns of a table: commas, semicolons or tabs, as its header and rows say.

use crate::HeaderProblem;
use csv::{ReaderBuilder, StringRecord};

/// The known separators, with their names.
const ALL: [(u8, &str); 3] = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];

/// Largest number of rows used to decide between two separators that are both in the header.
const SAMPLE: usize = 50;

/// How the columns of a text are separated, and whether a line before the header says so, as
/// spreadsheets write it (`sep=;`).
pub(super) struct Separated {
    pub(super) by: u8,
    pub(super) is_stated: bool,
}

/// Returns the separator of a text with a header.
///
/// # Errors
/// [`HeaderProblem`] where two separators divide the header and every row alike.
pub(super) fn of(text: &str) -> Result<Separated, HeaderProblem> {
    let header = text.lines().find(|line| !line.trim().is_empty());
    let header = header.unwrap_or_default();
    if let Some(by) = stated(header) {
        return Ok(Separated {
            by,
            is_stated: true,
        });
    }
    let by = |by| {
        Ok(Separated {
            by,
            is_stated: false,
        })
    };
    let outside = outside_quotes(header);
    let present = ALL.into_iter().filter(|(mark, _)| outside.contains(mark));
    let present: Vec<(u8, &str)> = present.collect();
    match present[..] {
        [] => by(b','),
        [(only, _)] => by(only),
        _ => {
            let even = present.iter().filter(|(mark, _)| is_even(text, *mark));
            let even: Vec<&(u8, &str)> = even.collect();
            match even[..] {
                [] => by(b','),
                [(only, _)] => by(*only),
                [(_, one), (_, other), ..] => Err(HeaderProblem::refused(format!(
                    "the columns could be separated by {one} as well as by {other}: put names and numbers that contain one of them in quotes, or separate the columns by tabs"
                ))),
            }
        }
    }
}

/// Returns the separator that a line of a spreadsheet states.
fn stated(line: &str) -> Option<u8> {
    let line = line.trim_matches(['"', '\r', ' ']);
    let mark = line.strip_prefix("sep=").or(line.strip_prefix("SEP="))?;
    let known = ALL
        .into_iter()
        .find(|(known, _)| mark.as_bytes() == [*known]);
    known.map(|(mark, _)| mark)
}

/// Returns the bytes of a line that are outside quotes.
fn outside_quotes(line: &str) -> Vec<u8> {
    let mut is_quoted = false;
    let bytes = line.bytes().filter(|&byte| {
        is_quoted ^= byte == b'"';
        !is_quoted
    });
    bytes.collect()
}

/// Returns whether the first rows have as many fields as the header, and more than one.
fn is_even(text: &str, mark: u8) -> bool {
    let mut rows = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(mark)
        .from_reader(text.as_bytes());
    let mut row = StringRecord::new();
    let mut width = None;
    for _ in 0..SAMPLE {
        match rows.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) | Err(_) => break,
        }
        if row.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        if *width.get_or_insert(row.len()) != row.len() {
            return false;
        }
    }
    width.is_some_and(|width| width > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_decide_where_the_header_does_not() {
        let by = |text: &str| of(text).map(|found| char::from(found.by)).ok();
        assert_eq!(by("arm,score\n"), Some(','));
        assert_eq!(by("arm;score\na;0,5\n"), Some(';'));
        assert_eq!(by("\n arm\tscore\n"), Some('\t'));
        assert_eq!(by("\"a;b\",score\nx,1\n"), Some(','));
        assert_eq!(by("arm;acc,top 5\na;0,5\nb;0,25\n"), None);
        assert_eq!(by("arm;acc,top 5\na;0.5\nb;0.25\n"), Some(';'));
        assert_eq!(by("score\n1\n"), Some(','));
        assert_eq!(by(""), Some(','));
        let stated = of("sep=;\r\narm;score\r\n").unwrap();
        assert!(stated.is_stated && stated.by == b';');
    }
}
