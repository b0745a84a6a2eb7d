//! Optuna's table of the trials of one study: `study.trials_dataframe().to_csv(…)`.
//!
//! Its columns are `number, value, datetime_start, datetime_complete, duration`, then `params_…`,
//! `user_attrs_…` and `system_attrs_…`, and `state`. With several objectives, `value` is `values_0`,
//! `values_1`, … or `values_NAME`. pandas numbers the rows in a column without a name, unless it is
//! told not to.

use crate::{
    Imported, Result, Tool, choose,
    error::refused,
    trials::{Duration, Shape},
};
use fiesta_records::{Reading, table::Table};

/// Returns whether a column holds the scores of an objective.
fn is_objective(name: &str) -> bool {
    name == "value" || name.starts_with("values_")
}

/// Returns whether a header can be that of Optuna's table of trials.
pub(crate) fn is_like(header: &str) -> bool {
    let has = |wanted: &str| names(header).any(|name| name == wanted);
    !has("arm") && has("number") && has("state") && names(header).any(is_objective)
}

/// Returns whether a header can only be that of Optuna's table of trials.
pub(crate) fn is(header: &str) -> bool {
    let own = |name: &str| name == "datetime_start" || name.starts_with("params_");
    is_like(header) && names(header).any(own)
}

fn names(header: &str) -> impl Iterator<Item = &str> {
    let names = header.split([',', ';', '\t']);
    names.map(|name| name.trim().trim_matches('"'))
}

pub(crate) fn read(table: &Table, options: &Reading, file: &str) -> Result<Imported> {
    if !options.studies.is_empty() {
        return Err(refused(format!(
            "{file}: this is the table of one study, which does not state its name: leave --study out"
        )));
    }
    let expected = "write study.trials_dataframe().to_csv(…), or name the file of the storage";
    let state = choose::needed(table, "state", Tool::Optuna, expected, file)?;
    let names = table.columns().iter().enumerate();
    let objectives = names.filter(|(_, name)| is_objective(name));
    let objectives: Vec<usize> = objectives.map(|(column, _)| column).collect();
    let prefixes = ["values_", "user_attrs_", "params_"];
    let metric = choose::score_of_table(table, options, &prefixes, &objectives, file)?;
    let arm = choose::arm(table, options, &["params_", "user_attrs_"], None, file)?;
    let of = |name| table.column(name);
    let duration = match (
        of("duration"),
        of("datetime_start"),
        of("datetime_complete"),
    ) {
        (Some(column), ..) => Duration::In(column),
        (None, Some(start), Some(end)) => Duration::Between(start, end),
        _ => Duration::Unknown,
    };
    let shape = Shape {
        state: Some(state),
        duration,
        ..Shape::new(Tool::Optuna, file, metric, arm)
    };
    shape.records(table, options)
}
