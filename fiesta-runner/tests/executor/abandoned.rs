//! Runs whose directory is removed or moved while they go on: nobody wants them, and another run
//! may have its name by now.

use crate::bench::{Bench, eventually, executor};
use fiesta_runner::process::Identity;
use fiesta_runner::run::RunDirectory;
use fiesta_runner::run::{End, RunSpec};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Starts a run, and leaves its supervisor without a controller, as another study would.
fn left(bench: &mut Bench, script: &str) -> (RunSpec, Identity) {
    let spec = bench.shell(script);
    let supervisor = bench.submit(&spec);
    bench.await_file("started");
    drop(mem::replace(&mut bench.executor, executor()));
    (spec, supervisor)
}

fn signal(process: &Identity, signal: Signal) {
    kill_process(Pid::from_raw(process.pid).unwrap(), signal).unwrap();
}

fn away(directory: &Path) -> PathBuf {
    directory.with_extension("away")
}

fn is_refused_elsewhere(remove: impl FnOnce(&Path)) -> Bench {
    let mut bench = Bench::new();
    let (spec, supervisor) = left(
        &mut bench,
        "echo > started; while [ ! -e go ]; do sleep 0.02; done; echo '{\"f1\": 0.1}'; echo > done",
    );
    // It notices nothing before it has an end to publish.
    signal(&supervisor, Signal::STOP);
    remove(&spec.directory);
    let spec = bench.shell(
        "echo > started-too; while [ ! -e go-too ]; do sleep 0.02; done; echo '{\"f1\": 0.9}'",
    );
    bench.submit(&spec);
    bench.await_file("started-too");
    bench.touch("go");
    bench.await_file("done");
    signal(&supervisor, Signal::CONT);
    eventually("the supervisor goes", || !supervisor.is_alive());
    assert!(!spec.directory.join("end.json").exists());
    assert!(bench.poll(Duration::from_millis(50)).is_empty());
    bench.touch("go-too");
    assert_eq!(bench.wait().end, End::Exited(0));
    let stdout = fs::read_to_string(spec.directory.join("stdout")).unwrap();
    assert_eq!(stdout, "{\"f1\": 0.9}\n");
    let mut names: Vec<_> = fs::read_dir(&spec.directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["end.json", "meta.json", "spec.json", "stdout"]);
    bench
}

#[test]
fn what_a_removed_run_ends_with_is_not_taken_for_another_s() {
    is_refused_elsewhere(|directory| fs::remove_dir_all(directory).unwrap());
}

#[test]
fn what_a_run_ends_with_goes_where_its_directory_went() {
    let bench = is_refused_elsewhere(|directory| fs::rename(directory, away(directory)).unwrap());
    let away = away(&bench.spec(&["true"]).directory);
    assert!(away.join("end.json").exists());
}

#[test]
fn a_run_whose_directory_is_no_longer_its_own_is_stopped_at_once() {
    for gone in [
        |directory: &Path| fs::remove_dir_all(directory).unwrap(),
        // Another run has claimed its name.
        |directory: &Path| {
            fs::rename(directory, away(directory)).unwrap();
            fs::create_dir(directory).unwrap();
            let meta = fs::read_to_string(away(directory).join("meta.json")).unwrap();
            let meta = meta.replacen("\"pid\":", "\"pid\":1", 1);
            fs::write(directory.join("meta.json"), meta).unwrap();
        },
    ] {
        let mut bench = Bench::new();
        let (spec, supervisor) = left(
            &mut bench,
            "trap '' TERM; echo $$ > pid; echo > started; while :; do sleep 0.1; done",
        );
        let command = bench.process("pid");
        gone(&spec.directory);
        eventually("it is stopped", || {
            !command.is_alive() && !supervisor.is_alive()
        });
    }
}

/// Tests that a run whose directory was moved goes on, and is found at its new path.
#[test]
fn a_run_whose_directory_was_moved_goes_on() {
    let mut bench = Bench::new();
    let (spec, supervisor) = left(
        &mut bench,
        "echo > started; while [ ! -e go ]; do sleep 0.02; done; echo '{\"f1\": 0.1}'",
    );
    let away = away(&spec.directory);
    fs::rename(&spec.directory, &away).unwrap();
    // Longer than it takes to look.
    std::thread::sleep(Duration::from_millis(2500));
    assert!(supervisor.is_alive());
    bench.touch("go");
    eventually("the supervisor goes", || !supervisor.is_alive());
    let ended = RunDirectory::new(away).read_end().unwrap();
    assert_eq!(ended.unwrap().end, End::Exited(0));
}
