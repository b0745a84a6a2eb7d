//! Search of directories for logs of answers that one tool wrote, or else for tables.
//!
//! lm-eval writes `DIRECTORY/MODEL/samples_TASK_DATE.jsonl` beside `results_DATE.json`, Inspect AI
//! its logs into one directory: directories are looked through with those in them.

use crate::{
    Result, Tool,
    error::{refused, undecided},
    lm_eval,
    logs::why,
    open::open,
    plain_path,
};
use fiesta_records::{
    Choice, RecordsError,
    words::{self, count},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Number of levels of directories, one in another, that are searched.
const DEEPEST: usize = 8;

/// Extensions of files that may be logs of answers.
const LOGS: [&str; 4] = ["eval", "json", "jsonl", "parquet"];

/// Extensions of files that may be tables.
const TABLES: [&str; 5] = ["csv", "tsv", "jsonl", "ndjson", "parquet"];

/// A file to read, which the user named, or which was found in a directory that the user named.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Directory that the user named. `None` if the user named the file itself.
    pub(crate) directory: Option<PathBuf>,
}

impl Found {
    /// Returns the entry for a file that the user named.
    pub(crate) fn named(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            directory: None,
        }
    }
}

/// Returns the named files, with the logs in place of a directory, and notices about them.
pub(crate) fn files_of(paths: &[&Path], tool: Option<Tool>) -> Result<(Vec<Found>, Vec<String>)> {
    let (mut files, mut notices) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let found = found(path, tool, &mut notices)?.into_iter();
            files.extend(found.map(|file| Found {
                path: file,
                directory: Some(path.to_path_buf()),
            }));
        } else {
            files.push(Found::named(path));
        }
    }
    Ok((files, notices))
}

/// Returns the logs of one tool in a directory, or else its tables, and adds notices about them.
fn found(
    directory: &Path,
    wanted: Option<Tool>,
    notices: &mut Vec<String>,
) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    collect(directory, DEEPEST, &mut all)?;
    all.sort();
    let mut of_tools: BTreeMap<&str, (Tool, Vec<PathBuf>)> = BTreeMap::new();
    let (mut tables, mut left_out, mut others) = (Vec::new(), Vec::new(), 0);
    for file in all {
        let (bytes, tool) = match open(&file) {
            Ok(opened) => opened,
            Err(error) => {
                left_out.push((why(&error, &words::file(&file)), error));
                continue;
            }
        };
        match tool.filter(|tool| tool.logs_answers() && wanted.is_none_or(|of| of == *tool)) {
            Some(Tool::LmEval) if std::str::from_utf8(&bytes).is_ok_and(lm_eval::is_summary) => {}
            Some(tool) => {
                let of_tool = of_tools.entry(tool.name()).or_insert((tool, Vec::new()));
                of_tool.1.push(file);
            }
            None if is_summary(&file) => {}
            None => {
                others += u64::from(has_extension(&file, &LOGS));
                if tool.is_none() && has_extension(&file, &TABLES) {
                    tables.push(file);
                }
            }
        }
    }
    let mut of_tools = of_tools.into_values();
    let name = words::file(directory);
    let files = match (of_tools.next(), of_tools.next()) {
        (None, _) if wanted.is_none() && !tables.is_empty() => {
            notices.push(format!(
                "{name}: {} read",
                count(tables.len() as u64, "table")
            ));
            tables
        }
        (None, _) => {
            if let Some((_, error)) = left_out.into_iter().next() {
                return Err(error);
            }
            return Err(refused(format!(
                "{name} is a directory, and there are no logs of answers in it (lm-eval's samples, lighteval's details, Inspect's .eval or .json, JSON of promptfoo, HELM, SWE-bench, EvalPlus, DeepEval, OpenAI evals or AlpacaEval) \
                 nor tables (.csv, .tsv, .jsonl, .parquet): name a file"
            )));
        }
        (Some((tool, files)), None) => {
            let rest = match others {
                0 => String::new(),
                _ => format!("; {} there passed over", count(others, "other file")),
            };
            let logs = count(files.len() as u64, "log");
            notices.push(format!("{name}: {logs} of {tool} read{rest}"));
            files
        }
        (Some((tool, files)), Some((other, of_other))) => {
            return Err(undecided(
                format!(
                    "{name} holds logs of several tools, {} of {tool} and {} of {other}: choose with --from {tool} or --from {other}",
                    files.len(),
                    of_other.len()
                ),
                Choice::among("from", [tool.name(), other.name()]),
            ));
        }
    };
    notices.extend(left_out.into_iter().map(|(why, _)| why));
    Ok(files)
}

/// Returns whether a file is, by its name, the summary that lm-eval writes with samples.
fn is_summary(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("results_"))
}

/// Collects the files in a directory and its subdirectories that may be logs or tables by their extension,
/// hidden files left out.
fn collect(directory: &Path, deep: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let file = words::file(directory);
    let unread = RecordsError::unread(&file);
    for entry in fs::read_dir(directory).map_err(&unread)? {
        let entry = entry.map_err(&unread)?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // A link to a directory may lead back into it.
        if entry.file_type().map_err(&unread)?.is_dir() {
            if deep > 0 {
                collect(&path, deep - 1, files)?;
            }
            continue;
        }
        if (has_extension(&path, &LOGS) || has_extension(&path, &TABLES)) && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns whether a file, compressed or not, has one of these extensions.
fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let plain = plain_path(file);
    let extension = plain
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    extension.is_some_and(|e| extensions.contains(&e.as_str()))
}
