//! Text and figure of a comparison of two arms.

use super::{ComparedArm, ComparisonReport};
use crate::{
    Percentages, Table, TableOf,
    figure::Forest,
    summary::Place,
    words::{count, digits, level, one_or_more, p_value},
    wrapped,
};
use fiesta_core::Direction;

impl ComparisonReport {
    /// The table of the two arms, and beneath it a line for each thing that is known of their
    /// difference.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let (a, b) = (&self.a.name, &self.b.name);
        let on = match (self.shared_splits, self.pairing) {
            (Some(items), "item") => format!(" on the {items} items of both"),
            (Some(splits), _) => format!(" on the {splits} splits of both"),
            (None, _) => String::new(),
        };
        let interval = self.lower.zip(self.upper).map(|(lower, upper)| {
            let level = level(self.confidence);
            format!(", {level} interval {} to {}", digits(lower), digits(upper))
        });
        let test = match self.p_value {
            Some(p) => format!("; {}, two-sided p {}", self.test_in_words(), p_value(p)),
            None => "; too few scores for a test".to_owned(),
        };
        let no_spread = match self.test {
            "permutation" => " (nothing varies, so that no error can be estimated)",
            _ => "",
        };
        let mut lines = vec![
            arms_table(&[&self.a, &self.b], self.confidence, &[]).text_within(width),
            format!(
                "{a} − {b}{on}: {}{}{test}",
                digits(self.difference),
                interval.unwrap_or_else(|| no_spread.to_owned())
            ),
        ];
        // Of items, a note names those that are missing.
        if self.left_out > 0 && self.pairing != "item" {
            lines.push(format!(
                "{} {} on splits that the other arm has not seen, and left out of the difference",
                count(self.left_out, "score"),
                one_or_more(self.left_out, "is", "are")
            ));
        }
        if let Some(effect) = self.effect {
            let of = self
                .shared_splits
                .map_or("two scores", |_| match self.pairing {
                    "item" => "the answers to one item",
                    _ => "the scores on one split",
                });
            lines.push(format!(
                "effect: {} standard deviations of the difference between {of}",
                digits(effect)
            ));
        }
        if let Some(tolerance) = self.tolerance {
            lines.push(match self.lower.zip(self.upper) {
                Some(_) => {
                    let rule = tie_rule(self.confidence, self.tie, tolerance);
                    format!("{} tie: {rule}", if self.tie { "a" } else { "no" })
                }
                None if self.tie => "a tie: no score differs".to_owned(),
                None => "no tie is shown: there is no interval of the difference".to_owned(),
            });
        }
        if let Some(test) = self.mcnemar {
            lines.push(format!(
                "right on {}: {} of {a} alone, {} of {b} alone; {}",
                if self.pairing == "item" {
                    "items"
                } else {
                    "splits"
                },
                test.only_first,
                test.only_second,
                test.words()
            ));
        }
        if let Some(p) = self.probability_better {
            let share = Percentages::new(&[p, 1.0 - p]);
            let interval = self.posterior_interval.map_or_else(String::new, |ends| {
                let [lower, upper] = ends.map(digits);
                let level = level(self.confidence);
                format!(", whose {level} interval of {a} − {b} is {lower} to {upper}")
            });
            lines.push(format!(
                "P({a} better than {b}) {} under the posterior {}{interval}",
                share.of(0),
                self.posterior_in_words()
            ));
        }
        lines.extend(self.notes.clone());
        wrapped(&lines.join("\n"), width)
    }

    /// Returns the name of the posterior. In a pool, it is followed by the target, such as `these items`.
    pub(super) fn posterior_in_words(&self) -> String {
        let of = self.target.iter().map(|target| format!(" of {target}"));
        [self.posterior.clone()].into_iter().chain(of).collect()
    }

    fn test_in_words(&self) -> String {
        let freedom = digits(self.degrees_of_freedom);
        match self.test {
            "permutation" => "an exact permutation test, as scores show no noise".to_owned(),
            "paired t" => format!("paired t test with {freedom} degrees of freedom"),
            _ => format!("Welch's t test with {freedom} degrees of freedom"),
        }
    }

    /// Returns the difference and P(better) in a few words.
    pub fn in_short(&self) -> String {
        let (a, b, difference) = (&self.a.name, &self.b.name, digits(self.difference));
        let better = self.probability_better.map_or_else(String::new, |p| {
            let share = Percentages::new(&[p, 1.0 - p]);
            format!(", P({a} better) {}", share.of(0))
        });
        format!("{a} − {b}: {difference}{better}")
    }

    /// Returns a figure of the two arms' means with their intervals.
    pub fn figure(&self) -> Forest {
        let means = [&self.a, &self.b];
        figure(&self.metric, self.direction, &means, self.confidence)
    }
}

/// Returns the table of arms with their means, and with their places where these are given.
pub(super) fn arms_table(arms: &[&ComparedArm], confidence: f64, places: &[Place]) -> Table {
    let interval = format!("{} interval", level(confidence));
    TableOf::new(arms.iter().enumerate())
        .words("arm", |(_, arm)| arm.name.clone())
        .numbers("evaluations", |(_, arm)| arm.evaluations)
        .numbers("mean", |(_, arm)| digits(arm.mean))
        .numbers("sd", |(_, arm)| arm.standard_deviation.map(digits))
        .numbers(&interval, |(_, arm)| {
            let ends = arm.lower.zip(arm.upper);
            ends.map(|(lower, upper)| format!("{} to {}", digits(lower), digits(upper)))
        })
        .when(!places.is_empty(), |table| {
            table.numbers("place", |(rank, _)| {
                places.get(*rank).copied().map(Place::in_words)
            })
        })
        .table()
        .dispensable(&["sd"])
}

/// Returns the figure of arms with their means.
pub(super) fn figure(
    metric: &str,
    direction: Direction,
    arms: &[&ComparedArm],
    confidence: f64,
) -> Forest {
    let what = format!("mean, {} interval", level(confidence));
    arms.iter()
        .fold(Forest::new(metric, direction, what), |figure, arm| {
            let evaluations = usize::try_from(arm.evaluations).unwrap_or(usize::MAX);
            figure.arm(&arm.name, evaluations, arm.estimate())
        })
}

/// Tells in words that the interval of a difference lies within a tolerance, or that it does not.
pub(super) fn tie_rule(confidence: f64, is_within: bool, tolerance: f64) -> String {
    let level = level(confidence);
    let lies = if is_within { "lies" } else { "does not lie" };
    format!("the {level} interval {lies} between −{tolerance} and {tolerance}")
}
