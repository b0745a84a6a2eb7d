//! The keys of a study file: the effects of a change of each, and the keys that exclude each other.

use super::{error::Source, file::StudyFile, goal::QUESTIONS};

/// Effect of a change on the scores of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scores {
    /// No score can change.
    Same,
    /// Other evaluations may fail.
    Failures,
    /// The scores themselves can change.
    Others,
}

/// Rule for a change of a key of the study file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The change is accepted.
    Harmless,
    /// Evaluations of arms are made in another way: the user says that scores remain valid, or asks
    /// the arms anew.
    Remakes,
    /// Scores are read in another way, so that new ones cannot be compared with earlier ones.
    Reads,
    /// The costs of later evaluations are stated anew. The unit must stay the same.
    Prices,
    /// The effect depends on the values, as the text describes.
    Depends(&'static str),
    /// The change makes another study, for this reason. Empty if the reason is plain.
    Another(&'static str),
}

/// Property of a study that makes other keys meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// The study is a random search: its goal has `trials`.
    Trials,
    /// The study's arms are functions of the program that runs it.
    Functions,
    /// The study's results are confusion counts.
    Counts,
}

/// A dotted key of the study file, or a table with all of its keys.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "schema"),
    allow(dead_code, reason = "the reference page alone has all of it")
)]
pub(crate) struct Key {
    pub(crate) path: &'static str,
    /// What a change of the key can change in scores.
    pub(crate) scores: Scores,
    /// Whether a change of the key can change what evaluations cost.
    pub(crate) costs: bool,
    /// Whether a change of the key can change what the budget means.
    pub(crate) budget: bool,
    pub(crate) rule: Rule,
    /// Properties of a study in which the key has no meaning.
    not_beside: &'static [Beside],
    /// Whether the meaning of other keys does not depend on this key.
    pub(super) is_alone: bool,
}

use Beside::{Counts, Functions, Trials};
use Rule::{Another, Depends, Harmless, Prices, Reads, Remakes};
use Scores::{Failures, Others, Same};

pub(super) const fn key(path: &'static str, scores: Scores, rule: Rule) -> Key {
    Key {
        path,
        scores,
        costs: false,
        budget: false,
        rule,
        not_beside: &[],
        is_alone: false,
    }
}

impl Key {
    const fn costing(mut self) -> Self {
        self.costs = true;
        self
    }

    pub(super) const fn budgeting(mut self) -> Self {
        self.budget = true;
        self
    }

    pub(super) const fn not_beside(self, not_beside: &'static [Beside]) -> Self {
        Self { not_beside, ..self }
    }

    const fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }
}

/// Returns every key of a study file.
pub(crate) fn keys() -> impl Iterator<Item = &'static Key> {
    let of_goal = QUESTIONS.iter().map(|question| &question.key);
    BEFORE_GOAL.iter().chain(of_goal).chain(AFTER_GOAL)
}

/// The keys before those of the goal.
const BEFORE_GOAL: &[Key] = &[
    key("name", Same, Another("")).alone(),
    key("command", Others, Remakes)
        .costing()
        .not_beside(&[Functions]),
    key("inputs", Same, Harmless),
    key("arm_from", Same, Harmless),
    key("metric.name", Others, Reads),
    key("metric.direction", Others, Another("")),
    key("metric.bounds", Failures, Another("")),
    key("metric.f_beta", Others, Another("")),
    key("metric.precision_weight", Others, Another("")),
    key("metric.exit_codes", Failures, Reads).not_beside(&[Functions]),
    key("metric.not_finite", Others, Reads),
    key("metric.pattern", Others, Reads).not_beside(&[Functions, Counts]),
    key("metric.percent", Others, Reads).not_beside(&[Counts]),
    key("metric.file", Others, Reads).not_beside(&[Functions, Counts]),
    key("metric.key", Others, Reads).not_beside(&[Counts]),
    key(
        "search_winner",
        Same,
        Another("the search's winner and its score are fixed before the first evaluation"),
    )
    .not_beside(&[Trials]),
];

/// The keys after those of the goal.
const AFTER_GOAL: &[Key] = &[
    key(
        "design.splits",
        Others,
        Depends(
            "extends the study where there are more, may end it sooner where there are fewer and none of those left out was used; another kind is another study",
        ),
    ),
    key("design.items", Others, Another("")),
    key("design.documents", Others, Another("")),
    key("design.strata", Same, Another("")),
    key(
        "design.repeats",
        Others,
        Depends(
            "extends a study on a number of splits, which are used again; else another study: whether answers vary decides what is compared",
        ),
    ),
    key("design.policy", Same, Another("")),
    key("design.posterior", Same, Another("")).not_beside(&[Trials]),
    key("design.alpha", Same, Another("")).not_beside(&[Trials]),
    key("design.alpha0", Same, Another("")).not_beside(&[Trials]),
    key("design.theta0", Same, Another("")).not_beside(&[Trials]),
    key("design.stopping", Same, Another("")).not_beside(&[Trials]),
    key("design.parallel", Same, Harmless).alone(),
    key("design.batch", Same, Another("")).not_beside(&[Trials]),
    key("design.beta", Same, Another("")).not_beside(&[Trials]),
    key("design.tie_break", Same, Another("")).not_beside(&[Trials]),
    key("design.extended", Same, Another("")).not_beside(&[Trials]),
    key("design.seed", Others, Another("")).alone(),
    key("resources.gpus_per_job", Others, Remakes)
        .costing()
        .budgeting()
        .not_beside(&[Functions]),
    key("resources.cost_unit", Same, Prices)
        .costing()
        .budgeting(),
    key("resources.timeout", Failures, Harmless)
        .not_beside(&[Functions])
        .alone(),
    key("resources.silence", Failures, Harmless)
        .not_beside(&[Functions])
        .alone(),
    key("resources.grace", Failures, Harmless).alone(),
    key("resources.retries", Failures, Harmless).alone(),
    key("executor.kind", Same, Harmless).costing(),
    key("executor.gpus", Same, Harmless).costing(),
    key("executor.watch_gpus", Same, Harmless),
    key("executor.cpus", Same, Harmless).costing(),
    key("executor.memory", Failures, Harmless),
    key("executor.time", Failures, Harmless),
    key("executor.partition", Same, Harmless).costing(),
    key("executor.account", Same, Harmless),
    key("executor.qos", Same, Harmless),
    key("executor.options", Others, Remakes).costing(),
    key("executor.prologue", Others, Remakes).costing(),
    key("executor.interval", Same, Harmless),
    key("executor.visibility", Same, Harmless),
    key("executor.program", Same, Harmless),
    key("executor.address", Same, Harmless),
    key("executor.resources", Same, Harmless),
    key("executor.runtime_env", Others, Remakes).costing(),
    key("report", Same, Harmless).alone(),
    key("worker.command", Others, Remakes).costing(),
    key("worker.concurrency", Same, Harmless).costing(),
    key("worker.processes", Same, Harmless).costing(),
    key("worker.rate_limit", Same, Harmless),
    key("worker.start_timeout", Failures, Harmless),
    key("worker.cost", Same, Prices).costing().budgeting(),
    key("worker.prices", Same, Prices).costing().budgeting(),
    key("worker.cache", Same, Harmless).costing(),
    key("worker.env", Others, Remakes).costing(),
    key(
        "arm.name",
        Others,
        Depends(
            "another arm extends the study, or is another study to a schedule or a rule that counts arms beforehand; one that is removed is another study",
        ),
    ),
    key("arm.command", Others, Remakes)
        .costing()
        .not_beside(&[Functions]),
    key("arm.env", Others, Remakes)
        .costing()
        .not_beside(&[Functions]),
    key("arm.gpus_per_job", Others, Remakes)
        .costing()
        .budgeting()
        .not_beside(&[Functions]),
    key("arm.cost", Same, Prices).costing().budgeting(),
    key("arm.prices", Same, Prices).costing().budgeting(),
    key("arm.version", Others, Remakes).costing(),
    key("arm.inputs", Same, Harmless),
    key("arm.search", Others, Another("")),
    key("benchmark", Others, Another("")),
    key("measure", Failures, Reads),
    key("constraint", Same, Another("it decides which arms ship")),
    key(
        "recorded",
        Others,
        Another("scores that exist already are counted before any other"),
    ),
];

/// Whether `path` is the key `table`, or below it.
pub(super) fn is_in(path: &str, table: &str) -> bool {
    let rest = path.strip_prefix(table);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the row for a key: its own, or that of a table with it. `None` if there is none.
pub(crate) fn row(path: &str) -> Option<&'static Key> {
    let rows = keys().filter(|key| is_in(path, key.path));
    rows.max_by_key(|key| key.path.len())
}

/// Returns the first dotted key of a study file that has no meaning with `beside`, or `None`.
pub(super) fn misplaced(source: &Source<'_>, file: &StudyFile, beside: Beside) -> Option<String> {
    let paths = |key: &Key| match key.path.split_once('.') {
        Some(("arm", own)) => {
            let arms = file.arm.iter();
            arms.map(|arm| format!("arm.{}.{own}", arm.place)).collect()
        }
        // A key of two names.
        Some(("goal", "min_documents")) => ["goal.min_documents", "goal.min_items"]
            .map(str::to_owned)
            .to_vec(),
        _ => vec![key.path.to_owned()],
    };
    let keys = keys().filter(|key| key.not_beside.contains(&beside));
    let mut paths = keys.flat_map(paths);
    paths.find(|path| source.has(path))
}

impl Rule {
    /// Describes the effect of a change, for the reference page.
    #[cfg(feature = "schema")]
    pub(crate) fn words(self) -> String {
        match self {
            Harmless => "taken over".to_owned(),
            Remakes => "possible while its arm has no score; then `--accept-changes` says that scores are the same, or `--again ARM` asks anew".to_owned(),
            Reads => "possible while no evaluation has a score; then another study".to_owned(),
            Prices => "holds for what comes; another study where what was paid has another unit".to_owned(),
            Depends(words) => words.to_owned(),
            Another("") => "another study".to_owned(),
            Another(reason) => format!("another study: {reason}"),
        }
    }
}
