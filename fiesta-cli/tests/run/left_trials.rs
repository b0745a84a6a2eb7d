//! Tests of trials that are killed: the next command on the study ends their jobs.

use super::{
    Bench, TWO, code,
    support::{Running, is_alive, until},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;

/// Jobs that go on until they are stopped, while there is a file `first`.
const JOB: &str = r#"
if [ -e first ]; then
  echo $$ >> pids
  trap '' TERM
  while :; do sleep 0.1; done
fi
echo '{"accuracy": 0.5}'
"#;

fn bench() -> Bench {
    let rest = format!(
        "goal = {{ budget = {{ evaluations = 4 }} }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job(JOB, &rest);
    bench.file("first", "");
    bench
}

/// Returns a trial with running jobs, and the process ids of the jobs.
fn begun(bench: &Bench) -> (Running, Vec<String>) {
    let trial = bench.start(&["run", "study.toml", "--check"]);
    until("two jobs run", || bench.log("pids").len() == 2);
    fs::remove_file(bench.path("first")).unwrap();
    (trial, bench.log("pids").concat())
}

fn left(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.path("study.fiesta"));
    let names = entries.into_iter().flatten();
    names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("check-"))
        .collect()
}

#[test]
fn what_a_killed_trial_left_is_stopped_and_removed_by_whoever_comes_next() {
    for (arguments, supervisors_live) in [
        (&["run", "study.toml"][..], true),
        (&["run", "study.toml", "--check"], true),
        (&["run", "study.toml", "--check"], false),
    ] {
        let bench = bench();
        let (trial, jobs) = begun(&bench);
        trial.signal(Signal::KILL);
        trial.wait();
        assert_eq!(left(&bench).len(), 1);
        let place = bench.path("study.fiesta").join(&left(&bench)[0]);
        for run in ["trial-0-a0", "trial-1-a0"] {
            let meta = fs::read_to_string(place.join(run).join("meta.json")).unwrap();
            let meta: Value = serde_json::from_str(&meta).unwrap();
            let supervisor = i32::try_from(meta["pid"].as_i64().unwrap()).unwrap();
            if !supervisors_live {
                kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
            }
        }
        assert!(jobs.iter().all(|job| is_alive(job)));
        bench.fiesta(arguments).says(code::DONE, &[]);
        assert!(!jobs.iter().any(|job| is_alive(job)), "{arguments:?}");
        assert_eq!(left(&bench), [""; 0]);
    }
}

#[test]
fn a_trial_that_goes_on_is_left_alone() {
    let bench = bench();
    let (trial, jobs) = begun(&bench);
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--check"],
    ] {
        bench.fiesta(arguments).says(code::DONE, &[]);
        assert!(jobs.iter().all(|job| is_alive(job)), "{arguments:?}");
        assert_eq!(left(&bench).len(), 1);
    }
    for job in &jobs {
        kill_process(Pid::from_raw(job.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    trial.wait().says(code::ARM_FAILED, &[]);
}
