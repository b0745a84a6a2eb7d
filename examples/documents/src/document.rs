//! Texts whose names are marked: `[[PER Ada Lovelace]] lived in [[LOC London]].`

use std::{fmt, ops::Range};

use crate::tokens::{Token, tokens};

const OPEN: &str = "[[";
const CLOSE: &str = "]]";

/// Kind of a name: a person's, a place's or an organisation's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The name of a human being.
    Person,
    /// The name of a place where one can go: a town, country, river, street or building.
    Place,
    /// The name of a firm, club, authority, school or paper.
    Organisation,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Person, Self::Place, Self::Organisation];

    /// Returns the three letters for the kind in marks and in results.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Person => "PER",
            Self::Place => "LOC",
            Self::Organisation => "ORG",
        }
    }

    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// A name in a text: its kind and its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub kind: Kind,
    pub tokens: Range<usize>,
}

impl Name {
    /// Returns the name with its mark, as in `[[PER Ada Lovelace]]`.
    pub fn display(&self, tokens: &[Token]) -> String {
        let words: Vec<&str> = tokens[self.tokens.clone()]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        format!("{OPEN}{} {}{CLOSE}", self.kind.code(), words.join(" "))
    }
}

/// A text without its marks, and the names that were marked, in order.
#[derive(Clone, Debug)]
pub struct Document {
    pub tokens: Vec<Token>,
    pub names: Vec<Name>,
}

/// Error about a mark that cannot be read, with the text at its place.
#[derive(Debug, PartialEq, Eq)]
pub enum MarkError {
    NeverClosed(String),
    NeverOpened(String),
    UnknownKind(String),
    WithoutName(String),
    /// The mark begins or ends inside a word.
    InsideWord(String),
}

impl fmt::Display for MarkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverClosed(at) => write!(f, "a mark is not closed by {CLOSE}: {at:?}"),
            Self::NeverOpened(at) => write!(f, "{CLOSE} closes no mark: {at:?}"),
            Self::UnknownKind(at) => {
                let known = Kind::ALL.map(Kind::code).join(", ");
                write!(f, "a mark begins with one of {known}: {at:?}")
            }
            Self::WithoutName(at) => write!(f, "a mark holds no name: {at:?}"),
            Self::InsideWord(at) => write!(f, "a mark begins or ends inside a word: {at:?}"),
        }
    }
}

impl std::error::Error for MarkError {}

impl Document {
    /// Takes the marks out of a text.
    ///
    /// # Errors
    /// [`MarkError`] if a mark is not closed, holds no name, or begins or ends inside a word.
    pub fn parse(marked: &str) -> Result<Self, MarkError> {
        let mut text = String::with_capacity(marked.len());
        let mut spans: Vec<(Kind, Range<usize>)> = Vec::new();
        let mut rest = marked;
        while let Some((before, after)) = rest.split_once(OPEN) {
            push_unmarked(&mut text, before)?;
            let (mark, remainder) = after
                .split_once(CLOSE)
                .filter(|(mark, _)| !mark.contains(OPEN))
                .ok_or_else(|| MarkError::NeverClosed(beginning(after)))?;
            let (code, name) = mark.split_once(char::is_whitespace).unwrap_or((mark, ""));
            let kind =
                Kind::from_code(code).ok_or_else(|| MarkError::UnknownKind(mark.to_owned()))?;
            let name = name.trim();
            if name.is_empty() {
                return Err(MarkError::WithoutName(mark.to_owned()));
            }
            let start = text.len();
            text.push_str(name);
            spans.push((kind, start..text.len()));
            rest = remainder;
        }
        push_unmarked(&mut text, rest)?;

        let tokens = tokens(&text);
        let names = spans
            .into_iter()
            .map(|(kind, span)| {
                let first = tokens.iter().position(|token| token.start == span.start);
                let last = tokens.iter().position(|token| token.end() == span.end);
                match (first, last) {
                    (Some(first), Some(last)) => Ok(Name {
                        kind,
                        tokens: first..last + 1,
                    }),
                    _ => Err(MarkError::InsideWord(text[span].to_owned())),
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { tokens, names })
    }
}

fn push_unmarked(text: &mut String, part: &str) -> Result<(), MarkError> {
    if let Some((_, after)) = part.split_once(CLOSE) {
        return Err(MarkError::NeverOpened(beginning(after)));
    }
    text.push_str(part);
    Ok(())
}

/// Returns the first 30 characters of a text, to show a place in messages.
fn beginning(text: &str) -> String {
    text.chars().take(30).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn displayed(marked: &str) -> Vec<String> {
        let document = Document::parse(marked).unwrap();
        let display = |name: &Name| name.display(&document.tokens);
        document.names.iter().map(display).collect()
    }

    #[test]
    fn marks_are_taken_out_and_remembered() {
        let document = Document::parse("[[PER Ada Lovelace]]'s house in [[LOC London]].").unwrap();

        let words: Vec<&str> = document.tokens.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(
            words,
            ["Ada", "Lovelace", "'s", "house", "in", "London", "."]
        );
        assert_eq!(document.names.len(), 2);
        assert_eq!(
            (document.names[0].kind, document.names[0].tokens.clone()),
            (Kind::Person, 0..2)
        );
        assert_eq!(
            (document.names[1].kind, document.names[1].tokens.clone()),
            (Kind::Place, 5..6)
        );
    }

    #[test]
    fn a_mark_may_run_over_the_end_of_a_line() {
        assert_eq!(
            displayed("She joined the [[ORG\nRoyal\nSociety]]."),
            ["[[ORG Royal Society]]"]
        );
    }

    #[test]
    fn a_text_without_marks_has_no_names() {
        assert!(displayed("Nothing to [see] here.").is_empty());
    }

    #[test]
    fn broken_marks_are_refused() {
        let error = |marked| Document::parse(marked).unwrap_err();

        assert_eq!(
            error("in [[LOC Rome."),
            MarkError::NeverClosed("LOC Rome.".into())
        );
        assert_eq!(
            error("in [[LOC Rome and [[LOC Bari]]."),
            MarkError::NeverClosed("LOC Rome and [[LOC Bari]].".into())
        );
        assert_eq!(
            error("in Rome]] again"),
            MarkError::NeverOpened(" again".into())
        );
        assert_eq!(
            error("in [[CITY Rome]]"),
            MarkError::UnknownKind("CITY Rome".into())
        );
        assert_eq!(error("in [[LOC ]]"), MarkError::WithoutName("LOC ".into()));
        assert_eq!(
            error("[[LOC Rome]]ward"),
            MarkError::InsideWord("Rome".into())
        );
        assert_eq!(
            error("un[[LOC Rome]]"),
            MarkError::InsideWord("Rome".into())
        );
    }

    #[test]
    fn every_document_of_the_study_can_be_read() {
        let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("texts");
        let mut documents = 0;
        for entry in fs::read_dir(texts).unwrap() {
            let path = entry.unwrap().path();
            let marked = fs::read_to_string(&path).unwrap();
            if let Err(error) = Document::parse(&marked) {
                panic!("{}: {error}", path.display());
            }
            documents += 1;
        }
        assert_eq!(documents, 150);
    }
}
