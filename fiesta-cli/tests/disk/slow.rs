//! Tests on slow file systems of other machines: a FUSE file system that delays its answers, as a
//! server does.

use super::{
    slow_disk::SlowDisk,
    support::{Bench, SCORE, STUDY, code, until},
};
use rustix::process::Signal;
use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

fn with_budget(evaluations: u32) -> String {
    STUDY
        .replace("confidence = 0.95\n", "")
        .replace("evaluations = 40", &format!("evaluations = {evaluations}"))
}

/// Returns the journal mode in the database's header: 1 for a rollback journal, 2 for a log.
fn mode(database: &Path) -> u8 {
    fs::read(database).unwrap()[18]
}

#[test]
fn a_study_runs_on_a_slow_disk_and_moves_between_disks() {
    let bench = Bench::with_study(&with_budget(8));
    // Begun on a local disk, and killed there.
    let running = bench.start(&["run", "study.toml"]);
    until("something is recorded", || {
        running.stderr().contains("    2  ")
    });
    running.signal(Signal::KILL);
    running.wait();
    assert_eq!(mode(&bench.path("study.fiesta/ledger.db")), 2);
    fs::rename(bench.path("study.fiesta"), bench.path("served")).unwrap();
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 10) else {
        return;
    };
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(mode(&bench.path("served/ledger.db")), 1);
    assert!(!bench.path("served/ledger.db-shm").exists());
    assert_eq!(bench.json(&["status", "study.toml"]).1["evaluations"], 8);
    // And back.
    drop(disk);
    fs::remove_dir(bench.path("study.fiesta")).unwrap();
    fs::rename(bench.path("served"), bench.path("study.fiesta")).unwrap();
    let (exit, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (exit, &status["evaluations"]),
        (Some(code::DONE), &8.into())
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    assert_eq!(mode(&bench.path("study.fiesta/ledger.db")), 2);
}

/// Tests that a job's time limit holds although each disk operation takes 50 ms.
#[test]
fn limits_hold_however_slow_the_disk_is() {
    let job = format!("[ $1 = low ] && sleep 30\n{SCORE}");
    let rest = "[goal]\nbudget = { evaluations = 5 }\n[resources]\ntimeout = \"1s\"\ngrace = \"1s\"\n[design]\nparallel = 2\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"";
    let bench = Bench::with_job(&job, rest);
    let Some(_disk) = SlowDisk::mount(&bench, "study.fiesta", 50) else {
        return;
    };
    let began = Instant::now();
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert!(ran.stderr.contains("stopped at its time limit"), "{ran:?}");
    assert!(
        began.elapsed() < Duration::from_secs(50),
        "{:?}",
        began.elapsed()
    );
}

/// Tests quotas, and errors of a disk, in the order in which they occur.
#[test]
fn a_quota_is_waited_for_and_an_error_is_not() {
    let bench = Bench::with_study(&with_budget(30));
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 1) else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("something is recorded", || {
        running.stderr().contains("    3  ")
    });
    disk.fail("EDQUOT");
    until("it says so", || {
        running.stderr().contains("is full: no job is started")
    });
    thread::sleep(Duration::from_millis(500));
    disk.fail("");
    until("it goes on", || {
        running.stderr().contains("the study goes on")
    });
    disk.fail("EIO");
    let ran = running.wait();
    assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
    disk.fail("");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&30.into(), &0.into())
    );
}

/// Tests a quota that first leaves no room for the journal of the next transaction.
#[test]
fn a_journal_that_cannot_be_created_is_waited_for() {
    let bench = Bench::with_study(&with_budget(20));
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 1) else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("something is recorded", || {
        running.stderr().contains("    3  ")
    });
    disk.fail("EDQUOT -journal .room");
    until("it says so", || {
        running.stderr().contains("is full: no job is started")
    });
    disk.fail("");
    running.wait().says(code::DONE, &["the study goes on"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&20.into(), &0.into())
    );
}

/// Tests a quota set when all jobs have printed scores and wait to publish their ends. Nothing then
/// writes and is refused, and `statvfs` shows free space.
#[test]
fn a_quota_under_which_every_job_waits_is_noticed() {
    let bench = Bench::new();
    let (begun, go) = (bench.path("begun"), bench.path("go"));
    let job = format!(
        "{SCORE}\necho $1 $2 >> {}\nwhile [ ! -e {} ]; do sleep 0.05; done\n",
        begun.display(),
        go.display()
    );
    bench.file("score.sh", &job);
    bench.file("study.toml", &with_budget(6));
    let Some(disk) = SlowDisk::mount(&bench, "study.fiesta", 1) else {
        return;
    };
    let started = || {
        fs::read_to_string(&begun)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let running = bench.start(&["run", "study.toml"]);
    until("both jobs run", || started() == 2);
    disk.fail("EDQUOT");
    fs::write(&go, "").unwrap();
    let is_told = || {
        running
            .stderr()
            .matches("is full: no job is started")
            .count()
    };
    until("it says so", || is_told() > 0);
    // Longer than it takes to look again.
    thread::sleep(Duration::from_secs(6));
    assert_eq!((is_told(), started()), (1, 2), "{}", running.stderr());
    disk.fail("");
    let ran = running.wait();
    ran.says(code::DONE, &["the study goes on"]);
    // Each was carried out and counted once.
    assert_eq!(started(), 6);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&6.into(), &0.into())
    );
    let left = fs::read_dir(bench.path("served")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".room"));
    assert_eq!(left.count(), 0);
}
