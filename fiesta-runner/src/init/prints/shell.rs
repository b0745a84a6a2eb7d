//! Lines that a shell script prints.

use super::{NUMBER, Sample, template::percents};
use crate::init::source::Source;
use regex::Regex;

pub(super) fn shell(source: &Source<'_>) -> Vec<Sample> {
    let (Ok(line), Ok(value)) = (
        Regex::new(r"(?m)^\s*(?:echo|printf)\s+(.*)$"),
        Regex::new(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`"),
    ) else {
        return Vec::new();
    };
    let samples = line.captures_iter(source.text).filter_map(|found| {
        let whole = found.get(1)?;
        let text = value.replace_all(whole.as_str(), NUMBER);
        let text = percents(&text).replace("\\n", "");
        Some(Sample {
            line: source.line(whole.start()),
            text: text.replace(['"', '\''], "").trim().to_owned(),
            is_hundredfold: false,
        })
    });
    samples.collect()
}
