//! Files of questions and prompts, which make a study of items: an evaluation asks one question with
//! one prompt.

use super::InitError;
use crate::study::{Items, PoolKey};
use serde::Serialize;
use serde_json::{Map, Value};
use std::{collections::HashSet, fmt::Display, path::Path};

/// Files of questions and prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Data {
    /// The file of questions, which become the items of the study.
    pub questions: Option<String>,
    /// Number of questions in the files.
    pub count: usize,
    /// The file of prompts, which become the arms.
    pub prompts: Option<String>,
    /// Names of the prompts.
    pub names: Vec<String>,
}

/// Takes the files of data from the head of a command: they are not run. A file with `prompt` in
/// its name has prompts, any other one questions.
pub(super) fn data<'w>(
    words: &'w [String],
    directory: &Path,
) -> Result<(Data, &'w [String]), InitError> {
    let is_data = |word: &&String| {
        let kind = extension(word);
        let is_known = ["jsonl", "ndjson", "csv", "tsv", "yaml", "yml"].contains(&kind.as_str());
        is_known && directory.join(word).is_file()
    };
    let mut data = Data::default();
    let count = words.iter().take_while(is_data).count();
    for word in &words[..count] {
        let name = Path::new(word).file_name().unwrap_or_default();
        let is_of_prompts = name.to_string_lossy().to_lowercase().contains("prompt");
        let place = if is_of_prompts {
            data.names = names(directory, word)?;
            &mut data.prompts
        } else {
            data.count = Items::read(directory, PoolKey::Items, word)?.len();
            &mut data.questions
        };
        if let Some(first) = place.replace(word.clone()) {
            return Err(InitError::Refused(format!(
                "{first} and {word} are files of the same kind: name one of questions, and one of prompts with `prompt` in its name"
            )));
        }
    }
    Ok((data, &words[count..]))
}

fn extension(word: &str) -> String {
    let extension = Path::new(word).extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Reads the names of prompts: the key `name`, or else `id`, of each line, row or entry; of a mapping
/// in YAML its keys.
fn names(directory: &Path, named: &str) -> Result<Vec<String>, InitError> {
    let wrong = |why: &dyn Display| InitError::Refused(format!("{named}: {why}"));
    let text = fiesta_records::read_whole(directory.join(named));
    let text = text.map_err(|error| wrong(&format!("it cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_start_matches('\u{feff}');
    let names = match extension(named).as_str() {
        "csv" => of_table(text, b',').map_err(|error| wrong(&error))?,
        "tsv" => of_table(text, b'\t').map_err(|error| wrong(&error))?,
        "yaml" | "yml" => of_yaml(text),
        _ => of_lines(text).map_err(|error| wrong(&error))?,
    };
    let names: Option<Vec<String>> = names.into_iter().collect();
    let mut names = names.unwrap_or_default();
    if names.iter().any(|name| name.trim().is_empty()) {
        names.clear();
    }
    let different: HashSet<&String> = names.iter().collect();
    if names.is_empty() || different.len() < names.len() {
        let why = "give each prompt a name of its own: a key or column `name` or `id`";
        return Err(wrong(&why));
    }
    Ok(names)
}

/// Reads the name of each row of a table. `None` for a row without one.
fn of_table(text: &str, separator: u8) -> Result<Vec<Option<String>>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(separator).from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let column = |name: &str| header.iter().position(|own| own.trim() == name);
    let column = column("name").or_else(|| column("id"));
    let name = |row: &csv::StringRecord| Some(row.get(column?)?.trim().to_owned());
    reader.records().map(|row| Ok(name(&row?))).collect()
}

/// Reads the name of each object of JSON lines. `None` for one without a name.
fn of_lines(text: &str) -> Result<Vec<Option<String>>, String> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let name = |(number, line): (usize, &str)| {
        let row: Result<Map<String, Value>, _> = serde_json::from_str(line);
        let row = row.map_err(|_| format!("line {number} is no object of JSON"))?;
        let value = row.get("name").or_else(|| row.get("id"));
        let text = |own: &Value| own.as_str().map_or_else(|| own.to_string(), str::to_owned);
        Ok(value.map(text))
    };
    lines.map(name).collect()
}

/// Reads the names of a list of mappings in YAML, or the keys of a mapping. Nothing else of YAML is
/// known: there are no names if an entry has none on a line of its own.
fn of_yaml(text: &str) -> Vec<Option<String>> {
    let is_entry = |line: &str| line.trim_start().starts_with("- ");
    let is_told = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '%']);
    let mut lines = text.lines().filter(is_told).filter(|line| *line != "---");
    let is_list = match (lines.next(), lines.next()) {
        (Some(first), _) if is_entry(first) => true,
        (Some(first), Some(second)) => first.trim_end().ends_with(':') && is_entry(second),
        _ => false,
    };
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    if !is_list {
        let is_key = |line: &&str| !line.starts_with([' ', '\t', '#', '-', '%', '.']);
        let keys = text
            .lines()
            .filter(is_key)
            .filter_map(|line| line.split_once(':'));
        return keys.map(|(key, _)| Some(plain(key))).collect();
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let entries = || text.lines().filter(|line| is_entry(line));
    let outer = entries().map(indent).min().unwrap_or(0);
    let count = entries().filter(|line| indent(line) == outer).count();
    let value = |line: &str, key: &str| {
        let rest = line.trim_start().trim_start_matches("- ").trim_start();
        let value = rest.strip_prefix(key)?.trim_start().strip_prefix(':')?;
        Some(plain(value.split(" #").next()?))
    };
    let of_key = |key: &str| -> Vec<Option<String>> {
        let own = text.lines().filter(|line| indent(line) <= outer + 2);
        own.filter_map(|line| value(line, key)).map(Some).collect()
    };
    let names = [of_key("name"), of_key("id")];
    let mut fitting = names.into_iter().filter(|names| names.len() == count);
    fitting.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_of_prompts() {
        for (file, text) in [
            (
                "prompts.jsonl",
                "{\"id\": \"a\", \"text\": \"x\"}\n\n{\"name\": \"b\"}\n",
            ),
            ("prompts.csv", "text,name\n\"x, y\",a\nz,b\n"),
            ("prompts.tsv", "\u{feff}id\ttext\na\tx\nb\ty\n"),
            ("prompts.yaml", "# two\na: |\n  - name: x\n'b': text\n"),
            (
                "prompts.yml",
                "prompts:\n  - name: a  # first\n    text: >\n      - id: x\n  - text: y\n    name: \"b\"\n",
            ),
        ] {
            let place = tempfile::tempdir().unwrap();
            fs::write(place.path().join(file), text).unwrap();
            assert_eq!(names(place.path(), file).unwrap(), ["a", "b"], "{file}");
        }
        for (file, text) in [
            ("prompts.jsonl", "{\"text\": \"x\"}\n"),
            ("prompts.jsonl", "x\n"),
            ("prompts.csv", "text\nx\n"),
            ("prompts.csv", "name\na\na\n"),
            ("prompts.yaml", "- text: x\n- name: b\n"),
            ("prompts.yaml", ""),
        ] {
            let place = tempfile::tempdir().unwrap();
            fs::write(place.path().join(file), text).unwrap();
            let refused = names(place.path(), file).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{file}: ")), "{refused}");
        }
    }
}
