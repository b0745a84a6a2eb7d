//! The tables of a study from its text, with all keys that are unknown and all values of a wrong
//! type.

use super::{
    StudyError,
    error::{Source, holds, nearest, unknown_key},
    faults::Faults,
    file::StudyFile,
    shapes,
};
use serde::Deserialize;
use std::{borrow::Cow, ops::Range};
use toml::{
    Deserializer, Spanned,
    de::{DeTable, DeValue},
};

/// The tables of a study, as far as they could be read.
pub(super) struct Tables {
    pub(super) file: StudyFile,
    /// Whether a key was left out that nobody knows, so that what is missing may be that.
    pub(super) is_cut: bool,
}

/// How like a known key an unknown one is that is read as that: a letter or two are otherwise.
const MEANT: f64 = 0.9;

/// Reads the tables. An unknown key that is most like a known one is read as that, any other is
/// left out, and both are mistakes: what is checked afterwards is what was meant.
///
/// # Errors
/// [`StudyError`] of all mistakes if the text is no TOML, something has the wrong type, or a key
/// is missing.
pub(super) fn tables(source: &mut Source<'_>, faults: &mut Faults) -> Result<Tables, StudyError> {
    let whole = DeTable::parse(source.text).map_err(|error| source.not_toml(&error))?;
    let span = whole.span();
    let mut table = whole.into_inner();
    let (mut is_cut, mut is_typed) = (false, true);
    let mut renamed: Vec<Range<usize>> = Vec::new();
    loop {
        is_typed &= shapes::check(&mut table, source, faults);
        let read = Deserializer::from(Spanned::new(span.clone(), table.clone()));
        let error = match StudyFile::deserialize(read) {
            Ok(file) if is_typed => {
                source.table = Some(table);
                return Ok(Tables { file, is_cut });
            }
            Ok(_) => return Err(all(faults)),
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
        } else if message.starts_with("missing field") {
            if !is_cut && is_typed {
                faults.add(source.not_toml(&error));
            }
            return Err(all(faults));
        } else {
            // What a key is worth that was misspelt is told once it is mended.
            if !is_renamed {
                faults.add(source.not_toml(&error));
                is_typed = false;
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
