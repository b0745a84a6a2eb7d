//! Tests that all files which a study leaves are described on the reference page.

use super::{Bench, STUDY, TWO, code};
use std::{fs, path::Path};

/// Returns the names of a directory's entries.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn all_are_on_the_reference_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, of_study) = page.split_once("## Files of a study").unwrap();
    let (of_study, of_run) = of_study.split_once("Of a run:").unwrap();
    let job = "echo log >&2; echo '{\"accuracy\": 0.5}' > $FIESTA_RESULT; touch $FIESTA_CHECKPOINT/state\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let state = bench.path("study.fiesta");
    let of_state = names(&state);
    assert!(of_state.contains(&"ledger.db".to_owned()), "{of_state:?}");
    for name in of_state {
        let is_told =
            of_study.contains(&format!("`{name}`")) || of_study.contains(&format!("`{name}/"));
        assert!(is_told, "{name}");
    }
    let runs = names(&state.join("runs"));
    assert!(!runs.is_empty());
    for name in runs
        .iter()
        .flat_map(|run| names(&state.join("runs").join(run)))
    {
        assert!(of_run.contains(&format!("`{name}`")), "{name}");
    }
}

/// Tests that verbs about one study take `study.toml` if no file is named.
#[test]
fn a_study_file_need_not_be_named() {
    let bench = Bench::new();
    for verb in ["run", "status", "slots", "watch"] {
        bench.fiesta(&[verb]).says(
            code::USAGE,
            &[
                "there is no study.toml in this directory",
                "`fiesta init SCRIPT`",
            ],
        );
    }
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["run"]);
    ran.tells(code::DONE, &["high is the best of 2 arms"]);
    let status = bench.fiesta(&["status"]);
    assert_eq!(
        status.stdout,
        bench.fiesta(&["status", "study.toml"]).stdout
    );
    status.tells(code::DONE, &["trial: finished"]);
}
