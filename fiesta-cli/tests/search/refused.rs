//! Tests of invalid random searches, which are refused with the line of the mistake.

use super::bench;
use crate::support::code;

/// A refused search: a text of the study file, its replacement, the start of the line of the
/// mistake, and words of the message.
type Refused<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

/// Checks that each change is refused with its line and these words.
fn refuse(cases: &[Refused<'_>]) {
    for (from, to, at, words) in cases {
        let bench = bench();
        bench.edit("study.toml", from, to);
        let text = bench.text("study.toml");
        let line = 1 + text.lines().position(|line| line.contains(at)).unwrap();
        let ran = bench.fiesta(&["run", "study.toml"]);
        let place = format!("study.toml:{line}: ");
        ran.says(code::USAGE, &[&[place.as_str()], *words].concat());
        assert!(!bench.path("study.fiesta").exists(), "{to}");
    }
}

#[test]
fn goals_and_designs_that_are_no_search() {
    refuse(&[
        (
            "trials = 6",
            "trials = 0",
            "trials = 0",
            &["trials must be at least 1"],
        ),
        ("trials = 6", "trials = -1", "trials = -1", &["-1"]),
        ("trials = 6", "", "[arm.search]", &["add trials = "]),
        (
            "trials = 6",
            "trials = 6\nconfidence = 0.9",
            "confidence",
            &["leave confidence or trials out"],
        ),
        (
            "trials = 6",
            "trials = 6\ntolerance = 0.1",
            "tolerance",
            &["leave tolerance or trials out"],
        ),
        (
            "trials = 6",
            "trials = 6\nmin_items = 3",
            "min_items",
            &["leave min_items or trials out"],
        ),
        (
            "seed = 7",
            "policy = \"ttts\"",
            "policy",
            &["the policy ttts", "leave policy or trials out"],
        ),
        (
            "seed = 7",
            "posterior = \"paired\"",
            "posterior",
            &["leave posterior or trials out"],
        ),
        (
            "seed = 7",
            "alpha0 = 5",
            "alpha0",
            &["leave alpha0 or trials out"],
        ),
        (
            "seed = 7",
            "theta0 = [4, 1, 4, 1]",
            "theta0",
            &["leave theta0 or trials out"],
        ),
        (
            "seed = 7",
            "stopping = \"anytime\"",
            "stopping",
            &["leave stopping or trials out"],
        ),
        (
            "seed = 7",
            "beta = 0.5",
            "beta",
            &["leave beta or trials out"],
        ),
        (
            "seed = 7",
            "documents = \"*.txt\"",
            "documents",
            &["leave documents or trials out"],
        ),
    ]);
}

/// First parameter of the search space in the study file.
const LR: &str = "lr = { loguniform = [1e-6, 1e-1] }\nlayers";

#[test]
fn names_and_values_that_are_no_space() {
    refuse(&[
        (
            LR,
            "seed = { uniform = [0, 1] }\nlayers",
            "seed = {",
            &["cannot be called seed", "{seed}"],
        ),
        (
            LR,
            "document_id = { uniform = [0, 1] }\nlayers",
            "document_id",
            &["cannot be called document_id"],
        ),
        (
            LR,
            "learning-rate = { uniform = [0, 1] }\nlayers",
            "learning-rate",
            &["`learning-rate` is no name", "FIESTA_HP_learning-rate"],
        ),
        (
            LR,
            "\"\" = { uniform = [0, 1] }\nlayers",
            "\"\" =",
            &["is no name"],
        ),
        (
            LR,
            "lr = { loguniform = [0, 1] }\nlayers",
            "lr = {",
            &["lr: a loguniform parameter lies above 0"],
        ),
        (
            LR,
            "lr = { loguniform = [1, 0.5] }\nlayers",
            "lr = {",
            &["lr: [1.0, 0.5] is no interval"],
        ),
        (
            LR,
            "lr = { uniform = [1, inf] }\nlayers",
            "lr = {",
            &["inf is not a finite number"],
        ),
        (
            LR,
            "lr = { uniform = [1, nan] }\nlayers",
            "lr = {",
            &["NaN is not a finite number"],
        ),
        (
            LR,
            "lr = { integer = [1, 9007199254740993] }\nlayers",
            "lr = {",
            &["beyond ±2^53"],
        ),
        (
            LR,
            "lr = { integer = [1, 2.5] }\nlayers",
            "lr = {",
            &["2.5"],
        ),
        (LR, "lr = { uniform = [1] }\nlayers", "lr = {", &["array"]),
        (
            LR,
            "lr = { choice = [] }\nlayers",
            "lr = {",
            &["the choice is empty"],
        ),
        (
            LR,
            "lr = { choice = [[1, 2]] }\nlayers",
            "lr = {",
            &["type array"],
        ),
        (
            LR,
            "lr = { choice = [1979-05-27] }\nlayers",
            "lr = {",
            &["type datetime"],
        ),
        (
            LR,
            "lr = { log_uniform = [1, 2] }\nlayers",
            "lr = {",
            &["unknown key `log_uniform`", "did you mean `loguniform`"],
        ),
        (
            LR,
            "lr = { uniform = [1, 2], integer = [1, 2] }\nlayers",
            "lr = {",
            &["lr needs one kind"],
        ),
        (LR, "lr = {}\nlayers", "lr = {", &["lr needs one kind"]),
        (
            "search = { lr = { loguniform = [1e-6, 1e-1] } }",
            "search = {}",
            "search = {}",
            &["search space of `linear` is empty"],
        ),
    ]);
}

#[test]
fn placeholders_without_a_hyperparameter() {
    refuse(&[
        (
            "\"--lr={lr}\"",
            "\"{layers}\"",
            "\"{layers}\", \"${HOME}\"",
            &[
                "arm `linear` has {layers}",
                "its search space has no layers",
            ],
        ),
        (
            "\"--lr={lr}\"",
            "\"{Act}\"",
            "\"{Act}\", \"${HOME}\"",
            &["arm `linear` has {Act}"],
        ),
        (
            "\"--lr={lr}\"",
            "\"{rl}\"",
            "\"{rl}\"",
            &["unknown placeholder {rl}", "{lr}"],
        ),
        (
            "\"--lr={lr}\"",
            "\"{lr2}\"",
            "\"{lr2}\"",
            &["unknown placeholder {lr2}", "did you mean {lr}"],
        ),
    ]);
}

#[test]
fn a_choice_that_no_program_can_be_given() {
    refuse(&[(
        LR,
        "lr = { choice = [\"a\\u0000b\"] }\nlayers",
        "lr = {",
        &["lr", "zero byte"],
    )]);
}
