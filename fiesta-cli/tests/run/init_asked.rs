//! Tests of `fiesta init` with programs that are not in Python: their `--help` is run only if the user agrees.

use super::{
    Bench, code,
    support::{is_alive, skipped, until},
};
use rustix::process::Signal;
use std::{
    io::Write,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

const TOOL: &str = "#!/bin/sh\necho ran >> log\n[ \"$1\" = --help ] || exit 3\necho 'options:'\necho '  -m, --model {svm,tree}   which'\necho '      --seed INT  [default: 1]'\n";

fn with_tool(script: &str) -> Bench {
    let bench = Bench::new();
    let path = bench.file("tool", script);
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    bench
}

/// Tests that scripts of a shell and of R are not read, and that what cannot be known is marked.
#[test]
fn a_shell_script_is_not_read() {
    let bench = Bench::new();
    bench.file(
        "run.sh",
        "model=$1\ncase \"$model\" in\n  small) base=6 ;;\n  large) base=9 ;;\nesac\necho \"Dev BLEU = $base\"\n",
    );
    let ran = bench.fiesta(&["init", "run.sh"]);
    ran.tells(
        code::DONE,
        &[
            "run.sh was not read for options; --run-help asks it for them",
            "no line is known that prints one; --evaluate runs the command once",
        ],
    );
    let study = bench.text("study.toml");
    let says = "put {arm} where it is named, or let the script read FIESTA_ARM";
    assert!(study.contains(says), "{study}");
}

/// Tests options that the command names as flags or, as for `make` too, as `key=value`.
#[test]
fn options_that_the_command_gives_are_known() {
    let bench = with_tool(TOOL);
    for (words, command) in [
        (
            &["./tool", "model=svm", "epochs=5", "seed=3"][..],
            "[\"./tool\", \"epochs=5\", \"model={arm}\", \"seed={seed}\"]",
        ),
        (
            &["./tool", "target", "MODEL=svm", "SEED=1"],
            "[\"./tool\", \"target\", \"MODEL={arm}\", \"SEED={seed}\"]",
        ),
        (
            &["./tool", "--model", "svm", "--seed=3", "--epochs", "5"],
            "[\"./tool\", \"--epochs\", \"5\", \"--model\", \"{arm}\", \"--seed={seed}\"]",
        ),
    ] {
        let ran = bench.fiesta(&[&["init", "--dry-run", "--"], words].concat());
        ran.tells(
            code::DONE,
            &[&format!("command = {command}"), "name = \"svm\""],
        );
    }
    assert_eq!(bench.text("log"), "", "nothing is run unasked");
}

#[test]
fn a_program_without_help_leaves_marks() {
    let bench = with_tool("#!/bin/sh\necho no such option >&2\nexit 2\n");
    let ran = bench.fiesta(&["init", "--run-help", "./tool"]);
    ran.tells(
        code::DONE,
        &[
            "problem      `./tool --help` ended with exit status: 2: no such option",
            "still to be filled in",
        ],
    );
}

#[test]
fn one_evaluation_shows_the_score() {
    let bench = with_tool(
        "#!/bin/sh\necho \"$@\" >> log\necho epoch 1: val acc 61.5\necho \"Test accuracy: 81.87\" >&2\n[ \"$2\" = svm ]\n",
    );
    let words = [
        "init",
        "--evaluate",
        "--",
        "./tool",
        "--model",
        "svm",
        "--seed",
        "7",
    ];
    let ran = bench.fiesta(&words);
    ran.tells(
        code::DONE,
        &[
            "running one evaluation, for 10 min at most: ./tool --model svm --seed 1",
            "the evaluation prints \"Test accuracy: 81.87\": pattern Test accuracy: ([0-9.]+), a percentage",
        ],
    );
    assert_eq!(bench.text("log"), "--model svm --seed 1\n");
    let study = bench.text("study.toml");
    assert!(study.contains("percent = true"), "{study}");
    assert!(study.contains("'Test accuracy: ([0-9.]+)'"), "{study}");
    // One that fails tells nothing, and the study is written all the same.
    let words = [
        "init",
        "--force",
        "--evaluate",
        "--",
        "./tool",
        "--model",
        "tree",
    ];
    let ran = bench.fiesta(&words);
    ran.tells(
        code::DONE,
        &[
            "the evaluation told no score: it ended with exit status: 1",
            "pattern: what is printed beside the score",
        ],
    );
    let ran = bench.fiesta(&["init", "--force", "--evaluate", "./tool"]);
    ran.tells(code::DONE, &["running one evaluation", "./tool\n"]);
}

/// Tests that a placeholder in the name of a candidate is kept as a part of this name.
#[test]
fn placeholders_are_filled_once() {
    let bench = with_tool("#!/bin/sh\necho \"$@\" >> log\necho accuracy: 0.5\n");
    let words = ["./tool", "--model", "a{split}", "--seed", "7"];
    let ran = bench.fiesta(&[&["init", "--evaluate", "--dry-run", "--"], &words[..]].concat());
    ran.tells(code::DONE, &["running one evaluation"]);
    assert_eq!(bench.text("log"), "--model a{split} --seed 1\n");
}

#[test]
fn who_will_not_run_anything_is_not_asked() {
    let bench = with_tool(TOOL);
    bench
        .fiesta(&["init", "--no-run", "--run-help", "./tool"])
        .tells(code::USAGE, &["--no-run", "cannot be used with"]);
    bench
        .fiesta(&["init", "--no-run", "./tool"])
        .tells(code::DONE, &["still to be filled in"]);
    assert_eq!(bench.text("log"), "");
}

/// Tests that the user is asked on a terminal, and learns what is run.
#[test]
fn a_user_at_a_terminal_is_asked() {
    for (answer, log, says) in [
        ("y\n", "ran\n", "{arm}: svm, tree"),
        ("\n", "", "wrote study.toml"),
    ] {
        let bench = with_tool(TOOL);
        let line = format!("{} init ./tool", env!("CARGO_BIN_EXE_fiesta"));
        let started = Command::new("script")
            .args(["-q", "-e", "-c", &line, "/dev/null"])
            .current_dir(bench.path(""))
            .env("TERM", "xterm-256color")
            .env("COLUMNS", "200")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = started else {
            return skipped("there is no `script`");
        };
        let mut input = child.stdin.take().unwrap();
        input.write_all(answer.as_bytes()).unwrap();
        let ran = child.wait_with_output().unwrap();
        drop(input);
        let shown = String::from_utf8_lossy(&ran.stdout);
        let question = "Run `./tool --help` to read them? [y/N]";
        assert!(shown.contains(question) && shown.contains(says), "{shown}");
        assert_eq!(bench.text("log"), log, "{shown}");
    }
}

/// Tests that an interrupt ends an evaluation and its processes, and no study is written.
#[test]
fn an_evaluation_is_interrupted() {
    let bench = with_tool("#!/bin/sh\nsleep 77 &\necho $! > begun\nwait\n");
    let words = ["init", "--evaluate", "--", "./tool", "--model", "svm"];
    let running = bench.start(&words);
    until("it runs", || bench.text("begun").ends_with('\n'));
    let child = bench.text("begun");
    running.signal(Signal::INT);
    let says = ["interrupted: no study was written"];
    running.wait().says(code::INTERRUPTED, &says);
    until("nothing is left", || !is_alive(child.trim()));
    assert!(!bench.path("study.toml").exists());
}
