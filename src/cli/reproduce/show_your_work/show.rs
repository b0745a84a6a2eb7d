//! Everything as text and as JSON.

use super::{
    Failure,
    arithmetic::{self, Verdict},
    families::{Family, Required},
    leaders::Leader,
    pairs::{Kind, Pair},
    print,
    published::{EMBEDDINGS, FIGURES, MISPRINTS, NOT_AVAILABLE},
    shapes::Shapes,
};
use fiesta::{
    core::Direction,
    report::{
        Align, Table,
        budget::Budget,
        crossing::{Apart, Crossing, Lead},
        percent,
    },
};
use serde_json::{Value, json};

/// More pairs than this are not all shown as text, but only those that cross.
const PAIRS: usize = 15;

/// Budgets in trials or in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Trials,
    Seconds,
}

impl Unit {
    fn show(self, budget: f64) -> String {
        match self {
            Self::Trials => format!("{budget:.0}"),
            Self::Seconds => time(budget),
        }
    }
}

/// Seconds in the unit that people would tell them in.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.0} ms", s * 1000.0),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} d", s / 86_400.0),
    }
}

/// To a tenth, or to three digits where that is more.
fn number(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

pub(super) fn text(shapes: &Shapes, source: &str, written: &[String]) -> Result<(), Failure> {
    print("Show Your Work (EMNLP 2019): what is printed, and what follows from it\n")?;
    print(searches().text())?;
    print(facts().text())?;
    print(
        "Figure 2's budgets in trials; more than the 50 that were run (*) is beyond every curve of the figure\n",
    )?;
    print(budgets().text())?;
    for (place, words) in MISPRINTS {
        print(format_args!("{place}: {words}."))?;
    }
    print(format_args!(
        "Not reproduced: {NOT_AVAILABLE}.\n\nThe figures' shapes on {source}\n"
    ))?;
    print(families(shapes).text())?;
    print("Who has the highest expected best\n")?;
    print(leaders(shapes).text())?;
    if shapes.by_time.is_empty() {
        print("Not every duration is known, or one is zero: figures 2 and 4 need them.\n")?;
    }
    for (unit, pairs) in [
        (Unit::Trials, &shapes.pairs_by_trials),
        (Unit::Seconds, &shapes.pairs_by_time),
    ] {
        if !pairs.is_empty() {
            crossings(shapes, pairs, unit)?;
        }
    }
    print("What it takes\n")?;
    print(required(shapes).text())?;
    for file in written {
        print(format_args!("wrote {file}"))?;
    }
    print(format_args!(
        "expected best: plug-in estimator; bands: simultaneous, equal-tailed, {} for each curve; time: whole trials of mean duration",
        percent(shapes.confidence)
    ))
}

fn searches() -> Table {
    let mut table = Table::new([
        ("figure", Align::Left),
        ("tables", Align::Left),
        ("task", Align::Left),
        ("model", Align::Left),
        ("trials", Align::Right),
        ("a trial", Align::Right),
        ("best", Align::Right),
        ("on", Align::Left),
    ]);
    for figure in &FIGURES {
        for search in figure.searches {
            let cells = [
                figure.name,
                figure.tables,
                figure.task,
                search.model,
                &search.trials.to_string(),
                &format!("{} s", search.seconds),
                &format!("{:.3}", search.best),
                search.hardware,
            ];
            table.row(cells.map(ToOwned::to_owned), false);
        }
    }
    table
}

fn facts() -> Table {
    let mut table = Table::new([
        ("", Align::Left),
        ("printed", Align::Left),
        ("recomputed", Align::Left),
        ("", Align::Right),
        ("", Align::Left),
        ("from", Align::Left),
    ]);
    for fact in arithmetic::facts() {
        let value = if fact.value < 1000.0 {
            number(fact.value)
        } else {
            format!("{:.0}", fact.value)
        };
        let cells = [
            fact.place,
            fact.printed,
            fact.what,
            &value,
            fact.unit,
            &fact.how,
        ];
        // What contradicts the paper stands out.
        table.row(
            cells.map(ToOwned::to_owned),
            fact.verdict == Verdict::Differs,
        );
    }
    table
}

fn budgets() -> Table {
    let head = [("budget", Align::Right), ("the paper says", Align::Left)];
    let models = EMBEDDINGS.iter().map(|search| (search.model, Align::Right));
    let mut table = Table::new(head.into_iter().chain(models));
    for budget in arithmetic::budgets() {
        let trials = budget.trials.iter().zip(&EMBEDDINGS);
        let trials = trials.map(|(&n, search)| {
            let beyond = if n > f64::from(search.trials) {
                "*"
            } else {
                ""
            };
            format!("{}{beyond}", number(n))
        });
        let head = [budget.name.to_owned(), budget.says.to_owned()];
        table.row(head.into_iter().chain(trials), false);
    }
    table
}

fn families(shapes: &Shapes) -> Table {
    let failures = shapes
        .families
        .iter()
        .any(|family| family.trials.failed() > 0);
    let mut head = vec![("family", Align::Left), ("trials", Align::Right)];
    if failures {
        head.push(("failed", Align::Right));
    }
    head.extend([
        ("a trial", Align::Right),
        ("expected best of 1", Align::Right),
        ("of 10", Align::Right),
        ("of all", Align::Right),
        ("best", Align::Right),
        ("reported", Align::Right),
    ]);
    let mut table = Table::new(head);
    for family in &shapes.families {
        let count = family.count() as u64;
        let of = |n: u64| format!("{:.4}", family.expected(n));
        let mut cells = vec![family.name.clone(), family.trials.started().to_string()];
        if failures {
            cells.push(family.trials.failed().to_string());
        }
        cells.extend([
            family.trials.mean_duration().map_or("–".to_owned(), time),
            of(1),
            if count >= 10 {
                of(10)
            } else {
                "–".to_owned()
            },
            of(count),
            format!("{:.4}", family.trials.sample().best()),
            family
                .reported
                .map_or("–".to_owned(), |score| format!("{score:.4}")),
        ]);
        table.row(cells, false);
    }
    table
}

fn leaders(shapes: &Shapes) -> Table {
    let mut table = Table::new([
        ("budget", Align::Left),
        ("from", Align::Right),
        ("to", Align::Right),
        ("leader", Align::Left),
        ("would need more trials than it had", Align::Left),
    ]);
    for (unit, name, leaders) in [
        (Unit::Trials, "trials of each", &shapes.by_trials),
        (Unit::Seconds, "time for each", &shapes.by_time),
    ] {
        for leader in leaders {
            let beyond: Vec<&str> = leader
                .beyond
                .iter()
                .map(|&family| shapes.families[family].name.as_str())
                .collect();
            let cells = [
                name.to_owned(),
                unit.show(leader.from),
                unit.show(last(leader, leaders, unit)),
                shapes.families[leader.family].name.clone(),
                beyond.join(", "),
            ];
            table.row(cells, false);
        }
    }
    table
}

/// The last budget of a leader: whole trials end before those of the next begin.
fn last(leader: &Leader, of: &[Leader], unit: Unit) -> f64 {
    let overtaken = of
        .iter()
        .any(|next| next.from >= leader.until && next != leader);
    if unit == Unit::Trials && overtaken {
        leader.until - 1.0
    } else {
        leader.until
    }
}

fn crossings(shapes: &Shapes, pairs: &[Pair], unit: Unit) -> Result<(), Failure> {
    let what = match unit {
        Unit::Trials => "trials of each",
        Unit::Seconds => "time for each, as far as both had trials",
    };
    print(format_args!("Where two curves cross: {what}\n"))?;
    let mut table = Table::new([
        ("families", Align::Left),
        ("curves", Align::Left),
        ("better", Align::Left),
        ("cross at", Align::Right),
        ("but anywhere within", Align::Left),
        ("apart", Align::Left),
    ]);
    let all = pairs.len() <= PAIRS;
    let mut left_out = 0;
    for pair in pairs {
        let crosses = Kind::ALL
            .iter()
            .any(|&kind| !pair.of(kind).crossings.is_empty());
        if !all && !crosses {
            left_out += 1;
            continue;
        }
        for kind in Kind::ALL {
            for (i, cells) in rows(shapes, pair, kind, unit).into_iter().enumerate() {
                let (a, b) = pair.families;
                let names = format!("{}, {}", shapes.families[a].name, shapes.families[b].name);
                let first = kind == Kind::Means && i == 0;
                let head = [
                    if first { names } else { String::new() },
                    if i == 0 {
                        kind.title().to_owned()
                    } else {
                        String::new()
                    },
                ];
                table.row(head.into_iter().chain(cells), false);
            }
        }
    }
    print(table.text())?;
    if left_out > 0 {
        print(format_args!(
            "{left_out} pairs that do not cross are not shown.\n"
        ))?;
    }
    Ok(())
}

impl Kind {
    fn title(self) -> &'static str {
        match self {
            Self::Means => "means, bands",
            Self::Medians => "medians, bands",
            Self::Shading => "means, ± 1 sd (the paper's)",
        }
    }
}

/// A row for every crossing, or one for none.
fn rows(shapes: &Shapes, pair: &Pair, kind: Kind, unit: Unit) -> Vec<[String; 4]> {
    let comparison = pair.of(kind);
    let ranges: Vec<String> = comparison
        .apart
        .iter()
        .map(|apart| {
            let better = &shapes.families[better(shapes, pair, apart.lead)].name;
            let (from, until) = (pair.budget(apart.from), pair.budget(apart.until));
            if apart.from == apart.until {
                format!("{} ({better})", unit.show(from))
            } else {
                format!("{} to {} ({better})", unit.show(from), unit.show(until))
            }
        })
        .collect();
    let apart = if ranges.is_empty() {
        "nowhere".to_owned()
    } else {
        ranges.join(", ")
    };
    if comparison.crossings.is_empty() {
        let leads = always(shapes, pair, kind);
        return vec![[leads, "never".to_owned(), String::new(), apart]];
    }
    let crossings = comparison.crossings.iter().enumerate();
    crossings
        .map(|(i, crossing)| {
            let name = |lead| &shapes.families[better(shapes, pair, lead)].name;
            let from = crossing.from.map(|place| unit.show(pair.budget(place)));
            let until = crossing.until.map(|place| unit.show(pair.budget(place)));
            [
                format!("{}, then {}", name(crossing.before), name(crossing.after)),
                match unit {
                    Unit::Trials => number(crossing.n),
                    Unit::Seconds => time(pair.budget(place_of(crossing))),
                },
                match (from, until) {
                    (Some(from), Some(until)) => format!("{from} to {until}: they cross"),
                    (Some(from), None) => format!("{from} on, or nowhere"),
                    (None, Some(until)) => format!("up to {until}, or nowhere"),
                    (None, None) => "anywhere, or nowhere".to_owned(),
                },
                if i == 0 { apart.clone() } else { String::new() },
            ]
        })
        .collect()
}

/// The first place at which the other one leads.
fn place_of(crossing: &Crossing) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place among budgets"
    )]
    let place = crossing.n.ceil() as u64;
    place
}

/// Which of two is better, where the lead is of the higher one.
fn better(shapes: &Shapes, pair: &Pair, lead: Lead) -> usize {
    let (a, b) = pair.families;
    let maximize = shapes.families[a].direction() == Direction::Maximize;
    if (lead == Lead::First) == maximize {
        a
    } else {
        b
    }
}

/// Which of two curves that do not cross is better.
fn always(shapes: &Shapes, pair: &Pair, kind: Kind) -> String {
    let (a, b) = (
        &shapes.families[pair.families.0],
        &shapes.families[pair.families.1],
    );
    if kind != Kind::Means {
        return String::new();
    }
    let (x, y) = (a.curve.mean(), b.curve.mean());
    let better = x.iter().zip(y).find(|(x, y)| x != y);
    match better {
        Some((x, y)) if (x > y) == (a.direction() == Direction::Maximize) => a.name.clone(),
        Some(_) => b.name.clone(),
        None => "neither".to_owned(),
    }
}

fn required(shapes: &Shapes) -> Table {
    let mut table = Table::new([
        ("family", Align::Left),
        ("to expect", Align::Right),
        ("which is", Align::Left),
        ("trials", Align::Right),
        ("time", Align::Right),
        ("within the bands", Align::Left),
    ]);
    let (first, second) = shapes.two;
    let goal = format!(
        "what all trials of {} may be expected to give",
        shapes.families[first].name
    );
    let mut add = |family: &Family, words: &str, required: &Required| {
        let (trials, time) = match &required.budget {
            Budget::Within(reached) | Budget::Beyond(reached) => {
                let beyond = if matches!(required.budget, Budget::Beyond(_)) {
                    " (more than there were)"
                } else {
                    ""
                };
                let spent = family.trials.time_of(reached.n as f64);
                (
                    format!("{}{beyond}", reached.n),
                    spent.map_or("–".to_owned(), self::time),
                )
            }
            Budget::OnlyAsymptotically => (
                "never quite: it is the best score".to_owned(),
                "–".to_owned(),
            ),
            Budget::BeyondTheBest => ("no trial was as good".to_owned(), "–".to_owned()),
        };
        let band = match (required.at_least, required.at_most) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            (Some(least), None) => format!("{least} or more"),
            (None, _) => format!("more than {}", family.count()),
        };
        let value = format!("{:.4}", required.value);
        let cells = [
            family.name.clone(),
            value,
            words.to_owned(),
            trials,
            time,
            band,
        ];
        table.row(cells, false);
    };
    add(&shapes.families[second], &goal, &shapes.overtaken);
    for (place, required) in &shapes.required {
        add(&shapes.families[*place], "its reported score", required);
    }
    table
}

pub(super) fn document(shapes: &Shapes, source: &str, written: &[String]) -> Value {
    json!({
        "paper": "show-your-work",
        "published": published(),
        "not_available": NOT_AVAILABLE,
        "source": source,
        "metric": shapes.metric,
        "estimator": "plug-in",
        "bands": { "kind": "equal-tailed", "confidence": shapes.confidence },
        "families": shapes.families.iter().map(family).collect::<Vec<_>>(),
        "compared_up_to": shapes.common(),
        "leaders": {
            "by_trials": shapes.by_trials.iter().map(|l| leader(shapes, l)).collect::<Vec<_>>(),
            "by_time": shapes.by_time.iter().map(|l| leader(shapes, l)).collect::<Vec<_>>(),
        },
        "pairs": {
            "by_trials": shapes.pairs_by_trials.iter().map(|p| pair(shapes, p, Unit::Trials)).collect::<Vec<_>>(),
            "by_time": shapes.pairs_by_time.iter().map(|p| pair(shapes, p, Unit::Seconds)).collect::<Vec<_>>(),
        },
        "overtaken": budget(&shapes.families[shapes.two.1], &shapes.overtaken),
        "budgets": shapes.required.iter().map(|(place, required)| budget(&shapes.families[*place], required)).collect::<Vec<_>>(),
        "figures": written,
    })
}

fn published() -> Value {
    let search = |search: &super::published::Search| {
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
            "recomputed": fact.value, "unit": fact.unit, "differs": fact.verdict == Verdict::Differs,
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
        let end = |interval: &fiesta::report::bands::Interval| {
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

fn pair(shapes: &Shapes, pair: &Pair, unit: Unit) -> Value {
    let (a, b) = pair.families;
    let name = |lead| shapes.families[better(shapes, pair, lead)].name.as_str();
    let crossing = |crossing: &Crossing| {
        let at = match unit {
            Unit::Trials => crossing.n,
            Unit::Seconds => pair.budget(place_of(crossing)),
        };
        json!({
            "at": at,
            "before": name(crossing.before),
            "after": name(crossing.after),
            "from": crossing.from.map(|place| pair.budget(place)),
            "until": crossing.until.map(|place| pair.budget(place)),
            "certain": crossing.is_certain(),
        })
    };
    let apart = |apart: &Apart| {
        json!({
            "from": pair.budget(apart.from), "until": pair.budget(apart.until), "better": name(apart.lead),
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
