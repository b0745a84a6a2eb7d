//! How results are shown: a table of cells, a table of methods, or a document.

use super::{
    Arguments, Failure, Format,
    cells::{Cell, Measured, Verdict},
    print,
};
use fiesta::{
    policies::simulate::battery::Family,
    report::{Align, Table},
};
use serde_json::{Value, json};

pub(super) fn design(family: &Family) -> &'static str {
    family.design.name()
}

pub(super) fn gap(family: &Family) -> String {
    format!("{:.2}", family.gap_in_sds())
}

pub(super) fn families(families: &[Family]) -> Value {
    let family = |family: &Family| {
        json!({
            "name": family.name,
            "about": family.about,
            "arms": family.problem.members().len(),
            "splits": family.design,
            "gap_in_sds": family.gap_in_sds(),
            "must_hold": family.must_hold(),
            "tied": family.tied(),
        })
    };
    families.iter().map(family).collect()
}

pub(super) fn document(arguments: &Arguments, all: &[Family], cells: &[Cell]) -> Value {
    let cell = |cell: &Cell| {
        let mut result = json!({
            "family": all[cell.family].name,
            "policy": cell.policy,
            "posterior": cell.posterior,
            "stopping": cell.stopping,
            "confidence": cell.confidence,
            "parallel": cell.parallel,
        });
        match &cell.outcome {
            Err(error) => result["failed"] = json!(error),
            Ok(Measured {
                summary,
                error,
                oracle,
                verdict,
            }) => {
                result["evaluations"] = evaluations(summary);
                result["cost"] = cost(summary);
                result["time"] = json!(summary.time);
                result["error"] = json!(error.0);
                result["error_standard_error"] = json!(error.1);
                result["capped"] = json!(summary.capped);
                result["oracle_cost"] = json!(oracle);
                result["lower_bound"] = json!(bound(&all[cell.family], cell.confidence));
                result["verdict"] = json!(verdict.name());
            }
        }
        result
    };
    json!({
        "runs": arguments.runs,
        "seed": arguments.seed,
        "families": families(all),
        "cells": cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

fn bound(family: &Family, confidence: f64) -> Option<f64> {
    let complexity = family.complexity().ok()?;
    Some(complexity.lower_bound(1.0 - confidence))
}

/// What a cell's method is called by, column by column.
fn method(cell: &Cell) -> [String; 5] {
    [
        cell.parallel.to_string(),
        cell.policy.clone(),
        cell.posterior.clone(),
        cell.stopping.clone(),
        cell.confidence.to_string(),
    ]
}

const METHOD: [(&str, Align); 5] = [
    ("parallel", Align::Right),
    ("policy", Align::Left),
    ("posterior", Align::Left),
    ("stopping", Align::Left),
    ("confidence", Align::Right),
];

pub(super) fn tables(
    arguments: &Arguments,
    families: &[Family],
    cells: &[Cell],
) -> Result<(), Failure> {
    let same = cells.first().map(method).unwrap_or_default();
    // What is the same everywhere needs no column.
    let several: [bool; 5] = std::array::from_fn(|column| {
        let mut methods = cells.iter().map(method);
        methods.any(|method| method[column] != same[column])
    });
    let render = |table: &Table| match arguments.format {
        Format::Markdown => print(table.markdown()),
        Format::Text | Format::Json => print(table.text()),
    };
    render(&of_cells(several, families, cells))?;
    render(&of_methods(several, families, cells))?;
    let same = METHOD.iter().zip(several).zip(&same);
    let same = same.filter(|((_, several), _)| !several);
    let same: Vec<String> = same
        .map(|(((name, _), _), value)| format!("{name} {value}"))
        .collect();
    print(format_args!(
        "{} runs each, seed {}; {}; ± is one standard error",
        arguments.runs,
        arguments.seed,
        same.join(", ")
    ))?;
    print(
        "gap: of the closest rival, in standard deviations of a difference; from 0.50 on the error must not exceed delta by more than 2 standard errors (EXCEEDS), below it is known that Bayesian rules do (known)",
    )?;
    print(
        "error: stopped with another arm than the best, or with one of several best; undecided: given up at 100 evaluations an arm; oracle: cost of the best allocation for the true means, with the same posterior and rule",
    )
}

fn of_cells(several: [bool; 5], families: &[Family], cells: &[Cell]) -> Table {
    let oracle = cells
        .iter()
        .any(|cell| matches!(&cell.outcome, Ok(measured) if measured.oracle.is_some()));
    let mut header = vec![("family", Align::Left), ("gap", Align::Right)];
    header.extend(chosen(METHOD, several));
    header.extend([
        ("evaluations", Align::Right),
        ("cost", Align::Right),
        ("error %", Align::Right),
        ("undecided %", Align::Right),
    ]);
    if oracle {
        header.extend([("oracle", Align::Right), ("bound", Align::Right)]);
    }
    header.push(("", Align::Left));
    let columns = header.len();
    let mut table = Table::new(header);
    for cell in cells {
        let family = &families[cell.family];
        let mut row = vec![family.name.to_owned(), gap(family)];
        row.extend(chosen(method(cell), several));
        let note = match &cell.outcome {
            Err(error) => {
                row.resize(columns - 1, String::new());
                format!("FAILED: {error}")
            }
            Ok(measured) => {
                row.extend(numbers(measured));
                if oracle {
                    let number = |number: Option<f64>| {
                        number.map_or_else(String::new, |n| format!("{n:.1}"))
                    };
                    let bound = measured.oracle.and(bound(family, cell.confidence));
                    row.extend([number(measured.oracle), number(bound)]);
                }
                match measured.verdict {
                    Verdict::Holds => String::new(),
                    Verdict::Exceeds => "EXCEEDS".to_owned(),
                    Verdict::Known => "known".to_owned(),
                }
            }
        };
        row.push(note);
        table.row(row, false);
    }
    table
}

fn numbers(measured: &Measured) -> [String; 4] {
    let summary = &measured.summary;
    let (error, error_se) = measured.error;
    [
        format!("{:.1} ± {:.1}", summary.mean, summary.standard_error),
        format!("{:.1} ± {:.1}", summary.cost, summary.cost_standard_error),
        format!("{:.1} ± {:.1}", error * 100.0, error_se * 100.0),
        percent(summary.capped, summary.runs),
    ]
}

/// Every method over the families on which it has to hold.
fn of_methods(several: [bool; 5], families: &[Family], cells: &[Cell]) -> Table {
    let mut header: Vec<(&str, Align)> = chosen(METHOD, several).collect();
    header.extend([
        ("must hold", Align::Right),
        ("exceed", Align::Right),
        ("fail", Align::Right),
        ("evaluations (geometric mean)", Align::Right),
        ("worst error %", Align::Right),
        ("where", Align::Left),
    ]);
    let mut methods: Vec<[String; 5]> = Vec::new();
    for cell in cells {
        if !methods.contains(&method(cell)) {
            methods.push(method(cell));
        }
    }
    let mut table = Table::new(header);
    for name in methods {
        let own: Vec<&Cell> = cells
            .iter()
            .filter(|cell| method(cell) == name && families[cell.family].must_hold())
            .collect();
        let measured: Vec<(&Cell, &Measured)> = own
            .iter()
            .filter_map(|cell| Some((*cell, cell.outcome.as_ref().ok()?)))
            .collect();
        let exceed = measured
            .iter()
            .filter(|(_, measured)| measured.verdict == Verdict::Exceeds);
        let logarithms = measured
            .iter()
            .map(|(_, measured)| measured.summary.mean.ln());
        let typical = (logarithms.sum::<f64>() / measured.len() as f64).exp();
        let worst = measured
            .iter()
            .max_by(|(_, a), (_, b)| a.error.0.total_cmp(&b.error.0));
        let mut row: Vec<String> = chosen(name, several).collect();
        row.extend([
            own.len().to_string(),
            exceed.count().to_string(),
            (own.len() - measured.len()).to_string(),
        ]);
        if let Some((cell, measured)) = worst {
            row.extend([
                format!("{typical:.1}"),
                format!("{:.1}", measured.error.0 * 100.0),
                families[cell.family].name.to_owned(),
            ]);
        }
        table.row(row, false);
    }
    table
}

fn chosen<T>(columns: [T; 5], several: [bool; 5]) -> impl Iterator<Item = T> {
    let columns = columns.into_iter().zip(several);
    columns.filter_map(|(column, several)| several.then_some(column))
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1}", part as f64 / whole as f64 * 100.0)
}

/// How many evaluations were made.
fn evaluations(summary: &fiesta::policies::simulate::Summary) -> Value {
    json!({
        "min": summary.min,
        "mean": summary.mean,
        "max": summary.max,
        "standard_error": summary.standard_error,
    })
}

/// What they cost, in mean durations of an evaluation.
fn cost(summary: &fiesta::policies::simulate::Summary) -> Value {
    json!({ "mean": summary.cost, "standard_error": summary.cost_standard_error })
}
