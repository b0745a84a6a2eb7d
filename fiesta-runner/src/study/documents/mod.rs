//! The documents of a study: which there are, and how a job gets at one.
//!
//! A collection is a file of JSON lines, one line a document, or a pattern that files match, one
//! file a document. Its documents are numbered from 0 in the order of the lines, or of the files'
//! names; which comes first in a study is for the study's seed to decide.

mod files;
mod lines;

pub(in crate::study) use crate::digest::Digest;
use crate::run::RunDirectory;
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

/// Why a collection of documents cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentsError {
    /// The study file names none that could be read: what is wrong, and what to do.
    #[error("{0}")]
    Unusable(String),
    /// The file is not what it was when the study file was read.
    #[error(
        "the document {id} is no longer what it was in {}: the file was changed while the study ran; undo that, and run the study again", path.display()
    )]
    Changed {
        /// Which file.
        path: PathBuf,
        /// Which document.
        id: String,
    },
    /// A document cannot be written to where its job expects it.
    #[error("cannot write {}: {source}; check the disk and its permissions", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl DocumentsError {
    fn read(path: &Path, error: &io::Error) -> Self {
        Self::Unusable(format!("cannot read {}: {error}", path.display()))
    }
}

/// A collection of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Documents {
    all: Vec<Document>,
    /// The file whose lines they are, if they are lines.
    file: Option<PathBuf>,
}

/// One document.
#[derive(Debug, Clone, PartialEq)]
struct Document {
    id: String,
    /// What it held when the study file was read.
    digest: Digest,
    content: Content,
}

/// Where a document's content is.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// In a file of its own.
    File(PathBuf),
    /// In a part of a larger file: where a line begins, and how many bytes it has.
    Line { start: u64, length: usize },
}

impl Documents {
    /// Reads the collection that a study file names; relative paths begin in `directory`.
    ///
    /// # Errors
    /// [`DocumentsError`] if there is no such collection, it is empty, something in it cannot be
    /// read, or two documents have the same identity.
    pub fn read(directory: &Path, named: &str) -> Result<Self, DocumentsError> {
        let is_pattern = named.contains(['*', '?', '[']);
        let path = directory.join(named);
        let (all, file) = if is_pattern {
            (files::read(directory, named)?, None)
        } else if lines::are_in(&path) {
            (lines::read(&path, named)?, Some(path))
        } else if path.is_dir() {
            return Err(DocumentsError::Unusable(format!(
                "documents = \"{named}\" is a directory: write a pattern for the files in it, such as \"{named}/*.txt\""
            )));
        } else {
            return Err(DocumentsError::Unusable(format!(
                "documents = \"{named}\" is neither a file of JSON lines, a line for each document, whose name ends with .jsonl or .ndjson, nor a pattern for files, such as \"texts/*.txt\""
            )));
        };
        if all.is_empty() {
            return Err(DocumentsError::Unusable(match file {
                Some(_) => format!("{named} has no documents: write one on each line, as JSON"),
                None => format!(
                    "no file matches documents = \"{named}\": the pattern is sought from the directory of the study file (`**` goes into directories, names that begin with a dot must be written so)"
                ),
            }));
        }
        let mut seen = HashMap::with_capacity(all.len());
        for (number, document) in all.iter().enumerate() {
            if let Some(first) = seen.insert(document.id.as_str(), number) {
                let (id, first, second) = (&document.id, first + 1, number + 1);
                return Err(DocumentsError::Unusable(format!(
                    "two documents of {named} have the id `{id}`, number {first} and number {second}: ids must be distinct (a line without one has its number for an id)"
                )));
            }
        }
        Ok(Self { all, file })
    }

    /// How many there are, at least one.
    #[allow(clippy::len_without_is_empty, reason = "never empty by construction")]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The identity of a document: the `id` of its line, or that line's number; or its file's name,
    /// below the part of the pattern that is no pattern.
    ///
    /// # Panics
    /// If there are not so many documents.
    pub fn id(&self, number: u64) -> &str {
        &self.document(number).id
    }

    /// The numbers of all documents, by their identities.
    pub(super) fn numbers(&self) -> HashMap<&str, u64> {
        let ids = self.all.iter().map(|document| document.id.as_str());
        ids.zip(0..).collect()
    }

    fn document(&self, number: u64) -> &Document {
        let place =
            usize::try_from(number).expect("a document's number counts documents in memory");
        &self.all[place]
    }

    /// The file that a job whose run has this directory finds the document in.
    pub(super) fn path(&self, number: u64, run: &Path) -> PathBuf {
        match &self.document(number).content {
            Content::File(path) => path.clone(),
            Content::Line { .. } => RunDirectory::new(run).document(),
        }
    }

    /// Sees to it that the document is in that file.
    pub(super) fn place(&self, number: u64, run: &Path) -> Result<(), DocumentsError> {
        let document = self.document(number);
        let (Some(file), Content::Line { start, length }) = (&self.file, &document.content) else {
            return Ok(());
        };
        let content = lines::read_one(file, *start, *length)?;
        if Digest::of(&content) != document.digest {
            return Err(DocumentsError::Changed {
                path: file.clone(),
                id: document.id.clone(),
            });
        }
        let run = RunDirectory::new(run);
        run.write_document(&content)
            .map_err(|source| DocumentsError::Write {
                path: run.document(),
                source,
            })
    }

    /// What a ledger records of the collection: how many documents it has, and a digest of every
    /// identity and content. Whatever is added, removed, renamed or edited changes it.
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
