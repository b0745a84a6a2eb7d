//! Failures of the arm that a study names: whether bad scores may be hidden behind them.

use super::{StudyFacts, StudyFindings};
use crate::{
    sentence::being_best,
    summary::{ArmComparison, Sample},
    words::one_or_more,
};
use fiesta_core::{ArmId, Conclusion, Design, Direction, Moments, Outcome, Reason};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};
use std::collections::BTreeSet;

/// Number of standard deviations from its arm's mean up to which a failed evaluation may have scored.
const FAR: f64 = 3.0;

/// Returns the standard deviation of normal scores of which those below some score are lacking: a
/// share `kept` is left, with the standard deviation `sd`.
///
/// sd/√(1 − λ(λ − a)), with the standard score a above which are those that are left, and λ = φ(a)/kept
/// (the variance of a truncated normal distribution).
fn sd_of_all(sd: f64, kept: f64) -> f64 {
    let normal = Normal::standard();
    let from = normal.inverse_cdf(1.0 - kept);
    let mean = normal.pdf(from) / kept;
    sd / (1.0 - mean * (mean - from)).sqrt()
}

/// Failures of a named arm that may hide scores with which it would not lead: had they scored worse
/// than some score on average, another arm would be ahead. This score is possible, and within three
/// standard deviations of the arm's mean; the standard deviation is the one that normal scores have
/// whose worst are hidden.
///
/// With the arm's n scores of mean m and f failures, and a lead of Δ over the next arm (and what it may
/// be behind, where good enough was asked for), the score is m − Δ(n + f)/f, or m + Δ(n + f)/f where
/// smaller is better. Where the next arm has scores on the splits or items that failed, their mean and
/// Δ stand in the place of m.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DecisiveFailures {
    arm: String,
    failed: u64,
    made: u64,
    next: String,
    score: f64,
    slack: f64,
    direction: Direction,
}

/// Returns the arms that a stopping rule named, as the best or as good enough, and how far below the
/// best they may be, in the unit of the scores. `None` if a limit or a schedule ended the study, arms
/// are tied, only one was left, or the study is a gate.
fn named(conclusion: &Conclusion) -> Option<(&[ArmId], f64)> {
    let arm = std::slice::from_ref(&conclusion.arm);
    match &conclusion.reason {
        Reason::PosteriorProbability { .. } => Some((arm, 0.0)),
        Reason::Tolerance { tolerance, .. } | Reason::AnytimeValid { tolerance, .. } => {
            Some((arm, *tolerance))
        }
        Reason::Shortfall { bound, .. } => Some((arm, *bound)),
        Reason::Top {
            tolerance, arms, ..
        } => Some((arms, *tolerance)),
        _ => None,
    }
}

impl DecisiveFailures {
    /// Returns the failures of an arm that the study names, if they may decide. `None` in a gate, a
    /// random search, and with confusion counts or several benchmarks.
    pub(super) fn of(facts: &StudyFacts) -> Option<Self> {
        let conclusion = facts.conclusion.as_ref()?;
        let (named, slack) = named(conclusion)?;
        let is_of_scores =
            facts.search.is_none() && facts.f_beta.is_none() && facts.benchmarks.is_empty();
        let has_failed = |arm: &&ArmId| facts.arms[arm.index()].unanswered > 0;
        let failing: Vec<ArmId> = named.iter().filter(has_failed).copied().collect();
        if failing.is_empty() || !is_of_scores {
            return None;
        }
        let samples: Vec<Option<Sample>> = facts
            .scores()
            .into_iter()
            .map(|scores| match facts.design {
                Design::Shared | Design::Items { .. } => Sample::grouped(scores).ok(),
                _ => Sample::new(scores.into_iter().map(|(_, score)| score)).ok(),
            })
            .collect();
        let others: Vec<(ArmId, &Sample)> = ArmId::all(samples.len())
            .zip(&samples)
            .filter(|(arm, _)| !named.contains(arm) && !facts.arms[arm.index()].retired)
            .filter_map(|(arm, sample)| Some((arm, sample.as_ref()?)))
            .collect();
        failing.into_iter().find_map(|arm| {
            let own = samples[arm.index()].as_ref()?;
            Self::of_arm(facts, (arm, own), &others, slack)
        })
    }

    /// Returns the failures of this arm, if they may decide that one of the others is better by more
    /// than `slack`.
    fn of_arm(
        facts: &StudyFacts,
        (arm, own): (ArmId, &Sample),
        others: &[(ArmId, &Sample)],
        slack: f64,
    ) -> Option<Self> {
        let direction = facts.metric.direction();
        let leads = others.iter().filter_map(|(other, sample)| {
            let comparison = ArmComparison::new(own, sample, 0.95).ok()?;
            Some((*other, comparison.difference))
        });
        let (next, difference) =
            leads.min_by(|a, b| direction.orient(a.1).total_cmp(&direction.orient(b.1)))?;
        let lead = (direction.orient(difference) + slack).max(0.0);
        let failed = facts.arms[arm.index()].unanswered;
        let made = own.len() as u64 + failed;
        let distance = lead * made as f64 / failed as f64;
        let there = facts.mean_where_failed(arm, next);
        let expected = there.map_or(own.mean(), |mean| mean + difference);
        let score = expected - direction.orient(distance);
        let bounds = facts.metric.bounds();
        let is_possible = bounds.is_none_or(|(low, high)| (low..=high).contains(&score));
        let moments: Moments = own.scores().iter().copied().collect();
        let kept = own.len() as f64 / made as f64;
        // Scores that are all equal tell nothing of those that are hidden.
        let sd = moments.standard_deviation().filter(|&sd| sd > 0.0);
        let is_near = sd.is_none_or(|sd| distance < FAR * sd_of_all(sd, kept));
        (is_possible && is_near).then(|| Self {
            arm: facts.name(arm).to_owned(),
            failed,
            made,
            next: facts.name(next).to_owned(),
            score,
            slack,
            direction,
        })
    }

    /// Says what the failures may hide, with scores to this number of digits.
    pub(super) fn sentence(&self, digits: usize) -> String {
        format!(
            "{} of the {} evaluations of {} failed and {} for nothing: had {} scored {} {:.digits$}{}, {} would be ahead{}.",
            self.failed,
            self.made,
            self.arm,
            one_or_more(self.failed, "counts", "count"),
            one_or_more(self.failed, "it", "they"),
            match self.direction {
                Direction::Maximize => "below",
                Direction::Minimize => "above",
            },
            self.score,
            one_or_more(self.failed, "", " on average"),
            self.next,
            if self.slack > 0.0 {
                format!(" by more than {}", self.slack)
            } else {
                String::new()
            }
        )
    }

    /// Says what can be done about them.
    pub(super) fn advice(&self) -> String {
        format!(
            "what failed of {} may decide otherwise: once the cause is mended, --retry {} makes it again; where a failure is a bad result, let the command print the score that it deserves",
            self.arm, self.arm
        )
    }
}

impl StudyFacts {
    /// Returns the mean score of `other` on the splits or items on which `arm` failed. `None` if it has
    /// none there, or arms do not share them.
    fn mean_where_failed(&self, arm: ArmId, other: ArmId) -> Option<f64> {
        let shares = matches!(self.design, Design::Shared | Design::Items { .. });
        let mut scores = self.scores();
        let there = std::mem::take(&mut scores[other.index()]).into_iter();
        let known: BTreeSet<u64> = scores[arm.index()].iter().map(|own| own.0).collect();
        let of = self.evaluations.iter().filter(|own| own.arm == arm);
        let failed: BTreeSet<u64> = of
            .filter(|own| matches!(own.outcome, Some(Outcome::Failed)))
            .map(|own| own.case.split)
            .filter(|split| shares && !known.contains(split))
            .collect();
        let there = there.filter(|(split, _)| failed.contains(split));
        let moments: Moments = there.map(|(_, score)| score).collect();
        (moments.count() > 0).then(|| moments.mean())
    }
}

impl StudyFindings<'_> {
    /// Whether bad scores that are hidden behind failures could make another arm the best than the
    /// one that the study names.
    pub fn failures_may_decide(&self) -> bool {
        self.failures.is_some()
    }

    /// Returns what can be said of the named arm where failures may decide, as the rest of a
    /// sentence that begins with its name. `None` where they do not.
    pub(in crate::analysis) fn lead_without_failures(&self) -> Option<String> {
        let arm = self.recommended()?;
        if !self.failures_may_decide() || self.overtaken_by().is_some() {
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
