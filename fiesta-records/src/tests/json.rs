//! JSON of scores that is read and that is refused.

use crate::{Evaluations, Format, Reading, RecordsError, read_from};

fn read(format: Format, text: &str) -> Result<Evaluations, RecordsError> {
    let options = Reading {
        bounds: Some((0.0, 1.0)),
        ..Reading::default()
    };
    read_from(text.as_bytes(), Some(format), &options, "s")
}

/// Returns the message about the line `bad` between two good lines.
fn refused(bad: &str) -> String {
    let good = r#"{"arm": "a", "score": 0.5}"#;
    let text = format!("{good}\r\n\r\n{bad}\r\n{good}");
    let message = read(Format::JsonLines, &text).unwrap_err().to_string();
    let as_list = format!("[{good},\n\n{bad},\n{good}]");
    let of_list = read(Format::Json, &as_list).unwrap_err().to_string();
    // A list goes on where a line would end: texts that are no JSON are told in other words.
    if !message.contains("not JSON") {
        assert_eq!(message, of_list);
    }
    let message = message.strip_prefix("s:3: ").expect("the third line");
    message.to_owned()
}

#[test]
fn reads_lines_and_lists_alike() {
    let first = r#"{"arm": "a\u00e9", "score": 0.1, "split": 3, "seed": 4, "note": {"x": [1]}}"#;
    let second = r#"{"score": 1e-1, "arm": "b", "cost": 2, "duration": null, "document": "d"}"#;
    let lines = format!("\u{feff}\n{first}\r\n \n{second}");
    let list = format!("\n[{first}\n,\n{second}\n]\n");
    let lines = read(Format::JsonLines, &lines).unwrap();
    let list = read(Format::Json, &list).unwrap();
    assert_eq!(lines, list);
    assert_eq!(lines.arms(), ["aé", "b"]);
    assert_eq!(lines.records().len(), 2);
    let [first, second] = [0, 1].map(|place| lines.records().at(place));
    assert_eq!((first.split, first.seed, first.line), (Some(3), Some(4), 2));
    assert_eq!(
        (second.cost, second.duration, second.line),
        (Some(2.0), None, 4)
    );
    assert_eq!(first.score.to_bits(), second.score.to_bits());
}

#[test]
fn reads_lists_of_scores() {
    let text = "{\"b\": [0.5,\n 0.25],\n \"a\": [1]}";
    let records = read(Format::Json, text).unwrap();
    assert_eq!(records.arms(), ["b", "a"]);
    assert_eq!(records.by_arm(), [vec![0.5, 0.25], vec![1.0]]);
    let lines: Vec<u64> = records.records().iter().map(|r| r.line).collect();
    assert_eq!(lines, [1, 2, 3]);
}

#[test]
fn says_what_is_wrong_with_an_object() {
    for (bad, message) in [
        (
            r#"{"score": 0.5, "f1": 1}"#,
            "there is no key `arm` (keys: `score`, `f1`): add the name of the arm, or name its key with --arm",
        ),
        (
            r#"{"arm": "a", "f1": 1}"#,
            "there is no key `score` (keys: `arm`, `f1`): \
             add the score, or name its key with --metric",
        ),
        (
            "{}",
            "there is no key `arm` (keys: none): add the name of the arm, or name its key with --arm",
        ),
        (
            r#"{"arm": " ", "score": 0.5}"#,
            "the name of the arm is empty: name the arm",
        ),
        (
            r#"{"arm": null, "score": 0.5}"#,
            "the name of the arm is empty: name the arm",
        ),
        (
            r#"{"arm": 3, "score": 0.5}"#,
            "the arm 3 is not text: put its name in double quotes",
        ),
        (
            r#"{"arm": "a\n", "arm": "b", "score": 0.5}"#,
            "the key `arm` occurs twice: keep one of the two",
        ),
        (
            r#"{"arm": "a\nb", "score": 0.5}"#,
            "the name `a\\nb` contains a line break, a tab or another control character: \
             remove it, or close the quote before it",
        ),
        (
            r#"{"arm": "a", "score": null}"#,
            "the score is missing: fill it in, or remove the row, or say with --failed what an evaluation without one counts as \
             (drop, worst)",
        ),
        (
            r#"{"arm": "a", "score": "0.5"}"#,
            "the score \"0.5\" is text, not a number: \
             write it without quotes, with a decimal point",
        ),
        (
            r#"{"arm": "a", "score": [0.5]}"#,
            "the score `[0.5]` is not a number: write digits, with a decimal point if need be",
        ),
        (
            r#"{"arm": "a", "score": 1.5}"#,
            "the score 1.5 is outside the bounds [0, 1] of score: correct the row or the bounds",
        ),
        (
            r#"{"arm": "a", "score": 0.5, "split": 1.5}"#,
            "the split `1.5` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …",
        ),
        (
            r#"{"arm": "a", "score": 0.5, "seed": -1}"#,
            "the seed `-1` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …",
        ),
        (
            r#"{"arm": "a", "score": 0.5, "duration": -1}"#,
            "the duration `-1` is negative: give what was spent, as a number from 0 upwards",
        ),
        (
            "0.5",
            "`0.5` is not a record: write an object such as {\"arm\": \"lstm\", \"score\": 0.71}",
        ),
    ] {
        assert_eq!(refused(bad), message, "{bad}");
    }
    for infinite in ["NaN", "Infinity", "-Infinity", "1e400"] {
        let bad = format!(r#"{{"arm": "a", "score": {infinite}}}"#);
        assert!(refused(&bad).starts_with(&format!("the score `{infinite}` is not finite")));
    }
}

#[test]
fn says_where_a_line_is_not_json() {
    let message = refused(r#"{"arm": "a", "score": 0,5}"#);
    assert_eq!(
        message,
        "this is not JSON at `5}`: expected a key in double quotes"
    );
    let message = refused(r#"{"arm": "a" "score": 1}"#);
    assert_eq!(message, "this is not JSON at `\"score\": 1}`: expected `}`");
    let message = refused(r#"{"arm": "a", "score": 0.5"#);
    assert_eq!(message, "this is not JSON at its end: expected `}`");
    assert!(refused(r#"{"arm": "a", "score": 0.5} x"#).contains("`x`: expected the end"));
    let three = "{\nx\n{\"arm\": \"a\", \"score\": 0.5}";
    let message = read(Format::JsonLines, three).unwrap_err().to_string();
    assert!(message.starts_with("s:1: "));
    assert!(message.ends_with("(1 further problem in this file)"));
}

#[test]
fn says_what_is_wrong_with_a_document() {
    for (text, message) in [
        ("", "s: there are no scores in this file"),
        ("[]", "s: there are no scores in this file"),
        ("\n{ }\n", "s: there are no scores in this file"),
        (
            "{\"a\": []}",
            "s:1: the arm `a` has no score: add its scores, or remove the arm",
        ),
        (
            "{\"a\": [0.5],\n\"a\": [0.5]}",
            "s:2: the key `a` occurs twice: keep one of the two",
        ),
        (
            "{\"a\": [0.5,\n NaN,\n 7, 8]}",
            "s:2: the score `NaN` is not finite: correct it, or remove the row of an evaluation \
             that failed, or say with --failed what it counts as (drop, worst) (2 further problems in this file)",
        ),
        (
            "{\"arm\": \"a\",\n\"score\": 0.5}",
            "s:1: the value of `arm`, \"a\", is not a list of scores: write {\"arm\": [0.71, 0.69]}; \
             a file with one record per line should end in .jsonl (1 further problem in this file)",
        ),
        (
            "{\"a\": [0.5]}\n{\"b\": [0.5]}",
            "s:2: this is not JSON at `{\"b\": [0.5]}`: expected the end; a file with several objects \
             should have one per line and end in .jsonl",
        ),
        (
            "[0.5]",
            "s:1: element 1: `0.5` is not a record: write an object such as {\"arm\": \"lstm\", \"score\": 0.71}",
        ),
        ("3", "s:1: this is not JSON at `3`: expected `{` or `[`"),
        (
            "{\"a\": [0.5,\n",
            "s:2: `a`, element 2: this is not JSON at its end: expected a value",
        ),
    ] {
        let found = read(Format::Json, text).unwrap_err().to_string();
        assert_eq!(found, message, "{text}");
    }
}

#[test]
fn keeps_failures_and_the_keys_of_the_user() {
    let options = Reading {
        keep_failures: true,
        keep_columns: true,
        ..Reading::default()
    };
    let lines = |text: &str| read_from(text.as_bytes(), Some(Format::JsonLines), &options, "s");
    let records = lines(concat!(
        r#"{"arm": "a", "score": 0.5, "lr": 0.10, "note": " it's ", "layers": [ 64, 1e2 ], "": 1}"#,
        "\n",
        r#"{"arm": "b", "status": "crashed", "on": true, "lr": null, "note": "null", "duration": 3}"#,
    ))
    .unwrap();
    assert_eq!(records.columns(), ["lr", "note", "layers", "on"]);
    let cells = [0, 1, 2, 3].map(|column| records.cell(0, column));
    assert_eq!(cells, [Some("0.10"), Some("it's"), Some("[64,1e2]"), None]);
    let cells = [0, 1, 2, 3].map(|column| records.failure_cell(0, column));
    assert_eq!(cells, [None, Some("null"), None, Some("true")]);
    assert_eq!(records.failures()[0].duration, Some(3.0));

    let refused = |text: &str| lines(text).unwrap_err().to_string();
    let twice = refused(r#"{"arm": "a", "score": 1, "lr": 1, "lr ": 2}"#);
    assert_eq!(twice, "s:1: the key `lr` occurs twice: keep one of the two");
    let status = refused(r#"{"arm": "a", "score": 1, "status": 3}"#);
    assert_eq!(
        status,
        "s:1: the status 3 is not text: write \"ok\" or \"failed\""
    );
    let missing = refused(r#"{"arm": "a", "status": "ok"}"#);
    assert!(
        missing.starts_with("s:1: there is no key `score`"),
        "{missing}"
    );
    let control = refused(r#"{"arm": "a", "score": 1, "a\u0007": 2}"#);
    assert!(control.contains("control character"), "{control}");
}

/// Tests that a message gives the element where all JSON is on one line.
#[test]
fn says_which_element_of_one_line() {
    let good = r#"{"arm": "a", "score": 0.5}"#;
    for (text, message) in [
        (
            format!(r#"[{good}, {good}, {{"arm": "a", "score": 1.5}}]"#),
            "s:1: element 3: the score 1.5 is outside the bounds",
        ),
        (
            format!("[{good}, 0.5]\n"),
            "s:1: element 2: `0.5` is not a record",
        ),
        (
            format!(r#"[{good}, {{"arm": "a" "score": 1}}]"#),
            "s:1: element 2: this is not JSON at",
        ),
        (
            r#"{"a": [0.5, 0.5], "b": [0.5, NaN]}"#.to_owned(),
            "s:1: `b`, element 2: the score `NaN` is not finite",
        ),
        (
            r#"{"columns": ["arm", "score"], "data": [["a", 0.5], ["b", 7]]}"#.to_owned(),
            "s:1: row 2: the score 7 is outside the bounds",
        ),
    ] {
        let found = read(Format::Json, &text).unwrap_err().to_string();
        assert!(found.starts_with(message), "{text}: {found}");
    }
    let lines = format!("[{good},\n0.5]");
    let found = read(Format::Json, &lines).unwrap_err().to_string();
    assert!(found.starts_with("s:2: `0.5` is not a record"), "{found}");
}
