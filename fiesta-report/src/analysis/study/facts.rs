//! Facts of a study at one moment: its terms, its arms, its evaluations, belief and conclusion.

use super::{BenchmarkFacts, SearchWinnerFacts};
use crate::{
    CostUnit,
    analysis::{gate::GateFacts, pool::ItemFacts},
};
use fiesta_core::{
    ArmId, Assumption, Belief, Case, Conclusion, Design, FBeta, Limit, Marginal, Metric,
    Observation, Outcome, Target,
};
use fiesta_policies::{
    random_search::{Setting, Space},
    stopping::{anytime::doubt, assumption},
};
use fiesta_posterior::Lead;
use serde::Serialize;

/// A study at one moment, whoever runs it and whether or not it has ended.
#[derive(Debug, Clone)]
pub struct StudyFacts {
    /// Name of the study.
    pub name: String,
    /// Metric that is measured; scores are as reported, in its direction.
    pub metric: Metric,
    /// The F-measure, where evaluations report confusion counts.
    pub f_beta: Option<FBeta>,
    /// Whether arms are compared by the mean of their documents' F-measures, and not by the
    /// F-measure of all counts.
    pub of_mean_f: bool,
    /// Design that says which splits or items evaluations get.
    pub design: Design,
    /// Noun for a case: split, item or document.
    pub noun: &'static str,
    /// Number of splits. `None` if it has no limit, or if evaluations are on items.
    pub splits: Option<u64>,
    /// Whether answers to items vary, and are asked again.
    pub repeats: bool,
    /// Whether all splits are used again with other seeds, so that the verdict is of these splits.
    pub uses_splits_again: bool,
    /// Target of the verdict: which items of a pool it is of.
    pub items_target: Target,
    /// Facts of each item, in a study of items that has groups, or of which a report is made.
    pub items: Vec<ItemFacts>,
    /// Key whose values are the groups of the items, if there are groups.
    pub strata: Option<String>,
    /// The unit of costs; none where nobody says it.
    pub cost_unit: Option<CostUnit>,
    /// Name of the policy.
    pub policy: String,
    /// The stopping rule's name.
    pub stopping: String,
    /// Name of the posterior.
    pub posterior: String,
    /// The confidence asked for.
    pub confidence: Option<f64>,
    /// Number of the best arms that the study is to name.
    pub top: usize,
    /// Distance below the best at which the study seeks the cheapest arm. `None` if it seeks the best.
    pub cheapest_within: Option<f64>,
    /// How the arms stand against a baseline, if the study is a gate.
    pub gate: Option<GateFacts>,
    /// The limit of evaluations that holds because nobody gave another.
    pub default_cap: Option<u64>,
    /// Arms of the study.
    pub arms: Vec<ArmFacts>,
    /// All evaluations that were decided, in order.
    pub evaluations: Vec<EvaluationFacts>,
    /// P(best) of every arm, or P(among the best [`top`](Self::top)); none while too little is known.
    pub belief: Option<Belief>,
    /// The candidate with the best mean, of a random search with the best score; none before there
    /// is a score.
    pub empirical_best: Option<ArmId>,
    /// Conclusion of the study. `None` before it has ended.
    pub conclusion: Option<Conclusion>,
    /// Evaluations that ended with a score or failed.
    pub ended: u64,
    /// Evaluations among the ended ones that were made before the study.
    pub recorded: u64,
    /// Extensions of the study, in order.
    pub extensions: Vec<ExtensionFacts>,
    /// Facts of the random search, if the study is one.
    pub search: Option<SearchFacts>,
    /// The winner of the search whose best settings are the arms, if the study file names one.
    pub search_winner: Option<SearchWinnerFacts>,
    /// Benchmarks of the study, if it has several.
    pub benchmarks: Vec<BenchmarkFacts>,
    /// Notes on the scores, a sentence each.
    pub notes: Vec<String>,
    /// Background of the study that a report tells beside these facts.
    pub background: StudyBackground,
}

/// One arm of a study.
#[derive(Debug, Clone, Default)]
pub struct ArmFacts {
    /// Name of the arm.
    pub name: String,
    /// Number of evaluations that failed.
    pub failed: u64,
    /// Cost of the evaluations and lost attempts, in the study's unit.
    pub cost: f64,
    /// Whether the arm was retired for failing.
    pub retired: bool,
    /// Posterior of the arm's mean over the pool, oriented so that larger is better, and the share of the pool that it
    /// has answered. `None` under another posterior than `pool`, or before the first answer.
    pub of_pool: Option<(Marginal, f64)>,
    /// Program of the arm's command, if it is the same for every evaluation.
    pub program: Option<String>,
    /// The GPUs of each job in words, if the study says.
    pub gpus: Option<String>,
    /// Whether the study file states what an evaluation costs.
    pub cost_is_given: bool,
    /// Whether the arm's command names neither split nor document, so that it must read the variable.
    pub names_no_case: bool,
}

/// One evaluation of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationFacts {
    /// Number of the evaluation, from 1.
    pub number: u64,
    /// Arm that is evaluated.
    pub arm: ArmId,
    /// Split (or number of the document) and seed of the evaluation.
    pub case: Case,
    /// Hyperparameters of the evaluation, in a random search; else empty.
    pub setting: Setting,
    /// Outcome of the evaluation, a score as reported; none while it is pending.
    pub outcome: Option<Outcome<Observation>>,
    /// Cost of the evaluation, in the study's unit, once it has ended; of one that was made before,
    /// what its file says.
    pub cost: Option<f64>,
    /// Duration of the evaluation in seconds, once it has ended.
    pub seconds: Option<f64>,
    /// Attempts at the evaluation that led to no outcome.
    pub lost: LostAttempts,
    /// Whether the evaluation was made before the study.
    pub recorded: bool,
    /// Place among the evaluations that ended, from 1. `None` while it is pending.
    pub turn: Option<u64>,
}

/// Attempts that led to no outcome: lost, or stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostAttempts {
    /// Number of the attempts.
    pub attempts: u64,
    /// Cost of the attempts together, in the study's unit.
    pub cost: f64,
    /// Duration of the attempts together, in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

/// A change of what a study was to reach, to spend or to choose among.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtensionFacts {
    /// Number of evaluations that had ended before the extension.
    pub evaluations: u64,
    /// Arms that the extension added.
    pub arms: Vec<ArmId>,
    /// Arms whose failed evaluations the extension makes again, as their cause was mended.
    pub reinstated: Vec<ArmId>,
    /// The arms that were asked anew, each with how many of its evaluations were set aside.
    pub set_aside: Vec<(ArmId, u64)>,
    /// Changes after which scores are said to be the same as before, in words.
    pub asserted: Vec<String>,
    /// Whether the study had ended before the extension.
    pub had_ended: bool,
}

/// Facts of a random search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFacts {
    /// Number of trials that each arm gets.
    pub trials: u64,
    /// The space of each arm's hyperparameters.
    pub spaces: Vec<Space>,
}

/// Background of a study that a report tells beside its results; empty where nobody asked for it.
#[derive(Debug, Clone, Default)]
pub struct StudyBackground {
    /// The seed of every random choice.
    pub seed: u64,
    /// The digest of the study file.
    pub digest: String,
    /// Link to the code.
    pub code: String,
    /// Link to the data.
    pub data: String,
    /// Name of the measure of the scores, if that is not the measure on the test data.
    pub validation_metric: String,
    /// How hyperparameters are chosen.
    pub selection_criterion: String,
    /// Number of evaluations that run at once.
    pub parallel: usize,
    /// Engine that carried out the study's jobs, such as Slurm; none if the machines themselves
    /// did.
    pub engine: Option<&'static str>,
    /// Machines on which the study ran, in order, each with what is known of the machine.
    pub hosts: Vec<String>,
    /// The posterior distribution of each arm's mean, oriented so that larger is better; none of an
    /// arm of which too little is known.
    pub means: Vec<Option<Marginal>>,
    /// Leads of the mean of each row's arm over that of each column's.
    pub leads: Vec<Vec<Option<Lead>>>,
    /// P(best) after each evaluation.
    pub belief_path: BeliefPath,
    /// Number of further evaluations that the study's own limit allows, if it has one.
    pub evaluations_left: Option<u64>,
    /// Largest distance below the best arm, in the unit of the scores, at which an arm may still be named.
    pub tolerance: f64,
    /// The items of the pool in the study's random order; empty where not every order was equally
    /// likely, and in a study of splits.
    pub order: Vec<u64>,
}

/// P(best) over the evaluations of a study, or over some of many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeliefPath {
    /// The evaluations of every arm so far, and P(best) of each.
    pub points: Vec<(Vec<u64>, Vec<f64>)>,
    /// Number of evaluations; the path may have fewer points.
    pub evaluations: usize,
}

impl BeliefPath {
    /// Returns the path to the belief that is printed: points on the way are of fewer draws.
    #[must_use]
    pub fn ending(mut self, belief: Option<&Belief>) -> Self {
        if let (Some((_, last)), Some(belief)) = (self.points.last_mut(), belief) {
            last.clone_from(&belief.probability);
        }
        self
    }
}

impl EvaluationFacts {
    /// Returns the observation of the evaluation. `None` if the evaluation is pending, failed or does not count.
    pub fn observed(&self) -> Option<Observation> {
        match self.outcome {
            Some(Outcome::Observed(observed)) => Some(observed),
            _ => None,
        }
    }

    /// Returns the score, if the evaluation reported one and no counts.
    pub(super) fn plain_score(&self) -> Option<f64> {
        match self.observed()? {
            Observation::Score(score) => Some(score),
            Observation::Counts(_) => None,
        }
    }
}

impl StudyFacts {
    /// Returns the names of the arms.
    pub fn names(&self) -> Vec<&str> {
        self.arms.iter().map(|arm| arm.name.as_str()).collect()
    }

    /// Returns whether the stopping rule has ended the study. A study that ended by a limit is
    /// undecided.
    #[cfg(feature = "html")]
    pub(crate) fn is_decided(&self) -> bool {
        let ended = self.conclusion.as_ref();
        ended.is_some_and(|ended| {
            !matches!(
                ended.reason,
                fiesta_core::Reason::Limit(_) | fiesta_core::Reason::Schedule
            )
        })
    }

    /// Tells in words what the arms are compared by.
    pub fn target(&self) -> String {
        let metric = self.metric.name();
        if self.of_mean_f {
            format!("mean {metric} per document (1 where nothing was to be found and nothing was)")
        } else if !self.benchmarks.is_empty() {
            let number = self.benchmarks.len();
            format!("the weighted mean of {metric} over {number} benchmarks")
        } else {
            match self.items_target {
                Target::TheseItems => metric.to_owned(),
                Target::ItemsLikeThese => format!("{metric} on {}", self.items_target),
            }
        }
    }

    /// The warning that the scores do not look Gaussian, where the stopping rule supposes that they
    /// are.
    pub fn doubt(&self) -> Option<String> {
        let level = self.confidence?;
        let supposes = assumption(&self.stopping) == Some(Assumption::Gaussian);
        let scores: Vec<_> = self.names().into_iter().zip(self.scores()).collect();
        supposes
            .then(|| doubt(&scores, self.design, level))
            .flatten()
    }

    /// Returns whether any evaluation had a score.
    pub fn is_known(&self) -> bool {
        self.observed().next().is_some()
    }

    /// Returns the arms that lack answers, as these failed, each with their number: "json 147,
    /// steps 140"; `None` if none does. Arms that were retired are told otherwise.
    pub fn unanswered(&self) -> Option<String> {
        let arms = self.arms.iter().zip(self.missing());
        let lacking = arms.filter(|(arm, missing)| !missing.is_empty() && !arm.retired);
        let words: Vec<String> = lacking
            .map(|(arm, missing)| format!("{} {}", arm.name, missing.len()))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Whether evaluations are on the items of a pool, and not on splits.
    pub fn is_of_items(&self) -> bool {
        matches!(self.design, Design::Items { .. })
    }

    /// Says that the cases are used up: "every document was queried"; with the answers that are
    /// missing, if some failed.
    pub(crate) fn used_up(&self) -> String {
        match (self.unanswered(), self.noun) {
            (Some(arms), _) => format!("{}, but evaluations failed ({arms})", self.all_asked()),
            (None, "item") => "every item was answered".to_owned(),
            (None, _) => self.all_asked().to_owned(),
        }
    }

    /// Returns words that say that all cases were asked, whatever came of it.
    pub(super) fn all_asked(&self) -> &'static str {
        match self.noun {
            "item" => "every item was asked",
            "document" => "every document was queried",
            _ => "every split was used",
        }
    }

    /// The F-measure by which arms are compared, where that is the one of all their counts.
    pub(crate) fn pooled_f(&self) -> Option<FBeta> {
        self.f_beta.filter(|_| !self.of_mean_f)
    }

    /// Returns every observation with its evaluation, in order.
    pub fn observed(&self) -> impl Iterator<Item = (&EvaluationFacts, Observation)> {
        let evaluations = self.evaluations.iter();
        evaluations.filter_map(|evaluation| Some((evaluation, evaluation.observed()?)))
    }

    /// Returns the observations of every arm as scores, each with its split; counts count as the
    /// F-measure of their document.
    pub(super) fn scores(&self) -> Vec<Vec<(u64, f64)>> {
        let f_beta = self.f_beta.unwrap_or_default();
        let mut scores = vec![Vec::new(); self.arms.len()];
        for (evaluation, observed) in self.observed() {
            let score = (evaluation.case.split, observed.score(f_beta));
            scores[evaluation.arm.index()].push(score);
        }
        scores
    }

    /// The differences of the k-th scores of two arms, as reported, as far as both have ended with
    /// one: independent of each other whatever splits are, and of when they are looked at. None of
    /// a study of items, of counts or of a random search.
    pub(crate) fn differences_by_turn(&self, one: ArmId, other: ArmId) -> Vec<f64> {
        if self.is_of_items() || self.f_beta.is_some() || self.search.is_some() {
            return Vec::new();
        }
        let of = |arm| {
            let evaluations = self.evaluations.iter().filter(move |e| e.arm == arm);
            evaluations.map_while(|e| Some((e.case.split, e.plain_score()?)))
        };
        let shares_splits = self.design == Design::Shared;
        of(one)
            .zip(of(other))
            .take_while(|(x, y)| !shares_splits || x.0 == y.0)
            .map(|(x, y)| x.1 - y.1)
            .collect()
    }

    pub(crate) fn name(&self, arm: ArmId) -> &str {
        &self.arms[arm.index()].name
    }

    pub(super) fn failed(&self) -> u64 {
        self.arms.iter().map(|arm| arm.failed).sum()
    }

    /// Returns the default limit of evaluations if it ended the study.
    pub(super) fn is_capped(&self) -> Option<u64> {
        let reason = &self.conclusion.as_ref()?.reason;
        let limited = matches!(reason, fiesta_core::Reason::Limit(Limit::Evaluations(_)));
        self.default_cap.filter(|_| limited)
    }
}
