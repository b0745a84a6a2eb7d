//! The cache of answers: what an earlier study paid for is not asked again.

use super::{Bench, TWO, code};

/// Answers right or wrong by arm and item, and notes what it was asked; the tokens cost.
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

/// Writes a study of this name, which is also that of its file.
fn study(bench: &Bench, name: &str, worker: &str, arms: &str) {
    bench.file(
        &format!("{name}.toml"),
        &format!(
            "name = \"{name}\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\ncache = \"answers.db\"\n{worker}\n[metric]\nname = \"accuracy\"\n[goal]\nbudget = {{ evaluations = 80 }}\n[design]\nitems = \"items.jsonl\"\npolicy = \"uniform\"\nparallel = 4\nseed = 3\n{arms}"
        ),
    );
}

/// Runs it; how often its worker was asked, and its status.
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

/// Another program, other variables or another item may answer otherwise.
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

/// Who says which version an arm is answers for it.
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

/// An answer that holds another metric as well is one to it, too.
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

/// A trial's answers are paid for, too.
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
    bench.edit("first.toml", "answers.db", "other.fiesta/ledger.db");
    let ran = bench.fiesta(&["run", "first.toml"]);
    ran.says(code::USAGE, &["is no cache of answers of this version"]);
    bench.edit("first.toml", "items = \"items.jsonl\"\n", "");
    let ran = bench.fiesta(&["run", "first.toml"]);
    ran.says(code::USAGE, &["a cache keeps answers to items"]);
}
