//! The text of tuning curves: a table of each arm, budgets, crossings, and notes.

use super::{ArmBudget, ArmCurve, Centre, CrossingOfArms, CurveReport, crossings::of_two};
use crate::{
    Table, TableOf,
    bands::Reliable,
    budget::Budget,
    tuning_curve::{Estimator, Failed},
    words::{amount, level, sentence},
    wrapped,
};
use std::fmt::Write;

impl CurveReport {
    /// Returns the curves, budgets and crossings as text, with notes on them.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let scale = Scale::of(self);
        let mut sections = vec![
            self.heading(),
            self.table(&scale).text_within(width),
            self.notes().join("\n"),
        ];
        if !self.options.reach.is_empty() {
            let table = self.budgets_table(&scale).text_within(width);
            sections.push(format!("Trials to expect a score\n{table}"));
        }
        if self.curves.len() > 1 {
            sections.push(self.crossings_text(width));
        }
        if let Some(best) = &self.best_of_n {
            sections.push(best.text_within(width));
        }
        let sections: Vec<&str> = sections
            .iter()
            .map(|section| section.trim_end())
            .filter(|section| !section.is_empty())
            .collect();
        wrapped(&sections.join("\n\n"), width)
    }

    /// The expected best of as many trials as every arm has, the best arm first, in a line.
    pub fn in_short(&self) -> String {
        const SHOWN: usize = 3;
        let scale = Scale::of(self);
        let fewest = self.curves.iter().map(|curve| curve.scores as u64).min();
        let n = fewest.unwrap_or(0);
        let arms = self.curves.iter();
        let mut arms: Vec<(&str, f64)> = arms
            .filter_map(|curve| Some((curve.name.as_str(), curve.up_to(n)?.1)))
            .collect();
        arms.sort_by(|a, b| {
            let oriented = |mean| self.direction.orient(mean);
            oriented(b.1).total_cmp(&oriented(a.1))
        });
        let shown = arms.iter().take(SHOWN);
        let shown = shown.map(|(name, mean)| format!("{name} {}", scale.show(*mean)));
        let more = arms.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| format!("and {more} more arms"));
        let arms: Vec<String> = shown.chain(more).collect();
        format!("expected best of {n}: {}", arms.join(", "))
    }

    fn heading(&self) -> String {
        let bands = if self.has_bands() {
            format!("; {}", self.band_of.bands(self.confidence))
        } else {
            String::new()
        };
        let metric: String = self.metric.chars().filter(|c| !c.is_control()).collect();
        format!(
            "The best {metric} of n trials ({} estimate){bands}",
            self.estimator
        )
    }

    /// Returns the largest n of all curves.
    fn last(&self) -> u64 {
        let curve = self.curves.first();
        curve.and_then(|curve| curve.n.last()).copied().unwrap_or(0)
    }

    fn table(&self, scale: &Scale) -> Table {
        let band = format!("band of the {}", self.band_of.name());
        let rows = self.curves.iter().flat_map(|curve| {
            let places = shown(curve).into_iter().enumerate();
            places.map(move |(row, place)| (row == 0, curve, place))
        });
        let first = |(is_first, curve, _): &(bool, &ArmCurve, usize), name: bool| match is_first {
            true if name => curve.name.clone(),
            true => curve.trials.to_string(),
            false => String::new(),
        };
        TableOf::new(rows)
            .words("arm", |row| first(row, true))
            .numbers("trials", |row| first(row, false))
            .numbers("n", |(_, curve, place)| curve.n[*place])
            .numbers("mean ± sd", |(_, curve, place)| {
                let (mean, sd) = (curve.mean[*place]?, curve.sd[*place]?);
                Some(format!("{} ± {}", scale.show(mean), scale.show(sd)))
            })
            .numbers("median", |(_, curve, place)| {
                scale.show(curve.median[*place])
            })
            .when(self.has_bands(), |table| {
                table.numbers(&band, |(_, curve, place)| {
                    scale.interval(curve.lower[*place], curve.upper[*place])
                })
            })
            .when(self.options.time, |table| {
                table.numbers("seconds", |(_, curve, place)| {
                    curve.times.as_ref()?.time[*place].map(amount)
                })
            })
            .table()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.options.estimator == Estimator::Unbiased {
            notes.push("The unbiased estimate ends at the number of trials; the median is that of the recorded scores.".to_owned());
        }
        let fewest = self.curves.iter().map(|curve| curve.scores as u64).min();
        if self.options.estimator == Estimator::PlugIn
            && fewest.is_some_and(|fewest| fewest < self.last())
        {
            notes.push("Beyond as many trials as an arm has, its estimate and crossings with it are extrapolated: scores that were not seen are not in them.".to_owned());
        }
        let failed: usize = self.curves.iter().map(|curve| curve.failed).sum();
        if failed > 0 {
            let all: usize = self.curves.iter().map(|curve| curve.trials).sum();
            let counted = match self.options.failed {
                Failed::Worst if self.bounds.is_some() => "count as the worst score there can be.",
                Failed::Worst => {
                    "count as the worst score of all arms, as no --bounds say how bad a score can be."
                }
                _ => "are left out: n counts those that succeed, and to have these takes more.",
            };
            notes.push(format!("{failed} of {all} trials failed and {counted}"));
        }
        notes.extend(self.informative());
        notes.extend(self.folds.as_deref().map(sentence));
        notes
    }

    /// Says up to which n the bands rest on scores: in one line if all arms have the same n.
    fn informative(&self) -> Vec<String> {
        let beyond = match (self.bounds, self.band_of) {
            (None, _) => "open",
            (Some(_), Centre::Mean) => "mostly the metric's bound",
            (Some(_), Centre::Median) => "the metric's bound",
        };
        let line = |kind: &str, reliable: Reliable| match reliable.best_up_to {
            Some(n) => format!(
                "Band {kind}: its better end rests on scores up to n = {n}; beyond, it is {beyond}."
            ),
            None => format!(
                "Band {kind}: its better end is {beyond} for all n, as there are too few scores."
            ),
        };
        let Some(first) = self.curves.first().and_then(|curve| curve.reliable) else {
            return Vec::new();
        };
        if self
            .curves
            .iter()
            .all(|curve| curve.reliable == Some(first))
        {
            return vec![line(first.0.name(), first.1)];
        }
        let mut lines: Vec<String> = Vec::new();
        for curve in &self.curves {
            if let Some((kind, reliable)) = curve.reliable {
                let of_so_many = format!("{} of {} scores", kind.name(), curve.scores);
                let line = line(&of_so_many, reliable);
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    fn budgets_table(&self, scale: &Scale) -> Table {
        TableOf::new(&self.budgets)
            .words("arm", |budget| budget.name.clone())
            .numbers("score", |budget| scale.show(budget.value))
            .numbers("n", |budget| budget.first_n)
            .when(self.options.time, |table| {
                table.numbers("seconds", |budget| budget.time.map(amount))
            })
            .words("", |budget| budget.words().to_owned())
            .table()
    }

    fn crossings_text(&self, width: usize) -> String {
        let table = TableOf::new(&self.crossings)
            .words("better before", |of| of.better_before.clone())
            .words("better after", |of| of.better_after.clone())
            .numbers("n", |of| format!("{:.1}", of.n))
            .words("may lie", |of| {
                if self.has_bands() {
                    of.place()
                } else {
                    "not known: there are no bands".to_owned()
                }
            })
            .table();
        let last = self.last();
        let mut text = if self.crossings.is_empty() {
            format!(
                "No two estimates of the {} cross up to n = {last}.\n",
                self.band_of.name()
            )
        } else {
            format!(
                "Estimates of the {} that cross up to n = {last}\n{}",
                self.band_of.name(),
                table.text_within(width)
            )
        };
        if self.has_bands() {
            let apart = self.pairs.iter().filter(|pair| !pair.apart.is_empty());
            let _ = write!(
                text,
                "\nThe bands of {} of {} pairs of arms are apart at some n (two bands of {} hold together with {} at least).",
                apart.count(),
                self.pairs.len(),
                level(self.confidence),
                level(of_two(self.confidence))
            );
        }
        text
    }
}

impl ArmBudget {
    fn words(&self) -> &'static str {
        match self.budget {
            Budget::Within(_) => "",
            Budget::Beyond(_) => "more trials than there were: extrapolated",
            Budget::OnlyAsymptotically => "the best score itself, which is only approached",
            Budget::BeyondTheBest => "better than every score",
        }
    }
}

impl CrossingOfArms {
    /// Tells where the crossing may lie, as far as the bands say.
    fn place(&self) -> String {
        match (self.from, self.until) {
            (Some(from), Some(until)) => format!("from n = {from} to {until}"),
            (Some(from), None) => format!("from n = {from} on, or there is none"),
            (None, Some(until)) => format!("up to n = {until}, or there is none"),
            (None, None) => {
                "at any n, or there is none: the bands are not apart on either side".to_owned()
            }
        }
    }
}

/// Returns the places of the n that are shown: 1, 2, 5, 10, … and the last, among those that there
/// are.
fn shown(curve: &ArmCurve) -> Vec<usize> {
    let last = curve.n.last().copied().unwrap_or(0);
    let mut wanted = vec![curve.scores as u64, last];
    let mut step = 1_u64;
    while step <= last {
        wanted.extend([step, step.saturating_mul(2), step.saturating_mul(5)]);
        step = step.saturating_mul(10);
    }
    wanted.sort_unstable();
    wanted.dedup();
    let place = |n: &u64| curve.n.binary_search(n).ok();
    wanted.iter().filter_map(place).collect()
}

/// Scale of scores: the decimals that tell them apart, three digits of their range.
struct Scale {
    decimals: usize,
    exponent: bool,
}

impl Scale {
    fn of(report: &CurveReport) -> Self {
        let ranges = report.curves.iter().map(|curve| curve.range);
        let (low, high) = ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |all, range| {
            (all.0.min(range.0), all.1.max(range.1))
        });
        let size = low.abs().max(high.abs());
        let range = if high > low { high - low } else { size };
        let digits = (3.0 - range.log10().floor()).clamp(0.0, 9.0);
        Self {
            decimals: if range > 0.0 {
                fiesta_core::whole(digits)
            } else {
                4
            },
            exponent: size >= 1e9 || range > 0.0 && range < 1e-6,
        }
    }

    fn show(&self, value: f64) -> String {
        if self.exponent {
            format!("{value:.4e}")
        } else {
            format!("{value:.*}", self.decimals)
        }
    }

    fn interval(&self, lower: Option<f64>, upper: Option<f64>) -> String {
        let end = |end: Option<f64>| end.map_or_else(|| "open".to_owned(), |end| self.show(end));
        format!("{} … {}", end(lower), end(upper))
    }
}
