//! Tests of collections as users have them.

use super::*;
use std::fs;
use tempfile::TempDir;

fn with(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

fn ids(documents: &Items) -> Vec<&str> {
    (0..documents.len() as u64)
        .map(|number| documents.id(number))
        .collect()
}

#[track_caller]
fn refused(directory: &TempDir, named: &str, words: &[&str]) {
    let message = Items::read(directory.path(), PoolKey::Documents, named)
        .unwrap_err()
        .to_string();
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn lines_have_an_id_or_a_number() {
    let text =
        "\u{feff}{\"id\": \"b\", \"text\": \"x\"}\r\n\n{\"text\": \"y\"}\n{\"id\": 7}\n[\"z\"]";
    let directory = with(&[("docs.jsonl", text)]);
    let documents = Items::read(directory.path(), PoolKey::Documents, "docs.jsonl").unwrap();
    assert_eq!(ids(&documents), ["b", "3", "7", "5"]);
    let run = directory.path().join("run");
    let content = |number| {
        documents.place(number, &run).unwrap();
        let path = documents.path(number, &run);
        assert!(path.starts_with(&run));
        fs::read_to_string(path).unwrap()
    };
    assert_eq!(content(0), "{\"id\": \"b\", \"text\": \"x\"}\r");
    assert_eq!(content(1), "{\"text\": \"y\"}");
    assert_eq!(content(3), "[\"z\"]");
}

#[test]
fn files_are_named_below_the_pattern() {
    let files = [
        "texts/b.txt",
        "texts/a.txt",
        "texts/c.md",
        "texts/.d.txt",
        "more/x/a.txt",
        "more/y/a.txt",
    ];
    let directory = with(&files.map(|name| (name, name)));
    let read = |named: &str| Items::read(directory.path(), PoolKey::Documents, named).unwrap();
    let texts = read("texts/*.txt");
    assert_eq!(ids(&texts), ["a.txt", "b.txt"]);
    let run = Path::new("/nowhere");
    texts.place(0, run).unwrap();
    let path = texts.path(0, run);
    assert_eq!(fs::read_to_string(path).unwrap(), "texts/a.txt");
    assert_eq!(ids(&read("more/*/a.txt")), ["x/a.txt", "y/a.txt"]);
    assert_eq!(ids(&read("**/a.txt")).len(), 3);
    let absolute = directory.path().join("texts/?.md");
    assert_eq!(ids(&read(absolute.to_str().unwrap())), ["c.md"]);
    assert_eq!(ids(&read("./texts/[ab].txt")), ["a.txt", "b.txt"]);
}

/// Tests that wildcards in the name of the study's own directory are not part of a pattern.
#[test]
fn the_place_of_the_study_is_no_pattern() {
    let directory = with(&[("odd [1]*/a.txt", "a")]);
    let place = directory.path().join("odd [1]*");
    let documents = Items::read(&place, PoolKey::Documents, "*.txt").unwrap();
    assert_eq!(ids(&documents), ["a.txt"]);
}

#[test]
fn what_is_no_collection() {
    let directory = with(&[
        ("empty.jsonl", "\n \n"),
        ("bad.jsonl", "{\"id\": 1}\n{\"id\": 2\n"),
        ("null.jsonl", "{\"id\": null}\n"),
        ("half.jsonl", "{\"id\": 1.5}\n"),
        ("blank.jsonl", "{\"id\": \" \"}\n"),
        ("twice.jsonl", "{\"id\": \"2\"}\n{}\n"),
        ("docs.xml", "a"),
        ("texts/a.txt", "a"),
    ]);
    fs::create_dir(directory.path().join("texts/sub")).unwrap();
    fs::write(
        directory.path().join("latin.jsonl"),
        b"{\"id\": \"caf\xe9\"}",
    )
    .unwrap();
    refused(&directory, "empty.jsonl", &["empty.jsonl has no documents"]);
    refused(
        &directory,
        "bad.jsonl",
        &["bad.jsonl:2:", "no JSON", "at column"],
    );
    refused(&directory, "latin.jsonl", &["latin.jsonl:1:", "no JSON"]);
    refused(&directory, "null.jsonl", &["null.jsonl:1:", "id is null"]);
    refused(&directory, "half.jsonl", &["id is 1.5", "whole number"]);
    refused(&directory, "blank.jsonl", &["id is \" \"", "not empty"]);
    refused(
        &directory,
        "twice.jsonl",
        &["id `2`", "number 1 and number 2", "distinct"],
    );
    refused(
        &directory,
        "missing.jsonl",
        &["cannot read", "missing.jsonl", "No such file"],
    );
    refused(
        &directory,
        "docs.xml",
        &["neither", ".jsonl", "texts/*.txt"],
    );
    refused(&directory, "texts", &["is a directory", "texts/*.txt"]);
    refused(&directory, "texts/*.md", &["no file matches", "texts/*.md"]);
    refused(&directory, "texts/*", &["sub matches", "is no file"]);
    refused(&directory, "texts/a**", &["no pattern"]);
}

/// Tests that every change to a collection of items changes its fingerprint.
#[test]
fn a_change_changes_the_fingerprint() {
    let directory = with(&[
        ("docs.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
        ("texts/a.txt", "a"),
        ("texts/b.txt", "b"),
    ]);
    let path = |name: &str| directory.path().join(name);
    let look = |named| {
        Items::read(directory.path(), PoolKey::Documents, named)
            .unwrap()
            .fingerprint()
    };
    let mut seen = vec![look("docs.jsonl"), look("texts/*.txt")];
    assert_eq!(look("docs.jsonl"), seen[0]);
    for text in [
        "{\"a\": 1}\n{\"a\": 3}\n",
        "{\"a\": 3}\n{\"a\": 1}\n",
        "{\"a\": 3}\n",
    ] {
        fs::write(path("docs.jsonl"), text).unwrap();
        seen.push(look("docs.jsonl"));
    }
    fs::write(path("texts/b.txt"), "c").unwrap();
    seen.push(look("texts/*.txt"));
    fs::rename(path("texts/b.txt"), path("texts/c.txt")).unwrap();
    seen.push(look("texts/*.txt"));
    for (place, one) in seen.iter().enumerate() {
        assert!(!seen[..place].contains(one), "{place}: {seen:?}");
    }
}

#[test]
fn a_line_that_changed_meanwhile_is_not_handed_out() {
    let directory = with(&[("docs.jsonl", "{\"a\": 1}\n{\"a\": 2}\n")]);
    let documents = Items::read(directory.path(), PoolKey::Documents, "docs.jsonl").unwrap();
    fs::write(
        directory.path().join("docs.jsonl"),
        "{\"a\": 1}\n{\"a\": 3}\n",
    )
    .unwrap();
    let run = directory.path().join("run");
    documents.place(0, &run).unwrap();
    let error = documents.place(1, &run).unwrap_err();
    assert!(matches!(error, ItemsError::Changed { .. }), "{error}");
}

/// Tests that each row of a table is an object of texts, whose `id` is that of the column, or the
/// line's number.
#[test]
fn rows_of_a_table_are_objects() {
    let table = "\u{feff}id,question\nq1,\"two\nlines\"\nq2,\"a, b\"\n";
    let directory = with(&[("q.csv", table), ("plain.tsv", "question\tn\nwhy\t1\n")]);
    let read = |named| Items::read(directory.path(), PoolKey::Items, named).unwrap();
    let (items, run) = (read("q.csv"), directory.path().join("run"));
    assert_eq!(ids(&items), ["q1", "q2"]);
    assert_eq!(items.value(1, &run).unwrap()["question"], "a, b");
    items.place(0, &run).unwrap();
    let placed = fs::read_to_string(items.path(0, &run)).unwrap();
    assert_eq!(placed, r#"{"id":"q1","question":"two\nlines"}"#);
    assert_eq!(ids(&read("plain.tsv")), ["2"]);
    assert_eq!(read("plain.tsv").value(0, &run).unwrap()["n"], "1");
}

/// Tests that a worker gets a whole item: the JSON of its line, or the path of its file.
#[test]
fn an_item_is_handed_over_whole() {
    let directory = with(&[
        ("q.jsonl", "{\"id\": 3, \"ask\": [1, 2]}\n"),
        ("t/a.txt", "x"),
    ]);
    let run = directory.path().join("run");
    let value = |named| {
        let items = Items::read(directory.path(), PoolKey::Items, named).unwrap();
        items.value(0, &run).unwrap()
    };
    assert_eq!(
        value("q.jsonl"),
        serde_json::json!({ "id": 3, "ask": [1, 2] })
    );
    assert!(value("t/*.txt").as_str().unwrap().ends_with("t/a.txt"));
}

#[test]
fn what_is_no_table_of_items_is_refused() {
    let directory = with(&[
        ("twice.csv", "id,id\n1,2\n"),
        ("empty.csv", "id,q\n,x\n"),
        ("ragged.csv", "id,q\n1\n"),
        ("none.csv", "id,q\n"),
        ("same.csv", "id\nx\nx\n"),
    ]);
    let refused = |named: &str, word: &str| {
        let read = Items::read(directory.path(), PoolKey::Items, named);
        let message = read.unwrap_err().to_string();
        assert!(message.contains(word), "{named}: {message}");
    };
    refused("twice.csv", "`id` stands twice in the header");
    refused("empty.csv", "empty.csv:2: the item's id is empty");
    refused("ragged.csv", "ragged.csv: CSV error");
    refused("none.csv", "none.csv has no items");
    refused("same.csv", "two items of same.csv have the id `x`");
}
