//! Study files that change while a study is under way.

use super::{Bench, TWO, code, logging, support::until};
use rustix::process::Signal;

/// A study that was interrupted after some evaluations.
fn interrupted() -> Bench {
    let job = format!("[ -e quick ] || sleep 0.1\n{}", logging());
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nparallel = 1\nseed = 5\n{TWO}");
    let bench = Bench::with_job(&job, &rest);
    let running = bench.start(&["run", "study.toml"]);
    until("the first job has begun", || !bench.text("log").is_empty());
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    bench.file("quick", "");
    bench
}

#[test]
fn are_listed_and_refused() {
    let bench = interrupted();
    bench.edit("study.toml", "seed = 5", "seed = 6");
    bench.edit("study.toml", "evaluations = 10", "evaluations = 8");
    let before = bench.text("log");
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--accept-changes"],
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(
            code::CHANGED,
            &[
                "design.seed: 5 → 6",
                "goal.budget.evaluations: 10 → 8",
                "undo them",
            ],
        );
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(bench.text("log"), before);
    // Undone, the study goes on.
    bench.edit("study.toml", "seed = 6", "seed = 5");
    bench.edit("study.toml", "evaluations = 8", "evaluations = 10");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
}

#[test]
fn are_taken_over_if_they_are_harmless() {
    let bench = interrupted();
    bench.edit("study.toml", "parallel = 1", "parallel = 2");
    let refused = bench.fiesta(&["run", "study.toml"]);
    refused.says(
        code::CHANGED,
        &["design.parallel: 1 → 2 (harmless)", "--accept-changes"],
    );
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 10);
    // From now on, it is the study.
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
}

#[test]
fn do_not_confuse_the_status() {
    let bench = interrupted();
    bench.edit(
        "study.toml",
        "[[arm]]\nname = \"low\"\n",
        "[[arm]]\nname = \"new\"\n",
    );
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::CHANGED, &["the study file has changed", "arm: "]);
    bench.edit("study.toml", "[[arm]]\nname = \"new\"\n", "");
    bench.edit(
        "study.toml",
        "[[arm]]\n",
        "[[arm]]\nname = \"x\"\ncommand = [\"true\"]\n[[arm]]\n",
    );
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::CHANGED, &["the study file has changed"]);
}
