//! Options of scripts that Hydra configures: the keys of their YAML files, and its groups.

use super::{
    options::{ScriptOption, Written},
    source::{Source, literal},
};
use std::{fs, path::Path};

/// The options of a script in this directory, if Hydra configures it.
pub(super) fn options(source: &Source<'_>, directory: &Path) -> Vec<ScriptOption> {
    let Some(call) = source.calls("main").into_iter().find(|call| {
        call.keyword("config_path").is_some() || call.keyword("config_name").is_some()
    }) else {
        return Vec::new();
    };
    let path = call
        .keyword("config_path")
        .and_then(literal)
        .unwrap_or_default();
    let name = call.keyword("config_name").and_then(literal);
    let name = name.unwrap_or_else(|| "config".to_owned());
    let place = directory.join(path);
    let stem = name.trim_end_matches(".yaml");
    let Ok(text) = fs::read_to_string(place.join(format!("{stem}.yaml"))) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    let mut parent = String::new();
    for line in text.lines() {
        let comment = line.split_once(" #").map(|(_, comment)| comment.trim());
        let code = line.split(" #").next().unwrap_or_default().trim_end();
        let content = code.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let is_nested = content.len() < code.len();
        if let Some(entry) = content.strip_prefix("- ") {
            let Some((group, chosen)) = entry.split_once(':').filter(|_| parent == "defaults")
            else {
                continue;
            };
            let group = group.trim().trim_start_matches("override ").to_owned();
            let mut option = ScriptOption::new(&group, Written::Joined(group.clone()), "hydra");
            option.default = Some(chosen.trim().to_owned());
            option.choices = files(&place.join(&group));
            options.push(option);
            continue;
        }
        let Some((key, value)) = content.split_once(':') else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        if !is_nested {
            key.clone_into(&mut parent);
        }
        if value.is_empty() {
            continue;
        }
        let key = if is_nested {
            format!("{parent}.{key}")
        } else {
            key.to_owned()
        };
        let mut option = ScriptOption::new(&key, Written::Joined(key.clone()), "hydra");
        option.help = comment.map(ToOwned::to_owned);
        if value == "???" {
            option.is_required = true;
        } else if value != "null" {
            option.default = Some(value.to_owned());
        }
        options.push(option);
    }
    options
}

/// The names of the YAML files in a directory.
fn files(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            name.strip_suffix(".yaml").map(ToOwned::to_owned)
        })
        .collect();
    names.sort();
    names
}
