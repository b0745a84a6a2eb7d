//! Formulas of spreadsheets in the texts of cells, made inert by an apostrophe.

use std::borrow::Cow;

/// Characters that begin a formula; some spreadsheets take the wide forms for the plain ones.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Characters that end a cell where a file is opened with a wrong separator.
const ENDS_CELL: [char; 4] = [';', '\t', '\n', '\r'];

/// Text for a cell of CSV that no spreadsheet runs: where a formula could begin, an apostrophe
/// stands before it, which spreadsheets take for the sign of text.
///
/// That is at the beginning and, as some spreadsheets split cells there, after a semicolon, a tab
/// or a line break. Numbers such as `-0.5` are none. What has an apostrophe there already gets one
/// more, so that [`original`] gives every text back.
///
/// # Example
/// ```
/// use fiesta_records::{inert, original};
/// assert_eq!(inert("=cmd()"), "'=cmd()");
/// assert_eq!(inert("'=cmd()"), "''=cmd()");
/// assert_eq!(inert("a;@b"), "a;'@b");
/// for same in ["lstm", "a=b", "-0.5", "'tis", "it's"] {
///     assert_eq!(inert(same), same);
/// }
/// assert_eq!(original("'=cmd()"), "=cmd()");
/// ```
pub fn inert(text: &str) -> Cow<'_, str> {
    rewrite(text, |apostrophes, rest| {
        (apostrophes > 0 || !is_number(rest)).then_some(apostrophes + 1)
    })
}

/// Returns the text of which [`inert`] made this one.
///
/// # Example
/// ```
/// use fiesta_records::original;
/// assert_eq!(original("''=cmd()"), "'=cmd()");
/// assert_eq!(original("-x"), "-x");
/// assert_eq!(original("'tis"), "'tis");
/// ```
pub fn original(text: &str) -> Cow<'_, str> {
    // Nearly every text is like this, and there may be millions.
    if !text.contains('\'') {
        return Cow::Borrowed(text);
    }
    rewrite(text, |apostrophes, _| apostrophes.checked_sub(1))
}

/// Changes the number of apostrophes before every formula to the one that `count` returns for their
/// present number and the text after them. `None` changes nothing.
fn rewrite(text: &str, count: impl Fn(usize, &str) -> Option<usize>) -> Cow<'_, str> {
    if !text.contains(FORMULA) {
        return Cow::Borrowed(text);
    }
    let mut changed = false;
    let mut written = String::with_capacity(text.len() + 1);
    for piece in text.split_inclusive(ENDS_CELL) {
        let quoted = piece.trim_start_matches(' ');
        let rest = quoted.trim_start_matches('\'');
        let apostrophes = quoted.len() - rest.len();
        match count(apostrophes, rest) {
            Some(other) if rest.starts_with(FORMULA) => {
                changed = true;
                written.push_str(&piece[..piece.len() - quoted.len()]);
                written.extend(std::iter::repeat_n('\'', other));
                written.push_str(rest);
            }
            _ => written.push_str(piece),
        }
    }
    if changed {
        Cow::Owned(written)
    } else {
        Cow::Borrowed(text)
    }
}

fn is_number(text: &str) -> bool {
    let number = text.trim_end_matches(ENDS_CELL).trim_end();
    let digits = number.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c == '.' || c.is_ascii_digit()) && number.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns whether a spreadsheet could run a part of this text, however it splits cells.
    fn is_live(text: &str) -> bool {
        text.split(ENDS_CELL)
            .map(|cell| cell.trim_start_matches(' '))
            .any(|cell| cell.starts_with(FORMULA) && !is_number(cell))
    }

    #[test]
    fn what_looks_like_a_number_and_is_none_is_a_formula() {
        for number in ["-1", "+1.5e-3", "-.5", "- 1;-2"] {
            assert_eq!(inert(number) == number, !number.contains(' '), "{number}");
        }
        for formula in ["--1", "-1+2", "+inf", "-", "=1", "-1-1", "+-1", "－1"] {
            assert_eq!(inert(formula), format!("'{formula}"));
        }
        assert_eq!(inert("x; '=1"), "x; ''=1");
        // A number is none behind an apostrophe: it would come back without.
        assert_eq!(inert("'-1"), "''-1");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn comes_out_inert_and_comes_back(text in "([-=+@; \t\n'1.ae\u{ff1d}]|;?'{0,2}[-+]1){0,8}") {
            let written = inert(&text);
            prop_assert!(!is_live(&written), "{written:?}");
            prop_assert_eq!(original(&written), text.as_str());
        }
    }
}
