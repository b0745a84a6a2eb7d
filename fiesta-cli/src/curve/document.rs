//! Curves for programs.

use super::{
    Arguments,
    calculate::{ArmCurve, Curves},
    read::Input,
};
use fiesta::{
    core::Direction,
    report::{
        budget::Budget,
        crossing::{Crossing, Lead},
        tuning_curve::Trials,
    },
};
use serde_json::{Value, json};

pub(super) fn document(arguments: &Arguments, input: &Input, curves: &Curves) -> Value {
    let arms = || input.arms.iter().zip(&curves.arms);
    let budgets = arms().flat_map(|((name, trials), arm)| {
        let values = arguments.reach.iter().zip(&arm.budgets);
        values.map(move |(&value, budget)| of_budget(name, trials, value, budget))
    });
    let crossings = curves.pairs.iter().flat_map(|(a, b, comparison)| {
        let found = comparison.crossings.iter();
        found.map(move |crossing| of_crossing(arguments, input, (*a, *b), crossing))
    });
    let pairs = curves.pairs.iter().map(|(a, b, comparison)| {
        let apart = comparison.apart.iter().map(|apart| {
            let better = better(input, (*a, *b), apart.lead);
            json!({"from": apart.from, "until": apart.until, "better": better})
        });
        json!({
            "arms": [input.arms[*a].0, input.arms[*b].0],
            "crossings": comparison.crossings.len(),
            "apart": apart.collect::<Vec<_>>(),
        })
    });
    json!({
        "metric": input.metric,
        "direction": match input.direction {
            Direction::Maximize => "maximize",
            Direction::Minimize => "minimize",
        },
        "bounds": input.bounds.map(|(lower, upper)| [lower, upper]),
        "estimator": arguments.estimator.name(),
        "failed": arguments.failed.name(),
        "confidence": arguments.confidence,
        "band_of": curves.centre.name(),
        "curves": arms()
            .map(|((name, trials), arm)| of_arm(arguments, name, trials, &curves.n, arm))
            .collect::<Vec<_>>(),
        "crossings": crossings.collect::<Vec<_>>(),
        "pairs": pairs.collect::<Vec<_>>(),
        "budgets": budgets.collect::<Vec<_>>(),
    })
}

fn of_arm(arguments: &Arguments, name: &str, trials: &Trials, n: &[u64], arm: &ArmCurve) -> Value {
    let (smallest, largest) = trials.sample().range();
    let shading = |sign: f64| -> Vec<Option<f64>> {
        let ends = arm.mean.iter().zip(&arm.sd);
        ends.map(|(mean, sd)| Some(((*mean)? + sign * (*sd)?).clamp(smallest, largest)))
            .collect()
    };
    let ends = |end: fn(&fiesta::report::bands::Limits) -> Option<f64>| -> Vec<Option<f64>> {
        arm.band.iter().map(end).collect()
    };
    let mut curve = json!({
        "name": name,
        "trials": trials.started(),
        "failed": trials.failed(),
        "scores": trials.sample().count(),
        "n": n,
        "mean": arm.mean,
        "sd": arm.sd,
        "mean_minus_sd": shading(-1.0),
        "mean_plus_sd": shading(1.0),
        "median": arm.median,
        "lower": ends(|interval| interval.lower),
        "upper": ends(|interval| interval.upper),
        "bands": arm.kind.map_or("none", |(kind, _)| kind.name()),
    });
    if let Some((_, reliable)) = arm.kind {
        curve["informative"] = json!({
            "better_end_up_to": reliable.best_up_to,
            "worse_end_from": reliable.worst_from,
        });
    }
    if arguments.time {
        let time = n.iter().map(|&n| trials.time_of(n as f64));
        curve["mean_duration"] = json!(trials.mean_duration());
        curve["time"] = json!(time.collect::<Vec<_>>());
    }
    curve
}

fn of_budget(name: &str, trials: &Trials, value: f64, budget: &Budget) -> Value {
    let reached = budget.reached();
    json!({
        "name": name,
        "value": value,
        "status": budget.status(),
        "within_B": matches!(budget, Budget::Within(_)),
        "first_n": reached.map(|reached| reached.n),
        "real_n": reached.and_then(|reached| reached.real),
        "linear_interp_n": reached.map(|reached| reached.interpolated),
        "time": reached.and_then(|reached| trials.time_of(reached.n as f64)),
    })
}

fn of_crossing(
    arguments: &Arguments,
    input: &Input,
    pair: (usize, usize),
    crossing: &Crossing,
) -> Value {
    json!({
        "arms": [input.arms[pair.0].0, input.arms[pair.1].0],
        "n": crossing.n,
        "better_before": better(input, pair, crossing.before),
        "better_after": better(input, pair, crossing.after),
        "from": crossing.from,
        "until": crossing.until,
        "certain": crossing.is_certain(),
        "confidence": of_two(arguments.confidence),
    })
}

/// What two bands of this confidence hold together at least, also where their scores are on shared splits; without the digits that
/// binary fractions add.
pub(super) fn of_two(confidence: f64) -> f64 {
    ((2.0 * confidence - 1.0).max(0.0) * 1e12).round() / 1e12
}

/// The arm whose curve is the better one.
pub(super) fn better(input: &Input, (a, b): (usize, usize), higher: Lead) -> &str {
    let first = (higher == Lead::First) == (input.direction == Direction::Maximize);
    &input.arms[if first { a } else { b }].0
}
