//! Reading of a study file into its tables: unknown keys and values of wrong types are reported
//! together.

use super::{
    StudyError,
    engine::{Added, ReadKeys},
    error::{Source, nearest, unknown_key},
    faults::Faults,
    file::StudyFile,
    keys::{self, is_in},
    shapes,
};
use crate::executor::EngineKind;
use serde::Deserialize;
use std::{borrow::Cow, collections::BTreeSet};
use toml::{
    Deserializer, Spanned,
    de::{DeTable, DeValue},
};

/// Keys of a study file whose values could not be read.
#[derive(Debug, Default)]
pub(super) struct Unsettled {
    /// The keys, such as `design.policy`, that are missing, misspelt or have a wrong type.
    keys: BTreeSet<String>,
    /// Whether an unknown key was removed, which may be the misspelt name of a missing one.
    pub(super) is_cut: bool,
}

impl Unsettled {
    /// Whether no unread key concerns these keys, their tables or keys below them. Arms are not
    /// told apart.
    pub(super) fn spares(&self, keys: &[&str]) -> bool {
        self.keys.iter().all(|unknown| {
            let names = unknown.split('.');
            let names = names.filter(|name| name.parse::<usize>().is_err());
            let unknown = names.collect::<Vec<_>>().join(".");
            let concerns = |key: &&str| is_in(&unknown, key) || is_in(key, &unknown);
            keys::row(&unknown).is_some_and(|row| row.is_alone) || !keys.iter().any(concerns)
        })
    }
}

/// Least similarity of an unknown key to a known one that it may mean: a letter or two differ.
const MEANT: f64 = 0.9;

/// Reads the tables of a study file as far as possible. Unknown keys and values of wrong types are
/// removed, and missing keys get a stand-in. Each is a mistake. Whatever depends on such a key, or
/// on the known key most similar to an unknown one, must not be checked.
///
/// # Errors
/// [`StudyError`] of all mistakes if the text is no TOML, or nothing can stand in.
pub(super) fn tables(
    source: &mut Source<'_>,
    faults: &mut Faults,
    kinds: &[EngineKind],
) -> Result<(StudyFile, ReadKeys, Unsettled), StudyError> {
    let whole = DeTable::parse(source.text).map_err(|error| source.not_toml(&error))?;
    let span = whole.span();
    let mut table = whole.into_inner();
    let mut unsettled = Unsettled {
        keys: shapes::check(&mut table, source, faults, kinds),
        is_cut: false,
    };
    loop {
        let mut house = table.clone();
        let added = Added::taken_out_of(&mut house, kinds);
        let house = Deserializer::from(Spanned::new(span.clone(), house));
        let read = StudyFile::deserialize(house).and_then(|file| Ok((file, added.read()?)));
        let error = match read {
            Ok((mut file, engine)) => {
                if let Some((_, (_, written))) = &engine.engine {
                    file.executor.engine.clone_from(written);
                }
                source.table = Some(DeValue::Table(table));
                return Ok((file, engine, unsettled));
            }
            Err(error) => error,
        };
        let (message, mistake) = (error.message(), source.not_toml(&error));
        let place = error.span().unwrap_or_else(|| span.clone());
        let mut key = if place == span {
            Vec::new()
        } else {
            source.key_at(place.start)
        };
        let can_go_on = if let Some((unknown, known)) = unknown_key(message) {
            faults.add(mistake);
            // A heading may hold the names of further tables within.
            while key.last().is_some_and(|last| last != unknown) {
                key.pop();
            }
            let can_go_on = cut(&mut table, &key);
            let near = nearest(unknown, &known);
            match near.filter(|near| strsim::jaro_winkler(unknown, near) > MEANT) {
                Some(near) => {
                    key.pop();
                    key.push(near.to_owned());
                    unsettled.keys.insert(key.join("."));
                }
                None => unsettled.is_cut = true,
            }
            can_go_on
        } else if let Some(missing) = message.strip_prefix("missing field `") {
            let missing = missing.trim_end_matches('`');
            let within = table_at(&mut table, &key);
            let can_go_on = within.is_some_and(|within| stand_in(within, missing));
            key.push(missing.to_owned());
            // What has no value as that was of a wrong type, or was misspelt, was told.
            if unsettled.keys.insert(key.join(".")) && !unsettled.is_cut {
                faults.add(mistake);
            }
            can_go_on
        } else {
            let path = key.join(".");
            // A table may be wrong for want of what was just left out of it.
            let within = format!("{path}.");
            let mut keys = unsettled.keys.iter();
            // What stands in for a missing key has no place, and may be of a wrong type itself.
            let is_nowhere = key.is_empty() && faults.count() > 0;
            if !is_nowhere && !keys.any(|other| other.starts_with(&within)) {
                faults.add_apart(mistake);
            }
            unsettled.keys.insert(path);
            cut(&mut table, &key)
        };
        if !can_go_on {
            let found = faults.finish();
            return Err(found.expect_err("a text that could not be read has a mistake"));
        }
    }
}

/// Returns the table under a key, whose parts are names or, for arrays, numbers of elements.
fn table_at<'t, 'a>(table: &'a mut DeTable<'t>, key: &[String]) -> Option<&'a mut DeTable<'t>> {
    let Some((name, rest)) = key.split_first() else {
        return Some(table);
    };
    match (table.get_mut(name.as_str())?.get_mut(), rest) {
        (DeValue::Table(inner), rest) => table_at(inner, rest),
        (DeValue::Array(array), [number, rest @ ..]) => {
            match array.get_mut(number.parse::<usize>().ok()?)?.get_mut() {
                DeValue::Table(inner) => table_at(inner, rest),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Removes the innermost part of a key that exists. Returns whether there was one.
fn cut(table: &mut DeTable<'_>, mut key: &[String]) -> bool {
    while let Some((last, within)) = key.split_last() {
        let within_table = table_at(table, within);
        if within_table.is_some_and(|table| table.remove(last.as_str()).is_some()) {
            return true;
        }
        key = within;
    }
    false
}

/// Adds a missing key with a stand-in value. Returns whether the key was missing. All required keys
/// are texts, for which the name of a study will do.
fn stand_in(table: &mut DeTable<'_>, missing: &str) -> bool {
    let name = Spanned::new(0..0, Cow::Owned(missing.to_owned()));
    let value = Spanned::new(0..0, DeValue::String(Cow::Borrowed("missing")));
    table.insert(name, value).is_none()
}
