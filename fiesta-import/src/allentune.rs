//! AllenTune's `results.jsonl`: an object per trial with AllenNLP's metrics, the settings that were
//! drawn, the seeds and the directory.
//!
//! `allentune report` writes `training_duration` in seconds; earlier versions left AllenNLP's
//! `0:01:30.5`. `model` is there if `--model` was given.

use crate::{
    Imported, Result, Tool, choose,
    trials::{Duration, Shape},
};
use fiesta_records::Reading;
use fiesta_records::table::Table;

const DURATION: &str = "training_duration";
const BEST: &str = "best_validation_";

/// Returns whether this is the first line of a file of AllenTune.
pub(crate) fn is(first: &str) -> bool {
    let key = |name: &str| first.contains(&format!("\"{name}"));
    first.trim_start().starts_with('{') && key(DURATION) && key(BEST) && !key("arm\"")
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
    let expected = "name the results.jsonl that `allentune report` wrote";
    let duration = choose::needed(table, DURATION, Tool::AllenTune, expected, file)?;
    let columns = table.columns().iter().enumerate();
    let best = columns.filter(|(_, name)| name.starts_with(BEST));
    let candidates: Vec<usize> = best.map(|(column, _)| column).collect();
    let metric =
        choose::metric_of_table(table, options, &[BEST, "validation_"], &candidates, file)?;
    let arm = choose::arm(table, options, &[], table.column("model"), file)?;
    let shape = Shape {
        duration: Duration::In(duration),
        ..Shape::new(Tool::AllenTune, file, metric, arm)
    };
    shape.records(table, options)
}
