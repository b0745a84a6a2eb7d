//! Tests of refused confidences, distances and budgets, which would never end a study.

use super::refuse;
use crate::support::{Bench, STUDY, code};

#[test]
fn ties_and_shortfalls() {
    refuse(&[
        (
            "confidence = 0.95",
            "tie = 0.1",
            "tie",
            &["tie belongs to a confidence"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\ntolerance = 0.1\nstrict = true",
            "strict",
            &["with a tolerance", "leave strict or tolerance out"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\ntie = \"0.1 points\"",
            "tie",
            &["`0.1 points` is no distance"],
        ),
        (
            "confidence = 0.95",
            "shortfall = 0",
            "shortfall",
            &["an expected shortfall of 0 is never reached"],
        ),
    ]);
}

#[test]
fn several_best_arms() {
    let with = |more: &'static str, message: &'static [&'static str]| {
        ("confidence = 0.95", more, "top", message)
    };
    refuse(&[
        with("confidence = 0.95\ntop = 0", &["from 1 to 1"]),
        with(
            "confidence = 0.95\ntop = 2",
            &["top = 2: give how many of the 2 arms"],
        ),
        with(
            "confidence = 0.95\ntop = \"two\"",
            &["write a whole number"],
        ),
        with("top = 1", &["top belongs to a confidence"]),
    ]);
}

#[test]
fn gates() {
    refuse(&[
        (
            "confidence = 0.95",
            "confidence = 0.95\nmargin = 0.1",
            "margin",
            &["margin belongs to a gate"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"new\"",
            "baseline",
            &["there is no arm `new`: the arms are "],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"",
            "baseline",
            &["give margin, how much worse than low"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nmargin = 0",
            "margin",
            &["give a number above 0"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nbetter_by = -1",
            "better_by",
            &["give a number from zero upwards"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nmargin = 0.1\nbetter_by = 0",
            "margin",
            &["exclude each other"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nmargin = 0.1\nshortfall = 0.1",
            "shortfall",
            &["a gate ends when its arms are decided"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nmargin = 0.1\nuntil = \"last\"",
            "until",
            &["first"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.95\nbaseline = \"low\"\nmargin = 0.1",
            "stopping",
            &["a baseline belongs to the stopping rules gate"],
        ),
        (
            "stopping = \"posterior\"",
            "stopping = \"gate\"",
            "stopping",
            &["they need one"],
        ),
    ]);
}

/// Tests what the cheapest arm that is good enough does not go together with.
#[test]
fn the_cheapest() {
    let goal = "confidence = 0.95";
    refuse(&[
        (
            goal,
            "confidence = 0.95\ncheapest_within = -0.1",
            "cheapest_within",
            &["0 or more"],
        ),
        (
            goal,
            "cheapest_within = 0.1",
            "cheapest_within",
            &["cheapest_within belongs to a confidence"],
        ),
        (
            goal,
            "confidence = 0.95\ncheapest_within = 0.1\ntolerance = 0.1",
            "cheapest_within",
            &["leave cheapest_within or tolerance out"],
        ),
        (
            goal,
            "confidence = 0.95\ncheapest_within = 0.1\ntie = 0",
            "cheapest_within",
            &["leave tie or cheapest_within out"],
        ),
        (
            goal,
            "confidence = 0.95\ncheapest_within = 0.1\nstrict = true",
            "cheapest_within",
            &["leave strict or cheapest_within out"],
        ),
    ]);
}

#[test]
fn goals() {
    refuse(&[
        (
            "confidence = 0.95",
            "confidence = 0.95\ntolerance = -0.1",
            "tolerance",
            &["`-0.1` is no distance", "0.25 sd"],
        ),
        (
            "confidence = 0.95",
            "tolerance = 0.1",
            "tolerance",
            &["tolerance belongs to a confidence"],
        ),
        (
            "confidence = 0.95",
            "confidence = 1",
            "confidence",
            &["confidence", "1 must lie strictly between 0.5 and 1"],
        ),
        (
            "confidence = 0.95",
            "confidence = 1.5",
            "confidence",
            &["1.5 must lie strictly between 0.5 and 1"],
        ),
        (
            "confidence = 0.95",
            "confidence = 0.4",
            "confidence",
            &["0.4 must lie strictly between 0.5 and 1"],
        ),
        (
            "evaluations = 40",
            "evaluations = 0",
            "budget",
            &["budget of 0 evaluations", "2 arms"],
        ),
        (
            "evaluations = 40",
            "evaluations = 1",
            "budget",
            &["budget of 1 evaluations", "2 arms"],
        ),
        (
            "evaluations = 40",
            "cost = 0",
            "budget",
            &["cost must be a number above zero"],
        ),
        (
            "evaluations = 40",
            "cost = \"4x\"",
            "budget",
            &["cost = \"4x\"", "x"],
        ),
        (
            "evaluations = 40",
            "wall = \"2x\"",
            "budget",
            &["wall = \"2x\" is no duration", "\"2h 30m\""],
        ),
        (
            "evaluations = 40",
            "wall = \"0s\"",
            "budget",
            &["wall = \"0s\"", "longer than zero"],
        ),
        (
            "evaluations = 40",
            "",
            "budget",
            &["the budget is empty", "evaluations", "wall"],
        ),
        // Sequential halving divides a budget.
        (
            "policy = \"ttts\"\nposterior = \"pooled\"\nstopping = \"posterior\"\nparallel = 2\nseed = 1\n\n[resources]\ntimeout = \"1m\"\n\n[executor]\nkind = \"local\"\n\n[[arm]]\nname = \"low\"",
            "policy = \"sequential-halving\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"3\"\n[[arm]]\nname = \"4\"\n[[arm]]\nname = \"5\"\n[[arm]]\nname = \"6\"\n[[arm]]\nname = \"7\"\n[[arm]]\nname = \"8\"\n[[arm]]\nname = \"9\"\n[[arm]]\nname = \"10\"\n[[arm]]\nname = \"11\"\n[[arm]]\nname = \"12\"",
            "policy",
            &["budget of 40 evaluations is too small", "at least 48"],
        ),
    ]);
    let halving = STUDY
        .replace("ttts", "sequential-halving")
        .replace("budget = { evaluations = 40 }", "");
    Bench::with_study(&halving)
        .fiesta(&["run", "study.toml"])
        .says(
            code::USAGE,
            &["study.toml:15: ", "sequential-halving needs a budget"],
        );
}

#[test]
fn measures() {
    refuse(&[
        (
            "[executor]",
            "[[measure]]\nname = \"item\"\n[executor]",
            "name = \"item\"",
            &["`item` has another meaning"],
        ),
        (
            "[executor]",
            "[[measure]]\nname = \"latency\"\nbounds = [2, 1]\n[executor]",
            "bounds = [2, 1]",
            &["the first must be below the second"],
        ),
        (
            "[executor]",
            "[[measure]]\nname = \"latency\"\nunits = \"s\"\n[executor]",
            "units",
            &["unknown key `units`", "did you mean `unit`?"],
        ),
        (
            "[executor]",
            "[measure]\nname = \"latency\"\n[executor]",
            "[measure]",
            &["write [[measure]], with two brackets"],
        ),
        (
            "[executor]",
            "[[constraint]]\nmeasure = \"duration\"\nat_most = 3\n[executor]",
            "measure = \"duration\"",
            &[
                "a constraint belongs to a gate",
                "the measure is recorded all the same",
            ],
        ),
    ]);
}
