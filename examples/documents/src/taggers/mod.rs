//! Taggers, which find names in a text, and among which the study chooses.

mod capitals;
mod learnt;
mod lists;
mod memory;
mod perceptron;
mod rules;
mod training;

use crate::{document::Name, tokens::Token};

/// A tagger: its name, and its method of finding names.
#[derive(Debug)]
pub struct Tagger {
    pub name: &'static str,
    method: fn(&[Token]) -> Vec<Name>,
}

/// All taggers, the simplest first.
pub static TAGGERS: &[Tagger] = &[
    Tagger {
        name: "memory",
        method: memory::tag,
    },
    Tagger {
        name: "gazetteer",
        method: lists::tag,
    },
    Tagger {
        name: "capitals",
        method: capitals::tag_all,
    },
    Tagger {
        name: "capitals-inside",
        method: capitals::tag_inside,
    },
    Tagger {
        name: "rules",
        method: |tokens| rules::tag(tokens, None),
    },
    Tagger {
        name: "rules-and-lists",
        method: |tokens| rules::tag(tokens, Some(&lists::Lists::load())),
    },
    Tagger {
        name: "perceptron",
        method: |tokens| learnt::tag(tokens, None),
    },
    Tagger {
        name: "perceptron-and-lists",
        method: |tokens| learnt::tag(tokens, Some(&lists::Lists::load())),
    },
];

impl Tagger {
    /// Returns the tagger of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TAGGERS.iter().find(|tagger| tagger.name == name)
    }

    /// Returns the names in a text, in order; they never overlap.
    #[must_use]
    pub fn tag(&self, tokens: &[Token]) -> Vec<Name> {
        (self.method)(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    /// Returns the names that a tagger finds in a text.
    pub(super) fn found(tagger: &str, text: &str) -> Vec<String> {
        let document = Document::parse(text).unwrap();
        let names = Tagger::named(tagger).unwrap().tag(&document.tokens);
        names
            .iter()
            .map(|name| name.display(&document.tokens))
            .collect()
    }

    #[test]
    fn names_are_in_order_inside_the_text_and_do_not_overlap() {
        let documents = training::documents();
        for tagger in TAGGERS {
            // A learner for each document takes long in an unoptimised build.
            for document in documents.iter().step_by(7) {
                let mut end = 0;
                for name in tagger.tag(&document.tokens) {
                    assert!(
                        name.tokens.start >= end && !name.tokens.is_empty(),
                        "{}",
                        tagger.name
                    );
                    end = name.tokens.end;
                }
                assert!(end <= document.tokens.len(), "{}", tagger.name);
            }
        }
    }

    #[test]
    fn every_tagger_takes_an_empty_text() {
        for tagger in TAGGERS {
            assert_eq!(tagger.tag(&[]), [], "{}", tagger.name);
        }
    }
}
