//! Tests of the cost of attempts that led to no result: lost, stopped, or given up at the end of the study.

use super::{
    Bench, TWO, arm, code,
    support::{is_alive, until},
};
use fiesta::runner::{Ledger, ledger::Entry};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Job whose first attempt at the first evaluation is killed by a signal after a second.
const LOST_ONCE: &str = "echo $$ $PPID >> begun\n[ -e once ] || { touch once; sleep 1; kill -9 $$; }\necho '{\"accuracy\": 0.5}'\n";

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// Returns the sum of a column of an export. Missing cells count 0.
fn column(bench: &Bench, name: &str) -> f64 {
    let rows = bench
        .fiesta(&["export", "study.toml", "--format", "jsonl"])
        .stdout;
    let rows = rows.lines().map(|row| serde_json::from_str(row).unwrap());
    // Cells of columns of a study's own are text.
    let of_row = |row: Value| match &row[name] {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_f64().unwrap_or(0.0),
    };
    rows.map(of_row).sum()
}

/// Checks that status, result and export agree on the cost of a study.
fn agrees(bench: &Bench, result: &Value) {
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["cost"], &status["lost"]),
        (&result["cost"], &result["lost"])
    );
    let arms = result["arms"].as_array().unwrap();
    let total: f64 = arms.iter().map(|arm| number(&arm["cost"])).sum();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}: {result}");
    close(total, number(&result["cost"]));
    close(
        column(bench, "cost") + column(bench, "lost_cost"),
        number(&result["cost"]),
    );
}

#[test]
fn a_lost_attempt_costs_what_it_took() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let bench = Bench::with_job(LOST_ONCE, &rest);
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(result["lost"]["attempts"], 1);
    assert!(number(&result["lost"]["cost"]) >= 1.0, "{result}");
    assert!(number(&arm(&result, "low")["cost"]) >= 1.0);
    agrees(&bench, &result);
    assert!((column(&bench, "lost_attempts") - 1.0).abs() < 1e-9);
    let text = bench.fiesta(&["report", "study.toml", "-o", "page", "--formats", "svg"]);
    text.says(code::DONE, &[]);
}

/// Tests a study with a small budget of cost in which each of a hundred attempts takes time.
#[test]
fn lost_attempts_count_for_a_budget_of_cost() {
    let job = "[ $1 = low ] && { sleep 0.3; kill -9 $$; }\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ cost = 1 }}\n[design]\npolicy = \"uniform\"\n[resources]\nretries = 2\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let (_, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        result["conclusion"]["reason"]["limit"]["cost"], 1.0,
        "{result}"
    );
    // Two that are lost and one that fails, and again: at 0.3 s each, the second time is beyond it.
    assert!(number(&arm(&result, "low")["failed"]) <= 2.0, "{result}");
    assert!(number(&result["lost"]["cost"]) >= 0.6, "{result}");
    agrees(&bench, &result);
}

#[test]
fn a_run_that_vanished_costs_as_much_as_it_is_known_to_have_taken() {
    for is_watched in [true, false] {
        let job = "echo $$ $PPID >> begun\n[ -e once ] || { touch once; while :; do echo going on; sleep 0.1; done; }\necho '{\"accuracy\": 0.5}'\n";
        let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{TWO}");
        let bench = Bench::with_job(job, &rest);
        let running = bench.start(&["run", "study.toml"]);
        until("a job runs", || bench.log("begun").len() == 1);
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let pids = bench.log("begun").remove(0);
        let supervisor = Pid::from_raw(pids[1].parse().unwrap()).unwrap();
        let ran = if is_watched {
            kill_process(supervisor, Signal::KILL).unwrap();
            running.wait()
        } else {
            running.signal(Signal::KILL);
            running.wait();
            kill_process(supervisor, Signal::KILL).unwrap();
            until("the supervisor is gone", || !is_alive(&pids[1]));
            bench.fiesta(&["run", "study.toml"])
        };
        ran.says(code::DONE, &["it had run for at least "]);
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status["lost"]["attempts"], 1);
        assert!(number(&status["lost"]["cost"]) >= 1.0, "{status}");
        agrees(&bench, &status);
    }
}

/// Tests the costs of attempts that two interruptions stopped, and that were made again, and of
/// attempts that were given up when the time of the study was over.
#[test]
fn attempts_that_are_stopped_cost_what_they_took() {
    let job = "echo >> begun\nuntil [ -e go ]; do sleep 0.05; done\necho '{\"accuracy\": 0.5}'\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 2 }}\n[design]\nparallel = 2\n[resources]\ngrace = \"5s\"\n{TWO}"
    );
    let bench = Bench::with_job(job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("both run", || bench.log("begun").len() == 2);
    std::thread::sleep(std::time::Duration::from_millis(500));
    for says in ["once more to stop them", "stopping the running jobs"] {
        running.signal(Signal::INT);
        until(says, || running.stderr().contains(says));
        std::thread::sleep(std::time::Duration::from_millis(150));
    }
    running.wait().says(code::INTERRUPTED, &[]);
    bench.file("go", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        (code, &result["lost"]["attempts"]),
        (Some(code::DONE), &2.into())
    );
    assert!(number(&result["lost"]["cost"]) >= 1.0, "{result}");
    agrees(&bench, &result);

    let rest = rest.replace("evaluations = 2", "wall = \"1s\"");
    let bench = Bench::with_job(job, &rest);
    let (_, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        (&result["evaluations"], &result["lost"]["attempts"]),
        (&0.into(), &2.into())
    );
    assert!(number(&result["cost"]) >= 1.0, "{result}");
    bench
        .fiesta(&["export", "study.toml"])
        .says(code::DONE, &["2 attempts at evaluations without a result"]);
}

/// Tests that a worker's declared cost, or a cost in a result, is not charged for attempts without
/// an answer. Their time is still known.
#[test]
fn what_is_paid_for_results_is_not_paid_for_lost_attempts() {
    const WORKER: &str = "while read -r line; do\n    id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}\n    [ -e once ] || { touch once; sleep 1; kill -9 $$; }\n    echo \"{\\\"id\\\": \\\"$id\\\", \\\"accuracy\\\": 0.5}\"\ndone\n";
    let rest = format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}");
    let worker = Bench::new();
    worker.file("worker.sh", WORKER);
    worker.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\ncost = 0.25\n{rest}"
        ),
    );
    let reported = LOST_ONCE
        .replace("[ -e once ]", "[ $2 = 0 ] || [ -e once ]")
        .replace("0.5}", "0.5, \"cost\": 0.25}");
    let reported = Bench::with_job(&reported, &rest);
    for bench in [worker, reported] {
        let (code, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        assert_eq!(
            (&result["cost"], &result["lost"]["cost"]),
            (&1.0.into(), &0.0.into())
        );
        assert_eq!(result["lost"]["attempts"], 1);
        let lost: f64 = Ledger::read(&bench.path("study.fiesta"))
            .unwrap()
            .iter()
            .map(|entry| match entry {
                Entry::Retried { seconds, .. } => *seconds,
                _ => 0.0,
            })
            .sum();
        assert!(lost >= 1.0, "{lost}");
    }
}
