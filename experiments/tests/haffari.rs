//! `experiments haffari` through the program, with few runs and few queries.

mod support;

use serde_json::Value;
use support::{Bench, json, list, number};

fn haffari(arguments: &[&str]) -> Value {
    json(&[&["haffari"], arguments].concat())
}

const SMALL: [&str; 8] = [
    "--alphas",
    "10",
    "--lengths",
    "50",
    "--margin",
    "0.025",
    "--cap",
    "60",
];

#[test]
fn every_method_beside_what_is_published() {
    let arguments = [&SMALL[..], &["--runs", "10", "--seed", "3"]].concat();
    let document = haffari(&arguments);
    let [setting] = list(&document["settings"]) else {
        panic!("{document}")
    };
    assert_eq!(setting["published"][0]["queries"], 41.0);
    assert_eq!(setting["published"][3]["queries"], 848.0);
    assert!(setting["published"][7].is_null());
    let [cell] = list(&setting["cells"]) else {
        panic!("{setting}")
    };
    assert_eq!(
        ["systems", "runs", "configurations", "length"].map(|name| cell[name].as_u64()),
        [5, 10, 5, 50].map(Some)
    );
    let rows = list(&cell["rows"]);
    assert_eq!(rows.len(), 8);
    for row in rows {
        let queries = number(&row["queries"]["mean"]);
        assert!((5.0..=60.0).contains(&queries), "{row}");
        // Two runs are on each configuration.
        let success = number(&row["success"]["mean"]) * 10.0;
        assert!((success - success.round()).abs() < 1e-9, "{row}");
        assert!(number(&row["capped"]) <= 10.0, "{row}");
    }
    let [two, all] = list(&cell["baselines"]) else {
        panic!("{cell}")
    };
    assert_eq!(
        (&two["baseline"], &all["baseline"]),
        (&"top-two".into(), &"all".into())
    );
    let of = |row: &Value, name: &str| number(&row[name]["mean"]);
    for baseline in [two, all] {
        let documents = of(baseline, "documents");
        assert!((of(baseline, "queries") - 5.0 * documents).abs() < 1e-9);
    }
    assert!(of(all, "documents") > of(two, "documents"));
    // The same again, and something else with another seed.
    assert_eq!(haffari(&arguments), document);
    let other = haffari(&[&SMALL[..], &["--runs", "10", "--seed", "4"]].concat());
    assert_ne!(other["settings"], document["settings"]);
}

/// Tests that the runs still give the figures that were noted here.
#[test]
fn runs_do_not_change() {
    let arguments = [
        "--alphas",
        "10",
        "--lengths",
        "100",
        "--systems",
        "5",
        "--margin",
        "0.05",
        "--cap",
        "100",
    ];
    let document = haffari(&arguments);
    let setting = &document["settings"][0];
    assert_eq!(setting["cells"][0]["systems"], 5);
    let rows = list(&setting["cells"][0]["rows"]).iter();
    let queries: Vec<f64> = rows.map(|row| number(&row["queries"]["mean"])).collect();
    let before = [83.0, 94.2, 86.4, 73.2, 73.8, 62.8, 48.6, 58.0];
    for (now, before) in queries.iter().zip(before) {
        assert!((now - before).abs() < 1e-9, "{queries:?}");
    }
    let baselines = list(&setting["cells"][0]["baselines"]).iter();
    let documents: Vec<f64> = baselines
        .map(|row| number(&row["documents"]["mean"]))
        .collect();
    assert!((documents[0] - 105.0).abs() < 1e-9 && (documents[1] - 161.8).abs() < 1e-9);
}

/// Tests that every kind of documents has both models at both rules; a run is given up at the cap,
/// and one that waits is never shorter than one that does not.
#[test]
fn the_calibration_has_every_kind_of_documents() {
    let document = haffari(&["--calibration", "--runs", "1", "--cap", "20"]);
    let cells = list(&document["settings"][0]["cells"]);
    assert_eq!(cells.len(), 15);
    // JSON has no ∞.
    assert!(cells[14]["alpha"].is_null());
    for cell in cells {
        let rows = list(&cell["rows"]);
        let kinds = rows.iter().map(|row| (&row["model"], &row["rule"]));
        let kinds: Vec<_> = kinds
            .map(|(model, rule)| format!("{model} {rule}"))
            .collect();
        assert_eq!(
            kinds,
            [
                "\"f-learned\" \"waits\"",
                "\"f-learned\" \"at-once\"",
                "\"f-fixed\" \"waits\"",
                "\"f-fixed\" \"at-once\""
            ]
        );
        let queries = |place: usize| number(&rows[place]["queries"]["mean"]);
        assert!(
            queries(0) >= queries(1) && queries(2) >= queries(3),
            "{cell}"
        );
        assert!(queries(0) <= 20.0);
        assert_eq!(cell["baselines"], serde_json::json!([]));
        let is_capped = rows
            .iter()
            .all(|row| row["capped"] == 0 || number(&row["queries"]["mean"]) >= 20.0);
        assert!(is_capped, "{cell}");
    }
}

#[test]
fn text_for_people() {
    let bench = Bench::new();
    bench.run(&[&["haffari"], &SMALL[..]].concat()).shows(&[
        "α = 10, N = 50",
        "PETS",
        "α learned",
        "variances known",
        "41 ± 6 (96 %)",
        "Baseline_K−1",
        "Table 4",
        "at δ/4",
    ]);
    let few = [
        "haffari",
        "--calibration",
        "--alphas",
        "10",
        "--runs",
        "1",
        "--cap",
        "20",
    ];
    bench
        .run(&few)
        .shows(&["P(best) ≥ 0.95", "TTPS, hierarchical, α learned, waits"]);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    for (arguments, words) in [
        (&["--runs", "12"][..], "spread evenly"),
        (&["--runs", "0"], "1.."),
        (&["--alphas", "0"], "concentration 0"),
        (&["--lengths", "0"], "1..="),
        (&["--margin", "0.3"], ".05, .025 and .01"),
        (&["--systems", "7"], "10 and 20 with .05"),
    ] {
        Bench::new()
            .run(&[&["haffari"], arguments].concat())
            .refuses(&[words]);
    }
}
