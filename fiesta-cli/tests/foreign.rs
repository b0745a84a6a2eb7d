//! Tests of foreign text that reaches a terminal: every verb on a study whose foreign texts are all
//! hostile, through pipes and on a terminal; and a check that the program prints only in the one
//! place that makes texts harmless.

mod support;

use fiesta::is_hidden;
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use support::{Bench, Ran, Running, STUDY, code, skipped};

/// Text that forges a line, clears a terminal, rings, changes colours and reverses the text.
const HOSTILE: &str =
    "\n  FORGED 0.99\r\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\u{2028}\u{7f}x";

/// Hostile text without control characters, which names of arms may not contain.
const TURNED: &str = "\u{202e}\u{2066}\u{200b}";

/// Script of a job that fails with a hostile reason for some seeds, prints hostile noise, and reports results with hostile keys.
const JOB: &str = r#"
printf 'NOISE\033[2J\007\342\200\256\302\233\r\n' >&2
case $1 in high*) base=8 ;; *) base=5 ;; esac
n=$(($2 % 10))
if [ $n = 3 ]; then
    printf '{"error": "bad\\n  FORGED\\u001b[2J\\u202e\\u009b"}\n'
    exit 1
fi
printf '{"accuracy": 0.%d%d, "note\\n  FORGED\\u001b[2J": "\\n  FORGED\\u001b[2J\\u202e"}\n' $base $n
"#;

fn hostile_study() -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", JOB);
    let line = |number: usize| json!({ "id": format!("q{number}{HOSTILE}"), "kind": format!("k{}{TURNED}", number % 2) });
    let lines: Vec<String> = (0..24).map(|number| line(number).to_string()).collect();
    bench.file("items.jsonl", &lines.join("\n"));
    let name = |name: &str| json!(format!("{name}{TURNED}"));
    bench.file(
        "study.toml",
        &format!(
            "name = \"hostile\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{seed}}\", \"{{item}}\"]\n\
             [metric]\nname = \"accuracy\"\n[design]\nitems = \"items.jsonl\"\nstrata = \"kind\"\nseed = 1\n\
             [goal]\nbudget = {{ evaluations = 40 }}\n[resources]\nretries = 0\n\
             [[arm]]\nname = {}\n[[arm]]\nname = {}\n",
            name("high"),
            name("low")
        ),
    );
    bench
}

/// Checks that a text has no control characters but line breaks, no invisible characters, and no
/// forged lines.
#[track_caller]
fn is_harmless(what: &str, text: &str) {
    let odd = text.chars().find(|&c| is_hidden(c) && c != '\n');
    assert_eq!(odd, None, "{what} prints {odd:?}:\n{text:?}");
    let forged = text.lines().find(|line| line.trim().starts_with("FORGED"));
    assert_eq!(forged, None, "{what}:\n{text}");
}

#[track_caller]
fn both_are_harmless(what: &str, ran: &Ran) {
    is_harmless(what, &ran.stdout);
    is_harmless(what, &ran.stderr);
}

#[test]
fn nothing_of_others_reaches_whoever_reads() {
    let bench = hostile_study();
    for arguments in [
        &["run", "study.toml", "--dry-run"][..],
        &["run", "study.toml", "--dry-run", "--format", "json"],
        &["run", "study.toml", "--check"],
        &["run", "study.toml", "--check", "--format", "json"],
        &["run", "study.toml", "--verbose"],
        &["run", "study.toml"],
        &["status", "study.toml"],
        &["status", "study.toml", "--format", "json"],
        &["slots", "study.toml"],
        &["log", "study.toml", "1", "--format", "json"],
        &["belief", "study.toml"],
        &["belief", "study.toml", "--format", "json"],
        &["report", "study.toml", "-o", "out", "--formats", "svg"],
        &["export", "study.toml", "-o", "rows.csv"],
        &["belief", "rows.csv"],
        &["curve", "rows.csv"],
        &["simulate", "rows.csv"],
        &["plan", "rows.csv"],
    ] {
        both_are_harmless(&arguments.join(" "), &bench.fiesta(arguments));
    }
    let status = bench.fiesta(&["status", "study.toml"]);
    status.tells(code::DONE, &["failed", "q"]);
    // What an evaluation printed stays as it is; all before it is FIESTA's.
    for number in 1..40 {
        let log = bench.fiesta(&["log", "study.toml", &number.to_string()]);
        assert_eq!(log.code, Some(code::DONE), "{log:?}");
        let (heading, printed) = log.stdout.split_once("--- ").unwrap();
        is_harmless("log", heading);
        assert!(heading.contains("\\n  FORGED"), "{heading}");
        assert!(printed.contains("\u{1b}[2J\u{7}\u{202e}"), "{printed:?}");
    }
}

#[test]
fn errors_quote_harmlessly() {
    let bench = hostile_study();
    let items = bench.text("items.jsonl");
    let first = items.lines().next().unwrap().to_owned();
    let forged = format!("accuracy{HOSTILE}");
    let file = format!("none{HOSTILE}.csv");
    bench.file("twice.jsonl", &[&*first, &*first].join("\n"));
    bench.file("no_id.jsonl", &json!({ "id": [HOSTILE] }).to_string());
    bench.file(
        "scores.csv",
        "arm,score\n\"a\u{1b}[2J\n  FORGED\",0.5\n\"b\u{202e}\",x\u{202e}\n",
    );
    bench.file("hostile.toml", "name = \"\u{202e}\u{1b}[2J\n");
    bench.file("unknown.toml", "\"na\u{202e}me\\n  FORGED\" = 1\n");
    let study = bench.text("study.toml");
    for (name, items) in [("twice", "twice.jsonl"), ("no_id", "no_id.jsonl")] {
        bench.file(
            &format!("{name}.toml"),
            &study.replace("items.jsonl", items),
        );
    }
    let broken = json!("high\n  FORGED\u{1b}[2J").to_string();
    bench.file(
        "control.toml",
        &study.replace(&json!(format!("high{TURNED}")).to_string(), &broken),
    );
    for arguments in [
        &["run", "twice.toml"][..],
        &["run", "no_id.toml"],
        &["run", "control.toml"],
        &["run", "hostile.toml"],
        &["run", "unknown.toml"],
        &["belief", "scores.csv"],
        &["belief", &file],
        &["belief", "scores.csv", "--metric", &forged],
        &[
            "report",
            "scores.csv",
            "--metric",
            &forged,
            "--formats",
            "svg",
        ],
        &["import", &forged, "scores.csv"],
        &[&forged],
        &["run", &file],
        &["status", "study.toml", &format!("--{forged}")],
        &["log", "study.toml", &forged],
    ] {
        let ran = bench.fiesta(arguments);
        assert_eq!(ran.code, Some(code::USAGE), "{arguments:?}: {ran:#?}");
        assert!(!ran.stderr.is_empty());
        let odd = ran.stderr.chars().find(|&c| is_hidden(c) && c != '\n');
        assert_eq!(odd, None, "{arguments:?} prints {odd:?}:\n{:?}", ran.stderr);
        // Of a file that somebody else wrote, and not of what was typed or stands in the study file.
        let is_typed = arguments.iter().any(|word| word.contains("FORGED"));
        if !is_typed && arguments[1] != "unknown.toml" {
            is_harmless(&arguments.join(" "), &ran.stderr);
        }
    }
    bench
        .fiesta(&["run", "control.toml"])
        .says(code::USAGE, &["control character", "\\n  FORGED"]);
}

/// Tests that foreign texts in options of a script, and in its `--help`, are harmless.
#[test]
fn a_proposed_study_is_harmless() {
    let bench = Bench::new();
    bench.file(
        "train.py",
        "import argparse\nparser = argparse.ArgumentParser()\n\
         parser.add_argument(\"--model\", choices=[\"a\\n  FORGED\\x1b[2J\", \"b\\u202e\", \"c\\x7f'\"])\n\
         parser.add_argument(\"--seed\\n  FORGED\\x1b[2J\", type=int)\n\
         parser.add_argument(\"--seed\", type=int)\nargs = parser.parse_args()\n\
         print(f\"acc\\n  FORGED\\x1b[2J: {0.5}\")\n",
    );
    for arguments in [
        &["init", "train.py", "--dry-run"][..],
        &["init", "train.py"],
    ] {
        both_are_harmless(&arguments.join(" "), &bench.fiesta(arguments));
    }
    let study = bench.text("study.toml");
    is_harmless("the study file", &study);
    // A file that can be read, with the names that were found.
    let checked = bench.fiesta(&["run", "study.toml", "--dry-run"]);
    let error = &checked.stderr;
    assert!(
        !error.contains("TOML") && !error.contains("expected"),
        "{error}"
    );
}

/// Runs the program on a terminal of its own, and returns the output on this terminal. `None` if
/// the program `script` is missing.
fn on_a_terminal(bench: &Bench, arguments: &[&str]) -> Option<String> {
    let words = [&[env!("CARGO_BIN_EXE_fiesta")], arguments].concat();
    let ran = Command::new("script")
        .args(["-q", "-e", "-c", &words.join(" "), "/dev/null"])
        .current_dir(bench.path(""))
        .env("TERM", "xterm-256color")
        .env("COLUMNS", "200")
        .stdin(Stdio::null())
        .output();
    match ran {
        Ok(ran) => {
            let shown = String::from_utf8(ran.stdout).expect("only text is printed");
            assert_ne!(
                ran.status.code(),
                Some(code::USAGE),
                "{arguments:?}: {shown}"
            );
            Some(shown)
        }
        Err(error) => {
            skipped(format!("there is no `script`: {error}"));
            None
        }
    }
}

#[test]
fn a_terminal_gets_nothing_of_others_but_text() {
    let bench = hostile_study();
    for arguments in [
        &["run", "study.toml", "--dry-run"][..],
        &["run", "study.toml", "--check"],
        &["run", "study.toml"],
        &["status", "study.toml"],
        &["log", "study.toml", "1"],
        &["log", "study.toml", "1", "--stderr"],
        &["export", "study.toml"],
    ] {
        let Some(shown) = on_a_terminal(&bench, arguments) else {
            return;
        };
        assert!(
            shown.len() > 100 || arguments.len() > 3,
            "{arguments:?}: {shown}"
        );
        for harm in [
            "\u{1b}[2J",
            "\u{1b}]",
            "\u{7}",
            "\u{9b}",
            "\u{202e}",
            "\u{7f}",
        ] {
            assert!(
                !shown.contains(harm),
                "{arguments:?} prints {harm:?}:\n{shown:?}"
            );
        }
        // The live display returns to the beginning of a line to draw it anew.
        let mut lines = shown.split(['\n', '\r']).map(console_text);
        let is_data = arguments[0] == "export";
        let forged = lines.find(|line| line.trim().starts_with("FORGED"));
        assert!(is_data || forged.is_none(), "{arguments:?}: {shown}");
    }
}

/// Returns a line without the control sequences that FIESTA itself sends to a terminal.
fn console_text(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        text.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || ";?".contains(c));
        rest = rest.get(1..).unwrap_or_default();
    }
    text + rest
}

/// Collects the source files of a crate.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Files that may print: the one place of the program, the displays that draw harmless texts, and
/// the processes that write to the logs of runs.
const PRINTS: [&str; 7] = [
    "fiesta-cli/src/output.rs",
    // Draws names and messages that are harmless: `area` and bars of indicatif.
    "fiesta-cli/src/display/live.rs",
    "fiesta-cli/src/waiting.rs",
    // Ask whether there is a terminal, and how wide it is.
    "fiesta-cli/src/display/mod.rs",
    "fiesta-cli/src/display/screen.rs",
    // To the supervisor's log, which `fiesta log` prints.
    "fiesta-runner/src/supervisor/mod.rs",
    "fiesta-runner/src/bin/fiesta-supervisor.rs",
];

/// Patterns of code that prints to a terminal.
const WAYS: [&str; 10] = [
    "error.print()",
    "print!(",
    "println!(",
    "dbg!(",
    "stdout()",
    "stderr()",
    "/dev/tty",
    "MultiProgress",
    "ProgressBar",
    "/dev/std",
];

#[test]
fn nothing_is_printed_beside_the_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in [
        "cli",
        "core",
        "policies",
        "posterior",
        "records",
        "report",
        "runner",
    ] {
        sources(&root.join(format!("fiesta-{name}/src")), &mut files);
    }
    assert!(files.len() > 300, "{}", files.len());
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.strip_prefix(root).unwrap().to_str().unwrap();
        let is_test = name.ends_with("tests.rs") || name.contains("/tests/");
        if is_test || PRINTS.contains(&name) {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in (1..).zip(code.lines()) {
            let is_comment = line.trim_start().starts_with("//");
            // A run's directory has files of these names.
            let is_file = [".stdout()", ".stderr()", "use_stderr()"]
                .iter()
                .any(|own| line.contains(own));
            if !is_comment && !is_file && WAYS.iter().any(|way| line.contains(way)) {
                wrong.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "print through output.rs:\n{}",
        wrong.join("\n")
    );
}

/// Tests that no query in another person's ledger is run when the ledger is read.
#[test]
fn a_ledger_of_others_runs_no_query() {
    let bench = Bench::with_study(STUDY);
    bench.fiesta(&["run", "study.toml"]).tells(code::DONE, &[]);
    let ledger = rusqlite::Connection::open(bench.path("study.fiesta/ledger.db")).unwrap();
    ledger
        .execute_batch(
            "ALTER TABLE entry RENAME TO true_entry;
             CREATE VIEW entry AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
             SELECT true_entry.* FROM true_entry JOIN n ON n.i < 0;",
        )
        .unwrap();
    drop(ledger);
    for verb in ["status", "export", "run"] {
        let ran = bench.fiesta(&[verb, "study.toml"]);
        assert_eq!(ran.code, Some(code::USAGE), "{verb}: {ran:#?}");
    }
}

/// Tests that nested data is read, or refused, on a stack of 64 KiB.
#[test]
fn nested_data_needs_no_larger_stack_than_there_is() {
    let deep = |depth: usize| format!("{}0.5{}", "[".repeat(depth), "]".repeat(depth));
    let bench = Bench::new();
    bench.file(
        "scores.jsonl",
        &format!(
            "{{\"arm\": \"a\", \"score\": 0.5, \"x\": {}}}\n{{\"arm\": \"b\", \"score\": 0.4}}\n",
            deep(120)
        ),
    );
    bench.file("deep.json", &deep(100_000));
    bench.file(
        "job.sh",
        &format!(
            "echo '{{\"accuracy\": 0.5, \"x\": {}}}'\necho '{}' >&2\n",
            deep(100),
            deep(1000)
        ),
    );
    bench.file(
        "study.toml",
        "name = \"deep\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{split}\", \"{seed}\"]\n[metric]\nname = \"accuracy\"\n\
         [goal]\nbudget = { evaluations = 4 }\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n",
    );
    bench.file("nested.toml", &format!("name = {}\n", deep(100_000)));
    bench.file(
        "nested.py",
        &format!("import argparse\nx = {}\n", deep(100_000)),
    );
    bench.file(
        "pattern.toml",
        &format!(
            "[metric]\nname = \"a\"\npattern = \"{}{}\"\n",
            "(".repeat(10_000),
            ")".repeat(10_000)
        ),
    );
    for arguments in [
        &["belief", "scores.jsonl"][..],
        &["belief", "deep.json"],
        &["run", "nested.toml"],
        &["run", "pattern.toml"],
        &["init", "nested.py", "--dry-run"],
        &["run", "study.toml"],
        &["status", "study.toml", "--format", "json"],
        &["log", "study.toml", "1"],
    ] {
        let own = bench.command(arguments);
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -S -s 64; exec \"$@\"", "sh"])
            .arg(own.get_program())
            .args(own.get_args())
            .current_dir(bench.path(""));
        let ran = Running::start(command).wait();
        // By a signal there is no code.
        assert!(ran.code.is_some(), "{arguments:?}: {ran:#?}");
    }
    let rows = bench.fiesta(&["export", "study.toml"]);
    assert_eq!(rows.stdout.lines().count(), 5, "{rows:?}");
}
