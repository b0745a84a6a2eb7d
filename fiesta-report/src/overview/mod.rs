//! The tables of a report: every arm in one, and each against the best.

mod digits;
mod versus;

pub use digits::decimals;
pub use versus::{Versus, versus};

use crate::{
    Align, Percentages, Table,
    standings::{TIED, TIED_NOTE},
    summary::Summary,
};
use fiesta_core::{Counts, Direction};

/// What is known of one arm.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmOverview {
    /// Its name.
    pub name: String,
    /// What its scores say; none without any.
    pub summary: Option<Summary>,
    /// Evaluations that failed.
    pub failed: u64,
    /// The sum of its counts and their F-measure, where evaluations report counts and arms are
    /// compared by that.
    pub pooled: Option<(Counts, Option<f64>)>,
    /// P(best); none while too little is known.
    pub probability_best: Option<f64>,
    /// What its evaluations cost together; none if that is not known.
    pub cost: Option<f64>,
    /// Whether it was retired for failing.
    pub retired: bool,
    /// Whether it may be the best as well, as far as is known.
    pub possibly_best: bool,
    /// Whether it is tied for the best: no evaluation tells it from the best.
    pub tied: bool,
}

impl ArmOverview {
    /// What it is compared by: the F-measure of its counts, or the mean of its scores.
    pub fn value(&self) -> Option<f64> {
        match &self.pooled {
            Some((_, value)) => *value,
            None => self.summary.as_ref().map(|summary| summary.mean),
        }
    }
}

/// What is known of all arms.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::{ArmOverview, Overview, summary::{Sample, Summary}};
/// let arm = |name: &str, scores: [f64; 3], p| {
///     let summary = Summary::new(&Sample::new(scores)?, 0.95)?;
///     Ok::<_, fiesta_report::summary::SummaryError>(ArmOverview {
///         name: name.to_owned(),
///         summary: Some(summary),
///         failed: 0,
///         pooled: None,
///         probability_best: Some(p),
///         cost: None,
///         retired: false,
///         possibly_best: true,
///         tied: false,
///     })
/// };
/// let overview = Overview {
///     metric: "macro-F1".to_owned(),
///     direction: Direction::Maximize,
///     confidence: 0.95,
///     cost_unit: None,
///     recommended: None,
///     arms: vec![arm("lstm", [0.61, 0.60, 0.63], 0.2)?, arm("gru", [0.66, 0.65, 0.60], 0.8)?],
/// };
/// assert_eq!(overview.ranked(), [1, 0]);
/// let table = overview.table().markdown();
/// assert!(table.contains("| **gru** | 3 | 0.6367 ± 0.0321 | 0.6500 | 0.6367 | 0.5568 to 0.7165 | 80.0 % |"));
/// assert!(table.contains("| lstm† | 3 | 0.6133 ± 0.0153 |"));
/// # Ok::<(), fiesta_report::summary::SummaryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The metric's name.
    pub metric: String,
    /// Which way is better.
    pub direction: Direction,
    /// Of the intervals.
    pub confidence: f64,
    /// What costs are in, if that is known.
    pub cost_unit: Option<String>,
    /// The place of the arm that the study recommends; without one it is the first.
    pub recommended: Option<usize>,
    /// The arms, in their own order.
    pub arms: Vec<ArmOverview>,
}

impl Overview {
    /// The places of the arms from the best to the worst: by P(best), then by value, also where
    /// P(best) is less than is shown; retired arms and those without scores last.
    pub fn ranked(&self) -> Vec<usize> {
        let key = |&place: &usize| {
            let arm = &self.arms[place];
            let value = arm.value();
            (
                !arm.retired,
                arm.probability_best.filter(|&p| p >= 0.001).unwrap_or(0.0),
                value.map_or(f64::NEG_INFINITY, |value| self.direction.orient(value)),
            )
        };
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        order.sort_by(|a, b| {
            let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
            b0.cmp(&a0).then(b1.total_cmp(&a1)).then(b2.total_cmp(&a2))
        });
        order
    }

    /// The place of the best arm: of the recommended one, or of the first; none if nothing is known
    /// of any.
    pub fn best(&self) -> Option<usize> {
        let first = match self.recommended {
            Some(recommended) => recommended,
            None => *self.ranked().first()?,
        };
        let arm = &self.arms[first];
        (arm.value().is_some() && !arm.retired).then_some(first)
    }

    /// P(best) of the arms in percent, by their places; they divide a whole.
    pub fn percentages(&self) -> Percentages {
        let probability = self.arms.iter().map(|arm| arm.probability_best);
        let probability: Vec<f64> = probability.map(Option::unwrap_or_default).collect();
        Percentages::new(&probability)
    }

    /// How many decimals its numbers deserve.
    pub fn decimals(&self) -> usize {
        let summaries = self.arms.iter().filter_map(|arm| arm.summary.as_ref());
        decimals(summaries.filter_map(|summary| summary.standard_error))
    }

    /// For people, from the best to the worst: the best bold, those that may be as good marked with
    /// a dagger.
    pub fn table(&self) -> Table {
        let shown = Columns::new(self);
        let mut table = Table::new(shown.header(self));
        let best = self.best();
        for place in self.ranked() {
            let arm = &self.arms[place];
            let cells = shown.cells(self, place);
            if arm.tied {
                table.bold_marked_row(cells, TIED);
            } else if best == Some(place) {
                table.row(cells, true);
            } else if arm.possibly_best && best.is_some() {
                table.marked_row(cells, "†");
            } else {
                table.row(cells, false);
            }
        }
        if self.arms.iter().any(|arm| arm.tied) {
            table.note(TIED_NOTE)
        } else {
            table
        }
    }

    /// For programs: a column per number, in full precision, arms in their own order.
    pub fn data(&self) -> Table {
        let names = [
            "evaluations",
            "failed",
            "mean",
            "sd",
            "standard_error",
            "lower",
            "upper",
            "minimum",
            "lower_quartile",
            "median",
            "upper_quartile",
            "maximum",
            "interquartile_mean",
            "tp",
            "fp",
            "tn",
            "fn",
            "pooled_f",
            "probability_best",
            "cost",
            "possibly_best",
            "tied",
            "retired",
        ];
        let numbers = names.map(|name| (name, Align::Right));
        let mut table = Table::new([("arm", Align::Left)].into_iter().chain(numbers));
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for arm in &self.arms {
            let summary = arm.summary.as_ref();
            let of = |field: fn(&Summary) -> f64| number(summary.map(field));
            let maybe = |field: fn(&Summary) -> Option<f64>| number(summary.and_then(field));
            let mut cells = vec![
                arm.name.clone(),
                summary.map_or(0, |summary| summary.count).to_string(),
                arm.failed.to_string(),
                of(|summary| summary.mean),
                maybe(|summary| summary.standard_deviation),
                maybe(|summary| summary.standard_error),
                maybe(|summary| summary.interval.map(|interval| interval.lower)),
                maybe(|summary| summary.interval.map(|interval| interval.upper)),
                of(|summary| summary.minimum),
                of(|summary| summary.lower_quartile),
                of(|summary| summary.median),
                of(|summary| summary.upper_quartile),
                of(|summary| summary.maximum),
                of(|summary| summary.interquartile_mean),
            ];
            match &arm.pooled {
                Some((counts, value)) => {
                    cells.extend(counts.cells().map(|count| count.to_string()));
                    cells.push(number(*value));
                }
                None => cells.extend(std::array::from_fn::<_, 5, _>(|_| String::new())),
            }
            cells.push(number(arm.probability_best));
            cells.push(number(arm.cost));
            let words = [arm.possibly_best, arm.tied, arm.retired];
            cells.extend(words.map(|word| word.to_string()));
            table.row(cells, false);
        }
        table
    }
}

/// Which columns there is anything to say in.
#[allow(clippy::struct_excessive_bools, reason = "each is a column")]
struct Columns {
    failures: bool,
    pooled: bool,
    probability: bool,
    cost: bool,
    decimals: usize,
    percentages: Percentages,
}

impl Columns {
    fn new(overview: &Overview) -> Self {
        let any = |found: fn(&ArmOverview) -> bool| overview.arms.iter().any(found);
        Self {
            failures: any(|arm| arm.failed > 0),
            pooled: any(|arm| arm.pooled.is_some()),
            probability: any(|arm| arm.probability_best.is_some() || arm.retired),
            cost: any(|arm| arm.cost.is_some_and(|cost| cost > 0.0)),
            decimals: overview.decimals(),
            percentages: overview.percentages(),
        }
    }

    fn header(&self, overview: &Overview) -> Vec<(&'static str, Align)> {
        let mut header = vec![("arm", Align::Left)];
        let mut numbers = vec![if self.pooled {
            "documents"
        } else {
            "evaluations"
        }];
        if self.failures {
            numbers.push("failed");
        }
        if self.pooled {
            numbers.extend(["TP", "FP", "FN", "pooled F"]);
        }
        numbers.extend(["mean ± sd", "median", "interquartile mean"]);
        numbers.push(match percent_of(overview.confidence) {
            95 => "95 % interval",
            _ => "interval",
        });
        if self.probability {
            numbers.push("P(best)");
        }
        if self.cost {
            numbers.push("cost");
        }
        header.extend(numbers.into_iter().map(|name| (name, Align::Right)));
        header
    }

    fn cells(&self, overview: &Overview, place: usize) -> Vec<String> {
        let arm = &overview.arms[place];
        let summary = arm.summary.as_ref();
        let show = |value: f64| format!("{value:.*}", self.decimals);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let count = summary.map_or(0, |summary| summary.count);
        let mut cells = vec![arm.name.clone(), count.to_string()];
        if self.failures {
            cells.push(arm.failed.to_string());
        }
        if self.pooled {
            let (counts, value) = arm.pooled.unwrap_or_default();
            let [tp, fp, _, fn_] = counts.cells();
            cells.extend([tp, fp, fn_].map(|count| count.to_string()));
            cells.push(or_dash(value.map(show)));
        }
        cells.push(or_dash(summary.map(
            |summary| match summary.standard_deviation {
                Some(sd) => format!("{} ± {}", show(summary.mean), show(sd)),
                None => show(summary.mean),
            },
        )));
        cells.push(or_dash(summary.map(|summary| show(summary.median))));
        cells.push(or_dash(
            summary.map(|summary| show(summary.interquartile_mean)),
        ));
        let interval = summary.and_then(|summary| summary.interval);
        cells.push(or_dash(interval.map(|interval| {
            format!("{} to {}", show(interval.lower), show(interval.upper))
        })));
        if self.probability {
            cells.push(match (arm.retired, arm.probability_best) {
                (true, _) => "retired".to_owned(),
                (false, p) => or_dash(p.map(|_| self.percentages.of(place))),
            });
        }
        if self.cost {
            let unit = overview.cost_unit.as_deref();
            let unit = unit.map_or(String::new(), |unit| format!(" {unit}"));
            cells.push(or_dash(arm.cost.map(|cost| format!("{cost:.1}{unit}"))));
        }
        cells
    }
}

/// A confidence in whole percent.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 100"
)]
fn percent_of(confidence: f64) -> u32 {
    (confidence * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Sample;

    fn arm(name: &str, scores: &[f64]) -> ArmOverview {
        let sample = Sample::new(scores.iter().copied()).ok();
        ArmOverview {
            name: name.to_owned(),
            summary: sample.map(|sample| Summary::new(&sample, 0.95).unwrap()),
            failed: 0,
            pooled: None,
            probability_best: None,
            cost: None,
            retired: false,
            possibly_best: false,
            tied: false,
        }
    }

    fn overview(arms: Vec<ArmOverview>) -> Overview {
        Overview {
            metric: "loss".to_owned(),
            direction: Direction::Minimize,
            confidence: 0.95,
            cost_unit: Some("s".to_owned()),
            recommended: None,
            arms,
        }
    }

    #[test]
    fn columns_without_content_are_left_out() {
        let text = overview(vec![arm("a", &[0.5])]).table().text();
        assert_eq!(
            text,
            "arm  evaluations  mean ± sd  median  interquartile mean  95 % interval\n\
             a              1     0.5000  0.5000              0.5000              –\n"
        );
    }

    #[test]
    fn failures_only_is_a_table_too() {
        let broken = ArmOverview {
            failed: 3,
            cost: Some(1.25),
            retired: true,
            ..arm("broken", &[])
        };
        let all = overview(vec![broken, arm("b", &[0.3, 0.1]), arm("c", &[0.1, 0.1])]);
        assert_eq!(all.ranked(), [2, 1, 0]);
        assert_eq!(all.best(), Some(2));
        assert!(all.table().text().ends_with("retired  1.2 s\n"));
        let only = overview(vec![all.arms[0].clone()]);
        assert_eq!(only.best(), None);
        assert_eq!(overview(Vec::new()).best(), None);
        assert!(only.data().csv().contains("\r\nbroken,0,3,\"\","));
    }

    #[test]
    fn counts_are_compared_by_their_sum() {
        let pooled = |name: &str, cells, value| ArmOverview {
            pooled: Some((Counts::from_cells(cells), value)),
            ..arm(name, &[0.5, 0.7])
        };
        let mut all = overview(vec![
            pooled("a", [6, 2, 9, 4], Some(0.66)),
            pooled("b", [8, 1, 9, 1], Some(0.88)),
            pooled("none", [0, 0, 9, 0], None),
        ]);
        all.direction = Direction::Maximize;
        assert_eq!(all.ranked(), [1, 0, 2]);
        let text = all.table().text();
        assert!(
            text.starts_with("arm   documents  TP  FP  FN  pooled F "),
            "{text}"
        );
        assert!(all.data().csv().contains("6,2,9,4,0.66"));
    }
}
