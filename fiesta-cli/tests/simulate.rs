//! Tests of `fiesta simulate` through the program.

mod support;

use serde_json::Value;
use support::{Bench, assert_close, code};

/// Returns a bench with scores of three arms on ten splits, which differ more than the arms; `c` is
/// best by about 0.05 on each.
fn recorded() -> Bench {
    let rows = (0..10_u32).flat_map(|split| {
        [("a", 60), ("b", 61), ("c", 66)].map(|(arm, skill)| {
            let thousandths = 10 * skill + 10 * (split * 7 % 10) + 2 * ((split * 3 + skill) % 7);
            format!("{arm},{split},{}\n", f64::from(thousandths) / 1000.0)
        })
    });
    let bench = Bench::new();
    bench.file(
        "scores.csv",
        &format!("arm,split,score\n{}", rows.collect::<String>()),
    );
    bench
}

fn simulate(bench: &Bench, arguments: &[&str]) -> Value {
    let (code, document) = bench.json(&[&["simulate"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_document_has_the_keys_that_programs_rely_on() {
    let bench = recorded();
    let arguments = [
        "scores.csv",
        "--policy",
        "ttts",
        "--confidence",
        "0.9999,0.8",
        "--stopping",
        "posterior-at-once",
        "--runs",
        "50",
        "--seed",
        "4",
    ];
    let document = simulate(&bench, &arguments);
    assert_eq!(document["policy"], "ttts");
    assert_eq!(document["posterior"], "paired");
    assert_eq!(document["stopping"], "posterior-at-once");
    assert_eq!(document["splits"], "shared");
    assert_eq!(
        (&document["runs"], &document["seed"]),
        (&50.into(), &4.into())
    );
    assert_eq!(document["best"], "c");
    let results = document["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, level) in results.iter().zip([0.9999, 0.8]) {
        assert_eq!(result["confidence"], level);
        for key in ["policy", "posterior", "stopping", "splits", "runs", "best"] {
            assert_eq!(result[key], document[key], "{key}");
        }
        assert_eq!(
            keys(&result["evaluations"]),
            ["min", "mean", "max", "standard_error"]
        );
        // Constant durations: an evaluation costs 1, and one at a time nothing overlaps.
        for cost in [&result["cost"]["mean"], &result["time"]] {
            assert_close(cost, result["evaluations"]["mean"].as_f64().unwrap(), 1e-9);
        }
        let of = |key: &str| result["evaluations"][key].as_f64().unwrap();
        assert!(
            5.0 <= of("min") && of("min") <= of("mean") && of("mean") <= of("max"),
            "{result}"
        );
        let correct = result["correct"].as_f64().unwrap();
        assert!((0.5..=1.0).contains(&correct), "{result}");
        assert_close(
            &result["correct_standard_error"],
            (correct * (1.0 - correct) / 50.0).sqrt(),
            0.01,
        );
    }
    let mean = |index: usize| results[index]["evaluations"]["mean"].as_f64().unwrap();
    assert!(
        mean(0) > mean(1),
        "more confidence takes more evaluations: {document}"
    );
}

#[test]
fn budgets_are_spent() {
    let bench = recorded();
    let arguments = [
        "scores.csv",
        "--policy",
        "uniform",
        "--budget",
        "9,30",
        "--runs",
        "40",
    ];
    let document = simulate(&bench, &arguments);
    for (result, budget) in document["results"].as_array().unwrap().iter().zip([9, 30]) {
        assert_eq!(result["budget"], budget);
        assert_eq!(result["confidence"], Value::Null);
        assert_eq!(
            (&result["evaluations"]["min"], &result["evaluations"]["max"]),
            (&budget.into(), &budget.into())
        );
    }
    let arguments = [
        "scores.csv",
        "--policy",
        "sequential-halving",
        "--budget",
        "14",
        "--runs",
        "40",
    ];
    let halving = &simulate(&bench, &arguments)["results"][0];
    // 14 in 2 rounds of 3 and 2 arms: 3·⌊14/6⌋ + 2·⌊14/4⌋.
    assert_eq!(halving["evaluations"]["max"], 12);
    let extended = &simulate(&bench, &[&arguments[..], &["--extended"]].concat())["results"][0];
    assert_eq!(extended["evaluations"]["max"], 14);
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let bench = recorded();
    let arguments = [
        "scores.csv",
        "--runs",
        "60",
        "--splits",
        "independent",
        "--seed",
    ];
    let with =
        |seed: &str| simulate(&bench, &[&arguments[..], &[seed]].concat())["results"].clone();
    assert_eq!(with("7"), with("7"));
    assert_ne!(with("7"), with("8"));
    // The first runs of more are the same ones: a smaller minimum, a larger maximum.
    let more = simulate(
        &bench,
        &[
            "scores.csv",
            "--runs",
            "300",
            "--splits",
            "independent",
            "--seed",
            "7",
        ],
    );
    let of = |results: &Value, key: &str| results[0]["evaluations"][key].as_u64().unwrap();
    assert!(of(&more["results"], "min") <= of(&with("7"), "min"));
    assert!(of(&more["results"], "max") >= of(&with("7"), "max"));
}

#[test]
fn minimize_and_arms() {
    let bench = recorded();
    assert_eq!(
        simulate(&bench, &["scores.csv", "--minimize", "--runs", "5"])["best"],
        "a"
    );
    assert_eq!(
        simulate(&bench, &["scores.csv", "--arms", "b,a", "--runs", "5"])["best"],
        "b"
    );
}

#[test]
fn gaussian_arms() {
    let bench = Bench::new();
    let gaussian = ["--gaussian", "0.7:0.01,0.5:0.01", "--runs", "100"];
    let document = simulate(&bench, &gaussian);
    assert_eq!(document["best"], "arm1");
    let result = &document["results"][0];
    assert_eq!(result["correct"], 1.0);
    let mean = result["evaluations"]["mean"].as_f64().unwrap();
    // Arms 20 deviations apart take next to nothing beside the eight evaluations of each that the
    // rule waits for.
    assert!((16.0..16.5).contains(&mean), "{mean}");
    // More at once is decided on less.
    let many = [
        &gaussian[..],
        &["--parallel", "8", "--durations", "exponential"],
    ]
    .concat();
    let parallel = simulate(&bench, &many)["results"][0]["evaluations"]["mean"]
        .as_f64()
        .unwrap();
    assert!(parallel >= mean, "{parallel} < {mean}");
    // Batches are counted whole.
    let batched = [&gaussian[..], &["--policy", "bts", "--batch", "4"]].concat();
    let batched = simulate(&bench, &batched);
    assert_eq!(batched["results"][0]["correct"], 1.0);
}

#[test]
fn equal_arms_are_given_up_at_the_cap() {
    let arguments = ["--gaussian", "1:0,1:0", "--runs", "5", "--cap", "50"];
    let bench = Bench::new();
    let document = simulate(&bench, &arguments);
    let result = &document["results"][0];
    assert_eq!(
        (&result["capped"], &result["evaluations"]["max"]),
        (&5.into(), &50.into())
    );
    assert_eq!(document["best"], "arm1, arm2");
    assert_eq!(result["correct"], 1.0);
    let text = bench.fiesta(&[&["simulate"], &arguments[..]].concat());
    text.says(code::DONE, &[]);
    assert!(
        text.stdout
            .contains("confidence 0.95: 5 of 5 runs were given up at the cap of 50"),
        "{text:?}"
    );
}

/// Tests that a run which reaches none of several confidences is counted once.
#[test]
fn runs_are_counted_by_confidence() {
    let arguments = [
        "--gaussian",
        "1:0,1:0",
        "--runs",
        "5",
        "--confidence",
        "0.95,0.9,0.8",
    ];
    let text = Bench::new().fiesta(&[&["simulate"], &arguments[..]].concat());
    text.says(code::DONE, &[]);
    // Without a cap of its own, that of studies: 100 evaluations an arm.
    for level in ["0.95", "0.9", "0.8"] {
        let line = format!("confidence {level}: 5 of 5 runs were given up at the cap of 200 ");
        assert!(text.stdout.contains(&line), "{text:?}");
    }
    assert_eq!(text.stdout.matches("given up").count(), 3, "{text:?}");
}

#[test]
fn text_shows_what_the_document_says() {
    let bench = recorded();
    let arguments = ["scores.csv", "--confidence", "0.9", "--runs", "30"];
    let document = simulate(&bench, &arguments);
    let mean = document["results"][0]["evaluations"]["mean"]
        .as_f64()
        .unwrap();
    let text = bench.fiesta(&[&["simulate"], &arguments[..]].concat());
    text.says(code::DONE, &[]);
    assert_eq!(text.stderr, "");
    for word in [
        &format!("{mean:.1} ± "),
        "0.9",
        "30 runs of",
        "the best is c",
    ] {
        assert!(text.stdout.contains(word), "`{word}` in {text:?}");
    }
}

#[test]
fn list() {
    let bench = Bench::new();
    let document = simulate(&bench, &["--list"]);
    let names = |key: &str| -> Vec<String> {
        let names = document[key].as_array().unwrap();
        names
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    let text = bench.fiesta(&["simulate", "--list"]);
    text.says(code::DONE, &[]);
    // Every name that is listed is a name that is taken.
    for policy in names("policies") {
        assert!(
            text.stdout.lines().any(|line| line.starts_with(&policy)),
            "{policy}: {text:?}"
        );
        let run = [
            "--gaussian",
            "1:0.1,2:0.1",
            "--runs",
            "3",
            "--budget",
            "8",
            "--policy",
            &policy,
        ];
        simulate(&bench, &run);
    }
    for posterior in names("posteriors") {
        assert!(text.stdout.contains(&posterior), "{posterior}: {text:?}");
        simulate(
            &bench,
            &[
                "--gaussian",
                "1:0.1,2:0.1",
                "--runs",
                "3",
                "--posterior",
                &posterior,
            ],
        );
    }
    for policy in ["uniform", "sequential-halving", "ts", "ttts", "bts", "auto"] {
        assert!(
            names("policies").iter().any(|name| name == policy),
            "{policy}"
        );
    }
    assert_eq!(
        names("posteriors"),
        ["uniform", "jeffreys", "pooled", "paired"]
    );
    assert_eq!(
        names("stopping"),
        [
            "posterior",
            "posterior-at-once",
            "anytime",
            "anytime-bounded",
            "gate",
            "gate-gaussian"
        ]
    );
    for stopping in names("stopping") {
        assert!(text.stdout.contains(&stopping), "{stopping}: {text:?}");
        // Gaussian arms have no bounds, and none of them is a baseline.
        if stopping == "anytime-bounded" || stopping.starts_with("gate") {
            continue;
        }
        let tolerances: &[&str] = match &*stopping {
            "posterior-at-once" => &["0"],
            _ => &["0", "0.5"],
        };
        for &tolerance in tolerances {
            let rest = ["--stopping", &stopping, "--tolerance", tolerance];
            let arms = ["--gaussian", "1:0.1,2:0.1", "--runs", "3"];
            let document = simulate(&bench, &[&arms[..], &rest].concat());
            assert_eq!(document["results"][0]["correct"], 1.0, "{document}");
            assert_eq!(document["tolerance"], tolerance.parse::<f64>().unwrap());
        }
    }
}

/// Tests that a simulation takes rows of a wide file for splits only with `--paired-rows`. Without
/// it, the message names the flag.
#[test]
fn rows_may_be_the_splits_of_a_replay() {
    let bench = recorded();
    let long = bench.text("scores.csv");
    let scores: Vec<&str> = long
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().unwrap())
        .collect();
    let rows = scores.chunks(3).map(|row| format!("{}\n", row.join(",")));
    bench.file(
        "accuracies.csv",
        &format!("a,b,c\n{}", rows.collect::<String>()),
    );
    let ran = bench.fiesta(&["simulate", "accuracies.csv", "--arms", "a,b,c"]);
    ran.says(code::USAGE, &["--splits independent", "--paired-rows"]);
    let runs = ["--runs", "40"];
    let paired = simulate(
        &bench,
        &[&["accuracies.csv", "--paired-rows"], &runs[..]].concat(),
    );
    let stated = simulate(&bench, &[&["scores.csv"], &runs[..]].concat());
    assert_eq!(
        (&paired["pairing"], &stated["pairing"]),
        (&Value::from("rows"), &Value::from("column"))
    );
    assert_eq!(
        paired["results"][0]["evaluations"],
        stated["results"][0]["evaluations"]
    );
    assert_eq!(
        paired["results"][0]["correct"],
        stated["results"][0]["correct"]
    );
    let independent = [
        "accuracies.csv",
        "--splits",
        "independent",
        "--arms",
        "a,b,c",
    ];
    let unpaired = simulate(&bench, &[&independent, &runs[..]].concat());
    assert_eq!(unpaired["pairing"], "none");
    assert!(
        unpaired["notes"][0]
            .as_str()
            .unwrap()
            .contains("--paired-rows")
    );
}

/// Tests that users are told where they read the result that the guarantee of the rule `anytime` is
/// proven for Gaussian scores only.
#[test]
fn scores_that_cannot_be_gaussian_are_said_to_void_the_guarantee() {
    let bench = Bench::new();
    let rows = |of: fn(u32, u32) -> f64| -> String {
        let cells = (0..20_u32).flat_map(|split| (0..2_u32).map(move |arm| (arm, split)));
        let rows = cells.map(|(arm, split)| format!("arm{arm},{split},{}\n", of(arm, split)));
        rows.collect()
    };
    let ones = rows(|arm, split| f64::from(u8::from(split % (3 + 6 * arm) > 0)));
    let many = rows(|arm, split| f64::from(10 * arm + split * 7 % 20));
    bench.file("ones.csv", &format!("arm,split,score\n{ones}"));
    bench.file("many.csv", &format!("arm,split,score\n{many}"));
    let told = |file: &str, stopping: &str| {
        let arguments = ["simulate", file, "--stopping", stopping, "--runs", "3"];
        let text = bench.fiesta(&arguments);
        text.says(code::DONE, &[]);
        text.stdout
            .contains("proven for Gaussian scores only, and the 20 scores of arm0 take 2 values")
    };
    assert!(told("ones.csv", "anytime"));
    assert!(!told("ones.csv", "posterior") && !told("many.csv", "anytime"));
    let outlier = many.replacen("arm1,3,", "arm1,3,-90", 1);
    bench.file("outlier.csv", &format!("arm,split,score\n{outlier}"));
    let arguments = [
        "simulate",
        "outlier.csv",
        "--stopping",
        "anytime",
        "--runs",
        "3",
    ];
    bench.fiesta(&arguments).says(code::DONE, &[]);
    let text = bench.fiesta(&arguments).stdout;
    assert!(
        text.contains("standard deviations from their mean"),
        "{text}"
    );
}

/// Tests the inputs of the rule `anytime-bounded`, and data that it does not fit.
#[test]
fn bounds_are_given_and_checked() {
    let bench = Bench::new();
    let rows = (0..20_u32).flat_map(|split| (0..2_u32).map(move |arm| (arm, split)));
    let row = |(arm, split)| format!("arm{arm},{split},0.{}\n", 1 + 4 * arm + split % 4);
    let rows: String = rows.map(row).collect();
    bench.file("scores.csv", &format!("arm,split,score\n{rows}"));
    let with = |rest: &[&str]| {
        let arguments = ["simulate", "scores.csv", "--runs", "3"];
        bench.fiesta(&[&arguments[..], rest].concat())
    };
    let bounded = ["--stopping", "anytime-bounded"];
    with(&bounded).says(
        code::USAGE,
        &["give the metric bounds", "--bounds LOW,HIGH"],
    );
    with(&[&bounded[..], &["--bounds", "0,1"]].concat()).says(code::DONE, &[]);
    with(&[&bounded[..], &["--bounds", "0.3,1"]].concat()).says(code::USAGE, &["scores.csv:2"]);
    with(&[&bounded[..], &["--bounds", "1,0"]].concat()).says(code::USAGE, &["the smaller first"]);
    with(&[&bounded[..], &["--bounds", "0"]].concat()).says(code::USAGE, &["for example 0,1"]);
    // An arm is worse if its error is greater.
    let errors = ["--bounds", "0,1", "--minimize"];
    with(&[&bounded[..], &errors].concat()).says(code::DONE, &[]);
    let rate = ["--rare-failures", "0.05"];
    with(&[&["--stopping", "anytime"], &rate[..]].concat()).says(code::DONE, &[]);
    with(&rate).says(code::USAGE, &["belongs to the stopping rule anytime"]);
    with(&["--stopping", "anytime", "--rare-failures", "2"])
        .says(code::USAGE, &["strictly between 0 and 1"]);
}
