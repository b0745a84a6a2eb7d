//! Tests of files of scores with mistakes: the message names the line and what is wrong.

use super::support::{Bench, code};

const GOOD: &str = "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.55\nb,0,0.4\nb,1,0.45\nb,2,0.43\n";

#[test]
fn what_is_wrong_is_named_with_its_line() {
    // File, contents, further arguments, and the message.
    let cases: [(&str, &str, &[&str], &[&str]); 14] = [
        (
            "bad.csv",
            "arm,score\na,0.5\na,0.x\nb,0.4\n",
            &[],
            &["bad.csv:3: ", "score `0.x` is not a number"],
        ),
        (
            "comma.csv",
            "arm;score\na;0,5\nb;0.5\n",
            &[],
            &["comma.csv:3: ", "decimal comma"],
        ),
        (
            "short.csv",
            "arm,score\na,0.5\nb\n",
            &[],
            &["short.csv:3: ", "1 fields and the header 2"],
        ),
        (
            "nan.csv",
            "arm,score\na,0.5\na,nan\nb,inf\n",
            &[],
            &["nan.csv:3: ", "not finite", "1 further problem"],
        ),
        (
            "empty.csv",
            "",
            &[],
            &["empty.csv", "no scores in this file"],
        ),
        (
            "header.csv",
            "arm,score\n",
            &[],
            &["header.csv", "no row of scores below it"],
        ),
        (
            "column.csv",
            "arm,f1,loss,split\na,0.5,1.2,0\nb,0.6,1.1,0\n",
            &[],
            &[
                "column.csv:1: ",
                "no column `score`",
                "`arm`, `f1`, `loss`, `split`",
                "--metric",
            ],
        ),
        (
            "good.csv",
            GOOD,
            &["--metric", "acc"],
            &["good.csv:1: ", "no column `acc`", "`score`"],
        ),
        (
            "good.csv",
            GOOD,
            &["--arms", "a,c"],
            &["no arm `c`", "a, b"],
        ),
        ("good.csv", GOOD, &["--arms", "a,a"], &["`a`"]),
        ("good.csv", GOOD, &["--arms", "a"], &["only one arm, `a`"]),
        (
            "good.csv",
            GOOD,
            &["--bounds", "0,0.5"],
            &["good.csv:3: ", "0.6 is outside the bounds"],
        ),
        (
            "broken.json",
            "{\"a\": [0.5, ]}",
            &[],
            &["broken.json:1: ", "not JSON"],
        ),
        (
            "twice.csv",
            "arm,split,seed,score\na,0,1,0.5\nb,0,1,0.4\na,0,1,0.6\n",
            &[],
            &["twice.csv:4: ", "on line 2 already"],
        ),
    ];
    for (name, text, arguments, says) in cases {
        let bench = Bench::new();
        bench.file(name, text);
        for verb in [&["belief"][..], &["simulate", "--splits", "independent"]] {
            let ran = bench.fiesta(&[verb, &[name], arguments].concat());
            ran.says(code::USAGE, says);
            assert_eq!(ran.stdout, "", "{name}");
        }
    }
}

#[test]
fn what_belief_cannot_use() {
    let cases: [(&str, &[&str], &[&str]); 13] = [
        (
            "arm,score\na,0.5\nb,0.4\nb,0.5\n",
            &["--posterior", "pooled"],
            &["`a` has 1 score,", "at least 2"],
        ),
        (
            "arm,score\na,0.5\na,0.5\nb,0.4\nb,0.4\n",
            &["--posterior", "pooled"],
            &["scores of `a` are all equal", "no arm's scores differ"],
        ),
        (
            "arm,score\na,0.5\nb,0.4\nb,0.5\n",
            &[],
            &[
                "3 scores of 2 arms are too few",
                "one of each arm and two more",
            ],
        ),
        (
            "arm,score\na,0.5\na,0.5\nb,0.4\nb,0.4\n",
            &[],
            &["the 4 scores are all equal", "one more evaluation of each"],
        ),
        // What differs is the split's doing.
        (
            "arm,split,score\na,1,0.5\na,2,0.625\nb,1,0.25\nb,2,0.375\n",
            &[],
            &[
                "as splits and arms explain them",
                "one more evaluation of each",
            ],
        ),
        (
            GOOD,
            &["--method", "quadrature"],
            &["the posterior paired has no quadrature", "posterior pooled"],
        ),
        (
            "arm,score\na,0.5\na,0.6\nb,1\nb,0.4\n",
            &["--logit"],
            &["scores.csv:4: ", "the score 1", "logit is infinite"],
        ),
        (
            "arm,score\na,0.5\na,0.6\nb,1.5\nb,0.4\n",
            &["--logit"],
            &["scores.csv:4: ", "between 0 and 1"],
        ),
        (
            "arm,score\na,0.5\na,0.6\nb,1e200\nb,0.4\n",
            &[],
            &["scores.csv:4: ", "report its logarithm"],
        ),
        (
            GOOD,
            &["--posterior", "flat"],
            &["no posterior `flat`", "pooled"],
        ),
        (
            GOOD,
            &["--logit=7"],
            &["smallest step of the score", "between 0 and 1"],
        ),
        (
            GOOD,
            &["--method", "monte-carlo", "--draws", "0"],
            &["--draws"],
        ),
        (GOOD, &["--arm", "a"], &["there is no column `a` (--arm)"]),
    ];
    for (text, arguments, says) in cases {
        let bench = Bench::new();
        bench.file("scores.csv", text);
        let ran = bench.fiesta(&[&["belief", "scores.csv"], arguments].concat());
        ran.says(code::USAGE, says);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn what_simulate_cannot_use() {
    let cases: [(&[&str], &[&str]); 24] = [
        (
            &["good.csv", "--confidence", "1"],
            &["confidence 1 must lie strictly between 0.5 and 1"],
        ),
        (&["good.csv", "--confidence", "0.9,2"], &["confidence 2"]),
        (
            &["good.csv", "--policy", "best"],
            &["no policy `best`", "ttts"],
        ),
        (
            &["good.csv", "--posterior", "best"],
            &["no posterior `best`", "jeffreys"],
        ),
        (
            &["good.csv", "--stopping", "now"],
            &["no stopping rule `now`", "posterior", "anytime"],
        ),
        (
            &["good.csv", "--tolerance=-0.1"],
            &["--tolerance", "`-0.1` is no distance", "0.25 sd"],
        ),
        (
            &["good.csv", "--splits", "some"],
            &["`some`", "shared, independent"],
        ),
        (
            &["good.csv", "--splits", "fixed"],
            &["fixed", "shared", "independent"],
        ),
        (
            &[
                "good.csv",
                "--policy",
                "sequential-halving",
                "--budget",
                "1",
            ],
            &["too small for sequential halving", "at least 2"],
        ),
        (
            &["good.csv", "--policy", "sequential-halving"],
            &["needs a budget", "--budget"],
        ),
        (&["good.csv", "--budget", "0"], &["budget"]),
        (&["good.csv", "--parallel", "0"], &["parallel"]),
        (&["good.csv", "--batch", "0"], &["batch"]),
        (&["good.csv", "--cap", "0"], &["cap"]),
        (&["good.csv", "--beta", "2"], &["2", "between 0 and 1"]),
        (
            &["good.csv", "--tie-break", "dice"],
            &["no tie-break `dice`", "cost-aware"],
        ),
        (
            &["good.csv", "--policy", "ts", "--tie-break", "coin"],
            &["ts takes no --tie-break"],
        ),
        (
            &["good.csv", "--beta", "0.4", "--tie-break", "balanced"],
            &["leave beta out"],
        ),
        (
            &["good.csv", "--policy", "successive-rejects"],
            &["successive-rejects needs a budget", "--budget"],
        ),
        (
            &["good.csv", "--gaussian", "1:1,2:1"],
            &["cannot be used with"],
        ),
        (
            &["--gaussian", "1:1,2"],
            &["a mean and a standard deviation"],
        ),
        (&["--gaussian", "1:-1,2:1"], &["arm 1", "at least 0"]),
        (
            &["no-split.csv"],
            &["needs a `split` for every score", "--splits independent"],
        ),
        (
            &["hole.csv"],
            &["`b` has none on split 1", "--splits independent"],
        ),
    ];
    let bench = Bench::new();
    bench.file("good.csv", GOOD);
    bench.file("no-split.csv", "arm,score\na,0.5\na,0.6\nb,0.4\nb,0.5\n");
    bench.file("hole.csv", "arm,split,score\na,0,0.5\na,1,0.6\nb,0,0.4\n");
    for (arguments, says) in cases {
        let ran = bench.fiesta(&[&["simulate", "--runs", "10"], arguments].concat());
        ran.says(code::USAGE, says);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}

#[test]
fn usage() {
    let bench = Bench::new();
    let cases: [(&[&str], &str); 5] = [
        (&[], "Usage: fiesta"),
        (&["fly"], "unrecognized subcommand 'fly'"),
        (&["run"], "there is no study.toml in this directory"),
        (
            &["run", "study.toml", "--fast"],
            "unexpected argument '--fast'",
        ),
        (
            &["status", "study.toml", "--format", "xml"],
            "possible values: text, json",
        ),
    ];
    for (arguments, says) in cases {
        bench.fiesta(arguments).says(code::USAGE, &[says]);
    }
    let help = bench.fiesta(&["--help"]);
    help.says(code::DONE, &[]);
    for verb in ["run", "status", "belief", "simulate"] {
        assert!(help.stdout.contains(verb), "{help:?}");
        let help = bench.fiesta(&[verb, "--help"]);
        help.says(code::DONE, &[]);
        assert!(
            help.stdout.contains(&format!("fiesta {verb}")),
            "no example: {help:?}"
        );
    }
}
