//! The table of where curves cross.

use super::{
    Failure,
    pairs::{Kind, Pair},
    print,
    shapes::Shapes,
    unit::{Unit, number, time},
};
use fiesta::report::{Align, Table};

/// More pairs than this are not all shown as text, but only those that cross.
const PAIRS: usize = 15;

pub(super) fn crossings(shapes: &Shapes, pairs: &[Pair], unit: Unit) -> Result<(), Failure> {
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
            let better = &shapes.families[shapes.better(pair, apart.lead)].name;
            let (from, until) = (
                pair.budget(apart.from as f64),
                pair.budget(apart.until as f64),
            );
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
            let name = |lead| &shapes.families[shapes.better(pair, lead)].name;
            let from = crossing
                .from
                .map(|place| unit.show(pair.budget(place as f64)));
            let until = crossing
                .until
                .map(|place| unit.show(pair.budget(place as f64)));
            [
                format!("{}, then {}", name(crossing.before), name(crossing.after)),
                match unit {
                    Unit::Trials => number(crossing.n),
                    Unit::Seconds => time(pair.budget(crossing.n)),
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

/// Which of two curves that do not cross is better.
fn always(shapes: &Shapes, pair: &Pair, kind: Kind) -> String {
    let ahead = pair.last(kind);
    ahead.map_or("neither".to_owned(), |lead| {
        shapes.families[shapes.better(pair, lead)].name.clone()
    })
}
