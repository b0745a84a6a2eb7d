//! Metadata of Inspect's samples: what may group or stratify the items.

use crate::json::Value;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashSet},
};

/// Longest text, in bytes, that is taken for the name of a group. Longer ones are contents.
const LONGEST: usize = 200;

/// Returns the keys whose values are texts, numbers or truth values, fewer different ones than there
/// are items. `samples` are the names of the items and the metadata of each.
pub(crate) fn keys<'s>(
    samples: impl Iterator<Item = (String, Option<&'s Value<'s>>)>,
) -> Vec<&'s str> {
    let (mut items, mut values) = (HashSet::new(), BTreeMap::new());
    let mut unfit = BTreeSet::new();
    for (item, metadata) in samples {
        items.insert(item);
        for (key, value) in members(metadata) {
            let different: &mut HashSet<String> = values.entry(key.as_ref()).or_default();
            match cell(value) {
                Some(text) => {
                    different.insert(text);
                }
                None => {
                    unfit.insert(key.as_ref());
                }
            }
        }
    }
    let is_name = |key: &str| !key.is_empty() && key.trim() == key && is_short(key);
    let fit = values.into_iter().filter(|(key, different)| {
        let few = !different.is_empty() && different.len() < items.len();
        few && is_name(key) && !unfit.contains(key)
    });
    fit.map(|(key, _)| key).collect()
}

/// Returns the text that a sample's metadata has under a key. Empty if there is none.
pub(crate) fn text(metadata: Option<&Value<'_>>, key: &str) -> String {
    let found = members(metadata).iter().find(|(name, _)| name == key);
    found.and_then(|(_, value)| cell(value)).unwrap_or_default()
}

fn members<'s, 'a>(metadata: Option<&'s Value<'a>>) -> &'s [(Cow<'a, str>, Value<'a>)] {
    match metadata {
        Some(Value::Object(members)) => members,
        _ => &[],
    }
}

/// Returns the text of a value; empty for null. `None` if the value cannot be the name of a group.
fn cell(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Object(_) | Value::List => None,
        value => Some(value.cell()).filter(|text| is_short(text)),
    }
}

fn is_short(text: &str) -> bool {
    text.len() <= LONGEST && !text.contains(char::is_control)
}
