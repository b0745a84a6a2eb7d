//! Curves for people.

use super::{
    Arguments, Bands,
    calculate::{ArmCurve, Curves},
    document::{better, of_two},
    read::Input,
};
use crate::output::amount;
use fiesta::report::{
    Align, Table,
    bands::{Limits, Reliable},
    budget::Budget,
    crossing::Crossing,
    tuning_curve::{Estimator, Failed, Trials},
};
use std::fmt::Write;

pub(super) fn text(arguments: &Arguments, input: &Input, curves: &Curves) -> String {
    let scale = Scale::of(input);
    let mut sections = vec![
        heading(arguments, input, curves),
        table(arguments, input, curves, &scale).text(),
        notes(arguments, input, curves).join("\n"),
    ];
    if !arguments.reach.is_empty() {
        let table = budgets(arguments, input, curves, &scale).text();
        sections.push(format!("Trials to expect a score\n{table}"));
    }
    if input.arms.len() > 1 {
        sections.push(crossings(arguments, input, curves));
    }
    let sections: Vec<&str> = sections
        .iter()
        .map(|section| section.trim_end())
        .filter(|section| !section.is_empty())
        .collect();
    sections.join("\n\n")
}

fn heading(arguments: &Arguments, input: &Input, curves: &Curves) -> String {
    let estimator = arguments.estimator.name();
    let bands = match arguments.bands {
        Some(Bands::None) => String::new(),
        _ => format!(
            "; {} % simultaneous bands of the {}",
            percent(arguments.confidence),
            curves.centre.name()
        ),
    };
    let metric: String = input.metric.chars().filter(|c| !c.is_control()).collect();
    format!("The best {metric} of n trials ({estimator} estimate){bands}")
}

/// Without the digits that binary fractions add.
fn percent(share: f64) -> f64 {
    (share * 1e10).round() / 1e8
}

/// How many decimals tell scores apart: three digits of their range.
struct Scale {
    decimals: usize,
    exponent: bool,
}

impl Scale {
    fn of(input: &Input) -> Self {
        let ranges = input.arms.iter().map(|(_, trials)| trials.sample().range());
        let (low, high) = ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |all, range| {
            (all.0.min(range.0), all.1.max(range.1))
        });
        let size = low.abs().max(high.abs());
        let range = if high > low { high - low } else { size };
        let digits = (3.0 - range.log10().floor()).clamp(0.0, 9.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 9"
        )]
        Self {
            decimals: if range > 0.0 { digits as usize } else { 4 },
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
}

/// The n that are shown: 1, 2, 5, 10, … and the last, among those that were looked at.
fn shown(curves: &Curves, trials: &Trials) -> Vec<usize> {
    let mut wanted = vec![trials.sample().count() as u64];
    wanted.extend(curves.n.last());
    let mut step = 1_u64;
    while step <= curves.n.last().copied().unwrap_or(0) {
        wanted.extend([step, step.saturating_mul(2), step.saturating_mul(5)]);
        step = step.saturating_mul(10);
    }
    wanted.sort_unstable();
    wanted.dedup();
    let place = |n: &u64| curves.n.binary_search(n).ok();
    wanted.iter().filter_map(place).collect()
}

fn table(arguments: &Arguments, input: &Input, curves: &Curves, scale: &Scale) -> Table {
    let banded = arguments.bands != Some(Bands::None);
    let band = format!("band of the {}", curves.centre.name());
    let mut header = vec![
        ("arm", Align::Left),
        ("trials", Align::Right),
        ("n", Align::Right),
    ];
    header.extend([("mean ± sd", Align::Right), ("median", Align::Right)]);
    if banded {
        header.push((&band, Align::Right));
    }
    if arguments.time {
        header.push(("seconds", Align::Right));
    }
    let mut table = Table::new(header);
    for ((name, trials), arm) in input.arms.iter().zip(&curves.arms) {
        for (row, place) in shown(curves, trials).into_iter().enumerate() {
            let n = curves.n[place];
            let mut cells = if row == 0 {
                vec![name.clone(), trials.started().to_string()]
            } else {
                vec![String::new(); 2]
            };
            cells.push(n.to_string());
            cells.push(match (arm.mean[place], arm.sd[place]) {
                (Some(mean), Some(sd)) => format!("{} ± {}", scale.show(mean), scale.show(sd)),
                _ => "–".to_owned(),
            });
            cells.push(scale.show(arm.median[place]));
            if banded {
                cells.push(interval(&arm.band[place], scale));
            }
            if arguments.time {
                cells.push(trials.time_of(n as f64).map_or("–".to_owned(), amount));
            }
            table.row(cells, false);
        }
    }
    table
}

fn interval(interval: &Limits, scale: &Scale) -> String {
    let end = |end: Option<f64>| end.map_or_else(|| "open".to_owned(), |end| scale.show(end));
    format!("{} … {}", end(interval.lower), end(interval.upper))
}

fn notes(arguments: &Arguments, input: &Input, curves: &Curves) -> Vec<String> {
    let mut notes = Vec::new();
    if arguments.estimator == Estimator::Unbiased {
        notes.push("The unbiased estimate ends at the number of trials; the median is that of the recorded scores.".to_owned());
    }
    let fewest = input.arms.iter().map(|(_, trials)| trials.sample().count());
    let last = curves.n.last().copied().unwrap_or(0);
    if arguments.estimator == Estimator::PlugIn
        && fewest.min().is_some_and(|fewest| (fewest as u64) < last)
    {
        notes.push("Beyond as many trials as an arm has, its estimate and crossings with it are extrapolated: scores that were not seen are not in them.".to_owned());
    }
    let failed: usize = input.arms.iter().map(|(_, trials)| trials.failed()).sum();
    if failed > 0 {
        let all: usize = input.arms.iter().map(|(_, trials)| trials.started()).sum();
        notes.push(match arguments.failed {
            Failed::Worst if input.bounds.is_some() => format!(
                "{failed} of {all} trials failed and count as the worst score there can be."
            ),
            Failed::Worst => format!(
                "{failed} of {all} trials failed and count as the worst score of their arm, as no --bounds say how bad a score can be."
            ),
            _ => format!(
                "{failed} of {all} trials failed and are left out: n counts those that succeed, and to have these takes more."
            ),
        });
    }
    notes.extend(informative(input, curves));
    notes
}

/// How far bands say anything: in one line where that is the same for all arms.
fn informative(input: &Input, curves: &Curves) -> Vec<String> {
    let of = |arm: &ArmCurve| arm.kind;
    let Some((first_kind, first)) = curves.arms.first().and_then(of) else {
        return Vec::new();
    };
    let beyond = match (input.bounds, curves.centre) {
        (None, _) => "open",
        (Some(_), super::Centre::Mean) => "mostly the metric's bound",
        (Some(_), super::Centre::Median) => "the metric's bound",
    };
    let line = |kind: &str, reliable: Reliable| match reliable.best_up_to {
        Some(n) => format!(
            "Band {kind}: its better end rests on scores up to n = {n}; beyond, it is {beyond}."
        ),
        None => format!(
            "Band {kind}: its better end is {beyond} for all n, as there are too few scores."
        ),
    };
    let same = curves
        .arms
        .iter()
        .all(|arm| of(arm).is_some_and(|(kind, reliable)| (kind, reliable) == (first_kind, first)));
    if same {
        return vec![line(first_kind.name(), first)];
    }
    let mut lines: Vec<String> = Vec::new();
    for ((_, trials), arm) in input.arms.iter().zip(&curves.arms) {
        if let Some((kind, reliable)) = of(arm) {
            let of_so_many = format!("{} of {} scores", kind.name(), trials.sample().count());
            let line = line(&of_so_many, reliable);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn budgets(arguments: &Arguments, input: &Input, curves: &Curves, scale: &Scale) -> Table {
    let mut header = vec![
        ("arm", Align::Left),
        ("score", Align::Right),
        ("n", Align::Right),
    ];
    if arguments.time {
        header.push(("seconds", Align::Right));
    }
    header.push(("", Align::Left));
    let mut table = Table::new(header);
    for ((name, trials), arm) in input.arms.iter().zip(&curves.arms) {
        for (&value, budget) in arguments.reach.iter().zip(&arm.budgets) {
            let reached = budget.reached();
            let mut cells = vec![name.clone(), scale.show(value)];
            cells.push(reached.map_or("–".to_owned(), |reached| reached.n.to_string()));
            if arguments.time {
                let time = reached.and_then(|reached| trials.time_of(reached.n as f64));
                cells.push(time.map_or("–".to_owned(), amount));
            }
            cells.push(
                match budget {
                    Budget::Within(_) => "",
                    Budget::Beyond(_) => "more trials than there were: extrapolated",
                    Budget::OnlyAsymptotically => "the best score itself, which is only approached",
                    Budget::BeyondTheBest => "better than every score",
                }
                .to_owned(),
            );
            table.row(cells, false);
        }
    }
    table
}

fn crossings(arguments: &Arguments, input: &Input, curves: &Curves) -> String {
    let last = curves.n.last().copied().unwrap_or(0);
    let found = curves.pairs.iter().flat_map(|(a, b, comparison)| {
        let crossings = comparison.crossings.iter();
        crossings.map(move |crossing| ((*a, *b), crossing))
    });
    let mut table = Table::new([
        ("better before", Align::Left),
        ("better after", Align::Left),
        ("n", Align::Right),
        ("may lie", Align::Left),
    ]);
    let mut none = true;
    for (pair, crossing) in found {
        none = false;
        table.row(
            [
                better(input, pair, crossing.before).to_owned(),
                better(input, pair, crossing.after).to_owned(),
                format!("{:.1}", crossing.n),
                place(arguments, crossing),
            ],
            false,
        );
    }
    let apart = curves
        .pairs
        .iter()
        .filter(|(_, _, comparison)| !comparison.apart.is_empty())
        .count();
    let pairs = curves.pairs.len();
    let mut text = if none {
        format!("No two estimates cross up to n = {last}.\n")
    } else {
        format!("Estimates that cross up to n = {last}\n{}", table.text())
    };
    if arguments.bands != Some(Bands::None) {
        let _ = write!(
            text,
            "\nThe bands of {apart} of {pairs} pairs of arms are apart at some n (two bands of {} % hold together with {} % at least).",
            percent(arguments.confidence),
            percent(of_two(arguments.confidence))
        );
    }
    text
}

/// Where a crossing may lie, as far as the bands say.
fn place(arguments: &Arguments, crossing: &Crossing) -> String {
    if arguments.bands == Some(Bands::None) {
        return "not known: there are no bands".to_owned();
    }
    match (crossing.from, crossing.until) {
        (Some(from), Some(until)) => format!("from n = {from} to {until}"),
        (Some(from), None) => format!("from n = {from} on, or there is none"),
        (None, Some(until)) => format!("up to n = {until}, or there is none"),
        (None, None) => {
            "at any n, or there is none: the bands are not apart on either side".to_owned()
        }
    }
}
