//! Kinds of the bytes of a script: code, text or comment.

use super::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Code,
    /// With its quotes.
    Text,
    Comment,
}

pub(super) fn kinds(text: &[u8], language: Language) -> Vec<Kind> {
    let mut kinds = vec![Kind::Code; text.len()];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest[0];
        let end = match first {
            b'#' if is_comment(text, at, language) => {
                let line = rest.iter().position(|&c| c == b'\n');
                let end = at + line.unwrap_or(rest.len());
                kinds[at..end].fill(Kind::Comment);
                end
            }
            b'\\' if language == Language::Shell => at + 2,
            b'"' | b'\'' | b'`' if first != b'`' || language == Language::R => {
                let triple = [first; 3];
                let end = if language == Language::Python && rest.starts_with(&triple) {
                    let mut end = at + 3;
                    while end < text.len() && !text[end..].starts_with(&triple) {
                        end += if text[end] == b'\\' { 2 } else { 1 };
                    }
                    end + 3
                } else {
                    let mut end = at + 1;
                    let escapes = language != Language::Shell || first == b'"';
                    while end < text.len() && text[end] != first {
                        // A text that is not closed ends with its line, in Python.
                        if language == Language::Python && text[end] == b'\n' {
                            break;
                        }
                        end += if escapes && text[end] == b'\\' { 2 } else { 1 };
                    }
                    end + 1
                };
                let end = end.min(text.len());
                kinds[at..end].fill(Kind::Text);
                end
            }
            _ => at + 1,
        };
        at = end;
    }
    kinds
}

fn is_comment(text: &[u8], at: usize, language: Language) -> bool {
    // `$#` and `${x#y}` are no comments.
    language != Language::Shell
        || at == 0
        || text[at - 1].is_ascii_whitespace()
        || text[at - 1] == b';'
}
