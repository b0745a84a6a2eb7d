//! `fiesta battery` through the program.

mod support;

use serde_json::Value;
use support::{Bench, code};

fn battery(arguments: &[&str]) -> Value {
    let (code, document) = Bench::new().json(&[&["battery"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

fn cells(document: &Value) -> &Vec<Value> {
    document["cells"].as_array().unwrap()
}

#[test]
fn every_combination_is_a_cell() {
    let document = battery(&[
        "--family",
        "two-1,equal-sds-1",
        "--policy",
        "ttts,uniform",
        "--posterior",
        "pooled,jeffreys",
        "--confidence",
        "0.9,0.8",
        "--parallel",
        "1,4",
        "--runs",
        "10",
        "--seed",
        "3",
    ]);
    assert_eq!(cells(&document).len(), 2 * 2 * 2 * 2 * 2);
    assert_eq!(
        (&document["runs"], &document["seed"]),
        (&10.into(), &3.into())
    );
    for cell in cells(&document) {
        let of = |value: &Value| value.as_f64().unwrap();
        let (made, cost) = (of(&cell["evaluations"]["mean"]), of(&cell["cost"]["mean"]));
        assert!((4.0..200.0).contains(&made), "{cell}");
        assert!((0.0..=1.0).contains(&of(&cell["error"])), "{cell}");
        if cell["parallel"] == 1 {
            // One at a time all last equally long.
            assert!(
                (cost - made).abs() < 1e-9 && (of(&cell["time"]) - made).abs() < 1e-9,
                "{cell}"
            );
        } else {
            let time = of(&cell["time"]);
            assert!(time < cost && cost <= 4.0 * time + 1e-9, "{cell}");
        }
        assert!(
            of(&cell["lower_bound"]) > 0.0 && cell["oracle_cost"].is_null(),
            "{cell}"
        );
        assert_eq!(cell["stopping"], "posterior");
    }
    // Less confidence is reached earlier.
    let made = |place: usize| {
        cells(&document)[place]["evaluations"]["mean"]
            .as_f64()
            .unwrap()
    };
    assert!(made(0) > made(1));
}

#[test]
fn a_cell_that_fails_is_shown() {
    let arguments = [
        "--family",
        "two-1",
        "--policy",
        "sequential-halving,ttts",
        "--runs",
        "5",
    ];
    let document = battery(&arguments);
    assert_eq!(cells(&document).len(), 4);
    let reason = cells(&document)[0]["failed"].as_str().unwrap();
    assert!(reason.contains("needs a budget"), "{reason}");
    assert!(cells(&document)[1]["failed"].is_null());
    let text = Bench::new().fiesta(&[&["battery"], &arguments[..]].concat());
    text.says(code::DONE, &["4/4: two-1"]);
    assert!(
        text.stdout
            .contains("FAILED: the policy sequential-halving needs"),
        "{text:?}"
    );
}

#[test]
fn errors_where_arms_are_equal_are_known_ones() {
    let arguments = [
        "--family",
        "two-tied",
        "--runs",
        "40",
        "--confidence",
        "0.8",
        "--parallel",
        "1",
    ];
    let document = battery(&arguments);
    let cell = &cells(&document)[0];
    assert_eq!(cell["verdict"], "known");
    assert!(cell["error"].as_f64().unwrap() > 0.5, "{cell}");
    assert!(cell["lower_bound"].is_null(), "{cell}");
    let text = Bench::new().fiesta(&[&["battery"], &arguments[..]].concat());
    assert!(
        text.stdout
            .lines()
            .any(|line| line.starts_with("two-tied") && line.ends_with("known")),
        "{text:?}"
    );
}

#[test]
fn costs_are_printed_beside_those_of_the_oracle() {
    let arguments = ["--family", "slow-best", "--runs", "10", "--parallel", "1"];
    let document = battery(&arguments);
    let cell = &cells(&document)[0];
    let of = |value: &Value| value.as_f64().unwrap();
    assert!(
        of(&cell["cost"]["mean"]) > 2.0 * of(&cell["evaluations"]["mean"]),
        "{cell}"
    );
    assert!(of(&cell["oracle_cost"]) > 0.0, "{cell}");
    let markdown =
        Bench::new().fiesta(&[&["battery"], &arguments[..], &["--format", "markdown"]].concat());
    assert!(
        markdown.stdout.starts_with(
            "| family | gap | evaluations | cost | error % | undecided % | oracle | bound |"
        ),
        "{markdown:?}"
    );
    // A tie-break that looks at costs spends less.
    let both = ["--policy", "t3c:cost-aware,t3c:coin", "--runs", "60"];
    let family = [
        "--family",
        "slow-best",
        "--parallel",
        "1",
        "--confidence",
        "0.9",
    ];
    let cells_of = battery(&[&family[..], &both[..]].concat());
    let cost = |place: usize| of(&cells(&cells_of)[place]["cost"]["mean"]);
    assert!(cost(0) < 0.9 * cost(1), "{cells_of}");
    // Where costs are equal only on demand.
    let equal = battery(&[
        "--family",
        "two-1",
        "--runs",
        "5",
        "--parallel",
        "1",
        "--oracle",
    ]);
    assert!(of(&cells(&equal)[0]["oracle_cost"]) > 0.0);
}

#[test]
fn the_list_has_what_can_be_asked_for() {
    let listed = battery(&["--list"]);
    let families = listed.as_array().unwrap();
    assert!(families.len() > 30, "{listed}");
    for family in families {
        let must_hold = family["gap_in_sds"].as_f64().unwrap() >= 0.5 - 1e-9;
        assert_eq!(family["must_hold"], must_hold, "{family}");
    }
    let text = Bench::new().fiesta(&["battery", "--list"]);
    text.says(code::DONE, &[]);
    for family in families {
        let name = family["name"].as_str().unwrap();
        assert!(
            text.stdout.lines().any(|line| line.starts_with(name)),
            "{name}"
        );
    }
}

#[test]
fn unknown_names_are_refused() {
    for (flag, name, says) in [
        ("--family", "nonesuch", "`fiesta battery --list`"),
        ("--policy", "nonesuch", "use one of"),
        ("--policy", "ttts:nonesuch", "nonesuch"),
        ("--policy", "uniform:coin", "takes no tie-break"),
        ("--posterior", "nonesuch", "use one of"),
        ("--stopping", "nonesuch", "no stopping rule `nonesuch`"),
        ("--confidence", "1.5", "between 0.5 and 1"),
        ("--parallel", "0", "0"),
    ] {
        let ran = Bench::new().fiesta(&["battery", "--runs", "1", flag, name]);
        ran.says(code::USAGE, &[says]);
    }
}

/// `auto` beside each stopping rule is the policy that serves it, and has runs of its own.
#[test]
fn every_stopping_rule_has_its_own_policy_and_runs() {
    let family = [
        "--family",
        "equal-sds-1",
        "--parallel",
        "1",
        "--runs",
        "20",
        "--posterior",
        "pooled",
    ];
    let of = |stopping: &str, policy: &str| {
        let method = ["--stopping", stopping, "--policy", policy];
        cells(&battery(&[&family[..], &method].concat())).clone()
    };
    let both = of("anytime,posterior", "auto");
    let policies: Vec<&Value> = both.iter().map(|cell| &cell["policy"]).collect();
    assert_eq!(policies, ["evidence", "ttps"]);
    assert_eq!(both[..1], of("anytime", "evidence"));
    assert_eq!(both[1..], of("posterior", "ttps"));
    // It takes fewer evaluations than what serves the other rule, or the names would mean nothing.
    let made = |cell: &Value| cell["evaluations"]["mean"].as_f64().unwrap();
    let other = of("anytime", "ttps");
    assert!(made(&both[0]) < 0.9 * made(&other[0]), "{both:?} {other:?}");
    // Two names for one policy are one method.
    assert_eq!(of("posterior", "auto,ttps").len(), 1);
    let arguments = [&["battery", "--stopping", "anytime,posterior"], &family[..]];
    let text = Bench::new().fiesta(&arguments.concat());
    text.says(code::DONE, &["2/2: equal-sds-1, ttps with"]);
    let row = |policy: &str| {
        let mut lines = text.stdout.lines();
        lines.any(|line| line.starts_with("equal-sds-1") && line.contains(policy))
    };
    assert!(row("evidence") && row("ttps"), "{text:?}");
}
