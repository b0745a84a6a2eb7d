//! Options that a script declares by calls: those of argparse, click and absl.

use super::{list, literal, value_of};
use crate::init::{
    options::{ScriptOption, Written},
    source::{Call, Language, Source, text_of},
};
use regex::Regex;

/// `parser.add_argument(…)`, also under another name.
pub(super) fn argparse(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
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
    let of_parser = |call: Call<'_>| {
        let mut option = flagged(source, &call, "argparse")?;
        option.subcommand = subcommand(source, call.start);
        Some((call.start, option))
    };
    calls.filter_map(of_parser).collect()
}

/// The name with which the parser was made of which a method is called here, if it is that of a
/// subcommand.
fn subcommand(source: &Source<'_>, call: usize) -> Option<String> {
    let before = source.text[..call].strip_suffix('.')?;
    let name = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    let made = source.assigned(name)?;
    let own = Source::new(made, Language::Python);
    let call = own.calls("add_parser").into_iter().next()?;
    literal(call.positional().next()?)
}

/// `@click.option(…)` and `@click.argument(…)`.
pub(super) fn click(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
    if !source.text.contains("click") {
        return Vec::new();
    }
    let calls = ["option", "argument"]
        .into_iter()
        .flat_map(|name| source.calls(name));
    // The function that a decorator stands above is a command of the group.
    let has_group = source.text.contains(".group(");
    let Ok(function) = Regex::new(r"(?m)^(?:async )?def (\w+)") else {
        return Vec::new();
    };
    let option = |call: Call<'_>| {
        let mut option = flagged(source, &call, "click")?;
        if has_group && let Some(found) = function.captures_at(source.text, call.start) {
            let before = &source.text[..found.get(0)?.start()];
            let decorators = &before[before.rfind("\n\n").unwrap_or(0)..];
            let named = Source::new(decorators, Language::Python);
            option.subcommand = named.calls("command").first().map(|command| {
                let name = command.positional().next().and_then(literal);
                name.unwrap_or_else(|| found[1].replace('_', "-"))
            });
        }
        Some((call.start, option))
    };
    calls.filter_map(option).collect()
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
    option.help = call.keyword("help").and_then(|help| Some(text_of(help)?.0));
    let choices = call.keyword("choices").or_else(|| call.keyword("type"));
    option.choices = choices.map_or_else(Vec::new, |choices| list(source, choices, 0));
    Some(option)
}

/// `flags.DEFINE_string('model', 'lstm', 'help')`.
pub(super) fn absl(source: &Source<'_>) -> Vec<(usize, ScriptOption)> {
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
        let help = call.keyword("help").or_else(|| {
            call.positional()
                .nth(if kind == "DEFINE_enum" { 3 } else { 2 })
        });
        option.help = help.and_then(|help| Some(text_of(help)?.0));
        if kind == "DEFINE_enum" {
            let choices = own.next().or_else(|| call.keyword("enum_values"));
            option.choices = choices.map_or_else(Vec::new, |choices| list(source, choices, 0));
        }
        Some((call.start, option))
    };
    calls.filter_map(option).collect()
}
