//! What changed in a study file since its ledger was begun.

use serde_json::Value;
use std::fmt;

/// Where a study may change without touching what it selects or how.
const HARMLESS: [&str; 11] = [
    "design.parallel",
    "executor",
    "report",
    "resources.grace",
    "resources.retries",
    "resources.silence",
    "resources.timeout",
    "worker.concurrency",
    "worker.processes",
    "worker.rate_limit",
    "worker.start_timeout",
];

/// A key whose value is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key, with dots.
    pub key: String,
    /// What it was; null if it was not there.
    pub before: Value,
    /// What it is; null if it is not there.
    pub after: Value,
}

impl Change {
    /// Whether it concerns only how jobs are run, not what is selected; or gives each arm of a random search more trials, which leaves
    /// those that were made what they are.
    pub fn is_harmless(&self) -> bool {
        self.adds_trials()
            || HARMLESS.iter().any(|harmless| {
                self.key
                    .strip_prefix(harmless)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
    }

    fn adds_trials(&self) -> bool {
        let (before, after) = (self.before.as_u64(), self.after.as_u64());
        self.key == "goal.trials" && before.is_some() && before < after
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} → {}", self.key, self.before, self.after)
    }
}

/// The keys in which two fingerprints differ.
pub fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare(String::new(), before, after, &mut found);
    found
}

fn compare(key: String, before: &Value, after: &Value, found: &mut Vec<Change>) {
    if before == after {
        return;
    }
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        found.push(Change {
            key,
            before: before.clone(),
            after: after.clone(),
        });
        return;
    };
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let inner = if key.is_empty() {
            name.clone()
        } else {
            format!("{key}.{name}")
        };
        let (old, new) = (old.get(name), new.get(name));
        compare(
            inner,
            old.unwrap_or(&Value::Null),
            new.unwrap_or(&Value::Null),
            found,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_the_keys_that_differ() {
        let before = json!({"design": {"parallel": 1, "seed": 1}, "name": "a"});
        let after = json!({"design": {"parallel": 2, "seed": 1}, "name": "b"});
        let found = changes(&before, &after);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].key, "design.parallel");
        assert!(found[0].is_harmless());
        assert_eq!(found[1].to_string(), r#"name: "a" → "b""#);
        assert!(!found[1].is_harmless());
    }

    #[test]
    fn a_key_is_not_harmless_for_beginning_like_one() {
        let change = Change {
            key: "executors".into(),
            before: Value::Null,
            after: Value::Null,
        };
        assert!(!change.is_harmless());
    }

    #[test]
    fn trials_may_be_added_and_not_taken_away() {
        for (before, after, harmless) in [
            (json!(20), json!(50), true),
            (json!(50), json!(20), false),
            (Value::Null, json!(50), false),
            (json!(50), Value::Null, false),
        ] {
            let key = "goal.trials".to_owned();
            let change = Change { key, before, after };
            assert_eq!(change.is_harmless(), harmless, "{change}");
        }
    }

    /// What a ledger of the first version says of a study is still that study: keys that came later are no change.
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
}
