//! Tests of impossible studies of documents, and of jobs whose counts are not valid.

use super::support::{Bench, arm, code};
use std::fs;

/// Study file whose documents are three lines of a file, or two files.
const STUDY: &str = r#"name = "trial"
command = ["sh", "job.sh", "{arm}", "{document}", "{document_id}", "{seed}"]

[metric]
f_beta = 1.0

[goal]
confidence = 0.95
min_documents = 2

[design]
documents = "docs.jsonl"
seed = 1

[[arm]]
name = "good"
[[arm]]
name = "bad"
"#;

const GOOD: &str = "echo '{\"tp\": 3, \"fp\": 1, \"fn\": 1}'";

fn bench(study: &str) -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", GOOD);
    bench.file(
        "docs.jsonl",
        "{\"id\": \"a\"}\n{\"id\": \"b\"}\n{\"id\": \"c\"}\n",
    );
    fs::create_dir(bench.path("texts")).unwrap();
    bench.file("texts/a.txt", "a");
    bench.file("texts/b.txt", "b");
    bench.file("study.toml", study);
    bench
}

/// Checks that the study is refused after a change: the message names the line with the text `at`, and says `says`.
#[track_caller]
fn refuse(from: &str, to: &str, at: &str, says: &[&str]) {
    assert_eq!(STUDY.matches(from).count(), 1, "{from}");
    let study = STUDY.replace(from, to);
    let line = study.lines().position(|line| line.contains(at)).unwrap() + 1;
    // With other mistakes, each has a line of its own.
    let place = format!("study.toml:{line}: ");
    let bench = bench(&study);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::USAGE, &[&[place.as_str()], says].concat());
    assert!(!bench.path("study.fiesta").exists(), "{to}");
}

#[test]
fn the_study_itself_is_good() {
    bench(STUDY)
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &[]);
}

#[test]
fn placeholders_of_the_other_kind_of_study() {
    refuse(
        "\"{document}\"",
        "\"{split}\"",
        "command",
        &[
            "{split} has no meaning in a study of documents",
            "use {document}",
        ],
    );
    refuse(
        "\"{document}\"",
        "\"{documnet}\"",
        "command",
        &[
            "unknown placeholder {documnet}",
            "did you mean {document}?",
            "{document_id}, {seed}",
        ],
    );
    refuse(
        "documents = \"docs.jsonl\"",
        "splits = \"shared\"",
        "f_beta",
        &["f_beta is of confusion counts", "name these under [design]"],
    );
    for word in ["document", "document_id"] {
        let study = super::support::STUDY.replace("{split}", &format!("{{{word}}}"));
        Bench::with_study(&study)
            .fiesta(&["run", "study.toml"])
            .says(
                code::USAGE,
                &[
                    "study.toml:2: ",
                    &format!("{{{word}}} belongs to a study of items or documents"),
                    "use {split}",
                ],
            );
    }
}

#[test]
fn designs() {
    refuse(
        "seed = 1",
        "seed = 1\nsplits = \"shared\"",
        "splits",
        &["of splits or of documents", "leave splits or documents out"],
    );
    refuse(
        "seed = 1",
        "seed = 1\nposterior = \"flat\"",
        "posterior",
        &["no posterior `flat`", "paired or f-measure"],
    );
    refuse(
        "seed = 1",
        "posterior = \"paired\"\nalpha = 2",
        "alpha",
        &["the posterior paired takes no `alpha`; f-measure does"],
    );
    for key in ["alpha0 = 2", "theta0 = [1, 1, 1, 1]"] {
        let name = &key[..6];
        refuse(
            "seed = 1",
            &format!("posterior = \"paired\"\n{key}"),
            name,
            &[&format!("the posterior paired takes no `{name}`")],
        );
    }
    refuse(
        "seed = 1",
        "theta0 = [1, 0, 1, 1]",
        "theta0",
        &["[1.0, 0.0, 1.0, 1.0]", "four numbers above 0"],
    );
    refuse("seed = 1", "theta0 = [1, 1, 1]", "theta0", &["length"]);
    refuse(
        "seed = 1",
        "theta0 = [1, 1e-4, 1, 1]",
        "theta0",
        &["between 1e-3 and 1e6"],
    );
    refuse(
        "seed = 1",
        "theta0 = [1, 1, 1, 1]\nalpha0 = 0",
        "alpha0",
        &["between 1e-3 and 1e6"],
    );
    refuse(
        "seed = 1",
        "alpha = \"known\"",
        "alpha",
        &["alpha = \"known\"", "\"shared\""],
    );
    refuse(
        "seed = 1",
        "alpha = 0",
        "alpha",
        &["alpha = 0", "must lie between"],
    );
    refuse("seed = 1", "alpha = true", "alpha", &["did not match"]);
    refuse(
        "seed = 1",
        "stopping = \"anytime\"",
        "stopping",
        &["anytime tests means of scores", "such as paired"],
    );
    let of_splits = super::support::STUDY.replace("\"pooled\"", "\"f-measure\"");
    Bench::with_study(&of_splits)
        .fiesta(&["run", "study.toml"])
        .says(
            code::USAGE,
            &["posterior f-measure learns from the confusion counts of documents"],
        );
}

#[test]
fn measures() {
    refuse(
        "f_beta = 1.0",
        "f_beta = 1.0\ndirection = \"minimize\"",
        "direction",
        &["more is better of an F-measure"],
    );
    refuse(
        "f_beta = 1.0",
        "f_beta = 1.0\nbounds = [0, 100]",
        "bounds",
        &["between 0 and 1"],
    );
    for f_beta in ["0", "-1", "nan", "1e4"] {
        refuse(
            "1.0",
            f_beta,
            "f_beta",
            &["the weight", "above 0, and at most 1000"],
        );
    }
    for weight in ["0", "1", "nan"] {
        refuse(
            "f_beta = 1.0",
            &format!("precision_weight = {weight}"),
            "precision_weight",
            &["of precision", "below 1, and at least 0.000001"],
        );
    }
    refuse(
        "f_beta = 1.0",
        "f_beta = 1.0\nprecision_weight = 0.5",
        "precision_weight",
        &["f_beta and precision_weight", "leave one of them out"],
    );
    refuse(
        "f_beta = 1.0",
        "f_beta = 1.0\nname = \"\"",
        "name = \"\"",
        &["no name"],
    );
    let unnamed = STUDY.replace("f_beta = 1.0", "bounds = [0, 1]");
    bench(&unnamed)
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["study.toml: ", "the metric has no name"]);
}

#[test]
fn minima() {
    refuse(
        "min_documents = 2",
        "min_documents = 4",
        "min_documents",
        &["min_documents = 4 is more than the 3 documents"],
    );
    refuse(
        "min_documents = 2",
        "min_documents = 0",
        "min_documents",
        &["at least 1"],
    );
    refuse(
        "confidence = 0.95",
        "budget = { evaluations = 4 }",
        "min_documents",
        &["by its budget alone"],
    );
    let of_splits =
        super::support::STUDY.replace("confidence = 0.95", "confidence = 0.95\nmin_documents = 3");
    Bench::with_study(&of_splits)
        .fiesta(&["run", "study.toml"])
        .says(
            code::USAGE,
            &[
                "study.toml:11: ",
                "min_documents is for a study of items or documents",
            ],
        );
}

#[test]
fn collections() {
    let documents = |named: &str, says: &[&str]| {
        let key = format!("documents = \"{named}\"");
        refuse("documents = \"docs.jsonl\"", &key, &key, says);
    };
    documents(
        "other.jsonl",
        &["cannot read", "other.jsonl", "No such file"],
    );
    documents("texts", &["is a directory", "texts/*.txt"]);
    documents("job.sh", &["neither a file of JSON lines", ".jsonl"]);
    documents(
        "texts/*.md",
        &["no file matches documents = \"texts/*.md\""],
    );
    documents("texts/[a.txt", &["is no pattern"]);
    for (lines, says) in [
        ("", "docs.jsonl has no documents"),
        (
            "{\"id\": 1}\n\n{\"id\": 1}\n",
            "two documents of docs.jsonl have the id `1`, number 1 and number 2",
        ),
        (
            "{\"id\": 1}\n{\"id\": 2,}\n",
            "docs.jsonl:2: the document is no JSON: ",
        ),
        ("{\"id\": []}\n", "docs.jsonl:1: the document's id is []"),
        ("{\"id\": \"a\\u0000b\"}\n", "may have no zero byte"),
    ] {
        let bench = bench(STUDY);
        bench.file("docs.jsonl", lines);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &["study.toml:12: ", says]);
    }
}

/// Tests that editing the file of documents while the study runs ends the study, and that the
/// edited line is not handed out.
#[test]
fn a_collection_that_changes_meanwhile() {
    let bench = bench(STUDY);
    bench.file(
        "job.sh",
        &format!("echo '{{\"other\": 1}}' > docs.jsonl\n{GOOD}"),
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::CHANGED,
        &["is no longer what it was in", "docs.jsonl"],
    );
}

/// Runs a study of a good arm, and of one whose job ends three times in this way.
#[track_caller]
fn bad_counts(job: &str, says: &[&str]) {
    let bench = bench(
        &STUDY
            .replace("min_documents = 2\n", "")
            .replace("seed = 1", "policy = \"uniform\""),
    );
    bench.file(
        "job.sh",
        &format!("[ $1 = good ] && {{ {GOOD}; exit; }}\n{job}\n"),
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::ARM_FAILED, says);
    let result = ran.json();
    assert_eq!(result["conclusion"]["arm"], "good", "{job}");
    let bad = arm(&result, "bad");
    assert_eq!(
        (&bad["failed"], &bad["evaluations"]),
        (&3.into(), &0.into()),
        "{job}"
    );
    assert_eq!(bad["retired"], true);
}

#[test]
fn counts_that_are_none() {
    let says = ["which is no count", "whole number from 0 to 1000000000"];
    for (cell, number) in [
        ("tp", "-1"),
        ("fp", "1.5"),
        ("fn", "1000000001"),
        ("tn", "1e12"),
    ] {
        let counts = ["tp", "fp", "fn", "tn"].map(|key| {
            let count = if key == cell { number } else { "1" };
            format!("\"{key}\": {count}")
        });
        let job = format!("echo '{{{}}}'", counts.join(", "));
        bad_counts(
            &job,
            &[&[format!("\"{cell}\" = ").as_str()], &says[..]].concat(),
        );
    }
    bad_counts(
        "echo '{\"tp\": \"3\", \"fp\": 0, \"fn\": 0}'",
        &["\"tp\" as the text \"3\"", "without quotes"],
    );
    bad_counts(
        "echo '{\"tp\": NaN, \"fp\": 0, \"fn\": 0}'",
        &["\"tp\" = NaN", "not a finite number"],
    );
    bad_counts(
        "echo '{\"A\": {\"tp\": 1, \"fp\": -3, \"fn\": 0}}'",
        &["\"A.fp\" = -3"],
    );
}

#[test]
fn counts_that_are_missing() {
    bad_counts("echo '{\"tp\": 1, \"fp\": 0}'", &["without the key \"fn\""]);
    bad_counts(
        "echo '{\"A\": {\"tp\": 1, \"fn\": 0}}'",
        &["without the key \"A.fp\""],
    );
    bad_counts(
        "echo '{\"f1\": 0.5}'",
        &["without the key \"tp\"", "for each class"],
    );
    bad_counts(
        "echo done",
        &["no result: print a line like {\"tp\": 3, \"fp\": 1, \"tn\": 0, \"fn\": 2}"],
    );
    bad_counts(
        "echo '{\"tp\": 1, \"fp\": 0, '",
        &["stdout has a result that is not JSON"],
    );
}

/// Tests that an arm whose documents have nothing to find stays unknown, and the study ends.
#[test]
fn documents_with_nothing_to_find_at_all() {
    let bench = bench(STUDY);
    bench.file(
        "job.sh",
        "echo '{\"tp\": 0, \"fp\": 0, \"tn\": 4, \"fn\": 0}'",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(
        code::DONE,
        &["every document was queried without reaching the confidence"],
    );
    let result = ran.json();
    assert_eq!(result["conclusion"]["reason"], "exhausted");
    let good = arm(&result, "good");
    assert_eq!(
        (&good["evaluations"], &good["counts"]["tn"]),
        (&3.into(), &12.into())
    );
    assert!(good["value"].is_null(), "{good}");
}

/// Tests a study whose evaluations all fail, of different causes, and too seldom in a row for an
/// arm to be retired.
#[test]
fn every_document_fails() {
    let bench = bench(&STUDY.replace("docs.jsonl", "texts/*.txt"));
    bench.file("job.sh", "[ $1 = good ] && exit 1\nexit 2\n");
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(
        code::SHORT,
        &["every document was queried and no evaluation succeeded"],
    );
    assert!(ran.json()["conclusion"]["arm"].is_null());
}
