//! Marked training texts for the taggers. None of them is in the study.

use std::collections::HashSet;

use crate::document::Document;

/// Text of the training documents, a paragraph for each.
const TEXT: &str = include_str!("../../training.txt");

/// Returns every training document.
pub fn documents() -> Vec<Document> {
    TEXT.split("\n\n")
        .map(|paragraph| Document::parse(paragraph).expect("the training texts are well marked"))
        .collect()
}

/// Returns the words that occur in small letters. A capital letter at the start of a sentence tells
/// nothing about such a word.
pub fn small_words(documents: &[Document]) -> HashSet<String> {
    documents
        .iter()
        .flat_map(|document| &document.tokens)
        .filter(|token| token.text.starts_with(char::is_lowercase))
        .map(|token| token.text.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_fifty_documents_with_names_of_all_kinds() {
        let documents = documents();
        assert_eq!(documents.len(), 50);
        for kind in crate::document::Kind::ALL {
            let names = documents.iter().flat_map(|document| &document.names);
            assert!(
                names.filter(|name| name.kind == kind).count() >= 20,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn no_training_document_is_in_the_study() {
        let training: HashSet<&str> = TEXT.split("\n\n").map(str::trim).collect();
        let texts = concat!(env!("CARGO_MANIFEST_DIR"), "/texts");
        for entry in std::fs::read_dir(texts).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!training.contains(text.trim()), "{}", path.display());
        }
    }
}
