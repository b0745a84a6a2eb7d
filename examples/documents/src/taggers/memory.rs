//! Tagger that finds names which were marked in the training texts.

use std::collections::HashMap;

use super::training;
use crate::{
    document::{Kind, Name},
    tokens::Token,
};

/// Returns the longest ranges of tokens that are names in the training texts, each with its last
/// kind there.
pub fn tag(tokens: &[Token]) -> Vec<Name> {
    let documents = training::documents();
    let mut known: HashMap<Vec<&str>, Kind> = HashMap::new();
    for document in &documents {
        for name in &document.names {
            known.insert(words(&document.tokens[name.tokens.clone()]), name.kind);
        }
    }
    let longest = known.keys().map(Vec::len).max().unwrap_or(0);

    let mut names = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut lengths = (1..=longest.min(tokens.len() - at)).rev();
        let found = lengths.find_map(|length| {
            let stretch = at..at + length;
            let kind = *known.get(&words(&tokens[stretch.clone()]))?;
            Some(Name {
                kind,
                tokens: stretch,
            })
        });
        at = found.as_ref().map_or(at + 1, |name| name.tokens.end);
        names.extend(found);
    }
    names
}

fn words(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn names_of_the_training_texts_are_found_and_no_others() {
        assert_eq!(
            found("memory", "Margaret Tully went from Naples to Nowhere."),
            ["[[PER Margaret Tully]]", "[[LOC Naples]]"]
        );
    }
}
