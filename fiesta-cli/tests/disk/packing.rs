//! Tests of packed runs on disks that are full, or that other machines share.

use super::{
    mount::Mount,
    slow_disk::SlowDisk,
    support::{Bench, code},
};
use std::{fs, os::unix::fs::symlink};

const EVALUATIONS: usize = 160;
const KEPT: usize = 100;

/// Returns a study whose jobs do `first` before they score.
fn study(first: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {EVALUATIONS} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\""
    );
    Bench::with_job(
        &format!(
            "{first}\necho >> made\necho said $1 $2 $3 >&2\nhead -c 3000 /dev/urandom | base64 >&2\necho '{{\"accuracy\": 0.5}}'\n"
        ),
        &rest,
    )
}

fn directories(bench: &Bench) -> usize {
    fs::read_dir(bench.path("study.fiesta/runs"))
        .unwrap()
        .count()
}

#[track_caller]
fn all_are_told(bench: &Bench) {
    for number in [1, 60, 61, EVALUATIONS] {
        let shown = bench.fiesta(&["log", "study.toml", &number.to_string()]);
        shown.says(code::DONE, &[]);
        assert!(shown.stdout.contains("--- stderr\nsaid "), "{shown:?}");
    }
    assert_eq!(bench.text("made").lines().count(), EVALUATIONS);
}

/// Tests that runs are kept if packing fails, with one message, and packed by the next session.
#[test]
fn a_full_disk_stops_packing_and_not_the_study() {
    // While a file of its command is in each directory, none is packed.
    let bench = study(": > \"${FIESTA_RESULT%/*}/own\"");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(directories(&bench), EVALUATIONS);
    for run in fs::read_dir(bench.path("study.fiesta/runs")).unwrap() {
        fs::remove_file(run.unwrap().path().join("own")).unwrap();
    }
    // Room for the ledger, and for no piece of what these jobs printed: the directories are elsewhere.
    let (state, large) = (bench.path("study.fiesta"), bench.path("large"));
    fs::rename(&state, &large).unwrap();
    let entries = fs::read_dir(&large).unwrap().map(Result::unwrap);
    let files: Vec<_> = entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .collect();
    let pages = |file: &fs::DirEntry| file.metadata().unwrap().len().div_ceil(4096);
    let size = 4096 * files.iter().map(pages).sum::<u64>() + (96 << 10);
    let Some(disk) = Mount::tmpfs(&state, &format!("size={size}")) else {
        return;
    };
    for file in files {
        fs::copy(file.path(), state.join(file.file_name())).unwrap();
    }
    symlink(large.join("runs"), state.join("runs")).unwrap();
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["ended runs stay in their directories and are not packed"],
    );
    assert_eq!(
        ran.stderr.matches("ended runs stay").count(),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(directories(&bench), EVALUATIONS);
    all_are_told(&bench);
    disk.remount("size=8m");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    assert_eq!(directories(&bench), KEPT);
    all_are_told(&bench);
}

/// Tests that a ledger on a server's disk has a rollback journal, as processes share no memory
/// there, and that its journal is adapted when it is moved.
#[test]
fn packed_runs_move_between_disks() {
    let mode = |path| fs::read(path).unwrap()[18];
    let bench = study("");
    bench.edit("study.toml", "evaluations = 160", "evaluations = 130");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(mode(bench.path("study.fiesta/ledger.db")), 2);
    fs::rename(bench.path("study.fiesta"), bench.path("served")).unwrap();
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 0) else {
        return;
    };
    bench.edit("study.toml", "evaluations = 130", "evaluations = 160");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    assert_eq!(mode(bench.path("served/ledger.db")), 1);
    assert_eq!(directories(&bench), KEPT);
    all_are_told(&bench);
    drop(disk);
    fs::remove_dir(bench.path("study.fiesta")).unwrap();
    fs::rename(bench.path("served"), bench.path("study.fiesta")).unwrap();
    all_are_told(&bench);
}
