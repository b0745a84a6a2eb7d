//! The goal of a study: the list of its possible questions, which of them go together, what a
//! change of each means, and the terms of a session.

use super::{
    Items, Study, StudyError, arms, budget,
    error::Source,
    file::{GoalTable, StudyFile, Until},
    items::PoolKey,
    keys::{
        Beside::Trials,
        Key,
        Rule::{self, Another, Depends},
        Scores::Same,
        key,
    },
    own::Method,
};
use fiesta_core::{ArmId, Limits, Target};
use fiesta_policies::{
    gate::GateQuestion,
    stopping::{Distance, PosteriorThreshold, TIE, assumption},
};
use fiesta_posterior::{BENCHMARKS, POOL, POSTERIORS};
use serde::Deserialize;
use serde_json::Value;

/// Confidence of a study whose file sets no other condition to end it.
pub(super) const DEFAULT_LEVEL: f64 = 0.95;

/// Stopping rule of a study whose file names none.
pub(super) const POSTERIOR: &str = "posterior";

/// Example of a goal, for error messages.
pub(super) const EXAMPLE: &str = "confidence = 0.95";

/// Keys whose values are shares: a value such as "95 %" is a hundredth of its number.
pub(super) const SHARES: [&str; 2] = ["confidence", "rare_failures"];

/// A key of a goal: a question that the study is to answer, or a limit of what it may spend.
pub(super) struct Question {
    /// The key, with the rule for changes of its value.
    pub(super) key: Key,
    /// Conditions without which the question has no meaning, in the order of their checks.
    needs: &'static [Need],
    /// Function that tells whether a change of the question extends a study that has begun. `None`
    /// if that depends on more than the goal, or every change makes another study.
    changed: Option<Changed>,
}

/// Condition without which a question of a goal has no meaning.
#[derive(Clone, Copy)]
enum Need {
    /// The goal names a confidence.
    Confidence,
    /// The study has the stopping rule `posterior`.
    PosteriorRule,
    /// The study has the stopping rule `posterior`, if the verdict is of items like these.
    RuleOfTarget,
    /// The goal has no tolerance: only the best arm is good enough.
    NoTolerance,
    /// The goal names a baseline: the study is a gate.
    Baseline,
    /// The goal names no baseline.
    NoBaseline,
}

/// Function that returns whether a session asks for more than an earlier one, under a stopping
/// rule. Its error is the reason why the change makes another study.
pub(super) type Changed = fn(&Terms, &Terms, &str) -> Result<bool, &'static str>;

const MORE_OR_LESS: Rule =
    Depends("extends the study where it asks for more, and may end it sooner where for less");

/// Every question of a goal.
pub(super) static QUESTIONS: [Question; 19] = [
    of_arms("goal.confidence", MORE_OR_LESS).changing(changed_level),
    // Either way it is a claim about the same scores; what is tested holds for every tolerance at
    // once.
    of_arms("goal.tolerance", MORE_OR_LESS)
        .needing(&[Need::Confidence])
        .changing(|earlier, later, _| Ok(suffices_less(earlier.tolerance, later.tolerance))),
    of_arms("goal.tie", MORE_OR_LESS)
        .needing(&[Need::Confidence, Need::PosteriorRule, Need::NoTolerance])
        .changing(|earlier, later, _| Ok(suffices_less(earlier.tie, later.tie))),
    of_arms("goal.strict", MORE_OR_LESS)
        .needing(&[Need::Confidence, Need::PosteriorRule, Need::NoTolerance])
        .changing(|_, later, _| Ok(later.strict)),
    of_arms("goal.shortfall", MORE_OR_LESS)
        .needing(&[Need::NoBaseline])
        .changing(|earlier, later, _| {
            let [earlier, later] =
                [earlier, later].map(|terms| terms.shortfall.unwrap_or(Distance::ZERO));
            Ok(suffices_less(earlier, later))
        }),
    of_arms(
        "goal.min_documents",
        Depends("extends the study where it asks for more, another study where for less"),
    )
    .needing(&[Need::NoBaseline])
    .changing(changed_least),
    of_arms("goal.rare_failures", Another("")),
    of_budget("goal.budget.evaluations", MORE_OR_LESS),
    of_budget("goal.budget.cost", MORE_OR_LESS),
    of_budget("goal.budget.wall", MORE_OR_LESS),
    of_budget(
        "goal.trials",
        Depends("extends the study where there are more, another study where fewer"),
    )
    .changing(changed_trials),
    of_arms(
        "goal.target",
        Another("it decides which items arms were asked, and what the verdict is of"),
    )
    .needing(&[Need::RuleOfTarget]),
    of_arms(
        "goal.top",
        Another("it decides which arms are compared, and what the verdict is of"),
    )
    .needing(&[Need::Confidence, Need::PosteriorRule, Need::NoBaseline]),
    of_arms(
        "goal.cheapest_within",
        Another("it decides which arms are compared, and what the verdict is of"),
    )
    .needing(&[
        Need::Confidence,
        Need::PosteriorRule,
        Need::NoTolerance,
        Need::NoBaseline,
    ]),
    of_arms(
        "goal.baseline",
        Another("it decides what arms are compared with"),
    ),
    of_arms(
        "goal.baseline_file",
        Another("it decides which answers of the baseline exist already"),
    )
    .needing(&[Need::Baseline]),
    of_arms("goal.margin", OF_GATE).needing(&[Need::Baseline]),
    of_arms("goal.better_by", OF_GATE).needing(&[Need::Baseline]),
    of_arms("goal.until", OF_GATE).needing(&[Need::Baseline]),
];

const OF_GATE: Rule = Another("it decides which arms ship");

/// Makes a question about the best arm, which a random search does not have.
const fn of_arms(path: &'static str, rule: Rule) -> Question {
    Question {
        key: key(path, Same, rule).not_beside(&[Trials]),
        needs: &[],
        changed: None,
    }
}

/// Returns a question about what a study may spend.
const fn of_budget(path: &'static str, rule: Rule) -> Question {
    Question {
        key: key(path, Same, rule).budgeting(),
        needs: &[],
        changed: None,
    }
}

impl Question {
    const fn needing(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    const fn changing(self, changed: Changed) -> Self {
        Self {
            changed: Some(changed),
            ..self
        }
    }
}

impl Need {
    /// Returns the error message if a study lacks what a question needs. `None` if it has it.
    fn lacked(self, key: &str, goal: &GoalTable, terms: &Terms, stopping: &str) -> Option<String> {
        let is_posterior = stopping == POSTERIOR;
        let is_like_these = goal.target == Some(Target::ItemsLikeThese);
        match self {
            Self::Confidence if terms.level.is_none() => Some(format!(
                "{key} belongs to a confidence, and this study ends without one: give it a confidence, too"
            )),
            Self::RuleOfTarget if is_like_these && !is_posterior => Some(format!(
                "a verdict on items like these belongs to the stopping rule {POSTERIOR}, and {stopping} is about these items: leave the target or the rule out"
            )),
            Self::PosteriorRule if !is_posterior => Some(format!(
                "{key} belongs to the stopping rule {POSTERIOR}, and this study has {stopping}: leave {key} or the rule out"
            )),
            Self::Baseline if goal.baseline.is_none() => Some(format!(
                "{key} belongs to a gate, which compares arms with a baseline: name that arm, too (baseline = \"NAME\")"
            )),
            Self::NoBaseline if goal.baseline.is_some() => Some(format!(
                "a gate ends when its arms are decided, and takes no {key}: leave {key} or the baseline out"
            )),
            Self::NoTolerance if !terms.tolerance.is_zero() => Some(format!(
                "with a tolerance, arms within it of the best are good enough, and none is called tied: leave {key} or tolerance out"
            )),
            _ => None,
        }
    }
}

/// Checks that the questions of a goal fit together.
pub(super) fn check_together(
    source: &Source<'_>,
    goal: &GoalTable,
    terms: &Terms,
    stopping: &str,
) -> Result<(), StudyError> {
    let mut questions: Vec<&Question> = QUESTIONS.iter().collect();
    // What the verdict is of comes before what it says.
    questions.sort_by_key(|question| question.key.path != "goal.target");
    for question in questions {
        let path = question.key.path;
        let Some(name) = path.strip_prefix("goal.").filter(|_| source.has(path)) else {
            continue;
        };
        let mut needs = question.needs.iter();
        if let Some(message) = needs.find_map(|need| need.lacked(name, goal, terms, stopping)) {
            return Err(source.wrong(&["goal", name], message));
        }
    }
    Ok(())
}

/// Checks that the confidence of a goal is valid.
pub(super) fn check_level(source: &Source<'_>, goal: &GoalTable) -> Result<(), StudyError> {
    let checked = goal.confidence.map(PosteriorThreshold::new).transpose();
    checked
        .map(drop)
        .map_err(|error| source.wrong(&["goal", "confidence"], format!("confidence: {error}")))
}

/// Checks the question of a gate: its baseline among arms of these names, and what must be exceeded.
pub(super) fn check_gate(
    source: &Source<'_>,
    goal: &GoalTable,
    names: &[&str],
) -> Result<(), StudyError> {
    let Some(baseline) = &goal.baseline else {
        return Ok(());
    };
    let wrong = |key: &str, message: String| Err(source.wrong(&["goal", key], message));
    if !names.contains(&baseline.as_str()) {
        let arms = names.join(", ");
        return wrong(
            "baseline",
            format!("there is no arm `{baseline}`: the arms are {arms}"),
        );
    }
    match (goal.margin, goal.better_by) {
        (None, None) => wrong(
            "baseline",
            format!(
                "give margin, how much worse than {baseline} an arm may be (margin = 0.02), or better_by, by how much it has to be better (better_by = 0)"
            ),
        ),
        (Some(_), Some(_)) => wrong(
            "margin",
            "a margin and better_by exclude each other: give one of them".to_owned(),
        ),
        (Some(margin), None) if margin.is_zero() => wrong(
            "margin",
            format!(
                "margin = {margin}: give a number above 0, in the unit of the metric, or better_by = 0 if an arm has to be better"
            ),
        ),
        _ => Ok(()),
    }
}

/// Returns the question of a gate, if the goal is one about arms of these names.
fn gate<'a>(
    goal: &GoalTable,
    names: impl Iterator<Item = Option<&'a str>>,
) -> Option<GateQuestion> {
    let baseline = goal.baseline.as_deref()?;
    let mut names = names;
    let place = names.position(|name| name == Some(baseline))?;
    let (sign, distance) = match goal.margin {
        Some(margin) => (-1.0, margin),
        None => (1.0, goal.better_by?),
    };
    let (Distance::Score(size) | Distance::Sd(size)) = distance;
    Some(GateQuestion {
        baseline: ArmId::new(place),
        threshold: sign * size,
        in_sd: matches!(distance, Distance::Sd(_)) && size > 0.0,
        until_first: goal.until == Some(Until::First),
    })
}

/// Policies that compare the arms on either side of the last one that is to be named, or all alike.
const OF_SEVERAL: [&str; 3] = ["ttps", "pool", "uniform"];

/// Checks that a goal of several best arms goes together with the rest of the study.
pub(super) fn check_top(
    source: &Source<'_>,
    file: &StudyFile,
    arms: usize,
    (posterior, policy): (&str, &str),
) -> Result<(), StudyError> {
    let Some(top) = file.goal.top else {
        return Ok(());
    };
    let is_own = !matches!(file.design.policy, None | Some(Method::Name(_)));
    let message = if top == 0 || top >= arms {
        format!(
            "top = {top}: give how many of the {arms} arms are to be named as the best ones, from 1 to {}",
            arms.saturating_sub(1)
        )
    } else if top == 1 {
        return Ok(());
    } else if file.goal.shortfall.is_some() {
        "what choosing is expected to lose is of one arm: leave shortfall or top out".to_owned()
    } else if posterior == BENCHMARKS {
        "several best arms are named on one benchmark, and this study has several: leave top out, or make a study of each benchmark".to_owned()
    } else if posterior != POOL && !POSTERIORS.contains(&posterior) {
        format!(
            "the posterior {posterior} names the one best arm: leave top out, or take posterior = \"paired\", which compares means of scores"
        )
    } else if file.design.repeats() && file.design.pool().is_some() {
        "answers that vary are asked again for the one best arm: leave top or repeats out"
            .to_owned()
    } else if !is_own && !OF_SEVERAL.contains(&policy) {
        format!(
            "the policy {policy} seeks the one best arm: leave policy or top out, or take the policy uniform"
        )
    } else {
        return Ok(());
    };
    Err(source.wrong(&["goal", "top"], message))
}

/// Policy of a study that seeks the cheapest arm that is good enough.
pub(super) const CHEAPEST: &str = "cheapest";

/// Checks that a goal of the cheapest arm that is good enough goes together with the rest of the study.
pub(super) fn check_cheapest(
    source: &Source<'_>,
    file: &StudyFile,
    (posterior, policy): (&str, &str),
) -> Result<(), StudyError> {
    const KEY: &str = "cheapest_within";
    let (goal, design) = (&file.goal, &file.design);
    let is_own = !matches!(design.policy, None | Some(Method::Name(_)));
    let Some(within) = goal.cheapest_within else {
        return Ok(());
    };
    let beside = [
        "tie",
        "strict",
        "shortfall",
        "top",
        "target",
        "min_documents",
        "min_items",
    ];
    let beside = beside
        .into_iter()
        .find(|key| source.has(&format!("goal.{key}")));
    let costs = file.worker.as_ref().and_then(|worker| worker.cost);
    let mut arms = file.arm.iter();
    let unpriced = arms.find(|arm| arm.prices.is_some() || arm.cost.or(costs).is_none());
    let message = if let Some(key) = beside {
        format!(
            "{key} is of studies that seek the best arm, and this one seeks the cheapest: leave {key} or {KEY} out"
        )
    } else if posterior != POOL && (design.pool().is_some() || !POSTERIORS.contains(&posterior)) {
        format!(
            "the cheapest arm is sought by means of scores on splits, or on items by the posterior {POOL}, and this study has the posterior {posterior}: leave {KEY} out, and ask `fiesta report --cheapest-within {within}` at the end"
        )
    } else if design.pool().is_some() && design.repeats() {
        format!(
            "answers that vary are asked again for the best arm, and this study seeks the cheapest: leave repeats or {KEY} out"
        )
    } else if let Some(arm) = unpriced.filter(|_| design.pool().is_some()) {
        format!(
            "on items the cheapest arm is sought by known prices, and the arm {:?} has no fixed price of an answer: give each [[arm]] a `cost`, what one answer costs, or leave {KEY} out and ask `fiesta report --cheapest-within {within}` at the end",
            arm.name
        )
    } else if !is_own && ![CHEAPEST, "uniform"].contains(&policy) {
        format!(
            "the policy {policy} seeks the best arm: leave policy or {KEY} out, or take the policy uniform"
        )
    } else {
        return Ok(());
    };
    Err(source.wrong(&["goal", KEY], message))
}

/// Checks the least number of items for the two best arms against the number of items.
pub(super) fn check_least(
    source: &Source<'_>,
    goal: &GoalTable,
    items: Option<&Items>,
    terms: &Terms,
) -> Result<(), StudyError> {
    let Some(least) = goal.min_documents else {
        return Ok(());
    };
    let key = match items.map(Items::key) {
        Some(PoolKey::Items) => "min_items",
        Some(PoolKey::Documents) | None => "min_documents",
    };
    let message = match items {
        None => format!(
            "{key} is for a study of items or documents: name them under [design], or leave it out"
        ),
        Some(_) if terms.level.is_none() => format!(
            "{key} holds back the confidence, and this study ends by its budget alone: give it a confidence, too"
        ),
        Some(_) if least == 0 => format!("{key} must be at least 1"),
        Some(items) if least > items.len() as u64 => {
            format!(
                "{key} = {least} is more than the {} {} that there are",
                items.len(),
                items.key()
            )
        }
        Some(_) => return Ok(()),
    };
    Err(source.wrong(&["goal", key], message))
}

/// Returns the function that tells whether a change of this question extends a study. `None` for
/// other keys, and for questions whose changes depend on more than the goal.
pub(super) fn changed(path: &str) -> Option<Changed> {
    let question = QUESTIONS.iter().find(|question| question.key.path == path);
    question?.changed
}

/// Returns whether a study must become surer than before. A study without a confidence counts as
/// the surest, as it uses its whole budget.
pub(super) fn changed_level(
    earlier: &Terms,
    later: &Terms,
    stopping: &str,
) -> Result<bool, &'static str> {
    let rank = |terms: &Terms| terms.level.unwrap_or(1.0);
    let is_lower = rank(later) < rank(earlier);
    if is_lower && assumption(stopping).is_some() {
        return Err(
            "the rate of errors that the stopping rule promises is one that was asked for before any score was seen",
        );
    }
    Ok(!is_lower)
}

fn changed_least(earlier: &Terms, later: &Terms, _: &str) -> Result<bool, &'static str> {
    if later.min_documents > earlier.min_documents {
        return Ok(true);
    }
    Err("it was set against a belief that is too sure too early, and some of that was seen")
}

fn changed_trials(earlier: &Terms, later: &Terms, _: &str) -> Result<bool, &'static str> {
    match earlier.trials {
        None => Err(""),
        Some(_) if later.trials > earlier.trials => Ok(true),
        Some(_) => Err("trials can be added, and not taken back"),
    }
}

/// Whether a new tolerance is at least as strict as the one before. A larger one may end the study
/// sooner, and so may one in another unit.
fn suffices_less(before: Distance, after: Distance) -> bool {
    match (before, after) {
        (_, after) if after.is_zero() => true,
        (Distance::Score(before), Distance::Score(after))
        | (Distance::Sd(before), Distance::Sd(after)) => after <= before,
        _ => false,
    }
}

/// Terms of a session: number of arms and splits, confidence, and limits of what it may spend.
///
/// They follow from the study as the session recorded it, so that the decisions of every session
/// can be made again under its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Terms {
    /// Number of arms of the session. Arms that are added later follow these.
    pub(crate) arms: usize,
    /// Probability with which one arm must be the best. `None` if the study ends without one.
    pub(crate) level: Option<f64>,
    pub(crate) tolerance: Distance,
    pub(crate) tie: Distance,
    pub(crate) strict: bool,
    /// Expected shortfall at which the study stops.
    pub(crate) shortfall: Option<Distance>,
    pub(crate) min_documents: Option<u64>,
    pub(crate) rare_failures: Option<f64>,
    pub(crate) limits: Limits,
    /// Trials of each arm, in a random search.
    pub(crate) trials: Option<u64>,
    /// Number of splits among which cases are drawn. `None` if there is no limit.
    pub(crate) splits: Option<u64>,
    /// Question of the gate, if the study is one.
    pub(crate) gate: Option<GateQuestion>,
    /// Number of the best arms that are to be named.
    pub(crate) top: usize,
    /// Distance below the best at which the cheapest arm is sought. `None` if the best is.
    pub(crate) cheapest_within: Option<f64>,
}

impl Terms {
    /// Reads the terms of a goal about arms of these names; `again` is the number of items that are
    /// asked again.
    pub(super) fn new<'a>(
        goal: &GoalTable,
        names: impl ExactSizeIterator<Item = Option<&'a str>>,
        (of_documents, again): (bool, Option<u64>),
        splits: Option<u64>,
        cost_unit: Option<&str>,
    ) -> Self {
        let is_implied = goal.budget.is_none() && goal.trials.is_none() && goal.shortfall.is_none();
        let is_implied = is_implied || goal.baseline.is_some();
        let arms = names.len();
        Self {
            arms,
            level: goal.confidence.or(is_implied.then_some(DEFAULT_LEVEL)),
            tolerance: goal.tolerance.unwrap_or(Distance::ZERO),
            // Of one document a standard deviation is far, and the collection ends the study.
            tie: goal
                .tie
                .unwrap_or(if of_documents { Distance::ZERO } else { TIE }),
            strict: goal.strict.unwrap_or(false),
            shortfall: goal.shortfall,
            min_documents: goal.min_documents,
            rare_failures: goal.rare_failures,
            limits: budget::limits(goal, arms, (of_documents, again), cost_unit),
            trials: goal.trials,
            splits,
            gate: gate(goal, names),
            top: goal.top.unwrap_or(1),
            cheapest_within: goal.cheapest_within,
        }
    }

    /// Reads the terms of a study as a ledger has it.
    pub(crate) fn of(recorded: &Value) -> Self {
        let design = &recorded["design"];
        let items = design["collection"]["count"].as_u64();
        let again = items.filter(|_| design["repeats"] == true);
        let of_documents = !(design["documents"].is_null() && design["items"].is_null());
        Self::new(
            &GoalTable::deserialize(&recorded["goal"]).unwrap_or_default(),
            arms::recorded(recorded)
                .iter()
                .map(|arm| arm["name"].as_str()),
            (of_documents, again),
            design["splits"]["count"]
                .as_u64()
                .filter(|_| design["repeats"] != true),
            recorded["resources"]["cost_unit"].as_str(),
        )
    }

    /// Returns the P(best) below which an arm is ignored, (1 − confidence) / `arms`, so that all
    /// ignored arms together are the best with at most 1 − confidence. 0 without a confidence, and where
    /// another arm than the best is sought.
    pub(super) fn negligible(&self, arms: usize) -> f64 {
        match (self.level, self.gate) {
            (Some(level), None) if self.cheapest_within.is_none() => (1.0 - level) / arms as f64,
            _ => 0.0,
        }
    }
}

impl Study {
    /// Whether the study is a gate, which compares arms with a baseline.
    pub fn is_gate(&self) -> bool {
        self.terms.gate.is_some()
    }

    /// Returns how many of the best arms the study is to name.
    pub fn top(&self) -> usize {
        self.terms.top
    }

    /// Returns the distance below the best at which the study seeks the cheapest arm. `None` if it seeks the
    /// best.
    pub fn cheapest_within(&self) -> Option<f64> {
        self.terms.cheapest_within
    }

    /// Returns the confidence at which the study ends. `None` if it ends without one.
    pub fn confidence(&self) -> Option<f64> {
        self.terms.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;
    use fiesta_core::Limits;

    fn read(goal: &str) -> Study {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("study.toml");
        let text = format!(
            "name = \"trial\"\ncommand = [\"true\"]\nmetric = {{ name = \"accuracy\" }}\narm = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n{goal}\n"
        );
        std::fs::write(&path, text).unwrap();
        Study::read(&path).unwrap()
    }

    /// Tests that the terms read from a ledger equal those of the study file.
    #[test]
    fn are_those_of_the_file() {
        for goal in [
            "",
            "goal = { confidence = 0.9, tolerance = 0.01 }",
            "goal = { budget = { evaluations = 7 } }",
            "goal = { confidence = 0.99, budget = { evaluations = 9, wall = \"2h\", cost = \"40h\" } }",
            "goal = { budget = { cost = 12.5 } }",
            "goal = { trials = 3, budget = { wall = \"90s\" } }",
            "goal = { trials = 3 }",
        ] {
            let study = read(goal);
            let terms = Terms::of(&study.fingerprint);
            assert_eq!(
                (terms.arms, terms.level, terms.limits),
                (2, study.confidence(), study.limits()),
                "{goal}"
            );
            assert_eq!(
                terms.trials,
                study.search().map(crate::study::Search::trials)
            );
        }
        let cost = Limits {
            cost: Some(144_000.0),
            ..Limits::default()
        };
        let terms = Terms::of(&read("goal = { budget = { cost = \"40h\" } }").fingerprint);
        assert_eq!(terms.limits, cost);
    }

    /// Tests that several best arms are refused beside what seeks one, with what to do.
    #[test]
    fn several_best_arms_stand_beside_few() {
        let read = |rest: &str| {
            let arms = ["a", "b", "c", "d"].map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
            let text = format!(
                "name = \"t\"\nmetric = {{ name = \"score\", bounds = [0, 1] }}\nexecutor.kind = \"functions\"\n{rest}\n{}",
                arms.concat()
            );
            Study::in_memory(&text, "/".as_ref()).map_err(|error| error.to_string())
        };
        let study = read("goal = { top = 2, tolerance = 0.01 }").unwrap();
        let terms = Terms::of(&study.fingerprint);
        assert_eq!((study.top(), terms.top), (2, 2));
        for (rest, told) in [
            ("goal.top = 4", "how many of the 4 arms"),
            (
                "goal = { top = 2, budget = { evaluations = 20 } }",
                "give it a confidence",
            ),
            (
                "goal = { top = 2, confidence = 0.9, shortfall = 0.1 }",
                "leave shortfall or top out",
            ),
            (
                "goal = { top = 2, baseline = \"a\", margin = 0.1 }",
                "leave top or the ",
            ),
            (
                "goal.top = 2\ndesign.stopping = \"anytime\"",
                "leave top or the rule out",
            ),
            (
                "goal.top = 2\ndesign.policy = \"ttts\"",
                "take the policy uniform",
            ),
            (
                "goal = { top = 2, confidence = 0.9, budget = { evaluations = 80 } }\ndesign.policy = \"sequential-halving\"",
                "seeks the one best arm: leave policy or top out",
            ),
            (
                "goal.top = 2\ndesign = { items = [1, 2, 3], repeats = true }",
                "leave top or repeats out",
            ),
        ] {
            let error = read(rest).unwrap_err();
            assert!(error.contains(told), "{rest}: {error}");
        }
        for rest in ["design.policy = \"uniform\"", "design.items = [1, 2, 3]"] {
            read(&format!("goal.top = 2\n{rest}")).unwrap();
        }
    }
}
