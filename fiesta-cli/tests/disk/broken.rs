//! Tests of a disk that refuses for good.

use super::{
    mount::Mount,
    support::{Bench, code, until},
};
use std::{fs, path::Path};

const JOB: &str =
    "echo >> begun\nsleep 0.1\necho >> ended\necho '{\"accuracy\": 0.'$((500 + $3 % 400))'}'\n";

/// Tests a disk that becomes read-only, as the kernel finds an error in the file system: the study
/// ends with that, and is resumed when the disk is repaired.
#[test]
fn one_that_became_read_only_ends_the_session_and_loses_nothing() {
    let rest = "[goal]\nbudget = { evaluations = 20 }\n[design]\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"";
    let bench = Bench::with_job(JOB, rest);
    let Some(disk) = Mount::ext4(&bench.path("study.fiesta")) else {
        return;
    };
    let error = Path::new("/sys/fs/ext4")
        .join(disk.device())
        .join("trigger_fs_error");
    if !error.exists() {
        crate::support::skipped_on_this_machine(format_args!("{} is missing", error.display()));
        return;
    }
    let running = bench.start(&["run", "study.toml"]);
    until("some are made", || bench.text("ended").len() >= 5);
    fs::write(error, "a test").unwrap();
    let ran = running.wait();
    assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
    // An error of the disk, or a disk that is read-only: whichever was met first.
    let words = ["read-only", "readonly", "Read-only", "dmesg"];
    let says_why = words.iter().any(|word| ran.stderr.contains(word));
    assert!(says_why, "{ran:?}");
    assert!(!ran.stderr.contains("is full"), "{ran:?}");
    // What was recorded can be read all the same.
    let (exit, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(exit, Some(code::DONE));
    assert!(status["evaluations"].as_u64().unwrap() >= 3, "{status}");
    until("no job runs", || {
        bench.text("begun").len() == bench.text("ended").len()
    });

    disk.repair();
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&20.into(), &0.into())
    );
}
