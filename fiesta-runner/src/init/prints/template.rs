//! Texts with numbers in place of their fields: braces of Python, conversions of C.

use super::NUMBER;
use regex::Regex;

/// A text whose fields in braces are numbers.
pub(super) fn braces(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        if rest[at + 1..].starts_with(brace) {
            out.push_str(brace);
            rest = &rest[at + 2..];
            continue;
        }
        if brace == "}" {
            // It closes nothing: the text is none that Python would take.
            out.push_str(brace);
            rest = &rest[at + 1..];
            continue;
        }
        let mut depth = 0_usize;
        let end = rest[at..].char_indices().find(|&(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let Some((length, _)) = end else {
            break;
        };
        let field = &rest[at + 1..at + length];
        if let Some(name) = field
            .split([':', '!'])
            .next()
            .and_then(|name| name.strip_suffix('='))
        {
            out.push_str(name);
            out.push('=');
        }
        out.push_str(NUMBER);
        if field.ends_with('%') && field.contains(':') {
            out.push('%');
        }
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    out
}

/// A text whose conversions are numbers.
pub(super) fn percents(text: &str) -> String {
    let Ok(conversion) = Regex::new(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[difFgGeEsr]|%%") else {
        return text.to_owned();
    };
    let number = |found: &regex::Captures<'_>| {
        if &found[0] == "%%" {
            "%".to_owned()
        } else {
            NUMBER.to_owned()
        }
    };
    conversion.replace_all(text, number).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_numbers_and_lone_braces_text() {
        let number = |template: &str| template.replace('#', NUMBER);
        for (text, expected) in [
            ("f1 {f1:.3f}", "f1 #"),
            ("{{{x}}} {x=:.1%}", "{#} x=#%"),
            ("accuracy5:.3f}", "accuracy5:.3f}"),
            ("}{x}{", "}#{"),
            ("{x[\"{\"]}", "{x[\"{\"]}"),
        ] {
            assert_eq!(braces(text), number(expected), "{text}");
        }
    }
}
