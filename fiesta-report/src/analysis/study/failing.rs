//! Failures of the arms that a study names: whether bad scores may be hidden behind them.

use super::{StudyFacts, StudyFindings};
use crate::{
    analysis::decisive::{DecisiveFailures, Outcomes, Part, Question, Scored},
    asks_for_one,
    sentence::being_best,
};
use fiesta_core::{ArmId, Counts, Design, FBeta, Observation, Outcome, Reason};
use std::collections::BTreeMap;

/// Returns the weight of a document in the F-measure of all counts, which is the mean of the documents'
/// F-measures with these weights.
fn weight(f_beta: FBeta, counts: &Counts) -> f64 {
    let [tp, fp, _, fn_] = counts.cells().map(|count| count as f64);
    let b = f_beta.b() * f_beta.b();
    (1.0 + b) * tp + b * fn_ + fp
}

impl StudyFacts {
    /// Returns the splits or items of each arm's failures for which there is no score, as they were not
    /// made again with success. Empty in a random search, whose trials may fail.
    pub(super) fn missing(&self) -> Vec<Vec<u64>> {
        let mut missing = vec![BTreeMap::new(); self.arms.len()];
        if self.search.is_none() {
            // A failure that is made again keeps its seed, but not a split that is for one evaluation.
            let key = |own: &super::EvaluationFacts| {
                let keeps_split = own.recorded || self.design != Design::Independent;
                (keeps_split.then_some(own.case.split), own.case.seed)
            };
            for own in &self.evaluations {
                if matches!(own.outcome, Some(Outcome::Failed)) {
                    missing[own.arm.index()].insert(key(own), own.case.split);
                }
            }
            for (own, _) in self.observed() {
                missing[own.arm.index()].remove(&key(own));
            }
        }
        let splits = missing.into_iter().map(BTreeMap::into_values);
        splits.map(Iterator::collect).collect()
    }

    /// Returns the arms that the study names at its end, and how far below the best they may be. `None`
    /// before the end; in a gate, whose rule counts failures; in a random search, whose best trial is
    /// none that failed; where all cases were used, which is told with those that are missing; and
    /// where only one arm was left.
    fn named(&self) -> Option<(Vec<ArmId>, f64)> {
        let conclusion = self.conclusion.as_ref()?;
        if self.gate.is_some() || self.search.is_some() {
            return None;
        }
        let arm = || vec![conclusion.arm];
        match &conclusion.reason {
            Reason::PosteriorProbability { .. } => Some((arm(), 0.0)),
            Reason::Tolerance { tolerance, .. } | Reason::AnytimeValid { tolerance, .. } => {
                Some((arm(), *tolerance))
            }
            Reason::CheapestWithin { within, .. } => Some((arm(), *within)),
            Reason::Shortfall { bound, .. } => Some((arm(), *bound)),
            Reason::Top {
                tolerance, arms, ..
            }
            | Reason::Tied {
                tolerance, arms, ..
            } => Some((arms.clone(), *tolerance)),
            Reason::Limit(_) | Reason::Schedule => match &self.belief {
                Some(belief) if self.top > 1 => Some((belief.leaders(self.top), 0.0)),
                _ => Some((arm(), 0.0)),
            },
            _ => None,
        }
    }

    /// Returns the failures of an arm that the study names, if they may decide.
    pub(super) fn decisive_failures(&self) -> Option<DecisiveFailures> {
        let (named, slack) = self.named()?;
        let mut missing = self.missing();
        if named.iter().all(|arm| missing[arm.index()].is_empty()) {
            return None;
        }
        let mut outcomes: Vec<Outcomes<'_>> = { self.arms.iter().zip(&mut missing) }
            .map(|(arm, missing)| Outcomes {
                name: &arm.name,
                scored: Vec::new(),
                failed: std::mem::take(missing),
            })
            .collect();
        let f_beta = self.f_beta.unwrap_or_default();
        for (own, observed) in self.observed() {
            let weight = match observed {
                Observation::Counts(counts) if !self.of_mean_f => weight(f_beta, &counts),
                _ => 1.0,
            };
            outcomes[own.arm.index()].scored.push(Scored {
                split: own.case.split,
                score: observed.score(f_beta),
                weight,
            });
        }
        let mut first = 0;
        let benchmarks = self.benchmarks.iter().map(|own| {
            let items = first..first + own.items;
            first = items.end;
            Part {
                name: Some(&own.name),
                weight: own.weight,
                items,
            }
        });
        let mut parts: Vec<Part<'_>> = benchmarks.collect();
        if parts.is_empty() {
            parts.push(Part::ALL);
        }
        let question = Question {
            direction: self.metric.direction(),
            bounds: self.metric.bounds(),
            is_shared: matches!(self.design, Design::Shared | Design::Items { .. }),
            is_pooled: self.pooled_f().is_some(),
            parts,
            slack,
            top: self.top,
        };
        let failing = named.iter().map(|arm| arm.index());
        failing
            .filter(|&arm| !outcomes[arm].failed.is_empty())
            .find_map(|arm| {
                let others =
                    (0..outcomes.len()).filter(|&other| other != arm && !self.arms[other].retired);
                let others: Vec<&Outcomes<'_>> = others.map(|other| &outcomes[other]).collect();
                question.decisive(&outcomes[arm], &others)
            })
    }

    /// Returns the name of the arm whose failures may decide that another one is the best than the study
    /// names.
    pub fn arm_of_decisive_failures(&self) -> Option<String> {
        let failures = self.decisive_failures()?;
        Some(failures.arm().to_owned())
    }
}

impl StudyFindings<'_> {
    /// Whether bad scores that are hidden behind failures could make another arm the best than the
    /// one that the study names.
    pub fn failures_may_decide(&self) -> bool {
        self.failures.is_some()
    }

    /// Says what can be done about failures that may decide, beside making them again.
    pub(super) fn advice_on_failures(&self) -> Option<String> {
        let arm = self.failures.as_ref()?.arm();
        let in_files = match self.facts.recorded {
            0 => "",
            _ => ", or write it into the file of [[recorded]]",
        };
        Some(format!(
            "what failed of {arm} may decide otherwise: where a failure is a bad result, let the command print the score that it deserves{in_files}"
        ))
    }

    /// Returns what can be said of the named arm where failures may decide, as the rest of a
    /// sentence that begins with its name. `None` where they do not, or arms are tied.
    pub(in crate::analysis) fn lead_without_failures(&self) -> Option<String> {
        let arm = self.recommended()?;
        let reason = &self.facts.conclusion.as_ref()?.reason;
        let is_tie = self.tie_words().is_some() && asks_for_one(reason);
        if !self.failures_may_decide() || is_tie || self.overtaken_by().is_some() {
            return None;
        }
        Some(format!(
            "leads {} arms by {} among the evaluations that did not fail{}",
            self.arm_count(),
            self.facts.target(),
            being_best(self.probability_of(arm).as_deref(), "")
        ))
    }
}
