//! Text whose width is known before any font is.

use crate::table::visible;
use fiesta_core::whole;
use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// The fonts of all figures, from the journals' favourite to what every system has.
pub(crate) const FAMILIES: [&str; 5] = [
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "DejaVu Sans",
];

/// Advance widths of Helvetica from the space to the tilde, in thousandths of the size.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// DejaVu Sans, the widest of [`FAMILIES`], exceeds Helvetica by up to this in running text.
const WIDEST: f64 = 1.16;

/// Greatest number of characters that are drawn of a name, whatever width they claim: combining
/// marks have none.
const MOST_CHARACTERS: usize = 120;

/// Returns how wide a line of text may become, in the unit of its size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size * WIDEST
}

/// Returns how wide a name may become, of which no more than its beginning counts.
pub(crate) fn first_width(name: &str, size: f64) -> f64 {
    width(&clean(&name.chars().take(200).collect::<String>()), size)
}

/// Returns the width of the widest of some names.
pub(crate) fn widest(names: &[impl AsRef<str>], size: f64) -> f64 {
    let widths = names.iter().map(|name| first_width(name.as_ref(), size));
    widths.fold(0.0, f64::max)
}

fn advance(c: char) -> f64 {
    let ascii = (c as usize).checked_sub(32).and_then(|i| HELVETICA.get(i));
    match (ascii, c.width()) {
        (Some(&thousandths), _) => f64::from(thousandths) / 1000.0,
        (None, Some(0) | None) => 0.0,
        // The replacement character is drawn as a diamond .95 em wide, although Unicode counts it
        // as narrow.
        (None, Some(1)) if c == '\u{fffd}' => 0.95,
        (None, Some(1)) => 0.58,
        (None, Some(_)) => 1.05,
    }
}

/// Returns a name as one [visible] line.
pub(crate) fn clean(name: &str) -> String {
    visible(&name.replace(['\t', '\n', '\r'], " "))
}

/// Returns the text, or as much of it as fits with "…".
pub(crate) fn shorten(text: &str, size: f64, most: f64) -> Cow<'_, str> {
    let fits = |part: &str| width(part, size) <= most;
    if text.chars().nth(MOST_CHARACTERS).is_none() && fits(text) {
        return Cow::Borrowed(text);
    }
    let room = most - width("…", size);
    let mut used = 0.0;
    let mut kept = String::new();
    for c in text.chars().take(MOST_CHARACTERS) {
        used += advance(c) * size * WIDEST;
        if used > room {
            break;
        }
        kept.push(c);
    }
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// Escapes a text for XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

/// Writes a number with as many decimals as distinguish steps of this size.
pub(crate) fn number(value: f64, step: f64) -> String {
    let magnitude = value.abs().max(step);
    if value != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        return scientific(value, step);
    }
    let decimals = decimals(step);
    let text = format!("{value:.decimals$}");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) if digits.bytes().any(|b| b.is_ascii_digit() && b != b'0') => ("−", digits),
        Some(digits) => ("", digits),
        None => ("", text.as_str()),
    };
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut grouped = String::from(sign);
    for (index, digit) in integer.char_indices() {
        // 1000 to 9999 read well without.
        if integer.len() > 4 && index > 0 && (integer.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        let _ = write!(grouped, ".{fraction}");
    }
    grouped
}

/// Returns the decimals that tell multiples of the step apart, 0.25 as well as 0.2.
fn decimals(step: f64) -> usize {
    if !(step > 0.0 && step.is_finite()) {
        return 4;
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0);
    let rest = step * 10f64.powf(decimals);
    let more = (rest - rest.round()).abs() > 1e-6;
    whole(decimals) + usize::from(more)
}

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Writes a number with a power of ten, for instance 2.5×10⁻⁷.
fn scientific(value: f64, step: f64) -> String {
    let digits = whole((value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 6.0));
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let raised = |c: char| match c {
        '-' => '⁻',
        digit => digit
            .to_digit(10)
            .map_or(digit, |digit| RAISED[digit as usize]),
    };
    let raised: String = exponent.chars().map(raised).collect();
    format!("{}×10{raised}", mantissa.replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_decimals_of_their_step() {
        for (value, step, text) in [
            (0.25, 0.25, "0.25"),
            (0.6, 0.2, "0.6"),
            (-0.0, 0.2, "0.0"),
            (-3.0, 1.0, "−3"),
            (4000.0, 1000.0, "4000"),
            (12000.0, 4000.0, "12,000"),
            (2.5e-7, 5e-8, "2.5×10⁻⁷"),
            (3e12, 1e12, "3×10¹²"),
        ] {
            assert_eq!(number(value, step), text);
        }
    }

    #[test]
    fn names_are_one_visible_line() {
        assert_eq!(
            clean("a\nb\u{1b}[2J\u{202e}c\0"),
            "a b\u{fffd}[2J\u{fffd}c\u{fffd}"
        );
    }

    #[test]
    fn long_names_are_shortened_to_their_room() {
        let long = "x".repeat(10_000);
        let short = shorten(&long, 12.0, 100.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 100.0);
        assert!(width(&short, 12.0) > 80.0);
        let marks = format!("a{}", "\u{301}".repeat(10_000));
        assert!(shorten(&marks, 12.0, 100.0).chars().count() <= MOST_CHARACTERS + 1);
        assert_eq!(shorten("tdlstm", 12.0, 100.0), "tdlstm");
    }

    #[test]
    fn wide_characters_are_wide() {
        assert!(width("日本", 10.0) > width("ab", 10.0) * 1.5);
    }
}
