//! Texts of the items of a pool, as a report shows them.

use super::{Content, Items};
use crate::ordinary;
use fiesta_report::analysis::pool::{ItemFacts, TEXT_KEYS, shortened_text};
use serde_json::Value;
use std::io::Read;

/// Bytes of a file that a report reads for its text.
const BEGINNING: u64 = 40_000;

impl Items {
    /// The name and the group of each item, and with texts what a page shows of it: the value of the
    /// first of the keys `question`, `prompt`, `input` and `text` that it has, or else its JSON; of
    /// a file its beginning. What cannot be read any more has no text.
    pub fn facts(&self, with_texts: bool) -> Vec<ItemFacts> {
        let contents = if with_texts {
            self.contents().ok()
        } else {
            None
        };
        let text = |place: usize| match contents.as_ref()?.get(place)? {
            Some(value) => Some(shortened_text(&text_of(value))),
            None => beginning(&self.all[place].content),
        };
        let facts = self.all.iter().enumerate().map(|(place, item)| ItemFacts {
            id: item.id.clone(),
            text: text(place),
            group: self.group(place as u64).map(str::to_owned),
        });
        facts.collect()
    }
}

/// The beginning of an item's own file, as a text.
fn beginning(content: &Content) -> Option<String> {
    let Content::File(path, _) = content else {
        return None;
    };
    let mut bytes = Vec::new();
    ordinary::open(path)
        .ok()?
        .take(BEGINNING)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(shortened_text(&String::from_utf8_lossy(&bytes)))
}

/// Returns the question of an item, from its JSON.
fn text_of(item: &Value) -> String {
    let found = TEXT_KEYS
        .iter()
        .find_map(|key| item.get(key).filter(|value| !value.is_null()));
    match found.unwrap_or(item) {
        Value::String(text) => text.clone(),
        value => messages(value).unwrap_or_else(|| value.to_string()),
    }
}

/// The contents of a list of chat messages, one after another.
fn messages(value: &Value) -> Option<String> {
    let contents = value
        .as_array()?
        .iter()
        .map(|message| message.get("content")?.as_str());
    let contents: Option<Vec<&str>> = contents.collect();
    contents
        .filter(|contents| !contents.is_empty())
        .map(|contents| contents.join("\n"))
}
