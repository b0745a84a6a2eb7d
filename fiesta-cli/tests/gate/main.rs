//! Tests of `fiesta gate` through the program: exit codes, and files for CI.

mod files;
mod pull_request;
#[path = "../support/mod.rs"]
mod support;

use roxmltree::Document;
use serde_json::{Value, json};
use std::{fmt::Write, fs};
use support::{Bench, code};

/// Returns a version's answers to n items as JSON lines. `is_wrong` tells which items are answered wrongly.
fn answers(n: usize, is_wrong: impl Fn(usize) -> bool) -> String {
    (0..n).fold(String::new(), |mut file, item| {
        let wrong = is_wrong(item);
        let (score, output) = (u8::from(!wrong), if wrong { "a wrong one" } else { "right" });
        let line = json!({"id": format!("q{item}"), "question": format!("what is {item}?"), "score": score, "output": output});
        writeln!(file, "{line}").unwrap();
        file
    })
}

/// Returns a bench with `old.jsonl`, wrong on every tenth of 1,000 items, and `new.jsonl`, also
/// wrong on the first `lost`.
fn versions(lost: usize) -> Bench {
    let bench = Bench::new();
    bench.file("old.jsonl", &answers(1000, |item| item % 10 == 9));
    bench.file(
        "new.jsonl",
        &answers(1000, |item| item % 10 == 9 || item < lost),
    );
    bench
}

fn exit(bench: &Bench, call: &str) -> Option<i32> {
    let call: Vec<&str> = call.split(' ').collect();
    bench.fiesta(&call).code
}

#[test]
fn the_exit_code_is_the_verdict() {
    let gate = "gate old.jsonl new.jsonl --margin 0.02";
    assert_eq!(exit(&versions(6), gate), Some(code::DONE));
    assert_eq!(exit(&versions(60), gate), Some(code::BLOCKED));
    assert_eq!(exit(&versions(15), gate), Some(code::SHORT));
    let bench = versions(6);
    for call in [
        "gate old.jsonl new.jsonl",
        "gate old.jsonl new.jsonl --margin 0",
        "gate old.jsonl new.jsonl --margin 0.02 --failed drop",
        "gate old.jsonl --margin 0.02",
        "gate old.jsonl nothing.jsonl --margin 0.02",
    ] {
        assert_eq!(exit(&bench, call), Some(code::USAGE), "{call}");
    }
    // At exactly the margin, on these items, nothing ships.
    let these = format!("{gate} --target these-items");
    assert_eq!(exit(&versions(22), &these), Some(code::BLOCKED));
    assert_eq!(exit(&versions(21), &these), Some(code::DONE));
}

/// Tests that another program's parser reads the JUnit XML, whatever the answers contain.
#[test]
fn junit_is_read_by_others() {
    let bench = versions(60);
    let hostile = "]]>\u{1b}[31m\u{0}\u{fffe}</testcase><failure/> & \u{202e}";
    let new = fs::read_to_string(bench.path("new.jsonl")).unwrap();
    let hostile_json = serde_json::to_string(hostile).unwrap();
    bench.file("new.jsonl", &new.replace("\"a wrong one\"", &hostile_json));
    assert_eq!(
        exit(
            &bench,
            "gate old.jsonl new.jsonl --margin 0.02 --junit gate.xml"
        ),
        Some(code::BLOCKED)
    );
    let xml = fs::read_to_string(bench.path("gate.xml")).unwrap();
    let document = Document::parse(&xml).unwrap();
    let all = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    assert_eq!((all("testcase"), all("failure"), all("error")), (1, 1, 0));
    let suite = document
        .descendants()
        .find(|node| node.has_tag_name("testsuite"))
        .unwrap();
    assert_eq!(
        (suite.attribute("tests"), suite.attribute("failures")),
        (Some("1"), Some("1"))
    );
    let case = document
        .descendants()
        .find(|node| node.has_tag_name("testcase"))
        .unwrap();
    assert_eq!(case.attribute("name"), Some("new"));
    let out = case
        .children()
        .find(|node| node.has_tag_name("system-out"))
        .unwrap();
    let out = out.text().unwrap();
    assert!(
        out.contains("q0: 1 → 0") && out.contains("what is 0?"),
        "{out}"
    );
    assert!(
        out.contains("]]>") && out.contains("</testcase><failure/> &"),
        "{out}"
    );
    assert!(!out.contains(['\u{1b}', '\u{0}', '\u{fffe}', '\u{202e}']));
    for (lost, name, found) in [(6, "failure", 0), (15, "error", 1)] {
        let bench = versions(lost);
        exit(
            &bench,
            "gate old.jsonl new.jsonl --margin 0.02 --junit gate.xml",
        );
        let xml = fs::read_to_string(bench.path("gate.xml")).unwrap();
        let document = Document::parse(&xml).unwrap();
        assert_eq!(
            document
                .descendants()
                .filter(|node| node.has_tag_name(name))
                .count(),
            found
        );
    }
}

#[test]
fn a_comment_and_json_with_and_without_texts() {
    let bench = versions(60);
    let call = "gate old.jsonl new.jsonl --margin 0.02 --markdown comment.md --format json";
    let json = |call: &str| -> Value {
        let call: Vec<&str> = call.split(' ').collect();
        serde_json::from_str(&bench.fiesta(&call).stdout).unwrap()
    };
    let document = json(call);
    assert_eq!(document["verdict"], "blocked");
    let own = &document["candidates"][0];
    assert_eq!(
        (&own["regressions"], &own["fixed"]),
        (&54.into(), &0.into())
    );
    let first = &own["flipped"][0];
    assert_eq!(
        (&first["item"], &first["text"]),
        (&"q0".into(), &"what is 0?".into())
    );
    assert_eq!(first["candidate"]["text"], "a wrong one");
    let comment = || fs::read_to_string(bench.path("comment.md")).unwrap();
    assert!(comment().contains("a wrong one"));
    let document = json(&format!("{call} --no-texts"));
    assert_eq!(document["candidates"][0]["flipped"][0]["text"], Value::Null);
    assert!(!comment().contains("a wrong one") && comment().contains("q0"));
}

/// Tests that an item which the new version leaves out counts as wrong.
#[test]
fn dropped_items_ship_nothing() {
    let bench = versions(60);
    let new = fs::read_to_string(bench.path("new.jsonl")).unwrap();
    let kept: Vec<&str> = new.lines().filter(|line| line.contains("right")).collect();
    bench.file("new.jsonl", &(kept.join("\n") + "\n"));
    let ran = bench.fiesta(&["gate", "old.jsonl", "new.jsonl", "--margin", "0.02"]);
    assert_eq!(ran.code, Some(code::BLOCKED), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("answers of new failed or are missing"),
        "{}",
        ran.stdout
    );
}

/// Tests that two versions of one arm are called by their files.
#[test]
fn versions_are_called_by_their_files() {
    let bench = versions(6);
    for file in ["old.jsonl", "new.jsonl"] {
        let text = fs::read_to_string(bench.path(file)).unwrap();
        bench.file(file, &text.replace("{\"id\"", "{\"arm\":\"gpt\",\"id\""));
    }
    let ran = bench.fiesta(&["gate", "old.jsonl", "new.jsonl", "--margin", "0.02"]);
    assert_eq!(ran.code, Some(code::DONE), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("new may ship: "), "{}", ran.stdout);
    let ran = bench.fiesta(&[
        "gate",
        "old.jsonl",
        "new.jsonl",
        "--margin",
        "0.02",
        "--baseline",
        "new",
    ]);
    assert!(ran.stdout.starts_with("old may ship: "), "{}", ran.stdout);
}
