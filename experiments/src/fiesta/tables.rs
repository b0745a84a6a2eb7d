//! Tables that compare measurements with published figures.

use super::{
    measure::{Halving, OneRun, UntilConfidence, WithinBudget},
    published::{Example, Round, Synthetic},
};
use crate::{
    Failure,
    output::{empty, table},
};
use fiesta_report::Table;

/// Evaluations between steps of the run of figure 2 that are shown as text. The last step is shown
/// too.
const STRIDE: u64 = 5;

pub(super) fn table_1(example: &Example, measured: &Halving) -> Table {
    let mut shown = empty(&["round", "<paper", "<measured"]);
    let words = |round: Option<&Round>| {
        round.map_or_else(String::new, |round| {
            format!(
                "{}: {} each",
                round.candidates.join(", "),
                round.evaluations_each
            )
        })
    };
    for place in 0..example.rounds.len().max(measured.rounds.len()) {
        let rounds = [&example.rounds, &measured.rounds].map(|rounds| words(rounds.get(place)));
        let head = (place + 1).to_string();
        shown.row([head].into_iter().chain(rounds), false);
    }
    let output = ["output", &example.output, &measured.output];
    shown.row(output.map(ToOwned::to_owned), false);
    shown.caption("Table 1: sequential halving of four models within 16 evaluations")
}

pub(super) fn tables_2_3(rows: &[UntilConfidence]) -> Result<Table, Failure> {
    let columns = [
        ("<method", "{method}"),
        ("confidence", "{confidence}"),
        ("paper", "{published.mean}"),
        ("min–max", "{published.min}–{published.max}"),
        ("correct", "{published.correct:%0} %"),
        ("independent", "{independent:.1}"),
        (
            "measured",
            "{measured.mean:.1} ± {measured.standard_error:.1}",
        ),
        ("min–max", "{measured.min}–{measured.max}"),
        ("correct", "{measured.correct:%1} %"),
        ("ratio", "{ratio:.3}"),
    ];
    let shown = table(rows, &columns)?;
    Ok(shown.caption("Tables 2 and 3: evaluations until a confidence, 8 models"))
}

pub(super) fn figure_2(published: &Synthetic, run: &OneRun) -> Table {
    let names: Vec<String> = published
        .means
        .iter()
        .map(|mean| format!("mean {mean}"))
        .collect();
    let columns = ["evaluations"]
        .into_iter()
        .chain(names.iter().map(String::as_str));
    let mut shown = empty(&columns.collect::<Vec<_>>());
    let last = run.trace.last().map(|step| step.evaluations);
    for step in &run.trace {
        if step.evaluations % STRIDE == 0 || Some(step.evaluations) == last {
            let model = |(probability, &count): (&f64, &u64)| {
                let share = count as f64 / step.evaluations as f64;
                format!("{:.1} % ({:.0} %)", 100.0 * probability, 100.0 * share)
            };
            let models = step.belief.iter().zip(&step.counts).map(model);
            let head = step.evaluations.to_string();
            shown.row([head].into_iter().chain(models), false);
        }
    }
    let measured = &run.measured;
    shown
        .caption("Figure 2: a run of TTTS on five synthetic models until 99 %")
        .note(format!(
            "P(best) and, in brackets, the share of the evaluations so far. The paper's one run takes {} evaluations; {} runs take \
             {:.1} ± {:.1} ({} to {}), and {:.1} % name the best",
            run.published,
            measured.runs,
            measured.mean,
            measured.standard_error,
            measured.min,
            measured.max,
            100.0 * measured.correct
        ))
}

pub(super) fn figure_4(rows: &[WithinBudget]) -> Result<Table, Failure> {
    let columns = [
        ("<policy", "{policy}"),
        ("budget", "{budget}"),
        ("paper", "{published:.3}"),
        ("independent", "{independent:.3}"),
        (
            "measured",
            "{measured.correct:.4} ± {measured.correct_standard_error:.4}",
        ),
    ];
    let shown = table(rows, &columns)?
        .caption("Figure 4: share of runs that find the best of 12 models within a budget");
    Ok(shown.note("–: a bar of the figure without a number"))
}
