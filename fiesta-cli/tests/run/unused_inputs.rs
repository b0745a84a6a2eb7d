//! Tests of commands that may ignore their inputs: missing placeholders, and scores that never change.

use super::{Bench, STUDY, TWO, code};

fn count(text: &str, words: &str) -> usize {
    text.matches(words).count()
}

#[test]
fn a_check_names_what_a_command_must_read_itself() {
    let bench = Bench::with_study(STUDY);
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    assert!(!ran.stderr.contains("note:"), "{ran:#?}");
    bench.edit(
        "study.toml",
        "\"{arm}\", \"{split}\", \"{seed}\"]",
        "\"high\", \"1\", \"2\"]",
    );
    bench.edit(
        "study.toml",
        "command = ",
        "arm_from = \"environment\"\ncommand = ",
    );
    bench.fiesta(&["run", "study.toml", "--check"]).says(
        code::DONE,
        &["note: the command does not name {arm}, {split}, {seed}: it is assumed to read FIESTA_ARM, FIESTA_SPLIT, FIESTA_SEED from its environment"],
    );
    let (_, json) = bench.json(&["run", "study.toml", "--check"]);
    for trial in json["trials"].as_array().unwrap() {
        assert_eq!(
            trial["unnamed"],
            serde_json::json!(["arm", "split", "seed"])
        );
    }
    // A line for a shell that has the variables, and an arm with a command of its own.
    bench.edit(
        "study.toml",
        "[\"sh\", \"score.sh\", \"high\", \"1\", \"2\"]",
        "[\"sh\", \"-c\", \"sh score.sh $FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED\"]",
    );
    bench.edit(
        "study.toml",
        "name = \"low\"\n",
        "name = \"low\"\ncommand = [\"sh\", \"score.sh\", \"low\", \"{split}\", \"1\"]\n",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(
        code::DONE,
        &["note: the command of low does not name {seed}: it is assumed to read FIESTA_SEED"],
    );
    assert_eq!(count(&ran.stderr, "note:"), 1, "{ran:#?}");
    // On one split, no command need name it.
    bench.edit(
        "study.toml",
        "\"low\", \"{split}\", \"1\"]",
        "\"low\", \"1\", \"{seed}\"]",
    );
    bench.edit("study.toml", "splits = \"shared\"", "splits = \"fixed\"");
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    assert!(!ran.stderr.contains("note:"), "{ran:#?}");
}

#[test]
fn a_study_of_documents_names_them() {
    let bench = Bench::new();
    bench.file("docs.jsonl", "{\"id\": \"d0\"}\n{\"id\": \"d1\"}\n");
    bench.file(
        "job.sh",
        "cat $FIESTA_DOCUMENT > /dev/null; echo '{\"tp\": 1, \"fp\": 0, \"fn\": 1}'\n",
    );
    let study = |command: &str| {
        format!(
            "name = \"trial\"\ncommand = {command}\n[design]\ndocuments = \"docs.jsonl\"\n{TWO}"
        )
    };
    bench.file(
        "study.toml",
        &study("[\"sh\", \"job.sh\", \"{arm}\", \"{seed}\"]"),
    );
    bench.fiesta(&["run", "study.toml", "--check"]).says(
        code::DONE,
        &["note: the command does not name {document}: it is assumed to read FIESTA_DOCUMENT"],
    );
    bench.file(
        "study.toml",
        &study("[\"sh\", \"job.sh\", \"{arm}\", \"{seed}\", \"{document_id}\"]"),
    );
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    assert!(!ran.stderr.contains("note:"), "{ran:#?}");
}

#[test]
fn a_sentence_about_splits_says_what_it_assumes() {
    let bench = Bench::with_study(STUDY);
    bench.edit(
        "study.toml",
        "\"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
        "\"env.sh\"]",
    );
    bench.file(
        "env.sh",
        "sh score.sh $FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED\n",
    );
    let (_, json) = bench.json(&["run", "study.toml"]);
    let sentence = json["conclusion"]["sentence"].as_str().unwrap();
    assert!(
        sentence.ends_with("The command names no split: that it reads FIESTA_SPLIT is assumed."),
        "{sentence}"
    );
    assert!(
        !json["notes"].to_string().contains("exactly the same"),
        "{json}"
    );
    let (stdout, _) = bench.report(&["study.toml"]);
    assert!(stdout.contains(sentence), "{stdout}");
}

/// Tests that scores which never change are pointed out once while the study runs, and in status
/// and report; also over sessions, and never as an error.
#[test]
fn scores_that_never_change_are_pointed_out() {
    let job = "[ $1 = high ] && { echo '{\"accuracy\": 0.75}'; exit; }\nprintf '{\"accuracy\": 0.%03d}\\n' $((100 + ($3 + $2 * 7919) % 800))\n";
    let rest =
        format!("[goal]\nbudget = {{ evaluations = 14 }}\n[design]\npolicy = \"uniform\"\n{TWO}");
    let bench = Bench::with_job(job, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["all 3 evaluations of high have exactly the same accuracy, 0.75: its command may not use its split and its seed"],
    );
    assert_eq!(count(&ran.stderr, "exactly the same"), 1, "{ran:#?}");
    let says = "all 7 evaluations of high have exactly the same accuracy, 0.75";
    let status = bench.fiesta(&["status", "study.toml"]);
    assert!(status.stdout.contains(says), "{status:#?}");
    let (_, json) = bench.json(&["status", "study.toml"]);
    assert_eq!(json["notes"].as_array().unwrap().len(), 1);
    assert!(
        json["notes"][0].as_str().unwrap().starts_with(says),
        "{json}"
    );
    let (_, page) = bench.report(&["study.toml"]);
    assert!(page.contains("evaluations of high have exactly the same accuracy"));
    // Another session does not say it again.
    bench.edit("study.toml", "evaluations = 14", "evaluations = 18");
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &[]);
    assert_eq!(count(&ran.stderr, "exactly the same"), 0, "{ran:#?}");
}
