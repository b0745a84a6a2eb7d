//! A plan as text and as JSON.

use super::{
    Arguments, Failure,
    calculate::{Level, POLICY, POSTERIOR, Plan, STOPPING},
    print,
    suppose::Supposed,
};
use fiesta::{
    core::Design,
    policies::{self, plan::Comparison},
    report::{Align, Table},
};
use serde_json::{Value, json};

/// A share in percent, without the digits that binary fractions add.
fn percent(share: f64) -> f64 {
    (share * 1e10).round() / 1e8
}

/// 1 − confidence, likewise.
fn delta(confidence: f64) -> f64 {
    percent(1.0 - confidence) / 100.0
}

/// A small number with its first digits.
fn short(value: f64) -> String {
    if value.abs() >= 0.01 {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

/// The evaluations of a fixed number for each of so many arms.
fn total(per_arm: f64, arms: usize) -> f64 {
    per_arm.ceil() * arms as f64
}

fn hours(arguments: &Arguments, evaluations: f64) -> Option<f64> {
    Some(evaluations * arguments.cost_per_evaluation?.as_secs_f64() / 3600.0)
}

pub(super) fn document(arguments: &Arguments, supposed: &Supposed, plan: &Plan) -> Value {
    let instance = &supposed.instance;
    let arms: Vec<Value> = (0..supposed.names.len())
        .map(|arm| {
            json!({
                "name": supposed.names[arm],
                "mean": supposed.direction.orient(instance.means()[arm]),
                "standard_deviation": instance.sds()[arm],
                "residual_standard_deviation": instance.residual_sds()[arm],
            })
        })
        .collect();
    let with_hours = |mut value: Value, evaluations: f64| {
        if let Some(hours) = hours(arguments, evaluations) {
            value["hours"] = json!(hours);
        }
        value
    };
    let count = |evaluations: f64| with_hours(json!({ "evaluations": evaluations }), evaluations);
    let t_test = |per_arm: f64, arms: usize, level: f64| {
        let evaluations = total(per_arm, arms);
        with_hours(
            json!({ "level": level, "per_arm": per_arm, "evaluations": evaluations }),
            evaluations,
        )
    };
    let of_level = |level: &Level| {
        let delta = delta(level.confidence);
        let simulated = level.simulated.as_ref().map(|summary| {
            let value = json!({
                "evaluations": {
                    "mean": summary.mean,
                    "standard_error": summary.standard_error,
                    "q90": summary.quantile(0.9),
                },
                "error": 1.0 - summary.correct,
                "error_standard_error": summary.correct_standard_error,
                "capped": summary.capped,
            });
            let mut value = with_hours(value, summary.mean);
            if let Some(elapsed) = hours(arguments, summary.time) {
                value["elapsed_hours"] = json!(elapsed);
            }
            value
        });
        json!({
            "confidence": level.confidence,
            "lower_bound": { "known_variances": count(level.known), "unknown_variances": count(level.unknown) },
            "simulated": simulated,
            "sequential_halving": count(level.halving),
            "t_test": {
                "second": t_test(level.second, 2, delta),
                "all": t_test(level.all, supposed.names.len(), delta / (supposed.names.len() - 1) as f64),
            },
        })
    };
    let second = instance.second();
    json!({
        "arms": arms,
        "best": supposed.names[instance.best()],
        "second": supposed.names[second],
        "gap": instance.gap(second),
        "split_standard_deviation": instance.split_sd(),
        "difference_standard_deviation": instance.difference_sd(second),
        "pilot_scores": supposed.pilot,
        "splits": supposed.design,
        "policy": policies::resolve(POLICY, "posterior"),
        "posterior": POSTERIOR,
        "stopping": STOPPING,
        "parallel": arguments.parallel,
        "runs": arguments.runs,
        "seed": arguments.seed,
        "cap": plan.cap,
        "h2": plan.h2,
        "power": arguments.power,
        "comparison": comparison(supposed),
        "results": plan.levels.iter().map(of_level).collect::<Vec<_>>(),
    })
}

fn comparison(supposed: &Supposed) -> &'static str {
    match supposed.instance.comparison() {
        Comparison::Paired => "paired",
        Comparison::Unpaired => "unpaired",
    }
}

/// What a row says of one confidence.
type Cell<'a> = &'a dyn Fn(&Level) -> String;

pub(super) fn text(arguments: &Arguments, supposed: &Supposed, plan: &Plan) -> Result<(), Failure> {
    let instance = &supposed.instance;
    let arms = supposed.names.len();
    let (best, second) = (instance.best(), instance.second());
    let mean = |arm: usize| supposed.direction.orient(instance.means()[arm]);
    let on = if supposed.design == Design::Independent {
        "independent"
    } else {
        "shared"
    };
    print(format_args!(
        "{arms} arms on {on} splits: {} is best with {:.4}, {} is second with {:.4}",
        supposed.names[best],
        mean(best),
        supposed.names[second],
        mean(second)
    ))?;
    print(format_args!(
        "standard deviation of a score {:.4}, of the difference of these two {:.4}\n",
        instance.sds()[best],
        instance.difference_sd(second)
    ))?;
    let counted = |evaluations: f64| match hours(arguments, evaluations) {
        Some(hours) => format!("{evaluations:.0} ({hours:.0} h)"),
        None => format!("{evaluations:.0}"),
    };
    let simulated =
        |level: &Level, show: &dyn Fn(&fiesta::policies::simulate::Summary) -> String| {
            level
                .simulated
                .as_ref()
                .map_or_else(|| "–".to_owned(), show)
        };
    let policy = policies::resolve(POLICY, "posterior");
    let elapsed = format!("  elapsed, {} at once", arguments.parallel);
    let power = percent(arguments.power);
    let rows: [(String, Cell<'_>); 9] = [
        ("lower bound, variances known".into(), &|level| {
            counted(level.known)
        }),
        ("lower bound, variances unknown".into(), &|level| {
            counted(level.unknown)
        }),
        (
            format!("{policy}, mean of {} studies", arguments.runs),
            &|level| simulated(level, &|summary| counted(summary.mean)),
        ),
        ("  90 % of studies need at most".into(), &|level| {
            simulated(level, &|summary| counted(summary.quantile(0.9) as f64))
        }),
        ("  name a wrong arm".into(), &|level| {
            simulated(level, &|summary| {
                format!(
                    "{:.1} ± {:.1} %",
                    (1.0 - summary.correct) * 100.0,
                    summary.correct_standard_error * 100.0
                )
            })
        }),
        (elapsed, &|level| {
            // Only a row if evaluations have a cost.
            let Some(unit) = hours(arguments, 1.0) else {
                return String::new();
            };
            simulated(level, &|summary| format!("{:.0} h", summary.time * unit))
        }),
        ("sequential halving, proven".into(), &|level| {
            counted(level.halving)
        }),
        (
            format!("t-test, best against second, power {power} %"),
            &|level| counted(total(level.second, 2)),
        ),
        ("t-tests, best against all, Bonferroni".into(), &|level| {
            counted(total(level.all, arms))
        }),
    ];
    let names: Vec<String> = plan
        .levels
        .iter()
        .map(|level| format!("{} %", percent(level.confidence)))
        .collect();
    let header = std::iter::once(("evaluations", Align::Left));
    let mut table =
        Table::new(header.chain(names.iter().map(|name| (name.as_str(), Align::Right))));
    for (name, cell) in rows {
        let cells: Vec<String> = plan.levels.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.row(std::iter::once(name).chain(cells), false);
        }
    }
    print(table.text())?;
    notes(arguments, supposed, plan)
}

fn notes(arguments: &Arguments, supposed: &Supposed, plan: &Plan) -> Result<(), Failure> {
    if plan.levels.iter().any(|level| level.simulated.is_none()) {
        print(format_args!(
            "– not simulated: the lower bound exceeds {} evaluations (--cap)",
            plan.cap
        ))?;
    }
    for level in &plan.levels {
        if let Some(summary) = level
            .simulated
            .as_ref()
            .filter(|summary| summary.capped > 0)
        {
            print(format_args!(
                "confidence {}: {} of {} simulated studies were given up after {} evaluations (--cap)",
                level.confidence, summary.capped, summary.runs, plan.cap
            ))?;
        }
    }
    print(format_args!(
        "The tests are one-sided and {}; they suppose that one knows beforehand which arm to test.",
        comparison(supposed)
    ))?;
    print(
        "The bounds are for policies that err no more often whatever the arms; stopping on a posterior probability promises less and may need less.",
    )?;
    let source = match supposed.pilot {
        Some(scores) => format!("The plan takes the estimates from {scores} scores for the truth"),
        None => "The plan takes these numbers for the truth".to_owned(),
    };
    let smaller = supposed.instance.gap(supposed.instance.second()) / 2.0;
    let words = if arguments.cost_per_evaluation.is_some() {
        "time"
    } else {
        "evaluations"
    };
    print(format_args!(
        "{source}: a gap of {}, half of that, takes about four times the {words}.",
        short(smaller)
    ))
}
