//! Texts of the items of a pool, as a report shows them.

use super::{Content, Items};
use crate::ordinary;
use fiesta_report::analysis::pool::{ItemFacts, TEXT_KEYS, shortened_text};
use serde_json::Value;
use std::io::Read;

/// Number of bytes at the start of a file that a report reads.
const BEGINNING: u64 = 40_000;

impl Items {
    /// Returns the name and the group of each item. With `with_texts`, also its text for a page:
    /// the value of its first key among `question`, `prompt`, `input` and `text`, or else its JSON,
    /// or the start of its file. An item that can no longer be read has no text.
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

/// Returns the start of an item's own file as text.
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

/// Joins the contents of a list of chat messages.
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
