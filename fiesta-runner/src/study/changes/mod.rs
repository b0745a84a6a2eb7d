//! Changes of a study file since its ledger was begun, and what they mean for the study.

use super::goal::Terms;
use fiesta_policies::{
    has_schedule,
    stopping::{Distance, assumption},
};
use serde_json::Value;
use std::fmt;

/// Where a study may change without touching what it selects or how.
const HARMLESS: [&str; 14] = [
    "design.parallel",
    "executor",
    "report",
    "resources.cost_unit",
    "resources.grace",
    "resources.retries",
    "resources.silence",
    "resources.timeout",
    "worker.cache",
    "worker.concurrency",
    "worker.prices",
    "worker.processes",
    "worker.rate_limit",
    "worker.start_timeout",
];

/// Where an arm may change so: what was paid is known, and what was answered stays answered.
const OF_ARM: [&str; 2] = ["prices", "version"];

/// Where a study may change as long as no evaluation has a score: how an evaluation is made, and
/// its score found. Scores of before and after such a change are not comparable.
const UNSCORED: [&str; 9] = [
    "command",
    "metric.exit_codes",
    "metric.name",
    "metric.not_finite",
    "metric.pattern",
    "metric.percent",
    "resources.gpus_per_job",
    "worker.command",
    "worker.env",
];

/// Where an arm may change so.
const OF_ARM_UNSCORED: [&str; 3] = ["command", "env", "gpus_per_job"];

/// What was evaluated under the terms that a study had before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluated {
    /// Something that has a score.
    Scores,
    /// Nothing that has a score; a job was started and may still report one.
    Started,
    /// Nothing, or all of it failed.
    NoScores,
}

/// What a change means for a study that was begun without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It concerns how jobs are run, and not what is selected.
    Harmless,
    /// The study has further to go, or more to choose among. All that was evaluated counts.
    Extends,
    /// Evaluations are made in another way from now on. None has a score, so that none is compared
    /// with those.
    Mends,
    /// The study may end sooner. All that was evaluated counts.
    Shortens,
    /// It makes another study, for this reason.
    Another(&'static str),
}

/// A key whose value is not what it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key, with dots.
    pub key: String,
    /// What it was; null if it was not there.
    pub before: Value,
    /// What it is; null if it is not there.
    pub after: Value,
    /// What that means.
    pub effect: Effect,
}

impl Change {
    /// Whether a study can go on with it.
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.effect, Effect::Another(_))
    }

    fn is_of_arm(&self) -> bool {
        self.key.starts_with("arm.")
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (Value::Null, Value::Object(_)) if self.is_of_arm() => write!(f, "{}: added", self.key),
            (Value::Object(_), Value::Null) if self.is_of_arm() => {
                write!(f, "{}: removed", self.key)
            }
            (before, after) => write!(f, "{}: {before} → {after}", self.key),
        }?;
        match self.effect {
            Effect::Harmless => f.write_str(" (harmless)"),
            Effect::Extends => f.write_str(" (extends the study)"),
            Effect::Shortens => f.write_str(" (may end the study sooner)"),
            Effect::Mends => f.write_str(" (possible while no evaluation has a score)"),
            Effect::Another("") => f.write_str(" (another study)"),
            Effect::Another(reason) => write!(f, " (another study: {reason})"),
        }
    }
}

/// The keys in which two fingerprints differ, and what each difference means for the study of the
/// first, of which this was evaluated.
pub fn changes(before: &Value, after: &Value, evaluated: Evaluated) -> Vec<Change> {
    let mut judge = Judge {
        earlier: Terms::of(before),
        later: Terms::of(after),
        policy: before["design"]["policy"].as_str().unwrap_or_default(),
        stopping: before["design"]["stopping"].as_str().unwrap_or_default(),
        // Where splits are used again, which one an evaluation is on follows from their number.
        same_kind_of_splits: kind_of_splits(before) == kind_of_splits(after)
            && [before, after]
                .iter()
                .all(|study| study["design"]["repeats"] != true),
        evaluated,
        is_unscored: false,
        found: Vec::new(),
    };
    judge.compare(String::new(), before, after);
    judge.found
}

/// Whether splits are shared, independent or fixed, however many there are.
fn kind_of_splits(study: &Value) -> Option<&str> {
    let splits = &study["design"]["splits"];
    splits.as_str().or_else(|| splits["kind"].as_str())
}

struct Judge<'a> {
    earlier: Terms,
    later: Terms,
    policy: &'a str,
    stopping: &'a str,
    same_kind_of_splits: bool,
    evaluated: Evaluated,
    /// Whether keys of an arm are compared that may change as long as nothing has a score.
    is_unscored: bool,
    found: Vec<Change>,
}

impl Judge<'_> {
    fn compare(&mut self, key: String, before: &Value, after: &Value) {
        if before == after {
            return;
        }
        if let ("arm", Value::Array(old), Value::Array(new)) = (key.as_str(), before, after) {
            return self.compare_arms(old, new);
        }
        // The value of a variable of the caller may be another one at any time; its name there says
        // no more.
        if is_of_caller(before) && is_of_caller(after) {
            return self.add(key, before, after, Effect::Harmless);
        }
        let (Value::Object(old), Value::Object(new)) = (before, after) else {
            // Without a name, results are confusion counts.
            let effect = if key == "metric.name" && (before.is_null() || after.is_null()) {
                Effect::Another("")
            } else {
                self.effect(&key)
            };
            return self.add(key, before, after, effect);
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
            self.compare(
                inner,
                old.unwrap_or(&Value::Null),
                new.unwrap_or(&Value::Null),
            );
        }
    }

    /// Arms are what they are called, wherever they stand in the file.
    fn compare_arms(&mut self, before: &[Value], after: &[Value]) {
        fn find<'a>(arms: &'a [Value], name: &Value) -> Option<&'a Value> {
            arms.iter().find(|arm| arm["name"] == *name)
        }
        for old in before {
            let key = format!("arm.{}", text(&old["name"]));
            if let Some(new) = find(after, &old["name"]) {
                let (mut old, mut new) = (old.clone(), new.clone());
                // Found apart from the others, as a name may have dots.
                let take = |arm: &mut Value, own: &str| {
                    let table = arm.as_object_mut();
                    table
                        .and_then(|table| table.remove(own))
                        .unwrap_or_default()
                };
                for own in OF_ARM {
                    let (old, new) = (take(&mut old, own), take(&mut new, own));
                    if old != new {
                        self.add(format!("{key}.{own}"), &old, &new, Effect::Harmless);
                    }
                }
                self.is_unscored = true;
                for own in OF_ARM_UNSCORED {
                    let (old, new) = (take(&mut old, own), take(&mut new, own));
                    self.compare(format!("{key}.{own}"), &old, &new);
                }
                self.is_unscored = false;
                self.compare(key, &old, &new);
            } else {
                let effect = Effect::Another("its evaluations cannot be taken back");
                self.add(key, old, &Value::Null, effect);
            }
        }
        for new in after {
            if find(before, &new["name"]).is_none() {
                let key = format!("arm.{}", text(&new["name"]));
                let effect = self.another_arm();
                self.add(key, &Value::Null, new, effect);
            }
        }
        let kept = after
            .iter()
            .filter(|arm| find(before, &arm["name"]).is_some());
        let of_ledger = before
            .iter()
            .filter(|arm| find(after, &arm["name"]).is_some());
        if !kept
            .map(|arm| &arm["name"])
            .eq(of_ledger.map(|arm| &arm["name"]))
        {
            let names = |arms: &[Value]| arms.iter().map(|arm| arm["name"].clone()).collect();
            let effect =
                Effect::Another("its ledger was begun by somebody else just now; try again");
            let (before, after) = (Value::Array(names(before)), Value::Array(names(after)));
            self.add("arm".to_owned(), &before, &after, effect);
        }
    }

    fn add(&mut self, key: String, before: &Value, after: &Value, effect: Effect) {
        let (before, after) = (before.clone(), after.clone());
        self.found.push(Change {
            key,
            before,
            after,
            effect,
        });
    }

    fn follows_a_schedule(&self) -> bool {
        has_schedule(self.policy)
    }

    fn another_arm(&self) -> Effect {
        if self.follows_a_schedule() {
            return Effect::Another(
                "the policy has divided the budget among the arms that there were",
            );
        }
        if assumption(self.stopping).is_some() {
            return Effect::Another(
                "the rate of errors that the stopping rule promises is that of arms chosen before any score was seen",
            );
        }
        Effect::Extends
    }

    fn effect(&self, key: &str) -> Effect {
        let is_in = |table: &str| {
            key.strip_prefix(table)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if HARMLESS.iter().any(|harmless| is_in(harmless)) {
            return Effect::Harmless;
        }
        if self.is_unscored || UNSCORED.iter().any(|own| is_in(own)) {
            return match self.evaluated {
                Evaluated::Scores => Effect::Another(""),
                Evaluated::Started => Effect::Another(
                    "a job was started without it: undo it, let that job end, and change it then if there is no score yet",
                ),
                Evaluated::NoScores => Effect::Mends,
            };
        }
        match key {
            "goal.confidence" => self.confidence(),
            // Either way it is a claim about the same scores; what is tested holds for every
            // tolerance at once.
            "goal.tolerance" => grows(Some(self.earlier.tolerance), Some(self.later.tolerance)),
            "goal.tie" => grows(Some(self.earlier.tie), Some(self.later.tie)),
            "goal.shortfall" => grows(self.earlier.shortfall, self.later.shortfall),
            "goal.strict" if self.later.strict => Effect::Extends,
            "goal.strict" => Effect::Shortens,
            "goal.min_documents" if self.later.min_documents > self.earlier.min_documents => {
                Effect::Extends
            }
            "goal.min_documents" => Effect::Another(
                "it was set against a belief that is too sure too early, and some of that was seen",
            ),
            "goal.trials" if self.earlier.trials.is_some() => {
                if self.later.trials > self.earlier.trials {
                    Effect::Extends
                } else {
                    Effect::Another("trials can be added, and not taken back")
                }
            }
            // Splits that were used are used again.
            "design.repeats" if self.earlier.splits.is_some() && self.later.splits.is_none() => {
                Effect::Extends
            }
            "design.repeats" => Effect::Another(
                "whether answers vary decides what is compared, and how items are chosen",
            ),
            "goal.target" => Effect::Another(
                "it decides which items arms were asked, and what the verdict is of",
            ),
            "recorded" => Effect::Another("scores that exist already are counted before any other"),
            _ if is_in("goal.budget") => self.budget(key),
            _ if is_in("design.splits") && self.same_kind_of_splits => self.splits(),
            _ => Effect::Another(""),
        }
    }

    fn confidence(&self) -> Effect {
        let rank = |level: Option<f64>| level.unwrap_or(1.0);
        let lower = rank(self.later.confidence) < rank(self.earlier.confidence);
        match lower {
            true if assumption(self.stopping).is_some() => Effect::Another(
                "the rate of errors that the stopping rule promises is one that was asked for before any score was seen",
            ),
            true => Effect::Shortens,
            false => Effect::Extends,
        }
    }

    /// Splits that are taken away were not used: whoever goes over to the fewer splits sees to
    /// that.
    fn splits(&self) -> Effect {
        let rank = |count: Option<u64>| count.unwrap_or(u64::MAX);
        if rank(self.later.splits) > rank(self.earlier.splits) {
            Effect::Extends
        } else {
            Effect::Shortens
        }
    }

    fn budget(&self, key: &str) -> Effect {
        let (earlier, later) = (&self.earlier.limits, &self.later.limits);
        if self.follows_a_schedule() && earlier.evaluations != later.evaluations {
            return Effect::Another("the policy has divided the budget that there was");
        }
        // Without any budget a confidence is implied.
        if key == "goal.budget" && self.earlier.confidence != self.later.confidence {
            let effect = self.confidence();
            if !matches!(effect, Effect::Extends) {
                return effect;
            }
        }
        let grows = |before: Option<f64>, after: Option<f64>| {
            after.unwrap_or(f64::INFINITY) > before.unwrap_or(f64::INFINITY)
        };
        #[allow(clippy::cast_precision_loss, reason = "a number of evaluations")]
        let evaluations = |limit: Option<u64>| limit.map(|limit| limit as f64);
        let extends = grows(
            evaluations(earlier.evaluations),
            evaluations(later.evaluations),
        ) || grows(earlier.cost, later.cost)
            || grows(earlier.wall, later.wall);
        if extends {
            Effect::Extends
        } else {
            Effect::Shortens
        }
    }
}

/// What it means that a distance that suffices is another one: a larger one may end the study
/// sooner, and so may one in another unit.
fn grows(before: Option<Distance>, after: Option<Distance>) -> Effect {
    let is_smaller = match (
        before.unwrap_or(Distance::ZERO),
        after.unwrap_or(Distance::ZERO),
    ) {
        (_, after) if after.is_zero() => true,
        (Distance::Score(before), Distance::Score(after))
        | (Distance::Sd(before), Distance::Sd(after)) => after <= before,
        _ => false,
    };
    if is_smaller {
        Effect::Extends
    } else {
        Effect::Shortens
    }
}

/// Whether this is the value of a variable that comes from the environment of whoever runs the
/// study.
fn is_of_caller(value: &Value) -> bool {
    let Value::Object(table) = value else {
        return false;
    };
    table.len() == 1 && table.get("from").is_some_and(Value::is_string)
}

/// A string as it is, anything else as JSON.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests;
