//! Lines that an R script prints.

use super::{NUMBER, Sample, push, template::percents};
use crate::init::source::{Language, Source, text_of};

pub(super) fn r(source: &Source<'_>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (name, separator) in [
        ("cat", " "),
        ("message", ""),
        ("print", " "),
        ("writeLines", ""),
    ] {
        for call in source.calls(name) {
            let own: Vec<&str> = call.positional().collect();
            let joined = match call.keyword("sep") {
                Some(_) => "",
                None => separator,
            };
            let parts: Vec<String> = own.iter().map(|part| r_printed(part)).collect();
            let mut text = parts.join(joined);
            if name == "print" && own.first().is_some_and(|first| first.contains('"')) {
                text = format!("[1] \"{text}\"");
            }
            push(&mut samples, &call, &text, &own.join(" "));
        }
    }
    samples
}

/// What R prints of an expression.
fn r_printed(expression: &str) -> String {
    if let Some((text, _)) = text_of(expression) {
        return text;
    }
    let own = Source::new(expression, Language::R);
    for (name, separator) in [("paste0", ""), ("paste", " "), ("sprintf", "")] {
        if let Some(call) = own.calls(name).first() {
            let parts: Vec<&str> = call.positional().collect();
            if name == "sprintf" {
                let text = parts.first().and_then(|first| text_of(first));
                return text.map_or_else(String::new, |(text, _)| percents(&text));
            }
            let parts: Vec<String> = parts.into_iter().map(r_printed).collect();
            return parts.join(separator);
        }
    }
    NUMBER.to_owned()
}
