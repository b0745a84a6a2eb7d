//! Several tables with the same columns: a file for each arm, or the parts of one table.
//!
//! The rows of all files become one table, which is read as any other; what is wrong with a row is
//! told with its own file and line.

use crate::{
    ImportError, Imported, Result, Tool, cross_validate,
    directory::Found,
    error::refused,
    open::{open, taken_notice},
    plain_path,
    pool::stem,
    versions::VersionTable,
};
use fiesta_records::{
    Format, Reading, RecordsError, RowProblem, names_arms, names_items, role_of_column,
    table::{Table, push_row},
    understand,
    words::{self, excerpt, quoted},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Name of the column of the arms if each file is an arm.
const ARM: &str = "arm";

/// Notice that no column names the arms, which are called by their files.
const BY_FILE: &str = "the arms are called by their files";

/// A file that is read together with others, and its table.
pub(crate) struct Part {
    pub(crate) file: String,
    /// Name of the file without folder and extension.
    name: String,
    pub(crate) table: Table,
}

impl Part {
    /// Reads a file; `refuse` is told of a log of answers.
    fn read(
        path: &Path,
        wanted: Option<Tool>,
        refuse: impl Fn(&str, Tool) -> ImportError,
    ) -> Result<Self> {
        let file = words::file(path);
        let (bytes, tool) = open(path)?;
        let format = Format::of_path(plain_path(path));
        let table = match (wanted, tool) {
            (Some(Tool::Sklearn), _) => cross_validate::table(&bytes, format, &file)?,
            (_, Some(tool)) => return Err(refuse(&file, tool)),
            _ => Table::read(&bytes, format, &file)?,
        };
        let name = stem(&file).trim().to_owned();
        Ok(Self { file, name, table })
    }

    /// Reads the table of a version, which messages call by its name.
    fn of_version(name: &str, version: &VersionTable<'_>) -> Result<Self> {
        let read = match version {
            VersionTable::File(path) => Self::read(path, None, named_log)?,
            VersionTable::JsonLines(lines) => Self {
                table: Table::read(lines.as_bytes(), Some(Format::JsonLines), name)?,
                file: name.to_owned(),
                name: String::new(),
            },
        };
        let name = name.trim().to_owned();
        Ok(Self { name, ..read })
    }

    /// Reads several files as one table. They must have the same columns.
    fn all<'p>(paths: impl Iterator<Item = &'p Path>, tool: Option<Tool>) -> Result<Vec<Self>> {
        let parts = paths.map(|path| Self::read(path, tool, mixed));
        let parts = parts.collect::<Result<Vec<Self>>>()?;
        same_columns(&parts)?;
        Ok(parts)
    }

    /// Returns the names of the table's columns, without columns that have no name.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        let names = self.table.columns().iter().map(|name| name.trim());
        names.filter(|name| !name.is_empty())
    }

    /// Returns the place of the column with this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        let mut names = self.table.columns().iter();
        names.position(|own| own.trim() == name.trim())
    }

    /// Returns the rows with this value in a column, without the column. `None` if there are none.
    pub(crate) fn only(&self, column: &str, value: &str) -> Option<Self> {
        let place = self.place(column)?;
        let names = self.table.columns().iter().enumerate();
        let others: Vec<usize> = { names.clone() }
            .filter_map(|(other, _)| (other != place).then_some(other))
            .collect();
        let mut table = Table::new(others.iter().map(|&other| &*self.table.columns()[other]));
        for row in self.table.rows() {
            if row.cell(place) == Some(value) {
                table.push(row.line, others.iter().map(|&other| row.cell(other)));
            }
        }
        (!table.rows().is_empty()).then(|| Self {
            file: self.file.clone(),
            name: self.name.clone(),
            table,
        })
    }

    /// Returns the cells of these columns, row by row.
    fn cells<'t>(&'t self, names: &[&str]) -> Vec<Vec<Option<&'t str>>> {
        let place = |name: &&str| {
            self.table
                .columns()
                .iter()
                .position(|own| own.trim() == *name)
        };
        let places: Vec<Option<usize>> = names.iter().map(place).collect();
        let rows = self.table.rows().iter();
        let cells = rows.map(|row| places.iter().map(|place| row.cell((*place)?)).collect());
        cells.collect()
    }
}

/// Refuses a log of answers among several tables.
pub(crate) fn mixed(file: &str, tool: Tool) -> ImportError {
    refused(format!(
        "{file} is a log of {tool}, and the other files are no tool's: read the logs by themselves, or name the tool with --from"
    ))
}

/// Refuses a log of answers as the table of a version.
fn named_log(file: &str, tool: Tool) -> ImportError {
    refused(format!(
        "{file} is a log of {tool}, and no table beside which another one could be read: give the paths of all versions alone, without names"
    ))
}

fn refuse_gold(options: &Reading) -> Result<()> {
    match options.gold {
        None => Ok(()),
        Some(_) => Err(refused(
            "--gold is about one table with a column of predictions for each arm: put the predictions into one file",
        )),
    }
}

/// Reads tables with the same columns.
pub(crate) fn read(paths: &[&Path], options: &Reading) -> Result<Imported> {
    refuse_gold(options)?;
    of_parts(&Part::all(paths.iter().copied(), None)?, options)
}

/// Reads tables of versions that have names of their own, by the columns that all of them have.
pub(crate) fn read_named(
    versions: &[(&str, VersionTable<'_>)],
    options: &Reading,
) -> Result<Imported> {
    refuse_gold(options)?;
    let parts = { versions.iter() }.map(|(name, version)| Part::of_version(name, version));
    let parts = parts.collect::<Result<Vec<Part>>>()?;
    if parts.is_empty() {
        return Err(refused("there is no version to read"));
    }
    if shared(&parts).is_empty() {
        same_columns(&parts)?;
    }
    let mut found = joined(&parts, options, true)?.0;
    let all: BTreeSet<&str> = parts.iter().flat_map(Part::columns).collect();
    let shared = shared(&parts);
    let others: Vec<&str> = { all.into_iter() }
        .filter(|name| !shared.contains(name))
        .collect();
    if !others.is_empty() {
        found.notices.push(format!(
            "columns that not all versions have are left out: {}",
            quoted(others)
        ));
    }
    Ok(found)
}

/// Returns the tables of files that no tool wrote.
pub(crate) fn tables(files: &[Found]) -> Result<Vec<Part>> {
    Part::all(files.iter().map(|file| file.path.as_path()), None)
}

/// Reads tables with the same columns, of which there is at least one.
pub(crate) fn of_parts(parts: &[Part], options: &Reading) -> Result<Imported> {
    let (mut found, by_file) = joined(parts, options, parts.len() > 1)?;
    if by_file {
        found.notices.insert(0, BY_FILE.to_owned());
    }
    Ok(found)
}

/// Reads parts with the same columns, and returns whether they are arms that are called by their names,
/// which only several parts or named ones may be.
fn joined(parts: &[Part], options: &Reading, may_be_arms: bool) -> Result<(Imported, bool)> {
    let mut columns = shared(parts);
    let by_file = may_be_arms && is_by_file(&columns, options)?;
    // Versions of one arm may be told apart by their files alone (--arm file).
    columns.retain(|name| !by_file || *name != ARM);
    let mut options = options.clone();
    let mut notices = Vec::new();
    if by_file {
        apart(parts)?;
        options.columns.arm = None;
        notices.extend(join(&columns, parts, &mut options));
    }
    let joined = Joined::of(&columns, parts, by_file);
    let (text, first) = (joined.text.as_bytes(), &parts[0].file);
    let found = understand(text, Some(Format::Tsv), &options, first)
        .map_err(|error| joined.located(error, parts))?;
    notices.extend(taken_notice(&found, first));
    let found = Imported {
        texts: crate::TextPlaces::default(),
        records: found.evaluations.with_lines(|line| joined.place(line).1),
        tool: None,
        direction: None,
        notices,
        roles: found.roles,
    };
    Ok((found, by_file))
}

/// Reads what scikit-learn's `cross_validate` returned in several files: one for each model, or parts
/// of one table. Folds of the same number are the same split.
pub(crate) fn cross_validations(files: &[Found], options: &Reading) -> Result<Imported> {
    let paths = files.iter().map(|file| file.path.as_path());
    let parts = Part::all(paths, Some(Tool::Sklearn))?;
    let columns: Vec<&str> = parts[0].columns().collect();
    if !cross_validate::is(&columns) {
        return Err(refused(
            "of scikit-learn's results, only those of `cross_validate` are read several files at a time: read each search by itself",
        ));
    }
    let mut options = options.clone();
    let by_file = is_by_file(&columns, &options)?;
    if by_file {
        apart(&parts)?;
        options.columns.arm = None;
    }
    let arm = by_file.then_some(ARM);
    let mut whole = Table::new(arm.into_iter().chain(columns.iter().copied()));
    for part in &parts {
        // What is wrong in a file is told with its own name.
        cross_validate::read(&part.table, &options, &part.file)?;
        for (row, cells) in part.table.rows().iter().zip(part.cells(&columns)) {
            let name = by_file.then_some(Some(part.name.as_str()));
            whole.push(row.line, name.into_iter().chain(cells));
        }
    }
    if by_file {
        options.columns.arm = Some(ARM.to_owned());
    }
    let mut found = cross_validate::read(&whole, &options, &parts[0].file)?;
    let of_rows = "folds of the same number are taken for the same split in all files";
    let said = by_file.then_some(BY_FILE).into_iter().chain([of_rows]);
    found.notices.extend(said.map(str::to_owned));
    Ok(found)
}

/// Returns the columns of the first part that all have.
fn shared(parts: &[Part]) -> Vec<&str> {
    let is_shared =
        |name: &&str| { parts.iter() }.all(|part| part.columns().any(|own| own == *name));
    parts[0].columns().filter(is_shared).collect()
}

/// Refuses files whose columns differ.
fn same_columns(parts: &[Part]) -> Result<()> {
    let columns: Vec<&str> = parts[0].columns().collect();
    let known: BTreeSet<&str> = columns.iter().copied().collect();
    let other = parts
        .iter()
        .find(|part| part.columns().collect::<BTreeSet<_>>() != known);
    match other {
        None => Ok(()),
        Some(other) => Err(refused(format!(
            "{}: the columns are {}, and in {} they are {}: files are read together only if they have the same columns",
            other.file,
            quoted(other.columns()),
            parts[0].file,
            quoted(&columns)
        ))),
    }
}

/// Returns whether no column names the arms, which are then called by their files.
fn is_by_file(columns: &[&str], options: &Reading) -> Result<bool> {
    match options.columns.arm.as_deref().map(str::trim) {
        None => Ok(!columns.iter().any(|name| *name == ARM || names_arms(name))),
        Some(asked) if columns.contains(&asked) => Ok(false),
        Some(ARM | "file") => Ok(true),
        Some(asked) => Err(refused(format!(
            "the files have no column `{}` (--arm), only {}: name another one, or leave --arm out, and the arms are called by their files",
            excerpt(asked),
            quoted(columns)
        ))),
    }
}

/// Refuses two files with equal names, as both would be one arm.
fn apart(parts: &[Part]) -> Result<()> {
    let mut owners = BTreeMap::new();
    for part in parts {
        if let Some(first) = owners.insert(&part.name, &part.file) {
            return Err(refused(format!(
                "{}: the arm would be called `{}` by its file, as that of {first}: rename one of the two, or add a column `arm`",
                part.file,
                excerpt(&part.name)
            )));
        }
    }
    Ok(())
}

/// Sets the columns by which rows of different files belong together, unless the options name them.
/// Returns a notice about them.
fn join(columns: &[&str], parts: &[Part], options: &mut Reading) -> Option<String> {
    let of_role = |role| {
        let mut of = columns
            .iter()
            .filter(move |name| role_of_column(name) == Some(role));
        of.next().map(|name| (*name).to_owned())
    };
    let named = &mut options.columns;
    named.seed = named.seed.take().or_else(|| of_role("seed"));
    if options.paired_rows || named.item.is_some() || named.split.is_some() {
        return None;
    }
    let seed = named.seed.as_deref();
    let candidates: Vec<&str> = columns
        .iter()
        .copied()
        .filter(|name| names_items(name))
        .collect();
    let each = candidates.iter().map(|name| vec![*name]);
    let mut ways = each
        .chain([candidates.clone()])
        .filter(|names| !names.is_empty());
    if let Some(item) = ways.find(|names| tell_apart(names, seed, parts)) {
        let item = item.join("+");
        let said = format!(
            "rows belong together that have the same `{}`",
            excerpt(&item)
        );
        named.item = Some(item);
        return Some(said);
    }
    named.split = of_role("split");
    named.split.is_none().then(|| {
        "no column says which rows of the files belong together: --paired-rows says that the k-th rows do".to_owned()
    })
}

/// Returns whether these columns, with the seed's, tell the rows of each file apart, and rows of
/// two files agree in them.
fn tell_apart(names: &[&str], seed: Option<&str>, parts: &[Part]) -> bool {
    let with_seed: Vec<&str> = names.iter().copied().chain(seed).collect();
    let mut known = BTreeSet::new();
    let mut is_shared = false;
    for part in parts {
        let rows = part.cells(&with_seed);
        let of_part: BTreeSet<&Vec<Option<&str>>> = rows.iter().collect();
        let is_whole = rows
            .iter()
            .all(|row| row[..names.len()].iter().all(Option::is_some));
        if of_part.len() < rows.len() || !is_whole {
            return false;
        }
        for item in part.cells(names).into_iter().collect::<BTreeSet<_>>() {
            is_shared |= !known.insert(item);
        }
    }
    is_shared
}

/// All rows of the files, as one table with tabs.
struct Joined {
    text: String,
    /// Line of the file on which each row begins, with the number of the file.
    origins: Vec<(u64, usize, u64)>,
}

impl Joined {
    fn of(columns: &[&str], parts: &[Part], by_file: bool) -> Self {
        let mut joined = Self {
            text: String::new(),
            origins: Vec::new(),
        };
        let arm = |name| by_file.then_some(name);
        let header = arm(ARM).into_iter().chain(columns.iter().copied());
        let mut line = 1 + push_row(&mut joined.text, header);
        for (number, part) in parts.iter().enumerate() {
            for (row, cells) in part.table.rows().iter().zip(part.cells(columns)) {
                joined.origins.push((line, number, row.line));
                let cells = cells.into_iter().map(Option::unwrap_or_default);
                let cells = arm(part.name.as_str()).into_iter().chain(cells);
                line += push_row(&mut joined.text, cells);
            }
        }
        joined
    }

    /// Returns the file's number, and the line in this file, of the row on a line of the joined table.
    fn place(&self, line: u64) -> (usize, u64) {
        let after = self.origins.partition_point(|(begins, ..)| *begins <= line);
        let row = after.checked_sub(1).and_then(|row| self.origins.get(row));
        row.map_or((0, 1), |&(_, part, line)| (part, line))
    }

    /// Returns an error with the file and the line of the row that it is about.
    fn located(&self, error: RecordsError, parts: &[Part]) -> ImportError {
        let at = |line| {
            let (part, line) = self.place(line);
            (parts[part].file.clone(), line)
        };
        match error {
            RecordsError::Row {
                line,
                problem:
                    problem @ (RowProblem::Duplicate { first, .. }
                    | RowProblem::DuplicateItem { first, .. }),
                ..
            } => {
                let ((file, line), (first_file, first_line)) = (at(line), at(first));
                let place = format!("is in {first_file}:{first_line} already");
                let problem = problem.to_string();
                let told = problem.replace(&format!("is on line {first} already"), &place);
                refused(format!("{file}:{line}: {told}"))
            }
            RecordsError::Row {
                line,
                problem,
                further,
                ..
            } => {
                let (file, line) = at(line);
                RecordsError::Row {
                    file,
                    line,
                    problem,
                    further,
                }
                .into()
            }
            RecordsError::Columns { problem, proposal } => match self.located(*problem, parts) {
                ImportError::Records(problem) => {
                    let problem = Box::new(problem);
                    RecordsError::Columns { problem, proposal }.into()
                }
                other => other,
            },
            other => other.into(),
        }
    }
}
