//! Verdict on a candidate from its answers and the baseline's.

use super::{
    GateCandidate, GateOptions, GateVerdict, ROUNDING, Standing,
    pairs::{self, Pairs},
};
use crate::{analysis::belief::ItemClusters, summary::PairedDifference};
use fiesta_core::Target;
use fiesta_posterior::Differences;

/// Judge of candidates: the question to each, on a scale on which scores differ by at most 1.
pub(super) struct Judge<'a> {
    pub(super) options: &'a GateOptions,
    /// Difference of means that a candidate must exceed to ship.
    pub(super) threshold: Option<f64>,
    /// Share of gates that may err, each way.
    pub(super) error: f64,
}

impl Judge<'_> {
    /// Judges a candidate whose name, sentence and flipped items are added later.
    pub(super) fn candidate(
        &self,
        pairs: &Pairs,
        clusters: Option<&ItemClusters>,
        range: f64,
    ) -> GateCandidate {
        let found = pairs.difference(clusters, |_| true);
        let is_counted = self.options.target == Target::TheseItems;
        let by_test = |found: &PairedDifference| self.by_test(found);
        let by_count = self.threshold.map(|at| counted(pairs.sum(|_| true), at));
        let verdict = |own: Option<GateVerdict>| if is_counted { by_count } else { own };
        let lacks = pairs.lacks();
        let answered = lacks.then(|| {
            let is_whole = pairs::PairedItem::is_whole;
            if is_counted {
                self.threshold.map(|at| counted(pairs.sum(is_whole), at))
            } else {
                by_test(&pairs.difference(clusters, is_whole))
            }
        });
        let interval = found.interval(self.error);
        let differing = pairs.differing();
        let posterior = pairs.posterior(clusters);
        GateCandidate {
            name: String::new(),
            verdict: verdict(by_test(&found)),
            sentence: String::new(),
            standing: if is_counted {
                standing_of(pairs.sum(|_| true))
            } else {
                self.standing(&found)
            },
            items: pairs.items.len() as u64,
            differing: differing[0] + differing[1],
            regressions: differing[0],
            fixed: differing[1],
            failed: pairs.failed[1],
            missing: pairs.missing[1],
            baseline_failed: pairs.failed[0],
            baseline_missing: pairs.missing[0],
            verdict_on_answered: answered.flatten(),
            difference: found.mean() * range,
            lower: interval.map(|ends| ends.lower * range),
            upper: interval.map(|ends| ends.upper * range),
            verdict_on_these_items: by_count,
            test: found.test(),
            p_not_shipping: self.threshold.map(|at| found.p_above(at)),
            p_not_blocked: self.threshold.map(|at| found.p_below(at)),
            smallest_margin: found.decidable(self.error).map(|margin| margin * range),
            probability: above(&posterior, self.threshold.unwrap_or(0.0)),
            probability_best: None,
            constraints: Vec::new(),
            flipped: Vec::new(),
            too_few: found.lacking(),
        }
    }

    /// Judges pairs by counting and by the posterior alone: verdict, standing and interval are another
    /// test's.
    pub(super) fn posterior(pairs: &Pairs, threshold: Option<f64>, error: f64) -> GateCandidate {
        let options = &GateOptions::default();
        let judge = Judge {
            options,
            threshold,
            error,
        };
        let judged = judge.candidate(pairs, None, 1.0);
        GateCandidate {
            verdict_on_answered: None,
            verdict_on_these_items: None,
            p_not_shipping: None,
            p_not_blocked: None,
            smallest_margin: None,
            too_few: None,
            ..judged
        }
    }

    fn by_test(&self, found: &PairedDifference) -> Option<GateVerdict> {
        let threshold = self.threshold?;
        Some(if found.is_above(threshold, self.error) {
            GateVerdict::Ships
        } else if found.is_at_most(threshold, self.error) {
            GateVerdict::Blocked
        } else {
            GateVerdict::Undecided
        })
    }

    fn standing(&self, found: &PairedDifference) -> Standing {
        let within = self.threshold.filter(|&threshold| threshold < 0.0);
        let is_within =
            |at: f64| found.is_above(at, self.error) && found.is_at_most(-at, self.error);
        if found.is_above(0.0, self.error) {
            Standing::Better
        } else if found.is_at_most(0.0, self.error) {
            Standing::Worse
        } else if within.is_some_and(is_within) {
            Standing::Equal
        } else {
            Standing::Open
        }
    }
}

/// The verdict on a sum of differences over a number of items, by counting: a mean at the threshold
/// does not ship, whatever rounding does to it.
fn counted((sum, items): (f64, f64), threshold: f64) -> GateVerdict {
    if sum > threshold * items + ROUNDING * items.max(1.0) {
        GateVerdict::Ships
    } else {
        GateVerdict::Blocked
    }
}

fn standing_of((sum, items): (f64, f64)) -> Standing {
    match sum {
        sum if sum.abs() <= ROUNDING * items.max(1.0) => Standing::Equal,
        sum if sum > 0.0 => Standing::Better,
        _ => Standing::Worse,
    }
}

/// Whether an interval lies less than a margin away from 0.
pub(super) fn within((lower, upper): (f64, f64), margin: f64) -> bool {
    lower > -margin && upper < margin
}

/// Posterior probability that the mean of differences is above a threshold.
fn above((differences, scale): &(Differences, f64), threshold: f64) -> f64 {
    1.0 - differences.worse(-threshold * scale)
}
