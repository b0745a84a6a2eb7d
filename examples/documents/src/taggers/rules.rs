//! Tagger that finds names by capital letters, and their kinds by the words in and around them.

use std::ops::Range;

use super::{capitals, lists::Lists, training};
use crate::{
    document::{Kind, Name},
    tokens::Token,
};

/// Words before a person's name that are no part of the name.
const TITLES: [&str; 24] = [
    "Mr",
    "Mr.",
    "Mrs",
    "Mrs.",
    "Ms",
    "Ms.",
    "Miss",
    "Dr",
    "Dr.",
    "Professor",
    "Sir",
    "Dame",
    "Lady",
    "Lord",
    "Father",
    "Mother",
    "Sister",
    "Aunt",
    "Uncle",
    "Captain",
    "General",
    "Mayor",
    "Councillor",
    "Nurse",
];

/// Words that occur only in names of organisations.
const OF_ORGANISATIONS: [&str; 36] = [
    "Academy",
    "Agency",
    "Association",
    "Bank",
    "Board",
    "Books",
    "Brewery",
    "Club",
    "College",
    "Committee",
    "Company",
    "Council",
    "Department",
    "FC",
    "Foundation",
    "Fund",
    "GmbH",
    "Group",
    "Hospital",
    "Inc",
    "Institute",
    "Labs",
    "Ltd",
    "Ministry",
    "Museum",
    "Office",
    "Party",
    "Press",
    "Radio",
    "School",
    "Service",
    "Society",
    "Theatre",
    "Trust",
    "Union",
    "University",
];

/// Words that occur only in names of places.
const OF_PLACES: [&str; 28] = [
    "Avenue", "Bay", "Bridge", "Café", "Castle", "Church", "Close", "Hill", "Hotel", "Inn",
    "Island", "Islands", "Lake", "Lane", "Market", "Mount", "Park", "Pass", "Point", "Port",
    "River", "Road", "Saint", "Square", "St", "St.", "Station", "Street",
];

/// Small words that often precede the name of a place.
const BEFORE_PLACES: [&str; 13] = [
    "in", "at", "from", "to", "near", "off", "for", "between", "above", "over", "through", "of",
    "towards",
];

/// Small words that often precede the name of a person.
const BEFORE_PERSONS: [&str; 6] = ["by", "with", "dear", "and", "when", "ask"];

/// Words before a name that make an organisation more likely than a place.
const BEFORE_ORGANISATIONS: [&str; 8] = [
    "company", "firm", "called", "joined", "founded", "founder", "club", "society",
];

/// Verbs for what people do. A name before one is a person's.
const DEEDS: [&str; 24] = [
    "asked",
    "asks",
    "came",
    "can",
    "explained",
    "gave",
    "had",
    "has",
    "is",
    "knows",
    "laughed",
    "led",
    "leads",
    "made",
    "promised",
    "reported",
    "said",
    "says",
    "told",
    "took",
    "was",
    "will",
    "who",
    "won",
];

/// Endings of adjectives made from the names of countries and cities.
const OF_NATIONS: [&str; 4] = ["ish", "ese", "ian", "ench"];

/// Finds names by capitals and tells their kinds by rules; where lists know better, they decide.
pub fn tag(tokens: &[Token], lists: Option<&Lists>) -> Vec<Name> {
    let small_words = training::small_words(&training::documents());
    let is_part = |token: &Token| {
        let word = token.text.as_str();
        // At the start of a sentence any word is capitalised.
        let is_common = token.starts_sentence && small_words.contains(&word.to_lowercase());
        token.is_capitalised() && !is_common && !capitals::is_never_name(word)
    };
    let stretches = join(tokens, capitals::runs(tokens, is_part));
    stretches
        .into_iter()
        .filter_map(|stretch| name(tokens, stretch, lists))
        .collect()
}

/// Joins ranges of words that form one name: `University of Liverpool`, `Kramer & Voss`, `Joost van Dam`.
fn join(tokens: &[Token], runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for run in runs {
        if let Some(before) = joined.last_mut()
            && before.end + 1 == run.start
            && joins(&tokens[before.clone()], &tokens[before.end])
        {
            before.end = run.end;
        } else {
            joined.push(run);
        }
    }
    joined
}

fn joins(before: &[Token], between: &Token) -> bool {
    match between.text.as_str() {
        "&" | "van" | "von" | "de" | "al" => true,
        "of" => before.iter().any(|token| is_of_organisations(&token.text)),
        _ => false,
    }
}

/// Returns the name in a range of capitalised words. `None` if it contains no name.
fn name(tokens: &[Token], mut stretch: Range<usize>, lists: Option<&Lists>) -> Option<Name> {
    let mut is_titled = false;
    while !stretch.is_empty() && TITLES.contains(&tokens[stretch.start].text.as_str()) {
        is_titled = true;
        stretch.start += 1;
    }
    if stretch.is_empty() {
        return None;
    }
    let kind = if is_titled {
        Kind::Person
    } else {
        listed_kind(tokens, &stretch, lists)
            .or_else(|| kind_inside(&tokens[stretch.clone()]))
            .or_else(|| kind_around(tokens, &stretch))?
    };
    Some(Name {
        kind,
        tokens: stretch,
    })
}

/// Returns the kind that the lists give a name: that of all its words, or a person if the first is
/// a given name.
fn listed_kind(tokens: &[Token], stretch: &Range<usize>, lists: Option<&Lists>) -> Option<Kind> {
    let lists = lists?;
    match lists.match_at(tokens, stretch.start) {
        Some(name) if name.tokens == *stretch => Some(name.kind),
        _ => lists
            .is_given_name(&tokens[stretch.start].text)
            .then_some(Kind::Person),
    }
}

/// Returns the kind of a name by the words in it. `None` if they do not tell.
fn kind_inside(words: &[Token]) -> Option<Kind> {
    let any = |condition: fn(&str) -> bool| words.iter().any(|token| condition(&token.text));
    if any(is_of_organisations) {
        return Some(Kind::Organisation);
    }
    if any(|word| OF_PLACES.contains(&word)) {
        return Some(Kind::Place);
    }
    if any(|word| word == "&") {
        return Some(Kind::Organisation);
    }
    let is_acronym = |word: &str| word.len() >= 2 && word.chars().all(char::is_uppercase);
    match words {
        [word] if is_acronym(&word.text) => Some(Kind::Organisation),
        [first, ..] if is_initial(&first.text) => Some(Kind::Person),
        [] | [_] | [_, _] => None,
        _ => Some(Kind::Organisation),
    }
}

/// Returns the kind of a name by the words around it, or by its length. `None` if it is no name.
fn kind_around(tokens: &[Token], stretch: &Range<usize>) -> Option<Kind> {
    let words = &tokens[stretch.clone()];
    let before = stretch
        .start
        .checked_sub(1)
        .map(|at| tokens[at].text.to_lowercase());
    let before = before.as_deref().unwrap_or("");
    let after = tokens
        .get(stretch.end)
        .map_or("", |token| token.text.as_str());

    if words.len() == 1 && words[0].starts_sentence && !is_subject_before(after) {
        return None;
    }
    if words.len() == 1 && is_of_nation(&words[0].text) && after.starts_with(char::is_lowercase) {
        return None;
    }
    if BEFORE_ORGANISATIONS.contains(&before) {
        return Some(Kind::Organisation);
    }
    if BEFORE_PERSONS.contains(&before) || DEEDS.contains(&after) || after == "'s" {
        return Some(Kind::Person);
    }
    if BEFORE_PLACES.contains(&before) {
        return Some(Kind::Place);
    }
    if before == "the" {
        return Some(if words.len() == 1 {
            Kind::Place
        } else {
            Kind::Organisation
        });
    }
    Some(Kind::Person)
}

/// Returns whether a single word at the start of a sentence can be a name, by the word after it.
/// Most such words are no names.
fn is_subject_before(after: &str) -> bool {
    DEEDS.contains(&after) || matches!(after, "'s" | "," | "and")
}

fn is_of_organisations(word: &str) -> bool {
    OF_ORGANISATIONS.contains(&word)
}

fn is_of_nation(word: &str) -> bool {
    OF_NATIONS.iter().any(|ending| word.ends_with(ending))
}

fn is_initial(word: &str) -> bool {
    word.len() > 1 && word.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn words_in_and_around_a_name_tell_its_kind() {
        assert_eq!(
            found(
                "rules",
                "The firm asked Dr. Quill of the University of Nowhere in Zubrow. Zanna said no."
            ),
            [
                "[[PER Quill]]",
                "[[ORG University of Nowhere]]",
                "[[LOC Zubrow]]",
                "[[PER Zanna]]"
            ]
        );
    }

    #[test]
    fn common_words_at_the_start_of_a_sentence_and_nationalities_are_no_names() {
        assert!(
            found(
                "rules",
                "The day was long. She met Spanish sailors on Monday."
            )
            .is_empty()
        );
    }

    #[test]
    fn lists_know_better() {
        let text = "He went with London in mind, to Margaret.";
        assert_eq!(found("rules", text), ["[[PER London]]", "[[LOC Margaret]]"]);
        assert_eq!(
            found("rules-and-lists", text),
            ["[[LOC London]]", "[[PER Margaret]]"]
        );
    }
}
