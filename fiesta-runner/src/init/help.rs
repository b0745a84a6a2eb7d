//! Options in what a program prints for `--help`.

use super::options::{ScriptOption, Written};
use regex::Regex;

/// The options of a help text, as argparse, click, clap and others write it.
pub(super) fn options(help: &str) -> Vec<ScriptOption> {
    let form = r"(?m)^\s+(?:-\w(?:[ =]\S+)?,\s+)?(--[A-Za-z][\w.-]*)(?:[ =](\{[^}]*\}|\[[^\]]*\]|<[^>]*>|[A-Z_]+(?:\b|$)))?(.*(?:\n\s{12,}\S.*)*)";
    let (Ok(line), Ok(default)) = (
        Regex::new(form),
        Regex::new(r"(?i)[\[(]default:?\s*=?\s*([^\])\s]+)"),
    ) else {
        return Vec::new();
    };
    let mut options: Vec<ScriptOption> = Vec::new();
    for found in line.captures_iter(help) {
        let flag = &found[1];
        let value = found.get(2).map(|value| value.as_str());
        let rest = found.get(3).map_or("", |rest| rest.as_str());
        if value.is_none() || ["--help", "--version"].contains(&flag) {
            continue;
        }
        let mut option = ScriptOption::new(
            flag.trim_start_matches('-'),
            Written::Flag(flag.to_owned()),
            "--help",
        );
        let value = value.unwrap_or_default();
        let separators = if value.starts_with('{') {
            [',', ',']
        } else {
            ['|', '|']
        };
        let inside = value.trim_matches(['{', '}', '[', ']', '<', '>']);
        if inside.contains(separators[0]) {
            option.choices = inside
                .split(separators)
                .map(|choice| choice.trim().to_owned())
                .collect();
        } else if let Some((_, listed)) = rest.split_once("possible values:") {
            let listed = listed.split([']', '\n']).next().unwrap_or_default();
            option.choices = listed
                .split(',')
                .map(|choice| choice.trim().to_owned())
                .collect();
        }
        option.default = default
            .captures(rest)
            .map(|found| found[1].trim_matches(['\'', '"']).to_owned());
        option.is_required = rest.contains("[required]");
        options.push(option);
    }
    options
}
