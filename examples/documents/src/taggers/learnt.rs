//! A tagger that learns from the marked training texts, token by token.

use std::collections::HashSet;

use super::{lists::Lists, perceptron::Perceptron, training};
use crate::{
    document::{Document, Kind, Name},
    tokens::Token,
};

/// Number of passes over the training texts.
const PASSES: usize = 10;

/// Class of a token that belongs to no name. For each kind of name there are two further classes:
/// its beginning and its inside.
const OUTSIDE: usize = 0;
const CLASSES: usize = 1 + 2 * Kind::ALL.len();

fn beginning(kind: usize) -> usize {
    1 + 2 * kind
}

fn inside(kind: usize) -> usize {
    2 + 2 * kind
}

/// Returns whether a class can follow another one. The inside of a name follows only its own beginning or inside.
fn can_follow(class: usize, before: usize) -> bool {
    let is_inside = class != OUTSIDE && class.is_multiple_of(2);
    !is_inside || before == class || before == class - 1
}

/// Trains the tagger, and returns the names that it finds from left to right. With lists, their
/// entries are features.
pub fn tag(tokens: &[Token], lists: Option<&Lists>) -> Vec<Name> {
    let documents = training::documents();
    let small_words = training::small_words(&documents);
    let perceptron = train(&documents, &small_words, lists);
    let mut classes = Vec::with_capacity(tokens.len());
    let clues = clues(tokens, &small_words, lists);
    for at in 0..tokens.len() {
        let before = classes.last().copied().unwrap_or(OUTSIDE);
        let features = perceptron.known(&features(tokens, at, before, &clues));
        classes.push(perceptron.classify(&features, |class| can_follow(class, before)));
    }
    names(&classes)
}

fn train(
    documents: &[Document],
    small_words: &HashSet<String>,
    lists: Option<&Lists>,
) -> Perceptron {
    let mut perceptron = Perceptron::new(CLASSES);
    let mut examples = Vec::new();
    for document in documents {
        let truth = classes(document);
        let clues = clues(&document.tokens, small_words, lists);
        for at in 0..truth.len() {
            let before = at.checked_sub(1).map_or(OUTSIDE, |before| truth[before]);
            let features = features(&document.tokens, at, before, &clues);
            examples.push((perceptron.number(features), truth[at], before));
        }
    }
    for _ in 0..PASSES {
        for (features, truth, before) in &examples {
            let guess = perceptron.classify(features, |class| can_follow(class, *before));
            perceptron.learn(features, *truth, guess);
        }
    }
    perceptron.averaged()
}

/// Returns the true class of each token of a marked document.
fn classes(document: &Document) -> Vec<usize> {
    let mut classes = vec![OUTSIDE; document.tokens.len()];
    for name in &document.names {
        let kind = Kind::ALL.iter().position(|&kind| kind == name.kind);
        let kind = kind.expect("one of all kinds");
        classes[name.tokens.clone()].fill(inside(kind));
        classes[name.tokens.start] = beginning(kind);
    }
    classes
}

/// Returns the names that the classes of the tokens describe.
fn names(classes: &[usize]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for (at, &class) in classes.iter().enumerate() {
        if class == OUTSIDE {
            continue;
        }
        let kind = (class - 1) / 2;
        if class == beginning(kind) {
            names.push(Name {
                kind: Kind::ALL[kind],
                tokens: at..at + 1,
            });
        } else if let Some(name) = names.last_mut() {
            name.tokens.end = at + 1;
        }
    }
    names
}

/// Returns for each token the kind of the listed name to which it belongs, or which it begins.
/// `None` if no list names it.
fn listed(tokens: &[Token], lists: Option<&Lists>) -> Vec<Option<&'static str>> {
    let mut listed = vec![None; tokens.len()];
    let Some(lists) = lists else {
        return listed;
    };
    let mut at = 0;
    while at < tokens.len() {
        if let Some(name) = lists.match_at(tokens, at) {
            listed[name.tokens.clone()].fill(Some(name.kind.code()));
            at = name.tokens.end;
        } else {
            if lists.is_given_name(&tokens[at].text) {
                listed[at] = Some(Kind::Person.code());
            }
            at += 1;
        }
    }
    listed
}

/// Clues about a token other than its letters.
struct Clues {
    shape: &'static str,
    listed: Option<&'static str>,
    /// Whether the token's word is capitalised inside a sentence somewhere in the text.
    is_elsewhere: bool,
}

fn clues(tokens: &[Token], small_words: &HashSet<String>, lists: Option<&Lists>) -> Vec<Clues> {
    let inside_sentences: HashSet<&str> = tokens
        .iter()
        .filter(|token| token.is_capitalised() && !token.starts_sentence)
        .map(|token| token.text.as_str())
        .collect();
    let clues = |(token, listed): (&Token, _)| Clues {
        shape: shape(token, small_words),
        listed,
        is_elsewhere: inside_sentences.contains(token.text.as_str()),
    };
    let listed = listed(tokens, lists);
    tokens.iter().zip(listed).map(clues).collect()
}

/// Returns the features of a token: its letters, its neighbours, the class of the token before.
fn features(tokens: &[Token], at: usize, before: usize, clues: &[Clues]) -> Vec<String> {
    let place = |distance: isize| at.checked_add_signed(distance);
    let neighbour = |distance| {
        let token = place(distance).and_then(|at| tokens.get(at));
        token.map_or("-", |token| token.text.as_str())
    };
    let shape_of = |distance| {
        let clues = place(distance).and_then(|at| clues.get(at));
        clues.map_or("-", |clues| clues.shape)
    };
    let word = tokens[at].text.to_lowercase();
    let (previous, next) = (neighbour(-1).to_lowercase(), neighbour(1).to_lowercase());
    let shape = shape_of(0);
    let shapes = format!("{} {shape} {}", shape_of(-1), shape_of(1));
    let mut features = vec![
        "any".to_owned(),
        format!("word {word}"),
        format!("shape {shape}"),
        format!("ending {}", ending(&word, 3)),
        format!("ending {}", ending(&word, 2)),
        format!("class before {before} and shape {shape}"),
        format!("class before {before} and shapes {shapes}"),
        format!("word before {previous} and shape {shape}"),
        format!("word after {next} and shape {shape}"),
        format!("two words before {} {previous}", neighbour(-2)),
        format!("second word before {} and shape {shape}", neighbour(-2)),
    ];
    if clues[at].is_elsewhere {
        features.push(format!("elsewhere and shape {shape}"));
    }
    if let Some(kind) = clues[at].listed {
        features.push(format!("listed {kind}"));
        features.push(format!("listed {kind} and class before {before}"));
    }
    if let Some(kind) = clues.get(at + 1).and_then(|clues| clues.listed) {
        features.push(format!("next listed {kind}"));
    }
    features
}

/// Returns the outward form of a token. For a token that begins a sentence, it tells whether the
/// word also occurs in small letters.
fn shape(token: &Token, small_words: &HashSet<String>) -> &'static str {
    let text = token.text.as_str();
    if !token.is_word() {
        "mark"
    } else if text.starts_with(|c: char| c.is_ascii_digit()) {
        "number"
    } else if !token.is_capitalised() {
        "small"
    } else if token.starts_sentence && small_words.contains(&text.to_lowercase()) {
        "first and common"
    } else if token.starts_sentence {
        "first"
    } else if text.ends_with('.') {
        "initial"
    } else if text.chars().count() > 1 && text.chars().all(char::is_uppercase) {
        "capitals"
    } else {
        "capital"
    }
}

/// Returns the last letters of a word.
fn ending(word: &str, letters: usize) -> &str {
    let start = word.char_indices().rev().nth(letters - 1);
    &word[start.map_or(0, |(at, _)| at)..]
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;
    use super::*;

    #[test]
    fn classes_of_tokens_and_names_are_the_same_thing() {
        for document in training::documents() {
            let classes = classes(&document);
            assert_eq!(names(&classes), document.names);
            let pairs = classes.windows(2);
            assert!(pairs.clone().all(|pair| can_follow(pair[1], pair[0])));
        }
        assert!(!can_follow(inside(1), OUTSIDE));
        assert!(!can_follow(inside(1), inside(0)));
    }

    #[test]
    fn what_was_learnt_carries_over_to_other_names() {
        assert_eq!(
            found("perceptron", "The old mill in Zubrow was sold."),
            ["[[LOC Zubrow]]"]
        );
    }

    #[test]
    fn most_of_the_training_texts_is_tagged_as_it_is_marked() {
        let (mut right, mut all) = (0, 0);
        for document in training::documents().iter().step_by(5) {
            let found = tag(&document.tokens, None);
            right += document
                .names
                .iter()
                .filter(|name| found.contains(name))
                .count();
            all += document.names.len();
        }
        assert!(10 * right >= 9 * all, "{right} of {all}");
    }
}
