//! Status of a study as one typed value: state, arms, belief, failures, slots, conclusion.

use super::{FailureGroup, MeasureStatus, Slot, advice, current, facts, failures, slots, waits};
use crate::{
    RunError,
    history::History,
    ledger::{Ledger, damage_in_words},
    study::Study,
};
use fiesta_core::{ArmId, Counts, Reason};
use fiesta_policies::random_search::{Setting, Space};
use fiesta_report::analysis::{
    best_of_n::{BestOfNReport, CONFIDENCE},
    gate::{GateConstraint, GateVerdict, VersionFacts},
    pool::PoolReport,
    study::{
        BenchmarkFacts, LostAttempts, SearchFacts, SearchWinnerReport, StudyFacts, StudyFindings,
        StudyVerdict, TopReport,
    },
};
use serde::Serialize;

/// The state of a study in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A controller runs the study.
    Running,
    /// The study has begun and not ended, and nobody runs it.
    Stopped,
    /// The study has ended with a conclusion.
    Finished,
}

impl State {
    /// Returns the state of a study whose ledger leads to this history.
    pub fn of(study: &Study, history: &History) -> Self {
        match history.selector.conclusion() {
            Some(_) => Self::Finished,
            None if Ledger::holder(&study.state_directory()).is_some() => Self::Running,
            None => Self::Stopped,
        }
    }
}

/// State of a study: its counts of evaluations, its arms and its conclusion. Everything that has
/// ended is counted, also what ended after the decision.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// The name of the study.
    pub study: String,
    /// The state of the study.
    pub state: State,
    /// The name of the metric.
    pub metric: String,
    /// What the arms are compared by, in words.
    pub target: String,
    /// Number of evaluations that were observed.
    pub evaluations: u64,
    /// Number of evaluations that have not ended.
    pub pending: u64,
    /// Number of evaluations that failed.
    pub failed: u64,
    /// The failures by their causes.
    pub failures: Vec<FailureGroup>,
    /// Advice on how to go on with arms that have failed.
    pub advice: Option<String>,
    /// Evaluations that were made before the study.
    pub recorded: u64,
    /// Number of splits of the study. `None` if there are any number, or documents.
    pub splits: Option<u64>,
    /// Number of splits or documents that have an observation.
    pub splits_used: usize,
    /// Cost of all evaluations and attempts, in the study's unit.
    pub cost: f64,
    /// The unit of all costs: `s` or `GPU-s` of measured ones, or the name in the study file.
    /// `None` if there is none.
    pub cost_unit: Option<String>,
    /// The attempts that led to no outcome, which are part of the cost.
    pub lost: LostAttempts,
    /// How long the study has run, over all sessions.
    pub seconds: f64,
    /// P(best) of the leader, or the probability of the best arms together in a study that is to name
    /// several; of the cheapest arm that is good enough its level, once it is named. `None` while too little is known, or
    /// if no arm was compared with it.
    pub confidence: Option<f64>,
    /// Name of the recommended arm; while no arm is recommended, of the arm with the best mean.
    /// `None` if there is neither.
    pub leader: Option<String>,
    /// How many arms were compared to the end.
    pub compared: usize,
    /// The arms that are tied for the best; empty if there is no tie.
    pub tied: Vec<String>,
    /// The best arms, in a study that is to name several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<TopReport>,
    /// The arms of the study.
    pub arms: Vec<ArmStatus>,
    /// The slots, with the runs that go on.
    pub slots: Vec<Slot>,
    /// Sentences that say what the study waits for besides the runs.
    pub waits: Vec<String>,
    /// The random search, if the study is one.
    pub search: Option<SearchStatus>,
    /// What is known of the pool of items, under the posterior `pool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolReport>,
    /// Benchmarks of the study with the means of all arms; left out in a study of one pool or of splits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub benchmarks: Vec<BenchmarkFacts>,
    /// Notes on the scores.
    pub notes: Vec<String>,
    /// The winner of the search whose best settings are the arms, if the study file names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_winner: Option<SearchWinnerReport>,
    /// The arms against the baseline, in a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Vec<GateStatus>>,
    /// Conclusion of the study, if it has ended.
    pub conclusion: Option<ConclusionStatus>,
}

/// State of one arm: its evaluations, its scores and its chance to be the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmStatus {
    /// The name of the arm.
    pub name: String,
    /// Number of the arm's evaluations that were observed.
    pub evaluations: u64,
    /// Number of the arm's evaluations that failed.
    pub failed: u64,
    /// Number of the arm's evaluations that were made before the study.
    pub recorded: u64,
    /// Number of the arm's evaluations that have not ended.
    pub pending: u64,
    /// Mean of the arm's scores. `None` without scores.
    pub mean: Option<f64>,
    /// Standard deviation of the arm's scores. `None` of fewer than two scores.
    pub standard_deviation: Option<f64>,
    /// The sum of the arm's counts, where evaluations report counts.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, u64>>")
    )]
    pub counts: Option<Counts>,
    /// What the arm is compared by: the mean, that over the pool of items, or the F-measure of its
    /// counts.
    pub value: Option<f64>,
    /// Probability that the arm is the best, or one of the best in a study that is to name several.
    /// `None` while too little is known.
    pub probability_best: Option<f64>,
    /// Posterior mean of the distance between this arm and the best arm, or the last of the best in a
    /// study that is to name several, in the unit of the scores.
    /// `None` while too little is known.
    pub expected_shortfall: Option<f64>,
    /// What the arm's evaluations cost, in the study's unit.
    pub cost: f64,
    /// The attempts that led to no outcome, which are part of the cost.
    pub lost: LostAttempts,
    /// Means of the measures that the study file lists, over the arm's evaluations with a score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureStatus>,
    /// Whether the arm was retired for failing.
    pub retired: bool,
    /// Whether no split or document is left for the arm.
    pub exhausted: bool,
}

/// Random search of a study: its number of trials, and its arms with their best trials.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchStatus {
    /// How many trials each arm gets.
    pub trials: u64,
    /// The arms of the search.
    pub arms: Vec<ArmSearchStatus>,
    /// Which arm has the highest expected best of n, once the search has ended.
    pub best_of_n: Option<BestOfNReport>,
}

/// The space of one arm, and its best trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmSearchStatus {
    /// The name of the arm.
    pub name: String,
    /// The arm's space as study files write it.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub space: Space,
    /// The arm's space in words.
    pub bounds: String,
    /// The trial with the best score; none before there is one.
    pub best: Option<BestTrialStatus>,
}

/// The trial of an arm with the best score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestTrialStatus {
    /// The number of the trial's evaluation, from 1.
    pub evaluation: u64,
    /// The score of the trial.
    pub score: f64,
    /// The hyperparameters of the trial.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub setting: Setting,
    /// The seed of the trial.
    pub seed: u64,
    /// The split of the trial.
    pub split: u64,
}

/// Standing of one arm of a gate against the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateStatus {
    /// The name of the arm.
    pub arm: String,
    /// Verdict on the arm: `ships`, `blocked` or `undecided`.
    pub verdict: GateVerdict,
    /// Least difference of the arm's mean and the baseline's that is not excluded; above 0 is better.
    pub lower: Option<f64>,
    /// Greatest difference that is not excluded.
    pub upper: Option<f64>,
    /// How the arm stands in each constraint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<GateConstraint>,
}

impl GateStatus {
    fn new(facts: &StudyFacts, own: &VersionFacts) -> Self {
        Self {
            arm: facts.arms[own.arm.index()].name.clone(),
            verdict: own.verdict,
            lower: own.interval.map(|ends| ends.0),
            upper: own.interval.map(|ends| ends.1),
            constraints: own.constraints.clone(),
        }
    }
}

/// How a study ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConclusionStatus {
    /// The arm of the decision; none if nothing is known.
    pub arm: Option<String>,
    /// What the study found.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub verdict: StudyVerdict,
    /// Why the study ended.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value"))]
    pub reason: Reason,
    /// Probability that the arm is the best, at the decision; in a study that is to name several, that
    /// these are the best ones; in one of the cheapest arm that is good enough, its level, which it has at least.
    pub probability: Option<f64>,
    /// Number of evaluations that had ended at the decision.
    pub evaluations: u64,
    /// Number of evaluations that ended after the decision.
    pub ended_afterwards: u64,
    /// Sentence on the conclusion, to quote.
    pub sentence: Option<String>,
    /// Sentence beneath the conclusion: the policy and the posterior.
    pub method: Option<String>,
    /// What the confidence means where the best two arms are close.
    pub meaning: Option<String>,
}

impl Status {
    /// Reads the status of a study from its ledger, even while another process runs the study.
    ///
    /// # Errors
    /// [`RunError`] as of [`current`].
    pub fn read(study: &Study) -> Result<Self, RunError> {
        let history = current(study)?;
        Ok(Self::new(study, &history, State::of(study, &history)))
    }

    /// Makes the status of a study from its history.
    pub fn new(study: &Study, history: &History, state: State) -> Self {
        let facts = facts(study, history);
        let findings = StudyFindings::new(&facts);
        let view = history.selector.view();
        let ids = || study.arms().ids();
        let name = |arm: ArmId| study.arms().name(arm).to_owned();
        let recommended = findings.recommended();
        let leader = match &facts.conclusion {
            Some(_) => recommended,
            None => recommended.or_else(|| view.empirical_best()),
        };
        let tied = findings.tied().iter();
        let arms = ids().map(|arm| ArmStatus {
            measures: MeasureStatus::all(study, history, arm),
            ..ArmStatus::new(history, &findings, arm)
        });
        Self {
            study: study.name().to_owned(),
            state,
            metric: study.metric().name().to_owned(),
            target: facts.target(),
            evaluations: ids().map(|arm| view.observed(arm)).sum(),
            pending: view.total_pending(),
            failed: ids().map(|arm| view.failed(arm)).sum(),
            failures: failures(study, history),
            advice: advice(study, history, &facts),
            recorded: view.total_recorded(),
            splits: study.splits(),
            splits_used: findings.splits_used(),
            cost: view.total_cost(),
            cost_unit: facts.cost_unit.as_ref().map(|unit| unit.name().to_owned()),
            lost: LostAttempts {
                attempts: view.total_lost(),
                cost: ids().map(|arm| view.lost(arm).total()).sum(),
                seconds: 0.0,
            },
            seconds: history.clock,
            confidence: confidence(&findings),
            leader: leader.map(name),
            compared: findings.compared(),
            tied: tied.map(|&place| facts.arms[place].name.clone()).collect(),
            top: facts.top(),
            arms: arms.collect(),
            slots: slots(study, history),
            waits: waits(study, history),
            search: facts
                .search
                .as_ref()
                .map(|search| SearchStatus::new(&facts, &findings, search)),
            pool: pool(study, &facts),
            notes: {
                let damage = damage_in_words(&history.damage);
                damage.into_iter().chain(facts.notes.clone()).collect()
            },
            search_winner: facts.search_winner(),
            benchmarks: facts.benchmarks.clone(),
            gate: facts.gate.as_ref().map(|gate| {
                let of = |own| GateStatus::new(&facts, own);
                gate.versions.iter().map(of).collect()
            }),
            conclusion: ConclusionStatus::new(&findings),
        }
    }
}

/// Returns the report on the pool of items. `None` before there is an answer.
fn pool(study: &Study, facts: &StudyFacts) -> Option<PoolReport> {
    let answers = facts.pool_answers().filter(|_| facts.is_known())?;
    PoolReport::new(&answers, study.tolerance()).ok()
}

/// P(best) of the recommended arm. An arm that won by default was compared with none, and a random
/// search has no such probability.
fn confidence(findings: &StudyFindings<'_>) -> Option<f64> {
    let facts = findings.facts();
    let conclusion = facts.conclusion.as_ref();
    let only = conclusion.is_some_and(|ended| ended.reason == Reason::OnlyCandidate);
    let p = match facts.top() {
        Some(top) => top.probability,
        None if facts.cheapest_within.is_some() => conclusion?.probability?,
        None => facts.belief.as_ref()?.of(findings.recommended()?),
    };
    (facts.search.is_none() && !only).then_some(p)
}

impl ArmStatus {
    fn new(history: &History, findings: &StudyFindings<'_>, arm: ArmId) -> Self {
        let view = history.selector.view();
        let row = &findings.arms().arms[arm.index()];
        let lost = view.lost(arm);
        Self {
            name: row.name.clone(),
            evaluations: row.scores.count(),
            failed: row.failed,
            measures: Vec::new(),
            recorded: view.recorded(arm),
            pending: view.pending(arm),
            mean: row.mean(),
            standard_deviation: row.scores.standard_deviation(),
            counts: row.counts,
            value: findings.arms().value(arm.index()),
            probability_best: row.probability_best,
            expected_shortfall: shortfall(findings, arm),
            cost: view.spent(arm),
            lost: LostAttempts {
                attempts: lost.count(),
                cost: lost.total(),
                seconds: 0.0,
            },
            retired: row.retired,
            exhausted: !row.retired && !view.has_case_left(arm),
        }
    }
}

/// Returns the expected shortfall of an arm. `None` if there is none, as in a random search.
fn shortfall(findings: &StudyFindings<'_>, arm: ArmId) -> Option<f64> {
    let facts = findings.facts();
    let belief = facts.belief.as_ref().filter(|_| facts.search.is_none())?;
    Some(belief.shortfall_of(arm)).filter(|shortfall| shortfall.is_finite())
}

impl SearchStatus {
    fn new(facts: &StudyFacts, findings: &StudyFindings<'_>, search: &SearchFacts) -> Self {
        let arms = ArmId::all(facts.arms.len()).zip(&search.spaces);
        let arm = |(arm, space): (ArmId, &Space)| ArmSearchStatus {
            name: facts.arms[arm.index()].name.clone(),
            space: space.clone(),
            bounds: space.to_string(),
            best: facts.best_trial(arm).map(|(trial, score)| BestTrialStatus {
                evaluation: trial.number,
                score,
                setting: trial.setting.clone(),
                seed: trial.case.seed,
                split: trial.case.split,
            }),
        };
        Self {
            trials: search.trials,
            arms: arms.map(arm).collect(),
            best_of_n: findings.best_of_n(CONFIDENCE),
        }
    }
}

impl ConclusionStatus {
    fn new(findings: &StudyFindings<'_>) -> Option<Self> {
        let facts = findings.facts();
        let conclusion = facts.conclusion.as_ref()?;
        let arm = &facts.arms[conclusion.arm.index()].name;
        Some(Self {
            arm: facts.is_known().then(|| arm.clone()),
            verdict: findings.verdict(),
            reason: conclusion.reason.clone(),
            probability: conclusion.probability,
            evaluations: conclusion.evaluations,
            ended_afterwards: findings.late(),
            sentence: findings.sentence(),
            method: findings.method(),
            meaning: findings.meaning(),
        })
    }
}
