//! Tables of the battery: of its families, of cells, and of methods over all families.

use super::{
    Arguments, Listed,
    cells::{Cell, Measured, Outcome, Verdict},
};
use crate::{Failure, output::table};
use fiesta_policies::simulate::battery::{Family, MUST_HOLD};
use fiesta_report::Table;
use serde::Serialize;

/// Columns of a table that identify a method.
const METHOD: [(&str, &str); 5] = [
    ("parallel", "{parallel}"),
    ("<policy", "{policy}"),
    ("<posterior", "{posterior}"),
    ("<stopping", "{stopping}"),
    ("confidence", "{confidence}"),
];

/// A method's results over the families on which it must keep its error rate.
#[derive(Serialize)]
struct OverFamilies<'a> {
    #[serde(flatten)]
    first: &'a Cell,
    families: usize,
    exceed: usize,
    fail: usize,
    /// The geometric mean of the method's evaluations over the families.
    typical: f64,
    worst: Option<f64>,
    worst_of: Option<&'a str>,
}

pub(super) fn listed(families: &[Listed]) -> Result<Table, Failure> {
    let columns = [
        ("<family", "{name}"),
        ("arms", "{arms}"),
        ("<splits", "{splits}"),
        ("gap", "{gap_in_sds:.2}"),
        ("<", "{about}"),
    ];
    Ok(table(families, &columns)?.note(format!(
        "gap: of the closest rival, in standard deviations of the difference between one evaluation of each; from {MUST_HOLD} on a rule must hold"
    )))
}

/// Returns two tables: of the cells, and of every method over the families on which it must keep its error rate.
pub(super) fn of_cells(
    arguments: &Arguments,
    families: &[Family],
    cells: &[Cell],
) -> Result<[Table; 2], Failure> {
    let names = |cell: &Cell| {
        let method = &cell.method;
        [
            method.parallel.to_string(),
            method.policy.clone(),
            method.posterior.clone(),
            method.stopping.clone(),
            cell.confidence.to_string(),
        ]
    };
    let same = cells.first().map(names).unwrap_or_default();
    // What is the same everywhere needs no column.
    let is_same = |column: usize| cells.iter().all(|cell| names(cell)[column] == same[column]);
    let method: Vec<_> = (0..5)
        .filter(|&column| !is_same(column))
        .map(|column| METHOD[column])
        .collect();
    let everywhere = (0..5).filter(|&column| is_same(column));
    let everywhere = everywhere.map(|column| {
        format!(
            "{} {}",
            METHOD[column].0.trim_start_matches('<'),
            same[column]
        )
    });
    let each = each(&method, cells)?
        .note(format!(
            "{} runs each, seed {}; {}; ± is one standard error",
            arguments.runs,
            arguments.seed,
            everywhere.collect::<Vec<_>>().join(", ")
        ))
        .note(format!(
            "gap: of the closest rival, in standard deviations of a difference; from {MUST_HOLD} on the error must not exceed delta by more than 3 \
             standard errors (exceeds), below it is known that Bayesian rules do (known)"
        ))
        .note(
            "error: named another arm than the best, or one of several best; tied: ended as arms could not be told apart; undecided: given up at 100 evaluations an arm; oracle: \
             cost of the best allocation for the true means, with the same posterior and rule",
        );
    let mut firsts: Vec<&Cell> = Vec::new();
    for cell in cells {
        if firsts.iter().all(|first| names(first) != names(cell)) {
            firsts.push(cell);
        }
    }
    let must_hold = |cell: &&Cell| {
        families
            .iter()
            .any(|family| family.name == cell.family && family.must_hold())
    };
    let rows: Vec<OverFamilies<'_>> = firsts
        .into_iter()
        .map(|first| {
            let own = cells
                .iter()
                .filter(|cell| names(cell) == names(first))
                .filter(must_hold);
            over_families(first, &own.collect::<Vec<_>>())
        })
        .collect();
    let mut columns = method;
    columns.extend([
        ("must hold", "{families}"),
        ("exceed", "{exceed}"),
        ("fail", "{fail}"),
        ("evaluations (geometric mean)", "{typical:.1}"),
        ("worst error %", "{worst:%1}"),
        ("<where", "{worst_of}"),
    ]);
    let methods = table(&rows, &columns)?.caption("Families on which a method has to hold");
    Ok([each, methods])
}

fn measured(cell: &Cell) -> Option<&Measured> {
    match &cell.outcome {
        Outcome::Measured(measured) => Some(measured),
        Outcome::Failed(_) => None,
    }
}

fn each(method: &[(&'static str, &'static str)], cells: &[Cell]) -> Result<Table, Failure> {
    let mut columns = vec![("<family", "{family}"), ("gap", "{gap_in_sds:.2}")];
    columns.extend(method);
    columns.extend([
        (
            "evaluations",
            "{measured.runs.mean:.1} ± {measured.runs.standard_error:.1}",
        ),
        (
            "cost",
            "{measured.runs.cost:.1} ± {measured.runs.cost_standard_error:.1}",
        ),
        ("error %", "{measured.error:%1}"),
        ("tied %", "{measured.tied:%1}"),
        ("undecided %", "{measured.undecided:%1}"),
    ]);
    if cells
        .iter()
        .filter_map(measured)
        .any(|measured| measured.oracle_cost.is_some())
    {
        columns.extend([
            ("oracle", "{measured.oracle_cost:.1}"),
            ("bound", "{measured.lower_bound:.1}"),
        ]);
    }
    if cells.iter().any(|cell| measured(cell).is_none()) {
        columns.push(("<failed", "{failed}"));
    }
    columns.push(("<verdict", "{measured.verdict}"));
    table(cells, &columns)
}

fn over_families<'a>(first: &'a Cell, own: &[&'a Cell]) -> OverFamilies<'a> {
    let held = own
        .iter()
        .filter_map(|cell| Some((cell.family.as_str(), measured(cell)?)));
    let held: Vec<(&str, &Measured)> = held.collect();
    let exceed = held
        .iter()
        .filter(|(_, measured)| measured.verdict == Verdict::Exceeds);
    let logarithms = held.iter().map(|(_, measured)| measured.runs.mean.ln());
    let worst = held
        .iter()
        .max_by(|(_, a), (_, b)| a.error.mean.total_cmp(&b.error.mean));
    OverFamilies {
        first,
        families: own.len(),
        exceed: exceed.count(),
        fail: own.len() - held.len(),
        typical: (logarithms.sum::<f64>() / held.len() as f64).exp(),
        worst: worst.map(|(_, measured)| measured.error.mean),
        worst_of: worst.map(|(family, _)| *family),
    }
}
