//! Tests of `fiesta belief` on measures beside the score.

use super::{
    belief,
    support::{Bench, arm, assert_close, code},
};
use std::fmt::Write;

/// Forty items: `large` is right on 36 at a cost of 5, `small` on 35 at 1, `tiny` on 20 at .2; the seconds vary.
fn runs() -> Bench {
    let bench = Bench::new();
    let mut csv = "model,question,correct,cost,seconds\n".to_owned();
    for item in 0..40_u32 {
        for (model, right, cost, seconds) in [
            ("large", 36, 5.0, 3.0),
            ("small", 35, 1.0, 1.0),
            ("tiny", 20, 0.2, 0.2),
        ] {
            let seconds = seconds * (1.0 + 0.1 * f64::from(item * item % 7));
            writeln!(
                csv,
                "{model},{item},{},{cost},{seconds}",
                u8::from(item < right)
            )
            .unwrap();
        }
    }
    bench.file("runs.csv", &csv);
    bench
}

const READ: [&str; 7] = [
    "runs.csv", "--arm", "model", "--item", "question", "--score", "correct",
];

#[test]
fn the_cheapest_that_is_good_enough() {
    let bench = runs();
    let ask = |more: &[&str]| belief(&bench, &[&READ, more].concat());
    let document = ask(&["--cheapest-within", "0.03", "--known", "cost"]);
    let found = &document["measures"];
    assert_eq!(
        (&found["verdict"], &found["arm"]),
        (&"arm".into(), &"small".into())
    );
    assert_eq!(
        (&found["by"], &found["is_known"]),
        (&"cost".into(), &true.into())
    );
    assert_close(&arm(found, "small")["probability"], 1.0, 0.0);
    let document = ask(&[
        "--cheapest-within",
        "0.03",
        "--by",
        "seconds",
        "--at-most",
        "seconds=2",
        "--at-most",
        "cost=1",
        "--known",
        "cost",
    ]);
    let found = &document["measures"];
    assert_eq!(
        (&found["verdict"], &found["arm"]),
        (&"arm".into(), &"small".into())
    );
    let small = arm(found, "small");
    assert!(small["probability"].as_f64().unwrap() < 1.0);
    assert_close(&arm(found, "large")["probability_feasible"], 0.0, 0.0);
    assert_eq!(small["measures"][0]["measure"], "seconds");
    let document = ask(&["--at-most", "seconds=0.1"]);
    assert_eq!(document["measures"]["verdict"], "none_feasible");
    let text = bench.fiesta(&[&["belief"], &READ[..], &["--at-most", "seconds=2"]].concat());
    let said = "these items: small is the best arm by correct, of those with mean seconds at most 2, with > 99.9 % posterior probability\n";
    assert!(text.stdout.starts_with(said), "{}", text.stdout);
    text.tells(code::DONE, &["no arm is feasible"]);
}

#[test]
fn what_cannot_be_asked_is_told() {
    let bench = runs();
    let clusters = "arm,item,score,cost,passage\na,0,1,2,x\na,1,0,3,y\nb,0,1,1,x\nb,1,0,2,y\n";
    bench.file("clusters.csv", clusters);
    bench.file("means.csv", "arm,score,std,n\na,0.8,0.1,5\nb,0.7,0.1,5\n");
    bench.file("wide.csv", "split,a,b\n0,0.1,0.2\n1,0.3,0.3\n2,0.2,0.5\n");
    let read = |more: &'static [&'static str]| [&READ[..], more].concat();
    for (arguments, why) in [
        (
            read(&["--at-most", "second=2"]),
            "runs.csv has no measure `second`: its measures are cost and seconds",
        ),
        (read(&["--at-most", "seconds"]), "for example seconds=2"),
        (read(&["--cheapest-within=-1"]), "0 or more"),
        (read(&["--by", "cost"]), "--cheapest-within"),
        (
            read(&["--known", "cost"]),
            "ask for the cheapest arm with --cheapest-within",
        ),
        (
            vec![
                "clusters.csv",
                "--cheapest-within",
                "0.1",
                "--clusters",
                "passage",
            ],
            "leave --clusters or --cheapest-within out",
        ),
        (
            vec!["means.csv", "--cheapest-within", "0"],
            "--cheapest-within is about single evaluations",
        ),
        (
            vec!["wide.csv", "--cheapest-within", "0", "--maximize"],
            "it has no measure beside the score",
        ),
    ] {
        let ran = bench.fiesta(&[&["belief"], &arguments[..]].concat());
        ran.tells(code::USAGE, &[why]);
    }
}
