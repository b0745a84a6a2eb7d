//! What a study evaluates its arms on: splits, or documents.

use super::{Documents, StudyError, error::Source, file::DesignTable};
use fiesta_core::Design;
use std::path::Path;
use toml::{Spanned, Value};

/// The splits or documents of a study.
pub(super) struct Cases {
    pub(super) design: Design,
    /// How many splits there are, numbered from 0; none if there are any number, or documents.
    pub(super) splits: Option<u64>,
    pub(super) documents: Option<Documents>,
}

/// The cases of a study file; relative names begin in `directory`.
///
/// A random search keeps to one split unless the file says otherwise: its best score is that of a setting, where splits that differ
/// would make it in part that of an easy split.
pub(super) fn cases(
    source: &Source<'_>,
    design: &DesignTable,
    directory: &Path,
    is_search: bool,
) -> Result<Cases, StudyError> {
    let of_splits = |design, splits| Cases {
        design,
        splits,
        documents: None,
    };
    match (&design.splits, &design.documents) {
        (Some(splits), Some(_)) => {
            let message = "a study is of splits or of documents: leave splits or documents out";
            Err(source.wrong(Some(splits.span()), message))
        }
        (None, Some(named)) => {
            let documents = Documents::read(directory, named.get_ref())
                .map_err(|error| source.wrong(Some(named.span()), error))?;
            Ok(Cases {
                design: Design::Documents {
                    count: documents.len() as u64,
                },
                splits: None,
                documents: Some(documents),
            })
        }
        (Some(splits), None) => read_splits(splits.get_ref())
            .map(|(design, count)| of_splits(design, count))
            .map_err(|message| source.wrong(Some(splits.span()), message)),
        (None, None) if is_search => Ok(of_splits(Design::Fixed, None)),
        (None, None) => Ok(of_splits(Design::default(), None)),
    }
}

/// The design that `splits` names, and how many splits there are, if it says so: a name, a number,
/// or a table of both.
fn read_splits(splits: &Value) -> Result<(Design, Option<u64>), String> {
    const FORMS: &str = "splits is a name (shared, independent, fixed), the number of splits that there are (800 for 0 to 799), or both: { kind = \"independent\", count = 800 }";
    let kind = |name: &str| name.parse::<Design>().map_err(|error| error.to_string());
    let count = |value: &Value| match value {
        Value::Integer(count) => u64::try_from(*count)
            .ok()
            .filter(|&count| count > 0)
            .ok_or_else(|| "there must be at least 1 split".to_owned()),
        _ => Err(FORMS.to_owned()),
    };
    match splits {
        Value::String(name) => Ok((kind(name)?, None)),
        Value::Integer(_) => Ok((Design::Shared, Some(count(splits)?))),
        Value::Table(table) => {
            if let Some(unknown) = table
                .keys()
                .find(|key| !["kind", "count"].contains(&key.as_str()))
            {
                return Err(format!("unknown key `{unknown}` (known here: kind, count)"));
            }
            let design = match table.get("kind") {
                None => Design::Shared,
                Some(Value::String(name)) => kind(name)?,
                Some(_) => return Err(FORMS.to_owned()),
            };
            let count = table.get("count").map(count).transpose()?;
            if design == Design::Fixed && count.is_some() {
                return Err("a fixed split is the one split 0: leave count out".to_owned());
            }
            Ok((design, count))
        }
        _ => Err(FORMS.to_owned()),
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
