//! Words and tables of arms on several benchmarks.

use super::{ArmOnBenchmarks, BenchmarkResult, BenchmarksReport};
use crate::{
    Percentages, Table, TableOf, counted_share, percent,
    words::{count, digits, listed, signed},
};
use fiesta_core::Target;

/// The most names that a sentence lists.
const MOST: usize = 12;
/// The most benchmarks that have a column of their own in the table of arms.
const COLUMNS: usize = 8;
/// Caption of the table of benchmarks.
const CAPTION: &str = "by benchmark:";

impl BenchmarksReport {
    /// Returns which arm is best on the weighted mean, a line for each target.
    pub fn headline(&self) -> Vec<String> {
        let of = format!(
            "the weighted mean of {}",
            count(self.benchmarks.len() as u64, "benchmark")
        );
        let these = self.probabilities(|arm| arm.probability_on_these_items);
        let these = these.map(|p| {
            let target = Target::TheseItems;
            if p.iter().any(|&p| p >= 1.0) || self.best.len() > 1 {
                let are = match &self.best[..] {
                    [one] => format!("{one} is best"),
                    all => format!("{} are equal and best", listed(all, MOST)),
                };
                let by = if self.best.len() > 1 {
                    String::new()
                } else {
                    format!(", by {}", digits(self.lead.abs()))
                };
                return format!("{target}: {are} on {of}{by}");
            }
            format!("{target}: {} on {of}", self.most_probable(&p))
        });
        let like = self.probabilities(|arm| Some(arm.probability_on_items_like_these));
        let like = like.map(|p| {
            let words = self.most_probable(&p);
            if self.is_of_items {
                format!("{}: {words}", Target::ItemsLikeThese)
            } else {
                format!("{words} on {of}")
            }
        });
        let all = self.probabilities(|arm| arm.probability_on_benchmarks_like_these);
        let all = all.map(|p| format!("benchmarks like these: {}", self.most_probable(&p)));
        these.into_iter().chain(like).chain(all).collect()
    }

    fn probabilities(&self, of: fn(&ArmOnBenchmarks) -> Option<f64>) -> Option<Vec<f64>> {
        self.arms.iter().map(of).collect()
    }

    /// Returns the arm that is most probably best, with its probability, in words.
    fn most_probable(&self, p: &[f64]) -> String {
        let greatest = |a: &usize, b: &usize| p[*a].total_cmp(&p[*b]);
        let best = (0..p.len()).rev().max_by(greatest).unwrap_or(0);
        format!(
            "{} is best with {} posterior probability",
            self.arms[best].name,
            Percentages::new(p).of(best)
        )
    }

    /// Returns the table of arms, in this order.
    pub(super) fn table(&self, order: &[usize]) -> Table {
        let shown = |of: fn(&ArmOnBenchmarks) -> Option<f64>| {
            let p = self.probabilities(of)?;
            let percentages = Percentages::new(&p);
            let is_certain = p.iter().any(|&p| p >= 1.0);
            let cell = |place: usize| match p[place] {
                p if is_certain && p >= 1.0 => "best".to_owned(),
                _ if is_certain => "–".to_owned(),
                _ => percentages.of(place),
            };
            Some((0..p.len()).map(cell).collect::<Vec<String>>())
        };
        let these = shown(|arm| arm.probability_on_these_items);
        let like = shown(|arm| Some(arm.probability_on_items_like_these));
        let all = shown(|arm| arm.probability_on_benchmarks_like_these);
        let of = |cells: &Option<Vec<String>>, place: usize| {
            cells.as_ref().map(|cells| cells[place].clone())
        };
        let of_like = if self.is_of_items {
            "items like these"
        } else {
            "P(best)"
        };
        let mut table = TableOf::new(order.iter().copied())
            .words("arm", |&place| self.arms[place].name.clone())
            .when(these.is_some(), |table| {
                table.numbers("P(best), these items", |&place| of(&these, place))
            })
            .numbers(of_like, |&place| of(&like, place))
            .when(all.is_some(), |table| {
                table.numbers("benchmarks like these", |&place| of(&all, place))
            })
            .numbers("weighted mean", |&place| {
                format!("{:.4}", self.arms[place].value)
            });
        for benchmark in self.benchmarks.iter().take(COLUMNS) {
            table = table.numbers(&benchmark.name, |&place| {
                let arm = &benchmark.arms[place];
                let share = arm.share.filter(|share| *share < 1.0);
                let share =
                    share.map_or_else(String::new, |share| format!(" ({})", counted_share(share)));
                format!("{:.4}{share}", arm.mean)
            });
        }
        let names: Vec<&str> = { self.benchmarks.iter().rev() }
            .map(|of| &*of.name)
            .collect();
        table
            .bold(|&place| self.best.contains(&self.arms[place].name))
            .table()
            .dispensable(&names)
    }

    /// Returns the table of benchmarks.
    pub(super) fn table_of_benchmarks(&self) -> Table {
        let winner = self.best.first().map_or("", String::as_str);
        let best_here = |of: &BenchmarkResult| {
            let first = { of.arms.iter().zip(&self.arms) }
                .filter(|(arm, _)| arm.place == 1)
                .map(|(_, arm)| arm.name.clone());
            listed(&first.collect::<Vec<_>>(), 2)
        };
        let weights = |of: &BenchmarkResult| {
            let (least, most) = of.weights_of_best?;
            Some(format!(
                "{} to {}",
                counted_share(least),
                counted_share(most)
            ))
        };
        TableOf::new(&self.benchmarks)
            .words("benchmark", |of| of.name.clone())
            .numbers("weight", |of| counted_share(of.weight))
            .when(self.benchmarks.iter().any(|of| of.items > 0), |table| {
                table.numbers("items", |of| (of.items > 0).then_some(of.items))
            })
            .words("best here", |of| best_here(of))
            .numbers(&format!("{winner} − {}", self.runner_up), |of| {
                signed(of.lead, 4)
            })
            .numbers("with its weight", |of| signed(of.part_of_lead, 4))
            .numbers(&format!("P({winner} better)"), |of| {
                percent(of.probability_ahead)
            })
            .numbers(&format!("{winner} first at weights"), |of| weights(of))
            .table()
            .caption(CAPTION)
            .dispensable(&["with its weight", "items"])
    }

    /// Returns sentences on what decides, on ranks that are reversed, on harm, and on what is left out.
    pub(super) fn remarks(&self) -> Vec<String> {
        let winner = self.best.first().map_or("", String::as_str);
        let other = &self.runner_up;
        let mut remarks = Vec::new();
        if let Some(decides) = &self.decides
            && self.benchmarks.len() > 1
        {
            let part = { self.benchmarks.iter() }
                .find(|of| of.name == *decides)
                .map_or(0.0, |of| of.part_of_lead);
            remarks.push(format!(
                "{decides} decides most: it adds {} to the lead of {} that {winner} has over {other}",
                signed(part, 4),
                signed(self.lead, 4)
            ));
        }
        let reversed = self.benchmarks.iter().filter(|of| of.lead < 0.0);
        let reversed: Vec<&str> = reversed.map(|of| &*of.name).collect();
        if !reversed.is_empty() {
            remarks.push(format!(
                "{other} is ahead of {winner} on {}",
                listed(&reversed, MOST)
            ));
        }
        for harm in self.benchmarks.iter().filter(|of| of.is_harm) {
            let by = if self.tolerance > 0.0 {
                format!(" by more than {}", digits(self.tolerance))
            } else {
                String::new()
            };
            remarks.push(format!(
                "caution: {winner} is worse than {other} on {}{by}, with {} posterior probability",
                harm.name,
                percent(harm.probability_harm)
            ));
        }
        for arm in &self.left_out {
            remarks.push(format!(
                "{} is left out: {} no score of it",
                arm.name,
                match &arm.lacks[..] {
                    [one] => format!("{one} has"),
                    all => format!("{} have", listed(all, MOST)),
                }
            ));
        }
        if !self.without_weight.is_empty() {
            remarks.push(format!(
                "left out with the weight 0: {}",
                listed(&self.without_weight, MOST)
            ));
        }
        if let Some(last) = remarks.last_mut() {
            last.push('\n');
        }
        remarks
    }
}
