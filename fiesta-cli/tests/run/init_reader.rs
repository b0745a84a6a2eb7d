//! Tests of `fiesta init` and the Python that reads a script: nothing of the script is run, and
//! whatever the file or that Python is, a study is written that says what is missing.

use super::{Bench, code, python, support::Running};
use std::os::unix::fs::PermissionsExt;

const SCRIPT: &str = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--model', choices=['a', 'b'])\nparser.add_argument('--seed', type=int)\nprint('accuracy:', acc)\n";

/// Writes a program that replaces an installed one for a test.
fn program(bench: &Bench, name: &str, script: &str) {
    let path = bench.file(name, &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn nothing_of_a_script_is_run() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    let harm = "open('ran', 'w')\n";
    bench.file("train.py", &format!("{harm}{SCRIPT}"));
    // What Python would import by itself, or the reader does.
    for name in ["sitecustomize.py", "ast.py", "json.py", "tokenize.py"] {
        bench.file(name, harm);
    }
    for arguments in [
        &["init", "--dry-run", "train.py"][..],
        &["init", "--no-run", "--", "python3", "train.py"],
    ] {
        let mut command = bench.command(arguments);
        command.env("PYTHONPATH", bench.path(""));
        command.env("PYTHONSTARTUP", bench.path("json.py"));
        let ran = Running::start(command).wait();
        ran.tells(code::DONE, &["{arm}", "{seed}"]);
    }
    assert!(!bench.path("ran").exists());
}

#[test]
fn without_a_python_the_study_is_to_be_filled_in() {
    let bench = Bench::new();
    bench.file("train.py", SCRIPT);
    std::fs::create_dir(bench.path("programs")).unwrap();
    let mut command = bench.command(&["init", "train.py"]);
    command.env("PATH", bench.path("programs"));
    let ran = Running::start(command).wait();
    ran.tells(
        code::DONE,
        &[
            "there is no python3 and no python here that could read it",
            "train.py was not read for options; --run-help asks it for them",
            "name: the first candidate",
        ],
    );
}

/// Tests that the Python of the command is tried first, and others if it fails.
#[test]
fn the_python_of_the_command_reads_the_script() {
    let Some(real) = python() else { return };
    let bench = Bench::new();
    bench.file("train.py", SCRIPT);
    std::fs::create_dir_all(bench.path("venv/bin")).unwrap();
    let words = ["init", "--dry-run", "--", "venv/bin/python3.12", "train.py"];
    let says = "command = [\"venv/bin/python3.12\", \"train.py\", \"--model\", \"{arm}\"";
    let own = format!("echo asked >> asked\nexec {real} \"$@\"");
    program(&bench, "venv/bin/python3.12", &own);
    bench.fiesta(&words).tells(code::DONE, &[says]);
    assert_eq!(bench.text("asked"), "asked\n");
    program(&bench, "venv/bin/python3.12", "exit 3");
    bench.fiesta(&words).tells(code::DONE, &[says]);
    program(&bench, "venv/bin/python3.12", "head -c 20000000 /dev/zero");
    bench.fiesta(&words).tells(code::DONE, &[says]);
}

#[test]
fn a_python_that_does_not_end_is_stopped() {
    let bench = Bench::new();
    bench.file("train.py", SCRIPT);
    program(&bench, "python", "trap '' TERM\nsleep 100\nsleep 100");
    let ran = bench.fiesta(&["init", "--", "./python", "train.py"]);
    let problem = "problem      ./python was stopped after 10 s";
    ran.tells(code::DONE, &[problem, "wrote study.toml"]);
}

#[test]
fn a_file_that_is_no_python_is_said_to_be_none() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    let garbage: Vec<u8> = (0..20_000_u32)
        .map(|own| u8::try_from(own * own % 251).unwrap())
        .collect();
    let deep = format!("x = {}{}\n", "[".repeat(50_000), "]".repeat(50_000));
    for (content, says) in [
        (
            &b"import argparse\ndef main(:\n"[..],
            "line 2 is no Python 3.",
        ),
        (&garbage, "problem"),
        (b"# coding: unheard-of\nx = 1\n", "unknown encoding"),
        (b"x = '\0'\n", "problem"),
        (deep.as_bytes(), "problem"),
    ] {
        std::fs::write(bench.path("train.py"), content).unwrap();
        let ran = bench.fiesta(&["init", "--force", "train.py"]);
        ran.tells(code::DONE, &[says, "train.py was not read for options"]);
        let study = bench.text("study.toml");
        assert!(study.contains("<fill in: the first candidate>"), "{study}");
    }
}

#[test]
fn large_files_and_their_encodings_are_read() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    let number = "f".repeat(10_000);
    let text = "five MB\n".repeat(650_000);
    let large = format!("TEXT = '''{text}'''\nNUMBER = -0x{number}\n{SCRIPT}");
    bench.file("train.py", &large);
    let says = "\"--model\", \"{arm}\", \"--seed\", \"{seed}\"]";
    let ran = bench.fiesta(&["init", "--dry-run", "train.py"]);
    ran.tells(code::DONE, &[says]);
    let mut latin = b"# -*- coding: latin-1 -*-\n# \xe9\n".to_vec();
    latin.extend(SCRIPT.as_bytes());
    std::fs::write(bench.path("train.py"), latin).unwrap();
    let ran = bench.fiesta(&["init", "--dry-run", "train.py"]);
    ran.tells(code::DONE, &[says]);
}

/// Tests that options are read as each Python library declares them, in every form of line.
#[test]
fn options_of_libraries() {
    let Some(_) = python() else { return };
    let prints = "print(f'Test accuracy: {acc:.2%}')\n";
    let pattern = "pattern = 'Test accuracy: ([0-9.]+)%'";
    for (script, command, arms) in [
        (
            "import typer\nfrom enum import Enum\nclass Model(str, Enum):\n    A = 'gru'\n    B = 'cnn'\napp = typer.Typer()\n@app.command()\ndef main(model: Model, seed: int = 0, fast: bool = False):\n    pass\n",
            "\"{arm}\", \"--seed\", \"{seed}\"]",
            ["gru", "cnn"],
        ),
        (
            "import fire\nMODELS = dict(gru=1, cnn=2)\ndef main(model='gru', seed=0):\n    MODELS[model]\nfire.Fire(main)\n",
            "\"--model\", \"{arm}\", \"--seed\", \"{seed}\"]",
            ["gru", "cnn"],
        ),
        (
            "from absl import flags\nflags.DEFINE_enum('model', 'gru', ['gru', 'cnn'], 'which')\nflags.DEFINE_integer('seed', 0, '')\n",
            "\"--model\", \"{arm}\", \"--seed\", \"{seed}\"]",
            ["gru", "cnn"],
        ),
        (
            "import tyro\nfrom dataclasses import dataclass, field\nfrom typing import Literal\n@dataclass\nclass Config:\n    model_name: Literal['gru', 'cnn'] = 'gru'\n    seed: int = field(default=0)\nconfig = tyro.cli(Config)\n",
            "\"--model-name\", \"{arm}\", \"--seed\", \"{seed}\"]",
            ["gru", "cnn"],
        ),
        (
            "\"\"\"Usage: train.py [options]\n\nOptions:\n  --model NAME   one of gru, cnn\n  --seed N       seed [default: 1]\n\"\"\"\nfrom docopt import docopt\nargs = docopt(__doc__)\n",
            "\"--model\", \"{arm}\", \"--seed\", \"{seed}\"]",
            ["gru", "cnn"],
        ),
        (
            "import argparse\nparser = argparse.ArgumentParser()\ngroup = parser.add_argument_group('model')\ngroup.add_argument('--model', default='gru')\nargs = parser.parse_args()\nif args.model.lower() == 'gru': pass\nelif 'cnn' == args.model: pass\n",
            "\"--model\", \"{arm}\"]",
            ["gru", "cnn"],
        ),
    ] {
        let bench = Bench::new();
        bench.file("train.py", &format!("{script}{prints}"));
        let ran = bench.fiesta(&["init", "--dry-run", "train.py"]);
        let arms = format!("name = \"{}\"\n[[arm]]\nname = \"{}\"", arms[0], arms[1]);
        ran.tells(code::DONE, &[command, &arms, pattern]);
    }
}

#[test]
fn lines_of_each_form() {
    let Some(_) = python() else { return };
    for (print, pattern) in [
        (
            "print('Test accuracy', acc, sep=': ')",
            "Test accuracy: ([0-9.]+)",
        ),
        (
            "print('Test accuracy: %.2f%%' % acc)",
            "Test accuracy: ([0-9.]+)%",
        ),
        (
            "print('Test accuracy: ' + str(acc) + '%')",
            "Test accuracy: ([0-9.]+)%",
        ),
        (
            "print('Test accuracy: {acc:.1%}'.format(acc=acc))",
            "Test accuracy: ([0-9.]+)%",
        ),
        (
            "logging.info('Test accuracy: %s', acc)",
            "Test accuracy: ([0-9.]+)",
        ),
        (
            "line = f'Test accuracy: {acc}'\nprint(line)",
            "Test accuracy: ([0-9.]+)",
        ),
        ("print(f'test {acc = :.3f}')", "test acc = ([0-9.]+)"),
    ] {
        let bench = Bench::new();
        bench.file("train.py", &format!("{print}\n"));
        let ran = bench.fiesta(&["init", "--dry-run", "train.py"]);
        ran.tells(code::DONE, &[&format!("pattern = '{pattern}'")]);
    }
}
