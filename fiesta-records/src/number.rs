//! Numbers in the cells of files: scores, costs, splits, seeds and counts.

use super::{RowProblem, words::excerpt};
use fiesta_core::Counts;

/// Reads a finite number; `None` for an empty field.
///
/// Every decimal notation that Rust's own parser takes is a number, and its value is the nearest
/// 64-bit floating point number.
pub(super) fn number(field: &'static str, text: &str) -> Result<Option<f64>, RowProblem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        Ok(_) => Err(not_finite(field, &excerpt(text))),
        Err(_) => Err(RowProblem::NotANumber {
            field,
            found: excerpt(text),
        }),
    }
}

/// Reads a score, which every record has.
pub(super) fn score(text: &str) -> Result<f64, RowProblem> {
    number("score", text)?.ok_or(RowProblem::Missing { field: "score" })
}

/// Returns whether a cell says that there is no value.
pub fn is_missing(text: &str) -> bool {
    const WORDS: [&str; 8] = ["nan", "na", "n/a", "<na>", "#n/a", "nat", "null", "none"];
    let text = text.trim();
    text.is_empty() || WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// Reads a cost or a duration: a number from 0 upwards; `None` for an empty field.
pub(super) fn expense(field: &'static str, text: &str) -> Result<Option<f64>, RowProblem> {
    match number(field, text)? {
        Some(value) if value < 0.0 => Err(RowProblem::Negative {
            field,
            found: excerpt(text.trim()),
        }),
        value => Ok(value),
    }
}

/// Refuses a number that is not finite.
pub(super) fn check_finite(field: &'static str, value: f64) -> Result<(), RowProblem> {
    if value.is_finite() {
        return Ok(());
    }
    Err(not_finite(field, &value.to_string()))
}

/// Returns the fault of a number that is not finite.
fn not_finite(field: &str, found: &str) -> RowProblem {
    let or_failed = match (field, &*found.to_lowercase()) {
        ("score", "nan") => ", or say with --failed what it counts as (drop, worst)",
        _ => "",
    };
    RowProblem::refused(format!(
        "the {field} `{found}` is not finite: correct it, or remove the row of an evaluation that failed{or_failed}"
    ))
}

/// Refuses a cost or a duration that is not finite or is below zero.
pub(super) fn check_expense(field: &'static str, value: Option<f64>) -> Result<(), RowProblem> {
    let value = value.unwrap_or_default();
    check_finite(field, value)?;
    if value < 0.0 {
        let found = value.to_string();
        return Err(RowProblem::Negative { field, found });
    }
    Ok(())
}

/// Reads a split or a seed: a natural number; `None` for an empty field.
///
/// # Errors
/// [`RowProblem`] if the text is no natural number.
pub fn whole(field: &'static str, text: &str) -> Result<Option<u64>, RowProblem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Where some are missing, whole numbers become floats in frames.
    let digits = text.strip_suffix(".0").unwrap_or(text);
    digits.parse().map(Some).map_err(|_| RowProblem::NotWhole {
        field,
        found: excerpt(text),
    })
}

/// Reads a count of what was right or wrong on a document, which every record of counts has. A
/// count may be written as 12.0.
pub(super) fn count(field: &'static str, text: &str) -> Result<u64, RowProblem> {
    let number = number(field, text)?.ok_or(RowProblem::Missing { field })?;
    Counts::cell(number).ok_or_else(|| no_count(field, &excerpt(text.trim())))
}

/// Returns the fault of a number that is no count.
pub(super) fn no_count(field: &str, found: &str) -> RowProblem {
    let largest = Counts::LARGEST;
    RowProblem::refused(format!(
        "the {field} `{found}` is not a count: write a whole number from 0 to {largest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        for value in [0.71, -0.0, 1e-300, 5e-324, f64::MAX, 0.1 + 0.2] {
            let read = number("score", &format!(" {value:?} ")).unwrap().unwrap();
            assert_eq!(read.to_bits(), value.to_bits());
        }
        assert_eq!(number("cost", "  "), Ok(None));
        assert_eq!(whole("seed", "18446744073709551615"), Ok(Some(u64::MAX)));
    }

    #[test]
    fn everything_else_is_told_apart() {
        let message = |result: Result<Option<f64>, RowProblem>| result.unwrap_err().to_string();
        assert!(message(number("score", "NaN")).contains("say with --failed"));
        for infinite in ["inf", "-Infinity", "1e400"] {
            let expected = format!(
                "the score `{infinite}` is not finite: correct it, or remove the row of an evaluation that failed"
            );
            assert_eq!(message(number("score", infinite)), expected);
        }
        assert_eq!(
            message(number("score", "-0,71")),
            "the score `-0,71` is not a number: write digits, with a decimal point if need be"
        );
        for no_number in ["1,234.5", "1,2,3", "71%", "NA", "null", ",", "0x1"] {
            assert!(matches!(
                number("score", no_number),
                Err(RowProblem::NotANumber { .. })
            ));
        }
        assert_eq!(score(""), Err(RowProblem::Missing { field: "score" }));
        assert!(matches!(
            expense("cost", "-0.5"),
            Err(RowProblem::Negative { .. })
        ));
        for (text, value) in [
            ("12", 12),
            (" 12.0 ", 12),
            ("1e9", Counts::LARGEST),
            ("-0", 0),
        ] {
            assert_eq!(count("tp", text), Ok(value), "{text}");
        }
        for no_count in ["-1", "0.5", "1000000001"] {
            let expected = format!(
                "the tp `{no_count}` is not a count: write a whole number from 0 to 1000000000"
            );
            assert_eq!(count("tp", no_count).unwrap_err().to_string(), expected);
        }
        assert_eq!(count("fn", " "), Err(RowProblem::Missing { field: "fn" }));
        for no_whole in ["1.5", "-1", "18446744073709551616", "a"] {
            assert!(matches!(
                whole("split", no_whole),
                Err(RowProblem::NotWhole { .. })
            ));
        }
    }
}
