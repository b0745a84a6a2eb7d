//! Tests of two controllers on one study.

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

/// Tests a lock that is still held, shortly, by a process that the killed holder was starting.
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
    // And then it is not the dead one that is named.
    let own = format!("process {} (", std::process::id());
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::LOCKED, &["study.fiesta/lock", &own]);
}

/// Tests that a program outside of FIESTA which holds a lock on the lock file, shared or exclusive, is named.
#[test]
fn a_stranger_that_has_the_lock_is_named() {
    let bench = Bench::with_study(STUDY);
    let locked = || File::open(bench.path("study.fiesta/lock"));
    let run = bench.fiesta(&["run", "study.toml"]);
    run.says(code::DONE, &[]);
    for shared in [true, false] {
        let lock = locked().unwrap();
        if shared {
            lock.lock_shared().unwrap();
        } else {
            lock.lock().unwrap();
        }
        // It inherits the lock, which lasts as long as either of the two.
        let mut stranger = Command::new("sleep").arg("60").stdin(lock).spawn().unwrap();
        let named = format!("process {} (sleep)", stranger.id());
        let ran = bench.fiesta(&["run", "study.toml"]);
        let status = bench.fiesta(&["status", "study.toml"]);
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        ran.says(
            code::LOCKED,
            &["study.fiesta/lock", &named, "does not run the study"],
        );
        status.says(code::DONE, &[]);
        assert!(!status.stdout.contains("run by"), "{status:?}");
    }
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

/// Tests that a controller which finds the lock held is told that the holder is stopped.
#[test]
fn a_holder_that_is_stopped_is_said_to_be() {
    let bench = Bench::with_job(
        "until [ -e go ]; do sleep 0.02; done; echo '{\"accuracy\": 0.'$((500 + $3 % 99))'}'",
        "[goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    let first = bench.start(&["run", "study.toml"]);
    until("the first has begun", || {
        bench.path("study.fiesta/runs").exists()
    });
    first.signal(rustix::process::Signal::STOP);
    let stopped = format!("process {}", first.pid());
    let advice = format!("is stopped (kill -CONT {}", first.pid());
    until("it is stopped", || {
        bench
            .fiesta(&["run", "study.toml"])
            .stderr
            .contains(&advice)
    });
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::LOCKED, &[&stopped, &advice]);
    let status = bench.fiesta(&["status", "study.toml"]);
    status.says(code::DONE, &[]);
    assert!(status.stdout.contains(&advice), "{status:?}");
    first.signal(rustix::process::Signal::CONT);
    bench.file("go", "");
    first.wait().says(code::DONE, &[]);
}

/// Tests that of many controllers started at once exactly one runs the study.
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

/// Tests that a killed holder leaves no lock: the kernel releases it.
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
