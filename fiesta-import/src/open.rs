//! Results of any kind in files: scores in fiesta's own forms, or what another tool wrote, as the
//! content says.

use crate::{
    Imported, NO_FILE, Result, SQLITE, Tool, UnknownTool,
    directory::{Found, files_of},
    error::refused,
    forms, inspect,
    logs::read_found,
    plain_path, read, read_bytes,
    store::{tool_of_database, tool_of_directory},
    together,
    unpack::{START, rest, unpacked},
};
use fiesta_records::{
    Evaluations, Format, LARGEST_FILE, Reading, RecordsError, Understood, gold,
    recognised_summaries, table::Table, understand, words,
};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Refuses options that are meant for another tool's results.
pub(crate) fn check_own(options: &Reading) -> Result<()> {
    let given = [
        ("filter", options.filter.is_some()),
        ("study", !options.studies.is_empty()),
        ("pruned", options.pruned.is_some()),
        ("missing", options.missing.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => Err(refused(format!(
            "--{flag} is about another tool's results, and this does not look like any: name the tool with --from"
        ))),
        None => Ok(()),
    }
}

/// Refuses `--gold` and `--paired-rows` for another tool's results.
pub(crate) fn check_tool(options: &Reading) -> Result<()> {
    if options.gold.is_some() {
        return Err(refused(
            "--gold is about tables of predictions, and what other tools write has scores: leave it out",
        ));
    }
    if options.paired_rows {
        return Err(refused(
            "--paired-rows is about files of scores that do not state their splits, and the trials of other tools share none: leave it out",
        ));
    }
    Ok(())
}

/// Returns the tool that the options name. `None` if they name none.
pub(crate) fn stated(options: &Reading) -> Result<Option<Tool>> {
    let tool = options.tool.as_deref().map(str::parse);
    tool.transpose()
        .map_err(|unknown: UnknownTool| refused(unknown.to_string()))
}

/// Reads results from files: those of one file of scores or of another tool, or several logs of
/// answers of the same tool, which are read as one pool, or several tables with the same columns:
/// the parts of one table if a column names the arms, and else a file for each arm, which is called
/// by it. A directory stands for MLflow's runs or Ray Tune's trials in it, or for the logs of
/// answers in it and in the directories in it, or for its tables. Files that are compressed with
/// gzip or Zstandard are unpacked (feature `compressed`).
///
/// # Errors
/// As [`read`](fiesta_records::read) and [`read_files`](crate::read_files); and [`ImportError`](crate::ImportError) if there are
/// several files that are not of one tool or differ in their columns, for a directory without any,
/// and for a file in a form that is not read, such as a spreadsheet.
///
/// # Example
/// ```no_run
/// use fiesta_import::read_results;
/// use fiesta_records::Reading;
/// let found = read_results(&["runs.csv"], &Reading::default())?;
/// println!("{} evaluations", found.records.records().len());
/// # Ok::<(), fiesta_import::ImportError>(())
/// ```
pub fn read_results(paths: &[impl AsRef<Path>], options: &Reading) -> Result<Imported> {
    let named: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    if let [directory] = named[..]
        && directory.is_dir()
        && let Some(tool) = tool_of_directory(directory, stated(options)?)
    {
        check_tool(options)?;
        return read(directory, tool, options);
    }
    let (files, notices) = files_of(&named, stated(options)?)?;
    let mut found = of_files(&files, options)?;
    found.notices.splice(0..0, notices);
    Ok(found)
}

pub(crate) fn of_files(files: &[Found], options: &Reading) -> Result<Imported> {
    let [first, more @ ..] = files else {
        return Err(refused(NO_FILE));
    };
    if !more.is_empty() {
        let tool = match stated(options)? {
            Some(tool) => Some(tool),
            None => common_tool(files)?,
        };
        let Some(tool) = tool else {
            check_own(options)?;
            let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
            return together::read(&paths, options);
        };
        check_tool(options)?;
        return read_found(files, tool, options);
    }
    let path = &first.path;
    let (bytes, tool) = match stated(options)? {
        Some(tool) => (Vec::new(), Some(tool)),
        None => open(path)?,
    };
    let Some(tool) = tool else {
        let format = Format::of_path(plain_path(path));
        return read_own(&bytes, format, options, &words::file(path));
    };
    check_tool(options)?;
    read(path, tool, options)
}

/// Reads results from anything that can be read, such as the standard input. `name` stands in
/// messages.
///
/// # Errors
/// As [`read_results`].
pub fn read_results_from(reader: impl Read, options: &Reading, name: &str) -> Result<Imported> {
    let bytes = unpacked(reader).map_err(RecordsError::unread(name))?;
    forms::check(&bytes, name)?;
    match stated(options)?.or_else(|| Tool::recognise(&bytes)) {
        Some(tool) => {
            check_tool(options)?;
            read_bytes(&bytes, tool, options, name)
        }
        None => read_own(&bytes, None, options, name),
    }
}

/// Returns the notice about names of columns that were taken unasked. `None` if none were.
pub(crate) fn taken_notice(found: &Understood, file: &str) -> Option<String> {
    let flags = found.taken.as_ref()?.flags();
    // The directories of a file are nobody else's business: notices stand in reports, too.
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    Some(format!(
        "{file}: read with {flags}; name other columns if these are not meant"
    ))
}

/// Reads scores in fiesta's own forms from bytes, where no tool is to be recognised. `name` stands in
/// messages. Without a format it goes by the content.
///
/// # Errors
/// As [`read_results`].
pub fn read_own(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    name: &str,
) -> Result<Imported> {
    check_own(options)?;
    if options.gold.is_some() {
        let (records, notices, roles) = gold::scores(bytes, format, options, name)?;
        return Ok(Imported {
            texts: crate::TextPlaces::default(),
            records,
            tool: None,
            direction: None,
            notices,
            roles,
        });
    }
    let found = understand(bytes, format, options, name);
    let evaluations = found.as_ref().ok().map(|found| &found.evaluations);
    if let Some(table) = means(bytes, format, options, name, evaluations)? {
        let file = name.to_owned();
        return Err(RecordsError::Means { file, table }.into());
    }
    let found = found?;
    Ok(Imported {
        texts: crate::TextPlaces::default(),
        notices: taken_notice(&found, name).into_iter().collect(),
        records: found.evaluations,
        tool: None,
        direction: None,
        roles: found.roles,
    })
}

/// Returns the table of a file whose rows are means with their spread. The options say so, or its
/// columns do and no arm has two evaluations. `None` for any other file.
fn means(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    name: &str,
    records: Option<&Evaluations>,
) -> Result<Option<Box<Table>>> {
    if options.spread.is_some() || options.n.is_some() {
        return Ok(Some(Box::new(Table::read(bytes, format, name)?)));
    }
    let of_arms =
        |found: &Evaluations| found.is_wide() || found.records().len() > found.arms().len();
    if records.is_some_and(of_arms) {
        return Ok(None);
    }
    Ok(recognised_summaries(bytes, format, name).map(Box::new))
}

/// The tool that certainly wrote this file ([`Tool::recognise`]). Of a database or an archive, which
/// may be large, little is read.
///
/// # Errors
/// [`io::Error`] if the file cannot be read.
pub fn recognise_file(path: impl AsRef<Path>) -> io::Result<Option<Tool>> {
    of_file(path.as_ref()).map(|(_, tool)| tool)
}

/// Reads a file as [`of_file`] does, and refuses a form that is not read.
pub(crate) fn open(path: &Path) -> Result<(Vec<u8>, Option<Tool>)> {
    let file = words::file(path);
    let (bytes, tool) = of_file(path).map_err(RecordsError::unread(&file))?;
    forms::check(&bytes, &file)?;
    if bytes.starts_with(SQLITE) && bytes.len() as u64 > START {
        return Err(refused(format!(
            "{file}: this is a database that is compressed, and is read where it lies: unpack it first"
        )));
    }
    Ok((bytes, tool))
}

/// Returns the bytes of a file, and the tool that certainly wrote it. A text file is read whole and
/// unpacked; of a database, an archive or another form, only its beginning.
fn of_file(path: &Path) -> io::Result<(Vec<u8>, Option<Tool>)> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    file.by_ref().take(START).read_to_end(&mut bytes)?;
    let is_binary = bytes.starts_with(SQLITE) || inspect::is_archive(&bytes);
    if !is_binary && forms::of(&bytes).is_none() {
        bytes = rest(bytes, file, LARGEST_FILE)?;
    }
    let tool = match Tool::recognise(&bytes) {
        Some(Tool::Optuna) if is_binary => Some(tool_of_database(path)),
        other => other,
    };
    Ok((bytes, tool))
}

/// Returns the tool that wrote all of several files. `None` if none did.
pub(crate) fn common_tool(files: &[Found]) -> Result<Option<Tool>> {
    let (mut common, mut before) = (None, None);
    for file in files {
        let path = &file.path;
        let tool = open(path)?.1;
        match (before, common, tool) {
            (Some(_), None, None) => return Ok(None),
            (Some(before), Some(common), Some(tool)) if tool != common => {
                return Err(refused(format!(
                    "{} is of {common} and {} of {tool}: import the logs of each tool by themselves",
                    words::file(before),
                    words::file(path)
                )));
            }
            (Some(_), None, Some(tool)) => return Err(together::mixed(&words::file(path), tool)),
            (Some(before), Some(common), None) => {
                return Err(together::mixed(&words::file(before), common));
            }
            _ => {}
        }
        (before, common) = (Some(path.as_path()), tool);
    }
    Ok(common)
}
