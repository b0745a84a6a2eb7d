//! Tests of refused commands, variables and paths, with which no job can be started.

use super::{Case, refuse};
use crate::support::{Bench, Running, STUDY, code};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

/// Tests a directory whose name is not UTF-8: jobs, and the ledger, are told of paths as texts.
#[test]
fn a_directory_whose_name_is_not_utf_8() {
    let bench = Bench::with_study(STUDY);
    let directory = bench.path("").join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&directory).unwrap();
    for name in ["study.toml", "score.sh"] {
        fs::copy(bench.path(name), directory.join(name)).unwrap();
    }
    for arguments in [
        &["run", "study.toml"][..],
        &["run", "--check", "study.toml"],
    ] {
        let mut command = bench.command(arguments);
        command.current_dir(&directory);
        let ran = Running::start(command).wait();
        ran.says(
            code::USAGE,
            &["error: study.toml: the path", "is not UTF-8"],
        );
        assert!(!directory.join("study.fiesta").exists());
    }
}

/// Tests texts that no program can be given, and names that would set another variable.
#[test]
fn variables_and_zero_bytes() {
    let of_arm = |env: &'static str, says: &'static [&'static str]| -> Case {
        let study = "name = \"low\"";
        (
            study,
            Box::leak(format!("{study}\nenv = {env}").into_boxed_str()),
            "env = ",
            says,
        )
    };
    refuse(&[
        of_arm(
            "{ \"A=B\" = \"c\" }",
            &["`A=B` is no name of a variable", "write A = "],
        ),
        of_arm("{ \"\" = \"c\" }", &["the name of a variable is empty"]),
        of_arm("{ \"A\\u0000\" = \"c\" }", &["zero byte", "remove it"]),
        of_arm("{ A = \"b\\u0000c\" }", &["the variable A", "zero byte"]),
        of_arm("{ A = { from = \"\" } }", &["the variable A", "empty"]),
        of_arm("{ A = { from = \"B=C\" } }", &["`B=C` is no name"]),
        of_arm(
            "{ A = { form = \"B\" } }",
            &["a text, or { from = \"NAME\" }"],
        ),
        of_arm("{ A = 1 }", &["a text, or { from = \"NAME\" }"]),
        (
            "name = \"low\"",
            "name = \"l\\u0000w\"",
            "name = \"l\\u0000w\"",
            &["`l\\u{0}w` of an arm contains", "control character"],
        ),
        (
            "\"score.sh\"",
            "\"sc\\u0000re.sh\"",
            "command",
            &["zero byte"],
        ),
    ]);
}

#[test]
fn commands() {
    const COMMAND: &str = "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]";
    refuse(&[
        (
            COMMAND,
            "command = [\"sh\", \"{arn}\"]",
            "command",
            &[
                "unknown placeholder {arn}",
                "did you mean {arm}?",
                "{{arn}}",
            ],
        ),
        (
            COMMAND,
            "command = [\"sh\", \"{modle}\"]",
            "command",
            &[
                "unknown placeholder {modle}",
                "known: {arm}, {split}, {seed}",
            ],
        ),
        (
            COMMAND,
            "command = []",
            "command",
            &["the command is empty", "first element is the program"],
        ),
        (
            COMMAND,
            "command = [\"\", \"x\"]",
            "command",
            &["the command is empty"],
        ),
        (
            COMMAND,
            "",
            "name = \"low\"",
            &["the arm `low` has no command", "for all arms at the top"],
        ),
        (
            COMMAND,
            "command = \"sh score.sh\"",
            "command",
            &[
                "a list of its words",
                "write command = [\"sh\", \"score.sh\"]",
            ],
        ),
        (
            "name = \"high\"",
            "name = \"high\"\ncommand = [\"{a}\"]",
            "{a}",
            &["unknown placeholder {a}"],
        ),
    ]);
}

/// Tests that an item's id is data, which a script would run as words.
#[test]
fn foreign_words_in_scripts() {
    let bench = Bench::new();
    bench.file(
        "items.jsonl",
        "{\"id\": \"$(touch stolen)\"}\n{\"id\": \"b; touch stolen\"}\n",
    );
    let study = |command: &str, end: &str| {
        format!(
            "name = \"trial\"\ncommand = [{command}]\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"items.jsonl\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n{end}"
        )
    };
    let score = r#"echo '{\"accuracy\": 0.5}'"#;
    for (command, words) in [
        (
            "\"sh\", \"-c\", \"test {item}; true\"",
            "\"$FIESTA_ITEM_ID\"",
        ),
        ("\"bash\", \"-ec\", \"cat {item_file}\"", "\"$FIESTA_ITEM\""),
        (
            "\"env\", \"python3\", \"-c\", \"x = '{item}'\"",
            "os.environ[\"FIESTA_ITEM_ID\"]",
        ),
    ] {
        bench.file("study.toml", &study(command, ""));
        for flags in [&["--check"][..], &["--dry-run"], &[]] {
            let ran = bench.fiesta(&[&["run", "study.toml"], flags].concat());
            ran.says(
                code::USAGE,
                &["error: study.toml:2: ", "into a script", words],
            );
        }
    }
    // An arm's own command is looked at as well.
    let own = "command = [\"sh\", \"-c\", \"test {item}\"]\n";
    bench.file("study.toml", &study("\"true\", \"{item}\"", own));
    bench
        .fiesta(&["run", "study.toml", "--check"])
        .says(code::USAGE, &["into a script"]);
    // As an argument and as a variable the same id is text.
    let command = format!(
        "\"sh\", \"-c\", \"test \\\"$1\\\" = \\\"$FIESTA_ITEM_ID\\\" && {score}\", \"sh\", \"{{item}}\", \"{{arm}}\", \"{{seed}}\""
    );
    bench.file("study.toml", &study(&command, ""));
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    assert_eq!(ran.code, Some(code::DONE), "{ran:#?}");
    assert!(!bench.path("stolen").exists());
}
