//! Groups of the items of a pool: the user's strata, by the values of one key.

use super::{Content, Items, ItemsError};
use crate::ordinary;
use fiesta_records::{check_groups, excerpt};
use serde_json::Value;
use std::collections::BTreeSet;

/// Number of items that an error message names.
const LISTED: usize = 5;

/// The groups of all items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Groups {
    pub(super) key: String,
    /// Group of each item, in the items' order.
    pub(super) of: Vec<String>,
}

impl Items {
    /// Groups the items by the value of this key, which every item must have: a text, a number,
    /// true or false.
    pub(in crate::study) fn in_groups(mut self, key: &str) -> Result<Self, ItemsError> {
        let noun = self.key.noun();
        let mut of = Vec::with_capacity(self.len());
        let mut lacking = Vec::new();
        let contents = self.contents()?;
        for (item, content) in self.all.iter().zip(contents) {
            let Some(content) = content else {
                return Err(ItemsError::Unusable(format!(
                    "strata = \"{key}\": {noun}s that are files of their own have no keys: list them in a file of JSON lines or a table, or leave strata out"
                )));
            };
            let id = &item.id;
            match content.get(key) {
                None | Some(Value::Null) => lacking.push(id.as_str()),
                Some(Value::String(text)) if text.trim().is_empty() => lacking.push(id.as_str()),
                Some(Value::String(text)) => of.push(text.trim().to_owned()),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => of.push(value.to_string()),
                Some(Value::Array(_) | Value::Object(_)) => {
                    return Err(ItemsError::Unusable(format!(
                        "strata = \"{key}\": the {noun} `{}` has a list or an object there: groups are texts, numbers, true or false",
                        excerpt(id)
                    )));
                }
            }
        }
        if !lacking.is_empty() {
            let named: Vec<String> = lacking
                .iter()
                .take(LISTED)
                .map(|id| format!("`{}`", excerpt(id)))
                .collect();
            let more = match lacking.len() - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Err(ItemsError::Unusable(format!(
                "strata = \"{key}\": {} of {} {noun}s have no such key, or nothing there ({}{more}): give every one a value, or leave strata out",
                lacking.len(),
                self.len(),
                named.join(", ")
            )));
        }
        check_groups(of.iter().map(String::as_str), key)
            .map_err(|problem| ItemsError::Unusable(format!("strata = \"{key}\": {problem}")))?;
        self.groups = Some(Groups {
            key: key.to_owned(),
            of,
        });
        Ok(self)
    }

    /// The key of the groups, if there are any.
    pub fn strata(&self) -> Option<&str> {
        Some(&self.groups.as_ref()?.key)
    }

    /// Returns the names of all groups, sorted. Empty if the items have no groups.
    pub fn group_names(&self) -> BTreeSet<&str> {
        let groups = self.groups.iter().flat_map(|groups| &groups.of);
        groups.map(String::as_str).collect()
    }

    /// Returns the group of an item. `None` if the items have no groups.
    pub fn group(&self, number: u64) -> Option<&str> {
        let groups = self.groups.as_ref()?;
        groups
            .of
            .get(usize::try_from(number).ok()?)
            .map(String::as_str)
    }

    /// Returns, for each item, the index of its group from 0 among the sorted group names. Returns
    /// an empty list if the items have no groups.
    pub(in crate::study) fn group_numbers(&self) -> Vec<u64> {
        let names: Vec<&str> = self.group_names().into_iter().collect();
        let groups = self.groups.iter().flat_map(|groups| &groups.of);
        let number =
            |group: &String| names.binary_search(&group.as_str()).unwrap_or_default() as u64;
        groups.map(number).collect()
    }

    /// Returns the JSON of every item. `None` for an item that is a file.
    pub(super) fn contents(&self) -> Result<Vec<Option<Value>>, ItemsError> {
        let lines = self.lines()?.into_iter();
        let parsed = |line: Vec<u8>| serde_json::from_slice(&line).unwrap_or_default();
        Ok(lines.map(|line| line.map(parsed)).collect())
    }

    /// Returns the JSON of every item as it is written. `None` for an item that is a file.
    pub(super) fn lines(&self) -> Result<Vec<Option<Vec<u8>>>, ItemsError> {
        let file = match &self.file {
            Some(path) => ordinary::read(path).map_err(|error| ItemsError::read(path, &error))?,
            None => Vec::new(),
        };
        let content = |content: &Content| match content {
            Content::Row(row) => Some(row.clone()),
            Content::Line { start, length } => {
                let start = usize::try_from(*start).unwrap_or(usize::MAX);
                let line = file.get(start..start.saturating_add(*length));
                Some(line.unwrap_or_default().to_vec())
            }
            Content::File(..) | Content::Gone => None,
        };
        Ok(self.all.iter().map(|item| content(&item.content)).collect())
    }
}
