//! Tests of studies with a long-lived worker.

use super::{Bench, TWO, arm, code};
use crate::support::{is_alive, until};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;

/// Worker that answers each case with a score that follows from its arm and its seed, once there is
/// a file `go`. Its answers name their cases, as they may come in any order.
const WORKER: &str = r#"
echo $$ >> workers
while read -r line; do
    until [ -e go ]; do sleep 0.01; done
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    seed=${line#*\"seed\":}; seed=${seed%%[!0-9]*}
    echo "$id $arm $seed" >> asked
    case $arm in high) base=700 ;; *) base=600 ;; esac
    printf '{"id": "%s", "accuracy": 0.%03d, "loss": 2%s}\n' $id $((base + seed % 40)) "$MORE"
done
"#;

fn study(worker: &str, rest: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    bench.file("go", "");
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n{rest}\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{worker}\n{TWO}"
        ),
    );
    bench
}

const SIX: &str = "goal = { budget = { evaluations = 6 } }";

#[test]
fn a_study_is_made_by_one_worker() {
    let bench = study("", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(result["leader"], "high");
    assert_eq!(bench.log("workers").len(), 1);
    let asked = bench.log("asked");
    assert_eq!(result["evaluations"], asked.len());
    // The id is the answer's address and no part of the result.
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    let header = exported.lines().next().unwrap();
    assert!(
        header.contains("loss") && !header.contains("id"),
        "{header}"
    );
    let pid = &bench.log("workers")[0][0];
    assert!(!is_alive(pid));
}

#[test]
fn a_check_asks_one_case_of_each_arm_and_leaves_nothing() {
    let bench = study("", "design = { parallel = 2 }");
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(code::DONE, &[]);
    assert!(
        !ran.stderr.contains("note:"),
        "each line has all of it: {ran:?}"
    );
    assert!(
        ran.stdout.contains("0.6") && ran.stdout.contains("0.7"),
        "{ran:?}"
    );
    assert_eq!(bench.log("asked").len(), 2);
    assert!(!bench.path("study.fiesta").exists());
    for pid in bench.log("workers") {
        assert!(!is_alive(&pid[0]));
    }
}

#[test]
fn arms_with_a_worker_of_their_own_are_told_apart() {
    let bench = study(
        "",
        "goal = { budget = { evaluations = 8 } }\ndesign = { policy = \"uniform\" }",
    );
    bench.edit("study.toml", "\"worker.sh\"]", "\"worker.sh\", \"{arm}\"]");
    bench.file(
        "worker.sh",
        &format!("echo $1 $FIESTA_ARM >> started\n{WORKER}"),
    );
    bench.edit(
        "study.toml",
        "name = \"high\"\n",
        "name = \"high\"\ncommand = [\"sh\", \"worker.sh\", \"own\"]\nenv = { MORE = \", \\\"cost\\\": 3\" }\ncost = 5\n",
    );
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(arm(&result, "high")["cost"], 12.0);
    let started: BTreeSet<Vec<String>> = bench.log("started").into_iter().collect();
    let expected = [["low", "low"], ["own", "high"]].map(|line| line.map(str::to_owned).to_vec());
    assert_eq!(started, expected.into());
}

#[test]
fn an_answer_costs_what_it_says_else_what_the_study_says() {
    let bench = study("cost = 0.25", SIX);
    let (_, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(result["cost"], 1.5);
    let bench = study("cost = 0.25", SIX);
    let answer = WORKER.replace("\"$MORE\"", "', \"cost\": 2'");
    bench.file("worker.sh", &answer);
    let (_, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(result["cost"], 12.0);
}

#[test]
fn an_arm_whose_cases_kill_the_worker_is_given_up_and_the_others_go_on() {
    let bench = study("", "[resources]\nretries = 1");
    let deadly = WORKER.replace(
        "    case $arm in",
        "    [ $arm = low ] && kill -9 $$\n    case $arm in",
    );
    bench.file("worker.sh", &deadly);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::ARM_FAILED,
        &["the worker died before it answered", "signal 9"],
    );
    // Three failures retire the arm, each after two attempts.
    let low = bench
        .log("asked")
        .iter()
        .filter(|line| line[1] == "low")
        .count();
    assert_eq!(low, 6);
}

#[test]
fn a_worker_that_does_not_start_ends_the_study_at_once() {
    let bench = study("", "");
    bench.file("worker.sh", "echo 'no such model' >&2; exit 9\n");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[
            "cannot be evaluated",
            "3 in a row",
            "exit code 9",
            "no such model",
        ],
    );
    // Once it is mended, the same command goes on.
    bench.file("worker.sh", WORKER);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let bench = study("", "");
    bench.edit("study.toml", "\"sh\"", "\"no-such-program-anywhere\"");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &["`no-such-program-anywhere` was not found"]);
}

#[test]
fn ctrl_c_waits_for_what_was_asked_and_not_for_what_the_rate_holds_back() {
    let bench = study(
        "concurrency = 4\nrate_limit = \"1/h\"",
        "design = { parallel = 4 }",
    );
    std::fs::remove_file(bench.path("go")).unwrap();
    let running = bench.start(&["run", "study.toml"]);
    until("it is asked", || bench.log("workers").len() == 1);
    until("the first case is sent", || {
        let run = |n| bench.path(&format!("study.fiesta/runs/trial-{n}-a0/meta.json"));
        (0..4).any(|n| run(n).exists())
    });
    running.signal(Signal::INT);
    until("it says so", || {
        running.stderr().contains("waiting for 1 running job")
    });
    bench.file("go", "");
    running
        .wait()
        .says(code::INTERRUPTED, &["goes on from here"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["pending"]),
        (&1.into(), &3.into())
    );
    // A faster pace is a harmless change.
    bench.edit("study.toml", "1/h", "1000/s");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &["worker.rate_limit", "harmless"]);
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
}

#[test]
fn a_killed_controller_finds_its_answers() {
    let bench = study(
        "concurrency = 3",
        &format!("{SIX}\ndesign = {{ parallel = 3 }}"),
    );
    std::fs::remove_file(bench.path("go")).unwrap();
    let running = bench.start(&["run", "study.toml"]);
    until("three are asked", || {
        (0..3).all(|n| {
            bench
                .path(&format!("study.fiesta/runs/trial-{n}-a0/meta.json"))
                .exists()
        })
    });
    until("the worker runs", || bench.log("workers").len() == 1);
    let controller = Pid::from_raw(running.pid().cast_signed()).unwrap();
    kill_process(controller, Signal::KILL).unwrap();
    running.wait();
    bench.file("go", "");
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(result["evaluations"], 6);
    let asked = bench.log("asked");
    let cases: BTreeSet<&[String]> = asked.iter().map(|line| &line[..1]).collect();
    assert_eq!((asked.len(), cases.len()), (6, 6), "{asked:?}");
    assert_eq!(bench.log("workers").len(), 2);
}

#[test]
fn a_random_search_and_a_study_of_documents_are_answered_too() {
    let echo = r#"while read -r line; do
    echo "$line" >> asked
    id=${line#*\"id\":\"}; id=${id%%\"*}
    printf '{"id": "%s", "accuracy": 0.5, "tp": 1, "fp": 0, "fn": 1}\n' $id
done
"#;
    let bench = study("", "goal = { trials = 2 }");
    bench.file("worker.sh", echo);
    bench.file(
        "study.toml",
        &format!(
            "{}\n[arm.search]\nlr = {{ choice = [0.125] }}\n",
            bench.text("study.toml").trim_end()
        ),
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let asked = bench.text("asked");
    assert!(
        asked.contains(r#""arm":"high","split":0,"seed":"#),
        "{asked}"
    );
    assert_eq!(
        asked.matches(r#""setting":{"lr":0.125}"#).count(),
        2,
        "{asked}"
    );

    let bench = Bench::new();
    bench.file("worker.sh", echo);
    bench.file(
        "docs.jsonl",
        "{\"id\": \"a\", \"text\": \"one\"}\n{\"id\": \"b\", \"text\": \"two\"}\n",
    );
    bench.file(
        "study.toml",
        &format!("name = \"docs\"\ndesign = {{ documents = \"docs.jsonl\" }}\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{TWO}"),
    );
    bench.fiesta(&["run", "study.toml"]);
    let asked = bench.text("asked");
    let first: serde_json::Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
    assert!(
        ["a", "b"].contains(&first["document_id"].as_str().unwrap()),
        "{first}"
    );
    let document = std::fs::read_to_string(first["document"].as_str().unwrap()).unwrap();
    assert!(document.contains("text"), "{document}");
    assert_eq!(first.get("split"), None);
}

#[test]
fn a_worker_needs_a_gpu_that_is_there() {
    let bench = study("", "[resources]\ngpus_per_job = 1");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["needs 1 GPU, but there is none"]);
    let bench = study(
        "concurrency = 2",
        &format!(
            "{SIX}\ndesign = {{ parallel = 8 }}\n[resources]\ngpus_per_job = 1\n[executor]\ngpus = [3]"
        ),
    );
    bench.file(
        "worker.sh",
        &format!("echo $CUDA_VISIBLE_DEVICES >> devices\n{WORKER}"),
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.text("devices"), "3\n");
}

#[test]
fn status_shows_the_gpus_of_workers() {
    let bench = study(
        "concurrency = 2",
        &format!(
            "{SIX}\ndesign = {{ parallel = 4 }}\n[resources]\ngpus_per_job = 1\n[executor]\ngpus = [3, 4, 5]"
        ),
    );
    std::fs::remove_file(bench.path("go")).unwrap();
    let running = bench.start(&["run", "study.toml"]);
    let slots = || {
        let ran = bench.fiesta(&["status", "study.toml", "--format", "json"]);
        let status = serde_json::from_str::<serde_json::Value>(&ran.stdout).ok();
        status.map_or_else(Vec::new, |status| {
            status["slots"].as_array().unwrap().clone()
        })
    };
    let runs = |slot: &serde_json::Value| slot["runs"].as_array().unwrap().len();
    until("four cases are asked", || {
        slots().iter().map(runs).sum::<usize>() == 4
    });
    let seen: Vec<_> = slots()
        .iter()
        .map(|slot| (slot["gpu"].clone(), slot["state"].clone(), runs(slot)))
        .collect();
    let expected = [("3", "busy", 2), ("4", "busy", 2), ("5", "free", 0)];
    assert_eq!(
        seen,
        expected.map(|(gpu, state, runs)| (gpu.into(), state.into(), runs))
    );
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
}

/// Tests that the user is warned of invalid answers: the first answer to a case counts, and an
/// answer to a case that was not asked never does.
#[test]
fn answers_that_do_not_count_are_told() {
    let bench = study("", SIX);
    bench.edit(
        "worker.sh",
        "\ndone\n",
        "\n    printf '{\"id\": \"%s\", \"accuracy\": 0.001}\\n' $id\n    printf '{\"id\": \"trial-99-a0\", \"accuracy\": 0.9}\\n'\ndone\n",
    );
    for arguments in [
        &["run", "study.toml", "--check"][..],
        &["run", "study.toml"],
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(
            code::DONE,
            &[
                "worker 1 answered trial-0-a0 again, and otherwise: its first answer counts",
                "worker 1 answered trial-99-a0, which it was not asked",
            ],
        );
        let of_other = ran.stderr.matches("worker 1 answered trial-99-a0").count();
        assert_eq!(of_other, 1, "{ran:?}");
        assert!(ran.stderr.contains("did so "), "{ran:?}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    for name in ["low", "high"] {
        assert!(
            arm(&status, name)["mean"].as_f64().unwrap() > 0.5,
            "{status}"
        );
    }
}
