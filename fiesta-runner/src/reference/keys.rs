//! The keys of study files for the reference page: a table for each section, from the schema.

use super::row;
use schemars::Schema;
use serde_json::{Map, Value};

/// Writes the top-level keys of the study file, then those of each of its tables.
pub(super) fn write(page: &mut String, schema: &Schema) {
    let root = schema.as_value();
    let definitions = root["$defs"].as_object().cloned().unwrap_or_default();
    let tables = Tables { definitions };
    tables.write(page, "Of the file itself", root, &[]);
}

/// Returns the dotted paths of all keys with values.
#[cfg(test)]
pub(crate) fn paths(schema: &Schema) -> Vec<String> {
    let root = schema.as_value();
    let definitions = root["$defs"].as_object().cloned().unwrap_or_default();
    let mut paths = Vec::new();
    Tables { definitions }.paths("", root, &mut paths);
    paths
}

/// The schemas of a study file's tables, by the names of their types.
struct Tables {
    definitions: Map<String, Value>,
}

impl Tables {
    /// Writes the keys of a table to the page, then those of the tables within it.
    fn write(&self, page: &mut String, title: &str, table: &Value, path: &[&str]) {
        let Some(keys) = table["properties"].as_object() else {
            return;
        };
        *page += "\n### ";
        *page += title;
        *page += "\n\n| key | value | |\n|---|---|---|\n";
        let required = table["required"].as_array();
        let is_required =
            |key: &str| required.is_some_and(|required| required.iter().any(|one| one == key));
        let mut within = Vec::new();
        for (key, schema) in keys {
            let about = schema["description"].as_str().unwrap_or_default();
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let marked = if is_required(key) { " Required." } else { "" };
            let cells = [&format!("`{key}`"), &self.kind(schema), &(about + marked)];
            row(page, &cells.map(String::as_str));
            if let Some((table, is_list)) = self.table(schema) {
                within.push((key, table, is_list));
            }
        }
        for (key, table, is_list) in within {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            let name = path.join(".");
            let title = if is_list {
                format!("`[[{name}]]`")
            } else {
                format!("`[{name}]`")
            };
            self.write(page, &title, table, &path);
        }
    }

    #[cfg(test)]
    fn paths(&self, place: &str, table: &Value, paths: &mut Vec<String>) {
        for (key, schema) in table["properties"].as_object().into_iter().flatten() {
            let path = format!("{place}{key}");
            match self.table(schema) {
                Some((table, _)) => self.paths(&format!("{path}."), table, paths),
                None => paths.push(path),
            }
        }
    }

    /// Returns the schema of a key's value, behind options and references.
    fn meant<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return self
                .definitions
                .get(name)
                .map_or(schema, |it| self.meant(it));
        }
        let given = |alternatives: &'a Value| {
            let mut some = alternatives
                .as_array()?
                .iter()
                .filter(|one| one["type"] != "null");
            let first = some.next()?;
            some.next().is_none().then_some(first)
        };
        given(&schema["anyOf"]).map_or(schema, |it| self.meant(it))
    }

    /// Returns the table that a key holds, and whether the key holds a list of tables. `None` if
    /// users name the keys.
    fn table<'a>(&'a self, schema: &'a Value) -> Option<(&'a Value, bool)> {
        let meant = self.meant(schema);
        if meant["properties"].is_object() {
            return Some((meant, false));
        }
        let one = self.meant(&meant["items"]);
        if one["properties"].is_object() {
            return Some((one, true));
        }
        let named = self.meant(&meant["additionalProperties"]);
        named["properties"].is_object().then_some((named, false))
    }

    /// Describes the type of a key's value in words.
    fn kind(&self, schema: &Value) -> String {
        let meant = self.meant(schema);
        if let Some(names) = meant["enum"].as_array() {
            let names = names.iter().filter(|name| !name.is_null());
            return names
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" or ");
        }
        if let Some(alternatives) = meant["anyOf"].as_array() {
            let mut words = Vec::new();
            for alternative in alternatives.iter().filter(|one| one["type"] != "null") {
                let word = self.kind(alternative);
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            return words.join(" or ");
        }
        let kinds = match &meant["type"] {
            Value::Array(kinds) => kinds.clone(),
            kind => vec![kind.clone()],
        };
        let kind = kinds
            .iter()
            .find(|kind| *kind != "null")
            .and_then(Value::as_str);
        match kind {
            Some("array")
                if meant["minItems"] == meant["maxItems"] && meant["maxItems"] != Value::Null =>
            {
                format!("{} × {}", meant["maxItems"], self.kind(&meant["items"]))
            }
            Some("array") => format!("list of {}", self.kind(&meant["items"])),
            Some("object") => "table".to_owned(),
            Some("string") => "text".to_owned(),
            Some("integer") => "whole number".to_owned(),
            Some("boolean") => "true or false".to_owned(),
            Some(other) => other.to_owned(),
            None => "any value".to_owned(),
        }
    }
}
