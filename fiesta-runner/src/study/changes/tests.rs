//! Tests of the effects that changes of a study file have.

use super::*;
use serde_json::json;

/// What differences mean once there are scores.
fn changes(before: &Value, after: &Value) -> Vec<Change> {
    super::changes(before, after, Evaluated::Scores)
}

fn effect(before: &Value, after: &Value) -> Effect {
    let found = changes(before, after);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].effect
}

#[allow(clippy::needless_pass_by_value, reason = "written where it is called")]
fn study(goal: Value, policy: &str, stopping: &str) -> Value {
    json!({
        "goal": goal,
        "design": {"policy": policy, "stopping": stopping},
        "arm": [{"name": "a"}, {"name": "b"}],
    })
}

#[test]
fn finds_the_keys_that_differ() {
    let before = json!({"design": {"parallel": 1, "seed": 1}, "name": "a"});
    let after = json!({"design": {"parallel": 2, "seed": 1}, "name": "b"});
    let found = changes(&before, &after);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].to_string(), "design.parallel: 1 → 2 (harmless)");
    assert!(found[0].is_acceptable());
    assert_eq!(found[1].to_string(), r#"name: "a" → "b" (another study)"#);
    assert!(!found[1].is_acceptable());
}

#[test]
fn a_key_is_not_harmless_for_beginning_like_one() {
    let found = effect(&json!({}), &json!({"executors": 1}));
    assert_eq!(found, Effect::Another(""));
}

/// Which items were asked depends on which items the verdict is of.
#[test]
fn another_target_is_another_study() {
    let found = effect(
        &json!({"goal": {}}),
        &json!({"goal": {"target": "items like these"}}),
    );
    assert!(matches!(found, Effect::Another(why) if why.contains("which items")));
}

#[test]
fn goals_move_either_way() {
    use Effect::{Extends, Shortens};
    let budget = |evaluations: u64| json!({"budget": {"evaluations": evaluations}});
    let wall = |text: &str| json!({"confidence": 0.9, "budget": {"wall": text}});
    for (before, after, expected) in [
        (
            json!({"confidence": 0.95}),
            json!({"confidence": 0.99}),
            Extends,
        ),
        (
            json!({"confidence": 0.99}),
            json!({"confidence": 0.95}),
            Shortens,
        ),
        (json!({"confidence": 0.95}), json!({}), Effect::Extends),
        (json!({}), json!({"tolerance": 0.1}), Shortens),
        (json!({"tolerance": 0.1}), json!({}), Extends),
        (budget(20), budget(40), Extends),
        (budget(40), budget(20), Shortens),
        // The cap of two arms was 200.
        (
            json!({"confidence": 0.9}),
            json!({"confidence": 0.9, "budget": {"evaluations": 500}}),
            Extends,
        ),
        (
            json!({"confidence": 0.9}),
            json!({"confidence": 0.9, "budget": {"evaluations": 50}}),
            Shortens,
        ),
        (wall("1h"), wall("90m"), Extends),
        (wall("1h"), wall("50m"), Shortens),
        (
            budget(20),
            json!({"budget": {"evaluations": 20, "cost": 4.0}}),
            Shortens,
        ),
        (
            json!({"budget": {"evaluations": 20, "cost": 4.0}}),
            budget(20),
            Extends,
        ),
        (json!({"trials": 20}), json!({"trials": 50}), Extends),
    ] {
        let (before, after) = (
            study(before, "ttps", "posterior"),
            study(after, "ttps", "posterior"),
        );
        let found = changes(&before, &after);
        assert!(
            found.iter().all(|change| change.effect == expected),
            "{found:?}"
        );
        if before["goal"]["confidence"] != after["goal"]["confidence"] || found.len() == 1 {
            continue;
        }
        panic!("{found:?}");
    }
    let guard = |least: u64| study(json!({"min_documents": least}), "ttps", "posterior");
    assert_eq!(effect(&guard(5), &guard(9)), Extends);
    assert!(matches!(effect(&guard(9), &guard(5)), Effect::Another(_)));
}

#[test]
fn what_a_schedule_has_divided_stays_as_it_is() {
    for policy in ["sequential-halving", "successive-rejects"] {
        let with = |evaluations: u64, wall: &str| {
            let budget = json!({"budget": {"evaluations": evaluations, "wall": wall}});
            study(budget, policy, "posterior")
        };
        assert!(matches!(
            effect(&with(20, "1h"), &with(40, "1h")),
            Effect::Another(_)
        ));
        assert!(matches!(
            effect(&with(40, "1h"), &with(20, "1h")),
            Effect::Another(_)
        ));
        assert_eq!(effect(&with(40, "1h"), &with(40, "2h")), Effect::Extends);
        let mut more = with(40, "1h");
        more["arm"] = json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]);
        assert!(matches!(effect(&with(40, "1h"), &more), Effect::Another(_)));
    }
}

#[test]
fn what_anytime_promised_stays_as_it_is() {
    let with = |confidence: f64| study(json!({"confidence": confidence}), "evidence", "anytime");
    assert_eq!(effect(&with(0.95), &with(0.99)), Effect::Extends);
    assert!(matches!(
        effect(&with(0.99), &with(0.95)),
        Effect::Another(_)
    ));
    let mut more = with(0.95);
    more["arm"] = json!([{"name": "c"}, {"name": "a"}, {"name": "b"}]);
    assert!(matches!(effect(&with(0.95), &more), Effect::Another(_)));
    // A budget that goes leaves the implied confidence, which was not there.
    let budget = study(
        json!({"budget": {"evaluations": 20}}),
        "evidence",
        "anytime",
    );
    let none = study(json!({}), "evidence", "anytime");
    assert!(matches!(effect(&budget, &none), Effect::Another(_)));
}

#[test]
fn arms_go_by_their_names() {
    let with = |arms: Value| json!({"arm": arms});
    let two = with(json!([{"name": "a", "cost": 1}, {"name": "b"}]));
    let more = with(json!([{"name": "a", "cost": 1}, {"name": "b"}, {"name": "c.d"}]));
    assert_eq!(effect(&two, &more), Effect::Extends);
    assert_eq!(changes(&two, &more)[0].key, "arm.c.d");
    assert!(matches!(effect(&more, &two), Effect::Another(_)));
    let dearer = with(json!([{"name": "a", "cost": 2}, {"name": "b"}]));
    let found = &changes(&two, &dearer)[0];
    assert_eq!(
        (found.key.as_str(), found.effect),
        ("arm.a.cost", Effect::Another(""))
    );
    // A new name is an arm that goes and one that comes.
    let renamed = with(json!([{"name": "x", "cost": 1}, {"name": "b"}]));
    let found = changes(&two, &renamed);
    let acceptable: Vec<bool> = found.iter().map(Change::is_acceptable).collect();
    assert_eq!(acceptable, [false, true]);
}

#[test]
fn trials_may_be_added_and_not_taken_away() {
    for (before, after, acceptable) in [
        (json!(20), json!(50), true),
        (json!(50), json!(20), false),
        (Value::Null, json!(50), false),
        (json!(50), Value::Null, false),
    ] {
        let with = |trials: Value| json!({"goal": {"trials": trials}});
        let found = changes(&with(before), &with(after));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].is_acceptable(), acceptable, "{}", found[0]);
    }
}

/// What a ledger of the first version says of a study is still that study: keys that came later are
/// no change.
#[test]
fn studies_of_earlier_ledgers_are_the_same() {
    let recorded = json!({
        "name": "trial",
        "command": ["sh", "score.sh", "{arm}", "{split}", "{seed}"],
        "metric": {"name": "accuracy", "direction": "maximize", "bounds": null},
        "goal": {"confidence": null, "tolerance": null, "budget": {"evaluations": 10, "cost": null, "wall": null}},
        "design": {
            "splits": "shared", "policy": "ttps", "posterior": "paired", "stopping": "posterior", "parallel": null,
            "batch": null, "beta": null, "tie_break": null, "extended": null, "seed": 0
        },
        "resources": {"gpus_per_job": null, "timeout": null, "grace": null, "retries": null},
        "executor": {"kind": null, "gpus": null},
        "report": {"code": null, "data": null, "validation_metric": null, "selection_criterion": null},
        "arm": [
            {"name": "low", "command": null, "env": {}, "gpus_per_job": null, "cost": null},
            {"name": "high", "command": null, "env": {}, "gpus_per_job": null, "cost": null}
        ]
    });
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("study.toml");
    let study = "name = \"trial\"
command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]
metric = { name = \"accuracy\" }
goal = { budget = { evaluations = 10 } }
arm = [{ name = \"low\" }, { name = \"high\" }]
";
    std::fs::write(&path, study).unwrap();
    let study = crate::Study::read(&path).unwrap();
    assert_eq!(changes(&recorded, study.fingerprint()), []);
}

#[test]
fn splits_are_added_and_taken_away() {
    let of = |splits: Value| json!({"design": {"splits": splits}});
    let count = |kind: &str, count: u64| of(json!({"kind": kind, "count": count}));
    for (before, after, expected) in [
        (count("shared", 4), count("shared", 6), Effect::Extends),
        (count("shared", 6), count("shared", 4), Effect::Shortens),
        (count("shared", 6), of(json!("shared")), Effect::Extends),
        (of(json!("shared")), count("shared", 6), Effect::Shortens),
        (
            of(json!("shared")),
            count("independent", 6),
            Effect::Another(""),
        ),
    ] {
        assert_eq!(effect(&before, &after), expected, "{before} {after}");
    }
    let found = changes(&count("shared", 4), &count("independent", 4));
    assert_eq!(found[0].key, "design.splits.kind");
    assert_eq!(found[0].effect, Effect::Another(""));
}

/// How evaluations are made may change as long as there is no score that another one could be
/// compared with.
#[test]
fn what_nothing_was_scored_with_can_be_mended() {
    let with = |command: &str, variable: &str, pattern: &str, seed: u64| {
        json!({
            "command": ["python", command],
            "metric": {"name": "f1", "pattern": pattern},
            "design": {"seed": seed},
            "arm": [{"name": "a.env", "env": {"X": variable}, "cost": 1}],
        })
    };
    let before = with("a.py", "1", "f1", 1);
    let after = with("b.py", "2", "F1", 1);
    let keys = ["arm.a.env.env.X", "command", "metric.pattern"];
    for (evaluated, acceptable) in [
        (Evaluated::NoScores, true),
        (Evaluated::Started, false),
        (Evaluated::Scores, false),
    ] {
        let found = super::changes(&before, &after, evaluated);
        let found_keys: Vec<&str> = found.iter().map(|change| change.key.as_str()).collect();
        assert_eq!(found_keys, keys);
        assert!(found.iter().all(|own| own.is_acceptable() == acceptable));
    }
    // What decides on the way of a study stays.
    let other = with("a.py", "1", "f1", 2);
    let found = super::changes(&before, &other, Evaluated::NoScores);
    assert!(!found[0].is_acceptable());
    let mut unnamed = before.clone();
    unnamed["metric"]["name"] = Value::Null;
    let found = super::changes(&before, &unnamed, Evaluated::NoScores);
    assert!(!found[0].is_acceptable());
}
