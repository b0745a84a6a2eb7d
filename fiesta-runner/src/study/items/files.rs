//! Items of a pool that are one file each, found by a pattern of names, and their digests.

use super::{Content, Item, ItemsError, PoolKey, Seen};
use glob::{GlobError, MatchOptions, Pattern, glob_with};
use std::path::{Component, Path, PathBuf};

/// Options for patterns that match as in shells: `*` stays within a directory, and skips names that
/// begin with a dot.
const AS_SHELLS_DO: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// Returns the files that match a pattern as items, sorted by name.
///
/// Every file is read once, for its digest, so that one that cannot be read is found before the
/// first job is run.
pub(super) fn read(directory: &Path, key: PoolKey, named: &str) -> Result<Vec<Item>, ItemsError> {
    let below = directory.join(without_patterns(named));
    let matches = matching(directory, named)
        .map_err(|reason| ItemsError::Unusable(format!("{key} = \"{named}\" {reason}")))?;
    let mut items = Vec::new();
    for path in matches {
        items.push(item(path, key, &below)?);
    }
    items.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(items)
}

/// Returns the paths that match a pattern, which is relative to this directory. The error says why
/// there are none.
pub(in crate::study) fn matching(directory: &Path, named: &str) -> Result<Vec<PathBuf>, String> {
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
    let matches = glob_with(pattern, AS_SHELLS_DO)
        .map_err(|error| format!("is no pattern: {}", error.msg))?;
    let unreadable = |error: GlobError| {
        format!(
            "cannot be sought: {}: {}",
            error.path().display(),
            error.error()
        )
    };
    matches.map(|path| path.map_err(unreadable)).collect()
}

fn item(path: PathBuf, key: PoolKey, below: &Path) -> Result<Item, ItemsError> {
    if path.to_str().is_none() {
        return Err(ItemsError::Unusable(format!(
            "the {} {} has a name that is not UTF-8: rename it",
            key.noun(),
            path.to_string_lossy()
        )));
    }
    if path.is_dir() {
        return Err(ItemsError::Unusable(format!(
            "{} matches the pattern of the {key} and is no file: write a pattern that only {key} match",
            path.display()
        )));
    }
    let seen = Seen::look(&path, None).map_err(|error| ItemsError::read(&path, &error))?;
    let name = path.strip_prefix(below).unwrap_or(&path);
    Ok(Item {
        id: name.to_string_lossy().into_owned(),
        digest: seen.digest,
        content: Content::File(path, seen),
    })
}

/// Returns the first directories of a pattern, up to the first part with a wildcard.
fn without_patterns(named: &str) -> PathBuf {
    Path::new(named)
        .components()
        .take_while(|component| match component {
            Component::Normal(name) => !name.to_string_lossy().contains(['*', '?', '[']),
            _ => true,
        })
        .collect()
}
