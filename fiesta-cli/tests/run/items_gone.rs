//! Tests of verbs that show a study of items after the file of the items was removed.

use super::{Bench, TWO, code};
use std::fs;

/// Returns a study of a pool in two groups, of which each arm is to answer half.
fn study(items: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nitems = \"{items}\"\npolicy = \"uniform\"\n{TWO}"
    );
    let bench = Bench::with_job("echo '{\"accuracy\": 0.'$3'}'\n", "");
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{item}}\", \"{{seed}}\"]\n{rest}\n[metric]\nname = \"accuracy\"\n"
        ),
    );
    bench
}

fn without(bench: &Bench, items: &str) {
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let verbs: [&[&str]; 5] = [
        &["status", "study.toml", "--format", "json"],
        &["export", "study.toml"],
        &["log", "study.toml", "2", "--format", "json"],
        &["belief", "study.toml", "--format", "json"],
        &["report", "study.toml", "-o", "out", "--formats", "svg"],
    ];
    let answers = || verbs.map(|verb| bench.fiesta(verb));
    let before = answers();
    fs::rename(bench.path(items), bench.path("elsewhere")).unwrap();
    for (before, after) in before.iter().zip(answers()) {
        assert_eq!(after.code, before.code, "{after:#?}");
        assert_eq!(after.stdout, before.stdout);
    }
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "study.toml", "--check"],
        &["run", "study.toml", "--dry-run"],
    ] {
        let ran = bench.fiesta(arguments);
        ran.says(code::USAGE, &["study.toml:", items]);
    }
    fs::rename(bench.path("elsewhere"), bench.path(items)).unwrap();
    bench.edit("study.toml", "evaluations = 10", "evaluations = 12");
    let more = ["run", "study.toml", "--accept-changes"];
    bench.fiesta(&more).says(code::DONE, &[]);
}

#[test]
fn lines_in_groups() {
    let bench = study("questions.jsonl\"\nstrata = \"subject");
    let line = |n: usize| format!("{{\"id\": \" q\\n{n}\", \"subject\": \"{}\"}}\n", n % 2);
    bench.file("questions.jsonl", &(0..10).map(line).collect::<String>());
    without(&bench, "questions.jsonl");
}

#[test]
fn files() {
    let bench = study("texts/*.txt");
    fs::create_dir(bench.path("texts")).unwrap();
    for n in 0..10 {
        bench.file(&format!("texts/{n}.txt"), &n.to_string());
    }
    without(&bench, "texts");
}

/// Tests that a study without its items is refused if it has not begun.
#[test]
fn before_the_first_run() {
    let bench = study("questions.jsonl");
    for verb in ["status", "run"] {
        let ran = bench.fiesta(&[verb, "study.toml"]);
        ran.says(code::USAGE, &["questions.jsonl"]);
    }
}
