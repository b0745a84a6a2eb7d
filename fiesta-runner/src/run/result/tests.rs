//! Tests of results in the forms in which programs print them.

use super::*;
use fiesta_core::{Direction, LARGEST_SCORE, Metric};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use tempfile::TempDir;

fn metric() -> Metric {
    Metric::new("f1", Direction::Maximize, Some((0.0, 1.0))).unwrap()
}

fn unbounded() -> Metric {
    Metric::new("f1", Direction::Maximize, None).unwrap()
}

fn run(files: &[(&str, &[u8])]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

fn printed(stdout: impl AsRef<[u8]>) -> Result<Scored, NoScore> {
    read(
        run(&[("stdout", stdout.as_ref())]).path(),
        Wanted::Score(&metric()),
    )
}

/// Returns the score of a result, in tests where there must be one.
fn value(scored: &Scored) -> f64 {
    match scored.observation {
        Observation::Score(score) => score,
        Observation::Counts(_) => panic!("a score, not {scored:?}"),
    }
}

fn score_of(stdout: impl AsRef<[u8]>) -> f64 {
    value(&printed(stdout).unwrap())
}

fn message(stdout: impl AsRef<[u8]>) -> String {
    printed(stdout).unwrap_err().to_string()
}

#[track_caller]
fn assert_equal(score: f64, expected: f64) {
    assert_eq!(
        score.to_bits(),
        expected.to_bits(),
        "{score} is not {expected}"
    );
}

#[test]
fn the_last_object_on_stdout_is_the_result() {
    let scored =
        printed("epoch 1\n{\"f1\": 0.71, \"cost\": 2.5, \"model\": {\"d\": 3}}\nbye\n").unwrap();
    assert_equal(value(&scored), 0.71);
    assert_eq!(scored.cost, Some(2.5));
    assert_eq!(scored.extras.len(), 1);
    assert_eq!(scored.extras["model"]["d"], 3);
    assert!(scored.warnings.is_empty());
    assert_equal(score_of("{\"f1\":1}"), 1.0);
}

#[test]
fn a_file_beats_stdout_and_an_empty_one_does_not() {
    let both = run(&[
        ("result.json", b"{\n  \"f1\": 0.25\n}\n"),
        ("stdout", b"{\"f1\": 0.5}\n"),
    ]);
    assert_equal(
        value(&read(both.path(), Wanted::Score(&metric())).unwrap()),
        0.25,
    );
    let empty = run(&[("result.json", b" \n"), ("stdout", b"{\"f1\": 0.5}\n")]);
    assert_equal(
        value(&read(empty.path(), Wanted::Score(&metric())).unwrap()),
        0.5,
    );
}

#[test]
fn a_file_may_have_an_object_on_every_line() {
    let lines = run(&[("result.json", b"{\"f1\": 0.25}\n{\"f1\": 0.75}\n")]);
    let scored = read(lines.path(), Wanted::Score(&metric())).unwrap();
    assert_equal(value(&scored), 0.75);
    assert_eq!(scored.warnings.len(), 1);
}

#[test]
fn a_file_that_is_broken_is_not_passed_over() {
    let torn = run(&[
        ("result.json", b"{\"f1\": 0.2"),
        ("stdout", b"{\"f1\": 0.5}\n"),
    ]);
    let error = read(torn.path(), Wanted::Score(&metric())).unwrap_err();
    assert!(
        error.to_string().contains("has a result that is not JSON"),
        "{error}"
    );
    let bare = run(&[("result.json", b"0.5\n")]);
    let error = read(bare.path(), Wanted::Score(&metric())).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has a result that is not a JSON object"),
        "{error}"
    );
    let long = run(&[("result.json", &vec![b'x'; MOST_BYTES + 1])]);
    let error = read(long.path(), Wanted::Score(&metric())).unwrap_err();
    assert!(
        error.to_string().contains("too long for a result"),
        "{error}"
    );
}

#[test]
fn colours_carriage_returns_and_byte_order_marks_do_not_hide_a_result() {
    assert_equal(score_of("\u{1b}[32m{\"f1\": \u{1b}[1m0.5}\u{1b}[0m\n"), 0.5);
    assert_equal(score_of("10%\r100%\r{\"f1\": 0.5}\r\n"), 0.5);
    assert_equal(score_of("\u{feff}{\"f1\": 0.5}"), 0.5);
}

#[test]
fn different_scores_warn_and_equal_ones_do_not() {
    let scored = printed("{\"f1\": 0.1}\n{\"f1\": 0.2}\n").unwrap();
    assert_equal(value(&scored), 0.2);
    assert!(scored.warnings[0].contains("0.2") && scored.warnings[0].contains("0.1"));
    assert!(
        printed("{\"f1\": 0.2}\n{\"f1\": 0.2}\n")
            .unwrap()
            .warnings
            .is_empty()
    );
}

fn counted(stdout: &str) -> Result<Scored, NoScore> {
    let directory = run(&[("stdout", stdout.as_bytes())]);
    read(directory.path(), Wanted::Counts)
}

#[test]
fn counts_are_found_as_scores_are() {
    let scored =
        counted("epoch 1\n{\"tp\": 3, \"fp\": 1, \"fn\": 0, \"cost\": 2.5, \"tokens\": 9}\nbye\n");
    let scored = scored.unwrap();
    let counts = fiesta_core::Counts::from_cells([3, 1, 0, 0]);
    assert_eq!(scored.observation, Observation::Counts(counts));
    assert_eq!((scored.cost, scored.extras.len()), (Some(2.5), 1));
    let twice = counted("{\"tp\": 1, \"fp\": 1, \"fn\": 0}\n{\"tp\": 2, \"fp\": 1, \"fn\": 0}\n");
    let warnings = twice.unwrap().warnings;
    assert!(
        warnings[0].contains("tp 2, fp 1, fn 0, counts, and tp 1,"),
        "{warnings:?}"
    );
    // A broken line about counts is not passed over for an older one.
    let broken = counted("{\"tp\": 1, \"fp\": 1, \"fn\": 0}\n{'tp': 2, 'fp': 1}\n");
    assert!(broken.unwrap_err().to_string().contains("json.dumps"));
    let comma = counted("{\"tp\": 1,5, \"fp\": 1, \"fn\": 0}").unwrap_err();
    assert!(
        comma.to_string().contains("with a decimal comma"),
        "{comma}"
    );
    let missing = counted("done").unwrap_err().to_string();
    assert!(
        missing.contains("print a line like {\"tp\": 3, \"fp\": 1,"),
        "{missing}"
    );
}

#[test]
fn numbers_that_json_lacks_are_named() {
    for token in ["NaN", "nan", "Infinity", "-Infinity", "inf", "\"NaN\""] {
        let error = printed(format!("{{\"f1\": {token}}}")).unwrap_err();
        assert!(
            matches!(error, NoScore::NotFinite { .. }),
            "{token}: {error}"
        );
    }
    let error = printed("{\"f1\": 1e400}").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("which is too large for a number"),
        "{error}"
    );
    assert!(message("{\"f1\": 1e400}").contains("1e400"));
}

#[test]
fn an_extra_that_is_nan_does_not_cost_the_score() {
    let scored =
        printed(r#"{"f1": 0.5, "loss": NaN, "note": "NaN is \" not inf", "big": -1e999}"#).unwrap();
    assert_equal(value(&scored), 0.5);
    assert_eq!(scored.extras["loss"], "NaN");
    assert_eq!(scored.extras["note"], "NaN is \" not inf");
    assert_eq!(scored.extras["big"], "-1e999");
}

#[test]
fn an_older_score_never_stands_in_for_a_broken_result() {
    for broken in [
        "{\"f1\": 0,9}",
        "{\"f1\": }",
        "{'f1': 0.9}",
        "{\"f1\": NaN}",
        "{\"f1\": 0.9",
    ] {
        let result = printed(format!("{{\"f1\": 0.1}}\n{broken}\n"));
        assert!(result.is_err(), "{broken}: {result:?}");
    }
    // A broken line about something else does not matter.
    assert_equal(score_of("{\"f1\": 0.1}\n{'lr': 0.1}\n"), 0.1);
}

#[test]
fn decimal_commas_are_recognised() {
    for line in [
        "{\"f1\": 0,71}",
        "{\"f1\":0,71,\"n\":1}",
        "{\"f1\": -3,5e2 , \"n\": 1}",
        "{\"f1\": \"0,71\"}",
    ] {
        let error = printed(line).unwrap_err();
        assert!(
            error.to_string().contains("with a decimal comma"),
            "{line}: {error}"
        );
    }
    assert_equal(score_of("{\"f1\": 1,\"n\": 2}"), 1.0);
}

#[test]
fn what_is_no_number_is_refused_with_a_hint() {
    assert!(message("{\"f1\": \"0.71\"}").contains("without quotes"));
    assert!(message("{\"f1\": null}").contains("NaN"));
    assert!(message("{\"f1\": [0.5]}").contains("a list"));
    assert!(message("{\"f1\": {\"mean\": 0.5}}").contains("an object"));
    assert!(message("{\"f1\": true}").contains("true or false"));
    assert!(message("{'f1': 0.5}").contains("json.dumps"));
}

#[test]
fn a_missing_key_is_named_with_the_one_that_was_meant() {
    let text = message("{\"F1\": 0.5, \"f1_\": 0.5}");
    assert!(
        text.contains("without the key \"f1\"") && text.contains("\"f1_\""),
        "{text}"
    );
    let text = message("{\"f1\": 0.5}\n{\"event\": \"done\"}\n");
    assert!(
        text.contains("$FIESTA_RESULT") && text.contains("done"),
        "{text}"
    );
}

#[test]
fn bounds_are_checked_and_the_line_is_shown() {
    let text = message("noise\n{\"f1\": 71.0}\n");
    assert!(
        text.contains("outside the bounds [0, 1]") && text.contains("{\"f1\": 71.0}"),
        "{text}"
    );
    let directory = run(&[("stdout", b"{\"f1\": -71.5}")]);
    assert_equal(
        value(&read(directory.path(), Wanted::Score(&unbounded())).unwrap()),
        -71.5,
    );
}

#[test]
fn a_cost_that_is_none_is_a_warning() {
    for cost in ["-1", "\"3\"", "NaN"] {
        let scored = printed(format!("{{\"f1\": 0.5, \"cost\": {cost}}}")).unwrap();
        assert_eq!(scored.cost, None);
        assert_eq!(scored.warnings.len(), 1, "{cost}");
    }
    assert!(
        printed("{\"f1\": 0.5, \"cost\": null}")
            .unwrap()
            .warnings
            .is_empty()
    );
}

#[test]
fn without_a_result_the_logs_end_is_shown() {
    let steps: Vec<String> = (0..50).map(|n| format!("step {n}")).collect();
    let stdout = steps.join("\n");
    let directory = run(&[
        ("stdout", stdout.as_bytes()),
        ("stderr", b"Traceback\nKeyError: 3\n"),
    ]);
    let text = read(directory.path(), Wanted::Score(&metric()))
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("  step 49\n") && !text.contains("step 39"),
        "{text}"
    );
    assert!(text.contains("  KeyError: 3"), "{text}");
    assert!(message("").contains("(nothing)"));
    assert!(read(run(&[]).path(), Wanted::Score(&metric())).is_err());
}

#[test]
fn a_result_within_a_line_or_over_several_is_pointed_at() {
    assert!(message("INFO: {\"f1\": 0.5}").contains("no JSON object by itself: INFO"));
    assert!(message("{\n  \"f1\": 0.5\n}\n").contains("no JSON object by itself: \"f1\": 0.5"));
}

#[test]
fn other_encodings_are_survived_and_named() {
    assert_equal(
        score_of(b"caf\xe9 \xff\n{\"f1\": 0.5, \"n\": \"\xe9\"}\n"),
        0.5,
    );
    assert!(message(b"caf\xe9\n").contains("not UTF-8"));
}

#[test]
fn only_the_end_of_a_large_file_is_read() {
    let mut stdout = b"{\"f1\": 0.1}\n".to_vec();
    stdout.resize(3 * MOST_BYTES, b'x');
    stdout.extend_from_slice(b"\n{\"f1\": 0.5}\n");
    let scored = printed(&stdout).unwrap();
    assert_equal(value(&scored), 0.5);
    assert!(scored.warnings.is_empty());
    let endless = vec![b'{'; 3 * MOST_BYTES];
    assert!(message(&endless).contains("too long for a result"));
    let mut chatter = b"{\"f1\": 0.1}\n".to_vec();
    chatter.extend("chatter\n".repeat(MOST_BYTES / 4).into_bytes());
    assert!(message(&chatter).contains("only the last"));
}

#[test]
fn what_is_no_file_is_no_result() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("result.json")).unwrap();
    fs::write(directory.path().join("stdout"), "{\"f1\": 0.5}").unwrap();
    assert_equal(
        value(&read(directory.path(), Wanted::Score(&metric())).unwrap()),
        0.5,
    );
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(stdout in prop::collection::vec(any::<u8>(), 0..300), file in prop::collection::vec(any::<u8>(), 0..100)) {
        let directory = run(&[("stdout", &stdout), ("result.json", &file)]);
        if let Err(error) = read(directory.path(), Wanted::Score(&metric())) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn almost_json_never_panics(stdout in "(\\{|\\}|\"f1\"|'f1'|:|,|[0-9]|[eE.+-]|NaN|Infinity|\"|\\\\|\u{1b}|\\[|\\]|\n|\r|é| ){0,40}") {
        if let Ok(scored) = printed(&stdout) {
            prop_assert!((0.0..=1.0).contains(&value(&scored)));
        }
    }

    #[test]
    fn every_score_comes_back(score in any::<f64>().prop_filter("a score", |x| x.abs() <= LARGEST_SCORE)) {
        let directory = run(&[("stdout", format!("{{\"f1\": {score:e}}}").as_bytes())]);
        let read = value(&read(directory.path(), Wanted::Score(&unbounded())).unwrap());
        prop_assert_eq!(read.to_bits(), score.to_bits());
    }
}

/// Tests that a score counts beside values of any depth of nesting, and that the ledger, whose
/// entries contain results, stays readable.
#[test]
fn what_nests_too_deep_is_left_out_and_told() {
    for depth in [101, 126, 127, 128, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let result = format!(r#"{{"f1": 0.5, "trace": {open}{close}, "note": "]}}"}}"#);
        let scored = of_text(&result, "stdout", Wanted::Score(&metric())).unwrap();
        assert_eq!(scored.observation, Observation::Score(0.5));
        assert_eq!(scored.extras["note"], "]}");
        assert!(scored.warnings[0].contains("deeper than 100"), "{depth}");
        let kept = json!({ "entry": { "extras": scored.extras } }).to_string();
        assert!(serde_json::from_str::<Value>(&kept).is_ok());
    }
    let (open, close) = ("{\"a\":".repeat(99), "}".repeat(99));
    let result = format!(r#"{{"f1": 0.5, "trace": {open}1{close}}}"#);
    let scored = of_text(&result, "stdout", Wanted::Score(&metric())).unwrap();
    assert!(scored.warnings.is_empty() && scored.extras["trace"].is_object());
}

#[test]
fn a_key_that_stands_twice_is_told() {
    let of = |text: &str| of_text(text, "stdout", Wanted::Score(&metric())).unwrap();
    let scored = of(r#"{"f1": 0.5, "a": {"f1": 1}, "f1": 0.7, "b": "f1"}"#);
    assert_eq!(scored.observation, Observation::Score(0.7));
    let said = r#"stdout has the key "f1" more than once; the last counts"#;
    assert_eq!(scored.warnings, [said]);
    assert!(
        of(r#"{"f1": 0.5, "a": {"b": 1, "b": 2}, "c": ["a", "a"]}"#)
            .warnings
            .is_empty()
    );
}

/// Tests the names that OpenAI and Anthropic have for tokens, in any of the places where people put
/// them.
#[test]
fn tokens_by_the_names_of_services() {
    let of = |value: Value| tokens(value.as_object().unwrap());
    let plain = json!({ "prompt_tokens": 3, "completion_tokens": 4 });
    assert_eq!(
        of(json!({ "f1": 1, "prompt_tokens": 3, "completion_tokens": 4, "n": 2 })),
        Some(plain.clone())
    );
    let usage = json!({ "prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7,
        "prompt_tokens_details": { "cached_tokens": 0 }, "service_tier": "standard" });
    assert_eq!(of(json!({ "f1": 1, "usage": usage })), Some(plain));
    assert_eq!(
        of(json!({ "tokens": { "in": 1 }, "usage": usage })),
        Some(json!({ "in": 1 }))
    );
    assert_eq!(of(json!({ "f1": 1, "n": 2 })), None);
}

#[test]
fn scores_in_files_of_their_own() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("metrics.json");
    let metric = metric();
    let read = |text: &str, key: &str, began: f64| {
        fs::write(&path, text).unwrap();
        read_file(&path, key, began, Wanted::Score(&metric))
    };
    let score = |text: &str, key: &str| read(text, key, 0.0).unwrap().observation;
    let nested = "{\n  \"eval\": {\"acc\": 0.75, \"loss\": NaN},\n  \"epoch\": 3\n}\n";
    assert_eq!(score(nested, "eval.acc"), Observation::Score(0.75));
    assert_eq!(
        score("{\"eval.acc\": 0.25, \"eval\": {\"acc\": 1}}", "eval.acc"),
        Observation::Score(0.25)
    );
    assert_eq!(
        score("{\"f1\": 0.1}\n{\"f1\": 0.2}\n", "f1"),
        Observation::Score(0.2)
    );
    assert_eq!(read(nested, "eval.acc", 0.0).unwrap().extras["epoch"], 3);
    for (text, key, began, said) in [
        (nested, "eval.f1", 0.0, "eval.f1"),
        ("", "f1", 0.0, "is missing or empty"),
        ("[1]", "f1", 0.0, "no object"),
        (nested, "eval.acc", 4e9, "written before this run began"),
        ("{\"f1\": \"good\"}", "f1", 0.0, "without quotes"),
    ] {
        let error = read(text, key, began).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
