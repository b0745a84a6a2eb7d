//! Names as files hold them: on one line, and distinct from all other names.

use fiesta_core::one_spelling;
use std::{borrow::Cow, fmt::Write as _};

/// A name of anything (an arm, an item, a key) as a file of results can hold it. Two names that
/// differ are written differently, and what is written comes back from a file as it is, whoever
/// reads it: white space at the ends is dropped there, a line break is refused, and names that look
/// the same are taken for a mistake.
///
/// Most names are written as they are. In the others, `\n`, `\r`, `\t` and `\u{20}` stand for line
/// breaks, tabs and any other character, by its number, and `\\` for a backslash. A backslash stays
/// single in a name in which nothing could be taken for one of these.
///
/// # Example
/// ```
/// use fiesta_records::legible;
/// for same in ["q-17", "caf\u{e9} 1", r"C:\data\x"] {
///     assert_eq!(legible(same), same);
/// }
/// assert_eq!(legible("a\nb"), r"a\nb");
/// assert_eq!(legible(r"a\nb"), r"a\\nb");
/// assert_eq!(legible(" a  b"), r"\u{20}a \u{20}b");
/// // Composed and not: both look like caf\u{e9}.
/// assert_eq!(legible("cafe\u{301}"), r"cafe\u{301}");
/// ```
pub fn legible(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        return Cow::Borrowed(name);
    }
    let written = escaped(name, |character| !character.is_control());
    if one_spelling(&written) == written {
        return Cow::Owned(written);
    }
    Cow::Owned(escaped(name, |character| character.is_ascii_graphic()))
}

/// Returns whether a name is written unchanged.
fn is_plain(name: &str) -> bool {
    let has_escape = || {
        let mut pieces = name.split('\\').skip(1);
        pieces.any(|rest| {
            rest.is_empty() || rest.starts_with(['n', 'r', 't']) || rest.starts_with("u{")
        })
    };
    // What a reader takes away at the beginning of a file.
    !name.starts_with('\u{feff}')
        && !name.contains(char::is_control)
        && one_spelling(name) == name
        && !has_escape()
}

/// Returns a name with doubled backslashes, and with an escape such as `\u{20}` for each character
/// that is not kept. A space between two other characters is kept.
fn escaped(name: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    let mut characters = name.chars().peekable();
    let mut after_space = true;
    while let Some(character) = characters.next() {
        let is_last = characters.peek().is_none();
        let is_space = character == ' ' && !after_space && !is_last;
        match character {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            ' ' if is_space => text.push(' '),
            '\u{feff}' => text.push_str("\\u{feff}"),
            character if !character.is_whitespace() && is_kept(character) => text.push(character),
            character => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(character));
            }
        }
        after_space = is_space;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the name that [`legible`] turned into this text, by the description of `legible`.
    fn original(text: &str) -> String {
        let mut name = String::new();
        let mut is_escaped = false;
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            name.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let of_one = [('\\', '\\'), ('n', '\n'), ('r', '\r'), ('t', '\t')];
            let simple = of_one.iter().find(|(letter, _)| rest.starts_with(*letter));
            if let Some((_, character)) = simple {
                name.push(*character);
                rest = &rest[1..];
                is_escaped = true;
            } else if let Some(number) = rest.strip_prefix("u{") {
                let end = number.find('}').unwrap();
                let number_of = u32::from_str_radix(&number[..end], 16).unwrap();
                name.push(char::from_u32(number_of).unwrap());
                rest = &number[end + 1..];
                is_escaped = true;
            } else {
                assert!(!is_escaped, "half of {text} is escaped");
                name.push('\\');
            }
        }
        name + rest
    }

    fn comes_back(name: &str) {
        let written = legible(name);
        assert_eq!(original(&written), name, "{written:?}");
        // Whoever reads a file changes nothing of it.
        assert_eq!(one_spelling(&written), written, "{name:?}");
        assert!(!written.contains(char::is_control), "{name:?}");
        assert_eq!(written.trim(), written, "{name:?}");
    }

    #[test]
    fn awkward_names_come_back() {
        for name in [
            " ",
            "  ",
            "\\",
            "\\\\",
            "\\n",
            "\n",
            "a\\",
            "\n\u{301}",
            "e \u{301}",
            "\u{212b}",
            "\u{a0}a",
            "a\u{2028}b",
            "\u{feff}a",
            "\\u{20}",
            " a \\n\n",
            "\u{1f}",
            "\u{85}",
            "a\u{200b}",
        ] {
            comes_back(name);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn names_come_back(name in "([ \\\\nrtu{}\n\r\t'=a0\u{e9}\u{301}\u{a0}\u{85}]|[^x]){0,12}") {
            comes_back(&name);
        }
    }
}
