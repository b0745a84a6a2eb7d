//! Documents of a study that are one file each, found by a pattern of names, and their digests.

use super::{Content, Digest, Document, DocumentsError};
use glob::{MatchOptions, Pattern, glob_with};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// As shells do: `*` stays within a directory and passes over names that begin with a dot.
const AS_SHELLS_DO: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// The documents whose files match, by their names.
///
/// Every file is read once, for its digest, so that one that cannot be read is found before the
/// first job is run.
pub(super) fn read(directory: &Path, named: &str) -> Result<Vec<Document>, DocumentsError> {
    let below = directory.join(without_patterns(named));
    // What the directory itself is called is no pattern.
    let pattern = format!(
        "{}/{named}",
        Pattern::escape(&directory.to_string_lossy()).trim_end_matches('/')
    );
    let pattern = if Path::new(named).is_absolute() {
        named
    } else {
        &pattern
    };
    let matches = glob_with(pattern, AS_SHELLS_DO).map_err(|error| {
        let reason = error.msg;
        DocumentsError::Unusable(format!("documents = \"{named}\" is no pattern: {reason}"))
    })?;
    let mut documents = Vec::new();
    for path in matches {
        let path = path.map_err(|error| DocumentsError::read(error.path(), error.error()))?;
        documents.push(document(path, &below)?);
    }
    documents.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(documents)
}

fn document(path: PathBuf, below: &Path) -> Result<Document, DocumentsError> {
    if path.to_str().is_none() {
        return Err(DocumentsError::Unusable(format!(
            "the document {} has a name that is not UTF-8: rename it",
            path.to_string_lossy()
        )));
    }
    if path.is_dir() {
        return Err(DocumentsError::Unusable(format!(
            "{} matches the pattern of the documents and is no file: write a pattern that only documents match",
            path.display()
        )));
    }
    let content = fs::read(&path).map_err(|error| DocumentsError::read(&path, &error))?;
    let name = path.strip_prefix(below).unwrap_or(&path);
    Ok(Document {
        id: name.to_string_lossy().into_owned(),
        digest: Digest::of(&content),
        content: Content::File(path),
    })
}

/// The directories that a pattern begins with, before the first part that has a wildcard.
fn without_patterns(named: &str) -> PathBuf {
    Path::new(named)
        .components()
        .take_while(|component| match component {
            Component::Normal(name) => !name.to_string_lossy().contains(['*', '?', '[']),
            _ => true,
        })
        .collect()
}
