//! Directories of logs of answers: all logs in them that one tool wrote.
//!
//! lm-eval writes `DIRECTORY/MODEL/samples_TASK_DATE.jsonl` beside `results_DATE.json`, Inspect AI
//! its logs into one directory: directories are looked through with those in them.

use super::{
    ImportError, Tool,
    error::{refused, undecided},
    lm_eval,
    open::open,
};
use crate::{
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
const EXTENSIONS: [&str; 3] = ["eval", "json", "jsonl"];

/// Returns the named files, with the logs in place of a directory, and notices about them.
pub(super) fn files_of(
    paths: &[&Path],
    tool: Option<Tool>,
) -> Result<(Vec<PathBuf>, Vec<String>), ImportError> {
    let (mut files, mut notices) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let (logs, notice) = logs(path, tool)?;
            notices.push(notice);
            files.extend(logs);
        } else {
            files.push(path.to_path_buf());
        }
    }
    Ok((files, notices))
}

/// Returns the logs of one tool in a directory, and a notice about them.
fn logs(directory: &Path, wanted: Option<Tool>) -> Result<(Vec<PathBuf>, String), ImportError> {
    let mut all = Vec::new();
    collect(directory, DEEPEST, &mut all)?;
    all.sort();
    let mut of_tools: BTreeMap<&str, (Tool, Vec<PathBuf>)> = BTreeMap::new();
    let mut others = 0;
    for file in all {
        let (bytes, tool) = open(&file)?;
        match tool.filter(|tool| tool.logs_answers() && wanted.is_none_or(|of| of == *tool)) {
            Some(Tool::LmEval) if std::str::from_utf8(&bytes).is_ok_and(lm_eval::is_summary) => {}
            Some(tool) => {
                let of_tool = of_tools.entry(tool.name()).or_insert((tool, Vec::new()));
                of_tool.1.push(file);
            }
            None if is_summary(&file) => {}
            None => others += 1,
        }
    }
    let mut found = of_tools.into_values();
    let name = words::file(directory);
    match (found.next(), found.next()) {
        (None, _) => Err(refused(format!(
            "{name} is a directory, and there are no logs of answers in it (lm-eval's samples, Inspect's .eval or .json, promptfoo's JSON): \
             name a file"
        ))),
        (Some((tool, files)), None) => {
            let rest = match others {
                0 => String::new(),
                _ => format!("; {} there passed over", count(others, "other file")),
            };
            let (directory, logs) = (directory.display(), count(files.len() as u64, "log"));
            let notice = format!("{directory}: {logs} of {tool} read{rest}");
            Ok((files, notice))
        }
        (Some((tool, files)), Some((other, of_other))) => Err(undecided(
            format!(
                "{name} holds logs of several tools, {} of {tool} and {} of {other}: choose with --from {tool} or --from {other}",
                files.len(),
                of_other.len()
            ),
            Choice::among("from", [tool.name(), other.name()]),
        )),
    }
}

/// Returns whether a file is, by its name, the summary that lm-eval writes with samples.
fn is_summary(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("results_"))
}

/// Collects the files in a directory and its subdirectories that may be logs by their extension,
/// hidden files left out.
fn collect(directory: &Path, deep: usize, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
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
        let extension = path
            .extension()
            .map(|e| e.to_string_lossy().to_ascii_lowercase());
        if extension.is_some_and(|e| EXTENSIONS.contains(&e.as_str())) && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
