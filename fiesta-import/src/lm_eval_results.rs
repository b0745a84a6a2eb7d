//! Statements of lm-eval about a file of samples: in the file's name, and in `results_DATE.json` beside it.
//!
//! The results have the model's name as it was given: that of the directory has `__` for `/`. They
//! say whether higher scores are better, and how many documents a task has and how many of them were
//! answered (`n-samples`: `original` and `effective`).

use crate::{
    json::lenient,
    pool::{Answer, stem},
};
use fiesta_core::Direction;
use fiesta_records::{read_whole, words::excerpt};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::HashSet, fs, path::Path};

/// Origin of a file of samples: model, task, and the file of results beside it.
pub(crate) struct Origin {
    pub(crate) model: String,
    pub(crate) task: Option<String>,
    pub(crate) results: Results,
}

/// Reads the file of results beside the samples. `None` if there is no such file.
#[derive(Deserialize, Default)]
pub(crate) struct Results {
    model_name: Option<String>,
    #[serde(default)]
    higher_is_better: Value,
    #[serde(default, rename = "n-samples")]
    sizes: Value,
}

impl Results {
    fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8(read_whole(path).ok()?).ok()?;
        let read = |text: &str| serde_json::from_str::<Self>(text);
        lenient(&text, read).ok()
    }

    fn model(&self) -> Option<String> {
        let name = self.model_name.as_deref()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// Returns whether larger or smaller scores of a task are better. `None` if the results do not say so.
    pub(crate) fn direction(&self, task: Option<&str>, metric: &str) -> Option<Direction> {
        let is_higher = self.higher_is_better.get(task?)?.get(metric)?.as_bool()?;
        Some(if is_higher {
            Direction::Maximize
        } else {
            Direction::Minimize
        })
    }

    /// Returns the notice about a task of which only a part was answered.
    pub(crate) fn part(&self, task: Option<&str>, answers: &[Answer]) -> Option<String> {
        let task = task?;
        let sizes = self.sizes.get(task)?;
        let size = |key| sizes.get(key)?.as_u64();
        let (all, answered) = (size("original")?, size("effective")?);
        let items: HashSet<&str> = answers.iter().map(|answer| answer.item.as_str()).collect();
        let are_first = (0..answered).all(|number| items.contains(number.to_string().as_str()));
        let first = if are_first { ", the first" } else { "" };
        (answered < all).then(|| {
            format!(
                "`{}`: {answered} of its {all} items were answered{first}; where they are to stand for these {all}, --pool-size says so",
                excerpt(task)
            )
        })
    }
}

/// Returns the model and the task: from where lm-eval writes its files, or else the model is called
/// as the file.
pub(crate) fn origin(path: Option<&Path>, file: &str) -> Origin {
    let named = path.unwrap_or(Path::new(file));
    let Some((task, date)) = task_and_date(named) else {
        return Origin {
            model: stem(file),
            task: None,
            results: Results::default(),
        };
    };
    let folder = || {
        let whole = path.and_then(|path| fs::canonicalize(path).ok());
        let folder = whole.as_deref().unwrap_or(named).parent()?.file_name()?;
        Some(folder.to_string_lossy().into_owned())
    };
    let results = path.map(|path| path.with_file_name(format!("results_{date}.json")));
    let results = results.and_then(|path| Results::read(&path));
    let results = results.unwrap_or_default();
    let model = results.model().or_else(folder);
    Origin {
        model: model.unwrap_or_else(|| stem(file)),
        task: Some(task),
        results,
    }
}

/// Returns task and date from a file name such as `samples_TASK_DATE.jsonl` or `.parquet`.
fn task_and_date(path: &Path) -> Option<(String, String)> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix("samples_")?;
    let name = name
        .strip_suffix(".jsonl")
        .or(name.strip_suffix(".parquet"))?;
    let (task, date) = name.rsplit_once('_')?;
    let year = date.split('-').next()?;
    let is_date = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    (is_date && date.contains('T')).then(|| (task.to_owned(), date.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_stand_in_the_names_of_files() {
        let found = |name: &str| task_and_date(Path::new(name)).map(|(task, _)| task);
        let dated = "out/m/samples_mmlu_pro_2026-11-23T03-22-37.960093.jsonl";
        assert_eq!(found(dated).as_deref(), Some("mmlu_pro"));
        for name in [
            "samples_mmlu.jsonl",
            "large.jsonl",
            "samples_a_20-1T.jsonl",
            "",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
