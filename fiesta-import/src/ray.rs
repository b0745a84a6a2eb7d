//! Ray Tune's directory of an experiment: a folder for each trial.
//!
//! A trial's folder has `params.json`, `result.json` (a JSON object on each line, of which the last
//! is the result) or `progress.csv`, and `error.txt` or `error.pkl` where it failed. Beside the
//! folders, `experiment_state-DATE.json` says in which state each trial was last; it goes before
//! what the files suggest, as a trial that failed may have been tried again.

use crate::{
    ImportError, Imported, Result, Tool, choose,
    error::refused,
    json::lenient,
    mlflow_files::{entries, read_text},
    ragged::{self, Room},
    trials::{Duration, Shape},
};
use fiesta_records::{
    Format, Reading,
    table::{Line, Table},
    words::{self, excerpt},
};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

const PARAMS: &str = "params.json";
const RESULT: &str = "result.json";
const PROGRESS: &str = "progress.csv";

/// Prefix of the names of settings, as in the tables that Ray makes itself.
const CONFIG: &str = "config/";

/// Names of the columns that every trial of Ray Tune has.
const FIXED: [&str; 3] = ["trial_id", "status", DURATION];

const DURATION: &str = "time_total_s";
const ITERATION: &str = "training_iteration";

/// Keys that Ray adds to each result. None of them is a score.
const OWN: [&str; 16] = [
    ITERATION,
    "timestamp",
    "time_this_iter_s",
    "time_since_restore",
    "pid",
    "iterations_since_restore",
    "timesteps_total",
    "timesteps_since_restore",
    "episodes_total",
    "warmup_time",
    "done",
    "should_checkpoint",
    "checkpoint_dir_name",
    "trial_id",
    "status",
    DURATION,
];

type Trial = ragged::Trial<{ FIXED.len() }>;

/// Returns whether a directory holds folders of trials.
pub(crate) fn is(directory: &Path) -> bool {
    let found = entries(directory).unwrap_or_default();
    found
        .iter()
        .any(|(path, is_folder)| *is_folder && is_trial(path))
}

fn is_trial(folder: &Path) -> bool {
    let has = |name| folder.join(name).is_file();
    has(PARAMS) && (has(RESULT) || has(PROGRESS))
}

/// Returns whether this is the first line of a trial's results.
pub(crate) fn is_result(first: &str) -> bool {
    let keys = [
        "\"training_iteration\"",
        "\"time_this_iter_s\"",
        "\"trial_id\"",
    ];
    first.trim_start().starts_with('{') && keys.iter().all(|key| first.contains(key))
}

/// Returns the error about a file of Ray Tune that was named without its directory.
pub(crate) fn not_alone(file: &str) -> ImportError {
    refused(format!(
        "{file}: Ray Tune writes a directory with a folder for each trial: name the directory of the experiment"
    ))
}

pub(crate) fn read(directory: &Path, options: &Reading, file: &str) -> Result<Imported> {
    let found = entries(directory)?;
    let states = states(&found)?;
    let (mut trials, mut room) = (Vec::new(), Room::new());
    for (folder, is_folder) in &found {
        if *is_folder && folder.join(PARAMS).is_file() {
            trials.push(trial(folder, &states, &mut room)?);
        }
    }
    if trials.is_empty() {
        return Err(refused(format!(
            "{file}: no folder in this directory has {PARAMS}, so it holds no trials of Ray Tune: name the directory of one experiment"
        )));
    }
    let fewer = "write a part of them as CSV by ResultGrid.get_dataframe().to_csv(…)";
    let table = ragged::table(FIXED, &[CONFIG, ""], &trials, fewer, file)?;
    let mut candidates = choose::numeric(&table, &OWN, ToOwned::to_owned);
    candidates.retain(|&column| !table.columns()[column].starts_with(CONFIG));
    let metric = choose::metric_of_table(&table, options, &[], &candidates, file)?;
    let arm = choose::arm(&table, options, &[CONFIG], None, file)?;
    let mut shape = Shape {
        state: Some(1),
        duration: Duration::In(2),
        place: |_, row, file| place(row, file),
        ..Shape::new(Tool::Ray, file, metric, arm)
    };
    shape.notices.extend(unequal(&table));
    shape.records(&table, options)
}

/// Returns a trial's name for messages, as a trial of Ray Tune has no line number.
fn place(row: &Line, file: &str) -> String {
    format!("{file}: trial `{}`", excerpt(row.cell(0).unwrap_or("?")))
}

/// Returns the notice about trials that ended after different numbers of iterations.
fn unequal(table: &Table) -> Option<String> {
    let column = table.column(ITERATION)?;
    let ended = table
        .rows()
        .iter()
        .filter(|row| row.cell(1) == Some("finished"));
    let iterations: Vec<u64> = ended
        .filter_map(|row| row.cell(column)?.parse().ok())
        .collect();
    let (least, most) = (iterations.iter().min()?, iterations.iter().max()?);
    (least < most).then(|| {
        format!(
            "the trials ended after {least} to {most} iterations, and each counts with its last score, also where a scheduler stopped it early"
        )
    })
}

/// Reads the folder of a trial: its last result, its settings and how it ended.
fn trial(folder: &Path, states: &HashMap<String, String>, room: &mut Room) -> Result<Trial> {
    let file = words::file(folder);
    let mut settings = BTreeMap::new();
    flatten(
        "config",
        &object(&folder.join(PARAMS), false)?,
        &mut settings,
    );
    let result = result(folder)?;
    let has_result = result.is_some();
    let mut result = result.unwrap_or_default();
    result.retain(|name, _| !name.starts_with(CONFIG));
    let id = result.remove("trial_id").unwrap_or_else(|| {
        // Without a result, only the name of the folder says which trial this is.
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let known = states.keys().find(|id| name.contains(id.as_str()));
        known.map_or_else(|| name.into_owned(), Clone::clone)
    });
    let has_failed = ["error.txt", "error.pkl"]
        .iter()
        .any(|name| folder.join(name).is_file());
    let status = match states.get(&id).map(String::as_str) {
        Some("TERMINATED") => "finished",
        Some("ERROR") => "failed",
        Some(_) => "running",
        None if has_failed => "failed",
        None if !has_result => "running",
        None => "finished",
    };
    // A column of these names is there already.
    result.remove("status");
    let fixed = [Some(id), Some(status.to_owned()), result.remove(DURATION)];
    let full = |problem| refused(format!("{file}: {problem}"));
    let mut trial = Trial::new(fixed, room).map_err(full)?;
    for (name, text) in settings.into_iter().chain(result) {
        trial.set(name, text, room).map_err(full)?;
    }
    Ok(trial)
}

/// Reads the last result of a trial. `None` if it has none.
fn result(folder: &Path) -> Result<Option<BTreeMap<String, String>>> {
    let (lines, table) = (folder.join(RESULT), folder.join(PROGRESS));
    if lines.is_file() {
        let last = object(&lines, true)?;
        if !last.is_null() {
            let mut found = BTreeMap::new();
            flatten("", &last, &mut found);
            return Ok(Some(found));
        }
    }
    if table.is_file() {
        let content = read_text(&table)?;
        if !content.trim().is_empty() {
            let table = Table::read(content.as_bytes(), Some(Format::Csv), &words::file(&table))?;
            let cells = |row: &Line| {
                let names = table.columns().iter().enumerate();
                let cells = names.filter_map(|(column, name)| {
                    Some((name.clone(), row.cell(column)?.to_owned()))
                });
                cells.collect()
            };
            return Ok(table.rows().last().map(cells));
        }
    }
    Ok(None)
}

/// Reads a JSON object: the whole file, or its last line, null without any line. A last line that
/// was cut off is left out if there is another before it.
fn object(path: &Path, is_last: bool) -> Result<Value> {
    let text = read_text(path)?;
    let read = |text: &str| {
        lenient(text, |text| {
            serde_json::from_str::<Map<String, Value>>(text)
        })
    };
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
    let found = match (is_last, lines.next()) {
        (true, None) => return Ok(Value::Null),
        (true, Some(last)) => read(last).or_else(|reason| lines.next().map_or(Err(reason), read)),
        (false, _) => read(&text),
    };
    found.map(Value::Object).map_err(|reason| {
        let file = words::file(path);
        refused(format!(
            "{file}: this is not what Ray Tune writes: {}",
            excerpt(&reason)
        ))
    })
}

/// Adds the values of a JSON object and of objects in it, each under its keys joined by `/`.
fn flatten(prefix: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    let text = match value {
        Value::Object(members) => {
            for (key, value) in members {
                let name = if prefix.is_empty() {
                    key.clone()
                } else {
                    format!("{prefix}/{key}")
                };
                flatten(&name, value, found);
            }
            return;
        }
        Value::Null => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    found.insert(prefix.to_owned(), text);
}

/// The state in which each trial was, by its identifier, from the latest file that says so.
fn states(found: &[(PathBuf, bool)]) -> Result<HashMap<String, String>> {
    let is_state = |(path, _): &&(PathBuf, bool)| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("experiment_state-") && name.ends_with(".json"))
    };
    let Some((last, _)) = found.iter().rfind(is_state) else {
        return Ok(HashMap::new());
    };
    let state = object(last, false)?;
    let of_trial = |data: &Value| {
        // A trial is JSON within a text, before what is known of its run.
        let text = data.get(0)?.as_str()?;
        let trial = lenient(text, |text| serde_json::from_str::<Value>(text)).ok()?;
        let text = |key| trial.get(key)?.as_str().map(ToOwned::to_owned);
        Some((text("trial_id")?, text("status")?))
    };
    let trials = state.get("trial_data").and_then(Value::as_array);
    Ok(trials.into_iter().flatten().filter_map(of_trial).collect())
}
