//! Tests of jobs that are asked to stop, and end properly by themselves within their grace.

use super::{Bench, TWO, arm, code, support::until};
use rustix::process::Signal;

/// Job that continues until it is asked to stop, and then scores; one arm may end otherwise.
const PROPER: &str = r#"
trap '[ $1 = low ] && [ -e low-fails ] && exit 7; echo "{\"accuracy\": 0.7}"; exit 0' TERM
echo $$ >> begun
until [ -e go ]; do sleep 0.02; done
echo '{"accuracy": 0.5}'
"#;

fn study(goal: &str, resources: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ {goal} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\n[resources]\ngrace = \"20s\"\n{resources}\n{TWO}"
    );
    Bench::with_job(PROPER, &rest)
}

#[test]
fn count_when_the_time_of_the_study_is_over() {
    let bench = study("wall = \"2s\"", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(
        (&result["evaluations"], &result["pending"]),
        (&2.into(), &0.into()),
        "{result}"
    );
    let export = bench.fiesta(&["export", "study.toml"]).stdout;
    assert_eq!(export.matches(",0.7,").count(), 2, "{export}");
}

#[test]
fn count_at_their_own_limits() {
    for limit in ["timeout = \"1s\"", "silence = \"1s\""] {
        let bench = study("evaluations = 2", limit);
        let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
        ran.says(code::DONE, &["it ended in time with exit code 0"]);
        let result = ran.json();
        assert_eq!(
            (&result["evaluations"], &result["failed"]),
            (&2.into(), &0.into())
        );
    }
}

#[test]
fn count_after_two_interruptions() {
    let bench = study("evaluations = 4", "");
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("begun").len() == 2);
    for says in ["once more to stop them", "stopping the running jobs"] {
        running.signal(Signal::INT);
        until(says, || running.stderr().contains(says));
        std::thread::sleep(std::time::Duration::from_millis(150));
    }
    running.wait().says(code::INTERRUPTED, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["pending"]),
        (&2.into(), &0.into())
    );
    bench.file("go", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        (code, &result["evaluations"]),
        (Some(code::DONE), &4.into())
    );
    assert_eq!(bench.log("begun").len(), 4);
}

/// Tests that a job which was asked to stop, and then fails, gives no result and counts as no failure of its arm.
#[test]
fn count_only_with_an_exit_code_that_counts() {
    let bench = study("wall = \"2s\"", "");
    bench.file("low-fails", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&1.into(), &0.into())
    );
    assert_eq!(arm(&result, "high")["evaluations"], 1);

    let bench = study("evaluations = 2", "timeout = \"1s\"");
    bench.file("low-fails", "");
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::DONE, &["stopped at its time limit"]);
    assert_eq!(ran.json()["failed"], 1);
}

/// Tests a shutdown of the machine, which asks a job and its supervisor at the same time; the job
/// may end first.
#[test]
fn a_job_that_fails_as_everything_is_asked_to_stop_is_no_failure() {
    let bench = study("evaluations = 2", "");
    bench.file("low-fails", "");
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("begun").len() == 2);
    let run = bench.path("study.fiesta/runs/trial-0-a0/meta.json");
    let meta = std::fs::read_to_string(run).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    let job = bench.log("begun").concat();
    let spec = |pid: &str| {
        std::fs::read_to_string(format!("/proc/{pid}/environ"))
            .is_ok_and(|environment| environment.contains("FIESTA_ARM=low"))
    };
    let low = job.iter().find(|pid| spec(pid)).unwrap();
    let stopped = std::process::Command::new("sh")
        .args(["-c", &format!("kill -STOP {0}; kill -TERM {1}; while kill -0 {1} && ! grep -q '^State:.Z' /proc/{1}/status; do sleep 0.01; done; kill -TERM {0}; kill -CONT {0}", meta["pid"], low)])
        .output();
    assert!(stopped.unwrap().status.success());
    bench.file("go", "");
    let ran = running.wait();
    ran.says(code::DONE, &["stopped from outside"]);
    let (_, result) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&2.into(), &0.into())
    );
}
