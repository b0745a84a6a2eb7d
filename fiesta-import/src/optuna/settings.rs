//! Settings of the trials of a study in Optuna's storage.

use super::{Study, Trial};
use crate::{database::full, ragged::Room};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeMap;

/// Adds the parameters that were drawn for each trial of a study.
pub(super) fn settings(
    storage: &Connection,
    study: &Study,
    places: &BTreeMap<i64, usize>,
    trials: &mut [Trial],
    room: &mut Room,
) -> rusqlite::Result<()> {
    let mut query = storage.prepare(
        "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p \
         JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = ?",
    )?;
    let mut rows = query.query([study.id])?;
    while let Some(row) = rows.next()? {
        let (trial, name, value): (i64, String, f64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let distribution: String = row.get(3)?;
        let distribution = serde_json::from_str(&distribution).unwrap_or(Value::Null);
        if let Some(&place) = places.get(&trial) {
            let value = setting(value, &distribution);
            let set = trials[place].set(format!("params_{name}"), value, room);
            set.map_err(full)?;
        }
    }
    Ok(())
}

/// Returns a drawn value as text: the choice whose number it is, a whole number, or a number.
fn setting(value: f64, distribution: &Value) -> String {
    let name = distribution["name"].as_str().unwrap_or_default();
    if name == "CategoricalDistribution" {
        let choice = distribution["attributes"]["choices"].get(fiesta_core::whole(value));
        return choice.map_or_else(|| format!("{value:?}"), text);
    }
    if name.starts_with("Int") {
        return format!("{value}");
    }
    format!("{value:?}")
}

/// Returns a string unchanged, and any other value as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
