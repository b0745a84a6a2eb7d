//! Tests of jobs that run a study themselves, and of attendants of jobs that are stopped.

use super::{
    Bench, TWO, code,
    support::{is_alive, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::time::Duration;

const INNER: &str = r#"
name = "inner"
command = ["sh", "-c", "echo $$ >> ../inner-jobs; [ -e ../again ] || sleep 600; echo '{{\"accuracy\": 0.5}}'", "{arm}"]
goal = { budget = { evaluations = 2 } }
[design]
policy = "uniform"
[metric]
name = "accuracy"
[[arm]]
name = "a"
[[arm]]
name = "b"
"#;

fn kill(pid: &str, signal: Signal) {
    kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), signal).unwrap();
}

/// Returns the process id of a run's supervisor.
fn supervisor(bench: &Bench, run: &str) -> String {
    let meta = bench.text(&format!("{run}/meta.json"));
    let meta: Value = serde_json::from_str(&meta).unwrap();
    meta["pid"].to_string()
}

/// Tests that a job's own study ends with its jobs, whichever process of the job is killed.
#[test]
fn the_jobs_of_a_job_s_own_study_end_with_it() {
    let job = format!(
        "echo $$ >> outer-jobs; [ -e again ] && exec echo '{{\"accuracy\": 0.5}}'\nmkdir inner; cd inner; cp ../inner.toml study.toml; exec {} run study.toml",
        env!("CARGO_BIN_EXE_fiesta")
    );
    let bench = Bench::with_job(
        &job,
        &format!(
            "goal = {{ budget = {{ evaluations = 2 }} }}\n[resources]\nretries = 1\n[design]\npolicy = \"uniform\"\nparallel = 1\n{TWO}"
        ),
    );
    bench.file("inner.toml", INNER);
    let running = bench.start(&["run", "study.toml"]);
    until("an inner job runs", || bench.log("inner-jobs").len() == 1);
    let inner_job = bench.log("inner-jobs")[0][0].clone();
    bench.file("again", "");
    // All of FIESTA's own, so that nobody is left who could end the inner job.
    let attendants = [
        supervisor(&bench, "study.fiesta/runs/trial-0-a0"),
        bench.log("outer-jobs")[0][0].clone(),
        supervisor(&bench, "inner/study.fiesta/runs/inner-0-a0"),
    ];
    for pid in &attendants {
        kill(pid, Signal::KILL);
    }
    running.wait().says(code::DONE, &[]);
    assert!(!is_alive(&inner_job));
}

#[test]
#[ignore = "heavy: waits for a minute; run by `scripts/test heavy`"]
fn a_supervisor_that_is_stopped_is_killed_and_its_run_made_again() {
    let job = "echo $$ >> jobs; [ -e again ] || sleep 600; echo '{\"accuracy\": 0.5}'";
    let rest = "goal = { budget = { evaluations = 2 } }\n[resources]\ntimeout = \"3s\"\n[design]\npolicy = \"uniform\"\nparallel = 1\n";
    let bench = Bench::with_job(job, &format!("{rest}{TWO}"));
    let running = bench.start(&["run", "study.toml"]);
    until("a job runs", || bench.log("jobs").len() == 1);
    kill(
        &supervisor(&bench, "study.fiesta/runs/trial-0-a0"),
        Signal::STOP,
    );
    bench.file("again", "");
    let status = bench.fiesta(&["status", "study.toml"]);
    status.says(code::DONE, &["is stopped: `kill -CONT"]);
    let ran = running.wait_for(Duration::from_mins(2));
    ran.says(
        code::DONE,
        &[
            "is stopped: `kill -CONT",
            "was stopped for 60 s: it was killed",
        ],
    );
    assert!(!is_alive(&bench.log("jobs")[0][0]));
}
