//! Tests of `fiesta curve` through the program.

mod support;

use serde_json::{Value, json};
use support::{Bench, assert_close, code};

/// Returns a bench with these scores by arm as JSON.
fn bench(arms: &Value) -> Bench {
    let bench = Bench::new();
    bench.file("accuracies.json", &arms.to_string());
    bench
}

/// Returns a bench with three scores, whose curve is known in fractions: 7/30, 3/10, 91/270, 97/270.
fn three() -> Bench {
    bench(&json!({"a": [0.4, 0.1, 0.2]}))
}

#[track_caller]
fn curve(bench: &Bench, arguments: &[&str]) -> Value {
    let (code, document) = bench.json(&[&["curve"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

/// Returns a field of the first curve in the JSON output.
fn field<'a>(document: &'a Value, name: &str) -> &'a Value {
    &document["curves"][0][name]
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap().iter();
    values.map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn three_scores_by_hand() {
    let document = curve(
        &three(),
        &["accuracies.json", "--max-n", "4", "--bounds", "0,1"],
    );
    assert_eq!(field(&document, "name"), "a");
    assert_eq!(field(&document, "trials"), 3);
    assert_eq!(field(&document, "n"), &json!([1, 2, 3, 4]));
    let means = [7.0 / 30.0, 0.3, 91.0 / 270.0, 97.0 / 270.0];
    for (found, mean) in numbers(field(&document, "mean")).iter().zip(means) {
        assert!((found - mean).abs() < 1e-14);
    }
    assert_close(&field(&document, "sd")[1], 0.115_470_053_837_925_2, 1e-12);
    assert_close(&field(&document, "mean_plus_sd")[1], 0.4, 1e-15);
    assert_close(
        &field(&document, "mean_minus_sd")[1],
        0.184_529_946_162_074_8,
        1e-12,
    );
    assert_eq!(field(&document, "median"), &json!([0.2, 0.4, 0.4, 0.4]));
    let (lower, upper) = (
        numbers(field(&document, "lower")),
        numbers(field(&document, "upper")),
    );
    for i in 0..4 {
        assert!(0.0 <= lower[i] && lower[i] < means[i] && means[i] < upper[i] && upper[i] <= 1.0);
    }
    assert_eq!(document["band_of"], "mean");
    assert_eq!(document["crossings"], json!([]));
}

#[test]
fn the_unbiased_estimate_ends_at_the_number_of_trials() {
    let arguments = ["accuracies.json", "--max-n", "4", "--estimator", "unbiased"];
    let document = curve(&three(), &arguments);
    assert_eq!(document["estimator"], "unbiased");
    assert_close(&field(&document, "mean")[1], 1.0 / 3.0, 1e-14);
    assert_eq!(field(&document, "mean")[2], 0.4);
    assert_eq!(field(&document, "sd")[2], 0.0);
    assert_eq!(field(&document, "mean")[3], Value::Null);
    assert_eq!(field(&document, "sd")[3], Value::Null);
}

#[test]
fn what_is_extrapolated_is_said_to_be() {
    let said = |arguments: &[&str]| {
        let ran = three().fiesta(&[&["curve", "accuracies.json"], arguments].concat());
        ran.stdout.contains("extrapolated")
    };
    assert!(said(&["--max-n", "4"]) && !said(&[]));
    assert!(!said(&["--max-n", "4", "--estimator", "unbiased"]));
}

/// Tests that the budget for a score is given in one of four forms.
#[test]
fn budgets() {
    let document = curve(
        &three(),
        &[
            "accuracies.json",
            "--reach",
            "0.2,0.36,0.4,0.401",
            "--reach=-1",
        ],
    );
    let budgets = document["budgets"].as_array().unwrap();
    let of = |i: usize, field: &str| budgets[i][field].clone();
    assert_eq!(
        (of(0, "first_n"), of(0, "within_B")),
        (json!(1), json!(true))
    );
    assert_eq!(
        (of(1, "first_n"), of(1, "within_B")),
        (json!(5), json!(false))
    );
    assert_eq!(of(1, "status"), "reached");
    assert_close(&of(1, "real_n"), 4.043_056_069_393_557, 1e-9);
    assert_close(&of(1, "linear_interp_n"), 4.052_941_176_470_588, 1e-9);
    assert_eq!(
        (of(2, "first_n"), of(2, "status")),
        (Value::Null, json!("asymptote_only"))
    );
    assert_eq!(of(3, "status"), "above_observed_best");
    assert_eq!((of(4, "first_n"), of(4, "value")), (json!(1), json!(-1.0)));
    assert_eq!(budgets.len(), 5);
}

#[test]
fn without_bounds_the_band_is_of_the_median_and_open_in_the_end() {
    let scores: Vec<f64> = (0..50).map(f64::from).collect();
    let bench = bench(&json!({ "a": scores }));
    let document = curve(&bench, &["accuracies.json"]);
    assert_eq!(document["band_of"], "median");
    let last = field(&document, "informative")["better_end_up_to"]
        .as_u64()
        .unwrap();
    let upper = field(&document, "upper").as_array().unwrap();
    for (n, end) in (1..).zip(upper) {
        assert_eq!(end.is_null(), n > last, "{n}");
    }
    // A mean without bounds is anywhere.
    let mean = curve(&bench, &["accuracies.json", "--band-of", "mean"]);
    assert!(
        field(&mean, "upper")
            .as_array()
            .unwrap()
            .iter()
            .all(Value::is_null)
    );
    let none = curve(&bench, &["accuracies.json", "--bands", "none"]);
    assert!(
        field(&none, "lower")
            .as_array()
            .unwrap()
            .iter()
            .all(Value::is_null)
    );
    assert_eq!(field(&none, "bands"), "none");
    let text = bench.fiesta(&["curve", "accuracies.json"]).stdout;
    assert!(
        text.contains("95 % simultaneous bands of the median"),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "rests on scores up to n = {last}; beyond, it is open"
        )),
        "{text}"
    );
    assert!(text.contains("… open"), "{text}");
}

/// Tests the widths of all kinds of bands: the widest is the kind that is not exact, and a lower
/// confidence makes a narrower band.
#[test]
fn kinds_of_bands() {
    let scores: Vec<f64> = (0..50).map(|i| f64::from(i) / 50.0).collect();
    let bench = bench(&json!({ "a": scores }));
    let width = |arguments: &[&str]| {
        let document = curve(
            &bench,
            &[&["accuracies.json", "--bounds", "0,1"], arguments].concat(),
        );
        let at = |name| field(&document, name)[0].as_f64().unwrap();
        at("upper") - at("lower")
    };
    let [equal, highest, ks, dkw] =
        ["equal-tailed", "highest-density", "ks", "dkw"].map(|kind| width(&["--bands", kind]));
    assert!(
        dkw > ks && (equal - highest).abs() < 0.1 * equal,
        "{equal} {highest} {ks} {dkw}"
    );
    assert!(width(&["--confidence", "0.5"]) < equal);
}

#[test]
fn smaller_is_better_of_losses() {
    let bench = bench(&json!({"a": [-0.4, -0.1, -0.2]}));
    let up = curve(&three(), &["accuracies.json", "--reach", "0.3"]);
    for flags in [&["--minimize"][..], &["--direction", "minimize"]] {
        let down = curve(
            &bench,
            &[&["accuracies.json", "--reach=-0.3"], flags].concat(),
        );
        assert_eq!(down["direction"], "minimize");
        let negated: Vec<f64> = numbers(field(&down, "mean"))
            .iter()
            .map(|mean| -mean)
            .collect();
        assert_eq!(numbers(field(&up, "mean")), negated);
        assert_eq!(up["budgets"][0]["real_n"], down["budgets"][0]["real_n"]);
    }
}

/// Returns scores of two arms: all about .5, and between 0 and 1. The first arm is better for few
/// trials, the second for many.
fn crossing() -> Value {
    let steady: Vec<f64> = (0..400).map(|i| 0.55 + 0.0001 * f64::from(i)).collect();
    let bold: Vec<f64> = (0..400).map(|i| 0.002 * f64::from(i)).collect();
    json!({"steady": steady, "bold": bold})
}

#[test]
fn a_crossing_comes_with_where_it_may_lie() {
    let bench = bench(&crossing());
    let document = curve(&bench, &["accuracies.json", "--bounds", "0,1"]);
    let crossings = document["crossings"].as_array().unwrap();
    assert_eq!(crossings.len(), 1, "{crossings:?}");
    let crossing = &crossings[0];
    assert_eq!(crossing["arms"], json!(["steady", "bold"]));
    assert_eq!(
        (&crossing["better_before"], &crossing["better_after"]),
        (&json!("steady"), &json!("bold"))
    );
    let [from, until] = ["from", "until"].map(|end| crossing[end].as_f64().unwrap());
    let n = crossing["n"].as_f64().unwrap();
    assert!(from >= 1.0 && from < n && n < until, "{crossing}");
    assert_eq!(
        (&crossing["certain"], &crossing["confidence"]),
        (&json!(true), &json!(0.9))
    );
    assert_eq!(document["pairs"][0]["apart"][0]["better"], "steady");
    // As losses, the other way round.
    let losses = curve(&bench, &["accuracies.json", "--minimize"]);
    assert_eq!(losses["crossings"], json!([]));
    assert_eq!(losses["pairs"][0]["apart"][0]["better"], "bold");
    let text = bench
        .fiesta(&["curve", "accuracies.json", "--bounds", "0,1"])
        .stdout;
    assert!(
        text.contains(&format!("from n = {from} to {until}")),
        "{text}"
    );
    let text = bench
        .fiesta(&["curve", "accuracies.json", "--bands", "none"])
        .stdout;
    assert!(text.contains("not known: there are no bands"), "{text}");
}

const FAILURES: &str = "arm,score,status,duration\n\
    a,0.8,ok,60\n\
    a,0.6,ok,50\n\
    a,,failed,10\n";

#[test]
fn failures_are_an_explicit_choice() {
    let bench = Bench::new();
    bench.file("scores.csv", FAILURES);
    let says = ["scores.csv:4", "`a`", "--failed worst", "--failed drop"];
    bench
        .fiesta(&["curve", "scores.csv"])
        .says(code::USAGE, &says);

    let worst = curve(
        &bench,
        &[
            "scores.csv",
            "--failed",
            "worst",
            "--bounds",
            "0,1",
            "--time",
        ],
    );
    assert_eq!(
        [
            field(&worst, "trials"),
            field(&worst, "failed"),
            field(&worst, "scores")
        ],
        [3, 1, 3]
    );
    assert_close(&field(&worst, "mean")[0], 1.4 / 3.0, 1e-15);
    assert_eq!(field(&worst, "time"), &json!([40.0, 80.0, 120.0]));
    let observed = curve(&bench, &["scores.csv", "--failed", "worst"]);
    assert_close(&field(&observed, "mean")[0], 2.0 / 3.0, 1e-15);

    let dropped = curve(
        &bench,
        &["scores.csv", "--failed", "drop", "--time", "--reach", "0.7"],
    );
    assert_eq!(
        [
            field(&dropped, "trials"),
            field(&dropped, "failed"),
            field(&dropped, "scores")
        ],
        [3, 1, 2]
    );
    assert_close(&field(&dropped, "mean")[0], 0.7, 1e-15);
    // Two scores took three trials, of 40 seconds each on average.
    assert_eq!(field(&dropped, "mean_duration"), 40.0);
    assert_eq!(field(&dropped, "time"), &json!([60.0, 120.0]));
    assert_eq!(dropped["budgets"][0]["time"], 60.0);
    let text = bench
        .fiesta(&["curve", "scores.csv", "--failed", "drop", "--time"])
        .stdout;
    assert!(
        text.contains("1 of 3 trials failed and are left out") && text.contains("seconds"),
        "{text}"
    );
}

#[test]
fn many_scores_and_n_far_beyond() {
    let scores: Vec<f64> = (0..12_000).map(|i| f64::from(i % 1000)).collect();
    let bench = bench(&json!({"a": scores, "one": [3.0]}));
    let document = curve(&bench, &["accuracies.json", "--bands", "dkw"]);
    let n = field(&document, "n").as_array().unwrap();
    assert!(n.len() < 11_000 && n.last().unwrap() == 12_000);
    let lengths = ["mean", "sd", "median", "lower", "upper"]
        .map(|name| field(&document, name).as_array().unwrap().len());
    assert!(lengths.iter().all(|&length| length == n.len()));
    let far = curve(
        &bench,
        &[
            "accuracies.json",
            "--bands",
            "dkw",
            "--max-n",
            "1000000000000",
        ],
    );
    let mean = field(&far, "mean").as_array().unwrap();
    assert_eq!(mean.last().unwrap(), 999.0);
    assert_eq!(far["curves"][1]["mean"][5], 3.0);
    assert_eq!(far["curves"][1]["sd"][5], 0.0);
}

#[test]
fn a_study_is_read_from_its_ledger() {
    let bench = Bench::with_study(support::STUDY);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let document = curve(&bench, &["study.toml", "--time"]);
    assert_eq!(document["metric"], "accuracy");
    // Its bounds are those of the study.
    assert_eq!(
        (&document["bounds"], &document["band_of"]),
        (&json!([0.0, 1.0]), &json!("mean"))
    );
    let names: Vec<&Value> = document["curves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|curve| &curve["name"])
        .collect();
    assert_eq!(names, ["low", "high"]);
    assert!(field(&document, "time")[0].as_f64().unwrap() > 0.0);
}

#[test]
fn hostile_names_stay_in_their_cells() {
    let names = ["<script>alert(1)</script>", "=cmd()", "\u{202e}abc", "😀"];
    let arms: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!([0.1, 0.2])))
        .collect();
    let bench = bench(&Value::Object(arms));
    let text = bench.fiesta(&["curve", "accuracies.json"]).stdout;
    // What would turn the direction of a terminal's text is not printed.
    let shown = names.map(|name| name.replace('\u{202e}', "\u{fffd}"));
    let rows = text
        .lines()
        .filter(|line| shown.iter().any(|name| line.starts_with(name)));
    assert_eq!(rows.count(), 4, "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    let document = curve(&bench, &["accuracies.json"]);
    assert_eq!(document["curves"].as_array().unwrap().len(), 4);
    assert!(text.contains("No two estimates of the median cross"));
}

#[test]
fn bad_input() {
    let bench = three();
    bench.file("nan.csv", "arm,score\na,0.1\na,nan\n");
    bench.file("empty.csv", "arm,score\n");
    let refused: [(&[&str], &[&str]); 14] = [
        (&["nan.csv"], &["nan.csv:3"]),
        (&["empty.csv"], &["empty.csv"]),
        (&["missing.csv"], &["missing.csv"]),
        (
            &["accuracies.json", "--estimator", "best"],
            &["`best`", "plug-in"],
        ),
        (
            &["accuracies.json", "--bands", "wide"],
            &["`wide`", "equal-tailed"],
        ),
        (&["accuracies.json", "--confidence", "95"], &["95", "0.95"]),
        (&["accuracies.json", "--confidence", "nan"], &["confidence"]),
        (&["accuracies.json", "--max-n", "0"], &["max-n"]),
        (&["accuracies.json", "--reach", "nan"], &["--reach", "NaN"]),
        (&["accuracies.json", "--reach", "inf"], &["--reach", "inf"]),
        (
            &["accuracies.json", "--bounds", "0.2,1"],
            &["0.1", "bounds"],
        ),
        (
            &["accuracies.json", "--time"],
            &["`a`", "duration", "--time"],
        ),
        (&["accuracies.json", "--arms", "b"], &["`b`"]),
        (
            &["accuracies.json", "--failed", "maybe"],
            &["`maybe`", "worst"],
        ),
    ];
    for (arguments, says) in refused {
        let ran = bench.fiesta(&[&["curve"], arguments].concat());
        ran.says(code::USAGE, says);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    bench.file("failed.csv", "arm,score,status\na,,failed\n");
    let all = bench.fiesta(&["curve", "failed.csv", "--failed", "worst"]);
    all.says(code::USAGE, &["`a`", "all 1 trials failed", "bounds"]);
}

/// Tests scores of which few are much better than the others: the posterior is widened, with a
/// note. A leader is named only if there is one.
#[test]
fn a_heavy_tail_is_told_of() {
    let scores = |tail: fn(f64) -> f64, shift: f64| -> Vec<f64> {
        let at = |i: i32| tail((f64::from(i) + 0.5) / 40.0) + shift;
        (0..40).map(at).collect()
    };
    let even = |u: f64| u;
    let heavy = |u: f64| 0.2 * (1.0 - u).powf(-0.5);
    let bench = bench(&json!({"even": scores(even, 0.0), "heavy": scores(heavy, 0.1)}));
    let document = curve(&bench, &["accuracies.json"]);
    let best = &document["best_of_n"];
    let tail = |place: usize| &best["tails"][place];
    assert_eq!(
        (&tail(0)["arm"], &tail(1)["arm"]),
        (&json!("even"), &json!("heavy"))
    );
    assert_eq!(
        (&tail(0)["heavy"], &tail(1)["heavy"]),
        (&json!(false), &json!(true))
    );
    assert_close(&tail(0)["weight"], 1.0, 1e-12);
    assert!(tail(1)["weight"].as_f64().unwrap() < 0.5 && tail(1)["shape"].as_f64().unwrap() > 0.2);
    assert_eq!(best["undecided"][0]["from"], 1);
    let ran = bench.fiesta(&["curve", "accuracies.json"]);
    for words in [
        "With at least 95.0 %, no arm leads for n = 1 ",
        "Heavy tail towards better scores: heavy (shape ",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    // Another confidence than that of the bands is asked for by the same flag.
    let document = curve(&bench, &["accuracies.json", "--confidence", "0.5"]);
    assert_eq!(document["best_of_n"]["undecided"], json!([]));
}
