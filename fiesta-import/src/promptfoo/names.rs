//! Names of the arms and the items of promptfoo's results.

use super::Answered;
use crate::{
    json::Value,
    pool::{FILE, Parts, stem},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Returns the index of the arm for each of promptfoo's numbers of prompts, and the properties that
/// tell the arms apart.
pub(super) fn arms(results: &[Answered<'_>], file: &str) -> (HashMap<u64, usize>, Vec<Parts>) {
    let columns: BTreeMap<u64, &Answered<'_>> = results
        .iter()
        .rev()
        .map(|result| (result.prompt_idx, result))
        .collect();
    let mut prompts: Vec<String> = Vec::new();
    let mut arms = Vec::with_capacity(columns.len());
    for (&column, result) in &columns {
        let provider = said(Some(&result.provider), &["label", "id"]).unwrap_or_default();
        let prompt = said(result.prompt.as_ref(), &["label", "raw"]).unwrap_or_default();
        let number = prompts.iter().position(|known| *known == prompt);
        let number = number.unwrap_or_else(|| {
            prompts.push(prompt.clone());
            prompts.len() - 1
        });
        arms.push(vec![
            ("provider", provider),
            ("prompt", short(prompt, number + 1)),
            ("column", (column + 1).to_string()),
            (FILE, stem(file)),
        ]);
    }
    (columns.into_keys().zip(0..).collect(), arms)
}

/// Returns the first of these members of an object as text, or the value itself if it is a text.
fn said(value: Option<&Value<'_>>, keys: &[&str]) -> Option<String> {
    match value? {
        Value::Object(members) => keys.iter().find_map(|key| {
            let member = members.iter().find(|(name, _)| name == key);
            member
                .and_then(|(_, value)| value.name())
                .filter(|text| !text.is_empty())
        }),
        value => value.name(),
    }
}

/// Returns the label of a prompt, or its number if the label is long: promptfoo then took the
/// prompt's text.
fn short(label: String, number: usize) -> String {
    const LONGEST: usize = 60;
    if label.chars().count() > LONGEST || label.chars().any(char::is_control) {
        format!("prompt-{number}")
    } else {
        label
    }
}

/// Returns the item and the seed of each result.
pub(super) fn items(results: &[Answered<'_>], repeated: bool) -> Vec<(String, Option<u64>)> {
    // Every repeat has a number of its own, so that the same test is known by what it holds.
    let mut first: HashMap<(Option<&str>, String), u64> = HashMap::new();
    let mut order: Vec<&Answered<'_>> = results.iter().collect();
    order.sort_by_key(|result| result.test_idx);
    let held = |result: &'_ Answered<'_>| {
        let vars = result.test_case.vars.as_ref();
        vars.map(ToString::to_string).unwrap_or_default()
    };
    let mut tests: HashMap<u64, u64> = HashMap::new();
    let mut repeats: HashMap<u64, Vec<u64>> = HashMap::new();
    for result in order {
        let own = result.test_idx;
        let test = if repeated {
            let key = (result.test_case.description.as_deref(), held(result));
            *first.entry(key).or_insert(own)
        } else {
            own
        };
        if tests.insert(own, test).is_none() {
            repeats.entry(test).or_default().push(own);
        }
    }
    // Descriptions of several tests need their numbers.
    let mut owners: HashMap<&str, BTreeSet<u64>> = HashMap::new();
    for result in results {
        if let Some(description) = described(result) {
            owners
                .entry(description)
                .or_default()
                .insert(tests[&result.test_idx]);
        }
    }
    let mut numbers: Vec<u64> = repeats.keys().copied().collect();
    numbers.sort_unstable();
    let item = |result: &Answered<'_>| {
        let test = tests[&result.test_idx];
        let number = numbers.binary_search(&test).unwrap_or_default();
        let name = match described(result) {
            Some(description) if owners[description].len() == 1 => description.to_owned(),
            Some(description) => format!("{description} #{number}"),
            None => number.to_string(),
        };
        let of_test = &repeats[&test];
        let seed = of_test.iter().position(|&own| own == result.test_idx);
        (name, seed.filter(|_| repeated).map(|seed| seed as u64))
    };
    results.iter().map(item).collect()
}

fn described<'a>(result: &'a Answered<'_>) -> Option<&'a str> {
    let description = result.test_case.description.as_deref()?.trim();
    (!description.is_empty()).then_some(description)
}
