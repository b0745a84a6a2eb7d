//! The figures as text and as JSON.

use super::{Arguments, Experiment, Failure, Row, print, published::SYNTHETIC, trace::Step};
use fiesta::report::{Align, Table};
use serde_json::{Value, json};

/// Every so many steps of a run are shown as text, and the last.
const STRIDE: u64 = 5;

fn goal(row: &Row) -> &'static str {
    if row.goal < 1.0 {
        "confidence"
    } else {
        "budget"
    }
}

pub(super) fn document(arguments: &Arguments, experiments: &[Experiment]) -> Value {
    let row = |row: &Row| {
        let mut value = json!({
            "method": row.method,
            goal(row): row.goal,
            "published": row.published,
            "independent": row.independent,
            "measured": row.measured,
            "standard_error": row.standard_error,
            "ratio": row.published.map(|published| row.measured / published),
        });
        if let Some((correct, min, max)) = row.counted {
            value["correct"] = json!(correct);
            value["min"] = json!(min);
            value["max"] = json!(max);
        }
        value
    };
    let step = |step: &Step| json!({ "evaluations": step.evaluations, "belief": step.belief, "counts": step.counts });
    let experiment = |experiment: &Experiment| {
        let mut value = json!({
            "name": experiment.name.name(),
            "title": experiment.name.title(),
            "rows": experiment.rows.iter().map(row).collect::<Vec<_>>(),
        });
        if !experiment.trace.is_empty() {
            value["trace"] = experiment.trace.iter().map(step).collect();
        }
        value
    };
    json!({
        "paper": "fiesta",
        "scores": arguments.scores,
        "runs": arguments.runs,
        "seed": arguments.seed,
        "experiments": experiments.iter().map(experiment).collect::<Vec<_>>(),
    })
}

pub(super) fn text(arguments: &Arguments, experiments: &[Experiment]) -> Result<(), Failure> {
    for experiment in experiments {
        print(format_args!("{}\n", experiment.name.title()))?;
        print(figures(&experiment.rows).text())?;
        if !experiment.trace.is_empty() {
            print(format_args!(
                "published is the length of the one run that the figure shows; here is another: P(best) of each model and, in brackets, its share of the evaluations\n"
            ))?;
            print(steps(&experiment.trace).text())?;
        }
    }
    let source = arguments.scores.as_ref().map_or_else(
        || "Gaussian arms with the published scores' means and standard deviations".to_owned(),
        |file| file.display().to_string(),
    );
    print(format_args!(
        "{} runs each, seed {}; models: {source}; ± is one standard error; – is not printed in the paper",
        arguments.runs, arguments.seed
    ))
}

fn figures(rows: &[Row]) -> Table {
    let counts = rows.iter().any(|row| row.counted.is_some());
    let columns = [
        ("published", Align::Right),
        ("measured", Align::Right),
        ("ratio", Align::Right),
    ];
    let more = [("correct", Align::Right), ("min–max", Align::Right)];
    let head = [
        ("method", Align::Left),
        (rows.first().map_or("", goal), Align::Right),
    ];
    let mut table = Table::new(
        head.into_iter()
            .chain(columns)
            .chain(more.into_iter().filter(|_| counts)),
    );
    for row in rows {
        let number = |value: f64| {
            if counts {
                format!("{value:.0}")
            } else {
                format!("{value:.3}")
            }
        };
        let measured = if counts {
            format!("{:.1} ± {:.1}", row.measured, row.standard_error)
        } else {
            format!("{:.4} ± {:.4}", row.measured, row.standard_error)
        };
        let mut cells = vec![
            row.method.to_owned(),
            row.goal.to_string(),
            row.published.map_or_else(|| "–".to_owned(), number),
            measured,
            row.published.map_or_else(String::new, |published| {
                format!("{:.3}", row.measured / published)
            }),
        ];
        if let Some((correct, min, max)) = row.counted {
            cells.extend([format!("{:.1} %", correct * 100.0), format!("{min}–{max}")]);
        }
        table.row(cells, false);
    }
    table
}

fn steps(trace: &[Step]) -> Table {
    let names = SYNTHETIC.0.map(|mean| format!("mean {mean}"));
    let models = names.iter().map(|name| (name.as_str(), Align::Right));
    let mut table = Table::new(std::iter::once(("evaluations", Align::Right)).chain(models));
    let last = trace.last().map(|step| step.evaluations);
    for step in trace
        .iter()
        .filter(|step| step.evaluations % STRIDE == 0 || Some(step.evaluations) == last)
    {
        let model = |(probability, &count): (&f64, &u64)| {
            let share = count as f64 / step.evaluations as f64;
            format!("{:.1} % ({:.0} %)", probability * 100.0, share * 100.0)
        };
        let cells = step.belief.iter().zip(&step.counts).map(model);
        table.row(
            std::iter::once(step.evaluations.to_string()).chain(cells),
            false,
        );
    }
    table
}
