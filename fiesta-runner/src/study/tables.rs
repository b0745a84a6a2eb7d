//! The tables of a study from its text, with all keys that are unknown and all values of a wrong
//! type.

use super::{
    StudyError,
    engine::{Added, ReadKeys},
    error::{Source, holds, nearest, unknown_key},
    faults::Faults,
    file::StudyFile,
    shapes,
};
use crate::executor::EngineKind;
use serde::Deserialize;
use std::{borrow::Cow, collections::BTreeSet, ops::Range};
use toml::{
    Deserializer, Spanned,
    de::{DeTable, DeValue},
};

/// The tables of a study, as far as they could be read.
pub(super) struct Tables {
    pub(super) file: StudyFile,
    pub(super) engine: ReadKeys,
    /// Whether a key was left out that nobody knows, so that what is missing may be that.
    pub(super) is_cut: bool,
    /// What is not known of the study, as it is missing or of a wrong type.
    pub(super) unsettled: Unsettled,
}

/// The keys of a study, such as `design.policy`, whose values are missing or of a wrong type.
#[derive(Debug, Default)]
pub(super) struct Unsettled(BTreeSet<String>);

/// Keys on which nothing depends but what is said of themselves.
const ALONE: [&str; 8] = [
    "name",
    "design.seed",
    "design.parallel",
    "resources.timeout",
    "resources.silence",
    "resources.grace",
    "resources.retries",
    "report",
];

impl Unsettled {
    /// Whether a table is not unknown as a whole, nor these of its keys; of arms, those of each.
    pub(super) fn has(&self, table: &str, keys: &[&str]) -> bool {
        !self.0.iter().any(|unknown| {
            let mut parts = unknown
                .split('.')
                .filter(|part| part.parse::<usize>().is_err());
            parts.next() == Some(table) && parts.next().is_none_or(|part| keys.contains(&part))
        })
    }

    /// Whether nothing is unknown in these tables that could matter to others.
    pub(super) fn spares(&self, tables: &[&str]) -> bool {
        let mut keys = self.0.iter();
        !keys.any(|key| {
            let is_of = |table: &str| {
                key.strip_prefix(table)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            tables.iter().any(|table| is_of(table)) && !ALONE.iter().any(|alone| is_of(alone))
        })
    }
}

/// How like a known key an unknown one is that is read as that: a letter or two are otherwise.
const MEANT: f64 = 0.9;

/// Reads the tables. An unknown key that is most like a known one is read as that, any other is
/// left out, and both are mistakes: what is checked afterwards is what was meant.
///
/// A value of a wrong type is left out, and something stands in for a key that is missing; both
/// are mistakes, and what depends on them is not to be checked.
///
/// # Errors
/// [`StudyError`] of all mistakes if the text is no TOML, or nothing can stand in.
pub(super) fn tables(
    source: &mut Source<'_>,
    faults: &mut Faults,
    kinds: &[EngineKind],
) -> Result<Tables, StudyError> {
    let whole = DeTable::parse(source.text).map_err(|error| source.not_toml(&error))?;
    let span = whole.span();
    let mut table = whole.into_inner();
    let mut is_cut = false;
    let mut unsettled = Unsettled::default();
    let mut renamed: Vec<Range<usize>> = Vec::new();
    let mut stood_in: BTreeSet<Vec<String>> = BTreeSet::new();
    loop {
        let shapeless = shapes::check(&mut table, source, faults, kinds);
        unsettled.0.extend(shapeless);
        let mut house = table.clone();
        let added = Added::taken_out_of(&mut house, kinds);
        let house = Deserializer::from(Spanned::new(span.clone(), house));
        let read = StudyFile::deserialize(house).and_then(|file| Ok((file, added.read()?)));
        let error = match read {
            Ok((mut file, engine)) => {
                if let Some((_, (_, written))) = &engine.engine {
                    file.executor.engine.clone_from(written);
                }
                source.table = Some(table);
                return Ok(Tables {
                    file,
                    engine,
                    is_cut,
                    unsettled,
                });
            }
            Err(error) => error,
        };
        let message = error.message();
        let Some(place) = error.span() else {
            faults.add(source.not_toml(&error));
            return Err(all(faults));
        };
        let is_renamed = renamed.contains(&place);
        if let Some((unknown, known)) = unknown_key(message) {
            faults.add(source.not_toml(&error));
            let mut meant = Vec::new();
            let is_left_out = edit(&mut table, place.start, Some(unknown), &mut |table,
                                                                                 (
                name,
                value,
            )| {
                let near = nearest(name.get_ref(), &known);
                // Once only, so that this ends.
                let is_meant = |near: &&str| {
                    !renamed.contains(&name.span())
                        && strsim::jaro_winkler(name.get_ref(), near) > MEANT
                        && !table.contains_key(*near)
                };
                let near = near.filter(is_meant);
                if let Some(near) = near {
                    meant = vec![name.span(), value.span()];
                    let near = Spanned::new(name.span(), Cow::Owned(near.to_owned()));
                    table.insert(near, value);
                }
            });
            if !is_left_out {
                return Err(all(faults));
            }
            is_cut |= meant.is_empty();
            renamed.extend(meant);
        } else if let Some(missing) = message.strip_prefix("missing field `") {
            let missing = missing.trim_end_matches('`');
            let mut key = Vec::new();
            let has_place = stand_in(&mut table, &place, missing, &mut key);
            if !has_place {
                table.insert(stands_in(missing), stands_in_value());
            }
            key.push(missing.to_owned());
            let is_news = unsettled.0.insert(key.join("."));
            // What has no value as that was of a wrong type was told.
            if is_news && !is_cut {
                faults.add(source.not_toml(&error));
            }
            if !stood_in.insert(key) {
                return Err(all(faults));
            }
        } else {
            // What a key is worth that was misspelt is told once it is mended.
            if !is_renamed {
                let key = source.key_at(place.start).join(".");
                // A table may be wrong for want of what was just left out of it.
                let within = format!("{key}.");
                if !unsettled.0.iter().any(|other| other.starts_with(&within)) {
                    faults.add_apart(source.not_toml(&error));
                }
                unsettled.0.insert(key);
            }
            is_cut |= is_renamed;
            if !edit(&mut table, place.start, None, &mut |_, _| {}) {
                return Err(all(faults));
            }
        }
    }
}

/// All mistakes, of which there is at least one.
fn all(faults: &mut Faults) -> StudyError {
    let found = faults.finish();
    found.expect_err("a text that could not be read has a mistake")
}

/// Adds a key that is missing to the table at this place, to which the key then leads; whether
/// there is such a table below this one.
fn stand_in(
    table: &mut DeTable<'_>,
    place: &Range<usize>,
    missing: &str,
    key: &mut Vec<String>,
) -> bool {
    let within = |value: &mut Spanned<DeValue<'_>>, name: String, key: &mut Vec<String>| {
        key.push(name);
        let is_here = value.span() == *place;
        if let DeValue::Table(inner) = value.get_mut() {
            if is_here {
                inner.insert(stands_in(missing), stands_in_value());
            }
            if is_here || stand_in(inner, place, missing, key) {
                return true;
            }
        }
        key.pop();
        false
    };
    for (name, value) in table.iter_mut() {
        let name = name.get_ref().to_string();
        if let DeValue::Array(array) = value.get_mut() {
            key.push(name);
            let mut elements = array.iter_mut().enumerate();
            if elements.any(|(number, one)| within(one, number.to_string(), key)) {
                return true;
            }
            key.pop();
        } else if within(value, name, key) {
            return true;
        }
    }
    false
}

/// The name of a key that is in no text.
fn stands_in<'t>(name: &str) -> Spanned<Cow<'t, str>> {
    Spanned::new(0..0, Cow::Owned(name.to_owned()))
}

/// Its value: all keys that must be there are texts, and this one can be the name of a study.
fn stands_in_value<'t>() -> Spanned<DeValue<'t>> {
    Spanned::new(0..0, DeValue::String(Cow::Borrowed("missing")))
}

/// A key with its value.
type Member<'t> = (Spanned<Cow<'t, str>>, Spanned<DeValue<'t>>);

/// Takes the innermost key, or the innermost of this name, whose name or value holds this byte of
/// the text out of its table, and hands over both; whether there is one.
fn edit<'t>(
    table: &mut DeTable<'t>,
    place: usize,
    called: Option<&str>,
    with: &mut dyn FnMut(&mut DeTable<'t>, Member<'t>),
) -> bool {
    let mut holding = table.iter_mut();
    let Some((name, value)) = holding.find(|(name, value)| holds(&name.span(), value, place))
    else {
        return false;
    };
    let name = name.get_ref().clone();
    let is_done = match value.get_mut() {
        DeValue::Table(inner) => edit(inner, place, called, with),
        DeValue::Array(array) => array.iter_mut().any(|element| match element.get_mut() {
            DeValue::Table(inner) => edit(inner, place, called, with),
            _ => false,
        }),
        _ => false,
    };
    if is_done || called.is_some_and(|called| called != name) {
        return is_done;
    }
    if let Some(member) = table.remove_entry(&*name) {
        with(table, member);
    }
    true
}
