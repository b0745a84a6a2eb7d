//! Tests of `fiesta run --dry-run`, which shows the jobs that a session would start first, and starts none.

use super::{Bench, TWO, code, logging, support::until};
use rustix::process::Signal;
use serde_json::Value;

fn previewed(bench: &Bench) -> Vec<Value> {
    let (code, preview) = bench.json(&["run", "study.toml", "--dry-run"]);
    assert_eq!(code, Some(code::DONE));
    preview["runs"].as_array().unwrap().clone()
}

/// Tests that the jobs which are shown are then run, in a new and in a resumed study.
#[test]
fn what_is_shown_is_what_is_run() {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nparallel = 3\npolicy = \"ts\"\nseed = 5\n{TWO}"
    );
    let slow = format!("{}\n[ -e go ] || sleep 100", logging());
    let bench = Bench::with_job(&slow, &rest);
    let first = previewed(&bench);
    assert_eq!(first.len(), 3);
    assert!(!bench.path("study.fiesta").exists());
    let running = bench.start(&["run", "study.toml"]);
    until("three jobs run", || bench.log("log").len() == 3);
    for run in &first {
        let command: Vec<&str> = run["command"].as_array().unwrap()[2..]
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert!(bench.text("log").contains(&command.join(" ")), "{run}");
    }
    // Those that are decided are shown as such; there is no room for more.
    let again = previewed(&bench);
    assert!(again.iter().all(|run| run["is_pending"] == true));
    assert_eq!(again.len(), 3);
    running.signal(Signal::INT);
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let over = bench.fiesta(&["run", "study.toml", "--dry-run"]);
    over.says(code::DONE, &["the study is over: nothing would be started"]);
    assert_eq!(over.stdout, "");
}

/// Tests that the whole submission to an engine is shown, and the engine not contacted.
#[test]
fn what_an_engine_would_be_given_is_shown() {
    let executor =
        "[executor]\nkind = \"slurm\"\npartition = \"none such\"\nprologue = [\"module load x\"]\n";
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nparallel = 3\n[resources]\ngpus_per_job = 2\ntimeout = \"90m\"\n{executor}{TWO}"
    );
    let bench = Bench::with_job(&logging(), &rest);
    let ran = bench.fiesta(&["run", "study.toml", "--dry-run"]);
    assert_eq!(ran.code, Some(code::DONE), "{}", ran.stderr);
    for words in [
        "--array=1-3",
        "--gres=gpu:2",
        "'--partition=none such'",
        "--time=92",
        "\nmodule load x\n",
        "sh job.sh high 0 ",
    ] {
        assert!(ran.stdout.contains(words), "{words} in\n{}", ran.stdout);
    }
    assert!(!bench.path("study.fiesta").exists());
}
