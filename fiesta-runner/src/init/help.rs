//! Options in what a program prints for `--help`.

use super::{
    options::{ScriptOption, Written},
    process,
};
use regex::Regex;
use std::{path::Path, time::Duration};

/// Longest time for a command to print its help: some load a framework first.
const LONGEST: Duration = Duration::from_mins(1);

/// Returns the output of a command for `--help`, on either stream, or the error.
pub(super) fn run(program: &[String], directory: &Path) -> Result<String, String> {
    let mut command = process::command(program, directory);
    let ran = process::run(command.arg("--help"), LONGEST, &mut || false);
    let ran = ran.map_err(|error| format!("cannot be run: {error}"))?;
    match ran.problem(LONGEST) {
        Some(problem) => Err(problem),
        None => Ok(format!("{}\n{}", ran.printed, ran.errors)),
    }
}

/// Reads the options in a help text, in the form that argparse, click, clap and others print.
pub(super) fn options(help: &str, library: &str) -> Vec<ScriptOption> {
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
            library,
        );
        let value = value.unwrap_or_default();
        let separator = if value.starts_with('{') { ',' } else { '|' };
        let inside = value.trim_matches(['{', '}', '[', ']', '<', '>']);
        let (listed, separator) = match rest.split_once("possible values:") {
            _ if inside.contains(separator) => (inside, separator),
            Some((_, listed)) => (listed.split([']', '\n']).next().unwrap_or_default(), ','),
            None => ("", ','),
        };
        let choices = listed.split(separator).map(str::trim);
        let choices = choices.filter(|choice| !choice.is_empty());
        option.choices = choices.map(ToOwned::to_owned).collect();
        option.default = default
            .captures(rest)
            .map(|found| found[1].trim_matches(['\'', '"']).to_owned());
        option.help = Some(rest.split_whitespace().collect::<Vec<_>>().join(" "));
        option.is_required = rest.contains("[required]");
        options.push(option);
    }
    options
}

/// Reads the choices that an option's help lists: "one of lstm, gru or cnn", "choices: a | b".
pub(super) fn choices_of_help(help: &str) -> Vec<String> {
    let name = r#"['"`]?[A-Za-z][\w./-]*\w['"`]?"#;
    let form = format!(
        r"(?i)(?:\bone of|\bchoices(?: are)?|\beither|\boptions(?: are)?)\s*:?\s*[\[({{]?({name}(?:\s*(?:,\s*or\s|,\s*and\s|,|\||\sor\s)\s*{name})+)"
    );
    let (Ok(form), Ok(separator)) = (
        Regex::new(&form),
        Regex::new(r"\s*(?:,\s*or\s|,\s*and\s|,|\||\sor\s)\s*"),
    ) else {
        return Vec::new();
    };
    let Some(listed) = form.captures(help) else {
        return Vec::new();
    };
    let names = separator.split(&listed[1]);
    names
        .map(|name| name.trim_matches(['\'', '"', '`', ' ']).to_owned())
        .collect()
}
