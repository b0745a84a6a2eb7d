//! Tests of `fiesta plan` through the program.

mod support;

use serde_json::Value;
use support::{Bench, assert_close, code};

fn plan(bench: &Bench, arguments: &[&str]) -> Value {
    let (code, document) = bench.json(&[&["plan"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

/// Runs `plan` with a cap below any lower bound, and so without the slow simulation.
fn unsimulated(arguments: &[&str]) -> Value {
    let document = plan(&Bench::new(), &[arguments, &["--cap", "1"]].concat());
    assert!(document["results"][0]["simulated"].is_null(), "{document}");
    document
}

/// Scores on six splits that differ more than the arms; `c` is best by about 0.05 on each.
fn pilot(header: &str, row: impl Fn(&str, u32, f64) -> String) -> Bench {
    let rows = (0..6_u32).flat_map(|split| {
        [("a", 600), ("b", 610), ("c", 660)].map(|(arm, skill)| {
            let score = skill + 30 * (split * 5 % 6) + 7 * ((split * 3 + skill / 10) % 4);
            row(arm, split, f64::from(score) / 1000.0)
        })
    });
    let bench = Bench::new();
    bench.file(
        "pilot.csv",
        &format!("{header}\n{}", rows.collect::<String>()),
    );
    bench
}

fn with_splits() -> Bench {
    pilot("arm,split,score", |arm, split, score| {
        format!("{arm},{split},{score}\n")
    })
}

fn without_splits() -> Bench {
    pilot("arm,score", |arm, _, score| format!("{arm},{score}\n"))
}

/// Tests a plan for two arms against formulas: T* is 2(σ₁ + σ₂)²/Δ², H₂ is 2s²/Δ². The t-tests are
/// R's (`power.t.test(delta = .5, power = .8, alternative = "one.sided")`: 50.15 of each arm, and
/// 26.14 for one sample).
#[test]
fn two_arms_by_hand() {
    let kl = 0.9 * 19.0_f64.ln();
    let unpaired = unsimulated(&["--gaussian", "0.5:1,0:1", "--splits", "independent"]);
    let result = &unpaired["results"][0];
    assert_close(
        &result["lower_bound"]["known_variances"]["evaluations"],
        32.0 * kl,
        1e-6,
    );
    assert_eq!(unpaired["comparison"], "unpaired");
    assert_close(&result["t_test"]["second"]["per_arm"], 50.150_78, 1e-4);
    assert_eq!(result["t_test"]["second"]["evaluations"], 102.0);
    assert_eq!(result["t_test"]["second"], result["t_test"]["all"]);
    assert_close(&unpaired["h2"], 16.0, 1e-9);
    assert_close(
        &result["sequential_halving"]["evaluations"],
        8.0 * 16.0 * 60.0_f64.ln(),
        1e-6,
    );
    let known = result["lower_bound"]["known_variances"]["evaluations"]
        .as_f64()
        .unwrap();
    let unknown = result["lower_bound"]["unknown_variances"]["evaluations"]
        .as_f64()
        .unwrap();
    assert!(known < unknown && unknown < 1.1 * known, "{result}");

    // On shared splits the difference has the standard deviation 1.
    let paired = unsimulated(&[
        "--gaussian",
        "0.5:2,0:2",
        "--split-sd",
        "1.8708286933869707",
    ]);
    assert_eq!(
        (&paired["comparison"], &paired["splits"]),
        (&"paired".into(), &"shared".into())
    );
    assert_close(&paired["difference_standard_deviation"], 1.0, 1e-9);
    let test = &paired["results"][0]["t_test"]["second"];
    assert_close(&test["per_arm"], 26.137_50, 1e-4);
    assert_eq!(test["evaluations"], 54.0);
}

#[test]
fn a_guess_is_short_for_gaussian_arms() {
    let guess = unsimulated(&[
        "--arms",
        "3",
        "--gap",
        "0.1",
        "--sd",
        "0.2",
        "--split-sd",
        "0.1",
    ]);
    let spelt = unsimulated(&["--gaussian", "0.1:0.2,0:0.2,0:0.2", "--split-sd", "0.1"]);
    assert_eq!(guess, spelt);
    let of = |document: &Value| {
        document["results"][0]["lower_bound"]["known_variances"]["evaluations"]
            .as_f64()
            .unwrap()
    };
    let independent = unsimulated(&[
        "--arms",
        "3",
        "--gap",
        "0.1",
        "--sd",
        "0.2",
        "--split-sd",
        "0.1",
        "--splits",
        "independent",
    ]);
    assert!((of(&guess) / of(&independent) - 0.75).abs() < 1e-9);
}

#[test]
fn pilot_scores_on_shared_splits() {
    let bench = with_splits();
    let shared = plan(&bench, &["pilot.csv", "--runs", "40"]);
    assert_eq!(
        (&shared["best"], &shared["second"], &shared["splits"]),
        (&"c".into(), &"b".into(), &"shared".into())
    );
    assert_eq!(shared["pilot_scores"], 18);
    let independent = plan(
        &bench,
        &["pilot.csv", "--runs", "40", "--splits", "independent"],
    );
    assert_close(&shared["gap"], independent["gap"].as_f64().unwrap(), 1e-9);
    assert!(
        shared["split_standard_deviation"].as_f64().unwrap() > 0.03,
        "{shared}"
    );
    let bound = |document: &Value| {
        document["results"][0]["lower_bound"]["known_variances"]["evaluations"]
            .as_f64()
            .unwrap()
    };
    assert!(
        bound(&shared) < 0.1 * bound(&independent),
        "{shared} {independent}"
    );
    let planned = |mut plan: Value| {
        // The files have other columns.
        plan.as_object_mut().unwrap().remove("reading");
        plan
    };
    let without = plan(&without_splits(), &["pilot.csv", "--runs", "40"]);
    assert_eq!(planned(independent), planned(without));
}

/// Tests a minimised score: the smallest mean is best, and means keep their sign.
#[test]
fn the_least_of_minimised_scores() {
    let document = plan(&with_splits(), &["pilot.csv", "--minimize", "--cap", "1"]);
    assert_eq!(document["best"], "a");
    assert!(document["gap"].as_f64().unwrap() > 0.0);
    let mean = document["arms"][0]["mean"].as_f64().unwrap();
    assert!((0.6..0.8).contains(&mean), "{mean}");
}

/// Tests the default policy on arms two standard deviations apart, and the hours that it takes.
#[test]
fn simulated_studies_and_hours() {
    let arguments = [
        "--arms",
        "4",
        "--gap",
        "0.1",
        "--sd",
        "0.05",
        "--confidence",
        "0.95,0.8",
        "--runs",
        "100",
        "--cost-per-evaluation",
        "30m",
    ];
    let one = plan(&Bench::new(), &arguments);
    let simulated =
        |document: &Value, level: usize| document["results"][level]["simulated"].clone();
    for level in [0, 1] {
        let found = simulated(&one, level);
        let mean = found["evaluations"]["mean"].as_f64().unwrap();
        let q90 = found["evaluations"]["q90"].as_f64().unwrap();
        assert!((8.0..40.0).contains(&mean) && q90 >= mean, "{found}");
        assert!(found["error"].as_f64().unwrap() < 0.2, "{found}");
        assert_close(&found["hours"], mean / 2.0, 1e-9);
        // One at a time, each taking as long as the others.
        assert_close(&found["elapsed_hours"], mean / 2.0, 1e-9);
    }
    let mean = |document: &Value, level| {
        simulated(document, level)["evaluations"]["mean"]
            .as_f64()
            .unwrap()
    };
    assert!(mean(&one, 1) < mean(&one, 0));
    let halving = &one["results"][0]["sequential_halving"];
    assert_close(
        &halving["hours"],
        halving["evaluations"].as_f64().unwrap() / 2.0,
        1e-9,
    );
    assert_eq!(one, plan(&Bench::new(), &arguments));

    let four = plan(
        &Bench::new(),
        &[&arguments[..], &["--parallel", "4"]].concat(),
    );
    let found = simulated(&four, 0);
    assert!(
        found["elapsed_hours"].as_f64().unwrap() < 0.6 * found["hours"].as_f64().unwrap(),
        "{found}"
    );
}

#[test]
fn text_for_people() {
    let guess = [
        "plan", "--arms", "4", "--gap", "0.1", "--sd", "0.05", "--runs", "20",
    ];
    let ran = Bench::new().fiesta(&guess);
    for words in [
        "lower bound, variances known",
        "ttps, mean of 20 studies",
        "Bonferroni",
        "95 %",
        "half of that",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing in {}",
            ran.stdout
        );
    }
    assert!(
        !ran.stdout.contains("elapsed") && !ran.stdout.contains(" h)"),
        "{}",
        ran.stdout
    );
    let ran = Bench::new().fiesta(
        &[
            &guess[..],
            &["--cost-per-evaluation", "2h", "--parallel", "2"],
        ]
        .concat(),
    );
    assert!(
        ran.stdout.contains("elapsed, 2 at once") && ran.stdout.contains(" h)"),
        "{}",
        ran.stdout
    );
    let ran = Bench::new().fiesta(&[&guess[..], &["--cap", "1"]].concat());
    assert!(ran.stdout.contains("not simulated"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let bench = Bench::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        bench
            .fiesta(&[&["plan"], arguments].concat())
            .says(code::USAGE, words);
    };
    refused(&[], &["SCORES", "--gap"]);
    refused(&["--gap", "0.1"], &["--arms", "--sd"]);
    refused(
        &["--arms", "a,b", "--gap", "0.1", "--sd", "0.1"],
        &["how many arms"],
    );
    refused(
        &["--arms", "1", "--gap", "0.1", "--sd", "0.1"],
        &["how many arms"],
    );
    refused(
        &["--arms", "1001", "--gap", "0.1", "--sd", "0.1"],
        &["how many arms there are, from 2 to 1000"],
    );
    refused(
        &["--arms", "3", "--gap", "0", "--sd", "0.1"],
        &["same mean"],
    );
    refused(
        &["--arms", "3", "--gap", "0.1", "--sd", "0"],
        &["standard deviation"],
    );
    refused(
        &[
            "--arms",
            "3",
            "--gap",
            "0.1",
            "--sd",
            "0.1",
            "--split-sd",
            "0.1",
        ],
        &["between splits"],
    );
    refused(&["--gaussian", "0.5:0.1"], &["arm"]);
    refused(
        &["--gaussian", "0.5:0.1,0.4:0.1", "--confidence", "1"],
        &["between 0.5 and 1"],
    );
    refused(
        &["--gaussian", "0.5:0.1,0.4:0.1", "--power", "1"],
        &["power 1"],
    );
    refused(&["--gaussian", "0.5:0.1,0.4999999999:0.1"], &["too small"]);
    bench.file("few.csv", "arm,score\na,1\na,2\nb,3\n");
    refused(&["few.csv"], &["`b`", "at least 2"]);
    bench.file("equal.csv", "arm,score\na,1\na,2\nb,3\nb,3\n");
    refused(&["equal.csv"], &["`b`", "equal"]);
    refused(
        &["equal.csv", "--splits", "shared"],
        &["`split`", "--splits independent"],
    );
    bench.file("apart.csv", "arm,split,score\na,1,1\na,2,2\nb,3,3\nb,4,5\n");
    refused(
        &["apart.csv", "--splits", "shared"],
        &["independent splits"],
    );
}
