//! The pool of items of a study (questions, tasks, documents): which there are, and how a job gets
//! at one.
//!
//! A pool is a file of JSON lines, a line an item, a table with a header, a row an item, a pattern
//! that files match, a file an item, or a list in the study itself. Items are numbered from 0 in the order of the lines,
//! the rows, or the files' names; which comes first in a study is for the study's seed to decide.

mod files;
mod groups;
mod kept;
mod lines;
mod rows;
#[cfg(feature = "report")]
mod texts;

use super::inputs::Seen;
pub(in crate::study) use crate::digest::Digest;
use crate::run::RunDirectory;
use fiesta_core::{Foreign, one_spelling};
use fiesta_records::{Format, excerpt, legible};
pub(in crate::study) use files::matching;
use groups::Groups;
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
};

/// The reason why a collection of items or documents cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ItemsError {
    /// The items that the study file names cannot be read. The text says why, with advice.
    #[error("{0}")]
    Unusable(String),
    /// The file of an item has changed since the study file was read.
    #[error(
        "the {noun} {} is no longer what it was in {}: the file was changed while the study ran; undo that, and run the study again", Foreign::new(id), path.display()
    )]
    Changed {
        /// The changed file.
        path: PathBuf,
        /// The word for what the file holds: an item or a document.
        noun: &'static str,
        /// The id of the item or document.
        id: String,
    },
    /// A document cannot be written to where its job expects it.
    #[error("cannot write {}: {source}; check the disk and its permissions", path.display())]
    Write {
        /// The file that cannot be written.
        path: PathBuf,
        /// Why the file cannot be written.
        source: io::Error,
    },
}

impl ItemsError {
    fn read(path: &Path, error: &io::Error) -> Self {
        Self::Unusable(format!("cannot read {}: {error}", path.display()))
    }
}

/// The key of the table \[design\] under which a study file names its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolKey {
    /// The key `items`, for items of any kind.
    Items,
    /// The key `documents`, with the placeholders and variables of documents.
    Documents,
}

impl PoolKey {
    /// Returns the word for one item under this key.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Items => "item",
            Self::Documents => "document",
        }
    }

    /// Returns the name of the key.
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Documents => "documents",
        }
    }
}

impl fmt::Display for PoolKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The key of the groups of items that are benchmarks.
pub(in crate::study) const BENCHMARK: &str = "benchmark";

/// The items of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Items {
    key: PoolKey,
    all: Vec<Item>,
    /// The file whose lines the items are, if they are lines.
    file: Option<PathBuf>,
    groups: Option<Groups>,
}

/// An item of a pool.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    id: String,
    /// Digest of the item's content when the study file was read.
    digest: Digest,
    content: Content,
}

/// Place of a document's content.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// The content is a file, with its state when the study file was read.
    File(PathBuf, Seen),
    /// The content is a line of a larger file, which begins at this byte and has this length in
    /// bytes.
    Line { start: u64, length: usize },
    /// The content is this JSON, from a row of a table or from the study itself.
    Row(Vec<u8>),
    /// The file of the content is gone: only the identity of the content is known.
    Gone,
}

impl Items {
    /// Reads the items that a study file names under this key; relative paths begin in `directory`.
    ///
    /// # Errors
    /// [`ItemsError`] if there are none, something in them cannot be read, or two of them have the
    /// same identity.
    pub fn read(directory: &Path, key: PoolKey, named: &str) -> Result<Self, ItemsError> {
        let is_pattern = named.contains(['*', '?', '[']);
        let path = directory.join(named);
        let format = Format::of_path(&path).filter(|_| !path.is_dir());
        let noun = key.noun();
        let (all, file) = if is_pattern {
            (files::read(directory, key, named)?, None)
        } else if format == Some(Format::JsonLines) {
            (lines::read(&path, noun, named)?, Some(path))
        } else if format == Some(Format::Csv) {
            (rows::read(&path, b',', noun, named)?, None)
        } else if format == Some(Format::Tsv) {
            (rows::read(&path, b'\t', noun, named)?, None)
        } else if path.is_dir() {
            return Err(ItemsError::Unusable(format!(
                "{key} = \"{named}\" is a directory: write a pattern for the files in it, such as \"{named}/*.txt\""
            )));
        } else {
            return Err(ItemsError::Unusable(format!(
                "{key} = \"{named}\" is neither a file of JSON lines, a line for each {noun}, whose name ends with .jsonl or .ndjson, nor a table with a header, a row for each {noun}, whose name ends with .csv or .tsv, nor a pattern for files, such as \"texts/*.txt\""
            )));
        };
        if all.is_empty() {
            return Err(ItemsError::Unusable(if is_pattern {
                format!(
                    "no file matches {key} = \"{named}\": the pattern is sought from the directory of the study file (`**` goes into directories, names that begin with a dot must be written so)"
                )
            } else {
                format!("{named} has no {noun}s: write one on each line")
            }));
        }
        Self::distinct(key, named, all, file)
    }

    /// Makes items of a list in the study file, each as if it were a line of JSON.
    ///
    /// # Errors
    /// [`ItemsError`] if there are none, or two of them have the same identity.
    pub(super) fn listed(key: PoolKey, values: &[Value]) -> Result<Self, ItemsError> {
        if values.is_empty() {
            let message = format!("{key} is an empty list: there must be an item at least");
            return Err(ItemsError::Unusable(message));
        }
        let named = "the list";
        let item = |(number, value): (usize, &Value)| {
            let content = value.to_string().into_bytes();
            Ok(Item {
                id: lines::id(value, key.noun(), named, number)?,
                digest: Digest::of(&content),
                content: Content::Row(content),
            })
        };
        let all: Result<_, ItemsError> = (1..).zip(values).map(item).collect();
        Self::distinct(key, named, all?, None)
    }

    /// Makes one pool of the pools of several benchmarks, with their names. An item's identity begins
    /// with the name of its benchmark, which is the item's group.
    ///
    /// # Errors
    /// [`ItemsError`] if a file cannot be read any more.
    pub(super) fn of_benchmarks(benchmarks: Vec<(String, Self)>) -> Result<Self, ItemsError> {
        let (mut all, mut of) = (Vec::new(), Vec::new());
        for (name, pool) in benchmarks {
            let contents = pool.lines()?;
            for (item, line) in pool.all.into_iter().zip(contents) {
                all.push(Item {
                    id: format!("{name}/{}", item.id),
                    digest: item.digest,
                    content: line.map_or(item.content, Content::Row),
                });
                of.push(name.clone());
            }
        }
        let key = BENCHMARK.to_owned();
        let pool = Self::distinct(PoolKey::Items, "the benchmarks", all, None)?;
        let groups = Some(Groups { key, of });
        Ok(Self { groups, ..pool })
    }

    /// Returns the number of items of each benchmark, in their order. Empty if there are none.
    pub(super) fn sizes_of_benchmarks(&self) -> Vec<u64> {
        let groups = self
            .groups
            .as_ref()
            .filter(|groups| groups.key == BENCHMARK);
        let of = groups.map_or(&[][..], |groups| &groups.of);
        let of = of.chunk_by(|one, next| one == next);
        of.map(|of| of.len() as u64).collect()
    }

    /// Makes the pool from its items, whose identities must differ.
    fn distinct(
        key: PoolKey,
        named: &str,
        all: Vec<Item>,
        file: Option<PathBuf>,
    ) -> Result<Self, ItemsError> {
        let noun = key.noun();
        let mut seen = HashMap::with_capacity(all.len());
        for (number, item) in all.iter().enumerate() {
            if let Some(first) = seen.insert(item.id.as_str(), number) {
                let (id, first, second) = (excerpt(&item.id), first + 1, number + 1);
                return Err(ItemsError::Unusable(format!(
                    "two {noun}s of {named} have the id `{id}`, number {first} and number {second}: ids must be distinct (a line without one has its number for an id)"
                )));
            }
        }
        Ok(Self {
            key,
            all,
            file,
            groups: None,
        })
    }

    /// Returns the warning about the first two items whose ids look the same: they differ in spaces
    /// alone, or in how Unicode writes a letter.
    pub(crate) fn look_alikes(&self) -> Option<String> {
        let mut seen: HashMap<_, usize> = HashMap::with_capacity(self.all.len());
        let mut pairs = (0..).zip(&self.all).filter_map(|(number, item)| {
            let first = seen.insert(one_spelling(&item.id), number)?;
            Some((first + 1, number + 1, &item.id))
        });
        let (first, second, id) = pairs.next()?;
        Some(format!(
            "two {}s have ids that look the same, `{}`, number {first} and number {second}: they count as two; are they one?",
            self.key.noun(),
            excerpt(id)
        ))
    }

    /// Returns the key under which the study file names the items.
    pub fn key(&self) -> PoolKey {
        self.key
    }

    /// Returns the number of items, at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty by construction")]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The identity of a document: the `id` of its line, or that line's number; or its file's name,
    /// below the part of the pattern that is no pattern.
    ///
    /// # Panics
    /// If there are not so many documents.
    pub fn id(&self, number: u64) -> &str {
        &self.item(number).id
    }

    /// Returns the numbers of all items by their identities: in the form of files of results, and
    /// in their own form where no other item has that name.
    pub(super) fn numbers(&self) -> HashMap<Cow<'_, str>, u64> {
        let ids = || self.all.iter().map(|item| item.id.as_str()).zip(0..);
        let mut numbers: HashMap<Cow<'_, str>, u64> =
            ids().map(|(id, number)| (legible(id), number)).collect();
        for (id, number) in ids() {
            numbers.entry(Cow::Borrowed(id)).or_insert(number);
        }
        numbers
    }

    /// Returns the numbers of all items by their ids, as they are in their file.
    pub(super) fn by_id(&self) -> HashMap<&str, u64> {
        let ids = self.all.iter().map(|item| item.id.as_str());
        ids.zip(0..).collect()
    }

    fn item(&self, number: u64) -> &Item {
        let place =
            usize::try_from(number).expect("a document's number counts documents in memory");
        &self.all[place]
    }

    /// Returns the digest that distinguishes the item's content from any other.
    pub(super) fn digest(&self, number: u64) -> Digest {
        self.item(number).digest
    }

    /// Returns the path of the file with an item's content, for a job with this run directory.
    pub(super) fn path(&self, number: u64, run: &Path) -> PathBuf {
        match &self.item(number).content {
            Content::File(path, _) => path.clone(),
            Content::Line { .. } | Content::Row(_) | Content::Gone => {
                RunDirectory::new(run).document()
            }
        }
    }

    /// Checks that an item that is a file of its own is what it was when the study file was read.
    ///
    /// # Errors
    /// [`ItemsError::Changed`] if it is not.
    pub(super) fn check(&self, number: u64) -> Result<(), ItemsError> {
        match &self.item(number).content {
            Content::File(path, seen) if !seen.is_current(path) => {
                Err(self.changed(number, path.clone()))
            }
            _ => Ok(()),
        }
    }

    fn changed(&self, number: u64, path: PathBuf) -> ItemsError {
        ItemsError::Changed {
            path,
            noun: self.key.noun(),
            id: self.id(number).to_owned(),
        }
    }

    /// Writes the item to the file where its job looks for it, unless it is a file already.
    pub(super) fn place(&self, number: u64, run: &Path) -> Result<(), ItemsError> {
        self.check(number)?;
        let Some(content) = self.content(number)? else {
            return Ok(());
        };
        let run = RunDirectory::new(run);
        run.write_document(&content)
            .map_err(|source| ItemsError::Write {
                path: run.document(),
                source,
            })
    }

    /// Returns the JSON of an item. `None` if the item is a file.
    fn content(&self, number: u64) -> Result<Option<Vec<u8>>, ItemsError> {
        let item = self.item(number);
        let (start, length) = match (&item.content, &self.file) {
            (Content::Row(content), _) => return Ok(Some(content.clone())),
            (Content::Line { start, length }, Some(_)) => (*start, *length),
            _ => return Ok(None),
        };
        let file = self.file.clone().unwrap_or_default();
        let content = lines::read_one(&file, start, length)?;
        if Digest::of(&content) == item.digest {
            return Ok(Some(content));
        }
        Err(self.changed(number, file))
    }

    /// Returns the item as an evaluation gets it: its JSON, or its path if it is a file.
    ///
    /// # Errors
    /// [`ItemsError`] if its file cannot be read any more, or has changed.
    ///
    /// # Panics
    /// If there are not so many items.
    pub fn object(&self, number: u64) -> Result<Value, ItemsError> {
        self.value(number, Path::new(""))
    }

    /// Returns the item as a worker gets it: its JSON, or its path if it is a file.
    pub(super) fn value(&self, number: u64, run: &Path) -> Result<Value, ItemsError> {
        let path = || Value::from(self.path(number, run).to_string_lossy().into_owned());
        // It was JSON when it was read first, and is what it was.
        let parsed = self
            .text(number)?
            .map(|text| serde_json::from_str(&text).unwrap_or_default());
        Ok(parsed.unwrap_or_else(path))
    }

    /// The JSON of an item as it stands in its file, with all digits of its numbers. `None` if it
    /// is a file of its own.
    pub(super) fn text(&self, number: u64) -> Result<Option<String>, ItemsError> {
        let content = self.content(number)?;
        Ok(content.map(|content| String::from_utf8_lossy(content.trim_ascii()).into_owned()))
    }

    /// Returns an item's JSON as text if parsing it would lose digits. `None` otherwise.
    pub(super) fn digits(&self, number: u64) -> Result<Option<String>, ItemsError> {
        let is_other = |text: &String| {
            let value: Option<Value> = serde_json::from_str(text).ok();
            let spaceless =
                |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
            value.is_some_and(|value| spaceless(&value.to_string()) != spaceless(text))
        };
        Ok(self.text(number)?.filter(is_other))
    }

    /// Returns the ledger's record of the collection: the number of items, and a digest of all
    /// identities and contents. Any addition, removal, renaming or edit changes it.
    pub(super) fn fingerprint(&self) -> serde_json::Value {
        let mut digest = Digest::default();
        for document in &self.all {
            digest.add(document.id.as_bytes());
            digest.add(&document.digest.bytes());
        }
        serde_json::json!({ "count": self.len(), "digest": digest.to_string() })
    }
}

#[cfg(test)]
mod tests;
