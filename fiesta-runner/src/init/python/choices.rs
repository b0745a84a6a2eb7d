//! Values of an option that a script compares it with, or looks up by it.

use super::values::{length, list};
use crate::init::source::Source;
use regex::Regex;

/// The texts that an option is compared with, or the keys of the dict in which it is looked up.
pub(super) fn compared(source: &Source<'_>, name: &str) -> Vec<String> {
    let own = r"(?:\w+\.)*";
    let Ok(equal) = Regex::new(&format!(
        r#"\b{own}{name}(?:\.lower\(\))?\s*==\s*["']([^"']+)["']"#
    )) else {
        return Vec::new();
    };
    let mut values: Vec<String> = Vec::new();
    let mut add = |value: String| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    for found in equal.captures_iter(source.text) {
        add(found[1].to_owned());
    }
    let Ok(element) = Regex::new(&format!(r"\b(\w+)\[{own}{name}\]")) else {
        return values;
    };
    for found in element.captures_iter(source.text) {
        match length(source, &found[1]) {
            // An element of a list is chosen by its number.
            Some(count) => (0..count).for_each(|number| add(number.to_string())),
            None => list(source, &found[1], 0).into_iter().for_each(&mut add),
        }
    }
    for form in [
        format!(r"\b(\w+)\.get\({own}{name}\b"),
        format!(r"\b{own}{name} (?:not )?in (\w+|\([^()]*\)|\[[^\[\]]*\]|\{{[^{{}}]*\}})"),
    ] {
        let Ok(looked_up) = Regex::new(&form) else {
            continue;
        };
        for found in looked_up.captures_iter(source.text) {
            list(source, &found[1], 0).into_iter().for_each(&mut add);
        }
    }
    let Ok(directly) = Regex::new(&format!(r"\{{[^{{}}]*\}}\[{own}{name}\]")) else {
        return values;
    };
    for found in directly.find_iter(source.text) {
        let dict = found.as_str().split("}[").next().unwrap_or_default();
        list(source, &format!("{dict}}}"), 0)
            .into_iter()
            .for_each(&mut add);
    }
    values
}
