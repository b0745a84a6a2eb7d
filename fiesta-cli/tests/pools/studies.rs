//! Tests of studies on a pool of items: strata in the study file, the terminal and the page, and a
//! verdict on items like these.

use crate::{
    refused, run,
    support::{self, Bench, code},
};
use serde_json::Value;

const WORKER: &str = r#"
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    n = case["item"]["n"]
    rate = {"good": 4, "fair": 3, "poor": 2}[case["arm"]]
    print(json.dumps({"id": case["id"], "accuracy": int((n * 7 + n // 5) % 5 < rate)}), flush=True)
"#;

fn study(bench: &Bench, design: &str, item: impl Fn(usize) -> String) {
    bench.file("worker.py", WORKER);
    bench.file("questions.jsonl", &(0..120).map(item).collect::<String>());
    let arms = ["poor", "good", "fair"].map(|arm| format!("[[arm]]\nname = \"{arm}\"\n"));
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[worker]\ncommand = [\"python3\", \"worker.py\"]\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"questions.jsonl\"\nseed = 2\n{design}\n[goal]\nconfidence = 0.95\nbudget = {{ evaluations = 90 }}\n{}",
            arms.concat()
        ),
    );
}

fn with_kind(n: usize) -> String {
    let kind = ["sums", "sums", "words"][n % 3];
    format!(
        "{{\"id\": \"q{n}\", \"n\": {n}, \"kind\": \"{kind}\", \"question\": \"What <b>is</b> {n}?\"}}\n"
    )
}

/// Tests that a study asks for the items of its groups in balanced order, and that every text names the groups' sizes.
#[test]
fn strata_from_the_study_file_to_the_page_and_back() {
    let bench = Bench::new();
    study(&bench, "strata = \"kind\"", with_kind);
    let (_, text, _) = run(&bench, &["run", "study.toml", "--check"]);
    assert!(
        text.contains("2 groups of items by kind: sums 80, words 40"),
        "{text}"
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert!(
        [Some(code::DONE), Some(code::SHORT)].contains(&exit),
        "{result}"
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    let groups = status["pool"]["groups"].as_array().unwrap();
    assert_eq!(
        (&groups[0]["group"], &groups[0]["items"]),
        (&"sums".into(), &80.into())
    );
    let answered = |group: &Value| group["arms"][1]["answered"].as_f64().unwrap();
    assert!(
        (answered(&groups[0]) - 2.0 * answered(&groups[1])).abs() <= 4.0,
        "{status}"
    );
    let arm = &status["arms"][1];
    assert_eq!(arm["value"], status["pool"]["arms"][1]["mean"]);

    let (_, csv, _) = run(&bench, &["export", "study.toml"]);
    let header = csv.lines().next().unwrap().to_owned();
    assert!(
        header.contains(",item,") && header.contains("group") && !header.contains("split"),
        "{header}"
    );
    bench.file("exported.csv", &csv);
    let (_, belief) = bench.json(&["belief", "exported.csv", "--pool-size", "120"]);
    assert!(header.contains("turn,pool_size"), "{header}");
    // What the study chose is told as the study told it, to the last digit.
    for key in ["items", "answered", "claim", "arms", "discordant"] {
        // The arms of a file stand in the order of their first rows.
        let of = |report: &Value| match key {
            "arms" => sorted_by_name(&report["pool"][key]),
            _ => report["pool"][key].clone(),
        };
        assert_eq!(of(&belief), of(&status), "{key}");
    }
    for arm in belief["arms"].as_array().unwrap() {
        let name = arm["name"].as_str().unwrap();
        let of_study = support::arm(&status, name);
        assert_eq!(
            arm["probability_best"], of_study["probability_best"],
            "{name}"
        );
        assert_eq!(
            arm["expected_shortfall"], of_study["expected_shortfall"],
            "{name}"
        );
    }
    assert_eq!(belief["pool"]["origin"], "study");
    assert_eq!(belief["pool"]["groups"][0]["group"], "sums");

    let (exit, _, error) = run(&bench, &["report", "study.toml", "--formats", "svg"]);
    assert_eq!(exit, Some(code::DONE), "{error}");
    let page = bench.text("study.report/report.html");
    for part in [
        "The items that decide",
        "What &lt;b&gt;is&lt;/b&gt;",
        "fiesta log study.toml",
        "mean over the pool",
        "By group",
        "Pool answered",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("median") && !page.contains("<b>is</b>"));
    let (exit, _, error) = run(
        &bench,
        &[
            "report",
            "exported.csv",
            "--formats",
            "svg",
            "--pool-size",
            "120",
        ],
    );
    assert_eq!(exit, Some(code::DONE), "{error}");
    assert!(
        bench
            .text("exported.report/report.html")
            .contains("Pool answered")
    );
}

fn sorted_by_name(arms: &Value) -> Value {
    let mut arms = arms.as_array().unwrap().clone();
    arms.sort_by_key(|arm| arm["name"].to_string());
    arms.into()
}

/// Function that writes the line of an item.
type Line = fn(usize) -> String;

/// Tests that invalid strata are refused, with the line and the items.
#[test]
fn wrong_strata_are_refused() {
    let bench = Bench::new();
    let cases: [(&str, Line, &str); 6] = [
        (
            "strata = \"sort\"",
            with_kind,
            "120 of 120 items have no such key",
        ),
        ("strata = \"n\"", with_kind, "120 values for 120 items"),
        (
            "strata = \"kind\"",
            |n| format!("{{\"n\": {n}, \"kind\": \"all\"}}\n"),
            "have the same `kind`, `all`",
        ),
        (
            "strata = \"kind\"",
            |n| format!("{{\"n\": {n}, \"kind\": [1]}}\n"),
            "has a list or an object there",
        ),
        (
            "strata = \"kind\"",
            |n| {
                if n == 7 {
                    format!("{{\"n\": {n}}}\n")
                } else {
                    with_kind(n)
                }
            },
            "1 of 120 items have no such key, or nothing there (`8`)",
        ),
        (
            "strata = \"kind\"\nstopping = \"anytime-bounded\"",
            with_kind,
            "strata balance the order",
        ),
    ];
    for (design, item, part) in cases {
        study(&bench, design, item);
        refused(&bench, &["run", "study.toml"], part);
        refused(&bench, &["run", "study.toml"], "study.toml:9");
    }
    bench.file("study.toml", "name = \"x\"\ncommand = [\"true\"]\n[metric]\nname = \"score\"\n[design]\nstrata = \"kind\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n");
    refused(
        &bench,
        &["run", "study.toml"],
        "strata are groups of the items of a pool",
    );
}

/// Tests a verdict on items like these: it may stay open at the end of the items, with the exit
/// code of a missed goal.
#[test]
fn a_study_of_items_like_these_may_stay_open() {
    let bench = Bench::new();
    bench.file(
        "items.csv",
        &(0..12).fold("id\n".to_owned(), |text, item| format!("{text}{item}\n")),
    );
    let study = |target: &str| {
        format!(
            "name = \"close\"\ncommand = [\"sh\", \"-c\", \"case $FIESTA_ARM$FIESTA_ITEM_ID in a3|b3|b7) echo '{{\\\"accuracy\\\": 0}}';; *) echo '{{\\\"accuracy\\\": 1}}';; esac\"]\n\
             [metric]\nname = \"accuracy\"\n[goal]\nconfidence = 0.95\n{target}\n[design]\nitems = \"items.csv\"\n\
             [[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n"
        )
    };
    bench.file("like.toml", &study("target = \"items like these\""));
    let (exit, text, error) = run(&bench, &["run", "like.toml"]);
    assert_eq!(exit, Some(code::SHORT), "{text}{error}");
    assert!(text.contains("items like these"), "{text}");
    bench.file("these.toml", &study(""));
    let (exit, text, error) = run(&bench, &["run", "these.toml"]);
    assert_eq!(exit, Some(code::DONE), "{text}{error}");
    assert!(
        text.contains("On items like these, a is best with 75.2 % posterior"),
        "{text}"
    );
    bench.file("wrong.toml", &study("target = \"all\""));
    refused(&bench, &["run", "wrong.toml"], "items like these");
    let anytime = study("target = \"items like these\"")
        .replace("[design]", "[design]\nstopping = \"anytime-bounded\"");
    bench.file("anytime.toml", &anytime);
    refused(&bench, &["run", "anytime.toml"], "is about these items");
    let splits = study("target = \"items like these\"").replace("items = \"items.csv\"", "");
    bench.file("splits.toml", &splits);
    refused(&bench, &["run", "splits.toml"], "is about a pool of items");
    let splits = study("target = \"these items\"").replace("items = \"items.csv\"", "");
    bench.file("splits.toml", &splits);
    refused(&bench, &["run", "splits.toml"], "is about a pool of items");
}
