//! A study as it stands now: the numbers that its sentence, tables, JSON and report share.

use super::{State, counts_of, extended, is_known, is_observed, lost_cost, mean, target};
use crate::search;
use fiesta::{
    core::{ArmId, Counts, Moments, Outcome, Reason},
    report::{
        Percentages, Setting, Standing, Standings, Table, TieWords, sentence,
        summary::{Sample, Tie},
    },
    runner::{
        History,
        history::IdenticalScores,
        status::{advice, failures, slots},
        study::Study,
    },
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The P(best) from which an arm is not called tied, where nobody asked for a confidence.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// What is known of a study now. Everything that has ended is counted, also what ended after the decision: the decision's own numbers are
/// those of its conclusion, and are named beside these where they differ.
pub(crate) struct StudyStatus<'a> {
    study: &'a Study,
    history: &'a History,
    standings: Standings,
    percentages: Percentages,
    /// How many arms were compared to the end: all but those retired for failing, unless that left only one.
    compared: usize,
    retired: Vec<&'a str>,
    splits: usize,
    recommended: Option<ArmId>,
    tie: Option<Tie>,
    tie_words: Option<TieWords>,
}

impl<'a> StudyStatus<'a> {
    /// That of a study whose ledger leads to this history.
    pub(crate) fn new(study: &'a Study, history: &'a History) -> Self {
        let view = history.selector.view();
        let conclusion = history.selector.conclusion();
        let candidates = view.candidates();
        let retired = study.arms().ids().filter(|arm| !candidates.contains(arm));
        let only = conclusion.is_some_and(|ended| ended.reason == Reason::OnlyCandidate);
        let splits: BTreeSet<u64> = history
            .records
            .values()
            .filter(|record| is_observed(record))
            .map(|record| record.evaluation.case.split)
            .collect();
        let standings = standings(study, history);
        let recommended = recommended(study, history);
        let mut status = Self {
            study,
            history,
            percentages: standings.percentages(),
            compared: if only {
                study.arms().len()
            } else {
                candidates.len()
            },
            retired: retired.map(|arm| study.arms().name(arm)).collect(),
            splits: splits.len(),
            recommended,
            standings,
            tie: None,
            tie_words: None,
        };
        if let Some(tie) = recommended.and_then(|arm| status.tie_with(arm)) {
            let names: Vec<&str> = study.arms().names().iter().map(String::as_str).collect();
            let belief = view.belief().map(|_| &status.percentages);
            status.tie_words = Some(TieWords::new(&tie, &names, belief));
            status.standings = status.standings.tied(&tie.arms);
            status.tie = Some(tie);
        }
        if let Some(arm) = recommended {
            status.standings = status.standings.recommending(arm.index());
        }
        status
    }

    /// The arms that are tied with this one, if the posterior does not tell it from them.
    fn tie_with(&self, arm: ArmId) -> Option<Tie> {
        let view = self.history.selector.view();
        if self.study.search().is_some() {
            return None;
        }
        let mut scores = vec![Vec::new(); self.study.arms().len()];
        for record in self.history.records.values() {
            let outcome = record.ending.as_ref().map(|ending| ending.outcome);
            let Some(Outcome::Observed(observed)) = outcome else {
                continue;
            };
            let score = observed.score(self.study.f_beta().unwrap_or_default());
            scores[record.evaluation.arm.index()].push((record.evaluation.case.split, score));
        }
        let arms = self.study.arms().ids().zip(scores);
        let samples: Vec<Option<Sample>> = arms
            .map(|(arm, scores)| {
                let is_candidate = view.candidates().contains(&arm);
                Sample::grouped(scores).ok().filter(|_| is_candidate)
            })
            .collect();
        let value = |place: usize| self.standings.value(&self.standings.arms()[place]);
        let confidence = self.study.confidence().unwrap_or(CONFIDENCE);
        let tie = match view.belief() {
            Some(belief) => {
                let p = &belief.probability;
                Tie::unless_told_apart(&samples, arm.index(), p, confidence)?
            }
            None => Tie::with(&samples, arm.index())?,
        };
        // Documents with equal F-measures may have other counts, and these another F-measure together.
        let of_counts = self.study.f_beta().is_some() && !self.study.is_of_mean_f();
        let is_equal = tie
            .arms
            .iter()
            .all(|&place| value(place) == value(arm.index()));
        (is_equal || !of_counts).then_some(tie)
    }

    /// The arm that the study recommends, or that leads while it has not ended; none if nothing is known.
    pub(crate) fn recommended(&self) -> Option<ArmId> {
        self.recommended
    }

    /// How many arms were compared, K.
    pub(crate) fn compared(&self) -> usize {
        self.compared
    }

    /// The arms that were retired for failing.
    pub(crate) fn retired(&self) -> &[&'a str] {
        &self.retired
    }

    /// The arms that are tied for the best.
    pub(crate) fn tie(&self) -> Option<&Tie> {
        self.tie.as_ref()
    }

    /// The same in words.
    pub(crate) fn tie_words(&self) -> Option<&TieWords> {
        self.tie_words.as_ref()
    }

    /// P(best) of an arm as tables print it; none while too little is known.
    pub(crate) fn probability_of(&self, arm: ArmId) -> Option<String> {
        self.standings.arms()[arm.index()].probability_best?;
        Some(self.percentages.of(arm.index()))
    }

    /// Evaluations that ended after the decision.
    pub(crate) fn late(&self) -> u64 {
        let conclusion = self.history.selector.conclusion();
        let ended = self.history.selector.view().total_ended();
        conclusion.map_or(0, |conclusion| ended - conclusion.evaluations)
    }

    /// The arm that is most probably best now with its P(best), if evaluations that ended after the decision made it another one.
    pub(crate) fn overtaken_by(&self) -> Option<(&'a str, String)> {
        let (leader, _) = self.history.selector.view().belief()?.leader();
        let other = self.late() > 0 && Some(leader) != self.recommended && self.tie.is_none();
        let p = other.then(|| self.probability_of(leader)).flatten()?;
        Some((self.study.arms().name(leader), p))
    }

    /// Evaluations that failed.
    fn failed(&self) -> u64 {
        self.standings.arms().iter().map(|arm| arm.failed).sum()
    }

    /// The arms, whatever they are compared by.
    pub(crate) fn table(&self) -> Table {
        match self.study.search() {
            Some(_) => search::table(self.study, self.history),
            None => self.standings.table(),
        }
    }

    /// The sentence to quote; none before the conclusion, or if nothing is known of the arms.
    pub(crate) fn quote(&self) -> Option<String> {
        let (study, history) = (self.study, self.history);
        let conclusion = history.selector.conclusion();
        let conclusion = conclusion.filter(|_| is_known(history))?;
        let view = history.selector.view();
        let mut sentence = if let Some(search) = study.search() {
            search::sentence(study, search, history, self.compared)?
        } else {
            let probability = self.probability_of(conclusion.arm);
            let overtaken_by = self.overtaken_by();
            sentence(
                conclusion,
                &Setting {
                    arm: study.arms().name(conclusion.arm),
                    arms: self.compared,
                    probability: probability.as_deref(),
                    overtaken_by: overtaken_by.as_ref().map(|(name, p)| (*name, &**p)),
                    tie: self.tie_words.as_ref(),
                    evaluations: view.total_ended(),
                    failed: self.failed(),
                    metric: &target(study),
                    splits: self.splits,
                    design: study.design(),
                    policy: study.policy(),
                    posterior: study.posterior(),
                    version: env!("CARGO_PKG_VERSION"),
                },
            )
        };
        let mut add = |more: String| sentence = format!("{sentence} {more}");
        if !self.retired.is_empty() {
            let what = match study.search() {
                Some(_) => "too many of its trials",
                None => "its evaluations",
            };
            // It was not compared with the others to the end.
            add(format!(
                "Retired because {what} failed: {}.",
                self.retired.join(", ")
            ));
        }
        if study.search().is_some() {
            return Some(sentence);
        }
        let recorded = view.total_recorded();
        if recorded > 0 {
            let hold = match conclusion.reason {
                Reason::AnytimeValid { .. } => {
                    ", and the rate of errors holds if none was chosen or left out for its score"
                }
                _ => "",
            };
            add(format!(
                "{recorded} of the evaluations existed before the study{hold}."
            ));
        }
        for extension in &history.extensions {
            add(extended(study, extension));
        }
        if let Some(assumed) = assumed_of_cases(study) {
            add(assumed);
        }
        Some(sentence)
    }

    /// What should be known of the scores, a sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        IdenticalScores::of(self.history).notices(self.study)
    }

    /// The study's status as programs read it.
    pub(crate) fn json(&self, state: State) -> Value {
        let (study, history) = (self.study, self.history);
        let view = history.selector.view();
        let leader = match history.selector.conclusion() {
            Some(_) => self.recommended,
            None => self.recommended.or_else(|| view.empirical_best()),
        };
        let confidence = self.recommended.and_then(|arm| {
            let probability = view.belief().map(|belief| belief.of(arm));
            // An arm that won by default was compared with none.
            let only = history.selector.conclusion();
            let only = only.is_some_and(|ended| ended.reason == Reason::OnlyCandidate);
            probability.filter(|_| study.search().is_none() && !only)
        });
        let arms: Vec<Value> = study
            .arms()
            .ids()
            .zip(self.standings.arms())
            .map(|(arm, standing)| {
                json!({
                    "name": standing.name,
                    "evaluations": standing.scores.count(),
                    "failed": standing.failed,
                    "recorded": view.recorded(arm),
                    "pending": view.pending(arm),
                    "mean": mean(&standing.scores),
                    "standard_deviation": standing.scores.standard_deviation(),
                    "counts": standing.counts,
                    "value": self.standings.value(standing),
                    "probability_best": standing.probability_best,
                    "cost": standing.cost,
                    "lost": { "attempts": view.lost(arm).count(), "cost": view.lost(arm).total() },
                    "retired": standing.retired,
                    "exhausted": !standing.retired && !view.has_case_left(arm),
                })
            })
            .collect();
        let observed: u64 = study.arms().ids().map(|arm| view.observed(arm)).sum();
        let name = |place: &usize| study.arms().names()[*place].as_str();
        let tied: Vec<&str> = self
            .tie
            .iter()
            .flat_map(|tie| &tie.arms)
            .map(name)
            .collect();
        json!({
            "study": study.name(),
            "state": state,
            "metric": study.metric().name(),
            "target": target(study),
            "evaluations": observed,
            "pending": view.total_pending(),
            "failed": self.failed(),
            "failures": failures(study, history),
            "advice": advice(study, history),
            "recorded": view.total_recorded(),
            "splits": study.splits(),
            "splits_used": self.splits,
            "cost": view.total_cost(),
            "lost": { "attempts": view.total_lost(), "cost": lost_cost(&view) },
            "seconds": history.clock,
            "confidence": confidence,
            "leader": leader.map(|arm| study.arms().name(arm)),
            "compared": self.compared,
            "tied": tied,
            "arms": arms,
            "slots": slots(study, history),
            "search": study.search().map(|search| search::json(study, search, history)),
            "notes": self.notes(),
            "conclusion": history.selector.conclusion().map(|conclusion| json!({
                "arm": is_known(history).then(|| study.arms().name(conclusion.arm)),
                "reason": conclusion.reason,
                "probability": conclusion.probability,
                "evaluations": conclusion.evaluations,
                "ended_afterwards": self.late(),
                "sentence": self.quote(),
            })),
        })
    }
}

/// The arm that a study recommends: of a random search that with the best score, else that of the conclusion; before it, the leader.
fn recommended(study: &Study, history: &History) -> Option<ArmId> {
    if study.search().is_some() {
        return Some(search::leader(study, history)?.0);
    }
    if !is_known(history) {
        return None;
    }
    let view = history.selector.view();
    match (history.selector.conclusion(), view.belief()) {
        (Some(conclusion), _) => Some(conclusion.arm),
        (None, Some(belief)) => Some(belief.leader().0),
        (None, None) => view.empirical_best(),
    }
}

/// A study's arms as its history has them.
fn standings(study: &Study, history: &History) -> Standings {
    let arms = study.arms();
    let f_beta = study.f_beta();
    let mut scores = vec![Moments::default(); arms.len()];
    let mut counts = vec![f_beta.map(|_| Counts::default()); arms.len()];
    for record in history.records.values() {
        if let Some(Outcome::Observed(observed)) = record.ending.as_ref().map(|e| e.outcome) {
            let arm = record.evaluation.arm.index();
            scores[arm].push(observed.score(f_beta.unwrap_or_default()));
            if let (Some(sum), Some(counted)) = (&mut counts[arm], counts_of(&observed)) {
                *sum = *sum + counted;
            }
        }
    }
    let view = history.selector.view();
    let standing = |arm| Standing {
        failed: view.failed(arm),
        probability_best: view.belief().map(|belief| belief.of(arm)),
        cost: view.spent(arm),
        retired: !view.candidates().contains(&arm),
        counts: counts[arm.index()],
        ..Standing::new(arms.name(arm), scores[arm.index()])
    };
    let standings = Standings::new(
        study.metric().name(),
        study.metric().direction(),
        arms.ids().map(standing).collect(),
    );
    match f_beta {
        Some(f_beta) if !study.is_of_mean_f() => standings.by_f(f_beta),
        _ => standings,
    }
}

/// What "on so many splits" takes for granted, where commands do not name the split (or document) that they are given.
fn assumed_of_cases(study: &Study) -> Option<String> {
    let arms = study.arms();
    let silent: Vec<&str> = arms
        .ids()
        .filter(|&arm| study.names_no_case(arm))
        .map(|arm| arms.name(arm))
        .collect();
    let of = match silent.len() {
        0 => return None,
        all if all == arms.len() => String::new(),
        _ => format!(" of {}", silent.join(", ")),
    };
    let (what, variable) = match study.documents() {
        Some(_) => ("document", "FIESTA_DOCUMENT"),
        None => ("split", "FIESTA_SPLIT"),
    };
    Some(format!(
        "The command{of} names no {what}: that it reads {variable} is assumed."
    ))
}
