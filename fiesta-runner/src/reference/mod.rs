//! The reference page of studies: keys of the study file, placeholders, environment variables,
//! results, messages of workers, and files, from the types that read and write them.
//!
//! ```
//! use fiesta_runner::reference;
//! let page = reference::page(&[]);
//! assert!(page.contains("| `tolerance` |"));
//! // For editors that check TOML files as they are written.
//! assert!(reference::study_schema(&[]).get("properties").is_some());
//! ```

mod keys;
#[cfg(test)]
pub(crate) use keys::paths;

use crate::{
    run::{JobVariable, result::ResultKey},
    study::{
        file::StudyFile,
        keys::{Rule, Scores, keys},
        placeholder::Placeholder,
        request::RequestKey,
    },
};
use fiesta_policies::stopping;
use schemars::{Schema, schema_for};
use serde_json::Value;
use std::fmt::Write as _;

/// Returns the JSON schema of study files. `engines` are schemas of keys below `[executor]` for
/// kinds of executors that a program adds ([`EngineKind`](crate::executor::EngineKind)). A key of
/// several engines has the documentation of the first.
pub fn study_schema(engines: &[Schema]) -> Schema {
    let mut schema = schema_for!(StudyFile);
    let keys = schema.pointer_mut("/$defs/ExecutorTable/properties");
    if let Some(keys) = keys.and_then(Value::as_object_mut) {
        let added = engines.iter().filter_map(|engine| engine.get("properties"));
        for (key, value) in added.filter_map(Value::as_object).flatten() {
            keys.entry(key).or_insert_with(|| value.clone());
        }
    }
    schema
}

/// Returns the reference page in Markdown. `engines` are those of [`study_schema`].
///
/// # Panics
/// Never: a text can always be written to.
#[doc(hidden)]
pub fn page(engines: &[Schema]) -> String {
    let mut page = include_str!("beginning.md").to_owned();
    keys::write(&mut page, &study_schema(engines));
    write_changes(&mut page);
    page += "
## Policies, stopping rules, posteriors
";
    list(
        &mut page,
        "`policy` (default `auto`)",
        &fiesta_policies::POLICIES,
    );
    list(
        &mut page,
        "`stopping` (default `posterior`)",
        &stopping::NAMES,
    );
    list(&mut page, "`posterior`", &fiesta_posterior::ABOUT);
    let of_counts = format!("`{}`", fiesta_posterior::f_measure::NAME);
    row(
        &mut page,
        &[
            &of_counts,
            "F-measures of all documents, from confusion counts",
        ],
    );
    page += include_str!("policies.md");
    section(
        &mut page,
        "What a command gets",
        include_str!("commands.md"),
    );
    page += "| placeholder | variable | |\n|---|---|---|\n";
    for &of_case in Placeholder::ALL {
        let (word, variable) = (of_case.name(), of_case.variable());
        row(
            &mut page,
            &[
                &format!("`{{{word}}}`"),
                &format!("`{variable}`"),
                of_case.about(),
            ],
        );
    }
    // The name of the run is a placeholder as well.
    let beside = JobVariable::ALL
        .iter()
        .filter(|&&one| one != JobVariable::Run);
    for &variable in beside {
        row(
            &mut page,
            &["", &format!("`{}`", variable.name()), variable.about()],
        );
    }
    page += include_str!("gpus.md");
    section(
        &mut page,
        "What a command answers",
        include_str!("results.md"),
    );
    page += "| key | |\n|---|---|\n";
    for &key in ResultKey::ALL {
        row(&mut page, &[&format!("`{}`", key.name()), key.about()]);
    }
    section(
        &mut page,
        "Messages of workers",
        include_str!("messages.md"),
    );
    page += "| key | |\n|---|---|\n";
    for &key in RequestKey::ALL {
        row(&mut page, &[&format!("`{}`", key.name()), key.about()]);
    }
    page += include_str!("answers.md");
    section(
        &mut page,
        "Variables that `fiesta` reads",
        include_str!("variables.md"),
    );
    let files = include_str!("../study/state.md");
    section(&mut page, "Files of a study", include_str!("files.md"));
    let of_run = include_str!("../run/directory.md");
    let of_worker = include_str!("../supervisor/worker/directory.md");
    write!(
        page,
        "{files}\nOf a run:\n\n{of_run}\nOf a worker process:\n\n{of_worker}"
    )
    .expect("a text can be written to");
    page
}

/// Writes what a change of each key does.
fn write_changes(page: &mut String) {
    section(
        page,
        "What a change of a key does",
        include_str!("changes.md"),
    );
    *page += "| key | scores | cost | budget | what is done |\n|---|---|---|---|---|\n";
    for key in keys() {
        let scores = match key.scores {
            Scores::Same => "",
            Scores::Failures => "which fail",
            Scores::Others => "yes",
        };
        let yes = |is: bool| if is { "yes" } else { "" };
        let (path, rule) = (format!("`{}`", key.path), key.rule.words());
        row(
            page,
            &[&path, scores, yes(key.costs), yes(key.budget), &rule],
        );
    }
    let remakes = Rule::Remakes.words();
    row(
        page,
        &["contents of an arm's files", "yes", "yes", "", &remakes],
    );
}

fn section(page: &mut String, title: &str, text: &str) {
    write!(page, "\n## {title}\n\n{text}").expect("a text can be written to");
}

/// Writes a table of names and their descriptions to the page.
fn list(page: &mut String, key: &str, names: &[(&str, &str)]) {
    write!(page, "\n| {key} | |\n|---|---|\n").expect("a text can be written to");
    for (name, about) in names {
        row(page, &[&format!("`{name}`"), about]);
    }
}

/// Writes a row of a Markdown table.
fn row(page: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| cell.trim().replace('|', "\\|"))
        .collect();
    writeln!(page, "| {} |", cells.join(" | ")).expect("a text can be written to");
}
