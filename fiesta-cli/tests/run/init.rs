//! Tests of `fiesta init`: from a script to a study that runs.

use super::{Bench, code, python};

const ARGPARSE: &str = r#"import argparse, random
MODELS = {"lstm": 0.9, "gru": 0.6, "cnn": 0.5}
parser = argparse.ArgumentParser()
parser.add_argument("-m", "--model", choices=sorted(MODELS), default="lstm")  # (a bracket
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--quiet", action="store_true")
args = parser.parse_args()
random.seed(args.seed)
acc = MODELS[args.model] + random.gauss(0, 0.01)
print(f"epoch {1}: train acc {0.99:.2f}")
print("Test accuracy: {:.2f}%".format(100 * acc))
"#;

#[test]
fn three_commands_from_a_script_to_a_winner() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file("train.py", ARGPARSE);
    bench.fiesta(&["init", "train.py"]).tells(
        code::DONE,
        &[
            "{arm}: lstm, gru, cnn",
            "--seed       {seed}",
            "'Test accuracy: ([0-9.]+)%'".trim_matches('\''),
            "next: fiesta run study.toml --check",
        ],
    );
    let checked = bench.fiesta(&["run", "study.toml", "--check"]);
    checked.tells(
        code::DONE,
        &["the score was read from the line: Test accuracy: "],
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.tells(code::DONE, &["lstm is the best of 3 arms by accuracy"]);
    // What was begun is not replaced, forced or not.
    bench
        .fiesta(&["init", "train.py"])
        .tells(code::USAGE, &["is there already", "--force"]);
    let forced = bench.fiesta(&["init", "train.py", "--force"]);
    forced.tells(
        code::USAGE,
        &["belongs to a study that was begun", "study.fiesta"],
    );
}

#[test]
fn without_a_name_the_one_script_is_taken_and_checked() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench
        .fiesta(&["init"])
        .tells(code::USAGE, &["name the script"]);
    bench.file("train.py", ARGPARSE);
    let ran = bench.fiesta(&["init", "--check", "-o", "other.toml"]);
    ran.tells(
        code::DONE,
        &[
            "wrote other.toml",
            "the study ends at the first of: 95 % sure",
        ],
    );
    bench.file("main.py", ARGPARSE);
    bench
        .fiesta(&["init"])
        .tells(code::USAGE, &["train.py, main.py"]);
}

#[test]
fn options_that_are_given_stay_and_the_model_becomes_the_first_arm() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file("train.py", ARGPARSE);
    let ran = bench.fiesta(&[
        "init",
        "--dry-run",
        "--",
        "uv",
        "run",
        "train.py",
        "--model",
        "gru",
        "--quiet",
    ]);
    let command = "command = [\"uv\", \"run\", \"train.py\", \"--quiet\", \"--model\", \"{arm}\", \"--seed\", \"{seed}\"]";
    ran.tells(
        code::DONE,
        &[command, "name = \"gru\"\n[[arm]]\nname = \"lstm\""],
    );
    assert!(!bench.path("study.toml").exists());
}

#[test]
fn what_is_not_known_is_refused_until_it_is_filled_in() {
    let bench = Bench::new();
    bench.file("job.sh", "echo hello $1\n");
    let ran = bench.fiesta(&["init", "job.sh"]);
    ran.tells(
        code::DONE,
        &["still to be filled in", "name: the first candidate"],
    );
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::USAGE,
        &[
            "study.toml:",
            "this line is still to be filled in: what is printed beside the score",
        ],
    );
}

/// Tests a click application whose logs are on stderr with colours, and whose folds are splits.
#[test]
fn folds_are_splits_and_logs_are_read() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "train.py",
        r#"import logging, click
log = logging.getLogger()
@click.command()
@click.option("--arch", type=click.Choice(["a", "b"]))
@click.option("--fold", type=int, default=0)
@click.option("--n-folds", type=int, default=5)
@click.option("--verbose/--quiet", default=False)
def main(arch, fold, n_folds, verbose):
    log.info("\x1b[32mTest macro F1\x1b[0m = %.4f", score)
"#,
    );
    let ran = bench.fiesta(&["init", "--dry-run", "train.py"]);
    ran.tells(
        code::DONE,
        &[
            "[\"--arch\", \"{arm}\", \"--fold\", \"{split}\"]".trim_matches(['[', ']']),
            "splits   = 5",
            "name    = \"macro_f1\"",
            "pattern = 'Test macro F1 = ([0-9.]+)'",
        ],
    );
}

/// Tests overrides in the manner of Hydra, whose groups are arms.
#[test]
fn groups_of_hydra_are_arms() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("conf/model")).unwrap();
    bench.file(
        "conf/config.yaml",
        "defaults:\n  - model: mlp\n  - _self_\nseed: 1\n",
    );
    bench.file("conf/model/mlp.yaml", "");
    bench.file("conf/model/resnet.yaml", "");
    bench.file(
        "main.py",
        "import hydra\n@hydra.main(config_path=\"conf\", config_name=\"config\")\ndef main(cfg):\n    print(\"val/acc:\", acc)\n",
    );
    let ran = bench.fiesta(&["init", "--dry-run", "main.py"]);
    ran.tells(
        code::DONE,
        &[
            "\"model={arm}\", \"seed={seed}\"",
            "name = \"mlp\"\n[[arm]]\nname = \"resnet\"",
            "pattern = 'val/acc: ([0-9.]+)'",
        ],
    );
}

#[test]
fn help_is_run_where_the_caller_says_so() {
    let bench = Bench::new();
    bench.file(
        "tool",
        "#!/bin/sh\n[ \"$1\" = --help ] || exit 3\necho ran >> log\necho 'options:'\necho '  -m, --model {svm,tree}   which'\necho '      --seed INT  [default: 1]'\n",
    );
    let quiet = bench.fiesta(&["init", "--dry-run", "--", "sh", "-c", "exit 1"]);
    quiet.tells(code::DONE, &[]);
    let said = bench.fiesta(&["init", "-o", "a.toml", "sh", "tool"]);
    said.tells(code::DONE, &["--run-help"]);
    assert_eq!(bench.text("log"), "", "nothing is run unasked");
    std::fs::set_permissions(
        bench.path("tool"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let ran = bench.fiesta(&["init", "--run-help", "-o", "b.toml", "./tool"]);
    ran.tells(
        code::DONE,
        &["ran `./tool --help`", "{arm}: svm, tree", "{seed}"],
    );
    assert_eq!(bench.text("log"), "ran\n");
}

#[test]
fn notebooks_and_missing_scripts_are_refused() {
    let bench = Bench::new();
    bench.file("a.ipynb", "{}");
    bench
        .fiesta(&["init", "a.ipynb"])
        .tells(code::USAGE, &["nbconvert --to script a.ipynb"]);
    bench.file("train.py", ARGPARSE);
    bench
        .fiesta(&["init", "trian.py"])
        .tells(code::USAGE, &["did you mean train.py?"]);
}

/// Tests that lines which could also be the score are named.
#[test]
fn candidates_for_the_score_that_are_not_taken_are_named() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "train.py",
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--model', choices=['a', 'b'])\np.add_argument('--seed', type=int)\nprint(f\"val loss: {loss:.4f}\")\nprint(f\"test accuracy: {acc:.4f}\")\n",
    );
    let ran = bench.fiesta(&["init", "--", "python", "train.py"]);
    ran.tells(
        code::DONE,
        &[
            "line 6 prints \"test accuracy: …\"",
            "not taken, though it may be meant: line 5 \"val loss: …\"",
        ],
    );
    bench.file(
        "json.py",
        "import argparse, json\np = argparse.ArgumentParser()\np.add_argument('--model', choices=['a', 'b'])\np.add_argument('--seed', type=int)\nprint(json.dumps({\"accuracy\": acc, \"f1\": f1}))\n",
    );
    let ran = bench.fiesta(&["init", "--force", "--", "python", "json.py"]);
    ran.tells(code::DONE, &["not taken, though it may be meant: \""]);
}
