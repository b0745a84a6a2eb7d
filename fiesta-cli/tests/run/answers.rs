//! Tests of the cache of answers: an answer that an earlier study paid for is not requested again.

use super::{Bench, TWO, code, python};

/// Worker that answers right or wrong by arm and item, notes its requests, and reports tokens.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    echo "$arm $item" >> asked
    case $arm in high) right=$((item % 5 < 4)) ;; *) right=$((item % 5 < 2)) ;; esac
    printf '{"id": "%s", "accuracy": %d, "cost": 0.5, "f1": 0.%d}\n' $id $right $((item % 10))
done
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    let line = |n: u32| format!("{{\"id\": \"q{n}\", \"n\": {n}}}\n");
    bench.file("items.jsonl", &(0..60).map(line).collect::<String>());
    study(&bench, "first", "", TWO);
    bench
}

/// Writes a study of this name into a file of the same name.
fn study(bench: &Bench, name: &str, worker: &str, arms: &str) {
    bench.file(
        &format!("{name}.toml"),
        &format!(
            "name = \"{name}\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\ncache = \"answers.db\"\n{worker}\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 80 }}\n[design]\nitems = \"items.jsonl\"\npolicy = \"uniform\"\nparallel = 4\nseed = 3\n{arms}"
        ),
    );
}

/// Runs the study, and returns the number of requests to its worker, and its status.
fn run(bench: &Bench, name: &str) -> (usize, serde_json::Value) {
    let before = bench.log("asked").len();
    let file = format!("{name}.toml");
    bench.fiesta(&["run", &file]).says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", &file]);
    (bench.log("asked").len() - before, status)
}

#[test]
fn a_later_study_pays_only_for_what_is_new() {
    let bench = bench();
    let (asked, first) = run(&bench, "first");
    assert_eq!((asked, &first["cost"]), (80, &40.0.into()));
    // The same order: all of it is known, and counts as it did.
    study(&bench, "second", "", TWO);
    let (asked, second) = run(&bench, "second");
    assert_eq!((asked, &second["cost"]), (0, &0.0.into()));
    assert_eq!(second["arms"][1]["mean"], first["arms"][1]["mean"]);
    assert_eq!(second["evaluations"], 80);
    let notes = second["notes"].to_string();
    assert!(
        notes.contains("80 answers were paid for before and came from the cache: 40.0 when given"),
        "{notes}"
    );
    // One more arm: its answers alone.
    study(
        &bench,
        "third",
        "",
        &format!("{TWO}[[arm]]\nname = \"new\"\n"),
    );
    bench.edit("third.toml", "evaluations = 80", "evaluations = 120");
    let (asked, third) = run(&bench, "third");
    assert_eq!((asked, &third["cost"]), (40, &20.0.into()));
    let exported = bench
        .fiesta(&["export", "second.toml", "--format", "jsonl"])
        .stdout;
    assert!(
        exported.contains(r#""paid_before":{"study":"first","cost":0.5}"#),
        "{exported}"
    );
    // Of one that was never run, there is no log.
    let ran = bench.fiesta(&["log", "second.toml", "1"]);
    assert!(format!("{ran:?}").contains("first"), "{ran:?}");
}

/// Tests that another program, other variables or another item need answers of their own.
#[test]
fn what_identifies_an_answer() {
    let bench = bench();
    run(&bench, "first");
    study(&bench, "variable", "env = { MODEL = \"b\" }", TWO);
    assert_eq!(run(&bench, "variable").0, 80);
    bench.edit(
        "worker.sh",
        "echo \"$arm",
        "# Another program.\n    echo \"$arm",
    );
    study(&bench, "program", "", TWO);
    assert_eq!(run(&bench, "program").0, 80);
    // Not the way in which it is run, nor the rest of the study.
    study(&bench, "elsewhere", "concurrency = 3", TWO);
    bench.edit("elsewhere.toml", "seed = 3", "seed = 4");
    bench.edit("elsewhere.toml", "evaluations = 80", "evaluations = 120");
    assert_eq!(run(&bench, "elsewhere").0, 40);
    let items = bench.text("items.jsonl").replace("\"n\": 7}", "\"n\": 8}");
    bench.file("items.jsonl", &items);
    study(&bench, "edited", "", TWO);
    bench.edit("edited.toml", "evaluations = 80", "evaluations = 120");
    assert_eq!(run(&bench, "edited").0, 2);
}

/// Tests that a version given by the user replaces the digests of command and files.
#[test]
fn a_version_takes_the_place_of_command_and_files() {
    let bench = bench();
    let versioned = TWO.replace("name = \"high\"", "name = \"high\"\nversion = \"2026-11\"");
    study(&bench, "first", "", &versioned);
    run(&bench, "first");
    bench.edit(
        "worker.sh",
        "echo \"$arm",
        "# Another comment.\n    echo \"$arm",
    );
    study(&bench, "second", "", &versioned);
    assert_eq!(run(&bench, "second").0, 40);
}

/// Tests that answers which hold a second metric serve a study of that metric without cost.
#[test]
fn another_metric_of_the_same_answers_costs_nothing() {
    let bench = bench();
    run(&bench, "first");
    study(&bench, "second", "", TWO);
    bench.edit("second.toml", "\"accuracy\"", "\"f1\"");
    assert_eq!(run(&bench, "second").0, 0);
    study(&bench, "third", "", TWO);
    bench.edit("third.toml", "\"accuracy\"", "\"bleu\"");
    let ran = bench.fiesta(&["run", "third.toml"]);
    assert_ne!(
        ran.code,
        Some(code::DONE),
        "its own answers have none: {ran:?}"
    );
}

/// Tests that `run` does not request the answers again that `run --check` has paid for.
#[test]
fn a_check_is_not_paid_twice() {
    let bench = bench();
    bench
        .fiesta(&["run", "first.toml", "--check"])
        .says(code::DONE, &[]);
    assert_eq!(bench.log("asked").len(), 2);
    bench.edit("first.toml", "evaluations = 80", "evaluations = 120");
    assert_eq!(run(&bench, "first").0, 118);
}

#[test]
fn a_cache_that_is_none_is_refused() {
    let bench = bench();
    bench.file(
        "answers.db",
        "not a database, and longer than nothing at all\n",
    );
    let ran = bench.fiesta(&["run", "first.toml"]);
    ran.says(code::USAGE, &["the cache of answers", "answers.db"]);
    let bench = self::bench();
    study(&bench, "other", "", TWO);
    bench.edit("other.toml", "cache = \"answers.db\"\n", "");
    run(&bench, "other");
    // With a journal that a cache would not have.
    let other = bench.path("other.db");
    bench.edit("first.toml", "answers.db", "other.db");
    // Of another version, without a table yet, and of another program.
    for statement in [
        "PRAGMA user_version = 1003",
        "PRAGMA user_version = 0; CREATE TABLE mine (a)",
    ] {
        let database = rusqlite::Connection::open(&other).unwrap();
        database.execute_batch(statement).unwrap();
        drop(database);
        let before = std::fs::read(&other).unwrap();
        let ran = bench.fiesta(&["run", "first.toml"]);
        ran.says(code::USAGE, &["is no cache of answers of this version"]);
        let now = std::fs::read(&other).unwrap();
        assert!(now == before, "after {statement} it has another journal");
    }
    bench.edit("first.toml", "other.db", "other.fiesta/ledger.db");
    let ran = bench.fiesta(&["run", "first.toml"]);
    ran.says(code::USAGE, &["is no cache of answers of this version"]);
    bench.edit("first.toml", "items = \"items.jsonl\"\n", "");
    let ran = bench.fiesta(&["run", "first.toml"]);
    ran.says(code::USAGE, &["a cache keeps answers to items"]);
}

/// Tests that the cache keeps the worker's answers, not what a study made of them: a substitute for
/// NaN, or a failure for a number outside its bounds.
#[test]
fn an_answer_is_what_the_worker_said() {
    let bench = bench();
    bench.edit(
        "worker.sh",
        "case $arm in",
        "[ $item = 7 ] && { printf '{\"id\": \"%s\", \"accuracy\": NaN, \"cost\": 0.5}\\n' $id; continue; }\n    [ $item = 8 ] && { printf '{\"id\": \"%s\", \"accuracy\": 3, \"cost\": 0.5}\\n' $id; continue; }\n    case $arm in",
    );
    let whole = |name: &str, metric: &str| {
        study(&bench, name, "", TWO);
        let file = format!("{name}.toml");
        bench.edit(
            &file,
            "name = \"accuracy\"\n",
            &format!("name = \"accuracy\"\n{metric}\n"),
        );
        bench.edit(&file, "evaluations = 80", "evaluations = 120");
        let before = bench.log("asked").len();
        let ran = bench.fiesta(&["run", &file]);
        assert!(ran.code.is_some());
        let exported = bench.fiesta(&["export", &file, "--format", "jsonl"]).stdout;
        let rows = exported
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let rows: Vec<serde_json::Value> = rows.collect();
        (bench.log("asked").len() - before, rows)
    };
    let score = |rows: &[serde_json::Value], item: &str| {
        let row = rows
            .iter()
            .find(|row| row["item"] == item && row["arm"] == "low");
        row.map(|row| row["score"].clone())
    };
    let (asked, first) = whole("first", "not_finite = 0.25");
    assert_eq!(asked, 120);
    assert_eq!(score(&first, "q7"), Some(0.25.into()));
    // Another stand-in is another score of the same answer, and wider bounds let a number count.
    let (asked, second) = whole("second", "not_finite = 0.75\nbounds = [0.0, 5.0]");
    assert_eq!(asked, 0, "nothing is paid twice");
    assert_eq!(score(&second, "q7"), Some(0.75.into()));
    assert_eq!(score(&second, "q8"), Some(3.0.into()));
}

/// Tests that a cost paid in an earlier study keeps its unit.
#[test]
fn what_was_paid_before_is_told_in_its_unit() {
    let bench = bench();
    bench.edit(
        "first.toml",
        "[metric]",
        "[resources]\ncost_unit = \"USD\"\n[metric]",
    );
    run(&bench, "first");
    study(&bench, "second", "", TWO);
    bench.edit(
        "second.toml",
        "[metric]",
        "[resources]\ncost_unit = \"EUR\"\n[metric]",
    );
    let (asked, second) = run(&bench, "second");
    assert_eq!(asked, 0);
    let notes = second["notes"].to_string();
    assert!(
        notes.contains("came from the cache: 40.0 USD when given"),
        "{notes}"
    );
}

/// Tests that a damaged row of the cache is reported, and its answer requested again.
#[test]
fn a_damaged_row_is_told() {
    let Some(python) = python() else {
        return;
    };
    let bench = bench();
    run(&bench, "first");
    let damage = "import sqlite3\nc = sqlite3.connect('answers.db')\nn = [c.execute(s).rowcount for s in (\"update answer set answer = substr(answer, 1, 9) where arm = 'low' and item = (select min(item) from answer where arm = 'low')\", \"update answer set cost = 'much' where arm = 'high' and item = (select min(item) from answer where arm = 'high')\")]\nassert n == [1, 1], n\nc.commit()\n";
    let status = std::process::Command::new(python)
        .args(["-c", damage])
        .current_dir(bench.path("."))
        .status();
    assert!(status.unwrap().success());
    study(&bench, "second", "", TWO);
    let before = bench.log("asked").len();
    let ran = bench.fiesta(&["run", "second.toml"]);
    ran.says(
        code::DONE,
        &[
            "the answer of `low` to q",
            "the answer of `high` to q",
            "answers.db is damaged: it is asked again",
        ],
    );
    assert_eq!(bench.log("asked").len() - before, 2);
    // What was paid now is in its place.
    study(&bench, "third", "", TWO);
    assert_eq!(run(&bench, "third").0, 0);
}
