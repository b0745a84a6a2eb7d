//! `experiments battery` through the program.

mod support;

use serde_json::Value;
use support::{Bench, json, list, number};

fn cells(arguments: &[&str]) -> Vec<Value> {
    let document = json(&[&["battery"], arguments].concat());
    list(&document["cells"]).to_vec()
}

/// Returns the figure with this name that a cell states of its runs.
fn of(cell: &Value, name: &str) -> f64 {
    number(&cell["measured"]["runs"][name])
}

#[test]
fn every_combination_is_a_cell() {
    let arguments = [
        "--family",
        "two-1,equal-sds-1",
        "--policy",
        "ttts,uniform",
        "--posterior",
        "pooled,jeffreys",
        "--stopping",
        "posterior-at-once",
        "--confidence",
        "0.9,0.8",
        "--parallel",
        "1,4",
        "--runs",
        "10",
        "--seed",
        "3",
    ];
    let cells = cells(&arguments);
    assert_eq!(cells.len(), 2 * 2 * 2 * 2 * 2);
    for cell in &cells {
        let [made, cost, time] = ["mean", "cost", "time"].map(|name| of(cell, name));
        assert!((4.0..200.0).contains(&made), "{cell}");
        let measured = &cell["measured"];
        assert!(
            (0.0..=1.0).contains(&number(&measured["error"]["mean"])),
            "{cell}"
        );
        if cell["parallel"] == 1 {
            // One at a time all last equally long.
            assert!(
                (cost - made).abs() < 1e-9 && (time - made).abs() < 1e-9,
                "{cell}"
            );
        } else {
            assert!(time < cost && cost <= 4.0 * time + 1e-9, "{cell}");
        }
        assert!(number(&measured["lower_bound"]) > 0.0, "{cell}");
        assert!(measured["oracle_cost"].is_null(), "{cell}");
        assert_eq!(
            (&cell["stopping"], of(cell, "runs")),
            (&"posterior-at-once".into(), 10.0)
        );
    }
    // Less confidence is reached earlier.
    assert!(of(&cells[0], "mean") > of(&cells[1], "mean"));
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
    let cells = cells(&arguments);
    assert_eq!(cells.len(), 4);
    let reason = cells[0]["failed"].as_str().unwrap();
    assert!(reason.contains("needs a budget"), "{reason}");
    assert!(cells[1]["failed"].is_null());
    let text = Bench::new().run(&[&["battery"], &arguments[..]].concat());
    text.shows(&["the policy sequential-halving needs"]);
    assert!(text.stderr.contains("4/4: two-1"), "{text:?}");
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
    let cell = &cells(&arguments)[0]["measured"];
    assert_eq!(cell["verdict"], "known");
    assert!(number(&cell["error"]["mean"]) > 0.5, "{cell}");
    assert!(cell["lower_bound"].is_null(), "{cell}");
    let text = Bench::new().run(&[&["battery"], &arguments[..]].concat());
    let is_it = |line: &str| line.starts_with("two-tied") && line.ends_with("known");
    assert!(text.stdout.lines().any(is_it), "{text:?}");
}

#[test]
fn costs_are_printed_beside_those_of_the_oracle() {
    let arguments = ["--family", "slow-best", "--runs", "10", "--parallel", "1"];
    let cell = &cells(&arguments)[0];
    assert!(of(cell, "cost") > 2.0 * of(cell, "mean"), "{cell}");
    assert!(number(&cell["measured"]["oracle_cost"]) > 0.0, "{cell}");
    let markdown = [&["battery"], &arguments[..], &["--format", "markdown"]].concat();
    let markdown = Bench::new().run(&markdown);
    let head = "| family | gap | evaluations | cost | error % | tied % | undecided % | oracle | bound | verdict |";
    assert!(markdown.stdout.starts_with(head), "{markdown:?}");
    // A tie-break that looks at costs spends less.
    let both = cells(&[
        "--family",
        "slow-best",
        "--parallel",
        "1",
        "--confidence",
        "0.9",
        "--policy",
        "t3c:cost-aware,t3c:coin",
        "--runs",
        "30",
    ]);
    assert!(
        of(&both[0], "cost") < 0.9 * of(&both[1], "cost"),
        "{both:?}"
    );
    // Where costs are equal only on demand.
    let equal = [
        "--family",
        "two-1",
        "--runs",
        "5",
        "--parallel",
        "1",
        "--oracle",
    ];
    assert!(number(&cells(&equal)[0]["measured"]["oracle_cost"]) > 0.0);
}

#[test]
fn the_list_has_what_can_be_asked_for() {
    let listed = json(&["battery", "--list"]);
    let families = list(&listed);
    assert!(families.len() > 30, "{listed}");
    let text = Bench::new().run(&["battery", "--list"]);
    text.shows(&[]);
    for family in families {
        let must_hold = number(&family["gap_in_sds"]) >= 0.2 - 1e-9;
        assert_eq!(family["must_hold"], must_hold, "{family}");
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
        ("--family", "nonesuch", "`experiments battery --list`"),
        ("--policy", "nonesuch", "use one of"),
        ("--policy", "ttts:nonesuch", "nonesuch"),
        ("--policy", "uniform:coin", "takes no tie-break"),
        ("--posterior", "nonesuch", "use one of"),
        ("--stopping", "nonesuch", "no stopping rule `nonesuch`"),
        ("--confidence", "1.5", "between 0.5 and 1"),
        ("--parallel", "0", "0"),
    ] {
        let ran = Bench::new().run(&["battery", "--runs", "1", flag, name]);
        ran.refuses(&[says]);
    }
}

/// Tests that `auto` beside each stopping rule is the policy that serves it, and has runs of its own.
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
    let method = |stopping: &str, policy: &str| {
        cells(&[&family[..], &["--stopping", stopping, "--policy", policy]].concat())
    };
    let both = method("anytime,posterior", "auto");
    let policies: Vec<&Value> = both.iter().map(|cell| &cell["policy"]).collect();
    assert_eq!(policies, ["evidence", "ttps"]);
    assert_eq!(both[..1], method("anytime", "evidence"));
    assert_eq!(both[1..], method("posterior", "ttps"));
    // It takes fewer evaluations than what serves the other rule, or the names would mean nothing.
    let other = method("anytime", "ttps");
    assert!(
        of(&both[0], "mean") < 0.9 * of(&other[0], "mean"),
        "{both:?} {other:?}"
    );
    // Two names for one policy are one method.
    assert_eq!(method("posterior", "auto,ttps").len(), 1);
    let arguments = [&["battery", "--stopping", "anytime,posterior"], &family[..]];
    let text = Bench::new().run(&arguments.concat());
    assert!(
        text.stderr.contains("2/2: equal-sds-1, ttps with"),
        "{text:?}"
    );
    let row = |policy: &str| {
        let mut lines = text.stdout.lines();
        lines.any(|line| line.starts_with("equal-sds-1") && line.contains(policy))
    };
    assert!(row("evidence") && row("ttps"), "{text:?}");
}

/// Tests a sample of docs/confidence.md with other seeds: the default rule errs no more than it
/// says from .2 standard deviations on, by more than 3 standard errors, and ends at ties.
#[test]
#[ignore = "takes a minute with optimisation"]
fn the_default_rule_holds_at_small_gaps() {
    let families = "two-at-0.2,two-independent-at-0.2,two-quiet-best-at-0.2,eight-at-0.5,two-tied";
    let levels = ["--confidence", "0.95,0.9,0.8", "--parallel", "1"];
    let runs = ["--runs", "400", "--seed", "9", "--family", families];
    for cell in cells(&[&levels[..], &runs].concat()) {
        let (family, measured) = (cell["family"].as_str().unwrap(), &cell["measured"]);
        println!(
            "{family} at {}: wrong {}, tied {}, {} evaluations",
            cell["confidence"],
            number(&measured["error"]["mean"]),
            number(&measured["tied"]),
            of(&cell, "mean")
        );
        if family == "two-tied" {
            assert!(
                number(&measured["tied"]) > 0.05 && of(&cell, "mean") < 120.0,
                "{cell}"
            );
        } else {
            assert_eq!(measured["verdict"], "holds", "{cell}");
        }
        if family == "eight-at-0.5" {
            assert!(number(&measured["tied"]) <= 0.05, "{cell}");
        }
    }
}
