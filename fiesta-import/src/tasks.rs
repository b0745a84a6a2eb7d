//! Tasks of the logs in a directory, each with the files to name for it alone.

use crate::directory::Found;
use fiesta_core::shell_word;
use fiesta_records::words::excerpt;
use std::{collections::BTreeMap, path::Path};

/// Largest number of tasks that a message lists.
const MOST: usize = 12;

/// Largest number of files of a task that a message names one by one.
const MOST_FILES: usize = 3;

/// Returns the commands that read each task alone, if the logs found in a directory are of several
/// tasks.
pub(crate) fn alone(logs: &[(&Found, Option<&str>)]) -> Option<String> {
    let mut tasks: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for (file, task) in logs {
        tasks.entry((*task)?).or_default().push(file);
    }
    let is_found = logs.iter().any(|(file, _)| file.directory.is_some());
    if tasks.len() < 2 || !is_found {
        return None;
    }
    let shown = tasks.iter().take(MOST).map(|(task, files)| {
        let others = logs.iter().filter(|(_, of)| *of != Some(task));
        let others: Vec<&Path> = others.map(|(file, _)| file.path.as_path()).collect();
        match pattern(task, files, &others).or_else(|| one_by_one(files)) {
            Some(named) => format!("\n  {}: fiesta belief {named}", excerpt(task)),
            None => format!("\n  {}: {} logs", excerpt(task), files.len()),
        }
    });
    let shown: String = shown.collect();
    let more = match tasks.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    Some(format!("each task can be read alone:{shown}{more}"))
}

/// Returns the names of the files, quoted for a shell. `None` if there are more than [`MOST_FILES`].
fn one_by_one(files: &[&Found]) -> Option<String> {
    let names = files.iter().map(|file| quoted(&file.path));
    (files.len() <= MOST_FILES).then(|| names.collect::<Vec<_>>().join(" "))
}

/// Returns a shell pattern that matches all files of a task and no others. `None` if their names
/// share no such pattern.
fn pattern(task: &str, files: &[&Found], others: &[&Path]) -> Option<String> {
    let first = files.first()?;
    let directory = first.directory.as_ref()?;
    let depth = |path: &Path| path.components().count();
    let deep = depth(&first.path);
    let is_alike =
        |file: &&Found| file.directory.as_ref() == Some(directory) && depth(&file.path) == deep;
    if !files.iter().all(is_alike) {
        return None;
    }
    let stars = "/*".repeat(deep.checked_sub(depth(directory) + 1)?);
    let names: Vec<&str> = files
        .iter()
        .map(|file| name(&file.path))
        .collect::<Option<_>>()?;
    let ending = names[0].rfind('.').map(|at| &names[0][at..])?;
    // Inspect writes a hyphen for an underscore.
    for task in [task.to_owned(), task.replace('_', "-")] {
        let split = |name: &&'_ str| {
            name.split_once(&task)
                .map(|(b, a)| (b.to_owned(), a.to_owned()))
        };
        let Some(parts) = names.iter().map(split).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let (before, after) = &parts[0];
        let same = parts.iter().all(|(other, _)| other == before);
        // As much of what follows as tells this task from others, where all go on alike.
        for length in 1..=after.len().saturating_sub(ending.len()) {
            let Some(start) = after.get(..length) else {
                continue;
            };
            if !is_plain(start) || !parts.iter().all(|(_, other)| other.starts_with(start)) {
                break;
            }
            let core = format!("{task}{start}");
            let fits = |name: &str| {
                let begins = if same {
                    name.starts_with(&format!("{before}{core}"))
                } else {
                    name.contains(&core)
                };
                begins && name.ends_with(ending)
            };
            let is_alone = !others.iter().any(|path| name(path).is_some_and(fits));
            let lead = if same { before.as_str() } else { "*" };
            if is_alone
                && is_plain(&task)
                && (!same || is_plain(lead))
                && names.iter().all(|n| fits(n))
            {
                return Some(format!(
                    "{}{stars}/{lead}{core}*{ending}",
                    quoted(directory)
                ));
            }
        }
    }
    None
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// Returns whether a text has no characters that are special to a shell.
fn is_plain(text: &str) -> bool {
    text.is_empty() || shell_word(text) == text
}

/// Returns a path quoted for a shell.
fn quoted(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Found {
        Found {
            path: path.into(),
            directory: Some("my out".into()),
        }
    }

    #[test]
    fn patterns_name_the_files_of_a_task_alone() {
        let date = "2026-11-23T03-39-12.1.jsonl";
        let paths = [
            ("gsm8k", format!("my out/a/samples_gsm8k_{date}")),
            ("gsm8k", format!("my out/b/samples_gsm8k_{date}")),
            ("gsm8k_cot", format!("my out/a/samples_gsm8k_cot_{date}")),
        ];
        let files: Vec<(Found, &str)> = paths
            .iter()
            .map(|(task, path)| (found(path), *task))
            .collect();
        let logs: Vec<_> = files
            .iter()
            .map(|(file, task)| (file, Some(*task)))
            .collect();
        let told = alone(&logs).unwrap();
        assert_eq!(
            told,
            "each task can be read alone:\
             \n  gsm8k: fiesta belief 'my out'/*/samples_gsm8k_2*.jsonl\
             \n  gsm8k_cot: fiesta belief 'my out'/*/samples_gsm8k_cot_*.jsonl"
        );
        assert_eq!(alone(&logs[..2]), None);
    }

    #[test]
    fn files_without_a_pattern_are_named_one_by_one() {
        let files = [found("my out/1.eval"), found("my out/2.eval")];
        let told = alone(&[(&files[0], Some("a_b")), (&files[1], Some("c"))]).unwrap();
        assert!(
            told.contains("\n  a_b: fiesta belief 'my out/1.eval'\n  c: "),
            "{told}"
        );
        let files = [
            found("my out/2026_a-b_x1.eval"),
            found("my out/2027_a-b_y.eval"),
            found("my out/c.eval"),
        ];
        let logs = [
            (&files[0], Some("a_b")),
            (&files[1], Some("a_b")),
            (&files[2], Some("c")),
        ];
        let told = alone(&logs).unwrap();
        assert!(
            told.contains("a_b: fiesta belief 'my out'/*a-b_*.eval\n"),
            "{told}"
        );
    }
}
