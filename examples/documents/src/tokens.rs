//! Tokens of a text: its words and punctuation marks.

/// A word or a punctuation mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// Place in the text where the token begins, in bytes.
    pub start: usize,
    /// Whether the token is the first word of a sentence, or of what somebody says.
    pub starts_sentence: bool,
}

impl Token {
    /// Returns the place in the text where the token ends, in bytes.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns whether the token begins with a capital letter.
    #[must_use]
    pub fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Returns whether the token is a word or a number.
    #[must_use]
    pub fn is_word(&self) -> bool {
        self.text.starts_with(char::is_alphanumeric)
    }

    fn is_quote(&self) -> bool {
        self.text == "\""
    }

    fn ends_sentence(&self) -> bool {
        matches!(self.text.as_str(), "." | "!" | "?" | ":")
    }
}

/// Abbreviations that keep their full stop.
const ABBREVIATIONS: [&str; 5] = ["Mr", "Mrs", "Ms", "Dr", "St"];

/// Cuts a text into tokens.
///
/// A word may have hyphens and apostrophes inside (`al-Tayeb`, `don't`), a number its points
/// (`1,100`); the `'s` of a genitive is a token of its own. An initial or an abbreviation keeps its
/// full stop (`J.`, `Dr.`). Any other mark stands alone.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        } else if first.is_alphanumeric() {
            word_length(rest)
        } else if is_genitive(rest) {
            "'s".len()
        } else {
            first.len_utf8()
        };
        let starts_sentence = first.is_alphanumeric() && at_sentence_start(&tokens);
        tokens.push(Token {
            text: rest[..length].to_owned(),
            start,
            starts_sentence,
        });
        start += length;
    }
    tokens
}

fn at_sentence_start(before: &[Token]) -> bool {
    match before.last() {
        None => true,
        Some(last) => last.is_quote() || last.ends_sentence(),
    }
}

/// Returns whether a text begins with `'s`, with the end of a word after it.
fn is_genitive(text: &str) -> bool {
    text.strip_prefix("'s")
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Returns the length of the word with which a text begins.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let goes_on = match character {
            '\'' => next.is_some_and(char::is_alphabetic) && !is_genitive(&text[at..]),
            '-' => next.is_some_and(char::is_alphanumeric),
            ',' | '.' => {
                text[..at].ends_with(|c: char| c.is_ascii_digit())
                    && next.is_some_and(|next| next.is_ascii_digit())
            }
            _ => character.is_alphanumeric(),
        };
        if !goes_on {
            break;
        }
        end = at + character.len_utf8();
    }
    let word = &text[..end];
    let is_initial =
        word.chars().count() == 1 && word != "I" && word.starts_with(char::is_uppercase);
    if text[end..].starts_with('.') && (is_initial || ABBREVIATIONS.contains(&word)) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_keep_what_belongs_to_them() {
        assert_eq!(
            cut("Dr. al-Tayeb, J. Penrose's aunt, doesn't pay 1,100."),
            [
                "Dr.", "al-Tayeb", ",", "J.", "Penrose", "'s", "aunt", ",", "doesn't", "pay",
                "1,100", "."
            ]
        );
        assert_eq!(
            cut("the brewers' dell'Umbria"),
            ["the", "brewers", "'", "dell'Umbria"]
        );
        assert_eq!(
            cut("as do I. \"Yes!\""),
            ["as", "do", "I", ".", "\"", "Yes", "!", "\""]
        );
    }

    #[test]
    fn tokens_know_where_they_stand() {
        for token in tokens("Café Sperl, a\n small brown.") {
            assert_eq!(
                &"Café Sperl, a\n small brown."[token.start..token.end()],
                token.text
            );
        }
    }

    #[test]
    fn sentences_begin_after_stops_and_in_quotes_but_not_after_abbreviations() {
        let starts: Vec<String> = tokens("Ask Dr. Osei. Why? He said, \"Come at two.\"")
            .into_iter()
            .filter(|token| token.starts_sentence)
            .map(|token| token.text)
            .collect();
        assert_eq!(starts, ["Ask", "Why", "He", "Come"]);
    }
}
