//! The archive of ended runs on disks that are full, or not of this machine.

use super::{
    mount::Mount,
    slow_disk::SlowDisk,
    support::{Bench, code},
};
use std::{fs, os::unix::fs::symlink};

const EVALUATIONS: usize = 160;
const KEPT: usize = 100;

fn study() -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {EVALUATIONS} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\""
    );
    Bench::with_job(
        "echo >> made\necho said $1 $2 $3 >&2\nhead -c 3000 /dev/urandom | base64 >&2\necho '{\"accuracy\": 0.5}'\n",
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

/// Nothing is removed that could not be packed, it is said once, and the next session packs it.
#[test]
fn a_full_disk_stops_packing_and_not_the_study() {
    let bench = study();
    // Room for an archive, and for no batch of what these jobs print.
    let Some(disk) = Mount::tmpfs(&bench.path("small"), "size=128k") else {
        return;
    };
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    symlink(disk.at.join("runs.db"), bench.path("study.fiesta/runs.db")).unwrap();
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

/// A server's disk has no memory that processes share: the archive has a rollback journal there,
/// and is adapted when it is moved.
#[test]
fn an_archive_moves_between_disks() {
    let mode = |path| fs::read(path).unwrap()[18];
    let bench = study();
    bench.edit("study.toml", "evaluations = 160", "evaluations = 130");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(mode(bench.path("study.fiesta/runs.db")), 2);
    fs::rename(bench.path("study.fiesta"), bench.path("served")).unwrap();
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 0) else {
        return;
    };
    bench.edit("study.toml", "evaluations = 130", "evaluations = 160");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    assert_eq!(mode(bench.path("served/runs.db")), 1);
    assert_eq!(directories(&bench), KEPT);
    all_are_told(&bench);
    drop(disk);
    fs::remove_dir(bench.path("study.fiesta")).unwrap();
    fs::rename(bench.path("served"), bench.path("study.fiesta")).unwrap();
    all_are_told(&bench);
}
