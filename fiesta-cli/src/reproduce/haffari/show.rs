//! The cells as text and as JSON.

use super::{
    Arguments, Failure,
    baseline::Baseline,
    measure::{Benchmark, Cell, Estimate, Row},
    methods::{Model, PAPERS_DRAWS, Rule},
    print,
};
use fiesta::report::{Align, Table};
use serde_json::{Value, json};

/// What the paper says, as far as it is known here.
const CLAIM: &str = "TS and PETS need far fewer queries than benchmarking by hypothesis tests";
const NOT_AVAILABLE: &str = "the paper's own figures are not available here";

impl Model {
    fn name(self) -> &'static str {
        match self {
            Self::Fixed => "f-fixed",
            Self::Learned => "f-learned",
            Self::KnownVariance => "gaussian-known",
            Self::UnknownVariance => "gaussian-unknown",
        }
    }

    fn title(self, arguments: &Arguments) -> String {
        match self {
            Self::Fixed => format!("F, α = {}", number(arguments.alpha)),
            Self::Learned => "F, α learned".to_owned(),
            Self::KnownVariance => "documents' F, known variance".to_owned(),
            Self::UnknownVariance => "documents' F, unknown variance".to_owned(),
        }
    }
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Self::AtOnce => "at-once",
            Self::Waits => "waits",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::AtOnce => "at once",
            Self::Waits => "waits",
        }
    }
}

impl Baseline {
    fn name(self) -> &'static str {
        match self {
            Self::TopTwo => "top-two",
            Self::All => "all",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::TopTwo => "t-test of the two best",
            Self::All => "t-tests of all, Bonferroni",
        }
    }
}

/// As short as it can be; ∞ as inf.
fn number(value: f64) -> String {
    format!("{value}")
}

/// JSON has no infinity.
fn json_number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!(number(value))
    }
}

pub(super) fn document(arguments: &Arguments, cells: &[Cell]) -> Value {
    let estimate = |value: &mut Value, name: &str, of: Estimate| {
        value[name] = json!(of.mean);
        value[format!("{name}_standard_error")] = json!(of.standard_error);
    };
    let row = |row: &Row| {
        let mut value = json!({
            "policy": row.method.policy,
            "model": row.method.model.name(),
            "stopping": row.rule.name(),
            "published": null,
        });
        estimate(&mut value, "queries", row.queries);
        estimate(&mut value, "success", row.success);
        value["capped"] = json!(row.capped);
        value
    };
    let benchmark = |made: &Benchmark| {
        let mut value = json!({ "baseline": made.baseline.name(), "published": null });
        estimate(&mut value, "documents", made.documents);
        estimate(&mut value, "queries", made.queries);
        estimate(&mut value, "success_by_mean", made.by_mean);
        estimate(&mut value, "success_by_counts", made.by_counts);
        value
    };
    let cell = |cell: &Cell| {
        json!({
            "alpha": json_number(cell.alpha),
            "length": cell.length,
            "document_sd": cell.sd,
            "same_best": cell.same_best,
            "rows": cell.rows.iter().map(row).collect::<Vec<_>>(),
            "baselines": cell.benchmarks.iter().map(benchmark).collect::<Vec<_>>(),
        })
    };
    json!({
        "paper": "haffari",
        "published": NOT_AVAILABLE,
        "claim": CLAIM,
        "runs": arguments.runs(),
        "configurations": arguments.configurations(),
        "seed": arguments.seed,
        "systems": arguments.systems,
        "margin": arguments.margin,
        "lead": if arguments.lead.at_least { "at least" } else { "exact" },
        "delta": arguments.delta,
        "cap": arguments.cap,
        "settings": {
            "alpha": json_number(arguments.alpha),
            "alpha0": arguments.alpha0,
            "theta0": arguments.theta0,
            "draws": arguments.draws,
            "initial": arguments.initial,
            "beta": arguments.beta,
            "gaussian": arguments.gaussian,
        },
        "cells": cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

pub(super) fn text(arguments: &Arguments, cells: &[Cell]) -> Result<(), Failure> {
    if arguments.calibration {
        for rule in [Rule::Waits, Rule::AtOnce] {
            for policy in policies(cells) {
                print(format_args!(
                    "{}, P(best) ≥ {}, {}\n",
                    policy.to_uppercase(),
                    number(1.0 - arguments.delta),
                    explain(rule)
                ))?;
                print(calibration(arguments, cells, policy, rule).text())?;
            }
        }
    } else {
        for cell in cells {
            print(format_args!(
                "α = {}, N = {}: a document's F has a standard deviation of {:.3}; the highest F is also the highest mean of the documents' F in {:.0} % of the configurations\n",
                number(cell.alpha),
                cell.length,
                cell.sd,
                100.0 * cell.same_best
            ))?;
            print(table(arguments, cell).text())?;
        }
    }
    settings(arguments)
}

fn explain(rule: Rule) -> &'static str {
    match rule {
        Rule::AtOnce => "at once, as in the paper",
        Rule::Waits => "waiting until the two best are settled (default)",
    }
}

/// The policies of the cells, which all have the same.
fn policies(cells: &[Cell]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in cells.first().map_or(&[][..], |cell| &cell.rows) {
        if !names.contains(&row.method.policy.as_str()) {
            names.push(&row.method.policy);
        }
    }
    names
}

fn queries(estimate: Estimate) -> String {
    format!("{:.0} ± {:.0}", estimate.mean, estimate.standard_error)
}

fn share(estimate: Estimate) -> String {
    format!(
        "{:.1} ± {:.1} %",
        100.0 * estimate.mean,
        100.0 * estimate.standard_error
    )
}

fn table(arguments: &Arguments, cell: &Cell) -> Table {
    let mut table = Table::new([
        ("method", Align::Left),
        ("about", Align::Left),
        ("ends", Align::Left),
        ("queries", Align::Right),
        ("success", Align::Right),
        ("capped", Align::Right),
    ]);
    for row in &cell.rows {
        let cells = [
            row.method.policy.to_uppercase(),
            row.method.model.title(arguments),
            row.rule.title().to_owned(),
            queries(row.queries),
            share(row.success),
            row.capped.to_string(),
        ];
        table.row(cells, false);
    }
    for made in &cell.benchmarks {
        for (about, success) in [
            ("mean of documents' F", made.by_mean),
            ("F of all counts", made.by_counts),
        ] {
            let cells = [
                made.baseline.title().to_owned(),
                about.to_owned(),
                format!("{:.0} documents", made.documents.mean),
                queries(made.queries),
                share(success),
                String::new(),
            ];
            table.row(cells, false);
        }
    }
    table
}

fn calibration(arguments: &Arguments, cells: &[Cell], policy: &str, rule: Rule) -> Table {
    let models = [Model::Learned, Model::Fixed];
    let titles = models.map(|model| model.title(arguments));
    let figures = titles
        .iter()
        .flat_map(|title| [title.as_str(), "queries", "capped"]);
    let mut table = Table::new(
        ["α", "N"]
            .into_iter()
            .chain(figures)
            .map(|name| (name, Align::Right)),
    );
    for cell in cells {
        let mut line = vec![number(cell.alpha), cell.length.to_string()];
        for model in models {
            let found = cell.rows.iter().find(|row| {
                (row.method.policy.as_str(), row.method.model, row.rule) == (policy, model, rule)
            });
            line.extend(found.map_or_else(Vec::new, |row| {
                vec![
                    share(row.success),
                    queries(row.queries),
                    row.capped.to_string(),
                ]
            }));
        }
        table.row(line, false);
    }
    table
}

/// What was asked for, what the paper leaves open, and what cannot be said.
fn settings(arguments: &Arguments) -> Result<(), Failure> {
    print(format_args!(
        "{} systems, θ uniform on the simplex, the best F leads by {} {}; δ = {}; {} runs of each on {} configurations, at most {} queries each; seed {}",
        arguments.systems,
        if arguments.lead.at_least {
            "at least"
        } else {
            "exactly"
        },
        number(arguments.margin),
        number(arguments.delta),
        arguments.runs(),
        arguments.configurations(),
        arguments.cap,
        arguments.seed
    ))?;
    let [tp, fp, tn, fn_] = arguments.theta0()?.map(number);
    let draws = arguments.draws.map_or_else(
        || {
            format!(
                "{PAPERS_DRAWS} with α = {}, else the default",
                number(arguments.alpha)
            )
        },
        |draws| draws.to_string(),
    );
    print(format_args!(
        "what the paper leaves open: θ₀ = ({tp}, {fp}, {tn}, {fn_}) with α₀ = {}; α and N of the documents as above; initial queries of each system: {}; draws: {draws}; PETS with β = {}; unknown variance: posterior {}",
        number(arguments.alpha0),
        arguments.initial,
        number(arguments.beta),
        arguments.gaussian
    ))?;
    print(format_args!(
        "success: the system named in the end, at the cap too, has the highest F; ± is one standard error over the configurations; at once: as soon as P(best) ≥ 1 − δ, as in the paper; waits: not before the two best have three documents and are settled, the default"
    ))?;
    print(format_args!("{NOT_AVAILABLE}; in words: {CLAIM}"))
}
