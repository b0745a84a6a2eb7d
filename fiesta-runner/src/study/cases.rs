//! What a study evaluates its arms on: splits, or documents.

use super::{Documents, StudyError, error::Source, file::DesignTable};
use fiesta_core::Design;
use std::path::Path;
use toml::Spanned;

/// The design of a study file, and the documents if it is of documents; relative names begin in `directory`.
///
/// A random search keeps to one split unless the file says otherwise: its best score is that of a setting, where splits that differ
/// would make it in part that of an easy split.
pub(super) fn cases(
    source: &Source<'_>,
    design: &DesignTable,
    directory: &Path,
    is_search: bool,
) -> Result<(Design, Option<Documents>), StudyError> {
    match (&design.splits, &design.documents) {
        (Some(splits), Some(_)) => {
            let message = "a study is of splits or of documents: leave splits or documents out";
            Err(source.wrong(Some(splits.span()), message))
        }
        (None, Some(named)) => {
            let documents = Documents::read(directory, named.get_ref())
                .map_err(|error| source.wrong(Some(named.span()), error))?;
            let count = documents.len() as u64;
            Ok((Design::Documents { count }, Some(documents)))
        }
        (Some(splits), None) => splits
            .get_ref()
            .parse()
            .map(|design| (design, None))
            .map_err(|error| source.wrong(Some(splits.span()), error)),
        (None, None) if is_search => Ok((Design::Fixed, None)),
        (None, None) => Ok((Design::default(), None)),
    }
}

/// Checks the least number of documents that the two best arms must have, against how many there are.
pub(super) fn least_documents(
    source: &Source<'_>,
    given: Option<&Spanned<u64>>,
    documents: Option<&Documents>,
    has_confidence: bool,
) -> Result<(), StudyError> {
    let Some(given) = given else {
        return Ok(());
    };
    let least = *given.get_ref();
    let message = match documents.map(Documents::len) {
        None => "min_documents is for a study of documents: name them under [design], or leave it out"
            .to_owned(),
        Some(_) if !has_confidence => {
            "min_documents holds back the confidence, and this study ends by its budget alone: give it a confidence, too"
                .to_owned()
        }
        Some(_) if least == 0 => "min_documents must be at least 1".to_owned(),
        Some(count) if least > count as u64 => {
            format!("min_documents = {least} is more than the {count} documents that there are")
        }
        Some(_) => return Ok(()),
    };
    Err(source.wrong(Some(given.span()), message))
}
