//! Numbers as programs print them for people.

/// Reason why a text is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// A comma in the text may separate decimals or thousands.
    Comma,
    /// The pattern captured nothing.
    Empty,
    /// The text is no number for another reason.
    Text,
}

/// Reads the number in a text, and divides it by 100 if `is_percent`. One comma is a decimal comma
/// unless three digits follow. A point at the end belongs to a sentence. NaN and infinities are
/// accepted.
pub(crate) fn number(text: &str, is_percent: bool) -> Result<f64, NoNumber> {
    let text = text.trim().trim_end_matches('%').trim_end();
    let text = text.strip_suffix(['.', ',']).unwrap_or(text);
    if text.is_empty() {
        return Err(NoNumber::Empty);
    }
    let text = match text.split_once(',') {
        None => text.to_owned(),
        Some((whole, decimals)) => {
            let are_digits = decimals.bytes().all(|byte| byte.is_ascii_digit());
            if !are_digits || decimals.len() == 3 || whole.contains('.') {
                return Err(NoNumber::Comma);
            }
            format!("{whole}.{decimals}")
        }
    };
    let number: f64 = text.parse().map_err(|_| NoNumber::Text)?;
    if !is_percent {
        return Ok(number);
    }
    // The number nearest to what was printed: 81.87 / 100 is another one than 0.8187, often.
    let exact = format!("{text}e-2").parse();
    Ok(exact.unwrap_or(number / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_read_them() {
        for (text, value) in [
            ("81.87", 81.87),
            ("0.5.", 0.5),
            (" 7,", 7.0),
            ("81,87", 81.87),
            ("-1e-5", -1e-5),
            ("+.5", 0.5),
            ("55 %", 55.0),
        ] {
            assert_eq!(number(text, false), Ok(value), "{text}");
        }
        assert!(number("nan", false).unwrap().is_nan());
        assert_eq!(number("81.87%", true), Ok(0.8187));
        assert_eq!(number("1e1", true), Ok(0.1));
        for (text, problem) in [
            ("1,234", NoNumber::Comma),
            ("1.234,5", NoNumber::Comma),
            ("1,2,3", NoNumber::Comma),
            ("0.5.1", NoNumber::Text),
            ("best", NoNumber::Text),
            ("", NoNumber::Empty),
            (".", NoNumber::Empty),
        ] {
            assert_eq!(number(text, false), Err(problem), "{text}");
        }
    }
}
