//! MLflow's SQLite database, `mlflow.db`: the tables `experiments`, `runs`, `latest_metrics`,
//! `params` and `tags`.

use crate::{
    Imported, Result,
    database::{self, PATIENCE, full},
    error::refused,
    mlflow::METRICS,
    mlflow_store::{Store, time},
};
use fiesta_records::Reading;
use rusqlite::Connection;
use std::{collections::HashMap, path::Path};

/// Names of the tables of MLflow's database that are read.
const TABLES: [&str; 5] = ["experiments", "runs", "latest_metrics", "params", "tags"];

pub(crate) fn read(path: &Path, options: &Reading, file: &str) -> Result<Imported> {
    let unread =
        |error: rusqlite::Error| refused(format!("{file}: {}", database::reason(&error, PATIENCE)));
    let mut connection = database::open(path, PATIENCE).map_err(unread)?;
    // Of one moment, though runs go on.
    let storage = connection.transaction().map_err(unread)?;
    database::check_tables(&storage, &TABLES, "MLflow", file)?;
    for name in TABLES {
        if !database::has_table(&storage, name).map_err(unread)? {
            return Err(refused(format!(
                "{file}: this database has no table `{name}`, so it is not MLflow's, or of a version before 1.4: upgrade a copy of it with `mlflow db upgrade sqlite:///FILE`"
            )));
        }
    }
    runs(&storage).map_err(unread)?.records(options, file)
}

fn runs(storage: &Connection) -> rusqlite::Result<Store> {
    let mut store = Store::new();
    let mut places = HashMap::new();
    let mut query = storage.prepare(
        "SELECT r.run_uuid, CAST(coalesce(e.name, r.experiment_id, '') AS TEXT), r.status, r.start_time, r.end_time, \
         coalesce(r.lifecycle_stage = 'deleted', 0) OR coalesce(e.lifecycle_stage = 'deleted', 0) \
         FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let moment = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.and_then(time));
        let (experiment, status) = (row.get(1)?, row.get(2)?);
        let fixed = [Some(id.clone()), experiment, status, moment(3)?, moment(4)?];
        if let Some(place) = store.add(fixed, row.get(5)?).map_err(full)? {
            places.insert(id, place);
        }
    }
    for (table, prefix) in [
        ("latest_metrics", METRICS),
        ("params", "params."),
        ("tags", "tags."),
    ] {
        let is_nan = if prefix == METRICS { "is_nan" } else { "0" };
        let mut query = storage.prepare(&format!(
            "SELECT run_uuid, key, value, {is_nan} FROM {table}"
        ))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (run, key): (String, String) = (row.get(0)?, row.get(1)?);
            let Some(&place) = places.get(&run) else {
                continue;
            };
            let text = if prefix == METRICS {
                let is_nan = row.get::<_, Option<bool>>(3)?.unwrap_or_default();
                row.get::<_, Option<f64>>(2)?
                    .map(|value| number(value, is_nan))
            } else {
                row.get::<_, Option<String>>(2)?
            };
            if let Some(text) = text {
                store
                    .set(place, format!("{prefix}{key}"), text)
                    .map_err(full)?;
            }
        }
    }
    Ok(store)
}

/// A metric's value as text. MLflow stores 0 for NaN, and the largest numbers for infinities.
fn number(value: f64, is_nan: bool) -> String {
    match value {
        _ if is_nan => "NaN".to_owned(),
        value if value.abs() >= 1.797_693_134_862_315_7e308 => "inf".to_owned(),
        value => format!("{value:?}"),
    }
}
