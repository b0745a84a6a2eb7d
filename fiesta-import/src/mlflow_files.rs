//! MLflow's directory `mlruns`: `EXPERIMENT/meta.yaml`, and for each run `EXPERIMENT/RUN/meta.yaml`
//! beside the folders `metrics`, `params` and `tags`, with a file for each name.
//!
//! A line of a metric's file is `timestamp value step`, and in newer versions a data set after
//! them. Deleted experiments are in `.trash`; a deleted run stays where it is, and its `meta.yaml`
//! says so.

use crate::{
    Imported, Result,
    error::refused,
    mlflow::METRICS,
    mlflow_store::{Store, time},
};
use fiesta_records::{Reading, RecordsError, read_whole, text, words, words::excerpt};
use std::{
    fs,
    path::{Path, PathBuf},
};

const META: &str = "meta.yaml";

/// Number of levels of folders, one in another, that a metric's name with slashes may have.
const DEEPEST: usize = 16;

/// Returns whether a directory holds experiments of MLflow, or is an experiment, or contains
/// `mlruns`.
pub(crate) fn is(directory: &Path) -> bool {
    root(directory).is_some()
}

/// Returns the directory of MLflow's experiments: this one, or `mlruns` in it. `None` if neither is.
fn root(directory: &Path) -> Option<PathBuf> {
    let candidates = [directory.to_path_buf(), directory.join("mlruns")];
    let holds = |directory: &PathBuf| {
        is_experiment(directory)
            || folders(directory).is_ok_and(|folders| folders.iter().any(|one| is_experiment(one)))
    };
    candidates.into_iter().find(holds)
}

fn is_experiment(directory: &Path) -> bool {
    let meta = directory.join(META);
    let meta = meta.is_file().then(|| Meta::read(&meta).ok()).flatten();
    meta.is_some_and(|meta| {
        meta.field("artifact_location").is_some() && meta.field("run_id").is_none()
    })
}

pub(crate) fn read(directory: &Path, options: &Reading, file: &str) -> Result<Imported> {
    let root = root(directory).ok_or_else(|| {
        refused(format!(
            "{file}: no folder in this directory has the {META} of an experiment, so this is not where MLflow keeps runs: name the directory `mlruns`, or the file of its database"
        ))
    })?;
    let mut store = Store::new();
    if is_experiment(&root) {
        experiment(&root, false, &mut store)?;
    } else {
        for folder in folders(&root)? {
            if is_experiment(&folder) {
                experiment(&folder, false, &mut store)?;
            }
        }
        let trash = root.join(".trash");
        if trash.is_dir() {
            for folder in folders(&trash)? {
                experiment(&folder, true, &mut store)?;
            }
        }
    }
    store.records(options, file)
}

/// Adds all runs of an experiment to the store.
fn experiment(folder: &Path, is_deleted: bool, store: &mut Store) -> Result<()> {
    let meta = Meta::read(&folder.join(META))?;
    let name = meta.field("name").or_else(|| meta.field("experiment_id"));
    let is_deleted = is_deleted || meta.is_deleted();
    for run in folders(folder)? {
        let path = run.join(META);
        if !path.is_file() {
            continue;
        }
        let meta = Meta::read(&path)?;
        // A folder of models or of traces has another `meta.yaml`.
        let Some(id) = meta.field("run_id").or_else(|| meta.field("run_uuid")) else {
            continue;
        };
        let moment = |key| time(meta.field(key)?.parse().ok()?);
        let fixed = [
            Some(id),
            name.clone(),
            meta.field("status").map(status),
            moment("start_time"),
            moment("end_time"),
        ];
        let added = store.add(fixed, is_deleted || meta.is_deleted());
        let full = |problem| refused(format!("{}: {problem}", words::file(folder)));
        let Some(place) = added.map_err(full)? else {
            continue;
        };
        for (kind, prefix) in [
            ("metrics", METRICS),
            ("params", "params."),
            ("tags", "tags."),
        ] {
            let mut files = Vec::new();
            collect(&run.join(kind), "", DEEPEST, &mut files)?;
            for (name, path) in files {
                let content = read_text(&path)?;
                let value = match kind {
                    "metrics" => last(&content, &words::file(&path))?,
                    _ => Some(content),
                };
                if let Some(value) = value {
                    let set = store.set(place, format!("{prefix}{name}"), value);
                    set.map_err(full)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns MLflow's word for a status, which is a number in its files.
fn status(text: String) -> String {
    let known = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"];
    let number = text.parse::<usize>().ok();
    let word = number.and_then(|number| known.get(number.checked_sub(1)?));
    word.map_or(text, |word| (*word).to_owned())
}

/// Returns the last value of a metric: the one of the highest step, and then of the latest time.
/// `None` for an empty file.
fn last(content: &str, file: &str) -> Result<Option<String>> {
    let mut last: Option<((i64, i64), &str)> = None;
    for (number, line) in (1..).zip(content.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let (time, value) = (words.next(), words.next());
        let step = words.next().map_or(Some(0), |step| step.parse().ok());
        let time = time.and_then(|time| time.parse().ok());
        let value = value.filter(|value| value.parse::<f64>().is_ok());
        let (Some(time), Some(value), Some(step)) = (time, value, step) else {
            return Err(refused(format!(
                "{file}:{number}: `{}` is no value of a metric, which is a line `timestamp value step`: correct it, or remove the file",
                excerpt(line)
            )));
        };
        if last.is_none_or(|(before, _)| (step, time) >= before) {
            last = Some(((step, time), value));
        }
    }
    Ok(last.map(|(_, value)| value.to_owned()))
}

/// Content of a `meta.yaml`: a key and a value on each line, without nesting.
struct Meta(String);

impl Meta {
    fn read(path: &Path) -> Result<Self> {
        read_text(path).map(Self)
    }

    fn is_deleted(&self) -> bool {
        self.field("lifecycle_stage").as_deref() == Some("deleted")
    }

    /// Returns the value of a key in `meta.yaml`. `None` if the key is missing or null.
    fn field(&self, key: &str) -> Option<String> {
        let mut lines = self.0.lines();
        let first = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        let mut whole = first.trim().to_owned();
        // A long text goes on below, indented.
        for more in lines.take_while(|line| line.starts_with(' ')) {
            whole.push(' ');
            whole.push_str(more.trim());
        }
        let within = |quote: char| whole.strip_prefix(quote)?.strip_suffix(quote);
        if let Some(text) = within('\'') {
            return Some(text.replace("''", "'"));
        }
        if whole.starts_with('"') {
            return Some(serde_json::from_str(&whole).unwrap_or(whole));
        }
        (!whole.is_empty() && !["null", "~"].contains(&whole.as_str())).then_some(whole)
    }
}

/// Collects the files of a folder and of its subfolders, each with its name: `folder/file`. A
/// folder that does not exist has none.
fn collect(
    folder: &Path,
    prefix: &str,
    deep: usize,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for (path, is_folder) in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{name}");
        if !is_folder {
            files.push((name, path));
        } else if deep > 0 {
            collect(&path, &format!("{name}/"), deep - 1, files)?;
        }
    }
    Ok(())
}

/// Returns the folders in a folder, sorted, without hidden ones.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let folders = entries(folder)?.into_iter();
    Ok(folders
        .filter_map(|(path, is_folder)| is_folder.then_some(path))
        .collect())
}

/// Returns the entries of a folder, sorted and without hidden ones, and whether each is a folder. A
/// link to a folder counts as none.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
    let file = words::file(folder);
    let unread = RecordsError::unread(&file);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(&unread)? {
        let entry = entry.map_err(&unread)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push((entry.path(), entry.file_type().map_err(&unread)?.is_dir()));
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a file's text.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let file = words::file(path);
    let bytes = read_whole(path).map_err(RecordsError::unread(&file))?;
    Ok(text(&bytes, &file)?.to_owned())
}
