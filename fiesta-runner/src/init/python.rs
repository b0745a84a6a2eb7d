//! Options of Python scripts, as argparse, click, typer, fire, absl, Hydra and others read them.

use super::{
    options::{ScriptOption, Written},
    source::{Call, Source, literal, text_of},
};
use regex::Regex;

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

/// `parser.add_argument(…)`, also under another name.
fn argparse(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    let mut names = vec!["add_argument".to_owned()];
    for at in source.find("add_argument") {
        let line = source.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let after = source.text[at + "add_argument".len()..].trim_start_matches(' ');
        if let Some((name, _)) = source.text[line..at].split_once('=')
            && !after.starts_with('(')
        {
            names.push(name.trim().to_owned());
        }
    }
    let calls = names.iter().flat_map(|name| source.calls(name));
    calls
        .filter_map(|call| Some((call.start, flagged(source, &call, "argparse")?)))
        .collect()
}

/// `@click.option(…)` and `@click.argument(…)`.
fn click(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    if !source.text.contains("click") {
        return Vec::new();
    }
    let calls = ["option", "argument"]
        .into_iter()
        .flat_map(|name| source.calls(name));
    calls
        .filter_map(|call| Some((call.start, flagged(source, &call, "click")?)))
        .collect()
}

/// An option that a call declares by its flags.
fn flagged(source: &Source<'_>, call: &Call<'_>, library: &'static str) -> Option<ScriptOption> {
    let names: Vec<String> = call
        .positional()
        .filter_map(|text| Some(text_of(text)?.0))
        .collect();
    let is_true = |keyword: &str| call.keyword(keyword).is_some_and(|value| value == "True");
    let action = call.keyword("action").and_then(literal).unwrap_or_default();
    let has_no_value = action.starts_with("store_") && action != "store"
        || ["count", "help", "version"].contains(&action.as_str())
        || call
            .keyword("action")
            .is_some_and(|action| action.contains("BooleanOptional"))
        || is_true("is_flag")
        || is_true("count")
        || names.iter().any(|name| name.contains('/'));
    if has_no_value {
        return None;
    }
    let flags: Vec<&String> = names.iter().filter(|name| name.starts_with('-')).collect();
    let long = flags
        .iter()
        .find(|flag| flag.starts_with("--"))
        .or(flags.first());
    let mut option = if let Some(flag) = long {
        let dest = call.keyword("dest").and_then(literal);
        let name = dest.unwrap_or_else(|| flag.trim_start_matches('-').to_owned());
        ScriptOption::new(&name, Written::Flag((**flag).clone()), library)
    } else {
        let mut option = ScriptOption::new(names.first()?, Written::Position(0), library);
        let count = call.keyword("nargs").and_then(literal);
        let is_optional = count.is_some_and(|count| count == "?" || count == "*");
        option.is_required = !is_optional && call.keyword("required") != Some("False");
        option
    };
    option.is_required |= is_true("required");
    option.default = call
        .keyword("default")
        .and_then(|value| value_of(source, value));
    if option.default.is_some() {
        option.is_required = false;
    }
    let choices = call.keyword("choices").or_else(|| call.keyword("type"));
    option.choices = choices.map_or_else(Vec::new, |choices| list(source, choices, 0));
    Some(option)
}

/// `flags.DEFINE_string('model', 'lstm', 'help')`.
fn absl(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    let kinds = [
        "DEFINE_string",
        "DEFINE_enum",
        "DEFINE_integer",
        "DEFINE_float",
    ];
    let calls = kinds
        .into_iter()
        .flat_map(|kind| source.calls(kind).into_iter().map(move |call| (kind, call)));
    let option = |(kind, call): (&str, Call<'_>)| {
        let mut own = call.positional();
        let name = text_of(own.next()?)?.0;
        let mut option = ScriptOption::new(&name, Written::Flag(format!("--{name}")), "absl");
        option.default = own.next().and_then(|value| value_of(source, value));
        if kind == "DEFINE_enum" {
            let choices = own.next().or_else(|| call.keyword("enum_values"));
            option.choices = choices.map_or_else(Vec::new, |choices| list(source, choices, 0));
        }
        Some((call.start, option))
    };
    calls.filter_map(option).collect()
}

/// Parameters of the functions that typer or fire make a command of.
fn functions(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
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
            options.extend(parameter_of(source, whole, library).map(|option| (at, option)));
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
    Some(option)
}

/// Fields of the data classes that a library makes options of.
fn dataclasses(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
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
                let option = parameter_of(source, (name, kind, default), library);
                options.extend(option.map(|option| (place, option)));
            }
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

/// A default as a command would be given it, also under a name.
fn value_of(source: &Source<'_>, expression: &str) -> Option<String> {
    if let Some(value) = literal(expression) {
        return Some(value);
    }
    let is_name = expression
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if !is_name || expression == "None" {
        return None;
    }
    // A member of an enumeration stands for its value.
    match expression.split_once('.') {
        Some((class, member)) => {
            let members = members(source, class);
            members
                .into_iter()
                .find(|(name, _)| name == member)
                .map(|(_, value)| value)
        }
        None => literal(source.assigned(expression)?),
    }
}

/// How far names are followed to other names.
const DEEPEST: usize = 3;

/// The texts of a list, the keys of a dict, the members of an enumeration, also under a name.
fn list(source: &Source<'_>, expression: &str, depth: usize) -> Vec<String> {
    let expression = expression.trim();
    if depth > DEEPEST || expression.is_empty() {
        return Vec::new();
    }
    let inner = |expression: &str| {
        let whole = &expression[1..expression.len() - 1];
        let own = Source::new(whole, super::source::Language::Python);
        let parts = own.arguments(0, whole.len());
        let keys = parts.iter().map(|part| {
            let text = part.text;
            // The key of a dict.
            text.split_once(':')
                .map_or(text, |(key, _)| key)
                .trim()
                .to_owned()
        });
        keys.filter_map(|key| literal(&key))
            .collect::<Vec<String>>()
    };
    let is_between =
        |open: char, close: char| expression.starts_with(open) && expression.ends_with(close);
    if is_between('[', ']') && expression.contains(" for ") {
        // `[m.value for m in Model]`.
        let name = expression.rsplit(" in ").next().unwrap_or_default();
        return list(source, name.trim_end_matches(']'), depth + 1);
    }
    if is_between('[', ']') || is_between('(', ')') || is_between('{', '}') {
        return inner(expression);
    }
    for (before, after) in [
        ("list(", ")"),
        ("sorted(", ")"),
        ("tuple(", ")"),
        ("click.Choice(", ")"),
        ("Choice(", ")"),
        ("Optional[", "]"),
        ("Annotated[", "]"),
    ] {
        if let Some(rest) = expression.strip_prefix(before) {
            let inside = rest.rsplit_once(after).map_or(rest, |(inside, _)| inside);
            let own = Source::new(inside, super::source::Language::Python);
            let first = own
                .arguments(0, inside.len())
                .first()
                .map(|first| first.text);
            return list(source, first.unwrap_or_default(), depth + 1);
        }
    }
    if let Some(rest) = expression
        .strip_prefix("Literal")
        .or_else(|| expression.strip_prefix("typing.Literal"))
    {
        return list(source, rest, depth + 1);
    }
    let name = expression.trim_end_matches("()").trim_end_matches(".keys");
    let name = name.trim_end_matches(".__members__");
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Vec::new();
    }
    let members = members(source, name);
    if !members.is_empty() {
        return members.into_iter().map(|(_, value)| value).collect();
    }
    match source.assigned(name) {
        Some(value) if value != expression => list(source, value, depth + 1),
        _ => Vec::new(),
    }
}

/// The members of an enumeration, each with its value.
fn members(source: &Source<'_>, class: &str) -> Vec<(String, String)> {
    let Some(at) = source.find(&format!("class {class}")).first().copied() else {
        return Vec::new();
    };
    let rest = &source.text[at..];
    let mut lines = rest.lines();
    if !lines.next().is_some_and(|line| line.contains("Enum")) {
        return Vec::new();
    }
    let body = lines.take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']));
    let member = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let value = literal(value.split(" #").next()?)?;
        Some((name.trim().to_owned(), value))
    };
    body.filter_map(member).collect()
}

/// The texts that an option is compared with, or the keys of the dict in which it is looked up.
fn compared(source: &Source<'_>, name: &str) -> Vec<String> {
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
    for form in [
        format!(r"\b(\w+)\[{own}{name}\]"),
        format!(r"\b(\w+)\.get\({own}{name}\b"),
        format!(r"\b{own}{name} (?:not )?in (\w+)"),
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
