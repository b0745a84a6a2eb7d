//! Everything as text.

use super::{
    Failure,
    crossings::crossings,
    families::{Family, Required},
    paper, print,
    published::{MISPRINTS, NOT_AVAILABLE},
    shapes::Shapes,
    unit::{self, Unit},
};
use fiesta::{
    posterior::best_of_n::BestOfN,
    report::{Align, Percentages, Table, budget::Budget, percent},
};

pub(super) fn text(shapes: &Shapes, source: &str, written: &[String]) -> Result<(), Failure> {
    print("Show Your Work (EMNLP 2019): what is printed, and what follows from it\n")?;
    print(paper::searches().text())?;
    print(paper::facts().text())?;
    print(
        "Figure 2's budgets in trials; more than the 50 that were run (*) is beyond every curve of the figure\n",
    )?;
    print(paper::budgets().text())?;
    for (place, words) in MISPRINTS {
        print(format_args!("{place}: {words}."))?;
    }
    print(format_args!(
        "Not reproduced: {NOT_AVAILABLE}.\n\nThe figures' shapes on {source}\n"
    ))?;
    print(families(shapes).text())?;
    print("Who has the highest expected best\n")?;
    print(leaders(shapes).text())?;
    if let (Some(best), Some(two)) = (&shapes.highest, &shapes.higher_of_two) {
        print("P(highest expected best of n)\n")?;
        print(highest(shapes, best, two).text())?;
    }
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
        "expected best: plug-in estimator; bands: simultaneous, {}, {} for each curve; time: trials of mean duration, and straight lines between whole ones, as the figures draw them",
        shapes.band.name(),
        percent(shapes.confidence)
    ))
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
            family
                .trials
                .mean_duration()
                .map_or("–".to_owned(), unit::time),
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
                unit.show(leader.until),
                shapes.families[leader.family].name.clone(),
                beyond.join(", "),
            ];
            table.row(cells, false);
        }
    }
    table
}

/// Round numbers of trials, the last one included.
fn round_numbers(up_to: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = [1, 2, 3, 5]
        .into_iter()
        .chain((1..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power))))
        .take_while(|&n| n < up_to)
        .collect();
    numbers.push(up_to);
    numbers
}

fn highest(shapes: &Shapes, best: &BestOfN, two: &BestOfN) -> Table {
    let families = shapes.families.iter();
    let families = families.map(|family| (family.name.as_str(), Align::Right));
    let name = |place: usize| shapes.families[place].name.as_str();
    // Of two families, it would be what stands there already.
    let alone = format!("{} above {}", name(shapes.two.1), name(shapes.two.0));
    let alone = (shapes.families.len() > 2).then_some((alone.as_str(), Align::Right));
    let head = [("n", Align::Right)]
        .into_iter()
        .chain(families)
        .chain(alone);
    let mut table = Table::new(head.chain([("", Align::Left)]));
    for n in round_numbers(shapes.common().min(best.largest_n())) {
        let shares = Percentages::new(best.probability(n));
        let shares = (0..shapes.families.len()).map(|place| shares.of(place));
        let alone = alone.map(|_| percent(two.probability(n)[1]));
        let informative = best.informative_up_to();
        let beyond = if n > informative {
            format!("beyond {informative}: an extrapolation")
        } else {
            String::new()
        };
        let cells = [n.to_string()].into_iter().chain(shares).chain(alone);
        table.row(cells.chain([beyond]), false);
    }
    table
}

fn required(shapes: &Shapes) -> Table {
    let mut table = Table::new([
        ("family", Align::Left),
        ("to expect", Align::Right),
        ("which is", Align::Left),
        ("trials", Align::Right),
        ("time", Align::Right),
        ("trials within the bands", Align::Left),
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
                    spent.map_or("–".to_owned(), unit::time),
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
