//! Comparison of the best arm with every other: differences and probabilities of improvement.

use crate::{
    Table, TableOf,
    summary::{ArmComparison, Bootstrap, Improvement, Interval, Pairing, Sample, SummaryError},
    words::{decimals, signed},
};
use fiesta_core::Direction;

/// Comparison of one arm with the best.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Versus {
    /// Name of the arm.
    pub(crate) name: String,
    /// Comparison of the scores: the best arm's mean less this one's.
    pub(crate) comparison: ArmComparison,
    /// Posterior mean of the difference to the best arm and its interval, shown in place of the
    /// difference of scores. `None` where there is no posterior.
    pub(crate) of_posterior: Option<(f64, Interval)>,
    /// The anytime-valid interval of the difference, where one was computed.
    pub(crate) anytime: Option<Interval>,
    /// The best arm's mean over all its scores less this one's, which is another number where the
    /// two were compared on the splits that they have in common and one of them has scores on
    /// others.
    pub(crate) difference_of_means: f64,
    /// Probability that the best arm is better.
    pub(crate) improvement: Improvement,
    /// Interval of the improvement.
    pub(crate) interval: Interval,
}

impl Versus {
    /// Compares an arm with the best.
    ///
    /// # Errors
    /// [`SummaryError`] if it is not between 0 and 1.
    pub(crate) fn new(
        name: impl Into<String>,
        best: &Sample,
        arm: &Sample,
        direction: Direction,
        confidence: f64,
        bootstrap: &Bootstrap,
    ) -> Result<Self, SummaryError> {
        let (improvement, interval) = bootstrap.improvement(best, arm, direction);
        let comparison = ArmComparison::new(best, arm, confidence)?;
        Ok(Self {
            name: name.into(),
            of_posterior: None,
            anytime: None,
            comparison,
            difference_of_means: best.mean() - arm.mean(),
            improvement,
            interval,
        })
    }

    /// Returns the difference that is shown and its interval: the posterior's, or those of the
    /// scores.
    pub(crate) fn difference(&self) -> (f64, Option<Interval>) {
        match self.of_posterior {
            Some((difference, interval)) => (difference, Some(interval)),
            None => (self.comparison.difference, self.comparison.interval),
        }
    }
}

/// A table of the best arm against each of the others.
pub(crate) fn versus(best: &str, arms: &[Versus]) -> Table {
    let has_anytime = arms.iter().any(|arm| arm.anytime.is_some());
    let has_posterior = arms.iter().any(|arm| arm.of_posterior.is_some());
    let decimals = decimals(arms.iter().filter_map(|arm| arm.comparison.standard_error));
    let show = |value: f64| signed(value, decimals);
    let ends = |interval: Option<Interval>| {
        interval.map_or("–".to_owned(), |interval| signed_ends(interval, decimals))
    };
    TableOf::new(arms)
        .words("arm", |arm| arm.name.clone())
        .numbers(&less_arm(best), |arm| show(arm.difference().0))
        .numbers("interval", |arm| ends(arm.difference().1))
        .when(has_anytime, |table| {
            table.numbers("anytime-valid", |arm| ends(arm.anytime))
        })
        .numbers("compared on", |arm| match arm.comparison.pairing {
            Pairing::Paired { splits, .. } => format!("{splits} shared splits"),
            Pairing::Unpaired => "all scores (Welch)".to_owned(),
        })
        .when(has_posterior, |table| {
            table.numbers("on these", |arm| show(arm.comparison.difference))
        })
        .numbers("of the means", |arm| show(arm.difference_of_means))
        .numbers("P(improvement)", |arm| {
            format!("{:.3}", arm.improvement.probability)
        })
        .numbers("its interval", |arm| {
            format!("{:.3} to {:.3}", arm.interval.lower, arm.interval.upper)
        })
        .table()
}

/// Returns the header of differences to the best arm. A long name would be higher than the table;
/// the caption, or the first row, has it whole.
pub(crate) fn less_arm(best: &str) -> String {
    if best.chars().count() > LONG_NAME {
        return "best less arm".to_owned();
    }
    format!("{best} less arm")
}

/// Writes the interval of a difference.
pub(crate) fn signed_ends(interval: Interval, decimals: usize) -> String {
    let [lower, upper] = [interval.lower, interval.upper].map(|end| signed(end, decimals));
    format!("{lower} to {upper}")
}

/// Characters of the longest name in the header of a column.
const LONG_NAME: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_each_was_compared() {
        let sample = |scores: [f64; 4]| Sample::grouped((0..).zip(scores)).unwrap();
        let best = sample([0.7, 0.72, 0.69, 0.75]);
        let bootstrap = Bootstrap::new(0.95, 500, 1).unwrap();
        let compare = |name: &str, arm: &Sample| {
            Versus::new(name, &best, arm, Direction::Maximize, 0.95, &bootstrap).unwrap()
        };
        let rows = [
            compare("paired", &sample([0.69, 0.70, 0.66, 0.71])),
            compare("welch", &Sample::new([0.6, 0.5, 0.61]).unwrap()),
        ];
        let text = versus("x", &rows).text();
        // Differences .01, .02, .03, .04: .025 ± 3.182 · .0129/2.
        assert!(
            text.contains(
                "+0.0250  +0.0045 to +0.0455     4 shared splits       +0.0250           1.000"
            ),
            "{text}"
        );
        assert!(text.contains("all scores (Welch)"));
    }
}
