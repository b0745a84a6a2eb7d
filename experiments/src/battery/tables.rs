//! Tables of the battery: of its families, of cells, and of methods over all families.

use super::{
    Arguments, Listed,
    cells::{Cell, Measured, Outcome, Verdict},
};
use crate::output::{or_dash, table};
use fiesta_policies::simulate::battery::Family;
use fiesta_report::Table;

/// What a method is called by, column by column.
const METHOD: [&str; 5] = [
    "parallel",
    "<policy",
    "<posterior",
    "<stopping",
    "confidence",
];

fn names(cell: &Cell) -> [String; 5] {
    let method = &cell.method;
    [
        method.parallel.to_string(),
        method.policy.clone(),
        method.posterior.clone(),
        method.stopping.clone(),
        cell.confidence.to_string(),
    ]
}

fn measured(cell: &Cell) -> Option<&Measured> {
    match &cell.outcome {
        Outcome::Measured(measured) => Some(measured),
        Outcome::Failed(_) => None,
    }
}

pub(super) fn listed(families: &[Listed]) -> Table {
    let mut shown = table(&["<family", "arms", "<splits", "gap", "<must hold", "<"]);
    for family in families {
        let cells = [
            family.name.to_owned(),
            family.arms.to_string(),
            family.splits.name().to_owned(),
            format!("{:.2}", family.gap_in_sds),
            (if family.must_hold { "yes" } else { "" }).to_owned(),
            family.about.to_owned(),
        ];
        shown.row(cells, false);
    }
    shown.note(
        "gap: of the closest rival, in standard deviations of the difference between one evaluation of each",
    )
}

/// The cells, and every method over the families on which it has to hold.
pub(super) fn of_cells(arguments: &Arguments, families: &[Family], cells: &[Cell]) -> [Table; 2] {
    let same = cells.first().map(names).unwrap_or_default();
    // What is the same everywhere needs no column.
    let several: [bool; 5] =
        std::array::from_fn(|column| cells.iter().any(|cell| names(cell)[column] != same[column]));
    let same = METHOD
        .iter()
        .zip(&same)
        .zip(several)
        .filter(|(_, several)| !several);
    let same: Vec<String> = same
        .map(|((name, value), _)| format!("{} {value}", name.trim_start_matches('<')))
        .collect();
    let cells_table = each(several, families, cells)
        .note(format!(
            "{} runs each, seed {}; {}; ± is one standard error",
            arguments.runs,
            arguments.seed,
            same.join(", ")
        ))
        .note(
            "gap: of the closest rival, in standard deviations of a difference; from 0.50 on the error must not exceed delta by more than 2 \
             standard errors (EXCEEDS), below it is known that Bayesian rules do (known)",
        )
        .note(
            "error: stopped with another arm than the best, or with one of several best; undecided: given up at 100 evaluations an arm; oracle: \
             cost of the best allocation for the true means, with the same posterior and rule",
        );
    [cells_table, of_methods(several, families, cells)]
}

fn chosen<T>(columns: [T; 5], several: [bool; 5]) -> impl Iterator<Item = T> {
    let columns = columns.into_iter().zip(several);
    columns.filter_map(|(column, several)| several.then_some(column))
}

fn each(several: [bool; 5], families: &[Family], cells: &[Cell]) -> Table {
    let oracle = cells
        .iter()
        .filter_map(measured)
        .any(|measured| measured.oracle_cost.is_some());
    let mut columns = vec!["<family", "gap"];
    columns.extend(chosen(METHOD, several));
    columns.extend(["evaluations", "cost", "error %", "undecided %"]);
    if oracle {
        columns.extend(["oracle", "bound"]);
    }
    columns.push("<");
    let mut shown = table(&columns);
    for cell in cells {
        let family = families.iter().find(|family| family.name == cell.family);
        let gap = or_dash(family.map(|family| format!("{:.2}", family.gap_in_sds())));
        let mut row = vec![cell.family.to_owned(), gap];
        row.extend(chosen(names(cell), several));
        match &cell.outcome {
            Outcome::Failed(error) => {
                row.resize(columns.len() - 1, String::new());
                row.push(format!("FAILED: {error}"));
            }
            Outcome::Measured(measured) => {
                let runs = &measured.runs;
                row.extend([
                    format!("{:.1} ± {:.1}", runs.mean, runs.standard_error),
                    format!("{:.1} ± {:.1}", runs.cost, runs.cost_standard_error),
                    format!("{:.1}", measured.error.percent()),
                    format!("{:.1}", 100.0 * runs.capped as f64 / runs.runs as f64),
                ]);
                if oracle {
                    let bound = measured.oracle_cost.and(measured.lower_bound);
                    let number = |number: Option<f64>| number.map(|n| format!("{n:.1}"));
                    row.extend(
                        [measured.oracle_cost, bound].map(|n| number(n).unwrap_or_default()),
                    );
                }
                row.push(verdict(measured.verdict).to_owned());
            }
        }
        shown.row(row, false);
    }
    shown
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "",
        Verdict::Exceeds => "EXCEEDS",
        Verdict::Known => "known",
    }
}

fn of_methods(several: [bool; 5], families: &[Family], cells: &[Cell]) -> Table {
    let mut columns: Vec<&str> = chosen(METHOD, several).collect();
    columns.extend([
        "must hold",
        "exceed",
        "fail",
        "evaluations (geometric mean)",
        "worst error %",
        "<where",
    ]);
    let mut shown = table(&columns);
    let mut methods: Vec<[String; 5]> = Vec::new();
    for cell in cells {
        if !methods.contains(&names(cell)) {
            methods.push(names(cell));
        }
    }
    let must_hold = |cell: &&Cell| {
        families
            .iter()
            .any(|family| family.name == cell.family && family.must_hold())
    };
    for method in methods {
        let own = cells
            .iter()
            .filter(|cell| names(cell) == method)
            .filter(must_hold);
        let own: Vec<&Cell> = own.collect();
        let held = own
            .iter()
            .filter_map(|cell| Some((cell.family, measured(cell)?)));
        let held: Vec<(&str, &Measured)> = held.collect();
        let exceed = held
            .iter()
            .filter(|(_, measured)| measured.verdict == Verdict::Exceeds);
        let logarithms = held.iter().map(|(_, measured)| measured.runs.mean.ln());
        let typical = (logarithms.sum::<f64>() / held.len() as f64).exp();
        let worst = held
            .iter()
            .max_by(|(_, a), (_, b)| a.error.mean.total_cmp(&b.error.mean));
        let mut row: Vec<String> = chosen(method, several).collect();
        row.extend([
            own.len().to_string(),
            exceed.count().to_string(),
            (own.len() - held.len()).to_string(),
        ]);
        if let Some((family, measured)) = worst {
            row.extend([
                format!("{typical:.1}"),
                format!("{:.1}", 100.0 * measured.error.mean),
                (*family).to_owned(),
            ]);
        }
        shown.row(row, false);
    }
    shown.caption("Families on which a method has to hold")
}
