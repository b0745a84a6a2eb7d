//! The cases on which a study evaluates its arms: splits, or the items of a pool.

use super::{
    Items, StudyError,
    error::Source,
    file::{BenchmarkTable, DesignTable, ItemsEntry, StudyFile},
    items::{ItemsError, PoolKey},
    state_directory,
};
use fiesta_core::Design;
use serde_json::{Value, json};
use std::path::Path;

/// The splits or items on which a study evaluates its arms.
pub(super) struct Cases {
    pub(super) design: Design,
    /// Number of splits. `None` if there are any number, or items.
    pub(super) splits: Option<u64>,
    /// Number of the first split, mostly 0.
    first: u64,
    pub(super) items: Option<Items>,
    /// Reason why no evaluation can be made: the file of the items cannot be read, and only the
    /// kept identities of a begun study are known.
    pub(super) gone: Option<StudyError>,
}

/// Reads the splits or items of the study file at the path `absolute`; relative names begin in its
/// directory. Items of a study that has begun are known even if their file is gone.
///
/// A random search keeps to one split unless the file says otherwise: its best score is that of a
/// setting, where splits that differ would make it in part that of an easy split.
pub(super) fn cases(
    source: &Source<'_>,
    file: &StudyFile,
    absolute: &Path,
    has_begun: bool,
) -> Result<Cases, StudyError> {
    let (design, benchmarks) = (&file.design, &file.benchmark[..]);
    let is_search = file.goal.trials.is_some();
    let directory = absolute.parent().unwrap_or(Path::new("/"));
    if design.items.is_some() && design.documents.is_some() {
        let message = "items and documents are two words for the same: leave one of them out";
        return Err(source.wrong(&["design", "documents"], message));
    }
    if let (Some(_), None) = (&design.strata, design.pool()) {
        let message = "strata are groups of the items of a pool, and this study names none: give it items, or leave strata out";
        return Err(source.wrong(&["design", "strata"], message));
    }
    let repeats = design.repeats();
    let (design, splits, first) = match (&design.splits, design.pool()) {
        (Some(_), Some(key)) => {
            let message = format!("a study is of splits or of {key}: leave splits or {key} out");
            return Err(source.wrong(&["design", "splits"], message));
        }
        (None, Some(key)) => {
            let items = match (&design.items, &design.documents) {
                (Some(ItemsEntry::Benchmarks), _) => of_benchmarks(source, directory, benchmarks),
                (Some(entry), _) => items(directory, key, entry)
                    .map_err(|error| source.wrong(&["design", key.name()], error)),
                (None, Some(named)) => Items::read(directory, key, named)
                    .map_err(|error| source.wrong(&["design", key.name()], error)),
                (None, None) => unreachable!("there is a pool"),
            };
            let kept = || Items::kept(&state_directory(absolute), key).filter(|_| has_begun);
            let (items, gone) = match items {
                Ok(items) => (items, None),
                Err(error) => match kept() {
                    Some(kept) => (kept, Some(error)),
                    None => return Err(error),
                },
            };
            let items = match &design.strata {
                // Kept with the groups that they had.
                _ if gone.is_some() => items,
                Some(strata) => items
                    .in_groups(strata)
                    .map_err(|error| source.wrong(&["design", "strata"], error))?,
                None => items,
            };
            let count = items.len() as u64;
            return Ok(Cases {
                design: Design::Items { count },
                splits: None,
                first: 0,
                items: Some(items),
                gone,
            });
        }
        (Some(splits), None) => {
            read_splits(splits).map_err(|message| source.wrong(&["design", "splits"], message))?
        }
        (None, None) if is_search => (Design::Fixed, None, 0),
        (None, None) => (Design::default(), None, 0),
    };
    if repeats && first > 0 {
        let message = "splits that are used again are numbered from 0: leave first or repeats out";
        return Err(source.wrong(&["design", "splits"], message));
    }
    if repeats && (design != Design::Shared || splits.is_none() || is_search) {
        let message = "repeats are of the items of a pool, or of shared splits that there are only so many of, which are used again with other seeds: give the study items or splits = 10, or leave repeats out (every evaluation has a seed of its own anyway)";
        return Err(source.wrong(&["design", "repeats"], message));
    }
    Ok(Cases {
        design,
        splits,
        first,
        items: None,
        gone: None,
    })
}

/// Reads the items of one pool.
fn items(directory: &Path, key: PoolKey, entry: &ItemsEntry) -> Result<Items, ItemsError> {
    match entry {
        ItemsEntry::Name(named) => Items::read(directory, key, named),
        ItemsEntry::List(values) => Items::listed(key, values),
        ItemsEntry::Benchmarks => unreachable!("benchmarks have tables of their own"),
    }
}

/// Reads the items of every benchmark.
fn of_benchmarks(
    source: &Source<'_>,
    directory: &Path,
    benchmarks: &[BenchmarkTable],
) -> Result<Items, StudyError> {
    let mut pools = Vec::new();
    for (number, benchmark) in benchmarks.iter().enumerate() {
        let pool = items(directory, PoolKey::Items, &benchmark.items);
        let key = ["benchmark", &number.to_string(), "items"];
        let pool = pool.map_err(|error| source.wrong(&key, error))?;
        pools.push((benchmark.name.clone(), pool));
    }
    Items::of_benchmarks(pools).map_err(|error| source.wrong(&["benchmark"], error))
}

impl Cases {
    /// Writes the design to the table, with its defaults, as these may differ when the study is
    /// resumed.
    pub(super) fn record(&self, design: &mut DesignTable) {
        let name = self.design.name();
        // Not said, and said to be as it is without, are the same study.
        design.repeats = design.repeats.filter(|&repeats| repeats);
        match (&self.items, self.splits) {
            (Some(items), _) => design.collection = Some(items.fingerprint()),
            (None, None) if self.first == 0 => design.splits = Some(name.into()),
            (None, count) => {
                let mut splits = json!({ "kind": name });
                if let Some(count) = count {
                    splits["count"] = count.into();
                }
                if self.first > 0 {
                    splits["first"] = self.first.into();
                }
                design.splits = Some(splits);
            }
        }
    }
}

/// Reads `splits`: a name, a number, or a table of both, also with the first split. Returns the design,
/// the number of splits if one is given, and the number of the first split.
fn read_splits(splits: &Value) -> Result<(Design, Option<u64>, u64), String> {
    /// The greatest number of a first split, so that all later ones are numbers.
    const LAST: u64 = 1 << 53;
    const FORMS: &str = "splits is a name (shared, independent, fixed), the number of splits that there are (800 for 0 to 799), or both: { kind = \"independent\", count = 800 }";
    let kind = |name: &str| name.parse::<Design>().map_err(|error| error.to_string());
    let count = |value: &Value| match value.as_i64() {
        None => Err(FORMS.to_owned()),
        Some(count) => match u64::try_from(count) {
            Ok(count @ 1..) => Ok(count),
            _ => Err("there must be at least 1 split".to_owned()),
        },
    };
    match splits {
        Value::String(number) if number.trim().parse::<u64>().is_ok() => Err(format!(
            "{number:?} is a text: write {}, without quotes, for that many splits",
            number.trim()
        )),
        Value::String(name) => Ok((kind(name)?, None, 0)),
        Value::Number(_) => Ok((Design::Shared, Some(count(splits)?), 0)),
        // A date is a table of its own.
        Value::Object(table) if !table.contains_key("$__toml_private_datetime") => {
            if let Some(unknown) = table
                .keys()
                .find(|key| !["kind", "count", "first"].contains(&key.as_str()))
            {
                return Err(format!(
                    "unknown key `{unknown}` (known here: kind, count, first)"
                ));
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
            let first = match table.get("first") {
                None => 0,
                Some(first) => first.as_u64().filter(|&first| first <= LAST).ok_or_else(|| {
                    format!("first is the number of the first split, 0 or a whole number above it, up to {LAST}")
                })?,
            };
            if design == Design::Fixed && first > 0 {
                return Err("a fixed split is the one split 0: leave first out".to_owned());
            }
            Ok((design, count, first))
        }
        _ => Err(FORMS.to_owned()),
    }
}
