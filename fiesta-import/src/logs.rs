//! Several logs of answers as one pool of items.

#[cfg(feature = "inspect")]
use crate::archive;
use crate::{
    ImportError, Imported, NO_FILE, Result, Tool, alpaca_eval, check, deepeval,
    directory::Found,
    error::refused,
    evalplus, helm, inspect, lighteval, lm_eval, openai_evals, plain_path,
    pool::{self, Log},
    promptfoo, read, read_unpacked,
    scored::Source,
    swe_bench, tasks, together,
};
use fiesta_records::{Reading, RecordsError, words};
use std::{
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
};

/// Reads several files of a tool that [logs answers](Tool::logs_answers) as one pool of items.
///
/// # Errors
/// As [`read`], and [`ImportError`] if two files have the same arm, the same item is another one
/// elsewhere, or the tool's files are read one by one.
///
/// # Example
/// ```no_run
/// use fiesta_import::{Tool, read_files};
/// use fiesta_records::Reading;
/// let options = Reading { metric: Some("match".into()), ..Reading::default() };
/// let logs = ["logs/large.eval", "logs/small.eval"];
/// let imported = read_files(&logs, Tool::Inspect, &options)?;
/// println!("{} arms, {} items", imported.records.arms().len(), imported.records.items().len());
/// # Ok::<(), fiesta_import::ImportError>(())
/// ```
pub fn read_files(paths: &[impl AsRef<Path>], tool: Tool, options: &Reading) -> Result<Imported> {
    let named: Vec<Found> = paths
        .iter()
        .map(|path| Found::named(path.as_ref()))
        .collect();
    read_found(&named, tool, options)
}

/// Reads logs as [`read_files`]. A log in a directory that cannot be read is left out with its
/// reason, unless none is left or the user must make a choice.
pub(crate) fn read_found(files: &[Found], tool: Tool, options: &Reading) -> Result<Imported> {
    check(tool, options)?;
    if files.is_empty() {
        return Err(refused(NO_FILE));
    }
    if !tool.logs_answers() {
        if let [file] = files {
            return read(&file.path, tool, options);
        }
        if tool == Tool::Sklearn {
            return together::cross_validations(files, options);
        }
        let logs = Tool::ALL.into_iter().filter(|tool| tool.logs_answers());
        let logs: Vec<&str> = logs.map(Tool::name).collect();
        return Err(refused(format!(
            "of other tools' results only logs of answers to items ({}) are read several at a time: read each file of {tool} by itself",
            logs.join(", ")
        )));
    }
    records_of(logs_of(files, tool, options)?, tool, options)
}

/// Logs of answers that were read.
pub(crate) struct Logs<'f> {
    pub(crate) all: Vec<Log>,
    /// The file of each log; empty if nothing is to be said of files.
    pub(crate) read: Vec<&'f Found>,
    /// Notices about logs that were left out.
    pub(crate) left_out: Vec<String>,
}

/// Reads logs of answers. At least one can be read.
pub(crate) fn logs_of<'f>(files: &'f [Found], tool: Tool, options: &Reading) -> Result<Logs<'f>> {
    check(tool, options)?;
    let (mut logs, mut read, mut left_out, mut first) = (Vec::new(), Vec::new(), Vec::new(), None);
    for file in files {
        match of_file(&file.path, tool, options) {
            Ok(log) => {
                logs.push(log);
                read.push(file);
            }
            Err(error) if is_left_out(&error, file) => {
                left_out.push(why(&error, &words::file(&file.path)));
                first = first.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    match first {
        Some(error) if logs.is_empty() => Err(error),
        _ if logs.is_empty() => Err(refused(NO_FILE)),
        _ => {
            swe_bench::complete(&mut logs)?;
            alpaca_eval::complete(&mut logs, options);
            Ok(Logs {
                all: logs,
                read,
                left_out,
            })
        }
    }
}

/// Returns the answers of logs as one pool of items.
pub(crate) fn records_of(logs: Logs<'_>, tool: Tool, options: &Reading) -> Result<Imported> {
    let mut found = pool::records(&logs.all, tool, options)?;
    found.notices.extend(logs.left_out);
    found.texts.files = logs.read.iter().map(|file| file.path.clone()).collect();
    let of_logs = logs.all.iter().map(|log| log.task.as_deref());
    found.notices.extend(tasks::alone(
        &logs.read.into_iter().zip(of_logs).collect::<Vec<_>>(),
    ));
    Ok(found)
}

/// Returns whether a file with this error is left out, and the other logs are read.
fn is_left_out(error: &ImportError, file: &Found) -> bool {
    let is_unscored = matches!(error, ImportError::Unscored { .. });
    is_unscored || (file.directory.is_some() && error.choices().is_empty())
}

/// Returns why a file is left out, in words.
pub(crate) fn why(error: &ImportError, file: &str) -> String {
    if let ImportError::Unscored { status, .. } = error {
        return format!(
            "{file} is left out: no answer has a score, as the evaluation ended with the status `{status}`"
        );
    }
    let message = error.to_string();
    let own = message
        .strip_prefix(file)
        .and_then(|rest| rest.strip_prefix(':'));
    match own.map(str::trim_start) {
        Some(reason) if reason.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{file} is left out: line {reason}")
        }
        reason => format!("{file} is left out: {}", reason.unwrap_or(&message)),
    }
}

/// Returns the texts of a log: that of the file, or the lists of samples in an archive.
pub(crate) fn lists(path: &Path) -> Option<Vec<String>> {
    #[cfg(feature = "inspect")]
    if let Ok(archive) = archive::read(BufReader::new(File::open(path).ok()?), "") {
        return Some(archive.lists);
    }
    Some(vec![String::from_utf8(read_unpacked(path).ok()?).ok()?])
}

/// Reads a log of answers from a file.
fn of_file(path: &Path, tool: Tool, options: &Reading) -> Result<Log> {
    let file = words::file(path);
    let unread = RecordsError::unread(&file);
    let mut start = [0; 4];
    let mut opened = File::open(path).map_err(&unread)?;
    // Of an archive, which may be large, little is read.
    if tool == Tool::Inspect && opened.read_exact(&mut start).is_ok() && start == *inspect::ZIP {
        opened.rewind().map_err(&unread)?;
        return of_archive(BufReader::new(opened), options, &file);
    }
    let bytes = read_unpacked(path).map_err(unread)?;
    of_log(&bytes, Some(&plain_path(path)), tool, options, &file)
}

/// Reads a log of answers from bytes. `path` is its place on disk, from which more is learnt.
pub(crate) fn of_log(
    bytes: &[u8],
    path: Option<&Path>,
    tool: Tool,
    options: &Reading,
    file: &str,
) -> Result<Log> {
    let source = Source {
        tool,
        path,
        options,
        file,
    };
    match tool {
        Tool::Helm => helm::read(bytes, &source),
        Tool::SweBench => swe_bench::read(bytes, &source),
        Tool::EvalPlus => evalplus::read(bytes, &source),
        Tool::DeepEval => deepeval::read(bytes, &source),
        Tool::OpenAiEvals => openai_evals::read(bytes, &source),
        Tool::AlpacaEval => alpaca_eval::read(bytes, &source),
        Tool::Lighteval => lighteval::read(bytes, &source),
        Tool::Promptfoo => promptfoo::read(bytes, options, file),
        Tool::Inspect if bytes.starts_with(inspect::ZIP) => {
            of_archive(Cursor::new(bytes), options, file)
        }
        Tool::Inspect => inspect::read(bytes, options, file),
        _ => lm_eval::read(bytes, path, options, file),
    }
}

#[cfg(feature = "inspect")]
fn of_archive(reader: impl Read + Seek, options: &Reading, file: &str) -> Result<Log> {
    inspect::of_parts(&archive::read(reader, file)?, options, file)
}

#[cfg(not(feature = "inspect"))]
fn of_archive(_: impl Read + Seek, _: &Reading, file: &str) -> Result<Log> {
    Err(refused(format!(
        "{file}: this program was built without the feature `inspect`, which reads Inspect's archives: write the log as JSON \
         (`inspect log convert --to json`)"
    )))
}
