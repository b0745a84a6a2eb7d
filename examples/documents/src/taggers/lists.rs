//! Tagger that finds names in lists of well-known names.

use std::collections::HashSet;

use crate::{
    document::{Kind, Name},
    tokens::{Token, tokens},
};

/// Lists of names, in which lines that begin with `#` are comments.
const GIVEN_NAMES: &str = include_str!("../../lists/given-names.txt");
const PLACES: &str = include_str!("../../lists/places.txt");
const ORGANISATIONS: &str = include_str!("../../lists/organisations.txt");

/// Well-known names, each as its words with single spaces between them.
pub struct Lists {
    given_names: HashSet<String>,
    places: HashSet<String>,
    organisations: HashSet<String>,
    /// The number of words of the longest name.
    longest: usize,
}

impl Lists {
    pub fn load() -> Self {
        let places = entries(PLACES);
        let organisations = entries(ORGANISATIONS);
        let words = |name: &String| name.split(' ').count();
        let longest = places.iter().chain(&organisations).map(words).max();
        Self {
            given_names: lines(GIVEN_NAMES)
                .flat_map(str::split_whitespace)
                .map(str::to_owned)
                .collect(),
            places,
            organisations,
            longest: longest.unwrap_or(0),
        }
    }

    pub fn is_given_name(&self, word: &str) -> bool {
        self.given_names.contains(word)
    }

    /// Returns the longest listed name of a place or an organisation that begins at a token.
    pub fn match_at(&self, tokens: &[Token], at: usize) -> Option<Name> {
        let most = self.longest.min(tokens.len() - at);
        (1..=most).rev().find_map(|length| {
            let words = joined(&tokens[at..at + length]);
            let kind = if self.organisations.contains(&words) {
                Kind::Organisation
            } else if self.places.contains(&words) {
                Kind::Place
            } else {
                return None;
            };
            Some(Name {
                kind,
                tokens: at..at + length,
            })
        })
    }
}

fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.starts_with('#'))
}

/// Returns the names in a list, cut into tokens and joined as the names in a text are.
fn entries(list: &str) -> HashSet<String> {
    lines(list).map(|line| joined(&tokens(line))).collect()
}

fn joined(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words.join(" ")
}

/// Returns the listed names in a text, the longest match first. A given name includes the
/// capitalised words after it.
pub fn tag(tokens: &[Token]) -> Vec<Name> {
    let lists = Lists::load();
    let mut names = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let found = lists.match_at(tokens, at).or_else(|| {
            lists.is_given_name(&tokens[at].text).then(|| {
                let more = tokens[at + 1..]
                    .iter()
                    .take_while(|token| token.is_capitalised());
                Name {
                    kind: Kind::Person,
                    tokens: at..at + 1 + more.count(),
                }
            })
        });
        at = found.as_ref().map_or(at + 1, |name| name.tokens.end);
        names.extend(found);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn what_is_listed_is_found_the_longest_first() {
        let text = "Ada met Tom Unheardof of Marks & Spencer in New York, near Nowhere.";
        assert_eq!(
            found("gazetteer", text),
            [
                "[[PER Tom Unheardof]]",
                "[[ORG Marks & Spencer]]",
                "[[LOC New York]]"
            ]
        );
    }

    #[test]
    fn names_with_apostrophes_are_cut_like_texts() {
        assert_eq!(
            found("gazetteer", "at McDonald's."),
            ["[[ORG McDonald 's]]"]
        );
    }
}
