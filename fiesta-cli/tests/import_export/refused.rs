//! Tests of results that need a flag to be imported or exported, and of results that are always refused.

use super::bench;
use crate::support::{self, Bench, code};

/// Checks that this call is refused with these words.
#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], words: &[&str]) {
    bench.fiesta(arguments).says(code::USAGE, words);
}

const TWO: &str = "arm,score\na,1\nb,2\n";

#[test]
fn failures_are_for_those_who_say_what_becomes_of_them() {
    let bench = Bench::new();
    bench.file("failed.csv", "arm,score,status\na,1,ok\na,2,\nb,,crashed\n");
    bench.file("running.csv", "arm,score,status\na,1,ok\na,,running\n");

    let words = [
        "failed.csv:4: the evaluation failed (status `crashed`)",
        "remove the row",
    ];
    refused(&bench, &["belief", "failed.csv"], &words);
    refused(
        &bench,
        &["simulate", "failed.csv", "--confidence", "0.9"],
        &words,
    );
    bench
        .fiesta(&["export", "failed.csv"])
        .says(code::DONE, &[]);
    refused(
        &bench,
        &["export", "running.csv"],
        &["running.csv:3: the status `running` is unknown"],
    );
    refused(
        &bench,
        &["export", "nothing.csv"],
        &["nothing.csv: cannot be read"],
    );
}

#[test]
fn the_score_and_the_arm_are_chosen() {
    let bench = bench();
    refused(
        &bench,
        &["import", "wandb_page.csv"],
        &["several columns could be the score: name one of `lr`, `val_acc`, `val_loss`"],
    );
    refused(
        &bench,
        &["import", "wandb_page.csv", "--metric", "f1"],
        &["there is no column `f1`", "--metric"],
    );
    refused(
        &bench,
        &["import", "wandb_page.csv", "--metric", "val_loss"],
        &["wandb_page.csv:4", "--failed (drop or worst)"],
    );
    let missing = [
        "import",
        "wandb_page.csv",
        "--metric",
        "val_loss",
        "--missing",
        "drop",
    ];
    bench.fiesta(&missing).says(
        code::DONE,
        &["1 trial without a finite `val_loss` is left out"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arm",
            "model",
        ],
        &["no column `model`", "--arm"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arms",
            "rnn",
        ],
        &["no arm `rnn`", "lstm, gru"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arms",
            "gru,gru",
        ],
        &["`gru` twice"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--bounds",
            "0,0.5",
        ],
        &["wandb_page.csv:2: ", "bounds"],
    );
}

#[test]
fn flags_that_contradict_the_file_are_refused() {
    let bench = bench();
    bench.file("two.csv", TWO);
    bench.file("study.toml", support::STUDY);

    // Which tool.
    refused(
        &bench,
        &["import", "two.csv", "--from", "excel"],
        &["excel", "allentune"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--from", "wandb"],
        &["no column `Name`", "not what wandb writes"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--arm", "x"],
        &["two.csv:1: there is no column `x` (--arm), only `arm`, `score`"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--from", "optuna"],
        &["not a database"],
    );
    refused(
        &bench,
        &["import", "-", "--from", "optuna"],
        &["name its file"],
    );
    refused(&bench, &["import", "study.toml"], &["never run"]);

    // Studies know their metric and its direction.
    refused(
        &bench,
        &["export", "study.toml", "--metric", "f1"],
        &["the metric of this study is accuracy, not f1"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--minimize"],
        &["this study is to maximize accuracy"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--direction", "minimize"],
        &["leave --direction and --minimize out"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--bounds", "0,1"],
        &["bounds of a study's metric stand in its file"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--pruned", "fail"],
        &["--pruned is about another tool's results"],
    );
    refused(
        &bench,
        &["export", "two.csv", "--direction", "up"],
        &["`up` is no direction"],
    );
    refused(
        &bench,
        &["export", "two.csv", "--direction", "minimize", "--minimize"],
        &["cannot be used with"],
    );

    // Where to.
    refused(
        &bench,
        &["export", "two.csv", "-o", "two.xlsx"],
        &["two.xlsx says nothing of the format", "--format csv"],
    );
    refused(
        &bench,
        &["export", "two.csv", "-o", "no/such/two.csv"],
        &["cannot write no/such/two.csv"],
    );
}

#[test]
fn a_study_is_not_imported() {
    let bench = Bench::with_study(support::STUDY);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let ran = bench.fiesta(&["import", "study.toml"]);
    ran.says(
        code::USAGE,
        &["study.toml is a study of fiesta itself: use `fiesta export`"],
    );
    let ledger = bench.fiesta(&["import", "study.fiesta/ledger.db"]);
    ledger.says(
        code::USAGE,
        &["ledger.db: this is the ledger of a study of fiesta: name its study file"],
    );
}
