//! Tests that flags in messages become keywords, and that all other text stays.

#[path = "../src/keywords.rs"]
mod keywords;

use keywords::in_python;

#[test]
fn flags_become_keywords() {
    for (message, expected) in [
        ("leave --paired-rows out", "leave paired_rows=True out"),
        (
            "with --bounds LOW,HIGH, items",
            "with bounds=(LOW, HIGH), items",
        ),
        (
            "use --posterior pooled, which",
            "use posterior=\"pooled\", which",
        ),
        ("with --failed worst", "with failed=\"worst\""),
        (
            "a --confidence, a --shortfall or a --budget",
            "a confidence=, a shortfall= or a budget=",
        ),
        ("(--cap)", "(cap=)"),
        ("--reach: none", "reach=: none"),
        (
            "3 more; --format json lists all",
            "3 more; `to_dict()` lists all",
        ),
        ("or --better-by 0 if", "or better_by=0 if"),
        ("chosen with --arm", "chosen with arm="),
        ("with --from optuna", "with `fiesta import --from` optuna"),
    ] {
        assert_eq!(in_python(message), expected);
    }
}

#[test]
fn all_else_stays() {
    for message in [
        "",
        "`",
        "--",
        "a--metric",
        "---metric",
        "the arm `lstm --metric f1` has one",
        "`--metric` and `b",
        "--learning-rate 0.1",
        "--metrics",
        "– – −",
        "α--metric",
    ] {
        assert_eq!(in_python(message), message);
    }
    assert_eq!(in_python("--failed worsted"), "failed= worsted");
    assert_eq!(in_python("`a` --cap `--cap`"), "`a` cap= `--cap`");
}
