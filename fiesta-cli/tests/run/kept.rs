//! Tests of kept baselines: `fiesta gate study.toml --keep-baseline`, and ledgers of edited versions.

use super::{Bench, code};
use crate::support::{Ran, until};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
};

/// Worker that answers as the version in the arm's prompt does: `v1` gets every fifth question wrong; the
/// others lose or win some. Each answer is noted in `asked`: arm, version, item.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    read -r version < prompts/$arm.txt
    echo "$arm $version $item" >> asked
    right=$((item % 5 > 0))
    case $version in
    bad) right=$((right && item % 4 > 0)) ;;
    good) right=$((item % 10 > 0)) ;;
    v2) right=$((right && item % 50 != 1)) ;;
    v3) right=$((right && item % 25 != 1)) ;;
    v4) right=$((right && item % 25 != 1 && item % 50 != 2)) ;;
    esac
    printf '{"id": "%s", "accuracy": %d}\n' "$id" $right
done
"#;

const KEEP: [&str; 4] = ["gate", "study.toml", "--keep-baseline", "kept.jsonl"];

/// Returns a gate on 400 questions, whose baseline is `v1` and whose candidate is another version.
fn study(new: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    fs::create_dir(bench.path("prompts")).unwrap();
    bench.file("prompts/old.txt", "v1\n");
    bench.file("prompts/new.txt", &format!("{new}\n"));
    bench.file("items.jsonl", &items(400));
    bench.file(
        "study.toml",
        r#"name = "gate"
inputs = ["prompts/{arm}.txt"]
worker = { command = ["sh", "worker.sh"], concurrency = 4 }
metric = { name = "accuracy", bounds = [0, 1] }
[goal]
baseline = "old"
baseline_file = "kept.jsonl"
margin = 0.05
[design]
items = "items.jsonl"
parallel = 4
[[arm]]
name = "old"
[[arm]]
name = "new"
"#,
    );
    bench
}

fn items(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, item| {
        writeln!(
            text,
            r#"{{"id": "q{item}", "question": "what is {item}?"}}"#
        )
        .unwrap();
        text
    })
}

fn edit(bench: &Bench, arm: &str, version: &str) {
    bench.file(&format!("prompts/{arm}.txt"), &format!("{version}\n"));
}

/// Items that a version was asked.
fn asked(bench: &Bench, version: &str) -> Vec<String> {
    let of = bench.log("asked").into_iter();
    of.filter(|words| words[1] == version)
        .map(|words| words[2].clone())
        .collect()
}

/// The lines of the kept file.
fn kept(bench: &Bench) -> (Value, BTreeMap<String, Value>) {
    let text = bench.text("kept.jsonl");
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let head: Value = lines.next().unwrap();
    let of_item = |line: Value| (line["item"].as_str().unwrap().to_owned(), line);
    (head, lines.map(of_item).collect())
}

fn twice(all: &[String]) -> usize {
    all.len() - all.iter().collect::<BTreeSet<_>>().len()
}

/// Tests a day with a kept baseline: what it answered is not asked again for an edited version, also where
/// gates are killed; an earlier version's ledger comes back.
#[test]
fn an_edited_version_pays_for_its_own_answers() {
    let bench = study("bad");
    let gate = bench.start(&KEEP);
    until("answers", || bench.log("asked").len() >= 20);
    gate.signal(Signal::KILL);
    gate.wait();
    let ran = bench.fiesta(&KEEP);
    ran.says(code::BLOCKED, &["answers of old in kept.jsonl"]);
    let (head, lines) = kept(&bench);
    assert_eq!(
        (&head["arm"]["name"], &head["gates"]),
        (&"old".into(), &Value::Array(vec![]))
    );
    let first = asked(&bench, "v1");
    assert_eq!(lines.len(), first.iter().collect::<BTreeSet<_>>().len());
    // The candidate is edited: a new gate, in which the baseline answers what it was not asked yet.
    edit(&bench, "new", "good");
    let gate = bench.start(&KEEP);
    until("answers", || asked(&bench, "good").len() >= 10);
    gate.signal(Signal::KILL);
    gate.wait();
    let ran = bench.fiesta(&KEEP);
    ran.says(code::DONE, &["answers of new in kept.jsonl"]);
    let [old, new] = ["v1", "good"].map(|version| asked(&bench, version));
    // What ran when the gate was killed may be asked twice: four answers at a time.
    assert!(
        twice(&old) <= 8 && twice(&new) <= 4,
        "{} {}",
        twice(&old),
        twice(&new)
    );
    // The first version comes back, and asks nothing.
    let all = bench.log("asked").len();
    edit(&bench, "new", "bad");
    bench.fiesta(&["gate", "study.toml"]).says(
        code::BLOCKED,
        &[
            "new changed since the last gate",
            "the gate of these versions goes on",
        ],
    );
    assert_eq!(bench.log("asked").len(), all);
    assert_eq!(fs::read_dir(bench.path("study.gates")).unwrap().count(), 1);
}

/// Tests that a ledger's answers of the baseline are taken over without a file, too.
#[test]
fn a_ledger_is_kept_for_each_version() {
    let bench = study("bad");
    bench.edit("study.toml", "baseline_file = \"kept.jsonl\"\n", "");
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let first = asked(&bench, "v1").len();
    edit(&bench, "new", "good");
    bench.fiesta(&["gate", "study.toml"]).says(
        code::DONE,
        &[
            "a new gate begins, with ",
            " answers of the baseline from it",
        ],
    );
    assert!(asked(&bench, "v1").len() < first + asked(&bench, "good").len());
    assert_eq!(twice(&asked(&bench, "v1")), 0);
    // Another baseline is asked anew.
    edit(&bench, "old", "v2");
    bench.fiesta(&["gate", "study.toml"]).says(
        code::DONE,
        &["old changed since the last gate", "a new gate begins\n"],
    );
    assert!(!asked(&bench, "v2").is_empty());
}

/// Counts answers with a whole kept baseline and without one: half of them.
#[test]
fn a_kept_baseline_halves_the_answers() {
    // All 400 answers: within this margin, every question counts.
    let whole = study("v1");
    whole.edit("study.toml", "margin = 0.05", "margin = 0.0001");
    whole.fiesta(&KEEP);
    assert_eq!(kept(&whole).1.len(), 400);
    for version in ["good", "v3"] {
        let without = study(version);
        let verdict = without.fiesta(&["gate", "study.toml"]).code;
        let with = study(version);
        fs::copy(whole.path("kept.jsonl"), with.path("kept.jsonl")).unwrap();
        assert_eq!(with.fiesta(&["gate", "study.toml"]).code, verdict);
        let [own, both] = [&with, &without].map(|bench| bench.log("asked").len());
        eprintln!("{version}: {own} answers with the kept baseline, {both} without");
        // Four are in flight when a gate ends, whoever is asked.
        assert!((2 * own).abs_diff(both) <= 8, "{version}: {own} of {both}");
    }
}

/// Tests that a changed and a new item are asked of the baseline, and that others are not.
#[test]
fn a_changed_item_is_asked_again() {
    let bench = study("v1");
    bench.edit("study.toml", "margin = 0.05", "margin = 0.0001");
    bench.fiesta(&KEEP);
    assert_eq!(kept(&bench).1.len(), 400);
    fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    fs::remove_file(bench.path("asked")).unwrap();
    bench.file("items.jsonl", &items(402));
    bench.edit("items.jsonl", "what is 17?", "What is 17?");
    bench.fiesta(&KEEP);
    let of_old = bench
        .log("asked")
        .into_iter()
        .filter(|words| words[0] == "old");
    let again: BTreeSet<String> = of_old.map(|words| words[2].clone()).collect();
    assert_eq!(again, ["17", "400", "401"].map(str::to_owned).into());
    let (head, lines) = kept(&bench);
    // The anchor answered another question.
    assert_eq!(
        (lines.len(), &head["anchor"]["answers"]),
        (402, &400.into())
    );
    let anchors = ["q17", "q16"].map(|item| &lines[item]["anchor"]);
    assert_eq!(anchors, [&Value::Null, &1.0.into()]);
}

/// Tests that a baseline without a command is served from its file, and that an item which the file lacks is
/// refused by name.
#[test]
fn a_baseline_without_a_command() {
    let bench = study("v1");
    bench.edit("study.toml", "margin = 0.05", "margin = 0.0001");
    bench.fiesta(&KEEP);
    fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    fs::remove_file(bench.path("asked")).unwrap();
    bench.edit("study.toml", "command = [\"sh\", \"worker.sh\"], ", "");
    bench.edit("study.toml", "margin = 0.0001", "margin = 0.05");
    bench.edit(
        "study.toml",
        "name = \"new\"",
        "name = \"new\"\ncommand = [\"sh\", \"worker.sh\"]",
    );
    edit(&bench, "new", "good");
    bench.fiesta(&["gate", "study.toml"]).says(code::DONE, &[]);
    assert!(bench.log("asked").iter().all(|words| words[0] == "new"));
    fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    bench.edit("items.jsonl", "what is 17?", "What is 17?");
    bench.fiesta(&["gate", "study.toml"]).says(
        code::USAGE,
        &[
            "no answer to 1 of 400, the first of them item q17",
            "the arm `old` has no command",
        ],
    );
    fs::remove_file(bench.path("kept.jsonl")).unwrap();
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::USAGE, &["no answer to 400 of 400"]);
}

/// Tests that answers of another scorer, of another version, and of damaged files are refused.
#[test]
fn what_does_not_compare_is_refused() {
    let bench = study("bad");
    bench.fiesta(&KEEP).says(code::BLOCKED, &[]);
    fs::remove_dir_all(bench.path("study.fiesta")).unwrap();
    let answers = bench.log("asked").len();
    let refused = |words: &[&str]| {
        let ran = bench.fiesta(&["gate", "study.toml"]);
        ran.says(code::USAGE, words);
    };
    for (from, to, words) in [
        (
            "bounds = [0, 1]",
            "bounds = [0, 2]",
            "bounds: [0.0,1.0] → [0.0,2.0]",
        ),
        ("\"accuracy\",", "\"acc\",", "name: \"accuracy\" → \"acc\""),
        (
            "\"accuracy\",",
            "\"accuracy\", direction = \"minimize\",",
            "direction: \"maximize\" → \"minimize\"",
        ),
    ] {
        bench.edit("study.toml", from, to);
        refused(&["study.toml:7", "scores were read in another way", words]);
        bench.edit("study.toml", to, from);
    }
    edit(&bench, "old", "v3");
    refused(&[
        "the baseline `old` is another version than the one that was kept on",
        "the file prompts/{arm}.txt has changed",
    ]);
    edit(&bench, "old", "v1");
    let text = bench.text("kept.jsonl");
    bench.file("kept.jsonl", &text[..text.len() / 2]);
    refused(&["study.toml:7", "kept.jsonl:"]);
    bench.file(
        "kept.jsonl",
        &text.replacen("\"score\":1.0", "\"score\":7.0", 1),
    );
    refused(&["the score 7 lies beyond the bounds 0 and 1"]);
    assert_eq!(bench.log("asked").len(), answers);
    // A file is of a gate, and a flag of its study.
    bench.edit("study.toml", "baseline = \"old\"\n", "confidence = 0.9\n");
    refused(&["baseline_file belongs to a gate"]);
    bench
        .fiesta(&["gate", "kept.jsonl", "other.jsonl", "--keep-baseline", "x"])
        .says(code::USAGE, &["--keep-baseline is for the gate of a study"]);
}

/// Tests the drift: three gates pass versions that lose a little each; killed in between, and run again after
/// their end, they count once.
#[test]
fn the_drift_since_the_anchor() {
    let bench = study("v2");
    // Nearly all questions are asked: each version loses 8 of 400.
    bench.edit("study.toml", "margin = 0.05", "margin = 0.021");
    let mut last: Option<Ran> = None;
    for (gates, (old, new)) in (1..).zip([("v1", "v2"), ("v2", "v3"), ("v3", "v4")]) {
        edit(&bench, "old", old);
        edit(&bench, "new", new);
        let before = bench.log("asked").len();
        let gate = bench.start(&KEEP);
        until("answers", || bench.log("asked").len() >= before + 8);
        gate.signal(Signal::KILL);
        gate.wait();
        bench.fiesta(&KEEP).says(code::DONE, &["answers of new"]);
        let ran = bench.fiesta(&KEEP);
        let (head, _) = kept(&bench);
        assert_eq!(head["gates"].as_array().unwrap().len(), gates);
        assert_eq!(head["anchor"]["arm"]["name"], "old");
        last = Some(ran);
    }
    let ran = last.unwrap();
    assert!(
        ran.stdout.contains("since the anchor old of 20"),
        "{ran:#?}"
    );
    assert!(ran.stdout.contains(" in 3 gates, on "), "{ran:#?}");
    let (_, document) = bench.json(&["gate", "study.toml"]);
    let drift = &document["drift"];
    assert_eq!(
        (&drift["gates"], &drift["anchor"]),
        (&3.into(), &"old".into())
    );
    let [difference, lower] = ["difference", "lower"].map(|key| drift[key].as_f64().unwrap());
    assert!(
        (-0.1..-0.02).contains(&difference) && lower < -0.05,
        "{drift}"
    );
    assert!(
        ran.stdout.contains("compare with the anchor itself"),
        "{ran:#?}"
    );
}
