//! Tests that a study does not change other people's files and directories, or links to them.

use super::{Bench, STUDY, TWO, code, support::until};
use rustix::process::{Signal, geteuid};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::Path,
};

/// Job that kills its supervisor at its first attempt, and resumes at the second.
const TWICE: &str = r#"
if [ -e "$FIESTA_CHECKPOINT/half" ]; then echo on >> log; else
  echo half > "$FIESTA_CHECKPOINT/half"
  kill -9 $PPID; sleep 9
fi
echo '{"accuracy": 0.5}'
"#;

/// Returns a study of four evaluations with this job.
fn four(job: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 4 }}\n[resources]\nretries = 1\n[design]\npolicy = \"uniform\"\n{TWO}"
    );
    Bench::with_job(job, &rest)
}

/// Returns every file below a directory, with its content.
fn files(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                left.push(path);
            } else {
                let content = fs::read_to_string(&path).unwrap_or_default();
                found.push((path.to_string_lossy().into_owned(), content));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn checkpoints_on_a_disk_that_others_use_leave_theirs_alone() {
    let bench = four(TWICE);
    let disk = bench.path("disk");
    // Numbers of evaluations that have ended, that are to come and that never are; the checkpoints
    // of another study of the same name.
    for directory in ["1", "3", "77", "2024", "models", "trial-0123456789abcdef/1"] {
        let directory = disk.join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("precious"), "years of work").unwrap();
    }
    fs::write(
        disk.join("trial-0123456789abcdef/fiesta.json"),
        r#"{"study":"trial","id":"0123456789abcdef"}"#,
    )
    .unwrap();
    let before = files(&disk);
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    let link = bench.path("study.fiesta/checkpoints");
    symlink(&disk, &link).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.text("log").lines().count(), 4, "checkpoints are used");
    bench.edit("study.toml", "evaluations = 4", "evaluations = 6");
    let more = ["run", "study.toml", "--accept-changes"];
    bench.fiesta(&more).says(code::DONE, &[]);
    assert_eq!(files(&disk), before);
    assert!(link.is_symlink());
    assert_eq!(fs::read_dir(&disk).unwrap().count(), 6);
}

#[test]
fn a_job_s_links_lead_nowhere_when_its_checkpoint_is_removed() {
    let job = r#"
ln -s "$PWD/precious" "$FIESTA_CHECKPOINT/link"
if [ "$3" = 1 ]; then
  rm -r "$FIESTA_CHECKPOINT"
  ln -s "$PWD/precious" "$FIESTA_CHECKPOINT"
fi
echo '{"accuracy": 0.5}'
"#;
    let bench = four(job);
    fs::create_dir(bench.path("precious")).unwrap();
    bench.file("precious/file", "years of work");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.text("precious/file"), "years of work");
    assert!(!bench.path("study.fiesta/checkpoints").exists());
}

/// Tests that a directory named like a checkpoint's, without the study's mark, is kept.
#[test]
fn a_directory_without_the_study_s_mark_is_not_removed() {
    let job = "while [ ! -e go ]; do sleep 0.05; done\necho '{\"accuracy\": 0.5}'\n";
    let bench = four(job);
    let running = bench.start(&["run", "study.toml"]);
    let checkpoints = bench.path("study.fiesta/checkpoints");
    let own = || {
        let first = fs::read_dir(&checkpoints).ok()?.next()?;
        Some(first.ok()?.path())
    };
    until("it has begun", || {
        own().is_some_and(|own| own.join("1").exists())
    });
    running.signal(Signal::KILL);
    running.wait();
    let own = own().unwrap();
    fs::remove_file(own.join("fiesta.json")).unwrap();
    fs::create_dir(own.join("77")).unwrap();
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert!(own.join("77").exists());
}

#[test]
fn links_in_the_place_of_a_study_s_files_are_told_and_not_followed() {
    for name in ["lock", "ledger.db"] {
        let bench = Bench::with_study(STUDY);
        fs::create_dir(bench.path("study.fiesta")).unwrap();
        let precious = bench.file("precious", "years of work");
        let link = bench.path("study.fiesta").join(name);
        symlink(&precious, &link).unwrap();
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &[name, "it is a link", "remove the link"]);
        assert_eq!(bench.text("precious"), "years of work");
        fs::remove_file(&link).unwrap();
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    }
    // What is not needed is not written.
    let bench = Bench::with_study(STUDY);
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    let names = ["clock.json", "id", "slots.json", ".room"];
    for name in names {
        let precious = bench.file(&format!("precious-{name}"), "years of work");
        symlink(precious, bench.path("study.fiesta").join(name)).unwrap();
    }
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    for name in names {
        assert_eq!(bench.text(&format!("precious-{name}")), "years of work");
    }
    // Nor is a ledger read through one.
    fs::rename(bench.path("study.fiesta/ledger.db"), bench.path("moved.db")).unwrap();
    symlink(bench.path("moved.db"), bench.path("study.fiesta/ledger.db")).unwrap();
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::USAGE, &["ledger.db", "it is a link"]);
}

#[test]
fn a_study_is_run_only_in_a_directory_of_one_s_own() {
    if !geteuid().is_root() {
        return super::support::skipped("only root can give a directory to somebody else");
    }
    let bench = Bench::with_study(STUDY);
    let state = bench.path("study.fiesta");
    fs::create_dir(&state).unwrap();
    chown(&state, Some(12345), Some(12345)).unwrap();
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--check"],
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(
            code::USAGE,
            &["study.fiesta", "user 12345", "mode 0755", "chown -R 0"],
        );
        assert_eq!(
            fs::read_dir(&state).unwrap().count(),
            0,
            "nothing is written"
        );
    }
    chown(&state, Some(0), Some(0)).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let results = bench.fiesta(&["export", "study.toml"]).stdout;
    // Whoever may read somebody else's study reads it.
    for path in [&state, &state.join("ledger.db"), &state.join("lock")] {
        chown(path, Some(12345), Some(12345)).unwrap();
    }
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::DONE, &[]);
    assert_eq!(bench.fiesta(&["export", "study.toml"]).stdout, results);
    assert_eq!(fs::metadata(&state).unwrap().uid(), 12345);
}

#[test]
fn a_directory_that_everybody_may_write_is_not_run_in() {
    let bench = Bench::with_study(STUDY);
    let state = bench.path("study.fiesta");
    fs::create_dir(&state).unwrap();
    let open = |mode| fs::set_permissions(&state, fs::Permissions::from_mode(mode)).unwrap();
    open(0o777);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["study.fiesta", "mode 0777", "chmod o-w"]);
    assert_eq!(
        fs::read_dir(&state).unwrap().count(),
        0,
        "nothing is written"
    );
    // A group that works together, and a place where nobody can take another one's files.
    for mode in [0o2775, 0o1777] {
        open(mode);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        fs::remove_dir_all(&state).unwrap();
        fs::create_dir(&state).unwrap();
    }
}

/// Runs a study of 400 short jobs until five have begun, damages its files with `injure`, and waits
/// for its end.
fn injured(injure: impl Fn(&Bench)) -> (Bench, super::support::Ran) {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 400 }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n{TWO}"
    );
    let job = "echo $1 >> log\nsleep 0.05\necho '{\"accuracy\": 0.5}'\n";
    let bench = Bench::with_job(job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("five have begun", || bench.log("log").len() >= 5);
    injure(&bench);
    let at = bench.log("log").len();
    let ran = running.wait();
    let more = bench.log("log").len() - at;
    assert!(more <= 6, "{more} jobs were started afterwards: {ran:#?}");
    (bench, ran)
}

#[test]
fn a_ledger_that_is_deleted_under_its_controller_stops_it() {
    let (bench, ran) = injured(|bench| {
        fs::remove_file(bench.path("study.fiesta/ledger.db")).unwrap();
    });
    ran.says(
        code::USAGE,
        &[
            "ledger.db was deleted or replaced",
            "nothing more is started",
        ],
    );
    // What it held is not lost.
    let state = bench.path("study.fiesta");
    let rescued = fs::read_dir(&state).unwrap().flatten();
    let mut rescued = rescued.filter(|file| file.file_name().to_string_lossy().contains("rescued"));
    let rescued = rescued.next().unwrap().path();
    for name in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(state.join(name));
    }
    fs::rename(rescued, state.join("ledger.db")).unwrap();
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(status["evaluations"].as_u64().unwrap() >= 3, "{status}");
}

#[test]
fn a_ledger_that_is_replaced_under_its_controller_stops_it() {
    for name in ["ledger.db", "ledger.db-wal"] {
        let (_, ran) = injured(|bench| {
            let path = bench.path("study.fiesta").join(name);
            let other = bench.path("other");
            fs::copy(&path, &other).unwrap();
            fs::rename(&other, &path).unwrap();
        });
        ran.says(code::USAGE, &[name, "was deleted or replaced"]);
    }
}

/// Tests that a deleted lock file stops its controller, as a second one could then start.
#[test]
fn a_lock_that_is_deleted_under_its_controller_stops_it() {
    let (_, ran) = injured(|bench| {
        fs::remove_file(bench.path("study.fiesta/lock")).unwrap();
    });
    ran.says(
        code::USAGE,
        &["lock was deleted or replaced", "another controller"],
    );
}

/// Tests runs on a shared disk: other users' directories are neither packed nor removed, and a
/// study of the same name cannot use it.
#[test]
fn runs_on_a_disk_that_others_use_leave_theirs_alone() {
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 60 }}\n[design]\npolicy = \"uniform\"\n{TWO}");
    let job = "echo '{\"accuracy\": 0.5}'\n";
    let bench = Bench::with_job(job, &rest);
    let disk = bench.path("disk");
    // Names that runs of this study have, and what it makes of them.
    for name in ["trial-1-a1", "trial-2-a7", ".packed-mine", "1", "2024"] {
        fs::create_dir_all(disk.join(name)).unwrap();
        fs::write(disk.join(name).join("stdout"), "years of work").unwrap();
    }
    let before = files(&disk);
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    let link = bench.path("study.fiesta/runs");
    symlink(&disk, &link).unwrap();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let log = bench.fiesta(&["log", "study.toml", "7"]);
    log.says(code::DONE, &[]);
    bench.edit("study.toml", "evaluations = 60", "evaluations = 64");
    let more = ["run", "study.toml", "--accept-changes"];
    bench.fiesta(&more).says(code::DONE, &[]);
    let after = files(&disk);
    for file in &before {
        assert!(after.contains(file), "{file:?}");
    }
    assert!(link.is_symlink());
    // Another study of this name.
    fs::rename(bench.path("study.fiesta"), bench.path("first")).unwrap();
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    symlink(&disk, &link).unwrap();
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["study.fiesta/runs", "another study, trial"]);
    assert_eq!(files(&disk), after);
}
