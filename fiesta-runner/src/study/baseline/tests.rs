//! Tests of kept baselines: what is written is read again, and damaged or foreign files are refused.

use super::{Anchor, Head, KeptAnswer, KeptArm, KeptBaseline, KeptGate, file};
use crate::study::identity::portable_identity;
use fiesta_core::ArmId;
use serde_json::{Map, Value, json};
use std::fs;
use tempfile::TempDir;

fn arm(name: &str) -> KeptArm {
    KeptArm {
        name: name.to_owned(),
        identity: Map::from_iter([("version".to_owned(), Value::from(name))]),
    }
}

fn kept() -> KeptBaseline {
    let answer = |number: u64| KeptAnswer {
        item: Some(format!("q{number}\u{2028}\"")),
        digest: Some(format!("{number:016x}")),
        score: (!number.is_multiple_of(7)).then_some(0.1 + 0.2 * number as f64),
        seconds: Some(1.5),
        evaluation: Some(number + 1),
        anchor: (!number.is_multiple_of(5)).then_some(1.0),
        ..KeptAnswer::default()
    };
    let answers: Vec<KeptAnswer> = (0..40).map(answer).collect();
    KeptBaseline {
        head: Head {
            format: file::FORMAT.to_owned(),
            format_version: file::VERSION,
            fiesta: "0.1.0".to_owned(),
            kept: "2026-11-28".to_owned(),
            lines: answers.len(),
            metric: json!({"name": "accuracy", "bounds": [0.0, 1.0]}),
            arm: arm("v2"),
            anchor: Anchor {
                arm: arm("v1"),
                mean: 1.0,
                answers: 32,
                since: "2026-11-01".to_owned(),
            },
            gates: vec![KeptGate {
                date: "2026-11-28".to_owned(),
                baseline: "v1".to_owned(),
                shipped: "v2".to_owned(),
                difference: -0.01,
                threshold: -0.02,
            }],
        },
        answers,
    }
}

#[test]
fn what_is_written_is_read_again() {
    let place = TempDir::new().unwrap();
    let kept = kept();
    for (name, is_packed) in [("b.jsonl.zst", true), ("b.jsonl", false), ("b", false)] {
        let path = place.path().join(name);
        fs::write(&path, "an earlier one").unwrap();
        kept.write(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.starts_with(b"{\"format\""), !is_packed);
        assert_eq!(KeptBaseline::read(&bytes, name).unwrap(), kept);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3);
    let nowhere = kept.write(&place.path().join("none/b.jsonl")).unwrap_err();
    assert!(nowhere.to_string().starts_with("cannot write "));
}

/// Tests that every damaged, torn or foreign file is refused in a sentence that names the file.
#[test]
fn other_files_are_refused() {
    let text = String::from_utf8(kept().text().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let edited = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "is no kept baseline: its first line is no JSON"),
        (b"item,score\nq1,1\n".to_vec(), "is no kept baseline"),
        (
            b"{\"id\":\"q1\",\"score\":1}\n".to_vec(),
            "no \"format\": \"fiesta-baseline\"",
        ),
        (b"[1, 2]\n".to_vec(), "no \"format\""),
        (b"\xff\xfe\x00".to_vec(), "is no kept baseline"),
        (
            edited("\"format_version\":1", "\"format_version\":2"),
            "version 2 of the format",
        ),
        (
            edited("\"format_version\":1", "\"format_version\":\"1\""),
            "no format_version",
        ),
        (
            edited("\"anchor\":{", "\"anker\":{"),
            "missing field `anchor`",
        ),
        (
            lines[..30].join("\n").into_bytes(),
            "29 lines after its first, which says 40",
        ),
        (
            text.as_bytes()[..text.len() - 9].to_vec(),
            "b:41: the line is no answer",
        ),
        (
            format!("{text}{}\n", lines[3]).into_bytes(),
            "b:42: `q2\\u{2028}\"` has two lines",
        ),
        (
            edited("\"evaluation\":1}", "\"evaluation\":-1}"),
            "b:2: the line is no answer",
        ),
        (
            edited("\"digest\":", "\"digested\":"),
            "b:2: the line has neither an item",
        ),
        (packed[..packed.len() / 2].to_vec(), "cannot be unpacked"),
        (packed[..5].to_vec(), "cannot be unpacked"),
    ];
    for (bytes, words) in cases {
        let error = KeptBaseline::read(&bytes, "b").unwrap_err().to_string();
        assert!(
            error.starts_with('b') && error.contains(words),
            "{words}: {error}"
        );
    }
    // Whatever is cut or altered, nothing panics.
    for end in 0..text.len() {
        let _ = KeptBaseline::read(&text.as_bytes()[..end], "b");
    }
    for place in 0..packed.len() {
        let mut other = packed.clone();
        other[place] ^= 0x55;
        let _ = KeptBaseline::read(&other, "b");
    }
}

/// Tests that a version is the same wherever it stands in a study, and that another one is not.
#[test]
fn a_version_is_known_under_another_name() {
    let study = |arms: &[(&str, &str)], extra: &[(&str, &str)]| {
        let file = |name: &str| format!("prompts/{name}.txt");
        let arm = |&(name, digest): &(&str, &str)| {
            let mut files = json!({file(name): digest, "worker.py": "w"});
            for (name, digest) in extra {
                files[*name] = (*digest).into();
            }
            json!({"name": name, "files": files})
        };
        let arms: Vec<Value> = arms.iter().map(arm).collect();
        json!({"inputs": ["prompts/{arm}.txt", "data/{arm}/*.csv"], "worker": {"command": ["python", "worker.py"]}, "arm": arms})
    };
    let of = |study: &Value, at| portable_identity(study, ArmId::new(at));
    let before = study(&[("old", "1"), ("new", "2")], &[]);
    let after = study(&[("old", "2"), ("new", "3")], &[]);
    assert_eq!(of(&before, 1), of(&after, 0));
    assert_ne!(of(&before, 0), of(&after, 0));
    // A file whose name begins as the arm's does is no file of the arm.
    let of_all = [("older.csv", "9")];
    let before = study(&[("old", "1"), ("new", "2")], &of_all);
    let after = study(&[("old", "2"), ("new", "3")], &of_all);
    assert_eq!(of(&before, 1), of(&after, 0));
    // Where nothing but names tells arms apart, the name is a part.
    let by_name = |arms: [&str; 2]| {
        let arms = arms.map(|name| json!({"name": name, "files": {}}));
        json!({"worker": {"command": ["ask"]}, "arm": arms})
    };
    let [first, second] = [by_name(["a", "b"]), by_name(["b", "c"])];
    assert_eq!(of(&first, 1), of(&second, 0));
    assert_ne!(of(&first, 0), of(&second, 0));
}
