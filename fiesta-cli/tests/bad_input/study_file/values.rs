//! Tests of values that a key of a study file refuses: names, durations and numbers.

use super::refuse;

#[test]
fn unknown_names() {
    refuse(&[
        (
            "policy = \"ttts\"",
            "policy = \"tts\"",
            "policy",
            &["no policy `tts`", "uniform", "ttts"],
        ),
        (
            "posterior = \"pooled\"",
            "posterior = \"flat\"",
            "posterior = \"flat\"",
            &["no posterior `flat`", "uniform", "pooled"],
        ),
        (
            "splits = \"shared\"",
            "splits = \"common\"",
            "splits",
            &["common", "shared", "independent", "fixed"],
        ),
        (
            "splits = \"shared\"",
            "splits = 0",
            "splits",
            &["at least 1 split"],
        ),
        (
            "splits = \"shared\"",
            "splits = 8.5",
            "splits",
            &[
                "the number of splits",
                "kind = \"independent\", count = 800",
            ],
        ),
        (
            "splits = \"shared\"",
            "splits = { kind = \"independent\", number = 800 }",
            "splits",
            &["unknown key `number`", "kind, count"],
        ),
        (
            "splits = \"shared\"",
            "splits = { kind = \"fixed\", count = 2 }",
            "splits",
            &["fixed split is the one split 0", "leave count out"],
        ),
        (
            "stopping = \"posterior\"",
            "stopping = \"luck\"",
            "stopping",
            &["no stopping rule `luck`", "posterior", "anytime"],
        ),
        (
            "confidence = ",
            "rare_failures = 0.05\nconfidence = ",
            "rare_failures",
            &["belongs to the stopping rule anytime", "beside posterior"],
        ),
        (
            "kind = \"local\"",
            "kind = \"cloud\"",
            "kind",
            &["no executor `cloud`", "local"],
        ),
        (
            "direction = \"maximize\"",
            "direction = \"up\"",
            "direction",
            &["up", "maximize", "minimize"],
        ),
    ]);
}

#[test]
fn durations() {
    refuse(&[
        (
            "timeout = \"1m\"",
            "timeout = \"2x\"",
            "timeout",
            &["timeout = \"2x\" is no duration", "\"90s\""],
        ),
        (
            "timeout = \"1m\"",
            "timeout = \"0s\"",
            "timeout",
            &["timeout = \"0s\"", "longer than zero"],
        ),
        (
            "timeout = \"1m\"",
            "silence = \"0s\"",
            "silence",
            &["silence = \"0s\"", "longer than zero"],
        ),
        (
            "timeout = \"1m\"",
            "silence = \"never\"",
            "silence",
            &["silence = \"never\" is no duration", "\"15m\""],
        ),
        (
            "timeout = \"1m\"",
            "grace = \"soon\"",
            "grace",
            &["grace = \"soon\" is no duration"],
        ),
    ]);
}

#[test]
fn numbers() {
    refuse(&[
        (
            "timeout = \"1m\"",
            "gpus_per_job = 1.5",
            "gpus_per_job",
            &["gpus_per_job = 1.5", "whole number", "below 1 to share"],
        ),
        (
            "timeout = \"1m\"",
            "gpus_per_job = -1",
            "gpus_per_job",
            &["gpus_per_job = -1"],
        ),
        (
            "parallel = 2",
            "parallel = 0",
            "parallel",
            &["parallel must be at least 1"],
        ),
        (
            "parallel = 2",
            "batch = 0",
            "batch",
            &["batch must be at least 1"],
        ),
        (
            "policy = \"ttts\"",
            "policy = \"bts\"",
            "policy",
            &["bts needs batch"],
        ),
        (
            "parallel = 2",
            "beta = 2.0",
            "beta",
            &["2", "between 0 and 1"],
        ),
        (
            "parallel = 2",
            "tie_break = \"fair\"",
            "tie_break",
            &["no tie-break `fair`", "coin, balanced or cost-aware"],
        ),
        (
            "policy = \"ttts\"",
            "policy = \"ts\"\ntie_break = \"coin\"",
            "tie_break",
            &["the policy ts takes no `tie_break`"],
        ),
        (
            "parallel = 2",
            "tie_break = \"balanced\"\nbeta = 0.4",
            "beta = 0.4",
            &["the tie-break coin", "leave beta out"],
        ),
        (
            "bounds = [0.0, 1.0]",
            "bounds = [1.0, 0.0]",
            "bounds",
            &["[1, 0]", "first must be below the second"],
        ),
        (
            "bounds = [0.0, 1.0]",
            "bounds = [0.0, inf]",
            "bounds",
            &["both finite"],
        ),
        (
            "name = \"accuracy\"",
            "name = \"\"",
            "name = \"\"",
            &["the metric has no name"],
        ),
        (
            "name = \"accuracy\"\ndirection = \"maximize\"",
            "name = \"val_loss\"",
            "name = \"val_loss\"",
            &["better when smaller", "add direction = \"minimize\""],
        ),
        (
            "name = \"accuracy\"\ndirection = \"maximize\"",
            "name = \"latency\"",
            "name = \"latency\"",
            &["does not say whether larger or smaller values are better"],
        ),
        (
            "name = \"accuracy\"\ndirection = \"maximize\"",
            "name = \"score\"\npattern = '(?m)^(?:Epoch \\d+) val_loss: ([0-9.]+)'",
            "name = \"score\"",
            &[
                "the pattern finds `val_loss`",
                "add direction = \"minimize\"",
            ],
        ),
    ]);
}

#[test]
fn numbers_in_quotes() {
    refuse(&[
        (
            "confidence = 0.95",
            "confidence = \"95%\"",
            "confidence",
            &["\"95%\" is a text: write 0.95, without quotes"],
        ),
        (
            "confidence = 0.95",
            "confidence = \"0.9\"",
            "confidence",
            &["\"0.9\" is a text: write 0.9, without quotes"],
        ),
        (
            "parallel = 2",
            "parallel = \"two\"",
            "parallel",
            &["\"two\" is a text: write a whole number, without quotes"],
        ),
    ]);
}

#[test]
fn numbers_that_are_texts_negative_or_broken() {
    refuse(&[
        (
            "seed = 1",
            "seed = -1",
            "seed = -1",
            &["seed must be a whole number, 0 or more, not -1"],
        ),
        (
            "parallel = 2",
            "parallel = 1.5",
            "parallel",
            &["parallel must be a whole number, 0 or more, not 1.5"],
        ),
        (
            "splits = \"shared\"",
            "splits = \"10\"",
            "splits = ",
            &["\"10\" is a text: write 10, without quotes"],
        ),
    ]);
}
