//! Why a collection of documents cannot be used.

use std::{io, path::PathBuf};

/// Why a collection of documents cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentsError {
    /// The name is that of a directory.
    #[error(
        "documents = \"{0}\" is a directory: write a pattern for the files in it, such as \"{0}/*.txt\""
    )]
    Directory(String),
    /// The name is neither of JSON lines nor a pattern, or there is no such file.
    #[error(
        "documents = \"{0}\" is neither a file of JSON lines, a line for each document, whose name ends with .jsonl or .ndjson, nor a pattern for files, such as \"texts/*.txt\""
    )]
    Neither(String),
    /// The pattern is none.
    #[error("documents = \"{named}\" is no pattern: {reason}")]
    Pattern {
        /// As the study file has it.
        named: String,
        /// What is wrong.
        reason: String,
    },
    /// No file matches.
    #[error(
        "no file matches documents = \"{0}\": the pattern is sought from the directory of the study file (`**` goes into directories, names that begin with a dot must be written so)"
    )]
    NoMatch(String),
    /// A file of JSON lines without lines.
    #[error("{0} has no documents: write one on each line, as JSON")]
    NoLine(String),
    /// Something that matches is no file.
    #[error(
        "{0} matches the pattern of the documents and is no file: write a pattern that only documents match"
    )]
    NotAFile(String),
    /// A name that cannot be put into a command.
    #[error("the document {0} has a name that is not UTF-8: rename it")]
    Name(String),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is no JSON.
    #[error("{named}:{line}: the document is no JSON: {reason}")]
    NotJson {
        /// The file, as the study file names it.
        named: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The `id` of a line is nothing that could name a document.
    #[error(
        "{named}:{line}: the document's id is {found}: write a text that is not empty, or a whole number; a text may have no zero byte"
    )]
    Id {
        /// The file, as the study file names it.
        named: String,
        /// The line, from 1.
        line: usize,
        /// What it is.
        found: String,
    },
    /// Two documents have the same identity.
    #[error(
        "two documents of {named} have the id `{id}`, number {first} and number {second}: ids must be distinct (a line without one has its number for an id)"
    )]
    Duplicate {
        /// As the study file has it.
        named: String,
        /// The id.
        id: String,
        /// The number of the first, from 1.
        first: usize,
        /// The number of the second, from 1.
        second: usize,
    },
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
