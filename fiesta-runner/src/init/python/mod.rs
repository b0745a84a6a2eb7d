//! Options of Python scripts, as argparse, click, typer, fire, absl, Hydra and others read them.

mod calls;
mod choices;
mod parameters;
mod values;

use super::{
    help,
    options::{ScriptOption, Written, is_of_study},
    source::{Source, literal},
};
use calls::{absl, argparse, click};
use choices::compared;
use parameters::{dataclasses, functions};
use regex::Regex;
use std::collections::BTreeMap;
use values::list;
pub(super) use values::value_of;

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
        let is_known = |known: &ScriptOption| {
            known.name == option.name && known.subcommand == option.subcommand
        };
        if !options.iter().any(is_known) {
            options.push(option);
        }
    }
    if options.is_empty() && source.text.contains("docopt(") {
        options = help::options(source.text);
        for option in &mut options {
            option.library = "docopt";
        }
    }
    if options.is_empty() {
        options = arguments(source);
    }
    let has_subcommand = options.iter().any(|own| own.subcommand.is_some());
    if !has_subcommand && let Some(option) = checked_first(source, &options) {
        options.insert(0, option);
    }
    options.extend(variables(source));
    let mut positions: BTreeMap<Option<String>, usize> = BTreeMap::new();
    for option in &mut options {
        if let Written::Position(number) = &mut option.written {
            let position = positions.entry(option.subcommand.clone()).or_default();
            *position += 1;
            *number = *position;
        }
        if option.choices.is_empty() {
            option.choices = compared(source, &option.name);
        }
    }
    options
}

/// `model = sys.argv[1]`, `model, seed = sys.argv[1], int(sys.argv[2])`, `model, seed =
/// sys.argv[1:]`.
fn arguments(source: &Source<'_>) -> Vec<ScriptOption> {
    let (Ok(line), Ok(number), Ok(rest)) = (
        Regex::new(r"(?m)^[ \t]*([\w, ]+?)\s*=(.*\bsys\.argv\b.*)$"),
        Regex::new(r"sys\.argv\[(\d+)\]"),
        Regex::new(
            r"^\s*(?:map\(\s*\w+\s*,\s*)?sys\.argv(?:\[(\d)(?::\d*)?:?\])?\s*\)?\s*(?:#.*)?$",
        ),
    ) else {
        return Vec::new();
    };
    let mut found: Vec<(usize, String, Option<String>, bool)> = Vec::new();
    // The name of the list, if the arguments are read from one: `args = sys.argv[1:]`.
    for read in line.captures_iter(source.text) {
        let names: Vec<&str> = read[1].split(',').map(str::trim).collect();
        let value = &read[2];
        let comment = value.split_once('#').map(|(_, comment)| comment.trim());
        let comment = comment.map(ToOwned::to_owned);
        let numbers = number.captures_iter(value);
        let numbers: Vec<usize> = numbers.filter_map(|own| own[1].parse().ok()).collect();
        let is_optional = value.contains("len(sys.argv)");
        if numbers.len() >= names.len() {
            for (name, number) in names.into_iter().zip(numbers) {
                found.push((number, name.to_owned(), comment.clone(), is_optional));
            }
        } else if names.len() > 1
            && let Some(rest) = rest.captures(value)
        {
            let first = rest.get(1).and_then(|first| first.as_str().parse().ok());
            for (number, name) in (first.unwrap_or(0)..).zip(names) {
                if number > 0 {
                    found.push((number, name.to_owned(), comment.clone(), false));
                }
            }
        } else if let Some(rest) = rest.captures(value)
            && let Some(first) = rest
                .get(1)
                .and_then(|first| first.as_str().parse::<usize>().ok())
            && let Ok(element) = Regex::new(&format!(r"(?m)^\s*(\w+)\s*=.*\b{}\[(\d+)\]", names[0]))
        {
            for read in element.captures_iter(source.text) {
                if let Ok(number) = read[2].parse::<usize>() {
                    found.push((number + first, read[1].to_owned(), None, false));
                }
            }
        }
    }
    // What is given to a generator at once: `random.seed(int(sys.argv[3]))`.
    if let Ok(seed) = Regex::new(r"\b(?:\w+\.)*(?:manual_)?seed\([^#\n]*sys\.argv\[(\d+)\]") {
        for read in seed.captures_iter(source.text) {
            if let Ok(number) = read[1].parse() {
                found.push((number, "seed".to_owned(), None, false));
            }
        }
    }
    found.sort();
    found.dedup_by_key(|(number, ..)| *number);
    let option = |(number, name, help, is_optional): (usize, String, _, bool)| {
        let mut option =
            ScriptOption::new(&name.to_lowercase(), Written::Position(number), "sys.argv");
        option.is_required = !is_optional;
        option.help = help;
        option.choices = compared(source, &name);
        option
    };
    found.into_iter().map(option).collect()
}

/// `if sys.argv[1] not in ("train", "evaluate")`: a subcommand that is not read otherwise.
fn checked_first(source: &Source<'_>, options: &[ScriptOption]) -> Option<ScriptOption> {
    let reads_first =
        |own: &ScriptOption| own.library == "sys.argv" && own.written == Written::Position(1);
    let is_compared = Regex::new(r"\bargv\[1\]\s*(?:==|(?:not )?in\b)");
    let is_compared = is_compared.is_ok_and(|form| form.is_match(source.text));
    // Where a library reads the options, it reads those after the subcommand.
    let has_library = options.iter().any(|own| own.library != "sys.argv");
    let reads_rest = source.text.contains("argv[2:]");
    if !is_compared || options.iter().any(reads_first) || has_library && !reads_rest {
        return None;
    }
    let mut choices = compared(source, r"argv\[1\]");
    choices.retain(|choice| !choice.starts_with('-'));
    if choices.len() < 2 {
        return None;
    }
    let mut option = ScriptOption::new("subcommand", Written::Position(1), "sys.argv");
    option.choices = choices;
    option.is_required = true;
    Some(option)
}

/// `model = os.environ["MODEL"]`, `seed = int(os.getenv("SEED", "0"))`.
fn variables(source: &Source<'_>) -> Vec<ScriptOption> {
    let Ok(read) = Regex::new(
        r#"(?m)^[ \t]*(?:(\w+)\s*(?::\s*\w+\s*)?=)?[^#\n]*\bos\.(?:environ\[|environ\.get\(|getenv\()\s*["'](\w+)["'](?:\s*,\s*([^)\n]+)\))?[^#\n]*(?:#(.*))?$"#,
    ) else {
        return Vec::new();
    };
    let mut options: Vec<ScriptOption> = Vec::new();
    for found in read.captures_iter(source.text) {
        let variable = &found[2];
        let name = variable.to_lowercase();
        if !is_of_study(&name) || options.iter().any(|known| known.name == name) {
            continue;
        }
        let written = Written::Variable(variable.to_owned());
        let mut option = ScriptOption::new(&name, written, "environment");
        option.default = found
            .get(3)
            .and_then(|value| value_of(source, value.as_str().trim()));
        option.help = found
            .get(4)
            .map(|comment| comment.as_str().trim().to_owned());
        if let Some(assigned) = found.get(1) {
            option.choices = compared(source, assigned.as_str());
        }
        options.push(option);
    }
    options
}
