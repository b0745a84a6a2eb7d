//! Two controllers on one study.

use super::support::{Bench, STUDY, code, until};
use serde_json::json;
use std::{
    fs::{self, File},
    process::Command,
    thread,
    time::Duration,
};

#[test]
fn the_second_is_told_who_the_first_is() {
    let bench = Bench::with_job(
        "n=0; until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done; echo '{\"accuracy\": 0.'$((500 + $3 % 99))'}'",
        "[goal]\nbudget = { evaluations = 6 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    let first = bench.start(&["run", "study.toml"]);
    until("the first has begun", || {
        bench.path("study.fiesta/runs").exists()
    });
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let holder = format!("process {} on {}", first.pid(), host.trim());
    let second = bench.fiesta(&["run", "study.toml"]);
    second.says(
        code::LOCKED,
        &[
            "the study is being run by",
            &holder,
            "wait for it, or stop it",
        ],
    );
    assert_eq!(second.stdout, "");
    bench.file("go", "");
    let first = first.wait();
    first.says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 6);
}

/// A process that the holder was just starting when it was killed has the lock a little longer.
#[test]
fn a_dead_holder_is_waited_for_briefly() {
    let bench = Bench::with_study(STUDY);
    let mut dead = Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    fs::create_dir(bench.path("study.fiesta")).unwrap();
    let holder = json!({ "pid": dead.id(), "host": host.trim(), "since": 0 });
    let lock = bench.file("study.fiesta/lock", &holder.to_string());
    let lock = File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let running = bench.start(&["run", "study.toml"]);
    thread::sleep(Duration::from_millis(200));
    assert!(!bench.path("study.fiesta/ledger.db").exists());
    lock.unlock().unwrap();
    running.wait().says(code::DONE, &[]);
    // Not for ever.
    lock.lock().unwrap();
    fs::write(bench.path("study.fiesta/lock"), holder.to_string()).unwrap();
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::LOCKED, &[&dead.id().to_string()]);
}

/// Started in the same instant, exactly one of them runs the study.
#[test]
fn of_many_at_once_exactly_one_runs_it() {
    let bench = Bench::with_job(
        "until [ -e go ]; do sleep 0.02; done; echo '{\"accuracy\": 0.'$((500 + $3 % 99))'}'",
        "[goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    let mut many: Vec<_> = (0..6)
        .map(|_| bench.start(&["run", "study.toml"]))
        .collect();
    until("all but one are refused", || {
        let refused = many
            .iter()
            .filter(|one| one.stderr().contains("is being run by"));
        refused.count() == 5
    });
    let first = many.remove(
        many.iter()
            .position(|one| !one.stderr().contains("is being run by"))
            .unwrap(),
    );
    for refused in many {
        refused
            .wait()
            .says(code::LOCKED, &[&format!("process {}", first.pid())]);
    }
    bench.file("go", "");
    first.wait().says(code::DONE, &[]);
    assert_eq!(bench.json(&["status", "study.toml"]).1["evaluations"], 4);
}

/// However it went: the lock is the kernel's.
#[test]
fn a_holder_that_was_killed_holds_nothing() {
    let bench = Bench::with_study(STUDY);
    for _ in 0..3 {
        let running = bench.start(&["run", "study.toml"]);
        until("it has begun", || {
            bench.path("study.fiesta/ledger.db").exists()
        });
        running.signal(rustix::process::Signal::KILL);
        running.wait();
    }
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}
