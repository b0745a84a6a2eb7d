//! Words and the table of arms with measures.

use super::{ArmMeasures, MeasuresReport, MeasuresVerdict};
use crate::{Percentages, Table, TableOf, percent, words::digits};

impl MeasuresReport {
    /// Returns the limits as part of a sentence, such as `mean seconds at most 2`.
    fn limits_in_words(&self) -> String {
        let each = self.limits.iter();
        let each = each.map(|of| format!("mean {} at most {}", of.measure, of.at_most));
        each.collect::<Vec<_>>().join(" and ")
    }

    /// Returns what is sought, as part of a sentence.
    fn sought(&self) -> String {
        let metric = &self.metric;
        let what = match (&self.by, self.cheapest_within) {
            (Some(by), Some(within)) => {
                let near = if within > 0.0 {
                    format!("with {metric} within {within} of the best")
                } else {
                    format!("with the best {metric}")
                };
                format!("the cheapest arm by {by} {near}")
            }
            _ => format!("the best arm by {metric}"),
        };
        match &self.limits[..] {
            [] => what,
            _ => format!("{what}, of those with {}", self.limits_in_words()),
        }
    }

    /// Returns the answer in a sentence.
    pub fn sentence(&self) -> String {
        let mut p: Vec<f64> = self.arms.iter().map(|arm| arm.probability).collect();
        p.push(self.probability_none_feasible);
        let percentages = Percentages::new(&p);
        let place = self.arms.iter().position(|arm| arm.name == self.arm);
        let of_arm = percentages.of(place.unwrap_or(0));
        let of_none = percentages.of(self.arms.len());
        let sought = self.sought();
        let none = || format!("no arm is feasible with {}", self.limits_in_words());
        let said = match self.verdict {
            MeasuresVerdict::Arm if self.is_known => format!("{} is {sought}", self.arm),
            MeasuresVerdict::NoneFeasible if self.is_known => none(),
            MeasuresVerdict::Arm => {
                format!(
                    "{} is {sought}, with {of_arm} posterior probability",
                    self.arm
                )
            }
            MeasuresVerdict::NoneFeasible => {
                format!("{}, with {of_none} posterior probability", none())
            }
            MeasuresVerdict::Open => {
                let none = if self.limits.is_empty() {
                    String::new()
                } else {
                    format!("; with {of_none} no arm is feasible")
                };
                format!(
                    "open: with {of_arm} posterior probability {} is {sought}{none}",
                    self.arm
                )
            }
        };
        match self.target {
            Some(target) => format!("{target}: {said}"),
            None => said,
        }
    }

    /// Returns the table of arms, the most probable answer first, with a last row for no arm where there are limits.
    pub fn table(&self) -> Table {
        let mut p: Vec<f64> = self.arms.iter().map(|arm| arm.probability).collect();
        p.push(self.probability_none_feasible);
        let percentages = Percentages::new(&p);
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
        order.extend((!self.limits.is_empty()).then_some(self.arms.len()));
        let arm = |place: &usize| self.arms.get(*place);
        let p_of = |of: fn(&ArmMeasures) -> Option<f64>| {
            move |place: &usize| arm(place).and_then(of).map(probability)
        };
        let is_cheapest = self.by.is_some();
        let title = if is_cheapest {
            "P(cheapest)"
        } else {
            "P(best feasible)"
        };
        let mut table = TableOf::new(order)
            .words("arm", |place| {
                arm(place).map_or_else(|| "no arm is feasible".to_owned(), |arm| arm.name.clone())
            })
            .numbers(title, |&place| match p[place] {
                p if self.is_known => probability(p),
                _ => percentages.of(place),
            })
            .when(is_cheapest, |table| {
                table.numbers("P(near the best)", p_of(|arm| arm.probability_within))
            })
            .when(!self.limits.is_empty(), |table| {
                table.numbers("P(feasible)", p_of(|arm| arm.probability_feasible))
            })
            .when(is_cheapest, |table| {
                table.numbers("P(Pareto)", p_of(|arm| arm.probability_pareto))
            });
        let measures = self.arms.first().map_or(&[][..], |arm| &arm.measures);
        for (number, of) in measures.iter().enumerate() {
            let own = |place: &usize| arm(place).map(|arm| &arm.measures[number]);
            table = table
                .numbers(&format!("mean {}", of.measure), |place| {
                    own(place).map(|of| digits(of.mean))
                })
                .numbers("95 %", |place| {
                    let of = own(place).filter(|of| of.lower < of.upper)?;
                    Some(format!("{} to {}", digits(of.lower), digits(of.upper)))
                });
            let limit = self.limits.iter().find(|limit| limit.measure == of.measure);
            if let (Some(limit), true) = (limit, self.limits.len() > 1) {
                table = table.numbers(
                    &format!("P({} ≤ {})", of.measure, limit.at_most),
                    |place| own(place)?.probability_at_most.map(probability),
                );
            }
        }
        let is_answer = |place: &usize| {
            let named = arm(place).map_or("", |arm| &arm.name);
            self.verdict == MeasuresVerdict::Arm && named == self.arm
        };
        table
            .bold(is_answer)
            .table()
            .caption("by measures:")
            .dispensable(&["95 %", "P(Pareto)"])
    }
}

/// Returns a probability as printed: one that is known is yes or no.
fn probability(p: f64) -> String {
    match p {
        p if p >= 1.0 => "yes".to_owned(),
        p if p <= 0.0 => "no".to_owned(),
        p => percent(p),
    }
}
