//! A tagger that learns from the marked training texts, token by token.

use super::{lists::Lists, perceptron::Perceptron, training};
use crate::{
    document::{Document, Kind, Name},
    tokens::Token,
};

/// How often the training texts are gone through.
const PASSES: usize = 10;

/// The class of a token that belongs to no name. The others are the beginning and the inside of a name for each kind.
const OUTSIDE: usize = 0;
const CLASSES: usize = 1 + 2 * Kind::ALL.len();

fn beginning(kind: usize) -> usize {
    1 + 2 * kind
}

fn inside(kind: usize) -> usize {
    2 + 2 * kind
}

/// Whether a class can follow another: the inside of a name only its beginning or inside.
fn can_follow(class: usize, before: usize) -> bool {
    let is_inside = class != OUTSIDE && class.is_multiple_of(2);
    !is_inside || before == class || before == class - 1
}

/// Learns, and finds names, from left to right; with lists, what they say is a feature among others.
pub fn tag(tokens: &[Token], lists: Option<&Lists>) -> Vec<Name> {
    let perceptron = train(lists);
    let mut classes = Vec::with_capacity(tokens.len());
    let listed = listed(tokens, lists);
    for at in 0..tokens.len() {
        let before = classes.last().copied().unwrap_or(OUTSIDE);
        let features = perceptron.known(&features(tokens, at, before, &listed));
        classes.push(perceptron.classify(&features, |class| can_follow(class, before)));
    }
    names(&classes)
}

fn train(lists: Option<&Lists>) -> Perceptron {
    let mut perceptron = Perceptron::new(CLASSES);
    let mut examples = Vec::new();
    for document in training::documents() {
        let truth = classes(&document);
        let listed = listed(&document.tokens, lists);
        for at in 0..truth.len() {
            let before = at.checked_sub(1).map_or(OUTSIDE, |before| truth[before]);
            let features = features(&document.tokens, at, before, &listed);
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

/// The true class of each token.
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

/// The names that classes of tokens mean.
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

/// What the lists say of each token: nothing, or the kind of the name to which it belongs or with which it begins.
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

/// What there is to know of a token: its letters, its neighbours, the class of the token before.
fn features(
    tokens: &[Token],
    at: usize,
    before: usize,
    listed: &[Option<&'static str>],
) -> Vec<String> {
    let neighbour = |distance: isize| {
        let token = at
            .checked_add_signed(distance)
            .and_then(|at| tokens.get(at));
        token.map_or("-", |token| token.text.as_str())
    };
    let shape_of = |distance: isize| {
        let token = at
            .checked_add_signed(distance)
            .and_then(|at| tokens.get(at));
        token.map_or("-", shape)
    };
    let token = &tokens[at];
    let word = token.text.to_lowercase();
    let shapes = format!("{} {} {}", shape_of(-1), shape(token), shape_of(1));
    let mut features = vec![
        "any".to_owned(),
        format!("word {word}"),
        format!("shape {}", shape(token)),
        format!("ending {}", ending(&word, 3)),
        format!("ending {}", ending(&word, 2)),
        format!("class before {before}"),
        format!("class before {before} and shape {}", shape(token)),
        format!("word before {}", neighbour(-1).to_lowercase()),
        format!("two words before {} {}", neighbour(-2), neighbour(-1)),
        format!("word after {}", neighbour(1).to_lowercase()),
        format!("two words after {} {}", neighbour(1), neighbour(2)),
        format!("shapes {shapes}"),
        format!("class before {before} and shapes {shapes}"),
        format!("word before {} and shape {}", neighbour(-1), shape(token)),
        format!("shape {} and word after {}", shape(token), neighbour(1)),
    ];
    if let Some(kind) = listed[at] {
        features.push(format!("listed {kind}"));
        features.push(format!("listed {kind} and class before {before}"));
    }
    if let Some(Some(kind)) = listed.get(at + 1) {
        features.push(format!("next listed {kind}"));
    }
    features
}

/// The outward form of a token.
fn shape(token: &Token) -> &'static str {
    let text = token.text.as_str();
    if !token.is_word() {
        "mark"
    } else if text.starts_with(|c: char| c.is_ascii_digit()) {
        "number"
    } else if !token.is_capitalised() {
        "small"
    } else if token.starts_sentence {
        "first"
    } else if text.ends_with('.') {
        "initial"
    } else if text.chars().count() > 1 && text.chars().all(char::is_uppercase) {
        "capitals"
    } else {
        "Capital"
    }
}

/// The last letters of a word.
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
