//! Optuna's storage in SQLite: all studies of one objective, each an arm.
//!
//! The table that this makes of it has the columns of Optuna's own `trials_dataframe`: `number`,
//! `state`, `value`, `datetime_start`, `datetime_complete`, `params_…`, `user_attrs_…`,
//! `system_attrs_…`, and `study` before them.

mod settings;

use crate::{
    Imported, Result, Tool, choose,
    database::{self, PATIENCE, full},
    error::{nothing_ended, refused},
    ragged::{self, Room},
    trials::{Duration, Shape},
};
use fiesta_core::Direction;
use fiesta_records::Reading;
use fiesta_records::table::{Line, Table};
use fiesta_records::words::{agree, excerpt, quoted};
use rusqlite::{Connection, params};
use settings::{settings, text};
use std::{collections::BTreeMap, path::Path, time};

/// Names of the tables of Optuna's storage that are read.
const TABLES: [&str; 7] = [
    "studies",
    "study_directions",
    "trials",
    "trial_values",
    "trial_params",
    "trial_user_attributes",
    "trial_system_attributes",
];

/// Names of the columns that every trial of Optuna has.
const FIXED: [&str; 6] = [
    "study",
    "number",
    "state",
    "value",
    "datetime_start",
    "datetime_complete",
];

/// A study of Optuna with one objective.
struct Study {
    id: i64,
    name: String,
    direction: Direction,
}

type Trial = ragged::Trial<{ FIXED.len() }>;

pub(crate) fn read(path: &Path, options: &Reading, file: &str) -> Result<Imported> {
    read_within(path, options, file, PATIENCE)
}

fn read_within(
    path: &Path,
    options: &Reading,
    file: &str,
    patience: time::Duration,
) -> Result<Imported> {
    let database =
        |error: rusqlite::Error| refused(format!("{file}: {}", database::reason(&error, patience)));
    let mut connection = database::open(path, patience).map_err(database)?;
    // Of one moment, though trials go on.
    let storage = connection.transaction().map_err(database)?;
    check(&storage, file)?;
    let studies = studies(&storage, options, file)?;
    let direction = direction(&studies, file)?;
    let (mut trials, mut room) = (Vec::new(), Room::new());
    let mut empty = Vec::new();
    for study in &studies {
        let before = trials.len();
        trials_of(&storage, study, &mut trials, &mut room).map_err(database)?;
        if trials.len() == before {
            empty.push(study.name.as_str());
        }
    }
    let others = ["params_", "user_attrs_", "system_attrs_"];
    let fewer = "name fewer studies with --study";
    let table = ragged::table(FIXED, &others, &trials, fewer, file)?;
    let prefixes = ["user_attrs_", "params_"];
    let metric = choose::metric_of_table(&table, options, &prefixes, &[3], file)?;
    let study = options.columns.arm.is_none().then_some(0);
    let arm = choose::arm(&table, options, &prefixes, study, file)?;
    let mut shape = Shape {
        state: table.column("state"),
        duration: Duration::Between(4, 5),
        place,
        direction: (metric == 3).then_some(direction),
        ..Shape::new(Tool::Optuna, file, metric, arm)
    };
    shape.notices.extend(without_trials(&empty));
    shape.records(&table, options)
}

/// Returns the notice about studies without trials.
fn without_trials(studies: &[&str]) -> Option<String> {
    let number = studies.len() as u64;
    let (study, have) = agree(number, ("study", "has"), ("studies", "have"));
    (number > 0).then(|| format!("the {study} {} {have} no trials", quoted(studies)))
}

/// Returns a trial's number and study for messages, as a trial of a storage has no line number.
fn place(_: &Table, row: &Line, file: &str) -> String {
    let cell = |column| row.cell(column).unwrap_or("?");
    format!("{file}: trial {} of study `{}`", cell(1), excerpt(cell(0)))
}

/// Refuses databases that are not Optuna's, or too old.
fn check(storage: &Connection, file: &str) -> Result<()> {
    let unread =
        |error: rusqlite::Error| refused(format!("{file}: {}", database::reason(&error, PATIENCE)));
    database::check_tables(storage, &TABLES, "Optuna", file)?;
    let has_all = |tables: &[&str]| {
        let mut found = true;
        for table in tables {
            found &= database::has_table(storage, table).map_err(unread)?;
        }
        Ok::<_, crate::ImportError>(found)
    };
    let advice = if has_all(&["studies", "trials", "study_directions", "trial_values"])? {
        return Ok(());
    } else if has_all(&["studies", "trials"])? {
        "Optuna before 2.4 wrote this storage: upgrade a copy of it with `optuna storage upgrade --storage sqlite:///FILE`"
    } else if has_all(&["entry"])? {
        "this is the ledger of a study of fiesta: name its study file, the one that ends in .toml"
    } else if has_all(&["runs", "metrics"])? {
        "this is MLflow's own database: read it with --from mlflow"
    } else {
        "this database has no studies of Optuna"
    };
    Err(refused(format!("{file}: {advice}")))
}

/// Returns the studies that the user asked for, or all studies, in their order.
fn studies(storage: &Connection, options: &Reading, file: &str) -> Result<Vec<Study>> {
    let unread = |error| refused(format!("{file}: {}", database::reason(&error, PATIENCE)));
    let all = directions(storage).map_err(unread)?;
    let known = |wanted: &String| all.iter().any(|(_, name, _)| name == wanted);
    if let Some(unknown) = options.studies.iter().find(|&wanted| !known(wanted)) {
        let are = if all.len() > 1 { "are" } else { "is" };
        return Err(refused(format!(
            "{file}: there is no study `{}`: there {are} {}",
            excerpt(unknown),
            quoted(all.iter().map(|(_, name, _)| name))
        )));
    }
    let mut studies = Vec::new();
    for (id, name, directions) in all {
        if !options.studies.is_empty() && !options.studies.contains(&name) {
            continue;
        }
        let [direction] = directions[..] else {
            return Err(refused(format!(
                "{file}: the study `{}` has {} objectives, and only a single score can be compared: name the other studies \
                 with --study",
                excerpt(&name),
                directions.len()
            )));
        };
        studies.push(Study {
            id,
            name,
            direction,
        });
    }
    Ok(studies)
}

/// Returns every study with the directions of its objectives.
fn directions(storage: &Connection) -> rusqlite::Result<Vec<(i64, String, Vec<Direction>)>> {
    let mut query = storage.prepare(
        "SELECT s.study_id, s.study_name, d.direction FROM studies s LEFT JOIN study_directions d ON d.study_id = s.study_id \
         ORDER BY s.study_id, d.objective",
    )?;
    let mut rows = query.query([])?;
    let mut studies: Vec<(i64, String, Vec<Direction>)> = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
        if studies.last().is_none_or(|(last, ..)| *last != id) {
            studies.push((id, name, Vec::new()));
        }
        // NOT_SET minimizes, as Optuna's own default.
        let direction = match row.get::<_, Option<String>>(2)?.as_deref() {
            Some("MAXIMIZE") => Direction::Maximize,
            Some(_) => Direction::Minimize,
            None => continue,
        };
        if let Some((.., directions)) = studies.last_mut() {
            directions.push(direction);
        }
    }
    Ok(studies)
}

/// Returns the direction of all studies. An error if they disagree.
fn direction(studies: &[Study], file: &str) -> Result<Direction> {
    let of = |direction| studies.iter().find(|study| study.direction == direction);
    match (of(Direction::Minimize), of(Direction::Maximize)) {
        (Some(first), Some(other)) => Err(refused(format!(
            "{file}: the study `{}` minimizes and `{}` maximizes, so that their scores cannot be compared: name those that agree \
             with --study",
            excerpt(&first.name),
            excerpt(&other.name)
        ))),
        (_, Some(_)) => Ok(Direction::Maximize),
        (Some(_), None) => Ok(Direction::Minimize),
        (None, None) => Err(nothing_ended(file)),
    }
}

/// Adds the trials of a study, in the order of their numbers.
fn trials_of(
    storage: &Connection,
    study: &Study,
    trials: &mut Vec<Trial>,
    room: &mut Room,
) -> rusqlite::Result<()> {
    let has_type = storage
        .prepare("SELECT 1 FROM pragma_table_info('trial_values') WHERE name = 'value_type'")?
        .exists([])?;
    // Before Optuna 3, infinities stood in the column itself.
    let value_type = if has_type { "v.value_type" } else { "'FINITE'" };
    let mut query = storage.prepare(&format!(
        "SELECT t.trial_id, t.number, t.state, v.value, {value_type}, t.datetime_start, t.datetime_complete FROM trials t \
         LEFT JOIN trial_values v ON v.trial_id = t.trial_id AND v.objective = 0 WHERE t.study_id = ? ORDER BY t.number"
    ))?;
    let mut rows = query.query([study.id])?;
    let mut places = BTreeMap::new();
    while let Some(row) = rows.next()? {
        places.insert(row.get::<_, i64>(0)?, trials.len());
        let value = match row.get::<_, Option<String>>(4)?.as_deref() {
            Some("INF_POS") => Some(f64::INFINITY),
            Some("INF_NEG") => Some(f64::NEG_INFINITY),
            _ => row.get::<_, Option<f64>>(3)?,
        };
        let fixed = [
            Some(study.name.clone()),
            row.get::<_, Option<i64>>(1)?
                .map(|number| number.to_string()),
            row.get(2)?,
            value.map(|value| format!("{value:?}")),
            row.get(5)?,
            row.get(6)?,
        ];
        trials.push(Trial::new(fixed, room).map_err(full)?);
    }
    settings(storage, study, &places, trials, room)?;
    for (table, prefix) in [
        ("trial_user_attributes", "user_attrs_"),
        ("trial_system_attributes", "system_attrs_"),
    ] {
        let mut query = storage.prepare(&format!(
            "SELECT a.trial_id, a.key, a.value_json FROM {table} a JOIN trials t ON t.trial_id = a.trial_id WHERE t.study_id = ?"
        ))?;
        let mut rows = query.query(params![study.id])?;
        while let Some(row) = rows.next()? {
            let (trial, key, json): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let text = serde_json::from_str(&json).map_or(json, |value| text(&value));
            if let Some(&place) = places.get(&trial) {
                let set = trials[place].set(format!("{prefix}{key}"), text, room);
                set.map_err(full)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that reading gives up on a storage without indexes whose 20,000 trials all match each
    /// value.
    #[test]
    fn what_takes_too_long_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)";
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch(&format!(
                "CREATE TABLE studies (study_id INTEGER, study_name TEXT);
                 CREATE TABLE study_directions (study_id INTEGER, direction TEXT, objective INTEGER);
                 CREATE TABLE trials (trial_id INTEGER, number INTEGER, state TEXT, study_id INTEGER, datetime_start TEXT, datetime_complete TEXT);
                 CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value REAL);
                 INSERT INTO studies VALUES (1, 'a');
                 INSERT INTO study_directions VALUES (1, 'MINIMIZE', 0);
                 INSERT INTO trials {rows} SELECT 1, i, 'COMPLETE', 1, NULL, NULL FROM n;
                 INSERT INTO trial_values {rows} SELECT 1, 0, i FROM n;"
            ))
            .unwrap();
        drop(database);
        let patience = time::Duration::from_millis(200);
        let began = time::Instant::now();
        let read = read_within(&path, &Reading::default(), "a.db", patience);
        let error = read.unwrap_err().to_string();
        assert!(error.contains("took longer than 0 s"), "{error}");
        assert!(began.elapsed() < time::Duration::from_secs(20));
        // Each of its 4·10⁸ rows would be kept.
        let mut room = Room::new();
        let error = (0..1 << 23)
            .find_map(|_| room.take(ragged::OVERHEAD).err())
            .unwrap();
        assert!(error.to_string().contains("more than 1 GiB"), "{error}");
    }
}
