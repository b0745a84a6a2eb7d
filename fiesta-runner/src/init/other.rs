//! Options of shell and R scripts.

use super::{
    options::{ScriptOption, Written},
    source::{Source, literal},
};
use regex::Regex;

/// The options of a shell script: the flags of its `case`, else the names of its arguments.
pub(super) fn of_shell(source: &Source<'_>) -> Vec<ScriptOption> {
    let text = source.text;
    let mut options = Vec::new();
    if let Ok(flag) =
        Regex::new(r"(?m)^\s*(?:-\w\s*\|\s*)?(--[A-Za-z][\w-]*)(?:\s*\|\s*-\w)?\s*\)(.*)$")
    {
        for found in flag.captures_iter(text) {
            let written = Written::Flag(found[1].to_owned());
            let takes_value = found[2].contains("$2") || found[2].trim().is_empty();
            if takes_value {
                options.push(ScriptOption::new(
                    found[1].trim_start_matches('-'),
                    written,
                    "case",
                ));
            }
        }
    }
    if options.is_empty()
        && let Ok(getopts) = Regex::new(r#"(?m)^\s*([a-zA-Z])\)\s*(\w+)=["']?\$\{?OPTARG"#)
    {
        for found in getopts.captures_iter(text) {
            let written = Written::Flag(format!("-{}", &found[1]));
            options.push(ScriptOption::new(
                &found[2].to_lowercase(),
                written,
                "getopts",
            ));
        }
    }
    if options.is_empty()
        && let Ok(argument) =
            Regex::new(r#"(?m)^\s*(?:local |export )?(\w+)=["']?\$\{?(\d)(?::?-([^}"']*))?"#)
    {
        for found in argument.captures_iter(text) {
            let Ok(number) = found[2].parse() else {
                continue;
            };
            let mut option = ScriptOption::new(
                &found[1].to_lowercase(),
                Written::Position(number),
                "arguments",
            );
            option.default = found.get(3).map(|default| default.as_str().to_owned());
            option.is_required = option.default.is_none();
            options.push(option);
        }
        options.sort_by_key(|option| match option.written {
            Written::Position(number) => number,
            _ => 0,
        });
    }
    for option in &mut options {
        if let Written::Flag(flag) = &option.written {
            option.help = told(text, flag);
        }
    }
    let Ok(label) = Regex::new(r#"(?m)(?:^|;;)\s*["']?([\w.-]+)["']?\)"#) else {
        return options;
    };
    for option in &mut options {
        let name = &option.name;
        let form = format!(r#"(?i)case\s+"?\$\{{?{name}\}}?"?\s+in([\s\S]*?)esac"#);
        let Ok(case) = Regex::new(&form) else {
            continue;
        };
        if let Some(body) = case.captures(text) {
            option.choices = label
                .captures_iter(&body[1])
                .map(|label| label[1].to_owned())
                .collect();
        }
    }
    options
}

/// What a line that begins with a flag says of it, in a message or a comment of a shell script.
fn told(text: &str, flag: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.trim_start();
        let line = line
            .trim_start_matches("echo")
            .trim_start_matches(['#', ' ', '"', '\'']);
        let rest = line.strip_prefix(flag)?;
        let is_whole = rest.starts_with([' ', ',', '\t', '=']) && !rest.contains("\"$");
        is_whole.then(|| rest.trim_end_matches(['"', '\'']).trim().to_owned())
    })
}

/// The options of an R script: those of optparse or argparse, else the names of its arguments.
pub(super) fn of_r(source: &Source<'_>) -> Vec<ScriptOption> {
    let calls = ["make_option", "add_option", "add_argument"].map(|name| source.calls(name));
    let mut options = Vec::new();
    let Ok(flags) = Regex::new(r#"["'](--?[\w-]+)["']"#) else {
        return options;
    };
    for call in calls.into_iter().flatten() {
        let declared: Vec<&str> = call.positional().collect();
        let declared = declared.join(", ");
        let found: Vec<String> = flags
            .captures_iter(&declared)
            .map(|flag| flag[1].to_owned())
            .collect();
        let long = found
            .iter()
            .find(|flag| flag.starts_with("--"))
            .or(found.first());
        let is_flag = call
            .keyword("action")
            .and_then(literal)
            .is_some_and(|action| action.starts_with("store_"));
        let Some(long) = long.filter(|_| !is_flag) else {
            continue;
        };
        // optparse of R takes both forms.
        let mut option = ScriptOption::new(
            long.trim_start_matches('-'),
            Written::Flag(long.clone()),
            "optparse",
        );
        option.default = call.keyword("default").and_then(literal);
        option.choices = call.keyword("choices").map_or_else(Vec::new, texts);
        option.help = call.keyword("help").and_then(literal);
        options.push(option);
    }
    if options.is_empty() {
        options = of_arguments(source);
    }
    for option in &mut options {
        if !option.choices.is_empty() {
            continue;
        }
        let name = &option.name;
        let Ok(equal) = Regex::new(&format!(r#"\b(?:\w+\$)?{name}\s*==\s*["']([^"']+)["']"#))
        else {
            continue;
        };
        for found in equal.captures_iter(source.text) {
            if !option.choices.contains(&found[1].to_owned()) {
                option.choices.push(found[1].to_owned());
            }
        }
        for call in source.calls("switch") {
            let mut own = call.arguments.iter();
            if own
                .next()
                .is_some_and(|first| first.text.ends_with(name.as_str()))
            {
                option
                    .choices
                    .extend(own.filter_map(|case| case.keyword.map(ToOwned::to_owned)));
            }
        }
    }
    options
}

/// `model <- args[1]  # glm or rf`, `set.seed(as.integer(args[2]))`.
fn of_arguments(source: &Source<'_>) -> Vec<ScriptOption> {
    let (Ok(argument), Ok(seed)) = (
        Regex::new(r"(?m)^\s*(\w+)\s*(?:<-|=)[^#\n]*\b\w*arg\w*\[\[?(\d+)\]\]?[^#\n]*(?:#(.*))?$"),
        Regex::new(r"\bset\.(seed)\([^#\n]*\b\w*arg\w*\[\[?(\d+)\]\]?"),
    ) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    let found = argument.captures_iter(source.text);
    for found in found.chain(seed.captures_iter(source.text)) {
        let Ok(number) = found[2].parse() else {
            continue;
        };
        let mut option = ScriptOption::new(&found[1], Written::Position(number), "commandArgs");
        option.is_required = true;
        option.help = found.get(3).map(|told| told.as_str().trim().to_owned());
        options.push(option);
    }
    options
}

/// The texts between quotes in an expression.
fn texts(expression: &str) -> Vec<String> {
    let parts = expression.split(['"', '\'']).skip(1).step_by(2);
    parts.map(ToOwned::to_owned).collect()
}
