//! Options that a library makes of declarations: parameters of functions, fields of data classes.

use super::{list, value_of};
use crate::init::{
    options::{ScriptOption, Written},
    source::{Language, Source, text_of},
};
use regex::Regex;

/// Parameters of the functions that typer or fire make a command of.
pub(super) fn functions(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    let mut names: Vec<(String, &'static str)> = Vec::new();
    for call in source.calls("Fire") {
        let own = call.positional().next();
        names.extend(own.map(|name| (name.to_owned(), "fire")));
    }
    let is_typer = source.text.contains("typer");
    for call in source.calls("run").into_iter().filter(|_| is_typer) {
        let own = call.positional().next();
        names.extend(own.map(|name| (name.to_owned(), "typer")));
    }
    if is_typer
        && let Ok(decorated) =
            Regex::new(r"(?m)^@\w+\.command\([^)]*\)\s*\n(?:@.*\n)*(?:async )?def (\w+)")
    {
        let found = decorated.captures_iter(source.text);
        names.extend(found.map(|found| (found[1].to_owned(), "typer")));
    }
    names.dedup();
    let has_subcommands = names.len() > 1;
    let mut options = Vec::new();
    for (name, library) in names {
        let Some(at) = source.find(&format!("def {name}")).first().copied() else {
            continue;
        };
        let Some(open) = source.text[at..].find('(').map(|open| at + open) else {
            continue;
        };
        let Some(close) = source.close(open) else {
            continue;
        };
        for parameter in source.arguments(open + 1, close) {
            let whole = match parameter.keyword {
                Some(name) => (name, "", Some(parameter.text)),
                None => typed(parameter.text),
            };
            options.extend(parameter_of(source, whole, library).map(|mut option| {
                option.subcommand = has_subcommands.then(|| name.replace('_', "-"));
                (at, option)
            }));
        }
    }
    options
}

/// A parameter or a field: its name, its type and its default.
fn typed(text: &str) -> (&str, &str, Option<&str>) {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    // The equals sign behind the brackets of the type.
    let mut depth = 0_i32;
    let equals = rest.char_indices().find(|&(_, c)| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        c == '=' && depth == 0
    });
    match equals {
        Some((at, _)) => (name.trim(), rest[..at].trim(), Some(rest[at + 1..].trim())),
        None => (name.trim(), rest.trim(), None),
    }
}

fn parameter_of(
    source: &Source<'_>,
    (name, kind, default): (&str, &str, Option<&str>),
    library: &'static str,
) -> Option<ScriptOption> {
    if kind.starts_with("bool") || name.is_empty() || name.starts_with('*') || name == "self" {
        return None;
    }
    let declared = default.filter(|value| value.starts_with("typer."));
    let inside = declared
        .and_then(|value| value.split_once('('))
        .map(|(_, inside)| inside.split([',', ')']).next().unwrap_or_default().trim());
    let plain = match declared {
        Some(_) => inside.filter(|value| *value != "..." && !value.is_empty()),
        None => default,
    };
    let is_option = library != "typer"
        || declared.is_some_and(|value| value.starts_with("typer.Option"))
        || kind.contains("typer.Option")
        || declared.is_none() && default.is_some();
    let flag = match library {
        "typer" | "tyro" => format!("--{}", name.replace('_', "-")),
        _ => format!("--{name}"),
    };
    let written = if is_option {
        Written::Flag(flag)
    } else {
        Written::Position(0)
    };
    let mut option = ScriptOption::new(name, written, library);
    option.default = plain.and_then(|value| value_of(source, value));
    option.is_required = plain.is_none();
    option.choices = list(source, kind, 0);
    // What typer is told of it: as its default, or beside its type.
    let told = [Some(kind), declared]
        .into_iter()
        .flatten()
        .filter_map(|text| {
            let open = text
                .find("typer.")
                .and_then(|at| Some(at + text[at..].find('(')?))?;
            Some(text[open + 1..].trim_end_matches([')', ']', ' ']))
        });
    for told in told {
        let own = Source::new(told, Language::Python);
        let own = own.arguments(0, told.len());
        let named = |name: &str| own.iter().find(|argument| argument.keyword == Some(name));
        option.help = option
            .help
            .or(named("help").and_then(|help| Some(text_of(help.text)?.0)));
        if let (true, Some(last)) = (option.choices.is_empty(), named("max")) {
            let first = named("min").map_or("0", |first| first.text);
            option.choices = list(source, &format!("IntRange({first}, {})", last.text), 0);
        }
    }
    Some(option)
}

/// Fields of the data classes that a library makes options of.
pub(super) fn dataclasses(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    let libraries = [
        ("HfArgumentParser", "transformers"),
        ("simple_parsing", "simple-parsing"),
        ("pyrallis", "pyrallis"),
        ("draccus", "draccus"),
        ("tyro", "tyro"),
    ];
    let Some((_, library)) = libraries
        .into_iter()
        .find(|(name, _)| source.text.contains(name))
    else {
        return Vec::new();
    };
    let Ok(class) = Regex::new(
        r"(?m)^@(?:dataclasses\.)?dataclass.*\n(?:@.*\n)*class \w+.*:\s*\n((?:[ \t]+.*\n|\s*\n)+)",
    ) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    for found in class.captures_iter(source.text) {
        let Some(body) = found.get(1) else { continue };
        let mut at = body.start();
        for line in body.as_str().split_inclusive('\n') {
            let place = at;
            at += line.len();
            let code = line.split(" #").next().unwrap_or_default().trim();
            let is_field = code.split(':').next().is_some_and(|name| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            });
            if is_field && code.contains(':') && !code.starts_with("def ") {
                let (name, kind, default) = typed(code);
                // `field(default="lstm", metadata=…)`.
                let default = match default.and_then(|value| value.split_once("default=")) {
                    Some((_, value)) => Some(value.split([',', ')']).next().unwrap_or_default()),
                    None => default.filter(|value| !value.contains('(')),
                };
                let comment = line.split_once(" #").map(|(_, comment)| comment.trim());
                let option = parameter_of(source, (name, kind, default), library);
                options.extend(option.map(|mut option| {
                    option.help = option.help.or(comment.map(ToOwned::to_owned));
                    (place, option)
                }));
            }
        }
    }
    options
}
