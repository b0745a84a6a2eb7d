//! Tests that nothing is written to a ledger that could not be read again, and that one damaged
//! entry hides no other.

use super::{Bench, STUDY, TWO, code, python};
use std::process::Command;

/// Calls of the verbs that show a study.
const VERBS: [&[&str]; 4] = [
    &["status", "study.toml"],
    &["export", "study.toml"],
    &["report", "study.toml", "-o", "out", "--formats", "svg"],
    &["log", "study.toml", "1"],
];

/// Runs a study of one evaluation of each arm, whose job prints `result`.
fn prints(result: &str, rest: &str) -> Bench {
    let bench = Bench::with_job(
        "cat result\n",
        &format!(
            "{rest}\n[goal]\nbudget = {{ evaluations = 4 }}\n[design]\npolicy = \"uniform\"\n{TWO}"
        ),
    );
    bench.file("result", result);
    bench
}

fn all_verbs_answer(bench: &Bench) {
    for verb in VERBS {
        bench.fiesta(verb).says(code::DONE, &[]);
    }
}

#[test]
fn a_cost_that_is_no_number_is_a_failure_with_its_text() {
    let bench = prints(r#"{"accuracy": 0.5, "tokens": {"in": 1e308}}"#, "");
    let arms = TWO.replace("\"\n", "\"\nprices = { in = 1e12 }\n");
    bench.edit("study.toml", TWO, &arms);
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_ne!(ran.code, Some(code::DONE));
    ran.tells(
        ran.code.unwrap(),
        &[
            "cannot be written down",
            "its cost of inf is no finite number",
        ],
    );
    all_verbs_answer(&bench);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 0, "{status}");
    // And it goes on.
    bench.file("result", r#"{"accuracy": 0.5, "tokens": {"in": 1e6}}"#);
    let again = ["run", "study.toml", "--retry", "all"];
    bench.fiesta(&again).says(code::DONE, &[]);
}

#[test]
fn results_of_any_depth_leave_a_ledger_that_can_be_read() {
    let mut kept = 0;
    for depth in [1, 60, 100, 120, 122, 123, 124, 125, 126, 127, 128, 129, 200] {
        let nested = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let bench = prints(&format!("{{\"accuracy\": 0.5, \"deep\": {nested}}}"), "");
        let ran = bench.fiesta(&["run", "study.toml"]);
        all_verbs_answer(&bench);
        if ran.code == Some(code::DONE) {
            kept += 1;
        } else {
            ran.tells(ran.code.unwrap(), &["recursion limit"]);
        }
    }
    assert!(kept >= 5, "{kept}");
}

/// Runs this SQL statement on the ledger of a study that has ended.
fn injure(bench: &Bench, python: &str, statement: &str) {
    let script = "import sqlite3, sys\nc = sqlite3.connect('study.fiesta/ledger.db')\nc.execute(sys.argv[1])\nc.commit()\n";
    let status = Command::new(python)
        .args(["-c", script, statement])
        .current_dir(bench.path(""))
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn a_ledger_with_a_damaged_entry_gives_the_others() {
    let Some(python) = python() else { return };
    let ended = "(SELECT MIN(sequence) FROM entry WHERE kind = 'ended')";
    for (statement, words) in [
        // As the ledger of a program that did not read back what it wrote.
        (
            format!("UPDATE entry SET body = replace(body, '\"cost\":', '\"cost\":null,\"x\":') WHERE sequence = {ended}"),
            "(ended of evaluation",
        ),
        (
            format!("UPDATE entry SET body = replace(body, '\"observed\":0.', '\"observed\":0.0') WHERE sequence = {ended}"),
            "is not what was written",
        ),
        (format!("UPDATE entry SET digest = 7 WHERE sequence = {ended}"), "is not what was written"),
        (format!("DELETE FROM entry WHERE sequence = {ended}"), "is missing"),
        (
            "DELETE FROM entry WHERE sequence = (SELECT MIN(sequence) FROM entry WHERE kind = 'decided')".to_owned(),
            "needs one that is damaged",
        ),
        ("UPDATE entry SET body = CAST(x'ff' AS TEXT) WHERE kind = 'concluded'".to_owned(), "is unreadable"),
    ] {
        let bench = Bench::with_study(STUDY);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        let (_, before) = bench.json(&["status", "study.toml"]);
        let before = before["evaluations"].as_u64().unwrap();
        injure(&bench, &python, &statement);
        let (status, document) = bench.json(&["status", "study.toml"]);
        assert_eq!(status, Some(code::USAGE));
        let after = document["evaluations"].as_u64().unwrap();
        assert!(after == before || after == before - 1, "{statement}: {before} {after}");
        let notes = document["notes"].to_string();
        assert!(notes.contains(words) && notes.contains("does not go on"), "{statement}: {notes}");
        for verb in &VERBS[..3] {
            let ran = bench.fiesta(verb);
            ran.tells(code::USAGE, &["the ledger is damaged", words]);
            assert!(!ran.stdout.is_empty());
        }
        let rows = bench.fiesta(&["export", "study.toml"]).stdout.lines().count();
        assert_eq!(rows as u64, after + 1, "{statement}");
        // Of an evaluation that is not damaged.
        bench.fiesta(&["log", "study.toml", "3"]).says(code::DONE, &[]);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &["ledger.db is damaged", "`export`"]);
    }
}
