//! Tests of the effects that changes of a study file have.

use super::*;
use serde_json::json;

/// Makes a summary in which each of four arms has `scores` scores and `started` jobs.
fn evaluated(scores: u64, started: u64, paid: Paid) -> Evaluated {
    Evaluated {
        arms: vec![OfArm { scores, started }; 4],
        paid,
    }
}

/// Returns the changes between two studies once there are scores.
fn changes(before: &Value, after: &Value) -> Vec<Change> {
    super::changes(before, after, &evaluated(3, 0, Paid::Measured))
}

fn effect(before: &Value, after: &Value) -> Effect {
    let found = changes(before, after);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].effect
}

#[expect(clippy::needless_pass_by_value, reason = "written where it is called")]
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

/// Tests that another target makes another study, as it decides which items are asked.
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
        ("arm.a.cost", Effect::Harmless)
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

/// Tests that the study in a ledger of the first version is unchanged under this version: keys that
/// were added later are no change.
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
    // The files of its arms were not recorded, nor is there any.
    assert_eq!(changes(&recorded, &study.fingerprint), []);
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

/// Tests that the way of making evaluations can change while no score exists, and later with the
/// user's statement that scores remain valid. The way of reading a score cannot.
#[test]
fn what_nothing_was_scored_with_can_be_mended() {
    let with = |command: &str, variable: &str, pattern: &str, seed: u64| {
        json!({
            "command": ["python", command],
            "metric": {"name": "f1", "pattern": pattern},
            "design": {"seed": seed},
            "arm": [{"name": "a.env", "env": {"X": variable}, "cost": 1}, {"name": "b", "command": ["x"]}],
        })
    };
    let before = with("a.py", "1", "f1", 1);
    let after = with("b.py", "2", "F1", 1);
    let keys = ["arm.a.env.env.X", "command", "metric.pattern"];
    for (evaluated, effects) in [
        (evaluated(0, 0, Paid::Nothing), [Effect::Mends; 3]),
        (
            evaluated(0, 2, Paid::Nothing),
            [
                Effect::Remakes(2),
                Effect::Remakes(2),
                Effect::Another("a job was started"),
            ],
        ),
        (
            evaluated(3, 1, Paid::Measured),
            [Effect::Remakes(4), Effect::Remakes(4), Effect::Another("")],
        ),
    ] {
        let found = super::changes(&before, &after, &evaluated);
        let found_keys: Vec<&str> = found.iter().map(|change| change.key.as_str()).collect();
        assert_eq!(found_keys, keys);
        for (change, expected) in found.iter().zip(effects) {
            match (change.effect, expected) {
                (Effect::Another(reason), Effect::Another(words)) => {
                    assert!(reason.starts_with(words), "{reason}");
                }
                (effect, expected) => assert_eq!(effect, expected, "{change}"),
            }
        }
        // The other arm has a command of its own.
        assert_eq!(found[1].arms, ["a.env"]);
    }
    // What decides on the way of a study stays.
    let nothing = Evaluated::default();
    let other = with("a.py", "1", "f1", 2);
    let found = super::changes(&before, &other, &nothing);
    assert!(!found[0].is_acceptable());
    let mut unnamed = before.clone();
    unnamed["metric"]["name"] = Value::Null;
    let found = super::changes(&before, &unnamed, &nothing);
    assert!(!found[0].is_acceptable());
}

/// Changes of each key, and their effects once there are scores and measured times: `=` accepted,
/// `+` extends, `-` may end sooner, `?` needs a statement or new evaluations, `x` another study.
const ROWS: &[(&str, &str, &str, char)] = &[
    ("name", r#""a""#, r#""b""#, 'x'),
    ("command", r#"["a"]"#, r#"["b"]"#, '?'),
    ("inputs", r#"["a"]"#, r#"["b"]"#, '='),
    ("arm_from", "null", r#""environment""#, '='),
    ("metric.name", r#""a""#, r#""b""#, 'x'),
    ("metric.direction", r#""maximize""#, r#""minimize""#, 'x'),
    ("metric.bounds", "[0, 1]", "[0, 2]", 'x'),
    ("metric.f_beta", "1", "2", 'x'),
    ("metric.precision_weight", "0.5", "0.4", 'x'),
    ("metric.exit_codes", "[0]", "[0, 1]", 'x'),
    ("metric.not_finite", "null", "0", 'x'),
    ("metric.pattern", r#""a""#, r#""b""#, 'x'),
    ("metric.percent", "false", "true", 'x'),
    ("metric.file", r#""a""#, r#""b""#, 'x'),
    ("metric.key", r#""a""#, r#""b""#, 'x'),
    (
        "search_winner",
        r#"{"arm": "a", "score": 0.8, "first": 8}"#,
        r#"{"arm": "a", "score": 0.9, "first": 8}"#,
        'x',
    ),
    ("goal.confidence", "0.9", "0.95", '+'),
    ("goal.confidence", "0.95", "0.9", '-'),
    ("goal.tolerance", "0.1", "0.01", '+'),
    ("goal.tolerance", "0.01", "0.1", '-'),
    ("goal.top", "2", "3", 'x'),
    ("goal.cheapest_within", "0.01", "0.02", 'x'),
    ("goal.tie", "0.1", "0.01", '+'),
    ("goal.tie", "0.01", "0.1", '-'),
    ("goal.strict", "false", "true", '+'),
    ("goal.strict", "true", "false", '-'),
    ("goal.shortfall", "0.1", "0.01", '+'),
    ("goal.shortfall", "0.01", "0.1", '-'),
    ("goal.min_documents", "5", "9", '+'),
    ("goal.min_documents", "9", "5", 'x'),
    ("goal.rare_failures", "0.1", "0.2", 'x'),
    ("goal.budget.evaluations", "20", "30", '+'),
    ("goal.budget.evaluations", "30", "20", '-'),
    ("goal.budget.cost", "20", "30", '+'),
    ("goal.budget.cost", "30", "20", '-'),
    ("goal.budget.wall", r#""1h""#, r#""2h""#, '+'),
    ("goal.budget.wall", r#""2h""#, r#""1h""#, '-'),
    ("goal.trials", "20", "30", '+'),
    ("goal.trials", "30", "20", 'x'),
    (
        "goal.target",
        r#""these items""#,
        r#""items like these""#,
        'x',
    ),
    ("goal.baseline_file", r#""a""#, r#""b""#, 'x'),
    ("goal.baseline", r#""a""#, r#""b""#, 'x'),
    ("goal.margin", "0.1", "0.2", 'x'),
    ("goal.better_by", "0", "0.1", 'x'),
    ("goal.until", "null", r#""first""#, 'x'),
    ("design.splits", r#""shared""#, r#""independent""#, 'x'),
    ("design.items", r#""a.jsonl""#, r#""b.jsonl""#, 'x'),
    ("design.documents", r#""a.jsonl""#, r#""b.jsonl""#, 'x'),
    ("design.strata", r#""a""#, r#""b""#, 'x'),
    ("design.repeats", "false", "true", 'x'),
    ("design.policy", r#""ts""#, r#""ttts""#, 'x'),
    ("design.posterior", r#""paired""#, r#""pooled""#, 'x'),
    ("design.alpha", "1", "2", 'x'),
    ("design.alpha0", "1", "2", 'x'),
    ("design.theta0", "[1, 0, 0, 0]", "[0, 1, 0, 0]", 'x'),
    ("design.stopping", r#""posterior""#, r#""anytime""#, 'x'),
    ("design.parallel", "1", "2", '='),
    ("design.batch", "1", "2", 'x'),
    ("design.beta", "0.5", "0.4", 'x'),
    ("design.tie_break", r#""coin""#, r#""balanced""#, 'x'),
    ("design.extended", "false", "true", 'x'),
    ("design.seed", "1", "2", 'x'),
    ("resources.gpus_per_job", "1", "2", '?'),
    ("resources.gpus_per_job", "null", "1", 'x'),
    ("resources.cost_unit", "null", r#""USD""#, 'x'),
    ("resources.timeout", r#""1h""#, r#""2h""#, '='),
    ("resources.silence", r#""1h""#, r#""2h""#, '='),
    ("resources.grace", r#""1s""#, r#""2s""#, '='),
    ("resources.retries", "1", "2", '='),
    ("executor.kind", r#""local""#, r#""slurm""#, '='),
    ("executor.gpus", "[0]", "[1]", '='),
    ("executor.watch_gpus", "true", "false", '='),
    ("executor.cpus", "1", "2", '='),
    ("executor.memory", r#""1G""#, r#""2G""#, '='),
    ("executor.time", r#""1:00""#, r#""2:00""#, '='),
    ("executor.partition", r#""a""#, r#""b""#, '='),
    ("executor.account", r#""a""#, r#""b""#, '='),
    ("executor.qos", r#""a""#, r#""b""#, '='),
    ("executor.options", r#"["--a"]"#, r#"["--export=A=1"]"#, '?'),
    (
        "executor.prologue",
        r#"["module load a"]"#,
        r#"["module load b"]"#,
        '?',
    ),
    ("executor.interval", r#""1s""#, r#""2s""#, '='),
    ("executor.visibility", r#""1s""#, r#""2s""#, '='),
    ("executor.program", r#""a""#, r#""b""#, '='),
    ("executor.address", r#""a""#, r#""b""#, '='),
    ("executor.resources", r#"{"a": 1}"#, r#"{"a": 2}"#, '='),
    (
        "executor.runtime_env",
        r#"{"pip": ["a"]}"#,
        r#"{"pip": ["b"]}"#,
        '?',
    ),
    ("report", r#"{"code": "a"}"#, r#"{"code": "b"}"#, '='),
    ("worker.command", r#"["a"]"#, r#"["b"]"#, '?'),
    ("worker.concurrency", "1", "2", '='),
    ("worker.processes", "1", "2", '='),
    ("worker.rate_limit", r#""1/s""#, r#""2/s""#, '='),
    ("worker.start_timeout", r#""1s""#, r#""2s""#, '='),
    ("worker.cost", "1", "2", '='),
    ("worker.cost", "null", "2", 'x'),
    ("worker.prices", r#"{"in": 1}"#, r#"{"in": 2}"#, '='),
    ("worker.prices", "null", r#"{"in": 2}"#, 'x'),
    ("worker.cache", "null", r#""a.db""#, '='),
    ("worker.env", r#"{"A": "1"}"#, r#"{"A": "2"}"#, '?'),
    ("arm.name", r#""a""#, r#""b""#, 'x'),
    ("arm.command", r#"["a"]"#, r#"["b"]"#, '?'),
    ("arm.env", r#"{"A": "1"}"#, r#"{"A": "2"}"#, '?'),
    ("arm.gpus_per_job", "1", "2", '?'),
    ("arm.cost", "1", "2", '='),
    ("arm.cost", "null", "2", 'x'),
    ("arm.prices", r#"{"in": 1}"#, r#"{"in": 2}"#, '='),
    ("arm.prices", "null", r#"{"in": 2}"#, 'x'),
    ("arm.version", r#""1""#, r#""2""#, '?'),
    ("arm.inputs", r#"["a"]"#, r#"["b"]"#, '='),
    ("arm.files", r#"{"a.sh": "1"}"#, r#"{"a.sh": "2"}"#, '?'),
    (
        "arm.search",
        r#"{"lr": {"uniform": [0, 1]}}"#,
        r#"{"lr": {"uniform": [0, 2]}}"#,
        'x',
    ),
    (
        "benchmark",
        r#"[{"name": "a", "items": "a.csv"}]"#,
        r#"[{"name": "a", "items": "b.csv"}]"#,
        'x',
    ),
    ("measure", r#"[{"name": "a"}]"#, r#"[{"name": "b"}]"#, 'x'),
    (
        "constraint",
        r#"[{"measure": "a", "at_most": 1}]"#,
        r#"[{"measure": "a", "at_most": 2}]"#,
        'x',
    ),
    ("recorded", r#"[{"file": "a"}]"#, r#"[{"file": "b"}]"#, 'x'),
];

/// Makes a study with this value of a key, and little else.
fn with(path: &str, value: &str) -> Value {
    let value: Value = serde_json::from_str(value).unwrap();
    let mut study = json!({
        "goal": {}, "design": {"policy": "ttps", "stopping": "posterior"}, "resources": {}, "executor": {},
        "worker": {"command": ["w"]}, "arm": [{"name": "z"}],
    });
    let mut names: Vec<&str> = path.split('.').collect();
    let last = names.pop().unwrap();
    let mut table = &mut study;
    for name in names {
        table = &mut table[name];
        if table.is_array() {
            table = &mut table[0];
        }
    }
    table[last] = value;
    if path == "command" {
        study["worker"] = Value::Null;
    }
    study
}

/// Tests that a change of each key has the effect that its row in [`ROWS`] states.
#[test]
fn every_key_does_what_its_row_says() {
    for (path, before, after, means) in ROWS {
        let found = changes(&with(path, before), &with(path, after));
        let is = |effect: Effect| match effect {
            Effect::Harmless => '=',
            Effect::Extends => '+',
            Effect::Shortens => '-',
            Effect::Remakes(_) => '?',
            Effect::Mends => '!',
            Effect::Another(_) => 'x',
        };
        let kinds: Vec<char> = found.iter().map(|change| is(change.effect)).collect();
        assert!(kinds.contains(means), "{path}: {found:?}");
        // A name that goes is another one that comes.
        assert!(
            kinds
                .iter()
                .all(|kind| kind == means || *path == "arm.name"),
            "{path}: {found:?}"
        );
        let Some(row) = keys::row(path) else {
            assert_eq!(*path, "arm.files");
            continue;
        };
        assert_eq!(&row.path, path);
        let allowed = match row.rule {
            Rule::Harmless => "=",
            Rule::Remakes if row.budget => "?x",
            Rule::Remakes => "?",
            Rule::Reads | Rule::Another(_) => "x",
            Rule::Prices => "=x",
            Rule::Depends(_) => "+-x",
        };
        assert!(allowed.contains(*means), "{path}");
    }
    for key in keys::keys() {
        assert!(
            ROWS.iter().any(|(path, ..)| *path == key.path),
            "{} has no test",
            key.path
        );
    }
}

/// Tests that the table of keys has every key of a study file, and no other. Keys of engines are in
/// it as well; `fiesta-engines` tests that these exist.
#[cfg(feature = "schema")]
#[test]
fn every_key_of_a_study_file_has_a_row() {
    let schema = crate::reference::study_schema(&[]);
    let documented = crate::reference::paths(&schema);
    for path in &documented {
        let path = path.replace("min_items", "min_documents");
        assert!(keys::row(&path).is_some(), "{path} has no row");
    }
    let of_house = |key: &&keys::Key| !key.path.starts_with("executor.");
    for key in keys::keys().filter(of_house) {
        let is_known =
            |path: &String| *path == key.path || path.starts_with(&format!("{}.", key.path));
        assert!(documented.iter().any(is_known), "{} is no key", key.path);
    }
}
