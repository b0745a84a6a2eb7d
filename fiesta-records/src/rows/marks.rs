//! Marks that papers set around and behind numbers: bold type, and signs of footnotes.

/// Commands of LaTeX that set a number in another type.
const TYPES: [&str; 6] = [
    "\\textbf{",
    "\\mathbf{",
    "\\underline{",
    "\\textit{",
    "\\emph{",
    "\\bf{",
];

/// Signs of footnotes, of which some are commands.
const SIGNS: [&str; 12] = [
    "^{\\dagger}",
    "^\\dagger",
    "\\dagger",
    "^{\\ddagger}",
    "\\ddagger",
    "^{*}",
    "^*",
    "†",
    "‡",
    "§",
    "¶",
    "*",
];

/// Returns a text without marks of bold type around it or around its first number, and without signs
/// of footnotes behind it: `81.2` for `**81.2**`, `\textbf{81.2}` and `81.2†`. `None` if it has none.
pub(crate) fn without_marks(text: &str) -> Option<String> {
    let mut bare = text.trim().to_owned();
    for mark in TYPES {
        if let Some((before, rest)) = bare.split_once(mark)
            && let Some((inner, after)) = rest.split_once('}')
        {
            bare = format!("{before}{inner}{after}");
        }
    }
    for sign in SIGNS {
        bare = bare.replace(sign, "");
    }
    for mark in ["__", "_"] {
        let inner = bare
            .strip_prefix(mark)
            .and_then(|rest| rest.strip_suffix(mark));
        bare = inner.unwrap_or(&bare).to_owned();
    }
    let bare = bare.trim().trim_matches('$').trim();
    let begins = bare
        .trim_start_matches(['-', '+', '.'])
        .starts_with(|c: char| c.is_ascii_digit());
    (begins && bare != text.trim()).then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_off_numbers() {
        for text in [
            "81.2†",
            "81.2 *",
            "**81.2**",
            "**81.2**†",
            "_81.2_",
            "\\textbf{81.2}",
            "$81.2^{\\dagger}$",
            "$\\mathbf{81.2}$",
            "\\underline{81.2}§",
        ] {
            assert_eq!(without_marks(text).as_deref(), Some("81.2"), "{text}");
        }
        let pair = without_marks("\\textbf{81.2} ± 0.2‡");
        assert_eq!(pair.as_deref(), Some("81.2 ± 0.2"));
        for text in ["81.2", "a*", "**large**", "", "81.2a"] {
            assert_eq!(
                without_marks(text).filter(|bare| bare.parse::<f64>().is_ok()),
                None,
                "{text}"
            );
        }
    }
}
