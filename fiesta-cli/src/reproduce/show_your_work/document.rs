//! Everything as JSON.

use super::{
    arithmetic,
    families::{Family, Required},
    leaders::Leader,
    pairs::{Kind, Pair},
    published::{self, EMBEDDINGS, FIGURES, MISPRINTS, NOT_AVAILABLE},
    shapes::Shapes,
};
use fiesta::{
    posterior::best_of_n::BestOfN,
    report::{
        bands::Limits,
        budget::Budget,
        crossing::{Apart, Crossing},
    },
};
use serde_json::{Value, json};

pub(super) fn document(shapes: &Shapes, source: &str, written: &[String]) -> Value {
    json!({
        "paper": "show-your-work",
        "published": published(),
        "not_available": NOT_AVAILABLE,
        "source": source,
        "metric": shapes.metric,
        "estimator": "plug-in",
        "bands": { "kind": shapes.band.name(), "confidence": shapes.confidence },
        "families": shapes.families.iter().map(family).collect::<Vec<_>>(),
        "compared_up_to": shapes.common(),
        "leaders": {
            "by_trials": shapes.by_trials.iter().map(|l| leader(shapes, l)).collect::<Vec<_>>(),
            "by_time": shapes.by_time.iter().map(|l| leader(shapes, l)).collect::<Vec<_>>(),
        },
        "pairs": {
            "by_trials": shapes.pairs_by_trials.iter().map(|p| pair(shapes, p)).collect::<Vec<_>>(),
            "by_time": shapes.pairs_by_time.iter().map(|p| pair(shapes, p)).collect::<Vec<_>>(),
        },
        "highest": shapes.highest.as_ref().map(|best| probabilities(shapes, best)),
        "pair": [&shapes.families[shapes.two.0].name, &shapes.families[shapes.two.1].name],
        "higher_of_pair": shapes.higher_of_two.as_ref().map(|best| probabilities(shapes, best)),
        "overtaken": budget(&shapes.families[shapes.two.1], &shapes.overtaken),
        "budgets": shapes.required.iter().map(|(place, required)| budget(&shapes.families[*place], required)).collect::<Vec<_>>(),
        "figures": written,
    })
}

/// Of every family, for n = 1, 2, ….
fn probabilities(shapes: &Shapes, best: &BestOfN) -> Value {
    let up_to = shapes.common().min(best.largest_n());
    let each = (1..=up_to).map(|n| best.probability(n));
    json!({ "informative_up_to": best.informative_up_to(), "probability": each.collect::<Vec<_>>() })
}

fn published() -> Value {
    let search = |search: &published::Search| {
        json!({
            "model": search.model, "trials": search.trials, "seconds": search.seconds, "best": search.best,
            "hardware": Some(search.hardware).filter(|hardware| !hardware.is_empty()),
        })
    };
    let figures = FIGURES.iter().map(|figure| {
        json!({
            "figure": figure.name, "tables": figure.tables, "task": figure.task,
            "searches": figure.searches.iter().map(search).collect::<Vec<_>>(),
        })
    });
    let facts = arithmetic::facts().into_iter().map(|fact| {
        json!({
            "figure": fact.place, "printed": fact.printed, "what": fact.what, "from": fact.how,
            "recomputed": fact.value, "unit": fact.unit, "published": fact.prints, "ratio": fact.ratio(),
        })
    });
    let budgets = arithmetic::budgets().map(|budget| {
        let trials = budget.trials.iter().zip(&EMBEDDINGS);
        let trials = trials.map(|(&n, search)| {
            json!({ "model": search.model, "trials": n, "beyond": n > f64::from(search.trials) })
        });
        json!({
            "budget": budget.name, "seconds": budget.seconds, "printed": budget.says,
            "trials": trials.collect::<Vec<_>>(),
        })
    });
    let misprints = MISPRINTS.map(|(place, words)| json!({ "place": place, "what": words }));
    json!({
        "figures": figures.collect::<Vec<_>>(),
        "facts": facts.collect::<Vec<_>>(),
        "figure_2_budgets": budgets,
        "misprints": misprints,
    })
}

fn family(family: &Family) -> Value {
    let ends = |lower: bool| -> Vec<Option<f64>> {
        let end = |interval: &Limits| {
            if lower {
                interval.lower
            } else {
                interval.upper
            }
        };
        family.band.iter().map(end).collect()
    };
    json!({
        "name": family.name,
        "trials": family.trials.started(),
        "failed": family.trials.failed(),
        "seconds": family.trials.mean_duration(),
        "best": family.trials.sample().best(),
        "reported": family.reported,
        "mean": family.curve.mean(),
        "sd": family.curve.sd(),
        "lower": ends(true),
        "upper": ends(false),
        "median": family.medians,
    })
}

fn leader(shapes: &Shapes, leader: &Leader) -> Value {
    let name = |&family: &usize| shapes.families[family].name.as_str();
    json!({
        "name": name(&leader.family), "from": leader.from, "until": leader.until,
        "beyond_trials": leader.beyond.iter().map(name).collect::<Vec<_>>(),
    })
}

fn pair(shapes: &Shapes, pair: &Pair) -> Value {
    let (a, b) = pair.families;
    let name = |lead| shapes.families[shapes.better(pair, lead)].name.as_str();
    let crossing = |crossing: &Crossing| {
        json!({
            "at": pair.budget(crossing.n),
            "before": name(crossing.before),
            "after": name(crossing.after),
            "from": crossing.from.map(|place| pair.budget(place as f64)),
            "until": crossing.until.map(|place| pair.budget(place as f64)),
            "certain": crossing.is_certain(),
        })
    };
    let apart = |apart: &Apart| {
        json!({
            "from": pair.budget(apart.from as f64), "until": pair.budget(apart.until as f64), "better": name(apart.lead),
        })
    };
    let mut value = json!({
        "families": [shapes.families[a].name, shapes.families[b].name],
    });
    for kind in Kind::ALL {
        let found = pair.of(kind);
        value[kind.name()] = json!({
            "crossings": found.crossings.iter().map(crossing).collect::<Vec<_>>(),
            "apart": found.apart.iter().map(apart).collect::<Vec<_>>(),
        });
    }
    value
}

fn budget(family: &Family, required: &Required) -> Value {
    let reached = required.budget.reached();
    json!({
        "name": family.name,
        "value": required.value,
        "status": required.budget.status(),
        "n": reached.map(|reached| reached.n),
        "beyond": matches!(required.budget, Budget::Beyond(_)),
        "seconds": reached.and_then(|reached| family.trials.time_of(reached.n as f64)),
        "at_least": required.at_least,
        "at_most": required.at_most,
    })
}
