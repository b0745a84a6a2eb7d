//! Tagger that finds names by their capital letters alone.

use std::ops::Range;

use crate::{
    document::{Kind, Name},
    tokens::Token,
};

/// Capitalised words that are no names.
const NEVER_NAMES: [&str; 20] = [
    "I",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Christmas",
];

/// Returns names to which every capitalised word belongs.
pub fn tag_all(tokens: &[Token]) -> Vec<Name> {
    names(runs(tokens, Token::is_capitalised))
}

/// Returns names to which every capitalised word belongs, unless it begins a sentence or is a word
/// of the calendar.
pub fn tag_inside(tokens: &[Token]) -> Vec<Name> {
    names(runs(tokens, |token| {
        token.is_capitalised() && !token.starts_sentence && !is_never_name(&token.text)
    }))
}

/// Returns whether a word is capitalised in English although it is no name.
pub fn is_never_name(word: &str) -> bool {
    // I'd, I'll, I've
    NEVER_NAMES.contains(&word) || word.starts_with("I'")
}

/// Returns the longest ranges of neighbouring tokens that satisfy a condition.
pub fn runs(tokens: &[Token], condition: impl Fn(&Token) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !condition(token) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn names(runs: Vec<Range<usize>>) -> Vec<Name> {
    runs.into_iter()
        .map(|tokens| Name {
            kind: kind_by_length(tokens.len()),
            tokens,
        })
        .collect()
}

/// Returns the kind that names of `words` words most often have in the training texts.
fn kind_by_length(words: usize) -> Kind {
    match words {
        1 => Kind::Place,
        2 => Kind::Person,
        _ => Kind::Organisation,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{tests::found, training};
    use super::*;

    #[test]
    fn stretches_of_capitals_are_names() {
        let text = "Yesterday Ada Lovelace left London on a Friday.";
        assert_eq!(
            found("capitals", text),
            [
                "[[ORG Yesterday Ada Lovelace]]",
                "[[LOC London]]",
                "[[LOC Friday]]"
            ]
        );
        assert_eq!(
            found("capitals-inside", text),
            ["[[PER Ada Lovelace]]", "[[LOC London]]"]
        );
    }

    #[test]
    fn the_kind_is_the_commonest_of_that_length() {
        let documents = training::documents();
        let names = || documents.iter().flat_map(|document| &document.names);
        for words in 1..=3 {
            let count = |kind| {
                names()
                    .filter(|name| name.kind == kind && name.tokens.len() == words)
                    .count()
            };
            let commonest = Kind::ALL.into_iter().max_by_key(|&kind| count(kind));
            assert_eq!(commonest, Some(kind_by_length(words)), "{words} words");
        }
    }
}
