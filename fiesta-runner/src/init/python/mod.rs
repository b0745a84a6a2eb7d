//! Options of Python scripts, as argparse, click, typer, fire, absl, Hydra and others read them.

mod calls;
mod choices;
mod parameters;
mod values;

use super::{
    options::{ScriptOption, Written},
    source::{Source, literal},
};
use calls::{absl, argparse, click};
use choices::compared;
use parameters::{dataclasses, functions};
use regex::Regex;
use values::{list, value_of};

/// The options of a script, in their order in the text.
pub(super) fn options(source: &Source<'_>) -> Vec<ScriptOption> {
    let mut found: Vec<(usize, ScriptOption)> = Vec::new();
    found.extend(argparse(source));
    found.extend(click(source));
    found.extend(absl(source));
    found.extend(functions(source));
    found.extend(dataclasses(source));
    found.sort_by_key(|(at, _)| *at);
    let mut options: Vec<ScriptOption> = Vec::new();
    for (_, option) in found {
        if options.iter().all(|known| known.name != option.name) {
            options.push(option);
        }
    }
    if options.is_empty() {
        options = arguments(source);
    }
    let mut position = 0;
    for option in &mut options {
        if let Written::Position(number) = &mut option.written {
            position += 1;
            *number = position;
        }
        if option.choices.is_empty() {
            option.choices = compared(source, &option.name);
        }
    }
    options
}

/// `model = sys.argv[1]`.
fn arguments(source: &Source<'_>) -> Vec<ScriptOption> {
    let Ok(read) = Regex::new(r"(?m)^\s*(\w+)\s*=.*sys\.argv\[(\d+)\]") else {
        return Vec::new();
    };
    let mut found: Vec<(usize, String)> = read
        .captures_iter(source.text)
        .filter_map(|found| Some((found[2].parse().ok()?, found[1].to_owned())))
        .collect();
    found.sort();
    found.dedup_by_key(|(number, _)| *number);
    let option = |(number, name): (usize, String)| {
        let mut option = ScriptOption::new(&name, Written::Position(number), "sys.argv");
        option.is_required = true;
        option
    };
    found.into_iter().map(option).collect()
}
