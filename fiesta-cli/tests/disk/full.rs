//! Tests of a disk that fills while a study runs.

use super::{
    mount::Mount,
    support::{Bench, code, until},
};
use rustix::process::Signal;
use std::{collections::BTreeSet, thread, time::Duration};

/// Job that records on another disk when an evaluation begins and ends.
const JOB: &str = "echo $1 $2 $3 >> begun\nsleep 0.05\necho $1 $2 $3 >> ended\necho '{\"accuracy\": 0.'$((500 + $3 % 400))'}'\n";

const EVALUATIONS: usize = 40;

fn study() -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {EVALUATIONS} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\nseed = 4\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n[[arm]]\nname = \"c\""
    );
    Bench::with_job(JOB, &rest)
}

fn state(bench: &Bench) -> std::path::PathBuf {
    bench.path("study.fiesta")
}

/// Returns the evaluations in an export, and checks that none is there twice.
fn counted(bench: &Bench) -> BTreeSet<String> {
    let export = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    export.says(code::DONE, &[]);
    let rows: Vec<String> = export.stdout.lines().map(ToOwned::to_owned).collect();
    let case = |row: &String| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert!(row["score"].is_number(), "{row}");
        format!(
            "{} {} {}",
            row["arm"].as_str().unwrap(),
            row["split"],
            row["seed"]
        )
    };
    let cases: BTreeSet<String> = rows.iter().map(case).collect();
    assert_eq!(cases.len(), rows.len(), "counted twice: {rows:?}");
    cases
}

/// Checks that the evaluations counted and the evaluations carried out are the same.
fn all_are_counted(bench: &Bench) {
    let ended: BTreeSet<String> = bench.text("ended").lines().map(ToOwned::to_owned).collect();
    assert_eq!(ended.len(), EVALUATIONS);
    assert_eq!(counted(bench), ended);
}

fn waits_and_goes_on(bench: &Bench, exhaust: impl FnOnce(), relieve: impl FnOnce()) {
    let running = bench.start(&["run", "study.toml"]);
    until("some are made", || bench.log("ended").len() >= 6);
    exhaust();
    until("it says so", || {
        running.stderr().contains("is full: no job is started")
    });
    // Those that ran have ended.
    until("nothing runs", || {
        bench.log("begun").len() == bench.log("ended").len()
    });
    let begun = bench.log("begun").len();
    assert!(begun < EVALUATIONS);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(bench.log("begun").len(), begun, "a job was started");
    // Who looks is told how far it is.
    let (exit, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (exit, &status["state"]),
        (Some(code::DONE), &"running".into())
    );
    relieve();
    let ran = running.wait();
    ran.says(code::DONE, &["can be written again; the study goes on"]);
    assert_eq!(
        ran.stderr.matches("is full: no job").count(),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(
        ran.stderr.matches("the study goes on").count(),
        1,
        "{}",
        ran.stderr
    );
    all_are_counted(bench);
}

#[test]
fn it_is_waited_for_and_nothing_is_lost() {
    let bench = study();
    let Some(disk) = Mount::tmpfs(&state(&bench), "size=3m") else {
        return;
    };
    waits_and_goes_on(&bench, || disk.fill(), || disk.make_room());
}

/// Tests a disk with room for the ledger, but not for the directories of runs.
#[test]
fn directories_that_cannot_be_made_are_waited_for() {
    let bench = study();
    let Some(disk) = Mount::tmpfs(&state(&bench), "size=8m,nr_inodes=100") else {
        return;
    };
    waits_and_goes_on(&bench, || (), || disk.remount("nr_inodes=10000"));
}

/// Tests that evaluations which were decided, but found no room to begin, are started by the next
/// controller.
#[test]
fn what_never_began_is_started_by_the_next_controller() {
    let bench = study();
    let Some(disk) = Mount::tmpfs(&state(&bench), "size=8m,nr_inodes=100") else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("it says so", || running.stderr().contains("is full"));
    until("nothing runs", || {
        bench.log("begun").len() == bench.log("ended").len()
    });
    running.signal(Signal::KILL);
    running.wait();
    disk.remount("nr_inodes=10000");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["resuming after"]);
    all_are_counted(&bench);
}

#[test]
fn it_can_be_left_meanwhile_and_resumed() {
    for signals in [1, 2] {
        let bench = study();
        let Some(disk) = Mount::tmpfs(&state(&bench), "size=3m") else {
            return;
        };
        let running = bench.start(&["run", "study.toml"]);
        until("some are made", || bench.log("ended").len() >= 6);
        disk.fill();
        until("it says so", || running.stderr().contains("is full"));
        until("nothing runs", || {
            bench.log("begun").len() == bench.log("ended").len()
        });
        for _ in 0..signals {
            running.signal(Signal::INT);
            thread::sleep(Duration::from_millis(150));
        }
        running.wait().says(code::INTERRUPTED, &[]);
        // What the controller removed as it left may have made room.
        disk.fill();
        // No room: it cannot even begin, and says what to do.
        let ran = bench.fiesta(&["run", "study.toml"]);
        assert_eq!(ran.code, Some(code::USAGE), "{ran:?}");
        assert!(
            ran.stderr.contains("No space left") || ran.stderr.contains("full"),
            "{ran:?}"
        );
        disk.make_room();
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::DONE, &["resuming after"]);
        all_are_counted(&bench);
    }
}

/// Tests that a job which ends on a full disk publishes its end when there is room again.
#[test]
fn the_end_of_a_job_waits_for_room() {
    // What it prints at the end fits into the block that it has.
    let job = "echo begins\necho >> begun\nuntil [ -e go ]; do sleep 0.02; done\necho '{\"accuracy\": 0.5}'\necho >> ended\n";
    let rest = "[goal]\nbudget = { evaluations = 2 }\n[design]\nparallel = 2\n[resources]\nretries = 0\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"";
    let bench = Bench::with_job(job, rest);
    let Some(disk) = Mount::tmpfs(&state(&bench), "size=2m") else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("both run", || bench.text("begun").len() == 2);
    disk.fill();
    bench.file("go", "");
    until("both have ended", || bench.text("ended").len() == 2);
    thread::sleep(Duration::from_millis(500));
    assert_eq!(bench.json(&["status", "study.toml"]).1["evaluations"], 0);
    disk.make_room();
    running.wait().says(code::DONE, &[]);
    assert_eq!(bench.text("begun").len(), 2, "made again");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&2.into(), &0.into())
    );
}
