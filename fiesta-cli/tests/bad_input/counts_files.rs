//! Tests of files of confusion counts with mistakes, and of flags that do not go with such files.

use super::support::{Bench, code};

const GOOD: &str = "arm,document,tp,fp,fn\na,x,5,1,2\na,y,4,1,1\nb,x,3,2,2\nb,y,2,3,2\n";
const SCORES: &str = "arm,split,score\na,0,0.5\na,1,0.6\nb,0,0.4\nb,1,0.45\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("counts.csv", GOOD);
    bench.file("scores.csv", SCORES);
    bench
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let bench = bench();
    let rows = |rows: &str| format!("arm,document,tp,fp,fn\na,x,1,2,3\n{rows}");
    for (text, says) in [
        (
            rows("a,y,1,-2,3\n"),
            &["counts.csv:3: ", "the fp `-2` is not a count"][..],
        ),
        (
            rows("a,y,1,2.5,3\n"),
            &["counts.csv:3: ", "the fp `2.5` is not a count"],
        ),
        (
            rows("b,x,1,2000000000,3\n"),
            &["counts.csv:3: ", "from 0 to 1000000000"],
        ),
        (rows("b,x,1,,3\n"), &["counts.csv:3: ", "the fp is missing"]),
        (
            rows("b,,1,1,3\n"),
            &["counts.csv:3: ", "the document is missing"],
        ),
        (
            rows("b,x,1,2,3\na,x,1,2,3\n"),
            &["counts.csv:4: ", "on line 2", "by a column `class`"],
        ),
        (
            "arm,document,tp,fp\na,x,1,2\n".to_owned(),
            &["counts.csv:1: ", "no column `fn`"],
        ),
        (
            SCORES.to_owned(),
            &["counts.csv:1: ", "no column `tp`", "without --counts"],
        ),
        (
            "arm,document,tp,fp,fn,status\na,x,1,2,3,ok\nb,x,,,,failed\n".to_owned(),
            &["counts.csv:3: ", "failed", "its counts are not known"],
        ),
        (String::new(), &["no counts in this file"]),
    ] {
        bench.file("counts.csv", &text);
        for verb in ["belief", "simulate"] {
            let ran = bench.fiesta(&[verb, "counts.csv", "--counts"]);
            ran.says(code::USAGE, says);
            assert!(ran.stdout.is_empty());
        }
    }
}

#[test]
fn counts_without_the_flag_are_recognised() {
    let bench = bench();
    bench.file(
        "counts.jsonl",
        "{\"arm\": \"a\", \"tp\": 1, \"fp\": 2, \"fn\": 3}\n",
    );
    for (file, verb) in [
        ("counts.csv", "belief"),
        ("counts.csv", "simulate"),
        ("counts.jsonl", "belief"),
    ] {
        bench
            .fiesta(&[verb, file])
            .says(code::USAGE, &["1: there is no", "`score`", "--counts"]);
    }
    // An F-measure that is there already is a score like any other.
    bench.file(
        "both.csv",
        "arm,tp,fp,fn,f1\na,1,1,1,0.5\na,1,1,2,0.4\nb,1,1,2,0.4\nb,0,1,1,0\n",
    );
    bench
        .fiesta(&["belief", "both.csv", "--metric", "f1"])
        .says(code::DONE, &[]);
}

#[test]
fn flags_belong_to_counts_or_to_scores() {
    let bench = bench();
    for flags in [
        &["--alpha", "1"][..],
        &["--alpha0", "1"],
        &["--theta0", "1,1,1,1"],
        &["--f-beta", "2"],
        &["--precision-weight", "0.2"],
    ] {
        for verb in ["belief", "simulate"] {
            let ran = bench.fiesta(&[&[verb, "scores.csv"], flags].concat());
            ran.says(code::USAGE, &["--counts"]);
        }
    }
    for flags in [
        &["--metric", "f1"][..],
        &["--minimize"],
        &["--bounds", "0,1"],
    ] {
        for verb in ["belief", "simulate"] {
            let ran = bench.fiesta(&[&[verb, "counts.csv", "--counts"], flags].concat());
            ran.says(code::USAGE, &["--counts", "cannot be used with", flags[0]]);
        }
    }
}

/// Checks that every command is refused with these words.
fn refused(cases: &[(&[&str], &[&str])]) {
    let bench = bench();
    for (arguments, says) in cases {
        let ran = bench.fiesta(arguments);
        ran.says(code::USAGE, says);
        assert!(ran.stdout.is_empty(), "{ran:?}");
    }
}

#[test]
fn what_no_belief_of_counts_can_be() {
    refused(&[
        (
            &["belief", "scores.csv", "--metric", "score", "--alpha", "1"],
            &["--alpha is about confusion counts"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--logit"],
            &["cannot be used with"],
        ),
        (
            &["belief", "scores.csv", "--posterior", "f-measure"],
            &["learns from confusion counts", "--counts"],
        ),
        (
            &[
                "belief",
                "counts.csv",
                "--counts",
                "--posterior",
                "pooled",
                "--alpha",
                "1",
            ],
            &["pooled takes no --alpha"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--posterior", "peered"],
            &["no posterior `peered`", "or f-measure"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--method", "quadrature"],
            &["f-measure has no quadrature"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--draws", "99999999999"],
            &["do not fit in memory"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--alpha", "some"],
            &["`some` is no concentration", "learned", "shared"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--alpha", "0"],
            &["must lie between"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--alpha0", "0"],
            &["give a number between"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--f-beta", "0"],
            &["weight 0 of recall"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--arms", "a,c"],
            &["no arm `c`", "a, b"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--arms", "a"],
            &["only one arm", "name at least one rival"],
        ),
    ]);
}

#[test]
fn what_no_prior_and_no_weight_can_be() {
    refused(&[
        (
            &[
                "belief",
                "counts.csv",
                "--counts",
                "--posterior",
                "pooled",
                "--theta0",
                "1,1,1,1",
            ],
            &["pooled takes no --theta0"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0", "1,1,1"],
            &["give four numbers", "0.4,0.1,0.4,0.1"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0", "1,1,x,1"],
            &["give four numbers"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0", "1,1,0,1"],
            &["--theta0: ", "[1.0, 1.0, 0.0, 1.0]", "numbers above 0"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0=-1,1,1,1"],
            &["--theta0: ", "numbers above 0"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0", "1,1,1,nan"],
            &["--theta0: ", "numbers above 0"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--theta0", "1,1,1,1e-4"],
            &["--theta0: ", "between 1e-3 and 1e6"],
        ),
        (
            &["simulate", "counts.csv", "--counts", "--theta0", "1,1,0,1"],
            &["--theta0: ", "numbers above 0"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--precision-weight=0"],
            &["weight 0 of precision", "below 1"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--precision-weight=1"],
            &["weight 1 of precision", "below 1"],
        ),
        (
            &["belief", "counts.csv", "--counts", "--precision-weight=nan"],
            &["weight NaN of precision"],
        ),
        (
            &[
                "belief",
                "counts.csv",
                "--counts",
                "--precision-weight=0.5",
                "--f-beta=1",
            ],
            &["cannot be used with", "--f-beta"],
        ),
    ]);
}

#[test]
fn what_no_simulation_of_counts_can_be() {
    refused(&[
        (
            &["simulate", "--gaussian", "1:1,2:1", "--min-documents", "3"],
            &["--min-documents is about confusion counts"],
        ),
        (
            &["simulate", "--gaussian", "1:1,2:1", "--counts"],
            &["cannot be used with"],
        ),
        (
            &["simulate", "counts.csv", "--counts", "--splits", "shared"],
            &["cannot be used with", "--splits"],
        ),
        (
            &[
                "simulate",
                "counts.csv",
                "--counts",
                "--stopping",
                "anytime",
            ],
            &["anytime tests means", "--posterior paired"],
        ),
        (
            &["simulate", "counts.csv", "--counts", "--stopping", "no"],
            &["no stopping rule `no`"],
        ),
        (
            &[
                "simulate",
                "counts.csv",
                "--counts",
                "--posterior",
                "peered",
            ],
            &["no posterior `peered`", "or f-measure"],
        ),
        (
            &["simulate", "scores.csv", "--posterior", "f-measure"],
            &["learns from confusion counts", "--counts"],
        ),
    ]);
}

/// Tests that a simulation on counts needs every arm on every document, and a single best arm.
#[test]
fn what_cannot_be_replayed() {
    let bench = bench();
    for (rows, says) in [
        (
            "a,x,1,0,0\na,y,1,0,0\nb,y,1,0,0\nb,z,1,0,0\n",
            &["`a` has none to `z`"][..],
        ),
        (
            "a,x,1,0,0\nb,x,1,0,0\na,y,1,0,0\n",
            &["`b` has none to `y`", "every arm to every item"],
        ),
        ("a,x,1,0,0\nb,x,0,0,0\n", &["no positives anywhere", "`b`"]),
        ("a,x,1,0,0\n", &["only one arm", "name at least one rival"]),
    ] {
        bench.file("counts.csv", &format!("arm,document,tp,fp,fn\n{rows}"));
        let ran = bench.fiesta(&["simulate", "counts.csv", "--counts"]);
        ran.says(code::USAGE, says);
        assert!(ran.stdout.is_empty(), "{ran:?}");
    }
}
