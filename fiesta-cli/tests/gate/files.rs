//! Tests of gates of tables, and of logs of other tools.

use super::{Bench, code, exit, versions};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Tests tables of 10 seeds on 5 folds: the folds are splits, and the other reading is a command that runs.
#[test]
fn two_tables_of_seeds_and_folds() {
    let bench = Bench::new();
    for (name, mean, shift) in [("old", 0.8, 3), ("new", 0.81, 8)] {
        let row = |at: u32| {
            let noise = f64::from((at * 37 + at * at * 11 + shift) % 17);
            format!("{},{},{:.4}\n", at / 5, at % 5, mean + noise / 1000.0)
        };
        let rows: String = (0..50).map(row).collect();
        bench.file(
            &format!("{name}.csv"),
            &format!("seed,fold,accuracy\n{rows}"),
        );
    }
    let ran = bench.fiesta(&["gate", "old.csv", "new.csv", "--margin", "0.01"]);
    assert_eq!(ran.code, Some(code::DONE), "{}{}", ran.stdout, ran.stderr);
    let begin = "new may ship: on splits like these 5, its mean accuracy is at least as good as that of old within 0.01, at 95 % confidence.";
    assert!(ran.stdout.starts_with(begin), "{}", ran.stdout);
    for said in [
        "paired t test of Gaussian differences",
        "the splits are folds of a cross-validation (`fold`): the verdict and its interval take scores",
        "10 splits of an arm have several scores",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let other = "`fold` is taken for splits; if its values are questions or documents: fiesta gate old.csv new.csv --margin 0.01 --item fold";
    assert!(ran.stdout.contains(other), "{}", ran.stdout);
    let ran = bench.fiesta(&[
        "gate", "old.csv", "new.csv", "--margin", "0.01", "--item", "fold",
    ]);
    assert_eq!(ran.code, Some(code::SHORT), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("fewer than 50 items"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("is taken for"), "{}", ran.stdout);
}

/// Tests that what was asked and answered is shown of flipped items in logs, and read from there.
#[test]
fn texts_are_read_from_logs() {
    let bench = Bench::new();
    let versions = [("old", 1), ("new", 0)];
    for (version, right) in versions {
        let lm_eval = json!({"doc_id": 7, "doc": {"question": "How many?", "answer": "4"}, "target": "4", "arguments": [], "resps": [["four"]], "filtered_resps": [version], "doc_hash": "h", "acc": right});
        bench.file(&format!("{version}.jsonl"), &format!("{lm_eval}\n"));
        let inspect = json!({"version": 2, "status": "success", "eval": {"task": "t", "model": version}, "samples": [{"id": 7, "epoch": 1, "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "How many?"}]}], "target": "4", "output": {"model": "m", "choices": [], "completion": version}, "scores": {"match": {"value": right}}}]});
        bench.file(&format!("{version}.json"), &inspect.to_string());
        let promptfoo = json!({"evalId": "e", "results": {"results": [{"provider": version, "prompt": {"raw": "p"}, "testIdx": 7, "success": right == 1, "score": right, "vars": {"question": "How many?"}, "response": {"output": version}}]}});
        bench.file(&format!("{version}.promptfoo.json"), &promptfoo.to_string());
    }
    for ending in [".jsonl", ".json", ".promptfoo.json"] {
        let files = ["old", "new"].map(|version| format!("{version}{ending}"));
        let call = [
            "gate", &files[0], &files[1], "--margin", "0.1", "--format", "json",
        ];
        let ran = bench.fiesta(&call);
        let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let flipped = &document["candidates"][0]["flipped"][0];
        let texts = [
            &flipped["text"],
            &flipped["baseline"]["text"],
            &flipped["candidate"]["text"],
        ];
        assert_eq!(texts, ["How many?", "old", "new"], "{ending}: {document}");
        let ran = bench.fiesta(&[&call[..5], &["--no-texts"]].concat());
        assert!(!ran.stdout.contains("How many?"), "{}", ran.stdout);
        let ran = bench.fiesta(&call[..5]);
        assert!(ran.stdout.contains("asked: How many?"), "{}", ran.stdout);
    }
}

/// Tests that the counterpart of `--minimize` is understood, and contradicts it.
#[test]
fn maximize_is_a_direction() {
    let bench = versions(6);
    let gate = "gate old.jsonl new.jsonl --margin 0.02 --maximize";
    assert_eq!(exit(&bench, gate), Some(code::DONE));
    assert_eq!(
        exit(&bench, &format!("{gate} --minimize")),
        Some(code::USAGE)
    );
}

/// Tests logs as promptfoo, Inspect and lm-eval write them: a gate on so few items is undecided.
#[test]
fn logs_of_other_tools() {
    let bench = Bench::new();
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fiesta-import/tests/fixtures/logs");
    let copy = |from: &str, to: &str| {
        fs::copy(logs.join(from), bench.path(to)).unwrap();
    };
    for version in ["old", "new"] {
        copy("promptfoo/repeated.json", &format!("{version}.json"));
        copy("inspect/large.eval", &format!("{version}.eval"));
        let size = if version == "old" { "large" } else { "small" };
        let folder = logs.join(format!("lm_eval/org__{size}"));
        let found = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path());
        let found = found.filter(|path| path.to_string_lossy().contains("samples_colours"));
        for path in found {
            fs::copy(path, bench.path(&format!("{version}_samples.jsonl"))).unwrap();
        }
    }
    for call in [
        "gate old.json new.json --margin 0.1",
        "gate old.eval new.eval --margin 0.1",
        "gate old_samples.jsonl new_samples.jsonl --metric acc --margin 0.1",
    ] {
        let words: Vec<&str> = call.split(' ').collect();
        let ran = bench.fiesta(&words);
        assert_eq!(
            ran.code,
            Some(code::SHORT),
            "{call}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(ran.stdout.contains(" is undecided: "), "{}", ran.stdout);
    }
}
