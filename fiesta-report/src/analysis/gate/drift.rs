//! Drift of the versions that gates let pass, since the first baseline.

use crate::{
    arm_table::signed_ends,
    summary::{Interval, PairedDifference},
    words::{count, decimals, signed},
};
use fiesta_core::Metric;
use serde::Serialize;

/// Difference of a version from the anchor, the first baseline of a line of gates: each may let a version pass
/// that is worse by less than its margin, and together they may lose several margins.
///
/// The difference is of means over the items or splits that both answered, above 0 if the version is better.
/// Its interval is that of [`PairedDifference`], which supposes that their number was set beforehand: where a
/// gate ended early, it errs more often than stated. Where gates ended early, versions have few items in common
/// with the anchor. The sum of the gates' own differences stands beside, without an interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GateDrift {
    /// Name of the anchor.
    pub anchor: String,
    /// Day on which the anchor's answers were kept first, in UTC.
    pub since: String,
    /// Name of the version that is recommended now.
    pub arm: String,
    /// Number of gates since that let a version pass.
    pub gates: u64,
    /// Sum of the differences that these gates showed, each of two versions that followed each other.
    pub sum: f64,
    /// Number of items or splits that both answered.
    pub items: u64,
    /// Mean of the version less that of the anchor, with the sign turned around where smaller is better.
    pub difference: f64,
    /// Lower end of the interval. `None` with too few items.
    pub lower: Option<f64>,
    /// Upper end of the interval.
    pub upper: Option<f64>,
    /// Share of samples in which each end errs.
    pub error: f64,
    /// Noun for what both answered: item, document or split.
    #[serde(skip)]
    noun: &'static str,
}

impl GateDrift {
    /// Compares a version with the anchor by their scores on what both answered, of which there is a noun.
    /// `names` are those of anchor and version; the gates since have a number and a sum of differences.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{Direction, Metric};
    /// use fiesta_report::analysis::gate::GateDrift;
    /// let metric = Metric::new("accuracy", Direction::Maximize, Some((0.0, 1.0))).unwrap();
    /// let pairs = (0..200).map(|item| [1.0, if item % 20 == 0 { 0.0 } else { 1.0 }]);
    /// let pairs: Vec<[f64; 2]> = pairs.collect();
    /// let drift = GateDrift::new(["v1", "v4"], "2026-11-28", (3, -0.04), (&pairs, "item"), &metric, 0.05);
    /// assert!((drift.difference + 0.05).abs() < 1e-12 && drift.lower < Some(-0.05));
    /// assert_eq!(drift.sentences(-0.02).len(), 2);
    /// ```
    pub fn new(
        names: [&str; 2],
        since: &str,
        (gates, sum): (u64, f64),
        (pairs, noun): (&[[f64; 2]], &'static str),
        metric: &Metric,
        error: f64,
    ) -> Self {
        let direction = metric.direction();
        let ahead = |[anchor, own]: &[f64; 2]| direction.orient(*own) - direction.orient(*anchor);
        let differences: Vec<f64> = pairs.iter().map(ahead).collect();
        let seen = differences
            .iter()
            .fold(0.0, |most: f64, of| most.max(of.abs()));
        let range = match metric.bounds() {
            Some((low, high)) => high - low,
            None if seen > 0.0 => seen,
            None => 1.0,
        };
        let found = PairedDifference::new(differences.iter().map(|of| of / range), 1.0);
        let interval = found.interval(error);
        let [anchor, arm] = names.map(str::to_owned);
        Self {
            anchor,
            since: since.to_owned(),
            arm,
            gates,
            sum,
            items: pairs.len() as u64,
            difference: found.mean() * range,
            lower: interval.map(|ends| ends.lower * range),
            upper: interval.map(|ends| ends.upper * range),
            error,
            noun,
        }
    }

    /// The drift in a sentence, and a warning where it may be more than what one gate lets pass: `threshold` is
    /// the gate's, below 0 with a margin.
    pub fn sentences(&self, threshold: f64) -> Vec<String> {
        let interval = self.lower.zip(self.upper);
        // A quarter of an interval is about a standard error.
        let decimals = decimals(interval.map(|(lower, upper)| (upper - lower) / 4.0));
        let ends = match interval {
            Some((lower, upper)) => signed_ends(Interval { lower, upper }, decimals),
            None => "too few for an interval".to_owned(),
        };
        let mut said = vec![format!(
            "since the anchor {} of {}: {} ({ends}) in {}, on {} that {} and the anchor both answered; the gates' own differences add up to {}",
            self.anchor,
            self.since,
            signed(self.difference, decimals),
            count(self.gates, "gate"),
            count(self.items, self.noun),
            self.arm,
            signed(self.sum, decimals),
        )];
        let lowest = self.lower.unwrap_or(self.difference.min(self.sum));
        if threshold < 0.0 && lowest < threshold {
            said.push(format!(
                "together, the gates since the anchor may have lost more than the margin of {}: compare with the anchor itself before the next version ships",
                -threshold
            ));
        }
        said
    }
}
