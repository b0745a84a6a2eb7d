//! Tests of `[worker]` tables that are refused before anything is run.

use super::support::{Bench, code};

const STUDY: &str = "name = \"trial\"
[metric]
name = \"accuracy\"
[worker]
command = [\"sh\", \"worker.sh\"]
concurrency = 2
[[arm]]
name = \"low\"
[[arm]]
name = \"high\"
";

#[track_caller]
fn refuse(from: &str, to: &str, at: &str, says: &[&str]) {
    assert_eq!(STUDY.matches(from).count(), 1, "{from}");
    let study = STUDY.replace(from, to);
    let line = study.lines().position(|line| line.contains(at)).unwrap() + 1;
    let bench = Bench::with_study(&study);
    let ran = bench.fiesta(&["run", "study.toml"]);
    let place = format!("error: study.toml:{line}: ");
    ran.says(code::USAGE, &[&[place.as_str()], says].concat());
    assert!(!bench.path("study.fiesta").exists());
}

#[test]
fn rates() {
    for rate in ["fast", "10", "0/s", "-1/min", "10/fortnight", "1e99/s"] {
        let to = format!("rate_limit = \"{rate}\"");
        let says = format!("rate_limit: `{rate}` is no rate");
        refuse("concurrency = 2", &to, "rate_limit", &[&says, "\"60/min\""]);
    }
}

#[test]
fn numbers_and_times() {
    let changed = |to: &str, says: &[&str]| refuse("concurrency = 2", to, to, says);
    changed("concurrency = 0", &["concurrency must be at least 1"]);
    changed("processes = 0", &["processes must be at least 1"]);
    changed("cost = -0.5", &["must be a number from zero"]);
    changed("cost = nan", &["must be a number from zero"]);
    changed(
        "start_timeout = \"soon\"",
        &["start_timeout = \"soon\" is no duration"],
    );
    changed("start_timeout = \"0s\"", &["longer than zero"]);
    changed(
        "concurency = 2",
        &["unknown key `concurency`", "did you mean `concurrency`?"],
    );
}

#[test]
fn commands() {
    refuse(
        "name = \"trial\"",
        "name = \"trial\"\ncommand = [\"sh\", \"score.sh\"]",
        "score.sh",
        &[
            "a command for each case and a [worker]",
            "leave one of the two out",
        ],
    );
    refuse(
        "command = [\"sh\", \"worker.sh\"]\n",
        "",
        "[worker]",
        &["the [worker] has no command"],
    );
    refuse(
        "[\"sh\", \"worker.sh\"]",
        "[]",
        "command = []",
        &["the command is empty"],
    );
    refuse(
        "[\"sh\", \"worker.sh\"]\nconcurrency = 2\n[[arm]]\nname = \"low\"",
        "[\"sh\", \"worker.sh\"]\n[[arm]]\nname = \"low\"\ncommand = [\"sh\", \"{seed}\"]",
        "{seed}",
        &["{seed} is another one for each case", "{arm} alone"],
    );
    for (word, says) in [
        ("split", "{split} is another one for each case"),
        (
            "document",
            "unknown placeholder {document} in the worker's command",
        ),
        (
            "model",
            "unknown placeholder {model} in the worker's command",
        ),
    ] {
        let to = format!("\"{{{word}}}\"]");
        refuse("\"worker.sh\"]", &to, word, &[says, "{arm} alone"]);
    }
}

/// Tests that keys for processes of single cases are refused for a worker, which ignores them.
#[test]
fn keys_of_commands() {
    refuse(
        "[[arm]]\nname = \"low\"",
        "[resources]\nsilence = \"5m\"\n[[arm]]\nname = \"low\"",
        "silence",
        &[
            "silence is of a command's output",
            "leave it out",
            "[resources] timeout",
        ],
    );
    refuse(
        "name = \"accuracy\"",
        "name = \"accuracy\"\nexit_codes = [0, 3]",
        "exit_codes",
        &[
            "exit_codes is of a command for each case",
            "leave it out",
            "\"error\"",
        ],
    );
}
