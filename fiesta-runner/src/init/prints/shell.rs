//! Lines that a shell script prints.

use super::{NUMBER, Sample, template::percents};
use crate::init::source::Source;
use regex::Regex;

pub(super) fn shell(source: &Source<'_>) -> Vec<Sample> {
    let (Ok(line), Ok(value), Ok(joined)) = (
        Regex::new(r"(?m)^\s*(?:echo|printf)\s+(.*)$"),
        Regex::new(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`"),
        // Whole and broken part of one number: `$whole.$part`.
        Regex::new(r"0\.5\.(?:0\.5|\d+)"),
    ) else {
        return Vec::new();
    };
    let samples = line.captures_iter(source.text).filter_map(|found| {
        let whole = found.get(1)?;
        let text = value.replace_all(whole.as_str(), NUMBER);
        let text = joined.replace_all(&text, NUMBER);
        let text = percents(&text).replace("\\n", "");
        Some(Sample {
            line: source.line(whole.start()),
            text: text.replace(['"', '\''], "").trim().to_owned(),
            is_hundredfold: false,
        })
    });
    samples.collect()
}
