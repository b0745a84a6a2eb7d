//! Changes of a study file since its ledger was begun, and what they mean for the study.

use super::{
    arms::{named, recorded},
    cost_unit,
    goal::{Changed, Terms, changed, changed_level},
    identity::identity,
    keys::{self, Rule, is_in},
};
use fiesta_core::CostUnit;
use fiesta_policies::{has_schedule, stopping::assumption};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt};

/// Names of arms that a message lists before it counts the rest.
const NAMED: usize = 4;

/// Scores and costs of a study before a change of its file, which limit what may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// Evaluations of each arm, in the ledger's order.
    pub arms: Vec<OfArm>,
    /// Kind of the costs that the study has paid: none, stated sums or measured times.
    pub paid: Paid,
}

impl Evaluated {
    /// Returns the number of an arm's evaluations that have a score or may still report one.
    fn of_arm(&self, place: usize) -> u64 {
        let of_arm = self.arms.get(place).copied().unwrap_or_default();
        of_arm.scores + of_arm.started
    }
}

/// Number of an arm's evaluations, with a score or still running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OfArm {
    /// Evaluations with a score that counts.
    pub scores: u64,
    /// Jobs that were started and may still report a score.
    pub started: u64,
}

/// What a study has paid, as far as its unit is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paid {
    /// The study has paid nothing.
    #[default]
    Nothing,
    /// The study has paid sums that its study file or results state.
    Stated,
    /// The study has paid times that were measured.
    Measured,
}

/// What a change means for a study that was begun without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The change concerns how jobs are run, and not what is selected.
    Harmless,
    /// The study may go on for longer, or has more arms or splits. All evaluations so far count.
    Extends,
    /// Evaluations are made in another way from now on. As none has a score yet, none is compared
    /// with earlier ones.
    Mends,
    /// Evaluations of arms are made in another way, after this number of them. The user says that
    /// scores remain valid, or they are set aside.
    Remakes(u64),
    /// The study may end sooner. All evaluations so far count.
    Shortens,
    /// The change makes another study, for this reason. Empty if the reason is plain.
    Another(&'static str),
}

/// Change of the value of a key of the study file.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The changed key, with dots between the names of its tables.
    pub key: String,
    /// The value of the key before. Null if it had none.
    pub before: Value,
    /// The value of the key now. Null if it has none.
    pub after: Value,
    /// What the change means for the study.
    pub effect: Effect,
    /// The arms whose evaluations the change makes in another way.
    pub arms: Vec<String>,
}

impl Change {
    /// The arms whose evaluations are made in another way, after some were made.
    pub(crate) fn remade(&self) -> &[String] {
        match self.effect {
            Effect::Remakes(_) => &self.arms,
            _ => &[],
        }
    }

    /// Returns whether a study can go on with the change.
    pub fn is_acceptable(&self) -> bool {
        !matches!(self.effect, Effect::Another(_))
    }

    fn is_of_arm(&self) -> bool {
        self.key.starts_with("arm.")
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_file = self.key == FILE;
        match (&self.before, &self.after) {
            (Value::Null, Value::String(name)) if is_file => write!(f, "{name}: a new file"),
            (Value::String(name), Value::Null) if is_file => write!(f, "{name}: removed"),
            (_, Value::String(name)) if is_file => write!(f, "{name}: the file has changed"),
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
            Effect::Remakes(evaluations) => {
                let s = if evaluations == 1 { " was" } else { "s were" };
                let arms = listed(&self.arms);
                write!(f, " (after {evaluations} evaluation{s} made of {arms})")
            }
            Effect::Another("") => f.write_str(" (another study)"),
            Effect::Another(reason) => write!(f, " (another study: {reason})"),
        }
    }
}

/// Key of a change of a file. The values before and after are the file's name, if the file existed.
const FILE: &str = "file";

/// Lists the first names, and counts the others.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() <= NAMED && !first.is_empty() => {
            format!("{} and {last}", first.join(", "))
        }
        [only] => only.clone(),
        names => {
            let (first, rest) = names.split_at(NAMED.min(names.len()));
            format!("{} and {} more arms", first.join(", "), rest.len())
        }
    }
}

/// Compares two fingerprints of a study. Returns the keys that differ, and what each difference
/// means for the study `before`, with the evaluations that it has made.
pub fn changes(before: &Value, after: &Value, evaluated: &Evaluated) -> Vec<Change> {
    let mut judge = Judge {
        earlier: Terms::of(before),
        later: Terms::of(after),
        policy: before["design"]["policy"].as_str().unwrap_or_default(),
        stopping: before["design"]["stopping"].as_str().unwrap_or_default(),
        // Where splits are used again, which one an evaluation is on follows from their number.
        same_kind_of_splits: kind_of_splits(before) == kind_of_splits(after)
            && first_split(before) == first_split(after)
            && [before, after]
                .iter()
                .all(|study| study["design"]["repeats"] != true),
        same_unit: same_unit(before, after, evaluated.paid),
        remade: remade(before, after, evaluated),
        evaluated,
        found: Vec::new(),
    };
    judge.compare(String::new(), "", before, after);
    judge.compare_files(before, after);
    judge.found
}

/// Whether future costs are in the unit of those that were paid, so that both can be added.
fn same_unit(before: &Value, after: &Value, paid: Paid) -> bool {
    let (then, now) = (cost_unit::of(before), cost_unit::of(after));
    let is_time =
        |unit: &Option<CostUnit>| matches!(unit, Some(CostUnit::Seconds | CostUnit::GpuSeconds));
    match paid {
        _ if then == now => true,
        Paid::Nothing => true,
        // Costs that somebody stated get a name for their unit.
        Paid::Stated => !matches!(then, Some(CostUnit::Named(_))) && !is_time(&now),
        Paid::Measured => false,
    }
}

/// An arm whose evaluations are now made in another way.
struct Remade {
    name: String,
    /// Parts of the arm's identity that differ.
    parts: Vec<String>,
    evaluations: u64,
}

/// Returns the arms of both studies whose identities differ.
fn remade(before: &Value, after: &Value, evaluated: &Evaluated) -> Vec<Remade> {
    let of_arm = |(place, old): (usize, &Value)| {
        let new = named(recorded(after), &old["name"])?;
        let (then, now) = (identity(before, old), identity(after, new));
        let names = then
            .keys()
            .chain(now.keys())
            .filter(|name| *name != "files");
        let mut parts: Vec<String> = names
            .filter(|&name| then.get(name) != now.get(name))
            .cloned()
            .collect();
        parts.dedup();
        (!parts.is_empty()).then(|| Remade {
            name: text(&old["name"]),
            parts,
            evaluations: evaluated.of_arm(place),
        })
    };
    let arms = recorded(before).iter().enumerate();
    arms.filter_map(of_arm).collect()
}

/// Returns whether splits are shared, independent or fixed, without their number.
fn kind_of_splits(study: &Value) -> Option<&str> {
    let splits = &study["design"]["splits"];
    splits.as_str().or_else(|| splits["kind"].as_str())
}

/// Returns the number of the first split.
fn first_split(study: &Value) -> u64 {
    study["design"]["splits"]["first"].as_u64().unwrap_or(0)
}

struct Judge<'a> {
    earlier: Terms,
    later: Terms,
    policy: &'a str,
    stopping: &'a str,
    same_kind_of_splits: bool,
    /// Whether future costs are in the unit of those that were paid.
    same_unit: bool,
    remade: Vec<Remade>,
    evaluated: &'a Evaluated,
    found: Vec<Change>,
}

impl Judge<'_> {
    /// Compares the values of a key. `path` is its name in the table of keys, where arms have no
    /// names.
    fn compare(&mut self, key: String, path: &str, before: &Value, after: &Value) {
        if before == after {
            return;
        }
        if let ("arm", Value::Array(old), Value::Array(new)) = (path, before, after) {
            return self.compare_arms(old, new);
        }
        // The value of a variable of the caller may be another one at any time; its name there says
        // no more.
        if is_of_caller(before) && is_of_caller(after) {
            return self.add(key, before, after, Effect::Harmless);
        }
        let (Value::Object(old), Value::Object(new)) = (before, after) else {
            // Without a name, results are confusion counts.
            if path == "metric.name" && (before.is_null() || after.is_null()) {
                return self.add(key, before, after, Effect::Another(""));
            }
            return self.judge(key, path, before, after);
        };
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let of = |table: &str| match table {
                "" => name.clone(),
                table => format!("{table}.{name}"),
            };
            let (old, new) = (old.get(name), new.get(name));
            self.compare(
                of(&key),
                &of(path),
                old.unwrap_or(&Value::Null),
                new.unwrap_or(&Value::Null),
            );
        }
    }

    /// Compares the files of the arms. A file that several arms have is told once.
    fn compare_files(&mut self, before: &Value, after: &Value) {
        let mut found: BTreeMap<(&str, bool, bool), (Vec<String>, u64)> = BTreeMap::new();
        for (place, old) in recorded(before).iter().enumerate() {
            let Some(new) = named(recorded(after), &old["name"]) else {
                continue;
            };
            let (Some(then), Some(now)) = (old["files"].as_object(), new["files"].as_object())
            else {
                continue;
            };
            let evaluations = self.evaluated.of_arm(place);
            // What was never compared with anything may be what it likes.
            if evaluations == 0 {
                continue;
            }
            let same_words = before["inputs"] == after["inputs"]
                && old["inputs"] == new["inputs"]
                && self.remade.iter().all(|remade| {
                    *remade.name != text(&old["name"])
                        || !remade
                            .parts
                            .iter()
                            .any(|part| part == "command" || part == "env")
                });
            for name in differing(then, now, same_words) {
                let key = (name, then.contains_key(name), now.contains_key(name));
                let (arms, sum) = found.entry(key).or_default();
                arms.push(text(&old["name"]));
                *sum += evaluations;
            }
        }
        let changes = found.into_iter().map(|((name, then, now), (arms, sum))| {
            let of = |is_there: bool| Value::from(is_there.then_some(name));
            Change {
                key: FILE.to_owned(),
                before: of(then),
                after: of(now),
                effect: Effect::Remakes(sum),
                arms,
            }
        });
        self.found.extend(changes);
    }

    /// Compares the arms of the same name, wherever they are in the file.
    fn compare_arms(&mut self, before: &[Value], after: &[Value]) {
        for old in before {
            let key = format!("arm.{}", text(&old["name"]));
            if let Some(new) = named(after, &old["name"]) {
                let without_files = |arm: &Value| {
                    let mut arm = arm.clone();
                    arm.as_object_mut().map(|table| table.remove("files"));
                    arm
                };
                self.compare(key, "arm", &without_files(old), &without_files(new));
            } else {
                let effect = Effect::Another("its evaluations cannot be taken back");
                self.add(key, old, &Value::Null, effect);
            }
        }
        for new in after {
            if named(before, &new["name"]).is_none() {
                let key = format!("arm.{}", text(&new["name"]));
                let effect = self.another_arm();
                self.add(key, &Value::Null, new, effect);
            }
        }
        let kept = after
            .iter()
            .filter(|arm| named(before, &arm["name"]).is_some());
        let of_ledger = before
            .iter()
            .filter(|arm| named(after, &arm["name"]).is_some());
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
        let (before, after, arms) = (before.clone(), after.clone(), Vec::new());
        self.found.push(Change {
            key,
            before,
            after,
            effect,
            arms,
        });
    }

    /// Decides what effect the change of a key has on the study, and adds both to the list of
    /// changes.
    fn judge(&mut self, key: String, path: &str, before: &Value, after: &Value) {
        let rule = match keys::row(path) {
            Some(row) => row.rule,
            // A budget that was not there, or is there no more.
            None if path == "goal.budget" => Rule::Depends(""),
            None => Rule::Another(""),
        };
        let is_of_prices = matches!(rule, Rule::Prices) || path.ends_with("gpus_per_job");
        let effect = match rule {
            _ if is_of_prices && !self.same_unit => {
                Effect::Another("what was paid already is in another unit of cost")
            }
            Rule::Harmless | Rule::Prices => Effect::Harmless,
            Rule::Remakes => return self.add_remade(key, path, before, after),
            Rule::Reads => self.reads(),
            Rule::Another(reason) => Effect::Another(reason),
            Rule::Depends(_) => self.effect(path),
        };
        self.add(key, before, after, effect);
    }

    /// Adds the change of a key by which evaluations of arms are made in another way.
    fn add_remade(&mut self, key: String, path: &str, before: &Value, after: &Value) {
        let of_arm = key.strip_prefix("arm.").map(str::to_owned);
        let concerns = |remade: &&Remade| {
            let named = of_arm.as_ref().is_none_or(|rest| {
                let rest = rest.strip_prefix(remade.name.as_str());
                rest.is_some_and(|rest| rest.starts_with('.'))
            });
            let path = format!(".{path}.");
            let is_in = |part: &String| path.contains(&format!(".{part}."));
            named && remade.parts.iter().any(is_in)
        };
        let remade: Vec<&Remade> = self.remade.iter().filter(concerns).collect();
        let evaluated = remade.iter().filter(|remade| remade.evaluations > 0);
        let sum = evaluated.clone().map(|remade| remade.evaluations).sum();
        let (effect, arms): (_, Vec<&Remade>) = match (remade.is_empty(), sum) {
            // A version says so, or nothing of it reaches an arm.
            (true, _) => (Effect::Harmless, Vec::new()),
            (false, 0) => (Effect::Mends, remade),
            (false, sum) => (Effect::Remakes(sum), evaluated.copied().collect()),
        };
        let arms = arms.iter().map(|remade| remade.name.clone()).collect();
        self.add(key, before, after, effect);
        if let Some(added) = self.found.last_mut() {
            added.arms = arms;
        }
    }

    fn reads(&self) -> Effect {
        let arms = &self.evaluated.arms;
        if arms.iter().any(|arm| arm.scores > 0) {
            Effect::Another("")
        } else if arms.iter().any(|arm| arm.started > 0) {
            Effect::Another(
                "a job was started without it: undo it, let that job end, and change it then if there is no score yet",
            )
        } else {
            Effect::Mends
        }
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

    /// Returns the effect of a change of a key that depends on its values.
    fn effect(&self, key: &str) -> Effect {
        if let Some(changed) = changed(key) {
            return self.asks(changed);
        }
        match key {
            // Splits that were used are used again.
            "design.repeats" if self.earlier.splits.is_some() && self.later.splits.is_none() => {
                Effect::Extends
            }
            "design.repeats" => Effect::Another(
                "whether answers vary decides what is compared, and how items are chosen",
            ),
            _ if is_in(key, "goal.budget") => self.budget(key),
            _ if is_in(key, "design.splits") && self.same_kind_of_splits => self.splits(),
            _ => Effect::Another(""),
        }
    }

    /// Returns the effect of changing a question of the goal.
    fn asks(&self, changed: Changed) -> Effect {
        match changed(&self.earlier, &self.later, self.stopping) {
            Ok(true) => Effect::Extends,
            Ok(false) => Effect::Shortens,
            Err(reason) => Effect::Another(reason),
        }
    }

    /// Returns the effect of another number of splits. Splits that were used cannot be removed,
    /// which is checked elsewhere.
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
        // Without any budget a level is implied.
        if key == "goal.budget" && self.earlier.level != self.later.level {
            let effect = self.asks(changed_level);
            if !matches!(effect, Effect::Extends) {
                return effect;
            }
        }
        let grows = |before: Option<f64>, after: Option<f64>| {
            after.unwrap_or(f64::INFINITY) > before.unwrap_or(f64::INFINITY)
        };
        #[expect(clippy::cast_precision_loss, reason = "a number of evaluations")]
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

/// Returns the names of files that differ between an arm's lists before and after a change. A file
/// in one list alone counts only with `same_words`: the study names the arm's files as before.
fn differing<'a>(
    before: &'a Map<String, Value>,
    after: &'a Map<String, Value>,
    same_words: bool,
) -> Vec<&'a str> {
    let mut names: Vec<&str> = before
        .keys()
        .chain(after.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|&name| {
        let (then, now) = (before.get(name), after.get(name));
        then != now && (same_words || then.is_some() && now.is_some())
    });
    names
}

/// Whether a variable's value comes from the environment of the user who runs the study.
fn is_of_caller(value: &Value) -> bool {
    let Value::Object(table) = value else {
        return false;
    };
    table.len() == 1 && table.get("from").is_some_and(Value::is_string)
}

/// Returns a string unchanged, and any other value as JSON.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests;
