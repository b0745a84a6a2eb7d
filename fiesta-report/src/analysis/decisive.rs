//! Failures that may decide which arm is the best: with which scores of what failed another arm would
//! be ahead.

use crate::words::one_or_more;
use fiesta_core::{Direction, Moments};
use statrs::distribution::{Continuous, ContinuousCDF, Normal};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Number of standard deviations from what is expected up to which a failed evaluation may have scored.
const FAR: f64 = 3.0;

/// Score of an evaluation that did not fail.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    /// Split or item of the evaluation.
    pub(super) split: u64,
    /// The score.
    pub(super) score: f64,
    /// Weight of the score in the mean of its arm. The F-measure of all counts is the mean of the
    /// documents' F-measures, each with the weight (1 + b²)TP + b²FN + FP.
    pub(super) weight: f64,
}

/// Outcomes of one arm.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcomes<'a> {
    /// Name of the arm.
    pub(super) name: &'a str,
    /// Evaluations that did not fail.
    pub(super) scored: Vec<Scored>,
    /// Split or item of each evaluation that failed.
    pub(super) failed: Vec<u64>,
}

/// Items of a benchmark, and its weight in the value of an arm. Without benchmarks, one part has
/// everything and the weight 1.
#[derive(Debug, Clone)]
pub(super) struct Part<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) weight: f64,
    pub(super) items: Range<u64>,
}

impl Part<'_> {
    /// The only part, where there are no benchmarks.
    pub(super) const ALL: Self = Self {
        name: None,
        weight: 1.0,
        items: 0..u64::MAX,
    };
}

/// Question that the named arms answer.
#[derive(Debug, Clone)]
pub(super) struct Question<'a> {
    pub(super) direction: Direction,
    pub(super) bounds: Option<(f64, f64)>,
    /// Whether arms are evaluated on the same splits or items.
    pub(super) is_shared: bool,
    /// Whether arms are compared by one F-measure of all their counts.
    pub(super) is_pooled: bool,
    pub(super) parts: Vec<Part<'a>>,
    /// Distance below the best ones at which a named arm may be, in the unit of the scores.
    pub(super) slack: f64,
    /// Number of the best arms that are sought.
    pub(super) top: usize,
}

/// Failures of a named arm that may hide scores with which it would not lead: had they scored worse
/// than some score on average, another arm would be ahead. This score is possible, and within three
/// standard deviations of what is expected; the standard deviation is the one that normal scores have
/// whose worst are hidden.
///
/// With the arm's n scores of mean m and f failures, and a lead of Δ over the next arm (and what it may
/// be behind, where good enough was asked for), the score is m − Δ(n + f)/f, or m + Δ(n + f)/f where
/// smaller is better. Where the next arm has scores on the splits or items that failed, their mean and
/// Δ stand in the place of m. With several benchmarks of weight w, the lead is that of the weighted
/// mean, f/(n + f) is the sum of w·f/(n + f), and m the mean with these weights.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DecisiveFailures {
    arm: String,
    failed: usize,
    made: usize,
    parts: Vec<String>,
    next: String,
    lead: f64,
    score: f64,
    is_pooled: bool,
    slack: f64,
    direction: Direction,
}

/// Failures of an arm on one part, and its lead there over another arm. Scores are oriented so that
/// larger is better.
struct Hidden {
    lead: f64,
    failed: usize,
    made: usize,
    share: f64,
    expected: f64,
    reach: Option<f64>,
}

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

/// Returns the weighted mean of scores. `None` without any weight.
fn mean<'s>(scored: impl IntoIterator<Item = &'s Scored>) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for own in scored {
        (sum, weight) = (sum + own.weight * own.score, weight + own.weight);
    }
    (weight > 0.0).then(|| sum / weight)
}

/// Returns the mean of the scores of each split, with their mean weight.
fn by_split(scored: &[Scored]) -> BTreeMap<u64, Scored> {
    let mut splits: BTreeMap<u64, Vec<&Scored>> = BTreeMap::new();
    for own in scored {
        splits.entry(own.split).or_default().push(own);
    }
    let means = splits.into_iter().filter_map(|(split, all)| {
        let weight: f64 = all.iter().map(|own| own.weight).sum();
        let mean = Scored {
            split,
            score: mean(all.iter().copied())?,
            weight: weight / all.len() as f64,
        };
        Some((split, mean))
    });
    means.collect()
}

impl Question<'_> {
    /// Returns the failures of this arm, if they may decide that another one of `others` is better by
    /// more than the slack, or as many as are sought.
    pub(super) fn decisive<'o>(
        &self,
        own: &Outcomes<'_>,
        others: &[&'o Outcomes<'o>],
    ) -> Option<DecisiveFailures> {
        let against = |other: &&'o Outcomes<'o>| {
            let (lead, hidden) = self.against(own, other)?;
            Some((other.name, lead, hidden))
        };
        let mut rivals: Vec<_> = others.iter().filter_map(against).collect();
        rivals.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (next, lead, hidden) = rivals.into_iter().nth(self.top.checked_sub(1)?)?;
        let failing: Vec<(&Part<'_>, &Hidden)> = { self.parts.iter().zip(&hidden) }
            .filter(|(_, on)| on.failed > 0)
            .collect();
        let weigh = |of: fn(&Hidden) -> Option<f64>| {
            let values = failing.iter();
            let values = values.map(|(part, on)| Some(part.weight * on.share * of(on)?));
            values.sum::<Option<f64>>()
        };
        let share = weigh(|_| Some(1.0)).filter(|&share| share > 0.0)?;
        let distance = (lead + self.slack).max(0.0) / share;
        let score = weigh(|on| Some(on.expected))? / share - distance;
        let bounds = self.bounds.map(|(low, high)| {
            let (one, other) = (self.direction.orient(low), self.direction.orient(high));
            (one.min(other), one.max(other))
        });
        let is_possible = bounds.is_none_or(|(worst, _)| score >= worst);
        let is_near = weigh(|on| on.reach).is_none_or(|reach| distance < reach / share);
        let score = bounds.map_or(score, |(_, best)| score.min(best));
        (is_possible && is_near).then(|| DecisiveFailures {
            arm: own.name.to_owned(),
            failed: failing.iter().map(|(_, on)| on.failed).sum(),
            made: failing.iter().map(|(_, on)| on.made).sum(),
            parts: { failing.iter() }
                .filter_map(|(part, _)| Some(part.name?.to_owned()))
                .collect(),
            next: next.to_owned(),
            lead,
            score: self.direction.orient(score),
            is_pooled: self.is_pooled,
            slack: self.slack,
            direction: self.direction,
        })
    }

    /// Returns the failures of the arm that leads all others, if they may decide.
    pub(super) fn of_leader(&self, arms: &[Outcomes<'_>]) -> Option<DecisiveFailures> {
        let leader = { 0..arms.len() }.reduce(|best, other| {
            match self.against(&arms[best], &arms[other]) {
                Some((lead, _)) if lead < 0.0 => other,
                None if arms[best].scored.is_empty() => other,
                _ => best,
            }
        })?;
        let others = { 0..arms.len() }.filter(|&other| other != leader);
        let others: Vec<&Outcomes<'_>> = others.map(|other| &arms[other]).collect();
        let failures = self.decisive(&arms[leader], &others);
        failures.filter(|failures| failures.lead >= 0.0)
    }

    /// Returns the lead of an arm over another one, and what its failures hide on each part. `None` if
    /// one of the two has no score on some part.
    fn against(&self, own: &Outcomes<'_>, other: &Outcomes<'_>) -> Option<(f64, Vec<Hidden>)> {
        let parts = self.parts.iter().map(|part| self.on(part, own, other));
        let parts: Vec<Hidden> = parts.collect::<Option<_>>()?;
        let weighted = self.parts.iter().zip(&parts);
        let lead = weighted.map(|(part, on)| part.weight * on.lead).sum();
        Some((lead, parts))
    }

    /// Returns what failures of an arm hide on one part. `None` if one of the two arms has no score
    /// there.
    fn on(&self, part: &Part<'_>, own: &Outcomes<'_>, other: &Outcomes<'_>) -> Option<Hidden> {
        let here = |of: &Outcomes<'_>| -> Vec<Scored> {
            let scored = of.scored.iter();
            let here = scored.filter(|own| part.items.contains(&own.split));
            let oriented = here.map(|own| Scored {
                score: self.direction.orient(own.score),
                ..*own
            });
            oriented.collect()
        };
        let (mine, theirs) = (here(own), here(other));
        let (my_splits, their_splits) = (by_split(&mine), by_split(&theirs));
        let common: Vec<u64> = { my_splits.keys() }
            .filter(|split| self.is_shared && their_splits.contains_key(split))
            .copied()
            .collect();
        // Few splits in common are no sign of a design that shares them.
        let lead = if 2 * common.len() >= my_splits.len().min(their_splits.len()).max(1) {
            mean(common.iter().map(|split| &my_splits[split]))?
                - mean(common.iter().map(|split| &their_splits[split]))?
        } else {
            mean(&mine)? - mean(&theirs)?
        };
        let failed = { own.failed.iter() }.filter(|split| part.items.contains(split));
        let there: BTreeSet<u64> = failed.clone().copied().collect();
        let there =
            { there.iter() }.filter(|split| self.is_shared && !my_splits.contains_key(split));
        let there: Vec<&Scored> = there.filter_map(|split| their_splits.get(split)).collect();
        let weights: Moments = mine.iter().map(|own| own.weight).collect();
        let weights_there: Moments = there.iter().map(|their| their.weight).collect();
        let each = if there.is_empty() {
            weights.mean()
        } else {
            weights_there.mean()
        };
        let failed = failed.count();
        let lost = failed as f64 * each;
        let share = lost / (lost + weights.total());
        let expected = match mean(there.iter().copied()) {
            Some(mean) => mean + lead,
            None => mean(&mine)?,
        };
        let moments: Moments = mine.iter().map(|own| own.score).collect();
        // Scores that are all equal tell nothing of those that are hidden.
        let sd = moments.standard_deviation().filter(|&sd| sd > 0.0);
        Some(Hidden {
            lead,
            failed,
            made: mine.len() + failed,
            share,
            expected,
            reach: sd.map(|sd| FAR * sd_of_all(sd, 1.0 - share)),
        })
    }
}

impl DecisiveFailures {
    /// Returns the name of the arm that failed.
    pub(super) fn arm(&self) -> &str {
        &self.arm
    }

    /// Says what the failures may hide, with scores to this number of digits.
    pub(super) fn sentence(&self, digits: usize) -> String {
        let on = match self.parts.as_slice() {
            [] => String::new(),
            parts => format!(" on {}", parts.join(" and ")),
        };
        format!(
            "{} of the {} evaluations of {}{on} failed and {} for nothing: had {} scored {} {:.digits$}{}, {} would be ahead{}.",
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
            match self.failed {
                1 => "",
                _ if self.is_pooled => " all together",
                _ if self.parts.len() > 1 => " on the weighted average",
                _ => " on average",
            },
            self.next,
            if self.slack > 0.0 {
                format!(" by more than {}", self.slack)
            } else {
                String::new()
            }
        )
    }
}
