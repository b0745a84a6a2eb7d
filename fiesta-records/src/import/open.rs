//! Results of any kind in files: scores in fiesta's own forms, or what another tool wrote, as the
//! content says.

use super::{
    ImportError, Imported, NO_FILE, SQLITE, Tool, directory::files_of, error::refused, inspect,
    read, read_bytes, read_files,
};
use crate::{Format, LARGEST_FILE, ReadOptions, RecordsError, read_all, read_from, whole, words};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

impl ReadOptions {
    /// Refuses options that are meant for another tool's results.
    fn check_own(&self) -> Result<(), ImportError> {
        let given = [
            ("filter", self.filter.is_some()),
            ("study", !self.studies.is_empty()),
            ("pruned", self.pruned.is_some()),
            ("missing", self.missing.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(refused(format!(
                "--{flag} is about another tool's results, and this does not look like any: name the tool with --from"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses rows that are to be splits.
    fn check_tool(&self) -> Result<(), ImportError> {
        if self.paired_rows {
            return Err(refused(
                "--paired-rows is about files of scores that do not state their splits, and the trials of other tools share none: leave it out",
            ));
        }
        Ok(())
    }
}

/// Results in files: those of one file of scores or of another tool, or several logs of answers of
/// the same tool, which are read as one pool. A directory stands for the logs of answers in it and
/// in the directories in it.
///
/// # Errors
/// As [`read`](crate::read) and [`read_files`]; and [`ImportError`] if there are several files that
/// are no logs of answers, or not of one tool, and for a directory without any.
///
/// # Example
/// ```no_run
/// use fiesta_records::{ReadOptions, import::read_results};
/// let found = read_results(&["runs.csv"], &ReadOptions::default())?;
/// println!("{} evaluations", found.records.records().len());
/// # Ok::<(), fiesta_records::import::ImportError>(())
/// ```
pub fn read_results(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
) -> Result<Imported, ImportError> {
    let named: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let (files, notices) = files_of(&named, options.tool)?;
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut found = of_files(&files, options)?;
    found.notices.splice(0..0, notices);
    Ok(found)
}

fn of_files(paths: &[&Path], options: &ReadOptions) -> Result<Imported, ImportError> {
    let [first, more @ ..] = paths else {
        return Err(refused(NO_FILE));
    };
    if !more.is_empty() {
        let tool = match options.tool {
            Some(tool) => tool,
            None => common_tool(first, more)?,
        };
        options.check_tool()?;
        return read_files(paths, tool, options);
    }
    let (bytes, tool) = match options.tool {
        Some(tool) => (Vec::new(), Some(tool)),
        None => open(first)?,
    };
    let Some(tool) = tool else {
        let name = words::file(first);
        return own(&bytes, Format::of_path(first), options, &name);
    };
    options.check_tool()?;
    read(first, tool, options)
}

/// Reads results from anything that can be read, such as the standard input. `name` stands in
/// messages.
///
/// # Errors
/// As [`read_results`].
pub fn read_results_from(
    reader: impl Read,
    options: &ReadOptions,
    name: &str,
) -> Result<Imported, ImportError> {
    let bytes = read_all(reader).map_err(RecordsError::unread(name))?;
    match options.tool.or_else(|| Tool::recognise(&bytes)) {
        Some(tool) => {
            options.check_tool()?;
            read_bytes(&bytes, tool, options, name)
        }
        None => own(&bytes, None, options, name),
    }
}

/// Scores in fiesta's own forms.
fn own(
    bytes: &[u8],
    format: Option<Format>,
    options: &ReadOptions,
    name: &str,
) -> Result<Imported, ImportError> {
    options.check_own()?;
    Ok(Imported {
        records: read_from(bytes, format, options, name)?,
        tool: None,
        direction: None,
        notices: Vec::new(),
    })
}

/// The tool that certainly wrote this file ([`Tool::recognise`]). Of a database or an archive, which
/// may be large, little is read.
///
/// # Errors
/// [`io::Error`] if the file cannot be read.
pub fn recognise_file(path: impl AsRef<Path>) -> io::Result<Option<Tool>> {
    of_file(path.as_ref()).map(|(_, tool)| tool)
}

pub(super) fn open(path: &Path) -> Result<(Vec<u8>, Option<Tool>), ImportError> {
    let read = of_file(path).map_err(RecordsError::unread(&words::file(path)))?;
    Ok(read)
}

/// A text file as a whole; of a database or an archive only as much as shows that it is one; and
/// the tool that certainly wrote it.
fn of_file(path: &Path) -> io::Result<(Vec<u8>, Option<Tool>)> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    file.by_ref().take(64).read_to_end(&mut bytes)?;
    let is_binary = bytes.starts_with(SQLITE) || inspect::is_archive(&bytes);
    if !is_binary {
        whole::rest(file, &mut bytes, LARGEST_FILE)?;
    }
    let tool = Tool::recognise(&bytes);
    Ok((bytes, tool))
}

/// Returns the tool that wrote all of several files.
fn common_tool(first: &Path, more: &[&Path]) -> Result<Tool, ImportError> {
    let tool_of = |path| {
        let no_log = || {
            refused(format!(
                "{} is no other tool's log, and several files are read together only if all are: put them into one table with a column `arm`, or name the tool with --from",
                words::file(path)
            ))
        };
        open(path)?.1.ok_or_else(no_log)
    };
    let (tool, mut before) = (tool_of(first)?, first);
    for path in more {
        let other = tool_of(path)?;
        if other != tool {
            return Err(refused(format!(
                "{} is of {tool} and {} of {other}: import the logs of each tool by themselves",
                words::file(before),
                words::file(path)
            )));
        }
        before = path;
    }
    Ok(tool)
}
